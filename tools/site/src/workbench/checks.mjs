// Checks of what loads and runs the workbench: node --test tools/site/src/workbench/checks.mjs. Workers, storage and network are
// stand-ins here.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { runInNewContext } from "node:vm";
import { prepare } from "../../../workbench/files.mjs";
import { Runners } from "../../../workbench/runners.mjs";
import { Engine } from "./engine.js";
import { codeOf, linkTo } from "./link.mjs";

// --- The engine of a page ------------------------------------------------------------------------

let workers, fetched = [], canFetch = true; // workers: those that were started
class FakeWorker {
  constructor(address) {
    if (address === "blob:too many") throw Error("too many workers");
    Object.assign(this, { address, asked: [], isAlive: true });
    workers.push(this);
  }
  postMessage(what) {
    this.asked.push(what);
  }
  terminate() {
    this.isAlive = false;
  }
  say(said) {
    this.onmessage({ data: { id: this.asked.at(-1).id, ...said } });
  }
}
let leave; // the page
Object.assign(globalThis, { Worker: FakeWorker, addEventListener: (_, action) => (leave = action), location: new URL("http://x/course/write/03.1.html") });

function engine() {
  workers = [];
  const told = [], created = new Set();
  globalThis.fetch = async (address) => {
    fetched.push(address);
    return new Response(canFetch ? "script" : "404", { status: canFetch ? 200 : 404 });
  };
  URL.createObjectURL = () => `blob:${created.add(`blob:${created.size}`).size - 1}`;
  URL.revokeObjectURL = (url) => created.delete(url);
  return { engine: new Engine("/course/", { onLoading: ({ what }) => told.push(what), onNote: (note) => told.push(note) }), told, created };
}
/// Everything that a question yields, and the message of the error that ends it, if any.
async function all(answers) {
  const found = [];
  try {
    for await (const each of answers) found.push(each);
  } catch (error) {
    found.push(error.message);
  }
  return found;
}
/// Waits until everything that can happen at once has happened.
async function soon() {
  for (let k = 0; k < 20; ++k) await new Promise((done) => setImmediate(done));
}

test("a check yields its worker's messages, and the next check uses the same worker", async () => {
  const { engine: one, told, created } = engine();
  const found = all(one.check("03.1", "text"));
  await soon();
  workers[0].say({ id: undefined, loading: { what: "plain.wasm" } });
  workers[0].say({ id: undefined, note: "nothing is kept" });
  workers[0].say({ event: { stage: "build" } });
  workers[0].say({ event: { verdict: {} } });
  workers[0].say({ ended: true });
  assert.deepEqual(await found, [{ stage: "build" }, { verdict: {} }]);
  assert.deepEqual(told, ["plain.wasm", "nothing is kept"]);
  const again = all(one.check("03.1", "text"));
  await soon();
  workers[0].say({ ended: true });
  assert.deepEqual(await again, []);
  assert.deepEqual(workers[0].asked, [{ id: 1, number: "03.1", source: "text" }, { id: 2, number: "03.1", source: "text" }]);
  assert.equal(workers.length, 1);
  assert.equal(created.size, 1);
});

test("a check that is stopped ends at once, and the next one begins a new worker", async () => {
  const { engine: one, created } = engine();
  one.stop(); // nothing runs
  const found = all(one.check("03.1", "text"));
  await soon();
  one.stop();
  assert.deepEqual(await found, [{ stopped: true }]);
  assert.ok(!workers[0].isAlive);
  assert.equal(created.size, 0);
  const next = all(one.check("03.1", "text"));
  await soon();
  workers[1].say({ ended: true });
  assert.deepEqual(await next, []);
});

test("a worker that dies or fails is replaced, and its error is shown", async () => {
  const { engine: one, created } = engine();
  for (const [k, [fail, says]] of [
    [(worker) => worker.onerror({ message: "SyntaxError: x", preventDefault() {} }), "SyntaxError: x"],
    [(worker) => worker.onerror({ preventDefault() {} }), "The compiler could not be started: load this page again."],
    [(worker) => worker.say({ error: "The browser ran out of memory: let the program use less, or close other tabs and load this page again." }), "The browser ran out of memory: let the program use less, or close other tabs and load this page again."]].entries()) {
    const found = all(one.check("03.1", "text"));
    await soon();
    fail(workers[k]);
    assert.deepEqual(await found, [says]);
    assert.ok(!workers[k].isAlive);
    assert.equal(created.size, 0);
  }
});

