"""What ./course says, and the commands that it runs. Standard output carries results, standard error everything else.
Colours, bold letters, and what is shown while one waits are for terminals only."""

import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
USER = Path(os.getcwd())  # options name files there; ./course itself works in ROOT
COLUMNS = 100  # of a line of output
LOOKS = {"strong": "1", "good": "32", "bad": "1;31"}  # a terminal's codes for what stands out


def say(*words):
    show()
    print(*words, file=sys.stderr, flush=True)


def fail(status, *words):
    """Ends ./course with an error: 2 for wrong arguments, otherwise 1."""
    sys.stdout.flush()
    say("course:", *words)
    sys.exit(status)


def is_terminal(stream):
    """Whether a line of it can be replaced."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def looks(look, text):
    """A text of standard output that stands out on a terminal, unless the user wants no colours (NO_COLOR)."""
    return f"\33[{LOOKS[look]}m{text}\33[0m" if is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") else text


def filled(text, indent):
    """A text in lines of this length, the others than the first with an indent. No word is cut."""
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def wrapped(line):
    """A line of output, in several if it is long."""
    return line if len(line) <= COLUMNS else filled(line, line[:len(line) - len(line.lstrip())] + "    ")


def flowed(text):
    """A page's text with its paragraphs and lists in lines of this length. Code, tables and headings keep their lines."""
    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    item = r"(?:[*-] |\d+\. )"
    parts[::2] = [re.sub(rf"(?m)^({item}?)[^\s|#].*(?:\n *(?!{item})[^\s|#].*)*",
                         lambda found: filled(" ".join(found[0].split()), " " * len(found[1])), part) for part in parts[::2]]
    return "".join(parts)


def show(words=""):
    """Shows what is awaited, on a terminal, in the line of what was shown before; without words, clears the line."""
    if is_terminal(sys.stderr):
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or COLUMNS
        print(f"\r\33[K{words[:columns - 1]}", end="", file=sys.stderr, flush=True)


def call(command, **options):
    """Runs a command. Returns its exit status, as a shell does, and reports a signal that ended it."""
    status = subprocess.run(command, check=False, **options).returncode
    if status >= 0:
        return status
    say(f"course: ended by {signal.Signals(-status).name}:", *command)
    return 128 - status


def quietly(command):
    """Runs a command, shows its last line while it runs, and what it prints afterwards only if it fails or warns."""
    log = ""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as running:
        for line in running.stdout:
            show(line.strip())
            if not re.match(r"\[\d+/\d+\] ", line):  # ninja's progress
                log += line
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
