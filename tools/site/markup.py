"""Changes to a page's own HTML: numbers are aligned, values keep their units, pictures open or have steps."""

import re
from pathlib import Path

import markdown

NUMBER = r"[-−+±≈~<>≤≥]?\s?\d[\d.,]*"
UNIT = r"(?:[munµ]?s|[KMGT]?i?B(?:/s)?|[KMG]?Hz|[%×]|bits|bytes|cycles)(?![\w/])"
NUMERIC = re.compile(rf"{NUMBER}(?:(?:\s?[–/]| to| of) {NUMBER})?(?:\s?[%×]|\s[\wµ/]+)?|[-–—]?")
LABEL = re.compile(r"0\d")  # a chapter or an exercise
KEPT = re.compile(r"(<pre.*?</pre>|<code.*?</code>|<svg.*?</svg>|<[^>]*>)", re.DOTALL)
CELL = re.compile(r"<(t[hd])(?: align=\"\w+\")?>(.*?)</t[hd]>", re.DOTALL)


def table(match):
    """A table that scrolls by itself, with columns of numbers aligned at the right."""
    rows = [[markdown.plain(cell[2]) for cell in CELL.finditer(row)]
            for row in re.findall(r"<tr>.*?</tr>", match[0], re.DOTALL)]
    right = [all(NUMERIC.fullmatch(cell) and not LABEL.match(cell) for cell in column) and any(column)
             for column in zip(*rows[1:])]
    columns = iter(right * len(rows))

    def cell(found):
        tag = found[1] if found[2] else "td"  # a heading without words is none
        attributes = ' scope="col"' * (tag == "th") + ' class="number"' * next(columns, False)
        return f"<{tag}{attributes}>{found[2]}</{tag}>"

    return f'<div class="wide">{CELL.sub(cell, match[0])}</div>'


def with_units(body):
    """The spaces between values and their units, which no line ends at."""
    parts = KEPT.split(body)
    parts[::2] = (re.sub(rf"(?<=\d) (?={UNIT})", "\u00a0", text) for text in parts[::2])
    return "".join(parts)


def picture(folder):
    """Pictures of a page in this folder: one that has steps is part of the page, any other opens when clicked."""

    def tag(match):
        path = Path(folder, match[1])
        if path.suffix != ".svg" or not path.is_file():
            return match[0]
        text = path.read_text(encoding="utf-8")
        if "data-step" in text:
            return f'<figure class="steps">{text[text.index("<svg"):].strip()}</figure>'
        width, height = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', text).groups()
        return f'<a href="{match[1]}">{match[0][:-1]} width="{width}" height="{height}"></a>'

    return lambda body: re.sub(r"<p>(<figure.*?</figure>)</p>", r"\1", re.sub(r'<img src="([^"]*)"[^>]*>', tag, body),
                               flags=re.DOTALL)


def improved(body, folder):
    body = re.sub(r"<table>.*?</table>", table, body.replace(" />", ">"), flags=re.DOTALL)
    return picture(folder)(with_units(body))
