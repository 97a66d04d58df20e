#!/usr/bin/env python3
"""usage: tools/exercises/try_faults.py [--record] [NUMBER ...]

Checks that each fault of the exercises, or of those with these numbers, is found as docs/results/simulator/faults.txt
says. --record writes that file, with what every kind of check finds.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import verdict
from faults import RECORD, faults, recorded

KINDS = [("plain", "simulator", "plain"), ("interleaved", "simulator", "interleaved"), ("sanitizers", "sanitize", "plain")]


def found_by(fault, kinds):
    """Of each kind of check, whether it finds the fault."""
    programs = [verdict.ROOT / "build" / preset / "bin" / f"faults_{fault.exercise.number}_{order}"
                for _, preset, order in kinds]
    return [not verdict.run([program, fault.name]).passed for program in programs]


def main(words):
    record = words[:1] == ["--record"]
    chosen = [each for each in faults() if not words[record:] or each.exercise.number in words[record:]]
    kinds = KINDS if record else KINDS[:2]
    for _, preset, order in kinds:
        programs = sorted({f"faults_{fault.exercise.number}_{order}" for fault in chosen})
        if log := verdict.build(preset, programs):
            sys.exit("\n".join(verdict.compiler_words(log)))
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip((fault.name for fault in chosen), pool.map(lambda fault: found_by(fault, kinds), chosen)))
    if record:
        width = max(len(fault.title) for fault in chosen)
        lines = [f"fault  {'':{width}}  " + "  ".join(kind for kind, _, _ in kinds)]
        for fault in chosen:
            cells = [f"{'found' if found else '-':{len(kind)}}" for found, (kind, _, _) in zip(results[fault.name], kinds)]
            lines.append(f"{fault.name:5}  {fault.title:{width}}  {'  '.join(cells)}".rstrip())
        RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")
    wrong = [f"{fault.name}, {fault.title}: {'found' if any(results[fault.name]) else 'not found'}, and "
             f"{RECORD.name} says otherwise" for fault in chosen
             if any(results[fault.name]) != any(recorded().get(fault.name, {}).get(kind) for kind, _, _ in kinds)]
    print(*wrong, f"{len(chosen)} faults, {sum(map(any, results.values()))} found", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
