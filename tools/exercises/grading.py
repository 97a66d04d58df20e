"""Builds and checks one exercise of one submission, in a sandbox."""

import asyncio
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
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import rubric
from assemble import BY_NVCC, more_checks, registration
from cpp import Rejected
from sandbox import MEMORY, TOO_LITTLE, Ended
from stages import INTERLEAVED, LONG, Machine, NotTried, Stage, has_lens, in_two_orders, stages, words_of_lens
from starter import ROOT, Chapter
from verdict import BY_COMPILER, BY_LUCK, CPU_SECONDS, FROM_TOOL, Verdict, compiler_words, ended_by, in_case, read, sentences, with_meaning

ENDED, NO_ANSWER = 4, 5  # statuses of the checks' own program (common/exercise/asking.cuh)
ROOM = 1 << 28  # bytes on a disk that a compiler may need
LONGEST = 500  # characters of a line in a verdict
SYMBOL = re.compile(r"^ +\d+: [0-9a-f]+ +\d+ (?P<type>\w+) +(?P<bind>\w+) +\w+ +(?P<place>\w+) (?P<name>\S+)", re.MULTILINE)
SECTION = re.compile(r"^ +\[ *\d+\] (?P<name>\.(?:preinit_array|init\b|interp|ctors)\S*)", re.MULTILINE)
TOO_SLOW = f"It does not compile within {CPU_SECONDS} seconds of CPU time and {MEMORY >> 30} GiB of memory."
IN_ORDER = {"CUDA_SIM_SEED": "0", "CUDA_SIM_WORKERS": "1", "CUDA_SIM_ADVICE": "0"}
NO_CALL = "The program makes a system call that no exercise needs, such as one that starts a process, writes a file or shares memory."


class NotGraded(RuntimeError):
    """The reason why this machine can't grade, in one line. It is not the student's fault."""


@lru_cache(maxsize=None)
def commands(preset, order, number):
    """The commands by which ninja would build an exercise's program, each a list of words."""
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
        found.append([each for each in words if not each.startswith("-Wl,--dependency-file=")])  # CMake 3.27 and later
    return found


def foreign(listing):
    """The name of a section or symbol by which an object could run before other code, or replace it; empty if there is none.

    The listing is the output of `readelf -SsW`. A student's code is in a namespace, so it can't define a symbol that the
    process also has. If several objects define one function of C++, such as a template's, the linker takes the first
    definition, which is not the student's.
    """
    if section := SECTION.search(listing):
        return section["name"]
    for symbol in SYMBOL.finditer(listing):
        defines = symbol["bind"] == "GLOBAL" and symbol["place"] != "UND" and "7student" not in symbol["name"]
        is_of_c = (symbol["bind"], symbol["type"]) == ("WEAK", "FUNC") and symbol["place"] != "UND" and not symbol["name"].startswith("_Z")
        if defines or is_of_c or symbol["type"] == "IFUNC":
            return symbol["name"]
    return ""


@dataclass
class Answered:
    """How a run in which the checks' process asks the student's process for results has ended."""
    found: Verdict  # the checks' verdict; None if they have given none
    status: int  # the checks' exit status
    answering: Ended  # the student's process
    case: dict  # the last case that the checks have begun; empty if there is none

    def verdict(self):
        """The checks' verdict, or one about the end of the student's process; with the simulator's or a sanitizer's message, if any."""
        found = self.found
        if not found or found.passed and (self.answering.why or self.answering.status != 0):
            found = self.of_end()
        if found.passed or found.kind == "time":
            return found
        # Addresses and process numbers differ between runs.
        said = [without_addresses(re.sub(r"^==\d+==", "", line)) for line in self.answering.stderr.splitlines() if FROM_TOOL.match(line)][:1]
        return replace(found, what=without_addresses(found.what), sentences=found.sentences + sentences(*said))

    def of_end(self):
        """The verdict if the student's process has ended too early."""
        status, why = self.answering.status, self.answering.why
        number = status - 128 if status > 128 else -status
        if why == TOO_LITTLE:
            raise NotGraded(TOO_LITTLE)
        if why:
            kind, what = "time", why
        elif self.status == NO_ANSWER:
            kind, what = "status", "The program sent the checks something other than results."
        elif number > 0:
            kind, what = "signal", NO_CALL if number == signal.SIGSYS else ended_by(number)
        else:
            kind, what = "status", f"The program ended before the checks were complete, with status {status}."
        return in_case(kind, what, self.case)


