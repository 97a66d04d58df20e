"""Reads C++ source: its tokens, its code without comments, and its definitions. Ambiguous source is rejected."""

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice

# This expression matches at every position, in linear time.
TOKEN = re.compile(r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<unclosed>/\*.*)
    |(?P<newline>\n)
    |(?P<space>(?:[ \t\r\f\v]|\\\n)+)
    |(?P<text>(?:u8|[uUL])?(?:R"(?P<delimiter>[^()\\\s]{0,16})\((?:.*?\)(?P=delimiter)"|.*)
        |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'?[A-Za-z0-9_]|\.)*)
    |(?P<op>::|->|%:|<%|%>|<:|:>|[]!#%&()*+,./:;<=>?[^{|}~-])
    |(?P<other>.)""", re.DOTALL | re.VERBOSE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
CLOSING = {"(": ")", "[": "]", "{": "}"}
TYPES = ("struct", "class", "union", "enum", "using")


class Rejected(ValueError):
    """The reason why source is not read or a submission is rejected, in one line."""


class Unbalanced(Rejected):
    """A bracket without a partner."""

    def __init__(self, token, what):
        super().__init__(f"line {token.line}: '{token.text}' {what}")
        self.line, self.what = token.line, f"'{token.text}' {what}"


@dataclass
class Token:
    kind: str
    text: str
    start: int
    line: int
    directive: int  # the line of the directive that the token belongs to; 0 outside directives


@dataclass
class Definition:
    tokens: list
    head: list = field(default_factory=list)  # the tokens' texts before the body or value
    is_function: bool = False

    @cached_property
    def words(self):
        return [token.text for token in self.tokens]

    @property
    def is_declaration(self):
        """Whether there is neither a body nor a value."""
        return self.words[len(self.head):] == [";"]

    def qualifiers(self):
        return {word for word in self.head if re.fullmatch("__(host|device|global|constant|shared|managed)__", word)}

    @cached_property
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
        elif head[:1] and head[0] in TYPES:
            return next((word for word in head[1:] if word != "class"), "")
        head = head[:head.index("[")] if "[" in head else head
        names = [word for word in head if re.match(r"[A-Za-z_]", word)]
        return names[-1] if names else ""

    @cached_property
    def names(self):
        """The names that this defines: one, or several as in `int a = 1, b = 2`."""
        words = [] if self.is_function else [self.words[at] for at in outside_brackets(self.words)]
        others = (word for before, word, after in zip(words, words[1:], words[2:]) if before + after == ",=")
        return {self.name, *others}

    def lines(self, text):
        """The definition's lines in the text that it comes from, without the comment above."""
        return text.split("\n")[self.tokens[0].line - 1:self.tokens[-1].line]

    def with_comment(self, text):
        """The definition's lines, with the comment above, up to an empty line or a Doxygen group."""
        lines, first = text.split("\n"), self.tokens[0].line - 1
        while first > 0 and re.match(r"\s*//(?!/ @(name|[{}]))", lines[first - 1]):
            first -= 1
        return lines[first:self.tokens[-1].line]


def blank(match):
    """Spaces in place of a match. Its line breaks stay."""
    return re.sub(r"[^\n]", " ", match[0])


def without_comments(text, *kinds):
    """The text with spaces in place of comments, and of tokens of the other `kinds`, if any are given."""
    kinds = ("comment", "unclosed", *kinds)
    return TOKEN.sub(lambda match: blank(match) if match.lastgroup in kinds else match[0], text)


def code_of(text):
    """The text with spaces in place of comments, literals and directives."""
    return DIRECTIVE.sub(blank, without_comments(text, "text"))


def tokens_of(text):
    """All tokens except comments."""
    found, line, directive = [], 1, 0
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind in ("other", "unclosed"):
            raise Rejected(f"line {line}: {word[:20].splitlines()[0]!a} can't be read")
        if kind == "newline":
            directive = 0
        elif kind not in ("comment", "space"):
            directive = directive or (line if word in ("#", "%:") else 0)
            found.append(Token(kind, word, match.start(), line, directive))
        line += word.count("\n")
    return found


def outside_brackets(words, start=0):
    """The positions, from `start` on, of words outside all brackets, and of the outermost brackets themselves."""
    depth = 0
    for at in range(start, len(words)):
        depth -= words[at] in CLOSING.values()
        if depth == 0:
            yield at
        depth += words[at] in CLOSING


def closing(words, opening):
    """The position of the bracket that closes the one at `opening`. The words may also be characters."""
    if (end := next(islice(outside_brackets(words, opening), 1, None), None)) is None:
        raise Rejected(f"'{words[opening]}' is never closed")
    return end


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
    return next((at for at in outside_brackets(texts, end_of_template(texts)) if texts[at] in ("{", ";", "=")), len(texts))


def split(tokens):
    """The definitions at the top level and in namespaces, apart from directives."""
    tokens = [token for token in tokens if not token.directive]
    found, open_, start, head, namespaces = [], [], 0, None, 0
    for at, token in enumerate(tokens):
        if token.text in CLOSING:
            open_.append(token)
            if len(open_) == namespaces + 1 and "namespace" in [each.text for each in tokens[start:start + 2]]:
                namespaces, start = len(open_), at + 1
        elif token.text in CLOSING.values():
            if not open_ or CLOSING[open_.pop().text] != token.text:
                raise Unbalanced(token, "closes nothing")
            if len(open_) < namespaces:
                namespaces, start = len(open_), at + 1
                continue
        if len(open_) > namespaces or token.text not in (";", "}"):
            continue
        if head is None:
            texts = [each.text for each in tokens[start:at + 1]]
            head = texts[:end_of_head(texts)]
            is_function = "(" in head and head[:1] != ["struct"] and texts[len(head):len(head) + 1] == ["{"]
        if token.text == "}" and not is_function:
            continue
        if start < at:
            found.append(Definition(tokens[start:at + 1], head, is_function))
        start, head = at + 1, None
    if open_:
        raise Unbalanced(open_[-1], "is never closed")
    if start < len(tokens):
        raise Rejected(f"line {tokens[start].line}: a definition is not complete")
    return found


@lru_cache(maxsize=None)
def definitions(text):
    return split(tokens_of(text))
