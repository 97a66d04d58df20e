"""Builds and checks a student's file."""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Callable

import cpp
from cpp import Rejected, Unbalanced, split, tokens_of
from sandbox import CPU_SECONDS, OUTPUT, descendants, on_few_cpus
from starter import ROOT, Chapter, names_of, without_comments

sys.path[1:1] = [str(ROOT / "tools" / name) for name in ("lens", "results", "course")]
import counts  # noqa: E402
import rows  # noqa: E402
import text as lens  # noqa: E402
from builds import locked  # noqa: E402
from point import Point  # noqa: E402

SECONDS = 120  # per check
# Grids that follow an H200's 132 SMs would take minutes. Of code for the CPU, the lens counts what its threads do.
UNDER_LENS = {"CUDA_SIM_MULTIPROCESSORS": "2", "LENS_HOST": "1"}
STUCK_SECONDS = "3"  # of a simulated kernel without progress; in the checks, a thread works for milliseconds

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

BY_LUCK = "The results are right, but accesses to the same memory have no order: a GPU may choose another one."
UNWRITTEN = "The results are right, but memory is read that was never written."
DEPENDS_ON_ORDER = {"text": "The result changes with the order in which the threads run, as it does if a barrier or an atomic operation is "
                            "missing, or if an index is wrong.", "of_race": True}
DEPENDS_ON_MULTIPROCESSORS = "The result is right on a GPU with 2 multiprocessors, and wrong on one with 4, where the default grid has more blocks."
IS_GIVEN = "All these lines were in the starter: look at the code that calls them, and at what it does before."
FROM_TOOL = re.compile(r"simulator: |==\d+==ERROR|\S+: runtime error")  # how a line of the simulator or a sanitizer begins
SIGNALS = {signal.SIGSEGV: "usually by an index outside an array, or a pointer to nothing",
           signal.SIGABRT: "usually by an exception, a thread that was not joined, or an index outside an array",
           signal.SIGFPE: "by an integer division by zero",
           signal.SIGKILL: "as by a system that has too little memory",
           signal.SIGXFSZ: f"because it printed more than {OUTPUT >> 20} MiB"}


BY_COMPILER = ("compile", "rejected")  # kinds whose sentences are a compiler's lines, with marks below a line's columns


@dataclass
class Verdict:
    """What a check has found. `kind` decides what is done with it; the texts are for people.

    The checks' own program (common/exercise/verdict.cu) gives `right`, or one of the kinds in common/checks/failure.cuh. Here
    are made: `compile`, `rejected` (by nvcc), `time` (it does not end), `signal`, `tool` (such as a sanitizer) and `status`
    (what has ended it before its verdict), `luck` (only the lens finds something), and `point` (the result is right, but by a
    shortcut that misses the exercise's target).
    """
    kind: str
    what: str = ""  # what is wrong, in a line
    sentences: list = field(default_factory=list)  # each with its `text`, and whether it is `of_race`
    case: dict = field(default_factory=dict)  # in which case it is wrong, `words` among them
    fault: dict = field(default_factory=dict)  # a kernel's (common/simulator/include/simulator/fault.h)
    has_poison: bool = False  # a result includes what was never stored
    site: str = ""  # the line of the student's file, if the words name it
    message: str = ""  # the line that the chapter's checks print
    printed: list = field(default_factory=list)  # lines that the student's code printed in the failing case
    not_tried: dict = field(default_factory=dict)  # why a stage, named by its key, could not look for faults
    counted: list = field(default_factory=list)  # if it passed: for each target what is counted, how many it was, and the target

    @property
    def passed(self):
        return self.kind == "right"

    @property
    def short(self):
        return f"{self.case['words']}: {self.what}" if self.case else self.what or "passed"

    @property
    def first(self):
        return f"{'Stopped' if self.kind == 'time' else 'Wrong'} for {self.short}" if self.case else self.short

    @property
    def words(self):
        """The lines that are shown; none if it passed."""
        indent = "" if self.kind in BY_COMPILER else "  "
        return [] if self.passed else [self.first, *(indent + each["text"] for each in self.sentences)]

    @property
    def ends(self):
        return self.kind != "time" and self.fault.get("kind") != "no progress"


def sentences(*texts):
    return [{"text": text, "of_race": False} for text in texts]


