#!/usr/bin/env python3
"""usage: tools/fuzz/rows.py [SECONDS [SEED]]

Feeds tools/results/report.py and tools/results/picture with mutated rows: they must draw any file, without turning its text into tags or
gnuplot code, or refuse it in one line. gnuplot itself draws one file in twenty.
"""

import contextlib
import io
import random
import re
import resource
import runpy
import signal
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from html.parser import HTMLParser
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent
CORPUS = sorted((TOOLS / "fuzz/corpus/rows").iterdir())
PIECES = [b",", b'"', b"\n", b"\r", b"\0", b"\xff", b"\x1b[", b"`", b"$(", b"\\", b"#", b"<script>", b"<b>",
          b"<img onload=x>", b"</desc><a>", b"]]>", b"--", b"nan", b"inf", b"-1", b"1e308", b"5e-324", b"0", b"true",
          b"CPU", b"(CUB)", b"(read ceiling)", b"histogram", b"\t"]
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "strong", "figure", "div", "table", "thead", "tbody", "tr", "th", "td"}
CELL = re.compile(r'"([^\0-\x1f"\\#]|\\[0-7]{3})*"|-?[0-9.e+-]+')

sys.path.insert(0, str(TOOLS / "results"))
import picture  # noqa: E402  (of the tools)

draw = picture.draw


def check_data(_, before, sections, after):
    """Replaces gnuplot, and checks its data: each line must be a section's name, or cells."""
    for line in picture.data(sections).split("\n"):
        assert not line or line[2:] in sections or all(map(CELL.fullmatch, line.split("\t"))), line
    return b"<svg><title></title><desc></desc></svg>"


class Tags(HTMLParser):
    def handle_starttag(self, tag, attributes):
        assert tag in TAGS and {name for name, _ in attributes} <= {"lang", "charset", "name", "content", "class", "scope", "tabindex"}, tag


def check_page(text):
    assert not re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f]", text)
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        xml.fromstring(svg)
    Tags().feed(re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL))


def with_another_cell(text):
    cells = text.split(b",")
    cells[random.randrange(len(cells))] = b"".join(random.choices(PIECES, k=random.randint(1, 2)))
    return b",".join(cells)


def changed(text, others):
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        if random.randrange(2):
            text = with_another_cell(text)
            continue
        at, end = sorted(random.randint(0, len(text)) for _ in range(2))
        end = random.choice([at, at + 1, min(end, at + 9), end])
        new = random.choice([b"", text[at:end] * 2, random.choice(PIECES), random.randbytes(2), random.choice(PIECES),
                             random.choice(others)[at:end], text[at:end] * random.choice([1, 1, 1, 40])])
        text = text[:at] + new + text[end:]
    return text


def check(folder, text):
    rows, out = folder / "rows.csv", folder / "out"
    rows.write_bytes(text)
    out.unlink(missing_ok=True)
    is_page = text[:20].count(b"chapter") > 0
    target = out if is_page else out.with_suffix(".svg")
    sys.argv = [str(TOOLS / "results" / ("report.py" if is_page else "picture")), str(rows), str(target)]
    picture.draw = check_data if random.randrange(20) else draw
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            assert not re.search(r"[\0-\x1f\x7f-\x9f]", end.code) and not target.exists(), end.code
            assert end.code.startswith((f"{rows}:", "there are no rows of the default progression")), end.code
        elif is_page:
            check_page(target.read_text(encoding="utf-8"))
        else:
            xml.parse(target)
    target.unlink(missing_ok=True)


def main(seconds="15", seed=str(time.time_ns())):
    random.seed(seed)
    resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"5 seconds for one file, with the seed {seed}"))
    corpus = [path.read_bytes() for path in CORPUS]
    files, end = 0, time.monotonic() + float(seconds)
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            text = changed(random.choice(corpus), corpus)
            signal.alarm(5)
            try:
                check(Path(folder), text)
            except BaseException:
                print(f"with the seed {seed}, this file: {text}", file=sys.stderr)
                raise
            files += 1
        signal.alarm(0)
    print(f"stat::number_of_executed_units: {files}")


main(*sys.argv[1:])
