/// Shared by the pages of the workbench. Texts become text nodes, never markup.

export function element(tag, properties = {}, ...children) {
  const result = Object.assign(document.createElement(tag), properties);
  result.append(...children);
  return result;
}

/// The first line of an error's message.
export const message = (problem) => String(problem?.message ?? problem).split("\n")[0];

export const when = (at) => new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/// The browser's storage. If storage is blocked, a stand-in is used whose contents are lost with the page, and the page says so.
export const storage = (() => {
  try {
    localStorage.getItem("");
    return localStorage;
  } catch {
    const entries = new Map();
    tell("This browser doesn't let the page store anything: your work will be lost when you close or leave the page.");
    return { getItem: (key) => entries.get(key) ?? null, setItem: (key, value) => entries.set(key, value), removeItem: (key) => entries.delete(key) };
  }
})();

/// Shows how much an Engine has loaded, in the parts "loading", "loading-bar" and "loading-words" of a page.
export const loadingIn = (part) => ({ done, total, what }) => {
  part("loading").hidden = false;
  part("loading-bar").value = total ? done / total : 0;
  part("loading-words").textContent = `${what}: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
};

const SIGNS = { passed: "✓", failed: "✗", "not tried": "–" };

/// Adds one stage of a verdict to a list.
export function showStage(list, { stage, state, why }) {
  const line = element("li", {}, stage, " ", element("span", { ariaHidden: "true" }, SIGNS[state]), element("span", { className: "sr-only" }, state));
  Object.assign(line.dataset, { stage, state });
  if (why) line.append(`: ${why}`);
  list.append(line);
}

/// Removes all lines that are shown, or those that equal `line`.
export function forget(line) {
  for (const each of [...document.querySelector("#told").children]) if (line === undefined || each.firstChild.data === line) each.remove();
}

/// Shows a line of text until it is closed.
export function tell(line) {
  const list = document.querySelector("#told"), close = () => item.remove();
  const item = element("li", {}, line, " ", element("button", { type: "button", ariaLabel: "Close this message", onclick: close }, "×"));
  forget(line);
  list.append(item);
}

/// Asks for confirmation before an action. Returns a promise of whether the user has confirmed.
export function ask(question, answer) {
  return new Promise((done) => {
    const dialog = element("dialog", { className: "ask" }, element("form", { method: "dialog" }, element("p", { id: "question" }, question),
      element("button", { value: "yes" }, answer), " ", element("button", { value: "", autofocus: true }, "Cancel")));
    dialog.setAttribute("aria-labelledby", "question");
    dialog.onclose = () => (dialog.remove(), done(dialog.returnValue === "yes"));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/// Makes the browser save a file.
export function saveAs(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
