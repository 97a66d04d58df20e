#!/usr/bin/env python3
"""usage: ./course lens CHAPTER... [--variant NAME] [--lines] [--sample N] [--json | --html PATH] [-- PROGRAM OPTIONS]
       ./course lens EXERCISE [--lines] [--sample N] [--json | --html PATH] [-- PROGRAM OPTIONS]
       ./course lens FILE.cu [--lines] [--sample N] [--json | --html PATH] [-- PROGRAM ARGUMENTS]

Counts what kernels do on a simulated GPU, by kernel and source line, and finds races and uninitialized reads.

--variant NAME  this variant only
--lines         the source with counts next to it (the default for one variant or a FILE.cu)
--sample N      count one block in N and scale the counts, or all with 1 (default: 16 from 32 MiB of device memory on);
                races are searched for in all blocks
--json          everything that was counted, for programs
--html PATH     the same as one page for a browser

An EXERCISE, such as 03.2, stands for your file. The input has 1 Mi elements unless --n or --file says otherwise; a
histogram then also runs on a smaller device, to estimate what limits it at 100 Mi. Exit status 1: something was found;
2: the lens could not run.
"""

import argparse
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import counts  # noqa: E402
import limiter  # noqa: E402
import page  # noqa: E402
import text  # noqa: E402
from rows import Problem, run  # noqa: E402


def read_arguments(arguments):
    parser = argparse.ArgumentParser(prog="./course lens", usage=__doc__.split("\n\n", maxsplit=1)[0].removeprefix("usage: "),
                                     description=__doc__.split("\n\n", maxsplit=1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--program", action="append", default=[], help=argparse.SUPPRESS)  # what ./course has built
    parser.add_argument("--file", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--variant", help=argparse.SUPPRESS)
    parser.add_argument("--lines", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--sample", type=whole_number, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--html", help=argparse.SUPPRESS)
    own, options = (arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]) if "--" in arguments \
        else (arguments, [])
    return parser.parse_args(own), options


def whole_number(text):
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise Problem(f"course: --sample accepts a whole number from 1 to 999999999, not '{text}'")
    return int(text)


def of_chapters(asked, options):
    """The counts of each variant. Those of the CPU launch nothing and are left out."""
    found = False
    for program in asked.program:
        for name in counts.variants(program):
            if asked.variant not in (None, name):
                continue
            found = True
            if sys.stderr.isatty():
                print(f"\r\033[K{name} ...", end="", file=sys.stderr, flush=True)
            seen = limiter.of_variant(program, name, options, asked.folder, asked.sample)
            if seen["launches"] or seen["fault"]:
                yield name, seen
            elif seen["status"] != 0:
                raise Problem(seen["said"].strip())
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if not found:
        raise Problem(f"course: no variant '{asked.variant}': there are "
                      + ", ".join(name for program in asked.program for name in counts.variants(program)))


def main(arguments):
    asked, options = read_arguments(arguments)
    asked.program = [Path(program).resolve() for program in asked.program]
    folders = [Path(asked.folder)] if asked.file else [text.ROOT]
    if asked.file:
        runs = [(Path(asked.file).name, counts.run(asked.program[0], options, asked.folder, shown=True, sample=asked.sample))]
    else:
        runs = list(of_chapters(asked, options))
        if not runs:
            raise Problem("course: no kernel was launched: chapter 01 has none, and options such as --help launch none")
    if asked.json:
        print(json.dumps([{"variant": name, **seen} for name, seen in runs], indent=1))
    elif asked.html:
        page.write(Path(asked.folder or ".") / asked.html, runs, folders)
        print(f"The page: {Path(asked.folder or '.') / asked.html}", file=sys.stderr)
    else:
        print("\n".join(text.report(runs, asked.lines or len(runs) == 1, folders)))
    return int(any(seen["findings"] or seen["fault"] for _, seen in runs))


try:
    run(main)
except SystemExit as end:
    if not isinstance(end.code, str):
        raise
    print(end.code, file=sys.stderr)
    sys.exit(2)
