// The worker of a page: loads what the engine needs, and then checks exercises and runs programs. It is one script with all
// modules, which the page (tools/site/src/workbench/engine.js) begins with the address of this folder in the site, `courseBase`.

import { kept, prepare } from "./files.mjs";

const MOST_AT_ONCE = 3; // programs, each of which may need 100 MB

const at = (name) => new URL(name, self.courseBase).href;

/** Such a worker has the policy of the page, too. */
const runner = () => new Worker(addressOfRunner, { type: "module" });
const addressOfRunner = URL.createObjectURL(new Blob([RUNNER], { type: "text/javascript" }));

async function load() {
  const [{ Engine }, { Runners }] = await Promise.all([import("./engine.mjs"), import("./runners.mjs")]); // it awaits, and messages that come before `onmessage` is set would be lost
  const note = await prepare(self.courseBase, FILES, (loading) => self.postMessage({ loading }));
  if (note) self.postMessage({ note });
  // They fetch files as soon as they are evaluated.
  const [clang, { loadPyodide }, { default: createPyodideModule }] = await Promise.all([import("@yowasp/clang"), import("pyodide"), import("pyodide/pyodide.asm.mjs")]);
  const python = await loadPyodide({ indexURL: self.courseBase, createPyodideModule });
  const get = async (name) => await fetch(at(name)), json = async (name) => (await get(name)).json();
  const modules = {};
  for (const name of ["translate", "plain", "interleaved", "lens"]) modules[name] = await WebAssembly.compileStreaming(get(`${name}.wasm`));
  return new Engine({ clang, ...await json("headers.json"), modules, python, course: await json("course.json"),
    runners: new Runners(runner), atOnce: Math.min(MOST_AT_ONCE, navigator.hardwareConcurrency), keep: (name, make) => kept(self.courseBase, FILES, name, make) });
}

let engine;
self.onmessage = async ({ data: { id, number, source, isForPrograms, program, what, words } }) => {
  const tell = (event) => self.postMessage({ id, event });
  try {
    engine ??= load();
    const ready = await engine;
    await ready.warm(isForPrograms || program ? ready.standard : "");
    if (number) await ready.check(number, source, tell);
    if (what) await ready.ask(what, words, tell);
    if (program?.isWatched) await ready.watchProgram(program.source, program.words, tell);
    else if (program) await ready.runProgram(program.source, program.words, program.isSeen, tell);
    self.postMessage({ id, ended: true });
  } catch (error) {
    self.postMessage({ id, error: error instanceof RangeError || /memory/i.test(error.message) ? "This browser has too little memory for it."
      : error.message.split("\n").filter(Boolean).at(-1) });
  }
};
