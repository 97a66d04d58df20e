"""usage: ./course grade DIR... [--only NUMBER,...] [--seed N] [--json FILE] [--junit FILE] [--gradescope FILE] [-j N]
                      [--no-sandbox]

Checks submissions in the same way as ./course exercise, without a GPU. Each DIR is one submission, named after the
student, with files such as 03.2_any_block.cuh anywhere in it. Only the functions that an exercise asks for are used. Prints
a line of JSON per submission and exercise, then a table to standard error. The same submissions and seed give the same
lines. A check may use 3 GiB of memory and 30 seconds of CPU time, all threads together. It runs on two CPUs, so that this
means the same on every machine.

--only NUMBER,...  exercises, such as 03.2, or chapters, such as 03; default: those in any submission
--seed N           chooses the random inputs; default: a number that this copy of the course has chosen (build/grading_seed)
--json FILE        writes the lines of JSON to a file
--junit FILE       writes JUnit XML
--gradescope FILE  writes Gradescope's results.json, for one DIR
-j N               checks N submissions at the same time (default: one per core)
--no-sandbox       if bubblewrap does not work: the students' code is protected only by limits and by a filter of system
                   calls, and can read files. Use it only on a machine that holds nothing else, such as a throwaway container.

Exit status 3: something was not graded, because this machine lacks what grading needs.
"""

import json
import os
import re
import secrets
import shutil
import signal
import stat
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import reports
from console import fail
from cpp import Rejected
from grading import ROOM, Grading, NotGraded
from sandbox import Sandbox, missing
from starter import ROOT, Chapter, exercises

LARGEST = 1 << 18  # bytes of a file


