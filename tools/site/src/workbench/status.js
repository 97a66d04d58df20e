/// The page about all work: shows which exercises are solved, and exports and imports the work as a zip.

import { exported, imported } from "./archive.mjs";
import { forget, message, saveAs, storage, tell, when } from "./parts.js";
import { noted, Work } from "./work.mjs";

const work = document.querySelector("#work");
const part = (name) => work.querySelector(`[data-part="${name}"]`);
const exercises = await fetch(new URL("exercises.json", new URL(work.dataset.base, location.href))).then((answer) => answer.json()).catch(() => {
  tell("The list of exercises could not be loaded. Is there a connection?");
  throw Error("there is no list of exercises");
});

function show() {
  const all = exercises.map((each) => new Work(storage, each));
  for (const { exercise, record, status, kept } of all) {
    const row = work.querySelector(`[data-number="${exercise.number}"]`);
    row.dataset.status = status;
    const [words, changed] = row.querySelectorAll("[data-cell]");
    words.textContent = `${status === "solved" ? "✓ " : ""}${status}`;
    changed.textContent = record ? `${when(record.at)}${kept.length ? `, ${kept.length} kept` : ""}` : "";
  }
  const answers = noted(storage, "predict"), found = noted(storage, "debug").found ?? [];
  const showCount = (row, count, all, words) => {
    row.dataset.status = count === all ? "solved" : "";
    row.querySelector("[data-cell]").textContent = `${count === all ? "✓ " : ""}${count} of ${all} ${words}`;
  };
  for (const row of work.querySelectorAll("[data-faults]")) {
    const names = row.dataset.faults.split(" "), count = names.filter((name) => found.includes(name)).length;
    if (count > 0) showCount(row, count, names.length, "found");
  }
  for (const row of work.querySelectorAll("[data-questions]")) {
    const keys = row.dataset.questions.split(" ");
    if (keys.some((key) => answers[key])) showCount(row, keys.filter((key) => answers[key]?.right).length, keys.length, "right");
  }
  const solved = all.filter((each) => each.status.startsWith("solved")).length;
  part("count").textContent = `${solved} of ${all.length} solved`;
  part("solved").value = solved;
}

/// Makes the browser save a zip of the student's files.
function download(name, options) {
  forget();
  const { count, bytes } = exported(storage, exercises, options);
  if (count === 0) return tell("There is nothing to save yet: you have not started an exercise.");
  saveAs(`${name}.zip`, bytes, "application/zip");
  return tell(`${name}.zip has ${count === 1 ? "one file" : `${count} files`}.`);
}

part("export").onclick = () => download(`work-${new Date().toISOString().slice(0, 10)}`, { withKept: true });
part("submit").onsubmit = (event) => {
  event.preventDefault();
  download(part("name").value.trim().replace(/[^\p{L}\p{N} ._-]/gu, "_"), { withKept: false });
};
part("import").onchange = async ({ target }) => {
  forget();
  for (const file of target.files) {
    try {
      imported(storage, exercises, new Uint8Array(await file.arrayBuffer())).forEach(tell);
    } catch (problem) {
      tell(`${file.name}: ${message(problem)}`);
    }
  }
  target.value = "";
  show();
};

addEventListener("storage", ({ key }) => (key === null || key.startsWith("course/")) && show());
addEventListener("pageshow", show);
show();
