"""The counts of the lens: adds up launches by kernel, source line and kind of access."""

import json
import os
import re

SECTOR = 32  # bytes
SMS = 132    # an H200's, so that grids that follow the device are the same on every machine
SUMS = ["requests", "lanes", "sectors", "bytes", "wavefronts"]
MOST = ["bytes_per_lane", "most_lanes_on_address"]
WORST = ["worst_cost", "worst_bank", "worst_words", "worst_lanes", "worst_addresses"]


def this_folder():
    """As compilers name it: as the shell does, if that is right."""
    named = os.environ.get("PWD", "")
    return named if os.path.realpath(named) == os.getcwd() else os.getcwd()


def read(written):
    """What the lens has written, with the lines of sources from this folder. Raises ValueError if it is not complete."""
    # Lines of accesses have the folder's path, those of barriers don't.
    seen = json.loads(written.replace(json.dumps(this_folder() + "/", ensure_ascii=False)[:-1], '"'))
    for each in [*seen["launches"], *seen["findings"], *filter(None, [seen.get("recording")])]:  # readers know a kernel without its namespace
        each["kernel"] = re.sub(r"^(\w+::)+", "", each["kernel"])
    return seen


def short(kernel):
    """A kernel's name, of which a template's arguments may be too long."""
    return kernel if len(kernel) <= 48 else kernel[:45] + "..."


def is_estimated(site):
    """Whether a site's counts were scaled: not all blocks that have reached it were counted."""
    return site["counted_blocks"] < site["blocks"]


def has_estimates(launch):
    return any(map(is_estimated, launch["sites"]))


def by_line(sites):
    """Adds up the sites of a line that do the same. A dictionary of the line, the space and the kind."""
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
    """A sum over all sites of launches; of any space or kind if that is None."""
    return sum(site[name] for launch in launches for site in launch["sites"]
               if space in (None, site["space"]) and kind in (None, site["kind"]))


def ratio(a, b):
    return a / b if b else 0.0


def efficiency(sums):
    """Which part of the bytes moved the lanes have asked for."""
    return ratio(sums["bytes"], sums["sectors"] * SECTOR)


def moved(launches):
    """Bytes moved from and to global memory, and the least that these kernels could have moved."""
    return (total(launches, "global", None, "sectors") * SECTOR,
            sum(launch["touched_sectors"] for launch in launches) * SECTOR)


def warps(launch):
    x, y, z = launch["block"]
    return launch["blocks"] * ((x * y * z + 31) // 32)
