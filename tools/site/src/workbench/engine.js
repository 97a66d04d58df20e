// Checks exercises in a worker (tools/workbench/worker.mjs), so that the page never blocks.

// Seconds of silence after which the worker is considered stuck. What it runs, it stops itself after 120; at its first question,
// it also compiles what all sources include, which a slow machine may need minutes for.
const SILENT = 180, SILENT_AT_FIRST = 600;

export class Engine {
  /// @param base The address of the site's root. `onLoading({ done, total, what })` gets bytes, `onNote` a line that says why
  /// they are not kept for the next visit.
  constructor(base, { onLoading, onNote }) {
    this.folder = new URL("workbench/", new URL(base, location.href)).href;
    Object.assign(this, { onLoading, onNote, asked: 0, runners: new Map() });
    addEventListener("pagehide", () => this.stop()); // a browser may keep a page that you have left, and its workers' memory
  }

  /// Loads compiler and simulator, for exercises or for programs. Throws an Error with a one-line message.
  async load(isForPrograms = false) {
    for await (const _ of this.#ask({ isForPrograms }));
  }

  /// Checks the text of an exercise's file: yields the stages as they end, and last the verdict, or that it was stopped.
  async *check(number, source) {
    yield* this.#ask({ number, source });
  }

  /// Asks what machine.py (tools/workbench) answers by a function of this name: yields what it tells, or that it was stopped.
  async *ask(what, ...words) {
    yield* this.#ask({ what, words });
  }

  /// The same, for an answer at once. Throws an Error with a one-line message.
  async answer(what, ...words) {
    let last;
    for await (const event of this.#ask({ what, words })) last = event;
    return last;
  }

  /// Compiles and runs a program, with `isSeen` under the lens; `words` are its arguments. Yields what tools/workbench/engine.mjs tells, or
  /// that it was stopped.
  async *run(source, words, isSeen) {
    yield* this.#ask({ program: { source, words, isSeen } });
  }

  /// Records blocks of a program's kernels: yields { recordings, why }, or that it was stopped.
  async *watch(source, words) {
    yield* this.#ask({ program: { source, words, isWatched: true } });
  }

  /// Ends what runs. The next question starts the compiler again.
  stop() {
    this.#end();
    this.hear?.({ stopped: true });
  }

  /// Such a worker may do what the page may, and nothing else; one from an address of the site has no policy. It is one script, since
  /// in Firefox no service worker answers what it would import.
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
      event.preventDefault(); // the page says it
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
      timer = setTimeout(() => tell({ error: `It was stopped: it did not respond for ${seconds} seconds.` }), seconds * 1000);
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
