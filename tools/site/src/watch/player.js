/// Plays recordings: adds controls and keys to a figure that drawing.js has drawn.

import { drawn } from "./drawing.js";
import { Recording } from "./recording.js";

const SPEEDS = { slow: 2500, normal: 1200, fast: 400 }; // ms per step

function element(tag, properties = {}, ...children) {
  const result = Object.assign(document.createElement(tag), properties);
  result.append(...children);
  return result;
}

/// Turns a figure into a player. @param inputs the recordings, each { name, data, source }.
export function play(figure, inputs, begin = 0) {
  const recordings = inputs.map((each) => new Recording(each.data, each.source));
  let recording, at, timer;
  const caption = figure.querySelector("figcaption"), status = figure.querySelector(".status"), block = figure.querySelector(".block");
  status.ariaLive = "polite";
  const slider = element("input", { type: "range", min: 0, ariaLabel: "Step", oninput: () => (pause(), go(Number(slider.value))) });
  const speed = element("select", { ariaLabel: "Speed" }, ...Object.keys(SPEEDS).map((name) => new Option(name, name, name === "normal", name === "normal")));
  const button = (words, label, onclick) => element("button", { type: "button", ariaLabel: label, title: label, onclick }, words);
  const back = button("◂", "Step back (left arrow)", () => (pause(), go(at - 1)));
  const next = button("▸", "Step (right arrow)", () => (pause(), go(at + 1)));
  const toggle = button("Play", "", () => (timer ? pause() : start()));
  const controls = element("div", { className: "controls" }, toggle, back, next, slider, speed);
  if (recordings.length > 1) {
    const kernel = element("select", { ariaLabel: "Kernel", onchange: () => (pause(), choose(kernel.selectedIndex, 0)) }, ...inputs.map(({ name }) => new Option(name)));
    controls.prepend(kernel);
  }

  function go(to) {
    at = Math.min(Math.max(to, 0), recording.steps.length);
    const kept = block.querySelector(".source")?.scrollTop;
    block.innerHTML = drawn(recording, at); // `drawn` escapes all texts
    const source = block.querySelector(".source"), line = source?.querySelector(".now");
    if (source) source.scrollTop = kept ?? 0;
    if (line && (line.offsetTop < source.scrollTop || line.offsetTop + line.offsetHeight > source.scrollTop + source.clientHeight))
      source.scrollTop = line.offsetTop - source.clientHeight / 2;
    status.replaceChildren(element("b", {}, `Step ${at} of ${recording.steps.length}.`), ` ${recording.words(at)}`);
    if (at === recording.steps.length && recording.data.cut) status.append(" The recording ends here: the block makes more accesses than a recording can hold.");
    slider.value = at;
    slider.setAttribute("aria-valuetext", status.textContent);
    back.ariaDisabled = at === 0; // not `disabled`: a button that has the focus must keep it
    next.ariaDisabled = at === recording.steps.length;
  }

  function pause() {
    clearTimeout(timer);
    timer = undefined;
    toggle.textContent = "Play";
    toggle.title = "Play (space)";
    status.ariaLive = "polite";
  }

  function start() {
    if (at === recording.steps.length) go(0);
    toggle.textContent = "Pause";
    toggle.title = "Pause (space)";
    status.ariaLive = "off"; // a screen reader could not keep up
    const tick = () => {
      go(at + 1);
      if (at === recording.steps.length) pause();
      else timer = setTimeout(tick, SPEEDS[speed.value]);
    };
    timer = setTimeout(tick, 0);
  }

  function choose(index, step) {
    recording = recordings[index];
    caption.textContent = recording.title;
    slider.max = recording.steps.length;
    go(step);
  }

  toggle.ariaLabel = null;
  figure.insertBefore(controls, status);
  figure.tabIndex = 0;
  figure.ariaLabel = "A recorded block";
  figure.onkeydown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("select, .source") && event.key !== " ") return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: recording.steps.length }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      pause();
      go(to);
    } else if (event.key === " " && !event.target.matches("button, select")) {
      event.preventDefault();
      timer ? pause() : start();
    }
  };
  choose(0, begin);
}

for (const figure of document.querySelectorAll("figure.watch[data-step]"))
  play(figure, JSON.parse(figure.querySelector("script").textContent), Number(figure.dataset.step));
