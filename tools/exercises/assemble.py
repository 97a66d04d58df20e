#!/usr/bin/env python3
"""usage: tools/exercises/assemble.py NUMBER OUTPUT

Makes a source file of a student's file: its includes, then the rest in a namespace of its own, since the chapter's
program has functions of the same names, then the variant that the exercise is about.
"""

import json
import re
import sys
from pathlib import Path

from starter import ROOT, Chapter, exercises

REGISTER = """#line 1 "the exercise's variant"
static const bool variant_is_added = [] {{
    added_variants<{problem}>().push_back({entry});
    return true;
}}();
"""


def assemble(exercise, text):
    """The student's text as a source file whose lines have the same numbers."""
    lines = text.splitlines()
    is_include = [bool(re.match(r"\s*#\s*(include|pragma once)\b", line)) for line in lines]
    includes = "".join(f"#line {number} {json.dumps(str(exercise.file))}\n{line}\n"
                       for number, (line, include) in enumerate(zip(lines, is_include), 1)
                       if include and "include" in line)
    body = "\n".join("" if include else line for line, include in zip(lines, is_include))
    chapter = Chapter(exercise.chapter)
    entry = re.sub(r'\.name = "[^"]*"', '.name = "yours"', chapter.entries[exercise.variant], count=1)
    problem = re.fullmatch(r"Variant<(\w+)>", chapter.type)[1]
    # A function of the same name would hide what the problem's header declares.
    used = "using ::square;\n" if problem == "SumOfSquares" else ""
    return (f"{includes}namespace student {{\n{used}#line 1 {json.dumps(str(exercise.file))}\n{body}\n"
            + REGISTER.format(problem=problem, entry=entry) + "}  // namespace student\n")


def main(number, output):
    exercise = next(each for each in exercises() if each.number == number)
    Path(output).write_text(assemble(exercise, (ROOT / exercise.file).read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
