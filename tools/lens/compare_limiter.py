"""Compares the lens's limiters with those that recorded percentages imply, in a section of docs/lens.md."""

import csv
import re
from pathlib import Path
from statistics import median

import compare_instructions
import counts
import limiter
import programs
from profiles import profile
from rows import Problem

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build" / "simulator" / "bin"
SEEN = ROOT / "docs" / "results" / "simulator" / "limiter.csv"
KEY = ["case", "chapter", "variant", "input", "n", "kernel"]
SMALL = 1 << 20  # elements; the counts of more are extrapolated
LEAST = 0.9      # the share of limiters that must agree
UNITS = ["memory", "shared memory", "issue", "atomics"]
TYPES = {"int counters": "int", "unsigned counters": "unsigned int", "64-bit counters": "unsigned long long",
         "float counters": "float", "double counters": "double"}  # the counter types of chapter 02's --counter-types

# Why limiters differ.
WIDENED = "nvcc loads two neighbouring 8-byte numbers at once (`LDS.128`), which halves the wavefronts."
MERGE = ("The lens estimates {estimated:.1f} µs, but the kernel takes {recorded:.1f} µs. The estimate probably leaves out most of "
         "the time in which blocks clear and merge their copies, before and after they read the input.")
REASONS = {("thread_zero_kernel", "latency", "shared memory"): WIDENED, ("one_launch_kernel", "latency", "memory"): MERGE}


def largest_launch(theirs, n, share=1):
    """The largest launch of a recorded row's kernel, counted for n elements on a device with 1/`share` of the SMs."""
    program = BIN / f"{theirs['chapter']}_lens"
    if not program.exists():
        raise Problem(f"{program} has not been built: ./course lens {theirs['chapter'][:2]} does that")
    options, its_type = ["--variant", theirs["variant"], "--input", theirs["input"]], r"\b"
    if theirs["case"] == "counter-types":
        options, its_type = ["--counter-types"], f"<{TYPES[theirs['variant']]}[,>]"
    seen = programs.run(program, [*options, "--n", str(n)], share=share, has_row=False)
    launches = [launch for launch in seen["launches"] if re.match(theirs["kernel"] + its_type, launch["kernel"])]
    if not launches:
        raise Problem(f"{theirs['chapter']}, {theirs['variant']}: the lens has seen no launch of {theirs['kernel']}")
    return max(launches, key=counts.warps)


def sums(theirs, n, share=1):
    """The sums (counts.sums) of one such launch."""
    launch = largest_launch(theirs, n, share)
    return {name: number / launch["launches"] for name, number in counts.sums(launch).items()}


def counted(theirs):
    """The sums of a recorded row, counted or extrapolated by the lens."""
    n = int(theirs["n"])
    if n <= SMALL:
        return sums(theirs, n)
    return counts.extrapolated(*(sums(theirs, size, counts.SHARE) for size in counts.SIZES), n)


