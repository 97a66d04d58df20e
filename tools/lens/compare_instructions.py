"""Compares the lens's estimated numbers of instructions with recorded numbers, in a section of docs/lens.md."""

from statistics import median

from instructions import WEIGHTS, instructions, lanes
from recorded import RESULTS
from rows import Problem

MOST = 0.15  # the largest median of the relative errors
FAR = 0.3    # rows with a larger relative error are named
WORDS = {"arithmetic": "arithmetic instructions of x86", "branches": "branches, without those of loops that nvcc usually unrolls",
         "divisions": "divisions and square roots", "requests": "requests to memory", "arrivals": "warps that arrive at a barrier",
         "warp_functions": "warp functions", "warps": "warps"}


def fitted(rows):
    """The nonnegative weights that minimize the sum of squared relative errors. A row has each count per recorded instruction."""
    size = len(rows[0])
    products = [[sum(row[i] * row[k] for row in rows) for k in range(size)] for i in range(size)]
    sums, weights = [sum(row[i] for row in rows) for i in range(size)], [0.0] * size
    for _ in range(1000):
        for i in range(size):
            if products[i][i]:
                rest = sums[i] - sum(product * weight for product, weight in zip(products[i], weights))
                weights[i] = max(0.0, weights[i] + rest / products[i][i])
    return weights


def off(rows, weights):
    return [abs(sum(count * weight for count, weight in zip(row, weights)) - 1) for row in rows]


def off_without(rows, groups):
    """The median of the rows' relative errors, with weights that were fitted to the rows of all other groups."""
    found = []
    for group in set(groups):
        inside, outside = ([row for row, its in zip(rows, groups) if (its == group) == is_in] for is_in in (True, False))
        found += off(inside, fitted(outside))
    return median(found)


def section(pairs):
    """The lines of this section of the page. `pairs` are recorded rows and their sums. Raises Problem if the estimates are too far off."""
    rows = [[its[name] / float(theirs["instructions"]) for name in WEIGHTS] for theirs, its in pairs]
    errors = off(rows, WEIGHTS.values())
    if median(errors) > MOST:
        raise Problem(f"the estimated numbers of instructions are {median(errors):.0%} off at the median, more than {MOST:.0%}: "
                      "fit WEIGHTS (tools/lens/instructions.py) again")
    far = [f"*{theirs['variant']}* ({100 * instructions(its) / float(theirs['instructions']) - 100:+.0f} %)"
           for (theirs, its), error in zip(pairs, errors) if error > FAR]
    alike = sum(abs(lanes(its) / float(theirs["active_lanes"]) - 1) <= MOST for theirs, its in pairs)
    of_kernel = off_without(rows, [(theirs["chapter"], theirs["kernel"]) for theirs, _ in pairs])
    of_chapter = off_without(rows, [theirs["chapter"] for theirs, _ in pairs])
    percent = lambda share: f"{100 * share:.0f} %"
    return [
        "## Instructions", "",
        "The lens estimates how many instructions warps execute, with or without an access. It counts how often they execute each basic",
        "block of g++'s code. `tools/lens/basic_blocks.py` then counts the x86 instructions of these blocks, without those that belong to",
        "the simulator or the lens. Each weight says how many of nvcc's instructions a count stands for on average:", "",
        "| count | weight |", "|---|---:|", *(f"| {WORDS[name]} | {weight} |" for name, weight in WEIGHTS.items()), "",
        f"The weights were fitted to the {len(pairs)} recorded rows (`smsp__inst_executed`) and rounded. The estimates are {percent(median(errors))} off",
        f"at the median, and {percent(sorted(errors)[int(0.9 * len(errors))])} at the 90th percentile. These rows are more than {percent(FAR)} off: {', '.join(far)}.", "",
        f"For other kernels, expect more: if a kernel's rows are left out of the fit, its estimates are {percent(of_kernel)} off at the median, and",
        f"{percent(of_chapter)} if the rows of its whole chapter are.",
        (RESULTS / "simulator" / "textbook.txt").read_text(encoding="utf-8").strip(), "",
        f"In {alike} of {len(pairs)} rows, the estimated number of lanes per instruction is within {percent(MOST)} of the recorded number of active",
        "lanes (`smsp__thread_inst_executed_per_inst_executed`).", ""]
