// Checks of what the site does to pages: node --test tools/site/checks.mjs, after ./course docs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createMarkdownProcessor } from "@astrojs/markdown-remark";
import { improve, versions } from "./improve.mjs";
import { withPictures } from "./pictures.mjs";
import { addressOf, build, targetOf } from "./repository.mjs";

const markdown = await createMarkdownProcessor({ syntaxHighlight: false, remarkPlugins: [versions], rehypePlugins: [improve] });
const html = async (text) => (await markdown.render(text)).code;

test("columns of numbers are aligned, and others are not", async () => {
  const page = await html("| variant | | time | share |\n|---|---|---|---|\n| a | 02 | 1.5 us | 57 % |\n| b | 03 | – | 1,024 to 2,048 |\n");
  const cells = [...page.matchAll(/<td( class="number")?>/g)].map((found) => Boolean(found[1]));
  assert.deepEqual(cells, [false, ...[false, false, true, true], ...[false, false, true, true]]); // the empty heading is one
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

// Pagefind's own code, which fetches its index as in a browser.
const index = join(build, "html/pagefind/");
globalThis.fetch = async (url) => new Response(readFileSync(index + String(url).split("/pagefind/").pop().split("?")[0]));
Object.assign(globalThis, { window: globalThis, document: { querySelector: () => null, documentElement: { lang: "en" } }, location: new URL("http://x/") });
const pagefind = await import(`${index}pagefind.js`);
await pagefind.options({ basePath: "http://x/pagefind/", baseUrl: "/" });

const QUERIES = {
  "docs/glossary.html": ["线程束", "共享内存", "原子操作", "occupency", "occupancy"],
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
  "04_coarsened.html": ["BankConflict"],
  "04_coarsened/exercises/1_strided.html": ["coalescing"],
  "common/simulator/lens.html": ["lens"],
  "common/simulator/include/simulator/kernel.h.html": ["shfl", "__shfl_sync", "__syncthreads"],
  "common/simulator/include/simulator/runtime.h.html": ["cudaMalloc"],
  "docs/install.html": ["install"],
  "docs/instructors/grading.html": ["gradescope"],
  "docs/lens.html": ["nsight compute"],
};
for (const [page, queries] of Object.entries(QUERIES))
  for (const query of queries)
    test(`a search for ${query} finds ${page} first`, async () => {
      const { results } = await pagefind.search(query);
      assert.equal((await results[0]?.data())?.url, `/${page}`);
    });
