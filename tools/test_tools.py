#!/usr/bin/env python3
"""usage: tools/test_tools.py

Checks the tools: that no text of a file is taken for code, that what is damaged is refused in one line, and that
values are what docs/values.txt says.
"""

import csv
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
HOSTILE = ["`touch pwned`", '"; system("touch pwned"); "', "</desc><script>alert(1)</script>", "%s %d %%",
           'a\\nb \\042 "c" \\', "# é漢字 {/Bold x}_1^2 @y ~", "$(touch pwned)", "'; system('touch pwned'); '",
           "<!-- /fill --> ]]> &amp;"]
ROW = {"chapter": "01_x", "problem": "histogram", "variant": "v", "device": "NVIDIA X", "simulated": "false",
       "input": "uniform", "n": "1000", "bytes": "1000", "grid": "0", "block": "0", "copy_s": "1e-5", "samples": "20",
       "median_s": "2e-6", "p10_s": "1e-6", "p90_s": "3e-6", "gb_per_s": "0.5", "of_ceiling": "0.5",
       "times_cpu_sequential": "1", "times_cpu_all_cores": "1", "times_cub": "1", "verdict": "ok", "driver": "1.0",
       "cuda_driver": "13.0", "cuda_runtime": "13.0", "host_cpus": "2", "commit": "abc", "date": "2026-01-01T00:00:00Z"}


