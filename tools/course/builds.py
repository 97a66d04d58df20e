"""Configures and builds the folders of CMake's presets: build/simulator, gpu, debug and sanitize."""

import asyncio
import os
import re
import shlex
import shutil
import sys
import tempfile
import textwrap
import time
from contextlib import asynccontextmanager, closing, contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock

from console import ROOT, fail, quietly, say
from terminal import is_terminal

has_warned = False  # whether the user has been told that the first build takes a while
from_source = set()  # what is built because it is not installed: Catch2, libcsv, ninja
SOURCES = ROOT / "build" / "sources"
HELP = "without a network, set COURSE_SOURCES: see docs/install.md"


def require_space():
    """Ends ./course unless files can be written to build/ and programs can be run from there."""
    folder = ROOT / "build"
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:  # unnamed: another ./course may do the same
            file.write(bytes(1 << 20))
    except OSError:
        fail(1, f"can't write to {folder}: the disk or your quota is full, or you have no permission")
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        fail(1, f"no program can be run from {folder}: its file system is mounted with noexec. Replace the folder by a link to one on another file system:",
             f"mkdir DIR && rm -r {folder} && ln -s DIR {folder}")


def holder(lock):
    """The process that has locked a file, by the number and the command that it has written into the file."""
    pid, _, command = lock.read(4096).partition(" ")
    return f"process {pid}: {textwrap.shorten(command, 60, placeholder=' …')}" if command and os.path.exists(f"/proc/{pid}") else "another program"


def tries(path, what):
    """Yields False after each failed attempt to lock a file, and True once it is locked, until the generator is closed. After the
    first failed attempt, says which process has locked the file."""
    try:
        lock = open(path, "a+", encoding="utf-8", errors="replace")
    except OSError:
        fail(1, f"can't write to {os.path.relpath(path, ROOT)}: does it belong to another user?")
    with lock:  # commands started meanwhile don't inherit the lock, so it ends with this process
        has_said = False
        while True:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError:
                lock.seek(0)
                if not has_said:
                    say(f"Waiting for {what} by {holder(lock)}")
                has_said = True
            except OSError:  # a file system without locks, as on clusters: simultaneous commands may disturb each other
                break
            yield False
        lock.truncate(0)
        name = os.path.basename(sys.argv[0])
        lock.write(f"{os.getpid()} {shlex.join(['./course' if name == 'cli.py' else name, *sys.argv[1:]])}")
        lock.flush()
        yield True


@contextmanager
def locked_file(path, what):
    """Keeps a file locked. If another process has locked it, first says which one, and waits."""
    with closing(tries(path, what)) as trying:
        while not next(trying):
            time.sleep(0.1)
        yield


def of_folder(name):
    return ROOT / "build" / f"{name}.lock", f"a build of build/{name}"


def locked(name):
    """Locks a build folder: two builds of the same folder would break each other."""
    return locked_file(*of_folder(name))


@asynccontextmanager
async def locked_meanwhile(name):
    """The same as `locked`, for a task: other tasks run while it waits."""
    (ROOT / "build").mkdir(exist_ok=True)
    with closing(tries(*of_folder(name))) as trying:
        while not next(trying):
            await asyncio.sleep(0.1)
        yield


def cache(preset):
    """The variables of a build folder; none if it is not configured."""
    try:
        text = (ROOT / "build" / preset / "CMakeCache.txt").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return {}
    return dict(re.findall(r"^([^/#\n][^:\n]*):[^=\n]*=(.*)$", text, re.MULTILINE))


def is_configured(preset):
    """Whether a build folder is configured for this course: a copied build folder still builds the original one."""
    home = cache(preset).get("CMAKE_HOME_DIRECTORY", "")
    return (ROOT / "build" / preset / "build.ninja").exists() and os.path.exists(home) and os.path.samefile(home, ROOT)


def lacks_libraries(preset):
    """Whether a build folder was configured without a library, and thus without the checks or the applications."""
    built = [variable for name, variable in (("Catch2", "Catch2_DIR"), ("libcsv", "CSV_LIBRARY")) if name in sources(preset)]
    return any(cache(preset).get(name, "").endswith("NOTFOUND") and name not in built
               for name in ("Catch2_DIR", "PNG_LIBRARY_RELEASE", "TURBOJPEG_LIBRARY", "CSV_LIBRARY", "NCCL_LIBRARY"))


def sources(preset):
    """What a build folder builds from source if it is not installed."""
    return list(filter(None, cache(preset).get("COURSE_FROM_SOURCE", "").split(";")))


def build_ninja():
    with locked("sources"):
        if not (SOURCES / "ninja").exists():
            say("Building ninja from source, which takes a minute.")
            if quietly(["cmake", f"-DPYTHON={sys.executable}", "-P", "tools/course/ninja.cmake"]) != 0:
                fail(1, "ninja is not installed, and could not be built;", HELP)


def configure(preset):
    before = sources(preset)
    wanted = sorted({*before, *from_source} - {"ninja"})
    if added := [name for name in wanted if name not in before]:
        say("Building from source, because packages can't be installed here:", *added)

    def configured_with(names):
        return quietly(["cmake", "--preset", preset, f"-DCOURSE_FROM_SOURCE={';'.join(names)}"]) == 0

    if not configured_with(wanted):
        if added and configured_with(before):  # commands that need less still work
            fail(1, *added, "could not be built from source;", HELP)
        fail(1, "the configuration failed; see CMake's messages above")
    if cache(preset).get("COURSE_CLANG") == "FALSE":
        say("Some code that nvcc rejects compiles here: see docs/only_nvcc.md. The reason:", cache(preset)["COURSE_CLANG_LACKS"] + ".")


def build(preset, targets, is_quiet=False, needs_libraries=False, needs_nccl=False):
    """Builds targets, or ends ./course. On a terminal, shows the build's progress; elsewhere, prints one line unless
    `is_quiet`."""
    global has_warned
    with locked(preset):
        if not is_configured(preset):
            if not has_warned:
                say("The first build takes a minute or two.")
            has_warned = True
            shutil.rmtree(ROOT / "build" / preset, ignore_errors=True)
            configure(preset)
        elif from_source - {"ninja", *sources(preset)} or needs_libraries and lacks_libraries(preset):
            configure(preset)
        if needs_nccl and any(name.startswith("NCCL_") and value.endswith("NOTFOUND") for name, value in cache(preset).items()):
            fail(1, "this program needs NCCL, which adds up the results of several GPUs: install libnccl-dev from NVIDIA's repository")
        command = ["cmake", "--build", "--preset", preset, "--target", *targets]
        if not is_quiet and not is_terminal(sys.stderr):
            say("Building ...")
        if quietly(command) != 0:
            require_space()
            fail(1, "the build failed; see the compiler's messages above")


def build_checks(backend):
    """Builds what checks a student's file. Afterwards, only the student's code is compiled. The lens needs the simulator's build."""
    if backend == "simulator":
        build("sanitize", ["exercise_check"], is_quiet=True)
    else:
        build(backend, ["exercise_check"], is_quiet=True)
    build("simulator", ["exercise_check", "lens", *(["simulator_interleave"] if backend == "simulator" else [])], is_quiet=True)
