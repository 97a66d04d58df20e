#!/usr/bin/env python3
"""usage: tools/exercises/try_starters.py [--record] [NUMBER ...]

Checks that each exercise's starter compiles and fails as its page says, code for the CPU also with the long input alone, and
that the chapter's code in the same file passes. --record writes the starters' messages into the pages. Uses work/, which must not exist.
"""

import re
import shutil
import sys

from native import built, checked
from starter import ROOT, Chapter, exercises

SAID = re.compile(r"(## The starter says\n\n```\n)(.*?)(\n```)", re.DOTALL)


def main(words):
    record = words[:1] == ["--record"]
    numbers = words[record:]
    if (ROOT / "work").exists():
        sys.exit("tools/exercises/try_starters.py: the folder work/ exists, and may contain a student's work: move it away")
    chosen = [each for each in exercises() if not numbers or each.number in numbers]
    names = [f"exercise_{each.number}_plain" for each in chosen]
    wrong = []
    (ROOT / "work").mkdir()  # outside `try`: a work/ that already exists must not be removed
    try:
        for what, text_of in (("starter", Chapter.starter), ("solution", Chapter.solution)):
            for each in chosen:
                (ROOT / each.file).write_text(text_of(Chapter(each.chapter), each), encoding="utf-8")
            built("simulator", *names)
            for each in chosen:
                found = checked(f"exercise_{each.number}", "simulator", "plain")
                said = "\n".join(found.words)
                if what == "starter" and each.on_cpu:
                    long = checked(f"exercise_{each.number}", "simulator", "plain", COURSE_LONG_INPUT="1")
                    wrong += [] if long.case.get("n", 0) > 1 << 32 else [f"{each.number}: with the long input alone, the starter {long.first}"]
                if what == "solution":
                    wrong += [] if found.passed else [f"{each.number}: the chapter's code fails: {said}"]
                elif record:
                    path = ROOT / each.page
                    path.write_text(SAID.sub(lambda match: match[1] + said + match[3], each.text), encoding="utf-8")
                elif said != SAID.search(each.text)[2]:
                    wrong.append(f"{each.page} quotes another message than the starter's, which is: {said or 'none'} (--record updates the page)")
    finally:
        shutil.rmtree(ROOT / "work")
    print(*wrong, f"{len(chosen)} exercises", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
