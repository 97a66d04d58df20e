"""usage: ./course grade DIR... [--only NUMBER,...] [--seed N] [--rubric FILE] [--due TIME]
                      [--times FILE] [--json FILE] [--csv FILE] [--junit FILE]
                      [--gradescope FILE] [-j N] [--no-sandbox]

Checks submissions in the same way as ./course exercise, without a GPU. Each DIR is one submission,
named after the student, with files such as 03.2_any_block.cuh anywhere in it. Only the functions
that an exercise asks for are used. Prints a line of JSON per submission and exercise; then, to
standard error, a table of the class, the exercises' statistics, and which submissions are nearly
identical. The same submissions and seed always give the same lines. A check may use 3 GiB of memory
and 30 seconds of CPU time, all threads together. Every check runs on two CPUs, so that this limit
means the same on every machine.

--only NUMBER,...  exercises, such as 03.2, or chapters, such as 03; default: those in any
                   submission
--seed N           chooses the random inputs; default: a number that this copy of the course has
                   chosen (build/grading_seed)
--rubric FILE      the points; default: docs/instructors/rubric.ini
--due TIME         the deadline, such as '2026-12-01 12:00': results say how late files are
--times FILE       when submissions were handed in: a CSV file of names and times; default: when
                   each file was last changed
--json FILE        writes each line to a file as soon as it is known. Results that are already in
                   the file are kept, unless the student's file, the seed or the course has changed:
                   repeat an interrupted command to continue it
--csv FILE         writes the table of the class for a spreadsheet
--junit FILE       writes JUnit XML
--gradescope FILE  writes Gradescope's results.json, for one DIR
-j N               checks N files at the same time (default: one per core)
--no-sandbox       if bubblewrap does not work: only limits and a filter of system calls restrict
                   the students' code, which can read files. Use this option only on a machine
                   that holds nothing else, such as a throwaway container.

Exit status 3: something was not graded, because this machine lacks what grading needs.
"""

import json
import os
import re
import secrets
import shlex
import shutil
import stat
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import alike
import reports
import rubric
from console import fail
from cpp import Rejected
from deadline import Deadline
from grading import ROOM, Grading, NotGraded
from results import Progress, Results, key, place
from rows import one_line
from sandbox import Sandbox, missing
from starter import ROOT, Chapter, exercises

LARGEST = 1 << 18  # bytes of a file


def files_in(folder):
    """The paths of all files in a folder and its subfolders, however deep. (Before Python 3.12, os.walk calls itself for each level.)"""
    folders = [folder]
    for place in folders:  # the list grows during the loop
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif not entry.is_dir():
                        yield Path(entry.path)
        except OSError:
            pass  # this account may not read the folder


def find(folder, exercise):
    """A student's file for an exercise, or nothing."""
    name = re.compile(re.escape(exercise.number) + r"_[^.]+\.cuh")  # but no older versions, such as 03.2_x.1.cuh
    found = [path for path in files_in(folder) if name.fullmatch(path.name)]
    if len(found) > 1:
        names = " and ".join(sorted(str(each.relative_to(folder)) for each in found)[:2])
        raise Rejected(f"there are {len(found)} files for this exercise, such as {names}; each DIR must be one submission")
    return found[0] if found else None


def students_in(folder):
    """The names of two subfolders that have a file for the same exercise, as text; empty if there are none."""
    inside = [each for each in sorted(folder.iterdir()) if each.is_dir()]
    for exercise in exercises():
        if len(found := [each for each in inside if has_file(each, exercise)]) > 1:
            return " and ".join(repr(one_line(each.name)) for each in found[:2])
    return ""


def has_file(folder, exercise):
    try:
        return find(folder, exercise) is not None
    except Rejected:
        return True


