"""./course debug: the student finds the fault in a kernel."""

import asyncio
import random

from terminal import looks, show
from faults import faults, recorded
from stages import in_two_orders, run, stages
from starter import exercises
from student import noted, note
from verdict import compiler_words, with_meaning


def listing(text):
    return [f"{number:4}  {line}" for number, line in enumerate(text.splitlines(), 1)]


async def findings(fault, machine, tell=lambda stage: None):
    """The checks' messages about a fault. `machine` has a program with the fault; `tell` is called with each stage that runs."""
    for stage in stages(fault.exercise, machine):
        if stage.name not in ("GPU", "plain", "interleaved"):
            continue
        tell(stage)
        if log := await machine.build(stage.preset, stage.order):
            raise OSError("\n".join(compiler_words(log)))
        found = await run(machine, stage.preset, stage.order, [fault.name])
        if stage.name == "plain":
            found = await in_two_orders(fault.exercise, found, machine, [fault.name])
        if not found.passed:
            return (with_meaning(stage.order, stage.meaning, found) if stage.meaning else found).words
    return ["The checks find no error."]


def in_order(chapter=""):
    """The faults of a chapter, or of all chapters, in a fixed random order: the chapter's own order would reveal the next fault."""
    here = faults(chapter)
    random.Random(1).shuffle(here)
    return sorted(here, key=lambda each: each.chapter)


def choose(name, chapter):
    """A fault by its name, or the first fault of the chapter (or of all chapters) that the student has not found yet."""
    if "-" in name:
        number, _, which = name.partition("-")
        return next((each for each in faults() if each.name == f"{number.zfill(2)}-{which}"), None)
    found, here = set(noted("debug").get("found", [])), in_order(chapter)
    return next((each for each in here if each.name not in found), here[0] if here else None)


def explain(fault):
    finders = [kind for kind, found in recorded().get(fault.name, {}).items() if found]
    return [f"Fault {fault.name}: {fault.title}. The cause: {fault.cause}.", "", *fault.diff.splitlines(), "", fault.why,
            f"Found by: {', '.join(finders)}." if finders else "No check finds it."]


def number(question, most):
    """Asks for a number from 1 to `most` until one is typed."""
    while not (answer := input(question).strip()).isdecimal() or not 1 <= int(answer) <= most:
        print(f"Type a number from 1 to {most}.")
    return int(answer)


def causes():
    """The causes that an answer may name."""
    return sorted({cause for each in faults() for cause in each.causes})


def task(fault):
    """A sentence about the code that has the fault."""
    about = (f"The task was exercise {fault.exercise.number}, {fault.exercise.title}." if fault.exercise in exercises()
             else f"It is the variant {fault.exercise.variant}.")
    return f"Fault {fault.name}: this code is wrong in one place. {about}"


def judge(fault, line, cause):
    """Whether an answer, the number of a line and of a cause, is right, and a sentence that says so."""
    line_is_right, cause_is_right = line in fault.lines(), causes()[cause - 1] in fault.causes
    if line_is_right and cause_is_right:
        return True, "Right."
    return False, f"The line is {'right' if line_is_right else 'wrong'}, the cause is {'right' if cause_is_right else 'wrong'}."


def ask(fault, say, machine):
    """Shows a kernel with a fault, asks for its line and its cause, and checks the answers."""
    says = asyncio.run(findings(fault, machine, lambda stage: show(f"Running the checks: {stage.order}")))
    show()
    say(task(fault), "", *listing(fault.text()), "", "The checks say:", *says, "", *[f"{number:4}  {cause}" for number, cause in enumerate(causes(), 1)], "")
    try:
        line = number("The number of the wrong line, or of the line after which one is missing: ", len(fault.text().splitlines()))
        cause = number("The number of the cause (see above): ", len(causes()))
    except EOFError:
        return say("", f"To answer: ./course debug {fault.name}; to see the answer: ./course debug {fault.name} --answer")
    is_right, words = judge(fault, line, cause)
    if is_right:
        note("debug", found=sorted({*noted("debug").get("found", []), fault.name}))
        return say("", looks("good", words), "", *explain(fault), "", f"The next one: ./course debug {fault.chapter}")
    say("", words, f"Try again: ./course debug {fault.name}; to see the answer: ./course debug {fault.name} --answer")
