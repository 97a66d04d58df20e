"""The index of the search: the words of every section of the pages."""

import html
import json
import re

HEADING = re.compile(r'<h[23] id=[^>]*>((?:(?!</h).)*) <a class="permalink" href="(#[^"]*)".*?</h[23]>', re.DOTALL)
MAIN = re.compile(r"<h1>(.*?)</h1>(.*)</main>", re.DOTALL)
UNREAD = re.compile(r'<(style|nav|desc|script).*?</\1>|<p class="definition">.*?</p>', re.DOTALL)


def words(text):
    text = re.sub(r"<(?:/?(?:b|a|em|strong|code|span|ins|del|wbr)\b[^>]*)>", "", UNREAD.sub("", text))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def entry(name, text, weight):
    """A finished page for search.js: its title, and of each section the anchor, the heading and the words."""
    title, body = MAIN.search(text).groups()
    parts = HEADING.split(body)
    headings = [words(title), *map(words, parts[1::3])]
    return [name, weight, headings[0], *zip(["", *parts[2::3]], headings, map(words, parts[::3]))]


def script(entries):
    return f"const entries = {json.dumps(entries, ensure_ascii=False, separators=(',', ':'))};\n"
