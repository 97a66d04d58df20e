// Checks of how the site changes pages: node --test tools/site/checks.mjs, after ./course docs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createMarkdownProcessor } from "@astrojs/markdown-remark";
import { strToU8, unzipSync, zipSync } from "fflate";
import { columnsOf } from "../lens/request.mjs";
import { improve, versions } from "./improve.mjs";
import { withPictures } from "./pictures.mjs";
import { addressOf, build, root, targetOf } from "./repository.mjs";
import { exported, imported } from "./src/workbench/archive.mjs";
import { FULL, note, noted, Work } from "./src/workbench/work.mjs";
import { drawn } from "./src/watch/drawing.js";
import { Recording, ranges } from "./src/watch/recording.js";
import { input, withRecordings } from "./watched.mjs";

const markdown = await createMarkdownProcessor({ syntaxHighlight: false, remarkPlugins: [versions], rehypePlugins: [improve] });
const html = async (text) => (await markdown.render(text)).code;

test("columns of numbers are aligned, and others are not", async () => {
  const page = await html("| variant | | time | share |\n|---|---|---|---|\n| a | 02 | 1.5 us | 57 % |\n| b | 03 | – | 1,024 to 2,048 |\n");
  const cells = [...page.matchAll(/<td( class="number")?>/g)].map((found) => Boolean(found[1]));
  assert.deepEqual(cells, [false, ...[false, false, true, true], ...[false, false, true, true]]); // the first is the empty heading
});

test("no line ends between a value and its unit", async () => {
  assert.equal((await html("12 GB/s, 3 us **4 ×** 5 usual, `6 us`")).replaceAll("\u00a0", "_"),
    "<p>12_GB/s, 3_us <strong>4_×</strong> 5 usual, <code>6 us</code></p>");
});

test("a diff of two functions has a switch, and one without names has none", async () => {
  const page = await html("```diff\n--- ../a.cuh:old_kernel\n+++ b.cuh:new_kernel\n f\n-g\n+h\n```\n```diff\n-1\n+2\n```\n");
  assert.match(page, /<legend[^>]*>old_kernel and new_kernel<\/legend>.*<input type="radio" name="versions-1" value="diff" checked>Diff.*<code[^>]*> f\n-g\n\+h\n/);
  assert.equal(page.match(/<fieldset/g).length, 1);
});

test("an exercise in a chapter has a link to where it can be written, and other quotations have none", async () => {
  const text = "> **Exercise 03.1.** [Task](exercises/1_one_block_size.md)\n\nBetween.\n\n> [Faults](broken/faults.md)\n";
  const { code } = await markdown.render(text, { fileURL: new URL("file:///03_shared_privatized/README.md") });
  assert.match(code, /<blockquote class="exercise">[^]*<a href="\/write\/03.1.html">Write it in the browser<\/a><\/p><\/blockquote>[^]*<blockquote>/);
  assert.equal(code.match(/to-bench/g).length, 1);
});

test("a copy of a diff is the new code", () => {
  const page = readFileSync(join(build, "html/07_arbitrary_n.html"), "utf8");
  const [, copied] = /atomic_kernel<\/span>.*?data-code="([^"]*)"/s.exec(page.slice(page.indexOf("stride_kernel → atomic_kernel")));
  assert.match(copied, /^__global__ void atomic_kernel[^\x7F]*\x7F/);
  assert.doesNotMatch(copied, /\bstride_kernel/);
});

