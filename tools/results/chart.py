"""A chart of one value of chosen rows: a bar for each variant, or for each input of a variant; or, over another value, a
line for each variant."""

import hashlib

import picture
import rows
from rows import Problem

# For values on an axis: a factor and the resulting unit.
AXES = {"of_ceiling": (100, "%"), "time": (1e6, "us"), "kernel_time": (1e6, "us")}


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
                 str(picture.DARK)]
        self.stamp = f"<!-- {hashlib.sha256('|'.join(given).encode()).hexdigest()} of what gnuplot was given -->"

    def is_in(self, path):
        return path.exists() and self.stamp in path.read_text(encoding="utf-8")

    def svg(self):
        drawing = picture.draw("chart.gp", [], self.sections, self.arguments)
        return picture.finished(drawing, self.title, self.machine, self.stamp)
