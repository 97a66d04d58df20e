#!/usr/bin/env python3
"""usage: tools/lens/try_words.py BUILD

Runs kernels that are slow for a known reason under the lens (textbook.cu), and compares its word for what limits each launch
with the comment after it.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import programs  # noqa: E402
from counts import sums  # noqa: E402
from limiter import ADVICE, figures, name  # noqa: E402
from rows import Problem, run  # noqa: E402

FILE = Path(__file__).resolve().parent / "textbook.cu"
EXPECTED = re.compile(r"<<<[^;]*;\s*// (.+)$", re.MULTILINE)


def main(arguments):
    if len(arguments) != 1:
        raise Problem(__doc__)
    seen = programs.of_file(arguments[0], FILE, sample=1)
    if seen["status"] != 0:
        raise Problem(seen["said"])
    text = FILE.read_text(encoding="utf-8")
    by_line = {int(launch["launched_at"].rpartition(":")[2]): launch for launch in seen["launches"]}
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
