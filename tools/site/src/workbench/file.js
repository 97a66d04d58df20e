/// A student's file in an editor, saved in the browser's storage whenever it changes, and the files that it has replaced.

import { editor } from "./editor.js";
import { codeOf } from "./link.mjs";
import { ask, element, forget, message, storage, tell, when } from "./parts.js";
import { FULL, Work } from "./work.mjs";

const SAVE_AFTER = 400; // ms

/// Opens the file of an exercise (Work). `part` gives an element of the page by name. `onRun` is called for Ctrl-Enter, `onLook` after
/// another tab may have changed the storage, `onChange` after each change.
export function opened(part, exercise, { onRun, onLook = () => {}, onChange = () => {} }) {
  const work = new Work(storage, exercise);
  let isChanged = false, marked = [], timer;

  function save() {
    clearTimeout(timer);
    if (!isChanged) return;
    try {
      const other = work.save(edited.text);
      isChanged = false;
      part("saved").textContent = "saved";
      forget(FULL);
      if (other) {
        tell(`Another tab has changed this file, too. What you see is newer; the other version is kept as ${other}.`);
        showKept();
      }
    } catch (problem) {
      part("saved").textContent = "not saved";
      tell(message(problem));
    }
  }

  function changed() {
    isChanged = true;
    part("saved").textContent = "";
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_AFTER);
    if (marked.length > 0) part("outdated").hidden = false;
    onChange();
  }

  /// Shows the stored text, which another tab may have written. Text that was typed here and is not yet saved stays, because it is newer.
  function look() {
    if (isChanged) return;
    work.refresh();
    if (work.text !== edited.text) {
      const own = work.kept.find(({ text }) => text === edited.text);
      put(work.text);
      tell(`Another tab has changed this file: this is its version.${own ? ` Yours is kept as ${work.nameOf(own)}.` : ""}`);
    }
    showKept();
    onLook();
  }

  /// Shows a text that is already saved.
  function put(text) {
    edited.replace(text);
    clearTimeout(timer);
    isChanged = false;
  }

  /// Saves what was typed, then does something that may fail.
  function act(action) {
    forget();
    save();
    try {
      action();
    } catch (problem) {
      tell(message(problem));
    }
    showKept();
  }

  /// Replaces the file's text and keeps the old one.
  function replace(text, why, says) {
    act(() => {
      const name = work.replace(text, why);
      put(work.text);
      tell(`${says}${name ? ` The file that was here is kept as ${name}.` : ""}`);
    });
  }

  /// Marks lines, each { line, text }, if the file has not changed since they were computed.
  function mark(marks, source = edited.text) {
    const isSame = edited.text === source;
    marked = isSame ? marks.toSorted((a, b) => a.line - b.line) : [];
    edited.mark(marked);
    part("outdated").hidden = isSame;
    part("marks").hidden = marked.length === 0;
    part("marks").replaceChildren(...marked.map((each, k) => element("li", {}, element("button", { type: "button",
      onclick: () => edited.goTo(edited.marks()[k]?.line ?? each.line) }, `Line ${each.line}`), ` ${each.text}`)));
  }

  /// Opens the code in the page's address, if there is any, now and whenever the address changes, without running the code. A file that
  /// was begun is replaced only after the student has agreed to `question`, if that is given. Then `then` is called.
  async function openLink(then, question) {
    onhashchange = () => openLink(then, question);
    try {
      const code = await codeOf(location.href);
      if (code === undefined) return;
      history.replaceState(null, "", location.href.split("#")[0]); // after a reload, the edited code is shown
      if (code === edited.text || question && edited.text !== exercise.starter && !await ask(question, "Open it")) return;
      replace(code, "kept when you opened a link", "This code comes from the link: read it before you run it.");
      then();
    } catch (problem) {
      tell(message(problem));
    }
  }

  async function remove(each) {
    if (await ask(`Delete ${work.nameOf(each)}? It can't be restored.`, "Delete")) act(() => work.forget(each.k));
  }

  function showKept() {
    const kept = work.kept;
    part("kept").hidden = kept.length === 0;
    part("kept-list").replaceChildren(...kept.map((each) => {
      const name = work.nameOf(each);
      return element("li", {}, element("code", {}, name), ` ${each.why}, ${when(each.at)} `,
        element("button", { type: "button", ariaLabel: `Restore ${name}`, onclick: () => replace(each.text, "kept when you restored another", `${name} is your file again.`) }, "Restore"), " ",
        element("button", { type: "button", ariaLabel: `Delete ${name}`, onclick: () => remove(each) }, "Delete"));
    }));
  }

  addEventListener("storage", ({ key }) => (key === null || key.startsWith(work.key)) && look());
  addEventListener("pageshow", look);
  addEventListener("pagehide", save);
  document.addEventListener("visibilitychange", () => (document.hidden ? save() : look()));

  part("starter").remove();
  const edited = editor(part("editor"), { text: work.text, label: exercise.file, describedBy: "keys", onChange: changed, onRun });
  const onPaper = element("pre", { className: "on-paper" }); // the editor's elements have only the visible lines
  part("editor").after(onPaper);
  addEventListener("beforeprint", () => (onPaper.textContent = edited.text));
  showKept();
  return { work, edited, save, put, act, replace, mark, openLink };
}
