#!/usr/bin/env python3
"""usage: tools/site/questions.py

Prints what ./course debug and ./course predict ask, for the site's workbench, in JSON: `chapters`, each with its faults, without
their answers, and the questions about times and counts; and the `causes` of faults.
"""

import json
import sys
from pathlib import Path

sys.path[1:1] = [str(Path(__file__).resolve().parent.parent / name) for name in ("exercises", "course")]
import hunt  # noqa: E402
import predict  # noqa: E402
from starter import folders_of_exercises  # noqa: E402


def described(chapter):
    faults = [{"name": each.name, "task": hunt.task(each), "text": each.text()} for each in hunt.in_order(chapter[:2])]
    asked = predict.questions(chapter) if predict.page(chapter).exists() else []
    return {"chapter": chapter, "faults": faults, "page": str(predict.page(chapter).relative_to(predict.ROOT)),
            "questions": [{"number": each.number, "text": each.text, "asks_for": each.asks_for, "choices": each.choices, "ideas": each.ideas}
                          for each in asked]}


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(__doc__.strip())
    chapters = [found for found in map(described, folders_of_exercises()) if found["faults"] or found["questions"]]
    json.dump({"chapters": chapters, "causes": hunt.causes()}, sys.stdout, ensure_ascii=False, indent=1)
