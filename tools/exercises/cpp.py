"""Reads C++ source: its tokens, its code without comments, and its definitions. Ambiguous source is rejected."""

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice, takewhile

# This expression matches at every position, in linear time.
TOKEN = re.compile(r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<unclosed>/\*.*)
    |(?P<newline>\n)
    |(?P<space>(?:[ \t\r\f\v]|\\\n)+)
    |(?P<text>(?:u8|[uUL])?(?:R"(?P<delimiter>[^()\\\s]{0,16})\((?:.*?\)(?P=delimiter)"|.*)
        |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'))
    |(?P<name>[^\W\d]\w*)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'?\w|\.)*)
    |(?P<op>::|->|%:|<%|%>|<:(?!:[^:>])|:>|[]!#%&()*+,./:;<=>?[^{|}~-])
    |(?P<other>.)""", re.DOTALL | re.VERBOSE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
CLOSING = {"(": ")", "[": "]", "{": "}"}
TYPES = ("struct", "class", "union", "enum", "using")
# Words before a declared name that are no type, and types that are keywords.
SPECIFIERS = set("""inline static constexpr consteval constinit const volatile thread_local extern typename explicit friend virtual
    __device__ __host__ __global__ __shared__ __constant__ __managed__ __forceinline__ __noinline__ __restrict__""".split())
KEYWORDS = SPECIFIERS | set("""auto bool char double float int long short signed unsigned void wchar_t char8_t char16_t char32_t decltype
    alignas alignof sizeof noexcept requires typeof __typeof__ operator""".split())
# Words whose brackets may come before a declared name, and the bracket of attributes.
BEFORE_NAME = "__launch_bounds__", "alignas", "__align__", "requires", "["


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
        head = without_groups(head, *BEFORE_NAME)
        if self.is_function and "(" in head:
            head = head[:head.index("(")]
        elif head[:1] and head[0] in TYPES:
            return next((word for word in head[1:] if word != "class"), "")
        head = head[:head.index("[")] if "[" in head else head
        names = list(filter(is_name, head))
        return names[-1] if names else ""

    @cached_property
    def names(self):
        """The names that this defines: one, or several as in `int a = 1, b = 2`. For code that need not be doubted: see `declared`."""
        words = [] if self.is_function else [self.words[at] for at in outside_brackets(self.words)]
        others = (word for before, word, after in zip(words, words[1:], words[2:]) if before + after == ",=")
        return {self.name, *others}

    def declared(self):
        """All names that this declares in its namespace. Raises Rejected where its form hides which ones these are."""
        def unclear(why):
            return Rejected(f"line {self.tokens[0].line}: {why}")

        words = self.words
        if words[:1] == ["static_assert"]:
            return set()
        if words[:1] == ["using"] and words[2:3] != ["="]:  # it may bring any names into the namespace, those of `std` excepted
            if words[1:3] not in (["namespace", "std"], ["std", "::"]) or len(words) > 5:
                raise unclear("'using' is for names of std, as in 'using std::size_t', and for types, as in 'using Count = int'")
            return set()
        if words[0] == "template" and words[1:2] != ["<"]:
            raise unclear("an explicit instantiation is not allowed in an exercise")
        end = end_of_template(self.head)
        parameters = " ".join(self.head[at] for at in outside_brackets(self.head[:end]))
        head = without_groups(self.head[end:], *BEFORE_NAME)
        at = head.index("operator") if "operator" in head else len(head)  # the `<` after this word begins no arguments
        before = without_arguments(head[:at])
        # In `template <bool b = 1 < 2> int c = 4 > d;`, the parameters seem to end before `d`.
        if before is None or re.search(">[^,<]*=", parameters):
            raise unclear("write brackets around a comparison in template arguments")
        head = [word for word in before + head[at:] if word not in SPECIFIERS]
        if head[:1] == ["typedef"]:
            words = [word for word in words if word not in "()"]  # the name may be in brackets
            return {words[at] for at in outside_brackets(words) if is_name(words[at])}
        if kind := next((word for word in head if word in TYPES), ""):
            named = [word for word in head[head.index(kind) + 1:] if word not in ("class", "struct")]
            named = named[:named.index(":")] if ":" in named else named
            if head[0] != kind or len(named) - (named[-1:] == ["final"]) != 1 and [kind, *named] != ["enum"]:
                raise unclear(f"write one name after '{kind}'")
            body = words[len(self.head):]
            if kind != "enum":  # whose body has names, too
                body = body[closing(body, 0) + 1:] if kind != "using" and body[:1] == ["{"] else []
            return set(filter(is_name, [*named[:1], *body]))
        if "requires" in head:
            raise unclear("write brackets around a constraint, as in 'requires (sizeof(T) == 8)'")
        before = head[:min(head.index(mark) if mark in head else len(head) for mark in "([,")]
        if "operator" in before:
            return {"operator"}
        after = head[closing(head, len(before)) + 1:] if head[len(before):len(before) + 1] == ["("] else []
        if len(before) < 2 or not is_name(before[-1]) or before[-1] in KEYWORDS or "{" in before or after[:1] == ["("]:
            raise unclear("it is not clear which name this declares: write its type and its name, without brackets around the name")
        found = {before[-1]}
        if not self.is_function:  # the names of several variables
            words = head + words[len(self.head):]
            outside = [words[at] for at in outside_brackets(words)]
            for at in (at for at, word in enumerate(outside) if word == ","):
                one = list(takewhile(lambda word: word not in ("=", "{", "[", "(", ";", ","), outside[at + 1:]))
                if not one:
                    raise unclear("write each variable's name without brackets around it")
                found |= set(one) if all(is_name(word) or word in "*&" for word in one) else set()
        return set(filter(is_name, found))

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
            raise Rejected(f"line {line}: {word[:20].partition(chr(10))[0]!a} can't be read")
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


def is_name(word):
    return bool(re.match(r"[^\W\d]", word))


def without_groups(words, *names):
    """The words without each of the names and the brackets after it, or without brackets of this kind that begin twice, as `[[`."""
    found, at = [], 0
    while at < len(words):
        is_group = words[at] in names and (words[at + 1:at + 2] == ["("] or words[at:at + 2] == ["[", "["])
        if not is_group:
            found.append(words[at])
        at = closing(words, at + (words[at] != "[")) + 1 if is_group else at + 1
    return found


def end_of_arguments(words, start):
    """The position after the template arguments that begin at `start`, or one beyond the end if they never end. In brackets, `<` and
    `>` are operators."""
    depth = 0
    for at in outside_brackets(words, start):
        depth += (words[at] == "<") - (words[at] == ">")
        if depth == 0:
            return at + 1
    return len(words) + 1


def without_arguments(words):
    """The words without template arguments. None if arguments never end, as in `A<1 < 2> b`: the name that follows is among them."""
    found, at = [], 0
    while at < len(words):
        if words[at] == "<":
            at = end_of_arguments(words, at)
        else:
            end = closing(words, at) + 1 if words[at] in CLOSING else at + 1
            found += words[at:end]
            at = end
    return found if at == len(words) else None


def end_of_template(texts):
    """The position after `template <...>`."""
    return min(end_of_arguments(texts, 1), len(texts)) if texts[:1] == ["template"] else 0


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
