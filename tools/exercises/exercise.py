"""usage: ./course exercise [NUMBER | CHAPTER] [--watch | --hint | --solution | --diff | --reset]
                         [--backend simulator|gpu]
       ./course status [CHAPTER] [--backend simulator|gpu]
       ./course debug [CHAPTER | FAULT] [--answer] [--backend simulator|gpu]
       ./course predict CHAPTER [--backend simulator|gpu]
       ./course live CHAPTER [--step K]

exercise  checks your file for an exercise, by default the first unsolved one, and shows the first
          failure; creates the file in work/ if it does not exist. A right result must also meet
          the target on the exercise's page: once it does, your counts are shown next to the target,
          and on a GPU or in chapter 01, your times next to the chapter's

NUMBER      03.2 is the second exercise of chapter 03, as is the name of its file; 03 is the first
            unsolved exercise of that chapter
--watch     checks again whenever you save, and goes on to the next exercise; q quits, h shows a
            hint
--hint      shows the next of three hints
--solution  shows the chapter's own code, after asking
--diff      compares your file with the chapter's code, after asking
--reset     starts over, after asking; your file is kept under another name

status    prints one line per exercise: whether your file passed when it was last checked

debug     shows a kernel with one fault and the checks' messages, and asks for the line and the
          cause; by default, the fault is one that you have not found yet

FAULT       03-5 is the fifth fault of chapter 03
--answer    shows what is wrong

predict   asks how fast a chapter's variants are, and compares your answers with the times of your
          GPU or with recorded ones

live      makes a new chapter, 08_live or 09_live, for live coding in class: the kernel as the
          lesson plan in docs/instructors has it after step K, by default before the chapter's first
          step
"""

import asyncio
import difflib
import hashlib
import os
import select
import subprocess
import sys
import termios
import textwrap
import time
import tty
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache

import hunt
import live
import native
import point
import predict
import stages
import submission
from builds import build, build_checks
from chapters import chapter_of
from console import fail
from cpp import Rejected
from terminal import COLUMNS, flowed, looks, wrapped
from progress import Progress
from starter import ROOT, exercises, without_marks
from student import Work, noted
from verdict import BY_COMPILER, Verdict


def say(*lines):
    print(*lines, sep="\n", flush=True)


def confirmed(question):
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


@lru_cache(maxsize=None)
def digest_of_checks(chapter):
    """Identifies the sources that check the exercises of a chapter."""
    digest = hashlib.sha256()
    for path in sorted([*ROOT.glob("common/**/*.[chi]*"), *ROOT.glob(f"{chapter}/**/*.cuh"), *(ROOT / "tools" / "exercises" / f"{name}.py" for name in ("stages", "verdict"))]):
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def stamp(work, backend):
    """Identifies what a verdict is about: the student's text, the backend, and the sources that check the text."""
    return hashlib.sha256(b"\0".join([work.path.read_bytes(), backend.encode(), digest_of_checks(work.exercise.chapter).encode()])).hexdigest()


def verify(work, backend):
    """Checks a file and returns the verdict. Stages and the first line are shown as soon as they are known."""
    machine = native.machine_of(work.exercise, backend)
    progress = Progress([stage.name for stage in stages.stages(work.exercise, machine)])

    def tell(stage, found):
        was_tried = isinstance(found, Verdict)
        progress.tell(stage.name, "–" if not was_tried else "✓" if found.passed else "✗")
        if was_tried and not found.passed and found.kind not in BY_COMPILER:
            say("", looks("bad", wrapped(found.first)))

    async def counting():
        count = asyncio.create_task(progress.count())
        try:
            return await stages.verify(work.exercise, machine, tell)
        finally:
            count.cancel()

    verdict = asyncio.run(counting())
    work.note(verdict=asdict(verdict), stamp=stamp(work, backend),
              passed_once=verdict.passed or work.noted().get("passed_once", False))
    return verdict


def noted_verdict(work, backend):
    """The verdict on the file in its present state, if there is one."""
    noted = work.noted()
    return Verdict(**noted["verdict"]) if noted.get("stamp") == stamp(work, backend) else None


def show_table(exercise, backend):
    """Prints the chapter's table with a row for the student's code."""
    name = f"exercise_{exercise.number}_table"
    if native.build_now(backend, name):
        return
    size = ["--n", "1M"] if backend == "simulator" else []
    subprocess.run([ROOT / "build" / backend / "bin" / name, *size], cwd=ROOT, stdin=subprocess.DEVNULL, check=False)


def show_times(exercise, backend):
    """Prints the least time that the student's code needs, and the measured time of the chapter's corresponding variant."""
    if lines := asyncio.run(stages.how_fast(exercise, native.machine_of(exercise, backend))):
        say("", *map(wrapped, lines), f"./course lens {exercise.number} shows the counts of each line.")


