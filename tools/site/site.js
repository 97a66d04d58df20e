// Conveniences of the pages, which are complete without them.
"use strict";

// --- Light or dark, before anything is drawn -----------------------------------------------------------

const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.scheme ? root.dataset.scheme === "dark" : system.matches);
try {
  if (localStorage.scheme) root.dataset.scheme = localStorage.scheme;
} catch {} // a browser may forbid it

function element(tag, properties, ...children) {
  const result = Object.assign(document.createElement(tag), properties);
  result.append(...children);
  return result;
}

function button(words, action) {
  return element("button", { type: "button", textContent: words, onclick: action });
}

function addSwitch() {
  const show = (it) => (it.textContent = isDark() ? "Light colours" : "Dark colours");
  const it = button("", () => {
    root.dataset.scheme = isDark() ? "light" : "dark";
    try {
      localStorage.scheme = root.dataset.scheme;
    } catch {}
    show(it);
  });
  show(it);
  document.querySelector("#contents form").after(it);
}

// --- Code, tables, answers -----------------------------------------------------------------------------

function addCopying(block) {
  const lines = [...block.querySelectorAll(".line")].map((line) => {
    const copy = line.cloneNode(true);
    copy.querySelector(".lineno")?.remove();
    return copy.textContent;
  });
  const text = lines.length ? lines.join("\n") + "\n" : block.textContent;
  const it = button("Copy", async () => {
    await navigator.clipboard.writeText(text);
    it.textContent = "Copied";
    setTimeout(() => (it.textContent = "Copy"), 2000);
  });
  const frame = element("div", { className: "copied" });
  block.replaceWith(frame);
  frame.append(block, it);
}

// Blocks that scroll sideways can be reached by the keyboard.
function letScroll() {
  for (const it of document.querySelectorAll(".fragment, .wide, .memproto, .steps, p:has(img)")) {
    if (it.scrollWidth > it.clientWidth) it.tabIndex = 0;
    else it.removeAttribute("tabindex");
  }
}

function openAnswers() {
  for (const answer of document.querySelectorAll("details:not([open])")) {
    answer.open = true;
    addEventListener("afterprint", () => (answer.open = false), { once: true });
  }
}

// --- Pictures with steps -------------------------------------------------------------------------------

// An element with data-step="2" appears in step 2, which its <title> describes; one with data-choice belongs to one of
// several inputs. Before the first step, all steps are shown.
function addSteps(figure) {
  const inputs = [...figure.querySelectorAll("[data-choice]")];
  const words = element("p", { ariaLive: "polite" });
  let [step, last, parts] = [0, 0, []];
  const numberOf = (part) => Number(part.dataset.step);
  function go(to) {
    step = to;
    for (const part of parts) {
      part.classList.toggle("later", step > 0 && numberOf(part) > step);
      part.classList.toggle("now", numberOf(part) === step);
    }
    const title = parts.find((part) => numberOf(part) === step)?.querySelector("title");
    words.textContent = title ? `${step} of ${last}. ${title.textContent}` : "";
    back.disabled = step === 0;
    next.disabled = step === last;
  }
  function choose(name) {
    for (const input of inputs) input.style.display = input.dataset.choice === name ? "inline" : "none";
    parts = [...figure.querySelectorAll("[data-step]")];
    if (name) parts = parts.filter((part) => part.closest("[data-choice]").dataset.choice === name);
    last = Math.max(...parts.map(numberOf));
    go(0);
  }
  const back = button("Back", () => go(step - 1));
  const next = button("Step", () => go(step + 1));
  const controls = element("div", { className: "controls" }, next, back, button("Show all", () => go(0)));
  if (inputs.length) {
    const list = element("select", {}, ...inputs.map((input) => new Option(input.dataset.choice)));
    list.onchange = () => choose(list.value);
    controls.prepend(element("label", {}, "Input: ", list));
  }
  figure.append(controls, words);
  choose(inputs[0]?.dataset.choice);
}

// --- When the page is there ----------------------------------------------------------------------------

addEventListener("DOMContentLoaded", () => {
  addSwitch();
  const contents = document.querySelector("#contents");
  contents.scrollTop = (contents.querySelector("[aria-current]")?.offsetTop ?? 0) - contents.clientHeight / 2;
  if (navigator.clipboard) document.querySelectorAll("main .fragment").forEach(addCopying);
  document.querySelectorAll("figure.steps").forEach(addSteps);
  letScroll();
  addEventListener("resize", letScroll);
  addEventListener("beforeprint", openAnswers);
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, select, [tabindex]")) return;
    const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    if (rel) document.querySelector(`.around [rel=${rel}]`)?.click();
  });
});
