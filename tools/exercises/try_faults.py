#!/usr/bin/env python3
"""usage: tools/exercises/try_faults.py [--gpu] [--only KIND] [--record] [NUMBER ...]

Checks that each fault of the exercises, or of those with these numbers, is found as recorded in docs/results/faults.txt:
by the checks on the simulator or the lens, or with --gpu by the checks on this machine's GPU and by compute-sanitizer's
tools. --only tries one kind of check, named as that file's columns are. --record writes the results to that file, and
keeps the columns of the kinds that were not tried. Without it, only faults that nothing else finds are shown to the lens.
"""

import argparse
import asyncio
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from faults import RECORD, faults, recorded
from native import Native, built, checked
from stages import UNDER_LENS, NotTried

PLAIN, INTERLEAVED, LENS, GPU = "plain", "interleaved", "lens", "GPU"
SANITIZERS = ["memcheck", "racecheck", "initcheck", "synccheck"]
# A check launches too large a block on purpose, so the error of this launch is no finding.
OPTIONS = {"memcheck": ["--report-api-errors", "no"]}
SECONDS = 60  # per sanitizer, after which the fault counts as not found


def machine_of(fault):
    return Native(f"faults_{fault.exercise.number}")


misled = []  # wrong messages of the checks about faults in large inputs, and about loops that never end


def found_by_checks(preset, order, fault):
    found = checked(f"faults_{fault.exercise.number}", preset, order, fault.name)
    says_so = any("passes: with so many more elements, indices and counts need 64 bits" in each["text"] for each in found.sentences)
    if found.case.get("n", 0) > 1 << 31 and says_so != (fault.cause == "too few bits"):
        misled.append(f"{fault.name}, {fault.title}: the checks {'' if says_so else 'do not '}say that 64 bits are needed, but the cause is: {fault.cause}")
    if found.kind == "time" and "the limit of a case" not in found.what:
        misled.append(f"{fault.name}, {fault.title}: only the limit of the whole check ends it: {found.what}")
    return not found.passed


def found_by_lens(fault):
    """Whether the lens finds a race, a missing fence, or a read or copy of unwritten memory."""
    try:
        return bool(asyncio.run(machine_of(fault).look([fault.name], UNDER_LENS))[0]["findings"])
    except NotTried:  # the program was stopped
        return False


def found_by_sanitizer(tool, fault):
    """Whether a tool of compute-sanitizer reports anything while the checks run up to the first failure."""
    try:
        done = subprocess.run(["compute-sanitizer", "--tool", tool, *OPTIONS.get(tool, []),
                               machine_of(fault).program("gpu", PLAIN), fault.name], text=True, errors="replace",
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    summaries = re.findall(r"SUMMARY: (\d+) ", done.stdout + done.stderr)
    return bool(summaries) and summaries[-1] != "0"


# For each kind of check: the function that tries a fault, how its programs are built, and how many run at once (None: one per core).
ON_SIMULATOR = {**{order: (partial(found_by_checks, "simulator", order), "simulator", order, 2) for order in (INTERLEAVED, PLAIN)},
                LENS: (found_by_lens, "simulator", LENS, 2)}
ON_GPU = {GPU: (partial(found_by_checks, "gpu", PLAIN), "gpu", PLAIN, 3),
          **{tool: (partial(found_by_sanitizer, tool), "gpu", PLAIN, None) for tool in SANITIZERS}}


def record(chosen, found):
    """Writes the columns of the kinds of checks that ran, and keeps the other columns."""
    finds = {fault.name: {**recorded().get(fault.name, {}), **{kind: results[at] for kind, results in found.items()}}
             for at, fault in enumerate(chosen)}
    kinds = [kind for kind in (PLAIN, INTERLEAVED, LENS, GPU, *SANITIZERS) if any(kind in each for each in finds.values())]
    width = max(len(fault.title) for fault in chosen)
    lines = [f"fault  {'':{width}}  " + "  ".join(f"{kind:5}" for kind in kinds)]
    for fault in chosen:
        words = {True: "found", False: "-", None: ""}
        cells = [f"{words[finds[fault.name].get(kind)]:{max(5, len(kind))}}" for kind in kinds]
        lines.append(f"{fault.name:5}  {fault.title:{width}}  {'  '.join(cells)}")
    RECORD.write_text("\n".join(line.rstrip() for line in lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[0][7:], description=__doc__.split("\n\n", 1)[1])
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--only", metavar="KIND")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("numbers", nargs="*", metavar="NUMBER")
    options = parser.parse_args()
    if options.record and options.numbers:
        parser.error("--record is for all faults: leave out the numbers")
    kinds = ON_GPU if options.gpu else ON_SIMULATOR
    if options.only:
        if options.only not in kinds:
            parser.error(f"--only: no kind of check is named {options.only}; the kinds are {', '.join(kinds)}")
        kinds = {options.only: kinds[options.only]}
    chosen = [each for each in faults() if not options.numbers or each.exercise.number in options.numbers]
    if not chosen:
        parser.error(f"no fault belongs to exercise {' or '.join(options.numbers)}")
    before_all, found, wrong = recorded(), {}, []
    for kind, (finds, preset, order, jobs) in kinds.items():
        # To record, every kind of check tries every fault. Otherwise, one kind that finds a fault is enough.
        left = [fault for at, fault in enumerate(chosen) if options.record or not any(each[at] for each in found.values())]
        if kind == LENS:
            left = [fault for fault in left if not fault.exercise.on_cpu
                    and (options.record or before_all.get(fault.name, {}).get(LENS) is not False)]
        if left:
            built(preset, *sorted({machine_of(fault).program(preset, order).name for fault in left}))
        with ThreadPoolExecutor(jobs) as pool:
            results = dict(zip(left, pool.map(finds, left)))
        found[kind] = [results.get(fault) for fault in chosen]
        if options.record:  # after each kind, because each takes minutes
            record(chosen, found)
    for at, fault in enumerate(chosen):
        now = any(results[at] for results in found.values())
        if now != any(before_all.get(fault.name, {}).get(kind) for kind in found) and not options.record:
            wrong.append(f"{fault.name}, {fault.title}: {'found' if now else 'not found'}, but {RECORD.name} says otherwise; --record updates it")
    wrong += misled
    print(*wrong, f"{len(chosen)} faults, {sum(map(any, zip(*found.values())))} found", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
