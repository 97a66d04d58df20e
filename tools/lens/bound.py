"""The least time that kernels need on a GPU, from their counts and the best measured rates.

Each resource gives a time. The bound is the largest of these, not their sum, because the resources can work at the same time.
If the counts allow several possibilities, the fastest is assumed:

* L2 may already hold as much of the input as fits, and may still hold written data. If the input is cold, it was evicted before, as
  in the course's benchmark.
* L1 serves every load of a sector except the first. Stores and atomics go to L2; many to the same sectors are faster.
* nvcc may join a lane's loads or stores of neighbouring addresses, join those of lanes in different branches, and add up what a
  warp adds to one address.
* nvcc may keep values in registers that a thread loads or stores again, and load the program's variables as constants.
* Launches may overlap: only the time to launch them one by one in a stream, and the use of shared resources, are added up.
"""

from counts import SECTOR, ratio
from profiles import rate
from rows import plain, seconds


def amount(number):
    return f"{number:,.0f}"


def bytes_of(number):
    for factor, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number:.0f} bytes"


def from_dram(of_launches, l2, is_cold):
    """The least number of bytes that DRAM must deliver or accept."""
    written = SECTOR * sum(its["store_sectors"] + its["atomic_sectors"] for its in of_launches)
    new = 0
    for its in of_launches:
        k = its["launches"]
        own = SECTOR * (its["store_sectors"] + its["atomic_sectors"]) / k
        new += k * max(0, SECTOR * its["touched_sectors"] / k - l2 - min(l2, own))
    first = max(SECTOR * its["touched_sectors"] / its["launches"] for its in of_launches) - min(l2, written)
    return max(new, first if is_cold else 0)


def times(of_launches, profile, is_cold=False):
    """The least time, in seconds, for each resource that is used, with a description; the largest first. `of_launches` are the sums
    (counts.sums) of consecutive launches."""
    found, rates = [], profile.rates

    def add(least, words):
        if least > 0:
            found.append((profile.launch + least, words))

    def most(name, resource, words):
        """Adds the time for a resource that launches can use at the same time, in different places: that of the busiest launch."""
        busiest = max(its[name] / its["launches"] for its in of_launches)
        if busiest > 0 and resource in rates:
            add(busiest / rates[resource], f"{amount(busiest)} {words} at {rate(rates[resource], '/s')}")

    launches = max(1, sum(its["least_launches"] for its in of_launches))
    if profile.launch:
        found.append((profile.launch + (launches - 1) * profile.each, f"{plain(launches)} launch{'es' * (launches != 1)}"))
    moved = from_dram(of_launches, profile.l2_bytes, is_cold)
    if "DRAM" in rates:
        add(moved / rates["DRAM"], f"{bytes_of(moved)} from DRAM at {rate(rates['DRAM'], 'B/s')}")
    if "L2" in rates:
        touched = sum(its["touched_sectors"] for its in of_launches)
        add(touched / rates["L2"], f"{amount(touched)} sectors of L2 at {rate(rates['L2'], '/s')}")
    if "stores" in rates:
        changing = sum(its["least_stores"] + its["least_atomics"] for its in of_launches)
        add(changing / rates["stores"], f"{amount(changing)} sectors of stores and atomics at {rate(rates['stores'], '/s')}")
    for name, resource, what in (("least_loads", "L1", "sectors through L1"),
                                 ("least_wavefronts", "shared memory", "wavefronts in shared memory")):
        if resource not in rates:
            continue
        used = [min(profile.sms, its["blocks"] / its["launches"]) for its in of_launches]
        least = max(sum(its[name] for its in of_launches) / profile.sms,
                    *(ratio(its[name] / its["launches"], sms) for its, sms in zip(of_launches, used)))
        add(least / rates[resource], f"{amount(least)} {what} per SM at {rate(rates[resource], '/s')}")
    if "atomics" in rates:
        all_sectors = sum(its["least_atomics"] for its in of_launches)
        add(all_sectors / rates["atomics"], f"{amount(all_sectors)} sectors of atomics at {rate(rates['atomics'], '/s')}")
    most("least_line", "atomics on one line", "sectors of atomics on one 128-byte line")
    most("least_address", "atomics on one address", "atomics on one address")
    if "one thread" in rates:
        busiest = max(ratio(its["least_requests"], its["warps"]) for its in of_launches)
        add(busiest / rates["one thread"], f"{amount(busiest)} access{'es' * (amount(busiest) != '1')} per warp at {rate(rates['one thread'], '/s')}")
    if profile.barriers:
        least, count = max(chain(its, profile) for its in of_launches)
        add(least, f"{amount(count)} barriers one after another")
    return sorted(found, reverse=True)


def chain(its, profile):
    """The least time, in seconds, of a launch's barriers that must follow each other, and their number: those of a block, and of the
    blocks that run after it in the same place on an SM."""
    threads = 32 * its["warps"] / its["blocks"]
    each = its["arrivals"] / its["warps"]
    places = profile.sms * min(profile.blocks, profile.threads // threads or 1)
    count = each * max(1, its["blocks"] / its["launches"] / places)
    return count * profile.barrier(threads), count


def article(profile):
    return f"{'an' if profile.name[0] in 'AEFHILMNORSX8' else 'a'} {profile.name}"


def words(of_launches, profile, is_cold=False):
    """The bound as text: its time, the resource that causes it, and the next bound."""
    (least, why), *others = times(of_launches, profile, is_cold) or [(0.0, "nothing that was measured")]
    sheet = "" if not profile.source else " (by its data sheet)"
    second = f"; the next bound is {seconds(others[0][0])}, for {others[0][1]}" if others else ""
    return f"at least {seconds(least)} on {article(profile)}{sheet}, for {why}{second}"
