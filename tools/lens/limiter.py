"""Names what limits a kernel, by the rule of Nsight Compute's section "Speed of Light": the busiest unit, if it is busy for
at least 60 % of the kernel's time, otherwise latency. The counts then refine this, for example to bank conflicts or few blocks.

The times are estimated from the lens's counts and the rates of an H200, only to choose the limiter. docs/lens.md compares the
units with those of recorded counters.
"""

from counts import SECTOR, SMS, ratio
from instructions import computing, instructions, lanes
from profiles import profile

BUSY = 0.6           # a unit that is busy for this share of the time is the limiter: Nsight Compute's rule
FAR, NEAR = 725, 40  # cycles until a load from memory or from the L1 cache completes: measured; published for an H100
DEPENDENT = 4        # cycles until an instruction's result can be used: documented for most arithmetic, compute capability 7.x
CLOCK = 1.98e9       # Hz, the highest: documented
RESIDENT = 64        # warps per SM, documented
ISSUE = 4            # instructions per cycle and SM, documented
BLOCK = 66           # cycles until an SM starts its next block, measured with 4,096 and with 16,384 blocks


def of_lines(its, usual):
    """The time, in seconds, of atomics on the busiest line and on lines beside it in the same part of L2, taken as equally busy: as
    many as all atomics would fill, up to the most that was measured."""
    count = max(size for size in usual.lines if size <= max(1, ratio(its["atomic_sectors"], its["busiest_line"])))
    return its["busiest_line"] * count / usual.lines[count]


def turns(its):
    """The least number of warps that must run one after another, because only so many fit on the SMs at once."""
    return max(its["launches"], its["warps"] / (RESIDENT * min(SMS, its["blocks"] / its["launches"])))


def waiting(its):
    """The estimated time, in seconds, in which launches wait for loads, if a warp issues each load after the previous one completes."""
    misses = min(1.0, ratio(its["touched_sectors"], its["load_sectors"]))
    return ratio(its["loads"], its["warps"]) * turns(its) * (NEAR + misses * (FAR - NEAR)) / CLOCK


def seconds(its):
    """The estimated time of launches, and the time for which each unit is busy, averaged over all SMs; in seconds."""
    usual = profile()
    launches, cycle = its["launches"], 1 / CLOCK
    sms = min(SMS, its["blocks"] / launches)
    dram = its["touched_sectors"] * SECTOR / usual.rates["DRAM"]
    line = of_lines(its, usual)
    in_sms = {"L1": (its["load_sectors"] + its["store_sectors"]) / usual.rates["L1"],
              "shared memory": its["wavefronts"] / usual.rates["shared memory"],
              "issue": instructions(its) / ISSUE * cycle}
    longest = max(dram, line, max(in_sms.values()) / sms) + launches * FAR * cycle  # units are idle until the first load completes
    start = launches * usual.launch
    sequence = ratio(instructions(its), its["warps"]) * turns(its) * DEPENDENT * cycle
    time = start + its["blocks"] / sms * BLOCK * cycle + max(longest, waiting(its) + sequence)
    l1, shared, issue = (number / SMS for number in in_sms.values())
    return time, {"memory": max(dram, l1), "shared memory": shared, "issue": issue, "launch": start,
                  "atomics": line if its["atomics"] > 0 else 0}  # stores to one line count as latency


def limiter(of_launches):
    """What limits consecutive launches, given by their sums: a unit, latency, or nothing if there are none."""
    if not of_launches:
        return "nothing"
    times = [seconds(its) for its in of_launches]
    busy = {unit: sum(units[unit] for _, units in times) for unit in times[0][1]}
    unit = max(busy, key=busy.get)
    return unit if busy[unit] >= BUSY * sum(time for time, _ in times) else "latency"


