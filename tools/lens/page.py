"""The lens's report as one page that needs no network: the source with heat per line, and for each access the addresses of
its costliest request, drawn over sectors or banks and as a table."""

import json
from html import escape

from counts import by_line, ratio
from rows import Problem
from text import costs, describe, distinct, finding_words, source_lines, table

STYLE = """
:root { color-scheme: light dark; --line: #d0d7de; --quiet: #59636e; --shade: #f6f8fa; --hot: 255, 120, 0; --focus: #0969da; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --quiet: #9198a1; --shade: #151b23; --focus: #4493f8; } }
body { font: 16px/1.5 Helvetica, Arial, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; font-weight: 600; }
pre, code, .source, table { font: 0.8125rem/1.5 Menlo, Consolas, monospace; }
pre, .source, .lanes { overflow-x: auto; }
.source > div { white-space: pre; padding: 0 0.5rem; }
.number { color: var(--quiet); display: inline-block; width: 4ch; text-align: right; margin-right: 1ch; }
.source button { font: inherit; display: block; text-align: left; white-space: pre; margin-left: 5ch; color: inherit;
  border: 1px solid var(--line); border-radius: 4px; background: var(--shade); cursor: pointer; }
.source button[aria-pressed=true] { border-color: var(--focus); outline: 1px solid var(--focus); }
.found { border-left: 4px solid #cf222e; padding-left: 1rem; }
table { border-collapse: collapse; }
th, td { padding: 0.1rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right; }
#request { position: sticky; bottom: 0; background: Canvas; border-top: 2px solid var(--line); max-height: 50vh; overflow: auto; }
svg { display: block; } svg text { fill: currentColor; font: 10px Menlo, Consolas, monospace; }
.cell { fill: none; stroke: var(--line); } .used { fill: rgba(var(--hot), 0.75); stroke: none; }
"""

SCRIPT = """
const accesses = JSON.parse(document.getElementById('accesses').textContent);
const buttons = [...document.querySelectorAll('[data-access]')];
const make = (name, attributes, text) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};
const row = (table, tag, cells) => {
  const line = table.insertRow();
  for (const cell of cells) line.appendChild(Object.assign(document.createElement(tag), {textContent: cell}));
};
function show(index, focus) {
  buttons.forEach((button, i) => button.setAttribute('aria-pressed', i === index));
  const access = accesses[buttons[index].dataset.access];
  if (focus) buttons[index].focus();
  const shared = access.space === 'shared', unit = shared ? 4 : 32;
  const units = access.lanes.map(([, address]) => Math.floor(address / unit));
  const columns = shared ? 32 : [...new Set(units.flatMap(
    (u, i) => Array.from({length: Math.floor((access.lanes[i][1] + access.bytes - 1) / 32) - u + 1}, (_, k) => u + k)))].sort((a, b) => a - b);
  const count = shared ? 32 : columns.length, width = Math.max(14, Math.min(24, 760 / count));
  const svg = make('svg', {width: 60 + count * width, height: 24 + access.lanes.length * 8, role: 'img',
    'aria-label': access.words});
  for (let c = 0; c < count; ++c)
    svg.appendChild(make('text', {x: 60 + c * width, y: 10}, shared ? c : (c % 4 === 0 || count < 9 ? c : '')));
  access.lanes.forEach(([lane, address], i) => {
    svg.appendChild(make('text', {x: 0, y: 24 + i * 8}, i % 4 === 0 ? 'lane ' + lane : ''));
    for (let c = 0; c < count; ++c)
      svg.appendChild(make('rect', {class: 'cell', x: 60 + c * width, y: 16 + i * 8, width, height: 8}));
    const parts = shared ? Math.max(1, access.bytes / 4) : 1;
    for (let p = 0; p < parts; ++p) {
      const column = shared ? (Math.floor(address / 4) + p) % 32 : columns.indexOf(Math.floor(address / 32));
      const x = shared ? 0 : address % 32 / 32 * width, w = shared ? width : Math.max(1.5, access.bytes / 32 * width);
      svg.appendChild(make('rect', {class: 'used', x: 60 + column * width + x, y: 16 + i * 8, width: w, height: 8}));
    }
  });
  const table = document.createElement('table');
  row(table, 'th', ['lane', 'byte', shared ? 'word' : 'sector', shared ? 'bank' : 'byte of it']);
  for (const [lane, address] of access.lanes)
    row(table, 'td', [lane, address, Math.floor(address / unit), shared ? Math.floor(address / 4) % 32 : address % 32]);
  const details = document.createElement('details');
  details.append(Object.assign(document.createElement('summary'), {textContent: 'as a table'}), table);
  const heading = Object.assign(document.createElement('h3'), {textContent: access.line + ': its costliest request'});
  const words = Object.assign(document.createElement('p'), {textContent: access.words});
  document.getElementById('request').replaceChildren(heading, words, svg, details);
}
buttons.forEach((button, i) => button.addEventListener('click', () => show(i)));
document.addEventListener('keydown', (event) => {
  const step = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1}[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || buttons.length === 0) return;
  const now = buttons.findIndex((button) => button.getAttribute('aria-pressed') === 'true');
  event.preventDefault();
  show((now + step + buttons.length) % buttons.length, true);
});
if (buttons.length) show(0);
"""


