"""The recorded times of the chapters' variants on GPUs, and the lens's counts for each."""

import csv
from pathlib import Path

from rows import read

RESULTS = Path(__file__).resolve().parent.parent.parent / "docs" / "results"
SEEN = RESULTS / "simulator" / "bounds.csv"
TIMES = ["nvidia-h200.csv", "nvidia-h200-again.csv", "nvidia-h100-80gb-hbm3.csv"]
KEY = ["chapter", "mode", "variant", "input", "n", "grid", "block"]
OF_APPLICATIONS = ("joint", "weighted", "rgb", "rgba")
# For each case in which a program times several kernels one after another: the mode (option) that does so.
MODES = {case: case.removesuffix("-constant") for case in ("levels", "levels-constant", "loads", "strides", "counter-types", *OF_APPLICATIONS)}


def times(names=TIMES):
    """The rows of all recorded times of the chapters' kernels on GPUs, in the order of the result files."""
    found = []
    for name in names:  # functions from elsewhere have :: or . in their names
        found += [{**row, "mode": MODES.get(row["case"], "")} for row in read(RESULTS / name)
                  if row["device"] != "CPU" and not row["variant"].startswith("(") and row["n"] > 0
                  and "::" not in row["variant"] and "." not in row["variant"]]
    return found


def key(row):
    """The values of a row that determine the counts. (The bytes of `--file` were uniform.)"""
    return tuple(str({"bytes": "uniform"}.get(row[name], row[name]) if name in KEY[:4] else int(row[name])) for name in KEY)


def known_counts():
    """For each key, a list with the sums of each kernel."""
    found = {}
    with open(SEEN, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            found.setdefault(tuple(line[name] for name in KEY), []).append(
                {name: float(text) for name, text in line.items() if name not in (*KEY, "kernel")})
    return found
