"""./course live: the kernel that is developed in class, at any step of the lesson plans in docs/instructors.md."""

import re
from dataclasses import dataclass, field

from starter import ROOT

PLAN = ROOT / "docs" / "instructors.md"
FOLDERS = {"Histogram": ("08_live", "04_coarsened"), "SumOfSquares": ("09_live", "06_tree_reduction")}


@dataclass
class Step:
    number: str  # 03.2
    line: int  # of the plan
    text: str = ""  # of kernels.cuh after the step
    prose: list = field(default_factory=list)

    @property
    def entry(self):
        """Its variant, as it stands in the table."""
        return re.search(r"kVariants = \{\n(.*?),?\n\};", self.text, re.DOTALL)[1]

    @property
    def problem(self):
        return re.search(r"std::vector<Variant<(\w+)>> kVariants", self.text)[1]

    def promises(self):
        """What the checks are to show: of each order of the threads that the plan speaks of, words or nothing."""
        prose = " ".join(self.prose)
        found = {}
        for sentence, words in re.findall(r"([^.`]*(?:`[^`]*`[^.`]*)*?)\b[Ss]hows? `([^`]+)`", prose):
            found.setdefault("interleaved" if "nterleaved" in sentence else "plain", words)
        if not found and re.search(r"All checks\s+pass|the checks pass", prose):
            found = {"plain": "", "interleaved": ""}
        return found


def apply(text, diff, step):
    """A text with a diff's hunks, each of which must fit at one place."""
    lines = text.splitlines()
    for hunk in "\n".join(diff).split("\n@@\n"):
        change = hunk.split("\n")
        before = [line[1:] for line in change if line[:1] != "+"]
        after = [line[1:] for line in change if line[:1] != "-"]
        places = [at for at in range(len(lines)) if lines[at:at + len(before)] == before]
        if len(places) != 1:
            raise ValueError(f"{PLAN.name}:{step.line}: step {step.number} does not fit at one place, but at {len(places)}")
        lines[places[0]:places[0] + len(before)] = after
    return "\n".join(lines) + "\n"


def steps():
    """All steps of the plans by their numbers, in order."""
    found, text, step, fence, block = {}, "", None, None, []
    for number, line in enumerate(PLAN.read_text(encoding="utf-8").splitlines(), 1):
        if fence is not None:
            if line != "```":
                block.append(line)
                continue
            if fence == "cpp" and step is None:
                text = "\n".join(block) + "\n"
            elif fence == "diff" and step is not None:
                text = step.text = apply(text, block, step)
            fence, block = None, []
        elif line.startswith("```"):
            fence = line[3:]
        elif line.startswith(("**Wrong answers", "###")):
            step = None
        else:
            if begins := re.match(r"\*\*(\d\d\.\d+)\*\*", line):
                step = found[begins[1]] = Step(begins[1], number, text)
            if earlier := re.search(r"\b[Ss]tart from (\d\d\.\d+)", line):
                text = found[earlier[1]].text
            if step is not None:
                step.prose.append(line)
                step.text = text
    return found


def write(step, say):
    """Makes the live folder, or brings its kernel to a step. A kernel that is no step's is kept under another name."""
    name, model = FOLDERS[step.problem]
    folder = ROOT / name
    folder.mkdir(exist_ok=True)
    main = (ROOT / model / "main.cu").read_text(encoding="utf-8").replace(model, name)
    checks = ('#include "../common/checks/catch.hpp"\n#include "../common/checks/check_variant.cuh"\n'
              '#include "kernels.cuh"\n\nTEST_CASE("right for every n, input, alignment and launch shape") {\n'
              '    for (const auto& variant : kVariants) CHECK(check_variant(variant).value_or("") == "");\n}\n')
    for path, content in ((folder / "main.cu", main), (folder / "checks.cu", checks)):
        if not path.exists():
            path.write_text(content, encoding="utf-8")
    kernels = folder / "kernels.cuh"
    if kernels.exists() and kernels.read_text(encoding="utf-8") not in [each.text for each in steps().values()]:
        kept = next(path for number in range(1, 10 ** 6)
                    if not (path := folder / f"kernels.{number}.txt").exists())
        kernels.rename(kept)
        say(f"Kept: {kept.relative_to(ROOT)}")
    kernels.write_text(step.text, encoding="utf-8")
    say(f"{kernels.relative_to(ROOT)} is at step {step.number}.", "", *step.prose,
        f"./course test {name[:2]} -- -R right     # the checks, in order and interleaved",
        f"./course run {name[:2]}                  # the table", f"./course live {step.number[:2]} --step K        # another step")