test("the page starts the workers that run programs, and passes on their messages", async () => {
  const { engine: one } = engine();
  const found = all(one.check("03.1", "text"));
  await soon();
  const [compiler] = workers, ask = (what) => compiler.onmessage({ data: what }), last = () => compiler.asked.at(-1);
  ask({ runner: 0, address: "blob:runner" });
  ask({ runner: 0, data: "a program" });
  assert.deepEqual([workers[1].address, workers[1].asked], ["blob:runner", ["a program"]]);
  workers[1].onmessage({ data: "its end" });
  assert.deepEqual(last(), { runner: 0, data: "its end" });
  for (const [message, says] of [["out of memory", "out of memory"], ["", "A worker could not be started: load this page again."]]) {
    let isSilent = false;
    workers[1].onerror({ message, preventDefault: () => (isSilent = true) });
    assert.ok(isSilent);
    assert.deepEqual(last(), { runner: 0, message: says });
  }
  ask({ runner: 1, address: "blob:too many" });
  assert.deepEqual(last(), { runner: 1, message: "too many workers" });
  ask({ runner: 1, data: "a program" });
  ask({ runner: 1, isEnded: true });
  ask({ runner: 2, address: "blob:runner" });
  ask({ runner: 0, isEnded: true });
  assert.deepEqual(workers.map(({ isAlive }) => isAlive), [true, false, true]);
  one.stop();
  assert.deepEqual(workers.map(({ isAlive }) => isAlive), [false, false, false]);
  assert.deepEqual(await found, [{ stopped: true }]);
});

test("whatever runs out of memory reports it in one line", async () => {
  const said = [];
  Object.assign(globalThis, { self: globalThis, RUNNER: "", postMessage: (what) => said.push(what) });
  for (const [error, says] of [["out of memory", "The browser ran out of memory: let the program use less, or close other tabs and load this page again."], [RangeError("x"), "The browser ran out of memory: let the program use less, or close other tabs and load this page again."],
    [Error("At:\npyodide.ffi.JsException: Error: no worker\n"), "no worker"]]) {
    WebAssembly.instantiateStreaming = async () => { throw error; };
    await import(`../../../workbench/worker.mjs?${said.length}`);
    WebAssembly.instantiateStreaming();
    await soon();
    assert.deepEqual(said.at(-1), { error: says });
  }
});

test("a page that you leave keeps no worker, and starts one at its next question", async () => {
  const { engine: one } = engine();
  const found = all(one.check("03.1", "text"));
  await soon();
  leave();
  assert.deepEqual(await found, [{ stopped: true }]);
  assert.ok(!workers[0].isAlive);
  const next = all(one.check("03.1", "text"));
  await soon();
  workers[1].say({ ended: true });
  assert.deepEqual(await next, []);
});

test("the worker's script is fetched once, and a line says so if it can't be", async () => {
  const { engine: one } = engine();
  fetched = [];
  canFetch = false;
  assert.deepEqual(await all(one.check("03.1", "text")), ["The compiler could not be loaded: is there a connection?"]);
  canFetch = true;
  for (let k = 0; k < 2; ++k) {
    const found = all(one.check("03.1", "text"));
    await soon();
    one.stop();
    assert.deepEqual(await found, [{ stopped: true }]);
  }
  assert.deepEqual(fetched, Array(2).fill("http://x/course/workbench/worker.js"));
});

test("stopping a program that has just ended does not stop the next one", async () => {
  const started = [];
  const runners = new Runners(() => {
    const worker = { isAlive: true, postMessage: (data) => void (worker.asked = data), terminate: () => void (worker.isAlive = false) };
    started.push(worker);
    return worker;
  });
  const first = runners.run("main", "side", {});
  started[0].onmessage({ data: "ended" });
  first.stop();
  assert.equal(await first.ended, "ended");
  const second = runners.run("main", "side", {});
  assert.ok(started.length === 1 && started[0].isAlive);
  second.stop();
  started[0].onmessage({ data: "too late" });
  runners.run("main", "side", {});
  assert.ok(started.length === 2 && !started[0].isAlive && started[1].isAlive);
});

