"""Starters: the parts of a chapter's kernels.cuh that a student gets, according to the marks in it.

    // [03.2] What is to be written here.      a starter has this text as a TODO,
    atomicAdd(...);                            not these lines,
    // [/03.2] return 0;                       and the text after the second mark
"""

import re
from dataclasses import dataclass
from pathlib import Path

import cpp

ROOT = Path(__file__).resolve().parent.parent.parent
MARK = re.compile(r" *// \[(?P<end>/?)(?P<number>\d\d\.\d+)\] ?(?P<text>.*)")
PAGE_NUMBER = re.compile(r"(\d+)_(\w+)\.md")


@dataclass(frozen=True)
class Exercise:
    number: str  # 03.2
    page: Path  # 03_shared_privatized/exercises/2_any_block.md, from the root
    variant: str  # the chapter's variant that solves the exercise

    @property
    def chapter(self):
        return self.page.parts[0]

    @property
    def file(self):
        """The student's file, relative to the root."""
        return Path("work") / f"{self.number}_{PAGE_NUMBER.fullmatch(self.page.name)[2]}.cuh"

    @property
    def on_cpu(self):
        """Whether the exercise is about code for the CPU."""
        return ".on_cpu = true" in Chapter(self.chapter).entries[self.variant]

    @property
    def more(self):
        """The path of a file with further checks, which only few exercises have."""
        return self.page.with_suffix(".cuh")

    @property
    def title(self):
        return self.text.splitlines()[0].removeprefix("# ").partition(" ")[2]

    @property
    def text(self):
        return (ROOT / self.page).read_text(encoding="utf-8")

    def section(self, heading):
        """The text below a heading of the page."""
        return re.search(rf"^## {heading}\n\n(.*?)\s*(?:^## |\Z)", self.text, re.MULTILINE | re.DOTALL)[1]

    def hints(self):
        return re.findall(r"^\d\. ((?:.*\n?(?!\d\. ))*)", self.section("Hints"), re.MULTILINE)


def folders_of_exercises():
    """The sorted names of the chapters' folders. A folder without kernels, such as one for notes, is not a chapter."""
    return sorted({path.parent.name for path in ROOT.glob("[0-9][0-9]_*/kernels.cuh")})


def exercises():
    """All exercises, in the order of the course."""
    found = []
    for page in (page for chapter in folders_of_exercises() for page in ROOT.glob(f"{chapter}/exercises/[0-9]*_*.md")):
        number = f"{page.parent.parent.name[:2]}.{PAGE_NUMBER.fullmatch(page.name)[1]}"
        variant = re.search(r"^<!-- variant: (.*) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)[1]
        found.append(Exercise(number, page.relative_to(ROOT), variant))
    return sorted(found, key=lambda each: place(each.number))


def place(number):
    """An exercise's place in the course: (7, 2) of 07.2."""
    return tuple(map(int, number.split(".")))


def marked(lines):
    """The exercises whose marks are in the lines."""
    return {mark["number"] for line in lines if (mark := MARK.fullmatch(line))}


def without_marks(lines):
    return [line for line in lines if not MARK.fullmatch(line)]


def cut(lines, number):
    """The lines of a starter: without marks, and with a TODO in place of the code that the exercise asks for."""
    kept, inside = [], False
    for line in lines:
        mark = MARK.fullmatch(line)
        indent = line[:len(line) - len(line.lstrip())]
        if not mark:
            kept += [] if inside else [line]
        elif mark["number"] == number:
            inside = not mark["end"]
            text = mark["text"] if mark["end"] else f"// TODO: {mark['text']}"
            kept += [indent + text] if text else []
    return kept


def without_comments(lines):
    return cpp.without_comments("\n".join(lines))


def names_of(part):
    """The names that a top-level definition defines."""
    return set().union(*(each.names for each in cpp.definitions("\n".join(part))))


def table_of(text):
    """The problem of a kernels.cuh, and its variants' entries, {.name = ...}, by name."""
    problem, table = re.search(r"^inline const std::vector<Variant<(\w+)>> kVariants = \{\n(.*?)^\};", text,
                               re.MULTILINE | re.DOTALL).groups()
    entries = re.findall(r"^    (\{\.name = \"([^\"]*)\".*?\}),$(?=\n    \{|\n*\Z)", table, re.MULTILINE | re.DOTALL)
    return problem, {name: entry for entry, name in entries}


class Chapter:
    """A chapter's kernels.cuh, split into definitions."""

    def __init__(self, folder):
        text = (ROOT / folder / "kernels.cuh").read_text(encoding="utf-8")
        self.lines = text.splitlines()
        self.problem, self.entries = table_of(text)
        # The lines of each definition with the comment above it.
        self.parts = [each.with_comment(text) for each in cpp.definitions(text)]

    def needed(self, variant):
        """The definitions that a variant needs, in the file's order."""
        left = [part for part in self.parts if "kVariants" not in names_of(part)]
        chosen, words = [], set(re.findall(r"\w+", self.entries[variant]))
        while more := [part for part in left if words & names_of(part)]:
            chosen += more
            left = [part for part in left if part not in more]
            words |= {word for part in more for word in re.findall(r"\w+", without_comments(part))}
        return [part for part in self.parts if part in chosen]

    def hidden(self, exercise):
        """The definitions that a student's file lacks: answers to later exercises, and definitions that use these."""
        found, names = [], set()
        for part in self.needed(exercise.variant):
            words = set(re.findall(r"\w+", without_comments(part)))
            if words & names or any(place(number) > place(exercise.number) for number in marked(part)):
                found.append(part)
                names |= names_of(part)
        return found

    def line_of(self, part):
        """The number of a definition's first line."""
        return next(at for at in range(len(self.lines)) if self.lines[at:at + len(part)] == part) + 1

    def reveals(self, exercise):
        """The other exercises whose answers an exercise's starter contains."""
        parts = [part for part in self.needed(exercise.variant) if part not in self.hidden(exercise)]
        return sorted(set().union(*map(marked, parts)) - {exercise.number})

    def file(self, exercise, edit):
        """The chapter's file with only those definitions that the variant needs and that are not hidden. `edit` changes each."""
        includes = [line for line in self.lines if line.startswith("#include")]
        parts = [["/// @file",
                  f"/// @brief Exercise {exercise.number}: {exercise.title}.",
                  "///",
                  f"/// The task and hints are in {exercise.page}. To check this file:",
                  f"///     ./course exercise {exercise.number}",
                  "#pragma once"],
                 [line for line in includes if "<" in line],
                 [line for line in includes if "<" not in line],
                 *[edit(part) for part in self.needed(exercise.variant) if part not in self.hidden(exercise)]]
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n"

    def starter(self, exercise):
        return self.file(exercise, lambda part: cut(part, exercise.number))

    def solution(self, exercise):
        return self.file(exercise, without_marks)
