#!/usr/bin/env python3
"""usage: tools/results/report.py ROWS.csv PAGE.html

Makes one page of a run's rows, for ./course report: the machine, pictures, and tables with spread. For a run on the
simulator, the tables have the verdicts, and next to them a GPU's recorded times and the lens's recorded counts. The page needs
no network.
"""

from html import escape
from pathlib import Path

import picture
import rows as results
from rows import Problem

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDED = ROOT / "docs" / "results" / "nvidia-h200.csv"
COUNTED = ROOT / "docs" / "results" / "simulator" / "lens.csv"
STYLE = (ROOT / "tools" / "site" / "tokens.css").read_text(encoding="utf-8") + """
:root { color-scheme: light dark; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 var(--sans); color: var(--ink); background: var(--page); }
h1, h2 { line-height: 1.2; font-weight: 600; }
h1 { color: var(--accent); }
figure { margin: 1.5rem 0; overflow-x: auto; }
svg { min-width: 42rem; max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { background: var(--shade); font-weight: 600; }
.text { text-align: left; }
.baseline { color: var(--quiet); }
@page { size: A4; margin: 15mm; }
@media print { .wide, figure { overflow: visible; } svg { min-width: 0; } table { font-size: 8pt; } tr, figure { break-inside: avoid; } }
"""

SIMULATED = ("<p><strong>No GPU was used.</strong> The simulator shows whether results are right, and nothing about a "
             "GPU's speed. On a GPU, the same command charts GB/s.</p>")
EXPLANATION = ("<p>On the GPU, times are medians; on the CPU, each is the fastest sample. p10 to p90 are the 10th and the 90th percentile. GB/s is input read "
               "per second. The read ceiling is a kernel that only reads the input. This kernel, CUB and the CPU are measured in the same "
               "rounds as the variants next to them.</p>")


def is_simulated(rows):
    return any(row["simulated"] for row in rows)


def variant_of(row):
    return row["chapter"], row["variant"]


def recorded():
    """By chapter and variant: the rows of a GPU's progression, and the lens's counts of all kernels of a variant."""
    times = {variant_of(row): row for row in results.read(RECORDED) if row["case"] == "progression"}
    counted = {}
    for place, row in results.cells(COUNTED)[1]:
        if row["case"] == "progression":
            loads, each, *more = (results.number(row[name], name, place) for name in ("loads", "load_sectors", "atomics", "shared_wavefronts"))
            counted.setdefault(variant_of(row), []).append((loads, loads * each, *more))
    return times, {name: [sum(column) for column in zip(*kernels)] for name, kernels in counted.items()}


def beside(row, times, counted):
    """The simulator's row for a variant, with the recorded time and counts in place of the simulated ones."""
    time = times.get(variant_of(row), {})
    loads, sectors, atomics, wavefronts = counted.get(variant_of(row), [None] * 4)
    return {**row, "simulated": False, "time_s": time.get("time_s"), "gb_per_s": time.get("gb_per_s"),
            "load_sectors": sectors / loads if loads else None, "atomics": atomics, "shared_wavefronts": wavefronts}


def cell(tag, name, words):
    kind = "text" if name in ("chapter", "variant", "verdict") else "value"
    return f'<{tag} class="{kind}">{escape(words)}</{tag.split()[0]}>'


def table(rows, without=()):
    """A table of the rows' values without some columns; for simulated rows, of the verdicts and recorded values."""
    note, columns = "", ["chapter", "variant", "verdict", "time", "spread", "gb_per_s", "of_ceiling", "times_cpu_core", "times_cpu", "times_cub"]
    if is_simulated(rows):
        times, counted = recorded()
        columns = [*columns[:4], "gb_per_s", "load_sectors", "atomics", "shared_wavefronts"]
        rows = [row for row in rows if not results.is_baseline(row)]
        of_gpu = next((times[name] for name in map(variant_of, rows) if name in times and not results.on_cpu(times[name])), None)
        if of_gpu:
            note = (f"<p>Recorded with {results.whole(of_gpu['n'])} elements: times and GB/s on an {escape(results.machine(of_gpu))}, and the "
                    "lens's counts.</p>\n")
        rows = [beside(row, times, counted) for row in rows]
    columns = [name for name in columns if name not in without and any(results.words(row, name) for row in rows)]
    lines = ["<thead><tr>" + "".join(cell('th scope="col"', name, results.value(name)[0]) for name in columns) + "</tr></thead>", "<tbody>"]
    for row in rows:
        kind = "baseline" if results.is_baseline(row) else "variant"
        lines.append(f'<tr class="{kind}">' + "".join(cell("td", name, results.words(row, name) or "–") for name in columns) + "</tr>")
    return note + '<div class="wide" tabindex="0"><table>\n' + "\n".join(lines) + "\n</tbody></table></div>"


def counts(rows):
    """A paragraph that says how many variants were right, wrong on purpose, and wrong."""
    kinds = [results.kind(row["verdict"]) for row in rows if not results.is_baseline(row)]
    return (f"<p>{len(kinds)} variants: {kinds.count('right')} right, {kinds.count('wrong on purpose')} wrong on purpose, "
            f"{kinds.count('wrong')} wrong.</p>\n")


def section(rows, problem):
    above = ""
    if is_simulated(rows):
        above = counts(rows)
    elif problem in picture.PICTURED:
        above = f'<figure tabindex="0">\n{picture.Picture(rows, problem).svg()}</figure>\n'
    return f"<h2>{escape(results.title(rows[0]))} ({escape(rows[0]['input'])})</h2>\n{above}{table(rows)}\n"


def page(rows):
    sections = [section(of_problem, problem) for problem, of_problem in results.problems(rows).items()]
    machine = escape(results.machine(results.device_row(rows)))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Report: {escape(results.device_row(rows)["device"])}</title>
<style>
{STYLE}</style>
</head>
<body>
<main>
<h1>Parallel histogram and reduction in CUDA C++</h1>
<p>{machine}</p>
{SIMULATED if is_simulated(rows) else EXPLANATION}
{"".join(sections)}</main>
</body>
</html>
"""


def main(arguments):
    if len(arguments) != 2:
        raise Problem(__doc__.strip())
    write(*arguments)


def write(source, target):
    """Writes the page of a file's rows."""
    rows = results.read(source)
    if not results.problems(rows):
        raise Problem(f"{source}: has no rows of the default progression")
    picture.write(Path(target), page(rows).encode("utf-8"), source)


if __name__ == "__main__":
    results.run(main)
