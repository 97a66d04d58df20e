"""Reports what is wrong with a program in the formats of CI hosts: JUnit XML, and GitHub's annotations of lines.

The mistakes come from the messages of the compiler and the program, and from the lens's findings. Names and texts are
untrusted data, so each format gets them escaped.
"""

import os
import re
import signal
import sys
import threading
from contextlib import contextmanager
from typing import NamedTuple

from console import ROOT
from reports import junit_of, visible

SIMULATOR = str(ROOT / "common" / "simulator")
SHOWN = 20  # lines of output that are shown if a program fails without a known message
MESSAGE = r"^(?P<file>[^\s:][^:\n]*):(?:(?P<line>\d+):)?(?:(?P<column>\d+):)? %s: (?P<words>.*)$"  # a compiler's
FAULT = re.compile(r"^simulator: (.*)$|(\w[\w:]*(?:<.*?>)? \(launched at .*)$", re.MULTILINE)
SANITIZER = re.compile(r"^==\d+==ERROR: (AddressSanitizer: .*)\n((?:.+\n)*)", re.MULTILINE)
FRAME = re.compile(r"^ +#\d+ 0x\w+ in (.*) (\S+?):(\d+)(?::\d+)?$", re.MULTILINE)
NOT_THERE = ("launched at ", "allocated at ", "declared at ")  # these precede places other than that of the mistake


class Finding(NamedTuple):
    """One mistake, described in one or more lines. Without a file, its place is not known."""
    words: str
    file: str = ""
    line: int = 0
    column: int = 0


def place(words, files):
    """The file, of the program or not, and the line of the mistake, according to a message; "" and 0 if it names none."""
    names = sorted({name for file in files for name in (file, os.path.abspath(file))}, key=len, reverse=True)
    named = "|".join([*map(re.escape, names), r"[^\s():;,'\"]+\.\w+"])
    places = [(found[1], int(found[2]), words[:found.start()].endswith(NOT_THERE)) for found in re.finditer(rf"({named}):(\d+)\b", words)]
    return min(places, key=lambda each: each[2])[:2] if places else ("", 0)


def messages(said, kind):
    return [Finding(found["words"], found["file"], int(found["line"] or 0), int(found["column"] or 0))
            for found in re.finditer(MESSAGE % kind, said, re.MULTILINE)]


def of_compiler(said):
    """What the translator, the compiler or the linker rejects."""
    return messages(said, "(?:fatal )?error")


def of_address_sanitizer(said):
    for what, stack in SANITIZER.findall(said):
        kind = re.sub(r" on (?:unknown )?address .*", "", what)
        access = re.search(r"^(?:READ|WRITE) of size \d+", stack, re.MULTILINE)
        own = next((frame for frame in FRAME.findall(stack) if not os.path.realpath(frame[1]).startswith((SIMULATOR, "/usr/"))), ("", "", 0))
        yield Finding(": ".join(filter(None, [kind, access and access[0]])) + f" by {own[0]}" * bool(own[0]), own[1], int(own[2]))


def of_program(said, files, is_told=False):
    """The messages of the simulator and the sanitizers while a program runs. Unless `is_told`, also a kernel's fault that the
    program itself prints, having asked CUDA for errors."""
    by_simulator = [found[1] for found in FAULT.finditer(said) if found[1]]
    by_program = [found[2] for found in FAULT.finditer(said) if found[2] and not is_told]
    faults = [Finding(words, *place(words, files)) for words in [*by_simulator, *by_program[:1]]]
    return [*faults, *messages(said, "runtime error"), *of_address_sanitizer(said)]


def of_lens(runs, files):
    """The lens's findings, in its own words, at the line of the access or the fault."""
    import text  # pylint: disable=import-outside-toplevel

    for _, seen in runs:
        for finding in text.distinct(seen["findings"]):
            file, _, line = finding["line"].rpartition(":")
            yield Finding("\n".join(text.finding_words(finding)), file, int(line or 0))
        if seen["fault"]:
            yield Finding(seen["fault"]["message"], *place(seen["fault"]["message"], files))


