#!/usr/bin/env python3
"""usage: tools/results/picture_steps.py [--check]

Draws banks.svg, race.svg, strides.svg and trees.svg of docs/figures. A page of the site shows banks.svg and strides.svg step
by step; elsewhere each shows all of its steps at once. --check changes nothing, and exits with 1 if a picture is
out of date.
"""

import random
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path

from picture_svg import WIDTH, arrow, cell, cells, note, step, svg, text

FIGURES = Path(__file__).resolve().parent.parent.parent / "docs" / "figures"
LANES = BANKS = 32

# --- Bank conflicts -----------------------------------------------------------------------------

INPUTS = {"uniform": lambda draw: draw(256), "skewed": lambda draw: draw(256) & draw(256) & draw(256),
          "bank-attack": lambda draw: draw(256) & 0xE0, "constant": lambda draw: 7}
COPIES = (1, 8, 16, 32)
WARPS = 20000


@lru_cache(maxsize=None)
def warps(kind):
    """The bytes that the warps of an input read, the same each time."""
    draw = random.Random(1).randrange
    return [[INPUTS[kind](draw) for _ in range(LANES)] for _ in range(WARPS)]


def words_of(warp, copies):
    """The words of shared memory that a warp's lanes add to, given their bytes."""
    return {byte * copies + lane % copies for lane, byte in enumerate(warp)}


def in_banks(words):
    """How many different words fall into each bank; a bank serves one of them per pass."""
    return Counter(word % BANKS for word in words)


@lru_cache(maxsize=None)
def mean_passes(kind, copies):
    return sum(max(in_banks(words_of(warp, copies)).values()) for warp in warps(kind)) / WARPS


