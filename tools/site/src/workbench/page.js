/// The page of an exercise: editor, check, marks, hints, the chapter's code, and the student's kept files.

import { editor, shown } from "./editor.js";
import { Engine } from "./engine.js";
import { ask, element, forget, message, storage, tell, when } from "./parts.js";
import { FULL, Work } from "./work.mjs";

const SAVE_AFTER = 400; // ms

const bench = document.querySelector("#bench");
const part = (name) => bench.querySelector(`[data-part="${name}"]`);
const { number, file, base } = bench.dataset;
const root = new URL(base, location.href).href;

const starter = part("starter").textContent;
const work = new Work(storage, { number, file, starter });

// --- The file ------------------------------------------------------------------------------------

let isChanged = false, timer;

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
  if (marked.length) part("outdated").hidden = false;
}

/// Shows what the storage has, which another tab may have written. What is typed here and not yet saved stays, and is newer.
function look() {
  if (isChanged) return;
  work.refresh();
  if (work.text !== edited.text) {
    const own = work.kept.find(({ text }) => text === edited.text);
    put(work.text);
    tell(`Another tab has changed this file: this is its version.${own ? ` Yours is kept as ${work.nameOf(own)}.` : ""}`);
  }
  showKept();
  showHints();
}

/// Shows a text that is saved already.
function put(text) {
  edited.replace(text);
  clearTimeout(timer);
  isChanged = false;
}

addEventListener("storage", ({ key }) => (key === null || key.startsWith(work.key)) && look());
addEventListener("pageshow", look);
addEventListener("pagehide", save);
document.addEventListener("visibilitychange", () => (document.hidden ? save() : look()));

part("starter").remove();
const edited = editor(part("editor"), { text: work.text, label: file, describedBy: "keys", onChange: changed, onRun: () => run() });
if (work.starterHasChanged) tell("The starter of this exercise has changed since you began; your file stays as it is.");

// --- Kept files ----------------------------------------------------------------------------------

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

function restore(each) {
  act(() => {
    const name = work.replace(each.text, "kept when you restored another");
    put(work.text);
    tell(`${work.nameOf(each)} is your file again${name ? `; the one before is kept as ${name}` : ""}.`);
  });
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
      element("button", { type: "button", ariaLabel: `Restore ${name}`, onclick: () => restore(each) }, "Restore"), " ",
      element("button", { type: "button", ariaLabel: `Delete ${name}`, onclick: () => remove(each) }, "Delete"));
  }));
}
showKept();

part("reset").onclick = async () => {
  if (!await ask(`Start ${number} over? Your file is kept under another name.`, "Start over")) return;
  act(() => {
    const name = work.reset();
    put(work.text);
    clear();
    showHints();
    tell(name ? `Your file is kept as ${name}. The editor has the starter again.` : "The editor has the starter again.");
  });
};

// --- Check ---------------------------------------------------------------------------------------

const WORDS = { passed: "✓", failed: "✗", "not tried": "–", begins: "…" };
let engine, loading, stop, isRunning = false, marked = [];

/// Loads the compiler and the simulator, once; again after it has failed.
function load() {
  return loading ??= (async () => {
    engine = new Engine(root, { onLoading: ({ done, total, what }) => {
      part("loading").hidden = false;
      part("loading-bar").value = total ? done / total : 0;
      part("loading-words").textContent = `${what}: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
    } });
    await engine.load();
  })().catch((problem) => {
    loading = undefined;
    throw problem;
  }).finally(() => (part("loading").hidden = true));
}

function clear() {
  marked = [];
  edited.mark([]);
  for (const name of ["stages", "words", "marks", "counted"]) part(name).replaceChildren();
  for (const name of ["marks", "counted", "then", "outdated"]) part(name).hidden = true;
}

function showStage({ stage, state, why }) {
  let line = [...part("stages").children].find((each) => each.dataset.stage === stage);
  if (!line) part("stages").append(line = element("li"));
  Object.assign(line.dataset, { stage, state });
  line.replaceChildren(stage, " ", element("span", { ariaHidden: "true" }, WORDS[state]), element("span", { className: "sr-only" }, state));
  if (why) line.append(`: ${why}`);
}

function showVerdict({ solved, words, marks, counted }, source) {
  part("words").textContent = words.join("\n") || "Solved: the result is right for every size, input, address and launch shape that was tried.";
  const isSame = edited.text === source;
  marked = isSame ? marks.toSorted((a, b) => a.line - b.line) : [];
  edited.mark(marked);
  part("outdated").hidden = isSame;
  part("marks").hidden = marked.length === 0;
  part("marks").replaceChildren(...marked.map((each, k) => element("li", {}, element("button", { type: "button",
    onclick: () => edited.goTo(edited.marks()[k]?.line ?? each.line) }, `Line ${each.line}`), ` ${each.text}`)));
  part("counted").hidden = counted.length === 0;
  part("counted").replaceChildren(element("caption", {}, "What the lens has counted"),
    element("thead", {}, element("tr", {}, element("td"), ...["yours", "target"].map((each) => element("th", { scope: "col" }, each)))),
    element("tbody", {}, ...counted.map(([what, ...cells]) => element("tr", {}, element("th", { scope: "row" }, what),
      ...cells.map((each) => element("td", {}, each))))));
  part("then").hidden = !solved;
  if (!solved) return;
  try {
    work.note({ solved: source });
  } catch (problem) {
    tell(message(problem));
  }
}

async function run() {
  if (isRunning) return;
  isRunning = true;
  save();
  clear();
  const source = edited.text;
  part("run").disabled = true;
  part("stop").hidden = false;
  try {
    const stopped = new Promise((done) => (stop = () => done({ stopped: true })));
    part("words").textContent = "Waiting for the compiler …";
    let last = await Promise.race([load(), stopped]);
    part("words").textContent = "";
    if (!last?.stopped) {
      stop = () => engine.stop();
      for await (last of engine.check(number, source)) if (last.stage) showStage(last);
    }
    if (last?.verdict) showVerdict(last.verdict, source);
    else part("words").textContent = "You have stopped it.";
  } catch (problem) {
    part("words").textContent = message(problem);
  }
  isRunning = false;
  part("run").disabled = false;
  part("stop").hidden = true;
  bench.querySelector(".verdict").scrollIntoView({ block: "nearest" });
}

part("run").onclick = run;
part("stop").onclick = () => stop();
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  run();
});
if (!navigator.connection?.saveData) load().catch((problem) => !isRunning && (part("words").textContent = message(problem)));

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
