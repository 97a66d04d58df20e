#!/usr/bin/env python3
"""Checks the tools: text from files is never executed, damaged input is rejected in one line, and values are what their
queries say.
"""

import csv
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS / "results"))
import picture_steps as steps  # noqa: E402

HOSTILE = ["`touch pwned`", '"; system("touch pwned"); "', "</desc><script>alert(1)</script>", "%s %d %%",
           'a\\nb \\042 "c" \\', "# é漢字 {/Bold x}_1^2 @y ~", "$(touch pwned)", "'; system('touch pwned'); '",
           "<!-- /fill --> ]]> &amp;", "''quoted'", "|touch pwned", "<touch pwned", "-e", "</style><script>"]
ALL_HOSTILE = " ".join(HOSTILE)
ROW = {"chapter": "01_x", "problem": "histogram", "variant": "v", "device": "NVIDIA X", "simulated": "false",
       "input": "uniform", "n": "1000", "bytes": "1000", "grid": "0", "block": "0", "cache": "clean", "samples": "20",
       "median_s": "2e-6", "p10_s": "1e-6", "p90_s": "3e-6", "gb_per_s": "0.5", "of_ceiling": "0.5",
       "times_cpu_sequential": "1", "times_cpu_all_cores": "1", "times_cub": "1", "verdict": "ok", "driver": "1.0",
       "cuda_driver": "13.0", "cuda_runtime": "13.0", "host_cpus": "2", "commit": "abc", "date": "2026-01-01T00:00:00Z"}


class LensPage(unittest.TestCase):
    """A page of the lens takes no name for markup or code."""

    def test_names_stay_texts(self):
        sys.path.insert(0, str(TOOLS / "lens"))
        import page  # pylint: disable=import-outside-toplevel
        site = {"line": f"{ALL_HOSTILE}:7", "space": "shared", "kind": "load", "bytes_per_lane": 4, "requests": 1, "lanes": 1, "blocks": 32, "counted_blocks": 2,
                "sectors": 0, "bytes": 0, "wavefronts": 1, "most_lanes_on_address": 0,
                "worst_cost": 1, "worst_bank": 0, "worst_words": 1, "worst_lanes": 1, "worst_addresses": [0]}
        launch = {"kernel": ALL_HOSTILE, "grid": [1, 1, 1], "block": [1, 1, 1], "launches": 1, "blocks": 32, "sample": 16,
                  "touched_sectors": 0, "warp_functions": 0, "busiest_line": 0, "barriers": [], "hottest_address": 0, "sites": [site]}
        finding = {"problem": "unwritten", "kernel": ALL_HOSTILE, "array": ALL_HOSTILE, "space": "shared", "offset": 0,
                   "line": ALL_HOSTILE, "calls": [ALL_HOSTILE], "kind": "load", "block": 0, "thread": 0, "count": 1}
        seen = {"launches": [launch], "findings": [finding], "fault": {"message": ALL_HOSTILE}}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            page.write(path, [(ALL_HOSTILE, seen)], [])
            text = path.read_text(encoding="utf-8")
        self.assertEqual(text.count("<script"), 2)
        self.assertEqual(text.count("<style"), 1)
        self.assertNotIn("alert(1)</script>", text)
        self.assertIn("~1 requests", text)
        self.assertIn("~: estimated from one block in 16", text)


