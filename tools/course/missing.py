"""Rewrites the messages of compilers and the linker about a program so that they say what to do."""

import os
import re
import sys
from difflib import SequenceMatcher
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SIMULATOR = ROOT / "common" / "simulator"
PLACE = r"(?:\S*ld(?:\.\w+)?: )?(?P<place>.+?): "
UNDEFINED = re.compile(PLACE + r"undefined reference to [`'](?P<symbol>.+)'$")
DEFINED_TWICE = re.compile(PLACE + r"multiple definition of [`'](?P<symbol>.+?)'; (?P<first>.*): first defined here$")

# The translator's messages about features that the simulator lacks, and compilers' messages about unknown names that have the form of
# CUDA's or belong to CUDA's namespaces and structs.
REFUSED = re.compile(r"(?P<place>.*?:\d+):.* (?P<why>the simulator has no .*)$")
OF_CUDA = r"(?:cuda|cu)[A-Z]\w*|(?:curand|atomic[A-Z]|make_|nv_|__)\w+|CU(?:DA|RAND)_\w+"
UNKNOWN = re.compile(rf"(?P<place>.*?:\d+):\d+: error: (?:use of undeclared identifier |unknown type name )?['‘](?P<name>{OF_CUDA})['’]"
                     r"(?:| was not declared in this scope| does not name a type| has not been declared)(?:; did you mean ['‘](?P<other>\w+)['’]\?)?$")
SCOPE = r"(?P<scope>cg|cooperative_groups(?:::\w+)*|cuda(?:::\w+)*|(?:struct )?cuda[A-Z]\w*)"
NO_MEMBER = [re.compile(rf"(?P<place>.*?:\d+):\d+: error: {words}") for words in (
    rf"['‘](?P<name>\w+)['’] (?:is not a member of|in namespace) ['‘]{SCOPE}['’]", rf"['‘]{SCOPE}['’] has no member named ['‘](?P<name>\w+)['’]",
    rf"no (?:member|type|template) named ['‘](?P<name>\w+)['’] in (?:namespace )?['‘]{SCOPE}['’]")]

WIDE_TILE = re.compile(r"(?P<place>.*?:\d+):\d+: error: (?:use of|call to) deleted function .*\btiled_partition\b")

IN_FUNCTION = re.compile(r"^.*: In .*$", re.MULTILINE)
VOLATILE = re.compile(r"sim::(?:Any)?LockstepPointer<([^<>]*)>")  # the type that volatile_pointers.hpp puts in place of volatile T*


def as_written(said):
    """A compiler's messages, with functions named by the parameter types that the program itself uses."""
    return IN_FUNCTION.sub(lambda line: VOLATILE.sub(r"volatile \1*", line[0]), said)


def of_compiler(said):
    """A compiler's messages, or only those about what the simulator lacks, if any: all other errors may follow from these."""
    lines, refused = {}, set()

    def lacks(place, name, guess=""):
        if place not in refused:
            lines.setdefault(name, f"{place}: error: the simulator lacks {name}{guess}")

    for line in said.splitlines():
        if found := REFUSED.match(line):
            refused.add(found["place"])
            lines.setdefault((found["place"].rpartition(":")[0], found["why"]), f"{found['place']}: error: {found['why']}")
        elif found := UNKNOWN.match(line):
            other = found["other"] or ""
            is_typing_error = SequenceMatcher(None, found["name"], other).ratio() > 0.9
            lacks(found["place"], found["name"], f"; did you mean {other}?" * is_typing_error)
        elif found := next(filter(None, (form.match(line) for form in NO_MEMBER)), None):
            lacks(found["place"], f"{found['scope'].removeprefix('struct ')}::{found['name']}")
        elif found := WIDE_TILE.match(line):
            lacks(found["place"], "cg::tiled_partition for more than 32 threads")
    return "\n".join(lines.values()) or said.rstrip("\n")


VARIABLE_SIZE = "cannot use variable-length arrays"


def without_constant_sizes(said, known):
    """What clang rejects, except arrays whose size is a constant for the host's compiler, and thus for nvcc. `known` has that
    compiler's warnings about arrays of variable size."""
    def places(text):
        return {(os.path.basename(path), line) for path, line in re.findall(r"^(.+?):(\d+):\d+: \w+: .*variable.length array", text, re.MULTILINE)}

    errors = re.split(r"^(?=\S.*?:\d+:\d+: error: )", said, flags=re.MULTILINE)
    kept = [error for error in errors if VARIABLE_SIZE not in error or places(error) & places(known)]
    return "".join(kept) if any(": error: " in error for error in kept) else ""


def word_of(symbol):
    """A symbol's name without its namespace, its template's arguments and its parameters."""
    return re.sub(r"[(<\[].*", "", symbol).rpartition("::")[2]


def defines(path, name):
    """Whether a file defines a function or a variable. A file that can't be read defines nothing."""
    sys.path.insert(1, str(ROOT / "tools" / "exercises"))
    import cpp  # pylint: disable=import-outside-toplevel

    try:
        found = cpp.definitions(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):
        return False
    return any(name in each.names and (each.is_function or "extern" not in each.head and "(" not in each.head) for each in found)


def neighbour(name, files, kinds):
    """The path, as the user would write it, of a file next to the program's files that defines a name."""
    folders = {os.path.dirname(file): None for file in files}
    own = {os.path.abspath(file) for file in files}
    for folder in folders:
        for path in sorted(Path(folder or ".").iterdir()):
            if path.suffix in kinds and os.path.abspath(path) not in own and defines(path, name):
                return os.path.join(folder, path.name)
    return None


def of_linker(said, objects, sources, kinds):
    """The linker's messages, explained where possible. `objects` maps each object to its source file; `sources` is the folder of the
    translations, by absolute path; `kinds` are the suffixes of source files."""
    files, current, undefined, twice = list(objects.values()), "", {}, []

    def named(place):
        """A place as the user would write it: `FILE:LINE`, or the file of an object."""
        at = next((file for item, file in objects.items() if item in place), current)
        path, _, line = place.rpartition(".o:")[2].rpartition(":")
        path = os.path.abspath(path).removeprefix(str(sources))  # ccache may have made it relative
        is_own = line.isdigit() and not path.startswith(str(SIMULATOR))
        return f"{path.removeprefix(os.getcwd() + '/')}:{line}" if is_own else at

    for line in said.splitlines():
        current = next((file for item, file in objects.items() if item in line), current)
        if found := UNDEFINED.match(line):
            place, symbol = named(found["place"]), found["symbol"]
            if symbol not in undefined or undefined[symbol] in files:  # prefers a place with a line
                undefined[symbol] = place
        elif (found := DEFINED_TWICE.match(line)) and not found["symbol"].startswith("__odr_asan."):
            why = "name only the files of one program" if found["symbol"] == "main" else "define it in one file, and declare it (extern) in the others"
            twice.append(f"{named(found['place'])}: error: {found['symbol']} is also defined in {named(found['first'])}: {why}")
    lines = []
    for symbol, place in undefined.items():
        file = neighbour(word_of(symbol), files, kinds)
        if symbol == "main":
            lines.append("course: none of the program's files defines main()" + f", but {file} does: name that file, too" * bool(file))
            continue
        why = "OpenMP needs -Xcompiler -fopenmp" if re.match("omp_|GOMP_", symbol) else \
            f"{file} defines it: name that file, too" if file else "no file of the program defines it"
        lines.append(f"{place}: error: undefined reference to {symbol}: {why}")
    return "\n".join(dict.fromkeys([*lines, *twice])) or said.rstrip("\n")