def program(exercise, preset, order):
    return ROOT / "build" / preset / "bin" / f"exercise_{exercise.number}_{order}"


def build(preset, targets):
    """Builds targets. Returns the compiler's messages; nothing on success."""
    (ROOT / "build").mkdir(exist_ok=True)
    with locked(preset):
        done = subprocess.run(["cmake", "--build", f"build/{preset}", "--target", *targets], cwd=ROOT, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, capture_output=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def compiler_words(log):
    """The lines of a log that belong to its first error."""
    lines = log.splitlines()
    errors = [at for at, line in enumerate(lines) if re.search(r"\berror\b.*:", line)]
    first = errors[0] if errors else 0
    shown = lines[first:first + 1]
    for line in lines[first + 1:first + 8]:
        if re.match(r"\S[^:]*:( In |\d+:)|\[\d+/\d+\]|ninja:", line):
            break
        shown.append(line)
    return shown


def not_utf8(exercise):
    """A line about the first character of a student's file that is no UTF-8; nothing if all are."""
    raw = (ROOT / exercise.file).read_bytes()
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"{exercise.file}:{raw.count(bytes([10]), 0, error.start) + 1}: this line is not UTF-8 text: save the file as UTF-8."]
    return []


def lacks(exercise):
    """A line about a bracket or a function of the starter that a student's file lacks; nothing if it lacks neither."""
    text = (ROOT / exercise.file).read_text(encoding="utf-8-sig", errors="replace")
    try:
        split(tokens_of(text.replace("\r\n", "\n")))
    except Unbalanced as why:
        return [f"{exercise.file}:{why.line}: {why.what}."]
    except Rejected:
        pass
    chapter, code = Chapter(exercise.chapter), without_comments(text.splitlines())
    names = [name for part in chapter.needed(exercise.variant) if part not in chapter.hidden(exercise) for name in sorted(names_of(part))]
    missing = [name for name in names if not re.search(rf"\b{name}\b", code)]
    return [f"{exercise.file}: '{missing[0]}', which is in the starter, is missing."] if missing else []


def not_compiled(*lines):
    return Verdict("compile", "It does not compile.", [{"text": line, "of_race": False} for line in lines])


def does_not_compile(exercise, log):
    """The verdict on a student's file that does not compile."""
    if not re.search(r"\berror\b.*:", log):  # such as a full disk, or a compiler that was killed
        return Verdict("compile", "The build failed, but no compiler names an error. Its last lines:", sentences(*log.splitlines()[-5:]))
    lines = compiler_words(log)
    if found := lacks(exercise):
        # The compiler's own line may be far below the mistake, or not in the file.
        lines = [*found, *(line for line in lines[:1] if line.startswith(str(exercise.file)))]
    return not_compiled(*lines)


def words_first(what, fault):
    """What a failed call of CUDA means, and the call itself, if `what` is about one: PLACE: CALL: MEANING (CODE)."""
    found = re.fullmatch(r"(.*?)(\S+:\d+): (.*?): (.*) \((cuda\w+)\)", what, re.DOTALL)
    if not found:
        return what, []
    begin, place, call, why, code = found.groups()
    own = fault.get("message", "")
    if own and why.endswith(own):
        return begin + own, [f"{place}: {call}: {why[:-len(own)].rstrip(': ')} ({code})"]
    if place.startswith("common/"):  # the check's own, which has found an error that the student's code ignores
        return f"{begin}{why}", [] if begin else [f"This error is of {call}."]
    what = "a launch" if call == "cudaGetLastError()" else call.partition("(")[0]
    return f"{begin}{what} fails: {why}", [f"{place}: {call} ({code})"]


def ended_by(number):
    """In words, what usually sends a program a signal."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return f"The program was ended by {name}{', ' if number in SIGNALS else ''}{SIGNALS.get(number, '')}."


def changes_with_order(found, other):
    """Whether a check's verdict differs in another order of the threads.

    If a kernel was stopped in both, the order only decides which thread was the first one to break a rule.
    """
    return other.passed or found.first != other.first and found.kind == other.kind == "result"


def with_meaning(order, meaning, found):
    """A later check's verdict with the meaning of its failure, if the plain check has passed."""
    if order == "interleaved" and found.ends:
        # In a race, guesses from the results would be misleading. A bad address is no race.
        return replace(found, sentences=[{"text": meaning, "of_race": True}] if found.fault.get("kind") != "address" else [])
    if order == "interleaved":
        meaning = "If the threads run one after another, the same check passes."
    elif found.kind != "tool":
        meaning = "Without AddressSanitizer and UndefinedBehaviorSanitizer, the same check passes."
    return replace(found, sentences=[*sentences(meaning), *found.sentences])


