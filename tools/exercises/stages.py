"""The stages of a verdict on a student's file, on any machine that can build and run its programs."""

import asyncio
import re
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Callable

import cpp
from starter import ROOT, Chapter
from verdict import (BY_COMPILER, BY_LUCK, DEPENDS_ON_SMS, DEPENDS_ON_ORDER, IS_GIVEN, UNWRITTEN, Verdict, changes_with_order,
                     compiler_words, does_not_compile, not_compiled, not_utf8, sentences, with_meaning)

sys.path[1:1] = [str(ROOT / "tools" / name) for name in ("lens", "results", "course")]
import counts  # noqa: E402
import text as lens  # noqa: E402
from point import Point  # noqa: E402
from profiles import profile  # noqa: E402

# Grids sized for an H200's 132 SMs would take minutes. LENS_HOST makes the lens also count what CPU threads do. Blocks run at
# the same time, because code in which one waits for others may never show a race if blocks run one after another.
UNDER_LENS = {"CUDA_SIM_ADVICE": "0", "CUDA_SIM_MULTIPROCESSORS": "2", "CUDA_SIM_WORKERS": "4", "LENS_HOST": "1"}
# Interleaved: blocks run at the same time, so that races between them show, with the seed of the chapters' interleaved
# checks. In order: one worker uses less CPU time than several. The number of SMs determines the default grids.
IN_ORDER = {"CUDA_SIM_SEED": "0", "CUDA_SIM_WORKERS": "1", "CUDA_SIM_MULTIPROCESSORS": "2"}
INTERLEAVED = {"CUDA_SIM_SEED": "7", "CUDA_SIM_WORKERS": "4", "CUDA_SIM_MULTIPROCESSORS": "4"}
LONG = "long input"  # the name of the stage with more elements than 32 bits can count, for code for the CPU


class NotTried(Exception):
    """The reason why a stage could not find out whether there is a fault."""


class Machine(ABC):
    """Builds and runs the programs of a student's file. Cancelling a task also ends the program that it waits for."""

    stages = ()  # the names of the stages that this machine can run
    where_lines = "./course lens {} --lines shows what each line of your file accesses."  # {}: an exercise's number
    at_once = 1  # how many stages run at the same time
    orders = {"plain": IN_ORDER, "interleaved": INTERLEAVED}  # settings of the simulator, by the end of a program's name

    @abstractmethod
    async def build(self, preset, order):
        """Builds a program in the folder of a CMake preset, for an order of the threads. Returns the compiler's messages; empty on
        success."""

    @abstractmethod
    async def run(self, preset, order, arguments, settings):
        """Runs the program with the environment variables `settings`. Returns an Ended."""

    @abstractmethod
    async def look(self, arguments, settings):
        """Runs the program for the lens. Returns the lens's counts and findings (counts.read), and the check's verdict. Raises NotTried."""

    async def rejected(self):
        """clang's messages about code that g++ compiles but nvcc would reject; empty if there is none, or if no clang reads CUDA."""
        raise NotImplementedError("a machine with the stage nvcc")

    def given_lines(self, exercise):
        """The lines, as FILE:LINE, of definitions in a student's file that are unchanged from the starter."""
        text, starter = (ROOT / exercise.file).read_text(encoding="utf-8-sig", errors="replace"), Chapter(exercise.chapter).starter(exercise)
        found = set()
        for definition in cpp.definitions(starter):
            lines = definition.with_comment(starter)
            at = text.find("\n".join(lines))
            if at >= 0 and not any("TODO" in line for line in lines):
                first = text.count("\n", 0, at) + 1
                found.update(f"{exercise.file}:{number}" for number in range(first, first + len(lines)))
        return found

    def does_not_compile(self, exercise, log):
        """The verdict on a student's file that does not compile."""
        return does_not_compile(exercise, log)


