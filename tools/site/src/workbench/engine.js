// What checks an exercise: a worker (tools/workbench/worker.mjs), so that the page never waits.

const SILENT = 180; // seconds, after which the worker is taken for stuck; what it runs, it stops itself after 120

export class Engine {
  /// @param base The address of the site's root. `onLoading({ done, total, what })` gets bytes.
  constructor(base, { onLoading }) {
    this.address = new URL("workbench/worker.js", new URL(base, location.href));
    this.onLoading = onLoading;
    this.asked = 0;
  }

  /// Loads compiler and simulator. Throws an Error of one line.
  async load() {
    for await (const _ of this.#ask({}));
  }

  /// Checks the text of an exercise's file: yields the stages as they end, and last the verdict, or that it was stopped.
  async *check(number, source) {
    yield* this.#ask({ number, source });
  }

  /// Ends a check. The next one starts the compiler again.
  stop() {
    this.#end();
    this.hear?.({ stopped: true });
  }

  #end() {
    this.worker?.terminate();
    this.worker = undefined;
  }

  async *#ask(what) {
    const id = ++this.asked, heard = [];
    let wake = () => {}, timer;
    this.hear = (said) => {
      heard.push(said);
      wake();
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.#end();
        heard.push({ error: `It was stopped: it has said nothing for ${SILENT} seconds.` });
        wake();
      }, SILENT * 1000);
    };
    if (!this.worker) {
      // Such a worker may do what the page may, and nothing else; one from an address of the site has no policy.
      const begin = URL.createObjectURL(new Blob([`import ${JSON.stringify(this.address.href)};`], { type: "text/javascript" }));
      this.worker = new Worker(begin, { type: "module" });
      this.worker.onerror = (event) => {
        this.#end();
        this.hear({ error: event.message || "The compiler could not be loaded: is there a connection?" });
      };
      this.worker.onmessage = ({ data }) => (data.loading ? this.onLoading(data.loading) : data.id === this.asked && this.hear(data));
    }
    this.worker.postMessage({ id, ...what });
    try {
      for (;;) {
        if (heard.length === 0) await new Promise((done) => (wake = done));
        const said = heard.shift();
        if (said.event) yield said.event;
        if (said.error) {
          this.#end(); // its memory may be full
          throw Error(said.error);
        }
        if (said.stopped) yield { stopped: true };
        if (said.ended || said.stopped) return;
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
