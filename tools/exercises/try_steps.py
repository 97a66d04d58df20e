#!/usr/bin/env python3
"""usage: tools/exercises/try_steps.py

Walks through the lesson plans of docs/instructors: each step must compile and show what the plan says.
"""

import re
import sys

import live
from native import built, checked

PROGRAMS = {"in order": "plain", "interleaved": "interleaved"}  # the ends of the programs' names, by the order of the threads


def main():
    steps = live.steps()
    built("simulator", *(f"steps_{number}_{order}" for number in sorted({key[:2] for key in steps}) for order in PROGRAMS.values()))
    wrong = []
    for step in steps.values():
        for order, promised in step.promises().items():
            found = checked(f"steps_{step.number[:2]}", "simulator", PROGRAMS[order], step.number)
            said = found.message or found.first
            pattern = ".*".join(map(re.escape, re.split(r"\s*…\s*", promised))) if promised else "passed"
            if not re.search(pattern, said):
                wrong.append(f"{step.place}: step {step.number} ({order}) must show: {promised or 'passed'}, but shows: {said}")
    print(*wrong, f"{len(steps)} steps", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
