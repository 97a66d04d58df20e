#!/usr/bin/env python3
"""usage: tools/results/report.py ROWS.csv PAGE.html

Makes one page of a run's rows, for ./course report: the machine, pictures, and tables with spread; of a run on the
simulator, verdicts only. The page needs no network.
"""

from html import escape
from pathlib import Path

import picture
import rows as results
from rows import Problem

STYLE = """
:root { color-scheme: light dark; --line: #d0d7de; --quiet: #59636e; --shade: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --quiet: #9198a1; --shade: #151b23; } }
body { font: 16px/1.5 Helvetica, Arial, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; font-weight: 600; }
figure { margin: 1.5rem 0; overflow-x: auto; }
svg { min-width: 42rem; max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { background: var(--shade); font-weight: 600; }
.text { text-align: left; }
.baseline { color: var(--quiet); }
"""

SIMULATED = ("<p><strong>No GPU was used.</strong> The simulator shows whether results are right, and nothing about a "
             "GPU's speed, so this page has verdicts and no times. On a GPU, the same command charts GB/s.</p>")
EXPLANATION = ("<p>Times are medians; p10 to p90 are the 10th and the 90th percentile. GB/s is input read per second. "
               "The read ceiling is a kernel that only reads the input; it, CUB and the CPU are measured in the same "
               "rounds as the variants next to them.</p>")


def is_simulated(rows):
    return any(row["simulated"] for row in rows)


def cell(tag, name, words):
    return f"<{tag}{' class=text' if name in ('chapter', 'variant', 'verdict') else ''}>{escape(words)}</{tag}>"


def table(rows):
    """Every value of the rows; if they were simulated, the verdicts."""
    columns = ["chapter", "variant"]
    if is_simulated(rows):
        rows = [row for row in rows if not results.is_baseline(row)]
    else:
        columns += ["time", "spread"]
        columns += [name for name in ("gb_per_s", "of_ceiling", "times_cpu_core", "times_cpu", "times_cub")
                    if any(results.words(row, name) for row in rows)]
    columns.append("verdict")
    lines = ["<tr>" + "".join(cell("th", name, results.value(name)[0]) for name in columns) + "</tr>"]
    for row in rows:
        lines.append(f"<tr{' class=baseline' if results.is_baseline(row) else ''}>" +
                     "".join(cell("td", name, results.words(row, name) or "–") for name in columns) + "</tr>")
    return "<div class=wide><table>\n" + "\n".join(lines) + "\n</table></div>"


def counts(rows):
    """How many variants were right, and how many were not."""
    kinds = [results.kind(row["verdict"]) for row in rows if not results.is_baseline(row)]
    return (f"<p>{len(kinds)} variants: {kinds.count('right')} right, {kinds.count('wrong on purpose')} wrong on purpose, "
            f"{kinds.count('wrong')} wrong.</p>\n")


def section(rows, problem):
    above = ""
    if is_simulated(rows):
        above = counts(rows)
    elif problem in picture.PICTURED:
        above = f"<figure>\n{picture.Picture(rows, problem).svg()}</figure>\n"
    return f"<h2>{escape(results.title(rows[0]))} ({escape(rows[0]['input'])})</h2>\n{above}{table(rows)}\n"


def page(rows):
    sections = [section(of_problem, problem) for problem, of_problem in results.problems(rows).items()]
    machine = escape(results.machine(results.device_row(rows)))
    return f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parallel histogram and reduction: {machine}</title>
<style>{STYLE}</style>
<h1>Parallel histogram and reduction in CUDA C++</h1>
<p>{machine}</p>
{SIMULATED if is_simulated(rows) else EXPLANATION}
{"".join(sections)}</html>
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
