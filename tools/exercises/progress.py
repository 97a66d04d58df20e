"""Shows the stages of a verdict as they end."""

import asyncio
import os
import sys
import time

from terminal import is_terminal


class Progress:
    """On a terminal, one line with the finished stages and the current one; otherwise, a line per finished stage."""

    WORDS = {"✓": "passed", "✗": "failed", "–": "not tried"}

    def __init__(self, names):
        self.left, self.line, self.begin = list(names), "", time.monotonic()
        self.in_place = is_terminal(sys.stdout) and "NO_COLOR" not in os.environ and (sys.stdout.encoding or "").lower() == "utf-8"
        self.show()

    def show(self):
        if self.in_place:
            seconds = int(time.monotonic() - self.begin)
            awaited = [f"{self.left[0]} …{f' {seconds} s' if seconds > 1 else ''}"] if self.left else ["\n"]
            print("\r" + "  ".join(filter(None, [self.line, *awaited])), end="\033[K" if self.left else "", flush=True)

    def tell(self, name, mark):
        """Shows that a stage has ended. After ✗, no stage follows."""
        self.left = [] if mark == "✗" else self.left[self.left.index(name) + 1:]
        self.line += f"{'  ' if self.line else ''}{name} {mark}"
        self.begin = time.monotonic()
        if not self.in_place:
            print(f"{name}: {self.WORDS[mark]}", flush=True)
        self.show()

    async def count(self):
        """Shows, every second, how long the current stage has taken."""
        while True:
            await asyncio.sleep(1)
            if self.left:
                self.show()
