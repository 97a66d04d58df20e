"""Builds and checks one exercise of one submission, in a sandbox."""

import json
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import rubric
import verdict as checks
from assemble import more_checks, registration
from cpp import Rejected
from sandbox import CPU_SECONDS, MEMORY, TOO_LITTLE
from starter import ROOT, Chapter

ENDED, NO_ANSWER = 4, 5  # statuses of the checks' own program (common/exercise/asking.cuh)
ROOM = 1 << 28  # bytes on a disk, which a compiler may need
LONGEST = 500  # characters of a line for people
SYMBOL = re.compile(r"^ +\d+: [0-9a-f]+ +\d+ (?P<type>\w+) +(?P<bind>\w+) +\w+ +(?P<place>\w+) (?P<name>\S+)", re.MULTILINE)
SECTION = re.compile(r"^ +\[ *\d+\] (?P<name>\.(?:preinit_array|init\b|interp|ctors)\S*)", re.MULTILINE)
NO_CALL = "It asks the operating system for what no exercise needs, such as a process, a file to write, or shared memory."


class NotGraded(RuntimeError):
    """The reason why this machine can't grade, in one line: no student is to blame."""


@lru_cache(maxsize=None)
def commands(preset, order, number):
    """The commands by which CMake would build an exercise's program, each a list of words."""
    said = subprocess.run(["ninja", "-C", f"build/{preset}", "-t", "commands", f"answer_{number}_{order}"], cwd=ROOT,
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


def foreign(listing):
    """What an object has of its own that could precede or replace other code, by `readelf -SsW`; nothing if it has nothing.

    A student's code is in a namespace, so it can't define a symbol that the process has, too. What is defined in several
    objects, as a template's functions are, is the first one's, which is not the student's.
    """
    if section := SECTION.search(listing):
        return section["name"]
    for symbol in SYMBOL.finditer(listing):
        defines = symbol["bind"] == "GLOBAL" and symbol["place"] != "UND" and "7student" not in symbol["name"]
        if defines or symbol["type"] == "IFUNC":
            return symbol["name"]
    return ""


class Grading:
    """One exercise of one submission."""

    def __init__(self, exercise, sandbox, seed):
        self.exercise, self.sandbox, self.seed = exercise, sandbox, seed
        self.folder = Path(sandbox.folder)
        self.source = self.folder / f"exercise_{exercise.number}.cu"

    def places(self, lines):
        """Lines that name files as the student knows them, none of them endless."""
        return [line.replace(f"{self.folder}/", "").replace(f"{ROOT}/", "")[:LONGEST] for line in lines]

    def tool(self, command, **options):
        """Runs a program of this machine on the student's file."""
        done = self.sandbox.run(command, trusted=True, **options)
        if done.why == TOO_LITTLE:
            raise NotGraded(TOO_LITTLE)
        if done.status != 0 and shutil.disk_usage(self.folder).free < ROOM:
            raise NotGraded(f"the disk of {self.folder.parent} is full")
        return done

    def compile(self, preset, order):
        """Builds the student's process. Returns the errors' lines; none if it is built."""
        build, number = ROOT / "build" / preset, self.exercise.number
        for command in commands(preset, order, number):
            moved = [str(self.folder / os.path.basename(word)) if f"exercise_{number}" in word or f"answer_{number}" in word
                     else word for word in command]
            includes = ["-I", build / "translated" / "work"] if "-c" in moved else []
            done = self.tool([*moved, *includes], cwd=build)
            if done.why or "CPU time limit exceeded" in done.stderr:  # how fast the machine is decides which limit is first
                return [f"It does not compile within {CPU_SECONDS} seconds of CPU time and {MEMORY >> 30} GiB of memory."]
            if done.status != 0:
                undefined = re.findall("undefined reference to .*", done.stderr)[:1]
                return ["It does not compile.", *self.places(undefined or checks.compiler_words(done.stderr))]
        return []

    def suspect(self):
        """Finds device code that clang rejects, and what an object may not have. Returns a message's lines."""
        clang = [ROOT / "common/simulator/clang/rejected.sh", self.source, f"-I{ROOT / 'common'}"]
        done = self.tool(clang, cwd=ROOT)
        if done.status != 0:
            words = checks.compiler_words(done.stderr)
            return ["nvcc would reject it.", *self.places(words), *filter(None, [done.why])]
        done = self.tool(["readelf", "-SsW", *self.folder.glob("*.o")])
        if done.status != 0:
            raise NotGraded(f"readelf: {done.stderr.strip()[:100]}")
        return [f"Rejected: it defines '{found}'."] if (found := foreign(done.stdout)) else []

    def ask(self, preset, order, *arguments, files=None, **settings):
        """Lets the checks, in a process of their own, ask the student's process. Returns the verdict, and how the latter ended."""
        # To look for leaks, AddressSanitizer starts a process.
        settings = {"CUDA_SIM_SEED": "0", "CUDA_SIM_WORKERS": "1", "CUDA_SIM_ADVICE": "0", "ASAN_OPTIONS": "detect_leaks=0", **settings}
        token = secrets.token_hex(16)
        checks_socket, students_socket = socket.socketpair()
        with checks_socket, students_socket, tempfile.TemporaryFile() as written, tempfile.TemporaryFile() as said:
            descriptors = {"COURSE_SOCKET": str(checks_socket.fileno()), "COURSE_VERDICT": str(written.fileno())}
            is_slow = {} if (preset, order) == ("simulator", "plain") else {"COURSE_SLOW": "1"}
            asking = subprocess.Popen([ROOT / "build/simulator/bin" / f"solution_{self.exercise.number}_plain", *arguments], cwd=ROOT,
                                      stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said, pass_fds=map(int, descriptors.values()),
                                      env={**settings, **descriptors, **is_slow, "COURSE_SEED": str(self.seed)})
            try:
                asking.stdin.write(f"{token}\n".encode())
                asking.stdin.close()
                checks_socket.close()
                answering = self.sandbox.run([self.folder / f"answer_{self.exercise.number}_{order}"], settings,
                                             files={"COURSE_SOCKET": students_socket, **(files or {})},
                                             has_ended=lambda: asking.poll() is not None)
                students_socket.close()
                status = asking.wait(60)
            except subprocess.TimeoutExpired:
                raise NotGraded(f"the checks of {self.exercise.number} do not end") from None
            finally:
                asking.kill()
            written.seek(0)
            verdict, _ = checks.read(written.read(), token, status)
            said.seek(0)
            words = said.read(1000).decode("utf-8", "replace").strip().partition("\n")[0]
        if not verdict and status not in (ENDED, NO_ANSWER):
            raise NotGraded(f"the checks of {self.exercise.number} ended with status {status}: {words}")
        if verdict and (not verdict.passed or not answering.why and answering.status == 0):
            return verdict, answering
        return self.verdict_on_end(answering, status), answering

    def verdict_on_end(self, answering, status):
        """The verdict on a student's process that has not ended as it should."""
        if answering.why == TOO_LITTLE:
            raise NotGraded(TOO_LITTLE)
        if answering.why:
            return checks.Verdict("time", answering.why)
        if status == NO_ANSWER:
            return checks.Verdict("status", "It answers with something other than results.")
        number = answering.status - 128 if answering.status > 128 else -answering.status
        if number == signal.SIGSYS:
            return checks.Verdict("signal", NO_CALL)
        return checks.Verdict("signal", checks.ended_by(number)) if number > 0 else checks.Verdict(
            "status", f"The program ended before the checks were complete, with status {answering.status}.")

    def run(self, preset, order, simulated_order="0"):
        """Runs the check. Returns its verdict."""
        verdict, answering = self.ask(preset, order, CUDA_SIM_SEED=simulated_order)
        if verdict.passed or verdict.kind == "time":
            return verdict
        # Addresses and process numbers differ between runs.
        said = [re.sub("0x[0-9a-f]+", "0x…", re.sub(r"^==\d+==", "", line)) for line in answering.stderr.splitlines()
                if checks.FROM_TOOL.match(line)][:1]
        return replace(verdict, sentences=verdict.sentences + checks.sentences(*said))

    def seen_by_lens(self, *arguments):
        """What the lens sees of the student's process, and the verdict of the checks meanwhile. Raises ValueError."""
        with tempfile.TemporaryFile() as file:
            verdict, answering = self.ask("simulator", "lens", *arguments, files={"LENS_DESCRIPTOR": file},
                                          LENS_OUTPUT=f"/dev/fd/{file.fileno()}", **checks.UNDER_LENS)
            file.seek(0)
            try:
                return json.load(file), verdict
            except ValueError:
                raise ValueError(answering.why) from None

    def look(self):
        """Lets the lens count, and look for races. Returns how far the source has come, and lines about a missed target or what
        the lens finds, or why it can't look."""
        if words := self.compile("simulator", "lens"):
            return "compile", words
        point = checks.Point(self.exercise)
        try:
            seen, verdict = self.seen_by_lens("yours", *point.arguments)
            if verdict.passed and (missed := point.missed(seen)):
                return "point", [missed]
            if verdict.passed and checks.has_lens(self.exercise):
                seen, verdict = self.seen_by_lens()
        except ValueError as why:
            return "lens", [f"The results are right, but the search for races did not end. {why}".strip()]
        found = checks.words_of_lens(seen) if checks.has_lens(self.exercise) else []
        # Code that is wrong only now has noticed the lens.
        words = self.places(checks.Verdict("luck", checks.BY_LUCK, found).words if found else verdict.words)
        return "lens" if words else "right", words

    def read(self, raw):
        """What is graded of a student's file (submission.py). Raises Rejected."""
        file = self.folder / "submitted.cuh"
        file.write_bytes(raw)
        done = self.tool(["python3", "-B", ROOT / "tools/exercises/submission.py", self.exercise.number, file])
        if done.why:
            raise Rejected(f"it can't be read within {CPU_SECONDS} seconds of CPU time and {MEMORY >> 30} GiB of memory")
        try:
            source = json.loads(done.stdout)
        except ValueError:
            raise NotGraded(f"submission.py: {(done.stderr.strip().splitlines() or ['no words'])[-1]}") from None
        if "rejected" in source:
            raise Rejected(source["rejected"])
        return source

    def verdict(self, raw):
        """How far a student's file has come (rubric.STAGES), of which these are the bytes; the first failure's lines, none if
        there is no failure; and notes about the file. Raises Rejected, and NotGraded."""
        source = self.read(raw)
        return *self.staged(source), source["notes"]

    def staged(self, source):
        """How far the source has come, and the first failure's lines."""
        chapter = Chapter(self.exercise.chapter)
        includes, more = more_checks(self.exercise)
        includes = [each.replace(f'"{ROOT}/', '"../') for each in includes]  # of translated files, as in the student's
        self.source.write_text("\n".join([*source["includes"], *includes]) + f"\nnamespace student {{\n{source['text']}"
                               + registration(chapter.problem, chapter.entries[self.exercise.variant], "yours", more) + "}\n", encoding="utf-8")
        for preset, order, meaning in checks.CHECKS["simulator"]:
            if words := self.compile(preset, order):
                return "compile", words
            if not meaning and (words := self.suspect()):
                return "rejected", words
            found = self.run(preset, order)
            if found.passed:
                continue
            stage = rubric.stage("sanitizers" if preset == "sanitize" else order, found)
            if order == "interleaved":
                return stage, [meaning]  # the order decides which case fails first
            if meaning:
                found = checks.with_meaning(order, meaning, found)
            elif found.kind == "result" and not self.exercise.on_cpu and checks.changes_with_order(found, self.run(preset, order, "5")):
                found = replace(found, sentences=[checks.DEPENDS_ON_ORDER])
            return stage, self.places(found.words)
        return self.look()