def without_addresses(text):
    return re.sub("0x[0-9a-f]+", "0x…", text)


def is_too_slow(done):
    """Whether a compiler was ended by a limit: its own, or the one that it shares with the program that called it."""
    return bool(done.why) or "CPU time limit exceeded" in done.stderr


async def screened(_, grading):
    """Finds device code that clang rejects, and symbols that an object may not have."""
    done = grading.tool([ROOT / "common/simulator/clang/rejected.sh", grading.source, f"-I{ROOT / 'common'}"], cwd=ROOT,
                        environment={"TRANSLATE": ROOT / "build/simulator/bin/translate"})
    if is_too_slow(done):
        return Verdict("compile", TOO_SLOW)
    if done.status != 0:
        return Verdict("rejected", "nvcc would reject it." if done.status == 1 else "clang, which checks the device code, fails at it.",
                       sentences(*compiler_words(done.stderr)))
    done = grading.tool(["readelf", "-SsW", *grading.folder.glob("*.o")])
    if done.status != 0:
        raise NotGraded(f"readelf: {done.stderr.strip()[:100]}")
    if done.is_cut:
        return Verdict("rejected", "Rejected: the file defines too many symbols.")
    found = foreign(done.stdout)
    return Verdict("rejected", f"Rejected: the file defines '{found}'.") if found else Verdict("right")


SCREENING = Stage("screening", "simulator", "plain", screened)