class Folder(unittest.TestCase):
    """Checks that run tools in an empty folder."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_tool(self, *command):
        return subprocess.run([*map(os.fspath, command)], cwd=self.folder, capture_output=True, encoding="utf-8", check=False)

    def works(self, *command):
        run = self.run_tool(*command)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertFalse(list(self.folder.rglob("pwned*")), "a text was executed")

    def fails(self, words, *command, place=""):
        """With one line that begins with a place and contains these words."""
        run = self.run_tool(*command)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, re.compile(rf"\A{place}[^\0-\x1f]*{re.escape(words)}[^\0-\x1f]*\n\Z"))

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
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
        self.works(TOOLS / "results" / "report.py", self.write_rows(*changes), "page.html")
        return (self.folder / "page.html").read_text(encoding="utf-8")

    def test_texts_are_shown_and_never_executed(self):
        beside = {name: ALL_HOSTILE for name in ("device", "input", "driver", "commit", "chapter")}
        page = self.page(*({**beside, "variant": text, "verdict": text} for text in [*HOSTILE, "a\n!touch pwned\n#.png", "\x1b[31m\x07"]))
        self.assertNotIn("<script", page)
        svg = re.search(r"<svg.*</svg>", page, re.DOTALL)[0]
        self.assertIn(ALL_HOSTILE, xml.fromstring(svg).find("{*}desc").text)
        self.assertTrue(any(ALL_HOSTILE in line for line in self.texts(svg)))
        for text in [*HOSTILE, "a !touch pwned #.png", "[31m"]:
            self.assertIn(f"{ALL_HOSTILE[:2]} {text}", self.texts(svg))

    def test_a_name_that_is_no_utf8_is_shown(self):
        text = (self.folder / self.write_rows({"variant": "name", "input": "name"})).read_bytes()
        self.works(TOOLS / "results" / "report.py", self.write("rows.csv", text.replace(b"name", b"\xff.bin")), "page.html")
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("(\\xff.bin)", page)
        self.assertIn("01 \\xff.bin", self.texts(re.search(r"<svg.*</svg>", page, re.DOTALL)[0]))

    def test_a_page_of_any_name_is_written_but_not_over_its_rows(self):
        rows = self.write_rows({})
        for name in [*(f"{text.replace('/', ' ')}.html" for text in HOSTILE), "a\n!touch pwned\n#.html", b"\xff.html",
                     "x" * 250 + ".html"]:
            with self.subTest(name):
                self.works(TOOLS / "results" / "report.py", rows, name)
                self.assertTrue((self.folder / os.fsdecode(name)).exists())
        (self.folder / "link.html").symlink_to(rows)
        os.mkfifo(self.folder / "pipe")
        for name, words in [(rows, "is the file that is read"), ("link.html", "is the file that is read"),
                            ("x" * 300, "too long"), ("/", "is not a regular file"), ("pipe", "is not a regular file"), (f"{rows}/page.html", "exists"),
                            (f"{rows}/a\n\x1b[31m/page.html", "Not a directory")]:
            with self.subTest(name):
                self.fails(words, TOOLS / "results" / "report.py", rows, name)
        self.assertFalse(list(self.folder.rglob("pwned*")) + list(self.folder.glob("*.part")))
        self.works(TOOLS / "results" / "report.py", rows, "page.html")

    def test_a_problem_decides_the_section_whatever_the_chapter(self):
        page = self.page({}, {"chapter": "06_y", "problem": "sum of squares"}, {"chapter": "08_live"},
                         {"chapter": "03_z", "problem": "joint histogram"}, {"problem": "<b>new</b>"})
        histogram, squares, joint, new = page.split("<h2>")[1:]
        self.assertEqual([len(re.findall(r"<td class=text>\d\d<", part)) for part in (histogram, squares, joint, new)],
                         [2, 1, 1, 1])
        self.assertIn("<td class=text>08<", histogram)
        self.assertEqual(["<svg" in part for part in (histogram, squares, joint, new)], [True, True, False, False])
        self.assertTrue(new.startswith("&lt;b&gt;new&lt;/b&gt; of 1,000 elements"))

    def test_a_page_of_simulated_rows_has_verdicts_and_counts_and_no_times(self):
        page = self.page({"simulated": "true"}, {"simulated": "true", "verdict": "wrong on purpose: lost 3"},
                         {"simulated": "true", "verdict": "WRONG: bin 3"}, {"device": "CPU", "variant": "(one CPU core)"})
        self.assertIn("3 variants: 1 right, 1 wrong on purpose, 1 wrong.", page)
        self.assertIn("lost 3", page)
        for time in ("<svg", "2.00 us", "GB/s</th>", "(one CPU core)"):
            self.assertNotIn(time, page)

    def test_damaged_rows_are_refused_in_a_line(self):
        heading, row = (self.folder / self.write_rows({})).read_text(encoding="utf-8").splitlines()
        for column, text, words in [
                ("n", "", "2: n is not a number"), ("median_s", "nan", "2: median_s"), ("p90_s", "-1", "2: p90_s"),
                ("p10_s", "inf", "2: p10_s"), ("of_ceiling", "many", "2: of_ceiling"), ("median_s", "0", "2: a picture"),
                ("bytes", "1e100", "2: bytes"), ("p10_s", "1e-200", "2: a picture"), ("input", "x" * 200000, "2: is not a CSV file"),
                ("variant", "", "2: variant is empty"), ("case", "sizes", "no rows of the default progression")]:
            with self.subTest(column=column, text=text):
                self.fails(words, TOOLS / "results" / "report.py", self.write_rows({column: text}), "page.html")
        for text, words in [
                ("", "has no rows"), (heading, "has no rows"), ("a,b\n1,2\n", "has no column chapter"),
                (f"{heading}\n{row}\n".replace("median_s", "middle"), "has no column median_s"),
                (f"{heading}\n{row},x\n", "rows.csv:2: the number of cells differs"),
                (f"{heading}\n{row.rpartition(',')[0]}\n", "rows.csv:2: the number of cells differs"),
                (f'{heading}\n{row}\n"', "is not a CSV file"), (b"\xff\xfe\0", "has no rows"),
                (bytes(range(256)) * 9, "rows.csv:"), (f"{heading}\n{row}\n\0\n", "rows.csv:3: the number of cells")]:
            with self.subTest(words=words):
                self.fails(words, TOOLS / "results" / "report.py", self.write("rows.csv", text), "page.html")
        for name, words in [("none.csv", "No such file"), ("\x1b[31m\n", "No such file"), (b"\xff", "\\xff: No such"),
                            (".", "Is a directory"), ("/dev/zero", "is a device"), ("/proc/self/mem", "error")]:
            self.fails(words, TOOLS / "results" / "report.py", name, "page.html")
        self.assertFalse((self.folder / "page.html").exists())


class Steps(unittest.TestCase):
    def test_the_pictures_show_the_passes_and_sectors_that_were_counted_on_a_gpu(self):
        means = [[steps.mean_passes(kind, copies) for copies in steps.COPIES] for kind in ("uniform", "bank-attack", "constant")]
        for found, expected in zip(means, [(3.16, 2.93, 2.00, 1), (7.89, 3.99, 2.00, 1), (1, 1, 1, 1)]):
            self.assertEqual([round(mean, 2) for mean in found], list(expected))
        self.assertEqual([len(steps.sectors(size, stride)) for _, size, stride in steps.LOADS], [1, 8, 32, 4, 8, 32])

    def test_every_tree_adds_every_value_once(self):
        for shape in steps.SHAPES:
            values = list(steps.VALUES)
            for level in range(steps.LEVELS):
                for _, left, right in steps.additions(shape, level):
                    values[left] += values[right]
            self.assertEqual(values[0], sum(steps.VALUES))

    def test_the_pictures_are_up_to_date(self):
        run = subprocess.run([TOOLS / "results" / "picture_steps.py", "--check"], capture_output=True, encoding="utf-8", check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))


class Bins(Folder):
    JOINT = "x_low,x_high,y_low,y_high,count\n"

    def joint(self, x_bins, y_bins):
        return self.JOINT + "".join(f"{x / 4 - 1},{(x + 1) / 4 - 1},{y},{y + 1},{x * y}\n"
                                    for y in range(y_bins) for x in range(x_bins))

    def draw(self, text, *options):
        bins = self.write("bins.csv", text)
        self.works(TOOLS / "results" / "picture", bins, "out.png", *options)
        self.assertEqual((self.folder / "out.png").read_bytes()[:4], b"\x89PNG")
        self.works(TOOLS / "results" / "picture", bins, "out.svg", *options)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["bins.csv", "out.png", "out.svg"])
        return self.texts((self.folder / "out.svg").read_text(encoding="utf-8"))

    def test_a_map_names_its_axes_and_never_executes_them(self):
        texts = self.draw(self.joint(3, 2), f"--x={ALL_HOSTILE}", f"--y=two\nlines {ALL_HOSTILE}")
        self.assertLessEqual({ALL_HOSTILE, f"two lines {ALL_HOSTILE}"}, set(texts))
        self.assertIn("[31m\\xff", self.draw(self.joint(1, 1), b"--x=\x1b[31m\xff"))

    def test_maps_and_curves(self):
        channels = ("red", "green", "blue", "alpha")
        for text, words in [
                *((self.joint(*size), {"pairs in a bin"}) for size in [(1, 1), (1, 5), (5, 1), (64, 3)]),
                ("channel,value,count\n" + "".join(f"{name},{value},9\n" for value in range(256) for name in channels),
                 {*channels, "pixels"}),
                ("channel,value,count\ngrey,0,0\n", {"pixels"}), ("bin,count\n0,0\n", {"bytes"}),
                ("bin,count\n" + "".join(f"{value},{value}\n" for value in range(256)), {"bin", "bytes"})]:
            with self.subTest(text[:40]):
                self.assertLessEqual(words, set(self.draw(text)))

    TIMELINE = ("gpu,slot,first,bytes,read_from,read_to,copy_from,copy_to,count_from,count_to,device,simulated,driver,"
                "cuda_runtime,host_cpus,commit,date\n")

    def test_a_timeline_names_its_slots_and_its_machine(self):
        device = ALL_HOSTILE.replace('"', '""')
        lines = [f'{gpu},0,0,9,0,{read},{read},2,2,3,"{device}",false,1,13.0,2,c,2026-01-01\n'
                 for gpu, read in ((0, 0.5), (1, 1))]
        self.works(TOOLS / "results" / "picture", self.write("times.csv", self.TIMELINE + "".join(lines)), "out.svg")
        drawing = (self.folder / "out.svg").read_text(encoding="utf-8")
        self.assertLessEqual({"GPU 0, slot 0", "GPU 1, slot 0", "read", "copy", "count", "3.00 s"},
                             set(self.texts(drawing)))
        self.assertTrue(any(words.startswith(ALL_HOSTILE) for words in self.texts(drawing)))
        self.fails("drawn as SVG", TOOLS / "results" / "picture", "times.csv", "out.png")
        for line, words in [("0,0,0,9,1,0,1,2,2,3,x,false,1,13.0,2,c,d\n", "times.csv:2: read_to is before"),
                            ("0,0,0,9,0,x,1,2,2,3,x,false,1,13.0,2,c,d\n", "times.csv:2: read_to is not"),
                            ("0,0,0,9,0,0,0,0,0,0,x,false,1,13.0,2,c,d\n", "times above 0"), ("", "no rows")]:
            with self.subTest(line):
                self.fails(words, TOOLS / "results" / "picture", self.write("times.csv", self.TIMELINE + line), "out.svg")
        self.assertEqual((self.folder / "out.svg").read_text(encoding="utf-8"), drawing)

    def test_damaged_bins_are_refused_in_a_line_and_leave_the_picture(self):
        out = self.write("out.svg", "as it was")
        for text, words in [
                ("", "no rows"), ("a,b\n1,2\n", "not a file of bins"), ("bin,count\n", "no rows"),
                ("bin,count\n0\n", "bins.csv:2: the number of cells"), ("bin,count\n0,-1\n", "bins.csv:2: count"),
                ("bin,count\n0,x\n", "bins.csv:2: count"),
                ("channel,value,count\n`touch pwned`,0,1\n", "bins.csv:2: '`touch pwned`' is not a channel"),
                (self.JOINT + "0,1,0,nan,1\n", "bins.csv:2: y_high"),
                (self.JOINT + "0,1,0,1,1\n0,1,1,1,1\n", "bins.csv:3: a bin's low edge")]:
            with self.subTest(text):
                self.fails(words, TOOLS / "results" / "picture", self.write("bins.csv", text), out)
        self.fails("missing.csv", TOOLS / "results" / "picture", "missing.csv", out)
        self.write("bins.csv", "bin,count\n0,1\n")
        (self.folder / "folder.svg").mkdir()
        for name in ("bins.csv/out.svg", "folder.svg"):
            self.fails(f"{name}: ", TOOLS / "results" / "picture", "bins.csv", name)
        self.assertEqual((self.folder / out).read_text(), "as it was")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["bins.csv", "folder.svg", "out.svg"])


class Fill(Folder):
    VALUES = [("time = 01 v time", "2.00 us"), ("other = 01 w time", "6.00 us"), ("ratio = other / time", "3.00"),
              ("twice = time * 2 as time", "4.00 us"), ("large = 01 case=sizes n=1K time", "1.00 s"),
              ("said = output x/said \"([0-9]+) MHz\"", "7"), ("per_s = said * 1e6 as millions", "7.00"),
              ("name = 01 v verdict", "&#60;script> &#124; &#38;")]

    def setUp(self):
        super().setUp()
        shutil.copytree(TOOLS, self.folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        self.tool = self.folder / "tools/results/fill"
        (self.folder / "docs/results/x").mkdir(parents=True)
        self.write("docs/results/x/said.txt", "at 7 MHz\n")
        self.write("code.cu", "void f(int);\n\ntemplate <int n>\n__global__ void\nf() {\n    g();\n}\n\nint g() {}\n")
        self.write_rows({"case": "progression", "verdict": "<script> | &"},
                        {"case": "progression", "variant": "w", "median_s": "6e-6"},
                        {"case": "sizes", "n": "1024", "median_s": "1"}, {"case": "sizes", "variant": "w"},
                        name="docs/results/nvidia-h200.csv")
        self.define("")
        self.page = "".join(f"its <!--= {line.split()[0]} -->?<!--/-->.\n" for line, _ in self.VALUES)
        self.page += "".join(f"its <!--= {line.partition(' = ')[2]} -->?<!--/-->.\n" for line, _ in self.VALUES)
        self.write("page.md", self.page)

    def define(self, line):
        self.write("docs/values.txt", "# a page\n\n" + "".join(f"{query}\n" for query, _ in self.VALUES) + line)

    def test_values_are_filled_in_once(self):
        self.works(self.tool)
        text = re.sub("<!--.*?-->", "", (self.folder / "page.md").read_text())
        self.assertEqual(text.splitlines(), [f"its {words}." for _, words in self.VALUES * 2])
        self.works(self.tool, "--check")
        self.write("page.md", (self.folder / "page.md").read_text().replace("3.00", "3.01"))
        run = self.run_tool(self.tool, "--check")
        self.assertEqual((run.returncode, run.stdout), (1, "out of date: page.md\n"))

    def test_blocks_are_filled_in(self):
        for block, lines in [
                ("table 01 v w show time", "| time |\n| --- |\n| 2.00 us |\n| 6.00 us |"),
                ("table 01 case=sizes by n show time",
                 "| n | v | w |\n| --- | --- | --- |\n| 1 Ki | 1.00 s | - |\n| 1,000 | - | 2.00 us |"),
                ("output x/said", "```\nat 7 MHz\n```"), ("code code.cu:g", "```cpp\nint g() {}\n```"),
                ("code code.cu:f", "```cpp\ntemplate <int n>\n__global__ void\nf() {\n    g();\n}\n```"),
                ("code code.cu:f f( g()", "```cpp\nf() {\n    g();\n```")]:
            with self.subTest(block):
                self.write("page.md", f"{self.page}<!-- fill: {block} -->\nold\n<!-- /fill -->\n")
                self.works(self.tool)
                self.assertIn(f" -->\n{lines}\n<!-- /fill -->\n", (self.folder / "page.md").read_text())

    def test_mistakes_in_values_are_reported_in_a_line(self):
        for line, words in [
                ("time = 01 v time", "'time' is already defined in line 3"), ("x = 01 v time", "no page uses"),
                ("x = y / time", "defines no 'y'"), ("x = time /", "defines no ''"), ("X = 1", "has the form"),
                ("x", "has the form"), ("x = 01 z time", "no row"), ("x = results=none 01 v time", "no row"),
                ("x = 01 v tyme", "no value 'tyme'"), ("x = 01 time", "2 rows, not one"),
                ("x = time * 2", "any other formula"), ("x = time / twice", "a ratio needs"),
                ("x = time / large", "a ratio needs"), ("x = name * 2 as time", "not all terms are"),
                ("x = time * 2 as t", "ends with: as whole"), ("x = time / 0 as time", "division by zero"),
                ('x = output x/none "a"', "No such file"), ('x = output x/said "("', "unterminated"),
                ('x = 01 "v', "No closing quotation"), ('x = output x/said "at|M"', "pair of parentheses"),
                ('x = output x/said "(at) (7)"', "pair of parentheses"),
                ("x = 01 n=x v time", "invalid literal")]:
            with self.subTest(line):
                self.define(line + "\n")
                self.fails(words, self.tool, "--check", place=f"docs/values.txt:{3 + len(self.VALUES)}: ")
                if words not in ("has the form", "no page uses") and "already" not in words:
                    self.define("")
                    self.write("page.md", f"{self.page}its <!--= {line.partition(' = ')[2]} -->?<!--/-->\n")
                    self.fails(words, self.tool, place=f"page.md:{1 + 2 * len(self.VALUES)}: ")
                    self.write("page.md", self.page)

    def test_mistakes_in_a_page_are_reported_in_a_line(self):
        self.write("docs/results/x/ends.txt", "```\n<script>\n")
        end = "\n<!-- /fill -->"
        for line, words in [
                ("its <!--= nothing -->?<!--/-->", "defines no 'nothing'"),
                ("its <!--= -->?<!--/-->", "a value is"), ("its <!--= time -->?", "a value is"),
                ("its <!--= time -->? <!--= time -->?<!--/-->", "a value is"),
                ("<!--= time -->?<!--/-->", "not at its beginning"), ("<!-- fill: x -->", "a block is"),
                ("<!-- /fill -->", "a block is"), (f"<!-- fill: x -->{end}", "no block 'x'"),
                (f"<!-- fill: picture x -->{end}", "no picture 'x'"), (f"<!-- fill: table 01 v -->{end}", "show"),
                (f"<!-- fill: table 01 v v by n show time -->{end}", "two rows of v"),
                (f"<!-- fill: chart ../x title 01 v show time -->{end}", "a chart has a name"),
                (f"<!-- fill: chart x title 01 v show verdict -->{end}", "has no number verdict"),
                (f"<!-- fill: diff code.cu -->{end}", "missing a required argument: 'after'"),
                (f"<!-- fill: diff code.cu code.cu -->{end}", "are the same"),
                (f"<!-- fill: code code.cu:h -->{end}", "0 definitions of h"),
                (f"<!-- fill: code none.cu -->{end}", "none.cu: No such file"),
                (f"<!-- fill: output x/said a b -->{end}", "0 places from 'a' to 'b'"),
                (f"<!-- fill: output x/ends -->{end}", "would end the block")]:
            with self.subTest(line):
                self.write("page.md", f"{self.page}{line}\n")
                self.fails(words, self.tool, place=f"page.md:{1 + 2 * len(self.VALUES)}: ")
                self.assertEqual((self.folder / "page.md").read_text(), f"{self.page}{line}\n")


class Mutate(unittest.TestCase):
    def test_changes_of_one_point(self):
        mutants_of = runpy.run_path(str(TOOLS / "quality" / "mutate"))["mutants_of"]

        def changes(text):
            return [text[:mutant.begin] + mutant.new + text[mutant.end:] for mutant in mutants_of("x.cuh", text)]

        for text, expected in (
                ("if (a < b) x;\n", ["if (a <= b) x;\n"]),
                ("x = f<T>(a->b);  // 1 + 1\n", []),
                ('#define X 1 + 1\nputs("1 + 1 \\" < 2");\n', []),
                ("\n  __syncthreads();\n", []),
                ("x;\n  __syncthreads();\n", ["x;\n  ;\n"]),
                ("if (n) throw f(n,\n  m);\n", ["if (n) \n;\n"]),
                ("for (; i < n; i += stride) sum += v;\n", ["for (; i <= n; i += stride) sum += v;\n",
                                                           "for (; i < n; i += stride) sum = v;\n"]),
                ("x = 0x10u;\n", ["x = 15u;\n", "x = 17u;\n"]),
                ("std::size_t n = std::size_t{a}, *p;\n", ["std::uint32_t n = std::size_t{a}, *p;\n",
                                                           "std::size_t n = std::uint32_t{a}, *p;\n"]),
                ("atomicAdd(&x[f(i)], v);\n", ["((*(&x[f(i)]) += v) - v);\n"])):
            self.assertEqual(changes(text), expected)
        self.assertEqual([mutant.change(lines_above=1) for mutant in mutants_of("x.cuh", "f();\n  a = b < c;\n")],
                         ["f(); a = b < c;  →  a = b <= c;"])


class Cpp(unittest.TestCase):
    """The one reader of C++ source."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(TOOLS / "exercises"))
        import cpp
        cls.cpp = cpp

    def test_comments_literals_and_directives_are_told_apart(self):
        for text, code in (('f("//", \'"\');  // "x', "f(  ,  );"), ('R"a(")b" //)a" + 1\'0 /* \' */ + b', " + 1'0 + b"),
                           ("#define x \\\n y\nz", " \n \nz"), ("// x \\\ny\nz", " \n \nz"), ('"a\\"b" c "d\n e', ' c "d\n e'),
                           ("a /* b\n c", "a \n ")):
            with self.subTest(text):
                self.assertEqual(re.sub("[ ]+", " ", self.cpp.code_of(text)).rstrip(" "), re.sub("[ ]+", " ", code).rstrip(" "))
                self.assertEqual(len(self.cpp.code_of(text)), len(text))
        self.assertEqual(self.cpp.without_comments('f("//");  // x'), 'f("//");      ')

    def test_definitions_have_names_and_the_comment_above(self):
        text = ("#pragma once\nnamespace a {\n/// @name Group\n/// f adds.\ntemplate <int k = 2>\nint f(int b) {\n    // c\n    return b;\n}\n\n"
                "// Lost.\n\nconstexpr int c = 1, d = 2;  // both\n}  // namespace a\nstruct E : F { int g; };\nusing H = int;\nextern int i;\n"
                "__global__ void __launch_bounds__(c)\n    k_kernel() {}\n")
        found = self.cpp.definitions(text)
        self.assertEqual([each.names for each in found], [{"f"}, {"c", "d"}, {"E"}, {"H"}, {"i"}, {"k_kernel"}])
        self.assertEqual([each.is_declaration for each in found], [False] * 4 + [True, False])
        self.assertEqual([len(each.with_comment(text)) for each in found], [6, 1, 1, 1, 1, 2])
        self.assertEqual(found[0].lines(text)[0], "template <int k = 2>")

    def test_hostile_text_is_read_in_linear_time(self):
        for part in ("{}", "{};", "/*", 'R"(', '"', "'", "#", "{", "template <", "1'", "\\\n", "/*/\n"):
            start = time.process_time()
            self.cpp.code_of(part * 50000)
            try:
                self.cpp.definitions(part * 50000)
            except self.cpp.Rejected as why:
                self.assertNotIn("\n", str(why))
            self.assertLess(time.process_time() - start, 2, part)


