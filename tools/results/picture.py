"""Draws pictures with gnuplot: the GB/s of each variant of a problem, on any background.

Text from files never becomes gnuplot code: texts and numbers are passed to the scripts in plots/ as arguments and as
data.
"""

import contextlib
import hashlib
import math
import os
import re
import subprocess
import tempfile
from html import escape
from pathlib import Path

from rows import MOST, Problem, device_row, grouped, is_baseline, kind, machine, on_cpu, one_line, title

PLOTS = Path(__file__).resolve().parent / "plots"
PICTURED = ("histogram", "sum of squares")
# The colours of pictures, and the colours that replace these on a dark page: all contrasts are at least 4.5.
DARK = {"#ffffff": "#0d1117", "#57606a": "#a3adb8", "#1f6fd6": "#58a2ff", "#ae4312": "#ff8f57",
        "#00664b": "#36c596", "#7a2676": "#e68ad6", "#7d5a00": "#e3b341"}


# --- gnuplot ------------------------------------------------------------------------------------


def cell(value):
    """A value as a cell of gnuplot's data. Characters with a meaning in quoted text are escaped."""
    if isinstance(value, str):
        return '"' + re.sub(r'[\\"#]', lambda match: f"\\{ord(match[0]):03o}", value) + '"'
    return repr(value)


def data(sections):
    """Sections of rows as gnuplot's data; `sections` maps names to rows of values."""
    return "\n\n\n".join("\n".join([f"# {name}", *("\t".join(map(cell, row)) for row in rows)])
                       for name, rows in sections.items()) + "\n"


def draw(plot, before, sections, after):
    """Runs a script of plots/ and returns what it draws. The name of the data file is passed between `before` and `after`."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(data(sections))
        file.flush()
        try:
            words = [one_line(text).encode() for text in after]
            run = subprocess.run(["gnuplot", "-d", "-c", PLOTS / plot, *before, file.name, *words],
                                 stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except FileNotFoundError:
            raise Problem("gnuplot, which draws the pictures, is missing: apt-get install gnuplot-nox") from None
        except OSError as error:  # for example, a name is longer than an argument may be
            raise Problem(f"gnuplot could not be started: {error.strerror}") from None
    if run.returncode != 0 or run.stderr or not run.stdout:
        raise Problem(f"gnuplot could not draw: {' '.join(run.stderr.decode(errors='replace').split())}")
    # XML forbids ]]> in text, and gnuplot does not escape it.
    return run.stdout.replace(b"]]>", b"]]&gt;") if run.stdout.startswith(b"<?xml") else run.stdout


def write(path, content, source=None):
    """Writes a file completely, or leaves it unchanged if something fails. Refuses to overwrite `source`."""
    part = path.parent / f".{os.getpid()}.part"
    try:
        if source and path.exists() and path.samefile(source):
            raise Problem(f"{path}: is the file that is read: name another one for the picture")
        if path.exists() and not path.is_file():
            raise Problem(f"{path}: is not a regular file")  # for example, /dev/null would be replaced
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "xb") as file:
            file.write(content)
        os.replace(part, path)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def finished(drawing, heading, description, stamp):
    """gnuplot's SVG with a title, a description, and colours for dark pages."""
    drawing = drawing.decode("utf-8")
    drawing = drawing[drawing.index("<svg"):]
    for name, words in (("title", heading), ("desc", description)):
        drawing = re.sub(rf"<{name}>.*?</{name}>", lambda _: f"<{name}>{escape(words)}</{name}>", drawing, count=1)
    drawing = re.sub(r"rgb\( *(\d+), *(\d+), *(\d+)\)",
                     lambda match: f"#{int(match[1]):02x}{int(match[2]):02x}{int(match[3]):02x}", drawing)
    rules = "".join(f"[{name}='{light}']{{{name}:{dark}}}" for light, dark in DARK.items()
                    for name in ("fill", "stroke", "color"))
    drawing = drawing.replace("</desc>", f"</desc>\n<style>@media(prefers-color-scheme:dark){{{rules}}}</style>", 1)
    return f"{drawing.rstrip()}\n{stamp}\n"


