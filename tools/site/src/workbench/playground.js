/// The page for any program: opens an example, a file or a link, runs it, and shows what the lens sees.

import { opened } from "./file.js";
import { linkTo } from "./link.mjs";
import { panel } from "./margin.js";
import { element, message, saveAs, tell } from "./parts.js";
import { runner } from "./runs.js";
import { watcher } from "./watcher.js";

const MOST = 1 << 20; // bytes of a file

const bench = document.querySelector("#bench");
const part = (name) => bench.querySelector(`[data-part="${name}"]`);
const runs = runner(part, new URL(bench.dataset.base, location.href).href, { isForPrograms: true });
const examples = [...part("example").options].map(({ value }) => value).filter(Boolean);
const { edited, save, replace, mark, openLink } = opened(part, { number: "playground", file: "program.cu", starter: examples[0], known: examples },
  { onRun: () => run(false) });

const showMargin = panel(part, edited);

// --- Opening and saving programs -----------------------------------------------------------------

function open(text, says) {
  replace(text, "kept when you opened another", says);
  clear();
}

part("example").onchange = ({ target }) => {
  if (target.value) open(target.value, `This is the example “${target.selectedOptions[0].textContent}”.`);
  target.value = "";
};

async function openFile(file) {
  if (file.size > MOST) return tell(`${file.name} is larger than 1 MiB, so it was not opened.`);
  const text = (await file.text()).replaceAll("\r\n", "\n");
  return text.includes("\ufffd") || text.includes("\0") ? tell(`${file.name} is not UTF-8 text, so it was not opened.`) : open(text, `This is ${file.name}.`);
}
part("file").onchange = async ({ target }) => {
  if (target.files.length > 0) await openFile(target.files[0]).catch((problem) => tell(message(problem)));
  target.value = "";
};
bench.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
bench.addEventListener("drop", (event) => {
  const { files } = event.dataTransfer;
  if (files.length === 0) return;
  event.preventDefault(); // also prevents what the editor would do
  event.stopPropagation();
  if (files.length > 1) tell("Only the first file is opened: a program here is a single file.");
  openFile(files[0]).catch((problem) => tell(message(problem)));
}, true);

part("save").onclick = () => saveAs("program.cu", edited.text, "text/plain");
part("link").onclick = async () => {
  save();
  try {
    const link = await linkTo(location.href.split("#")[0], edited.text);
    try {
      await navigator.clipboard.writeText(link);
      tell("The link is copied. It contains the whole program, so no server stores it.");
    } catch {
      history.replaceState(null, "", link);
      tell("The page's address now contains this program: copy it.");
    }
  } catch (problem) {
    tell(message(problem));
  }
};
openLink(() => clear());

// --- Runs ----------------------------------------------------------------------------------------

function clear() {
  mark([]);
  showMargin();
  for (const name of ["words", "output", "lens"]) part(name).replaceChildren();
  for (const name of ["output", "lens", "watched"]) part(name).hidden = true;
}

function print(text, isError) {
  part("output").hidden = false;
  part("output").append(isError ? element("span", { className: "wrong" }, text) : text);
}

function show({ output, isError, refused, ended, marks }, source) {
  if (output !== undefined) print(output, isError);
  if (refused !== undefined) {
    print(refused, true);
    part("words").textContent = "It does not compile.";
    mark(marks, source);
  }
  if (!ended) return;
  const { status, signal, cut, lens, margin } = ended;
  part("words").textContent = `${signal ? `Ended by ${signal}.` : `Exit status ${status}.`}${cut ? ` ${cut.toLocaleString("en")} bytes of its output are left out.` : ""}`;
  part("lens").textContent = lens;
  part("lens").hidden = lens === "";
  mark(ended.marks, source);
  showMargin(margin, edited.text === source);
}

async function run(isSeen) {
  if (runs.isRunning) return;
  save();
  clear();
  const source = edited.text;
  await runs.run((engine) => engine.run(source, words(), isSeen), (said) => show(said, source));
}
const words = () => part("arguments").value.split(/\s+/).filter(Boolean);

part("run").onclick = () => run(false);
part("look").onclick = () => run(true);
watcher(part, runs, "program.cu", () => (save(), edited.text), (engine, source) => engine.watch(source, words()));
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  run(false);
});
for (const button of bench.querySelectorAll("button:disabled")) button.disabled = false;
