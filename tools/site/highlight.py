"""Marks CUDA's words and a diff's lines in highlighted code, and drops links to other chapters."""

import re

from markdown import plain

# Words of CUDA's that C++ does not have, but not in comments, strings and tags.
CUDA = re.compile(
    r'(?P<other><span class="(?:comment|stringliteral)">.*?</span>|<[^>]*>)|'
    r"\b(?:__\w+|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|dim3|(?:u?(?:char|short|int)|float|double)[1-4]|"
    r"atomic[A-Z]\w*|cuda[A-Z]\w*|clock64)\b|&lt;&lt;&lt;|&gt;&gt;&gt;")
FRAGMENT = re.compile(r'(<!-- diff -->\s*)?(<div class="fragment">.*?</div>)<!-- fragment -->', re.DOTALL)
LINK = re.compile(r'<a class="code[^"]*" href="([^"#]*)#[^"]*">(.*?)</a>')
CHAPTER = re.compile(r"\d\d_")
DIFF_LINE = re.compile(r'<div class="line">(?:([+-])(?!\1\1 )|(@@|\+\+\+ |--- ))')
DIFF_KINDS = {"+": "added", "-": "removed", None: "hunk"}


def highlighted(page, text, members):
    """A page's text. `members`: where each name is documented, by its file."""
    chapter = CHAPTER.match(page)

    def link(match):
        """A chapter uses its own names or those of common/, never another chapter's nor `sim::`."""
        home = re.match(r"\d\d_|namespacesim", match[1])
        if chapter is None or home is None or home[0] == chapter[0]:
            return match[0]
        for file, place in members.get(plain(match[2]), {}).items():
            if file.startswith(chapter[0]):
                return f'<a class="code" href="{place}">{match[2]}</a>'
        return match[2]

    def line(match):
        return f'<div class="line {DIFF_KINDS[match[1]]}">{match[1] or match[2]}'

    def fragment(match):
        code = LINK.sub(link, match[2])
        if match[1]:
            code = DIFF_LINE.sub(line, code)
        return CUDA.sub(lambda word: word[0] if word["other"] else f'<b class="cuda">{word[0]}</b>', code)

    return FRAGMENT.sub(fragment, text)
