"""Renders Markdown as a code-hosting site does: with cmark-gfm, and with the same anchors on headings."""

import html
import re
import subprocess

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)


def plain(text):
    """The text of HTML, without tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def render(path):
    """A Markdown file as HTML, without comments, and with ids on the headings."""
    command = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", str(path)]
    body = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    seen = {}

    def with_id(match):
        slug = re.sub(r"[^\w\- ]", "", plain(match[2]).strip().lower()).replace(" ", "-")
        number = seen[slug] = seen.get(slug, -1) + 1
        return f'<h{match[1]} id="{slug}{f"-{number}" if number else ""}">{match[2]}</h{match[1]}>'

    return HEADING.sub(with_id, COMMENT.sub("", body))


def is_local(target):
    """Whether a link leads to a file of the repository or to a heading, rather than to another site."""
    return not re.match(r"[a-z][a-z0-9+.-]*:|//", target)
