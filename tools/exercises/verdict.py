"""Whether a student's file is right: built and checked as it is now."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from starter import ROOT

SECONDS = 120  # of a check, after which its loop is taken for endless

# The checks of a backend, in the order in which they are worth seeing, each with what its failure means.
CHECKS = {
    "gpu": [("gpu", "plain", "")],
    "simulator": [
        ("simulator", "plain", ""),
        ("simulator", "interleaved", "It is right as long as threads run one after another, and wrong when they are interrupted "
         "in the midst of their work: a race."),
        ("sanitize", "plain", "The results are right, and AddressSanitizer or UndefinedBehaviorSanitizer stopped it."),
    ],
}


@dataclass
class Verdict:
    passed: bool
    words: list  # lines; none if it passed

    @property
    def first(self):
        return self.words[0] if self.words else "passed"


def program(exercise, preset, order):
    return ROOT / "build" / preset / "bin" / f"exercise_{exercise.number}_{order}"


def build(preset, targets):
    """What the compiler says; nothing if all is built."""
    done = subprocess.run(["cmake", "--build", f"build/{preset}", "--target", *targets], cwd=ROOT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, capture_output=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def compiler_words(log):
    """The first error of a log, with the lines that belong to it."""
    lines = log.splitlines()
    errors = [at for at, line in enumerate(lines) if re.search(r"\berror\b", line)]
    first = errors[0] if errors else 0
    shown = lines[first:first + 1]
    for line in lines[first + 1:first + 8]:
        if re.match(r"\S+:\d+:|\[\d+/\d+\]|ninja:", line):
            break
        shown.append(line)
    return ["It does not compile.", *shown]


def run(path):
    """A check's verdict: its own words, and the simulator's or a sanitizer's."""
    try:
        done = subprocess.run([path], cwd=ROOT, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as late:
        words = [line for line in (late.stderr or b"").decode(errors="replace").splitlines() if "simulator:" in line]
        return Verdict(False, [f"It did not end within {SECONDS} seconds: a loop that never ends?", *words[:1]])
    if done.returncode == 0:
        return Verdict(True, [])
    words = done.stdout.splitlines()
    said = [line for line in done.stderr.splitlines() if re.match(r"simulator: |==\d+==ERROR|\S+: runtime error", line)]
    if done.returncode < 0:
        words.append(f"The program was ended by signal {-done.returncode}.")
    return Verdict(False, words + ["  " + line for line in said[:1]] or [f"It ended with status {done.returncode}."])


def verify(exercise, backend):
    """The first failure of an exercise's checks, or none."""
    first, *others = CHECKS[backend]
    preset, order, _ = first
    if log := build(preset, [program(exercise, preset, order).name]):
        return Verdict(False, compiler_words(log))
    verdict = run(program(exercise, preset, order))
    if not verdict.passed or not others:
        return verdict
    with ThreadPoolExecutor() as pool:
        logs = pool.map(lambda check: build(check[0], [program(exercise, *check[:2]).name]), others)
        for log in logs:
            if log:
                return Verdict(False, compiler_words(log))
        for (_, _, meaning), verdict in zip(others, pool.map(lambda check: run(program(exercise, *check[:2])), others)):
            if not verdict.passed:
                return Verdict(False, [verdict.words[0], "  " + meaning, *verdict.words[1:]])
    return Verdict(True, [])
