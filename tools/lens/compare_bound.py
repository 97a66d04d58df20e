"""Compares all recorded times with their lower bounds, in a section of docs/lens.md. No time may be below its bound."""

import csv
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import bound
import counts
import profiles
import programs
from recorded import KEY, OF_APPLICATIONS, SEEN, key, known_counts, times
from rows import Problem, seconds, size

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build" / "simulator" / "bin"
SMALL = 4 << 20  # elements; counts for more are extrapolated
STEPS = 1 << 19, 1 << 20  # elements, for a grid whose size does not depend on the device
FEW, PART = 4096, 128  # of grids larger than FEW, 1/PART of the blocks run on 1/PART of the elements
CHANNELS = {"rgb": "3", "rgba": "4"}
WIDTH = 1024  # pixels per row of an image
KEY_BYTES = 4  # an element's size in chapter 03's --levels, whose --n counts bytes


def command(its, n):
    """The program of a recorded row, and the program's options for n elements."""
    mode = its["mode"]
    program = f"{its['chapter']}{'_applications' * (mode in OF_APPLICATIONS)}_lens"
    if mode in CHANNELS:
        return program, ["--input", its["input"], "--channels", CHANNELS[mode], "--made", f"{WIDTH}x{n // WIDTH}"]
    options = ["--input", its["input"], "--n", str(n * (KEY_BYTES if mode == "levels" else 1))]
    if mode:  # a mode chooses its own grids
        return program, [*options, f"--{mode}"]
    shape = [word for name in ("grid", "block") if its[name] != "0" for word in (f"--{name}", its[name])]
    return program, [*options, "--no-cpu", "--variant", its["variant"], *shape]


def launched(its, n, share=1):
    """The sums of a variant's kernels, or of all kernels of a mode, by variant and kernel. A mode launches each kernel once."""
    program, options = command(its, n)
    seen = programs.run(BIN / program, options, share=share, has_row=False, each=bool(its["mode"]))
    if seen["status"] != 0:
        raise Problem(seen["said"].strip())
    launches = [launch for launch in seen["launches"] if "/main.cu:" not in launch["launched_at"]]
    if not its["mode"]:
        return {(its["variant"], kernel): sums for kernel, sums in counts.by_kernel(launches).items()}
    timed = launches[:len(its["variants"])]  # afterwards, --weighted compares the sums of other grids
    if len(timed) < len(its["variants"]) or len(timed) < len(launches) and its["mode"] != "weighted":
        raise Problem(f"{' '.join([program, *options])} launches {len(launches)} kernels, but {len(its['variants'])} variants are recorded")
    return {(variant, launch["kernel"]): counts.sums(launch) for variant, launch in zip(its["variants"], timed)}


