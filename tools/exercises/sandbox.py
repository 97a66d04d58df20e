"""Runs a command safely: without a network, for a limited time, writing to its own folder at most."""

import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from starter import ROOT

CPUS = 2  # that a check runs on: otherwise its threads and their CPU time would grow with the number of cores
CPU_SECONDS = 30  # of all threads together
SECONDS = 600  # for programs that sleep; it is long, so that a busy machine changes no verdict
MEMORY, TASKS = 3 << 30, 2500  # bytes; threads (01.2 starts 1500)
OUTPUT = 4 << 20  # bytes of each file
SEEN = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc/alternatives", "/etc/ld.so.cache"]
STATUS = re.compile(rb"^(VmRSS|Threads):\s+(\d+)", re.MULTILINE)  # of /proc/PID/status; the first one in kB
COURSE = ["common", "build/simulator", "build/sanitize", "compile_flags.txt", ".clangd"]


@dataclass
class Ended:
    status: int
    stdout: str
    stderr: str
    verdict: bytes  # what the program has written to COURSE_VERDICT
    why: str  # why it was killed; nothing if it ended by itself


@lru_cache(maxsize=None)
def no_fork():
    """A filter of system calls, with which a process can't start others. Raises OSError if it can't be made."""
    made = subprocess.run([ROOT / "tools/exercises/no_fork.py"], capture_output=True, check=False)
    if made.returncode != 0:
        raise OSError("/usr/bin/python3 has no seccomp (apt-get install python3-seccomp)")
    return made.stdout


def wrapped(sandbox, trusted, filter_):
    """The bubblewrap prefix of a command, which sees compilers and the course.

    A trusted command may write to its folder and start processes.
    """
    bound = [word for path in SEEN for word in ("--ro-bind-try", path, path)]
    bound += [word for name in COURSE for word in ("--ro-bind", str(ROOT / name), str(ROOT / name))]
    folder = ["--bind" if trusted else "--ro-bind", sandbox.folder, sandbox.folder]
    return ["bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL",
            "--die-with-parent", "--new-session", "--hostname", "grade", "--proc", "/proc", "--dev", "/dev", *bound, *folder,
            "--remount-ro", "/dev", "--remount-ro", "/", *([] if trusted else ["--seccomp", str(filter_)]),
            "--chdir", sandbox.folder]


def missing():
    """The reason why a sandbox does not work here; nothing if it does."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (apt-get install bubblewrap)"
    try:
        tried = Sandbox("/tmp", True).run(["true"])
    except OSError as error:
        return str(error)
    return "" if tried.status == 0 else f"bubblewrap can't make a sandbox here: {tried.stderr.strip()[:200]}"


def on_few_cpus(turn=itertools.count()):
    """The words before a command that runs it on a few CPUs, in turn, as if there were no others."""
    allowed, number = sorted(os.sched_getaffinity(0)), next(turn)
    return ["taskset", "-c", ",".join(str(allowed[(CPUS * number + each) % len(allowed)]) for each in range(CPUS))]


def descendants(pid):
    """The processes that a process has started, itself included."""
    found = [pid]
    for each in found:  # which grows meanwhile
        try:
            for task in os.listdir(f"/proc/{each}/task"):
                found += [int(child) for child in Path(f"/proc/{each}/task/{task}/children").read_text().split()]
        except OSError:
            pass  # the process has just ended
        if len(found) > TASKS:
            break
    return found


def too_much(pid):
    """The limit that a process and its descendants exceed, in words; nothing if they exceed none."""
    memory = tasks = 0
    for each in descendants(pid):
        try:
            numbers = dict(STATUS.findall(Path(f"/proc/{each}/status").read_bytes()))  # a thread's name is any bytes
        except OSError:
            continue
        memory += int(numbers.get(b"VmRSS", 0)) * 1024
        tasks += int(numbers.get(b"Threads", 0))
    if tasks > TASKS:
        return f"It started more than {TASKS} threads or processes."
    return f"It needed more than {MEMORY >> 30} GiB of memory." if memory > MEMORY else ""


@dataclass
class Sandbox:
    """A folder, and whether commands run in bubblewrap."""

    folder: str
    is_wrapped: bool

    def run(self, command, stdin="", environment=None, trusted=False, cwd=None):
        limits = [*on_few_cpus(), "prlimit", f"--cpu={CPU_SECONDS}:{CPU_SECONDS + 5}", f"--fsize={256 << 20 if trusted else OUTPUT}",
                  "--core=0", "--"]
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": self.folder, **(environment or {})}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given, \
                tempfile.TemporaryFile() as filter_, tempfile.TemporaryFile() as verdict:
            environment["COURSE_VERDICT"] = str(verdict.fileno())
            for file, content in (given, stdin.encode()), (filter_, no_fork() if self.is_wrapped else b""):
                file.write(content)
                file.seek(0)
            begin = wrapped(self, trusted, filter_.fileno()) if self.is_wrapped else []
            if begin and cwd:
                begin[-1] = str(cwd)
            program = subprocess.Popen([*begin, *limits, *map(str, command)], stdin=given, stdout=out, stderr=err, env=environment,
                                       cwd=cwd or self.folder, pass_fds=[filter_.fileno(), verdict.fileno()], start_new_session=True)
            why, end = "", time.monotonic() + SECONDS
            while program.poll() is None and not why:
                why = too_much(program.pid)
                if not why and time.monotonic() > end:
                    why = f"It did not end within {SECONDS} seconds: does it wait for something?"
                time.sleep(0.01)
            if why:
                # In a sandbox, everything ends with its first process. Without one, these are all that can be found.
                for each in [*descendants(program.pid), program.pid]:
                    try:
                        os.kill(each, signal.SIGKILL)
                    except OSError:
                        pass
            status = program.wait()
            text = []
            for file in (out, err):
                file.seek(0)
                text.append(file.read(2 * OUTPUT).decode("utf-8", "replace"))
            verdict.seek(0)
            written = verdict.read(2 * OUTPUT)
        # Bubblewrap exits with 128 plus the signal.
        ended_by = -status if status < 0 else status - 128
        if ended_by == signal.SIGKILL and not why:
            why = "It was killed because this machine has too little memory."
        elif not why and ended_by == signal.SIGXCPU:
            why = f"It did not end within {CPU_SECONDS} seconds of CPU time: an endless loop?"
        elif ended_by == signal.SIGXFSZ and not why:
            why = f"It printed more than {OUTPUT >> 20} MiB."
        return Ended(status, *text, written, why)
