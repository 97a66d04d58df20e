#!/usr/bin/env node
// usage: tools/workbench/try.mjs [--solutions | --faults] [EXERCISE | CHAPTER ...]
//        tools/workbench/try.mjs --programs | --steps [CHAPTER ...] | --checks [--interleaved] [01 ... | simulator | lens]
// Checks exercises as a browser does, in Node: each starter must fail with the words on its page, which g++ on Linux has
// given, and so must variables without a value. With --solutions, each chapter's own code must pass instead, and its kernels
// must be recorded for the player; with --faults, each fault must be found that is found on Linux (docs/results/faults.txt).
// With --programs, each of docs/examples must print what it prints on Linux (tools/quality/try_examples), and blocks of its
// kernels must be recorded. With --steps, each step of live coding must show what its lesson plan says
// (tools/exercises/try_steps.py). With --checks, the chapters' and the simulator's own checks must pass, as they do on Linux,
// except those that checks.txt lists.
// Needs what build.mjs has built; for --checks, with --checks.

import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { checks } from "./checks.mjs";
import { engineInNode } from "./in_node.mjs";

const [first, ...others] = process.argv.slice(2), option = first?.startsWith("--") ? first : "", numbers = option || !first ? others : [first, ...others];
if (option === "--checks") process.exit(await checks(others) > 0 ? 1 : 0);
const engine = await engineInNode();
if (option === "--programs") {
  const folder = resolve(import.meta.dirname, "../../docs/examples");
  let wrong = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".cu"))) {
    const text = readFileSync(join(folder, file), "utf8");
    let printed = "";
    await engine.runProgram(text, [], false,
      ({ output, refused, ended }) => void (printed += output ?? refused ?? `exit status ${ended.signal || ended.status}\n`));
    await engine.watchProgram(text, [], ({ recordings, why }) => {
      if (recordings.length === 0) printed += `no block is recorded: ${why}`;
    });
    const isRight = printed.replaceAll("program.cu", `docs/examples/${file}`) === readFileSync(join(folder, file.replace(/cu$/, "txt")), "utf8");
    console.log(`${file} ${isRight ? "as expected" : `differs: ${printed}`}`);
    wrong += !isRight;
  }
  process.exit(wrong > 0 ? 1 : 0);
}
if (option === "--steps") {
  const steps = JSON.parse(engine.python.runPython(`
import json, live
json.dumps([(each.number, live.file(each.problem), each.text, list(each.promises().items())) for each in live.steps().values()])`));
  let wrong = 0;
  for (const [number, file, text, promises] of steps) {
    if (others.length > 0 && !others.some((each) => number.startsWith(each))) continue;
    const states = {};
    let said;
    await engine.ask("check_step", [file, text], ({ stage, state, verdict }) => void (stage ? states[stage] = state : said = verdict.words.join("\n")));
    const [stage, words] = promises.find(([, each]) => each) ?? ["interleaved", ""], parts = words.split(/\s*…\s*/);
    const isRight = words ? states[stage] === "failed" && parts.reduce((at, part) => at < 0 ? at : said.indexOf(part, at), 0) >= 0 : states[stage] === "passed";
    console.log(`${number} ${isRight ? "as expected" : `must show: ${words || "it passes"}, but shows: ${said || "it passes"}`}`);
    wrong += !isRight;
  }
  process.exit(wrong > 0 ? 1 : 0);
}
const tries = JSON.parse(engine.python.runPython(`
import json, re
from faults import faults, recorded
from starter import Chapter, exercises

def says(exercise):
    return re.search(r"## The starter says\\n\\n\`\`\`\\n(.*?)\\n\`\`\`", exercise.text, re.DOTALL)[1]

def is_found(fault):
    is_native = fault.cause == "too few bits" # docs/install.md
    return not is_native and any(recorded()[fault.name].get(kind) for kind in ("plain", "interleaved", "lens"))

def in_local_tables(text):
    return text.replace("++tables", "++own").replace("    std::size_t i = 0;", "    unsigned long long own[kTables][kBins] = {};\\n    std::size_t i = 0;").replace(
        "++own[0][data[i]];", "++own[0][data[i]];\\n    for (std::size_t t = 0; t < kTables; ++t)\\n        for (std::size_t b = 0; b < kBins; ++b) tables[t][b] += own[t][b];")

KINDS = {
    "": lambda: [(each.number, each.number, Chapter(each.chapter).starter(each), says(each), "") for each in exercises()]
        + [(each.number, f"{each.number}, {text}", Chapter(each.chapter).solution(each).replace("sum = 0;", text), words, "")
           for each in exercises() if each.number == "05.1"
           for text, words in (("sum;", "'sum' is uninitialized"), ("sum; if (threadIdx.x < n) sum = 0;", "expected 9, got"))],
    "--solutions": lambda: [(each.number, each.number, text, "", "") for each in exercises() for text in
        [Chapter(each.chapter).solution(each)] + [in_local_tables(Chapter(each.chapter).solution(each))] * (each.number == "01.1")],
    "--faults": lambda: [(each.exercise.number, f"{each.name}, {each.title}", each.text(), None, each.exercise.variant) for each in faults() if is_found(each)],
}
json.dumps(KINDS["${option}"]())`));
let wrong = 0;
for (const [number, name, text, says, variant] of tries) {
  if (numbers.length > 0 && !numbers.some((each) => number.startsWith(each))) continue;
  const begun = performance.now();
  let verdict, watched = { recordings: [], why: "" };
  await engine.check(number, text, (event) => void (verdict = event.verdict ?? verdict), variant);
  if (option === "--solutions" && text.includes("__global__")) {
    await engine.ask("watch", [number, text], (event) => void (watched = event));
    watched.why ||= watched.recordings.length > 0 ? "" : "nothing was recorded";
  }
  const said = [...verdict.words, ...watched.why ? [watched.why] : []].join("\n"), isRight = says === null ? !verdict.solved : name === number ? said === says : said.includes(says);
  console.log(`${name} ${isRight ? "as expected" : `differs: ${said || "it passes"}`}, ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  wrong += !isRight;
}
process.exit(wrong > 0 ? 1 : 0);