def content(path):
    """The bytes of a student's file. Links are not followed."""
    if path.is_symlink():
        raise Rejected("the file is a link: hand in the file itself")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Rejected(f"the file can't be read: {error.strerror}") from None
    with open(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise Rejected(f"the file is not a regular file, or is larger than {LARGEST >> 10} KiB")
        return file.read(LARGEST)


def check_one(exercise, raw, options, scratch):
    """The stage that a file has reached in the checks, and the lines about it. Works in a new folder in `scratch`."""
    if alike.words(raw.decode("utf-8-sig", "replace")) == alike.words(Chapter(exercise.chapter).starter(exercise)):
        return "starter", ["This is the unchanged starter."]
    with tempfile.TemporaryDirectory(dir=scratch) as own:
        stage, words, notes = Grading(exercise, Sandbox(own, options.sandbox), options.seed).verdict(raw)
    return stage, [*words, *notes]


def begun(folder, exercise, options, before):
    """A submission's result in an exercise, as printed; and the file's bytes if they are still to be checked, that is, if there is
    a file whose result is not among `before`."""
    result, late, raw = {"submission": folder.name, "exercise": exercise.number}, {}, None
    try:
        path = find(folder, exercise)
        if path is None:
            result.update(stage="missing", words="Not handed in.")
        else:
            late = options.deadline.lateness(folder.name, path) if options.deadline else {}
            raw = content(path)
            result["key"] = key(exercise.number, raw, options)
            old = before.get(place(result), {})
            if old.get("key") == result["key"]:
                result.update(stage=old["stage"], words=old["words"])
                raw = None
    except Rejected as why:
        result.update(stage="rejected", words=reports.visible(f"Rejected: {why}."))
    except OSError as why:
        result.update(not_graded(why))
    return {**result, **late}, raw


def not_graded(why):
    """The fields of a result if grading failed for another reason than the student's file, such as a full disk."""
    return {"stage": rubric.UNGRADED, "words": reports.visible(f"Not graded: {why}.")}


def checked(result, raw, exercise, options, scratch):
    """Checks a file's bytes. Returns the result with the findings."""
    try:
        stage, words = check_one(exercise, raw, options, scratch)
        return {**result, "stage": stage, "words": reports.visible("\n".join(words))}
    except Rejected as why:
        return {**result, "stage": "rejected", "words": reports.visible(f"Rejected: {why}.")}
    except (NotGraded, OSError) as why:
        return {**{name: value for name, value in result.items() if name != "key"}, **not_graded(why)}


def rated(result, options):
    """A result with its points."""
    return options.rubric.rated({**result, "passed": result["stage"] == "right"})


def unrecognized(folders, chosen):
    """Lines about submissions that lack a file but have code or archives with other names, which may be meant."""
    numbers, lines = {each.number for each in exercises()}, []
    for folder in folders:
        if all(has_file(folder, each) for each in chosen):
            continue
        names = [name for name in (path.name for path in files_in(folder))
                 if re.search(r"\.(cuh?|[ch]pp|[ch])(\.txt)?$|\.zip$", name, re.IGNORECASE) and not name.startswith("._")
                 and not (re.fullmatch(r"[\d.]+_[^.]+(\.\d+)?\.cuh", name) and name.partition("_")[0] in numbers)]
        if names:
            lines.append(f"{reports.short(folder.name)}: these files are named after no exercise: {', '.join(map(repr, map(reports.visible_name, sorted(names)[:3])))}"
                         + f", and {len(names) - 3} more" * (len(names) > 3))
    return lines


def find_alike(folders, exercise):
    """The submissions that are nearly identical in an exercise (alike.find)."""
    texts = {}
    for folder in folders:
        try:
            if path := find(folder, exercise):
                texts[folder.name] = content(path).decode("utf-8-sig", "replace")
        except Rejected:
            pass  # the submission's result says why
    chapter = Chapter(exercise.chapter)
    return alike.find(chapter.starter(exercise), chapter.solution(exercise), texts)


def chosen_exercises(only, folders):
    every = exercises()
    if only:
        numbers = only.split(",")
        for number in numbers:
            if not any(number in (each.number, each.number[:2]) for each in every):
                fail(2, f"no exercise '{number}': the exercises are {', '.join(each.number for each in every)}")
        return [each for each in every if each.number in numbers or each.number[:2] in numbers]
    names = {path.name.partition("_")[0] for folder in folders for path in files_in(folder) if path.name.endswith(".cuh")}
    return [each for each in every if each.number in names] or \
        fail(1, "no submission has a file such as 03.2_any_block.cuh")


def own_seed():
    """A seed that no student knows. It stays the same, so that the same files get the same results."""
    path = ROOT / "build" / "grading_seed"
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        path.parent.mkdir(exist_ok=True)
        path.write_text(str(secrets.randbelow(1 << 62)), encoding="ascii")
        return own_seed()


def outputs_of(options):
    return [path for path in (options.json, options.csv, options.junit, options.gradescope) if path]


def check(options, refuse):
    """Refuses wrong options before anything is built. Returns the chosen exercises."""
    folders = options.folders
    if not folders or (options.gradescope and len(folders) > 1):
        refuse("--gradescope is for one submission" if folders else "no submission is named")
    options.seed = own_seed() if options.seed is None else options.seed
    if not 0 <= options.seed < 1 << 62 or options.j < 1:
        refuse("--seed must be from 0 to 2^62 - 1, and -j at least 1")
    for folder in folders:
        if not folder.is_dir():
            fail(1, f"no folder '{one_line(str(folder))}'")
        if sum(each.name == folder.name for each in folders) > 1:
            fail(1, f"two submissions are called '{one_line(folder.name)}': rename one of the folders")
    if len(folders) == 1 and not options.gradescope and (found := students_in(folders[0])):
        fail(1, f"'{one_line(str(folders[0]))}' has files of one exercise in several folders, such as {found}: if they are students' folders, "
                f"name each, as in {shlex.quote(str(folders[0]))}/*")
    outputs = outputs_of(options)
    if len({path.resolve() for path in outputs}) < len(outputs):
        refuse("two options name the same file to write")
    if options.times and not options.due:
        refuse("--times needs --due")
    options.deadline = Deadline(options.due, options.times) if options.due else None
    options.rubric = rubric.read(options.rubric or rubric.DEFAULT, [each.number for each in exercises()])
    chosen = chosen_exercises(options.only, folders)
    if options.times:
        options.deadline.require_times(folder.name for folder in folders if any(has_file(folder, each) for each in chosen))
    return chosen


def require_tools():
    if not shutil.which("clang++"):
        fail(1, "clang, which finds forbidden calls in device code, is not installed (apt-get install clang)")


def require_sandbox(options):
    """Ends with status 3 if no program can run safely, or no file can be written."""
    if why := missing(options.sandbox):
        fail(3, f"not graded: {why}")
    try:
        free = shutil.disk_usage(tempfile.gettempdir()).free
    except OSError as error:
        fail(3, f"not graded: {error}")
    if free < ROOM:
        fail(3, f"not graded: {tempfile.gettempdir()} has less than {ROOM >> 20} MiB left; TMPDIR chooses another folder")


def require_that_solutions_pass(chosen, options, scratch, pool):
    """Grades the own solution of one exercise per chapter. Ends with status 3 if one does not pass, because it passes on any
    machine that can grade."""
    def words(exercise):
        solution = Chapter(exercise.chapter).solution(exercise).encode()
        with tempfile.TemporaryDirectory(dir=scratch) as own:
            return Grading(exercise, Sandbox(own, options.sandbox), options.seed).verdict(solution)[1]

    first = {each.chapter: each for each in reversed(chosen)}.values()
    try:
        for exercise, said in zip(first, pool.map(words, first)):
            if said:
                raise NotGraded(f"the chapter's own solution of {exercise.number} does not pass here: {' '.join(said)} "
                                 "(does the disk of TMPDIR allow programs to run? is memory limited: ulimit -v?)")
    except (NotGraded, OSError) as why:
        fail(3, f"not graded: {reports.visible(str(why))}")


def main(options, chosen):
    folders = options.folders
    for path in outputs_of(options):  # fails before an hour of work, not after
        is_new = not path.exists()
        path.open("ab").close()
        if is_new:
            path.unlink()
    pairs = [(folder, each) for folder in folders for each in chosen]
    kept = Results(options.json, {(folder.name, each.number) for folder, each in pairs})
    results, raws, printed = {}, {}, 0
    for at, pair in enumerate(pairs):
        result, raw = begun(*pair, options, kept.before)
        if raw is None:
            results[at] = rated(result, options)
        else:
            raws[at] = result, raw
    progress = Progress(len(raws))

    def check_pair(at):
        result = rated(checked(*raws[at], pairs[at][1], options, scratch), options)
        kept.add(result)  # saves it before another check begins
        return result

    def show():
        nonlocal printed
        while not options.json and printed in results:  # in the order of the submissions
            progress.clear()
            print(json.dumps(results[printed]), flush=True)
            printed += 1

    with tempfile.TemporaryDirectory(prefix="grade-") as scratch, ThreadPoolExecutor(options.j) as pool:
        try:
            if raws:
                known = sum(each["stage"] != "missing" for each in results.values())
                progress.say(f"{known} of {known + len(raws)} files are graded already. First, the chapters' own solutions are checked here.")
                require_that_solutions_pass(chosen, options, scratch, pool)
                progress.start()
            show()
            jobs = {pool.submit(check_pair, at): at for at in raws}
            for job in as_completed(jobs):
                results[jobs[job]] = job.result()
                show()
                progress.add()
        except BaseException as error:
            while Path(scratch).exists():  # programs that still run may write to it
                shutil.rmtree(scratch, ignore_errors=True)
            if not isinstance(error, (KeyboardInterrupt, SystemExit)):
                pool.shutdown(cancel_futures=True)
                raise
            if options.json and options.json.is_file():
                progress.say(f"Interrupted. {one_line(str(options.json))} has the results so far: repeat the command to continue.")
            os._exit(error.code if isinstance(error, SystemExit) else 130)  # the sandboxes end with this process
    results = [results[at] for at in range(len(pairs))]
    kept.finish(results)
    if options.csv:
        reports.spreadsheet(options.csv, results)
    if options.junit:
        options.junit.write_bytes(reports.junit(results))
    if options.gradescope:
        options.gradescope.write_text(reports.gradescope(results, options.rubric.visibility), encoding="utf-8")
    print(reports.table(results, {each.number: find_alike(folders, each) for each in chosen}, unrecognized(folders, chosen)), file=sys.stderr)
    return 3 if any(result["stage"] == rubric.UNGRADED for result in results) else 0
