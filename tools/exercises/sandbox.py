"""Runs a command safely: without a network, for a limited time, and with write access to its own folder at most."""

import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from starter import ROOT
from verdict import CPU_SECONDS, OUTPUT

CPUS = 2  # a check runs on this many CPUs: else its threads and CPU time would grow with the number of cores
SECONDS = 600  # wall-clock limit, for programs that sleep: long enough that a busy machine changes no verdict
MEMORY, TASKS = 3 << 30, 2500  # bytes; threads (01.2 starts 1500)
TOO_LITTLE = "this machine has too little memory"  # the meaning of SIGKILL from the kernel
TOO_LONG = f"The program was stopped after {CPU_SECONDS} seconds of CPU time, the limit of a check."
NEEDS_MORE = f"The program needed more than {MEMORY >> 30} GiB of memory."
SEEN = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc/alternatives", "/etc/ld.so.cache"]
COUNTED = b"VmRSS", b"VmSwap", b"VmPTE"  # memory in /proc/PID/status, in kB; VmPTE is the size of the page tables
STATUS = re.compile(rb"^(" + b"|".join(COUNTED) + rb"|Threads):\s+(\d+)", re.MULTILINE)
CGROUPS = Path("/sys/fs/cgroup")
COURSE = ["common", "tools", "build/simulator", "build/sanitize", "compile_flags.txt", ".clangd",
          *(each.name for each in ROOT.glob("[0-9][0-9]_*"))]


@dataclass
class Ended:
    status: int
    stdout: str
    stderr: str
    why: str  # why it was killed; empty if it ended by itself
    is_cut: bool = False  # whether it has printed more than is here


@lru_cache(maxsize=None)
def allowed_calls():
    """The system-call filter for a process that runs a student's code, as bytes. Raises OSError if it can't be made."""
    made = subprocess.run([ROOT / "tools/exercises/allowed_calls.py"], capture_output=True, check=False)
    if made.returncode != 0:
        why = made.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise OSError("/usr/bin/python3 lacks the module seccomp (apt-get install python3-seccomp)" if why.startswith("ModuleNotFoundError")
                      else f"this machine can't filter system calls: libseccomp says {why}")
    return made.stdout


def wrapped(sandbox, trusted, cwd):
    """The bubblewrap prefix for a command. The command sees the compilers and the course; if trusted, it may write to its folder."""
    bound = [word for path in SEEN for word in ("--ro-bind-try", path, path)]
    bound += [word for name in COURSE for word in ("--ro-bind", str(ROOT / name), str(ROOT / name))]
    folder = ["--bind" if trusted else "--ro-bind", sandbox.folder, sandbox.folder]
    return ["bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL",
            "--die-with-parent", "--new-session", "--hostname", "grade", "--proc", "/proc", "--dev", "/dev", *bound, *folder,
            "--remount-ro", "/dev", "--remount-ro", "/",
            "--chdir", str(cwd)]


def missing(is_wrapped=True):
    """The reason why a sandbox does not work here; empty if it works."""
    otherwise = "see --no-sandbox in ./course grade --help"
    if is_wrapped and not shutil.which("bwrap"):
        return f"bubblewrap is not installed (apt-get install bubblewrap); {otherwise}"
    try:
        allowed_calls()
        tried = Sandbox("/tmp", is_wrapped).run(["true"], trusted=True)
    except OSError as error:
        return str(error)
    return "" if tried.status == 0 else f"bubblewrap can't make a sandbox here: {tried.stderr.strip()[:200]}; {otherwise}"


def on_few_cpus(turn=itertools.count()):
    """The prefix of a command that runs it on only a few CPUs, chosen in turn."""
    allowed, number = sorted(os.sched_getaffinity(0)), next(turn)
    return ["taskset", "-c", ",".join(str(allowed[(CPUS * number + each) % len(allowed)]) for each in range(CPUS))]


def descendants(pid):
    """The ids of a process and of all its descendants."""
    found = [pid]
    for each in found:  # the list grows during the loop
        try:
            for task in os.listdir(f"/proc/{each}/task"):
                found += [int(child) for child in Path(f"/proc/{each}/task/{task}/children").read_text().split()]
        except OSError:
            pass  # the process has just ended
        if len(found) > TASKS:
            break
    return found


