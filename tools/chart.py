"""A chart of one value of chosen rows: a bar for each variant, or for each input of one; or over another value a line
for each variant."""

import hashlib
import re
from html import escape

import picture
import rows
from rows import Problem

# Numbers on an axis: what a value is multiplied by, and its unit.
AXES = {"of_ceiling": (100, "%"), "time": (1e6, "us"), "kernel_time": (1e6, "us")}
# The colours of plots/chart.gp, and what they are where the page is dark: all have contrasts of 4.5 and more.
DARK = {"#ffffff": "#0d1117", "#57606a": "#a3adb8", "#1f6fd6": "#58a2ff", "#ae4312": "#ff8f57",
        "#00664b": "#36c596", "#7a2676": "#e68ad6", "#7d5a00": "#e3b341"}


def axis(name):
    heading, (_, unit) = rows.value(name)[0], AXES.get(name, (1, ""))
    return f"{heading}, {unit}" if unit else heading


def at(row, name):
    number = row.get(rows.value(name)[1])
    if not isinstance(number, float):
        raise Problem(f"the row of {row['variant']} has no number {name}")
    return number * AXES.get(name, (1, ""))[0]


class Chart:
    def __init__(self, found, name, title, shown, by=None):
        self.name, self.title = name, title
        self.machine = rows.machine(rows.device_row(found))
        variants = list(dict.fromkeys(row["variant"] for row in found))
        ends = [0, 0]
        if by:
            places = {at(row, by): rows.words(row, by) for row in found}
            ends = [min(places), max(places) * 1.1]
            self.sections = {"ticks": list(places.items())}
            for number, variant in enumerate(variants, 1):
                points = [(at(row, by), at(row, shown)) for row in found if row["variant"] == variant]
                self.sections[f"line{number}"] = [(0, variant), *sorted(points)]
            if len(variants) > 6:
                raise Problem(f"{len(variants)} lines: no more than 6 can be told apart")
        else:
            label = "input" if len(variants) == 1 else "variant"
            self.sections = {"bars": [(y, at(row, shown), row[label], rows.words(row, shown))
                                      for y, row in enumerate(found, 1)]}
        most = max(at(row, shown) for row in found) * (1.05 if by else 1.12)
        sizes = [0 if by else len(found), len(variants), most, *ends]
        self.arguments = ["chart_" + name.replace("-", "_"), title, self.machine, axis(shown), axis(by) if by else "",
                          " ".join(f"{number:.12g}" for number in sizes)]
        given = [(picture.PLOTS / "chart.gp").read_text(encoding="utf-8"), *self.arguments, picture.data(self.sections),
                 str(DARK)]
        self.stamp = f"<!-- {hashlib.sha256('|'.join(given).encode()).hexdigest()} of what gnuplot was given -->"

    def is_in(self, path):
        return path.exists() and self.stamp in path.read_text(encoding="utf-8")

    def svg(self):
        drawing = picture.draw("chart.gp", [], self.sections, self.arguments).decode("utf-8")
        drawing = drawing[drawing.index("<svg"):]
        for name, words in (("title", self.title), ("desc", self.machine)):
            drawing = re.sub(rf"<{name}>.*?</{name}>", lambda _: f"<{name}>{escape(words)}</{name}>", drawing, count=1)
        drawing = re.sub(r"rgb\( *(\d+), *(\d+), *(\d+)\)",
                         lambda match: f"#{int(match[1]):02x}{int(match[2]):02x}{int(match[3]):02x}", drawing)
        rules = "".join(f"[{name}='{light}']{{{name}:{dark}}}" for light, dark in DARK.items()
                        for name in ("fill", "stroke", "color"))
        drawing = drawing.replace("</desc>", f"</desc>\n<style>@media(prefers-color-scheme:dark){{{rules}}}</style>", 1)
        return f"{drawing.rstrip()}\n{self.stamp}\n"
