"""Lays out text, and prints what only terminals get: colours, bold letters and progress."""

import os
import re
import sys
import textwrap

COLUMNS = 100  # the width of a line of output
LOOKS = {"strong": "1", "good": "32", "bad": "1;31"}  # terminal codes for highlighted text


def is_terminal(stream):
    """Whether the stream is a terminal on which a line can be overwritten."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def looks(look, text):
    """Text for standard output, highlighted on a terminal unless NO_COLOR is set."""
    return f"\33[{LOOKS[look]}m{text}\33[0m" if is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") else text


def filled(text, indent):
    """Text in lines of at most COLUMNS characters, all but the first with an indent. Words are not split."""
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def wrapped(line):
    """A line of output, wrapped if it is longer than COLUMNS."""
    return line if len(line) <= COLUMNS else filled(line, line[:len(line) - len(line.lstrip())] + "    ")


def flowed(text):
    """A page's text with paragraphs and lists wrapped at COLUMNS characters. Code, tables and headings keep their lines."""
    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    item = r"(?:[*-] |\d+\. )"
    parts[::2] = [re.sub(rf"(?m)^({item}?)[^\s|#].*(?:\n *(?!{item})[^\s|#].*)*",
                         lambda found: filled(" ".join(found[0].split()), " " * len(found[1])), part) for part in parts[::2]]
    return "".join(parts)


def show(words=""):
    """On a terminal, overwrites the progress line with `words`; without words, clears the line."""
    if is_terminal(sys.stderr):
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or COLUMNS
        print(f"\r\33[K{words[:columns - 1]}", end="", file=sys.stderr, flush=True)