test("names in a chapter's code lead to the reference, those of the same chapter first", () => {
  const page = readFileSync(join(build, "html/05_sum_of_squares.html"), "utf8");
  for (const place of ["05_sum_of_squares/kernels.cuh.html#contiguous_kernel", "common/problem/sum_of_squares.cuh.html#square"])
    assert.ok(page.includes(`<a href="./${place}`), place);
  assert.doesNotMatch(page, /href="[^"]*04_coarsened\/kernels.cuh.html#contiguous_kernel/);
  assert.doesNotMatch(readFileSync(join(build, "html/01_cpu_baseline.html"), "utf8"), /#fill">fill/); // std::fill
});

test("pictures with steps become part of the page, and others open", () => {
  const page = withPictures('<p><img src="/docs/figures/banks.svg" alt="b"></p><p><img src="/docs/figures/04_coarsened.svg" alt="c"></p>');
  assert.match(page, /^<figure class="steps"><svg[^]*<\/svg><\/figure><p><a href="\/docs\/figures\/04_coarsened.svg"><img [^>]*><\/a><\/p>$/);
});

test("links lead to pages, and one that leads nowhere is an error", () => {
  const address = (link) => addressOf(targetOf("03_shared_privatized/README.md", link));
  assert.equal(address("../docs/install.md#with-cmake-or-nvcc-alone"), "/docs/install.html#with-cmake-or-nvcc-alone");
  assert.equal(address("../README.md"), "/course.html");
  assert.equal(address("kernels.cuh"), "/03_shared_privatized/kernels.cuh.html");
  assert.equal(targetOf("README.md", "https://example.org/"), undefined);
  assert.throws(() => address("missing.md"), /03_shared_privatized\/README.md links to missing.md, which does not exist/);
});

test("a built page has no address that depends on where the site is", () => {
  const page = readFileSync(join(build, "html/docs/results.html"), "utf8");
  assert.match(page, /href="\.\.\/course\.html"/);
  assert.doesNotMatch(page, /COURSE_BASE|(?:href|src)="\/(?!\/)/);
});

test("a kernel's page has its declaration, its description and its source", () => {
  const page = readFileSync(join(build, "reference/02_naive_atomic/kernels.cuh.md"), "utf8");
  assert.match(page, /### racy_kernel\n\n```cpp\n__global__ void racy_kernel\(const unsigned char\* d_data, [^]*?\);\n```\n\n *<p>Wrong on purpose/);
  assert.match(page, /## Source\n\n``````cpp/);
});

// --- The pages where exercises are written ------------------------------------------------------

const exercises = JSON.parse(readFileSync(join(build, "html/exercises.json"), "utf8"));

test("a page begins with the starter that ./course exercise gives, and does not show the chapter's code", () => {
  const given = JSON.parse(execFileSync("python3", ["-c", "import json; from starter import *; print(json.dumps({str(each.file): Chapter(each.chapter).starter(each) for each in exercises()}))"],
    { env: { ...process.env, PYTHONPATH: join(root, "tools/exercises") }, encoding: "utf8" }));
  assert.equal(Object.keys(given).length, 22);
  assert.deepEqual(Object.fromEntries(exercises.map(({ file, starter }) => [file, starter])), given);
  for (const { number, file, starter, solution } of exercises) {
    const page = readFileSync(join(build, `html/write/${number}.html`), "utf8");
    const shown = /<pre data-part="starter"[^>]*>([^]*?)<\/pre>/.exec(page)[1];
    const text = (html) => html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ({ lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" })[name]);
    assert.equal(text(shown), given[file]);
    assert.ok(solution.split("\n").some((line) => !starter.includes(line) && !text(page).includes(line)), number);
  }
});

test("a page where code runs allows its own scripts, and no others", () => {
  const page = readFileSync(join(build, "html/write/03.1.html"), "utf8");
  const policy = /^<!DOCTYPE html>\s*<html[^>]*>\s*<head><meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)[1];
  assert.match(policy, /^default-src 'self'; script-src 'self' 'wasm-unsafe-eval'( 'sha256-[\w+/]{43}=')+; /);
  assert.doesNotMatch(policy, /script-src[^;]*'unsafe|https?:|\*/);
});

/// A localStorage, and `tab`, which gives Work as a new tab sees it. The clock advances by 1 ms each time it is read.
function browser(most = Infinity) {
  const entries = new Map(), used = () => [...entries].reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  const storage = { getItem: (key) => entries.get(key) ?? null, removeItem: (key) => entries.delete(key), setItem(key, value) {
    if (used() - (entries.get(key)?.length ?? 0) + value.length > most) throw Error("QuotaExceededError");
    entries.set(key, value);
  } };
  let time = 1.7e12;
  return { storage, tab: (exercise = exercises[6]) => new Work(storage, exercise, () => ++time) };
}
const keptTexts = (work) => work.kept.map(({ text }) => text);

test("work is still there after a reload, and has a status", () => {
  const { tab } = browser(), work = tab();
  assert.equal(work.status, "not started");
  assert.equal(work.text, work.exercise.starter);
  work.save("mine");
  assert.equal(tab().text, "mine");
  assert.equal(tab().status, "started");
  work.note({ solved: "mine" });
  assert.equal(tab().status, "solved");
  work.save("mine, nicer");
  assert.equal(tab().status, "solved before, changed since");
});

test("if two tabs save a file, the later version stays, and the one that it replaces is kept", () => {
  const { tab } = browser(), one = tab(), two = tab();
  one.save("by one");
  assert.equal(two.save("by two"), "work/03.1_one_block_size.1.cuh");
  assert.equal(tab().text, "by two");
  assert.deepEqual(keptTexts(tab()), ["by one"]);
  one.refresh(); // a tab does this when it hears of a change
  one.save("by one, having seen two's");
  assert.equal(tab().kept.length, 1);
  one.note({ hints: 1 });
  assert.equal(tab().text, "by one, having seen two's");
});

test("starting over keeps the file, and what is kept comes back", () => {
  const { tab } = browser(), work = tab();
  assert.equal(work.reset(), undefined); // nothing to keep
  work.save("first");
  assert.equal(work.reset(), "work/03.1_one_block_size.1.cuh");
  assert.equal(tab().text, work.exercise.starter);
  work.save("second");
  assert.equal(work.replace(tab().kept[0].text, "restored"), "work/03.1_one_block_size.2.cuh");
  assert.equal(tab().text, "first");
  work.forget(1);
  assert.deepEqual(keptTexts(tab()), ["second"]);
  assert.equal(work.keep("third", "more"), "work/03.1_one_block_size.3.cuh");
  assert.equal(work.keep("third", "again"), undefined);
});

test("a program that another one replaces is kept, unless it is an example", () => {
  const { tab } = browser(), work = tab({ number: "playground", file: "program.cu", starter: "first", known: ["first", "second"] });
  assert.equal(work.replace("second", "opened"), undefined);
  assert.equal(work.replace("mine", "opened"), undefined);
  assert.equal(work.replace("first", "opened"), "program.1.cu");
  assert.deepEqual(keptTexts(work), ["mine"]);
});

test("a newer course leaves the file as it is, and says so", () => {
  const { tab } = browser();
  tab().save("mine");
  const newer = tab({ ...exercises[6], starter: "a new starter" });
  assert.equal(newer.text, "mine");
  newer.save("mine, still");
  assert.ok(newer.starterHasChanged);
  newer.reset();
  assert.equal(newer.text, "a new starter");
  assert.ok(!newer.starterHasChanged);
});

test("if the storage is full, a line says so, and what was saved stays", () => {
  const { tab } = browser(10000), work = tab();
  work.save("mine");
  assert.throws(() => work.save("x".repeat(20000)), { message: FULL });
  assert.equal(tab().text, "mine");
  work.save("y".repeat(5000));
  assert.throws(() => work.reset(), { message: FULL }); // neither kept nor lost
  assert.equal(tab().text, "y".repeat(5000));
});

test("damaged entries in the storage count as missing", () => {
  const { storage, tab } = browser();
  for (const name of ["", "/kept", "/notes"]) storage.setItem(`course/work/03.1${name}`, '{"text": "mi');
  assert.equal(tab().status, "not started");
  assert.deepEqual(tab().kept, []);
  storage.setItem("course/work/03.1", "[1]");
  assert.equal(tab().text, exercises[6].starter);
});

test("all work as a zip comes back the same in another browser", () => {
  const home = browser(), other = browser();
  home.tab().save("old");
  home.tab().reset();
  home.tab().save("// é漢 <b>\n");
  home.tab(exercises[0]).save("tables\n");
  const { count, bytes } = exported(home.storage, exercises, { withKept: true });
  assert.equal(count, 3);
  assert.deepEqual(imported(other.storage, exercises, bytes), ["work/01.1_four_tables.cuh is imported.",
    "03.1_one_block_size.1.cuh is kept as work/03.1_one_block_size.1.cuh.", "work/03.1_one_block_size.cuh is imported."]);
  assert.equal(other.tab().text, "// é漢 <b>\n");
  assert.deepEqual(keptTexts(other.tab()), ["old"]);
  assert.deepEqual(imported(other.storage, exercises, bytes), ["3 files are here already."]);
  assert.equal(exported(home.storage, exercises, { withKept: false }).count, 2);
});

test("an import loses nothing, and takes nothing but exercises", () => {
  const { storage, tab } = browser();
  tab().save("in the browser");
  const files = { "a/work/03.1_one_block_size.cuh": "\ufefffrom\r\na clone\r\n", "03.1_other.cuh": "x", "work/.course/03.1.json": "{}", "../../etc/passwd": "x",
    "work/03.2_any_block.cuh": "x".repeat(2 << 20) };
  const zip = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  assert.deepEqual(imported(storage, exercises, zip), ["03.2_any_block.cuh has more than 1 MiB and was left out.",
    "work/03.1_one_block_size.cuh is imported; the file that was here is kept as work/03.1_one_block_size.1.cuh."]);
  assert.equal(tab().text, "from\na clone\n");
  assert.deepEqual(keptTexts(tab()), ["in the browser"]);
  assert.equal(tab(exercises[7]).status, "not started");
  assert.throws(() => imported(storage, exercises, strToU8("no zip")), /^Error: This is not a zip archive, or it is damaged.$/);
  assert.deepEqual(imported(storage, exercises, zipSync({ x: strToU8("x") })), ["The zip contains no file of an exercise, such as work/03.1_one_block_size.cuh."]);
});

test("a zip unpacks into the folder work/ of a clone, without the kept files for a submission", () => {
  const { storage, tab } = browser();
  tab().save("one");
  tab().reset();
  tab().save("two");
  const names = (withKept) => Object.keys(unzipSync(exported(storage, exercises, { withKept }).bytes));
  assert.deepEqual(names(true), ["work/03.1_one_block_size.cuh", "work/03.1_one_block_size.1.cuh"]);
  assert.deepEqual(names(false), ["work/03.1_one_block_size.cuh"]);
});

// --- What the lens counts, faults and predictions ------------------------------------------------------

test("each lane of a request is in its sectors or its banks", () => {
  const parts = (space, bytes, ...addresses) => columnsOf({ space, bytes, lanes: addresses.map((address, lane) => [lane, address]) });
  assert.deepEqual(parts("global", 4, 0, 40, 96), { count: 3, parts: [[[0, 0, 0.125]], [[1, 0.25, 0.375]], [[2, 0, 0.125]]] });
  assert.deepEqual(parts("global", 16, 24), { count: 2, parts: [[[0, 0.75, 1], [1, 0, 0.25]]] });
  assert.deepEqual(parts("shared", 8, 120, 128), { count: 32, parts: [[[30, 0, 1], [31, 0, 1]], [[0, 0, 1], [1, 0, 1]]] });
});

const asked = JSON.parse(readFileSync(join(build, "html/questions.json"), "utf8"));
/// The event that a function of tools/workbench/machine.py, the machine in a browser, tells.
const told = (call) => JSON.parse(execFileSync("python3", ["-c", `import asyncio, machine\nasyncio.run(machine.${call[0]}(*__import__("json").loads(${JSON.stringify(JSON.stringify(call.slice(1)))}), None, print))`],
  { env: { ...process.env, PYTHONPATH: ["exercises", "workbench"].map((name) => join(root, "tools", name)).join(":") }, encoding: "utf8" }));

test("each fault can be found on a page, which does not tell where it is", () => {
  const faults = asked.chapters.flatMap((each) => each.faults);
  const own = JSON.parse(execFileSync("python3", ["-c", "import json, stages, hunt; print(json.dumps({each.name: [each.text(), each.title, each.why] for each in hunt.faults()}))"],
    { env: { ...process.env, PYTHONPATH: join(root, "tools/exercises") }, encoding: "utf8" }));
  assert.deepEqual(Object.fromEntries(faults.map(({ name, text }) => [name, text])), Object.fromEntries(Object.entries(own).map(([name, [text]]) => [name, text])));
  const words = JSON.stringify(asked);
  for (const [name, [, title, why]] of Object.entries(own)) assert.ok(!words.includes(title) && !words.includes(why), name);
  for (const { chapter } of asked.chapters) assert.ok(existsSync(join(build, `html/debug/${chapter.slice(0, 2)}.html`)), chapter);
});

test("an answer about a fault is judged as ./course debug does", () => {
  const line = asked.chapters[2].faults.find(({ name }) => name === "03-3").text.split("\n").findIndex((each) => each.includes("d_bins[threadIdx.x] = counts")) + 1;
  const cause = asked.causes.indexOf("something is overwritten that is still needed") + 1;
  assert.deepEqual(told(["judge", "03-3", line, cause % asked.causes.length + 1]), { right: false, words: "The line is right, the cause is wrong.", explained: [] });
  const { right, explained } = told(["judge", "03-3", line, cause]);
  assert.ok(right && explained[0].startsWith("Fault 03-3: The blocks overwrite each other's bins."));
});

test("predictions are judged as by ./course predict, and invalid answers are asked for again", () => {
  const { judged } = told(["judge_predictions", "03_shared_privatized", ["about 2", "1.02", "67,584", "1"]]);
  assert.deepEqual([judged[1].hint, judged[2].right, judged[3].right, judged[4].right], ["Type a number, such as 2 or 1.5.", true, true, false]);
  assert.match(judged[2].words, /^2\. You said 1\.02\. Right, .* on the recorded NVIDIA H200\. /);
  const page = readFileSync(join(build, "html/predict/03.html"), "utf8");
  assert.equal(page.match(/ data-judged/g).length, 4);
});

test("notes about faults and predictions add up", () => {
  const { storage } = browser();
  note(storage, "predict", { "03.1": { typed: "2", right: true } });
  note(storage, "predict", { "03.2": { typed: "1", right: false } });
  assert.deepEqual(Object.keys(noted(storage, "predict")), ["03.1", "03.2"]);
  storage.setItem("course/notes/debug", "{");
  assert.deepEqual(noted(storage, "debug"), {});
});

// --- The search ---------------------------------------------------------------------------------

// Runs Pagefind's own code, which fetches its index as in a browser.
const index = join(build, "html/pagefind/");
globalThis.fetch = async (url) => new Response(readFileSync(index + String(url).split("/pagefind/").pop().split("?")[0]));
Object.assign(globalThis, { window: globalThis, document: { querySelector: () => null, documentElement: { lang: "en" } }, location: new URL("http://x/") });
const pagefind = await import(`${index}pagefind.js`);

const QUERIES = {
  "docs/glossary.html": ["线程束", "共享内存", "原子操作", "occupency", "occupancy", "BankConflict"],
  "01_cpu_baseline/exercises/1_four_tables.html": ["four tables"],
  "02_naive_atomic.html": ["lost update"],
  "02_naive_atomic/exercises/4_cas.html": ["compare-and-swap"],
  "02_naive_atomic/exercises/3_grid_stride.html": ["grid-stride"],
  "02_naive_atomic/kernels.cuh.html": ["racy_kernel", "histogram_cas"],
  "03_shared_privatized.html": ["syncthreads", "shared-memory", "shared memory barrier", "privatization"],
  "03_shared_privatized/exercises/1_one_block_size.html": ["03.1"],
  "03_shared_privatized/exercises/2_any_block.html": ["any block", "03.2"],
  "03_shared_privatized/exercises/3_copy_per_warp.html": ["a copy per warp"],
  "03_shared_privatized/kernels.cuh.html": ["warp_private_kernel"],
  "04_coarsened/exercises/1_strided.html": ["coalescing"],
  "06_tree_reduction/exercises/3_shuffles.html": ["shfl"],
  "common/simulator/lens.html": ["lens"],
  "common/simulator/include/simulator/kernel.h.html": ["__shfl_sync", "__syncthreads"],
  "common/simulator/include/simulator/runtime.h.html": ["cudaMalloc"],
  "docs/install.html": ["install"],
  "docs/instructors/grading.html": ["gradescope"],
  "docs/lens.html": ["nsight compute"],
};
for (const [page, queries] of Object.entries(QUERIES))
  for (const query of queries)
    test(`a search for ${query} finds ${page} first`, async () => {
      await pagefind.destroy(); // a new tab has no index yet, either
      await pagefind.options({ basePath: "http://x/pagefind/", baseUrl: "/" });
      const { results } = await pagefind.search(query);
      assert.equal((await results[0]?.data())?.url, `/${page}`);
    });

// --- Recorded blocks ------------------------------------------------------------------------------

const recorded = (name) => {
  const { data, source } = input(name);
  return new Recording(data, source);
};
const numbersAtTheEnd = (recording, name) => recording.after(recording.steps.length).arrays[recording.names.indexOf(name)];
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

test("a recorded block ends with what its kernel has computed: all counts with atomics, and fewer without", () => {
  assert.equal(sum(numbersAtTheEnd(recorded("02-atomic"), "d_bins")), 64);
  assert.ok(sum(numbersAtTheEnd(recorded("02-racy"), "d_bins")) < 64);
  assert.equal(sum(numbersAtTheEnd(recorded("03-privatized"), "d_bins")), 128);
  for (const name of ["06-adjacent", "06-halves"]) {
    const block = recorded(name);
    assert.deepEqual(numbersAtTheEnd(block, "d_partials"), [sum(block.data.arrays[block.names.indexOf("d_data")].before.map((value) => value * value))]);
  }
});

test("a step is described: who, what, where, its cost, and what is lost", () => {
  const racy = recorded("02-racy"), tree = recorded("06-halves");
  assert.equal(racy.words(1), "Warp 0, all lanes: load d_data[0] to [31] in line 24: 1 sector of global memory.".replace("24", racy.lines[0]));
  assert.match(racy.words(3), /store to 16 places in d_bins .* 5 lanes store to d_bins\[116\], and only the last of these stores remains. A race: /);
  const said = tree.steps.map((_, k) => tree.words(k + 1));
  for (const words of [/^Warp 1, all lanes: wait at the barrier in line \d+\.$/, /^All threads of the block have arrived at the barrier in line \d+: they continue\.$/, /^Thread 0: stores to d_partials\[0\] in /, /^Warp 0, lanes 16–31: wait /])
    assert.ok(said.some((each) => words.test(each)), words);
  assert.equal(ranges([0, 1, 2, 5, 7, 8]), "0–2, 5, 7 and 8");
});

test("lanes wait until the barrier ends, and return", () => {
  const tree = recorded("06-halves"), states = (k) => new Set(tree.after(k).lanes.slice(0, 32).map(({ state }) => state));
  const waits = tree.steps.findIndex((step) => step.do === "wait"), ends = tree.steps.findIndex((step) => step.do === "barrier");
  assert.deepEqual(states(waits + 1), new Set(["waiting"]));
  assert.deepEqual(states(ends + 1), new Set(["ready"]));
  assert.deepEqual(states(tree.steps.length), new Set(["returned"]));
});

test("a page has a recorded block as a picture, and names of a program are no markup there", () => {
  const page = withRecordings('<div data-watch="3 02-racy 02-atomic"></div>');
  assert.match(page, /^<figure class="watch[^]*<b>Step 3 of 8\.<\/b>[^]*class="line now">[^]*d_bins[^]*<\/figure>$/);
  const { data, source } = input("06-halves");
  const named = new Recording({ ...data, arrays: data.arrays.map((array) => ({ ...array, name: "<img src=x>" })) }, source);
  assert.match(drawn(named, 2), /&#60;img/);
  assert.doesNotMatch(drawn(named, 2), /<img/);
  assert.throws(() => withRecordings('<div data-watch="300 02-racy"></div>'), /has 8 steps/);
});
