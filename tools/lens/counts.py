"""The counts of the lens: adds up launches by kernel, source line and kind of access."""

import json
import os
import re

from instructions import usual

SECTOR = 32  # bytes
BANKS = 128  # bytes that a wavefront delivers
SMS = 132    # an H200's, so that grids sized by the device are the same on every machine
LAUNCHES = ["launches", "least_launches"]  # counts that are the same on a part of the device
SUMS = ["requests", "lanes", "sectors", "bytes", "wavefronts"]
MOST = ["bytes_per_lane", "most_lanes_on_address"]
WORST = ["worst_cost", "worst_bank", "worst_words", "worst_lanes", "worst_addresses"]
LARGE = 100 << 20  # bytes: the course's input of the histograms, too large for the lens
SHARE = 12  # a device with 1/12 of the SMs does 1/12 of the work, on 1/12 of the input
SIZES = 704 << 10, 1056 << 10  # elements that fill such a device; counts for other sizes are extrapolated linearly from these


def this_folder():
    """The current folder as compilers name it: by $PWD, if that is right."""
    named = os.environ.get("PWD", "")
    return named if os.path.realpath(named) == os.getcwd() else os.getcwd()


def read(written):
    """The lens's output, with paths relative to this folder. Raises ValueError if the output is incomplete."""
    # Lines of accesses have the folder's path, those of barriers don't.
    seen = json.loads(written.replace(json.dumps(this_folder() + "/", ensure_ascii=False)[:-1], '"'))
    for each in [*seen["launches"], *seen["findings"], *filter(None, [seen.get("recording")])]:  # readers don't need namespaces
        each |= {name: re.sub(r"^(\w+::)+", "", each[name]) for name in ("kernel", "where") if name in each}
    return seen


def short(kernel):
    """A kernel's name, shortened if its template arguments are too long."""
    return kernel if len(kernel) <= 48 else kernel[:45] + "..."


def is_estimated(site):
    """Whether a site's counts were scaled, because not all blocks that reached the site were counted."""
    return site["counted_blocks"] < site["blocks"]


def has_estimates(launch):
    return any(map(is_estimated, launch["sites"]))


def by_line(sites):
    """The counts of sites, added up by line, space and kind."""
    lines = {}
    for site in sites:
        key = site["line"], site["space"], site["kind"]
        sums = lines.setdefault(key, {name: 0 for name in SUMS + MOST} | {"worst_cost": -1, "estimated": False})
        sums["estimated"] |= is_estimated(site)
        for name in SUMS:
            sums[name] += site[name]
        for name in MOST:
            sums[name] = max(sums[name], site[name])
        if site["worst_cost"] > sums["worst_cost"]:
            sums.update({name: site[name] for name in WORST})
    return lines


def total(launches, space, kind, name):
    """The sum of a count over all sites of launches with a space and a kind; None stands for any."""
    return sum(site[name] for launch in launches for site in launch["sites"]
               if space in (None, site["space"]) and kind in (None, site["kind"]))


def ratio(a, b):
    return a / b if b else 0.0


def efficiency(sums):
    """The fraction of the moved bytes that the lanes have requested."""
    return ratio(sums["bytes"], sums["sectors"] * SECTOR)


def moved(launches):
    """The bytes moved from and to global memory, and the fewest bytes that these kernels could have moved."""
    return (total(launches, "global", None, "sectors") * SECTOR,
            sum(launch["touched_sectors"] for launch in launches) * SECTOR)


