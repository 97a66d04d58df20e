"""The results of ./course grade while it runs: writes them to a file line by line, reads them to continue grading, and shows progress."""

import hashlib
import json
import os
import sys
import time
from functools import lru_cache

from console import fail
from rows import one_line
from starter import ROOT
from terminal import is_terminal

SOURCES = ["common/**/*", "tools/exercises/*", "tools/lens/*", "[0-9][0-9]_*/kernels.cuh", "[0-9][0-9]_*/exercises/*", "CMake*"]


@lru_cache(maxsize=None)
def of_course():
    """A hash of the course's files that a result depends on."""
    seen = hashlib.sha256()
    for path in sorted(path for pattern in SOURCES for path in ROOT.glob(pattern)):
        if path.is_file() and path.suffix != ".pyc":
            seen.update(f"{path.relative_to(ROOT)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode("utf-8", "surrogateescape"))
    return seen.hexdigest()


def key(number, raw, options):
    """A hash of everything that a result depends on: equal keys mean equal results."""
    parts = [of_course(), number, options.seed, options.sandbox, hashlib.sha256(raw).hexdigest()]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def place(result):
    return result["submission"], result["exercise"]


class Results:
    """A file with one line of JSON per result, written as soon as the result is known. Without a path, writes nothing."""

    def __init__(self, path, pairs):
        self.path, self.before = path, {}
        if not path:
            return
        with open(path, "ab"):  # fails before an hour of work, not after
            if not path.is_file():
                return
        *lines, rest = path.read_bytes().split(b"\n")
        try:
            self.before = {place(result): result for result in map(json.loads, lines)}
            if not all("stage" in result and "words" in result for result in self.before.values()):
                raise ValueError
        except (ValueError, KeyError, TypeError):
            fail(1, f"{one_line(str(path))} is not a file of results: name another one")
        if other := [pair for pair in self.before if pair not in pairs]:
            name, exercise = map(one_line, map(str, other[0]))
            fail(1, f"{one_line(str(path))} has results that are not part of this run, such as {name}'s of {exercise}: name another "
                 "file, or include them in the run")
        if rest:  # a line that a crash has cut off
            os.truncate(path, path.stat().st_size - len(rest))

    def add(self, result):
        if self.path:
            with open(self.path, "ab", buffering=0) as file:
                file.write(line(result))

    def finish(self, results):
        """Puts the results in order. In a file that can't be replaced, such as a pipe, they stay in the order of completion."""
        if self.path and self.path.is_file():
            draft = self.path.resolve().with_name(f".{self.path.name}.new")
            draft.write_bytes(b"".join(map(line, results)))
            draft.replace(self.path.resolve())


def line(result):
    return json.dumps(result).encode() + b"\n"


class Progress:
    """Reports on standard error how many files have been checked: after each file in a terminal, otherwise once a minute."""

    def __init__(self, count):
        self.count, self.done = count, 0
        self.is_shown = is_terminal(sys.stderr)
        self.start()

    def start(self):
        """Restarts the clock by which the remaining time is estimated."""
        self.begin = self.said = time.monotonic()

    def clear(self):
        """On a terminal, clears the progress line for other output."""
        if self.is_shown:
            print("\r\33[K", end="", file=sys.stderr, flush=True)

    def say(self, text):
        self.clear()
        print(text, file=sys.stderr, flush=True)

    def add(self):
        self.done += 1
        now = time.monotonic()
        if not self.is_shown and now < self.said + 60:
            return
        self.said = now
        left = f", {self.left(now - self.begin)} left" if self.done < self.count else ""
        self.clear()
        print(f"{self.done} of {self.count}{left}", end="" if self.is_shown and self.done < self.count else "\n", file=sys.stderr, flush=True)

    def left(self, seconds):
        """The remaining time as text, if the remaining files take as long on average as those so far."""
        left = seconds / self.done * (self.count - self.done)
        return f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
