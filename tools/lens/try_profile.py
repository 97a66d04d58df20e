#!/usr/bin/env python3
"""usage: tools/lens/try_profile.py BUILD

Runs the microbenchmarks of ./course profile under the lens, with little work, and checks that each kernel does as much work as
the program assumes: otherwise its rates are wrong.
"""

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import programs  # noqa: E402
from counts import SECTOR, total  # noqa: E402
from rows import Problem, run  # noqa: E402

FILE = Path(__file__).resolve().parent / "profile.cu"
COUNTED = {  # for each resource of the profile: the lens's count of a launch
    "launches": lambda launch: launch["launches"],
    "DRAM": lambda launch: launch["touched_sectors"] * SECTOR,
    "L2": lambda launch: total([launch], "global", "load", "sectors") + total([launch], "global", "store", "sectors"),
    "stores": lambda launch: total([launch], "global", "store", "sectors"),
    "L1": lambda launch: total([launch], "global", "load", "sectors"),
    "shared memory": lambda launch: total([launch], "shared", None, "wavefronts"),
    "one thread": lambda launch: launch["busiest_thread"],
    "atomics": lambda launch: total([launch], "global", "atomic", "sectors"),
    "atomics on one line": lambda launch: launch["busiest_line"],
    "atomics on one address": lambda launch: launch["hottest_address"],
    "barriers": lambda launch: sum(barrier["count"] for barrier in launch["barriers"]) / launch["blocks"],
}


def key(row):
    return row["resource"], row["kernel"], int(row["grid"]), int(row["block"])


def main(arguments):
    if len(arguments) != 1:
        raise Problem(__doc__)
    seen = programs.of_file(arguments[0], FILE, ["--small"], sample=1)
    if seen["status"] != 0:
        raise Problem(seen["said"])
    rows = [row for row in csv.DictReader(seen["said"].splitlines()) if row["seconds"]]
    said = {}
    for row in rows:
        said[key(row)] = said.get(key(row), 0) + float(row["amount"])
    wrong = [f"profile.cu prints no line about {resource}" for resource in COUNTED if not any(resource == name for name, *_ in said)]
    for (resource, kernel, grid, block), amount in said.items():
        launches = [each for each in seen["launches"]
                    if (each["kernel"].replace("(anonymous namespace)::", ""), each["grid"][0], each["block"][0]) == (kernel, grid, block)]
        counted = sum(map(COUNTED[resource], launches))
        if counted != amount:
            wrong.append(f"{kernel}<<<{grid}, {block}>>>, {resource}: profile.cu says {amount:,.0f}, but the lens counts {counted:,.0f}")
    print("\n".join(wrong) or f"{len(rows)} amounts, as the lens counts them")
    return int(bool(wrong))


if __name__ == "__main__":
    run(main)