def words_of(space, sums):
    cost = sums["worst_cost"]
    if space == "global":
        return f"{len(sums['worst_addresses'])} lanes ask for {cost} sectors of 32 bytes. A column is a sector."
    return (f"{len(sums['worst_addresses'])} lanes need {cost} wavefronts: bank {sums['worst_bank']} has "
            f"{sums['worst_words']} different words. A column is a bank.")


def drawn(line, space, sums):
    """An access, as the page's script needs it. Addresses count from the first sector, so that they are short."""
    first = min(sums["worst_addresses"], default=0) // 128 * 128 if space == "global" else 0
    lanes = [lane for lane in range(32) if sums["worst_lanes"] >> lane & 1]
    return {"line": line, "space": space, "bytes": sums["bytes_per_lane"], "words": words_of(space, sums),
            "lanes": [[lane, address - first] for lane, address in zip(lanes, sums["worst_addresses"])]}


def source(launch, folders, accesses):
    """A launch's lines, those that cost more the warmer."""
    lines = by_line(launch["sites"])
    cost = costs(lines)
    most = max(cost.values(), default=1) or 1
    for name in sorted({line.rpartition(":")[0] for line in cost}):
        text = source_lines(name, folders)
        numbers = [int(line.rpartition(":")[2] or 0) for line in cost if line.rpartition(":")[0] == name]
        yield f"<h3>{escape(name) or 'unknown lines'}</h3><div class='source'>"
        last = 0
        for number in sorted({near for at in numbers for near in range(max(1, at - 4), at + 5)}):
            if number > len(text) and number not in numbers:
                continue
            if last not in (0, number - 1):
                yield "<div>...</div>"
            last = number
            line = f"{name}:{number}"
            heat = ratio(cost.get(line, 0), most)
            style = f" style='background: rgba(var(--hot), {0.1 + 0.5 * heat:.2f})'" if line in cost else ""
            code = escape(text[number - 1]) if number <= len(text) else ""
            yield f"<div{style}><span class='number'>{number}</span>{code}</div>"
            for (at, space, kind), sums in sorted(lines.items()):
                if at != line:
                    continue
                accesses.append(drawn(line, space, sums))
                yield (f"<button data-access='{len(accesses) - 1}' aria-pressed='false'>"
                       f"{escape(', '.join(describe(space, kind, sums)))}</button>")
        yield "</div>"


def write(path, runs, folders):
    accesses, body = [], []
    body.append("<pre>" + escape("\n".join(table(runs))) + "</pre>")
    for name, seen in runs:
        body.append(f"<h2>{escape(name)}</h2>")
        for finding in distinct(seen["findings"]):
            body.append("<pre class='found'>" + escape("\n".join(finding_words(finding))) + "</pre>")
        if seen["fault"]:
            body.append(f"<pre class='found'>{escape(seen['fault']['message'])}</pre>")
        for launch in seen["launches"]:
            shape = [" x ".join(str(k) for k in launch[what] if k != 1) or "1" for what in ("grid", "block")]
            body.append(f"<h3><code>{escape(launch['kernel'])}&lt;&lt;&lt;{shape[0]}, {shape[1]}&gt;&gt;&gt;</code></h3>")
            body.extend(source(launch, folders, accesses))
    data = json.dumps(accesses, separators=(",", ":")).replace("<", "\\u003c")
    page = ("<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
            f"<title>The lens</title><style>{STYLE}</style></head><body><h1>The lens</h1>"
            "<p>Each box is one kind of access of the line above it. Choose one with the mouse or with the arrow keys: below are "
            "the addresses of its costliest request.</p>" + "\n".join(body) +
            "<section id='request' aria-live='polite'></section>"
            f"<script type='application/json' id='accesses'>{data}</script><script>{SCRIPT}</script></body></html>\n")
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
