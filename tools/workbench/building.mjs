// Shared by build.mjs and build_checks.mjs: the tree's files, the cache, and threads that compile.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, normalize, relative, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { Refused } from "./toolchain.mjs";

export const root = resolve(import.meta.dirname, "../.."), built = join(root, "build/workbench");
const cache = join(built, "cache");
mkdirSync(cache, { recursive: true });

/** The paths of all files below a folder whose names match. */
export function* filesBelow(folder, pattern) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, pattern);
    else if (pattern.test(entry.name)) yield path;
  }
}

/** A text with includes named from the root, because the compiler's file system does not know "..". `has` says which files exist. */
export function fromRoot(path, text, has) {
  return text.replace(/^(\s*#\s*include\s+")([^"]+)"/gm, (all, before, name) => {
    const named = name.startsWith(`${root}/`) ? relative(root, name) : normalize(join(dirname(path), name));
    return has(named) ? `${before}${named}"` : all;
  });
}

const digest = (...parts) => parts.reduce((hash, part) => hash.update(part).update("\0"), createHash("sha256")).digest("hex");

/** The result of `make`, taken from the cache if the inputs are unchanged. */
export async function cached(what, inputs, make) {
  const path = join(cache, digest(what, ...inputs));
  if (existsSync(path)) return readFileSync(path);
  const made = await make();
  writeFileSync(path, made);
  console.log(`${what}: after ${(performance.now() / 1000).toFixed(0)} s`);
  return Buffer.from(made);
}

const threads = { free: availableParallelism(), idle: [], waiting: [] };
/** Runs a job of compiling.mjs in a thread, with as many at a time as there are processors. */
export async function inThread(job) {
  if (threads.free === 0) await new Promise((begin) => threads.waiting.push(begin));
  else --threads.free;
  const thread = threads.idle.pop() ?? new Worker(new URL("compiling.mjs", import.meta.url));
  thread.postMessage(job);
  const [{ made, said }] = await once(thread, "message");
  threads.idle.push(thread);
  if (threads.waiting.length > 0) threads.waiting.shift()();
  else ++threads.free;
  if (said) throw new Refused(said);
  return made;
}
/** A Toolchain (toolchain.mjs) whose methods run in threads; with `headers`, a folder, it uses this machine's clang. */
export const toolchainOf = (files, headers) => Object.fromEntries(["compile", "compileModule", "link"].map((method) =>
  [method, (...words) => inThread({ files, method, words, headers })]));
/** The values of promises, by the promises' names. */
export const all = async (promises) => Object.fromEntries(await Promise.all(Object.entries(promises).map(async ([name, promise]) => [name, await promise])));