def out_of_time(limit, cpu_seconds, begun):
    """The verdict on a check that was stopped after `limit`, with how far it was."""
    case, right, before = begun.get("case", {}), begun.get("right", 0), begun.get("cpu_seconds", 0)
    said = []
    if right:
        own = max(0, cpu_seconds - before)
        said = [f"The {right:,} cases before this one are right and took {before:.1f} s of CPU time; this one had used {own:.1f} s."]
        if own < cpu_seconds / 2:
            said.append("It makes progress, but does far too much work.")
        elif own > 1:
            said.append("This case never ends, or does far more work than those before it.")
    return Verdict("time", f"{'i' if case else 'I'}t was stopped after {limit}.", sentences(*said), case)


def read(written, token, status):
    """The verdict that a check has written in lines of JSON, if there is one, and the case that it has begun last."""
    lines = []
    for line in written.decode("utf-8", "replace").splitlines():
        try:
            lines.append(dict(json.loads(line)))
        except (ValueError, TypeError):  # not by the check
            continue
    begun = next((line for line in reversed(lines) if "token" not in line), {})
    said = lines[-1] if lines and lines[-1].get("token") == token else None
    if said is None or (said["kind"] == "right") != (status == 0):
        return None, begun
    fault = said.get("fault", {})
    return Verdict(**{name: said[name] for name in Verdict.__dataclass_fields__ if name in said},
                   site=fault.get("line") or fault.get("launched_at", "")), begun


def tool_lines(errors):
    """What the simulator or a sanitizer has said, and the line of the student's file that it names, if any."""
    said = [re.sub(r"^==\d+==ERROR: | on (unknown )?address 0x.*", "", line) for line in errors.splitlines()
            if FROM_TOOL.match(line)]
    said += [f"at {frame[1]}" for frame in re.finditer(r"^ +#\d+ .*?(work/\S+:\d+)", errors, re.MULTILINE)][:1]
    sites = re.findall(r"work/\S+?:\d+", "\n".join(said[:2]))
    return said[:2], sites[0] if sites else ""


# Interleaved, blocks run at the same time and in the order of the chapters' checks, or races between them may not show.
# Otherwise, one worker takes less time than two need together. The number of SMs determines the default grids.
IN_ORDER = {"CUDA_SIM_SEED": "0", "CUDA_SIM_WORKERS": "1", "CUDA_SIM_MULTIPROCESSORS": "2"}
INTERLEAVED = {"CUDA_SIM_SEED": "7", "CUDA_SIM_WORKERS": "4", "CUDA_SIM_MULTIPROCESSORS": "4"}


def cpu_seconds_of(pid):
    """The CPU time that a process has used."""
    words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def run(command, **settings):
    """Runs a check, of which `settings` change the order of the threads. The verdict has its message, and the simulator's or a
    sanitizer's."""
    usual = INTERLEAVED if str(command[0]).endswith("_interleaved") else IN_ORDER
    limits = f'ulimit -S -t {CPU_SECONDS} && ulimit -S -f {OUTPUT >> 9} && exec "$@"'
    token, late = secrets.token_hex(16), None
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as written:
        process = subprocess.Popen(["sh", "-c", limits, "sh", *on_few_cpus(), *command], cwd=ROOT, text=True, errors="replace",
                                   stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE, pass_fds=[written.fileno()],
                                   env={"CUDA_SIM_TIMEOUT": STUCK_SECONDS, **os.environ, **usual, **settings,
                                        "CUDA_SIM_ADVICE": "0", "COURSE_VERDICT": str(written.fileno())})
        try:
            errors = process.communicate(f"{token}\n", timeout=SECONDS)[1]
        except subprocess.TimeoutExpired:
            late = cpu_seconds_of(process.pid)
            process.kill()
            errors = process.communicate()[1]
        except BaseException:
            process.kill()
            raise
        written.seek(0)
        verdict, begun = read(written.read(), token, process.returncode)
        if verdict and verdict.passed:
            return verdict
        out.seek(max(0, begun.get("output", 0)))
        printed = out.read().decode("utf-8", "replace").splitlines()
    said, site = tool_lines(errors)
    if not verdict:
        status, case = process.returncode, begun.get("case", {})
        if late is not None:
            verdict = out_of_time(f"{SECONDS} seconds, in which it used {late:.1f} s of CPU time: it waits, or this machine is busy", late, begun)
        elif status == -signal.SIGXCPU:
            verdict = out_of_time(f"{CPU_SECONDS} seconds of CPU time, the limit of a check", CPU_SECONDS, begun)
        elif status < 0:
            what = ended_by(-status)
            verdict = Verdict("signal", what[0].lower() + what[1:] if case else what, case=case)
        else:
            verdict = Verdict("tool", said.pop(0)) if said else Verdict("status", f"It ended with status {status}.")
    what, technical = words_first(verdict.what, verdict.fault)
    return replace(verdict, what=what, sentences=verdict.sentences + sentences(*said, *technical), site=verdict.site or site, printed=printed)


