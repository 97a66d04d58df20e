"""The machine in a browser's tab, where JavaScript compiles and runs a student's programs (engine.mjs)."""

import asyncio
import json
import math
import re
import signal
from dataclasses import replace
from itertools import zip_longest

from assemble import assemble, more_checks, with_hidden
from stages import UNDER_LENS, Machine, NotTried, how_fast, run, verify, words_of_lens
from starter import ROOT, Chapter, exercises, table_of
from verdict import BY_LUCK, Ended, Verdict, compiler_words, not_compiled, read

import counts  # stages.py adds its folder to sys.path
import hunt
import missing
import predict
import text as lens
from margin import margin
from point import Point
from program import standard
from rows import one_line

TOKEN = "0"  # need not be secret: only the student reads the verdict
OUT_OF_TIME = 24  # the number of SIGXCPU, as natively
SECONDS, SECONDS_OF_LENS = 10, 120  # the limits of a case; on two slow, busy cores, right solutions take up to 2 s and 3 s
MOST_RECORDED = 8  # blocks; recording each takes a run
RECORDED = "recorded"  # the order of the threads while the lens records a block


class Tab(Machine):
    """The machine that checks variants in a source (assemble.py). `engine` has two functions: `build(source, order)` returns a promise
    of the compiler's messages, and `run(order, arguments, settings)` returns an object like that of runners.mjs. Up to `at_once` runs
    happen at the same time."""

    stages = ("plain", "interleaved", "target", "lens")
    where_lines = "The margin of the editor shows what each line of your file accesses."

    def __init__(self, source, engine):
        self.engine, self.at_once, self.seen = engine, engine.at_once, {}
        self.source = source.replace(f'"{ROOT}/', '"')

    async def build(self, preset, order):
        return await self.engine.build(self.source, order)

    async def end_of(self, order, arguments, settings):
        """How a program ended, and what the lens wrote."""
        seconds = SECONDS if order in ("plain", "interleaved") else SECONDS_OF_LENS
        running = self.engine.run(order, json.dumps(list(arguments)), json.dumps({"CUDA_SIM_SECONDS": str(seconds), **settings}))
        try:
            end = await running.ended
        except asyncio.CancelledError:
            running.stop()
            raise
        limit = f"{seconds} seconds, the limit of a case" if end.signal == OUT_OF_TIME else ""
        status = -end.signal if end.signal else end.status
        return Ended(end.verdict.encode(), TOKEN, status, end.out.encode(), end.err, end.seconds, limit), end.lens

    async def run(self, preset, order, arguments, settings):
        return (await self.end_of(order, arguments, settings))[0]

    async def look(self, arguments, settings):
        end, seen = await self.end_of("lens", arguments, {**settings, "LENS_OUTPUT": "/tmp/lens"})
        verdict, _ = read(end.written, end.token, end.status)
        if not seen or not verdict:
            raise NotTried(one_line(end.errors.strip()[:500]) or f"it has ended with status {end.status}")
        self.seen[" ".join(arguments)] = counts.read(seen)
        return self.seen[" ".join(arguments)], verdict

    def margin(self, exercise):
        """The data that the editor shows beside the lines of the student's file, or None if the lens has not run: counts for the target's
        case, or for all cases of the check if the target's case was not run."""
        if not self.seen:
            return None
        findings = [each for seen in self.seen.values() for each in seen["findings"] if each["problem"] != "copied"]
        arguments, seen = max(self.seen.items())
        case = f"for {Point(exercise).case}" if arguments else "in all cases of the check"
        return {**margin(seen["launches"], findings, str(exercise.file)), "case": case}


def tab_of(exercise, name, file, text, engine):
    """The Tab that checks a text as an exercise's variant, under a name. `file` is the text's file name in messages."""
    chapter = Chapter(exercise.chapter)
    texts = [(name, chapter.entries[exercise.variant], file, with_hidden(exercise, text))]
    return Tab(assemble(chapter.problem, texts, more_checks(exercise)), engine)


def marks(file, lines):
    """Marks for the student's file: for each line of a message that names lines of the file, one of these, with the text of the message's
    line. A line in which a kernel was launched or memory was allocated is marked only if no other is named."""
    place = rf"((?:launched|allocated) at )?(?<![\w/]){re.escape(str(file))}:(\d+)"
    return [{"line": int(number), "text": words.strip()} for words in lines
            for _, number in sorted(re.findall(place, words), key=lambda found: found[0] != "")[:1]]


def written(number, text, variant=""):
    """Writes a student's text to an exercise's file. Returns the exercise, with another variant of the chapter if one is given."""
    exercise = next(each for each in exercises() if each.number == number)
    path = ROOT / exercise.file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return replace(exercise, variant=variant or exercise.variant)