class Folder(unittest.TestCase):
    """Checks that run tools in an empty folder."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_tool(self, *command):
        return subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, encoding="utf-8",
                              check=False)

    def works(self, *command):
        run = self.run_tool(*command)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertFalse(list(self.folder.rglob("pwned*")), "a text was executed")
        return run.stdout

    def fails(self, words, *command):
        """With one line that has these words."""
        run = self.run_tool(*command)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, re.compile(rf"\A[^\n]*{re.escape(words)}[^\n]*\n\Z"))

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def write_rows(self, *changes, name="rows.csv"):
        rows = [{**ROW, **change} for change in changes]
        with open(self.folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return name

    def texts(self, svg):
        return [" ".join("".join(text.itertext()).split()) for text in xml.fromstring(svg).iter()
                if text.tag.endswith("}text")]


class Report(Folder):
    def page(self, *changes):
        self.works(TOOLS / "report.py", self.write_rows(*changes), "page.html")
        return (self.folder / "page.html").read_text(encoding="utf-8")

    def test_texts_of_rows_are_shown_and_never_executed(self):
        page = self.page(*({"variant": text, "verdict": text} for text in HOSTILE), {"variant": "two\nlines"})
        self.assertNotIn("<script", page)
        texts = self.texts(re.search(r"<svg.*</svg>", page, re.DOTALL)[0])
        for text in [*HOSTILE, "two lines"]:
            self.assertIn(f"01 {text}", texts)

    def test_texts_beside_the_variants_are_shown_and_never_executed(self):
        for text in HOSTILE:
            with self.subTest(text):
                page = self.page({name: text for name in ("device", "input", "driver", "commit", "chapter", "date")})
                self.assertNotIn("<script", page)
                svg = re.search(r"<svg.*</svg>", page, re.DOTALL)[0]
                self.assertTrue(any(text in line for line in self.texts(svg)))
                self.assertIn(text, xml.fromstring(svg).find("{*}desc").text)

    def test_a_problem_decides_the_section_whatever_the_chapter(self):
        page = self.page({}, {"chapter": "06_y", "problem": "sum of squares"}, {"chapter": "08_live"},
                         {"chapter": "03_z", "problem": "joint histogram"}, {"problem": "<b>new</b>"})
        histogram, squares, joint, new = page.split("<h2>")[1:]
        self.assertEqual([len(re.findall(r"<td class=text>\d\d<", part)) for part in (histogram, squares, joint, new)],
                         [2, 1, 1, 1])
        self.assertIn("<td class=text>08<", histogram)
        self.assertEqual(["<svg" in part for part in (histogram, squares, joint, new)], [True, True, False, False])
        self.assertTrue(new.startswith("&lt;b&gt;new&lt;/b&gt; of 1,000 elements"))

    def test_simulated_times_are_drawn_without_the_cpus(self):
        page = self.page({"simulated": "true"}, {"device": "CPU", "variant": "(one CPU core)"},
                         {"device": "CPU", "variant": "on the CPU"})
        self.assertNotIn("01  on the CPU", page)
        self.assertIn("seconds on the simulator", page)

    def test_damaged_rows_are_refused_in_a_line(self):
        for column, text, words in [("n", "x", "rows.csv:2: n is no number"), ("n", "", "rows.csv:2: n"),
                                    ("median_s", "nan", "rows.csv:2: median_s"), ("p90_s", "-1", "rows.csv:2: p90_s"),
                                    ("p10_s", "inf", "rows.csv:2: p10_s"), ("median_s", "0", "above 0"),
                                    ("problem", "", "rows.csv:2: is no row of results: problem"),
                                    ("variant", "", "rows.csv:2: is no row of results: variant"),
                                    ("of_ceiling", "many", "rows.csv:2: of_ceiling"),
                                    ("case", "sizes", "no rows of the default progression")]:
            with self.subTest(column=column, text=text):
                self.fails(words, TOOLS / "report.py", self.write_rows({column: text}), "page.html")
        whole = (self.folder / self.write_rows({})).read_text(encoding="utf-8")
        heading, row = whole.splitlines()
        for text, words in [("", "has no rows"), ("a,b\n1,2\n", "has no column chapter"), (heading, "has no rows"),
                            (whole.replace("problem", "part"), "has no column problem"),
                            (whole.replace("median_s", "middle"), "has no column median_s"),
                            (heading + "\n" + row.rpartition(",")[0], "rows.csv:2: has another number of cells"),
                            (heading + "\n" + row + ",x", "rows.csv:2: has another number of cells"),
                            (whole + '"', "is no CSV file")]:
            with self.subTest(words=words):
                self.fails(words, TOOLS / "report.py", self.write("rows.csv", text), "page.html")
        (self.folder / "rows.csv").write_bytes(b"\xff\xfe\x00")
        self.fails("is no CSV file", TOOLS / "report.py", "rows.csv", "page.html")
        self.fails("none.csv: No such file", TOOLS / "report.py", "none.csv", "page.html")
        self.assertFalse((self.folder / "page.html").exists())


class Bins(Folder):
    JOINT = "x_low,x_high,y_low,y_high,count\n"

    def joint(self, x_bins, y_bins):
        return self.JOINT + "".join(f"{x / 4 - 1},{(x + 1) / 4 - 1},{y},{y + 1},{x * y}\n"
                                    for y in range(y_bins) for x in range(x_bins))

    def draw(self, text, *options):
        bins = self.write("bins.csv", text)
        self.works(TOOLS / "picture", bins, "out.png", *options)
        self.assertEqual((self.folder / "out.png").read_bytes()[:4], b"\x89PNG")
        self.works(TOOLS / "picture", bins, "out.svg", *options)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["bins.csv", "out.png", "out.svg"])
        return self.texts((self.folder / "out.svg").read_text(encoding="utf-8"))

    def test_a_map_names_its_axes_and_never_executes_them(self):
        for text in HOSTILE:
            with self.subTest(text):
                texts = self.draw(self.joint(3, 2), f"--x={text}", f"--y=y{text}")
                self.assertIn(text, texts)
                self.assertIn("y" + text, texts)

    def test_a_map_of_few_and_of_many_bins(self):
        for size in [(1, 1), (1, 5), (5, 1), (2, 2), (128, 3), (129, 3)]:
            with self.subTest(size):
                several = "pairs in a cell of several bins" if max(size) > 128 else "pairs in a bin"
                self.assertIn(several, self.draw(self.joint(*size)))

    def test_channels_and_bytes(self):
        colors = self.draw("channel,value,count\n" + "".join(f"{name},{value},{value}\n" for value in range(256)
                                                             for name in ("red", "green", "blue", "alpha")))
        self.assertTrue({"red", "green", "blue", "alpha", "pixels"} <= set(colors))
        self.draw("channel,value,count\ngrey,0,0\ngrey,1,0\n")
        self.assertIn("bytes", self.draw("bin,count\n" + "".join(f"{value},{value}\n" for value in range(256))))

    def test_damaged_bins_are_refused_in_a_line_and_leave_the_picture(self):
        out = self.write("out.svg", "as it was")
        for text, words in [("", "no rows"), ("a,b\n1,2\n", "no file of bins"), ("bin,count\n", "no rows"),
                            ("bin,count\n0\n", "bins.csv:2: has another number"),
                            ("bin,count\n0,-1\n", "bins.csv:2: count"), ("bin,count\n0,1.5\n", "bins.csv:2: count"),
                            ("bin,count\n1,1\n0,1\n", "bins.csv:3: bin does not increase"),
                            ("channel,value,count\n`touch pwned`,0,1\n", "bins.csv:2: '`touch pwned`' is no channel"),
                            (self.JOINT + "0,1,0,nan,1\n", "bins.csv:2: y_high"),
                            (self.joint(3, 3).rpartition("\n-")[0] + "\n", "8 lines are not the bins of 3 x 3"),
                            (self.joint(2, 2) + "-1,-0.75,0,1,1\n", "each once"),
                            (self.JOINT + "0,1,0,1,1\n0,2,0,1,1\n", "not of one width"),
                            (self.JOINT + "0,1,0,1,1\n2,3,0,1,1\n", "not of one width"),
                            (self.JOINT + "1,0,0,1,1\n", "not of one width")]:
            with self.subTest(words=words, text=text[-40:]):
                self.fails(words, TOOLS / "picture", self.write("bins.csv", text), out)
        self.fails("missing.csv", TOOLS / "picture", "missing.csv", out)
        self.assertEqual((self.folder / out).read_text(), "as it was")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["bins.csv", "out.svg"])


class Fill(Folder):
    VALUES = ("time = 01 v time\n", "other = 01 w time\n", "ratio = other / time\n",
              "twice = calc time * 2 as time\n", "said = output x/said \"([0-9]+) MHz\"\n",
              "per_s = calc said * 1e6 as millions\n", "name = 01 v verdict\n")

    def setUp(self):
        super().setUp()
        shutil.copytree(TOOLS, self.folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "docs/results/x").mkdir(parents=True)
        self.write("docs/results/x/said.txt", "at 7 MHz\n")
        self.write_rows({"verdict": "<script> | &"}, {"variant": "w", "median_s": "6e-6"},
                        name="docs/results/nvidia-h200.csv")
        self.write("docs/values.txt", "# a page\n\n" + "".join(self.VALUES))
        self.page = "".join(f"its <!--= {line.split()[0]} -->?<!--/-->.\n" for line in self.VALUES)
        self.write("page.md", self.page)

    def fill(self, *arguments):
        return self.folder / "tools/fill", *arguments

    def test_values_are_filled_in_once(self):
        self.works(*self.fill())
        text = re.sub("<!--.*?-->", "", (self.folder / "page.md").read_text())
        self.assertEqual(text.splitlines(), ["its 2.00 us.", "its 6.00 us.", "its 3.00.", "its 4.00 us.", "its 7.",
                                             "its 7.00.", "its &#60;script> &#124; &#38;."])
        self.assertEqual(self.works(*self.fill("--check")), "")
        self.write("page.md", (self.folder / "page.md").read_text().replace("3.00", "3.01"))
        self.assertEqual(self.run_tool(*self.fill("--check")).returncode, 1)

    def test_what_is_wrong_with_values_is_said_in_a_line(self):
        for line, words in [("time = 01 v time", "line 3 defines 'time' already"), ("x = 01 v time", "no page uses 'x'"),
                            ("x = nothing", "'nothing' is no number"), ("x = y / time", "'y' is no number"),
                            ("X = 1", "has the form"), ("x = ", "has the form"), ("x", "has the form"),
                            ("x = 01 z time", "no row"), ("x = 01 v tyme", "no value 'tyme'"),
                            ("x = time / twice", "same value of two rows"), ("x = calc name * 2 as time", "no number"),
                            ("x = calc time / 0 as time", "division by zero"), ("x = calc time * 2", "ends with: as"),
                            ('x = output x/none "a"', "No such file"), ('x = output x/said "("', "regular expression"),
                            ('x = output x/said "at|M"', "one pair of parentheses"), ('x = 01 "v', "No closing quotation")]:
            with self.subTest(line):
                self.write("docs/values.txt", "# a page\n\n" + "".join(self.VALUES) + line + "\n")
                self.fails(f"docs/values.txt:{3 + len(self.VALUES)}: ", *self.fill("--check"))
                self.fails(words, *self.fill("--check"))

    def test_what_is_wrong_with_a_page_is_said_in_a_line(self):
        for line, words in [("its <!--= nothing -->?<!--/-->", "defines no 'nothing'"),
                            ("its <!--= 01 v time -->?<!--/-->", "has the form"), ("its <!--= time -->?", "has the form"),
                            ("<!--= time -->?<!--/-->", "move the line break"), ("<!-- fill: x -->", "no <!-- /fill -->"),
                            ("<!-- /fill -->", "a block begins"), ("<!-- fill: x -->\n<!-- /fill -->", "no block 'x'"),
                            ("<!-- fill: picture x -->\n<!-- /fill -->", "takes one of")]:
            with self.subTest(line):
                self.write("page.md", self.page + line + "\n")
                self.fails(f"page.md:{1 + len(self.VALUES)}: ", *self.fill())
                self.fails(words, *self.fill())
                self.assertEqual((self.folder / "page.md").read_text(), self.page + line + "\n")

    def test_output_cant_end_its_block(self):
        self.write("docs/results/x/said.txt", "at 7 MHz\n```\n<script>\n")
        self.write("page.md", self.page + "<!-- fill: output x/said -->\n<!-- /fill -->\n")
        self.fails("would end the block", *self.fill())


if __name__ == "__main__":
    if sys.argv[1:] == ["--help"]:
        sys.exit(__doc__.strip())
    unittest.main()
