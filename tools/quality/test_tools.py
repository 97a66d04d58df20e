#!/usr/bin/env python3
"""Checks the tools: text from files is never executed, damaged input is rejected in one line, and queries give the right
values.
"""

import asyncio
import contextlib
import csv
import functools
import io
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
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
       "median_s": "2e-6", "p10_s": "1e-6", "p90_s": "3e-6", "fastest_s": "5e-7", "gb_per_s": "0.5", "of_ceiling": "0.5",
       "times_cpu_sequential": "1", "times_cpu_all_cores": "1", "times_cub": "1", "verdict": "ok", "driver": "1.0",
       "cuda_driver": "13.0", "cuda_runtime": "13.0", "host_cpus": "2", "commit": "abc", "date": "2026-01-01T00:00:00Z"}


class Scripts(unittest.TestCase):
    """Each script finds the modules of the repository that it and its modules import."""

    def test_modules_are_found(self):
        ours = {file.stem for file in TOOLS.glob("*/*.py")}
        scripts = [file for file in TOOLS.glob("*/*") if file.is_file() and re.match(rb"#!.*python", file.read_bytes())]
        self.assertGreater(len(scripts), 20)
        for file in scripts:
            code = f"import runpy, sys; sys.path.insert(0, {str(file.parent)!r}); runpy.run_path({str(file)!r}, run_name='imported')"
            done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            missing = re.search(r"ModuleNotFoundError: No module named '(\w+)'", done.stderr)
            self.assertFalse(missing and missing[1] in ours, f"{file.relative_to(TOOLS)}: {missing and missing[0]}")


class Ci(unittest.TestCase):
    """The reports for CI hosts: each message has its own place, and texts are escaped."""

    @classmethod
    def setUpClass(cls):
        sys.path[:0] = [str(TOOLS / name) for name in ("lens", "course", "results", "exercises")]

    def test_a_message_is_shown_at_its_own_place(self):
        import ci  # pylint: disable=import-outside-toplevel
        at = "k<int, 2> (launched at m.cu:9), block (0, 0, 0): "
        for said, expected in (
                (f"simulator: {at}thread (1, 0, 0) at a/h.cuh:3 uses the byte right past the end of a buffer of 4 bytes allocated at m.cu:8\n", ("a/h.cuh", 3, 0)),
                (f"simulator: {at}divergent barrier: threads 0-15 wait at m.cu:4; threads 16-63 wait at m.cu:6\n", ("m.cu", 4, 0)),
                ("simulator: k (launched at m.cu:9) prints, but the program ends without waiting for it\n", ("m.cu", 9, 0)),
                ("simulator: the launch of k at a b, c.cu:5 failed: invalid argument, and the program does not check for errors\n", ("a b, c.cu", 5, 0)),
                (f"error 719: unspecified launch failure: {at}deadlock: threads 0-3 wait at m.cu:7. Bye.\n", ("m.cu", 7, 0)),
                ("m.cu:2:46: runtime error: signed integer overflow\n", ("m.cu", 2, 46)),
                ("==1==ERROR: AddressSanitizer: use-after-poison on address 0x7f0d at pc 0x1 bp 0x2 sp 0x3\nREAD of size 4 at 0x7f0d thread T0\n"
                 f"    #0 0x55 in copy(int*) {TOOLS.parent}/common/simulator/include/simulator/launch.h:3\n    #1 0x56 in k(int*) m.cu:4:7\n\nSUMMARY\n", ("m.cu", 4, 0)),
                ("m.cu:3: error: the simulator has no Thrust\nsome other words: 3\n", None)):
            with self.subTest(said):
                found = ci.of_program(said, ["a b, c.cu"])
                self.assertEqual([each[1:] for each in found], [expected] * bool(expected))
        self.assertEqual(ci.of_program(f"E: {at}x\n", [], is_told=True), [])
        self.assertEqual(ci.of_compiler("h.h: In function 'f':\nh.h:1:25: error: no x\n  1 | x\nm.cu: error: undefined reference to f: no file\n"),
                         [ci.Finding("no x", "h.h", 1, 25), ci.Finding("undefined reference to f: no file", "m.cu")])

    def test_texts_of_programs_stay_texts(self):
        import ci  # pylint: disable=import-outside-toplevel
        finding = ci.Finding(f"100%\r\n::error::{ALL_HOSTILE}", "a,b:c%\n::d.cu", 3)
        line = ci.github(finding, "error")
        self.assertEqual(len(line.splitlines()), 1)
        head, _, words = line[2:].partition("::")
        self.assertEqual(head, "error file=a%2Cb%3Ac%25%0A%3A%3Ad.cu,line=3")
        self.assertEqual(words.replace("%0A", "\n").replace("%25", "%"), f"100%?\n::error::{ALL_HOSTILE}")
        self.assertEqual(ci.github(ci.Finding("x"), "warning"), "::warning::x")

    def watched(self, run, status, words=""):
        """A run's report as JUnit XML, and the status. The run writes `words` to standard output and error."""
        import ci  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder, mock.patch("sys.stdout", sys.__stdout__), mock.patch("sys.stderr", sys.__stderr__):
            out, err, before = Path(folder) / "out", Path(folder) / "err", [os.dup(1), os.dup(2)]
            for number, path in ((1, out), (2, err)):
                with open(path, "wb") as file:
                    os.dup2(file.fileno(), number)
            try:
                options = mock.Mock(file="m.cu", files=["m.cu"], junit=Path(folder) / "x.xml", annotate="github")
                found = ci.watched("test", options, run)
                sys.stderr.flush()
            finally:
                for number, descriptor in enumerate(before, 1):
                    os.dup2(descriptor, number)
                    os.close(descriptor)
            self.assertEqual(found, status)
            self.assertIn(words, out.read_text())
            case = xml.fromstring(options.junit.read_bytes()).find("testsuite/testcase")
            return [(each.tag, each.get("message")) for each in case], [line for line in err.read_text().splitlines() if line.startswith("::")]

    def test_a_failure_is_told_from_a_program_that_could_not_be_tried(self):
        def ends(status, said="", rejected=""):
            def run(report):
                report.built(rejected)
                return subprocess.run(["sh", "-c", 'printf %s "$1"; exit "$2"', "-", said, str(status)], check=False).returncode
            return run

        def refuses(report):
            report.refused("m.cu:3:1: error: no x")
            return 1

        def is_refused(_):
            print("course: nothing was installed", file=sys.stderr)
            sys.exit(1)

        rejected = "m.cu:2:3: error: no y"
        self.assertEqual(self.watched(ends(0, "hi"), 0, "hi"), ([], []))
        self.assertEqual(self.watched(ends(0, "", rejected), 0), ([], ["::warning file=m.cu,line=2,col=3::no y"]))
        self.assertEqual(self.watched(ends(7, "a\nb"), 7), ([("failure", "exit status 7: b")], ["::error::exit status 7: b%0Aa%0Ab"]))
        self.assertEqual(self.watched(ends(134), 134), ([("failure", "ended by SIGABRT")], ["::error::ended by SIGABRT"]))
        self.assertEqual(self.watched(refuses, 1), ([("error", "m.cu:3: no x")], ["::error file=m.cu,line=3,col=1::no x"]))
        self.assertEqual(self.watched(is_refused, 1)[0], [("error", "exit status 1: course: nothing was installed")])

    def test_the_workflow_for_others_has_options_that_exist(self):
        import cli  # pylint: disable=import-outside-toplevel
        text = (TOOLS.parent / "docs/ci.yml").read_text(encoding="utf-8")
        found = re.findall(r"course/course (test|lens) (.*)", text)
        self.assertEqual([command for command, _ in found], ["test", "lens"])
        for command, words in found:
            options = cli.parse(command, words.split())
            self.assertEqual((options.junit, options.annotate), (f"{command}.xml", "github"))
        self.assertNotIn("${{", text)  # GitHub would paste such an expression's value into the script