class FailedChecks(Folder):
    """What ./course test says at its end."""

    def said(self, failures=(), **outputs):
        """Of failed checks, by ctest's log: in_order and interleaved are what they print, failures the data about it."""
        log = "".join(f"{k}/2 Testing: 08_live/{'interleaved/' * (order == 'interleaved')}right\nOutput:\n----------\n"
                      f'x.cu:5: failed: CHECK(check_variant(variant).value_or("") == "") for: "{words}"\n'
                      "<end of output>\nTest Failed.\n" for k, (order, words) in enumerate(outputs.items(), 1))
        data = "".join(json.dumps(failure) + "\n" for failure in failures) + '{"message": "incompl'
        return self.run_tool(sys.executable, TOOLS / "course" / "failed_checks.py", self.write("LastTest.log", log),
                             self.write("failures.jsonl", data)).stdout

    @staticmethod
    def failure(message, n, **data):
        return {"message": message, "kind": "result", "n": n, **data}

    def test_a_race_that_fails_in_order_by_luck_is_told_by_its_smallest_case(self):
        failures = [self.failure("many: got 21431", 32767), self.failure("few: got 25", 31), self.failure("other", 1)]
        said = self.said(failures, in_order="many: got 21431", interleaved="few: got 25")
        self.assertIn("Failed: 1 of 1 checks.", said)
        self.assertIn("few: got 25\n  It fails for a smaller n if threads are interrupted", said)
        self.assertNotIn("21431", said)

    def test_a_fault_in_both_orders_is_told_as_it_is_in_order(self):
        failures = [self.failure("got 0xA5A5A5A5", 31, has_poison=True), self.failure("got 7", 31)]
        said = self.said(failures, in_order="got 0xA5A5A5A5", interleaved="got 7")
        self.assertIn("got 0xA5A5A5A5\n  Is every counter set to 0", said)
        self.assertNotIn("race", said)
        self.assertIn("it ended", self.said(failures, in_order="it ended", interleaved="got 7"))
        self.assertIn("It fails only if threads", self.said(failures, interleaved="got 7"))

    def test_a_kind_of_failure_has_a_hint_and_words_have_none(self):
        for data, hint in (({"fault": {"kind": "barrier"}}, "the same __syncthreads()"), ({"fault": {"kind": "address"}}, "each index"),
                           ({"kind": "overrun"}, "each index"), ({"kind": "unchecked"}, "Follow each launch"),
                           ({"fault": {"kind": "no progress"}}, "Does a loop wait"), ({}, "a deadlock in 0xA5A5A5A5, past the end\n")):
            message = "a deadlock in 0xA5A5A5A5, past the end"
            said = self.said([self.failure(message, 1, **data)], in_order=message)
            self.assertIn(hint, said)
            self.assertEqual(len(said.strip().splitlines()), 4 + bool(data), said)