test("a silent worker is stopped, later at its first question; one that is loading is not silent", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { engine: one } = engine();
  const found = all(one.check("03.1", "text"));
  await soon();
  for (let k = 0; k < 3; ++k) {
    context.mock.timers.tick(599_000);
    workers[0].say({ id: undefined, loading: { what: "plain.wasm" } });
  }
  assert.ok(workers[0].isAlive);
  workers[0].say({ id: 1, ended: true });
  assert.deepEqual(await found, []);
  const later = all(one.check("03.1", "text"));
  await soon();
  context.mock.timers.tick(180_000);
  assert.deepEqual(await later, ["The compiler or the program was stopped: it did not respond for 180 seconds."]);
  assert.ok(!workers[0].isAlive);
});

test("a second check waits for the first one", async () => {
  const { engine: one } = engine();
  const first = all(one.check("03.1", "first")), second = all(one.check("03.2", "second"));
  await soon();
  assert.deepEqual(workers[0].asked.map(({ source }) => source), ["first"]);
  workers[0].say({ event: { stage: "of the first" } });
  workers[0].say({ ended: true });
  assert.deepEqual(await first, [{ stage: "of the first" }]);
  await soon();
  workers[0].say({ id: 1, event: { stage: "too late" } });
  workers[0].say({ event: { stage: "of the second" } });
  workers[0].say({ ended: true });
  assert.deepEqual(await second, [{ stage: "of the second" }]);
});

// --- What a browser keeps ------------------------------------------------------------------------

const SITE = "http://x/course/", hashOf = (text) => createHash("sha256").update(text).digest("hex");

/// A browser's storage and network: `server` has texts by address, `asked` has what was transferred.
function browser({ most = Infinity, ...server }) {
  const entries = new Map(), asked = [];
  const bytes = () => [...entries.values()].reduce((sum, text) => sum + text.length, 0);
  const cache = {
    match: async (key) => (entries.has(key) ? new Response(entries.get(key)) : undefined),
    async put(key, answer) {
      const text = await answer.text();
      if (bytes() + text.length > most) throw Error("QuotaExceededError");
      entries.set(key, text);
    },
    keys: async () => [...entries.keys()].map((url) => ({ url })),
    delete: async ({ url }) => entries.delete(url),
  };
  const names = [];
  const caches = { open: async (name) => (names.push(name), cache) };
  const fetch = async (what) => {
    const address = String(what.url ?? what);
    asked.push(address.slice(SITE.length));
    const text = server[decodeURIComponent(address.slice(SITE.length))];
    if (text instanceof Error) throw text;
    return new Response(text ?? "404", { status: text === undefined ? 404 : 200 });
  };
  return { server, entries, asked, names, caches, fetch, transferred: () => asked.splice(0) };
}

/// The service worker of a course with these files, in a browser. `isNewer`: there is an older service worker.
function serviceWorker({ caches, fetch, names }, files, { isNewer = false, waiting = undefined, pages = 1 } = {}) {
  const heard = {}, done = [], registration = { scope: SITE, active: isNewer ? {} : null, waiting };
  const scope = { registration, caches, fetch, Response, URL, crypto: globalThis.crypto, clients: { claim: async () => done.push("claim"), matchAll: async () => Array(pages) },
    skipWaiting: async () => done.push("skip"), addEventListener: (name, action) => (heard[name] = action) };
  const hashes = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, hashOf(text)]));
  runInNewContext(`const FILES = ${JSON.stringify(hashes)};${readFileSync(join(import.meta.dirname, "../../service_worker.js"), "utf8")}`, scope);
  const event = (name, more) => new Promise((resolve, reject) => {
    let isLate = false;
    heard[name]({ waitUntil: (promise) => promise.then(resolve, reject, (isLate = true)), respondWith: (promise) => promise.then(resolve, reject, (isLate = true)), ...more });
    if (!isLate) resolve(undefined);
  });
  const get = async (path, more) => (await event("fetch", { request: { url: SITE + path, method: "GET", mode: "cors", cache: "default", ...more } }));
  return { done, get, event, text: async (path) => (await get(path))?.text(), names,
    keepAll: () => new Promise((resolve) => { event("message", { data: "keep", source: { postMessage: resolve } }).then(() => resolve(undefined)); }) };
}