class Lens(unittest.TestCase):
    """What margins and reports show of the lens's output."""

    SITE = {"line": "work/a.cuh:7", "space": "shared", "kind": "load", "bytes_per_lane": 4, "requests": 1, "lanes": 1, "blocks": 32, "counted_blocks": 2,
            "sectors": 0, "bytes": 0, "wavefronts": 1, "least": 1, "least_cost": 1, "in_variable": False, "most_lanes_on_address": 0,
            "worst_cost": 1, "worst_bank": 0, "worst_words": 1, "worst_lanes": 1, "worst_addresses": [0]}

    @classmethod
    def setUpClass(cls):
        sys.path[:0] = [str(TOOLS / name) for name in ("lens", "course", "results")]

    def test_a_basic_blocks_instructions_are_the_kernels(self):
        from basic_blocks import disassembled, kinds_of  # pylint: disable=import-outside-toplevel
        begin = ["k.cu:1", "  10:\tmulss  %xmm1,%xmm0", "  11:\tmov    %rax,%rdi", "  12:\tcall   90 <__tsan_read4>"]
        cases = {("  13:\tcmp    $0x4,%ebx", "  14:\tjne    10 <k+0x0>"): (1, 0),  # a loop that nvcc unrolls
                 ("  13:\tadd    $0x1,%ebx", "  14:\tcmp    %ebx,%ecx", "  15:\tjne    10 <k+0x0>"): (1, 0),
                 ("  13:\tadd    %rcx,%rbx", "  14:\tcmp    %rdx,%rbx", "  15:\tjb     10 <k+0x0>"): (2, 1),
                 ("  13:\tand    $0x7,%ebx", "  14:\tje     17 <k+0x7>", "  15:\tlea    0x8(%rip),%rdi",
                  "  16:\tcall   91 <__ubsan_handle_type_mismatch_v1_abort>", "  17:\tdiv    %ecx"): (1, 0),
                 ("s/include/simulator/kernel.h:5", "  13:\tadd    %ecx,%ebx", "k.cu:2", "  14:\tjmp    16 <k+0x6>", "  15:\timul   %eax,%eax",
                  "  16:\tcall   92 <__sanitizer_cov_trace_pc>", "  17:\timul   %eax,%eax"): (1, 0)}
        for lines, expected in cases.items():
            code = disassembled("\n".join([*begin, *lines]))
            kinds = kinds_of(code, {each[0]: i for i, each in enumerate(code)}, 0)
            self.assertEqual((kinds["arithmetic"], kinds["branches"]), expected, lines)
            self.assertEqual(kinds["divisions"], int("div" in " ".join(lines)))

    def test_kernels_and_variables_are_named_without_namespaces(self):
        import counts  # pylint: disable=import-outside-toplevel
        seen = counts.read(json.dumps({"launches": [], "findings": [{"kernel": "a::b::k", "where": "student::g_counts[3]"}]}))
        self.assertEqual(seen["findings"], [{"kernel": "k", "where": "g_counts[3]"}])

    def test_a_margin_has_the_lines_of_its_file_and_both_ends_of_a_race(self):
        import margin  # pylint: disable=import-outside-toplevel
        load = {**self.SITE, "space": "global", "requests": 1024, "lanes": 32768, "sectors": 32768, "bytes": 131072, "blocks": 2, "worst_lanes": 0b101,
                "worst_addresses": [4096 + 128, 4096 + 256]}
        race = {"problem": "race", "kernel": "k", "where": "counts[0]", "space": "shared", "count": 1, "distance": "warps", "partial_barriers": [], "lacks_fence": False}
        for prefix, line in (("", "work/a.cuh:9"), ("other_", "03_x/kernels.cuh:7")):
            race |= {f"{prefix}{name}": value for name, value in (("line", line), ("kind", "store"), ("calls", []), ("block", 0), ("thread", 40))}
        found = margin.margin([{"sites": [self.SITE, load, {**load, "line": "03_x/kernels.cuh:7"}]}], [race], "work/a.cuh")
        self.assertEqual([(each["line"], each["heat"], each["findings"]) for each in found["lines"]], [(7, 1, []), (9, 0, [0])])
        first, second = found["lines"][0]["accesses"]
        self.assertEqual(found["lines"][0]["name"], "line 7: global load 1,024 requests 32.0 lanes 32.00 sectors each 12% used; "
                                                    "shared load ~1 requests 1.0 lanes 1.00 wavefronts each")
        self.assertEqual([first["cells"], second["cells"]], [["global load", "1,024", "32", "", "32", "12%"], ["shared load", "~1", "", "1", "1", ""]])
        self.assertEqual(first["request"]["lanes"], [[0, 0], [2, 128]])
        self.assertEqual(found["findings"][0]["lines"], [9, None])
        self.assertIn("__syncthreads()", found["findings"][0]["words"][-1])

    def test_a_bound_leaves_out_what_nvcc_may_leave_out(self):
        import counts  # pylint: disable=import-outside-toplevel
        shared, load = self.SITE | {"least": 1, "least_cost": 2}, self.SITE | {"space": "global", "least": 2, "least_cost": 10}
        store = load | {"kind": "store", "least_cost": 11}
        launch = {"busiest_line": 0, "hottest_address": 0, "sites": [shared, load, store, {**load, "in_variable": True}]}
        self.assertEqual(counts.least(launch), {"least_requests": 1 + 2 + 2, "least_wavefronts": 2, "least_loads": 10, "least_stores": 11,
                                                "least_atomics": 0, "least_line": 0, "least_address": 0})
        atomic = self.SITE | {"space": "global", "kind": "atomic", "in_variable": True, "sectors": 3, "lanes": 32}
        self.assertEqual(counts.least({**launch, "sites": [atomic]})["least_atomics"], 3)

    def test_a_report_says_which_counts_are_estimated(self):
        import text  # pylint: disable=import-outside-toplevel
        launch = {"kernel": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "launches": 1, "blocks": 32, "sample": 16,
                  "in_one_stream": 1, "touched_sectors": 0, "warp_functions": 0, "busiest_line": 0, "barriers": [], "hottest_address": 0, "sites": [self.SITE]}
        report = "\n".join(text.report([("v", {"launches": [launch], "findings": [], "fault": None})], True, []))
        self.assertRegex(report, "~1 requests")
        self.assertIn("~: estimated from one block in 16", report)
        kernel = {**launch, "launches": 1, "sites": [{**self.SITE, "counted_blocks": 32}]}
        report = "\n".join(text.report([("m.cu", {"launches": [kernel, {**kernel, "kernel": "other"}], "findings": [], "fault": {"kernel": "k", "message": "m"}})],
                                       False, []))
        self.assertRegex(report, r"kernel +launches.*\n.*\nk +1 .*\nother +1 .*\n(.*\n)*kernel +at least.*\nk +.*\nother +.*\n\nall kernels: limiter")

    def test_the_readers_profile_keeps_the_best_of_all_runs_on_a_gpu(self):
        import profiles  # pylint: disable=import-outside-toplevel
        lines = (TOOLS.parent / "docs/results/nvidia-h200/profile.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        faster = [re.sub("(,DRAM,.*,)(.*)$", lambda found: f"{found[1]}{float(found[2]) / 2}", line) for line in lines]
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(profiles, "OWN", Path(folder) / "work" / "profile.csv"):
            rates = []
            for run in (lines, faster, lines):
                profiles.add("".join(run))
                rates.append(profiles.measured(profiles.OWN).rates["DRAM"])
            self.assertGreater(rates[1], 1.9 * rates[0])
            self.assertEqual(rates[2], rates[1])
            profiles.add("".join(lines).replace("H200", "H100"))  # the machine has another GPU now
            self.assertEqual(profiles.measured(profiles.OWN).rates["DRAM"], rates[0])

    def test_a_kernel_is_compared_with_the_recorded_variant_that_has_its_counts_or_with_the_nearest_two(self):
        import neighbour  # pylint: disable=import-outside-toplevel
        import recorded  # pylint: disable=import-outside-toplevel
        from profiles import profile  # pylint: disable=import-outside-toplevel
        usual, n = profile("H200"), 100 << 20
        known = recorded.known_counts()

        def words(place, chapter=None, given="uniform", size=n, gpu=usual, **changed):
            kernel, *others = known[(place[0], "", place[1], given if size < n else "uniform", str(min(size, n)), "0", "0")]
            return neighbour.words([{**kernel, **{name: factor * kernel[name] for name, factor in changed.items()}}, *others],
                                   chapter or place[0], given, size, gpu)

        article, wide, copies = ("03_shared_privatized", "article"), ("04_coarsened", "16-byte loads"), ("04_coarsened", "32 copies")
        found, = words(article)
        self.assertRegex(found, r"^about the same counts as \*article\*: \d+ us or \*any block\*: \d+ us on an H200; the time above the bound is spent waiting: "
                                r"1,552 loads per warp, one after another, take 568 us$")
        self.assertRegex(words(wide)[0], r"^about the same counts as \*16-byte loads\*: [\d.]+ us on an H200$")  # the loads take far less time than that
        self.assertRegex(words(copies)[0], r"^about the same counts as \*32 copies\*: [\d.]+ us on an H200$")  # not *loads in flight*, although it is close
        self.assertEqual(words(article, wavefronts=1.019)[0].partition(":")[0], "about the same counts as *a copy per warp*")  # the nearest variant
        self.assertRegex(words(article, wavefronts=1.03)[0], r"^no variant .* an H200 has these counts; the nearest: \*any block\* [\w ]+, \d+ us, with "
                                                             r"10,354,718 wavefronts in shared memory instead of 10,662,549; \*article\*")
        self.assertEqual(words(article, wavefronts=2)[0].count(" instead of "), 2)
        in_global_memory = words(("05_sum_of_squares", "512 contiguous"), given="article", size=1 << 20, store_sectors=2049)[0]
        self.assertRegex(in_global_memory, r"the nearest: \*512 contiguous\*, \d+ us, with 128 sectors of global stores instead of 262,272")
        self.assertIn("blocks instead of 528", words(article, blocks=2)[0])
        self.assertNotIn("waiting", words(article, loads=0.8, load_sectors=0.8)[0])
        for nothing in ({"chapter": "08_live"}, {"given": "bytes"}, {"size": n + 1}, {"gpu": profile("T4")}):
            self.assertEqual(words(article, **nothing), [])
        self.assertRegex(words(wide, gpu=profile("H100"))[0], r"^about the same counts as \*16-byte loads\*: [\d.]+ us on an H100$")


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
        """Checks that a command fails with one line that begins with a place and contains these words."""
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
        self.assertEqual([len(re.findall(r'<td class="text">\d\d<', part)) for part in (histogram, squares, joint, new)],
                         [2, 1, 1, 1])
        self.assertIn('<td class="text">08<', histogram)
        self.assertEqual(["<svg" in part for part in (histogram, squares, joint, new)], [True, True, False, False])
        self.assertTrue(new.startswith("&lt;b&gt;new&lt;/b&gt; of 1,000 elements"))

    def test_a_page_of_simulated_rows_has_verdicts_and_counts_and_no_times(self):
        page = self.page({"simulated": "true"}, {"simulated": "true", "verdict": "wrong on purpose: lost 3"},
                         {"simulated": "true", "verdict": "WRONG: bin 3"}, {"device": "CPU", "variant": "(one CPU core)"})
        self.assertIn("3 variants: 1 right, 1 wrong on purpose, 1 wrong.", page)
        self.assertIn("lost 3", page)
        for time in ("<svg", "2.00 us", "GB/s</th>", "(one CPU core)"):
            self.assertNotIn(time, page)

    def test_beside_simulated_rows_is_what_was_recorded(self):
        page = self.page({"simulated": "true", "chapter": "04_coarsened", "variant": "contiguous"}, {"simulated": "true"})
        with open(TOOLS.parent / "docs/results/nvidia-h200.csv", encoding="utf-8") as file:
            time = next(float(row["median_s"]) for row in csv.DictReader(file) if (row["case"], row["variant"]) == ("progression", "contiguous"))
        known, unknown = page.split("<tr class=")[1:]
        self.assertIn(f'<td class="value">{1e6 * time:.0f} us</td>', known)
        self.assertIn('<td class="value">16</td>', known)  # sectors per load
        self.assertEqual(unknown.count("–"), known.count('class="value"'))

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


class Packages(unittest.TestCase):
    """Which packages a command asks for."""

    @classmethod
    def setUpClass(cls):
        sys.path[:0] = [str(TOOLS / name) for name in ("course", "results")]

    def test_applications_whose_libraries_are_missing_are_left_out_where_nothing_may_be_installed(self):
        import packages  # pylint: disable=import-outside-toplevel
        real = packages.place
        with mock.patch.object(packages, "place", lambda sign: None if sign in ("png.h", "csv.h") else real(sign)), \
                mock.patch.object(packages, "can_become_root", lambda may_ask=True: False):
            for required, optional, words, fails in (((), {"png.h"}, "Not built: applications that need libpng-dev ", False),
                                                     ({"png.h", "csv.h"}, (), "Missing: libpng-dev libcsv-dev\n", True),
                                                     ({"csv.h"}, (), "", False), ((), {"nccl.h"}, "", False)):
                with mock.patch("sys.stderr", io.StringIO()) as said:
                    try:
                        from_source = packages.set_up({"build"}, True, required, optional)
                        self.assertEqual(from_source, {"libcsv"} if required else set())
                        self.assertFalse(fails, words)
                    except SystemExit:
                        self.assertTrue(fails, words)
                self.assertTrue(said.getvalue().startswith(words) and bool(words) == bool(said.getvalue()), said.getvalue())
            with mock.patch("sys.stdout", io.StringIO()) as said:
                self.assertFalse(packages.check())
            self.assertRegex(said.getvalue(), r"\nlibcsv-dev +applications\s+missing \(apt: libcsv-dev; without root: from source\)\n")
            self.assertRegex(said.getvalue(), r"\nlibpng-dev +applications +missing \(apt: libpng-dev\)\n(.*\n)*\nTo install what is missing, type\n.* libpng-dev libcsv-dev")

    def test_a_missing_package_has_its_name_for_this_machines_manager_or_for_all_of_them(self):
        import packages  # pylint: disable=import-outside-toplevel
        for manager, words, command in (
                ("dnf", "missing (dnf: libcsv-devel; without root: from source)", True),
                ("pacman", "missing (pacman has no such package; without root: from source)", True),
                (None, "missing (apt: libcsv-dev, dnf: libcsv-devel, brew: libcsv; without root: from source)", False)):
            with self.subTest(manager), mock.patch.object(packages, "manager", lambda manager=manager: manager), \
                    mock.patch.object(packages, "place", lambda sign: None), mock.patch("sys.stdout", io.StringIO()) as said:
                self.assertFalse(packages.check())
                table, _, to_type = said.getvalue().partition("\nTo install what is missing")
                self.assertIn(words, table)
                self.assertLessEqual(max(map(len, table.splitlines())), 100)
                self.assertEqual(bool(to_type), command)
                self.assertNotIn("libcsv-dev ", to_type)

    def test_a_package_that_this_release_lacks_does_not_keep_the_others_from_being_installed(self):
        import packages  # pylint: disable=import-outside-toplevel
        names = ["clang", "libclang-rt-dev", "gdb"]
        with tempfile.TemporaryDirectory() as folder:
            def apt(has):
                for name, lines in (("apt-get", []), ("apt-cache", [f"echo Package: {each}" for each in has])):
                    Path(folder, name).write_text("\n".join(["#!/bin/sh", *lines, "exit 100"]), encoding="utf-8")
                    Path(folder, name).chmod(0o755)

            with mock.patch.dict(os.environ, {"PATH": folder}):
                for has, left in ((["clang", "gdb"], ["clang", "gdb"]), (names, names), ([], names)):
                    apt(has)
                    self.assertEqual(packages.offered(names), left)
                    self.assertTrue(packages.by_hand(names).rstrip("'").endswith(f"install -y {' '.join(left)}"))


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


class Output(unittest.TestCase):
    """Output fits in 100 columns."""

    def test_lines_are_wrapped_between_words(self):
        sys.path.insert(0, str(TOOLS / "course"))
        import terminal  # pylint: disable=import-outside-toplevel
        words = [f"word-{k}" for k in range(40)]
        for lines, indent in ((terminal.wrapped(f"  {' '.join(words)}"), "      "), (terminal.flowed(" \n".join(words)), ""),
                              (terminal.flowed(f"* {' '.join(words)}"), "  ")):
            first, *others = lines.splitlines()
            self.assertTrue(others and all(len(line) <= 100 and re.match(rf"{indent}word", line) for line in others), lines)
            self.assertEqual(lines.replace("* ", "").split(), words)
        code = f"a b\n\n```\n{'c ' * 80}\n```\n\n| {'d | ' * 50}\n\n* e\n* f"
        self.assertEqual(terminal.flowed(code), code)

    def test_the_lens_fits(self):
        sys.path.insert(0, str(TOOLS / "lens"))
        import text  # pylint: disable=import-outside-toplevel
        site = {"line": "f.cu:7", "space": "shared", "kind": "atomic", "bytes_per_lane": 4, "requests": 10**9, "lanes": 10**10, "blocks": 32,
                "counted_blocks": 2, "sectors": 10**10, "bytes": 10**9, "wavefronts": 10**10, "least": 10**9, "least_cost": 10**10, "in_variable": False,
                "most_lanes_on_address": 32,
                "worst_cost": 32, "worst_bank": 31, "worst_words": 32, "worst_lanes": 1, "worst_addresses": [0]}
        launch = {"kernel": "k", "grid": [1, 1, 1], "block": [1024, 1, 1], "launches": 1000, "in_one_stream": 1000, "blocks": 10**6, "sample": 16,
                  "touched_sectors": 10**9, "warp_functions": 0, "busiest_line": 10**8, "hottest_address": 10**8,
                  "arithmetic": 10**13, "branches": 10**10, "divisions": 10**9, "weighed_lanes": 10**13,
                  "sites": [site, {**site, "space": "global"}, {**site, "space": "global", "kind": "load"}],
                  "barriers": [{"line": "f.cu:7", "count": 10**9, "requests": 1, "most_requests": 100}]}
        place = {"kind": "atomic", "line": "03_shared_privatized/kernels.cuh:100", "calls": ["03_shared_privatized/kernels.cuh:200"],
                 "block": 10**6, "thread": 1023}
        finding = {"problem": "race", "kernel": "k" * 48, "where": "an_array[250]", "space": "shared", "count": 10**9,
                   "distance": "blocks", "partial_barriers": [], "lacks_fence": False, **place, **{f"other_{name}": of for name, of in place.items()}}
        seen = {"launches": [launch], "findings": [finding], "fault": {"message": "word " * 50}, "large": [],
                "row": {"n": "1000000", "chapter": "06_tree_reduction", "input": "article"}}
        lines = "\n".join(text.report([("tree in global memory", seen)], True, [])).splitlines()
        self.assertEqual([line for line in lines if len(line) > 100], [])


class Labels(unittest.TestCase):
    """No two labels of a picture overlap, according to Helvetica's widths; tools/site/audit.mjs asks a browser."""

    # Widths of characters, relative to the font's size.
    WIDTHS = {**dict.fromkeys("ijl'|", 0.22), **dict.fromkeys(" ftI.,:;/!()[]-r", 0.3), **dict.fromkeys("mMW%@", 0.87),
              **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZw&", 0.7)}
    ABOVE, BELOW = 0.72, 0.1  # of most letters, relative to a line's height: lines may be set close

    def boxes(self, svg):
        """The visible labels, each with its left, right, top and bottom edge."""
        root = xml.fromstring(svg)
        rules = dict(re.findall(r"\.([\w-]+)(?: text)? *{([^}]*)}", "".join(style.text for style in root.findall(".//{*}style"))))

        def visit(node, x, y, size, anchor, turned):
            given = dict(node.attrib)
            for name in given.get("class", "").split():  # a class's rule overrides an inherited value
                given.update(re.findall(r"(font-size|text-anchor): *([\w.]+)", rules.get(name, "")))
            if given.get("display") == "none" or node.tag.endswith("}defs"):
                return
            moved = re.match(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)( rotate)?", given.get("transform", ""))
            x, y, turned = (x + float(moved[1]), y + float(moved[2]), turned or bool(moved[3])) if moved else (x, y, turned)
            size, anchor = float(given.get("font-size", f"{size}").removesuffix("px")), given.get("text-anchor", anchor)
            if node.tag.endswith("}text"):
                words = " ".join("".join(node.itertext()).split())
                width = sum(self.WIDTHS.get(letter, 0.56) for letter in words) * size
                x, y = x + float(given.get("x", 0)), y + float(given.get("y", 0))
                before = {"start": 0, "middle": width / 2, "end": width}[anchor]
                yield words, *((x - self.ABOVE * size, x + self.BELOW * size, y - width + before, y + before) if turned else
                               (x - before, x - before + width, y - self.ABOVE * size, y + self.BELOW * size))
            for child in node:
                yield from visit(child, x, y, size, anchor, turned)

        return [box for box in visit(root, 0, 0, 15, "start", False) if box[0]]

    def test_no_two_overlap(self):
        for path in TOOLS.parent.glob("docs/**/*.svg"):
            with self.subTest(path.name):
                svg = path.read_text(encoding="utf-8")
                boxes = self.boxes(svg)
                self.assertEqual(bool(boxes), "<text" in svg)
                self.assertEqual([(one[0], other[0]) for at, one in enumerate(boxes) for other in boxes[:at]
                                  if min(one[2], other[2]) > max(one[1], other[1]) and min(one[4], other[4]) > max(one[3], other[3])], [])


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
                ("x = 01 v case=sizes time", "case=sizes applies to the variants after it"), ("x = time * 2", "any other formula"), ("x = time / twice", "a ratio needs"),
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
                (f"<!-- fill: chart ../x title 01 v show time -->{end}", "a chart needs a name"),
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

    def test_each_change_that_makes_no_difference_is_one_of_those_that_are_made(self):
        mutate = runpy.run_path(str(TOOLS / "quality" / "mutate"))
        made = functools.cache(lambda file: mutate["mutants_of"](file, (TOOLS.parent / file).read_text(encoding="utf-8")))
        for file, part in mutate["equivalent"]():
            with self.subTest(file=file, part=part):
                self.assertTrue(any(mutate["is_one_of"](mutant, [(file, part)]) for mutant in made(file)))


class Cpp(unittest.TestCase):
    """The reader of C++ source that all tools share."""

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


class Builds(Folder):
    def ends_with(self, words):
        import builds  # pylint: disable=import-outside-toplevel
        with mock.patch.object(builds, "ROOT", self.folder), mock.patch("sys.stderr", io.StringIO()) as said:
            self.assertRaises(SystemExit, builds.require_space)
        self.assertIn(words, said.getvalue())

    def test_a_folder_that_can_not_be_built_in_is_named(self):
        sys.path.insert(0, str(TOOLS / "course"))
        with mock.patch("os.statvfs", return_value=mock.Mock(f_flag=os.ST_NOEXEC)):
            self.ends_with(f"no program can be run from {self.folder}/build")
        with mock.patch("tempfile.TemporaryFile", side_effect=OSError(28, "No space left on device")):
            self.ends_with(f"can't write to {self.folder}/build: the disk or your quota is full")


class Programs(Folder):
    def test_nvcc_makes_relocatable_code_only_where_device_code_is_linked(self):
        sys.path.insert(0, str(TOOLS / "course"))
        import program  # pylint: disable=import-outside-toplevel
        nvcc = self.folder / "nvcc"
        nvcc.write_text('#!/bin/sh\necho "$*" >>log\ncase "$*" in *rdc*) ;; *child.cu*) echo "error: a kernel launch requires separate '
                        'compilation mode"; exit 1;; *wrong.cu*) echo "error: wrong"; exit 1;; esac\n')
        nvcc.chmod(0o755)
        for name, text in (("a.cu", ""), ("b.cu", ""), ("c.cpp", ""), ("extern.cu", "extern __device__ int a;"), ("child.cu", ""), ("wrong.cu", "")):
            self.write(name, text)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder)
        with mock.patch.dict(os.environ, {"CUDACXX": str(nvcc)}), mock.patch.object(program, "show"):
            for files, expected in ((["a.cu"], [False]), (["a.cu", "c.cpp"], [False]), (["a.cu", "b.cu"], [True]), (["extern.cu"], [True]),
                                    (["child.cu"], [False, True])):
                program.with_nvcc(files, [], self.folder / "program")
                asked = (self.folder / "log").read_text(encoding="utf-8").splitlines()
                self.assertEqual(["-rdc=true" in line for line in asked], expected, files)
                (self.folder / "log").unlink()
            self.assertRaisesRegex(program.Refused, "wrong", program.with_nvcc, ["wrong.cu"], [], self.folder / "program")
            self.assertEqual(len((self.folder / "log").read_text(encoding="utf-8").splitlines()), 1)


    def test_a_barrier_without_brackets_is_an_error_in_a_students_code(self):
        options = re.findall("-Werror=[a-z]+", (TOOLS.parent / "common/exercise/exercise.cmake").read_text(encoding="utf-8"))
        for end, errors in ((";", 1), ("();", 0)):
            run = subprocess.run(["g++", "-x", "c++", "-Wall", "-fsyntax-only", *options, "-"], input=f"void __syncthreads(); void f() {{ __syncthreads{end} }}",
                                 text=True, capture_output=True, check=False)
            self.assertEqual(run.returncode, errors, run.stderr)


class FailedChecks(Folder):
    """The paragraphs that ./course test prints at its end."""

    def said(self, failures=(), **outputs):
        """The output about failed checks in ctest's log: `in_order` and `interleaved` are what they print, `failures` the data."""
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
        self.assertIn("few: got 25\n  The check fails for a smaller n if threads can be interrupted", said)
        self.assertNotIn("21431", said)

    def test_a_fault_in_both_orders_is_told_as_it_is_in_order(self):
        failures = [self.failure("got 0xA5A5A5A5", 31, has_poison=True), self.failure("got 7", 31)]
        said = self.said(failures, in_order="got 0xA5A5A5A5", interleaved="got 7")
        self.assertIn("got 0xA5A5A5A5\n  Is every counter set to 0", said)
        self.assertNotIn("race", said)
        self.assertIn("it ended", self.said(failures, in_order="it ended", interleaved="got 7"))
        self.assertIn("The check fails only if threads", self.said(failures, interleaved="got 7"))

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

    # A machine with four stages; the code of each test defines its check and its lens.
    FAKE = ("import asyncio, stages as s\nfrom verdict import Verdict, sentences\nright = Verdict('right')\n"
            "class Fake(s.Machine):\n    at_once = 4\n    async def build(self, *_): return ''\n    async def run(self, *_): return right\n"
            "    async def look(self, arguments, _):\n        print(*arguments[1:])\n        return seen, by_check\n"
            "def verify(*found):\n    s.STAGES[:] = found\n    Fake.stages = tuple(each.name for each in found)\n"
            "    return asyncio.run(s.verify(exercise, Fake(), lambda stage, found: print(stage.name, getattr(found, 'what', repr(found)))))\n")

    def program(self, name, text):
        """Writes a script in place of a program that was built for the simulator."""
        self.write(f"build/simulator/bin/{name}", text)
        (self.folder / f"build/simulator/bin/{name}").chmod(0o755)

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

    def test_an_exercise_is_named_by_its_number_or_its_file(self):
        self.says("from exercise import find\nnames = '03.1', '3.1', '03', '03_x/', 'work/03.1_one.cuh', '03.1_one.cuh'\n"
                  "print([name for name in names if find(name, exercises()) != [exercise]])", "[]\n")

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
        self.says("fault, = faults()\ntry:\n    fault.text()\nexcept ValueError as wrong:\n    print(wrong)", "at 0 places")

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
        begin = ("from dataclasses import replace\nfrom verdict import Verdict, changes_with_order, sentences, with_meaning\n"
                 "right, guess, case = Verdict('right'), sentences('a guess'), {'n': 1, 'words': 'n = 1'}\n"
                 "one, two = Verdict('result', 'got 0', guess, case), Verdict('result', 'got 7', [], case)\n"
                 "stopped, elsewhere = (Verdict('error', f'thread {k}', [], case, {'kind': 'address'}) for k in (3, 9))\n")
        for pair, expected in (("one, right", True), ("one, two", True), ("one, one", False), ("stopped, elsewhere", False),
                               ("stopped, one", False), ("stopped, right", True)):
            self.says(f"{begin}print(changes_with_order({pair}))", f"{expected}\n")
        # What the failed check is about remains, unlike a guess.
        code = ("import asyncio, stages\n"
                "one = replace(one, sentences=[*guess, {'text': 'an idea', 'of_race': False, 'is_idea': True}])\n"
                "async def run(*_, **__): return right\nstages.run = run\nclass Machine: pass\n")
        self.says(f"{begin}{code}print(asyncio.run(stages.in_two_orders(exercise, one, Machine)).words)",
                  "got 0', '  an idea', '  The result depends on the order")
        for order, found, expected in (("interleaved", "one", "['Wrong for n = 1: got 0', '  a race']"), ("interleaved", "stopped", "thread 3']"),
                                       ("interleaved", "replace(one, has_unset=True)", "['Wrong for n = 1: got 0']"),
                                       ("interleaved", "Verdict('time', 'endless')", "['endless', '  If the threads run one after another, the same check passes.']"),
                                       ("plain", "one", "got 0', '  Without AddressSanitizer and UndefinedBehaviorSanitizer, the same check passes.', '  a guess']"),
                                       ("plain", "Verdict('tool', 'overflow')", "['overflow', '  a race']")):
            self.says(f"{begin}print(with_meaning('{order}', 'a race', {found}).words)", expected)

    def test_a_crash_says_what_it_usually_means_and_the_line(self):
        self.says("from verdict import ended_by\nprint(ended_by(11), ended_by(99))",
                  "SIGSEGV, usually because of an index outside an array", "by signal 99.")
        self.program("crash_plain", "#!/bin/bash\necho '==1==ERROR: AddressSanitizer: overflow on address 0x1 at' >&2; echo '    #0 0x1 in f a.h:3' >&2\n"
                                    "echo '    #1 0x2 in g /x/work/03.1_one.cuh:7' >&2; kill -11 $$\n")
        self.says("import native\nfound = native.checked('crash', 'simulator', 'plain')\nprint(*found.words, found.kind, found.site, sep='\\n')",
                  "SIGSEGV", "  AddressSanitizer: overflow\n  at work/03.1_one.cuh:7\nsignal\nwork/03.1_one.cuh:7\n")

    def test_a_loop_without_an_end_is_no_crash(self):
        show = "import native\nnative.SECONDS = {}\nfound = native.checked('loop', 'simulator', 'plain')\nprint(*found.words, found.kind, sep='\\n')"
        self.program("loop_plain", "#!/bin/bash\necho 'simulator: the code at work/03.1_one.cuh:7 goes on' >&2; kill -XCPU $$\n")
        self.says(show.format(120), "The program was stopped after 30 seconds of CPU time, the limit of a check.\n  simulator: the code at work/03.1_one.cuh:7 goes on\ntime\n")
        tell = ("#!/bin/bash\necho '{\"case\": {\"n\": 5, \"words\": \"n = 5\"}, \"right\": 1234, \"cpu_seconds\": 27.04}' >&$COURSE_VERDICT\n"
                "echo 'simulator: said before' >&2\n")
        self.program("loop_plain", f"{tell}kill -XCPU $$\n")
        self.says(show.format(120), "Stopped for n = 5: the program was stopped after 30 seconds of CPU time, the limit of a check.\n  The 1,234 cases before this one "
                  "are right and took 27.0 s of CPU time; this one had used 3.0 s.\n  The program makes progress, but does far too much work.\n  simulator: said before\ntime\n")
        one = tell.replace("27.04", '0.04, "seconds": 2')
        self.program("loop_plain", f"{one}kill -XCPU $$\n")
        self.says(show.format(120), "after 2 seconds of CPU time, the limit of a case.\n  The 1,234 cases", "this one had used 2.0 s.\n  This case never ends, or does ")
        self.program("loop_plain", f"{one.replace('0.04', '28.5')}kill -XCPU $$\n")
        self.says(show.format(120), "after 30 seconds of CPU time, the limit of a check.\n")
        self.program("loop_plain", f"{one.replace('0.04', '4.5')}kill -XCPU $$\n")
        self.says(show.format(120), "this one had used 2.0 s.\n  This case never ends, or does ")
        for waits in (tell.replace("27.04", "2"), one):
            self.program("loop_plain", f"{waits}exec sleep 60\n")
            self.says(show.format(1), "Stopped for n = 5: the program was stopped after 1 seconds, in which it used 0.",
                      " s of CPU time: it waited, or this machine was busy.\n", "this one had used 0.0 s.\n  simulator: said before\n")
            self.says(show.format(120), "Stopped for n = 5: the program was stopped after 3 seconds in which all its threads only waited.\n", "had used 0.0 s.\n  simulator: said")
        self.program("loop_plain", "#!/bin/bash\nsleep 4 & for k in 1 2 3 4 5; do sleep 1; for ((i = 0; i < 100000; ++i)); do :; done; done; wait\nexit 3\n")
        self.says(show.format(120), "The program ended with status 3.")
        shown = self.says("from verdict import out_of_time\nprint(*out_of_time('9 seconds', 5.0, {'right': 2, 'cpu_seconds': 4.0}).words, sep='\\n')")
        self.says("from verdict import out_of_time\nprint(out_of_time('9 seconds', 5.0, {'case': {'n': 1 << 33, 'words': 'n'}}).words[1:])", "['  If an index has 32 bits,")
        self.assertEqual(shown, "The program was stopped after 9 seconds.\n  The 2 cases before this one are right and took 4.0 s of CPU time; this one had used 1.0 s.\n")

    def test_what_a_students_code_prints_is_neither_a_verdict_nor_a_case(self):
        begin = ("import json, os\ndef told(**line): os.write(int(os.environ['COURSE_VERDICT']), json.dumps(line).encode() + b'\\n')\n"
                 "os.write(1, b'old')\ntold(case={'n': 5, 'words': 'n = 5'}, output=3)\nos.write(1, b'hello {\"kind\": \"right\"}\\n')\n")
        give = "told(token={}, kind={!r}, what='got 0', case={{'words': 'n = 5'}}, sentences=[])\nos._exit({})\n"
        failed = "told(kind='result', what='got 0', case={'words': 'n = 5'})\n"
        for name, end in (("wrong", give.format("input()", "result", 1)), ("stopped", "os.write(2, b'simulator: bad\\n')\nos._exit(1)"), ("unexplained", failed + "os.kill(os.getpid(), 24)"), ("crash", "os.kill(os.getpid(), 11)"), ("forged", give.format("'x'", "right", 0)),
                          ("junk", "os.write(int(os.environ['COURSE_VERDICT']), b'\\xff{\\n[1]\\n')\nos._exit(0)"),
                          ("late", give.format("input()", "right", 3)), ("right", give.format("input()", "right", 0))):
            self.program(f"{name}_plain", f"#!{sys.executable}\n{begin}{end}")
        show = "import native\nfound = native.checked('{}', 'simulator', 'plain')\nprint(found.words, found.printed)"
        printed = """['hello {"kind": "right"}']\n"""
        self.says(show.format("wrong"), f"['Wrong for n = 5: got 0'] {printed}")
        self.says(show.format("stopped"), f"['Wrong for n = 5: bad'] {printed}")
        self.says(show.format("unexplained"), f"['Wrong for n = 5: got 0'] {printed}")
        self.says(show.format("crash"), "['Wrong for n = 5: the program was ended by SIGSEGV, ", f" {printed}")
        for name, status in (("forged", 0), ("junk", 0), ("late", 3)):
            self.says(show.format(name), f"['The program ended with status {status}.'] {printed}")
        self.says(show.format("right"), "[] []\n")
        for name, end in (("yes", "exec yes"), ("noise", "exec yes >&2")):
            self.program(f"{name}_plain", f"#!/bin/sh\n{end}\n")
            self.says(f"import native\nprint(native.checked('{name}', 'simulator', 'plain').words)", "because it printed more than 4 MiB")

    def test_a_file_that_is_not_complete_or_no_utf8_says_so(self):
        whole = self.says("print(work.chapter.starter(exercise))")
        show = self.FAKE + ("async def lost(*_): return 'the entry:1:2: error: lost'\nFake.build = lost\n"
                            "print(verify(s.Stage('1', 'p', 'plain', None)).words)")
        for text, expected in ((b"int a;\n// \xe9\n", "work/03.1_one.cuh:2: this line is not UTF-8 text"), (whole.encode("utf-16"), "cuh:1: this line"),
                               ("", "cuh: 'kBlock', which is in the starter, is missing."),
                               (whole.replace("run(int", "walk(int"), "cuh: 'run', which is in"),
                               (whole[:whole.index("}")], "cuh:14: '{' is never closed."), (whole + "}", "'}' closes nothing."),
                               (("\ufeff" + whole).replace("\n", "\r\n"), "['It does not compile.', 'the entry:1:2: error: lost']")):
            with self.subTest(expected):
                self.write("work/03.1_one.cuh", text)
                self.says(show, expected)
        self.says(show.replace("'the entry:1:2: error: lost'", "'[1/2]\\nFAILED: x\\nKilled'"), "without an error message from a compiler. The last lines of the build:', '[1/2]', 'FAILED: x', 'Killed']")

    def test_the_stages_of_a_verdict_are_told_in_order_and_a_fault_ends_those_after_it(self):
        self.write("work/03.1_one.cuh", "")
        begin = self.FAKE + ("begun = asyncio.Event()\nasync def refuse(*_): raise ValueError('a\\nb')\nasync def good(*_): return right\n"
                             "async def endless(*_):\n    begun.set()\n    try:\n        await asyncio.sleep(600)\n    finally:\n        print('ended')\n"
                             "async def wrong(*_):\n    await begun.wait()\n    return Verdict('tool', 'Bad.')\n"
                             "print(verify(*(s.Stage(name, 'p', '', run) for name, run in {})))\n")
        said = self.says(begin.format("[('1', good), ('2', refuse), ('3', wrong), ('4', endless)]"))
        self.assertRegex(said, r"\A1 \n2 NotTried\('a b'\)\n3 Bad.\nended\nVerdict\(kind='tool'")
        self.says(begin.format("[('1', good), ('2', refuse)]"), "kind='right'", "not_tried={'2': 'a b'}")

    def test_the_first_stage_is_built_alone_and_others_wait_for_their_turn(self):
        self.write("work/03.1_one.cuh", "")
        begin = self.FAKE + ("async def build(self, _, order):\n    print('build', order)\n    await asyncio.sleep(0)\n    return '{}' if order == 'a' else ''\n"
                             "Fake.build, Fake.at_once = build, {}\n"
                             "async def find(_, machine):\n    print('run')\n    await asyncio.sleep(0)\n    return right\n"
                             "print(verify(*(s.Stage(order, 'p', order, find) for order in 'abc')).kind)\n")
        self.assertEqual(self.says(begin.format("", 1)), "build a\nrun\nbuild b\na \nrun\nbuild c\nb \nrun\nc \nright\n")
        self.assertEqual(self.says(begin.format("", 2)).splitlines()[:3], ["build a", "run", "build b"])
        self.assertEqual(self.says(begin.format("x.cuh:1: error: y", 4)), "build a\na It does not compile.\ncompile\n")

    def test_what_runs_for_a_stage_ends_with_it(self):
        self.program("one_plain", "#!/bin/sh\necho $$ >check\nexec sleep 600\n")
        self.write("cmake", "#!/bin/sh\necho $$ >build/pid\nsleep 600\n")
        (self.folder / "cmake").chmod(0o755)
        for file, call in (("check", "run('simulator', 'plain', [], {})"), ("build/pid", "build('simulator', 'plain')")):
            said = self.says("import asyncio, native, os, pathlib\nos.environ['PATH'] = f'.:{os.environ[\"PATH\"]}'\nasync def main():\n"
                             f"    task = asyncio.create_task(native.Native('one').{call})\n    file = pathlib.Path('{file}')\n"
                             "    while not file.exists() or not file.read_text(): await asyncio.sleep(0.01)\n    task.cancel()\n"
                             "    await asyncio.gather(task, return_exceptions=True)\n    print(task.cancelled(), os.path.exists(f'/proc/{int(file.read_text())}'))\nasyncio.run(main())")
            self.assertEqual(said, "True False\n")
        # A task may also be cancelled while its process begins.
        said = self.says("import asyncio, native\nasync def main():\n    for rounds in range(12):\n        task = asyncio.create_task(native.end_of('sh', '-c', 'sleep 600; true'))\n"
                         "        for _ in range(rounds): await asyncio.sleep(0)\n        task.cancel()\n        await asyncio.wait([task], timeout=20)\n        print(task.cancelled())\nasyncio.run(main())")
        self.assertEqual(said, "True\n" * 12)

    def test_what_a_later_stage_finds_explains_a_fault(self):
        self.write("work/03.1_one.cuh", "")
        begin = self.FAKE + ("from starter import Exercise\nbegun = asyncio.Event()\n"
                             "async def wrong(*_):\n    await begun.wait()\n    return Verdict('{}', 'got 0', sentences('A guess.'), {{'n': 9999, 'words': 'n'}}, has_poison=True)\n"
                             "async def slow(found):\n    begun.set()\n    await asyncio.sleep(0.1)\n    return found  # or it was ended\n"
                             "def crash(*_): return slow(Verdict('tool', 'overflow', sentences('at a line')))\n"
                             "def reject(*_): return slow(Verdict('rejected', '', sentences('a:1: error: bad', '  code')))\n"
                             "def race(*_): return slow(Verdict('luck', '', sentences('race')))\n"
                             "Exercise.on_cpu = {}\nasync def in_two_orders(_, found, *__): return found\ns.in_two_orders = in_two_orders\n"
                             "print(verify(*(s.Stage(name, 'simulator', '', run, 'Right, but' * (run != wrong)) for name, run in\n"
                             "               (('plain', wrong), ('sanitizers', crash), ('lens', race), ('nvcc', reject)))).words)\n")
        for kind, on_cpu, expected in (("result", False, "'  race']"), ("result", True, "'  overflow', '  at a line', '  A guess.']"),
                                       ("signal", False, "'  race']"), ("signal", True, "got 0', '  nvcc would reject the code: a:1: error: bad', '  overflow', '  at a line']"), ("overrun", True, "got 0', '  A guess.']")):
            with self.subTest(f"{kind} {on_cpu}"):
                self.assertNotIn("Right", self.says(begin.format(kind, on_cpu), expected))
        # If the first stage has passed, the verdict says what the failure of a later stage means.
        self.says(begin.format("result", True).replace("    await begun.wait()\n    return", "    return right or"), "['overflow', '  Right, but', '  at a line']")

    def test_code_for_the_cpu_is_checked_last_with_the_long_input_and_by_no_lens(self):
        code = ("import asyncio, stages\nfrom starter import Exercise\nfrom native import Native\nasync def run(*_, **settings): return settings\nstages.run = run\n"
                "Exercise.on_cpu = {}\nshown = stages.stages(exercise, Native('x'))\nprint([each.name for each in shown[-2:]])\n"
                "print(asyncio.run(shown[0].run(exercise, Native('x'))), asyncio.run(shown[0].run(exercise, stages.Machine)))\n")
        self.says(code.format(True), "['target', 'long input']\n{'COURSE_LONG_INPUT': '0'} {}\n")
        self.says(code.format(False), "['target', 'lens']\n")

    def test_a_verdict_needs_neither_processes_nor_threads(self):
        self.says("import asyncio, sys\nfor name in ('subprocess', 'fcntl', 'termios', 'multiprocessing', 'socket', 'concurrent.futures', 'tempfile'):\n"
                  "    sys.modules[name] = None\nimport stages, verdict\nprint(stages.stages(exercise, stages.Machine))", "[]")

    def test_progress_is_a_line_on_a_terminal_and_otherwise_a_line_for_each_stage(self):
        show = "from progress import Progress\np = Progress(['1', '2', '3'])\n{}p.tell('1', '✓')\np.tell('2', '–')\np.tell('3', '✗')\n"
        self.assertEqual(self.says(show.format("")), "1: passed\n2: not tried\n3: failed\n")
        self.assertEqual(self.says(show.format("p.in_place = True\n")),
                         "\n1 ✓  2 …\033[K\n1 ✓  2 –  3 …\033[K\n1 ✓  2 –  3 ✗  \n")  # each \n but the last stands for a \r

    def test_a_long_stage_says_for_how_long_it_has_been_awaited_on_a_terminal_only(self):
        show = ("import asyncio, time\nfrom progress import Progress\nnow = 0\ntime.monotonic = lambda: now\np = Progress(['1', '2'])\n{}p.tell('1', '✓')\n"
                "steps = iter([1, 30, lambda: p.tell('2', '✓'), 40])\nasync def sleep(_):\n    global now\n    step = next(steps)\n"
                "    now = now if callable(step) and not step() else step\nasyncio.sleep = sleep\ntry:\n    asyncio.run(p.count())\nexcept RuntimeError:\n    pass  # the steps are over\n")
        self.assertEqual(self.says(show.format("")), "1: passed\n2: passed\n")
        self.assertEqual(self.says(show.format("p.in_place = True\n")), "\n1 ✓  2 …\033[K\n1 ✓  2 …\033[K\n1 ✓  2 … 30 s\033[K\n1 ✓  2 ✓  \n")

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

    def test_a_watched_file_may_vanish_and_after_success_the_next_exercise_follows(self):
        (self.folder / "03_x/exercises/2_two.md").write_text((self.folder / "03_x/exercises/1_one.md").read_text().replace("# 03.1 One", "# 03.2 Two"))
        self.write("03_x/kernels.cuh", self.KERNELS.replace("// [/03.1] return;", "// [/03.1] return;\n    // [03.2] More.\n    // [/03.2]"))
        self.write("work/03.1_one.cuh", "wrong")
        code = ("import sys; sys.path[:0] = ['tools/exercises', 'tools/course']\nimport exercise as e\nfrom contextlib import contextmanager\nfrom pathlib import Path\n"
                "one, two = Path('work/03.1_one.cuh'), Path('work/03.2_two.cuh')\n"
                "steps = iter([one.unlink, None, None, None, None, lambda: one.write_text('wrong again'), lambda: one.write_text('right'), None, 'h',\n"
                "              lambda: two.write_text('wrong'), lambda: two.write_text('right')])\n"
                "def wait(_):\n    step = next(steps)\n    return step if isinstance(step, str) else step and step() and '' or ''\n"
                "@contextmanager\ndef keys(): yield wait\n"
                "e.keys, e.show = keys, lambda *_: print('shown')\n"
                "async def verdict(exercise, *_): return e.Verdict('right' if Path(exercise.file).read_text() == 'right' else 'result', 'bad')\n"
                "e.stages.verify = verdict\ne.stages.stages = lambda *_: []\n"
                "e.watch(e.Work(e.exercises()[0]), 'simulator')\n")
        run = self.run_tool("python3", "-c", code)
        self.assertEqual(run.stderr, "")
        self.assertEqual([line for line in run.stdout.splitlines() if re.match("Exercise|shown|Next|work/.* is gone|Hint|This was|Your file is", line)],
                         ["Exercise 03.1: One", "shown", "work/03.1_one.cuh is gone. Save it again, or press q; ./course exercise 03.1 then creates a new one.",
                          "Exercise 03.1: One", "shown", "Exercise 03.1: One", "shown", "Next is exercise 03.2: Two",
                          "Your file is work/03.2_two.cuh. Replace each TODO, then check the file with the same command.", "Hint 1 of 3: a",
                          "Exercise 03.2: Two", "shown", "Exercise 03.2: Two", "shown", "This was the last exercise."])

    def test_the_solution_is_shown_after_asking_only(self):
        self.write("work/03.1_one.cuh", "mine")
        for option in ("diff", "solution"):
            show = "import builtins, exercise as e\nbuiltins.input = lambda text: print(text) or '{}'\ne." + option + "(work)"
            self.assertEqual(self.says(show.format("")), "Show the chapter's own code? [y/N] \n")
            self.says(show.format("y"), "*d_sum += 1;")

    def test_status_fits_100_columns_and_knows_what_was_checked(self):
        self.write("work/03.1_one.cuh", "mine")
        show = ("import exercise as e\ndef after(kind, text='mine'):\n    async def verify(*_): return e.Verdict(kind, 'much ' * 40)\n"
                "    e.stages.verify, e.stages.stages = verify, lambda *_: []\n    e.verify(work, 'simulator')\n    work.path.write_text(text)\n    e.status([exercise], 'simulator')\n"
                "e.status([exercise], 'simulator')\nafter('tool')\nafter('right')\nafter('right', 'changed')\nafter('tool', 'changed')\n")
        lines = [line for line in self.says(show).splitlines() if line.startswith("03.1")]
        for line, expected in zip(lines, ("not checked since it changed", "failing: much much", "passed", "passed before, not checked since it changed",
                                          "passed before, failing: much much")):
            self.assertRegex(line, f"^03.1  One  {expected}")
            self.assertLessEqual(len(line), 100)
        self.assertEqual(len(lines), 5)
        self.write("03_x/kernels.cuh", self.KERNELS + "// other checks\n")
        self.says("import exercise as e\ne.status([exercise], 'simulator')", "passed before, not checked since it changed")

    def test_folders_that_are_not_the_courses_are_left_out(self):
        for path in ("10_notes/exercises/1_mine.md", "10_notes/broken/faults.md", "10_notes/README.md", "mine/broken/faults.md"):
            self.write(path, "# Mine\n\n## 1. Nothing\n")
        self.write("08_live/kernels.cuh", self.KERNELS)
        for chapter in ("03_x", "08_live"):
            self.write(f"{chapter}/main.cu", "")
        self.write("03_x/README.md", "")
        self.says("import chapters, faults\nprint(chapters.folders(), chapters.with_pages(), [each.name for each in faults.faults()])",
                  "['03_x', '08_live'] ['03_x'] ['03-1']\n")

    def test_a_failed_call_comes_after_what_it_means(self):
        show = "import verdict\nprint(verdict.words_first({!r}, {!r}))"
        for what, fault, expected in (
                ("work/a.cuh:3: cudaGetLastError(): an illegal access: k, thread 3 reads (cudaErrorX)", {"message": "k, thread 3 reads"},
                 "('k, thread 3 reads', ['work/a.cuh:3: cudaGetLastError(): an illegal access (cudaErrorX)'])"),
                ("work/a.cuh:3: cudaMemcpy(a, b): invalid argument (cudaErrorX)", {}, "('cudaMemcpy fails: invalid argument', ['work/a.cuh:3: cudaMemcpy(a, b) (cudaErrorX)'])"),
                ("work/a.cuh:3: cudaGetLastError(): invalid argument (cudaErrorX)", {}, "('a launch fails: invalid argument', ['work/a.cuh:3: cudaGetLastError() (cudaErrorX)'])"),
                ("The code does not check: common/c.cuh:3: a launch: invalid argument (cudaErrorX)", {}, "('The code does not check: invalid argument', [])"),
                ("common/c.cuh:3: a launch: invalid argument (cudaErrorX)", {}, "('invalid argument', ['The error is from a launch.'])"),
                ("got 0", {}, "('got 0', [])")):
            self.says(show.format(what, fault), expected)

    def test_a_race_in_given_code_is_told_after_others_and_as_such(self):
        starter = self.says("print(work.chapter.starter(exercise), end='')")
        self.write("work/03.1_one.cuh", starter.replace("    // TODO: Add.\n", "    mine();\n\n"))
        first = starter.splitlines().index("inline void run(int* d_sum) { kernel<<<1, kBlock>>>(d_sum); }") + 2
        seen = ("import native, stages\ngiven = native.machine_of(exercise).given_lines(exercise)\n"
                "def race(*lines): return {{'problem': 'race', 'line': f'work/03.1_one.cuh:{{lines[0]}}', 'other_line': f'work/03.1_one.cuh:{{lines[1]}}',\n"
                "    'kernel': 'k', 'space': 'shared', 'where': 'a[1]', 'count': 1, 'distance': 'warps', 'partial_barriers': [], 'lacks_fence': False,\n"
                "    **{{f'{{end}}{{name}}': 0 for end in ('', 'other_') for name in ('kind', 'block', 'thread')}}, 'calls': [], 'other_calls': []}}\n"
                "for lines in ({}): print([each['text'] for each in stages.words_of_lens({{'findings': [race(*each) for each in lines]}}, given)])\n")
        said = self.says(seen.format(f"[({first}, {first})], [({first}, {first}), (9, {first})]")).splitlines()
        self.assertIn("All these lines were in the starter: look at the code that calls them, and", said[0])
        self.assertIn("work/03.1_one.cuh:9 by", said[1])
        self.assertNotIn("in the starter", said[1])
        show = self.FAKE.replace("{", "{{").replace("}", "}}") + ("async def race(): return Verdict('luck', '', sentences('a race'))\nfault = Verdict('error', 'k: barrier left out at work/03.1_one.cuh:{}', fault={{'kind': '{}'}}, site='work/03.1_one.cuh:1')\n"
                "print(asyncio.run(s.with_lines(exercise, fault, Fake(), race)).words[1:])")
        for line, kind, expected in ((first, "barrier", "['  All these lines were in the starter: look at the code that calls them, and at what it does before the call.', '  a race']"),
                                     (9, "barrier", "[]"), (first, "address", "[]")):
            self.says(show.format(line, kind), expected)

    def test_two_builds_of_a_folder_wait_for_each_other(self):
        self.write("cmake", "#!/bin/sh\necho begin >>log\nsleep 0.3\necho end >>log\n")
        (self.folder / "cmake").chmod(0o755)
        (self.folder / "build").mkdir()
        path = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        code = "import sys; sys.path.insert(0, 'tools/exercises')\nimport native\nnative.build_now('simulator', 'x')"
        for run in [subprocess.Popen(["python3", "-c", code], cwd=self.folder, env=path) for _ in range(2)]:
            self.assertEqual(run.wait(), 0)
        self.assertEqual((self.folder / "log").read_text(), "begin\nend\n" * 2)
        no_locks = f"import sys\nsys.path.insert(0, {str(TOOLS / 'course')!r})\nimport builds\nfrom unittest import mock\nbuilds.flock = mock.Mock(side_effect=OSError(38, ''))\n"
        subprocess.run(["python3", "-c", no_locks + code], cwd=self.folder, env=path, check=True, timeout=60)
        self.assertEqual((self.folder / "log").read_text(), "begin\nend\n" * 3)
        code += ("\nasync def main():\n    machine = native.Native('x')\n    await native.asyncio.gather(*(machine.build('simulator', 'y') for _ in range(2)))\n"
                 "native.asyncio.run(main())")
        run = subprocess.run(["python3", "-c", code], cwd=self.folder, env=path, check=True, stderr=subprocess.PIPE, text=True)
        self.assertEqual(((self.folder / "log").read_text(), run.stderr), ("begin\nend\n" * 6, ""))  # no task waits for another ./course

    def test_the_first_error_of_a_log_is_no_file_of_that_name(self):
        log = ["[1/2] Translating common/cuda/error.cuh", "work/03.1_one.cuh:7:1: error: no such thing", "  code"]
        self.says(f"import verdict\nprint(verdict.compiler_words('\\n'.join({log})))", "error: no such thing', '  code']")
        self.says("import verdict\nprint(verdict.compiler_words('a:1: error: bad student2::Point& student::f()'))", "['a:1: error: bad Point& f()']")

    def test_only_memory_that_the_student_allocates_has_a_place(self):
        show = "import verdict\nprint(verdict.Verdict('error', 'uses a buffer of 1 byte allocated at {}:31. Only').first)"
        self.assertEqual(self.says(show.format("common/exercise/verdict.cu")), "uses a buffer of 1 byte. Only\n")
        self.says(show.format("work/03.1_one.cuh"), "allocated at work/03.1_one.cuh:31. Only")

    def test_what_is_no_launch_says_how_one_is_written(self):
        show = "import verdict\nprint(verdict.compiler_words({!r}))"
        for words in ("invalid operands of types ‘void(int*)’ and ‘int’ to binary ‘operator<<’", "call to global function 'k' not configured"):
            self.says(show.format(f"a:1: error: {words}"), "; a launch is written kernel<<<grid, block>>>(arguments)")
        self.says(show.format("a:1: error: invalid operands of types ‘float’ and ‘int’ to binary ‘operator<<’"), "‘operator<<’']")

    def test_a_single_candidate_that_does_not_fit_is_shown_with_the_reason(self):
        error, *notes = "a:1:2: error: no matching function", "a:3:1: note: candidate: f", "   3 | f", "a:3:1: note:   deduction failed:", "a:1:2: note:   no N"
        show = "import verdict\nprint(verdict.compiler_words('\\n'.join({})))"
        for log, expected in (([error, *notes, "a:9:9: error: other"], [error, notes[0], "a:1:2: note: no N"]), ([error, *notes[:3]], [error]),
                              ([error, *notes, *notes], [error]), ([error, "a:3:1: note: candidate f not viable: 2 arguments"], 0)):
            self.assertEqual(self.says(show.format(log)), f"{expected or log}\n")

    def test_an_error_in_a_library_has_the_students_line_that_uses_it(self):
        log = ["work/03.1_one.cuh:3:1:   required from here", "/usr/a:1:1: warning: odd", "/usr/a: In instantiation of ‘f’:",
               "/usr/a:2:2:   required from ‘g’", "work/03.1_one.cuh:7:1:   required from ‘h’", "work/03.1_one.cuh:9:1:   required from here", "/usr/a:5:5: error: bad"]
        show = "import verdict\nprint(verdict.compiler_words('\\n'.join({})))"
        self.assertEqual(self.says(show.format(log)), "['work/03.1_one.cuh:7:1: required from ‘h’', '/usr/a:5:5: error: bad']\n")
        self.assertEqual(self.says(show.format(log[:3] + log[-1:])), "['/usr/a:5:5: error: bad']\n")

    def test_the_lens_gives_a_race_its_lines_in_place_of_guesses(self):
        self.write("work/03.1_one.cuh", "")
        found = {"problem": "race", "kernel": "k", "space": "shared", "where": "a[1]", "count": 1, "distance": "warps",
                 "partial_barriers": [], "lacks_fence": False}
        for end, line, kind in (("", 7, "store"), ("other_", 9, "load")):
            found |= {f"{end}line": f"work/03.1_one.cuh:{line}", f"{end}calls": ["a.cu:3"] * (line > 7), f"{end}kind": kind, f"{end}block": 0, f"{end}thread": line}
        show = self.FAKE.replace("{", "{{").replace("}", "}}") + ("seen, by_check = {{'findings': [{}]}}, right\nsaid = [*sentences('Element 0 is left out.'), {{'text': 'A race.', 'of_race': {}}}]\n"
                "found = Verdict('result', 'got 0', said, {{'n': {}, 'words': 'n'}}, **{})\n"
                "print(*asyncio.run(s.with_lines(exercise, found, Fake(), lambda: s.by_lens(exercise, Fake()))).words, sep='\\n')")
        guesses = "Wrong for n: got 0\n  Element 0 is left out.\n  A race.\n"
        self.says(show.format(found, True, 2000, {}), "Wrong for n: got 0\n  A race.\n  race: k", "cuh:7 by", "cuh:9 (called at a.cu:3) by")
        self.says(show.format(found, True, 2000, {"site": "work/03.1_one.cuh:5"}), guesses)
        branch = found | {"partial_barriers": ["work/03.1_one.cuh:6", "work/03.1_one.cuh:8"]}
        self.says(show.format(branch, True, 2000, {}), "orders them: the __syncthreads() at work/03.1_one.cuh:8 is for all threads of a block")
        self.says(show.format(branch | {"partial_barriers": ["a.cuh:8"]}, True, 2000, {}), "orders them: __syncthreads() between the two")
        fence = found | {"lacks_fence": True, "distance": "blocks", "other_block": 3}
        self.says(show.format(fence, True, 2000, {}), "block 3 has its __threadfence(), but block 0 lacks one between its atomic, or its load of a flag, and this store")
        self.says(show.format(found | {"problem": "copied"}, True, 2000, {}), guesses)
        self.says(show.format(found, False, 1, {}), guesses)
        self.says(show.format(found, False, 2000, {"has_poison": True}), "Wrong for n: got 0\n  race: k")
        self.write("work/03.1_one.cuh", "__shared__ int a;")
        self.says(show.format(found, False, 2000, {}), guesses)
        self.says(show.format(found, False, 1, {}), "Wrong for n: got 0\n  race: k")

    def test_clang_is_not_asked_if_it_can_not_read_cuda(self):
        self.write("common/simulator/clang/rejected.sh", "#!/bin/sh\necho \"x.cu:1: error: said by $CLANG\" >&2\nexit 1\n")
        (self.folder / "common/simulator/clang/rejected.sh").chmod(0o755)
        for flag, expected in (("TRUE", "said by /a/clang"), ("FALSE", "['']")):
            self.write("build/simulator/CMakeCache.txt", f"CLANGXX:FILEPATH=/a/clang\nCOURSE_CLANG:INTERNAL={flag}\n")
            self.says("import asyncio, native\nprint([asyncio.run(native.machine_of(exercise).rejected())])", expected)

    def test_a_right_result_must_meet_the_target_of_the_page(self):
        self.write("work/03.1_one.cuh", "")
        page = self.folder / "03_x/exercises/1_one.md"
        target = ("## Target\n\nWhat the lens must count for n = 64, input one-hot 90 %, blocks of 32:\n\n| count | target | otherwise |\n|---|---|---|\n"
                  "| launches | at least 2 | not one per level |\n| bytes moved for each byte loaded | at most 1.5 | not coalesced |\n\n## Then")
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("## Then", target), encoding="utf-8")
        show = self.FAKE.replace("{", "{{").replace("}", "}}") + ("import point\nseen, by_check = {}, Verdict(**{})\n"
                "found = verify(*(each for each in s.STAGES if each.name == 'target'))\nprint(*found.words, *point.table(found.counted), found.kind, found.not_tried, sep='\\n')")
        site = {"space": "global", "kind": "load", "sectors": 3, "bytes": 64, "requests": 1, "lanes": 16}
        seen, right = {"launches": [{"launches": 1, "sites": [site]}]}, {"kind": "right"}
        self.says(show.format(seen, right), "64 one-hot 90 % 0 32\n", "\nRight, but not one per level: 1 launch; at least 2 are needed.\n  ./course lens 03.1", "point\n")
        seen["launches"] *= 2
        self.says(show.format(seen, right), "launches                              2  at least 2\nbytes moved for each byte loaded    1.5  at most 1.5\nright\n")
        site["sectors"] = 4
        self.says(show.format(seen, right), "Right, but not coalesced: 2 bytes moved for each byte loaded; 1.5 would do.\n")
        self.says(show.format(seen, {"kind": "result", "what": "bin 3", "case": {"words": "n = 64"}}), "Wrong for n = 64: bin 3\n")
        for said, broken in (("'target': \"03_x/exercises/1_one.md: no count is called 'b'", "| b | at most 1 | no |"),
                             ("md: the section 'Target' has the wrong form", "| launches | 1 | no |")):
            page.write_text(text.replace("## Then", re.sub(r"^\| launches.*", broken, target, flags=re.MULTILINE)), encoding="utf-8")
            self.says(show.format(seen, right), said)

    def test_a_right_results_least_time_is_computed_for_the_courses_input(self):
        show = self.FAKE + ("import counts, text\nasked = []\nasync def look(self, words, settings):\n"
                            "    asked.append((*words, settings['CUDA_SIM_MULTIPROCESSORS'], settings['LENS_COUNTS_ONLY']))\n    return {{'launches': []}}, Verdict(**{})\n"
                            "Fake.look = look\ncounts.large = lambda *_: ['large']\ncounts.sums = lambda launch: launch\ntext.times = lambda *words: map(str, words[:-1])\ns.profile = lambda: None\n"
                            "print(asyncio.run(s.how_fast(exercise, Fake())), asked)")
        self.says(show.format({"kind": "right"}), "large", "('yours', '720896', 'uniform', '0', '0', '11', '1')", "('yours', '1081344', ")
        self.says(show.format({"kind": "result", "what": "bin 3", "case": {"words": "n = 64"}}), "['The least time that your code needs is not known: n = 64: bin 3']")

    def test_a_prediction_that_can_not_be_read_is_asked_again_with_what_is_accepted(self):
        self.write("03_x/main.cu", "")
        ask = ("import builtins, predict\nanswers = iter({})\nbuiltins.input = lambda text: next(answers)\n"
               "print(predict.Question('1', '{}', '03 a, b, c', 'Which?', '').ask())")
        self.says(ask.format(["", "1 1 2", "x", "3 1 2"], "order"), "Type each of these numbers once, such as 3 2 1.\n", "['c', 'a', 'b']")
        self.says(ask.format(["two", "1,5", "-1", "1,500"], "ratio"), "Type a number, such as 2 or 1.5.\n", "1500.0")

    def test_a_prediction_is_repeated_with_how_far_off_it_is(self):
        self.write("03_x/main.cu", "")
        self.write("docs/results/nvidia-h200.csv", "")
        ask = ("import builtins, predict as p\nanswers = iter({})\nbuiltins.input = lambda text: next(answers)\n"
               "times = {{'a': 1e-6, 'b': 2e-6, 'c': 3e-6}}\n"
               "p.results.read = lambda _: [{{'chapter': '03_x', 'case': 'progression', 'variant': v, 'time_s': t}} for v, t in times.items()]\n"
               "p.questions = lambda _: [p.Question('1', '{}', '{}', 'Which?', 'So.')]\np.predict('03_x', 'simulator', print)\n")
        for answer, kind, words, said in (("3", "ratio", "03 b / a", "You said 3. Right, too high by a factor of 1.50: 2.00 on the recorded NVIDIA H200. So."),
                                          ("1,000", "count", "2 * 2", "You said 1,000. No, too high by a factor of 250: 4. So."),
                                          ("0", "count", "2 * 2", "You said 0. No, too low: 4. So."), ("4", "count", "2 * 2", "You said 4. Right: 4. So."),
                                          ("2.1", "ratio", "03 b / a", "You said 2.1. Right, too high by 5.0%: 2.00"),
                                          ("2 1 3", "order", "03 a, b, c", "You said b, a, c. No, 1 of 3 in the right place: a (1.00 us)"),
                                          ("2 3 1", "order", "03 a, b, c", "You said b, c, a. No, none of 3 in the right place: ")):
            self.says(ask.format([answer], kind, words), "1. " + said)

    def test_a_fault_is_shown_as_a_diff_and_nonsense_is_asked_again(self):
        ask = ("import builtins, exercise as e, hunt\nanswers = iter({})\nbuiltins.input = lambda text: next(answers)\n"
               "async def findings(*_): return ['It is wrong.']\nhunt.findings = findings\ne.build_checks = lambda _: None\nfault, = faults()\n"
               "e.ask(fault, 'simulator')\n")
        path = self.folder / "03_x/broken/faults.md"
        path.write_text(path.read_text().replace("+= 2;", f"+= 2;  // {'long ' * 20}end"))
        said = self.says(ask.format("['x', '0', '', '99', str(min(faults()[0].lines())), '²', '2', ' 1 ']"), "Right.")
        self.assertEqual(said.count("Type a number from 1 to "), 6)
        self.assertIn("\n     kernel(int* d_sum) {\n-    *d_sum += 1;  // wasted\n+    *d_sum += 2;  // long ", said)
        self.assertIn("long end\n }\n", said)
        self.says(ask.format("['1', '1']"), "The line is wrong, the cause is right.")

    def test_a_fault_may_have_two_causes(self):
        path = self.folder / "03_x/broken/faults.md"
        page = path.read_text()
        cause, = re.findall("<!-- exercise 03.1: (.*) -->", page)
        path.write_text(page.replace(f"{cause} -->", f"{cause}; or another -->"))
        self.says("import hunt\nfault, = faults()\nline = min(fault.lines())\nprint(hunt.causes(), *(hunt.judge(fault, line, k)[1] for k in (1, 2)))",
                  str(sorted([cause, "another"])), "Right. Right.")


