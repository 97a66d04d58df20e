/// The button *Watch a block*, and the player below the editor.

import { play } from "../watch/player.js";
import { sourceOf } from "../watch/recording.js";
import { element } from "./parts.js";

/// `runs` is a runner, `textNow()` gives the text of `file`, and `ask(engine, text)` yields { recordings, why }.
export function watcher(part, runs, file, textNow, ask) {
  /// Plays recordings of blocks, and says what went wrong, if anything did.
  function show({ recordings, why }, text) {
    part("watch-words").textContent = why;
    const figure = element("figure", { className: "watch" }, element("figcaption"), element("p", { className: "status" }), element("div", { className: "block" }));
    part("watch-player").replaceChildren(...recordings.length > 0 ? [figure] : []);
    if (recordings.length > 0)
      play(figure, recordings.map((data) => ({ name: `${data.kernel}, block ${data.number}`, data, source: sourceOf(data, file, text) })));
  }

  part("watch").onclick = async () => {
    if (runs.isRunning) return;
    const text = textNow();
    part("watched").hidden = false;
    part("watch-player").replaceChildren();
    part("watched").scrollIntoView({ block: "start" });
    await runs.run(async function* (engine) {
      part("watch-words").textContent = "Recording …";
      yield* ask(engine, text);
    }, (said) => show(said, text), part("watch-words"));
    (part("watch-player").firstChild ?? part("watch-close")).focus({ preventScroll: true });
  };
  part("watch-close").onclick = () => {
    part("watched").hidden = true;
    part("watch").focus();
  };
}
