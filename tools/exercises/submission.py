#!/usr/bin/env python3
"""usage: tools/exercises/submission.py NUMBER FILE

Selects what is graded of a student's file: the functions that the exercise asks for. All other code is the chapter's. Writes a
JSON object: the `text`, the `includes` and `notes`, or the reason why the file is `rejected`.

The file is read once, as tokens without comments, and what is compiled consists of these tokens. It can't leave its namespace,
change what the course's code means, or define symbols outside. Whatever else its code does, it does in a process of its own
(grading.py).
"""

import json
import re
import sys
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path

from cpp import Rejected, definitions, split, tokens_of
from starter import MARK, ROOT, Chapter, exercises, marked

HEADER = re.compile(r"<[a-z]\w*(\.h)?>")
OF_CUDA = '"cuda_runtime.h"', '"device_launch_parameters.h"'
# Tokens that leave a namespace, or make code mean something other than it appears to.
FORBIDDEN = re.compile(r"asm|__asm\w*|__attribute\w*|_Pragma|namespace|sim|SIM_\w*")
# Names that C++ reserves for compilers and libraries may be macros. Those of CUDA are in the simulator's headers. nvcc rejects the other
# builtin functions in kernels, and clang does not.
BUILTIN = "builtin_((popcount|clz|ffs)(ll)?|expect|assume_aligned|unreachable|trap)"
RESERVED = re.compile(rf"__(?!({BUILTIN}|restrict(__)?|noinline__|func__|int128)$)\w+|_[A-Z]\w*")
ERRORS = set("""cudaDeviceSynchronize cudaGetLastError cudaPeekAtLastError cudaError_t cudaSuccess cudaGetErrorName
    cudaGetErrorString""".split())  # what any host code may use
UNROLL = re.compile(r"# pragma unroll( \w+| \( \w+ \))?")
ATTRIBUTES = {"maybe_unused", "nodiscard", "deprecated", "likely", "unlikely", "noreturn", "fallthrough", ",", "(", ")"}


@lru_cache(maxsize=None)
def of_cuda():
    """All words in the simulator's headers, such as `__syncthreads`."""
    return {word for header in (ROOT / "common/simulator/include").rglob("*.h") for word in re.findall(r"\w+", header.read_text(encoding="utf-8"))}


def require_unambiguous(text):
    """Rejects characters that a compiler may read differently than a person."""
    if mark := re.search(r"[^\t\n\f\x20-\x7e]", re.sub(r"[^\x00-\x7f]", "x", text)):
        raise Rejected(f"line {text.count(chr(10), 0, mark.start()) + 1}: a control character is not allowed")
    if spliced := re.search(r"\\[ \t]*\n", text):
        raise Rejected(f"line {text.count(chr(10), 0, spliced.start()) + 1}: a backslash at the end of a line is not allowed")


def includes_of(tokens, allowed):
    """The #includes. Raises Rejected for a directive that is not allowed."""
    includes = []
    for number, line in groupby(tokens, key=lambda token: token.directive):
        words = [each.text for each in line]
        header = "".join(words[2:])
        if number == 0 or UNROLL.fullmatch(" ".join(words)) or words == ["#", "pragma", "once"]:
            continue
        if words[:2] == ["#", "include"] and (header in allowed or HEADER.fullmatch(header) or header in OF_CUDA):
            includes.append(f"#include {header}")
        else:
            named = f"#include {header}" if words[:2] == ["#", "include"] else " ".join(words)
            raise Rejected(f"line {number}: '{named}' is not allowed in an exercise: use only #pragma unroll and #includes of the "
                           "starter or of the C++ library")
    return includes


def screen(tokens, course_words):
    """Rejects code that leaves its namespace, or does not mean what it appears to mean."""
    texts = [token.text for token in tokens] + ["", "", ""]
    for at, token in enumerate(tokens):
        before, name, after, why = texts[at - 1] if at else "", token.text, texts[at + 1], ""
        if name[-1] in "RLuU8" and after[:1] == '"' or token.kind == "text" and "R" in name.partition('"')[0]:
            why = "a raw string is not allowed"
        elif token.kind == "name":
            # What is in an unnamed namespace is graded as if it were outside.
            is_unnamed = before in ("", ";", "{", "}") and [name, after] == ["namespace", "{"]
            if FORBIDDEN.fullmatch(name) and not is_unnamed and [before, name, *texts[at + 1:at + 3]] != ["using", "namespace", "std", ";"]:
                why = f"'{name}' is not allowed in an exercise"
            elif RESERVED.fullmatch(name) and name not in of_cuda():
                why = f"'{name}' is not one of the names of CUDA that an exercise may use"
            elif re.match("cuda[A-Z]", name) and name not in course_words:
                why = f"'{name}' is not allowed in this exercise"
            elif name == "extern" and after != "__shared__":
                why = "'extern' is for shared memory only"
        elif name in ("%:", "<%", "%>", "<:", ":>") or name == "?" and after == "?":
            why = f"an alternative spelling of a character ('{name}') is not allowed in an exercise"
        elif name == "[" and after == "[":
            if next(word for word in islice(texts, at + 2, None) if word not in ATTRIBUTES and word[:1] != '"') != "]":
                why = "this attribute is not allowed in an exercise"
        if why:
            raise Rejected(f"line {token.line}: {why}")