class Predictions(unittest.TestCase):
    """The course's own questions."""

    def setUp(self):
        sys.path.insert(0, str(TOOLS / "exercises"))

    def test_a_question_says_what_the_variants_do_that_it_is_about(self):
        import predict  # pylint: disable=import-outside-toplevel

        for question in (each for path in TOOLS.parent.glob("0[1-7]_*") for each in predict.questions(path.name)):
            if question.kind in ("ratio", "order"):
                names = {name for _, name in question.variants() if not name.startswith("(")}
                with self.subTest(question.text):
                    self.assertEqual(set(question.ideas), names)

    def test_each_chapter_with_kernels_asks_for_a_count_that_the_lens_has_recorded(self):
        import predict  # pylint: disable=import-outside-toplevel

        for chapter in sorted(path.name for path in TOOLS.parent.glob("0[2-7]_*")):
            with self.subTest(chapter):
                asked = [question for question in predict.questions(chapter) if question.kind == "lens"]
                self.assertTrue(asked)
                for question in asked:
                    right = float(question.grade(0, [])[1].partition(", as")[0].replace(",", ""))
                    self.assertEqual([question.grade(right * factor, [])[0] for factor in (1, 1.05, 1.2)], [True, True, False])


class Chapters(unittest.TestCase):
    """The chapters' pages, as a reader sees them."""

    def setUp(self):
        self.pages = {path.parent.name: re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
                      for path in TOOLS.parent.glob("[0-9][0-9]_*/README.md")}

    def test_300_words_are_the_most_between_what_is_not_text(self):
        shown = r"^```.*?^```$|^!\[.*?\]\(.*?\)$|^\|.*?$"  # code, pictures, tables
        for chapter, page in self.pages.items():
            for text in re.split(shown, page.partition("\n## Checks\n")[0], flags=re.MULTILINE | re.DOTALL):
                with self.subTest(chapter, text=textwrap.shorten(text, 80)):
                    self.assertLessEqual(len(text.split()), 300)

    def test_predictions_are_answered_in_the_order_of_their_numbers(self):
        for chapter, page in self.pages.items():
            with self.subTest(chapter):
                asked = page.partition("\n## Predict\n")[2].partition("\n## ")[0]
                answered = re.findall(r"^\*\*Prediction (\d+)", page, re.MULTILINE)
                self.assertEqual(list(dict.fromkeys(answered)), re.findall(r"^(\d+)\. ", asked, re.MULTILINE))
                self.assertEqual(answered, sorted(answered))


