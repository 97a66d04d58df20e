"""Splits C++ source into definitions, by its tokens. Ambiguous source is rejected."""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(r"""(?P<space>[ \t\n]+|//[^\n]*|/\*.*?\*/)
    |(?P<text>(?:u8|[uUL])?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'?[A-Za-z0-9_]|\.)*)
    |(?P<op>::|->|%:|<%|%>|<:|:>|[]!#%&()*+,./:;<=>?[^{|}~-])""", re.DOTALL | re.VERBOSE)
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Rejected(Exception):
    """The reason why a submission is not graded, in one line."""


@dataclass
class Token:
    kind: str
    text: str
    start: int
    line: int


@dataclass
class Definition:
    tokens: list
    head: list = field(default_factory=list)  # the tokens' texts before the body or value
    is_function: bool = False

    @property
    def words(self):
        return [token.text for token in self.tokens]

    def qualifiers(self):
        return {word for word in self.head if re.fullmatch("__(host|device|global|constant|shared|managed)__", word)}

    @property
    def name(self):
        head = self.head
        if head[:1] == ["static_assert"]:
            return ""
        head = head[end_of_template(head):]
        if "__launch_bounds__" in head:
            at = head.index("__launch_bounds__")
            head = head[:at] + head[head.index(")", at) + 1:]
        if self.is_function and "(" in head:
            head = head[:head.index("(")]
        elif head[:1] in (["struct"], ["using"]):
            return head[1] if len(head) > 1 else ""
        head = head[:head.index("[")] if "[" in head else head
        names = [word for word in head if re.match(r"[A-Za-z_]", word)]
        return names[-1] if names else ""


def tokens_of(text):
    if mark := re.search(r"[^\t\n\x20-\x7e]", re.sub(r"[^\x00-\x7f]", "x", text)):
        raise Rejected(f"line {text.count(chr(10), 0, mark.start()) + 1}: a control character")
    if spliced := re.search(r"\\[ \t]*\n", text):
        raise Rejected(f"line {text.count(chr(10), 0, spliced.start()) + 1}: a backslash at the end of a line")
    found, at, line = [], 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Rejected(f"line {line}: {text[at:at + 20].splitlines()[0]!a} can't be read")
        if match.lastgroup != "space":
            found.append(Token(match.lastgroup, match[0], at, line))
        line += match[0].count("\n")
        at = match.end()
    return found


def end_of_template(texts):
    """The position after `template <...>`."""
    depth = 0
    for at, word in enumerate(texts):
        depth += (word == "<") - (word == ">")
        if depth == 0 and (texts[0] != "template" or at > 0):
            return at + (at > 0)
    return len(texts)


def end_of_head(texts):
    """The position of a definition's body or value."""
    depth, start = 0, end_of_template(texts)
    for at, word in enumerate(texts[start:], start):
        if depth == 0 and word in ("{", ";", "="):
            return at
        depth += (word in ("(", "[")) - (word in (")", "]"))
    return len(texts)


def split(tokens):
    """The definitions at the top level."""
    found, open_, start = [], [], 0
    for at, token in enumerate(tokens):
        if token.text in CLOSING:
            open_.append(token)
        elif token.text in CLOSING.values():
            if not open_ or CLOSING[open_.pop().text] != token.text:
                raise Rejected(f"line {token.line}: '{token.text}' closes nothing")
        if open_ or token.text not in (";", "}"):
            continue
        texts = [each.text for each in tokens[start:at + 1]]
        head = texts[:end_of_head(texts)]
        is_function = "(" in head and head[:1] != ["struct"] and texts[len(head):len(head) + 1] == ["{"]
        if token.text == "}" and not is_function:
            continue
        if texts != [";"]:
            found.append(Definition(tokens[start:at + 1], head, is_function))
        start = at + 1
    if open_:
        raise Rejected(f"line {open_[-1].line}: '{open_[-1].text}' is never closed")
    if start < len(tokens):
        raise Rejected(f"line {tokens[start].line}: a definition is not complete")
    return found