class Grading(Machine):
    """One exercise of one submission, checked in a sandbox. No task is ever suspended, so nothing runs concurrently."""

    stages = ("plain", "interleaved", "sanitizers", "target", "lens", LONG)
    orders = dict.fromkeys(("plain", "interleaved"), IN_ORDER)

    def __init__(self, exercise, sandbox, seed):
        self.exercise, self.sandbox, self.seed = exercise, sandbox, seed
        self.folder = Path(sandbox.folder)
        self.source = self.folder / f"exercise_{exercise.number}.cu"
        self.built, self.seen = {}, {}  # logs by program; the last report of the lens

    def places(self, lines):
        """Lines with files named as the student knows them, each cut to LONGEST characters."""
        return [line.replace(f"{self.folder}/", "").replace(f"{ROOT}/", "")[:LONGEST] for line in lines]

    def tool(self, command, **options):
        """Runs a program of this machine on the student's file."""
        done = self.sandbox.run(command, trusted=True, **options)
        if done.why == TOO_LITTLE:
            raise NotGraded(TOO_LITTLE)
        if done.status != 0 and shutil.disk_usage(self.folder).free < ROOM:
            raise NotGraded(f"the disk of {self.folder.parent} is full")
        return done

    async def build(self, preset, order):
        """Builds the student's program, once. Returns the log; empty on success."""
        if (preset, order) not in self.built:
            self.built[preset, order] = self.log_of_build(preset, order)
        return self.built[preset, order]

    def log_of_build(self, preset, order):
        build, number = ROOT / "build" / preset, self.exercise.number
        for command in commands(preset, order, number):
            moved = [str(self.folder / os.path.basename(word)) if f"exercise_{number}" in word or f"answer_{number}" in word
                     else word for word in command]
            includes = ["-I", build / "translated" / "work"] if "-c" in moved else []
            done = self.tool([*moved, *includes], cwd=build)
            if is_too_slow(done):
                return TOO_SLOW
            if done.status != 0:
                return done.stderr or f"status {done.status}"
        return ""

    def does_not_compile(self, exercise, log):
        if log == TOO_SLOW:
            return Verdict("compile", log)
        undefined = re.findall("undefined reference to .*", log)[:1]
        return Verdict("compile", "It does not compile.", sentences(*(undefined or compiler_words(log))))

    def given_lines(self, exercise):
        return frozenset()  # the course's own code is in its own files

    def ask(self, preset, order, arguments, settings, files=None):
        """Runs the checks in a process of their own, which asks the student's process for results. Returns how it has ended."""
        # Without leak detection, because AddressSanitizer would start a process for it.
        settings = {**IN_ORDER, "ASAN_OPTIONS": "detect_leaks=0", **settings}
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
                raise NotGraded(f"the checks of {self.exercise.number} do not finish") from None
            finally:
                asking.kill()
            written.seek(0)
            verdict, begun = read(written.read(), token, status)
            said.seek(0)
            words = said.read(1000).decode("utf-8", "replace").strip().partition("\n")[0]
        if not verdict and status not in (ENDED, NO_ANSWER):
            raise NotGraded(f"the checks of {self.exercise.number} ended with status {status}: {words}")
        return Answered(verdict, status, answering, begun.get("case", {}))

    async def run(self, preset, order, arguments, settings):
        found = self.ask(preset, order, arguments, settings)
        if order == "interleaved" and found.verdict().passed:  # then blocks run at the same time, too, in an order that varies
            found = self.ask(preset, order, arguments, {**settings, **INTERLEAVED})
        return found

    async def look(self, arguments, settings):
        seen, verdict = self.look_once(arguments, {**settings, "CUDA_SIM_WORKERS": "1"})
        if settings["CUDA_SIM_WORKERS"] != "1" and verdict.passed and not seen["findings"]:
            seen, verdict = self.look_once(arguments, settings)
        return seen, verdict

    def look_once(self, arguments, settings):
        with tempfile.TemporaryFile() as file:
            ended = self.ask("simulator", "lens", arguments, {**settings, "LENS_OUTPUT": f"/dev/fd/{file.fileno()}"}, {"LENS_DESCRIPTOR": file})
            verdict = ended.verdict()
            file.seek(0)
            try:
                self.seen = json.load(file)
            except (ValueError, RecursionError):
                raise NotTried(ended.answering.why) from None
        return self.seen, verdict

    def read(self, raw):
        """The parts of a student's file that are graded (submission.py). Raises Rejected."""
        file = self.folder / "submitted.cuh"
        file.write_bytes(raw)
        done = self.tool(["python3", "-B", ROOT / "tools/exercises/submission.py", self.exercise.number, file])
        if done.why:
            raise Rejected(f"the file can't be read within {CPU_SECONDS} seconds of CPU time and {MEMORY >> 30} GiB of memory")
        try:
            source = json.loads(done.stdout)
        except ValueError:
            raise NotGraded(f"submission.py: {(done.stderr.strip().splitlines() or ['no words'])[-1]}") from None
        if "rejected" in source:
            raise Rejected(source["rejected"])
        return source

    def verdict(self, raw):
        """The stage (rubric.STAGES) that a student's file, given as bytes, has reached; the lines about the first failure, none if
        there is no failure; and notes about the file. Raises Rejected and NotGraded."""
        source = self.read(raw)
        return *asyncio.run(self.staged(source)), source["notes"]

    async def staged(self, source):
        """The stage that the source has reached, and the lines about the first failure."""
        chapter = Chapter(self.exercise.chapter)
        includes, more = more_checks(self.exercise)
        includes = [each.replace(f'"{ROOT}/', '"../') for each in includes]  # as in translated files
        self.source.write_text("\n".join([BY_NVCC, *source["includes"], *includes]) + f"\nnamespace student {{\n{source['text']}"
                               + registration(chapter.problem, chapter.entries[self.exercise.variant], "yours", more) + "}\n", encoding="utf-8")
        for stage in [SCREENING, *stages(self.exercise, self)]:
            try:
                found = await stage.end(self.exercise, self)
                if not found.passed:
                    return rubric.stage(stage.name, found), self.places((await self.explained(stage, found)).words)
            except NotTried as why:
                return "lens", [f"The results are right, but the search for races did not end. {why}".strip()]
            except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
                if stage.name not in ("target", "lens"):
                    raise
                return "lens", ["The program wrote something other than the lens's report of it."]
        return "right", []

    async def explained(self, stage, found):
        """A stage's verdict, with an explanation of what the failed stage means."""
        if found.kind in BY_COMPILER:
            return found
        if stage.meaning:
            said = with_meaning(stage.order, stage.meaning, found)
            # Without a number: the order decides in which case a race shows first.
            return Verdict(found.kind, stage.meaning) if any(each["of_race"] for each in said.sentences) else said
        if stage.name == "plain":
            return await in_two_orders(self.exercise, found, self)
        if found.kind == "point":
            return replace(found, sentences=[])  # the sentences are for the student's own machine
        # Code that fails only under the lens has detected the lens.
        of_lens = words_of_lens(self.seen) if stage.name == "target" and has_lens(self.exercise) else []
        return Verdict("luck", BY_LUCK, of_lens) if of_lens else found
