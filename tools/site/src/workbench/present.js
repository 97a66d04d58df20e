/// The page of a chapter's live coding: the steps of the lesson plan in an editor, one after the other, and the output of the checks. Like
/// ./course live, the page keeps what was typed when a step replaces it.

import { opened } from "./file.js";
import { showStage, tell } from "./parts.js";
import { runner } from "./runs.js";

const bench = document.querySelector("#bench"), { chapter, file, base } = bench.dataset;
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const steps = [...document.querySelectorAll("[data-step]")].map((section) => ({ number: section.dataset.step, before: section.dataset.before,
  text: section.querySelector("pre").textContent, said: section.querySelector("[data-said]") }));
const { work, edited, save, put, act, mark } = opened(part, { number: `present/${chapter}`, file, starter: steps[0].text, known: steps.map(({ text }) => text) },
  { onRun: () => run(), onLook: () => show(), onChange: () => show() });
const runs = runner(part, new URL(base, location.href).href);
let checked; // the text that the checks were last run for

// --- Steps ---------------------------------------------------------------------------------------

/// The step that the editor shows; if the text was changed, the step that was shown last.
function place() {
  const last = Math.min(work.notes.step ?? 0, steps.length - 1), same = steps.findIndex(({ text }) => text === edited.text);
  return same < 0 ? last : same;
}

let shown;
/// Shows the number of the step, and the plan's notes on it.
function show() {
  const at = place();
  if (at === shown) return;
  shown = at;
  part("step").textContent = `Step ${steps[at].number}${at > 0 ? `, ${at} of ${steps.length - 1}` : ""}`;
  part("next").disabled = at === steps.length - 1;
  part("said").replaceChildren(steps[at].said.cloneNode(true));
  compare();
}

/// Shows what the step has changed.
async function compare() {
  await edited.compare(part("compare").checked ? steps[steps[shown].before]?.text : undefined);
  scroll();
}

/// Scrolls to the first line that the step has changed.
function scroll() {
  const { text, before } = steps[shown], old = steps[before]?.text.split("\n");
  if (old && text === edited.text) edited.scrollTo(text.split("\n").findIndex((line, k) => line !== old[k]) + 1);
}

function go(to) {
  if (!steps[to]) return;
  if (runs.isRunning) part("stop").click();
  act(() => {
    const kept = work.replace(steps[to].text, "kept when you went to another step");
    put(work.text);
    work.note({ step: to });
    if (kept) tell(`What you have typed is kept as ${kept}.`);
  });
  clear();
  show();
}

const next = () => go(place() + 1);
const back = () => go(steps[place()].text === edited.text ? place() - 1 : place());

// --- Checks --------------------------------------------------------------------------------------

function clear() {
  checked = undefined;
  mark([]);
  for (const name of ["stages", "words"]) part(name).replaceChildren();
}

async function run() {
  if (runs.isRunning) return;
  save();
  clear();
  const source = checked = edited.text;
  await runs.run((engine) => engine.ask("check_step", file, source), (said) => {
    if (said.stage) showStage(part("stages"), said);
    else if (checked === source) {
      part("words").textContent = said.verdict.words.join("\n");
      mark(said.verdict.marks, source);
    }
  });
  scroll(); // the verdict takes up space
}

function plan() {
  part("said").hidden = !part("said").hidden;
  part("plan").setAttribute("aria-expanded", String(!part("said").hidden));
}

// A presenter's remote control sends PageDown and PageUp, wherever the focus is.
const KEYS = { PageDown: () => (checked === edited.text ? next() : run()), PageUp: back, F2: plan };
addEventListener("keydown", (event) => {
  const action = event.ctrlKey || event.metaKey ? event.key === "Enter" && run : !event.altKey && !event.shiftKey && KEYS[event.key];
  if (!action || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}, true);
part("next").onclick = next;
part("back").onclick = back;
part("run").onclick = run;
part("plan").onclick = plan;
part("compare").onchange = compare;
for (const button of bench.querySelectorAll("button:disabled")) button.disabled = false;
show();