def warps(launch):
    x, y, z = launch["block"]
    return launch["blocks"] * ((x * y * z + 31) // 32)


def least(launch):
    """The counts that remain if nvcc joins all accesses that it may join, adds up all that a warp adds to one address, keeps values
    in registers that a thread loads or stores again, and loads variables of the program as constants. The lens can't see whether
    nvcc does so."""
    def of(name, space=None, kind=None):
        return sum(site[name] for site in launch["sites"] if space in (None, site["space"]) and kind in (None, site["kind"])
                   and not (site["in_variable"] and site["kind"] == "load"))

    # Every lane of each request names the same address, as far as the counts say.
    merged = [site for site in launch["sites"] if site["space"] == "global" and site["kind"] == "atomic"
              and site["sectors"] == site["lanes"] and len(set(site["worst_addresses"])) == 1]
    sectors, lanes = (sum(site[name] - site["requests"] for site in merged) for name in ("sectors", "lanes"))
    return {"least_requests": of("least"), "least_wavefronts": of("least_cost", "shared"),
            "least_loads": of("least_cost", "global", "load"), "least_stores": of("least_cost", "global", "store"),
            "least_atomics": total([launch], "global", "atomic", "sectors") - sectors,
            "least_line": max(0, launch["busiest_line"] - sectors - total([launch], "global", "store", "sectors")),
            "least_address": max(0, launch["hottest_address"] - lanes)}


def needed(launch):
    """The fewest sectors of loads and stores, and the fewest wavefronts, that could serve the lanes' requests: at least one per request."""
    moving = [site for site in launch["sites"] if site["space"] == "global" and site["kind"] != "atomic"]
    return {"lanes": total([launch], None, None, "lanes"), "moving": sum(site["requests"] for site in moving),
            "needed_sectors": sum(max(site["requests"], site["bytes"] / SECTOR) for site in moving),
            "needed_wavefronts": sum(max(site["requests"], site["lanes"] * site["bytes_per_lane"] / BANKS)
                                     for site in launch["sites"] if site["space"] == "shared")}


def sums(launch):
    """The counts of launches with one shape that bounds and limiters need. Each grows with the number of launches."""
    one = [launch]
    return {"launches": launch["launches"], "least_launches": launch["in_one_stream"], "blocks": launch["blocks"], "warps": warps(launch),
            "requests": total(one, None, None, "requests"), "warp_functions": launch["warp_functions"],
            "arrivals": sum(barrier["count"] for barrier in launch["barriers"]) * warps(launch) // launch["blocks"],
            "loads": total(one, "global", "load", "requests"), "load_sectors": total(one, "global", "load", "sectors"),
            "store_sectors": total(one, "global", "store", "sectors"), "touched_sectors": launch["touched_sectors"],
            "atomics": total(one, "global", "atomic", "requests"), "atomic_sectors": total(one, "global", "atomic", "sectors"),
            "busiest_line": launch["busiest_line"], "shared": total(one, "shared", None, "requests"),
            "wavefronts": total(one, "shared", None, "wavefronts"),
            **{name: launch.get(name, count) for name, count in usual(launch).items()}, **least(launch), **needed(launch)}


def extrapolated(small, big, n, sizes=SIZES, share=SHARE):
    """The sums of the whole device for n elements, extrapolated linearly from those of 1/`share` of the device at two sizes."""
    steps = (n / share - sizes[1]) / (sizes[1] - sizes[0])
    return {name: max(0, big[name] + (big[name] - small[name]) * steps) * (1 if name in LAUNCHES else share) for name in big}


def large(small, big):
    """The sums of each kernel for the course's input, extrapolated from those (by_kernel) of a part of the device at SIZES."""
    return [extrapolated(small.get(kernel, its), its, LARGE) for kernel, its in big.items()]


def of_part(share):
    """Settings for 1/`share` of the SMs. Blocks run in a fixed order, and all are counted. Races are not searched for."""
    return {"LENS_COUNTS_ONLY": "1", "LENS_SAMPLE": "1", "CUDA_SIM_MULTIPROCESSORS": str(SMS // share), "CUDA_SIM_WORKERS": "1"}


def by_kernel(launches):
    """The sums of all launches of each kernel, whatever their shapes and template arguments."""
    result = {}
    for launch in launches:
        kernel = result.setdefault(re.sub("<.*", "", launch["kernel"]), {})
        for name, number in sums(launch).items():
            kernel[name] = kernel.get(name, 0) + number
    return result