def how_it_ended(status, said):
    """A finding for a failure without a known message: how the program ended, and its last lines."""
    how = f"ended by {signal.Signals(status - 128).name}" if status - 128 in set(signal.Signals) else f"exit status {status}"
    lines = [line for line in said.split("\n") if line.strip()][-SHOWN:]
    return Finding("\n".join([f"{how}: {lines[-1]}" if lines else how, *lines]))


class Report:
    """What is known of a program, from its build to its end."""

    def __init__(self, files):
        self.files, self.findings, self.is_built, self.has_lens = files, [], False, False

    def refused(self, said):
        self.findings += of_compiler(said) or [Finding(said)]

    def built(self, rejected):
        """Adds clang's messages about code that nvcc would reject."""
        self.is_built = True
        self.findings += of_compiler(rejected)

    def looked(self, runs):
        self.has_lens = True
        self.findings += of_lens(runs, self.files)


@contextmanager
def heard():
    """Copies what this process and the programs that it starts write to standard output and error."""
    kept, threads, streams = bytearray(), [], (sys.stdout, sys.stderr)

    def copy(source, target):
        with open(source, "rb", buffering=0) as pipe, open(target, "wb", buffering=0, closefd=False) as stream:
            while part := pipe.read(1 << 16):
                kept.extend(part)
                stream.write(part)

    for stream in streams:
        stream.flush()
    before = [os.dup(number) for number in (1, 2)]
    for number, target in zip((1, 2), before):
        source, end = os.pipe()
        os.dup2(end, number)
        os.close(end)
        threads.append(threading.Thread(target=copy, args=(source, target)))
        threads[-1].start()
    try:
        yield kept
    finally:
        for stream in streams:
            stream.flush()
        for number, target in zip((1, 2), before):
            os.dup2(target, number)
        for thread in threads:
            thread.join()
        for target in before:
            os.close(target)


def as_user_would(file):
    """A file's name from the current folder, if it is in this folder."""
    path = os.path.realpath(file)
    return os.path.relpath(path) if file and path.startswith(os.path.realpath(".") + "/") else file


def github(finding, level):
    """A workflow command: GitHub shows it beside the finding's line, if the file is in the checked-out repository."""
    def escaped(words, signs):
        return re.sub(f"[%\r\n{signs}]", lambda found: f"%{ord(found[0]):02X}", words)

    path, workspace = os.path.realpath(finding.file), os.path.realpath(os.environ.get("GITHUB_WORKSPACE", "/"))
    file = os.path.relpath(path, workspace) if workspace != "/" and path.startswith(workspace + "/") else finding.file
    where = {"file": file, "line": finding.line, "col": finding.column} if finding.file else {}
    words = ",".join(f"{name}={escaped(str(value), ':,')}" for name, value in where.items() if value)
    return f"::{level}{' ' * bool(words)}{words}::{escaped(visible(finding.words), '')}"


def told(finding):
    """A finding as text, with its place."""
    where = f"{finding.file}:{finding.line}" if finding.line else finding.file
    return visible(finding.words if not where or where in finding.words else f"{where}: {finding.words}")


def watched(command, options, run):
    """Runs `run` with a Report, then writes what the options ask for: a JUnit file with one test case, and a line on standard error
    per finding. For JUnit, a program that fails is a failure, and one that could not be built or run is an error. Returns the exit
    status."""
    report, could_run = Report(options.files), True
    if options.junit:
        options.junit.open("ab").close()  # fails before minutes of work, not after
    with heard() as kept:
        try:
            status = run(report)
        except SystemExit as end:
            status, could_run = end.code, False
    said = kept.decode("utf-8", "replace")
    findings = report.findings + of_program(said, report.files, report.has_lens) * report.is_built
    findings = list(dict.fromkeys(finding._replace(file=as_user_would(finding.file)) for finding in findings)) or [how_it_ended(status, said)] * (status != 0)
    if options.annotate:
        print("\n" * (not said.endswith("\n")), end="", file=sys.stderr)  # a command must begin a line
        for finding in findings:
            print(github(finding, "error" if status else "warning"), file=sys.stderr)
    if options.junit:
        kind = "" if status == 0 else "failure" if report.is_built and could_run else "error"
        case = (command, kind, "\n".join(map(told, findings)), "")
        options.junit.write_bytes(junit_of([(visible(options.file), [case])]))
    return status