# --- Bars ---------------------------------------------------------------------------------------


def mark(row):
    """A row's place on the axis, and the ends of its spread."""
    marks = tuple(row["bytes"] / (row[column] or math.inf) * 1e-9 for column in ("time_s", "p90_s", "p10_s"))
    if not all(1 / MOST < number < MOST for number in marks):
        raise Problem(f"{row['place']}: a picture needs bytes and times above 0, and GB/s between 1/{MOST:g} and {MOST:g}")
    return marks


class Picture:
    """Bars for the rows of one problem. Rows of the default progression have their chapters beside them."""

    def __init__(self, rows, problem):
        self.rows = rows
        if any(row["simulated"] for row in rows):
            raise Problem("a picture of simulated times would say nothing about a GPU")
        variants = [row for row in rows if not is_baseline(row)]
        if not variants:
            raise Problem(f"there are no rows of the default progression for a picture of the {problem}")
        self.name = problem.replace(" ", "_")
        self.title = f"{title(variants[0])}: GB/s of each {'grid' if variants[0]['case'] == 'sweep' else 'variant'}"
        self.machine = machine(device_row(self.rows))
        self.sections = {
            "variants": [self.line(y, row) for y, row in enumerate(variants, 1)],
            "borders": [(0, y + 0.5) for y in range(1, len(variants))
                        if variants[y]["chapter"] != variants[y - 1]["chapter"]],
            "ceilings": self.segments(variants, "(read ceiling)"),
            "cubs": self.segments(variants, "(CUB)")}
        marks = [number for line in self.sections["variants"] for number in line[1:4]]
        marks += [line[0] for name in ("ceilings", "cubs") for line in self.sections[name]]
        low, high = math.floor(math.log10(min(marks) * 0.9)), math.ceil(math.log10(max(marks) * 1.1))
        present = " ".join("1" if self.sections[name] else "0" for name in ("ceilings", "cubs"))
        self.numbers = f"{len(variants)} {present} {low} {high}"
        for name in self.sections:  # gnuplot can't plot an empty section: adds an invisible line above the picture
            self.sections[name] = self.sections[name] or [(1, -9, 0)]
        given = [str(DARK), (PLOTS / "bars.gp").read_text(encoding="utf-8"), self.title, self.machine, self.numbers,
                 data(self.sections)]
        self.stamp = f"<!-- {hashlib.sha256('|'.join(given).encode()).hexdigest()} of what gnuplot was given -->"

    @staticmethod
    def line(y, row):
        """A variant's bar: where it is drawn, its name, and its value as text."""
        remark = ", wrong" if kind(row["verdict"]) == "wrong on purpose" else ", CPU" if on_cpu(row) else ""
        at, low, high = mark(row)
        chapter = row["chapter"][:2] + "  " if row["case"] == "progression" else ""
        return (y, at, low, high, f"{chapter}{row['variant']}{remark}", grouped(at))

    def segments(self, variants, name):
        """A line beside each chapter's variants, at the value of a baseline of their run."""
        result = []
        for row in self.rows:
            beside = [y for y, variant in enumerate(variants, 1) if variant["chapter"] == row["chapter"]]
            if row["variant"] == name and beside:
                result.append((mark(row)[0], beside[0] - 0.5, len(beside)))
        return result

    def is_in(self, path):
        """Whether a file already is this picture, drawn by any version of gnuplot."""
        return path.exists() and self.stamp in path.read_text(encoding="utf-8")

    def svg(self):
        drawing = draw("bars.gp", [], self.sections, [self.name, self.title, self.machine, self.numbers])
        return finished(drawing, self.title, self.machine, self.stamp)
