"""Names what limits a kernel, by the rule of Nsight Compute's section "Speed of Light": the busiest unit, if it is busy for
at least 60 % of the kernel's time, otherwise latency.

The times are estimated from the lens's counts, with the constants of an H200. docs/lens.md compares the words with those of
recorded counters.
"""

from counts import SECTOR, SMS, ratio

BUSY = 0.6                 # from which share of the time on a unit is the limiter: Nsight Compute's rule
CLOCK = 1.98e9             # Hz, the highest: documented
DRAM = 4.55e12             # bytes per second, measured by streaming loads
L1 = 4                     # sectors per cycle and SM, documented
WAVEFRONTS = 0.92          # per cycle and SM, the most that was counted
ATOMIC = 5.5               # cycles per sector of one 128-byte line in L2, fitted to the times of chapters 02 and 04
FAR, NEAR = 725, 40        # cycles until a load from memory or from the L1 cache completes: measured; published for an H100
RESIDENT = 64              # warps per SM, documented
ISSUE = 4                  # instructions per cycle and SM, documented
INSTRUCTIONS = {"requests": 5, "warp_functions": 16, "arrivals": 12}  # for each, fitted to all recorded instruction counts
BLOCK = 66                 # cycles until an SM starts its next block, measured with 4,096 and with 16,384 blocks
LAUNCH = 2.0e-6            # seconds: the recorded time of a kernel that loads 256 numbers, less the time of a load

def seconds(its):
    """The estimated time of launches, and the part of it for which each unit is busy, averaged over all SMs."""
    launches, cycle = its["launches"], 1 / CLOCK
    sms = min(SMS, its["blocks"] / launches)
    dram, line = its["touched_sectors"] * SECTOR / DRAM, its["busiest_line"] * ATOMIC * cycle
    in_sms = {"L1": (its["load_sectors"] + its["store_sectors"]) / L1, "shared memory": its["wavefronts"] / WAVEFRONTS,
              "issue": sum(its[name] * each for name, each in INSTRUCTIONS.items()) / ISSUE}
    misses = min(1.0, ratio(its["touched_sectors"], its["load_sectors"]))
    turns = max(launches, its["warps"] / (RESIDENT * sms))
    latency = ratio(its["loads"], its["warps"]) * turns * (NEAR + misses * (FAR - NEAR)) * cycle
    longest = max(dram, line, max(in_sms.values()) / sms * cycle) + launches * FAR * cycle  # units wait for the first load
    time = launches * LAUNCH + its["blocks"] / sms * BLOCK * cycle + max(longest, latency)
    l1, shared, issue = (number / SMS * cycle for number in in_sms.values())
    return time, {"memory": max(dram, l1), "shared memory": shared, "issue": issue, "launch": launches * LAUNCH,
                  "atomics": line if its["atomics"] > 0 else 0}  # waiting for the same line's stores is latency


def limiter(of_launches):
    """The word for launches after each other, given by their sums."""
    if not of_launches:
        return "nothing"
    times = [seconds(its) for its in of_launches]
    busy = {unit: sum(units[unit] for _, units in times) for unit in times[0][1]}
    unit = max(busy, key=busy.get)
    return unit if busy[unit] >= BUSY * sum(time for time, _ in times) else "latency"


def digits(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def figures(of_launches, word, about):
    """The two counts that matter most for a word. `about` marks those that a sample only estimates."""
    if word == "nothing":
        return []
    its = {name: sum(one[name] for one in of_launches) for name in of_launches[0]}
    moved, launched, loads = its["touched_sectors"] * SECTOR, its["launches"], digits(ratio(its["loads"], its["warps"]))
    sectors = its["load_sectors"] + its["store_sectors"] + its["atomic_sectors"]
    return {
        "memory": [f"{moved:,} bytes to move", f"{about}{ratio(sectors, its['touched_sectors']):.2f} times as many requested"],
        "shared memory": [f"{about}{its['wavefronts']:,} wavefronts", f"{ratio(its['wavefronts'], its['shared']):.2f} per access"],
        "atomics": [f"{about}{max(one['busiest_line'] for one in of_launches):,} sectors of one 128-byte line",
                    f"{about}{its['atomics']:,} requests"],
        "issue": [f"{about}{its['requests']:,} requests", f"by {its['warps']:,} warps"],
        "latency": [f"{about}{loads} load{'s' * (loads != '1')} per warp",
                    f"{digits(its['warps'] / launched / SMS)} warps per SM"],
        "launch": [f"{launched} launch" + "es" * (launched > 1), f"{moved:,} bytes to move"],
    }[word]
