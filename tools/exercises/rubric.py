"""The points for a result, according to the instructor's rubric (docs/instructors/rubric.ini)."""

import configparser
import math
from dataclasses import dataclass

from console import fail
from starter import ROOT

DEFAULT = ROOT / "docs" / "instructors" / "rubric.ini"

UNGRADED = "ungraded"  # this machine lacks something; the file may be right

# The stages that a file can reach, as text.
STAGES = {
    UNGRADED: "not graded",
    "missing": "not handed in",
    "starter": "the unchanged starter",
    "rejected": "not accepted",
    "compile": "does not compile",
    "small": "wrong for small inputs",
    "large": "right for small inputs only",
    "far": "right only for fewer than 2^31 elements",
    "interleaved": "right only if threads run one after another",
    "sanitizers": "right, but a sanitizer reports an error",
    "lens": "right by luck",
    "point": "right, but it misses the point of the exercise",
    "right": "right",
}
VISIBILITY = ("visible", "hidden", "after_due_date", "after_published")
SMALL, FAR = 1000, 1 << 31  # elements: the checks begin with inputs below SMALL, and end with some above FAR


def stage(check, verdict):
    """The stage in STAGES of a file whose first failure is `verdict`, in a stage of stages.py."""
    if verdict.kind in STAGES:  # such as compile or point
        return verdict.kind
    if verdict.kind == "luck" or check == "target":
        return "lens"
    if check in STAGES:
        return check
    case = verdict.case
    if case.get("n", 0) >= FAR:
        return "far"
    is_small = case.get("n", 0) < SMALL and not any(case.get(name) for name in ("offset", "grid", "block"))
    return "small" if is_small else "large"


@dataclass
class Rubric:
    points: dict  # points by the exercise's number
    each: float  # the points of any other exercise
    percent: dict  # the percentage of the points that each stage earns
    a_day: float  # percent of the points that a late day costs
    visibility: str

    def rated(self, result):
        """The result with its points added: None if it was not graded."""
        most = self.points.get(result["exercise"], self.each)
        percent = 100.0 if result["stage"] == "right" else self.percent.get(result["stage"], 0.0)
        kept = 100 - min(100.0, self.a_day * result.get("days_late", 0))
        points = None if result["stage"] == UNGRADED else round(most * percent * kept / 10000, 2)
        return {**result, "points": points, "of": most}


def number(section, name, most):
    try:
        found = float(section[name])
    except ValueError:
        found = math.nan
    if not 0 <= found <= most:
        fail(1, f"the rubric's {section.name}: {name} must be a number from 0 to {most}, not {section[name]!a}")
    return found


def read(path, numbers):
    """The rubric in a file, for exercises with these numbers. Settings that the file omits are those of the course's own rubric."""
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    parser.read_string(DEFAULT.read_text(encoding="utf-8"))
    try:
        parser.read_string(path.read_text(encoding="utf-8-sig"), str(path))
    except UnicodeDecodeError:
        fail(1, f"{path} is not UTF-8 text")
    except configparser.Error as error:
        fail(1, " ".join(str(error).split()))
    known = {"points": ["each", *numbers], "percent": STAGES.keys() - {"right", UNGRADED}, "late": ["a_day"], "gradescope": ["visibility"]}
    for section in parser.sections():
        if section not in known:
            fail(1, f"the rubric's [{section}] is not one of [points], [percent], [late] and [gradescope]")
        if unknown := [name for name in parser[section] if name not in known[section]]:
            fail(1, f"the rubric's [{section}] has no {unknown[0]}, only {', '.join(sorted(known[section]))}")
    points = {name: number(parser["points"], name, 1000) for name in parser["points"]}
    visibility = parser["gradescope"]["visibility"]
    if visibility not in VISIBILITY:
        fail(1, f"the rubric's visibility must be one of {', '.join(VISIBILITY)}")
    return Rubric(points, points.pop("each"), {name: number(parser["percent"], name, 100) for name in parser["percent"]},
                  number(parser["late"], "a_day", 100), visibility)
