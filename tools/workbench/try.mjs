#!/usr/bin/env node
// usage: tools/workbench/try.mjs [--solutions] [NUMBER ...]
// Checks exercises as a browser does, in Node: each starter must fail with the words on its page, which g++ on Linux has
// given; with --solutions, each chapter's own code must pass instead. Needs what build.mjs has built.

import { engineInNode } from "./in_node.mjs";

const engine = await engineInNode();
const words = process.argv.slice(2), ofSolutions = words[0] === "--solutions", numbers = words.slice(Number(ofSolutions));
const exercises = JSON.parse(engine.python.runPython(`
import json, re
from starter import Chapter, exercises
json.dumps([[each.number, Chapter(each.chapter).starter(each), Chapter(each.chapter).solution(each),
             re.search(r"## The starter says\\n\\n\`\`\`\\n(.*?)\\n\`\`\`", each.text, re.DOTALL)[1]] for each in exercises()])`));
let wrong = 0;
for (const [number, starter, solution, says] of exercises) {
  if (numbers.length > 0 && !numbers.includes(number)) continue;
  const begun = performance.now();
  let verdict;
  await engine.check(number, ofSolutions ? solution : starter, (event) => void (verdict = event.verdict ?? verdict));
  const said = verdict.words.join("\n"), isRight = ofSolutions ? verdict.solved : said === says;
  console.log(`${number} ${isRight ? "as expected" : `differs: ${said || "it passes"}`}, ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  wrong += !isRight;
}
process.exit(wrong > 0 ? 1 : 0);
