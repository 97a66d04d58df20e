#!/usr/bin/env python3
"""usage: tools/lens/try_words.py BUILD [--instructions]

Runs kernels that are slow for a known reason under the lens (textbook.cu), and compares its word for what limits each launch
with the comment after it. With --instructions, it instead prints how far the estimated numbers of instructions are from those
that a GPU counted (tools/results/record textbook).
"""

import csv
import os
import re
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))
import programs  # noqa: E402
from counts import sums  # noqa: E402
from instructions import instructions  # noqa: E402
from limiter import ADVICE, figures, name  # noqa: E402
from rows import Problem, run  # noqa: E402

FILE = Path(__file__).resolve().parent / "textbook.cu"
COUNTED = FILE.parent.parent.parent / "docs/results/nvidia-h100-80gb-hbm3/textbook.csv"
EXPECTED = re.compile(r"<<<[^;]*;\s*// (.+)$", re.MULTILINE)


def compare(launches):
    """Prints how far the estimates for launches are off, which are in the order of their lines."""
    with open(COUNTED, newline="", encoding="utf-8") as file:
        counted = csv.DictReader(file)
        errors = []
        for launch in launches:
            rows = [next(counted, {"kernel": "", "instructions": 1}) for _ in range(launch["launches"])]
            if any(row["kernel"] not in launch["kernel"] or not row["kernel"] for row in rows):
                raise Problem(f"{COUNTED.name} does not have the launches of {FILE.name}: record it again")
            errors.append(abs(instructions(sums(launch)) / sum(float(row["instructions"]) for row in rows) - 1))
    errors.sort()
    print(f"Of {len(errors)} other launches, the estimates are {median(errors):.0%} off at the median, {errors[int(0.9 * len(errors))]:.0%} at the "
          f"90th percentile, and {errors[-1]:.0%} at most (tools/lens/textbook.cu, on an H100).".replace("%", " %"))


def main(arguments):
    if not arguments or arguments[1:] not in ([], ["--instructions"]):
        raise Problem(__doc__)
    os.environ["LENS_COUNTS_ONLY"] = "1"  # races are not looked for, which takes half the time
    seen = programs.of_file(arguments[0], FILE, sample=1)
    if seen["status"] != 0:
        raise Problem(seen["said"])
    text = FILE.read_text(encoding="utf-8")
    by_line = {int(launch["launched_at"].rpartition(":")[2]): launch for launch in seen["launches"]}
    if arguments[1:]:
        compare([by_line[line] for line in sorted(by_line)])
        return 0
    wrong = []
    for found in EXPECTED.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if line not in by_line:
            wrong.append(f"line {line}: no launch was seen")
            continue
        counted = [sums(by_line[line])]
        word = name(counted)
        if word != found[1]:
            wrong.append(f"line {line}: {by_line[line]['kernel']}: {word} ({', '.join(figures(counted, word, ''))}), not {found[1]}")
    words = set(EXPECTED.findall(text))
    wrong += [f"{word}: not a word of the limiter" for word in words - set(ADVICE)]
    print("\n".join(wrong) or f"{len(EXPECTED.findall(text))} kernels, {len(words)} words, as expected")
    return int(bool(wrong))


if __name__ == "__main__":
    run(main)