async def run(machine, preset, order, arguments=(), **settings):
    """Runs a check. `settings` can change the order of the threads. The verdict includes the messages of the check and of the
    simulator or a sanitizer."""
    settings = {"CUDA_SIM_ADVICE": "0", **machine.orders[order], **settings}
    return (await machine.run(preset, order, arguments, settings)).verdict()


async def in_two_orders(exercise, found, machine, arguments=()):
    """A plain check's verdict, extended by whether it depends on the order of the simulator's threads."""
    if found.passed or exercise.on_cpu or not found.ends:
        return found
    other = await run(machine, "simulator", "plain", arguments, CUDA_SIM_SEED="5")
    if not changes_with_order(found, other):
        return found
    return replace(found, sentences=[*(each for each in found.sentences if each.get("is_idea")), DEPENDS_ON_ORDER])


def has_lens(exercise):
    """Whether the lens looks for races in an exercise, that is, in kernels. (The racy kernel of 02.1 runs without contention.)"""
    return not exercise.on_cpu


def is_racy(exercise):
    """Whether even a right solution loses counts, as in 02.1."""
    return ".wrong_because" in Chapter(exercise.chapter).entries[exercise.variant]


def findings_of_lens(seen, given=frozenset()):
    """The races, missing fences and reads of unwritten memory that the lens has found; those outside the given lines come first."""
    found = [each for each in lens.distinct(seen["findings"]) if each["problem"] != "copied"]
    return sorted(found, key=lambda each: is_given(each, given))


def is_given(finding, given):
    return {finding["line"], finding.get("other_line", finding["line"])} <= given


def words_of_lens(seen, given=frozenset()):
    """Sentences about the first finding of the lens, if there is one."""
    found = findings_of_lens(seen, given)[:1]
    return sentences(*(lens.one_line(line) for each in found for line in [*lens.finding_words(each), *[IS_GIVEN] * is_given(each, given)]))


async def to_the_point(exercise, machine, name="yours"):
    """The verdict on a right solution, according to the lens's counts in the case that the exercise's target names."""
    point = Point(exercise)
    seen, found = await machine.look([name, *point.arguments], {**UNDER_LENS, "CUDA_SIM_WORKERS": "1"})  # makes the counts reproducible
    if not found.passed:
        return found
    if missed := point.missed(seen):
        return Verdict("point", missed, sentences(*[machine.where_lines.format(exercise.number)] * (not exercise.on_cpu)))
    return Verdict("right", counted=point.rows(seen))


async def how_fast(exercise, machine, name="yours"):
    """Sentences about a right solution for the course's input: the least time that it needs on an H200, and the measured time of the
    chapter's variant that does the same. Empty for code for the CPU, or if it loses counts. Races are not searched for."""
    if exercise.on_cpu or is_racy(exercise):
        return []

    async def seen(n, given, settings):
        its, found = await machine.look([name, str(n), given, "0", "0"], {"CUDA_SIM_ADVICE": "0", "LENS_COUNTS_ONLY": "1", **settings})
        if not found.passed:
            raise NotTried(found.short)
        return its["launches"]

    try:
        if Chapter(exercise.chapter).problem == "Histogram":
            n, given = counts.LARGE, "uniform"
            parts = [seen(size, given, counts.of_part(counts.SHARE)) for size in counts.SIZES]
            counted = counts.large(*map(counts.by_kernel, await asyncio.gather(*parts)))
        else:
            n, given = 1 << 20, "article"
            counted = list(map(counts.sums, await seen(n, given, {"CUDA_SIM_MULTIPROCESSORS": str(counts.SMS)})))
    except NotTried as why:
        return [f"The least time that your code needs is not known: {why}"]
    return list(lens.times(counted, exercise.chapter, given, n, profile()))


async def by_lens(exercise, machine):
    """A verdict on what only the lens finds; None if it finds nothing."""
    seen, verdict = await machine.look([], UNDER_LENS)
    given = machine.given_lines(exercise)
    if not (found := findings_of_lens(seen, given)):
        return verdict  # code that fails only under the lens has detected the lens
    return Verdict("luck", UNWRITTEN if found[0]["problem"] == "unwritten" else BY_LUCK, words_of_lens(seen, given))


