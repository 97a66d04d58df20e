"""Builds and checks one exercise of one submission, in a sandbox."""

import json
import os
import re
import secrets
import shlex
import subprocess
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import verdict as checks
from assemble import more_checks, registration
from sandbox import CPU_SECONDS, MEMORY
from starter import ROOT, Chapter

# The symbols that an object may import: C++'s library and runtime, the simulator, and little of C's library.
LINKED = re.compile(r"""_Z(?!.*(?:fstream|filebuf|filesystem|basic_ios|ios_base|locale|random_device)).*|__cxa_.*|__gxx_.*
    |_Unwind_Resume|__dso_handle|__[atu]b?san_.*|__stack_chk_fail|__tls_get_addr|__assert_fail|_GLOBAL_OFFSET_TABLE_
    |mem(?:cpy|move|set|cmp|chr)|str(?:len|ncmp)|v?s?n?printf|puts|putchar|cuda[A-Z].*|pthread_.*|f?(?:abs|min|max|ma|mod)f?
    |__libc_single_threaded|malloc|free|sched_yield|nanosleep|syscall""".replace("\n", "").replace(" ", ""))

# What far_elements.cuh calls, where an exercise's further checks include it. A student's text can't name these.
FAR = {"mmap", "munmap", "mprotect", "getenv", "setenv", "unsetenv"}


@lru_cache(maxsize=None)
def commands(preset, order, number):
    """The commands by which CMake would build an exercise's program, each a list of words."""
    said = subprocess.run(["ninja", "-C", f"build/{preset}", "-t", "commands", f"exercise_{number}_{order}"], cwd=ROOT,
                          text=True, capture_output=True, check=True).stdout
    found = []
    for line in said.splitlines():
        if f"exercise_{number}" not in line or "assemble.py" in line:
            continue
        # "cd FOLDER && COMMAND" or ": && COMMAND && :"
        words = next(words for is_and, each in groupby(shlex.split(line), "&&".__eq__) if not is_and
                     and (words := list(each))[0] not in ("cd", ":"))
        words = words[os.path.basename(words[0]) in ("ccache", "sccache"):]
        for option, count in (("-MD", 1), ("-MT", 2), ("-MF", 2)):
            if option in words:
                at = words.index(option)
                del words[at:at + count]
        found.append(words)
    return found


