#!/usr/bin/env python3
"""usage: tools/site/exercises.py

Prints the exercises for the site's workbench, in JSON: a list of objects with what each exercise's page and its chapter's
kernels.cuh contain. `task`, `target`, `hints`, `then` and `picture` are Markdown whose links are relative to `page`;
`recorded` is a table in HTML of what was recorded of the chapter's kernels, or empty.
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "exercises"))
from starter import ROOT, Chapter, exercises  # noqa: E402

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "results"))
import report  # noqa: E402
import rows as results  # noqa: E402


def picture(exercise):
    """The picture that an exercise's page names in a comment, with its text from a chapter; empty if the page names none."""
    named = re.search(r"^<!-- picture: (\S+) -->$", exercise.text, re.MULTILINE)
    if not named:
        return ""
    chapters = "\n".join(page.read_text(encoding="utf-8") for page in ROOT.glob("[0-9][0-9]_*/README.md"))
    shown = re.search(rf"!\[([^\]]*)\]\(\.\./docs/figures/{re.escape(named[1])}\)", chapters)
    if not shown:
        sys.exit(f"{exercise.page}: no chapter shows docs/figures/{named[1]}")
    return f"![{shown[1]}](../../docs/figures/{named[1]})"


def recorded(exercise):
    rows = [row for row in results.read(ROOT / "docs" / "results" / "simulator.csv") if row["chapter"] == exercise.chapter and row["case"] == "progression"]
    return "" if all(map(results.on_cpu, rows)) else report.table(rows, without=("chapter", "verdict"))


def described(exercise):
    chapter = Chapter(exercise.chapter)
    return {
        "number": exercise.number,
        "chapter": exercise.chapter,
        "title": exercise.title,
        "page": str(exercise.page),
        "file": str(exercise.file),
        "task": exercise.section("Task"),
        "picture": picture(exercise),
        "target": exercise.section("Target"),
        "recorded": recorded(exercise),
        "hints": [hint.strip() for hint in exercise.hints()],
        "then": exercise.section("Then"),
        "reveals": chapter.reveals(exercise),
        "starter": chapter.starter(exercise),
        "solution": chapter.solution(exercise),
    }


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(__doc__.strip())
    json.dump([described(each) for each in exercises()], sys.stdout, ensure_ascii=False, indent=1)
