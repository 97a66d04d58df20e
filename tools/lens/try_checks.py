#!/usr/bin/env python3
"""usage: tools/lens/try_checks.py [--all]

Runs the chapters' and the applications' checks under the lens, which must find nothing in kernels that are right. Without
--all, of the chapters only the check of every variant, and not chapter 04's, which takes as long as the others together:
`./course lens 04` runs its kernels. Never runs checks that plant a fault, or those of more than 2^32 elements, which skip most
blocks.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import programs  # noqa: E402
from rows import Problem, run  # noqa: E402

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "course"))
from text import distinct, finding_words  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build" / "simulator" / "bin"

os.environ.setdefault("CUDA_SIM_MULTIPROCESSORS", "2")  # grids sized for an H200 would take minutes
# Catch2 skips the tests that any of these arguments names; within an argument, a space is part of a name.
RIGHT = ["~*found*", "~*wrong for*", "~*racy*", "~*2^32*"]
QUICK = ["every variant is right*"]


def build(targets):
    done = subprocess.run(["cmake", "--build", "--preset", "simulator", "--target", *targets], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Problem(done.stdout[-2000:])


def look(name, tests):
    """Lines about the lens's findings in a program's checks."""
    seen = programs.run(BIN / name, tests, ROOT, has_row=False)
    if seen["status"] != 0 or not seen["launches"]:
        return [f"{name} fails under the lens, or launches nothing:", *seen["said"].splitlines()[-5:]]
    found = [finding for finding in distinct(seen["findings"]) if "/broken/" not in finding["line"]]
    return [f"{name}, {len(seen['launches'])} launches: {len(found)} findings",
            *(f"  {line}" for finding in found for line in finding_words(finding))]


def main(arguments):
    if arguments not in ([], ["--all"]):
        raise Problem(__doc__)
    chapters = [path.parent for path in ROOT.glob("[0-9][0-9]_*/kernels.cuh") if "__global__" in path.read_text(encoding="utf-8")
                and (path.parent / "README.md").exists()]  # without the chapters of ./course live
    sources = [path for chapter in chapters for path in (*chapter.glob("checks.cu"), *chapter.glob("applications/checks.cu"))]
    programs = {"_".join(path.relative_to(ROOT).parts[:-1]) + "_checks_lens": RIGHT if arguments or "applications" in path.parts
                else QUICK for path in sorted(sources)}
    if not arguments:
        del programs["04_coarsened_checks_lens"]
    build(list(programs))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(look, programs, programs.values()))
    print("\n".join(line for lines in said for line in lines))
    return int(any(not lines[0].endswith(": 0 findings") for lines in said))


if __name__ == "__main__":
    run(main)