def counted(its, known):
    """The sums of the kernels, extrapolated for large inputs. `known` caches earlier counts."""
    n = int(its["n"])
    if n <= SMALL or its["mode"] == "levels":  # the sectors of a million bins don't grow linearly with the input
        return launched(its, n)
    if int(its["grid"]) > FEW:  # such a kernel has one thread per element
        part = {**its, "grid": str(int(its["grid"]) // PART)}
        return {kernel: {name: number * (1 if name in counts.LAUNCHES else PART) for name, number in sums.items()}
                for kernel, sums in launched(part, n // PART).items()}
    sizes, share = (counts.SIZES, counts.SHARE) if its["grid"] == "0" else (STEPS, 1)
    name = tuple(its[column] for column in KEY if column != "n")
    if name not in known:
        known[name] = [launched(its, each, share) for each in sizes]
    small, big = known[name]
    return {kernel: counts.extrapolated(small.get(kernel, sums), sums, n, sizes, share) for kernel, sums in big.items()}


def runs():
    """The runs that are needed: one per variant, and one for all kernels of a mode."""
    found = {}
    for row in times():
        its = dict(zip(KEY, key(row)))
        place = tuple(value for name, value in its.items() if name != "variant" or not its["mode"])
        variants = found.setdefault(place, {**its, "variants": []})["variants"]
        if its["variant"] not in variants:
            variants.append(its["variant"])
    return [found[place] for place in sorted(found)]


def record():
    known = {}

    def lines_of(its):
        print(", ".join([*(its[name] for name in KEY if name != "variant"), *its["variants"]]), flush=True)
        return [{**{name: its[name] for name in KEY}, "variant": variant, "kernel": kernel,
                 **{name: f"{number:.10g}" for name, number in sums.items()}}
                for (variant, kernel), sums in counted(its, known).items()]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = [line for lines in pool.map(lines_of, runs()) for line in lines]
    with open(SEEN, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, lines[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def pairs():
    """Each recorded time with its bound, as text and in seconds. Raises Problem if a row has no counts, or a time is below its bound."""
    known, by_device, found = known_counts(), {}, []
    for row in times():
        if key(row) not in known:
            raise Problem(f"{SEEN.name} lacks {', '.join(key(row))}: run tools/lens/compare.py --record")
        if row["device"] not in by_device:
            by_device[row["device"]] = profiles.profile(row["device"])
        sums, profile = known[key(row)], by_device[row["device"]]
        least = bound.times(sums, profile, True)[0]
        fastest = row.get("fastest_s") or row["p10_s"]
        if fastest < least[0]:
            raise Problem(f"{row['place']}: {row['variant']}, n = {row['n']:.0f}: {seconds(fastest)} is below the bound: "
                          f"{bound.words(sums, profile, True)}")
        found.append((row, sums, profile, least))
    return found


# How each rate is measured.
HOW = {
    "a launch": "an empty kernel between two events, launched while another kernel runs",
    "each further launch": "10 to 500 empty kernels in one stream; a graph launches more per second, and so do several streams",
    "DRAM": "1 to 4 GiB are read by streaming 16-byte loads, written, or copied",
    "L2": "1/16 to 1/2 of its size is read by loads that bypass L1, or written, 32 to 256 times",
    "stores and atomics, sectors": "all warps store once to the same 32 sectors",
    "L1, sectors per SM": "each block loads its own 5 or 20 KiB again and again",
    "shared memory, wavefronts per SM": "loads of 4 and 16 bytes, and additions, without conflicts",
    "atomics, sectors": "each lane adds to its own counter, or to a counter in its own sector",
    "atomics on one line, sectors": "all lanes, or one lane per warp, add to one counter, one sector or one line",
    "atomics on one address": "the same",
    "accesses of one warp": "independent loads from shared memory or L1, or stores to shared memory by one lane",
    "a barrier of 256 threads": "10,000 of them, in one block",
}


def rows_of_rates(found):
    """Table rows: how each rate is measured, and its value on each measured GPU."""
    values = list(map(profiles.cells, found))
    return [f"| {name} | {how} | {' | '.join(cells[name] for cells in values)} |" for name, how in HOW.items()]


def section():
    """The lines of this section of the page. Raises Problem if a time is below its bound."""
    found = pairs()
    measured = {profile.device: profile for _, _, profile, _ in found}
    sheets = list(profiles.of_sheets())
    ratios = [row["time_s"] / least for row, _, _, (least, _) in found]
    lines = []
    for row, sums, profile, (least, why) in found:
        if row["case"] == "progression":
            others = bound.times(sums, profile, True)[1:2]
            lines.append(f"| {row['chapter'][:2]} | {row['variant']} | {size(row['n'])} | {seconds(row['time_s'])} | {seconds(least)} | {why} | "
                         + "".join(f"{seconds(time)}: {words}" for time, words in others) + " |")
    return [
        "## How fast could it be", "",
        "The lens shows the least time that kernels need on a GPU. For each resource, it divides the counts by the best rate that was ever",
        "measured, and adds the time of a launch. The largest of these times is the bound. It is not an estimate: kernels also wait, and use",
        f"one resource after another. All {len(found)} recorded times of variants on an H200 and on an H100 are above their bounds, the closest by",
        f"{100 * (min(ratios) - 1):.0f} %; half of them are below {median(ratios):.1f} times the bound.",
        "In a report, the line after the bound names the chapter's variant whose launch and counts are within 2 % of these, with its recorded time, or the",
        "two nearest variants. If a chain of dependent loads would take about as long as it took, the line says so.", "",
        "What the counts leave open is decided in favour of the kernels (`tools/lens/bound.py`):", "",
        "* L2 may already hold as much of the input as fits, and still hold what was written. The course's benchmark evicts the input first, so",
        "  that for chapters and exercises each distinct sector comes from DRAM once.",
        "* L1 serves all loads of a sector except the first. Stores and atomics go to L2, as fast as those of all warps to the same sectors.",
        "* nvcc may join a lane's loads, or stores, of neighbouring bytes to one of up to 32 bytes, in shared memory 16, if all lanes' addresses",
        "  allow it: if they are multiples of its width apart. It may also make one of those in two branches, and add up what a warp adds to one",
        "  address.",
        "* nvcc may keep in a register what a thread loads or stores again, as in `a[i] += x` in a loop, and load variables of the program,",
        "  such as `__constant__` ones, as constants. A load that a thread soon repeats does not count again.",
        "* Kernels may overlap, but they are launched one after another, unless a graph, a kernel or another stream launches them.", "",
        "The rates are those of microbenchmarks, the best of several grids, blocks and patterns. `tools/lens/profile.cu` measures them, and",
        "`tools/lens/try_profile.py` compares the amounts of work that it claims with the lens's counts. `./course profile` runs it on your GPU;",
        "`./course lens 03 --gpu NAME` then computes bounds for it. Rows below have the least time, or the most per second:", "",
        f"| resource | how it is measured | {' | '.join(measured)} |", "|---|---|" + "---:|" * len(measured),
        *rows_of_rates(list(measured.values())), "",
        "For these GPUs, only the peak memory bandwidth and the L2 size are known, from data sheets. Their bounds are marked as such.", "",
        "| GPU | DRAM | L2 | source |", "|---|---:|---:|---|",
        *(f"| {profile.device} | {profiles.rate(profile.rates['DRAM'], 'B/s')} | {bound.bytes_of(profile.l2_bytes)} | {profile.source} |" for profile in sheets), "",
        "The variants of the chapters' tables on an H200, with their bounds:", "",
        "| | variant | n | measured | at least | because of | next |", "|---|---|---|---:|---:|---|---|", *lines, ""]
