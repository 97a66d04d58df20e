"""How late a file was handed in."""

import csv
import math
import re
from datetime import datetime, timedelta

from console import fail
from rows import one_line

LATEST = datetime(9999, 1, 1).timestamp()


def moment(text):
    """A time from text such as 2026-12-01 12:00, in this machine's time zone unless the text has one, such as +01:00. Raises ValueError."""
    text = text.strip().replace("Z", "+00:00")
    if not re.match(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d", text):
        raise ValueError
    return datetime.fromisoformat(text).astimezone()


def changed(path):
    """When a file was last changed, as its student may have set it: even to a year that datetime doesn't know."""
    return datetime.fromtimestamp(min(max(path.lstat().st_mtime, 0), LATEST)).astimezone()


class Deadline:
    """When files must be handed in, and when they were: according to a table of times, or else to each file's own time."""

    def __init__(self, due, times):
        try:
            self.due = moment(due)
        except ValueError:
            fail(2, f"--due needs a date and a time, such as '2026-12-01 12:00', not {due!a}")
        self.path, self.times = times, self.read(times) if times else None

    def require_times(self, names):
        """Ends with status 1 unless the table has a time for each of these submissions."""
        if without := [name for name in names if name not in self.times]:
            more = f" and {len(without) - 1} more" * (len(without) > 1)
            fail(1, f"{one_line(str(self.path))} has no line for the submission '{one_line(without[0])}'{more}")

    @staticmethod
    def read(path):
        """The times in a CSV file of names and times. The first line may be a heading."""
        found = {}
        try:
            with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
                for number, row in enumerate(csv.reader(file), 1):
                    try:
                        name, time = row
                        found[name] = moment(time)
                    except ValueError:
                        if row and number > 1:
                            fail(1, f"{one_line(str(path))}, row {number}: expected a name and a time, such as ada,2026-12-01 12:00")
        except csv.Error as error:
            fail(1, f"{one_line(str(path))}: {error}")
        return found

    def lateness(self, name, path):
        """The fields of a result about a file's time: when it was handed in, and how many days late."""
        time = self.times[name] if self.times is not None else changed(path)
        return {"handed_in": time.isoformat(" ", "minutes"), "days_late": max(0, math.ceil((time - self.due) / timedelta(days=1)))}
