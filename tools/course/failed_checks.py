#!/usr/bin/env python3
"""Prints one paragraph per failed check: failed_checks.py LastTest.log FAILURES

FAILURES has lines of JSON, which the checks have written (common/checks/record.hpp): for each message, what it is about.
"""

import json
import re
import sys

from terminal import looks, wrapped

# Advice about failures, by the kind of the failure or of the kernel's fault.
HINTS = [
    ({"barrier", "deadlock"}, "All threads of a block must reach the same __syncthreads()."),
    ({"no progress"}, "Does a loop wait for something that no thread will ever do?"),
    ({"poison"}, "Is every counter set to 0 before it is used, with a barrier in between?"),
    ({"address", "overrun"}, "Is each index compared with the size before its use?"),
    ({"launch", "unchecked"}, "Follow each launch with CUDA_CHECK(cudaGetLastError())."),
]
RACE = "The check fails {} if threads can be interrupted at any point: there is a race. Usually, an atomic operation or a barrier is missing."

SHOWN = 4  # failures of one check


def tests(log):
    """Each test's name, whether it passed (a skipped test does), and its output."""
    for part in re.split(r"^\d+/\d+ Testing: ", log, flags=re.M)[1:]:
        name = part.split("\n", 1)[0]
        output = re.search(r"^Output:\n-+\n(.*)^<end of output>\n", part, flags=re.M | re.S)
        passed = re.search(r"^Test Passed\.$", part[output.end() if output else 0:], flags=re.M)
        yield name, passed is not None, output.group(1) if output else ""


def words_of(output):
    """A check's messages: Catch2's failures, one per line, or the end of another program's output."""
    failures = re.findall(r"^(\S+:\d+): failed: (.*)$", output, flags=re.M)
    if not failures:
        return output.strip().splitlines()[-3:] or ["The check printed nothing: it timed out, or was killed."]
    words = []
    for place, failure in failures:
        quoted = re.fullmatch(r'"(.*)"', failure.rsplit(" for: ", 1)[-1])  # the message without the expected value
        words.append(quoted.group(1) if quoted else f"{place}: {failure}")
    if len(words) > SHOWN:
        words[SHOWN:] = [f"And {len(words) - SHOWN} more."]
    words += [line for line in output.splitlines() if re.match(r"simulator: |==\d+==ERROR|\S+: runtime error", line)][:1]
    return words


def read(path):
    """The data about failures. Incomplete lines are ignored. If no check has failed, there is no file."""
    found = []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    found.append(json.loads(line))
                except ValueError:
                    pass
    except FileNotFoundError:
        pass
    return found


def kinds(failure):
    """The kinds of a failure, which HINTS is searched for."""
    return {failure["kind"], failure.get("fault", {}).get("kind"), "poison" if failure.get("has_poison") else None}


def told(in_order, interleaved, failures):
    """The sentences about a check that fails in order, interleaved or both. By luck, a race may also show in order, but then
    for a larger n."""
    of_order, of_interleaved = ([[each for each in failures if each["message"] in line] for line in words or []]
                                for words in (in_order, interleaved))
    sizes = [about[0][0]["n"] for about in (of_order, of_interleaved) if about and about[0] and "n" in about[0][0]]
    if len(sizes) == 2 and sizes[1] < sizes[0]:
        return [*interleaved, RACE.format("for a smaller n")]
    if not in_order:
        return [*interleaved, RACE.format("only")]
    found = {kind for about in of_order for failure in about for kind in kinds(failure)}
    return [*in_order, *(hint for signs, hint in HINTS if signs & found)]


def show(path, failures_path):
    """Prints a paragraph about each failed check in a log of ctest."""
    failures = read(failures_path)
    with open(path, encoding="utf-8", errors="replace") as file:
        log = file.read()
    failed, skipped, names = {}, {}, set()
    for name, passed, output in tests(log):
        check = name.replace("/interleaved/", "/")
        names.add(check)
        reason = re.search(r"^check skipped: (.*)$", output, flags=re.M)
        if reason:
            skipped[reason.group(1)] = skipped.get(reason.group(1), 0) + 1
        elif not passed:
            failed.setdefault(check, {})[check != name] = words_of(output)
    for reason, count in skipped.items():
        print(f"skipped {count}: {reason}")
    if failed:
        print(f"\nFailed: {len(failed)} of {len(names)} checks. Their full output is in {path}.")
    for name, by_order in failed.items():
        print("\n" + looks("bad", name))
        for line in told(by_order.get(False), by_order.get(True), failures):
            printable = "".join(c if c.isprintable() else "?" for c in line)
            print(wrapped(f"  {printable}"))


if __name__ == "__main__":
    show(*sys.argv[1:])
