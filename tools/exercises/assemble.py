#!/usr/bin/env python3
"""usage: tools/exercises/assemble.py student|solution|faults|attempts|steps NUMBER OUTPUT

Makes one source file from a student's file, from the chapter's own code, from all faults of an exercise or all attempts at it, or from the steps of a
chapter's lesson plan: the includes, then each text in its own namespace, since the chapter's program has functions of the same names,
followed by the variant's entry.
"""

import json
import re
import sys
from pathlib import Path

import live
from attempts import attempts
from faults import faults
from starter import ROOT, Chapter, exercises, names_of, without_comments, without_marks

BY_NVCC = "#include <cuda_runtime.h>"  # nvcc includes it in every .cu file
REGISTER = """static const ::AddedVariants<{problem}>::Element {element}(::{list}<{problem}>, {variant});
"""
RENAMED = """[] {{
    auto variant = kMoreCheck;
    variant.name = "{name}";
    return variant;
}}()"""


def registration(problem, entry, name, more=()):
    """Source that adds a variant under a name, and also the lines of more checks, if there are any."""
    named = re.sub(r'\.name = "[^"]*"', f'.name = "{name}"', entry, count=1)
    text = '#line 1 "the variant\'s entry"\n' + REGISTER.format(problem=problem, element="is_added", list="added_variants", variant=named)
    check = REGISTER.format(problem=problem, element="is_checked", list="more_checks", variant=RENAMED.format(name=name))
    # An unnamed namespace: these functions may have the same names as the student's.
    own = ["namespace {", *more, check + "}"] if more else []
    return "\n".join([*own, text])


def without_includes(text, file):
    """A file's includes, and its other lines, both with #line directives for messages."""
    place, includes, lines = json.dumps(str(file)), [], text.split("\n")  # unlike splitlines(), not at a form feed or U+2028
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*(include|pragma once)\b", line):
            lines[number - 1] = ""
            if "include" in line:  # nvcc searches the folder of the file that #line names
                includes += [f"#line {number} {place}", line.replace('"../', f'"{ROOT}/')]
    return includes, [f"#line 1 {place}", *lines]


def more_checks(exercise):
    """The includes and the other lines of an exercise's file of more checks; both empty if there is no such file."""
    path = ROOT / exercise.more
    return without_includes(path.read_text(encoding="utf-8"), exercise.more) if path.exists() else ([], [])


def assemble(problem, texts, more=([], [])):
    """A source file made from texts and more checks. Each text comes with a name, a variant's entry, and a file name for messages."""
    includes, parts = [BY_NVCC, *more[0]], []
    for at, (name, entry, file, text) in enumerate(texts):
        own_includes, lines = without_includes(text, file)
        includes += own_includes
        parts += [f"namespace student{at or ''} {{", *lines, registration(problem, entry, name, more[1]) + "}"]
    return "\n".join(includes + parts) + "\n"


def with_hidden(exercise, text):
    """A student's text, with the hidden definitions of the chapter added unless the text, from an older starter, has them."""
    chapter, code = Chapter(exercise.chapter), without_comments(text.split("\n"))
    for part in chapter.hidden(exercise):
        if not any(re.search(rf"\b{name}\s*\(", code) for name in names_of(part)):
            lines = "\n".join("" if line not in without_marks([line]) else line for line in part)
            text += f'\n#line {chapter.line_of(part)} "{exercise.chapter}/kernels.cuh"\n{lines}\n'
    return text


def main(what, number, output):
    more = [], []
    if what == "steps":
        found = [step for step in live.steps().values() if step.number.startswith(number)]
        texts = [(step.number, step.entry, f"step/{step.number}.cuh", step.text) for step in found]
        problem = found[0].problem
    else:
        exercise = next(each for each in exercises() if each.number == number)
        chapter = Chapter(exercise.chapter)
        problem, more = chapter.problem, more_checks(exercise)
        if what == "solution":
            texts = [("yours", chapter.entries[exercise.variant], "the solution", with_hidden(exercise, chapter.solution(exercise)))]
        elif what == "student":
            text = (ROOT / exercise.file).read_text(encoding="utf-8-sig")
            texts = [("yours", chapter.entries[exercise.variant], exercise.file, with_hidden(exercise, text))]
        else:
            found = attempts(number) if what == "attempts" else [each for each in faults(number[:2]) if each.exercise.number == number]
            texts = [(each.name, chapter.entries[each.exercise.variant], f"{what[:-1]}/{each.name}.cuh", with_hidden(each.exercise, each.text()))
                     for each in found]
    Path(output).write_text(assemble(problem, texts, more), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
