"""Rows of results, as the programs' --csv writes them: read, chosen, and put into words.

Times and ratios read as common/bench/row.hpp prints them. A column "case", which record_results adds, names
what a row belongs to. The programs' own files have none: they are one run of all chapters.
"""

import csv
import math

TEXTS = {"case", "chapter", "problem", "variant", "kernel", "device", "simulated", "input", "verdict", "driver",
         "cuda_driver", "cuda_runtime", "commit", "date"}
NEEDED = ("chapter", "problem", "variant", "device", "simulated", "input", "n", "driver", "cuda_runtime", "host_cpus",
          "commit", "date")
TIMED = ("bytes", "copy_s", "samples", "median_s", "p10_s", "p90_s", "gb_per_s", "of_ceiling",
         "times_cpu_sequential", "times_cpu_all_cores", "times_cub", "verdict")
# Empty in a row for which they make no sense.
OPTIONAL = {"copy_s", "gb_per_s", "of_ceiling", "times_cpu_sequential", "times_cpu_all_cores", "times_cub"}
# What n counts, by the problem.
ELEMENTS = {"histogram": "bytes", "sum of squares": "ints", "joint histogram": "pairs",
            "weighted histogram": "values", "channels": "pixels"}


class Problem(Exception):
    """What is wrong, in words for whoever wrote the file or the marker."""


def read(path):
    """The rows of a CSV file, numbers as numbers, None for what makes no sense in a row."""
    rows = []
    columns, lines = cells(path)
    needed = NEEDED if "kernel" in columns else NEEDED + TIMED
    missing = [column for column in needed if column not in columns]
    if missing:
        raise Problem(f"{path}: has no column {', '.join(missing)}")
    for place, row in lines:
        for column in ("chapter", "problem", "variant", "device"):
            if not row[column]:
                raise Problem(f"{place}: is no row of results: {column} is empty")
        row.setdefault("case", "progression")
        row["simulated"] = row["simulated"] == "true"
        for column in row.keys() - TEXTS:
            row[column] = None if column in OPTIONAL and not row[column] else number(row[column], column, place)
        rows.append(row)
    return rows


def cells(path):
    """The columns of a CSV file, and its lines: where each is, and its cells by column."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            rows = [(f"{path}:{reader.line_num}", row) for row in reader]
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise Problem(f"{path}: is no CSV file: {error}") from None
    if not rows:
        raise Problem(f"{path}: has no rows")
    for place, row in rows:
        if None in row or None in row.values():
            raise Problem(f"{place}: has another number of cells than the first line")
    return reader.fieldnames, rows


def number(text, column, place, least=0.0):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= least):
        raise Problem(f"{place}: {column} is no number{' from 0 on' if least == 0 else ''}: {text!r}")
    return value


def is_yardstick(row):
    return row["variant"].startswith("(")


def on_cpu(row):
    return row["device"] == "CPU"


def problems(rows):
    """Each problem's rows, in order."""
    return {problem: [row for row in rows if row["problem"] == problem]
            for problem in dict.fromkeys(row["problem"] for row in rows)}


# --- In words -----------------------------------------------------------------------------------


def title(row):
    """What a row is about: Histogram of 1,024 bytes."""
    problem = row["problem"]
    return f"{problem[0].upper()}{problem[1:]} of {row['n']:,.0f} {ELEMENTS.get(problem, 'elements')}"


def three_digits(number):
    return f"{number:.{2 if number < 9.995 else 1 if number < 99.95 else 0}f}"


