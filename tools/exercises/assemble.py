#!/usr/bin/env python3
"""usage: tools/exercises/assemble.py student|faults|steps NUMBER OUTPUT

Makes one source file from a student's file, from all faults of an exercise, or from the steps of a chapter's lesson
plan: the includes, then each text in its own namespace, since the chapter's program has functions of the same names,
followed by the variant's entry.
"""

import json
import re
import sys
from pathlib import Path

import live
from faults import faults
from starter import ROOT, Chapter, exercises

REGISTER = """#line 1 "the variant's entry"
static const bool is_added = [] {{
    added_variants<{problem}>().push_back({entry});
    return true;
}}();
"""


def assemble(problem, texts):
    """A source file from texts, each with a name, a variant's entry, and a file's name for messages."""
    # Otherwise a function of the same name would hide the one of the problem's header.
    used = "using ::square;\n" if problem == "SumOfSquares" else ""
    includes, parts = [], []
    for at, (name, entry, file, text) in enumerate(texts):
        place = json.dumps(str(file))
        lines = text.splitlines()
        for number, line in enumerate(lines, 1):
            if re.match(r"\s*#\s*(include|pragma once)\b", line):
                lines[number - 1] = ""
                if "include" in line:  # nvcc searches the folder of the file that #line names
                    includes += [f"#line {number} {place}", line.replace('"../', f'"{ROOT}/')]
        entry = re.sub(r'\.name = "[^"]*"', f'.name = "{name}"', entry, count=1)
        parts += [f"namespace student{at or ''} {{", f"{used}#line 1 {place}", *lines,
                  REGISTER.format(problem=problem, entry=entry) + "}"]
    return "\n".join(includes + parts) + "\n"


def main(what, number, output):
    if what == "steps":
        found = [step for step in live.steps().values() if step.number.startswith(number)]
        texts = [(step.number, step.entry, f"step {step.number}", step.text) for step in found]
        problem = found[0].problem
    else:
        exercise = next(each for each in exercises() if each.number == number)
        chapter = Chapter(exercise.chapter)
        entry, problem = chapter.entries[exercise.variant], chapter.problem
        if what == "student":
            texts = [("yours", entry, exercise.file, (ROOT / exercise.file).read_text(encoding="utf-8"))]
        else:
            texts = [(each.name, entry, f"fault {each.name}", each.text()) for each in faults(number[:2])
                     if each.exercise == exercise]
    Path(output).write_text(assemble(problem, texts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
