"""The index of the search: the words of every section of the pages."""

import html
import json
import re

HEADING = re.compile(r'<h[23][^>]*>(.*?) <a class="permalink" href="(#[^"]*)".*?</h[23]>', re.DOTALL)
MAIN = re.compile(r"<h1>(.*?)</h1>(.*)</main>", re.DOTALL)
UNREAD = re.compile(r"<(style|nav|desc|script).*?</\1>", re.DOTALL)


def words(text):
    text = re.sub(r"<(?:/?(?:b|a|em|strong|code|span|ins|del|wbr)\b[^>]*)>", "", UNREAD.sub("", text))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def sections(name, text, weight):
    """The sections of a finished page, as search.js reads them."""
    title, body = MAIN.search(text).groups()
    page, parts = words(title), HEADING.split(body)
    for heading, anchor, text in zip([page, *map(words, parts[1::3])], ["", *parts[2::3]], parts[::3]):
        yield {"page": page, "href": name + anchor, "title": heading, "text": words(text), "weight": weight}


def script(found):
    return f"const sections = {json.dumps(found, ensure_ascii=False)};\n"
