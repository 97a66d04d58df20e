"""Reads rows of results, as written by the programs' --csv, and formats their values.

Times and ratios have the format of common/bench/row.hpp. tools/results/record adds a column "case", which names the measurement
that a row belongs to. A program's own file lacks it: all of its rows belong to the default progression.
"""

import csv
import io
import math
import os
import re
import signal
import stat
import sys
from pathlib import Path

TEXTS = ["case", "chapter", "problem", "variant", "kernel", "device", "simulated", "input", "verdict", "driver",
         "cuda_driver", "cuda_runtime", "commit", "date", "cache"]
NEEDED = ["chapter", "problem", "variant", "device", "simulated", "input", "n", "driver", "cuda_runtime", "host_cpus",
          "commit", "date"]
TIMED = ["bytes", "samples", "median_s", "p10_s", "p90_s", "verdict"]  # rows of counters have no such columns
OPTIONAL = ["gb_per_s", "of_ceiling", "times_cpu_sequential", "times_cpu_all_cores", "times_cub"]

MOST = 1e99  # larger numbers were never measured, and gnuplot can't draw them


class Problem(Exception):
    """An error message for the user: one line, or several, one per argument."""


def one_line(text):
    """A text without control characters and without what XML forbids; invalid UTF-8 in a name looks like \\xff."""
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return re.sub(r"[\0-\x1f\x7f-\x9f\ufffe\uffff]", " ", text)


def run(main):
    """Runs a tool and reports an error in one line."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # ends by an exception, so that no unfinished file is left
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as problem:
        sys.exit("\n".join(map(one_line, problem.args)))
    except MemoryError:
        sys.exit("the machine has too little memory")
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except OSError as error:
        sys.exit(one_line(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


# --- Reading ------------------------------------------------------------------------------------


def read_text(path, errors="strict"):
    try:
        with open(path, "rb") as file:
            if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
                raise Problem(f"{path}: is a device, not a file")  # reading may never end
            return file.read().decode("utf-8", errors)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Problem(f"{path}: is not UTF-8 text: {error}") from None


def cells(path):
    """The columns of a CSV file; and for each row, its place in the file and its cells by column.

    A cell may contain the name of a file, which need not be UTF-8.
    """
    reader = csv.reader(io.StringIO(read_text(path, "backslashreplace"), newline=""), strict=True)
    columns, rows = [], []
    try:
        for row in reader:
            place = f"{path}:{reader.line_num}"
            if len(row) not in (0, len(columns or row)):
                raise Problem(f"{place}: the number of cells differs from the first line's")
            row = list(map(one_line, row))
            if columns and row:
                rows.append((place, dict(zip(columns, row))))
            columns = columns or row
    except csv.Error as error:
        raise Problem(f"{path}:{reader.line_num}: is not a CSV file: {error}") from None
    if not rows:
        raise Problem(f"{path}: has no rows")
    return columns, rows


def number(text, column, place, least=0.0):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= MOST:
        raise Problem(f"{place}: {column} is not a number from {least:g} to {MOST:g}: {text!r}")
    return value


def read(path):
    """The rows of a CSV file, with numbers converted, and None for optional values that a row lacks."""
    columns, rows = cells(path)
    missing = [column for column in NEEDED + ([] if "kernel" in columns else TIMED + OPTIONAL) if column not in columns]
    if missing:
        raise Problem(f"{path}: has no column {', '.join(missing)}")
    for place, row in rows:
        for column in ("chapter", "problem", "variant", "device"):
            if not row[column]:
                raise Problem(f"{place}: {column} is empty")
        row.setdefault("case", "progression")
        row["simulated"] = row["simulated"] == "true"
        for column in row.keys() - set(TEXTS):
            row[column] = None if column in OPTIONAL and not row[column] else number(row[column], column, place)
        if "median_s" in row:  # the same choice as in common/bench/row.hpp; older files lack fastest times
            row["time_s"] = row["fastest_s"] if on_cpu(row) and row.get("fastest_s") else row["median_s"]
        row.update(results=Path(path).stem, place=place)
    return [row for _, row in rows]


def is_baseline(row):
    return row["variant"].startswith("(")


def on_cpu(row):
    return row["device"] == "CPU"


def problems(rows):
    """The rows of each problem in the default progression."""
    found = {}
    for row in rows:
        if row["case"] == "progression":
            found.setdefault(row["problem"], []).append(row)
    return found


# --- Words --------------------------------------------------------------------------------------


def three_digits(number):
    return f"{number:.{2 if number < 9.995 else 1 if number < 99.95 else 0}f}"


def grouped(number):
    return three_digits(number) if number < 1000 else f"{number:,.0f}"


def whole(number):
    return f"{number:,.0f}"


def plain(number):
    return whole(number) if number == round(number) else grouped(number)


def share(percent):
    return plain(percent) + " %"


def count(number, unit=""):
    """A count as text; from 10,000 on with a prefix, such as 3.28 M."""
    for factor, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= max(factor, 10000):
            return three_digits(number / factor) + prefix + unit
    return f"{whole(number)} {unit}".rstrip()


def size(n):
    """A size as text, with a binary prefix if n is a multiple of it, such as 64 Ki."""
    for prefix in ("", " Ki", " Mi", " Gi"):
        if n < 1024 or n % 1024:
            return whole(n) + prefix
        n /= 1024
    return whole(n) + " Ti"


def scale(time):
    """The factor and the unit by which a time in seconds gets one to three digits before the decimal point."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if time * factor >= 0.9995:
            return factor, unit
    return 1e9, "ns"


def seconds(time):
    factor, unit = scale(time)
    return f"{three_digits(time * factor)} {unit}"


