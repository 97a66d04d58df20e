#!/usr/bin/env python3
"""usage: tools/picture_steps.py [--check]

Draws the pictures that a page of the site shows step by step: docs/figures/banks.svg, race.svg, strides.svg and trees.svg.
Elsewhere each shows all of its steps at once. --check changes nothing, and exits with 1 if a picture is out of date.
"""

import random
import sys
from collections import Counter
from functools import cache
from html import escape
from pathlib import Path

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "figures"
WIDTH = 860
LANES = BANKS = 32
# A colour's class: what it is on a light page and on a dark one.
COLORS = {"page": ("#ffffff", "#0d1117"), "ink": ("#1f2328", "#e6edf3"), "dim": ("#57606a", "#a3adb8"),
          "thread": ("#0f5cbd", "#82b9ff"), "shared": ("#00664b", "#55d6ad"), "global": ("#7a2676", "#f0a8e4"),
          "alert": ("#ae4312", "#ff9a68")}


# --- SVG ----------------------------------------------------------------------------------------


def text(x, y, words, kind="ink", anchor="start", size=15):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def cell(x, y, width, height, kind, words="", strong=False):
    """A cell of memory, or with a radius of half its height a thread."""
    radius = height / 2 if kind == "thread" else 3
    box = (f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius:g}" '
           f'fill-opacity="{0.35 if strong else 0.12}"/>')
    return box + (text(x + width / 2, y + height / 2 + 5, str(words), "ink", "middle", 14) if words != "" else "")


def cells(places, width, height, kind, opacity=0.4, edge=1):
    """Cells without words, as one path."""
    return f'<path class="{kind}" fill-opacity="{opacity}" stroke-width="{edge}" d="' + "".join(
        f"M{x:g},{y:g}h{width:g}v{height:g}h-{width:g}z" for x, y in places) + '"/>'


def arrow(x0, y0, x1, y1, kind):
    return f'<path class="{kind}" d="M{x0:g},{y0:g}L{x1:g},{y1:g}" fill="none" marker-end="url(#{kind}-end)"/>'


def step(number, words, *parts):
    return f'<g data-step="{number}"><title>{escape(words)}</title>{"".join(parts)}</g>'


def svg(name, height, title, description, parts):
    """A picture in the reader's colours: its page's if it is part of one, or else the system's."""
    rules = "".join(f"#{name} .{kind}{{fill:{light};fill:light-dark({light},{dark});"
                    f"stroke:{light};stroke:light-dark({light},{dark})}}" for kind, (light, dark) in COLORS.items())
    ends = "".join(f'<marker id="{kind}-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                   f'<path class="{kind}" d="M0,0L8,4L0,8z"/></marker>' for kind in ("thread", "shared", "global", "alert"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" '
            f'aria-labelledby="{name}-title {name}-text" font-family="system-ui, sans-serif">\n'
            f'<title id="{name}-title">{escape(title)}</title>\n<desc id="{name}-text">{escape(description)}</desc>\n'
            f'<style>#{name}:root{{color-scheme:light dark}}{rules}#{name} text[class]{{stroke:none}}</style>\n'
            f'<defs>{ends.replace("-end", f"-end-{name}")}</defs>\n'
            f'<rect class="page" width="{WIDTH}" height="{height}"/>\n'
            + text(20, 32, title, size=19) + "\n"
            + "\n".join(parts).replace("-end)", f"-end-{name})") + "\n</svg>\n")


# --- Bank conflicts -----------------------------------------------------------------------------

INPUTS = {"uniform": lambda draw: draw(256), "skewed": lambda draw: draw(256) & draw(256) & draw(256),
          "bank-attack": lambda draw: draw(256) & 0xE0, "constant": lambda draw: 7}
COPIES = (1, 8, 16, 32)


def words_of(warp, copies):
    """The words of shared memory that a warp's lanes add to, given their bytes."""
    return [byte * copies + lane % copies for lane, byte in enumerate(warp)]


def by_bank(words):
    """The different words that fall into each bank; a bank serves one of them per pass."""
    result = [[] for _ in range(BANKS)]
    for word in dict.fromkeys(words):
        result[word % BANKS].append(word)
    return result


def passes(words):
    return max(Counter(word % BANKS for word in set(words)).values())


@cache
def warps(kind, number):
    """Warps of an input, the same each time."""
    draw = random.Random(1).randrange
    return [[INPUTS[kind](draw) for _ in range(LANES)] for _ in range(number)]


@cache
def mean_passes(kind, copies, number=20000):
    return sum(passes(words_of(warp, copies)) for warp in warps(kind, number)) / number


