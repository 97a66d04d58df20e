"""What ./course says, and the commands that it runs. Standard output carries results, standard error everything else."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from terminal import show

ROOT = Path(__file__).resolve().parent.parent.parent
USER = Path(os.getcwd())  # file names in options are relative to it; ./course itself works in ROOT


def say(*words):
    sys.stdout.flush()  # otherwise, earlier output could reach a pipe after these words
    show()
    print(*words, file=sys.stderr, flush=True)


def fail(status, *words):
    """Ends ./course with an error message. The status is 2 for wrong arguments."""
    say("course:", *words)
    sys.exit(status)


def call(command, **options):
    """Runs a command. Returns its exit status as a shell would, and reports a signal that has ended it."""
    status = subprocess.run(command, check=False, **options).returncode
    if status >= 0:
        return status
    say(f"course: ended by {signal.Signals(-status).name}:", *command)
    return 128 - status


def quietly(command):
    """Runs a command. Meanwhile, shows its last line and the seconds since its start; afterwards, shows its output only if it has
    failed or warned. Returns its exit status; negative if a signal has ended it."""
    log, last, begun, has_ended = "", "", time.monotonic(), threading.Event()

    def follow():
        while not has_ended.wait(1):
            show(f"{time.monotonic() - begun:.0f} s  {last}")

    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as running:
        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        try:
            for line in running.stdout:
                last = line.strip()
                show(last)
                if not re.match(r"\[\d+/\d+\] ", line):  # ninja's progress
                    log += line
        finally:
            has_ended.set()
            follower.join()
    show()
    # ninja repairs its log after an interrupted build.
    if running.returncode != 0 or re.search("[Ww]arning", log.replace("ninja: warning: premature end", "")):
        sys.stderr.write(log)
    if running.returncode < 0:
        say(f"course: ended by {signal.Signals(-running.returncode).name}:", *command)
    return running.returncode


def become(command, folder=USER):
    """Runs a program in place of ./course, so that the exit status and signals are the program's."""
    sys.stdout.flush()
    os.chdir(folder)
    os.execvp(command[0], list(map(os.fspath, command)))
