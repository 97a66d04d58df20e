#!/usr/bin/env python3
"""usage: tools/site/steps.py

Prints the steps of ./course live for the site, in JSON: a list of chapters, each with its lesson plan's page, its live folder's
file, and its `steps`, of which the first is the chapter's starting point. Of a step, `does`, `shows` and `ask` are the plan's
Markdown, `text` is the file after it, and `before` is the place in `steps` of the one that it changes; null of the first one.
"""

import json
import sys
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "exercises"))
import live  # noqa: E402


def described(chapter, own):
    steps = [*([own[0].base] if own[0].base else []), *own]
    place = {step.number: at for at, step in enumerate(steps)}
    return {
        "chapter": chapter,
        "page": f"docs/instructors/{chapter}.md",
        "file": live.file(own[0].problem),
        "steps": [{"number": step.number, "does": step.does, "shows": step.shows, "ask": step.ask, "text": step.text,
                   "before": place[step.base.number] if at > 0 else None} for at, step in enumerate(steps)],
    }


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(__doc__.strip())
    chapters = groupby(live.steps().values(), lambda step: step.number[:2])
    json.dump([described(chapter, list(own)) for chapter, own in chapters], sys.stdout, ensure_ascii=False, indent=1)