def spread(row):
    if row["samples"] == 1:
        return "one sample"
    factor, unit = scale(row["p90_s"])
    return f"{three_digits(row['p10_s'] * factor)} to {three_digits(row['p90_s'] * factor)} {unit}"


def kind(verdict):
    """The kind of a verdict that common/bench has written: right, wrong on purpose or wrong."""
    if verdict.startswith("WRONG"):
        return "wrong"
    return "wrong on purpose" if verdict.startswith("wrong on purpose") else "right"


def lost(verdict):
    before, _, additions = verdict.partition(": lost ")
    if not additions:
        raise Problem(f"the verdict has no number of lost additions: {before}")
    return whole(int(additions))


def title(row):
    """A heading that says what was computed, such as Histogram of 1,024 bytes."""
    elements = {"histogram": "bytes", "sum of squares": "ints", "joint histogram": "pairs",
                "weighted histogram": "values", "channels": "pixels"}.get(row["problem"], "elements")
    return f"{row['problem'][0].upper()}{row['problem'][1:]} of {whole(row['n'])} {elements}"


def device_row(rows):
    """A row that names the device: the first that did not run on the CPU, if there is one."""
    return next((row for row in rows if not on_cpu(row)), rows[0])


def machine(row):
    """The machine and the versions that produced a row."""
    words, facts = row["device"], [f"driver {row['driver']}"] if row["driver"] else []
    if on_cpu(row):
        words = f"{whole(row['host_cpus'])} CPUs"
    elif not row["simulated"]:
        words += f", whose host has {whole(row['host_cpus'])} CPUs"
        facts.append(f"CUDA {row['cuda_runtime']}")
    return f"{words} ({', '.join([*facts, row['date'][:10], 'commit ' + row['commit']])})"


# Each value that a page can show: its heading in a table, its column (None: the whole row), and its format.
VALUES = {
    "chapter": ("chapter", "chapter", lambda text: text[:2]),
    "variant": ("variant", "variant", str),
    "time": ("time", "time_s", seconds),
    "spread": ("p10 to p90", None, spread),
    "gb_per_s": ("GB/s", "gb_per_s", grouped),
    "of_ceiling": ("of the read ceiling", "of_ceiling", lambda ratio: three_digits(100 * ratio) + " %"),
    "times_cpu_core": ("x one CPU core", "times_cpu_sequential", grouped),
    "times_cpu": ("x all CPU cores", "times_cpu_all_cores", grouped),
    "times_cub": ("x CUB", "times_cub", grouped),
    "n": ("n", "n", size),
    "input": ("input", "input", str),
    "cache": ("L2 cache", "cache", str),
    "kernel": ("kernel", "kernel", str),
    "grid": ("blocks", "grid", whole),
    "host_cpus": ("CPUs of the host", "host_cpus", whole),
    "lost": ("lost", "verdict", lost),
    "verdict": ("verdict", "verdict", str),
    "machine": ("machine", None, machine),
    "problem": ("problem", "problem", str),
    "bytes": ("bytes", "bytes", size),
    "gpus": ("GPUs", "gpus", whole),
    "chunk": ("chunk", "chunk", size),
    "buffers": ("buffers", "buffers", whole),
    "device_memory": ("device memory", "device_bytes", lambda number: f"{number / 2**20:.0f} MiB"),
    "of_parts": ("of the slowest part", "of_ceiling", lambda ratio: three_digits(100 * ratio) + " %"),
    "kernel_time": ("the kernel", "kernel_s", seconds),
    "loads": ("loads", "loads", count),
    "load_sectors": ("sectors per load", "load_sectors", plain),
    "tag_wavefronts": ("wavefronts of the tags", "tag_wavefronts", count),
    "data_wavefronts": ("wavefronts of the data", "data_wavefronts", count),
    "data_conflicts": ("bank conflicts in L1", "data_conflicts", count),
    "l1_hits": ("hits in L1", "l1_hits", share),
    "atomics": ("global atomics", "atomics", count),
    "atomic_sectors": ("their sectors", "atomic_sectors", count),
    "l2_atomics": ("their requests to L2", "l2_atomics", count),
    "shared_atomics": ("shared atomics", "shared_atomics", count),
    "shared_wavefronts": ("shared wavefronts", "shared_wavefronts", count),
    "bank_conflicts": ("bank conflicts", "bank_conflicts", count),
    "shared": ("shared memory", "shared", share),
    "instructions": ("instructions", "instructions", count),
    "active_lanes": ("active lanes", "active_lanes", plain),
    "working_lanes": ("lanes not predicated off", "working_lanes", plain),
    "issue": ("issue slots", "issue", share),
    "warps": ("warps", "warps", share),
    "dram": ("DRAM", "dram", share),
    "dram_read": ("read from DRAM", "dram_read", lambda number: count(number, "B")),
    "dram_written": ("written to DRAM", "dram_written", lambda number: count(number, "B")),
    "l2": ("L2", "l2", share),
    "waits_memory": ("wait for memory", "waits_memory", plain),
    "waits_barrier": ("wait at a barrier", "waits_barrier", plain),
    "waits_queue": ("wait for the MIO queue", "waits_queue", plain),
}


def value(name):
    if name not in VALUES:
        raise Problem(f"no value '{name}': the values are {', '.join(VALUES)}")
    return VALUES[name]


def words(row, name):
    """A row's value as text; None if the row has no such value."""
    _, column, in_words = value(name)
    if column is None:
        return in_words(row)
    if column not in row:
        raise Problem(f"{row['results']}.csv has no {name}")
    if row[column] is None:
        return None
    return in_words(row[column]) + (" sim" if in_words is seconds and row["simulated"] else "")
