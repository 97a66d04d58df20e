"""Builds and checks a student's file."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fcntl import LOCK_EX, flock
from functools import partial

from cpp import Rejected, split, tokens_of
from sandbox import CPU_SECONDS, OUTPUT, on_few_cpus
from starter import ROOT, Chapter, names_of, without_comments

sys.path[1:1] = [str(ROOT / "tools" / "lens"), str(ROOT / "tools" / "results")]
import counts  # noqa: E402
import rows  # noqa: E402
import text as lens  # noqa: E402

SECONDS = 120  # per check
# Under the lens, the checks don't diagnose, which would run a kernel with a race hundreds of times. Grids that follow an
# H200's 132 SMs would take minutes.
UNDER_LENS = {"COURSE_PLAIN_WORDS": "1", "CUDA_SIM_MULTIPROCESSORS": "2"}
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
DEPENDS_ON_ORDER = ("  The result changes with the order of the threads: some of them use the same memory at the same time. "
                    "A barrier or an atomic operation is missing, or an index is wrong.")
# Where a message gives no line, and the lens may: a race, or memory that nothing was stored in.
WITHOUT_LINE = re.compile("order of the threads|: a race|read before it was|until something is|use the same memory")
# The simulator's advice to those who write the whole program.
ADVICE = re.compile(r"; if some return early on purpose, declare it \(.*?\)| \(CUDA_SIM_TIMEOUT sets the seconds\)")
SIGNALS = {signal.SIGSEGV: "usually by an index outside an array, or a pointer to nothing",
           signal.SIGABRT: "usually by an exception, a thread that was not joined, or an index outside an array",
           signal.SIGFPE: "by an integer division by zero",
           signal.SIGXCPU: f"after {CPU_SECONDS} seconds of work: an endless loop?",
           signal.SIGXFSZ: f"because it printed more than {OUTPUT >> 20} MiB"}


@dataclass
class Verdict:
    passed: bool
    words: list  # lines; none if it passed
    printed: list = field(default_factory=list)  # lines that the student's code printed in the failing case

    @property
    def first(self):
        return self.words[0] if self.words else "passed"


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
    """A log's first error, with the lines that belong to it."""
    lines = log.splitlines()
    errors = [at for at, line in enumerate(lines) if re.search(r"\berror\b.*:", line)]
    first = errors[0] if errors else 0
    shown = lines[first:first + 1]
    for line in lines[first + 1:first + 8]:
        if re.match(r"\S[^:]*:( In |\d+:)|\[\d+/\d+\]|ninja:", line):
            break
        shown.append(line)
    return ["It does not compile.", *shown]


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
    except Rejected as why:
        if found := re.fullmatch(r"line (\d+): ('.' (?:is never closed|closes nothing))", str(why)):
            return [f"{exercise.file}:{found[1]}: {found[2]}."]
    chapter, code = Chapter(exercise.chapter), without_comments(text.splitlines())
    names = [name for part in chapter.needed(exercise.variant) if part not in chapter.hidden(exercise) for name in sorted(names_of(part))]
    missing = [name for name in names if not re.search(rf"\b{name}\b", code)]
    return [f"{exercise.file}: '{missing[0]}', which is in the starter, is missing."] if missing else []


def does_not_compile(exercise, log):
    """The words about a student's file that does not compile."""
    words = compiler_words(log)
    if found := lacks(exercise):
        # The compiler's own line may be far below the mistake, or not in the file.
        return [words[0], *found, *(line for line in words[1:2] if line.startswith(str(exercise.file)))]
    return words


def ended_by(number):
    """In words, what usually sends a program a signal."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return f"The program was ended by {name}{', ' if number in SIGNALS else ''}{SIGNALS.get(number, '')}."


def changes_with_order(words, other):
    """Whether a check's result, in words, differs in another order of the threads: [] if it is right there.

    If a kernel was stopped in both, the order only decides which thread was the first one to break a rule.
    """
    return not other or words[0] != other[0] and all("expected " in each[0] for each in (words, other))


def with_meaning(order, meaning, words):
    """A later check's words with the meaning of its failure."""
    if order != "interleaved":
        return [words[0], "  " + meaning, *words[1:]]
    # In a race, guesses from the results would be misleading. A bad address or an endless loop is no race.
    return [words[0]] if re.search(" uses | not end", words[0]) else [words[0], "  " + meaning]


