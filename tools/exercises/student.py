"""The student's files in work/: created once from a starter, never overwritten."""

import json
import os

from starter import ROOT, Chapter

NOTES = ROOT / "work" / ".course"  # the course's notes about these files


def noted(name):
    """The dictionary noted under a name."""
    try:
        return json.loads((NOTES / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def note(name, **values):
    NOTES.mkdir(parents=True, exist_ok=True)
    # Writes a draft first: a full disk must not destroy the old notes. Each ./course has a draft of its own.
    draft = NOTES / f"{name}.{os.getpid()}.new"
    try:
        draft.write_text(json.dumps({**noted(name), **values}), encoding="utf-8")
        draft.replace(NOTES / f"{name}.json")
    finally:
        draft.unlink(missing_ok=True)


class Work:
    """A student's file for an exercise, and the notes about it."""

    def __init__(self, exercise):
        self.exercise = exercise
        self.path = ROOT / exercise.file
        self.chapter = Chapter(exercise.chapter)
        self.given = NOTES / f"{exercise.number}.starter"

    def begun(self):
        return self.path.exists()

    def begin(self):
        """Creates the file from the starter unless it exists. Returns whether it did."""
        NOTES.mkdir(parents=True, exist_ok=True)
        starter = self.chapter.starter(self.exercise)
        try:
            self.path.touch(exist_ok=False)
        except FileExistsError:
            return False
        try:
            self.given.write_text(starter, encoding="utf-8")
            self.path.write_text(starter, encoding="utf-8")
        except OSError:  # on a full disk: half a starter would look like the student's work
            self.path.unlink()
            raise
        return True

    def reset(self):
        """Keeps the file under a numbered name, and starts over. Returns the new path of the old file."""
        self.note(hints=0)
        for number in range(1, 10 ** 6):
            kept = self.path.with_suffix(f".{number}.cuh")
            try:
                kept.touch(exist_ok=False)  # reserves the name; some file systems have no hard links
            except FileExistsError:
                continue
            self.path.replace(kept)
            try:
                self.begin()
            except OSError:  # on a full disk, nothing changes
                kept.replace(self.path)
                raise
            return kept
        raise RuntimeError("there are a million old versions")

    def starter_has_changed(self):
        return self.given.exists() and self.given.read_text(encoding="utf-8") != self.chapter.starter(self.exercise)

    def noted(self):
        return noted(self.exercise.number)

    def note(self, **values):
        note(self.exercise.number, **values)
