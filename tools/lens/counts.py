"""The counts of the lens: runs programs, and adds up their launches by kernel, source line and kind of access."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / name) for name in ("results", "course")]
from rows import Problem  # noqa: E402

SECTOR = 32  # bytes
SMS = 132    # an H200's, so that grids that follow the device are the same on every machine
SUMS = ["requests", "lanes", "sectors", "bytes", "wavefronts"]
MOST = ["bytes_per_lane", "most_lanes_on_address"]
WORST = ["worst_cost", "worst_bank", "worst_words", "worst_lanes", "worst_addresses"]


def this_folder():
    """As compilers name it: as the shell does, if that is right."""
    named = os.environ.get("PWD", "")
    return named if os.path.realpath(named) == os.getcwd() else os.getcwd()


def run(program, options, folder=None, shown=False, has_row=True, share=None, sample=None):
    """Runs a program, given by its whole path, once. Returns what the lens has written, what the program has said unless it was shown, and its row
    of results if it has one. A share makes the device smaller, to a part of its SMs, runs the blocks in a fixed order and only counts.
    One block of a sample is counted; None leaves the choice to the lens."""
    with tempfile.TemporaryDirectory() as temporary:
        output, rows = Path(temporary) / "lens.json", Path(temporary) / "rows.csv"
        part = {"LENS_COUNTS_ONLY": "1", "CUDA_SIM_MULTIPROCESSORS": str(SMS // share), "CUDA_SIM_WORKERS": "1"} if share else {}
        part |= {"LENS_SAMPLE": str(sample)} if sample else {}
        environment = {"CUDA_SIM_MULTIPROCESSORS": str(SMS), **os.environ, "LENS_OUTPUT": str(output), **part}
        extra = [] if shown or not has_row else ["--csv", str(rows)]
        done = subprocess.run([program, *options, *extra], cwd=folder, env=environment, check=False, text=True,
                              errors="replace", stdin=subprocess.DEVNULL if not shown else None,
                              stdout=None if shown else subprocess.PIPE, stderr=None if shown else subprocess.PIPE)
        if not output.exists():
            words = "" if shown else (done.stderr or done.stdout).strip()
            raise Problem(words or f"{Path(program).name} has ended with status {done.returncode} before the lens could "
                                   "write what it saw")
        with open(output, encoding="utf-8", errors="replace") as file:
            # Lines of accesses have the folder's path, those of barriers don't.
            try:
                seen = json.loads(file.read().replace(json.dumps(this_folder() + "/", ensure_ascii=False)[:-1], '"'))
            except ValueError:
                raise Problem(f"what the lens saw of {Path(program).name} is incomplete: is {temporary} on a full disk?") from None
        for each in seen["launches"] + seen["findings"]:  # readers know a kernel without its namespace
            each["kernel"] = re.sub(r"^(\w+::)+", "", each["kernel"])
        seen["status"] = done.returncode
        seen["said"] = (done.stdout or "") + (done.stderr or "")
        if rows.exists():
            with open(rows, newline="", encoding="utf-8") as file:
                of_kernels = [row for row in csv.DictReader(file) if not row["variant"].startswith("(")]
            if of_kernels:
                seen["row"] = of_kernels[0]
        return seen


def variants(program):
    """A chapter's variants, by their names."""
    done = subprocess.run([program, "--list"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(done.stderr.strip() or f"{Path(program).name} has ended with status {done.returncode}")
    return re.findall(r"^(\S.*?)  ", done.stdout, re.MULTILINE)


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
