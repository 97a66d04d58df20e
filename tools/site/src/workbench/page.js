/// The page of an exercise: editor, check, marks, hints, the chapter's code, and the student's kept files.

import { shown } from "./editor.js";
import { opened } from "./file.js";
import { panel } from "./margin.js";
import { ask, element, message, showStage, tell } from "./parts.js";
import { runner } from "./runs.js";
import { watcher } from "./watcher.js";

const bench = document.querySelector("#bench");
const part = (name) => bench.querySelector(`[data-part="${name}"]`);
const { number, file, base } = bench.dataset;
const root = new URL(base, location.href).href;

// --- The file ------------------------------------------------------------------------------------

const { work, edited, save, put, act, mark, openLink } = opened(part, { number, file, starter: part("starter").textContent },
  { onRun: () => run(), onLook: () => showHints() });
if (work.starterHasChanged) tell("The starter of this exercise has changed since you created your file. Your file has not been changed.");

part("reset").onclick = async () => {
  if (!await ask(`Start ${number} over? Your file is kept under another name.`, "Start over")) return;
  act(() => {
    const name = work.reset();
    put(work.text);
    clear();
    showHints();
    tell(name ? `Your file is kept as ${name}. The editor shows the starter again.` : "The editor shows the starter again.");
  });
};

// --- Check ---------------------------------------------------------------------------------------

const runs = runner(part, root), showMargin = panel(part, edited);

function clear() {
  mark([]);
  showMargin();
  for (const name of ["stages", "words", "counted", "times"]) part(name).replaceChildren();
  for (const name of ["counted", "times", "then", "watched"]) part(name).hidden = true;
}

/// Shows sentences of tools/lens/text.py about the time on a GPU; in these, variants' names are between asterisks.
function showTimes(times) {
  part("times").hidden = false;
  part("times").replaceChildren(element("p", {}, "How fast could it be?"), ...times.map((each) => element("p", {},
    ...`${each[0].toUpperCase()}${each.slice(1)}.`.split("*").map((words, k) => (k % 2 ? element("em", {}, words) : words)))));
}

function showVerdict({ solved, words, marks, counted, margin }, source) {
  part("words").textContent = words.join("\n") || "Solved: the result is right for every size, input, address and launch shape that was tried.";
  mark(marks, source);
  part("counted").hidden = counted.length === 0;
  part("counted").replaceChildren(element("caption", {}, "What the lens has counted"),
    element("thead", {}, element("tr", {}, element("td"), ...["yours", "target"].map((each) => element("th", { scope: "col" }, each)))),
    element("tbody", {}, ...counted.map(([what, ...cells]) => element("tr", {}, element("th", { scope: "row" }, what),
      ...cells.map((each) => element("td", {}, each))))));
  showMargin(margin, edited.text === source);
  part("then").hidden = !solved;
  if (!solved) return;
  try {
    work.note({ solved: source });
  } catch (problem) {
    tell(message(problem));
  }
}

async function run() {
  if (runs.isRunning) return;
  save();
  clear();
  const source = edited.text;
  await runs.run((engine) => engine.check(number, source), (said) => {
    if (said.stage) showStage(part("stages"), said);
    else if (said.verdict) showVerdict(said.verdict, source);
    else if (said.times) showTimes(said.times);
  });
}

part("run").onclick = run;
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  run();
});

// --- Blocks to watch ---------------------------------------------------------------------------------

if (part("watch")) watcher(part, runs, file, () => (save(), edited.text), (engine, source) => engine.ask("watch", number, source));

// --- Hints, and the chapter's code --------------------------------------------------------------------

function showHints() {
  const hints = [...part("hints").children], count = Math.min(work.notes.hints ?? 0, hints.length);
  for (const [k, hint] of hints.entries()) hint.hidden = k >= count;
  part("hint").hidden = count === hints.length;
  part("hint").textContent = `Show hint ${count + 1} of ${hints.length}`;
}
part("hint").onclick = () => act(() => {
  work.note({ hints: (work.notes.hints ?? 0) + 1 });
  showHints();
});
showHints();

let code;
async function showSolution(isDiff) {
  if (!code && !await ask("Show the chapter's own code?", "Show it")) return;
  try {
    code ??= (await (await fetch(new URL("exercises.json", root))).json()).find((each) => each.number === number).solution;
    part("solution").replaceChildren();
    part("solution").hidden = false;
    await shown(part("solution"), code, isDiff ? edited.text : undefined);
    part("solution").scrollIntoView({ block: "nearest" });
  } catch {
    tell("The chapter's code could not be loaded. Is there a connection?");
  }
}
part("show").onclick = () => showSolution(false);
part("compare").onclick = () => showSolution(true);
for (const button of bench.querySelectorAll("button:disabled")) button.disabled = false;
openLink(clear, `Open the code of this link in ${number}? Your file is kept under another name.`);
