"""The point of an exercise: what a solution must achieve besides the right result, as counts of the lens.

The section "Target" of an exercise's page states the case in which the lens counts, and has a row for each count.

    What the lens must count for n = 65536, input uniform, a grid of 8, blocks of 256:

    | count | target | otherwise, it is |
    |---|---|---|
    | additions to global memory | at most 2,048 | not yet privatized |
"""

import re
from dataclasses import dataclass

from counts import SECTOR, ratio, total

CASE = re.compile(r"^What the lens must count for (?P<case>n = (?P<n>\d+), input (?P<input>[^,:]+)"
                  r"(, a grid of (?P<grid>\d+))?(, blocks of (?P<block>\d+))?):$", re.MULTILINE)
ROW = re.compile(r"^\| (?P<count>[a-z][^|]*?) *\| at (?P<bound>most|least) (?P<limit>[\d,.]+) *\| (?P<miss>[^|]+?) *\|$", re.MULTILINE)


def atomics(launches):
    return total(launches, None, "atomic", "lanes")


def swaps(launches):
    return sum(launch["compare_and_swaps"] for launch in launches)


def per(launches, space, kind, name, other):
    return ratio(total(launches, space, kind, name), total(launches, space, kind, other))


def most(launches, name):
    return max((launch[name] for launch in launches), default=0)


# The counts that a page may name, each from the lens's launches.
OF_LAUNCHES = {
    "launches": lambda launches: sum(launch["launches"] for launch in launches),
    "barriers of all blocks": lambda launches: sum(barrier["count"] for launch in launches for barrier in launch["barriers"]),
    "shuffles of all warps": lambda launches: sum(launch["exchanges"] for launch in launches),
    "calls of atomicCAS": swaps,
    "atomic operations": atomics,
    "atomic operations other than atomicCAS": lambda launches: atomics(launches) - swaps(launches),
    "additions to shared memory": lambda launches: total(launches, "shared", "atomic", "lanes"),
    "additions to shared memory per request": lambda launches: per(launches, "shared", "atomic", "lanes", "requests"),
    "additions to global memory": lambda launches: total(launches, "global", "atomic", "lanes"),
    "bytes per load": lambda launches: per(launches, "global", "load", "bytes", "lanes"),
    "sectors per load request": lambda launches: per(launches, "global", "load", "sectors", "requests"),
    "bytes moved for each byte loaded": lambda launches: SECTOR * per(launches, "global", "load", "sectors", "bytes"),
    "wavefronts in shared memory": lambda launches: total(launches, "shared", None, "wavefronts"),
    "wavefronts per addition in shared memory": lambda launches: per(launches, "shared", "atomic", "wavefronts", "requests"),
    "lanes of a warp that add to one counter at a time": lambda launches: max(
        (site["most_lanes_on_address"] for launch in launches for site in launch["sites"] if site["space"] == "shared"), default=0),
    "additions to counters of another warp": lambda launches: sum(launch["to_other_warps"] for launch in launches),
    "memory accesses by the busiest thread": lambda launches: most(launches, "busiest_thread"),
    "bytes that the busiest block loads": lambda launches: most(launches, "busiest_block"),
}
# The counts of the threads of a CPU.
OF_HOST = {
    "memory accesses by the busiest thread of the CPU": lambda host: host["busiest_thread"],
    "threads of the CPU at the same time": lambda host: host["at_once"],
    "atomic operations by the CPU's threads": lambda host: host["atomics"],
    "counters for one byte value, in turn": lambda host: host["in_turn"],
}


@dataclass(frozen=True)
class Target:
    count: str  # a key of OF_LAUNCHES or OF_HOST
    bound: str  # most or least
    limit: float
    miss: str  # what a solution that misses the target is, as in "Right, but not yet privatized"

    def of(self, seen):
        """This count in a report of the lens."""
        return OF_HOST[self.count](seen["host"]) if self.count in OF_HOST else OF_LAUNCHES[self.count](seen["launches"])

    def is_met(self, yours):
        return yours <= self.limit if self.bound == "most" else yours >= self.limit

    def sentence(self, yours):
        needed = f"{number(self.limit)} would do" if self.bound == "most" else f"at least {number(self.limit)} are needed"
        count = re.sub(r"^(\w+?)(?:(?<=ch)es|s)\b", r"\1", self.count) if number(yours) == "1" else self.count
        return f"Right, but {self.miss}: {number(yours)} {count}; {needed}."


class Point:
    """The targets that an exercise's page states. Raises ValueError with the page and its mistake."""

    def __init__(self, exercise):
        try:
            text = exercise.section("Target")
        except TypeError:
            raise ValueError(f"{exercise.page}: the section 'Target' is missing") from None
        case, lines = CASE.search(text), [line for line in text.splitlines() if line.startswith("|")][2:]
        rows = [ROW.fullmatch(line) for line in lines]
        if not case or not rows or not all(rows):
            raise ValueError(f"{exercise.page}: the section 'Target' has the wrong form; compare it with the others")
        self.targets = [Target(row["count"], row["bound"], float(row["limit"].replace(",", "")), row["miss"]) for row in rows]
        if unknown := [each.count for each in self.targets if each.count not in {**OF_LAUNCHES, **OF_HOST}]:
            raise ValueError(f"{exercise.page}: no count is called '{unknown[0]}': tools/exercises/point.py lists them")
        self.case = case["case"]
        # Arguments that make the exercise's program for the lens run only this case (common/exercise/verdict.cu).
        self.arguments = [case["n"], case["input"], case["grid"] or "0", case["block"] or "0"]

    def missed(self, seen):
        """A sentence about the first target that a report of the lens misses; empty if all are met."""
        if not seen["launches"] and not all(each.count in OF_HOST for each in self.targets):
            return "Right, but without a kernel: nothing was launched in the case that the target names."
        return next((each.sentence(yours) for each in self.targets if not each.is_met(yours := each.of(seen))), "")

    def rows(self, seen):
        """For each target: what is counted, the count, and the target."""
        return [[each.count, number(each.of(seen)), f"at {each.bound} {number(each.limit)}"] for each in self.targets]


def number(value):
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def table(rows):
    """The rows of a point as the lines of a table."""
    rows = [["", "yours", "target"], *rows]
    first, second = (max(len(row[at]) for row in rows) for at in (0, 1))
    return [f"{what:{first}}  {yours:>{second}}  {target}" for what, yours, target in rows]