class Exercises(Folder):
    """Checks of a course with one chapter, one exercise and one fault."""
    KERNELS = """#pragma once
#include <vector>

constexpr int kUnused = 1, kBlock = 2;

/// One line.
__global__ void __launch_bounds__(kBlock)
    kernel(int* d_sum) {
    // [03.1] Add.
    *d_sum += 1;  // wasted
    // [/03.1] return;
}

/// @name Host functions
/// @{

inline void run(int* d_sum) { kernel<<<1, kBlock>>>(d_sum); }

/// @}

inline const std::vector<Variant<Histogram>> kVariants = {
    {.name = "one", .run = run},
};
"""

    def setUp(self):
        super().setUp()
        shutil.copytree(TOOLS / "exercises", self.folder / "tools/exercises")
        shutil.copytree(TOOLS / "lens", self.folder / "tools/lens")
        shutil.copytree(TOOLS / "course", self.folder / "tools/course")
        shutil.copytree(TOOLS / "results", self.folder / "tools/results")
        self.write("03_x/kernels.cuh", self.KERNELS)
        self.write("03_x/exercises/1_one.md", "# 03.1 One\n<!-- variant: one -->\n\n## Task\n\nAdd.\n\n## Hints\n\n"
                                              "1. a\n2. b\n   c\n3. d\n\n## Then\n\nWhy?\n")
        self.write("03_x/broken/faults.md", "# Faults\n\n## 1. Twice\n<!-- exercise 03.1: a race -->\n\n```diff\n"
                                            "     kernel(int* d_sum) {\n-    *d_sum += 1;  // wasted\n"
                                            "+    *d_sum += 2;\n }\n```\n\nWhy.\n")

    def says(self, code, *words):
        """Runs Python code with variables for the exercise and its work. Returns its output."""
        begin = ("import sys; sys.path[:0] = ['tools/exercises', 'tools/lens', 'tools/results', 'tools/course']\nfrom starter import exercises\nfrom student import Work\n"
                 "from faults import faults\nexercise, = exercises()\nwork = Work(exercise)\n")
        run = self.run_tool("python3", "-c", begin + code)
        self.assertEqual(run.stderr, "")
        for word in words:
            self.assertIn(word, run.stdout)
        return run.stdout

    def test_a_starter_has_what_its_variant_needs_without_the_marked_lines(self):
        starter = self.says("print(work.chapter.starter(exercise))", "    // TODO: Add.\n    return;\n}", "kBlock = 2", "run(")
        for missing in ("+= 1", "[03.1]", "kVariants", "@{"):
            self.assertNotIn(missing, starter)
        solution = self.says("print(work.chapter.solution(exercise))", "    *d_sum += 1;  // wasted\n}")
        for missing in ("[03.1]", "return;", "TODO"):
            self.assertNotIn(missing, solution)
        self.says("print(exercise.hints(), exercise.section('Then'))", "'b\\n   c", "Why?")

    def test_a_students_file_is_never_overwritten(self):
        self.says("print(work.begin())", "True")
        self.write("work/03.1_one.cuh", "mine")
        self.says("print(work.begin(), work.starter_has_changed())", "False False")
        self.write("03_x/kernels.cuh", self.KERNELS.replace("One line", "Another line"))
        self.says("print(work.begin(), work.starter_has_changed())", "False True")
        self.says("work.reset()")
        self.write("work/03.1_one.cuh", "mine as well")
        self.says("work.reset()")
        self.assertEqual((self.folder / "work/03.1_one.1.cuh").read_text(), "mine")
        self.assertEqual((self.folder / "work/03.1_one.2.cuh").read_text(), "mine as well")
        self.assertIn("TODO", (self.folder / "work/03.1_one.cuh").read_text())

    def test_a_fault_is_one_change_and_no_comment_reveals_it(self):
        text = self.says("fault, = faults()\nprint(fault.lines(), fault.text())", "+= 2;")
        self.assertNotIn("//", text)
        self.write("03_x/kernels.cuh", self.KERNELS.replace("+= 1", "+= 3"))
        self.says("fault, = faults()\ntry:\n    fault.text()\nexcept ValueError as wrong:\n    print(wrong)", "0 times")

    def test_a_fault_may_be_in_a_variant_that_no_exercise_asks_for(self):
        self.write("03_x/kernels.cuh", self.KERNELS.replace("inline const", "inline void other() {\n    run(0);\n}\n\ninline const")
                   .replace('.run = run},\n', '.run = run},\n    {.name = "two", .run = other},\n'))
        self.write("03_x/broken/faults.md", "# Faults\n\n## 1. Twice\n<!-- exercise 03.1, variant two: a race -->\n\n```diff\n"
                                            "-    run(0);\n+    run(2);\n }\n```\n\nWhy.\n")
        self.says("fault, = faults()\nprint(fault.exercise.variant, fault.cause, fault.text())", "two a race", "    run(2);")

    def test_a_starter_hides_the_answers_to_later_exercises_and_says_which_earlier_ones_it_has(self):
        self.write("03_x/kernels.cuh", self.KERNELS.replace("    *d_sum += 1;  // wasted", "    help(d_sum);").replace(
            "/// One line.", "__device__ int help(int* d_sum) {\n    // [03.0] Help.\n    return 1;\n    // [/03.0] return 2;\n}\n"))
        self.says("print(work.chapter.reveals(exercise), work.chapter.hidden(exercise))", "['03.0'] []")
        self.write("03_x/kernels.cuh", self.KERNELS.replace(
            "inline void run(", "inline int late() {\n    // [03.2] Later.\n    return 1;\n    // [/03.2] return 2;\n}\n\n"
            "inline void run(").replace("{ kernel<<<", "{ late(); kernel<<<"))
        self.says("print(work.chapter.starter(exercise), work.chapter.solution(exercise), work.chapter.reveals(exercise))",
                  "__global__", "[]")
        self.assertNotIn("late", self.says("print(work.chapter.starter(exercise), work.chapter.solution(exercise))"))
        code = "from assemble import with_hidden\n"
        self.says(code + "print(with_hidden(exercise, 'x;'))", 'x;\n#line 17 "03_x/kernels.cuh"\ninline int late() {\n\n    return 1;\n\n}',
                  "inline void run(")
        self.assertNotIn("return 1", self.says(code + "print(with_hidden(exercise, 'int late() {}'))"))

    def test_only_results_that_change_with_the_order_are_said_to(self):
        begin = ("from verdict import Verdict, changes_with_order, sentences, with_meaning\n"
                 "right, guess, case = Verdict('right'), sentences('a guess'), {'n': 1, 'words': 'n = 1'}\n"
                 "one, two = Verdict('result', 'got 0', guess, case), Verdict('result', 'got 7', [], case)\n"
                 "stopped, elsewhere = (Verdict('error', f'thread {k}', [], case, {'kind': 'address'}) for k in (3, 9))\n")
        for pair, expected in (("one, right", True), ("one, two", True), ("one, one", False), ("stopped, elsewhere", False),
                               ("stopped, one", False), ("stopped, right", True)):
            self.says(f"{begin}print(changes_with_order({pair}))", f"{expected}\n")
        for order, found, expected in (("interleaved", "one", "['Wrong for n = 1: got 0', '  a race']"), ("interleaved", "stopped", "thread 3']"),
                                       ("interleaved", "Verdict('time', 'endless')", "['endless']"),
                                       ("plain", "one", "['Wrong for n = 1: got 0', '  a race', '  a guess']")):
            self.says(f"{begin}print(with_meaning('{order}', 'a race', {found}).words)", expected)

    def test_a_crash_says_what_it_usually_means_and_the_line(self):
        self.says("from verdict import ended_by\nprint(ended_by(11), ended_by(99))",
                  "SIGSEGV, usually by an index outside an array", "by signal 99.")
        self.write("crash", "echo '==1==ERROR: AddressSanitizer: overflow on address 0x1 at' >&2; echo '    #0 0x1 in f a.h:3' >&2\n"
                            "echo '    #1 0x2 in g /x/work/03.1_one.cuh:7' >&2; kill -11 $$\n")
        self.says("import verdict\nfound = verdict.run(['bash', 'crash'])\nprint(*found.words, found.kind, found.site, sep='\\n')",
                  "SIGSEGV", "  AddressSanitizer: overflow\n  at work/03.1_one.cuh:7\nsignal\nwork/03.1_one.cuh:7\n")

    def test_a_loop_without_an_end_is_no_crash(self):
        self.write("loop", "echo 'simulator: the code at work/03.1_one.cuh:7 goes on' >&2; kill -XCPU $$\n")
        self.says("import verdict\nfound = verdict.run(['bash', 'loop'])\nprint(*found.words, found.kind, sep='\\n')",
                  "It does not end.\n  simulator: the code at work/03.1_one.cuh:7 goes on\ntime\n")

    def test_what_a_students_code_prints_is_neither_a_verdict_nor_a_case(self):
        begin = ("import json, os\ndef told(**line): os.write(int(os.environ['COURSE_VERDICT']), json.dumps(line).encode() + b'\\n')\n"
                 "os.write(1, b'old')\ntold(case={'n': 5, 'words': 'n = 5'}, output=3)\nos.write(1, b'hello {\"kind\": \"right\"}\\n')\n")
        give = "told(token={}, kind={!r}, what='got 0', case={{'words': 'n = 5'}}, sentences=[])\nos._exit({})\n"
        for name, end in (("wrong", give.format("input()", "result", 1)), ("crash", "os.kill(os.getpid(), 11)"), ("forged", give.format("'x'", "right", 0)),
                          ("junk", "os.write(int(os.environ['COURSE_VERDICT']), b'\\xff{\\n[1]\\n')\nos._exit(0)"),
                          ("late", give.format("input()", "right", 3)), ("right", give.format("input()", "right", 0))):
            self.write(name, begin + end)
        show = "import verdict\nfound = verdict.run(['python3', '{}'])\nprint(found.words, found.printed)"
        printed = """['hello {"kind": "right"}']\n"""
        self.says(show.format("wrong"), f"['Wrong for n = 5: got 0'] {printed}")
        self.says(show.format("crash"), "['Wrong for n = 5: the program was ended by SIGSEGV, ", f" {printed}")
        for name, status in (("forged", 0), ("junk", 0), ("late", 3)):
            self.says(show.format(name), f"['It ended with status {status}.'] {printed}")
        self.says(show.format("right"), "[] []\n")
        self.says("import verdict\nprint(verdict.run(['yes']).words)", "because it printed more than 4 MiB")

    def test_a_file_that_is_not_complete_or_no_utf8_says_so(self):
        whole = self.says("print(work.chapter.starter(exercise))")
        show = "import verdict as v\nv.build = lambda *_: 'the entry:1:2: error: lost'\nprint(v.verify(exercise, 'simulator').words)"
        for text, expected in ((b"int a;\n// \xe9\n", "work/03.1_one.cuh:2: this line is not UTF-8 text"), (whole.encode("utf-16"), "cuh:1: this line"),
                               ("", "cuh: 'kBlock', which is in the starter, is missing."),
                               (whole.replace("run(int", "walk(int"), "cuh: 'run', which is in"),
                               (whole[:whole.index("}")], "cuh:14: '{' is never closed."), (whole + "}", "'}' closes nothing."),
                               (("\ufeff" + whole).replace("\n", "\r\n"), "['It does not compile.', 'the entry:1:2: error: lost']")):
            with self.subTest(expected):
                self.write("work/03.1_one.cuh", text)
                self.says(show, expected)

    def test_a_full_disk_takes_nothing_away(self):
        full = ("from pathlib import Path\nwrite = Path.write_text\n"
                "def full(path, *words, **more):\n    if path.suffix == '{}': raise OSError(28, 'full')\n    write(path, *words, **more)\n"
                "Path.write_text = full\ntry:\n    {}\nexcept OSError as error:\n    print(error.strerror)")
        self.says(full.format(".cuh", "work.begin()"), "full")
        self.assertFalse((self.folder / "work/03.1_one.cuh").exists())
        self.write("work/03.1_one.cuh", "mine")
        self.says("work.note(hints=2)")
        for suffix in (".cuh", ".new"):
            self.says(full.format(suffix, "work.reset()"), "full")
            self.assertEqual([(each.name, each.read_text()) for each in (self.folder / "work").glob("*.cuh")], [("03.1_one.cuh", "mine")])
        self.says(full.format(".new", "work.note(hints=3)"), "full")
        self.says("print(work.noted())", "{'hints': 0}")

    def test_what_needs_no_build_builds_nothing(self):
        self.write("03_x/main.cu", "")
        for words, status, said in (("exercise 03.1 --hint", 0, ""), ("debug 03-1 --answer", 0, ""), ("exercise -h", 0, ""),
                                    ("status --answer", 2, "--answer is for debug"), ("live 03 04", 2, "04"), ("predict 03", 1, "has no questions")):
            with self.subTest(words):
                run = self.run_tool("python3", "tools/course/cli.py", *words.split(), *["--backend=simulator"] * ("exercise 0" in words))
                self.assertEqual(run.returncode, status, run.stderr)
                self.assertRegex(run.stderr, r"\A(Running on .*\n)?(course: .*\n)?\Z")
                self.assertIn(said, run.stderr)
                self.assertEqual(list((self.folder / "build").glob("*/*")), [])

    def test_two_builds_of_a_folder_wait_for_each_other(self):
        self.write("cmake", "#!/bin/sh\necho begin >>log\nsleep 0.3\necho end >>log\n")
        (self.folder / "cmake").chmod(0o755)
        (self.folder / "build").mkdir()
        path = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        code = "import sys; sys.path.insert(0, 'tools/exercises')\nimport verdict\nverdict.build('simulator', ['x'])"
        for run in [subprocess.Popen(["python3", "-c", code], cwd=self.folder, env=path) for _ in range(2)]:
            self.assertEqual(run.wait(), 0)
        self.assertEqual((self.folder / "log").read_text(), "begin\nend\n" * 2)

    def test_the_first_error_of_a_log_is_no_file_of_that_name(self):
        log = ["[1/2] Translating common/cuda/error.cuh", "work/03.1_one.cuh:7:1: error: no such thing", "  code"]
        self.says(f"import verdict\nprint(verdict.compiler_words('\\n'.join({log})))", "error: no such thing', '  code']")

    def test_the_lens_gives_a_race_its_lines_in_place_of_guesses(self):
        self.write("work/03.1_one.cuh", "")
        found = {"problem": "race", "kernel": "k", "space": "shared", "array": "a", "offset": 4, "count": 1, "distance": "warps",
                 "partial_barriers": []}
        for end, line, kind in (("", 7, "store"), ("other_", 9, "load")):
            found |= {f"{end}line": f"work/03.1_one.cuh:{line}", f"{end}calls": ["a.cu:3"] * (line > 7), f"{end}kind": kind, f"{end}block": 0, f"{end}thread": line}
        show = ("import verdict as v\nv.build = lambda *_: ''\nv.counts.run = lambda *_, **__: {{'findings': [{}]}}\n"
                "said = [*v.sentences('Element 0 is left out.'), {{'text': 'A race.', 'of_race': {}}}]\n"
                "print(*v.with_lines(exercise, v.Verdict('result', 'got 0', said, {{'n': {}, 'words': 'n'}}, **{})).words, sep='\\n')")
        guesses = "Wrong for n: got 0\n  Element 0 is left out.\n  A race.\n"
        self.says(show.format(found, True, 2000, {}), "Wrong for n: got 0\n  A race.\n  race: k", "cuh:7 by", "cuh:9 (called at a.cu:3) by")
        self.says(show.format(found, True, 2000, {"site": "work/03.1_one.cuh:5"}), guesses)
        branch = found | {"partial_barriers": ["work/03.1_one.cuh:6", "work/03.1_one.cuh:8"]}
        self.says(show.format(branch, True, 2000, {}), "orders them: the __syncthreads() at work/03.1_one.cuh:8 is for all threads of a block")
        self.says(show.format(branch | {"partial_barriers": ["a.cuh:8"]}, True, 2000, {}), "orders them: __syncthreads() between the two")
        self.says(show.format(found | {"problem": "copied"}, True, 2000, {}), guesses)
        self.says(show.format(found, False, 1, {}), guesses)
        self.says(show.format(found, False, 2000, {"has_poison": True}), "Wrong for n: got 0\n  race: k")
        self.write("work/03.1_one.cuh", "__shared__ int a;")
        self.says(show.format(found, False, 2000, {}), guesses)
        self.says(show.format(found, False, 1, {}), "Wrong for n: got 0\n  race: k")

    def test_clang_is_not_asked_if_it_can_not_read_cuda(self):
        self.write("common/simulator/clang/rejected.sh", "#!/bin/sh\necho \"x.cu:1: error: said by $CLANG\" >&2\nexit 1\n")
        (self.folder / "common/simulator/clang/rejected.sh").chmod(0o755)
        for flag, expected in (("TRUE", "said by /a/clang"), ("FALSE", "[]")):
            self.write("build/simulator/CMakeCache.txt", f"CLANGXX:FILEPATH=/a/clang\nCOURSE_CLANG:INTERNAL={flag}\n")
            self.says("import verdict\nprint(verdict.rejected(exercise))", expected)

    def test_a_right_result_must_meet_the_target_of_the_page(self):
        page = self.folder / "03_x/exercises/1_one.md"
        target = ("## Target\n\nWhat the lens must count for n = 64, input one-hot 90 %, blocks of 32:\n\n| count | target | otherwise |\n|---|---|---|\n"
                  "| launches | at least 2 | not one per level |\n| bytes moved for each byte loaded | at most 1.5 | not coalesced |\n\n## Then")
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("## Then", target), encoding="utf-8")
        show = ("import verdict as v, point\nv.build = lambda *_: {!r}\nv.counts.run = lambda *words, **_: print(*words[1][-5:]) or {}\n"
                "found = v.has_point(exercise, v.Verdict('right'))\nprint(*found.words, *point.table(found.counted), found.kind, sep='\\n')")
        site = {"space": "global", "kind": "load", "sectors": 3, "bytes": 64, "requests": 1, "lanes": 16}
        seen = {"status": 0, "said": '{"token": "", "kind": "right"}', "launches": [{"launches": 1, "sites": [site]}]}
        self.says(show.format("", seen), "yours 64 one-hot 90 % 0 32\nRight, but not one per level: 1 launch; at least 2 are needed.\n  ./course lens 03.1", "point\n")
        seen["launches"] *= 2
        self.says(show.format("", seen), "launches                              2  at least 2\nbytes moved for each byte loaded    1.5  at most 1.5\nright\n")
        site["sectors"] = 4
        self.says(show.format("", seen), "Right, but not coalesced: 2 bytes moved for each byte loaded; 1.5 would do.\n")
        wrong = {"status": 1, "said": '{"token": "", "kind": "result", "what": "bin 3", "case": {"words": "n = 64"}}'}
        self.says(show.format("", wrong), "Wrong for n = 64: bin 3\n")
        for said, build, broken in (("page: no count is called 'b'", "", "| b | at most 1 | no |"), ("md: the section 'Target' has the wrong form", "", "| launches | 1 | no |"),
                                    ("x.cu:1: error: lost", "x.cu:1: error: lost", "| launches | at least 1 | no |")):
            page.write_text(text.replace("## Then", re.sub(r"^\| launches.*", broken, target, flags=re.MULTILINE)), encoding="utf-8")
            run = self.run_tool("python3", "-c", "import sys; sys.path[:0] = ['tools/exercises']\nfrom starter import exercises\nexercise, = exercises()\n"
                                + show.format(build, seen))
            self.assertIn("right\n", run.stdout)
            self.assertRegex(run.stderr, f"^The lens could not count: .*{said.removeprefix('page')}.*\n$")

    def test_a_prediction_that_can_not_be_read_is_asked_again_with_what_is_accepted(self):
        ask = ("import builtins, predict\nanswers = iter({})\nbuiltins.input = lambda text: next(answers)\n"
               "print(predict.Question('1', '{}', '01 a, b, c', 'Which?', '').ask())")
        self.says(ask.format(["", "1 1 2", "x", "3 1 2"], "order"), "Type each of these numbers once, such as 3 2 1.\n", "['c', 'a', 'b']")
        self.says(ask.format(["two", "1,5", "-1", "1,500"], "ratio"), "Type a number, such as 2 or 1.5.\n", "1500.0")