def banks():
    width, high, left, below = 19, 14, 120, 34
    parts = [text(left, 60, "bank 0", "dim", size=13), text(left + BANKS * width, 60, "bank 31", "dim", "end", 13),
             text(WIDTH - 20, 60, "passes", "dim", "end", 13)]
    for kind in INPUTS:
        fixed, passes, bottom = [], {}, 70 - below
        for copies in COPIES:
            bottom += below + min(LANES // copies, 8) * high  # room for as many words per bank as lanes share a copy, up to 8 bins per bank
            number_of = in_banks(words_of(warps(kind)[0], copies))
            fixed += [text(20, bottom - 2, f"{copies} {'copy' if copies == 1 else 'copies'}"),
                      text(WIDTH - 20, bottom - 2, f"{mean_passes(kind, copies):.2f}", "alert", "end"),
                      f'<path class="dim" d="M{left},{bottom + 1}h{BANKS * width}"/>']
            for one in range(1, max(number_of.values()) + 1):
                places = [(left + bank * width, bottom - one * high) for bank in range(BANKS) if number_of[bank] >= one]
                passes.setdefault(one, []).append(
                    cells(places, width - 3, high - 3, "shared" if one == 1 else "alert"))
        steps = [step(one, f"Pass {one}: each bank serves one word" + (
            "." if one == 1 else f". Only banks with {one} or more words still have work."), *drawn)
                 for one, drawn in passes.items()]
        parts.append(group(kind, fixed + steps))
    means = {kind: ", ".join(f"{mean_passes(kind, copies):.2f} with {copies}" for copies in COPIES) for kind in INPUTS}
    parts += [note(bottom + 32, "One warp's 32 additions. A cell is a different word. Green ones take the first pass, "
                   "and each cell above takes one more."),
              note(bottom + 52, f"The numbers are means over {WARPS:,} warps.")]
    return svg("banks", bottom + 68, "Bank conflicts with 1, 8, 16 and 32 copies of the histogram",
               "Each lane of a warp adds 1 to the counter of its byte in its copy. A bank serves different words one "
               f"after another, one per pass. Mean passes for uniform bytes: {means['uniform']} copies. For bytes that "
               f"are all multiples of 32: {means['bank-attack']} copies.", parts)


def group(kind, parts):
    """Parts that are shown for one input only; without a script, only the first input's parts are shown."""
    hidden = "" if kind == next(iter(INPUTS)) else ' display="none"'
    return f'<g data-choice="{kind}"{hidden}>{"".join(parts)}</g>'


# --- The lost update ----------------------------------------------------------------------------


def race():
    rows = [(0, "loads 41", 41, "Thread 0 loads the count, 41, into a register."),
            (1, "loads 41", 41, "Thread 1 loads the same 41: nothing tells it that thread 0 is about to change it."),
            (0, "adds: 42", 41, "Thread 0 adds 1 in its register."),
            (1, "adds: 42", 41, "Thread 1 adds 1 in its register."),
            (0, "stores 42", 42, "Thread 0 stores 42."),
            (1, "stores 42", 42, "Thread 1 overwrites it with 42. After two additions, the count has grown by only 1: one is lost.")]
    gap, parts = 44, [text(20, 72, "++d_bins[7]: load, add, store", "thread", size=16),
                      text(540, 72, "atomicAdd(&d_bins[7], 1)", "thread", size=16)]
    for x, words in ((80, "thread 0"), (250, "d_bins[7]"), (420, "thread 1"), (605, "threads"), (780, "d_bins[7]")):
        parts.append(text(x, 98, words, "dim", "middle", 13))
    for i, (thread, words, value, _) in enumerate(rows):
        top = 116 + i * gap
        kind = "global" if i < len(rows) - 1 else "alert"
        near, far = ((145, 215), (355, 285))[thread]
        drawn = [cell((20, 360)[thread], top, 120, 28, "thread", words),
                 cell(220, top, 60, 28, kind, value, strong=words == "stores 42")]
        if words == "loads 41":
            drawn.append(arrow(far, top + 14, near, top + 14, kind))
        if words == "stores 42":
            drawn.append(arrow(near, top + 14, far, top + 14, kind))
        if kind == "alert":
            drawn.append(text(250, top + gap + 14, "43 expected: one update is lost", kind, "middle"))
        parts += drawn
    for thread in (0, 1):
        y = 116 + thread * gap
        parts += [cell(540, y, 130, 28, "thread", f"thread {thread}: + 1"), arrow(675, y + 14, 745, y + 14, "global"),
                  cell(750, y, 60, 28, "global", 42 + thread, strong=True)]
    return svg("race", top + 80, "Two threads count the same byte: how an update is lost",
               f"Time runs downwards. {' '.join(row[-1] for row in rows)} With atomicAdd the memory performs both "
               "additions, one after the other: 42, then 43.", parts)


# --- Strides and sectors ------------------------------------------------------------------------

SECTOR = 32  # bytes
# A load's name, the size of a value, and the distance between the values of neighbouring lanes.
LOADS = [("neighbouring bytes", 1, 1), ("every 8th byte", 1, 8), ("every 32nd byte", 1, 32),
         ("neighbouring ints", 4, 4), ("every 2nd int", 4, 8), ("every 8th int", 4, 32)]


def sectors(size, stride):
    """The sectors that a warp's request touches."""
    return {(lane * stride + byte) // SECTOR for lane in range(LANES) for byte in range(size)}


def strides():
    wide, gap = 14, 46
    at = [180 + sector * wide + sector // 4 * 4 for sector in range(LANES)]
    parts = [text(at[0], 82, "32 sectors of 32 bytes, 4 per cache line; what the lanes load is filled", "dim", size=13)]
    for i, (name, size, stride) in enumerate(LOADS):
        top, touched = 96 + i * gap, sectors(size, stride)
        share = 100 * LANES * size / (len(touched) * SECTOR)
        words = f"{len(touched)} sector{'s' * (len(touched) > 1)}, {share:.3g} % used"
        values = [(at[lane * stride // SECTOR] + lane * stride % SECTOR / SECTOR * (wide - 2), top + 2)
                  for lane in range(LANES)]
        parts.append(step(
            i + 1, f"Each lane loads {size} byte{'s' * (size > 1)}, {name}: {words}.",
            text(20, top + 17, name), text(WIDTH - 20, top + 17, words, "global", "end", 14),
            cells([(x, top) for sector, x in enumerate(at) if sector in touched], wide - 2, 24, "global", 0.3),
            cells([(x, top) for sector, x in enumerate(at) if sector not in touched], wide - 2, 24, "dim", 0.1),
            cells(values, size / SECTOR * (wide - 2), 20, "global", 1, edge=0)))
    parts.append(note(top + gap + 14, "One load of a warp is one request. The memory system moves whole sectors, "
                      "however little of them is used."))
    numbers = "; ".join(f"{name}: {len(sectors(size, stride))}" for name, size, stride in LOADS)
    return svg("strides", top + gap + 32, "The sectors that one load of a warp requests",
               f"32 lanes load one value each. Sectors for {numbers}.", parts)


# --- Trees --------------------------------------------------------------------------------------

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
LEVELS = 3
# The chapter's names and Harris's.
SHAPES = {"adjacent pairs": "interleaved addressing", "pairs, packed": "interleaved, strided index",
          "halves": "sequential addressing"}


def additions(shape, level):
    """The additions of a level, counted from 0, each as (thread, left, right)."""
    if shape == "halves":
        half = len(VALUES) >> (level + 1)
        return [(thread, thread, thread + half) for thread in range(half)]
    near = 2**level
    lefts = range(0, len(VALUES), 2 * near)
    return [(left if shape == "adjacent pairs" else i, left, left + near) for i, left in enumerate(lefts)]


def trees():
    size, gap, y = 30, 84, 104
    parts = []
    for i, (shape, harris) in enumerate(SHAPES.items()):
        at, values = [20 + i * 285 + k * (size + 2) for k in range(len(VALUES))], list(VALUES)
        parts += [text(at[0], 66, shape, "thread", size=16), text(at[0], 86, harris, "dim", size=13)]
        parts += [cell(x, y, size, size, "shared", value) for x, value in zip(at, values)]
        for level in range(LEVELS):
            top = y + (level + 1) * gap
            above = top - gap + size
            for thread, left, right in additions(shape, level):
                values[left] += values[right]
                middle = at[left] + size / 2
                parts += [cell(at[left], top, size, size, "shared", values[left], strong=True),
                          arrow(middle, above, middle, top - 26, "shared"),
                          arrow(at[right] + size / 2, above, middle + 10, top - 22, "shared"),
                          cell(middle - 12, top - 26, 24, 22, "thread", thread)]
    parts.append(note(top + size + 28, "A circle is the thread that adds, a cell is shared memory. A barrier separates "
                      f"the levels. Each tree leaves {sum(VALUES)} in cell 0."))
    return svg("trees", top + size + 44, "Three trees over eight values, level by level",
               "All three add pairs in three levels. Adjacent pairs: the threads that add are farther apart at each "
               "level: 0, 2, 4, 6; then 0, 4; then 0. Pairs, packed: the lowest threads add the same pairs. Halves: the "
               "lowest threads add the upper half to the lower: 0 to 3, then 0 and 1, then 0.", parts)


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__.strip())
    old = []
    for draw in (banks, race, strides, trees):
        path, drawing = FIGURES / f"{draw.__name__}.svg", draw()
        if not path.exists() or path.read_text(encoding="utf-8") != drawing:
            old.append(path.name)
            if not arguments:
                path.write_text(drawing, encoding="utf-8")
    if arguments and old:
        sys.exit(f"docs/figures: {', '.join(old)} out of date; tools/results/picture_steps.py draws them")


if __name__ == "__main__":
    main(sys.argv[1:])