def about_grading(work):
    """Lines about what ./course grade, which trusts no file, would reject or ignore in a student's file."""
    try:
        return [f"./course grade says: {note}" for note in submission.read(work.exercise, work.path.read_bytes())["notes"]]
    except Rejected as why:
        return [f"./course grade would not accept this file: {why}."]


def show(work, verdict, backend):
    exercise = work.exercise
    if not verdict.passed:
        printed = ["", "The first lines that your code printed in this case:", *map(wrapped, verdict.printed[:10])] if any(verdict.printed) else []
        say(*(["", *verdict.words] if verdict.kind in BY_COMPILER else map(wrapped, verdict.words[1:])), *printed, "",
            f"The task: {exercise.page}; a hint: ./course exercise {exercise.number} --hint")
        return
    is_racy = stages.is_racy(exercise)
    if is_racy:
        say(wrapped("Done: the result is right as long as no two threads add to the same bin. On a GPU, nearly all additions "
                    "are lost otherwise; on the simulator, the table may show few lost additions or none, by luck."))
    else:
        say("", looks("good", "Solved:") + " the result is right for every size, input, address and launch shape that was tried.")
    for name, why in verdict.not_tried.items():
        say(wrapped(f"Not tried: {name}. {why}"))
    for line in about_grading(work):
        say(wrapped(line))
    if verdict.counted:
        say("", *point.table(verdict.counted))
        show_times(exercise, backend)
    if backend == "gpu" or exercise.on_cpu or is_racy:  # simulated times are meaningless
        show_table(exercise, backend)
    say("", flowed(exercise.section("Then")))


def hint(work):
    hints = work.exercise.hints()
    shown = work.noted().get("hints", 0)
    work.note(hints=shown + 1)
    if shown < len(hints):
        say(flowed(f"Hint {shown + 1} of {len(hints)}: {hints[shown].strip()}"))
    else:
        say(*[flowed(f"{number}. {text.strip()}") for number, text in enumerate(hints, 1)],
            f"There are no more hints. ./course exercise {work.exercise.number} --solution shows the chapter's code.")


def solution(work):
    if confirmed("Show the chapter's own code?"):
        cut = [part for part in work.chapter.needed(work.exercise.variant)
               if any(f"// [{work.exercise.number}]" in line for line in part)]
        say(*["\n".join(["", *without_marks(part)]) for part in cut])


def diff(work):
    lines = difflib.unified_diff(work.path.read_text(encoding="utf-8-sig", errors="replace").splitlines(),
                                 work.chapter.solution(work.exercise).splitlines(), str(work.exercise.file),
                                 f"{work.exercise.chapter}/kernels.cuh", lineterm="")
    if confirmed("Show the chapter's own code?"):
        say("\n".join(lines) or "There is no difference.")


@contextmanager
def keys():
    """A function that waits up to some seconds for a key and returns it; without a keyboard, it only waits."""
    def wait(seconds):
        if not sys.stdin.isatty():
            time.sleep(seconds)
            return ""
        # Not through Python's buffer: `select` does not see keys that are in there.
        return os.read(0, 1).decode("ascii", "replace") if select.select([0], [], [], seconds)[0] else ""

    if not sys.stdin.isatty():
        yield wait
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield wait
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def next_unsolved(exercise, backend):
    """The work on the first unsolved exercise after this one; None if there is none."""
    every = exercises()
    left = map(Work, every[every.index(exercise) + 1:])
    return next((work for work in left if not (work.begun() and (verdict := noted_verdict(work, backend)) and verdict.passed)), None)


def watch(work, backend):
    """Checks a file whenever it is saved. After success, continues with the next exercise."""
    # Compares texts rather than times: an editor may replace the file, and a network folder may be late.
    seen, missed = None, 0
    with keys() as wait:
        while True:
            try:
                text, missed = work.path.read_bytes(), 0
            except OSError:  # an editor may be replacing it
                text, missed = seen, missed + 1
            if missed == 4:
                say("", f"{work.exercise.file} is gone. Save it again, or press q; ./course exercise {work.exercise.number} then creates a new one.")
                seen = text = None
            if text != seen:
                seen = text
                if sys.stdout.isatty():
                    print("\033[2J\033[3J\033[H", end="")
                say(f"Exercise {work.exercise.number}: {work.exercise.title}", f"Your file: {work.exercise.file}", "")
                verdict = verify(work, backend)
                show(work, verdict, backend)
                if verdict.passed:
                    work = next_unsolved(work.exercise, backend)
                    if not work:
                        return say("", "This was the last exercise.")
                    say("", "", f"Next is exercise {work.exercise.number}: {work.exercise.title}")
                    introduce(work)
                    seen = work.path.read_bytes()
                say("", f"Waiting for you to save {work.exercise.file}. q quits, h shows a hint.")
            key = wait(0.3)
            if key == "q":
                return None
            if key == "h":
                hint(work)