def run(command, seed=None):
    """Runs a check. The verdict has its message, and the simulator's or a sanitizer's."""
    # Interleaved, blocks run at the same time and in the order of the chapters' checks, or races between them may not show.
    # Otherwise, one worker takes less time than two need together. The number of SMs determines the default grids.
    interleaved = str(command[0]).endswith("_interleaved")
    seed = seed or ("7" if interleaved else "0")
    workers, multiprocessors = ("4", "4") if interleaved else ("1", "2")
    limits = f'ulimit -S -t {CPU_SECONDS} && ulimit -S -f {OUTPUT >> 9} && exec "$@"'
    # The check says before each case which one it is, and copies a line of its input before its verdict, so that what
    # the student's code prints is not taken for either.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        try:
            done = subprocess.run(["sh", "-c", limits, "sh", *on_few_cpus(), *command], cwd=ROOT, text=True, errors="replace",
                                  input="verdict\n", stdout=out, stderr=subprocess.PIPE, timeout=SECONDS, check=False,
                                  env={"CUDA_SIM_TIMEOUT": STUCK_SECONDS, "CUDA_SIM_WORKERS": workers,
                                       "CUDA_SIM_MULTIPROCESSORS": multiprocessors, **os.environ, "CUDA_SIM_SEED": seed,
                                       "COURSE_SEED": "0"})
        except subprocess.TimeoutExpired as late:
            words = [line for line in (late.stderr or b"").decode(errors="replace").splitlines() if "simulator:" in line]
            return Verdict(False, [f"It did not end within {SECONDS} seconds: does it wait for something, or is this machine busy?",
                                   *words[:1]])
        if done.returncode == 0:
            return Verdict(True, [])
        out.seek(0)
        before, has_verdict, after = ADVICE.sub("", out.read()).rpartition("\nverdict\n")
    _, has_case, last = (before if has_verdict else after).rpartition("\ncase ")
    case, _, printed = last.partition("\n") if has_case else ("", "", last)
    words = after.splitlines() if has_verdict else []
    said = [re.sub(r"^==\d+==ERROR: | on (unknown )?address 0x.*", "", line) for line in ADVICE.sub("", done.stderr).splitlines()
            if re.match(r"simulator: |==\d+==ERROR|\S+: runtime error", line)]
    if "CPU time" in done.stderr:
        words.append("It does not end.")
    elif done.returncode < 0:
        words.append(ended_by(-done.returncode))
    if not has_verdict and case and words:
        words[0] = f"Wrong for {case}: {words[0][0].lower()}{words[0][1:]}"
    said += [f"at {frame[1]}" for frame in re.finditer(r"^ +#\d+ .*?(work/\S+:\d+)", done.stderr, re.MULTILINE)][:1]
    return Verdict(False, words + ["  " + line for line in said[:2]] or [f"It ended with status {done.returncode}."],
                   printed.splitlines())


def run_in_two_orders(exercise, command):
    """Runs a check; after a failure, also says whether it depends on the order of the simulator's threads."""
    verdict = run(command)
    if verdict.passed or exercise.on_cpu or re.search(" makes no progress: | not end", verdict.first):
        return verdict
    if changes_with_order(verdict.words, run(command, seed="5").words):
        verdict.words[1:] = [DEPENDS_ON_ORDER]
    return verdict


def where_it_crashes(exercise):
    """AddressSanitizer's words about a program that was ended by a signal: the line, as a rule."""
    preset, order, _ = CHECKS["simulator"][-1]
    if build(preset, [program(exercise, preset, order).name]):
        return []
    return [line for line in run([program(exercise, preset, order)]).words if line.startswith("  ")]


