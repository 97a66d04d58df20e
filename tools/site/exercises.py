#!/usr/bin/env python3
"""usage: tools/site/exercises.py

Prints the exercises for the site's workbench, in JSON: a list of objects with what each exercise's page and its chapter's
kernels.cuh contain. `task`, `target`, `hints` and `then` are Markdown whose links are relative to `page`.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "exercises"))
from starter import Chapter, exercises  # noqa: E402


def described(exercise):
    chapter = Chapter(exercise.chapter)
    return {
        "number": exercise.number,
        "chapter": exercise.chapter,
        "title": exercise.title,
        "page": str(exercise.page),
        "file": str(exercise.file),
        "task": exercise.section("Task"),
        "target": exercise.section("Target"),
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