def small_case(exercise):
    """The arguments of an exercise's program for a case that is small enough to watch a block: two blocks of two warps, as far as the
    variant accepts this. In chapter 04, a thread processes 16 bytes."""
    _, given, grid, _ = Point(exercise).arguments
    has_own_block = "only_block" in Chapter(exercise.chapter).entries[exercise.variant]
    return ["2048" if exercise.number.startswith("04.") else "256", "article" if given == "article" else "skewed",
            "0" if grid == "0" else "2", "0" if has_own_block else "64"]


def recordable(launches):
    """The blocks that can be recorded, each as a kernel, the number of blocks of a launch, and the block's number: the first and the last
    block of each kernel's first launch, then of later launches with other numbers of blocks."""
    found = {}
    for launch in launches:
        found.setdefault(launch["kernel"], {})[math.prod(launch["grid"])] = None
    turns = zip_longest(*([(kernel, blocks) for blocks in each] for kernel, each in found.items()))
    return [(kernel, blocks, block) for turn in turns for kernel, blocks in filter(None, turn) for block in dict.fromkeys((0, blocks - 1))]


async def recorded(run):
    """The recordings of the first MOST_RECORDED recordable blocks, and how the first run has ended. `run` gets settings, and returns how
    a run has ended and what the lens has written."""
    recordings = []

    async def record(kernel="", blocks=0, block=0):
        end, seen = await run({"LENS_OUTPUT": "/tmp/lens", "LENS_RECORD": kernel, "LENS_RECORD_BLOCKS": str(blocks), "LENS_RECORD_BLOCK": str(block)})
        seen = counts.read(seen) if seen else {"launches": []}
        recordings.extend(filter(None, [seen.get("recording")]))
        return end, seen["launches"]

    end, launches = await record()
    for each in recordable(launches)[1:MOST_RECORDED]:
        await record(*each)
    return recordings, end


def tell_recorded(tell, recordings, why):
    tell(json.dumps({"recordings": recordings, "why": why or ("" if recordings else "It launched no kernel.")}))


async def watch(number, text, engine, tell):
    """Runs a student's text for an exercise in a small case, and tells what the lens records. If the run fails or there is
    nothing to see, also tells the reason, in one line."""
    exercise = written(number, text)
    tab = tab_of(exercise, "yours", exercise.file, text, engine)
    if said := await tab.build("simulator", RECORDED):
        tell_recorded(tell, [], "\n".join(tab.does_not_compile(exercise, said).words[:2]))
        return
    recordings, end = await recorded(lambda settings: tab.end_of(RECORDED, ["yours", *small_case(exercise)], {**UNDER_LENS, **settings}))
    found = end.verdict()
    tell_recorded(tell, recordings, found.words[0] if not found.passed and found.kind != "result" else "")


async def check(number, variant, text, engine, tell):
    """Checks a student's text for an exercise, as the exercise's variant or as another one of the chapter. `tell` gets each event for the
    page (site/src/workbench/engine.js) as JSON."""
    exercise = written(number, text, variant)

    def heard(stage, found):
        state = "not tried" if isinstance(found, NotTried) else "passed" if found.passed else "failed"
        tell(json.dumps({"stage": stage.name, "state": state, **({"why": str(found)} if state == "not tried" else {})}))

    tab = tab_of(exercise, "yours", exercise.file, text, engine)
    verdict = await verify(exercise, tab, heard)
    tell(json.dumps({"verdict": {"solved": verdict.passed, "words": verdict.words, "marks": marks(exercise.file, verdict.words),
                                 "counted": verdict.counted, "printed": verdict.printed[:100], "margin": tab.margin(exercise)}}))
    if verdict.passed and (times := await how_fast(exercise, tab)):
        tell(json.dumps({"times": times}))


async def of_step(stage, order, tab):
    """The verdict of a stage on a step of live coding."""
    if log := await tab.build("simulator", order):
        return not_compiled(*compiler_words(log))
    if stage != "lens":
        return await run(tab, "simulator", order, ["live"])
    seen, found = await tab.look(["live"], UNDER_LENS)
    said = words_of_lens(seen)
    return Verdict("luck", BY_LUCK, said) if found.passed and said else found


