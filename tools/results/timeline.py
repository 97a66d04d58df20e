"""Draws timelines that the streaming program has written with --timeline: a bar per chunk and step."""

import rows
from picture_svg import WIDTH, svg, text
from rows import Problem, number

COLUMNS = ["gpu", "slot", "first", "bytes", "read_from", "read_to", "copy_from", "copy_to", "count_from", "count_to",
           "device", "simulated", "driver", "cuda_runtime", "host_cpus", "commit", "date"]
STEPS = {"read": "alert", "copy": "thread", "count": "shared"}  # the steps and their colours
LEFT, RIGHT, LANE = 110, WIDTH - 32, 6


def read(path):
    columns, found = rows.cells(path)
    if columns != COLUMNS:
        raise Problem(f"{path}: is no timeline, as --timeline writes it: its first line is {','.join(columns)!r}")
    for place, row in found:
        row["simulated"] = row["simulated"] == "true"
        for column in COLUMNS[:10] + ["host_cpus"]:
            row[column] = number(row[column], column, place)
        for step in STEPS:
            if row[f"{step}_from"] > row[f"{step}_to"]:
                raise Problem(f"{place}: {step}_to is before {step}_from")
    return [row for _, row in found]


def ticks(end):
    """Four to ten round times from 0 up to the end, in seconds."""
    step = 1e-9
    while end / step > 10:
        step *= 2.5 if f"{step:e}"[0] == "2" else 2
    return [k * step for k in range(int(end / step) + 1)]


def bars(chunks, step, y, across):
    lane = y + list(STEPS).index(step) * LANE
    return f'<path class="{STEPS[step]}" fill-opacity="0.45" d="' + "".join(
        f"M{across(row[step + '_from']):.1f},{lane}V{lane + LANE - 1}H{across(row[step + '_to']):.1f}V{lane}z"
        for row in chunks) + '"/>'


class Timeline:
    """A picture of all runs on one time axis. A row is a slot: upper bars show reading, middle bars copying, lower bars counting."""

    def __init__(self, runs, name, title):
        self.runs, self.name, self.title = runs, name.replace("-", "_"), title
        origin = runs[0][0]
        self.machine = ("Simulated: these times say nothing about a GPU." if origin["simulated"]
                        else rows.machine(origin))

    def is_in(self, path):
        return path.exists() and path.read_text(encoding="utf-8") == self.svg()

    def svg(self):
        end = max(row["count_to"] for run in self.runs for row in run)
        if end <= 0:
            raise Problem("a timeline needs times above 0")
        across = lambda time: LEFT + (RIGHT - LEFT) * time / end
        parts, y = [], 62
        for at, (step, kind) in enumerate(STEPS.items()):
            x = LEFT + 110 * at
            parts.append(f'<rect class="{kind}" fill-opacity="0.45" x="{x}" y="{y - 12}" width="14" height="14"/>')
            parts.append(text(x + 22, y, step))
        for run in self.runs:
            slots = {}
            for row in run:
                slots.setdefault((row["gpu"], row["slot"]), []).append(row)
            y += 10
            for (gpu, slot), chunks in sorted(slots.items()):
                y += 3 * LANE + 4
                parts.append(text(LEFT - 10, y + 13, f"GPU {gpu:.0f}, slot {slot:.0f}", "dim", "end", 13))
                parts += [bars(chunks, step, y, across) for step in STEPS]
            y += 10
        y += 3 * LANE + 10
        for time in ticks(end):
            parts.append(f'<path class="dim" stroke-width="1" d="M{across(time):.1f},{y - 14}v6"/>')
            parts.append(text(f"{across(time):.1f}", y + 8, rows.seconds(time) if time else "0", "dim", "middle", 13))
        parts.append(text(20, y + 34, self.machine, "dim", size=13))
        words = "For each buffer, when its chunks were read, copied and counted."
        return svg(self.name, y + 48, self.title, f"{words} {self.machine}", parts)
