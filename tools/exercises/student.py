"""The student's files in work/: made once from a starter, and never overwritten."""

import json
from pathlib import Path

from starter import ROOT, Chapter

NOTES = ROOT / "work" / ".course"  # what the course keeps about them


class Work:
    """A student's file of an exercise, and what is noted about it."""

    def __init__(self, exercise):
        self.exercise = exercise
        self.path = ROOT / exercise.file
        self.chapter = Chapter(exercise.chapter)
        self.given = NOTES / f"{exercise.number}.starter"
        self.notes = NOTES / f"{exercise.number}.json"

    def begun(self):
        return self.path.exists()

    def begin(self):
        """Makes the file from the starter, if there is none. Returns whether it made one."""
        NOTES.mkdir(parents=True, exist_ok=True)
        starter = self.chapter.starter(self.exercise)
        try:
            with open(self.path, "x", encoding="utf-8") as file:
                file.write(starter)
        except FileExistsError:
            return False
        self.given.write_text(starter, encoding="utf-8")
        return True

    def reset(self):
        """Keeps the file under a name with a number, and begins again. Returns that name."""
        for number in range(1, 10 ** 6):
            kept = self.path.with_suffix(f".{number}.cuh")
            try:
                kept.hardlink_to(self.path)  # fails if the name is taken
            except FileExistsError:
                continue
            self.path.unlink()
            self.note(hints=0)
            self.begin()
            return kept
        raise RuntimeError("there are a million old versions")

    def starter_has_changed(self):
        return self.given.exists() and self.given.read_text(encoding="utf-8") != self.chapter.starter(self.exercise)

    def is_untouched(self):
        return self.given.exists() and self.given.read_text(encoding="utf-8") == self.path.read_text(
            encoding="utf-8", errors="replace")

    def noted(self):
        try:
            return json.loads(self.notes.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def note(self, **values):
        NOTES.mkdir(parents=True, exist_ok=True)
        self.notes.write_text(json.dumps({**self.noted(), **values}), encoding="utf-8")