async def by_clang(_, machine):
    lines = compiler_words(await machine.rejected())
    return Verdict("rejected", "The result is right, but nvcc would reject the code.", sentences(*lines)) if lines else Verdict("right")


@dataclass(frozen=True)
class Stage:
    """One stage of a verdict: a program built from the student's file, and what its run finds if the earlier stages find nothing."""
    name: str  # shown to the student
    preset: str  # the build folder
    order: str  # the end of the program's name; empty if there is no program
    run: Callable  # called with the exercise and the machine; returns a verdict
    meaning: str = ""  # the meaning of a failure after the earlier stages have passed

    async def build(self, exercise, machine):
        """Builds the program. Returns a verdict if that fails, else None."""
        log = await machine.build(self.preset, self.order) if self.order else ""
        return machine.does_not_compile(exercise, log) if log else None

    async def end(self, exercise, machine):
        """The verdict of this stage. Raises NotTried."""
        return await self.build(exercise, machine) or await self.run(exercise, machine)


def check_of(name, preset, order, meaning="", **settings):
    """A stage that runs the exercise's check."""
    return Stage(name, preset, order, lambda _, machine: run(machine, preset, order, **settings), meaning)


async def plain(_, machine):
    """The verdict of the plain check. Code for the CPU needs seconds for the long input, so it is left to a later stage if there is one."""
    return await run(machine, "simulator", "plain", **({"COURSE_LONG_INPUT": "0"} if LONG in machine.stages else {}))


STAGES = [  # the most instructive stages first
    check_of("GPU", "gpu", "plain"),
    Stage("plain", "simulator", "plain", plain),
    Stage("nvcc", "simulator", "", by_clang),
    check_of("interleaved", "simulator", "interleaved", "The result is right if the threads run one after another, but can be wrong if they interrupt "
             "each other: there is a race."),
    check_of("sanitizers", "sanitize", "plain", "The results are right, but AddressSanitizer or UndefinedBehaviorSanitizer reports an error."),
    Stage("target", "simulator", "lens", to_the_point),
    Stage("lens", "simulator", "lens", by_lens),
    check_of(LONG, "simulator", "plain", COURSE_LONG_INPUT="1"),
]


def stages(exercise, machine):
    """The stages of a verdict on an exercise that this machine can run."""
    needless = LONG if has_lens(exercise) else "lens"
    return [each for each in STAGES if each.name in machine.stages and each.name != needless]


class Running:
    """The stages of one verdict as tasks. The first is built alone, so that it ends early; then as many run as the machine allows."""

    def __init__(self, exercise, machine):
        self.stages = stages(exercise, machine)
        is_built, turn = asyncio.Event(), asyncio.Semaphore(machine.at_once)

        async def end(stage):
            if stage is not self.stages[0]:
                await is_built.wait()
            async with turn:
                if found := await stage.build(exercise, machine):
                    return found
                is_built.set()
                try:
                    return await stage.run(exercise, machine)
                except (OSError, ValueError) as problem:
                    raise NotTried(lens.one_line(str(problem))) from None

        self.tasks = {stage.name: asyncio.create_task(end(stage)) for stage in self.stages}

    async def stop(self, *kept):
        """Ends all stages except those named."""
        others = [task for name, task in self.tasks.items() if name not in kept]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def later(self, name):
        """The verdict of a stage after an earlier stage has found a fault; None if the stage could not be tried, or does not exist."""
        try:
            return await self.tasks[name] if name in self.tasks else None
        except NotTried as why:
            print(f"The {name} could not look for further errors: {why}", file=sys.stderr)
            return None