const FILES = { "index.html": "front", "docs/a b.html": "page", "workbench/worker.js": "script", "workbench/x.wasm": "large" };

test("kept files are served without a connection, as a host serves them", async () => {
  const here = browser(FILES), worker = serviceWorker(here, FILES);
  await worker.event("install");
  await worker.event("activate");
  assert.deepEqual(worker.done, ["skip", "claim"]);
  assert.deepEqual(here.transferred(), []);
  assert.deepEqual({ ...await worker.keepAll() }, { kept: 3 });
  assert.deepEqual(here.transferred().sort(), ["docs/a%20b.html", "index.html", "workbench/worker.js"]);
  for (const [address, text] of [["", "front"], ["index.html?x#y", "front"], ["docs/a%20b", "page"], ["docs/a%20b.html", "page"], ["workbench/worker.js", "script"]])
    assert.equal(await worker.text(address), text);
  assert.deepEqual({ ...await worker.keepAll() }, { kept: 0 });
  assert.deepEqual(here.transferred(), []);
  assert.equal(await worker.get("missing.html"), undefined);
  assert.equal(await worker.get("index.html", { method: "POST" }), undefined);
  assert.equal(await worker.get("workbench/x.wasm", { cache: "no-store" }), undefined);
  assert.equal(await worker.event("fetch", { request: { url: "http://x/other/index.html", method: "GET" } }), undefined);
  assert.deepEqual([...new Set(here.names)], [`course ${SITE}`]);
});

test("a newer course is used only once it is complete, and only changed files are transferred", async () => {
  const here = browser(FILES), older = serviceWorker(here, FILES);
  await older.keepAll();
  here.entries.set(`${SITE}workbench/x.wasm?${hashOf("large")}`, "large");
  here.transferred();
  const newer = { ...FILES, "index.html": "newer front", "workbench/x.wasm": "newer" };
  Object.assign(here.server, newer, { "workbench/x.wasm": new TypeError("no connection") });
  const worker = serviceWorker(here, newer, { isNewer: true });
  await assert.rejects(worker.event("install"));
  here.server["workbench/x.wasm"] = "newer";
  here.transferred();
  await worker.event("install");
  assert.deepEqual(here.transferred(), ["workbench/x.wasm"]); // the other files had arrived before
  assert.deepEqual(worker.done, []);
  assert.equal(await older.text("index.html"), "front"); // no page gets files of both versions
  let told;
  const waiting = { postMessage: (what) => (told = what) };
  assert.equal(await (await serviceWorker(here, FILES, { waiting, pages: 2 }).get("", { mode: "navigate" })).text(), "front");
  assert.equal(told, undefined);
  assert.equal((await serviceWorker(here, FILES, { waiting }).get("", { mode: "navigate" })).headers.get("refresh"), "0");
  assert.equal(told, "begin");
  await worker.event("activate");
  assert.equal(here.entries.size, 4);
  assert.equal(await worker.text("index.html"), "newer front");
});

test("once the course has changed on its server, no more files of the older one are used", async () => {
  const here = browser({ ...FILES }), worker = serviceWorker(here, FILES);
  assert.equal(await worker.text("index.html"), "front");
  here.server["docs/a b.html"] = "newer page";
  assert.equal(await worker.text("docs/a%20b.html"), "newer page");
  assert.equal(here.entries.size, 1);
  assert.equal(await worker.get("index.html"), undefined);
});

test("if the storage is full, files are not kept, and nothing else fails", async () => {
  const here = browser({ ...FILES, most: 6 }), worker = serviceWorker(here, { "index.html": "front", "workbench/worker.js": "script" });
  assert.equal(await worker.text("workbench/worker.js"), "script");
  assert.equal(await worker.text("index.html"), "front");
  assert.equal(here.entries.size, 1);
});

