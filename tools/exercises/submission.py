"""Selects what is graded of a student's file: the functions that the exercise asks for, if nothing in it is suspicious.

All other code is the chapter's. A file is rejected for code that no solution needs and cheats use. Other cheats, such as a
call of the C library by another name, are found in the object (grading.py), and the program runs in a sandbox.
"""

import re
from dataclasses import dataclass
from itertools import groupby

from cpp import Rejected, definitions, split, tokens_of
from starter import MARK, Chapter, marked

HEADERS = set("""algorithm array atomic bit climits cmath cstddef cstdint cstdio limits mutex numeric thread
    type_traits utility vector""".split())
STD = set("""accumulate array atomic begin byte clamp conditional_t copy copy_n cref data end fill fill_n for_each int16_t
    int32_t int64_t int8_t integral iota is_same_v jthread lock_guard make_unsigned_t max memory_order_relaxed
    min move mutex numeric_limits pair plus ptrdiff_t reduce ref size size_t span swap thread transform tuple
    uint16_t uint32_t uint64_t uint8_t uintptr_t unsigned_integral vector""".split())
FORBIDDEN = re.compile(r"""asm|__asm.*|__attribute.*|__builtin_.*|__declspec|__has_.*|_Pragma|sim|SIM_.*|student|namespace
    |friend|operator|import|module|export|concept|setjmp|longjmp|added_variants|more_checks|check_.*|system|exec[lv]p?e?|fork|vfork
    |exit|_exit|_Exit|quick_exit|abort|terminate|atexit|at_quick_exit|getenv|secure_getenv|(?:un)?setenv|environ|popen
    |fopen|freopen|fdopen|openat|creat|i?fstream|ofstream|filesystem|dlopen|dlsym|mmap|munmap|mprotect|syscall|ptrace
    |std(?:in|out|err)|cin|cout|cerr|clog|getchar|fgets|fread|scanf|fscanf|pthread_.*
    |reference_.*|ReferenceSum|fast_on_cpu|on_all_cores""".replace("\n", "").replace(" ", ""))
BAD_CAST = re.compile(r"<[^>]*\(|<[^<>]*(<[^<>]*>)?[^<>]*>\([0-9]")  # the text after reinterpret_cast
FORBIDDEN_CALLS = {"open", "read", "write", "signal", "raise", "kill", "clone", "gets", "getc", "bind", "connect", "socket"}


def require_unambiguous(text):
    """Rejects characters that compilers and readers may see differently."""
    if mark := re.search(r"[^\t\n\x20-\x7e]", re.sub(r"[^\x00-\x7f]", "x", text)):
        raise Rejected(f"line {text.count(chr(10), 0, mark.start()) + 1}: a control character")
    if spliced := re.search(r"\\[ \t]*\n", text):
        raise Rejected(f"line {text.count(chr(10), 0, spliced.start()) + 1}: a backslash at the end of a line")


def includes_of(tokens, allowed):
    """The #includes. Raises Rejected for a directive that is not allowed."""
    includes = []
    for number, line in groupby(tokens, key=lambda token: token.directive):
        if number == 0:
            continue
        words = [each.text for each in line]
        header = "".join(words[2:])
        if re.fullmatch(r"# pragma unroll( \w+| \( \w+ \))?", " ".join(words)):
            pass  # stays where it is
        elif words[:2] == ["#", "include"] and (header in allowed or header in {f"<{each}>" for each in HEADERS}):
            includes.append(f"#include {header}")
        elif words != ["#", "pragma", "once"]:
            named = f"#include {header}" if words[:2] == ["#", "include"] else " ".join(words)
            raise Rejected(f"line {number}: '{named}' is not allowed in this exercise, only the starter's "
                          "#includes and #pragma unroll")
    return includes


def screen(tokens, course_words):
    """Rejects code that no solution needs."""
    texts = [token.text for token in tokens] + ["", "", ""]
    for at, token in enumerate(tokens):
        before, after = texts[at - 1] if at else "", texts[at + 1]
        name, why = token.text, ""
        if re.match('(u8|[uUL])?R"', name + after):
            why = "a raw string is not allowed"
        elif token.kind == "name":
            if FORBIDDEN.fullmatch(name) or name in FORBIDDEN_CALLS and after == "(":
                why = f"'{name}' is not allowed in an exercise"
            elif re.match("cuda[A-Z]", name) and name not in course_words:
                why = f"'{name}' is not allowed in this exercise"
            elif before == "::" and texts[at - 2] == "std" and name not in STD:
                why = f"'std::{name}' is not allowed in this exercise"
            elif name == "extern" and after != "__shared__":
                why = "'extern' is for shared memory only"
            elif name == "reinterpret_cast" and BAD_CAST.match("".join(texts[at + 1:at + 20])):
                why = "a cast to a function pointer or of a number to an address"
        elif name == "::" and not re.match(r"[A-Za-z_>]", before) or name == "::" and before == "return":
            why = "'::' without a name before it"
        elif name in ("%:", "<%", "%>", "<:", ":>") or name == "?" and after == "?":
            why = f"'{name}' is an alternative spelling of a character"
        elif name == "[" and after == "[":
            why = "attributes are not allowed in an exercise"
        elif name == ")" and before == "*" and tokens[at + 1:] and tokens[at + 1].kind == "number":
            why = "a cast of a number to an address"
        if why:
            raise Rejected(f"line {token.line}: {why}")


