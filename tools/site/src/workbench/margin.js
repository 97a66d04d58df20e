/// The counts of the lens beside the lines of an editor, and a panel with what a line accesses. The contents and the wording come
/// from tools/lens/margin.py.

import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { EditorView, gutter, GutterMarker, ViewPlugin } from "@codemirror/view";
import { picture } from "../../../lens/request.mjs";
import { element } from "./parts.js";

const show = StateEffect.define(), choose = StateEffect.define();

class Count extends GutterMarker {
  /// `isStop`: whether Tab reaches this count. Arrow keys reach the other counts.
  constructor(entry, isStop) {
    super();
    Object.assign(this, { entry, isStop });
  }
  eq(other) {
    return other.entry === this.entry && other.isStop === this.isStop;
  }
  toDOM(view) {
    const { entry } = this, [, requests, ...each] = entry.accesses[0]?.cells ?? [];
    const [sectors, wavefronts, lanes] = each, cost = sectors ? `${sectors} s` : `${wavefronts} w`;
    const figures = entry.accesses.length > 0 ? [requests, `× ${cost}`, lanes] : [];
    if (entry.findings.length > 0) figures.push("!");
    const button = element("button", { type: "button", className: "count", ariaLabel: entry.name, title: entry.name, tabIndex: this.isStop ? 0 : -1 },
      ...figures.map((each) => element("span", { ariaHidden: "true" }, each)));
    button.style.setProperty("--part", entry.heat.toFixed(3));
    button.classList.toggle("found", entry.findings.length > 0);
    button.onclick = () => view.state.field(margin).open(entry);
    return button;
  }
}

/// The entries at their lines, which move with changes above; which entry is chosen; and the function that opens an entry.
const margin = StateField.define({
  create: () => ({ counts: RangeSet.empty, open: () => {} }),
  update(value, { changes, docChanged, effects, state }) {
    let { counts, open } = value;
    if (docChanged) counts = counts.map(changes);
    for (const effect of effects) {
      const isShown = effect.is(show);
      if (!isShown && !effect.is(choose)) continue;
      const entries = isShown ? effect.value.entries.filter(({ line }) => line <= state.doc.lines).map((entry) => [entry, state.doc.line(entry.line).from])
        : entriesOf(counts);
      const stop = isShown ? entries[0]?.[0] : effect.value;
      if (isShown) open = effect.value.open;
      counts = RangeSet.of(entries.map(([entry, from]) => new Count(entry, entry === stop).range(from)));
    }
    return counts === value.counts ? value : { counts, open };
  },
});

function entriesOf(counts) {
  const found = [];
  for (let at = counts.iter(); at.value; at.next()) found.push([at.value.entry, at.from]);
  return found;
}

/// Brings an entry's button into view, and focuses it.
function focus(view, entry) {
  const [, from] = entriesOf(view.state.field(margin).counts).find(([each]) => each === entry) ?? [];
  if (from === undefined) return view.focus(); // the line was deleted
  view.dispatch({ effects: [choose.of(entry), EditorView.scrollIntoView(from)] });
  view.requestMeasure({ read: () => {}, write: () => view.dom.querySelector('.count[tabindex="0"]')?.focus() });
}

function step(view, event) {
  const entries = entriesOf(view.state.field(margin).counts).map(([entry]) => entry), now = entries.findIndex(({ name }) => name === event.target.ariaLabel);
  const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: entries.length - 1 }[event.key];
  if (now < 0 || to === undefined) return false;
  event.preventDefault();
  if (entries[to]) focus(view, entries[to]);
  return true;
}

/// The extensions of the editor.
export const counts = [margin,
  gutter({ class: "cm-counts", side: "after", markers: (view) => view.state.field(margin).counts, domEventHandlers: { keydown: (view, _, event) => step(view, event) } }),
  // Gutters are hidden from screen readers; this one has buttons.
  ViewPlugin.define((view) => {
    queueMicrotask(() => {
      const after = view.dom.querySelector(".cm-gutters-after");
      after.removeAttribute("aria-hidden");
      after.setAttribute("role", "group");
      after.setAttribute("aria-label", "Memory accesses by line");
    });
    return {};
  })];

/// For each entry, the number of the line at which its count is now.
export const linesOf = (view) => new Map(entriesOf(view.state.field(margin).counts).map(([entry, from]) => [entry, view.state.doc.lineAt(from).number]));

/// Shows entries beside their lines. `open` is called with the entry that the student chooses.
export const showCounts = (view, entries, open) => view.dispatch({ effects: show.of({ entries, open }) });
export const focusCount = focus;

const table = (caption, columns, rows) => element("table", {}, element("caption", {}, caption),
  element("thead", {}, element("tr", {}, ...columns.map((each) => element("th", { scope: "col" }, each)))), element("tbody", {}, ...rows));

/// All accesses as a table with a button for each line.
function listOf({ columns, lines, case: which }, open) {
  return table(`What each line accesses ${which}`, ["line", ...columns], lines.flatMap((entry) => entry.accesses.map(({ cells }, k) => element("tr", {},
    ...(k === 0 ? [element("th", { scope: "row", rowSpan: entry.accesses.length }, element("button", { type: "button", ariaLabel: entry.name, onclick: () => open(entry) }, `${entry.line}`))] : []),
    ...cells.map((each) => element("td", {}, each))))));
}

/// Everything about a line: its findings, with a button for each line involved, and each access's costliest request.
function detailsOf({ findings }, entry, goTo) {
  const wrong = entry.findings.map((k) => findings[k]).map(({ words: [what, ...accesses], lines }) => element("div", { className: "found" },
    element("p", {}, element("strong", {}, what)), element("ul", {}, ...accesses.map((each, k) => element("li", {},
      ...(lines[k] ? [element("button", { type: "button", onclick: () => goTo(lines[k]) }, `Line ${lines[k]}`), " "] : []), each)))));
  const parts = entry.accesses.map(({ words, request }) => element("div", {}, element("h3", {}, words),
    element("p", {}, `Its costliest request: ${request.words}`), ...picture(request)));
  return [...wrong, ...parts];
}

/// Controls the parts of Accesses.astro and the counts of an `editor`. Returns `show(found, isSame)`, which shows the data of margin.py:
/// as a table and, if the lines have not changed since, beside the lines. Without arguments, it clears both.
export function panel(part, editor) {
  /// Shows what a line accesses.
  function showDetails(found, entry) {
    part("details").hidden = false;
    part("details-of").textContent = `Line ${editor.lineOf(entry) ?? entry.line}`;
    part("details-parts").replaceChildren(...detailsOf(found, entry, (number) => editor.goTo(number)));
    part("close").onclick = () => {
      part("details").hidden = true;
      editor.toCount(entry);
    };
    part("details-of").focus({ preventScroll: true });
    part("details").scrollIntoView({ block: "start" });
  }
  part("details").onkeydown = ({ key }) => key === "Escape" && part("close").click();

  return (found, isSame) => {
    const open = (entry) => showDetails(found, entry);
    part("margin").hidden = !found?.lines.length;
    part("details").hidden = true;
    editor.count(isSame && found ? found.lines : [], open);
    part("accesses").replaceChildren(...found ? [listOf(found, open)] : []);
  };
}
