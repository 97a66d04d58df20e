// What pages add to Starlight's own behaviour: pictures with steps, and a note on pages that are opened as files.
"use strict";

function element(tag, properties, ...children) {
  const result = Object.assign(document.createElement(tag), properties);
  result.append(...children);
  return result;
}

// An element with data-step="2" appears in step 2, which its <title> describes; one with data-choice belongs to one of several
// inputs. Before the first step, all steps are shown. The arrow keys step the picture that has the focus.
function addSteps(figure) {
  const button = (words, action) => element("button", { type: "button", textContent: words, onclick: action });
  const inputs = [...figure.querySelectorAll("[data-choice]")];
  const words = element("p", { ariaLive: "polite" });
  let [step, last, parts] = [0, 0, []];
  const numberOf = (part) => Number(part.dataset.step);
  function go(to) {
    step = Math.min(Math.max(to, 0), last);
    for (const part of parts) {
      part.classList.toggle("later", step > 0 && numberOf(part) > step);
      part.classList.toggle("now", numberOf(part) === step);
    }
    const title = parts.find((part) => numberOf(part) === step)?.querySelector("title");
    words.textContent = title ? `${step} of ${last}. ${title.textContent}` : "";
    // Not `disabled`: a button that has the focus must keep it.
    back.ariaDisabled = step === 0;
    next.ariaDisabled = step === last;
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
  figure.tabIndex = 0;
  figure.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || event.target.matches("select")) return;
    event.preventDefault();
    go(step + by);
  });
  choose(inputs[0]?.dataset.choice);
}

const folder = document.currentScript.src;
addEventListener("DOMContentLoaded", () => {
  if (document.querySelector("figure.watch") && location.protocol !== "file:") import(new URL("watch/player.js", folder));
  document.querySelectorAll("figure.steps").forEach(addSteps);
  if (location.protocol === "file:")
    document.body.prepend(element("p", { className: "as-file" },
      "Opened as a file, pages have no search, no menus and no editor. ./course docs --serve shows them with all three."));
});

addEventListener("beforeprint", () => {
  for (const answer of document.querySelectorAll("details:not([open])")) {
    answer.open = true;
    addEventListener("afterprint", () => (answer.open = false), { once: true });
  }
});