def banks():
    width, high, left = 19, 14, 120
    parts = []
    for i, kind in enumerate(INPUTS):
        warp, y, drawn, most = warps(kind, 1)[0], 70, [], {}
        for copies in COPIES:
            found = by_bank(words_of(warp, copies))
            bottom = y + {1: 8, 8: 4, 16: 2, 32: 1}[copies] * high
            drawn += [text(20, bottom - 2, "1 copy" if copies == 1 else f"{copies} copies"),
                      text(WIDTH - 20, bottom - 2, f"{mean_passes(kind, copies):.2f}", "alert", "end")]
            for number in range(max(map(len, found))):
                most.setdefault(number + 1, []).append(
                    cells([(left + bank * width, bottom - (number + 1) * high) for bank in range(BANKS)
                           if len(found[bank]) > number], width - 3, high - 3, "shared" if number == 0 else "alert"))
            drawn.append(f'<path class="dim" d="M{left},{bottom + 1}h{BANKS * width}"/>')
            y = bottom + 34
        steps = [step(number, f"Pass {number}: each bank serves one word. " + (
            "All lanes whose word is alone in its bank are done." if number == 1 else
            f"Only lanes whose bank had {number} or more words to serve are left."), *drawing) for number, drawing in most.items()]
        hidden = "" if i == 0 else ' display="none"'
        parts.append(f'<g data-choice="{kind}"{hidden}>' + "".join(drawn + steps) + "</g>")
    parts += [text(left, 60, "bank 0", "dim", size=13), text(left + BANKS * width, 60, "bank 31", "dim", "end", 13),
              text(WIDTH - 20, 60, "passes", "dim", "end", 13),
              text(20, y + 4, "One warp's 32 additions. A cell is a different word; green ones take the first pass, the cells above "
                   "them one more pass each.", "dim", size=13),
              text(20, y + 24, "The numbers are means over 20,000 warps.", "dim", size=13)]
    return svg("banks", y + 40, "Bank conflicts with 1, 8, 16 and 32 copies of the histogram",
               "Each lane of a warp adds 1 to the counter of its byte in its copy. Counters of one bank are served one after "
               "another, one per pass. Mean passes for uniform bytes: "
               + ", ".join(f"{mean_passes('uniform', copies):.2f} with {copies}" for copies in COPIES)
               + " copies. For bytes that are all multiples of 32: "
               + ", ".join(f"{mean_passes('bank-attack', copies):.2f} with {copies}" for copies in COPIES) + ".", parts)


# --- The lost update ----------------------------------------------------------------------------


def race():
    y, gap = 116, 44
    load, store = "loads 5", "stores 6"
    rows = [(0, load, "Thread 0 loads the count, 5, into a register."),
            (1, load, "Thread 1 loads the same 5: nothing tells it that thread 0 is about to change it."),
            (0, "adds: 6", "Thread 0 adds 1 in its register."), (1, "adds: 6", "Thread 1 adds 1 in its register."),
            (0, store, "Thread 0 stores 6."),
            (1, store, "Thread 1 stores 6 over it. Two additions, but the count grew by 1: one update is lost.")]
    parts = [text(20, 72, "++d_bins[7]: load, add, store", "thread", size=16)]
    parts += [text(x, 98, words, "dim", "middle", 13) for x, words in ((80, "thread 0"), (250, "d_bins[7]"), (420, "thread 1"))]
    for i, (thread, words, title) in enumerate(rows):
        top, x = y + i * gap, (20, 360)[thread]
        inner, outer = (145, 215) if thread == 0 else (355, 285)
        middle = top + 14
        value = 6 if words == store else 5
        lost = i == len(rows) - 1
        shown = [cell(x, top, 120, 28, "thread", words), cell(220, top, 60, 28, "alert" if lost else "global", value, words == store)]
        if words == load:
            shown.append(arrow(outer, middle, inner, middle, "global"))
        if words == store:
            shown.append(arrow(inner, middle, outer, middle, "alert" if lost else "global"))
        if lost:
            shown.append(text(250, top + gap + 14, "7 expected: one update is lost", "alert", "middle"))
        parts.append(step(i + 1, title, *shown))
    bottom = y + len(rows) * gap
    parts.append(text(540, 72, "atomicAdd(&d_bins[7], 1)", "thread", size=16))
    parts += [text(x, 98, words, "dim", "middle", 13) for x, words in ((600, "threads"), (780, "d_bins[7]"))]
    for i, words in enumerate(("thread 0: + 1", "thread 1: + 1")):
        top = y + i * gap
        parts.append(step(len(rows) + 1 + i, f"With atomicAdd, the memory itself loads, adds and stores for thread {i}, and nothing "
                          f"comes between: {6 + i}.", cell(540, top, 130, 28, "thread", words), arrow(675, top + 14, 745, top + 14, "global"),
                          cell(750, top, 60, 28, "global", 6 + i, True)))
    return svg("race", bottom + 36, "Two threads count the same byte: how an update is lost",
               "Time runs down. " + " ".join(title for _, _, title in rows) +
               " With atomicAdd the memory performs both additions one after the other: 6, then 7.", parts)


# --- Strides and sectors ------------------------------------------------------------------------

SECTOR = 32
LOADS = [("neighbouring bytes", 1, 1), ("neighbouring ints", 4, 4), ("every 2nd int", 4, 8), ("every 4th int", 4, 16),
         ("every 8th int", 4, 32)]