def file_of(folder, exercise):
    """The bytes of a student's file for an exercise, or nothing. Links are not followed."""
    found = [Path(place) / name for place, _, names in os.walk(folder) for name in names
             if re.fullmatch(re.escape(exercise.number) + r"_[^.]+\.cuh", name)]  # without older ones, such as 03.2_x.1.cuh
    if len(found) > 1:
        names = " and ".join(sorted(str(each.relative_to(folder)) for each in found)[:2])
        raise Rejected(f"there are {len(found)} files for this exercise, such as {names}; each DIR must be one submission")
    if not found:
        return None
    if found[0].is_symlink():
        raise Rejected("its file is a link")
    try:
        descriptor = os.open(found[0], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Rejected(f"its file can't be read: {error.strerror}") from None
    with open(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise Rejected(f"it is not a regular file of at most {LARGEST >> 10} KiB")
        return file.read(LARGEST)


def grade(folder, exercise, options, scratch):
    """A submission's result in an exercise, as it is printed. Its files are in a folder of `scratch` meanwhile."""
    try:
        raw = file_of(folder, exercise)
        if raw is None:
            words, notes = ["Not handed in."], []
        else:
            with tempfile.TemporaryDirectory(dir=scratch) as own:
                words, notes = Grading(exercise, Sandbox(own, options.sandbox), options.seed).verdict(raw)
    except Rejected as why:
        words, notes = [f"Rejected: {why}."], []
    except (NotGraded, OSError) as why:  # no student's fault
        return {"submission": folder.name, "exercise": exercise.number, "passed": False, "graded": False,
                "words": reports.visible(f"Not graded: {why}.")}
    return {"submission": folder.name, "exercise": exercise.number, "passed": not words,
            "words": reports.visible("\n".join([*words, *notes]))}


def chosen_exercises(only, folders):
    every = exercises()
    if only:
        numbers = only.split(",")
        for number in numbers:
            if not any(number in (each.number, each.number[:2]) for each in every):
                fail(2, f"no exercise '{number}': the exercises are {', '.join(each.number for each in every)}")
        return [each for each in every if each.number in numbers or each.number[:2] in numbers]
    names = {name.partition("_")[0] for folder in folders for _, _, names in os.walk(folder) for name in names
             if name.endswith(".cuh")}
    return [each for each in every if each.number in names] or \
        fail(1, "no submission has a file such as 03.2_any_block.cuh")


def own_seed():
    """A seed that no student knows. It is the same each time, so that the same files have the same results."""
    path = ROOT / "build" / "grading_seed"
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        path.parent.mkdir(exist_ok=True)
        path.write_text(str(secrets.randbelow(1 << 62)), encoding="ascii")
        return own_seed()


def check(options, refuse):
    """Refuses wrong options before anything is built. Returns the exercises."""
    folders = options.folders
    if not folders or (options.gradescope and len(folders) > 1):
        refuse("--gradescope is for one submission" if folders else "no submission is named")
    options.seed = own_seed() if options.seed is None else options.seed
    if not 0 <= options.seed < 1 << 62 or options.j < 1:
        refuse("--seed must be from 0 to 2^62 - 1, and -j at least 1")
    for folder in folders:
        if not folder.is_dir():
            fail(1, f"no folder '{folder}'")
        if sum(each.name == folder.name for each in folders) > 1:
            fail(1, f"two submissions are called '{folder.name}'")
    outputs = [path for path in (options.json, options.junit, options.gradescope) if path]
    if len({path.resolve() for path in outputs}) < len(outputs):
        refuse("two of the results would be written to the same file")
    return chosen_exercises(options.only, folders)


def require_tools():
    if not shutil.which("clang++"):
        fail(1, "clang, which finds forbidden calls in device code, is not installed (apt-get install clang)")


def require_sandbox(options):
    """Ends with status 3 where no program can run safely, or no file can be written."""
    if why := missing(options.sandbox):
        fail(3, f"not graded: {why}; see --no-sandbox in ./course grade --help")
    try:
        free = shutil.disk_usage(tempfile.gettempdir()).free
    except OSError as error:
        fail(3, f"not graded: {error}")
    if free < ROOM:
        fail(3, f"not graded: {tempfile.gettempdir()} has less than {ROOM >> 20} MiB left; TMPDIR chooses another folder")


def require_that_solutions_pass(chosen, options, scratch, pool):
    """Grades each chapter's own solution of one exercise. Ends with status 3 if one does not pass, as it does on any machine
    that can grade."""
    def words(exercise):
        solution = Chapter(exercise.chapter).solution(exercise).encode()
        with tempfile.TemporaryDirectory(dir=scratch) as own:
            return Grading(exercise, Sandbox(own, options.sandbox), options.seed).verdict(solution)[0]

    first = {each.chapter: each for each in reversed(chosen)}.values()
    try:
        for exercise, said in zip(first, pool.map(words, first)):
            if said:
                raise NotGraded(f"the chapter's own solution of {exercise.number} does not pass here: {' '.join(said)} "
                                 "(look at TMPDIR, whether its disk allows programs, and at limits of memory: ulimit -v)")
    except (NotGraded, OSError) as why:
        fail(3, f"not graded: {reports.visible(str(why))}")


def main(options, chosen):
    folders = options.folders
    outputs = [path for path in (options.json, options.junit, options.gradescope) if path]
    for path in outputs:
        path.open("a", encoding="utf-8").close()  # before an hour of work, not after it
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    pairs, results = [(folder, each) for folder in folders for each in chosen], []
    with tempfile.TemporaryDirectory(prefix="grade-") as scratch, ThreadPoolExecutor(options.j) as pool:
        try:
            require_that_solutions_pass(chosen, options, scratch, pool)
            for result in pool.map(lambda pair: grade(*pair, options, scratch), pairs):
                results.append(result)
                if not options.json:
                    print(json.dumps(result), flush=True)
        except KeyboardInterrupt:
            while Path(scratch).exists():  # what still runs may write to it
                shutil.rmtree(scratch, ignore_errors=True)
            os._exit(130)  # the sandboxes end with this process
    if options.json:
        options.json.write_text("".join(json.dumps(result) + "\n" for result in results), encoding="utf-8")
    if options.junit:
        options.junit.write_bytes(reports.junit(results))
    if options.gradescope:
        options.gradescope.write_text(reports.gradescope(results), encoding="utf-8")
    print(reports.table(results), file=sys.stderr)
    return 0 if all(result.get("graded", True) for result in results) else 3