def has_lens(exercise):
    """Whether the lens looks at an exercise. In chapter 02, the only synchronization is the launch, and races show in results."""
    return exercise.chapter > "03" and not exercise.on_cpu


def words_of_lens(seen):
    """Lines about the first race, missing fence, or read of what was never stored that the lens has seen, if any."""
    found = [each for each in lens.distinct(seen["findings"]) if each["problem"] != "copied"]
    return [f"  {lens.one_line(line)}" for line in lens.finding_words(found[0])] if found else []


def look(command):
    """Runs a check under the lens, and returns its findings and counts."""
    settings = [f"{name}={value}" for name, value in UNDER_LENS.items()]
    return counts.run("timeout", [str(SECONDS), "env", *settings, *command], ROOT, has_row=False)


def look_at(exercise):
    """The compiler's errors for an exercise's check under the lens, and lines about what the lens finds."""
    ready = program(exercise, "simulator", "lens")
    log = build("simulator", [ready.name])
    return log, [] if log else words_of_lens(look([ready]))


def seen_by_lens(looked):
    """The result of a call of `look_at`; if the lens can't look, nothing, and a line on standard error."""
    try:
        return looked()
    except (rows.Problem, OSError, ValueError) as problem:
        print(f"The lens could not look for races: {rows.one_line(str(problem))}", file=sys.stderr)
        return "", []


def with_lines(exercise, words, looked=None):
    """A failure's words, and what the lens finds if it may know the lines that they don't name."""
    text = (ROOT / exercise.file).read_text(encoding="utf-8", errors="replace")
    # Without any barrier, every order can give the same wrong result, and a small input shows it.
    may_race = WITHOUT_LINE.search(" ".join(words)) or "__shared__" in text and re.match(r"Wrong for n = \d{1,3},", words[0])
    if exercise.on_cpu or not may_race or any(f"{exercise.file}:" in each for each in words):
        return words
    _, found = seen_by_lens(looked or partial(look_at, exercise))
    return [words[0], *filter(WITHOUT_LINE.search, words[1:]), *found] if found else words


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
        return Verdict(False, compiler_words(log))
    return run([ready]) if not objections.result() else Verdict(False, objections.result())


def verify(exercise, backend):
    """Checks an exercise: the verdict has the first failure, if there is one."""
    first, *others = CHECKS[backend]
    preset, order, _ = first
    if words := not_utf8(exercise):
        return Verdict(False, ["It does not compile.", *words])
    if log := build(preset, [program(exercise, preset, order).name]):
        return Verdict(False, does_not_compile(exercise, log))
    command = [program(exercise, preset, order)]
    verdict = run_in_two_orders(exercise, command) if backend == "simulator" else run(command)
    if not verdict.passed and "ended by SIG" in verdict.first and backend == "simulator":
        # Without AddressSanitizer, a program continues after a wrong access, and ends anywhere.
        verdict.words[1:] = where_it_crashes(exercise) or verdict.words[1:]
    if not verdict.passed and backend == "simulator":
        verdict.words = with_lines(exercise, verdict.words)
    if not verdict.passed or not others:
        return verdict
    with ThreadPoolExecutor() as pool:  # a program runs as soon as it is built
        objections = pool.submit(rejected, exercise)
        ends = [pool.submit(build_and_run, exercise, preset, order, objections) for preset, order, _ in others]
        looked = pool.submit(look_at, exercise).result if has_lens(exercise) else None
        if words := objections.result():
            return Verdict(False, ["The result is right, but nvcc would reject the code.", *words[1:]])
        for (_, order, meaning), end in zip(others, ends):
            if not (verdict := end.result()).passed:
                return Verdict(False, with_lines(exercise, with_meaning(order, meaning, verdict.words), looked), verdict.printed)
        log, races = seen_by_lens(looked) if looked else ("", [])
        if log or races:
            return Verdict(False, compiler_words(log) if log else [BY_LUCK, *races])
    return Verdict(True, [])
