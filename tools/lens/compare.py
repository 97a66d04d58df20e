#!/usr/bin/env python3
"""usage: tools/lens/compare.py --record | --check [--again]

Compares the lens's counts and limiters with what Nsight Compute has recorded on a GPU: docs/lens.md.

--record  runs the rows that were recorded, and writes the counts and the page (minutes, and gigabytes of memory)
--check   says whether the page is what the recordings give, no recorded time is below its bound, and nine of ten limiters agree
--again   also runs the rows of 1 Mi elements and less and all rows of limiters, and says whether they are as recorded
"""

import csv
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "results")]
import compare_bound  # noqa: E402
import compare_limiter  # noqa: E402
import counts  # noqa: E402
from compare_limiter import KEY, SMALL, largest_launch  # noqa: E402
from counts import ratio, total  # noqa: E402
from recorded import KEY as PLACE, known_counts  # noqa: E402
from rows import Problem, run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDED = ROOT / "docs" / "results" / "nvidia-h200-counters.csv"
SEEN = ROOT / "docs" / "results" / "simulator" / "lens.csv"
PAGE = ROOT / "docs" / "lens.md"
COLUMNS = {"loads": "global loads", "load_sectors": "sectors per load", "atomics": "global atomics",
           "atomic_sectors": "their sectors", "shared_atomics": "shared atomics", "shared_wavefronts": "shared wavefronts"}
MOST = 100 << 20  # elements; the lens would take minutes and many gigabytes for more
CLOSE = 0.01

# Why counts of atomics' sectors and of shared wavefronts differ.
PLACES = ("If the lanes of an atomic touch many lines, Nsight Compute counts some of their sectors twice. Which ones depends on where "
          "the array lies: on an H200, the same 32 indices had different counts at different places, and the same count in each "
          "repetition.")
SPLIT = 0.02  # the relative excess that PLACES explains
PREDICATED = ("Warps that have nothing to add at a level of a tree, or nothing to store at the end, still issue these loads and "
              "stores, with all lanes predicated off. Nsight Compute counts each such instruction as a wavefront, but the lens "
              "does not.")
AGGREGATED = ("nvcc first adds up what the lanes of a warp add to the same counter (`REDUX`), and then one lane adds the sum. "
              "The sums of different warps conflict, and Nsight Compute counts this as bank conflicts. Choosing that lane costs "
              "another wavefront per warp, for reading the lane's number.")
FILLS = ("The L1 cache uses the same on-chip memory as shared memory. While loads fill it, accesses to shared memory take additional "
         "wavefronts, which Nsight Compute counts as bank conflicts. If the loads bypass the L1 cache (`-Xptxas -dlcm=cg`, or `__ldcg` "
         "in *loads in flight*), the counts agree within 1 %.")
WIDENED = "nvcc loads two neighbouring 8-byte numbers at once (`LDS.128`)."
BRANCHES = ("adjacent_packed_kernel", "warps_kernel", "lone_block_kernel")  # in nvcc's code for these, warps without work branch around it


def reason(column, mine, theirs):
    ours, counted, conflicts = float(mine[column]), float(theirs[column]), float(theirs["bank_conflicts"])
    if column == "atomic_sectors" and ours < counted <= (1 + SPLIT) * ours:
        return PLACES
    if column != "shared_wavefronts":
        return ""
    if theirs["kernel"] == "register_kernel":
        return AGGREGATED if ours < counted else ""
    if theirs["kernel"] == "one_launch_kernel" and ours < counted and conflicts == 0:
        return PREDICATED
    if theirs["kernel"] in BRANCHES:
        return ""
    if float(theirs["shared_atomics"]) == 0 and theirs["chapter"] > "06":
        return PREDICATED if ours < counted else WIDENED if theirs["kernel"] == "thread_zero_kernel" else ""
    return FILLS if ours < counted and 0 < counted - conflicts <= (1 + CLOSE) * ours else ""


def columns(launch):
    """The lens's counts of a launch, by the names of COLUMNS, as Nsight Compute would count: reading `threadIdx.x` costs a
    wavefront per warp, and a shuffle of 8 bytes costs two."""
    times, one = launch["launches"], [launch]
    loads = total(one, "global", "load", "requests")
    return {"loads": loads // times, "load_sectors": round(ratio(total(one, "global", "load", "sectors"), loads), 4),
            "atomics": total(one, "global", "atomic", "requests") // times,
            "atomic_sectors": total(one, "global", "atomic", "sectors") // times,
            "shared_atomics": total(one, "shared", "atomic", "requests") // times,
            "shared_wavefronts": (total(one, "shared", None, "wavefronts") + counts.warps(launch)
                                  + 2 * launch["warp_functions"]) // times}


def ours(theirs):
    """A recorded row with the lens's counts instead: those of the kernel's largest launch."""
    return {**{name: theirs[name] for name in KEY}, **columns(largest_launch(theirs, int(theirs["n"])))}


def read(path, left_out=("loads", "strides", "levels")):  # modes of chapters 05 and 03
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["case"] not in left_out]