def scale(time):
    """What a time is multiplied by, and its unit, so that one to three digits stand before the point."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if time * factor >= 0.9995:
            return factor, unit
    return 1e9, "ns"


def seconds(time):
    factor, unit = scale(time)
    return f"{three_digits(time * factor)} {unit}"


def time(row):
    return seconds(row["median_s"]) + (" sim" if row["simulated"] else "")


def spread(row):
    if row["samples"] == 1:
        return "one sample"
    factor, unit = scale(row["p90_s"])
    return f"{three_digits(row['p10_s'] * factor)} to {three_digits(row['p90_s'] * factor)} {unit}"


def size(n):
    """A count in powers of two, if it is a round one: 64 Ki."""
    for prefix in ("", " Ki", " Mi", " Gi"):
        if n < 1024 or n % 1024:
            return f"{n:,.0f}{prefix}"
        n /= 1024
    return f"{n:,.0f} Ti"


def lost(row):
    words = row["verdict"].split(": lost ")
    if len(words) != 2:
        raise Problem(f"{row['variant']} has lost nothing: {row['verdict']}")
    return f"{int(words[1]):,}"


def grouped(number):
    return three_digits(number) if number < 1000 else f"{number:,.0f}"


def plain(number):
    """A ratio, whole if it is."""
    return f"{number:,.0f}" if number == round(number) else grouped(number)


def share(percent):
    return plain(percent) + " %"


def count(number, of=""):
    """How many, in thousands and millions from 10,000 on: 3.28 M."""
    for factor, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= max(factor, 10000):
            return three_digits(number / factor) + unit + of
    return f"{number:,.0f} {of}".rstrip()


# What a marker may ask of a row: its heading in a table, the words, and the number behind them.
VALUES = {
    "chapter": ("chapter", lambda row: row["chapter"][:2], None),
    "variant": ("variant", lambda row: row["variant"], None),
    "time": ("time", time, "median_s"),
    "spread": ("p10 to p90", spread, None),
    "copy": ("copy to the device", lambda row: seconds(row["copy_s"]), "copy_s"),
    "gb_per_s": ("GB/s", lambda row: grouped(row["gb_per_s"]), "gb_per_s"),
    "of_ceiling": ("of the read ceiling", lambda row: three_digits(100 * row["of_ceiling"]) + " %",
                   "of_ceiling"),
    "times_cpu_core": ("x one CPU core", lambda row: grouped(row["times_cpu_sequential"]),
                       "times_cpu_sequential"),
    "times_cpu": ("x all CPU cores", lambda row: grouped(row["times_cpu_all_cores"]), "times_cpu_all_cores"),
    "times_cub": ("x CUB", lambda row: grouped(row["times_cub"]), "times_cub"),
    "n": ("n", lambda row: size(row["n"]), "n"),
    "bytes": ("bytes", lambda row: size(row["bytes"]), "bytes"),
    "input": ("input", lambda row: row["input"], None),
    "grid": ("blocks", lambda row: f"{row['grid']:,.0f}", "grid"),
    "host_cpus": ("CPUs of the host", lambda row: f"{row['host_cpus']:.0f}", "host_cpus"),
    "lost": ("lost", lost, None),
    "kernel": ("kernel", lambda row: f"`{row['kernel']}`", None),
    "verdict": ("verdict", lambda row: row["verdict"], None),
    "kernel_time": ("the kernel", lambda row: seconds(row["kernel_s"]), "kernel_s"),
    "dram_read": ("read from DRAM", lambda row: count(row["dram_read"], "B"), "dram_read"),
}

# What Nsight Compute counts, by the column: its heading, and how the number is put into words.
COUNTERS = {
    "loads": ("loads", count),
    "load_sectors": ("sectors a load", plain),
    "l1_hits": ("hits in L1", share),
    "atomics": ("global atomics", count),
    "atomic_sectors": ("their sectors", count),
    "l2_atomics": ("their requests to L2", count),
    "shared_atomics": ("shared atomics", count),
    "shared_wavefronts": ("shared wavefronts", count),
    "bank_conflicts": ("bank conflicts", count),
    "shared": ("shared memory", share),
    "instructions": ("instructions", count),
    "active_lanes": ("active lanes", plain),
    "working_lanes": ("working lanes", plain),
    "issue": ("issue slots", share),
    "warps": ("warps", share),
    "dram": ("DRAM", share),
    "l2": ("L2", share),
    "waits_memory": ("wait for memory", plain),
    "waits_barrier": ("wait at a barrier", plain),
    "waits_queue": ("wait for the memory queue", plain),
}
VALUES.update({column: (heading, lambda row, column=column, in_words=in_words: in_words(row[column]), column)
               for column, (heading, in_words) in COUNTERS.items()})


# How the result of a calculation is put into words: of seconds, of bytes and bytes a second, or of a count.
CALCULATED = {
    "whole": lambda number: f"{number:,.0f}",
    "millions": lambda number: three_digits(number / 1e6),
    "billions": lambda number: three_digits(number / 1e9),
    "time": seconds,
    "TB/s": lambda number: three_digits(number / 1e12) + " TB/s",
    "MB": lambda number: three_digits(number / 1e6) + " MB",
}


def words(row, name):
    """One of the values in words; None if it makes no sense for the row."""
    _, in_words, column = VALUES[name]
    if column and column not in row:
        raise Problem(f"the rows of this file have no {name}")
    return None if column and row[column] is None else in_words(row)


def machine(rows):
    """The machine and the versions of a file in one sentence's words."""
    row = next((row for row in rows if not on_cpu(row)), rows[0])
    words = row["device"] + f", whose host has {row['host_cpus']:.0f} CPUs"
    if row["simulated"]:
        words = row["device"]
    elif on_cpu(row):
        words = f"{row['host_cpus']:.0f} CPUs"
    facts = [f"driver {row['driver']}"] if row["driver"] else []
    if not row["simulated"] and not on_cpu(row):
        facts.append(f"CUDA {row['cuda_runtime']}")
    facts += [row["date"][:10], f"commit {row['commit']}"]
    return f"{words} ({', '.join(facts)})"
