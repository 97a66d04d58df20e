#!/usr/bin/env python3
"""usage: tools/report.py ROWS.csv PAGE.html

One page of a run's rows, which opens without a network: the machine, tables with spread, pictures. For
./course report.
"""

import sys
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
.yardstick { color: var(--quiet); }
dt { float: left; clear: left; width: 11rem; color: var(--quiet); }
dd { margin-left: 11rem; }
"""

SIMULATED = ("<p><strong>No GPU took part.</strong> Times marked “sim” say how long the simulation took on "
             "this CPU. They say nothing about a GPU, not even which variant is faster there, so there are "
             "neither GB/s nor ratios. The verdicts hold.</p>")
EXPLANATION = ("<p>Times are medians, and p10 to p90 is where four of five samples lie. GB/s is input read in a "
               "second. The read ceiling is a kernel that only reads the input; it, CUB and the CPU are "
               "measured in the same rounds as the variants beside them.</p>")


def facts(rows):
    device = next((row for row in rows if not results.on_cpu(row)), None)
    first = rows[0]
    known = [("device", device["device"] if device else "none: the CPU alone"),
             ("CPUs of the host", f"{first['host_cpus']:.0f}"),
             ("driver", first["driver"]),
             ("CUDA", "" if not device or device["simulated"] else first["cuda_runtime"]),
             ("commit of the course", first["commit"]),
             ("date", f"{first['date'].replace('T', ' ').replace('Z', '')} UTC")]
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in known if value) + "</dl>"


def table(rows):
    """All that can be said of the rows: where nothing was simulated, with bandwidths and ratios."""
    columns = ["chapter", "variant", "time", "spread"]
    if not any(row["simulated"] for row in rows):
        columns += [name for name in ("gb_per_s", "of_ceiling", "times_cpu_core", "times_cpu", "times_cub")
                    if any(results.words(row, name) for row in rows)]
    columns.append("verdict")

    def cell(tag, name, words):
        return f"<{tag}{' class=text' if name in ('chapter', 'variant', 'verdict') else ''}>{escape(words)}</{tag}>"

    lines = ["<tr>" + "".join(cell("th", name, results.VALUES[name][0]) for name in columns) + "</tr>"]
    for row in rows:
        lines.append(f"<tr{' class=yardstick' if results.is_yardstick(row) else ''}>" +
                     "".join(cell("td", name, results.words(row, name) or "–") for name in columns) + "</tr>")
    return "<div class=wide><table>\n" + "\n".join(lines) + "\n</table></div>"


def section(rows, problem):
    figure = ""
    if problem in picture.PICTURED:
        figure = f"<figure>\n{picture.Picture(rows, problem).svg()}</figure>\n"
    return f"<h2>{escape(results.title(rows[0]))} ({escape(rows[0]['input'])})</h2>\n{figure}{table(rows)}\n"


def page(rows):
    simulated = any(row["simulated"] for row in rows)
    sections = [section(of_problem, problem) for problem, of_problem in results.problems(rows).items()]
    return f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parallel histogram and reduction: {escape(results.machine(rows))}</title>
<style>{STYLE}</style>
<h1>Parallel histogram and reduction in CUDA C++</h1>
{facts(rows)}
{SIMULATED if simulated else EXPLANATION}
{"".join(sections)}</html>
"""


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__.strip())
    source, target = arguments
    try:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        rows = [row for row in results.read(source) if row["case"] == "progression"]
        if not rows:
            raise Problem(f"{source}: has no rows of the default progression")
        picture.write(Path(target), page(rows).encode("utf-8"))
    except OSError as error:
        sys.exit(f"{target}: {error.strerror}")
    except Problem as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main(sys.argv[1:])