/// Prepares the files of a page's worker, in a browser. Returns what the worker told, and the text of each file as it gets it.
async function prepared(here, { hasStorage = true } = {}) {
  const loaded = [];
  globalThis.self = globalThis;
  Object.defineProperty(globalThis, "caches", { value: hasStorage ? here.caches : undefined, configurable: true, writable: true });
  globalThis.fetch = here.fetch;
  const why = await prepare(`${SITE}workbench/`, LIST, (each) => loaded.push(each));
  const text = async (name) => (await globalThis.fetch(`${SITE}workbench/${name}`)).text();
  return { why, loaded, texts: [await text("a.wasm"), await text("b.json")] };
}
const LARGE = { "a.wasm": "aaaa", "b.json": "{}" }, LIST = Object.fromEntries(Object.entries(LARGE).map(([name, text]) => [name, [text.length, hashOf(text)]]));
const folder = () => Object.fromEntries(Object.entries(LARGE).map(([name, text]) => [`workbench/${name}`, text]));

test("each file of the compiler is transferred once, and on later visits none", async () => {
  const here = browser(folder());
  const { why, loaded, texts } = await prepared(here);
  assert.equal(why, "");
  assert.deepEqual(texts, ["aaaa", "{}"]);
  assert.deepEqual(loaded.at(-1), { done: 6, total: 6, what: "b.json" });
  assert.deepEqual(here.transferred(), ["workbench/a.wasm", "workbench/b.json"]);
  assert.deepEqual((await prepared(here)).texts, ["aaaa", "{}"]);
  assert.deepEqual(here.transferred(), []);
});

test("an interrupted download continues where it stopped", async () => {
  const here = browser(folder());
  here.server["workbench/b.json"] = new TypeError("network error");
  await assert.rejects(prepared(here), { message: "There is no connection, or it was interrupted. Run again: files that have arrived are kept." });
  here.server["workbench/b.json"] = "{}";
  here.transferred();
  await prepared(here);
  assert.deepEqual(here.transferred(), ["workbench/b.json"]);
});

test("files of two courses are not mixed", async () => {
  const here = browser(folder());
  here.server["workbench/b.json"] = "[]";
  await assert.rejects(prepared(here), { message: "The course has changed on its server: load this page again." });
});

test("without storage, or where it is full, files are transferred once a visit, and a line says why", async () => {
  const [without, full] = [browser(folder()), browser({ ...folder(), most: 4 })];
  for (const [here, options, says] of [[without, { hasStorage: false }, /^Nothing is kept in a private window/], [full, {}, /^The browser's storage has no room/]]) {
    const { why, texts } = await prepared(here, options);
    assert.match(why, says);
    assert.deepEqual(texts, ["aaaa", "{}"]);
    assert.deepEqual(here.transferred(), ["workbench/a.wasm", "workbench/b.json"]);
  }
});

// --- Links with code -----------------------------------------------------------------------------

test("a link has the whole code, and says so in one line if it can't", async () => {
  const page = "http://x/course/playground.html", damaged = { message: "The code in this link is damaged or was cut off: ask for the link again, or for the file." };
  for (const code of ["", "int main() {}\n", "// é漢 </script>\n".repeat(500)]) {
    const link = await linkTo(page, code);
    assert.match(link, /^http:\/\/x\/course\/playground\.html#code=[\w-]*$/);
    assert.equal(await codeOf(link), code);
  }
  const link = await linkTo(page, "int main() { return 0; }\n");
  assert.equal(await codeOf(page), undefined);
  assert.equal(await codeOf(`${page}#top`), undefined);
  for (const cut of [link.slice(0, -1), link.slice(0, -9), `${page}#code=`, `${page}#code=%20`, `${link}A`, link.replace(/.(?=.{9}$)/, (one) => (one === "A" ? "B" : "A")), `${page}#code=${"A".repeat(20000)}`])
    await assert.rejects(codeOf(cut), damaged);
  const noise = Array.from({ length: 20000 }, (_, k) => String.fromCharCode(32 + createHash("md5").update(`${k}`).digest()[0] % 90)).join("");
  await assert.rejects(linkTo(page, noise), { message: "This program is too long for a link, which chats and mail would truncate: share the file instead." });
  const zeros = await linkTo(page, "0".repeat(2 << 20)).catch(() => undefined); // the link unpacks to far more than its own size
  if (zeros) await assert.rejects(codeOf(zeros), damaged);
  assert.ok(zeros);
});
