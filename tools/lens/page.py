"""The lens's report as one page that needs no network: the source with heat per line, and for each access the addresses of
its costliest request, drawn over sectors or banks and as a table."""

import json
from html import escape
from pathlib import Path

from counts import by_line
from margin import drawn, heat
from rows import Problem
from text import describe, distinct, finding_words, source_lines, table

STYLE = """
:root { color-scheme: light dark; --line: #d0d7de; --quiet: #59636e; --shade: #f6f8fa; --heat: #c2410c; --focus: #0969da; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --quiet: #9198a1; --shade: #151b23; --heat: #ff9d4d; --focus: #4493f8; } }
body { font: 16px/1.5 Helvetica, Arial, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; font-weight: 600; }
pre, code, .source, table { font: 0.8125rem/1.5 Menlo, Consolas, monospace; }
pre, .source, .wide { overflow-x: auto; }
.source > div { white-space: pre; padding: 0 0.5rem; }
.number { color: var(--quiet); display: inline-block; width: 4ch; text-align: right; margin-right: 1ch; }
.source button { font: inherit; display: block; text-align: left; white-space: pre; margin-left: 5ch; color: inherit;
  border: 1px solid var(--line); border-radius: 4px; background: var(--shade); cursor: pointer; }
.source button[aria-pressed=true] { border-color: var(--focus); outline: 1px solid var(--focus); }
.found { border-left: 4px solid #cf222e; padding-left: 1rem; }
table { border-collapse: collapse; }
th, td { padding: 0.1rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right; }
#request { position: sticky; bottom: 0; background: Canvas; border-top: 2px solid var(--line); max-height: 50vh; overflow: auto; }
svg { display: block; }
"""

SCRIPT = (Path(__file__).parent / "request.mjs").read_text(encoding="utf-8") + """
const accesses = JSON.parse(document.getElementById('accesses').textContent);
const buttons = [...document.querySelectorAll('[data-access]')];
function show(index, focus) {
  buttons.forEach((button, i) => button.setAttribute('aria-pressed', i === index));
  const access = accesses[buttons[index].dataset.access];
  if (focus) buttons[index].focus();
  const heading = Object.assign(document.createElement('h3'), {textContent: access.line + ': its costliest request'});
  const words = Object.assign(document.createElement('p'), {textContent: access.words});
  document.getElementById('request').replaceChildren(heading, words, ...picture(access));
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


def source(launch, folders, accesses):
    """A launch's lines, those that cost more the warmer."""
    lines = by_line(launch["sites"])
    warmth = heat(lines)
    for name in sorted({line.rpartition(":")[0] for line in warmth}):
        text = source_lines(name, folders)
        numbers = [int(line.rpartition(":")[2] or 0) for line in warmth if line.rpartition(":")[0] == name]
        yield f"<h3>{escape(name) or 'unknown lines'}</h3><div class='source'>"
        last = 0
        for number in sorted({near for at in numbers for near in range(max(1, at - 4), at + 5)}):
            if number > len(text) and number not in numbers:
                continue
            if last not in (0, number - 1):
                yield "<div>...</div>"
            last = number
            line = f"{name}:{number}"
            style = f" style='background: color-mix(in srgb, var(--heat) {10 + 40 * warmth[line]:.0f}%, transparent)'" if line in warmth else ""
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
            f"<script type='application/json' id='accesses'>{data}</script><script type='module'>{SCRIPT}</script></body></html>\n")
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
