"""./course live: the kernel that is developed in class, at any step of the lesson plans.

The steps of chapter 03 are the diffs in docs/instructors/live/03.diff, each from the step before it unless it names
another. What a step does, what the checks then show and what to ask is the table of steps in docs/instructors/03.md.
"""

import re
from dataclasses import dataclass

from starter import ROOT, table_of

PLANS = ROOT / "docs" / "instructors"
FOLDERS = {"Histogram": ("08_live", "04_coarsened"), "SumOfSquares": ("09_live", "06_tree_reduction")}


@dataclass
class Step:
    number: str  # 03.2
    place: str  # where the diff is, for messages
    text: str  # kernels.cuh after the step
    base: object  # the step that it changes; None if it starts a new file
    does: str
    shows: str
    ask: str

    @property
    def entry(self):
        """The entry of the step's variant in the table of variants."""
        return next(iter(table_of(self.text)[1].values()))

    @property
    def problem(self):
        return table_of(self.text)[0]

    def promises(self):
        """The message that the checks show, by the order of the threads; empty if they pass. A message without an order is that of threads in
        order. Orders that the step does not mention are left out."""
        found = {}
        for part in self.shows.split("; "):
            match = re.fullmatch(r"(in order: |interleaved: )?(?:pass|`([^`]+)`)", part)
            if match is None:
                raise ValueError(f"step {self.number} must show `words` or pass, not: {part}")
            order = (match[1] or "").rstrip(": ")
            for name in ("in order", "interleaved"):
                if order == name or not order and (name == "in order" or match[2] is None):
                    found[name] = match[2] or ""
        return found


def file(problem):
    """The path of the file with the kernel, relative to the root."""
    return f"{FOLDERS[problem][0]}/kernels.cuh"


def apply(text, diff, place):
    """Applies a diff's hunks to a text. Each hunk must fit at exactly one place."""
    lines = text.splitlines()
    for hunk in "\n".join(diff).split("\n@@\n"):
        change = hunk.split("\n")
        before = [line[1:] for line in change if line[:1] != "+"]
        after = [line[1:] for line in change if line[:1] != "-"]
        places = [at for at in range(len(lines) + 1) if lines[at:at + len(before)] == before]
        if len(places) != 1:
            raise ValueError(f"{place}: the lines that the step changes are at {len(places)} places of the file, not at one")
        lines[places[0]:places[0] + len(before)] = after
    return "\n".join(lines) + "\n"


def rows(chapter):
    """The table of a chapter's steps: what to type, what the checks show, and what to ask."""
    text = re.sub(r"<!--.*?-->", "", (PLANS / f"{chapter}.md").read_text(encoding="utf-8"))
    return {cells[0]: cells[1:] for cells in re.findall(r"^\| (\d\d\.\d+) \| (.+?) \| (.+?) \| (.*?) *\|$", text, re.MULTILINE)}


def steps():
    """All steps of the plans by their numbers, in order."""
    found, base = {}, None
    for path in sorted((PLANS / "live").glob("*.diff")):
        said = rows(path.stem)
        heads = list(re.finditer(r"^Step (\d\d\.\d+)(?:, from (.*))?\n((?:(?!Step ).*\n)*)", path.read_text(encoding="utf-8"),
                                 re.MULTILINE))
        for head in heads:
            number, origin, diff = head.groups()
            place = f"{path.relative_to(ROOT)}:{head.string.count(chr(10), 0, head.start()) + 1}"
            begins = re.fullmatch(r"(\+.*\n)+", diff.rstrip("\n") + "\n")
            base = None if begins else found[origin] if origin else base
            text = apply(base.text if base else "", diff.rstrip("\n").split("\n"), place)
            if number not in said:
                raise ValueError(f"{place}: docs/instructors/{path.stem}.md has no row of step {number}")
            base = found[number] = Step(number, place, text, base, *said.pop(number))
        if said:
            raise ValueError(f"{path.relative_to(ROOT)} has no step {', '.join(said)}, of which docs/instructors/{path.stem}.md has a row")
    return found


def find(chapter, number):
    """A chapter's step; for number 0, the step that the chapter's first step changes."""
    found = steps()
    step = found.get(f"{chapter}.{'1' if number == '0' else number}")
    return step.base if step and step.base and number == "0" else step


def write(step, say):
    """Makes the live folder, or brings its kernel to a step. If the kernel differs from every step, it is kept under another name."""
    name, model = FOLDERS[step.problem]
    folder = ROOT / name
    folder.mkdir(exist_ok=True)
    main = (ROOT / model / "main.cu").read_text(encoding="utf-8").replace(model, name)
    main = re.sub(r"using namespace \w+;\n\n", "", main)  # the kernel that you type is in no namespace
    checks = ('#include "../common/checks/catch.hpp"\n#include "../common/checks/check_variant.cuh"\n'
              '#include "kernels.cuh"\n\nTEST_CASE("right for every n, input, alignment and launch shape") {\n'
              '    for (const auto& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");\n}\n')
    for path, content in ((folder / "main.cu", main), (folder / "checks.cu", checks)):
        if not path.exists():
            path.write_text(content, encoding="utf-8")
    kernels = folder / "kernels.cuh"
    known = steps()
    if kernels.exists() and kernels.read_text(encoding="utf-8", errors="surrogateescape") not in [each.text for each in known.values()]:
        kept = next(path for number in range(1, 10 ** 6)
                    if not (path := folder / f"kernels.{number}.txt").exists())
        kernels.rename(kept)
        say(f"Kept: {kept.relative_to(ROOT)}")
    kernels.write_text(step.text, encoding="utf-8")
    say(f"{kernels.relative_to(ROOT)} is at step {step.number}: {step.does}", f"The checks show: {step.shows}", step.ask, "",
        *(f"Next, {each.number}: {each.does} ({each.place})" for each in known.values() if each.base and each.base.number == step.number),
        f"./course test {name[:2]} -- -R right     # the checks, in order and interleaved",
        f"./course run {name[:2]}                  # the table")