class Predictions(unittest.TestCase):
    """The course's own questions."""

    def test_each_chapter_with_kernels_asks_for_a_count_that_the_lens_has_recorded(self):
        sys.path.insert(0, str(TOOLS / "exercises"))
        import predict  # pylint: disable=import-outside-toplevel

        for chapter in sorted(path.name for path in TOOLS.parent.glob("0[2-7]_*")):
            with self.subTest(chapter):
                asked = [question for question in predict.questions(chapter) if question.kind == "lens"]
                self.assertTrue(asked)
                for question in asked:
                    right = float(question.grade(0, [])[1].partition(", as")[0].replace(",", ""))
                    self.assertEqual([question.grade(right * factor, [])[0] for factor in (1, 1.05, 1.2)], [True, True, False])


class Faults(unittest.TestCase):
    """The course's own faults, which quote the chapters' code."""

    def test_each_fault_changes_lines_that_exist(self):
        sys.path.insert(0, str(TOOLS / "exercises"))
        import faults  # pylint: disable=import-outside-toplevel

        for fault in faults.faults():
            with self.subTest(fault.name):
                self.assertTrue(fault.lines())


    def test_each_attempt_has_a_block_of_code_for_each_part_of_its_exercise(self):
        sys.path.insert(0, str(TOOLS / "exercises"))
        import attempts  # pylint: disable=import-outside-toplevel
        import starter  # pylint: disable=import-outside-toplevel

        for exercise in starter.exercises():
            for attempt in attempts.attempts(exercise.number):
                with self.subTest(attempt.name):
                    self.assertNotIn("TODO", attempt.text())


