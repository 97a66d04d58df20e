#!/usr/bin/env python3
"""usage: tools/course/program.py gpu|BUILD FILE.cu [lens]

Builds any CUDA program in one file, with nvcc or with a build folder's simulator, and prints the executable's path. The
simulator's CMake targets `program` and `program_lens` are compiled and linked in the same way: their commands are asked of
ninja, and only the names of the files are replaced. CMake and ninja themselves can't handle some names of files.
"""

import hashlib
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fcntl import LOCK_EX, flock
from itertools import groupby, islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARIES = ["cublas", "curand", "cufft", "cusparse", "cusolver"]


class Refused(Exception):
    """The messages about a program that can't be built."""


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)


def compiled(command, **options):
    """Runs a compiler. Returns its messages. Only those about features that the simulator lacks matter, if there are any."""
    done = run(command, **options)
    if done.returncode != 0:
        raise Refused("\n".join(line for line in done.stdout.splitlines() if "the simulator has no" in line) or done.stdout.rstrip("\n"))
    return done.stdout


def command_of(build, output):
    """The words of the command by which ninja would make a file."""
    said = run(["ninja", "-C", build, "-t", "commands", "-s", output])
    line = said.stdout.rstrip("\n").rpartition("\n")[2]
    parts = [list(words) for is_and, words in groupby(shlex.split(line), "&&".__eq__) if not is_and]
    command = next((words for words in parts if words[0] not in ("cd", ":")), None)
    if said.returncode != 0 or not command:
        raise Refused(f"{build} has no target {output}: configure it again with cmake --preset")
    return command


def standard(file):
    """The option for the C++ that a program is written in, if its first lines say so in nvcc's words."""
    with open(file, encoding="utf-8", errors="replace") as text:
        found = re.search(r"^//.*( -std=c\+\+\d\d)\b", "".join(islice(text, 20)), re.MULTILINE)
    return [found[1].strip()] if found else []


def files_read(rule):
    """The files that a compiler has read, from its Makefile rule; none if there is no rule."""
    try:
        text = rule.read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ").partition(": ")[2]
    except OSError:
        return []
    names = re.findall(r"(?:\\[ #:\\]|\$\$|\S)+", text)
    return [re.sub(r"\\([ #])", r"\1", name).replace("$$", "$") for name in names]


def is_older(program, files):
    try:
        built = program.stat().st_mtime_ns
        return not files or any(os.stat(file).st_mtime_ns > built for file in files)
    except OSError:
        return True


def clangs_words(build, file):
    """What clang rejects as nvcc would, if a clang that reads CUDA was found."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8", errors="surrogateescape")
    if not re.search("^COURSE_CLANG:INTERNAL=TRUE$", cache, re.MULTILINE):
        return ""
    clang = re.search("^CLANGXX:[^=]*=(.*)$", cache, re.MULTILINE)[1]
    done = run([ROOT / "common/simulator/clang/rejected.sh", "--program", file, *standard(file)], env={**os.environ, "CLANG": clang})
    return done.stdout if done.returncode == 1 else ""


def with_simulator(build, file, folder, program, target):
    said = run([build / "bin" / "translate", "--program", file, folder / "sources"])
    if said.returncode != 0:
        raise Refused(said.stdout.rstrip("\n"))
    path, item, refused = os.path.abspath(file), f"{program}.o", folder / f"{program.name}.refused"
    archives = [build / f"lib{name}.a" for name in ("simulator", *(["lens"] if target == "program_lens" else []))]
    rule = Path(f"{item}.d")
    if is_older(program, [*files_read(rule), *archives]):
        model = f"CMakeFiles/{target}.dir/program.cpp.o"
        compile_, link = command_of(build, model), command_of(build, f"bin/{target}")
        source = compile_[-1]
        compile_ = [word.replace(model, item).replace(source, f"{folder}/sources{path}") for word in compile_]
        at = next(k for k, word in enumerate(compile_) if word.startswith("-"))
        link = [word.replace(model, item).replace(f"bin/{target}", str(program)) for word in link]
        program.unlink(missing_ok=True)
        with ThreadPoolExecutor() as pool:
            words = pool.submit(clangs_words, build, file)
            messages = compiled([*compile_[:at], f"-I{os.path.dirname(path)}", *compile_[at:-2], *standard(file), *compile_[-2:]]) + compiled(link, cwd=build)
            refused.write_text(words.result(), encoding="utf-8")
        sys.stderr.write(messages)
    sys.stderr.write(refused.read_text(encoding="utf-8"))


def with_nvcc(file, program):
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import machine  # pylint: disable=import-outside-toplevel

    text = Path(file).read_text(encoding="utf-8", errors="replace")
    options = ["-O3", "-lineinfo", "-rdc=true", "-lcudadevrt", "-Wno-deprecated-gpu-targets", *["-arch=native"] * bool(machine.visible_gpu()),
               *(f"-l{name}" for name in LIBRARIES if re.search(rf'include *[<"]{name}', text))]
    sys.stderr.write(compiled([os.environ.get("CUDACXX") or "nvcc", os.path.abspath(file), *standard(file), *options, "-o", program]))


def build_program(build, file, lens=False):
    """Builds a program unless nothing has changed. Returns the executable's path, or raises Refused."""
    folder = Path(build).resolve() / "programs" / hashlib.sha256(os.fsencode(os.path.abspath(file))).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / ("lens" if lens else "program")
    with open(folder / "lock", "a", encoding="utf-8") as lock:
        flock(lock, LOCK_EX)
        if Path(build).resolve() == ROOT / "build" / "gpu":
            with_nvcc(file, program)
        else:
            with_simulator(Path(build).resolve(), file, folder, program, "program_lens" if lens else "program")
    return program


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["lens"]):
        sys.exit(__doc__.strip())
    try:
        print(build_program(ROOT / "build" / "gpu" if sys.argv[1] == "gpu" else sys.argv[1], sys.argv[2], sys.argv[3:] == ["lens"]))
    except (Refused, OSError) as why:
        sys.exit(str(why))