def in_two_orders(exercise, found, command):
    """A check's verdict, which says whether it depends on the order of the simulator's threads."""
    if found.passed or exercise.on_cpu or not found.ends or not changes_with_order(found, run(command, CUDA_SIM_SEED="5")):
        return found
    return replace(found, sentences=[DEPENDS_ON_ORDER])


def has_lens(exercise):
    """Whether the lens looks for races in an exercise: in kernels. That of 02.1, which loses counts, runs without contention."""
    return not exercise.on_cpu


def given_lines(exercise):
    """The lines of a student's file that are in definitions as the starter has them, each as FILE:LINE."""
    text, starter = (ROOT / exercise.file).read_text(encoding="utf-8-sig", errors="replace"), Chapter(exercise.chapter).starter(exercise)
    found = set()
    for definition in cpp.definitions(starter):
        lines = definition.with_comment(starter)
        at = text.find("\n".join(lines))
        if at >= 0 and not any("TODO" in line for line in lines):
            first = text.count("\n", 0, at) + 1
            found.update(f"{exercise.file}:{number}" for number in range(first, first + len(lines)))
    return found


def findings_of_lens(seen, given=frozenset()):
    """The races, missing fences, and reads of what was never stored that the lens has seen, first those outside of the given lines."""
    found = [each for each in lens.distinct(seen["findings"]) if each["problem"] != "copied"]
    return sorted(found, key=lambda each: is_given(each, given))


def is_given(finding, given):
    return {finding["line"], finding.get("other_line", finding["line"])} <= given


def words_of_lens(seen, given=frozenset()):
    """Sentences about the first of these findings, if there are any."""
    found = findings_of_lens(seen, given)[:1]
    return sentences(*(lens.one_line(line) for each in found for line in [*lens.finding_words(each), *[IS_GIVEN] * is_given(each, given)]))


def look(command, **more):
    """Runs a check under the lens, with more settings of the simulator, and returns its findings and counts."""
    settings = [f"{name}={value}" for name, value in {**UNDER_LENS, **more}.items()]
    try:
        # Not as env's own command, which would be a setting if there is a = in its path.
        return counts.run("env", [*settings, "timeout", str(SECONDS), *command], ROOT, has_row=False)
    except rows.Problem as problem:
        if "env has ended with status 124" in str(problem):
            raise rows.Problem(f"It did not end within {SECONDS} seconds.") from None
        raise


def to_the_point(exercise, program_for_lens):
    """The verdict on a right solution by what the lens counts in the case of the exercise's target."""
    point = Point(exercise)
    seen = look([*program_for_lens, *point.arguments], CUDA_SIM_WORKERS="1")  # the same counts each time
    found, _ = read(seen["said"].encode(), "", seen["status"])
    if not found:
        raise rows.Problem(seen["said"].strip() or f"it has ended with status {seen['status']}")
    if not found.passed:
        return found
    if missed := point.missed(seen):
        where = f"./course lens {exercise.number} --lines shows what each line of your file accesses."
        return Verdict("point", missed, sentences(*[where] * (not exercise.on_cpu)))
    return Verdict("right", counted=point.rows(seen))


