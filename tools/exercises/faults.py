"""Faults: changes at one place of an exercise's solution, from the chapters' broken/faults.md."""

import re
from dataclasses import dataclass, replace

from starter import ROOT, Chapter, exercises, folders_of_exercises, without_comments

RECORD = ROOT / "docs" / "results" / "faults.txt"
FAULT = re.compile(r"^## (?P<number>\d+)\. (?P<title>.*)\n"
                   r"<!-- exercise (?P<exercise>[\d.]+)(?:, variant (?P<variant>[^:]*))?: (?P<cause>.*) -->\n\n"
                   r"```diff\n(?P<diff>(?:.*\n)*?)```\n\n(?P<why>(?:.*\n)*?)(?=^## |\Z)", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    chapter: str  # the chapter's number, 03
    number: str  # the fault's number in the chapter
    title: str
    exercise: object  # with the fault's variant, which may be one that no exercise asks for
    cause: str
    diff: str
    why: str

    @property
    def causes(self):
        """The causes, each of which is a right answer."""
        return self.cause.split("; or ")

    @property
    def name(self):
        return f"{self.chapter}-{self.number}"

    def marked(self):
        """The chapter's code with the fault: its lines, each with whether it is new or next to a missing line.

        Comments are removed, because they would reveal the fault.
        """
        lines = Chapter(self.exercise.chapter).solution(self.exercise).splitlines()
        change = self.diff.splitlines()
        before = [line[1:] for line in change if line[:1] != "+"]
        starts = [at for at in range(len(lines)) if lines[at:at + len(before)] == before]
        if len(starts) != 1:
            raise ValueError(f"the lines that fault {self.name} changes are at {len(starts)} places of the chapter's code, not at one")
        after, gap = [], False
        for line in change:
            if line[:1] == "-":
                gap = True
                if after:
                    after[-1] = (after[-1][0], True)
            else:
                after.append((line[1:], line[:1] == "+" or gap))
                gap = False
        marked = [(line, False) for line in lines]
        marked[starts[0]:starts[0] + len(before)] = after
        code = without_comments(line for line, _ in marked).split("\n")
        return [(left.rstrip(), wrong) for left, (line, wrong) in zip(code, marked) if left.strip() or not line]

    def text(self):
        return "\n".join(line for line, _ in self.marked()) + "\n"

    def lines(self):
        """The numbers of the lines that are correct answers."""
        return {number for number, (line, wrong) in enumerate(self.marked(), 1) if wrong}


def faults(chapter=""):
    """All faults, or those of a chapter, in the order of the course."""
    by_number = {each.number: each for each in exercises()}
    found = []
    for page in sorted(page for each in folders_of_exercises() for page in (ROOT / each).glob("broken/faults.md") if each.startswith(chapter)):
        text = page.read_text(encoding="utf-8")
        here = []
        for match in FAULT.finditer(text):
            exercise = by_number[match["exercise"]]
            exercise = replace(exercise, variant=match["variant"] or exercise.variant)
            here.append(Fault(page.parts[-3][:2], match["number"], match["title"], exercise, match["cause"], match["diff"],
                              match["why"].strip()))
        if len(here) != len(re.findall("^## ", text, re.MULTILINE)):
            raise ValueError(f"{page.relative_to(ROOT)}: a section is not in the form of a fault; compare it with the others")
        found += here
    return found


def recorded():
    """For each fault's name and each kind of check: whether the recorded run has found the fault."""
    heading, *lines = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else [""]
    columns = {match[0]: match.start() for match in re.finditer(r"(?<= )\S+", heading)}
    return {line.split()[0]: {kind: line[at:at + 1] == "f" for kind, at in columns.items() if line[at:at + 1].strip()}
            for line in lines}