async def with_lines(exercise, verdict, machine, seen_by_lens):
    """A verdict with the lens's findings added, if these may name the lines that the verdict itself does not."""
    text = (ROOT / exercise.file).read_text(encoding="utf-8", errors="replace")
    of_race = [each for each in verdict.sentences if each["of_race"]]
    # Without any barrier, every order can give the same wrong result, and a small input shows it.
    is_small = "__shared__" in text and verdict.kind not in ("unchecked", "error") and verdict.case.get("n", 1000) < 1000
    # If not all threads reach a barrier in given code, the cause is elsewhere.
    places = set(re.findall(r"work/\S+?:\d+", verdict.what))
    at_given = verdict.fault.get("kind") in ("barrier", "deadlock") and places <= machine.given_lines(exercise)
    if exercise.on_cpu or not (of_race or verdict.has_poison or is_small or at_given) or verdict.site and not at_given:
        return verdict
    own = sentences(IS_GIVEN) if at_given else of_race
    found = await seen_by_lens()
    if found and found.kind == "luck":
        return replace(verdict, sentences=own + found.sentences)
    return replace(verdict, sentences=own + verdict.sentences) if at_given else verdict


async def explained(exercise, machine, stage, found, later):
    """A stage's verdict, with the meaning of the failure, and with what other runs and later stages say about the cause."""
    if stage.meaning:
        found = with_meaning(stage.order, stage.meaning, found)
    if stage.name == "plain":
        found = await in_two_orders(exercise, found, machine)
    elif stage.name == "interleaved" and not exercise.on_cpu and any(each["of_race"] for each in found.sentences):
        again = partial(run, machine, "simulator", "plain")
        if not (await again(**{**INTERLEAVED, "CUDA_SIM_WORKERS": "1"})).passed:
            # The result is wrong even if the threads run one after another.
            by_size = await again(CUDA_SIM_MULTIPROCESSORS=INTERLEAVED["CUDA_SIM_MULTIPROCESSORS"])
            found = replace(found, sentences=[DEPENDS_ON_ORDER] if by_size.passed else sentences(DEPENDS_ON_SMS))
    if found.kind == "signal" or found.kind == "result" and exercise.on_cpu:
        # Without AddressSanitizer, a program continues after a wrong access, and then crashes elsewhere or has a wrong result.
        crash = await later("sanitizers")
        if crash and crash.kind in ("tool", "signal"):
            said = [*sentences(*[crash.what] * (crash.kind == "tool")), *crash.sentences]
            kept = found.sentences if found.kind == "result" or not said else []
            found = replace(found, sentences=said + kept, site=crash.site or found.site)
    found = await with_lines(exercise, found, machine, partial(later, "lens"))
    if stage.name == "plain" and found.kind in ("signal", "tool", "error"):
        # Code that nvcc would reject, such as a call of a kernel without a launch, fails elsewhere.
        rejected = await later("nvcc")
        if rejected and rejected.kind == "rejected":
            found = replace(found, sentences=[*sentences(f"nvcc would reject the code: {rejected.sentences[0]['text']}"), *found.sentences])
    return found


async def verify(exercise, machine, tell=lambda stage, found: None):
    """Checks an exercise. The verdict has the first failure, if there is one. `tell` is called with each stage and its verdict, or
    NotTried, as soon as this is known."""
    if words := not_utf8(exercise):
        return not_compiled(*words)
    not_tried, counted = {}, []
    running = Running(exercise, machine)
    try:
        for stage in running.stages:
            try:
                found = await running.tasks[stage.name]
            except NotTried as why:
                tell(stage, why)
                not_tried[stage.name] = str(why)
                continue
            tell(stage, found)
            counted = found.counted or counted
            if found.kind in BY_COMPILER:
                return found
            if not found.passed:
                await running.stop("nvcc", "sanitizers", "lens")
                return await explained(exercise, machine, stage, found, running.later)
    finally:
        await running.stop()
    return Verdict("right", not_tried=not_tried, counted=counted)