def status(chosen, backend):
    for exercise in chosen:
        work = Work(exercise)
        words, changed = "not started", ""
        if work.begun():
            verdict, passed_once = noted_verdict(work, backend), work.noted().get("passed_once", False)
            words = "passed" if verdict and verdict.passed else ("passed before, " if passed_once else "") + \
                (f"failing: {verdict.short}" if verdict else "not checked since it changed")
            if work.starter_has_changed():
                changed = " (the starter has changed)"
        line = f"{exercise.number}  {exercise.title:<{max(len(each.title) for each in chosen)}}  "
        words = textwrap.shorten(words, COLUMNS - len(line) - len(changed), placeholder=" ...")
        say(line + (looks("good", words) if words == "passed" else looks("bad", words) if "failing" in words else words) + changed)


def find(name, chosen):
    """The exercise with a given number or file, all exercises of a chapter, or all exercises."""
    if name is None:
        return chosen
    if own := [each for each in chosen if os.path.basename(name) == os.path.basename(each.file)]:
        return own
    chapter, _, number = name.rstrip("/").partition(".")
    chapter = chapter.partition("_")[0].zfill(2)
    found = [each for each in chosen if each.number[:2] == chapter and (not number or each.number == f"{chapter}.{number}")]
    if not found:
        fail(2, f"no exercise or chapter '{name}': the exercises are {', '.join(each.number for each in chosen)}")
    return found


def unsolved(chosen, backend):
    """The first unsolved exercise, or the last one if all are solved."""
    for exercise in chosen:
        work = Work(exercise)
        verdict = noted_verdict(work, backend) if work.begun() else None
        if not verdict or not verdict.passed:
            return exercise
    return chosen[-1]


def plan(command, options):
    """A function that executes a command and returns the exit status. Wrong arguments end ./course here, before anything is built."""
    name = options.name
    if command == "debug":
        fault = hunt.choose(name or "", name and name.partition("_")[0].rstrip("/").zfill(2) or "")
        if fault is None:
            fail(2, f"no fault '{name}': faults are named by chapter and number, such as 01-1")
        return lambda: explain(fault) if options.answer else ask(fault, options.backend)
    if command == "predict" and not predict.page(name).exists():
        fail(1, f"{name} has no questions")
    chosen = find(name, exercises())
    if command in ("live", "predict") and "." in name:
        fail(2, f"{command} needs a chapter, such as {chosen[0].number[:2]}")
    if command == "live":
        step = live.find(chosen[0].chapter[:2], options.step)
        if not step:
            fail(2, f"the plan of {chosen[0].chapter} has no step {options.step}")
        return lambda: live.write(step, say)
    if command == "predict":
        return lambda: ask_about(chosen[0].chapter, options.backend)
    if command == "status":
        return lambda: status(chosen, options.backend)
    return lambda: of_one(chosen, options)


def explain(fault):
    say(*map(wrapped, hunt.explain(fault)))


def ask(fault, backend):
    build_checks(backend)
    hunt.ask(fault, lambda *lines: say(*map(wrapped, lines)), native.Native(f"faults_{fault.exercise.number}", backend))


def ask_about(chapter, backend):
    if needed := predict.measures(chapter, backend):
        build(backend, sorted(map(chapter_of, needed)), is_quiet=True)
    predict.predict(chapter, backend, say)


def introduce(work):
    """Creates the file and shows the task if the file does not exist; else says whether the starter has changed since."""
    exercise = work.exercise
    if work.begin():
        say("", flowed(exercise.section("Task")), "",
            f"Your file is {exercise.file}. Replace each TODO, then check the file with the same command.", "")
        unsolved_yet = [each for each in work.chapter.reveals(exercise) if not noted(each).get("passed_once")]
        if unsolved_yet:
            say(f"The file also contains the solution to {' and '.join(unsolved_yet)}, which you have not solved yet.", "")
    elif work.starter_has_changed():
        say("The starter of this exercise has changed since you created your file. Your file has not been changed.", "")


def of_one(chosen, options):
    """Works on one exercise: the only one chosen, or the first unsolved one."""
    if not (options.hint or options.solution or options.diff or options.reset):
        build_checks(options.backend)
    exercise = chosen[0] if len(chosen) == 1 else unsolved(chosen, options.backend)
    work = Work(exercise)
    if not options.watch:
        say(f"Exercise {exercise.number}: {exercise.title}")
    if work.begun() and not options.watch:
        say(f"Your file: {exercise.file}", "")
    introduce(work)
    if options.hint:
        hint(work)
    elif options.solution:
        solution(work)
    elif options.diff:
        diff(work)
    elif options.reset:
        if confirmed(f"Start {exercise.number} over? Your file is kept under another name."):
            say(f"Kept: {work.reset().relative_to(ROOT)}. {exercise.file} is now the starter.")
        else:
            say("Nothing has changed.")
    elif options.watch:
        watch(work, options.backend)
    else:
        verdict = verify(work, options.backend)
        show(work, verdict, options.backend)
        return 0 if verdict.passed else 1
    return 0
