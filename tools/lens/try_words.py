#!/usr/bin/env python3
"""usage: tools/lens/try_words.py BUILD [--instructions]

Runs kernels that are slow for a known reason under the lens (textbook.cu), and compares its word for what limits each launch
with the comment after it, and the least time of each launch with the time that it took on a GPU (tools/results/record textbook).
With --instructions, it instead prints how far the estimated numbers of instructions are from those that the GPU counted.
"""

import csv
import os
import re
import sys
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "results")]
import bound  # noqa: E402
import programs  # noqa: E402
from counts import sums  # noqa: E402
from instructions import instructions  # noqa: E402
from limiter import ADVICE, figures, name  # noqa: E402
from profiles import profile  # noqa: E402
from rows import Problem, run, seconds  # noqa: E402

FILE = Path(__file__).resolve().parent / "textbook.cu"
COUNTED = FILE.parent.parent.parent / "docs/results/nvidia-h100-80gb-hbm3/textbook.csv"
EXPECTED = re.compile(r"<<<[^;]*;\s*// (.+)$", re.MULTILINE)


def recorded(launches):
    """Each launch, in the order of lines, with its recorded rows: several if the launch is in a loop."""
    with open(COUNTED, newline="", encoding="utf-8") as file:
        counted = csv.DictReader(file)
        for launch in launches:
            rows = [next(counted, {"kernel": ""}) for _ in range(launch["launches"])]
            if any(row["kernel"] not in launch["kernel"] or not row["kernel"] for row in rows):
                raise Problem(f"{COUNTED.name} does not have the launches of {FILE.name}: record it again")
            yield launch, rows


def compare(launches):
    """Prints the relative errors of the estimated numbers of instructions."""
    errors = sorted(abs(instructions(sums(launch)) / sum(float(row["instructions"]) for row in rows) - 1) for launch, rows in recorded(launches))
    print(f"Of {len(errors)} other launches, the estimates are {median(errors):.0%} off at the median, {errors[int(0.9 * len(errors))]:.0%} at the "
          f"90th percentile, and {errors[-1]:.0%} at most (tools/lens/textbook.cu, on an H100).".replace("%", " %"))


def too_fast(launches):
    """Lines about launches that took less than their least time. Recorded times (ncu) exclude the launch itself."""
    gpu = profile("H100")
    for launch, rows in recorded(launches):
        least, why = bound.times([{name: number / len(rows) for name, number in sums(launch).items()}], gpu)[0]
        fastest = min(float(row["kernel_s"]) for row in rows)
        if fastest < least - gpu.launch:
            yield f"{launch['launched_at']}: {launch['kernel']}: the recorded {seconds(fastest)} is less than the least time, {seconds(least - gpu.launch)}: {why}"


def main(arguments):
    if not arguments or arguments[1:] not in ([], ["--instructions"]):
        raise Problem(__doc__)
    os.environ["LENS_COUNTS_ONLY"] = "1"  # no search for races, which would take half of the time
    seen = programs.of_file(arguments[0], FILE, sample=1)
    if seen["status"] != 0:
        raise Problem(seen["said"])
    text = FILE.read_text(encoding="utf-8")
    by_line = {int(launch["launched_at"].rpartition(":")[2]): launch for launch in seen["launches"]}
    in_order = [by_line[line] for line in sorted(by_line)]
    if arguments[1:]:
        compare(in_order)
        return 0
    wrong = list(too_fast(in_order))
    for found in EXPECTED.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if line not in by_line:
            wrong.append(f"line {line}: no launch was seen")
            continue
        counted = [sums(by_line[line])]
        word = name(counted)
        if word != found[1]:
            wrong.append(f"line {line}: {by_line[line]['kernel']}: {word} ({', '.join(figures(counted, word, ''))}), but the comment says {found[1]}")
    words = set(EXPECTED.findall(text))
    wrong += [f"{word}, which a comment says, is no limiter of tools/lens/limiter.py" for word in words - set(ADVICE)]
    print("\n".join(wrong) or f"{len(in_order)} launches, {len(words)} words, as expected")
    return int(bool(wrong))


if __name__ == "__main__":
    run(main)