def by_lens(command, given=frozenset()):
    """A verdict about what only the lens finds, if there is anything."""
    seen = look(command)
    found = findings_of_lens(seen, given)
    return Verdict("luck", UNWRITTEN if found[0]["problem"] == "unwritten" else BY_LUCK, words_of_lens(seen, given)) if found else None


def rejected(exercise):
    """clang's errors for code that nvcc would reject and g++ compiles; nothing without a clang that reads CUDA."""
    cache = (ROOT / "build" / "simulator" / "CMakeCache.txt").read_text(encoding="utf-8")
    if not re.search("^COURSE_CLANG:INTERNAL=TRUE$", cache, re.MULTILINE):
        return []
    source = ROOT / "build" / "simulator" / f"exercise_{exercise.number}.cu"
    done = subprocess.run([ROOT / "common/simulator/clang/rejected.sh", source, f"-I{ROOT / 'work'}"], cwd=ROOT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, capture_output=True,
                          env={**os.environ, "CLANG": re.search("^CLANGXX:.*?=(.*)$", cache, re.MULTILINE)[1]})
    return compiler_words(done.stderr.replace(f"{ROOT}/", "")) if done.returncode == 1 else []


def by_clang(exercise):
    lines = rejected(exercise)
    return Verdict("rejected", "The result is right, but nvcc would reject the code.", sentences(*lines)) if lines else None


class NotTried(Exception):
    """Why a stage could not find out whether there is a fault."""


@dataclass(frozen=True)
class Stage:
    """A part of a verdict: a program of the student's file, and what its run finds. It is reached if those before it find nothing."""
    name: str  # for the student
    preset: str  # of the build folder
    order: str  # the end of the program's name; nothing if there is no program
    run: Callable  # of the exercise and the program: a verdict; if nothing is wrong, None or one with counts
    meaning: str = ""  # of a failure after those before it have passed

    def build(self, exercise):
        """A verdict if the program can't be built."""
        log = build(self.preset, [program(exercise, self.preset, self.order).name]) if self.order else ""
        return does_not_compile(exercise, log) if log else None

    def find(self, exercise):
        """A verdict of what is built; if nothing is wrong, None or one with counts. Raises NotTried."""
        try:
            found = self.run(exercise, program(exercise, self.preset, self.order))
        except (rows.Problem, OSError, ValueError) as problem:
            raise NotTried(rows.one_line(str(problem))) from None
        return None if found and found.passed and not found.counted else found

    def end(self, exercise):
        """The same, and builds it first."""
        return self.build(exercise) or self.find(exercise)


def check_of(preset, order, meaning):
    """A stage that runs the exercise's check."""
    return Stage({"sanitize": "sanitizers", "gpu": "GPU"}.get(preset, order), preset, order, lambda _, ready: run([ready]), meaning)


def stages(exercise, backend):
    """The stages of a verdict, the most instructive first."""
    found = [check_of(*check) for check in CHECKS[backend]]
    if backend == "simulator":
        found.insert(1, Stage("nvcc", "simulator", "", lambda each, _: by_clang(each)))
    found.append(Stage("target", "simulator", "lens", lambda each, ready: to_the_point(each, [ready, "yours"])))
    if backend == "simulator" and has_lens(exercise):
        found.append(Stage("lens", "simulator", "lens", lambda each, ready: by_lens([ready], given_lines(each))))
    return found


def stop(ends):
    """Ends what runs for futures, as soon as they can be ended."""
    for number in chain([signal.SIGTERM] * 10, repeat(signal.SIGKILL)):
        if not wait([end for end in ends if not end.cancel()], timeout=0.1).not_done:
            return
        for pid in descendants(os.getpid())[1:]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass


