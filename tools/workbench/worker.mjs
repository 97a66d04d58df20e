// The worker of a page: loads what the engine needs, and then checks exercises and runs programs. build.mjs bundles it and its
// modules into a single script. The page (tools/site/src/workbench/engine.js) prepends `courseBase`, the address of this folder in the site.

import { kept, prepare } from "./files.mjs";

const MOST_AT_ONCE = 3; // programs; each may need 100 MB

const at = (name) => new URL(name, self.courseBase).href;

const addressOfRunner = URL.createObjectURL(new Blob([RUNNER], { type: "text/javascript" }));
const runners = []; // by their numbers
/** A worker that the page starts, with the page's policy. In Firefox, a worker that starts workers hangs after a few dozen. */
function runner() {
  const number = runners.length, tell = (what) => self.postMessage({ runner: number, ...what });
  tell({ address: addressOfRunner });
  return runners[number] = {
    postMessage: (data) => tell({ data }),
    terminate() {
      delete runners[number];
      tell({ isEnded: true });
    },
  };
}

/** One line about an error. */
function lineOf(error) {
  const said = error?.message || String(error); // Firefox throws "out of memory" as a text
  return error instanceof RangeError || /memory/i.test(said) ? "The browser ran out of memory: let the program use less, or close other tabs and load this page again."
    : said.trim().split("\n").at(-1).replace(/^pyodide\.ffi\.JsException: (\w*Error: )?/, "");
}

for (const name of ["compile", "instantiate", "instantiateStreaming"]) { // after a failure here, Pyodide would wait forever
  const own = WebAssembly[name];
  WebAssembly[name] = async (...words) => own.apply(WebAssembly, words).catch((error) => {
    self.postMessage({ error: lineOf(error) });
    return new Promise(() => {});
  });
}

async function load() {
  // Imported here: while a module awaits another one, messages that come before `onmessage` is set are lost.
  const [{ Engine }, { Runners }] = await Promise.all([import("./engine.mjs"), import("./runners.mjs")]);
  const note = await prepare(self.courseBase, FILES, (loading) => self.postMessage({ loading }));
  if (note) self.postMessage({ note });
  // These modules fetch files as soon as they are evaluated.
  const [clang, { loadPyodide }, { default: createPyodideModule }] = await Promise.all([import("@yowasp/clang"), import("pyodide"), import("pyodide/pyodide.asm.mjs")]);
  const python = await loadPyodide({ indexURL: self.courseBase, createPyodideModule });
  const get = async (name) => await fetch(at(name)), json = async (name) => (await get(name)).json();
  const modules = {};
  for (const name of ["translate", "plain", "interleaved", "lens"]) modules[name] = await WebAssembly.compileStreaming(get(`${name}.wasm`));
  return new Engine({ clang, ...await json("headers.json"), modules, python, course: await json("course.json"),
    runners: new Runners(runner), atOnce: Math.min(MOST_AT_ONCE, navigator.hardwareConcurrency), keep: (name, make) => kept(self.courseBase, FILES, name, make) });
}

let engine;
self.onmessage = async ({ data: { runner, data, message, id, number, source, isForPrograms, program, what, words } }) => {
  if (runner !== undefined) return message ? runners[runner]?.onerror({ message }) : runners[runner]?.onmessage({ data });
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
    self.postMessage({ id, error: lineOf(error) });
  }
};