def recorded():
    return [row for row in read(RECORDED) if row["case"] != "counter-types" and int(row["n"]) <= MOST]


def deviation(mine, theirs):
    mine, theirs = float(mine), float(theirs)
    return abs(mine - theirs) / theirs if theirs else float(mine != 0)


def of_few_bins():
    """A sentence that compares the rule for atomics with a recorded row of chapter 03's `--levels`, whose bins are in one line."""
    theirs, = (row for row in read(RECORDED, ()) if row["kernel"] == "global_level_kernel")
    place = {**theirs, "mode": "levels", "grid": "0", "block": "0"}
    mine, = known_counts()[tuple(place[name] for name in PLACE)]
    return (f"For *{theirs['variant']}* of `--levels`, the lens counts {mine['atomic_sectors']:,.0f} sectors, and Nsight Compute "
            f"{float(theirs['atomic_sectors']):,.0f}.")


def page(seen):
    """The comparison, as a page."""
    theirs = {tuple(row[name] for name in KEY): row for row in recorded()}
    close, explained, other, lines, reasons = 0, 0, 0, [], []
    for mine in seen:
        row = theirs[tuple(mine[name] for name in KEY)]
        cells = []
        for column in COLUMNS:
            far = deviation(mine[column], row[column])
            why = reason(column, mine, row) if far > CLOSE else ""
            if why and why not in reasons:
                reasons.append(why)
            close, explained, other = close + (far <= CLOSE), explained + bool(why), other + (far > CLOSE and not why)
            number = f"{float(mine[column]):,.10g}"
            mark = "" if far <= CLOSE else f" ({round(float(row[column]), 4):,.10g}" + (f", {reasons.index(why) + 1})" if why else ")")
            cells.append(number + mark)
        size = f"{int(mine['n']) >> 20} Mi" if int(mine["n"]) >= 1 << 20 else mine["n"]
        lines.append(f"| {mine['chapter'][:2]} | {mine['variant']} | {mine['kernel']} | {mine['input']} | {size} | "
                     + " | ".join(cells) + " |")
    return "\n".join([
        "# The lens and Nsight Compute", "",
        "This page compares the counts of the [lens](../common/simulator/lens/README.md) on the simulator with those of Nsight Compute on an",
        "H200 ([the recording](results/nvidia-h200-counters.csv)), for the largest launch of each variant and kernel.",
        "The [site's editors](install.md#in-a-browser) show such counts beside the lines of an exercise or of a program.", "",
        f"{close} of {close + explained + other} counts agree within 1 %. {explained} differ for the reasons given below the table"
        + (f", and {other} for unknown reasons." if other else "."), "",
        "The table shows the lens's counts. If Nsight Compute's count differs by more than 1 %, it is added in parentheses, with the",
        "number of the reason, if known. Rows of more than 100 Mi elements, of `--counter-types`, `--levels`, `--loads` and `--strides`",
        "are left out. *Shared wavefronts* are the wavefronts of all accesses to shared memory, plus one per warp for reading",
        "`threadIdx.x`, and two per 8-byte shuffle.",
        "The rule for the sectors of global atomics (`atomic_sectors` in `hardware.hpp`) was found with single requests on an H100. "
        f"{of_few_bins()}", "",
        "| | variant | kernel | input | n | " + " | ".join(COLUMNS.values()) + " |",
        "|---|---|---|---|---|" + "---:|" * len(COLUMNS), *lines, "",
        *(f"{i + 1}. {text}" for i, text in enumerate(reasons)), "",
        *compare_bound.section(),
        *compare_limiter.section(read(RECORDED)),
        "This page is generated by `tools/lens/compare.py --record`.", ""])


def record():
    rows = []
    for theirs in recorded():
        print(f"{theirs['chapter']}, {theirs['variant']}, {theirs['input']}, n = {theirs['n']}: {theirs['kernel']}", flush=True)
        rows.append(ours(theirs))
    with open(SEEN, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    compare_limiter.record(read(RECORDED))
    compare_bound.record()
    PAGE.write_text(page(rows), encoding="utf-8")


def check(again):
    seen = read(SEEN)
    if PAGE.read_text(encoding="utf-8") != page(seen):
        raise Problem("docs/lens.md is not what the recordings give: run tools/lens/compare.py --record")
    if not again:
        return
    small = [row for row in seen if int(row["n"]) <= SMALL]
    for rows, count in (small, ours), (read(compare_limiter.SEEN), compare_limiter.counted):
        for row in rows:
            for name, number in count(row).items():
                if name not in KEY and deviation(number, row[name]) > CLOSE:
                    raise Problem(f"{row['chapter']}, {row['variant']}, n = {row['n']}, {row['kernel']}: {name} were {row[name]} "
                                  f"and are {number:.10g}")


def main(arguments):
    if arguments == ["--record"]:
        record()
    elif arguments in (["--check"], ["--check", "--again"]):
        check("--again" in arguments)
    else:
        raise Problem(__doc__)


if __name__ == "__main__":
    run(main)
