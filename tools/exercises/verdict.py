"""Builds and checks a student's file."""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from starter import ROOT

SECONDS = 120  # per check; a longer one counts as an endless loop

# Each backend's checks, the most instructive first, each with the meaning of its failure.
CHECKS = {
    "gpu": [("gpu", "plain", "")],
    "simulator": [
        ("simulator", "plain", ""),
        ("simulator", "interleaved", "The result is right if threads run one after another, and wrong if they are interrupted at "
         "any point: a race."),
        ("sanitize", "plain", "The results are right, but AddressSanitizer or UndefinedBehaviorSanitizer reports an error."),
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
    """Builds targets. Returns the compiler's messages; nothing on success."""
    done = subprocess.run(["cmake", "--build", f"build/{preset}", "--target", *targets], cwd=ROOT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, capture_output=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def compiler_words(log):
    """A log's first error, with the lines that belong to it."""
    lines = log.splitlines()
    errors = [at for at, line in enumerate(lines) if re.search(r"\berror\b", line)]
    first = errors[0] if errors else 0
    shown = lines[first:first + 1]
    for line in lines[first + 1:first + 8]:
        if re.match(r"\S+:\d+:|\[\d+/\d+\]|ninja:", line):
            break
        shown.append(line)
    return ["It does not compile.", *shown]


def run(command, seed="0"):
    """Runs a check. The verdict has its message, and the simulator's or a sanitizer's."""
    try:
        done = subprocess.run(command, cwd=ROOT, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS, env={**os.environ, "CUDA_SIM_SEED": seed})
    except subprocess.TimeoutExpired as late:
        words = [line for line in (late.stderr or b"").decode(errors="replace").splitlines() if "simulator:" in line]
        return Verdict(False, [f"It did not end within {SECONDS} seconds: an endless loop?", *words[:1]])
    if done.returncode == 0:
        return Verdict(True, [])
    words = done.stdout.splitlines()
    said = [line for line in done.stderr.splitlines() if re.match(r"simulator: |==\d+==ERROR|\S+: runtime error", line)]
    if done.returncode < 0:
        words.append(f"The program was ended by signal {-done.returncode}.")
    return Verdict(False, words + ["  " + line for line in said[:1]] or [f"It ended with status {done.returncode}."])


def run_in_two_orders(command):
    """Runs a check; after a failure, also says whether it depends on the order of the simulator's threads."""
    verdict = run(command)
    if verdict.passed:
        return verdict
    other = run(command, seed="5")
    if other.first != verdict.first:
        verdict.words.insert(1, "  The result depends on the order of the threads: they access the same memory "
                                "without a barrier or an atomic operation in between.")
    return verdict


def refused(exercise):
    """clang's errors for code that nvcc would refuse and g++ compiles; nothing if clang is not installed."""
    source = ROOT / "build" / "simulator" / f"exercise_{exercise.number}.cu"
    done = subprocess.run([ROOT / "common/simulator/refused.sh", source, f"-I{ROOT / 'work'}"], cwd=ROOT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, capture_output=True)
    return compiler_words(done.stderr.replace(f"{ROOT}/", "")) if done.returncode == 1 else []


def verify(exercise, backend):
    """Checks an exercise: the verdict has the first failure, if there is one."""
    first, *others = CHECKS[backend]
    preset, order, _ = first
    if log := build(preset, [program(exercise, preset, order).name]):
        return Verdict(False, compiler_words(log))
    verdict = (run_in_two_orders if backend == "simulator" else run)([program(exercise, preset, order)])
    if not verdict.passed or not others:
        return verdict
    with ThreadPoolExecutor() as pool:
        words = pool.submit(refused, exercise)
        logs = pool.map(lambda check: build(check[0], [program(exercise, *check[:2]).name]), others)
        for log in logs:
            if log:
                return Verdict(False, compiler_words(log))
        if words.result():
            return Verdict(False, ["The result is right, but nvcc would refuse the code.", *words.result()[1:]])
        for (_, _, meaning), verdict in zip(others, pool.map(lambda check: run([program(exercise, *check[:2])]), others)):
            if not verdict.passed:
                return Verdict(False, [verdict.words[0], "  " + meaning, *verdict.words[1:]])
    return Verdict(True, [])
