#!/usr/bin/env python3
"""usage: tools/exercises/try_attempts.py [--record] [NUMBER ...]

Checks what the lens says of each attempt in broken/attempts.md, at the exercises with these numbers or at all: a right
solution in other words must pass, and ./course grade must accept its file; a shortcut must be refused with the sentence that is
quoted there. The chapter's own code must pass too, and each exercise needs an attempt of both kinds. --record writes into the
pages which targets are missed.
"""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor

import submission
from attempts import attempts, page_of
from cpp import Rejected
from native import Native, built
from stages import UNDER_LENS, NotTried, has_lens, to_the_point, words_of_lens
from starter import exercises


async def said_of(attempt):
    """The lines of the lens's verdict on an attempt; none if the attempt passes."""
    machine = Native(f"attempts_{attempt.exercise.number}")
    try:
        found = await to_the_point(attempt.exercise, machine, attempt.name)
        if found.passed and has_lens(attempt.exercise):
            seen, _ = await machine.look([attempt.name], UNDER_LENS)
            return [each["text"] for each in words_of_lens(seen)]
        return found.words
    except NotTried as why:
        return [str(why)]


def not_accepted(attempt):
    """The objections of ./course grade to the file of a right solution; empty if there are none."""
    try:
        return " ".join(submission.read(attempt.exercise, attempt.text().encode())["notes"])
    except Rejected as why:
        return str(why)


def record(found, said):
    """Replaces the quoted sentences about targets in the pages."""
    for attempt, lines in zip(found, said):
        page = page_of(attempt.exercise)
        if attempt.sentence and lines and lines[0].startswith("Right, but") and not lines[0].startswith(attempt.sentence):
            title = f"## {attempt.exercise.number}, {attempt.title}\n\n> "
            text = page.read_text(encoding="utf-8")
            page.write_text(text.replace(f"{title}{attempt.sentence}\n", f"{title}{lines[0]}\n"), encoding="utf-8")


def main(words):
    numbers = words[words[:1] == ["--record"]:]
    chosen = [each for each in exercises() if not numbers or each.number in numbers]
    built("simulator", *(f"attempts_{each.number}_lens" for each in chosen))
    found = [attempt for each in chosen for attempt in attempts(each.number)]
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda each: asyncio.run(said_of(each)), found))
    if numbers != words:
        record(found, said)
        return 0
    wrong = [f"{each.exercise.number}, {each.title}: expected: {each.sentence or 'passes'}, found: {' '.join(lines) or 'passes'}" for each, lines in zip(found, said)
             if bool(lines) != bool(each.sentence) or not any(line.strip().startswith(each.sentence) for line in [*lines, ""])]
    wrong += [f"{each.exercise.number}, {each.title}: ./course grade objects: {why}" for each in found if not each.sentence and (why := not_accepted(each))]
    for each in chosen:
        kinds = {bool(attempt.sentence) for attempt in found if attempt.exercise == each and attempt.blocks}
        wrong += [f"{each.number}: no attempt is {'refused' if is_refused else 'right'}" for is_refused in {True, False} - kinds]
    print(*wrong, f"{len(found)} attempts", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