class Grading:
    """One exercise of one submission."""

    def __init__(self, exercise, sandbox, seed):
        self.exercise, self.sandbox, self.seed = exercise, sandbox, seed
        self.source = Path(sandbox.folder) / f"exercise_{exercise.number}.cu"

    def places(self, lines):
        """Lines that name files as the student knows them."""
        return [line.replace(f"{self.sandbox.folder}/", "").replace(f"{ROOT}/", "") for line in lines]

    def compile(self, preset, order):
        """Builds the program. Returns the errors' lines; none if it is built."""
        build = ROOT / "build" / preset
        for command in commands(preset, order, self.exercise.number):
            moved = [os.path.join(self.sandbox.folder, os.path.basename(word)) if f"exercise_{self.exercise.number}" in word
                     else word for word in command]
            includes = ["-I", build / "translated" / "work"] if "-c" in moved else []
            done = self.sandbox.run([*moved, *includes], trusted=True, cwd=build)
            if done.why or "CPU time limit exceeded" in done.stderr:  # how fast the machine is decides which limit is first
                return [f"It does not compile within {CPU_SECONDS} seconds of CPU time and {MEMORY >> 30} GiB of memory."]
            if done.status != 0:
                return ["It does not compile.", *self.places(checks.compiler_words(done.stderr))]
        return []

    def suspect(self):
        """Finds device code that clang rejects, and calls of forbidden functions. Returns a message's lines."""
        clang = [ROOT / "common/simulator/clang/rejected.sh", self.source, f"-I{ROOT / 'common'}"]
        done = self.sandbox.run(clang, trusted=True, cwd=ROOT)
        if done.status != 0:
            words = checks.compiler_words(done.stderr)
            return ["nvcc would reject it.", *self.places(words), *filter(None, [done.why])]
        done = self.sandbox.run(["nm", "-u", "--format=just-symbols", *Path(self.sandbox.folder).glob("*.o")], trusted=True)
        names = {name.partition("@")[0] for name in done.stdout.split()}
        if any("far_elements.cuh" in line for line in more_checks(self.exercise)[0]):
            names -= FAR
        called = sorted(name for name in names if not LINKED.fullmatch(name))
        return [f"Rejected: it calls '{called[0]}'."] if called or done.status != 0 else []

    def start(self, order, token, *arguments, **settings):
        """Runs a program of the exercise, which writes the token with its verdict."""
        environment = {"COURSE_SEED": str(self.seed), "CUDA_SIM_SEED": "0", "CUDA_SIM_WORKERS": "1", "CUDA_SIM_ADVICE": "0", **settings}
        return self.sandbox.run([self.source.with_name(f"exercise_{self.exercise.number}_{order}"), *arguments], f"{token}\n", environment)

    def run(self, order, simulated_order="0"):
        """Runs the check. Returns its verdict."""
        token = secrets.token_hex(16)
        done = self.start(order, token, CUDA_SIM_SEED=simulated_order)
        if done.why:
            return checks.Verdict("time", done.why)
        # Only the check knows the token. No student's code runs after it has been read.
        verdict, _ = checks.read(done.verdict, token, done.status)
        if verdict and verdict.passed:
            return verdict
        if not verdict:
            number = done.status - 128 if done.status > 128 else -done.status
            verdict = checks.Verdict("signal", checks.ended_by(number)) if number > 0 else checks.Verdict(
                "status", f"The program ended before the checks were complete, with status {done.status}.")
        # Addresses and process numbers differ between runs.
        said = [re.sub("0x[0-9a-f]+", "0x…", re.sub(r"^==\d+==", "", line)) for line in done.stderr.splitlines()
                if checks.FROM_TOOL.match(line)][:1]
        return replace(verdict, sentences=verdict.sentences + checks.sentences(*said))

    def look(self):
        """Lets the lens count, and look for races. Returns lines about a missed target or what it finds, or why it can't look."""
        if words := self.compile("simulator", "lens"):
            return words
        point = checks.Point(self.exercise)
        # The lens opens its output anew at the end of the program, so nothing that the program prints is in it.
        settings = {"LENS_OUTPUT": "/proc/self/fd/2", **checks.UNDER_LENS}
        done = self.start("lens", "", "yours", *point.arguments, **settings)
        try:
            if missed := point.missed(json.loads(done.stderr)):
                return [missed]
            if not checks.has_lens(self.exercise):
                return []
            done = self.start("lens", "", **settings)
            found = checks.words_of_lens(json.loads(done.stderr))
        except ValueError:
            return [f"The results are right, but the search for races did not end. {done.why}".strip()]
        return self.places(checks.Verdict("luck", checks.BY_LUCK, found).words) if found else []

    def verdict(self, source):
        """The first failure's lines; none if there is no failure."""
        chapter = Chapter(self.exercise.chapter)
        includes, more = more_checks(self.exercise)
        includes = [each.replace(f'"{ROOT}/', '"../') for each in includes]  # of translated files, as in the student's
        self.source.write_text("\n".join([*source.includes, *includes]) + f"\nnamespace student {{\n{source.text}"
                               + registration(chapter.problem, chapter.entries[self.exercise.variant], "yours", more) + "}\n", encoding="utf-8")
        for preset, order, meaning in checks.CHECKS["simulator"]:
            if words := self.compile(preset, order):
                return words
            if not meaning and (words := self.suspect()):
                return words
            found = self.run(order)
            if found.passed:
                continue
            if order == "interleaved":
                return [meaning]  # the order decides which case fails first
            if meaning:
                found = checks.with_meaning(order, meaning, found)
            elif found.kind == "result" and not self.exercise.on_cpu and checks.changes_with_order(found, self.run(order, "5")):
                found = replace(found, sentences=[checks.DEPENDS_ON_ORDER])
            return self.places(found.words)
        return self.look()