class Grade(unittest.TestCase):
    """What ./course grade accepts of a student's file, and what it writes."""

    @classmethod
    def setUpClass(cls):
        sys.path[:0] = [str(TOOLS / "exercises"), str(TOOLS / "course")]
        import reports
        import starter
        import submission
        cls.reports, cls.submission = reports, submission
        cls.exercise = next(each for each in starter.exercises() if each.number == "02.3")
        cls.solution = starter.Chapter(cls.exercise.chapter).solution(cls.exercise)

    def read(self, text):
        return self.submission.read(self.exercise, text.encode("utf-8"))

    def test_the_course_code_is_its_own(self):
        source = self.read(self.solution.replace("2 * multiprocessor_count()", "1").replace("i += stride", "i += 1 * stride"))
        self.assertIn("i += 1 * stride", source.text)
        self.assertIn("2 * multiprocessor_count()", source.text)
        self.assertEqual(len(source.notes), 1)
        self.assertRegex(source.notes[0], r"^Ignored: the change to 'two_blocks_per_sm' in line \d+")

    def test_helpers_of_a_solution_are_accepted(self):
        for helper in ("constexpr int kTurns[2] = {1, 2};", "struct Pair { int first, second; };", "using Count = unsigned int;",
                       "template <int k = 2> __device__ int times(int x) { return x * k; }", "static_assert(1 > 0);"):
            for begins, ends in (("", "\n"), ("\ufeff", "\r\n")):
                text = begins + self.solution.replace("#pragma once", f"#pragma once\n{helper}").replace("\n", ends)
                self.assertIn(helper, self.read(text).text)

    def test_what_runs_without_a_call_or_hides_is_refused(self):
        for added in ("int x = f();", "__device__ int x = f();", "struct S { S(); } s;", "struct S { int x; } s;", "namespace a {}",
                      "constexpr auto f = [] { return 1; };", "template <> __device__ void f<int>() {}", "void f() {}",
                      "__host__ __device__ void f() {}", "__device__ void multiprocessor_count() {}", "union U { int x; };", "};", "{",
                      "/* never closed", "#define x y", "# include <unistd.h>", "/**/ # include <unistd.h>", "%:define x y",
                      "#pragma once /*\n*/ constexpr int x = 1;", "constexpr int x = 1, multiprocessor_count = 2;",
                      "// x \\\nint x;", "int \\u0041;", "int \u00e9;", 'using x = R"(")";', 'using x = u8R"(")";', "int x\0;", "int x;\rint y;", "::f();",
                      "__device__ void f() { return ::g(); }", "__device__ void f() { std::remove(0); }",
                      "__device__ void f() { sim::g(); }", "__device__ void grid_stride_kernel(int) {}",
                      "__device__ void f() { reinterpret_cast<void (*)()>(g)(); }", "__device__ void f() { *(int*)16 = 0; }",
                      "__device__ void f() { *reinterpret_cast<int*>(16) = 0; }", "__device__ [[gnu::used]] void f() {}",
                      "__device__ void f() { [[gnu::used]] int x; }", "__device__ void f() { x = y ?\?/ z; }"):
            with self.subTest(added), self.assertRaises(self.submission.Rejected):
                self.read(f"{self.solution}{added}\n")
        for text in ("", self.solution.replace("__global__", ""), self.solution.replace("grid_stride_kernel", "other_kernel", 1)):
            with self.subTest(text), self.assertRaises(self.submission.Rejected):
                self.read(text)

    def test_a_submission_has_one_file_of_any_name_for_an_exercise(self):
        import grade  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            for name in ("02.3_a.1.cuh", "02.4_b.cuh", "02.3_c.cuh~"):
                (Path(folder) / name).write_text("other")
            self.assertIsNone(grade.file_of(folder, self.exercise))
            (Path(folder) / "02.3_it's \"mine\" (1).cuh").write_text("mine")
            self.assertEqual(grade.file_of(folder, self.exercise), b"mine")
            (Path(folder) / "b").mkdir()
            (Path(folder) / "b/02.3_a.cuh").write_text("a")
            with self.assertRaisesRegex(self.submission.Rejected, "^there are 2 files .* and b/02.3_a.cuh; each DIR"):
                grade.file_of(folder, self.exercise)

    def test_a_check_runs_on_two_cpus_in_turn(self):
        import sandbox  # pylint: disable=import-outside-toplevel
        for allowed, expected in (({3, 5, 9, 12}, {"3,5", "9,12"}), ({4}, {"4,4"})):
            with mock.patch("os.sched_getaffinity", return_value=allowed):
                self.assertEqual({sandbox.on_few_cpus()[2] for _ in range(2)}, expected)

    def test_a_program_in_the_sandbox_starts_threads_and_no_processes(self):
        import sandbox  # pylint: disable=import-outside-toplevel
        code = ("import os, threading\nthreading.Thread(target=print).start()\n"
                "for start in ('os.fork() or os._exit(0)', 'os.posix_spawn(\"/bin/true\", [\"true\"], {})'):\n"
                "    try:\n        eval(start)\n    except PermissionError as error:\n        print(error.strerror)\n")
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(sandbox, "COURSE", []):
            if why := sandbox.missing():
                self.skipTest(why)
            for trusted, refused in ((False, 2), (True, 0)):
                ended = sandbox.Sandbox(folder, True).run(["/usr/bin/python3", "-c", code], trusted=trusted)
                self.assertEqual((ended.status, ended.stdout.count("Operation not permitted")), (0, refused), ended.stderr)
        with mock.patch.object(sandbox, "ROOT", Path("/none")):
            sandbox.no_fork.cache_clear()
            self.assertIn("No such file", sandbox.missing())

    def test_texts_of_students_stay_texts(self):
        words = self.reports.visible("]]></failure>\x1b[31m\0 <b> &amp;")
        results = [{"submission": name, "exercise": "02.3", "passed": False, "words": words} for name in (ALL_HOSTILE, "\x1b\ud800")]
        cases = list(xml.fromstring(self.reports.junit(results)).iter("testcase"))
        self.assertEqual([each.get("classname") for each in cases], [ALL_HOSTILE, "??"])
        self.assertEqual(cases[0][0].text, words)
        self.assertEqual(json.loads(self.reports.gradescope(results))["tests"][0]["output"], words)
        self.assertNotIn("\x1b", self.reports.table(results))


if __name__ == "__main__":
    unittest.main()
