// The engine in Node, with what build.mjs has built.

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import * as clang from "@yowasp/clang";
import { loadPyodide } from "pyodide";
import { Engine } from "./engine.mjs";
import { Runners } from "./runners.mjs";

const RUNNER = `import { parentPort } from "node:worker_threads";
globalThis.self = { postMessage: (data) => parentPort.postMessage(data) };
await import(${JSON.stringify(new URL("runner.mjs", import.meta.url).href)});
parentPort.on("message", (data) => self.onmessage({ data }));`;

/** A thread with the functions of a browser's worker. */
export function runner() {
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(RUNNER)}`));
  const worker = { postMessage: (data) => thread.postMessage(data), terminate: () => thread.terminate() };
  thread.on("message", (data) => worker.onmessage({ data })).on("error", (error) => worker.onerror(error));
  return worker;
}

export async function engineInNode() {
  const built = resolve(import.meta.dirname, "../../build/workbench/web"), read = (name) => readFileSync(join(built, name));
  const modules = Object.fromEntries(["translate", "plain", "interleaved", "lens"].map((name) => [name, new WebAssembly.Module(read(`${name}.wasm`))]));
  const engine = new Engine({ clang, ...JSON.parse(read("headers.json")), modules, python: await loadPyodide({ stdLibURL: join(built, "python_stdlib.zip") }), course: JSON.parse(read("course.json")),
    runners: new Runners(runner), atOnce: Math.min(3, availableParallelism()) });
  await engine.warm();
  return engine;
}
