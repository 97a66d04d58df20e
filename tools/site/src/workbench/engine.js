// Checks exercises in a worker (tools/workbench/worker.mjs), so that the page never blocks.

// Seconds of silence after which the worker is considered stuck. The worker itself stops a program after 120 s. At its first
// question, it also compiles what all sources include, which may take minutes on a slow machine.
const SILENT = 180, SILENT_AT_FIRST = 600;

export class Engine {
  /// @param base The address of the site's root. `onLoading({ done, total, what })` gets numbers of bytes, `onNote` a line that says
  /// why the files are not kept for the next visit.
  constructor(base, { onLoading, onNote }) {
    this.folder = new URL("workbench/", new URL(base, location.href)).href;
    Object.assign(this, { onLoading, onNote, asked: 0, runners: new Map() });
    addEventListener("pagehide", () => this.stop()); // a browser may keep a page that was left, with its workers' memory
  }

  /// Loads compiler and simulator, for exercises or for programs. Throws an Error with a one-line message.
  async load(isForPrograms = false) {
    for await (const _ of this.#ask({ isForPrograms }));
  }

  /// Checks the text of an exercise's file: yields the stages as they end, and then the verdict, or { stopped: true }.
  async *check(number, source) {
    yield* this.#ask({ number, source });
  }

  /// Calls the function `what` of tools/workbench/machine.py: yields what the function tells, or { stopped: true }.
  async *ask(what, ...words) {
    yield* this.#ask({ what, words });
  }

  /// The same, but returns only the last event. Throws an Error with a one-line message.
  async answer(what, ...words) {
    let last;
    for await (const event of this.#ask({ what, words })) last = event;
    return last;
  }

  /// Compiles and runs a program with the arguments `words`; with `isSeen`, under the lens. Yields what tools/workbench/engine.mjs tells,
  /// or { stopped: true }.
  async *run(source, words, isSeen) {
    yield* this.#ask({ program: { source, words, isSeen } });
  }

  /// Records blocks of a program's kernels: yields { recordings, why }, or { stopped: true }.
  async *watch(source, words) {
    yield* this.#ask({ program: { source, words, isWatched: true } });
  }

  /// Stops whatever runs. The next question starts the compiler again.
  stop() {
    this.#end();
    this.hear?.({ stopped: true });
  }

  /// Starts the worker from a blob: such a worker has the page's policy, and one from an address of the site would have none. It is a
  /// single script, because in Firefox no service worker answers the worker's imports.
  async #begin() {
    this.isWarm = false;
    try {
      this.script ??= await fetch(`${this.folder}worker.js`).then((answer) => (answer.ok ? answer.blob() : Promise.reject()));
    } catch {
      throw Error("The compiler could not be loaded: is there a connection?");
    }
    this.begin = URL.createObjectURL(new Blob([`self.courseBase = ${JSON.stringify(this.folder)};\n`, this.script], { type: "text/javascript" }));
    this.worker = new Worker(this.begin, { type: "module" });
    this.worker.onerror = (event) => {
      event.preventDefault(); // the page shows the error
      this.hear?.({ error: event.message || "The compiler could not be started: load this page again." });
    };
    this.worker.onmessage = ({ data }) => (data.runner === undefined ? this.hear?.(data) : this.#passOn(data));
  }

  /// Passes on the worker's requests to the workers that run programs (tools/workbench/worker.mjs).
  #passOn({ runner, address, data, isEnded }) {
    const { worker, runners } = this, tell = (what) => worker.postMessage({ runner, ...what });
    try {
      if (address) {
        runners.set(runner, new Worker(address, { type: "module" }));
        runners.get(runner).onmessage = ({ data: said }) => tell({ data: said });
        runners.get(runner).onerror = (event) => {
          event.preventDefault();
          tell({ message: event.message || "A worker could not be started: load this page again." });
        };
      }
      if (data) runners.get(runner)?.postMessage(data);
      if (isEnded) runners.get(runner)?.terminate();
      if (isEnded) runners.delete(runner);
    } catch (error) {
      tell({ message: error.message });
    }
  }

  #end() {
    if (!this.worker) return;
    for (const each of [this.worker, ...this.runners.values()]) each.terminate();
    this.worker = undefined;
    this.runners.clear();
    URL.revokeObjectURL(this.begin);
  }

  /// Sends the worker a question, once it has answered all earlier ones.
  async *#ask(what) {
    const before = this.last, heard = [];
    let wake = () => {}, leave, timer, hasEnded = false;
    this.last = new Promise((done) => (leave = done));
    await before;
    const id = ++this.asked;
    const tell = (said) => {
      heard.push(said);
      wake();
    };
    const wait = () => {
      const seconds = this.isWarm ? SILENT : SILENT_AT_FIRST;
      clearTimeout(timer);
      timer = setTimeout(() => tell({ error: `The compiler or the program was stopped: it did not respond for ${seconds} seconds.` }), seconds * 1000);
    };
    this.hear = (said) => {
      if (said.id !== undefined && said.id !== id) return;
      wait();
      if (said.loading) this.onLoading(said.loading);
      else if (said.note) this.onNote(said.note);
      else tell(said);
    };
    try {
      if (!this.worker) await this.#begin();
      this.worker.postMessage({ id, ...what });
      wait();
      for (;;) {
        if (heard.length === 0) await new Promise((done) => (wake = done));
        const said = heard.shift();
        if (said.event) yield said.event;
        if (said.error) throw Error(said.error);
        if (said.stopped) yield { stopped: true };
        hasEnded = Boolean(said.ended);
        if (hasEnded || said.stopped) return;
      }
    } finally {
      clearTimeout(timer);
      this.hear = undefined;
      this.isWarm = hasEnded;
      if (!hasEnded) this.#end(); // the worker may still be running, or be out of memory
      leave();
    }
  }
}
