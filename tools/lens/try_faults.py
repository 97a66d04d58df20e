#!/usr/bin/env python3
"""usage: tools/lens/try_faults.py [NUMBER ...]

Runs the chapters' faults (NN_name/broken/faults.md), or those of the exercises with these numbers, and says what the lens
finds. Each that is a race, a missing fence or a read of what was never written must be found.
"""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import counts  # noqa: E402
from rows import Problem, run  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "exercises"))
from faults import faults  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build" / "simulator" / "bin"
PLANTED = ("a barrier is missing or not reached by all", "a fence is missing", "a race: an addition that is not atomic",
           "something is read that was never stored or cleared")


def build(targets):
    done = subprocess.run(["cmake", "--build", "--preset", "simulator", "--target", *targets], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Problem(done.stdout[-2000:])


def what(seen):
    """What was found, in a word."""
    kinds = sorted({finding["problem"] for finding in seen["findings"]})
    return " and ".join(kinds) or ("stopped" if seen["fault"] or seen["said_fault"] else "nothing")


def look(program, options):
    seen = counts.run(program, options, ROOT, has_row=False)
    seen["said_fault"] = "divergent barrier" in seen["said"] or "barrier left out" in seen["said"] or "stops" in seen["said"]
    return seen


def main(arguments):
    chosen = [fault for fault in faults() if not arguments or fault.exercise.number in arguments]
    chosen = [fault for fault in chosen if fault.chapter != "01"]  # on the CPU
    build(sorted({f"faults_{fault.exercise.number}_lens" for fault in chosen}))
    missed, planted = 0, 0
    for fault in chosen:
        seen = look(BIN / f"faults_{fault.exercise.number}_lens", [fault.name])
        found = what(seen)
        is_planted = fault.cause in PLANTED
        if found == "nothing" and not seen["launches"]:
            found, is_planted = "wrong before a kernel ran", False  # for n = 0: the check goes no further
        planted += is_planted
        missed += is_planted and found == "nothing"
        print(f"{fault.name:6} {fault.title:62} {found:25} {'planted' if is_planted else ''}", flush=True)
    print(f"found: {planted - missed} of {planted} that are races, missing fences or reads of what was never written")
    return int(missed > 0)


if __name__ == "__main__":
    run(main)
