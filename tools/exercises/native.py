"""The usual machine for a verdict: this one. A student's programs run with the user's own rights."""

import asyncio
import os
import re
import secrets
import signal
import sys
import tempfile
from collections import defaultdict
from itertools import chain, repeat
from pathlib import Path

from sandbox import descendants, on_few_cpus
from stages import LONG, Machine, NotTried, run
from starter import ROOT
from verdict import CPU_SECONDS, OUTPUT, Ended, compiler_words, limit_of, read

import counts  # stages.py adds its folder to sys.path
from builds import locked_meanwhile
from rows import one_line

# Leak detection needs ptrace, which containers and emulators may forbid. Grading does not detect leaks, either.
os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")

SECONDS = 120  # per check
IDLE_SECONDS = 3  # during which all threads of a check only wait, after which they count as waiting forever
OF_LENS = 256 << 20  # bytes that the lens, or the program that it observes, may write
# Seconds of CPU time after which a thread of a kernel, or a check's case of at most 2^20 elements, counts as stuck. A right case takes
# at most 0.11 s in the plain check of an idle machine, and 0.35 s with sanitizers.
STUCK = {("simulator", "plain"): "1", ("gpu", "plain"): "4"}  # a GPU's first case includes the time to initialize CUDA
STUCK_ELSEWHERE = "2"
STAGES = {"gpu": ("GPU", "target"), "simulator": ("plain", "nvcc", "interleaved", "sanitizers", "target", "lens", LONG)}


def stat_of(folder):
    """The words about a process or thread in its folder below /proc, from its state on."""
    return (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def cpu_seconds_of(pid):
    """The CPU time that a process has used."""
    words = stat_of(Path(f"/proc/{pid}"))
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


async def only_waits(process, seconds):
    """Returns when all threads of a process and its descendants have only waited for so long."""
    idle = 0.0
    while idle < seconds:
        await asyncio.sleep(0.2)
        try:
            states = {stat_of(task)[0] for each in descendants(process.pid) for task in Path(f"/proc/{each}/task").iterdir()}
        except OSError:  # a thread has just ended
            states = set()
        idle = idle + 0.2 if states == {"S"} else 0


async def stop(process):
    """Ends a process, and the processes that it has started, as soon as they can be ended."""
    for number in chain([signal.SIGTERM] * 10, repeat(signal.SIGKILL)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            return await asyncio.wait_for(process.communicate(), 0.1)
        except asyncio.TimeoutError:
            pass


async def started(*command, **options):
    """Starts a process in a group of its own. If this task is cancelled meanwhile, the process is ended once it has started."""
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*command, cwd=ROOT, start_new_session=True, **options))
    try:
        return await asyncio.shield(starting)
    except BaseException:
        await stop(await starting)
        raise


async def end_of(*command, **options):
    """Runs a command, which ends when this task does. Returns its status and its output: first standard output, then errors."""
    process = await started(*command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, **options)
    try:
        out, errors = await process.communicate()
    except BaseException:
        await stop(process)
        raise
    return process.returncode, (out + errors).decode("utf-8", "replace")


async def build(preset, *targets):
    """Builds targets. Returns the build's messages; empty on success."""
    async with locked_meanwhile(preset):
        status, log = await end_of("cmake", "--build", f"build/{preset}", "--target", *targets)
    return "" if status == 0 else log or f"cmake has ended with status {status}"


