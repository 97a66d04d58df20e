"""Attempts at an exercise that give the right result, from the chapters' broken/attempts.md. They are written differently from
the chapter's code, or take a shortcut that misses the exercise's point."""

import re
from dataclasses import dataclass

from starter import MARK, ROOT, Chapter, exercises, marked, without_marks

ATTEMPT = re.compile(r"^## (?P<number>\d\d\.\d+), (?P<title>.*)\n\n(?:> (?P<sentence>.*)\n\n)?(?P<blocks>(?:```cpp\n(?:.*\n)*?```\n+)+)"
                     r"(?=^## |\Z)", re.MULTILINE)
BLOCK = re.compile(r"^```cpp\n((?:.*\n)*?)```$", re.MULTILINE)
ABOVE, AS_IN_CHAPTER = "// above\n", "// as in the chapter\n"


@dataclass(frozen=True)
class Attempt:
    exercise: object
    name: str  # 03.1-2, the second attempt at 03.1
    title: str
    sentence: str  # the message that refuses it, or its beginning; empty if it passes
    blocks: tuple  # code: one text per part that the exercise asks for, and code to put above; none for the chapter's own code

    def text(self):
        """The student's file. Raises ValueError if the number of blocks is wrong."""
        if not self.blocks:
            return Chapter(self.exercise.chapter).solution(self.exercise)
        above = [block for block in self.blocks if block.startswith(ABOVE)]
        left = [block for block in self.blocks if block not in above]

        def edit(part):
            lines, replaces = [], False
            for line in part:
                mark = MARK.fullmatch(line)
                if mark and mark["number"] == self.exercise.number:
                    if not mark["end"] and not left:
                        raise ValueError(f"{self.exercise.number}, {self.title}: too few blocks of code")
                    replaces = not mark["end"] and left[0] != AS_IN_CHAPTER
                    block = "" if mark["end"] else left.pop(0)
                    lines += block.splitlines() if replaces else []
                elif not replaces:
                    lines.append(line)
            first = above.pop().splitlines() if above and self.exercise.number in marked(part) else []
            return [*first, *without_marks(lines)]

        text = Chapter(self.exercise.chapter).file(self.exercise, edit)
        if left:
            raise ValueError(f"{self.exercise.number}, {self.title}: too many blocks of code")
        return text


def page_of(exercise):
    return ROOT / exercise.chapter / "broken" / "attempts.md"


def attempts(number):
    """The chapter's own code for an exercise, and the attempts at it in the order of its chapter's page."""
    exercise = next(each for each in exercises() if each.number == number)
    page = page_of(exercise)
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    found = list(ATTEMPT.finditer(text))
    if len(found) != len(re.findall("^## ", text, re.MULTILINE)):
        raise ValueError(f"{page.relative_to(ROOT)}: a section is not in the form of an attempt; compare it with the others")
    mine = [match for match in found if match["number"] == number]
    own = Attempt(exercise, f"{number}-0", "the chapter's code", "", ())
    return [own, *(Attempt(exercise, f"{number}-{at}", match["title"], match["sentence"] or "",
                           tuple(BLOCK.findall(match["blocks"])))
                   for at, match in enumerate(mine, 1))]
