"""Runs programs that were built for the lens."""

import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import basic_blocks
import counts
from counts import SHARE, SIZES, by_kernel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "results"))
from rows import Problem  # noqa: E402


def run(program, options, folder=None, shown=False, has_row=True, share=None, sample=None, each=False):
    """Runs a program, given by its full path, once. Returns what the lens wrote, the program's output unless `shown`, and the
    program's row of results if `has_row`. `share` makes the device smaller (counts.of_part). Otherwise, one block in `sample` is
    counted; None leaves the choice to the lens. Launches of one kernel with one shape are added up, unless `each`."""
    with tempfile.TemporaryDirectory() as temporary:
        output, rows = Path(temporary) / "lens.json", Path(temporary) / "rows.csv"
        part = counts.of_part(share) if share else {"LENS_SAMPLE": str(sample)} if sample else {}
        part |= {"LENS_EACH_LAUNCH": "1"} if each else {}
        environment = {"CUDA_SIM_MULTIPROCESSORS": str(counts.SMS), **os.environ, "LENS_OUTPUT": str(output), **part}
        extra = [] if shown or not has_row else ["--csv", str(rows)]
        done = subprocess.run([program, *options, *extra], cwd=folder, env=environment, check=False, text=True,
                              errors="replace", stdin=subprocess.DEVNULL if not shown else None,
                              stdout=None if shown else subprocess.PIPE, stderr=None if shown else subprocess.PIPE)
        if not output.exists():
            words = "" if shown else (done.stderr or done.stdout).strip()
            raise Problem(words or f"{Path(program).name} has ended with status {done.returncode} before the lens could "
                                   "write what it saw")
        with open(output, encoding="utf-8", errors="replace") as file:
            try:
                seen = counts.read(file.read())
            except ValueError:
                raise Problem(f"what the lens saw of {Path(program).name} is incomplete: is {temporary} on a full disk?") from None
        for launch in seen["launches"]:
            basic_blocks.weigh(launch, program)
        seen["status"] = done.returncode
        seen["said"] = (done.stdout or "") + (done.stderr or "")
        if rows.exists():
            with open(rows, newline="", encoding="utf-8") as file:
                of_kernels = [row for row in csv.DictReader(file) if not row["variant"].startswith("(")]
            if of_kernels:
                seen["row"] = of_kernels[0]
        return seen


def of_file(build, file, options=(), sample=None):
    """Builds a program of one file in a build folder, and returns the lens's output about it."""
    sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "course"))
    from program import Refused, build_program  # pylint: disable=import-outside-toplevel

    try:
        program = build_program(build, [str(file)], lens=True)
    except Refused as why:
        raise Problem(str(why)) from None
    return run(program, options, has_row=False, sample=sample)


def variants(program):
    """The names of a chapter's variants."""
    done = subprocess.run([program, "--list"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(done.stderr.strip() or f"{Path(program).name} has ended with status {done.returncode}")
    return re.findall(r"^(\S.*?)  ", done.stdout, re.MULTILINE)


def of_variant(program, variant, options, folder, sample=None):
    """The counts of a variant, without the launch in chapter 02's main. Unless the options determine the input's size, the input
    has 1 Mi elements, and for a histogram, `large` has the counts extrapolated to LARGE."""
    has_size = any(option.split("=")[0] in ("--n", "--file", "--image") for option in options)
    options = [*options, "--variant", variant]
    seen = run(program, options if has_size else [*options, "--n", "1M"], folder, sample=sample)
    runs = [seen]
    if not has_size and seen.get("row", {}).get("problem") == "histogram" and not seen["fault"]:
        runs += [run(program, [*options, "--n", str(n)], folder, share=SHARE) for n in SIZES]
    for each in runs:
        each["launches"] = [launch for launch in each["launches"] if "/main.cu:" not in launch["launched_at"]]
    if len(runs) > 1:
        seen["large"] = counts.large(*(by_kernel(each["launches"]) for each in runs[1:]))
    return seen
