"""Names what limits a kernel: the largest of a few times that its counts would take on an H200.

The constants are an H200's. Where they come from is beside them; some are guesses. These times are for the comparison with
each other; they predict nothing.
"""

from counts import SECTOR, ratio, total, warps

SMS, CLOCK = 132, 1.9e9    # documented; Hz, a guess: 1.98 GHz at most
DRAM = 4.55e12             # bytes per second, measured by streaming loads
LAUNCH = 2.9e-6            # seconds, measured
WAVEFRONTS = 0.92          # per cycle and SM, the most that was counted
ATOMIC = 5.5               # cycles per sector of one 128-byte line, fitted to the times of chapters 02 and 04
FAR, NEAR = 725, 40        # cycles until a load from memory or from the L1 cache completes: measured; published for an H100
RESIDENT = 64              # warps per SM, documented
INSTRUCTIONS = 10          # per request of a loop, a guess
ISSUE = 4                  # instructions per cycle and SM, documented


def times(launches):
    """Seconds by what would take them."""
    result = dict.fromkeys(("memory", "shared memory", "atomics", "issue", "latency", "launch"), 0.0)
    for launch in launches:
        one, sms = [launch], min(SMS, launch["blocks"] / launch["launches"])
        cycles = 1 / CLOCK
        loads, sectors = total(one, "global", "load", "requests"), total(one, "global", "load", "sectors")
        requests = total(one, None, None, "requests")
        wavefronts = total(one, "shared", None, "wavefronts")
        result["memory"] += launch["touched_sectors"] * SECTOR / DRAM
        result["memory"] += max(0, sectors - launch["touched_sectors"]) / 4 / sms * cycles  # from the L1 cache
        result["shared memory"] += wavefronts / WAVEFRONTS / sms * cycles
        result["atomics"] += launch["busiest_line"] * ATOMIC * cycles
        result["issue"] += requests * INSTRUCTIONS / ISSUE / sms * cycles
        misses = min(1.0, ratio(launch["touched_sectors"], sectors))
        turns = max(1.0, warps(launch) / (RESIDENT * sms))
        result["latency"] += ratio(loads, warps(launch)) * turns * (NEAR + misses * (FAR - NEAR)) * cycles
        result["launch"] += launch["launches"] * LAUNCH
    return result


def digits(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def limiter(launches):
    """The word, and the two counts that matter most."""
    if not launches:
        return "nothing", []
    seconds = times(launches)
    word = max(seconds, key=seconds.get)
    accesses = total(launches, "shared", None, "requests")
    all_warps = sum(map(warps, launches))
    sectors, touched = total(launches, "global", None, "sectors"), sum(launch["touched_sectors"] for launch in launches)
    launched = sum(launch["launches"] for launch in launches)
    figures = {
        "memory": [f"{touched * SECTOR:,} bytes to move", f"{ratio(sectors, touched):.2f} times as many requested"],
        "shared memory": [f"{total(launches, 'shared', None, 'wavefronts'):,} wavefronts",
                          f"{ratio(total(launches, 'shared', None, 'wavefronts'), accesses):.2f} per access"],
        "atomics": [f"{max((launch['busiest_line'] for launch in launches)):,} sectors of one 128-byte line",
                    f"{total(launches, 'global', 'atomic', 'requests'):,} requests"],
        "issue": [f"{total(launches, None, None, 'requests'):,} requests", f"by {all_warps:,} warps"],
        "latency": [f"{digits(ratio(total(launches, 'global', 'load', 'requests'), all_warps))} loads in a row per warp",
                    f"{digits(all_warps / launched / SMS)} warps per SM"],
        "launch": [f"{launched} launch" + "es" * (launched > 1), f"{touched * SECTOR:,} bytes to move"],
    }
    return word, figures[word]
