/// The page of a chapter's faults, one at a time: the part of the address after # names the fault. The messages about it, and the
/// verdict on an answer, come from tools/exercises/hunt.py.

import { shown } from "./editor.js";
import { Engine } from "./engine.js";
import { ask, element, loadingIn, message, storage, tell } from "./parts.js";
import { note, noted } from "./work.mjs";

const bench = document.querySelector("#bench");
const part = (name) => bench.querySelector(`[data-part="${name}"]`);
const root = new URL(bench.dataset.base, location.href);
const { chapters } = await fetch(new URL("questions.json", root)).then((answer) => answer.json()).catch(() => {
  tell("The faults could not be loaded. Is there a connection?");
  throw Error("there are no faults");
});
const { faults } = chapters.find(({ chapter }) => chapter === bench.dataset.chapter);
const engine = new Engine(root.href, { onLoading: loadingIn(part), onNote: tell });

let fault, turn = Promise.resolve();
const found = () => noted(storage, "debug").found ?? [];
/// The first fault that has not been found yet, or the first one.
const next = () => faults.find(({ name }) => !found().includes(name)) ?? faults[0];

function showFound() {
  part("faults").replaceChildren(...faults.map(({ name }) => element("li", {}, element("a", { href: `#${name}`, ariaCurrent: name === fault.name ? "true" : null },
    name, ...(found().includes(name) ? [element("span", { ariaHidden: "true" }, " ✓"), element("span", { className: "sr-only" }, " found")] : [])))));
}

/// Asks about the fault, one question after the other. Returns undefined if the question fails (the error is shown), or if the page
/// shows another fault by then.
function answer(what, ...words) {
  const { name } = fault, isShown = () => name === fault.name;
  return turn = turn.then(async () => {
    try {
      const said = isShown() && await engine.answer(what, name, ...words);
      return isShown() ? said : undefined;
    } catch (problem) {
      if (isShown()) tell(message(problem));
      return undefined;
    } finally {
      part("loading").hidden = true;
    }
  });
}

function explain(lines) {
  part("explained").textContent = lines.join("\n");
  part("explained").hidden = false;
  part("next").hidden = false;
}

async function show() {
  fault = faults.find(({ name }) => `#${name}` === location.hash) ?? next();
  part("task").textContent = fault.task;
  part("name").textContent = `fault ${fault.name}`;
  part("answer").reset();
  part("line").max = fault.text.split("\n").length - 1;
  for (const name of ["words", "explained"]) part(name).textContent = "";
  for (const name of ["explained", "next"]) part(name).hidden = true;
  part("code").replaceChildren();
  showFound();
  await shown(part("code"), fault.text, undefined, { label: "The code", onLine: (number) => (part("line").value = number) });
  part("says").textContent = "Waiting for the checks …";
  const { name } = fault, said = await answer("findings");
  if (name === fault.name) part("says").textContent = said?.says.join("\n") ?? "The checks could not be run.";
}

part("answer").onsubmit = async (event) => {
  event.preventDefault();
  part("words").textContent = "…";
  const said = await answer("judge", Number(part("line").value), Number(new FormData(part("answer")).get("cause")));
  part("words").textContent = said?.words ?? "";
  if (!said?.right) return;
  try {
    note(storage, "debug", { found: [...new Set([...found(), fault.name])].sort() });
  } catch (problem) {
    tell(message(problem));
  }
  showFound();
  explain(said.explained);
};
part("show").onclick = async () => {
  if (!await ask(`Show the answer to ${fault.name}?`, "Show it")) return;
  const said = await answer("explain");
  if (said) explain(said.explained);
};
part("next").onclick = () => {
  const { name } = next();
  if (location.hash === `#${name}`) show();
  else location.hash = name;
};
addEventListener("hashchange", show);
addEventListener("storage", showFound);
for (const name of ["send", "show"]) part(name).disabled = false;
show();