def sectors(size, stride):
    """The sectors that a warp's request touches: a lane's value has this size, and its neighbour's is a stride away."""
    return {(lane * stride + byte) // SECTOR for lane in range(LANES) for byte in range(size)}


def strides():
    left, wide, y, parts = 180, 14, 96, []
    for i, (name, size, stride) in enumerate(LOADS):
        top, touched = y + i * 46, sectors(size, stride)
        used = LANES * size / (len(touched) * SECTOR)
        at = [left + sector * wide + sector // 4 * 4 for sector in range(LANES)]
        whole = [cells([(x, top) for sector, x in enumerate(at) if (sector in touched) == there], wide - 2, 24, kind, opacity)
                 for there, kind, opacity in ((True, "global", 0.3), (False, "dim", 0.1))]
        strokes = cells([(at[lane * stride // SECTOR] + lane * stride % SECTOR / SECTOR * (wide - 2), top + 2)
                         for lane in range(LANES)], size / SECTOR * (wide - 2), 20, "global", 1, 0)
        words = f"{len(touched)} sector{'s' * (len(touched) > 1)}, {100 * used:g} % used"
        parts.append(step(i + 1, f"Each lane loads {size} byte{'s' * (size > 1)}, {name}: {words}.",
                          text(20, top + 17, name), *whole, strokes, text(WIDTH - 20, top + 17, words, "global", "end", 14)))
    bottom = y + len(LOADS) * 46
    parts += [text(left, 82, "32 sectors of 32 bytes, 4 to a cache line; a stroke is what a lane loads", "dim", size=13),
              text(20, bottom + 14, "One load of a warp is one request. The memory system moves whole sectors, whatever is used of them.",
                   "dim", size=13)]
    return svg("strides", bottom + 32, "The sectors that one load of a warp requests",
               "32 lanes load one value each. " + " ".join(
                   f"{name[0].upper()}{name[1:]}: {len(sectors(size, stride))} sectors." for name, size, stride in LOADS), parts)


# --- Trees --------------------------------------------------------------------------------------

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]


def additions(shape, level, count):
    """What is added in a level, counted from 0: (thread, left, right) each."""
    near, half = 2**level, count >> (level + 1)
    if shape == "halves":
        return [(thread, thread, thread + half) for thread in range(half)]
    lefts = range(0, count, 2 * near)
    return [(left if shape == "adjacent pairs" else i, left, left + near) for i, left in enumerate(lefts)]


def trees():
    size, gap, y, levels = 30, 84, 104, 3
    parts, steps = [], {level: [] for level in range(levels)}
    shapes = {"adjacent pairs": "interleaved addressing", "pairs, packed": "interleaved, strided index",
              "halves": "sequential addressing"}
    for i, (shape, harris) in enumerate(shapes.items()):
        left, values = 20 + i * 285, list(VALUES)
        at = [left + k * (size + 2) for k in range(len(values))]
        parts += [text(left, 66, shape, "thread", size=16), text(left, 86, harris, "dim", size=13)]
        parts += [cell(x, y, size, size, "shared", value) for x, value in zip(at, values)]
        for level in range(levels):
            top, before = y + (level + 1) * gap, y + level * gap + size
            added = additions(shape, level, len(values))
            for thread, to, other in added:
                values[to] += values[other]
            targets = {to for _, to, _ in added}
            steps[level] += [cell(x, top, size, size, "shared", value, k in targets)
                             for k, (x, value) in enumerate(zip(at, values)) if k in targets]
            for thread, to, other in added:
                middle = at[to] + size / 2
                steps[level] += [arrow(middle, before, middle, top - 26, "shared"),
                                 arrow(at[other] + size / 2, before, middle + 10, top - 22, "shared"),
                                 cell(middle - 12, top - 26, 24, 22, "thread", thread)]
    for level, drawn in steps.items():
        words = "; ".join(f"{shape}: threads {', '.join(str(thread) for thread, _, _ in additions(shape, level, len(VALUES)))}"
                          for shape in shapes)
        parts.append(step(level + 1, f"Level {level + 1}. {words}.", *drawn))
    bottom = y + levels * gap + size
    parts.append(text(20, bottom + 28, "Circles are the threads that add, and cells are shared memory. A barrier separates the levels. "
                      f"Each tree ends with {sum(VALUES)} in cell 0.", "dim", size=13))
    return svg("trees", bottom + 44, "Three trees over eight values, level by level",
               "All three add pairs in three levels. Adjacent pairs: in each level the threads that add are farther apart: "
               "0, 2, 4, 6; then 0, 4; then 0. Pairs, packed: the lowest threads add the same pairs. Halves: the lowest threads add "
               "the upper half to the lower: 0 to 3, then 0 and 1, then 0.", parts)


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__.strip())
    old = []
    for draw in (banks, race, strides, trees):
        path, drawing = FIGURES / f"{draw.__name__}.svg", draw()
        if not path.exists() or path.read_text(encoding="utf-8") != drawing:
            old.append(str(path.relative_to(FIGURES.parent.parent)))
            if not arguments:
                path.write_text(drawing, encoding="utf-8")
    if arguments and old:
        sys.exit(f"out of date: {', '.join(old)}; tools/picture_steps.py draws them")


if __name__ == "__main__":
    main(sys.argv[1:])