class GradeOfAClass(unittest.TestCase):
    """The points, the tables and the progress of ./course grade, without building a submission."""

    @classmethod
    def setUpClass(cls):
        sys.path[:0] = [str(TOOLS / "exercises"), str(TOOLS / "course")]
        import alike
        import deadline
        import reports
        import rubric
        import starter
        import verdict
        cls.alike, cls.deadline, cls.reports, cls.rubric, cls.verdict = alike, deadline, reports, rubric, verdict
        cls.by_number = {each.number: each for each in starter.exercises()}
        cls.chapter = starter.Chapter

    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rubric"
            path.write_text(text, encoding="utf-8")
            return self.rubric.read(path, list(self.by_number))

    def result(self, submission="ada", exercise="03.2", stage="right", words="", **more):
        return self.read("").rated({"submission": submission, "exercise": exercise, "stage": stage, "words": words,
                                    "passed": stage == "right", **more})

    def test_a_stage_follows_from_the_check_and_the_case(self):
        for check, kind, case, expected in (
                ("plain", "right", {}, "right"), ("plain", "result", {"n": 513}, "small"), ("plain", "result", {"n": 1000003}, "large"),
                ("plain", "result", {"n": 68719509501}, "far"), ("plain", "error", {"n": 2147483653}, "far"),
                ("plain", "error", {"n": 4, "offset": 1}, "large"), ("plain", "overrun", {"n": 5003, "block": 64}, "large"),
                ("long input", "time", {"n": 4294967301}, "far"), ("plain", "signal", {}, "small"), ("plain", "of a later course", {}, "small"), ("plain", "point", {}, "point"),
                ("interleaved", "result", {"n": 1}, "interleaved"), ("sanitizers", "tool", {}, "sanitizers"),
                ("lens", "luck", {}, "lens"), ("plain", "compile", {}, "compile"), ("plain", "rejected", {}, "rejected")):
            with self.subTest(check=check, kind=kind, case=case):
                self.assertEqual(self.rubric.stage(check, self.verdict.Verdict(kind, case=case)), expected)

    def test_grading_says_how_far_a_file_has_come(self):
        import grading  # pylint: disable=import-outside-toplevel
        import stages  # pylint: disable=import-outside-toplevel
        wrong = self.verdict.Verdict("result", case={"n": 5, "words": "n = 5"})

        class Stub(grading.Grading):
            """Fails in one stage, or can't try it."""

            def __init__(self, exercise, fails_in):  # pylint: disable=super-init-not-called
                self.exercise, self.source, self.folder, self.fails_in = exercise, mock.Mock(), Path("/none"), fails_in

            async def build(self, preset, order):
                return "a.cuh:1: error: a" if self.fails_in == "compile" else ""

            async def run(self, preset, order, arguments, settings):
                check = "sanitizers" if preset == "sanitize" else {"plain": "small"}.get(order, order)
                return mock.Mock(verdict=lambda: wrong if self.fails_in == check else right)

            async def look(self, arguments, settings):
                if self.fails_in == "late":
                    raise grading.NotTried("It waits.")
                self.seen = {"findings": [], "launches": []}
                return self.seen, wrong if self.fails_in == ("target" if arguments else "lens") else right

        right = self.verdict.Verdict("right")
        screened = mock.patch.object(grading, "SCREENING", grading.Stage("screening", "simulator", "plain", mock.AsyncMock()))
        met = mock.patch.multiple(stages.Point, missed=lambda *_: "Right, but." * is_missed, rows=lambda *_: [])
        with screened as screening, met:
            for fails_in, expected, words in (
                    ("compile", "compile", ["It does not compile.", "a.cuh:1: error: a"]), ("rejected", "rejected", ["nvcc would reject it."]),
                    ("small", "small", ["Wrong for n = 5: "]), ("interleaved", "interleaved", ["The result is right if the threads run one after another, but can be "
                                                                                              "wrong if they interrupt each other: there is a race."]),
                    ("sanitizers", "sanitizers", ["Wrong for n = 5: ", "  Without AddressSanitizer and UndefinedBehaviorSanitizer, the same check passes."]),
                    ("target", "lens", ["Wrong for n = 5: "]), ("point", "point", ["Right, but."]), ("lens", "lens", ["Wrong for n = 5: "]),
                    ("late", "lens", ["The results are right, but the search for races did not end. It waits."]), ("right", "right", [])):
                is_missed = fails_in == "point"
                screening.run.return_value = self.verdict.Verdict("rejected", "nvcc would reject it.") if fails_in == "rejected" else right
                found = asyncio.run(Stub(self.by_number["03.2"], fails_in).staged({"includes": [], "text": "", "notes": []}))
                self.assertEqual(found, (expected, words))
            wrong.fault["kind"] = "no progress"  # which is no race
            self.assertEqual(asyncio.run(Stub(self.by_number["03.2"], "interleaved").staged({"includes": [], "text": "", "notes": []})),
                             ("interleaved", ["Wrong for n = 5: ", "  If the threads run one after another, the same check passes."]))

    def test_the_rubric_decides_about_the_points(self):
        rubric = self.read("[points]\neach = 8\n03.2 = 10\n[percent]\nlens = 60\n[late]\na_day = 25\n")
        for stage, number, late, points, most in (("right", "03.2", 0, 10, 10), ("right", "03.3", 0, 8, 8), ("lens", "03.2", 0, 6, 10),
                                                  ("small", "03.2", 0, 0, 10), ("unknown", "03.2", 0, 0, 10),
                                                  ("right", "03.2", 1, 7.5, 10), ("right", "03.2", 9, 0, 10)):
            with self.subTest(stage=stage, late=late):
                rated = rubric.rated({"exercise": number, "stage": stage, "days_late": late})
                self.assertEqual((rated["points"], rated["of"]), (points, most))
        self.assertEqual([self.result(stage=stage)["points"] for stage in ("right", "lens", "large", "small")], [4, 2, 1, 0])

    def test_a_wrong_rubric_is_refused_in_a_line(self):
        for text, words in (("each = 1", "no section headers"), ("[points]\neach = much\n", "each must be a number from 0 to 1000"),
                            ("[points]\neach = nan\n", "must be a number"), ("[points]\n03.9 = 1\n", "has no 03.9"),
                            ("[percent]\nright = 50\n", "has no right"), ("[percent]\nlens = 101\n", "from 0 to 100"),
                            ("[late]\na_day = -1\n", "from 0 to 100"), ("[extra]\n", "is not one of"),
                            ("[gradescope]\nvisibility = never\n", "must be one of visible")):
            with self.subTest(text), mock.patch("sys.stderr", io.StringIO()) as said, self.assertRaises(SystemExit):
                self.read(text)
            self.assertIn(words, said.getvalue())
            self.assertEqual(said.getvalue().count("\n"), 1)

    def test_points_and_reasons_are_in_each_format(self):
        results = [self.result(), self.result(exercise="03.3", stage="lens", words="Right by luck.\n  Line 7.", days_late=2,
                                              handed_in="2026-12-02 13:00+01:00")]
        seen = json.loads(self.reports.gradescope(results, "after_due_date"))
        self.assertEqual([(test["name"], test["score"], test["max_score"], test["visibility"], test["status"]) for test in seen["tests"]],
                         [("03.2", 4, 4, "after_due_date", "passed"), ("03.3", 2, 4, "after_due_date", "failed")])
        self.assertEqual(seen["score"], 6)
        self.assertEqual(seen["tests"][1]["output"], "2 of 4 points: right by luck; 2 days late, handed in 2026-12-02 13:00+01:00\n"
                         "Right by luck.\n  Line 7.")
        cases = list(xml.fromstring(self.reports.junit(results)).iter("testcase"))
        self.assertEqual([case.find("system-out").text.partition(":")[0] for case in cases], ["4 of 4 points", "2 of 4 points"])

    def test_the_workflow_for_classrooms_grades_and_shows_what_is_wrong(self):
        import cli  # pylint: disable=import-outside-toplevel
        text = (TOOLS / "classroom/github.yml").read_text(encoding="utf-8")
        words = re.search(r"run: course/course grade (.*)", text)[1].replace('"$EXERCISES"', "02").replace('"$SEED"', "0").split()
        options = cli.parse("grade", words)
        self.assertEqual((options.subjects, options.only, options.json), (["submission"], "02", "results.jsonl"))
        self.assertNotIn("${{", text)  # GitHub would paste such an expression's value into the script
        code = textwrap.dedent(re.search(r"<<'END'\n(.*?) END\n", text, re.DOTALL)[1])
        with tempfile.TemporaryDirectory() as folder:
            for stage, status in (("right", 0), ("lens", 1)):
                line = json.dumps(self.result(stage=stage, words="Wrong.\n::error::x" if status else ""))
                (Path(folder) / options.json).write_text(f"{line}\n", encoding="utf-8")
                done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (status, ""))
            self.assertEqual(done.stdout, "03.2 2.0 of 4.0 points\n| Wrong.\n| ::error::x\n")

    def test_what_was_not_graded_gets_no_points_and_is_graded_again(self):
        import grade  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "03.2_x.cuh").write_text("int x;")
            options = mock.Mock(seed=0, sandbox=True, deadline=None, rubric=self.read(""))
            with mock.patch.object(grade, "check_one", side_effect=OSError(28, "No space left on device")):
                exercise = self.by_number["03.2"]
                result = grade.rated(grade.checked(*grade.begun(Path(folder), exercise, options, {}), exercise, options, folder), options)
        self.assertEqual((result["points"], result["passed"], "key" in result), (None, False, False))
        self.assertEqual(result["words"], "Not graded: [Errno 28] No space left on device.")
        results = [result, {**self.result(exercise="03.3"), "submission": result["submission"]}]
        self.assertTrue(any(line.endswith("     ?     4   4?") for line in self.reports.table(results, {}).splitlines()))
        suite = xml.fromstring(self.reports.junit(results)).find("testsuite")
        self.assertEqual((suite.get("errors"), suite.get("failures"), suite.find("testcase").find("error").text), ("1", "0", result["words"]))

    def test_a_class_fits_a_terminal(self):
        for names in (["ada", "bob"], ["\u674e" * 30, "x" * 200]):
            results = [self.result(name, number, stage, "Wrong for n = 1, " + "x" * 200) for name in names
                       for number, stage in zip(self.by_number, ["right", "missing", "small", "lens"] * 9)]
            lines = self.reports.table(results, {"03.2": ({names[0]: 0.9}, [(names * 9, 0.6, 1.0)])}).splitlines()
            self.assertLessEqual(max(map(self.reports.wide, lines)), 100)
            numbers = re.findall(r"\d\d\.\d", " ".join(line for line in lines if line.startswith("submission")))
            self.assertEqual(numbers, list(self.by_number))
        self.assertTrue(any(line.startswith("xxx") and line.endswith("   34") for line in lines), lines)
        self.assertTrue(any(line.startswith("02.1              2       0     0.0 of 4  2 x Wrong for n = 1, xxx") for line in lines), lines)

    def test_no_name_is_a_formula(self):
        names = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1", "a,b\"c\nd", "ada"]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "class.csv"
            self.reports.spreadsheet(path, [self.result("ada")])
            self.assertEqual(path.read_text(encoding="utf-8-sig"), "submission,03.2,sum,of\nada,4,4,4\n")
            self.reports.spreadsheet(path, [self.result(name, days_late=2) for name in names])
            with open(path, encoding="utf-8-sig", newline="") as file:
                head, *rows = csv.reader(file)
        self.assertEqual(head, ["submission", "03.2", "sum", "of", "days late"])
        self.assertEqual([row[0] for row in rows], ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "?=1", "'\uff1d1", 'a,b"c?d', "ada"])
        self.assertEqual(rows[0][1:], ["4", "4", "4", "2"])

    def test_a_deadline_is_by_the_host_or_by_the_file(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch("sys.stderr", io.StringIO()) as said:
            file, times = Path(folder) / "file", Path(folder) / "times.csv"
            file.touch()
            for second, late in ((-60, 0), (0, 0), (60, 1), (86400, 1), (86460, 2)):
                begin = self.deadline.moment("2026-12-01T12:00+01:00").timestamp()
                os.utime(file, (begin + second,) * 2)
                self.assertEqual(self.deadline.Deadline("2026-12-01 11:00Z", None).lateness("ada", file)["days_late"], late)
            for seconds, is_late in ((3e11, True), (-1e11, False)):  # beyond the years that datetime knows, as a student may set them
                with mock.patch.object(Path, "lstat", return_value=mock.Mock(st_mtime=seconds)):
                    self.assertEqual(self.deadline.Deadline("2026-12-01 12:00Z", None).lateness("ada", file)["days_late"] > 0, is_late)
            times.write_text("name,time\nada,2026-12-04 11:59Z\n", encoding="utf-8")
            self.assertEqual(self.deadline.Deadline("2026-12-01 12:00Z", times).lateness("ada", file)["days_late"], 3)
            for text, names in (("ada,2026-12-04 11:59\n", ["bob"]), ("bob,2026-12-01 12:00\nada,soon\n", ["ada"])):
                times.write_text(text, encoding="utf-8")
                with self.assertRaises(SystemExit):
                    self.deadline.Deadline("2026-12-01 12:00", times).require_times(names)
            for due in ("soon", "2026-12-01", "2026-13-01 12:00"):
                with self.assertRaises(SystemExit):
                    self.deadline.Deadline(due, None)
            self.assertEqual(said.getvalue().count("\n"), 5)

    def test_an_interrupted_run_is_taken_up_again(self):
        with tempfile.TemporaryDirectory() as folder:
            names, lines, log = [f"student {number}" for number in range(8)], Path(folder) / "lines", Path(folder) / "log"
            for name in names:
                (Path(folder) / name).mkdir()
                (Path(folder) / name / "03.2_x.cuh").write_text(f"// {name}\nint x;\n")
            code = f"""if True:
                import os, runpy, signal, sys, threading
                sys.path[:0] = {[str(TOOLS / name) for name in ("course", "exercises", "lens", "results")]}
                import builds, grade, packages
                signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
                def check_one(exercise, raw, options, scratch):
                    with open({str(log)!r}, "ab") as log:
                        log.write(raw[3:12] + b"\\n")
                    if os.stat(log.name).st_size == 3 * 10 and {{number}}:
                        os.kill(os.getpid(), {{number}})
                        threading.Event().wait()
                    return "right", []
                grade.check_one = check_one
                grade.require_tools = grade.require_sandbox = grade.require_that_solutions_pass = lambda *options: None
                builds.build = packages.set_up = lambda *words, **options: ()
                sys.argv[1:] = ["grade", *{names}, "-j", "1", "--json", "lines"]
                runpy.run_path({str(TOOLS / "course/cli.py")!r}, run_name="__main__")
                """
            for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)):
                def run(number):
                    return subprocess.run([sys.executable, "-c", code.format(number=number)], cwd=folder, text=True,
                                          env={**os.environ, "TMPDIR": folder}, capture_output=True, timeout=60, check=False)
                ended = run(int(number))
                self.assertEqual(ended.returncode, status, ended.stderr)
                self.assertEqual("lines has the results so far: repeat the command to continue." in ended.stderr, status > 0, ended.stderr)
                self.assertEqual([json.loads(line)["submission"] for line in lines.read_text().splitlines()], names[:2])
                with open(lines, "a", encoding="utf-8") as file:  # a crash of the machine may leave a partial line
                    file.write('{"submission": "stu')
                log.unlink()
                ended = run(0)
                self.assertEqual((ended.returncode, ended.stderr[-14:]), (0, "8 of 8 passed\n"), ended.stderr)
                self.assertEqual(log.read_text().splitlines(), names[2:])
                self.assertEqual([json.loads(line)["submission"] for line in lines.read_text().splitlines()], names)
                log.unlink()
                lines.unlink()

    def test_without_a_file_to_check_nothing_is_built_or_tried(self):
        import grade  # pylint: disable=import-outside-toplevel
        refuse = mock.Mock(side_effect=AssertionError)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(grade, "require_that_solutions_pass", refuse), \
                mock.patch("sys.stderr", io.StringIO()) as said, mock.patch("sys.stdout", io.StringIO()):
            folders = [Path(folder) / name for name in ("ada", "bob")]
            for each, names in zip(folders, ([], ["any block.cuh", "03.2_any_block.cuh.txt", "my.zip", "._03.2_a.cuh", "03.2_a.1.cuh", "03.3_a.cuh", "a.md"])):
                each.mkdir()
                for name in names:
                    (each / name).touch()
            options = mock.Mock(folders=folders, json=None, csv=None, junit=None, gradescope=None, deadline=None, seed=0, sandbox=True, j=1,
                                rubric=self.read(""))
            self.assertEqual(grade.main(options, [self.by_number["03.2"]]), 0)
            (folders[0] / "03.2_a.cuh").touch()
            with self.assertRaises(AssertionError):
                grade.main(options, [self.by_number["03.2"]])
        self.assertIn("\nbob: these files are named after no exercise: '03.2_any_block.cuh.txt', 'any block.cuh', 'my.zip'\n", said.getvalue())
        self.assertNotIn("ada: these files", said.getvalue())

    def test_only_submissions_with_files_need_a_time(self):
        import grade  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder, mock.patch("sys.stderr", io.StringIO()) as said:
            folders, times = [Path(folder) / name for name in ("ada", "bob", "eve")], Path(folder) / "times.csv"
            for each in folders:
                each.mkdir()
            times.write_text("ada,2026-12-01 11:59\n", encoding="utf-8")
            (folders[0] / "03.2_a.cuh").touch()
            options = mock.Mock(folders=folders, json=None, csv=None, junit=None, gradescope=None, due="2026-12-01 12:00", times=times, seed=0, j=1,
                                rubric=None, only="03.2")
            self.assertEqual([each.number for each in grade.check(options, self.fail)], ["03.2"])
            for each in folders[1:]:
                (each / "03.2_a.cuh").touch()
            options.rubric = None
            with self.assertRaises(SystemExit):
                grade.check(options, self.fail)
        self.assertRegex(said.getvalue(), "times.csv has no line for the submission 'bob' and 1 more\n$")

    def test_progress_says_what_is_left(self):
        import results  # pylint: disable=import-outside-toplevel
        for is_terminal, words in ((True, "\r\x1b[K1 of 4, 30 s left\r\x1b[K2 of 4, 2 min left\r\x1b[K3 of 4, 77 s left\r\x1b[K4 of 4\n"),
                                   (False, "2 of 4, 2 min left\n3 of 4, 77 s left\n4 of 4\n")):
            said = io.StringIO()
            said.isatty = lambda is_terminal=is_terminal: is_terminal
            with mock.patch("sys.stderr", said), mock.patch("time.monotonic", side_effect=[0, 10, 20, 160, 240, 400]):
                progress = results.Progress(4)
                progress.start()  # after time that does not count
                for _ in range(4):
                    progress.add()
            self.assertEqual(said.getvalue(), words)

    def test_results_of_others_are_not_overwritten(self):
        import results  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder, mock.patch("sys.stderr", io.StringIO()) as said:
            for text in ("my notes\n", "[]\n", '{"submission": "ada"}\n', json.dumps(self.result(exercise="03.3")) + "\n"):
                path = Path(folder) / "lines"
                path.write_text(text, encoding="utf-8")
                with self.assertRaises(SystemExit):
                    results.Results(path, {("ada", "03.2")})
                self.assertEqual(path.read_text(encoding="utf-8"), text)
            self.assertIn("such as ada's of 03.3", said.getvalue())

    def test_a_line_that_was_cut_off_is_not_continued(self):
        import results  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            path, result = Path(folder) / "lines", self.result()
            path.write_text(json.dumps(result) + '\n{"submission": "b', encoding="utf-8")
            kept = results.Results(path, {("ada", "03.2"), ("bob", "03.2")})
            self.assertEqual(kept.before, {("ada", "03.2"): result})
            kept.add({**result, "submission": "bob"})
            self.assertEqual([json.loads(line)["submission"] for line in path.read_text(encoding="utf-8").splitlines()], ["ada", "bob"])

    def test_a_key_follows_all_that_decides(self):
        import results  # pylint: disable=import-outside-toplevel
        options = mock.Mock(seed=0, sandbox=True)
        keys = {results.key("03.2", b"x", options), results.key("03.3", b"x", options), results.key("03.2", b"y", options),
                results.key("03.2", b"x", mock.Mock(seed=1, sandbox=True)), results.key("03.2", b"x", mock.Mock(seed=0, sandbox=False))}
        self.assertEqual(len(keys), 5)
        self.assertIn(results.key("03.2", b"x", options), keys)

    # Two ways to write a solution of 03.2.
    ONE = """__device__ void clear(unsigned int* bins) {
        for (unsigned int k = threadIdx.x; k < kBins; k += blockDim.x) bins[k] = 0;
    }
    __device__ std::size_t first() { return threadIdx.x + std::size_t{blockDim.x} * blockIdx.x; }
    __global__ void any_block_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
        __shared__ unsigned int mine[kBins];
        clear(mine);
        __syncthreads();
        std::size_t at = first();
        while (at < n) {  // a grid further on
            atomicAdd(mine + d_data[at], 1u);
            at += std::size_t{gridDim.x} * blockDim.x;
        }
        __syncthreads();
        for (unsigned int k = threadIdx.x; k < kBins; k += blockDim.x)
            if (mine[k] != 0) atomicAdd(d_bins + k, (unsigned long long)mine[k]);
    }
    """
    OTHER = """__global__ void any_block_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
        __shared__ unsigned int local[256];
        for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
            local[bin] = 0;
        }
        __syncthreads();
        const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
        for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
            const unsigned char byte = d_data[i];
            atomicAdd(&local[byte], 1);
        }
        __syncthreads();
        for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
            const unsigned long long count = local[bin];
            atomicAdd(&d_bins[bin], count);
        }
    }
    """

    def test_copies_are_found_and_what_is_independent_is_not(self):
        exercise = self.by_number["03.2"]
        chapter = self.chapter(exercise.chapter)
        starter, solution = chapter.starter(exercise), chapter.solution(exercise)
        parts = re.split(r"^    (?=__)", self.ONE, flags=re.MULTILINE)
        reordered = re.sub(r" //.*", "", "".join([parts[1], "\n/* mine */ ", parts[0], *parts[2:]]))
        names = {"mine": "count", "at": "index", "k": "bin", "clear": "to_zero", "first": "begin", "d_data": "input", "d_bins": "output"}
        renamed = re.sub(r"\w+", lambda match: names.get(match[0], match[0]), reordered)
        texts = {"one": self.ONE, "copy": renamed, "other": self.OTHER, "starter": starter, "nothing": "",
                 "of the course": re.sub(r"\bb\b", "bin", solution).replace("// ", "// my "), "no code": "/* \0 \" R\"(\n" * 99}
        published, groups = self.alike.find(starter, solution, texts)
        self.assertEqual(list(published), ["of the course"])
        self.assertEqual([names for names, *_ in groups], [["one", "copy"]])
        self.assertGreater(groups[0][1], 0.8)

    def test_a_text_is_read_up_to_what_no_compiler_reads(self):
        for text in ('int x; " y \n', "int x; \\ y", "int x; /* y", "int x; \0 y"):
            self.assertEqual(self.alike.words(text), ["int", "name", ";"])

    def test_half_of_the_solution_is_no_copy_of_another_half(self):
        exercise = self.by_number["03.2"]
        chapter = self.chapter(exercise.chapter)
        starter, solution = chapter.starter(exercise), chapter.solution(exercise)
        begin = solution.partition("        atomicAdd(")[0]
        texts = {"one": begin + "d_bins[d_data[i]] += 1;\n}\n", "other": begin + "counts[0] = max(counts[1], counts[2] + 3);\n}\n"}
        self.assertEqual(self.alike.find(starter, solution, texts), ({}, []))
        whole = [self.alike.sequences(text) - self.alike.sequences(starter) for text in texts.values()]
        self.assertGreater(self.alike.share(*whole), self.alike.SHARE)

    def test_a_fault_in_the_solution_is_nearly_the_solution(self):
        import faults  # pylint: disable=import-outside-toplevel
        for exercise in self.by_number.values():
            chapter = self.chapter(exercise.chapter)
            texts = {each.name: each.text() for each in faults.faults() if each.exercise == exercise}
            published, groups = self.alike.find(chapter.starter(exercise), chapter.solution(exercise), {**texts, "": chapter.solution(exercise)})
            self.assertEqual(published[""], 1)
            self.assertEqual(groups, [])


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
    """The parts of a student's file that ./course grade accepts, and its output."""

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

    def compiled(self, text):
        return self.read(text)["text"]

    def test_the_course_code_is_its_own(self):
        source = self.read(self.solution.replace("2 * multiprocessor_count()", "1").replace("i += stride", "i += 1 * stride"))
        self.assertIn("i += 1 * stride", source["text"])
        self.assertIn("2 * multiprocessor_count()", source["text"])
        self.assertEqual(len(source["notes"]), 1)
        self.assertRegex(source["notes"][0], r"^Ignored: the change to 'two_blocks_per_sm' in line \d+")

    def test_helpers_of_a_solution_are_accepted(self):
        for helper in ("constexpr int kTurns[2] = {1, 2};", "struct Pair { int first, second; };", "using Count = unsigned int;",
                       "template <int k = 2> __device__ int times(int x) { return x * k; }", "static_assert(1 > 0);", "union U { int x; };",
                       "__device__ unsigned int turns = 0;", "struct S { S(); } s;", "using namespace std;", "[[nodiscard]] int f();",
                       "constexpr auto f = [] { return 1; };", "int gr\u00f6\u00dfe;", '[[deprecated("x"), nodiscard]] int f() { return 1; }',
                       "const auto a = static_cast<::std::size_t>(1);", "__device__ int f(int x) {\f return x; }",
                       '[[nodiscard("x")]] __global__ void grid_stride_kernel(int) {}', "__device__ int g() { return ::min(1, 2); }", "static const int kOne = 1;",
                       "template <typename T> requires (sizeof(T) == 8) T same(T x) { return x; }", "template <typename T> T f(T x) requires (sizeof(T) == 8) { return x; }",
                       "inline bool failed() { return cudaDeviceSynchronize() != cudaSuccess; }", "__device__ __noinline__ int f() { return 1; }"):
            for begins, ends in (("", "\n"), ("\ufeff", "\r\n")):
                text = begins + self.solution.replace("#pragma once", f"#pragma once\n{helper}").replace("\n", ends)
                self.assertIn(helper.replace("\f", " "), self.compiled(text))

    def test_the_headers_of_cuda_may_be_included_in_quotes(self):
        for header in ("cuda_runtime.h", "device_launch_parameters.h"):
            self.assertIn(f'#include "{header}"', self.read(f'#include "{header}"\n{self.solution}')["includes"])

    def test_code_in_an_unnamed_namespace_is_as_if_outside(self):
        text = self.solution.replace("__global__", "namespace {\n__device__ int f() { return 1; }\n}\nnamespace { __global__", 1) + "}\n"
        self.assertIn("f() { return 1; }", self.compiled(text))
        self.assertNotIn("namespace", self.compiled(text))

    def test_what_runs_without_a_call_or_hides_is_refused(self):
        for added in ("namespace a {}", "namespace a = std;", "int namespace {}", "using namespace {}", "void f() { x namespace {} }", "using namespace a;", "__device__ void multiprocessor_count() {}", "};", "{",
                      "/* never closed", "#define x y", "# include <../x.h>", "#include <sys/../x.h>", '#include "x.h"', "%:define x y",
                      "template <typename T> requires true && (T{} == 1) void multiprocessor_count(T) {}", "template <typename T> requires (true) void multiprocessor_count(T) {}",
                      "#pragma once /*\n*/ constexpr int x = 1;", "constexpr int x = 1, multiprocessor_count = 2;",
                      "// x \\\nint x;", "int \\u0041;", "int \u2028e;", "int e\u0301;", "void f() { [[deprecated(f())]] int x; }", 'using x = R"(")";', 'using x = u8R"(")";', "int x\0;", "int x;\rint y;",
                      "__device__ void f() { sim::g(); }", "__device__ void grid_stride_kernel(int) {}", 'extern "C" void free(void*) {}',
                      "__device__ [[gnu::used]] void f() {}", "[[nodiscard, gnu::used]] void f() {}", "[[using gnu: used]] void f() {}",
                      "__device__ void f() { [[gnu::used]] int x; }", "__device__ void f() { x = y ?" "?/ z; }", "void f() __attribute__((used));"):
            with self.subTest(added), self.assertRaises(self.submission.Rejected):
                self.read(f"{self.solution}{added}\n")
        for text in ("", self.solution.replace("__global__", ""), self.solution.replace("grid_stride_kernel", "other_kernel", 1)):
            with self.subTest(text), self.assertRaises(self.submission.Rejected):
                self.read(text)

    def test_a_student_is_told_what_grading_would_refuse_or_ignore(self):
        import exercise  # pylint: disable=import-outside-toplevel
        work = mock.Mock(exercise=self.exercise)
        for text, words in ((self.solution, []), (f"{self.solution}#define x y\n", ["./course grade would not accept this file: line "]),
                            (self.solution.replace("2 * multiprocessor_count()", "1"), ["./course grade says: Ignored: the change to 'two_blocks_per_sm'"])):
            work.path.read_bytes.return_value = text.encode()
            said = exercise.about_grading(work)
            self.assertEqual([line[:len(begin)] for line, begin in zip(said, words)], words)
            self.assertEqual(len(said), len(words))

    def test_only_a_line_feed_ends_a_line_of_a_source(self):
        import assemble  # pylint: disable=import-outside-toplevel
        includes, lines = assemble.without_includes("// a\u2028@\f#include <b>\n#include <c>\nint d;", "file")
        self.assertEqual(includes, ['#line 2 "file"', "#include <c>"])
        self.assertEqual(lines, ['#line 1 "file"', "// a\u2028@\f#include <b>", "", "int d;"])

    def test_what_is_compiled_is_what_was_read(self):
        begin = self.solution.index("    const std::size_t stride")
        text = self.solution[:begin] + '    #pragma unroll /*\n*/ 4\n    /* } */ for (;;) // }\n     x("/*", \'"\');\n' + self.solution[begin:]
        made = self.compiled(text)
        line = text[:begin].count("\n") + 1
        self.assertIn(f"\n    # pragma unroll 4\n            for (;;)\n     x(\"/*\", '\"');\n    const std::size_t stride",
                      made.replace("#pragma", "# pragma").replace("\n\n", "\n"))
        first = int(re.findall(r"#line (\d+) \"work", made)[0])
        self.assertEqual(made[made.index(f"#line {first}"):made.index("x(")].count("\n") - 1 + first, line + 3)
        self.assertNotIn("TODO", self.compiled(self.solution.replace("stride =", "/* TODO */ stride =")))

    def test_screening_takes_linear_time(self):
        for text in ("reinterpret_cast<" + "a" * 10 ** 6, "[[," * 10 ** 5, "/*" * 10 ** 5, "(" * 10 ** 5, "::<" * 10 ** 5, '"' * 10 ** 5):
            with self.subTest(text[:20]), self.assertRaises(self.submission.Rejected):
                self.read(f"{self.solution}{text}")

    def test_an_object_defines_nothing_outside_of_the_students_namespace(self):
        import grading  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            def found(code):
                subprocess.run(["g++", "-xc++", "-", "-c", "-o", f"{folder}/a.o"], input=f"#include <vector>\n{code}", text=True, check=True)
                return grading.foreign(subprocess.run(["readelf", "-SsW", f"{folder}/a.o"], text=True, capture_output=True, check=True).stdout)
            self.assertEqual(found("extern int y; namespace student { std::vector<int> x(3); int f() { static std::vector<int> z(y); return z[0]; } }"), "")
            self.assertEqual(found("int x;"), "x")
            self.assertEqual(found('extern "C" void free(void*) {}'), "free")
            self.assertEqual(found('[[gnu::section(".preinit_array"), gnu::used]] static void* x;'), ".preinit_array")
            self.assertIn("7student", found('extern "C" { static int (*g())() { return 0; } } namespace student { int f() __attribute__((ifunc("g"))); }'))

    def test_a_submission_has_one_file_of_any_name_for_an_exercise(self):
        import grade  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            for name in ("02.3_a.1.cuh", "02.4_b.cuh", "02.3_c.cuh~"):
                (Path(folder) / name).write_text("other")
            self.assertIsNone(grade.find(folder, self.exercise))
            (Path(folder) / "02.3_it's \"mine\" (1).cuh").write_text("mine")
            self.assertEqual(grade.content(grade.find(folder, self.exercise)), b"mine")
            (Path(folder) / "b").mkdir()
            (Path(folder) / "b/02.3_a.cuh").write_text("a")
            with self.assertRaisesRegex(self.submission.Rejected, "^there are 2 files .* and b/02.3_a.cuh; each DIR"):
                grade.find(folder, self.exercise)

    def test_a_folder_of_students_is_no_submission(self):
        import grade  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bob/02.3_x.cuh", "ada/work/02.3_y.cuh", "carol/02.4_x.cuh"):
                (Path(folder) / name).parent.mkdir(parents=True)
                (Path(folder) / name).write_text("x")
            self.assertEqual(grade.students_in(Path(folder)), "'ada' and 'bob'")
            (Path(folder) / "bob/02.3_x.cuh").rename(Path(folder) / "bob/02.1_x.cuh")
            self.assertEqual(grade.students_in(Path(folder)), "")

    def test_a_check_runs_on_two_cpus_in_turn(self):
        import sandbox  # pylint: disable=import-outside-toplevel
        for allowed, expected in (({3, 5, 9, 12}, {"3,5", "9,12"}), ({4}, {"4,4"})):
            with mock.patch("os.sched_getaffinity", return_value=allowed):
                self.assertEqual({sandbox.on_few_cpus()[2] for _ in range(2)}, expected)

    def test_the_lens_looks_where_the_path_has_an_equals_sign(self):
        import native  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(native.Native, "program", lambda *_: Path(folder) / "a=b"):
            program = Path(folder) / "a=b"
            program.write_text("#!/bin/bash\nprintf '{\"launches\": [], \"findings\": []}' >\"$LENS_OUTPUT\"\nread token\n"
                               "printf '{\"token\": \"%s\", \"kind\": \"right\"}\\n' \"$token\" >&$COURSE_VERDICT\n")
            program.chmod(0o700)
            seen, found = asyncio.run(native.Native("a").look([], {}))
            self.assertEqual((seen["findings"], found.kind), ([], "right"))
            program.write_text("#!/bin/sh\nexec yes\n")
            with mock.patch.object(native, "OF_LENS", 1 << 20), self.assertRaisesRegex(native.NotTried, "^y y y"):
                asyncio.run(native.Native("a").look([], {}))

    def test_the_names_that_code_declares(self):
        import cpp  # pylint: disable=import-outside-toplevel
        unclear = ("void (f)() {}", "decltype(0) f() {}", "static struct { int x; } f{};", "struct S f{};", "template struct S<1>;", "T (f){};",
                   "int a, (f) = 2;", "auto [f, g] = h();", "int (&f(int))[3] {}", "static union { int f; };", "T f(int)(int) {}",
                   "std::T<1 < 2> f() {}", "std::T<1 < 2> f(3), operator>(X, X);", "template <bool b = 1 < 2> int f = 3 > sizeof g;",
                   "using enum A::f;", "using A::f;", "using f [[maybe_unused]] = int;")
        for text, names in (("[[nodiscard]] static int f = 3;", "f"), ("int a = 1, *f{}, g[2], h(3);", "a f g h"), ("std::array<int, k> f{};", "f"),
                            ("template <int k> __global__ void __launch_bounds__(k) f(T x) {}", "f"), ("enum { f, g = 2 };", "f g"),
                            ("struct alignas(16) S final : B<1> { int x; } f{}, g;", "S f g"), ("template <> struct S<1> {};", "S"), ("using f = int;", "f"),
                            ("enum class E : int { f };", "E f"), ("inline T::S f(int g) { int h; }", "f"), ("extern __shared__ int f[];", "f"),
                            ("template <> void f<g, (2 >> k) * k>(T x) {}", "f"), ("template <int k = (2 > 1 ? 2 : 1)> int f() {}", "f"),
                            ("std::array<int, (8 >> 1)> f;", "f"), ("int f[1 << 4];", "f"), ("bool operator<(T a, T b) {}", "operator"),
                            ("typedef int (f);", "f int typedef"), ("using std::size_t;", ""),
                            *((text, None) for text in unclear)):
            try:
                found = " ".join(sorted(cpp.split(cpp.tokens_of(text))[0].declared()))
            except cpp.Rejected:
                found = None
            self.assertEqual(found, names, text)

    def test_a_helper_may_be_defined_after_its_use(self):
        text = self.solution.replace("#pragma once", "#pragma once\n__device__ int after();") + "__device__ int after() { return 1; }\n"
        self.assertIn("int after() { return 1; }", self.compiled(text))

    def test_forms_that_hide_a_name_of_the_course_or_of_the_c_library_are_refused(self):
        for added in ("constexpr int kBins = 1;", "struct LaunchShape {};", "__BEGIN_DECLS", "int _Complex x;", "inline int (multiprocessor_count)() {}"):
            with self.assertRaises(self.submission.Rejected, msg=added):
                self.compiled(self.solution.replace("#pragma once", f"#pragma once\n{added}"))

    def test_files_in_a_deep_folder_are_found(self):
        import grade  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            here = os.open(folder, os.O_RDONLY)
            for _ in range(1100):
                os.mkdir("d", dir_fd=here)
                inner = os.open("d", os.O_RDONLY, dir_fd=here)
                os.close(here)
                here = inner
            os.close(os.open("02.3_x.cuh", os.O_CREAT, dir_fd=here))
            os.close(here)
            self.assertEqual(grade.find(Path(folder), self.exercise).name, "02.3_x.cuh")
            subprocess.run(["rm", "-r", f"{folder}/d"], check=True)  # shutil.rmtree calls itself for each level

    def test_without_a_launch_a_target_is_missed(self):
        from point import Point, Target  # pylint: disable=import-outside-toplevel
        point = Point.__new__(Point)
        point.targets = [Target("atomic operations", "most", 3.0, "")]
        self.assertIn("nothing was launched", point.missed({"launches": []}))

    def test_only_errors_that_clang_finds_are_what_nvcc_would_reject(self):
        import grading  # pylint: disable=import-outside-toplevel
        for status, said, words in ((1, "a.cu:1:2: error: x", "nvcc would reject it."),
                                    (2, "clang: error: unable to execute command: CPU time limit exceeded (core dumped)", grading.TOO_SLOW),
                                    (2, "Stack dump: ...", "clang, which checks the device code, fails at it.")):
            tool = mock.Mock(return_value=mock.Mock(status=status, stderr=said, why=""))
            self.assertEqual(asyncio.run(grading.screened(None, mock.Mock(tool=tool))).what, words)

    def test_symbols_that_are_not_listed_are_refused(self):
        import grading  # pylint: disable=import-outside-toplevel
        import sandbox  # pylint: disable=import-outside-toplevel
        with mock.patch.object(sandbox, "OUTPUT", 4):
            listed = sandbox.Sandbox("/tmp", False)
            ended = [listed.run(["echo", words], trusted=True) for words in ("symbol", "symbols")]
        self.assertEqual([(each.stdout, each.is_cut) for each in ended], [("symbol\n", False), ("symbols\n", False)])
        with mock.patch.object(sandbox, "OUTPUT", 3):
            cut = listed.run(["echo", "symbol"], trusted=True)
        for each, words in ((ended[0], ""), (cut, "Rejected: the file defines too many symbols.")):
            tool = mock.Mock(side_effect=[mock.Mock(status=0, stderr="", why=""), each])
            self.assertEqual(asyncio.run(grading.screened(None, mock.MagicMock(tool=tool))).what, words)

    def test_the_kernel_limits_the_memory_of_a_cgroup(self):
        import sandbox  # pylint: disable=import-outside-toplevel
        with mock.patch.object(sandbox, "MEMORY", 256 << 20), mock.patch.object(sandbox, "too_much", lambda _: ""), \
                sandbox.memory_group() as group:
            if not group:
                self.skipTest("no cgroup can be made here")
            for size, expected in ((512, sandbox.NEEDS_MORE), (128, "")):
                ended = sandbox.Sandbox("/tmp", False).run([sys.executable, "-c", f"bytearray({size} << 20)"], trusted=True)
                self.assertEqual(ended.why, expected)
        self.assertFalse(group.exists())

    def test_a_command_runs_in_its_cgroup_and_is_told_why_it_was_killed(self):
        import sandbox  # pylint: disable=import-outside-toplevel
        for events, expected in (("max 9\noom 1\noom_kill 1\n", sandbox.NEEDS_MORE), ("max 9\noom 0\noom_kill 1\n", sandbox.TOO_LITTLE)):
            with tempfile.TemporaryDirectory() as folder:
                group = Path(folder)
                (group / "memory.events").write_text(events)
                with mock.patch.object(sandbox, "memory_group", lambda group=group: contextlib.nullcontext(group)):
                    ended = sandbox.Sandbox("/tmp", False).run(["sh", "-c", "kill -KILL $$"], trusted=True)
                self.assertEqual((ended.why, (group / "cgroup.procs").read_text()), (expected, "0\n"))

    def test_only_the_kernel_says_that_memory_is_too_little(self):
        import sandbox  # pylint: disable=import-outside-toplevel
        self.assertIsNotNone(sandbox.killed_for_memory())
        for killed, expected in (((3, 4), sandbox.TOO_LITTLE), ((3, 3), ""), ((None, None), sandbox.TOO_LITTLE)):
            with mock.patch.object(sandbox, "killed_for_memory", side_effect=killed):
                self.assertEqual(sandbox.Sandbox("/tmp", False).run(["sh", "-c", "kill -KILL $$"]).why, expected)

    def test_without_a_filter_of_system_calls_there_is_no_sandbox(self):
        import sandbox  # pylint: disable=import-outside-toplevel
        with mock.patch.object(sandbox, "ROOT", Path("/none")):
            sandbox.allowed_calls.cache_clear()
            self.assertIn("No such file", sandbox.missing(False))

    def test_texts_of_students_stay_texts(self):
        words = self.reports.visible("]]></failure>\x1b[31m\0 <b> &amp;")
        results = [{"submission": name, "exercise": "02.3", "passed": False, "words": words, "stage": "small", "points": 0, "of": 4}
                   for name in (ALL_HOSTILE, "\x1b\ud800")]
        cases = list(xml.fromstring(self.reports.junit(results)).iter("testcase"))
        self.assertEqual([each.get("classname") for each in cases], [ALL_HOSTILE, "??"])
        self.assertEqual(cases[0][0].text, words)
        test = json.loads(self.reports.gradescope(results, "visible"))["tests"][0]
        self.assertEqual((test["output"].partition("\n")[2], test["output_format"]), (words, "text"))
        self.assertNotIn("\x1b", self.reports.table(results, {"02.3": ({"\x1b": 1.0}, [(["\x1b", ALL_HOSTILE], 0.9, 1.0)])}))


if __name__ == "__main__":
    unittest.main()