class Stages:
    """The stages of one verdict: the first one begins alone, so that it ends early, then one per core runs."""

    def __init__(self, exercise, backend):
        self.exercise, self.stages, self.ends = exercise, stages(exercise, backend), {}

    def __enter__(self):
        self.pool = ThreadPoolExecutor(max(2, len(os.sched_getaffinity(0))))
        return self

    def __exit__(self, *_):
        stop(self.ends.values())
        self.pool.shutdown()

    def each(self):
        """Each stage with what it has found: a verdict, None, or NotTried; until the first one that finds a fault."""
        first, *others = self.stages
        if found := first.build(self.exercise):
            yield first, found
            return
        self.ends[first.name] = self.pool.submit(first.find, self.exercise)
        for stage in others:
            self.ends[stage.name] = self.pool.submit(stage.end, self.exercise)
        for stage in self.stages:
            try:
                yield stage, self.ends[stage.name].result()
            except NotTried as why:
                yield stage, why

    def later(self, name):
        """What a stage finds although one before it has found a fault; None if it finds nothing, or does not exist."""
        stage = next((each for each in self.stages if each.name == name), None)
        end = self.ends.get(name)
        try:
            if end and end.done():
                return end.result()
            ended = {each: end for each, end in self.ends.items() if end.done()}
            stop(self.ends.values())
            self.ends = ended
            return stage and stage.end(self.exercise)
        except NotTried as why:
            print(f"The {name} could not look for more: {why}", file=sys.stderr)
            return None


def with_lines(exercise, verdict, seen_by_lens):
    """A verdict with what the lens finds, if that may be the lines that the words don't name."""
    text = (ROOT / exercise.file).read_text(encoding="utf-8", errors="replace")
    of_race = [each for each in verdict.sentences if each["of_race"]]
    # Without any barrier, every order can give the same wrong result, and a small input shows it.
    is_small = "__shared__" in text and verdict.kind not in ("unchecked", "error") and verdict.case.get("n", 1000) < 1000
    # Of a barrier in given code that not all threads reach, the cause is elsewhere.
    places = set(re.findall(r"work/\S+?:\d+", verdict.what))
    at_given = verdict.fault.get("kind") in ("barrier", "deadlock") and places <= given_lines(exercise)
    if exercise.on_cpu or not (of_race or verdict.has_poison or is_small or at_given) or verdict.site and not at_given:
        return verdict
    own = sentences(IS_GIVEN) if at_given else of_race
    found = seen_by_lens()
    if found and found.kind == "luck":
        return replace(verdict, sentences=own + found.sentences)
    return replace(verdict, sentences=own + verdict.sentences) if at_given else verdict


def explained(exercise, stage, found, later):
    """A stage's verdict with its meaning, and with what other runs, and the stages after it, say about the cause."""
    if stage.meaning:
        found = with_meaning(stage.order, stage.meaning, found)
    plain = [program(exercise, "simulator", "plain")]
    if stage.order == "plain" and stage.preset == "simulator":
        found = in_two_orders(exercise, found, plain)
    elif stage.order == "interleaved" and any(each["of_race"] for each in found.sentences) and not run(plain, **{**INTERLEAVED, "CUDA_SIM_WORKERS": "1"}).passed:
        # It is wrong even if the threads run one after another.
        by_size = run(plain, CUDA_SIM_MULTIPROCESSORS=INTERLEAVED["CUDA_SIM_MULTIPROCESSORS"])
        found = replace(found, sentences=[DEPENDS_ON_ORDER] if by_size.passed else sentences(DEPENDS_ON_MULTIPROCESSORS))
    if found.kind == "signal" or found.kind == "result" and exercise.on_cpu:
        # Without AddressSanitizer, a program continues after a wrong access, and ends anywhere, or has another result.
        crash = later("sanitizers")
        if crash and crash.kind in ("tool", "signal"):
            said = [*sentences(*[crash.what] * (crash.kind == "tool")), *crash.sentences]
            kept = found.sentences if found.kind == "result" or not said else []
            found = replace(found, sentences=said + kept, site=crash.site or found.site)
    return with_lines(exercise, found, partial(later, "lens"))


def verify(exercise, backend, tell=lambda stage, found: None):
    """Checks an exercise: the verdict has the first failure, if there is one. `tell` gets each stage and what it has found, at once."""
    if words := not_utf8(exercise):
        return not_compiled(*words)
    not_tried, counted = {}, []
    with Stages(exercise, backend) as started:
        for stage, found in started.each():
            if isinstance(found, Verdict) and found.passed:
                counted, found = found.counted, None
            tell(stage, found)
            if isinstance(found, NotTried):
                not_tried[stage.name] = str(found)
            elif found and (found.kind in BY_COMPILER or backend != "simulator"):
                return found
            elif found:
                return explained(exercise, stage, found, started.later)
    return Verdict("right", not_tried=not_tried, counted=counted)
