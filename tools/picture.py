"""One picture of a problem: what each variant reads in a second, by gnuplot, on any background."""

import hashlib
import math
import re
import subprocess

from rows import Problem, grouped, is_yardstick, machine, on_cpu, problems, seconds, title

PICTURED = ("histogram", "sum of squares")

# Colors that contrast with white and with black alike, 3.7 to 1 and more.
TEXT, VARIANT, CEILING, CUB = "#777e87", "#2b7de9", "#cf5a28", "#2c9650"


def mark(row):
    """A row's place on the axis, and the ends of its spread; simulated times are no bandwidth."""
    if row["simulated"]:
        return row["median_s"], row["p10_s"], row["p90_s"]
    return tuple(row["bytes"] / row[column] * 1e-9 for column in ("median_s", "p90_s", "p10_s"))


class Picture:
    def __init__(self, rows, problem):
        self.rows = problems([row for row in rows if row["case"] == "progression"]).get(problem)
        if not self.rows:
            raise Problem(f"there are no rows of the default progression for a picture of the {problem}")
        self.problem = problem
        self.simulated = any(row["simulated"] for row in self.rows)
        if self.simulated:  # beside simulated times the CPU's would invite a comparison
            self.rows = [row for row in self.rows if not on_cpu(row)]
        first = self.rows[0]
        if first["n"] == 0:
            raise Problem("n = 0 takes time, but has no bandwidth to draw a picture of")
        self.title = title(first) + (": time on the simulator" if self.simulated else ": GB/s of each variant")
        self.machine = machine(self.rows)
        self.script = self.make_script()
        self.stamp = f"<!-- {hashlib.sha256(self.script.encode()).hexdigest()} of gnuplot's script -->"

    def is_in(self, path):
        """Whether a file is this picture already, by any version of gnuplot."""
        return path.exists() and self.stamp in path.read_text(encoding="utf-8")

    def make_script(self):
        variants = [row for row in self.rows if not is_yardstick(row)]
        lines, names, words = [], [], []
        for y, row in enumerate(variants, 1):
            at, low, high = mark(row)
            lines.append(f"{at:.6g} {low:.6g} {high:.6g} {y}")
            remark = ", wrong" if "wrong on purpose" in row["verdict"] else ", CPU" if on_cpu(row) else ""
            names.append(f'"{row["chapter"][:2]}  {row["variant"]}{remark}" {y}')
            words.append(f'"{seconds(at) if self.simulated else grouped(at)}" {y}')
        data = [block("variants", lines)]
        plots = ["$variants using 1:4:2:3 with xerrorbars lc rgb VARIANT pt 7 ps 0.9 lw 1.5 title "
                 '"median, p10 to p90"']
        marks = [float(number) for line in lines for number in line.split()[:3]]
        for name, look in (("(read ceiling)", "lc rgb CEILING"), ("(CUB)", "lc rgb CUB dt (6,4)")):
            segments = self.segments(variants, name)
            if segments:
                word = name.strip("()")
                data.append(block(word[:3], segments))
                plots.append(f'${word[:3]} using 1:2:(0):3 with vectors nohead {look} lw 2.5 title "{word}"')
                marks += [float(segment.split()[0]) for segment in segments]
        least, most = (10 ** limit for limit in (math.floor(math.log10(min(marks) * 0.9)),
                                                 math.ceil(math.log10(max(marks) * 1.1))))
        borders = [y - 0.5 for y in range(2, len(variants) + 1)
                   if variants[y - 1]["chapter"] != variants[y - 2]["chapter"]]
        axis = ("seconds on the simulator: they say nothing about a GPU" if self.simulated
                else "GB/s of input, logarithmic")
        height = 190 + 22 * len(variants)  # pixels
        return "\n".join([
            f'VARIANT = "{VARIANT}"; CEILING = "{CEILING}"; CUB = "{CUB}"',
            f'set terminal svg size 860,{height} noenhanced name "{self.problem.replace(" ", "_")}"',
            'set termoption font "Helvetica,Arial,sans-serif,14"',
            f'set label "{self.title}" at screen 0.02,screen {1 - 22 / height} tc rgb "{TEXT}" font ",17"',
            f'set label "{self.machine}" at screen 0.02,screen {1 - 50 / height} tc rgb "{TEXT}"',
            f"set tmargin at screen {1 - 82 / height}; set bmargin at screen {108 / height}",
            "set lmargin at screen 0.29; set rmargin at screen 0.91",
            f'set border 1 lc rgb "{TEXT}"',
            f'set key at screen 0.5,screen {12 / height} center bottom horizontal width -7 samplen 3 tc rgb "{TEXT}"',
            "set logscale x",
            f'set format x "{"%.0e" if self.simulated else "%g"}"',
            f'set xlabel "{axis}" tc rgb "{TEXT}"',
            f"set xrange [{least:g}:{most:g}]",
            f"set yrange [{len(variants) + 0.5}:0.5]; set y2range [{len(variants) + 0.5}:0.5]",
            f'set xtics nomirror tc rgb "{TEXT}"',
            f'set ytics nomirror scale 0 ({", ".join(names)}) tc rgb "{TEXT}"',
            f'set y2tics nomirror scale 0 ({", ".join(words)}) tc rgb VARIANT',
            f'set grid xtics lc rgb "{TEXT}" lw 0.3',
            *(f'set arrow from graph 0,first {y} to graph 1,first {y} nohead lc rgb "{TEXT}" lw 0.6'
              for y in borders),
            *data,
            f"plot {', '.join(plots)}\n"])

    def segments(self, variants, name):
        """A line beside each chapter's variants: where the yardstick of their run stands."""
        result = []
        for row in self.rows:
            beside = [y for y, variant in enumerate(variants, 1) if variant["chapter"] == row["chapter"]]
            if row["variant"] == name and beside:
                result.append(f"{mark(row)[0]:.6g} {beside[0] - 0.5} {len(beside)}")
        return result

    def svg(self):
        try:
            run = subprocess.run(["gnuplot"], input=self.script, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise Problem("gnuplot is missing, which draws the pictures: apt-get install gnuplot-nox") from None
        if run.returncode != 0 or run.stderr:
            raise Problem(f"gnuplot says: {run.stderr.strip()}")
        drawing = run.stdout[run.stdout.index("<svg"):]
        for name, words in (("title", self.title), ("desc", self.machine)):
            drawing = re.sub(rf"<{name}>.*?</{name}>", f"<{name}>{words}</{name}>", drawing, count=1)
        return f"{drawing.rstrip()}\n{self.stamp}\n"


def block(name, lines):
    return "\n".join([f"${name} << END", *lines, "END"])