def written(tokens, text):
    """Source that consists of the tokens, each at its line and column in the text."""
    found, line, end = [], tokens[0].line, tokens[0].start
    for token in tokens:
        if token.line > line and not (token.directive and token.text != "#"):
            found.append("\n" * (token.line - line) + " " * (token.start - text.rfind("\n", 0, token.start) - 1))
            line = token.line
        elif token.start > end:
            found.append(" " if token.directive else " " * (token.start - end))
        found.append(token.text)
        end = token.start + len(token.text)
    return "".join(found)


def read(exercise, raw):
    """The parts of a file, given as bytes, that are graded: a dictionary with `text`, `includes` and `notes` (sentences about
    omitted code). Raises Rejected."""
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Rejected("the file is not UTF-8 text: save it as UTF-8") from None
    chapter = Chapter(exercise.chapter)
    own = [line for line in chapter.lines if line.startswith("#include")]
    require_unambiguous(text)
    tokens = tokens_of(text)
    added = includes_of(tokens, {line.removeprefix("#include ") for line in own})
    needed = chapter.needed(exercise.variant)
    course_words = ERRORS | set(re.findall(r"\w+", "\n".join(line for part in needed for line in part)))
    screen([token for token in tokens if not token.directive], course_words)

    # The course's definitions, each with whether the student writes it.
    course = []
    for part in needed:
        lines = "\n".join("" if MARK.fullmatch(line) else line for line in part)
        asked = exercise.number in marked(part)
        placed = f'#line {chapter.line_of(part)} "{exercise.chapter}/kernels.cuh"\n{lines}'
        course += [(each, asked, placed) for each in definitions(lines)[:1]]
    wanted = {each.name: each for each, asked, _ in course if asked}
    kept = {each.name: each for each, asked, _ in course if not asked}
    called = {word for each, asked, _ in course if not asked for word in re.findall(r"\w+(?= (?:[(<]|::))|\bk?[A-Z]\w*", " ".join(each.words))}

    students, notes = split(tokens), []
    seen = set()
    for each in students:
        name, line = each.name, each.tokens[0].line
        seen.add(name)
        if name in wanted:
            if not each.is_function or each.qualifiers() != wanted[name].qualifiers() or each.declared() != {name}:
                kind = " ".join(wanted[name].qualifiers()) or "host"
                raise Rejected(f"line {line}: '{name}' is not a {kind} function, but it is one in the starter")
        elif name in kept:
            if each.words != kept[name].words:
                notes.append(f"Ignored: the change to '{name}' in line {line}, which is the course's code.")
        elif taken := each.declared() & called - (set(wanted) if each.is_declaration else set()):
            raise Rejected(f"line {line}: '{min(taken)}' is already a name in the course's code: choose another one")
    if missing := [name for name in wanted if name not in seen]:
        raise Rejected(f"'{missing[0]}', which is in the starter, is missing")

    parts, emitted = [], set()
    unrolled = {number for number, line in groupby(tokens, key=lambda token: token.directive)
                if UNROLL.fullmatch(" ".join(each.text for each in line))}
    compiled = [token for token in tokens if not token.directive or token.directive in unrolled]

    def emit_up_to(name):
        last = max((at for at, student in enumerate(students) if student.name == name), default=len(students))  # of its overloads
        for at, student in enumerate(students[:last + 1]):
            if at in emitted or student.name in kept or student.name in wanted and student.name != name:
                continue
            emitted.add(at)
            first, end = student.tokens[0], student.tokens[-1]
            parts.append(f'#line {first.line} "{exercise.file}"\n'
                         + written([token for token in compiled if first.start <= token.start <= end.start], text))

    for each, asked, placed in course:
        if asked:
            emit_up_to(each.name)
        else:
            parts.append(placed)
    emit_up_to(None)  # helpers that are declared before they are used
    return {"text": "\n".join(parts) + "\n", "includes": [*own, *(line for line in added if line not in own)], "notes": notes}


def main(number, file):
    exercise = next(each for each in exercises() if each.number == number)
    try:
        json.dump(read(exercise, Path(file).read_bytes()), sys.stdout)
    except Rejected as why:
        json.dump({"rejected": str(why)}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
