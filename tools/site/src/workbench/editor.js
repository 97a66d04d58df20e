/// The editor for CUDA C++: CodeMirror with the site's colours, marks at lines, and the keys that a page needs.

import { indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { indentUnit, syntaxHighlighting } from "@codemirror/language";
import { forEachDiagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { Decoration, EditorView, keymap, MatchDecorator, ViewPlugin } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { counts, focusCount, linesOf, showCounts } from "./margin.js";

const CUDA = [
  [/\b__(?:global|device|host|shared|constant|restrict|launch_bounds)__\b/g, "tok-keyword"],
  [/\b(?:__[a-z]+\w*|atomic[A-Z]\w*|cuda[A-Z]\w*)\b(?=\()/g, "tok-function"],
  [/\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/g, "tok-builtin"],
].map(([regexp, name]) => {
  const found = new MatchDecorator({ regexp, decoration: Decoration.mark({ class: name }) });
  return ViewPlugin.define((view) => ({
    decorations: found.createDeco(view),
    update(change) { this.decorations = found.updateDeco(change, this.decorations); },
  }), { decorations: (plugin) => plugin.decorations });
});

/// The extensions that all views of code share.
export const look = [cpp(), indentUnit.of("    "), syntaxHighlighting(classHighlighter), CUDA];

/// An editor at the end of `parent`. `onChange` is called after each change by the student, `onRun` for Ctrl-Enter.
export function editor(parent, { text, label, describedBy, onChange, onRun }) {
  const compared = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: text, extensions: [
      Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (onRun(), true) }])),
      basicSetup, keymap.of([indentWithTab]), look, lintGutter(), counts, compared.of([]),
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy, tabindex: "0" }),
      EditorView.updateListener.of((update) => update.docChanged && onChange()),
    ] }),
  });
  const todo = view.state.doc.toString().indexOf("// TODO");
  if (todo >= 0) {
    view.dispatch({ selection: { anchor: todo } });
    view.requestMeasure({ read: () => view.lineBlockAt(todo).top - view.scrollDOM.clientHeight / 2,
      write: (top) => { view.scrollDOM.scrollTop = top; } }); // scrolls only the editor: scrollIntoView would also scroll a phone's page
  }
  const line = (number) => view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
  return {
    get text() {
      return view.state.doc.toString();
    },
    /// Replaces the text where it differs, so that the cursor stays in place, and the change can be undone.
    replace(whole) {
      const now = this.text;
      let first = 0, last = 0;
      while (first < Math.min(now.length, whole.length) && now[first] === whole[first]) ++first;
      while (last < Math.min(now.length, whole.length) - first && now[now.length - 1 - last] === whole[whole.length - 1 - last]) ++last;
      view.dispatch({ changes: { from: first, to: now.length - last, insert: whole.slice(first, whole.length - last) } });
    },
    /// Marks lines, each { line, text }.
    mark(marks) {
      view.dispatch(setDiagnostics(view.state, marks.map((each) => {
        const { from, to, text: words } = line(each.line), start = from + /^\s*/.exec(words)[0].length;
        return { from: Math.min(start, to), to, severity: "error", message: each.text };
      })));
    },
    /// The lines that are marked now, after changes above them.
    marks() {
      const found = [];
      forEachDiagnostic(view.state, ({ message }, from) => found.push({ line: view.state.doc.lineAt(from).number, text: message }));
      return found;
    },
    /// Shows counts beside their lines (margin.js). `open` is called with the entry that the student chooses.
    count: (entries, open = () => {}) => showCounts(view, entries, open),
    /// Focuses the count of a line.
    toCount: (entry) => focusCount(view, entry),
    /// The line at which a count is now; undefined if the line was deleted.
    lineOf: (entry) => linesOf(view).get(entry),
    goTo(number) {
      view.dispatch({ selection: { anchor: line(number).from }, effects: EditorView.scrollIntoView(line(number).from, { y: "center" }) });
      view.focus();
    },
    /// From now on, shows how the text differs from another one; without an argument, stops showing it.
    async compare(other) {
      const difference = other === undefined ? [] : await differenceFrom(other);
      view.dispatch({ effects: compared.reconfigure(difference) });
    },
    /// Scrolls to a line.
    scrollTo: (number) => view.dispatch({ effects: EditorView.scrollIntoView(line(number).from, { y: "center" }) }),
    focus: () => view.focus(),
  };
}

async function differenceFrom(original, options) {
  const { unifiedMergeView } = await import("@codemirror/merge");
  return unifiedMergeView({ original, mergeControls: false, ...options });
}

/// Shows a read-only text and, with `other`, how it differs from that text. `onLine` is called with the cursor's line whenever this
/// changes. Returns the view.
export async function shown(parent, text, other, { label = "The chapter's code", onLine } = {}) {
  const extensions = [basicSetup, look, EditorState.readOnly.of(true), EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" })];
  if (onLine) extensions.push(EditorView.updateListener.of(({ selectionSet, state }) => selectionSet && onLine(state.doc.lineAt(state.selection.main.head).number)));
  if (other !== undefined) extensions.push(await differenceFrom(other, { collapseUnchanged: { margin: 3 } }));
  return new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
}
