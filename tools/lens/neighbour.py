"""The recorded time of the chapter's variant with the same counts as a kernel, or those of the two nearest variants."""

import bound
from limiter import added, digits, loads_per_warp, waiting
from profiles import profile as usual
from recorded import KEY, RESULTS, key, known_counts, times
from rows import seconds

CLOSE = 0.02     # the largest relative difference of counts between kernels that do the same
EXPLAINED = 0.1  # the largest relative difference between the wait for loads and the time it explains
NEAREST = 2      # variants that are named if none does the same
# The counts that are compared. If several differ equally, the first one here is named, so the launch's shape comes first.
COUNTS = {
    "launches": "launches", "blocks": "blocks", "warps": "warps", "loads": "requests of global loads",
    "load_sectors": "sectors of global loads", "store_sectors": "sectors of global stores",
    "atomics": "requests of global atomics", "atomic_sectors": "sectors of global atomics",
    "shared": "requests to shared memory", "wavefronts": "wavefronts in shared memory",
    "arrivals": "arrivals of warps at barriers", "warp_functions": "calls of warp functions",
}


def difference(yours, theirs):
    """How far two sets of counts are apart, and the name of the count that differs most. The distance is the largest relative
    difference if all counts are close, else the sum of the differences: the largest alone is often near 1."""
    apart = {count: abs(yours[count] - theirs[count]) / (max(yours[count], theirs[count]) or 1) for count in COUNTS}
    most = max(apart, key=apart.get)
    return apart[most] if apart[most] <= CLOSE else sum(apart.values()), most


def shape(row):
    """Text about a variant's launch, if its grid or block was set; else empty."""
    parts = ("a grid", "grid"), ("blocks", "block")
    given = [f"{what} of {row[column]:,.0f}" for what, column in parts if row[column]]
    return f" with {' and '.join(given)}" if given else ""


def recorded(chapter, given, n, device):
    """For each of the chapter's variants that were timed on a device with an input of n elements: the timed launches, each with a
    name, the time and the counts."""
    results = RESULTS / f"{device.lower().replace(' ', '-')}.csv"
    known, found = known_counts(), {}
    for row in times([results]) if results.exists() else []:
        place, name = key(row), f"*{row['variant']}*{shape(row)}"
        its = dict(zip(KEY, place))
        if (row["chapter"], row["device"], its["mode"], its["input"], row["n"]) == (chapter, device, "", given, n) and place in known:
            found.setdefault(row["variant"], {}).setdefault(place, (name, row["time_s"], added(known[place])))
    return [list(launches.values()) for launches in found.values()]


def nearest(yours, variants):
    """The variants with the same counts, or else the nearest variants, each represented by its nearest launch: the distance, the
    count that differs most, and the launch's name, time and counts."""
    near = sorted((min(((*difference(yours, theirs), name, time, theirs) for name, time, theirs in launches),
                       key=lambda each: each[0]) for launches in variants), key=lambda each: each[0])
    same = [each for each in near if each[0] <= CLOSE and each[0] == near[0][0]]
    return same or near[:NEAREST]


def words(of_launches, chapter, given, n, profile):
    """A sentence about the nearest variants; none if no time was recorded. It also says that the kernel waits for loads, if that
    explains the time."""
    yours = added(of_launches)
    found = nearest(yours, recorded(chapter, given, n, profile.device))
    if not found:
        return []
    if found[0][0] > CLOSE:
        others = (f"{name}, {seconds(time)}, with {digits(theirs[count])} {COUNTS[count]} "
                  f"instead of {digits(yours[count])}"
                  for _, count, name, time, theirs in found)
        return [f"no variant of the chapter that was timed on {bound.article(profile)} has these counts; the nearest: "
                + "; ".join(others)]
    same = " or ".join(f"{name}: {seconds(time)}" for _, _, name, time, _ in found)
    waits, longest = sum(map(waiting, of_launches)), max(time for *_, time, _ in found)
    has_latency = profile.device == usual().device
    is_waiting = has_latency and abs(waits - longest) <= EXPLAINED * longest
    between = (f"; the time above the bound is spent waiting: {loads_per_warp(yours)}, one after another, "
               f"take {seconds(waits)}")
    return [f"about the same counts as {same} on {bound.article(profile)}{between * is_waiting}"]
