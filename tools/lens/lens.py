"""usage: ./course lens CHAPTER... [--variant NAME] [--lines] [--sample N] [--gpu NAME] [--json]
                     [-- PROGRAM OPTIONS]
       ./course lens EXERCISE [--lines] [--sample N] [--gpu NAME] [--json] [-- PROGRAM OPTIONS]
       ./course lens FILE.cu ... [-I DIR] [-D NAME[=VALUE]] [-Xcompiler OPTION] [--lines]
                     [--sample N] [--gpu NAME] [--json] [--junit FILE] [--annotate github]
                     [-- PROGRAM ARGUMENTS]

Counts what kernels do on a simulated GPU, by kernel and source line, and finds races and
uninitialized reads.

--variant NAME  this variant only
--lines         the source with counts next to it (the default for one variant or a FILE.cu)
--sample N      count one block in N and scale the counts; 1 counts all blocks (default: 16 if more
                than 32 MiB of device memory are allocated, otherwise 1); races are searched for in
                all blocks
--gpu NAME      the GPU whose least time is computed from the counts, such as T4 (default: H200);
                ./course profile measures yours
--json          everything that was counted, for programs
--junit FILE    writes what was found in a FILE.cu as JUnit XML, for CI hosts (docs/ci.md)
--annotate github
                prints the lines where something was found as GitHub's annotations

An EXERCISE, such as 03.2, stands for your file. The input has 1 Mi elements unless --n or --file
says otherwise; a histogram then also runs on a smaller device, to estimate what limits it for 100
Mi elements. Exit status 1: something was found; 2: the lens could not run; otherwise, the program's
own. A program may also be several files, or a folder. For programs and for a chapter's
applications, such as ./course lens 03 -- --joint, the table has a line per kernel.
"""

import json
import re
import signal
import sys
from pathlib import Path

import programs
import text
from console import fail
from profiles import profile
from terminal import show
from rows import Problem, one_line


def whole_number(words):
    if words and not re.fullmatch("[1-9][0-9]{0,8}", words):
        fail(2, f"--sample accepts a whole number from 1 to 999999999, not '{words}'")
    return words and int(words)


def of_chapters(asked, options):
    """The counts of each variant. CPU variants launch nothing and are skipped."""
    named = [(program, name) for program in asked.program for name in programs.variants(program)]
    chosen = [(program, name) for program, name in named if asked.variant in (None, name)]
    if not chosen:
        raise Problem(f"course: no variant '{asked.variant}': the variants are " + ", ".join(name for _, name in named))
    for k, (program, name) in enumerate(chosen, 1):
        show(f"{k} of {len(chosen)}: {name}")
        seen = programs.of_variant(program, name, options, asked.folder, asked.sample)
        show()
        if seen["launches"] or seen["fault"]:
            yield name, seen
        elif seen["status"] != 0:
            raise Problem(seen["said"].strip())


def counted(asked, options):
    """The lens's output for a whole program, or for each variant of chapters' programs, by name."""
    if asked.whole:
        return [(asked.whole, programs.run(asked.program[0], options, asked.folder, shown=True, sample=asked.sample))]
    return list(of_chapters(asked, options)) or fail(2, "no kernel was launched: chapter 01 has none, and options such as --help launch none")


def look(asked, options, tell=lambda runs: None):
    """Runs programs that were built for the lens, prints the report, and passes the runs to `tell`. Returns 1 if something was
    found, otherwise the status of a file's program; 2 if the lens could not run."""
    folders = [asked.folder if asked.file else text.ROOT]
    try:
        profile(asked.gpu)
        runs = counted(asked, options)
    except Problem as problem:
        print("\n".join(map(one_line, problem.args)), file=sys.stderr)
        sys.exit(2)
    tell(runs)
    if asked.json:
        print(json.dumps([{"variant": name, **seen} for name, seen in runs], indent=1))
    else:
        print("\n" * bool(asked.whole) + "\n".join(text.report(runs, asked.lines or len(runs) == 1, folders, asked.gpu)))
    # A program may copy a whole buffer and use only the part that was written.
    mistakes = [finding for _, seen in runs for finding in seen["findings"] if not (asked.whole and finding.get("partly_written"))]
    if mistakes or any(seen["fault"] for _, seen in runs):
        return 1
    status = runs[0][1]["status"] if asked.whole else 0
    if status < 0:
        print(f"course: ended by {signal.Signals(-status).name}: {asked.whole}", file=sys.stderr)
    return status if status >= 0 else 128 - status