async def check_step(file, text, engine, tell):
    """Checks a text for the file of live coding, in order and interleaved, and then looks for races. `tell` gets the events of `check`;
    their texts are those that ./course test prints."""
    try:
        problem, entries = table_of(text)
        (entry,) = entries.values()
    except (AttributeError, ValueError):  # there is no table, or it does not have exactly one entry
        tell(json.dumps({"verdict": {"words": [f"{file}: the table kVariants must have one entry."], "marks": []}}))
        return
    tab, words = Tab(assemble(problem, [("live", entry, file, text)]), engine), []
    for stage, order in (("in order", "plain"), ("interleaved", "interleaved"), *[("lens", "lens")] * (".on_cpu = true" not in entry)):
        try:
            found = await of_step(stage, order, tab)
        except NotTried as why:
            tell(json.dumps({"stage": stage, "state": "not tried", "why": str(why)}))
            continue
        tell(json.dumps({"stage": stage, "state": "passed" if found.passed else "failed"}))
        if not found.passed:
            words = [found.message] if found.message else found.words
            break
    tell(json.dumps({"verdict": {"words": words, "marks": marks(file, words)}}))


PROGRAM = "program.cu"


async def built_program(text, order, engine):
    """Compiles a student's program. Returns the compiler's messages; empty on success."""
    path = ROOT / PROGRAM
    path.write_text(text, encoding="utf-8")
    return missing.of_compiler(await engine.build(order, "".join(standard(path))))


async def run_program(text, is_seen, engine, tell):
    """Compiles and runs a student's program as `./course run FILE.cu` does; with `is_seen`, as `./course lens FILE.cu`. `engine` has two
    functions that return promises: `build(order, standard)`, of the compiler's messages, where `standard` is the option that the
    program's first lines name, if any, and `run(order, settings)`. `tell` gets an event as JSON: `refused`, the messages about a program
    that can't be built, or `ended`, how it has ended."""
    order = "lens" if is_seen else "plain"
    if said := await built_program(text, order, engine):
        tell(json.dumps({"refused": said, "marks": marks(PROGRAM, said.splitlines())}))
        return
    end = await engine.run(order, json.dumps({"CUDA_SIM_STRICT": "1", "CUDA_SIM_MULTIPROCESSORS": str(counts.SMS), "LENS_OUTPUT": "/tmp/lens"}
                                             if is_seen else {}))
    words, shown, found = "", None, [*end.err.splitlines(), *end.out.splitlines()]
    if is_seen and end.lens:
        seen = counts.read(end.lens)
        words = "\n".join(lens.report([(PROGRAM, seen)], False))
        found += [line for line in lens.problems(PROGRAM, seen) if "allocated at" not in line]
        shown = {**margin(seen["launches"], seen["findings"], PROGRAM), "case": "in all launches"}
    tell(json.dumps({"ended": {"status": end.status, "signal": signal.Signals(end.signal).name if end.signal else "", "cut": end.cut,
                               "lens": words, "margin": shown, "marks": marks(PROGRAM, found)}}))


async def watch_program(text, engine, tell):
    """The same as `watch`, for a student's program. `engine` is as for `run_program`."""
    if said := await built_program(text, RECORDED, engine):
        tell_recorded(tell, [], said)
        return

    async def run(settings):
        end = await engine.run(RECORDED, json.dumps(settings))
        return end, end.lens

    recordings, end = await recorded(run)
    ended = f"It was ended by {signal.Signals(end.signal).name}." if end.signal else f"Its exit status is {end.status}." if end.status else ""
    tell_recorded(tell, recordings, "\n".join(filter(None, [*end.err.splitlines()[:2], ended]) if ended else []))


def fault_of(name):
    return next(each for each in hunt.faults() if each.name == name)


async def findings(name, engine, tell):
    """Tells the lines that the checks print about a fault."""
    fault = fault_of(name)
    tell(json.dumps({"says": await hunt.findings(fault, tab_of(fault.exercise, name, f"fault/{name}.cuh", fault.text(), engine))}))


async def judge(name, line, cause, _, tell):
    """Tells whether the numbers of a line and of a cause are right for a fault and, if they are, explains the fault."""
    is_right, words = hunt.judge(fault_of(name), line, cause)
    tell(json.dumps({"right": is_right, "words": words, "explained": hunt.explain(fault_of(name)) if is_right else []}))


async def explain(name, _, tell):
    """Tells the explanation of a fault."""
    tell(json.dumps({"explained": hunt.explain(fault_of(name))}))


async def judge_predictions(chapter, typed, _, tell):
    """Tells, for each question of a chapter, what a valid answer is, or whether the answer is right."""
    (rows, whose), judged = predict.recorded(), {}
    if predict.measures(chapter, "simulator"):  # the answers need times of a CPU
        whose = "the CPUs of the recorded machine"
    for question, words in zip(predict.questions(chapter), typed):
        answer = question.read(words.strip())
        if answer is None:
            judged[question.number] = {"hint": question.accepts}
        else:
            right, before, after = predict.judge(question, answer, rows, whose)
            judged[question.number] = {"right": right, "words": f"{before}{'Right' if right else 'No'}{after}"}
    tell(json.dumps({"judged": judged}))
