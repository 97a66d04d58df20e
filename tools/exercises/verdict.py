"""Builds and checks a student's file."""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fcntl import LOCK_EX, flock
from functools import partial

from cpp import Rejected, Unbalanced, split, tokens_of
from sandbox import CPU_SECONDS, OUTPUT, on_few_cpus
from starter import ROOT, Chapter, names_of, without_comments

sys.path[1:1] = [str(ROOT / "tools" / "lens"), str(ROOT / "tools" / "results")]
import counts  # noqa: E402
import rows  # noqa: E402
import text as lens  # noqa: E402
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

BY_LUCK = "The results are right, but only by luck: a GPU may run the threads, or store, in another order."
DEPENDS_ON_ORDER = {"text": "The result changes with the order of the threads: some of them use the same memory at the same time. "
                            "A barrier or an atomic operation is missing, or an index is wrong.", "of_race": True}
FROM_TOOL = re.compile(r"simulator: |==\d+==ERROR|\S+: runtime error")  # how a line of the simulator or a sanitizer begins
SIGNALS = {signal.SIGSEGV: "usually by an index outside an array, or a pointer to nothing",
           signal.SIGABRT: "usually by an exception, a thread that was not joined, or an index outside an array",
           signal.SIGFPE: "by an integer division by zero",
           signal.SIGXCPU: f"after {CPU_SECONDS} seconds of work: an endless loop?",
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
    counted: list = field(default_factory=list)  # if it passed: for each target what is counted, how many it was, and the target

    @property
    def passed(self):
        return self.kind == "right"

    @property
    def short(self):
        return f"{self.case['words']}: {self.what}" if self.case else self.what or "passed"

    @property
    def first(self):
        return f"Wrong for {self.short}" if self.case else self.short

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
    with open(ROOT / "build" / f"{preset}.lock", "a", encoding="utf-8") as lock:  # against ./course in another terminal
        flock(lock, LOCK_EX)
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
    lines = compiler_words(log)
    if found := lacks(exercise):
        # The compiler's own line may be far below the mistake, or not in the file.
        lines = [*found, *(line for line in lines[:1] if line.startswith(str(exercise.file)))]
    return not_compiled(*lines)


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
    """A later check's verdict with the meaning of its failure."""
    if order != "interleaved":
        return replace(found, sentences=[*sentences(meaning), *found.sentences])
    # In a race, guesses from the results would be misleading. A bad address or an endless loop is no race.
    is_race = found.kind != "time" and found.fault.get("kind") != "address"
    return replace(found, sentences=[{"text": meaning, "of_race": True}] if is_race else [])


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


def run(command, seed=None):
    """Runs a check. The verdict has its message, and the simulator's or a sanitizer's."""
    # Interleaved, blocks run at the same time and in the order of the chapters' checks, or races between them may not show.
    # Otherwise, one worker takes less time than two need together. The number of SMs determines the default grids.
    interleaved = str(command[0]).endswith("_interleaved")
    seed = seed or ("7" if interleaved else "0")
    workers, multiprocessors = ("4", "4") if interleaved else ("1", "2")
    limits = f'ulimit -S -t {CPU_SECONDS} && ulimit -S -f {OUTPUT >> 9} && exec "$@"'
    token = secrets.token_hex(16)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as written:
        try:
            done = subprocess.run(["sh", "-c", limits, "sh", *on_few_cpus(), *command], cwd=ROOT, text=True, errors="replace",
                                  input=f"{token}\n", stdout=out, stderr=subprocess.PIPE, timeout=SECONDS, check=False,
                                  pass_fds=[written.fileno()],
                                  env={"CUDA_SIM_TIMEOUT": STUCK_SECONDS, "CUDA_SIM_WORKERS": workers,
                                       "CUDA_SIM_MULTIPROCESSORS": multiprocessors, **os.environ, "CUDA_SIM_SEED": seed,
                                       "CUDA_SIM_ADVICE": "0", "COURSE_VERDICT": str(written.fileno())})
        except subprocess.TimeoutExpired as late:
            lines = [line for line in (late.stderr or b"").decode(errors="replace").splitlines() if "simulator:" in line]
            return Verdict("time", f"It did not end within {SECONDS} seconds: does it wait for something, or is this machine busy?",
                           sentences(*(line.strip() for line in lines[:1])))
        written.seek(0)
        verdict, begun = read(written.read(), token, done.returncode)
        if verdict and verdict.passed:
            return verdict
        out.seek(max(0, begun.get("output", 0)))
        printed = out.read().decode("utf-8", "replace").splitlines()
    said, site = tool_lines(done.stderr)
    if not verdict:
        if done.returncode >= 0:
            kind, what, case = "tool" if said else "status", said.pop(0) if said else f"It ended with status {done.returncode}.", {}
        else:
            out_of_time, case = done.returncode == -signal.SIGXCPU and said, begun.get("case", {})
            kind, what = ("time", "It does not end.") if out_of_time else ("signal", ended_by(-done.returncode))
        verdict = Verdict(kind, what[0].lower() + what[1:] if case else what, case=case)
    return replace(verdict, sentences=verdict.sentences + sentences(*said), site=verdict.site or site, printed=printed)


def run_in_two_orders(exercise, command):
    """Runs a check; after a failure, also says whether it depends on the order of the simulator's threads."""
    verdict = run(command)
    if verdict.passed or exercise.on_cpu or not verdict.ends:
        return verdict
    if changes_with_order(verdict, run(command, seed="5")):
        verdict.sentences = [DEPENDS_ON_ORDER]
    return verdict


def where_it_crashes(exercise):
    """AddressSanitizer's words about a program that was ended by a signal, and the line, as a rule."""
    preset, order, _ = CHECKS["simulator"][-1]
    if build(preset, [program(exercise, preset, order).name]):
        return [], ""
    found = run([program(exercise, preset, order)])
    return [*sentences(*[found.what] * (found.kind == "tool")), *found.sentences], found.site


def has_lens(exercise):
    """Whether the lens looks for races in an exercise: in kernels. That of 02.1, which loses counts, runs without contention."""
    return not exercise.on_cpu


def words_of_lens(seen):
    """Sentences about the first race, missing fence, or read of what was never stored that the lens has seen, if any."""
    found = [each for each in lens.distinct(seen["findings"]) if each["problem"] != "copied"]
    return sentences(*map(lens.one_line, lens.finding_words(found[0]))) if found else []


def look(command, **more):
    """Runs a check under the lens, with more settings of the simulator, and returns its findings and counts."""
    settings = [f"{name}={value}" for name, value in {**UNDER_LENS, **more}.items()]
    return counts.run("timeout", [str(SECONDS), "env", *settings, *command], ROOT, has_row=False)


def look_at(exercise):
    """The compiler's errors for an exercise's check under the lens, and lines about what the lens finds."""
    ready = program(exercise, "simulator", "lens")
    log = build("simulator", [ready.name])
    return log, [] if log else words_of_lens(look([ready]))


def to_the_point(exercise, verdict, program_for_lens):
    """The verdict on a right solution after the lens has counted what it does in the case of the exercise's target."""
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
    return replace(verdict, counted=point.rows(seen))


def has_point(exercise, verdict):
    """The same for a student's file. If the lens can't look, a line on standard error."""
    ready = program(exercise, "simulator", "lens")
    try:
        if log := build("simulator", [ready.name]):
            raise rows.Problem("\n".join(compiler_words(log)))
        return to_the_point(exercise, verdict, [ready, "yours"])
    except (rows.Problem, OSError, ValueError) as problem:
        print(f"The lens could not count: {rows.one_line(str(problem))}", file=sys.stderr)
        return verdict


def seen_by_lens(looked):
    """The result of a call of `look_at`; if the lens can't look, nothing, and a line on standard error."""
    try:
        return looked()
    except (rows.Problem, OSError, ValueError) as problem:
        print(f"The lens could not look for races: {rows.one_line(str(problem))}", file=sys.stderr)
        return "", []


def with_lines(exercise, verdict, looked=None):
    """A verdict with what the lens finds, if that may be the lines that the words don't name."""
    text = (ROOT / exercise.file).read_text(encoding="utf-8", errors="replace")
    of_race = [each for each in verdict.sentences if each["of_race"]]
    # Without any barrier, every order can give the same wrong result, and a small input shows it.
    is_small = "__shared__" in text and verdict.kind not in ("unchecked", "error") and verdict.case.get("n", 1000) < 1000
    if exercise.on_cpu or not (of_race or verdict.has_poison or is_small) or verdict.site:
        return verdict
    _, found = seen_by_lens(looked or partial(look_at, exercise))
    return replace(verdict, sentences=of_race + found) if found else verdict


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


def build_and_run(exercise, preset, order, objections):
    """Builds a later check of an exercise, and runs it if the future `objections` has none of clang's."""
    ready = program(exercise, preset, order)
    if log := build(preset, [ready.name]):
        return not_compiled(*compiler_words(log))
    return run([ready]) if not objections.result() else Verdict("rejected")


def verify(exercise, backend):
    """Checks an exercise: the verdict has the first failure, if there is one."""
    first, *others = CHECKS[backend]
    preset, order, _ = first
    if words := not_utf8(exercise):
        return not_compiled(*words)
    if log := build(preset, [program(exercise, preset, order).name]):
        return does_not_compile(exercise, log)
    command = [program(exercise, preset, order)]
    verdict = run_in_two_orders(exercise, command) if backend == "simulator" else run(command)
    if verdict.kind == "signal" and backend == "simulator":
        # Without AddressSanitizer, a program continues after a wrong access, and ends anywhere.
        said, site = where_it_crashes(exercise)
        verdict = replace(verdict, sentences=said or verdict.sentences, site=site or verdict.site)
    if not verdict.passed and backend == "simulator":
        verdict = with_lines(exercise, verdict)
    if not verdict.passed or not others:
        return has_point(exercise, verdict) if verdict.passed else verdict
    with ThreadPoolExecutor() as pool:  # a program runs as soon as it is built
        objections = pool.submit(rejected, exercise)
        ends = [pool.submit(build_and_run, exercise, preset, order, objections) for preset, order, _ in others]
        counted = pool.submit(has_point, exercise, verdict)  # first: a search for races is long if one thread does all the work
        looked = pool.submit(lambda: look_at(exercise) if counted.result().passed else ("", [])).result if has_lens(exercise) else None
        if lines := objections.result():
            return Verdict("rejected", "The result is right, but nvcc would reject the code.", sentences(*lines))
        for (_, order, meaning), end in zip(others, ends):
            if not (found := end.result()).passed:
                return with_lines(exercise, with_meaning(order, meaning, found), looked if counted.result().passed else None)
        log, races = seen_by_lens(looked) if looked else ("", [])
        if log:
            return not_compiled(*compiler_words(log))
        return Verdict("luck", BY_LUCK, races) if races else counted.result()