async def ended(command, settings, limits, stuck=STUCK_ELSEWHERE, idle_seconds=IDLE_SECONDS):
    """Runs a check within a shell's limits. The check ends when this task does. Returns how it has ended."""
    token, limit, cpu_seconds = secrets.token_hex(16), "", 0.0
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as written:
        given.write(f"{token}\n".encode())
        given.seek(0)
        process = await started(
            "sh", "-c", f'{limits} && exec "$@"', "sh", *command, stdin=given, stdout=out, stderr=err, pass_fds=[written.fileno()],
            env={"CUDA_SIM_TIMEOUT": stuck, **os.environ, **settings, "COURSE_VERDICT": str(written.fileno())})
        end, idle = asyncio.ensure_future(process.wait()), asyncio.ensure_future(only_waits(process, idle_seconds))
        try:
            done, _ = await asyncio.wait((end, idle), timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if end not in done:
                cpu_seconds = cpu_seconds_of(process.pid)
                limit = (f"{idle_seconds} seconds in which all its threads only waited" if idle in done else
                         f"{SECONDS} seconds, in which it used {cpu_seconds:.1f} s of CPU time: it waited, or this machine was busy")
                await stop(process)
        except BaseException:
            await stop(process)
            raise
        finally:
            idle.cancel()
        texts = []
        for file in (written, out, err):
            file.seek(0)
            texts.append(file.read())
        if process.returncode == -signal.SIGXCPU and not limit:
            limit, cpu_seconds = limit_of(texts[0])
    return Ended(texts[0], token, process.returncode, texts[1], texts[2].decode("utf-8", "replace"), cpu_seconds, limit)


class Native(Machine):
    """This machine, for programs such as exercise_03.2_plain. `name` is their common prefix: exercise_03.2 or another name."""

    def __init__(self, name, backend="simulator"):
        self.name, self.stages, self.at_once = name, STAGES[backend], max(2, len(os.sched_getaffinity(0)))
        self.building = defaultdict(asyncio.Lock)  # by build folder; without these, a waiting task would report another ./course

    def program(self, preset, order):
        return ROOT / "build" / preset / "bin" / f"{self.name}_{order}"

    async def build(self, preset, order):
        async with self.building[preset]:
            return await build(preset, f"{self.name}_{order}")

    async def run(self, preset, order, arguments, settings):
        idle_seconds = SECONDS if preset == "gpu" else IDLE_SECONDS  # a driver may wait for a GPU
        return await ended([*on_few_cpus(), self.program(preset, order), *arguments], settings,
                           f"ulimit -S -t {CPU_SECONDS} && ulimit -S -f {OUTPUT >> 9}", STUCK.get((preset, order), STUCK_ELSEWHERE), idle_seconds)

    async def look(self, arguments, settings):
        with tempfile.TemporaryDirectory() as folder:
            output, program = Path(folder) / "lens.json", self.program("simulator", "lens")
            end = await ended([program, *arguments], {**settings, "LENS_OUTPUT": str(output)}, f"ulimit -S -f {OF_LENS >> 9}")
            if end.limit:
                raise NotTried(f"It did not end within {SECONDS} seconds.")
            try:
                seen = counts.read(output.read_text(encoding="utf-8", errors="replace"))
            except ValueError:
                raise NotTried(f"what the lens saw of {program.name} is incomplete: is {folder} on a full disk?") from None
            except OSError:
                seen = None
        verdict, _ = read(end.written, end.token, end.status)
        if not seen or not verdict:
            words = one_line((end.errors or end.printed.decode("utf-8", "replace")).strip()[:500])
            raise NotTried(words or f"{program.name} has ended with status {end.status} before the lens could write what it saw")
        return seen, verdict

    async def rejected(self):
        cache = (ROOT / "build" / "simulator" / "CMakeCache.txt").read_text(encoding="utf-8")
        if not re.search("^COURSE_CLANG:INTERNAL=TRUE$", cache, re.MULTILINE):
            return ""
        status, log = await end_of(ROOT / "common/simulator/clang/rejected.sh", ROOT / "build" / "simulator" / f"{self.name}.cu", f"-I{ROOT / 'work'}",
                                   env={**os.environ, "TRANSLATE": ROOT / "build/simulator/bin/translate", "CLANG": re.search("^CLANGXX:.*?=(.*)$", cache, re.MULTILINE)[1]})
        return log.replace(f"{ROOT}/", "") if status == 1 else ""


def machine_of(exercise, backend="simulator"):
    return Native(f"exercise_{exercise.number}", backend)


def build_now(preset, *targets):
    """Builds targets, outside of tasks. Returns the build's messages; empty on success."""
    return asyncio.run(build(preset, *targets))


def built(preset, *targets):
    """Builds targets, or ends this process with the first error."""
    if log := build_now(preset, *targets):
        sys.exit("\n".join(compiler_words(log)))


def checked(name, preset, order, *arguments, **settings):
    """Runs a check that has been built. Returns the verdict."""
    return asyncio.run(run(Native(name), preset, order, arguments, **settings))