def digits(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def several(number, what):
    return f"{digits(number)} {what}{'s' * (digits(number) != '1')}"


# What to try against each limiter, and the chapter that explains it.
ADVICE = {
    "uncoalesced": "let neighbouring lanes access neighbouring addresses (chapter 05)",
    "memory": "move fewer bytes: the memory can't deliver them faster (chapter 04)",
    "bank conflicts": "let the lanes of a warp use different banks: by copies (chapter 04) or other indices (chapter 06)",
    "shared memory": "keep intermediate results in registers: by shuffles, or a sum per thread (chapter 06)",
    "atomics": "give each block its own counters in shared memory, and merge them at the end (chapter 03)",
    "few blocks": "launch enough blocks for all SMs (chapter 05)",
    "divergence": "let whole warps either do the work or skip it, not only some of their lanes (chapter 06)",
    "arithmetic": "compute less: compute nothing twice, and replace divisions by shifts or comparisons (chapter 06)",
    "issue": "do more per instruction: wider loads (chapter 04), several elements per thread (chapter 06)",
    "latency": "keep more loads in flight: several per thread, or more warps (chapters 04 and 05)",
    "launch": "do more in each launch (chapters 06 and 07)",
}
WASTED = 2   # with more than this many times the needed sectors or wavefronts, the waste is the limiter
HALF = 16    # lanes
SELDOM = 16  # this many instructions without access per request, barrier or warp function make arithmetic the limiter


def name(of_launches):
    """The refined limiter of consecutive launches, a key of ADVICE, or "nothing" if there are no launches."""
    unit = limiter(of_launches)
    if unit in ("nothing", "launch", "atomics"):
        return unit
    its = added(of_launches)
    is_wasteful = its["load_sectors"] + its["store_sectors"] > WASTED * its["needed_sectors"]
    if unit == "shared memory" and its["wavefronts"] > WASTED * its["needed_wavefronts"]:
        return "bank conflicts"
    if unit == "memory":
        return "uncoalesced" if is_wasteful else unit
    if its["blocks"] / its["launches"] <= SMS / 2:
        return "few blocks"
    if lanes(its) < HALF:
        return "divergence"
    if unit == "issue" and computing(its) > SELDOM * (its["requests"] + its["arrivals"] + its["warp_functions"]):
        return "arithmetic"
    if its["lanes"] < HALF * its["requests"]:
        return "divergence"
    return "uncoalesced" if unit == "latency" and is_wasteful else unit


def added(of_launches):
    return {what: sum(one[what] for one in of_launches) for what in of_launches[0]}


def loads_per_warp(its):
    return several(ratio(its["loads"], its["warps"]), "load") + " per warp"


def figures(of_launches, word, about):
    """The two counts that matter most for a limiter. `about` marks counts that are estimated from a sample."""
    if word == "nothing":
        return []
    its = added(of_launches)
    moved, launched = its["touched_sectors"] * SECTOR, its["launches"]
    moving = its["load_sectors"] + its["store_sectors"]
    sectors = moving + its["atomic_sectors"]
    loads = about + loads_per_warp(its)
    return {
        "memory": [f"{moved:,.0f} bytes to move", f"{about}{ratio(sectors, its['touched_sectors']):.2f} times as many requested"],
        "uncoalesced": [f"{about}{digits(ratio(moving, its['moving']))} sectors per request, "
                        f"{digits(ratio(its['needed_sectors'], its['moving']))} would do", f"{about}{its['moving']:,.0f} requests"],
        "shared memory": [f"{about}{its['wavefronts']:,.0f} wavefronts", f"{ratio(its['wavefronts'], its['shared']):.2f} per access"],
        "bank conflicts": [f"{ratio(its['wavefronts'], its['shared']):.2f} wavefronts per access, "
                           f"{digits(ratio(its['needed_wavefronts'], its['shared']))} would do", f"{about}{its['wavefronts']:,.0f} in all"],
        "atomics": [f"{about}{max(one['busiest_line'] for one in of_launches):,.0f} sectors of one 128-byte line",
                    f"{about}{its['atomics']:,.0f} requests"],
        "few blocks": [f"{several(its['blocks'] / launched, 'block')} for {SMS} SMs", loads],
        "divergence": [f"{digits(min(lanes(its), ratio(its['lanes'], its['requests']) or 32))} of 32 lanes take part",
                       f"{about}{its['requests']:,.0f} requests"],
        "arithmetic": [f"about {several(ratio(instructions(its), its['warps']), 'instruction')} per warp",
                       several(ratio(its["requests"], its["warps"]), "request")],
        "issue": [f"{about}{its['requests']:,.0f} requests", f"by {its['warps']:,.0f} warps"],
        "latency": [loads + (", assumed sequential" if its["loads"] > its["warps"] else ""),
                    f"{digits(its['warps'] / launched / SMS)} warps per SM"],
        "launch": [f"{launched:,.0f} launch" + "es" * (launched > 1), f"{moved:,.0f} bytes to move"],
    }[word]
