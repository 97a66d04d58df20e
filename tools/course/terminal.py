"""How text is laid out, and what only terminals get: colours, bold letters, and what is shown while one waits."""

import os
import re
import sys
import textwrap

COLUMNS = 100  # the width of a line of output
LOOKS = {"strong": "1", "good": "32", "bad": "1;31"}  # a terminal's codes for what stands out


def is_terminal(stream):
    """Whether a line of it can be replaced."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def looks(look, text):
    """A text of standard output that stands out on a terminal, unless the user wants no colours (NO_COLOR)."""
    return f"\33[{LOOKS[look]}m{text}\33[0m" if is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") else text


def filled(text, indent):
    """A text in lines of this length, all but the first with an indent. No word is cut."""
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
