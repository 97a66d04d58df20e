#!/usr/bin/env python3
"""usage: tools/exercises/try_faults.py [--record] [NUMBER ...]

Checks that each fault of the exercises, or of those with these numbers, is found as docs/results/simulator/faults.txt
says. --record writes that file.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import verdict
from faults import RECORD, faults, recorded

ORDERS = ["plain", "interleaved"]  # of the threads, in which the simulator checks


def found_by(fault):
    """In each order, whether the checks find the fault."""
    programs = [verdict.ROOT / "build/simulator/bin" / f"faults_{fault.exercise.number}_{order}" for order in ORDERS]
    return [not verdict.run([program, fault.name]).passed for program in programs]


def main(words):
    record = words[:1] == ["--record"]
    chosen = [each for each in faults() if not words[record:] or each.exercise.number in words[record:]]
    programs = sorted({f"faults_{fault.exercise.number}_{order}" for fault in chosen for order in ORDERS})
    if log := verdict.build("simulator", programs):
        sys.exit("\n".join(verdict.compiler_words(log)))
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip((fault.name for fault in chosen), pool.map(found_by, chosen)))
    if record:
        width = max(len(fault.title) for fault in chosen)
        lines = [f"fault  {'':{width}}  " + "  ".join(ORDERS)]
        for fault in chosen:
            cells = [f"{'found' if found else '-':{len(order)}}" for found, order in zip(results[fault.name], ORDERS)]
            lines.append(f"{fault.name:5}  {fault.title:{width}}  {'  '.join(cells)}".rstrip())
        RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")
    wrong = [f"{fault.name}, {fault.title}: {'found' if any(results[fault.name]) else 'not found'}, and "
             f"{RECORD.name} says otherwise" for fault in chosen
             if any(results[fault.name]) != any(recorded().get(fault.name, {}).values())]
    print(*wrong, f"{len(chosen)} faults, {sum(map(any, results.values()))} found", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
