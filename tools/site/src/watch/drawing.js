/// Draws the state of a recording after a number of steps, as HTML. All texts are escaped.

import { ranges } from "./recording.js";

const escaped = (text) => String(text).replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);

/// Markup. Inserted values are escaped as text, unless they are markup or lists of markup.
class Markup {
  constructor(text) {
    this.text = text;
  }
}
const inserted = (value) => (value instanceof Markup ? value.text : Array.isArray(value) ? value.map(inserted).join("") : escaped(value));
const html = (parts, ...values) => new Markup(parts.reduce((text, part, k) => text + inserted(values[k - 1]) + part));

const MARK = /^\s*\/\/ \[\/?\d\d\.\d+\]/; // a mark where an exercise's part of the code begins or ends
const STATES = { ready: ["can continue", "can continue"], waiting: ["waits", "wait"], returned: ["has returned", "have returned"] };
const short = (value) => (value === undefined ? "" : value === null ? "·" : String(value).length > 5 ? "…" : value);
const long = (value) => (String(value ?? "").length > 3 ? " long" : "");

function drawSource(recording, { lines }, step) {
  const { source } = recording;
  if (!source) return "";
  const now = step?.do === "access" ? recording.lines[step.site] : step && lines[step.warp];
  const drawLine = (text, number) => {
    const warps = lines.map((at, warp) => (at === number ? warp : -1)).filter((warp) => warp >= 0);
    const who = warps.length > 4 ? `w${ranges(warps)}` : warps.map((warp) => `w${warp}`).join(" ");
    return html`<span class="${number === now ? "line now" : "line"}"><span class="number">${number}</span><span class="warps">${who}</span>${text}\n</span>`;
  };
  return html`<pre class="source" tabindex="0" aria-label="The kernel; w0 is where warp 0 is" data-warps="${Math.min(recording.warps, 4)}">${
    source.parts.map((part, k) => [k > 0 ? html`<span class="line">\n</span>` : "", part.lines.map((text, i) => (MARK.test(text) ? "" : drawLine(text, part.first + i)))])}</pre>`;
}

function drawLanes(recording, { lanes }) {
  const warps = Array.from({ length: recording.warps }, (_, warp) => lanes.slice(warp * 32, warp * 32 + 32));
  return html`<div class="warps-of">${warps.map((its, warp) => {
    const counts = Object.entries(STATES).map(([state, words]) => [its.filter((lane) => lane.state === state).length, words]).filter(([count]) => count > 0);
    const words = counts.length === 1 ? `all ${counts[0][1][1]}` : counts.map(([count, [does, do_]]) => `${count} ${count === 1 ? does : do_}`).join(", ");
    return html`<p class="what">Warp ${warp} <span>${words}</span></p><div class="cells lanes" role="img" aria-label="Lanes of warp ${warp}: ${words}">${
      its.map((lane, k) => html`<span class="cell ${lane.state}${lane.now ? " now" : ""}${long(lane.value)}" title="lane ${k}: ${STATES[lane.state][0]}${lane.value == null ? "" : `; its last value is ${lane.value}`}">${short(lane.value)}</span>`)}</div>`;
  })}</div>`;
}

function drawArray(recording, index, cells, step) {
  const array = recording.data.arrays[index], touched = step?.array === index ? recording.touched(step) : new Map();
  const isGlobal = array.space === "global", sectors = new Set(isGlobal ? [...touched.keys()].map((cell) => recording.sectorOf(array, cell)) : []);
  const kind = step?.do === "access" ? recording.data.sites[step.site].kind : "", columns = recording.columnsOf(array);
  const pad = array.first % columns, last = array.first + cells.length - 1;
  const what = `${array.cell} byte${array.cell === 1 ? "" : "s"}${cells.length === 1 ? "" : " each"}`, which = cells.length === 1 ? `element ${last}` : `elements ${array.first} to ${last}`;
  const words = touched.size ? `, of which ${touched.size} ${touched.size === 1 ? "is" : "are"} used now` : "";
  return html`<p class="what"><code>${recording.names[index]}</code> <span>${array.space} memory, ${which} of ${what}${
    isGlobal ? sectors.size ? "; the sectors in use are underlined" : "" : array.cell === 4 ? "; a column is a bank" : array.cell === 8 ? "; a column is two banks" : ""}</span></p>
<div class="cells" data-columns="${columns}" role="img" aria-label="${recording.names[index]}: ${cells.length} elements${words}">${
    Array.from({ length: pad }, () => html`<span class="cell none"></span>`)}${
    cells.map((value, k) => {
      const cell = array.first + k, count = touched.get(cell);
      const classes = ["cell", value === null && "unwritten", count && (kind === "load" ? "loaded" : "stored"), count > 1 && "shared-by", sectors.has(recording.sectorOf(array, cell)) && "sector"].filter(Boolean);
      return html`<span class="${classes.join(" ")}${long(value)}" title="[${cell}]: ${value === null ? "nothing is stored yet" : value}${count > 1 ? `; ${count} lanes use it` : ""}">${short(value)}</span>`;
    })}</div>`;
}

/// The block after `count` steps.
export function drawn(recording, count) {
  const now = recording.after(count), step = recording.steps[count - 1];
  return html`${drawSource(recording, now, step)}${drawLanes(recording, now)}<div class="arrays">${now.arrays.map((cells, k) => drawArray(recording, k, cells, step))}</div>`.text;
}

/// A figure of a block after `count` steps, which player.js makes a player. @param recordings each with its `name`; the first is drawn.
export function figure(recordings, count, inputs) {
  const [first] = recordings;
  const json = JSON.stringify(inputs).replaceAll("<", "\\u003c");
  return html`<figure class="watch not-content" data-step="${count}" data-pagefind-ignore="all"><figcaption>${first.title}</figcaption>
<p class="status"><b>Step ${count} of ${first.steps.length}.</b> ${first.words(count)}</p>
<div class="block">${new Markup(drawn(first, count))}</div>
<script type="application/json">${new Markup(json)}</script></figure>`.text.replace(/\n(?=<)/g, "");
}
