"""The best rates of GPUs: measured by tools/lens/profile.cu, or taken from data sheets. docs/lens.md explains both."""

import csv
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from counts import SECTOR
from rows import Problem, read_text, seconds as duration

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "docs" / "results"
MEASURED = "profile.csv"               # the file in a device's folder
SHEETS = ROOT / "tools" / "lens" / "data-sheets.csv"
OWN = ROOT / "work" / MEASURED         # what ./course profile writes
USUAL = "NVIDIA H200"                  # the GPU whose times the course quotes
PER_SM = ("L1", "shared memory")       # resources that each SM has for itself
RATES = ("DRAM", "L2", "stores", "atomics", "atomics on one line", "atomics on one address", "one thread", *PER_SM)
WORDS = {"DRAM": "DRAM", "L2": "L2", "L1": "L1, sectors per SM", "shared memory": "shared memory, wavefronts per SM",
         "stores": "stores and atomics, sectors", "atomics": "atomics, sectors", "atomics on one line": "atomics on one line, sectors",
         "atomics on one address": "atomics on one address", "one thread": "accesses of one warp"}


@dataclass
class Profile:
    """A GPU's rates. Unknown values are missing from `rates` and `barriers`, and are 0 elsewhere."""
    device: str
    source: str  # the data sheet; empty if the rates were measured
    sms: int
    l2_bytes: int
    threads: int = 0  # per SM, the most
    blocks: int = 0   # per SM, the most
    launch: float = 0.0  # seconds from before the first launch to the end of an empty kernel
    each: float = 0.0    # seconds for each further launch
    rates: dict = field(default_factory=dict)     # the most per second, for PER_SM in each SM
    barriers: dict = field(default_factory=dict)  # seconds per barrier, by the threads of the block
    lines: dict = field(default_factory=dict)     # sectors of atomics per second, by the number of neighbouring lines added to

    @property
    def name(self):
        return self.device.replace("NVIDIA ", "").replace("GeForce ", "").replace(" 80GB HBM3", "")

    def barrier(self, threads):
        """The least time, in seconds, of a barrier of a block; 0 if barriers were not measured."""
        measured = sorted(self.barriers)
        first = max((size for size in measured if size <= threads), default=measured[0] if measured else 0)
        return min((self.barriers[size] for size in measured if size >= first), default=0.0)


def measured(path):
    """The profile in a file that tools/lens/profile.cu has written, with the best of all rates. Raises Problem if a line is missing."""
    lines = list(csv.DictReader(read_text(path).splitlines()))
    facts = {line["resource"]: float(line["amount"]) for line in lines if not line["seconds"]}
    runs = [(line["resource"], line["kernel"], int(line["grid"]), int(line["block"]), float(line["amount"]), float(line["seconds"]))
            for line in lines if line["seconds"]]
    if missing := ({"launches", "barriers", *RATES} - {run[0] for run in runs}) | ({"SMs", "L2 bytes"} - set(facts)):
        raise Problem(f"{path}: has no line about {', '.join(sorted(missing))}: ./course profile writes such a file")
    launch = min(seconds for what, _, _, _, amount, seconds in runs if what == "launches" and amount == 1)
    result = Profile(lines[0]["device"], "", int(facts["SMs"]), int(facts["L2 bytes"]), int(facts["threads per SM"]),
                     int(facts["blocks per SM"]), launch)
    result.each = min((seconds - launch) / (amount - 1) for what, _, _, _, amount, seconds in runs
                      if what == "launches" and amount > 1)
    for what, _, grid, block, amount, seconds in runs:
        net = seconds - launch
        if what in RATES and net > launch:  # shorter times are too inaccurate
            rate = amount / net / (min(result.sms, grid) if what in PER_SM else 1)
            result.rates[what] = max(rate, result.rates.get(what, 0))
        elif what == "barriers":
            result.barriers[block] = min(net / amount, result.barriers.get(block, net))
    for (what, *_, amount, seconds), (other, *_, on_line, same) in zip(runs, runs[2:]):  # lines about one run
        if (what, other, same) == ("atomics", "atomics on one line", seconds) and amount / on_line in (1, 4, 16):
            count = int(amount / on_line)
            result.lines[count] = max(amount / (seconds - launch), result.lines.get(count, 0))
    return result


def add(lines):
    """Adds the output of profile.cu to the reader's own profile. Earlier runs on such a GPU are kept: bounds need the best rates."""
    earlier = read_text(OWN).splitlines(keepends=True)[1:] if OWN.exists() else []
    device = lines.splitlines()[1].split(",")[0]
    OWN.parent.mkdir(exist_ok=True)
    OWN.write_text(lines + "".join(line for line in earlier if line.startswith(f"{device},")), encoding="utf-8")


def rate(number, unit):
    for factor, prefix in ((1e12, " T"), (1e9, " G"), (1e6, " M")):
        if number >= factor:
            return f"{number / factor:.3g}{prefix}{unit}"
    return f"{number:.3g} {unit}"


def cells(its):
    """The values of a measured profile, as text with units, by the names of what was measured."""
    rates = {name: rate(its.rates[name] * (SECTOR if name == "L2" else 1), "B/s" if name in ("DRAM", "L2") else "/s") for name in RATES}
    return {"a launch": duration(its.launch), "each further launch": duration(its.each), **{WORDS[name]: rates[name] for name in WORDS},
            "a barrier of 256 threads": duration(its.barrier(256))}


def table(its):
    """The lines of a table of a measured profile."""
    found = cells(its)
    width = max(map(len, found))
    return [its.device, *(f"{name:{width}}  {value:>9}" for name, value in found.items())]


def of_sheets():
    """The profiles in data-sheets.csv. They have only the memory's peak bandwidth, because GPUs may exceed their rated clocks."""
    for line in csv.DictReader(read_text(SHEETS).splitlines()):
        yield Profile(line["device"], line["source"], int(line["sms"]), int(line["l2_kib"]) << 10,
                      rates={"DRAM": 1e9 * float(line["dram_gb_per_s"])})


def all_profiles():
    """All profiles, by name. The reader's own profile replaces a recorded one, and a recorded one replaces a data sheet's."""
    own = [OWN] if OWN.exists() else []
    found = [*map(measured, own + sorted(RESULTS.glob(f"*/{MEASURED}"))), *of_sheets()]
    return {profile.name: profile for profile in reversed(found)}


@lru_cache
def profile(name=None):
    """The profile of a GPU, by its name or a part of the name; None stands for the H200. Raises Problem unless exactly one GPU matches."""
    known = all_profiles()
    found = [each for each in known.values() if (name or USUAL).lower() in each.device.lower()]
    exact = [each for each in found if (name or USUAL).lower() in (each.name.lower(), each.device.lower())]
    if len(exact or found) != 1:
        raise Problem(f"course: {'several GPUs are' if found else 'no GPU is'} called '{name}': the known GPUs are {', '.join(sorted(known))}; "
                      "./course profile adds yours")
    return (exact or found)[0]
