"""The chapters, found by their folders, and what ./course run, test, gdb and report do with them."""

import os
import re
import subprocess
import sys
import tempfile

from builds import build
from console import ROOT, USER, become, call, fail, say
from terminal import is_terminal


def folders():
    return sorted(path.parent.name for path in ROOT.glob("[0-9][0-9]_*/main.cu"))


def with_pages():
    """The folders of chapters with a page: all but those of ./course live."""
    return [folder for folder in folders() if (ROOT / folder / "README.md").exists()]


def chapter_of(name):
    """The folder of the chapter named 3, 03 or by its folder; empty if there is none."""
    name = name.rstrip("/")
    for folder in folders():
        number = folder.partition("_")[0]
        if name in (folder, number, number.lstrip("0")):
            return folder
    return ""


def find(name):
    return chapter_of(name) or fail(2, f"no chapter '{name}': the chapters are {' '.join(folders())}")


def modes(chapter):
    """The options that start a chapter's applications: the first option of each command in the comment above their program."""
    try:
        text = (ROOT / chapter / "applications" / "main.cu").read_text(encoding="utf-8")
    except OSError:
        return []
    return re.findall(r"^///     \./course run \d+ -- (--[\w-]+)", text, re.MULTILINE)


def of_applications(command, named, options):
    """The chapter whose applications accept these options; empty if the options are for the chapters' own programs."""
    given = {option.partition("=")[0] for option in options}
    owners = [chapter for chapter in folders() if given & set(modes(chapter))]
    if not owners or command != "report" and len(named) == 1 and named[0] in owners:
        return named[0] if owners else ""
    return fail(2, f"these options are for {owners[0][:2]}: ./course {'run' if command == 'report' else command} {owners[0][:2]} --", *options)


def headers(named):
    """The headers outside the course that the applications of chapters include."""
    files = [file for chapter in named for file in (ROOT / chapter / "applications").glob("**/*") if file.suffix in (".cu", ".cuh", ".hpp")]
    return {header for file in files for header in re.findall(r"^#include <(\w+\.h)>", file.read_text(encoding="utf-8"), re.MULTILINE)}


def build_applications(chapter, preset, name="applications"):
    """Builds a chapter's applications. Returns the program."""
    program = f"{chapter}_{name}"
    build(preset, [program], needs_libraries=True, needs_nccl="nccl.h" in headers([chapter]), is_quiet=name != "applications")
    return ROOT / "build" / preset / "bin" / program


def run_all(chapters, backend, options):
    """Builds and runs chapters: builds as many as there are cores, then runs these, so that the first table appears early even
    with few cores. Nothing is built while a program measures. Chapters that solve the same problem continue one table, under the
    heading that the first one prints. Returns the chapters with a wrong result."""
    failed, previous, cores = [], None, len(os.sched_getaffinity(0))
    for at, chapter in enumerate(chapters):
        if at % cores == 0:
            build(backend, chapters[at:at + cores], is_quiet=at > 0)
        program = ROOT / "build" / backend / "bin" / chapter
        problem = subprocess.run([program, "--problem"], stdout=subprocess.PIPE, text=True, check=False).stdout
        heading, previous = ["--no-heading"] * (problem == previous), problem
        # Options may name files in the user's folder.
        status = call([str(program), *heading, *options], cwd=USER)
        if modes(chapter) and {"-h", "--help"} & set(options):
            print(f"  With {' or '.join(modes(chapter))}, ./course runs the chapter's applications, which have their own options:\n"
                  f"  ./course run {chapter[:2]} -- {modes(chapter)[0]} --help", flush=True)
        if status > 1:
            raise SystemExit(status)
        if status == 1:  # a wrong result: the other chapters still run
            failed.append(chapter)
    return failed


def run(chapters, backend, options, applications):
    if applications:
        become([build_applications(applications, backend), *options])
    if failed := run_all(chapters, backend, options):
        fail(1, "failed:", *failed)


def gdb(chapter, options, applications):
    program = ROOT / "build" / "debug" / "bin" / chapter
    if applications:
        program = build_applications(applications, "debug")
    else:
        build("debug", [chapter])
    os.environ.setdefault("CUDA_SIM_WORKERS", "1")  # then blocks run one after another
    become(["gdb", "-q", "-d", ROOT, "--args", program, *options])


def report(chapters, backend, options, output):
    """Runs chapters and writes a page. Wrong results appear on the page and make the exit status nonzero."""
    from report import write  # pylint: disable=import-outside-toplevel

    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.csv")
        failed = run_all(chapters, backend, [*options, "--csv", rows])
        if failed:
            say("course: failed:", *failed)
        output.parent.mkdir(parents=True, exist_ok=True)
        write(rows, output)
    say(f"The report: {output}")
    return int(bool(failed))


def test(named, preset, options):
    targets = [*named, *(f"{chapter}_checks" for chapter in named)] or ["all"]
    build(preset, targets, needs_libraries=True)
    log = f"build/{preset}/Testing/Temporary/LastTest.log"
    failures = ROOT / "build" / preset / "failures.jsonl"  # written by failing checks
    for old in (log, failures):
        if os.path.exists(old):
            os.remove(old)
    labels = ["-L", f"^({'|'.join(named)})$"] if named else []
    in_place = ["--progress"] * is_terminal(sys.stdout)
    # One more than there are cores, because some checks mostly wait.
    status = call(["ctest", "--test-dir", f"build/{preset}", "--no-tests=error", "--parallel", str(len(os.sched_getaffinity(0)) + 1),
                   *in_place, *labels, *options], env={**os.environ, "COURSE_FAILURES": str(failures)})
    if os.path.exists(log):
        import failed_checks  # pylint: disable=import-outside-toplevel

        failed_checks.show(log, failures)
    return status
