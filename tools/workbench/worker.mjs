// The worker of a page: loads what the engine needs, and checks exercises.

const base = new URL(".", import.meta.url), at = (name) => new URL(name, base).href;
const MOST_AT_ONCE = 3; // programs, each of which may need 100 MB

/** Fetches all files, of which `files.json` has the sizes, so that whoever asks for them later finds them. */
async function fetched() {
  const sizes = await (await fetch(at("files.json"))).json(), total = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0), kept = {};
  let done = 0;
  for (const name of Object.keys(sizes)) {
    const answer = await fetch(at(name));
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
    const parts = [];
    for (const reader = answer.body.getReader(); ;) {
      const { done: ended, value } = await reader.read();
      if (ended) break;
      parts.push(value);
      done += value.length;
      self.postMessage({ loading: { done, total, what: name } });
    }
    if (/^[^/]*\.(wasm|json)$/.test(name)) kept[name] = await new Blob(parts).arrayBuffer();
  }
  return kept;
}

/** A worker from an address of the site would have no policy; this one has that of the page. */
function runner() {
  const begin = URL.createObjectURL(new Blob([`import ${JSON.stringify(at("runner.js"))};`], { type: "text/javascript" }));
  return new Worker(begin, { type: "module" });
}

async function load() {
  const [{ Engine }, { Runners }] = await Promise.all([import("./engine.mjs"), import("./runners.mjs")]); // it awaits, and messages that come before `onmessage` is set would be lost
  const files = await fetched(), text = (name) => JSON.parse(new TextDecoder().decode(files[name]));
  const [clang, { loadPyodide }] = await Promise.all([import(at("clang/bundle.js")), import(at("pyodide/pyodide.mjs"))]);
  const python = await loadPyodide({ indexURL: at("pyodide/") });
  const modules = {};
  for (const name of ["translate", "plain", "interleaved", "lens"]) modules[name] = await WebAssembly.compile(files[`${name}.wasm`]);
  const engine = new Engine({ clang, ...text("headers.json"), modules, python, course: text("course.json"),
    runners: new Runners(runner), atOnce: Math.min(MOST_AT_ONCE, navigator.hardwareConcurrency) });
  await engine.warm();
  return engine;
}

let engine;
self.onmessage = async ({ data: { id, number, source } }) => {
  try {
    engine ??= load();
    const ready = await engine;
    if (number) await ready.check(number, source, (event) => self.postMessage({ id, event }));
    self.postMessage({ id, ended: true });
  } catch (error) {
    self.postMessage({ id, error: error instanceof RangeError || /memory/i.test(error.message) ? "This browser has too little memory for it."
      : error.message.split("\n").filter(Boolean).at(-1) });
  }
};
