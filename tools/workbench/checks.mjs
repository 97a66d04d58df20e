// Runs the chapters' and the simulator's own checks as WebAssembly. As native programs, all pass; here, each must pass, too, or
// be listed in checks.txt with the reason why it can't. Needs what build.mjs --checks has built.

import { readFileSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runner } from "./in_node.mjs";
import { Runners } from "./runners.mjs";

const MOST_SECONDS = 600; // the limit of a check; an idle machine needs a minute
const built = resolve(import.meta.dirname, "../../build/workbench/checks"), moduleOf = (name) => new WebAssembly.Module(readFileSync(join(built, `${name}.wasm`)));

/** The names in checks.txt: its indented lines, below the reasons. */
const listed = () => new Set(readFileSync(join(import.meta.dirname, "checks.txt"), "utf8").match(/(?<=^ {2}).+/gm));

/** Runs a program, for at most MOST_SECONDS. Returns how it has ended. */
async function ended(runners, main, side, args) {
  const running = runners.run(main, side, { args, environment: { CUDA_SIM_SECONDS: MOST_SECONDS } }), limit = new AbortController();
  const late = sleep((MOST_SECONDS + 10) * 1000, undefined, { signal: limit.signal }).then(() => {
    running.stop();
    return { status: 1, signal: 0, out: "", err: `is stopped after ${MOST_SECONDS} s` };
  }, () => {});
  const end = await Promise.race([running.ended, late]);
  limit.abort();
  return end;
}

/**
 * Runs the checks of the programs whose names begin with one of the words; without words, all. With "--interleaved", the
 * chapters' checks run a second time, interleaved, which takes minutes. Returns the number of checks that differ from checks.txt.
 */
export async function checks([...words]) {
  const areInterleaved = words[0] === "--interleaved" && words.shift() !== undefined;
  const runners = new Runners(runner), mains = new Map(), known = listed(), needed = new Set(), seen = new Set(), waiting = [];
  let wrong = 0, passed = 0, skipped = 0, left = 0;
  const say = (name, what) => {
    console.log(`${name}: ${what}`);
    ++wrong;
  };
  for (const file of readdirSync(built).sort()) {
    const [label, order] = file.split("."), isChosen = words.length === 0 || words.some((word) => label.startsWith(word));
    if (order === "wasm" || !isChosen || (order === "interleaved" && label !== "simulator" && !areInterleaved)) continue;
    if (!mains.has(order)) mains.set(order, moduleOf(order));
    const side = moduleOf(`${label}.${order}`), run = (...args) => ended(runners, mains.get(order), side, args);
    const { out, err } = await run("--list-test-names-only", ...order === "plain" ? ["~[race]"] : []);
    if (out === "") say(file, `does not list its checks\n${err}`);
    for (const name of out.split("\n").filter(Boolean))
      waiting.push({ key: `${label}/${name}`, order, run: () => run(name.replaceAll(/[,\\[]/g, "\\$&"), "--warn", "NoTests") });
  }
  if (waiting.length === 0) say("checks", "none were found; tools/workbench/build.mjs --checks builds them");
  await Promise.all(Array.from({ length: availableParallelism() }, async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const { key } = check, { status, signal, out, err } = await check.run();
      seen.add(key);
      if (status === 0 && signal === 0) {
        if (out.includes("check skipped:")) ++skipped;
        else ++passed;
      } else if (known.has(key)) {
        needed.add(key);
        ++left;
      } else {
        say(`${key} (${check.order})`, `fails${signal ? ` by signal ${signal}` : ""}\n${out}${err}`);
      }
    }
  }));
  for (const key of known) {
    if (seen.has(key) && !needed.has(key)) say(key, "passes, but is listed in checks.txt: remove it there");
    if (!seen.has(key) && words.length === 0) say(key, "is listed in checks.txt, but there is no such check: remove it there");
  }
  console.log(`${passed} checks pass, ${skipped} are skipped, ${left} fail as listed in checks.txt, ${wrong} differ`);
  return wrong;
}