def record(recorded):
    rows = []
    for theirs in recorded:
        print(f"{theirs['chapter']}, {theirs['variant']}, {theirs['input']}, n = {theirs['n']}: {theirs['kernel']}", flush=True)
        rows.append({**{name: theirs[name] for name in KEY},
                     **{name: f"{number:.10g}" for name, number in counted(theirs).items()}})
    with open(SEEN, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def percentages(theirs, its):
    """How busy the units were according to Nsight Compute, in percent; for atomics, their rate on the busiest line of L2, per second."""
    time = float(theirs["kernel_s"])
    return {"memory": max(float(theirs["dram"]), float(theirs["l2"])), "shared memory": float(theirs["shared"]),
            "issue": 100 * float(theirs["instructions"]) / (counts.SMS * limiter.ISSUE * limiter.CLOCK * time),
            "atomics": its["busiest_line"] / time if its["atomics"] > 0 else 0}


def section(recorded):
    """The lines of this section of the page. Raises Problem if too few limiters agree."""
    with open(SEEN, newline="", encoding="utf-8") as file:
        seen = {tuple(row[name] for name in KEY): row for row in csv.DictReader(file)}
    missing = [theirs["variant"] for theirs in recorded if tuple(theirs[name] for name in KEY) not in seen]
    if missing:
        raise Problem(f"{SEEN.name} lacks {', '.join(missing)}: run tools/lens/compare.py --record")
    pairs = []
    for theirs in recorded:
        its = {name: float(text) for name, text in seen[tuple(theirs[name] for name in KEY)].items() if name not in KEY}
        pairs.append((theirs, its, percentages(theirs, its)))
    fastest = max(busy["atomics"] for _, _, busy in pairs)
    agree, lines, reasons = 0, [], []
    apart = sorted(abs(limiter.seconds(its)[0] - its["launches"] * profile().launch - float(theirs["kernel_s"])) / float(theirs["kernel_s"])
                   for theirs, its, _ in pairs)
    for theirs, its, busy in pairs:
        busy["atomics"] *= 100 / fastest
        unit = max(busy, key=busy.get)
        expected = unit if busy[unit] >= 100 * limiter.BUSY else "latency"
        word = limiter.limiter([its])
        mine = "latency" if word == "launch" else word  # Nsight Compute's times begin after the launch
        agree += mine == expected
        mark = ""
        if mine != expected:
            why = REASONS.get((theirs["kernel"], expected, mine), "The reason is unknown.").format(
                recorded=1e6 * float(theirs["kernel_s"]), estimated=1e6 * limiter.seconds(its)[0])
            if why not in reasons:
                reasons.append(why)
            mark = f" ({reasons.index(why) + 1})"
        size = f"{int(theirs['n']) >> 20} Mi" if int(theirs["n"]) >= 1 << 20 else theirs["n"]
        lines.append(f"| {theirs['chapter'][:2]} | {theirs['variant']} | {theirs['kernel']} | {theirs['input']} | {size} | "
                     + " | ".join(f"{busy[name]:.1f}" for name in UNITS) + f" | {expected} | {mine}{mark} |")
    if agree < LEAST * len(pairs):
        raise Problem(f"the limiter agrees with only {agree} of {len(pairs)} recorded rows, less than {LEAST:.0%}")
    return [
        *compare_instructions.section([(theirs, its) for theirs, its, _ in pairs]),
        "## The limiter", "",
        f"In {agree} of {len(pairs)} rows, the lens names the limiter that follows from the recorded percentages.", "",
        "According to Nsight Compute's section *Speed of Light*, a kernel is limited by its busiest unit if that unit reaches 60 % of",
        "its peak throughput, and otherwise by latency. The percentages here come from the recording. *Memory* is the larger of the",
        "percentages of DRAM and L2. *Issue* is the recorded number of instructions, as a percentage of those that all SMs could",
        "issue in the kernel's time at 1.98 GHz; the recorded column `issue` leaves out the time in which an SM has no warps.", "",
        "Nsight Compute reports no percentage for atomics on one line of L2, so it would classify these kernels as limited by",
        "latency. Here, *atomics* is the rate of sectors on the busiest line, as a percentage of the highest rate in the recording.", "",
        "The lens applies the same 60 % rule to times that it estimates from its counts and the rates above (`tools/lens/limiter.py`), and",
        "to its estimated numbers of instructions. For more than 1 Mi elements, the lens counts two smaller inputs on a device",
        "with a twelfth of the SMs, and extrapolates. If its limiter is *launch*, the table shows *latency*, because Nsight Compute's times",
        "begin after the launch. The lens's reports are more specific, with *few blocks* or *divergence* instead of *latency*, and *arithmetic* instead of *issue*.", "",
        f"These estimated times, without the launch, are {100 * median(apart):.0f} % off the recorded ones at the median, and "
        f"{100 * apart[int(0.9 * len(apart))]:.0f} % at the 90th percentile. That is",
        "too inaccurate to show, so the lens uses them only to name the limiter.", "",
        f"| | variant | kernel | input | n | {' | '.join(UNITS)} | recorded limiter | the lens's limiter |",
        "|---|---|---|---|---|" + "---:|" * len(UNITS) + "---|---|", *lines, "",
        *(f"{i + 1}. {text}" for i, text in enumerate(reasons)), ""]