def require_harmless(definition, is_host, called):
    """Rejects a definition that is not in the starter, unless it can run only when called."""
    head, name, line = definition.head, definition.name, definition.tokens[0].line
    words = definition.words
    if taken := definition.names & called:
        raise Rejected(f"line {line}: '{min(taken)}' is already a name in the course's code")
    if "template" in head and head[1:3] == ["<", ">"]:
        raise Rejected(f"line {line}: a template specialization is not allowed")
    if definition.is_function:
        qualifiers = definition.qualifiers()
        if qualifiers in ({"__device__"}, {"__global__"}) or is_host and not qualifiers:
            return
        raise Rejected(f"line {line}: '{name}' is a host function, which this exercise does not need")
    if head[:1] == ["struct"] and "(" not in words and words[-2:] == ["}", ";"] and "static" not in words:
        return
    if head[:1] == ["using"] and "=" in words or head[:1] == ["static_assert"]:
        return
    if "constexpr" in head and not re.search(r"\] [({]", " ".join(words)):  # a lambda
        return
    raise Rejected(f"line {line}: '{' '.join(words[:6])} ...' is neither a device function nor a constexpr constant nor a "
                  "struct of data")


@dataclass
class Submission:
    """A student's file in the chapter's surroundings."""

    text: str
    includes: list
    notes: list  # in words, what was left out of the file


def read(exercise, raw):
    """The source to be graded, from a file's bytes. Raises Rejected."""
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Rejected("it is not UTF-8 text") from None
    chapter = Chapter(exercise.chapter)
    own = [line for line in chapter.lines if line.startswith("#include")]
    require_unambiguous(text)
    tokens = tokens_of(text)
    added = includes_of(tokens, {line.removeprefix("#include ") for line in own})
    needed = chapter.needed(exercise.variant)
    course_words = set(re.findall(r"\w+", "\n".join(line for part in needed for line in part)))
    screen([token for token in tokens if not token.directive], course_words)

    # The course's definitions, each with whether the student writes it.
    course = []
    for part in needed:
        lines = "\n".join("" if MARK.fullmatch(line) else line for line in part)
        asked = exercise.number in marked(part)
        placed = f'#line {chapter.line_of(part)} "{exercise.chapter}/kernels.cuh"\n{lines}'
        course += [(each, asked, placed) for each in definitions(lines)[:1]]
    wanted = {each.name: each for each, asked, _ in course if asked}
    kept = {each.name: each for each, asked, _ in course if not asked}
    called = {word for each, asked, _ in course if not asked for word in re.findall(r"(\w+) [(<]", " ".join(each.words))}
    is_host = any(not each.qualifiers() for each in wanted.values())

    students, notes = split(tokens), []
    seen = set()
    for each in students:
        name = each.name
        if name in seen and name in wanted:
            raise Rejected(f"line {each.tokens[0].line}: '{name}' is defined twice")
        seen.add(name)
        if name in wanted:
            if not each.is_function or each.qualifiers() != wanted[name].qualifiers():
                kind = " ".join(wanted[name].qualifiers()) or "host"
                raise Rejected(f"line {each.tokens[0].line}: '{name}' is not a {kind} function, as in the starter")
        elif name in kept:
            if each.words != kept[name].words:
                notes.append(f"Ignored: the change to '{name}' in line {each.tokens[0].line}, which is the course's code.")
        else:
            require_harmless(each, is_host, called)
    if missing := [name for name in wanted if name not in seen]:
        raise Rejected(f"'{missing[0]}' is missing")

    parts, emitted = [], set()
    for each, asked, placed in course:
        if not asked:
            parts.append(placed)
            continue
        for at, student in enumerate(students):
            if at in emitted or student.name in kept or student.name in wanted and student.name != each.name:
                continue
            emitted.add(at)
            first, last = student.tokens[0], student.tokens[-1]
            parts.append(f'#line {first.line} "{exercise.file}"\n{text[first.start:last.start + 1]}')
            if student.name == each.name:
                break
    return Submission("\n".join(parts) + "\n", [*own, *(line for line in added if line not in own)], notes)
