/// The buttons Run and Stop, and the compiler, which is loaded in the background.

import { Engine } from "./engine.js";
import { keepSite } from "./offline.js";
import { loadingIn, message, tell } from "./parts.js";

/// `part` gives an element of the page by name; `root` is the address of the site's root. Returns `run(ask, show, words)`: `show` gets
/// what `ask(engine)` yields, and if that fails, the element `words` says why.
export function runner(part, root, { isForPrograms = false } = {}) {
  const buttons = ["run", "look", "watch"].map(part).filter(Boolean);
  let engine, loading, stop, isRunning = false;

  /// Loads the compiler and the simulator, once; again after it has failed.
  function load() {
    return loading ??= (async () => {
      engine = new Engine(root, { onLoading: loadingIn(part), onNote: tell });
      await engine.load(isForPrograms);
      keepSite(root, tell);
    })().catch((problem) => {
      loading = undefined;
      throw problem;
    }).finally(() => (part("loading").hidden = true));
  }

  async function run(ask, show, words = part("words")) {
    isRunning = true;
    for (const button of buttons) button.disabled = true;
    part("stop").hidden = false;
    try {
      const stopped = new Promise((done) => (stop = () => done({ stopped: true })));
      words.textContent = "Waiting for the compiler …";
      let last = await Promise.race([load(), stopped]);
      words.textContent = "";
      if (!last?.stopped) {
        stop = () => engine.stop();
        for await (last of ask(engine)) if (!last.stopped) show(last);
      }
      if (last?.stopped) words.textContent = "Stopped.";
    } catch (problem) {
      words.textContent = message(problem);
    }
    isRunning = false;
    for (const button of buttons) button.disabled = false;
    part("stop").hidden = true;
    words.parentElement.scrollIntoView({ block: "nearest" });
  }

  part("stop").onclick = () => stop();
  if (!navigator.connection?.saveData) load().catch((problem) => !isRunning && (part("words").textContent = message(problem)));
  return { run, get isRunning() { return isRunning; } };
}