def too_much(pid):
    """A sentence about the limit that a process and its descendants exceed; empty if they exceed none."""
    memory = tasks = 0
    for each in descendants(pid):
        try:
            numbers = dict(STATUS.findall(Path(f"/proc/{each}/status").read_bytes()))  # bytes, because a thread's name may contain any
            times = Path(f"/proc/{each}/stat").read_bytes().rpartition(b")")[2].split()[11:13]
        except OSError:
            continue
        if sum(map(int, times)) > (CPU_SECONDS + 5) * os.sysconf("SC_CLK_TCK"):  # it ignores SIGXCPU
            return TOO_LONG
        memory += sum(int(numbers.get(name, 0)) for name in COUNTED) * 1024
        tasks += int(numbers.get(b"Threads", 0))
    if tasks > TASKS:
        return f"The program started more than {TASKS} threads or processes."
    return NEEDS_MORE if memory > MEMORY else ""


def killed_for_memory():
    """How many processes the kernel has killed because memory was short; None if it does not say."""
    try:
        found = re.search(r"^oom_kill (\d+)$", Path("/proc/vmstat").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found and int(found[1])


@contextmanager
def memory_group():
    """The folder of a new cgroup whose processes may use MEMORY bytes together; None if this account can't make one."""
    group = None
    try:
        own = re.search("^0::/(.*)", Path("/proc/self/cgroup").read_text(), re.MULTILINE)
        beside = CGROUPS / Path(own[1]).parent if own else CGROUPS
        if "memory" in (beside / "cgroup.subtree_control").read_text().split():
            group = Path(tempfile.mkdtemp(prefix="course-", dir=beside))
            for name, value in (("memory.max", MEMORY), ("memory.swap.max", 0), ("memory.oom.group", 1)):
                if (group / name).exists():
                    (group / name).write_text(str(value))
    except OSError:
        pass
    try:
        yield group
    finally:
        for _ in range(100 if group else 0):  # a killed process takes a moment to end
            with suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.01)


@dataclass
class Sandbox:
    """A folder, and whether commands run in bubblewrap."""

    folder: str
    is_wrapped: bool

    def run(self, command, environment=None, trusted=False, cwd=None, files=None, has_ended=lambda: False):
        """Runs a command until it ends, exceeds a limit, or shortly after `has_ended` returns True.

        The command inherits each of `files`; the environment variable of the file's name contains its descriptor. An untrusted
        command must be a program that limits its own system calls before it runs a student's code (common/exercise/lock.cpp).
        """
        limits = [*on_few_cpus(), "prlimit", f"--cpu={CPU_SECONDS}:{CPU_SECONDS + 20}", f"--fsize={256 << 20 if trusted else OUTPUT}",
                  "--core=0", "--"]
        with memory_group() as group, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as filter_:
            files = {**(files or {}), **({} if trusted else {"COURSE_FILTER": filter_})}
            filter_.write(b"" if trusted else allowed_calls())
            filter_.flush()
            environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": self.folder, **(environment or {}),
                           **{name: str(file.fileno()) for name, file in files.items()}}
            killed = killed_for_memory()
            begin = ["sh", "-c", '{ echo 0 >"$0"; } 2>/dev/null; exec "$@"', str(group / "cgroup.procs")] if group else []
            begin += wrapped(self, trusted, cwd or self.folder) if self.is_wrapped else []
            program = subprocess.Popen([*begin, *limits, *map(str, command)], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       env=environment, cwd=cwd or self.folder, pass_fds=[file.fileno() for file in files.values()],
                                       start_new_session=True)
            why, end = "", time.monotonic() + SECONDS
            while program.poll() is None and not why:
                if has_ended():
                    end, has_ended = min(end, time.monotonic() + 10), lambda: False
                why = too_much(program.pid)
                if not why and time.monotonic() > end:
                    why = f"The program was stopped after {SECONDS} seconds: it waited, or this machine was busy."
                time.sleep(0.01)
            if why:
                # In bubblewrap, everything ends with the first process. Without bubblewrap, only these processes can be found.
                for each in [*descendants(program.pid), program.pid]:
                    try:
                        os.kill(each, signal.SIGKILL)
                    except OSError:
                        pass
            status = program.wait()
            if not why and group and "\noom 0\n" not in (group / "memory.events").read_text():
                why = NEEDS_MORE
            text, is_cut = [], False
            for file in (out, err):
                file.seek(0)
                text.append(file.read(2 * OUTPUT).decode("utf-8", "replace"))
                is_cut |= bool(file.read(1))
        # Bubblewrap exits with 128 plus the signal. No student's code can exit with such a status (allowed_calls.py).
        ended_by = -status if status < 0 else status - 128
        # A student's code can send itself SIGKILL, by a timer.
        if ended_by == signal.SIGKILL and not why and (trusted or killed is None or killed_for_memory() != killed):
            why = TOO_LITTLE
        elif not why and ended_by == signal.SIGXCPU:
            why = TOO_LONG
        elif ended_by == signal.SIGXFSZ and not why:
            why = f"The program printed more than {OUTPUT >> 20} MiB."
        return Ended(status, *text, why, is_cut)
