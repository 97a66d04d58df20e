"""Finds submissions that are nearly identical to each other or to the published solution.

A file is compared by its sequences of tokens, without comments and with one placeholder for every name that a student
chooses, so that neither renaming nor reordering functions hides a copy. Sequences of the starter are ignored. Between two
students, so are those of the chapter's solution, because everybody can read it.
"""

import re
from itertools import combinations

from cpp import TOKEN

LENGTH = 6  # tokens in a sequence
LEAST = 24  # sequences that two files must share: short code may have only one form
SHARE = 0.6  # the least share of their sequences that two files must have in common
GIVEN = re.compile(r"""__\w+|atomic\w*|cuda[A-Z]\w*|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|std|size_t|u?int\d*(?:_t)?|uchar\d
    |auto|bool|break|case|char|const|constexpr|continue|do|double|else|extern|false|float|for|if|long|nullptr|reinterpret_cast
    |return|short|signed|sizeof|static|static_assert|static_cast|struct|switch|template|true|typename|unsigned|using|void|while
    """.replace("\n", "").replace(" ", ""))  # names that a student does not choose


def words(text):
    """The tokens of a text up to the first that can't be read, without comments and with one placeholder for a student's names."""
    found = []
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind in ("other", "unclosed"):
            break  # reading on may take quadratic time
        if kind not in ("comment", "newline", "space"):
            found.append("name" if kind == "name" and not GIVEN.fullmatch(word) else word)
    return found


def sequences(text):
    found = words(text)
    return {tuple(found[at:at + LENGTH]) for at in range(len(found) - LENGTH + 1)}


def share(one, other):
    """The share of the sequences of two files that both have; 0 if there are too few, or if the share must be less than SHARE."""
    if min(len(one), len(other)) < max(LEAST, SHARE * max(len(one), len(other))):
        return 0
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both >= LEAST else 0


def find(starter, solution, texts):
    """Finds nearly identical texts among an exercise's files: `texts` maps the names of submissions to texts.

    Returns the submissions that are nearly the solution, each with its share, and groups of other submissions, each with its
    least and its largest share: a file is in a group if it is nearly identical to another file there.
    """
    given = sequences(starter)
    published = sequences(solution) - given
    own = {name: sequences(text) - given for name, text in texts.items()}
    known = {name: part for name, its in own.items() if (part := share(its, published)) >= SHARE}
    own = {name: rest for name, its in own.items() if name not in known and len(rest := its - published) >= LEAST}
    group_of = {name: [name] for name in own}
    pairs = [(one, other, part) for one, other in combinations(own, 2) if (part := share(own[one], own[other])) >= SHARE]
    for one, other, _ in pairs:
        if (group := group_of[one]) is not group_of[other]:
            group += group_of[other]
            group_of.update(dict.fromkeys(group, group))
    parts = {}
    for one, _, part in pairs:
        parts.setdefault(id(group_of[one]), []).append(part)
    groups = {id(group): group for group in group_of.values()}
    return known, [(groups[at], min(each), max(each)) for at, each in parts.items()]
