"""Estimates how many instructions warps execute on a GPU, from the accesses and the basic blocks that the lens counts."""

# How many of nvcc's instructions each count stands for, on average: fitted to all recorded instruction counts (docs/lens.md).
WEIGHTS = {"arithmetic": 0.5, "branches": 5, "divisions": 13, "requests": 1.5, "arrivals": 5, "warp_functions": 5, "warps": 10}
KINDS = ("arithmetic", "branches", "divisions")

USUAL = 0.7  # branches per request, if the basic blocks are not known


def usual(launch):
    """Estimated counts for a launch whose basic blocks are not known: each of KINDS, and the weighted sum over lanes."""
    branches, lanes_in_all = (USUAL * sum(site[name] for site in launch["sites"]) for name in ("requests", "lanes"))
    return {**dict.fromkeys(KINDS, 0), "branches": branches, "weighed_lanes": WEIGHTS["branches"] * lanes_in_all}


def computing(its):
    """The estimated number of instructions that warps execute, without those that access memory."""
    return sum(its[each] * WEIGHTS[each] for each in KINDS)


def instructions(its):
    """The estimated number of instructions that warps execute."""
    return sum(its[each] * weight for each, weight in WEIGHTS.items())


def lanes(its):
    """The estimated mean number of lanes that take part in an instruction; 32 if there are no instructions."""
    count = computing(its) + WEIGHTS["requests"] * its["requests"]
    return (its["weighed_lanes"] + WEIGHTS["requests"] * its["lanes"]) / count if count else 32
