#!/usr/bin/env python3
"""usage: tools/course/program.py gpu|BUILD [--lens] FILE... [-I DIR] [-D NAME[=VALUE]] [-std=c++NN] [-Xcompiler OPTION]

Builds any CUDA program, of .cu and .cpp files, with nvcc or with a build folder's simulator, and prints the executable's
path. The simulator's CMake targets `program` and `program_lens` are compiled and linked in the same way: their commands are
asked of ninja, and only the names of the files are replaced. CMake and ninja themselves can't handle some names of files.
"""

import hashlib
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import builds  # noqa: E402
import missing  # noqa: E402
from terminal import show  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
OF_HOST = (".cpp", ".cc", ".cxx")  # C++ without CUDA, for the host's compiler alone
SOURCES = (".cu", *OF_HOST)
OPTIONS = ("-I", "-D", "-Xcompiler", "-std=")  # the options of nvcc that are accepted
LIBRARIES = ["cublas", "curand", "cufft", "cusparse", "cusolver"]


class Refused(Exception):
    """The messages about a program that can't be built."""


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)


def compiled(command, **options):
    """Runs a compiler. Returns its messages, or raises Refused."""
    done = run(command, **options)
    said = missing.as_written(done.stdout)
    if done.returncode != 0:
        raise Refused(missing.of_compiler(said))
    return said


def command_of(build, output):
    """The words of the command by which ninja would build a file."""
    said = run(["ninja", "-C", build, "-t", "commands", "-s", output])
    line = said.stdout.rstrip("\n").rpartition("\n")[2]
    parts = [list(words) for is_and, words in groupby(shlex.split(line), "&&".__eq__) if not is_and]
    command = next((words for words in parts if words[0] not in ("cd", ":")), None)
    if said.returncode != 0 or not command:
        raise Refused(f"{build} has no target {output}: configure it again with cmake --preset")
    return command


def clang_of(build):
    """The clang that reads CUDA, as CMake has found it; None if there is none."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8", errors="surrogateescape")
    is_found = re.search("^COURSE_CLANG:INTERNAL=TRUE$", cache, re.MULTILINE)
    return re.search("^CLANGXX:[^=]*=(.*)$", cache, re.MULTILINE)[1] if is_found else None


def sources_in(folder):
    return sorted(path.name for path in Path(folder).iterdir() if path.suffix in SOURCES and path.is_file())


def split_options(words):
    """Splits words into nvcc's OPTIONS, each joined to one word with its value, and all other words."""
    options, others, words = [], [], iter(words)
    for word in words:
        name = next(filter(word.startswith, OPTIONS), None)
        value = word[len(name or ""):]
        if name == "-Xcompiler":
            value = value.removeprefix("=")
        if name and not value and name != "-std=":
            value = next(words, "")
        if name and not value:
            raise Refused(f"{word} needs a value")
        (options if name else others).append(f"-Xcompiler={value}" if name == "-Xcompiler" else f"{name or ''}{value}")
    return options, others


def standard(file):
    """The -std option in a comment of a program's first 20 lines, as a list; empty if there is none."""
    with open(file, encoding="utf-8", errors="replace") as text:
        found = re.search(r"^//.*( -std=c\+\+\d\d)\b", "".join(islice(text, 20)), re.MULTILINE)
    return [found[1].strip()] if found else []


def files_read(rule):
    """The files that a compiler has read, according to its Makefile rule; none if there is no rule."""
    try:
        text = rule.read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ").partition(": ")[2]
    except OSError:
        return []
    names = re.findall(r"(?:\\[ #:\\]|\$\$|\S)+", text)
    return [re.sub(r"\\([ #])", r"\1", name).replace("$$", "$") for name in names]


def is_older(program, files):
    try:
        built = os.stat(program).st_mtime_ns
        return not files or any(os.stat(file).st_mtime_ns > built for file in files)
    except OSError:
        return True


class Unit:
    """A file of a program, and the files that are made from it for the simulator."""

    def __init__(self, file, stem, folder, options, folders):
        self.file, self.path, self.is_host = file, os.path.abspath(file), Path(file).suffix in OF_HOST
        self.object, self.rule = f"{stem}.o", Path(f"{stem}.o.d")
        self.refused, self.sources, self.options = Path(f"{stem}.refused"), folder / "sources", options
        self.for_clang = folder / "cuda"
        self.folders = folders

    def translate(self, build, kind="--program"):
        said = run([build / "bin" / "translate", kind, self.file, self.for_clang if kind == "--cuda" else self.sources, *self.folders])
        if said.returncode != 0:
            raise Refused(said.stdout.rstrip("\n"))

    def ask_clang(self, clang, build, compile_):
        """Saves clang's messages about code that nvcc would reject; none without a clang. `compile_` compiles the file."""
        words = ""
        if clang and not self.is_host:
            copy = f"{self.for_clang}{self.path}"
            done = run([ROOT / "common/simulator/clang/rejected.sh", "--program", copy, *self.include(self.for_clang), *standard(self.file), *self.options],
                       env={**os.environ, "CLANG": clang})
            words = done.stdout.replace(copy.removeprefix(f"{ROOT}/"), self.file) if done.returncode == 1 else ""
            if missing.VARIABLE_SIZE in words:
                # With a sanitizer, the compiler takes fewer sizes for constants.
                known = run([*compile_, "-fsyntax-only", "-Wvla", "-fno-sanitize=all"], cwd=build).stdout
                words = missing.without_constant_sizes(words, known)
        self.refused.write_text(words, encoding="utf-8")
        return ""

    def include(self, translated):
        """The -I options: the file's folder, and the translated copies of the folders that the user's -I options name."""
        return [f"-I{name}" for name in [os.path.dirname(self.path), *(f"{translated}{os.path.abspath(name)}" for name in self.folders)]]

    def command(self, command, model):
        """The model's command, changed to compile this file."""
        source = command[-1]
        command = [word.replace(model, self.object).replace(source, f"{self.sources}{self.path}") for word in command]
        if self.is_host:
            at = next(k for k, word in enumerate(command) if word.endswith("prelude.h"))
            command[at - 1:at + 1] = ["-DSIM_HOST_FILE"]
        at = next(k for k, word in enumerate(command) if word.startswith("-"))
        return [*command[:at], *self.include(self.sources), *command[at:-2], *standard(self.file), *self.options, *command[-2:]]


def in_parallel(jobs):
    """Calls functions in parallel, and returns their results. If any raise Refused, raises one Refused with all their messages."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = [pool.submit(job) for job in jobs]
    if refused := [each.exception() for each in done if isinstance(each.exception(), Refused)]:
        raise Refused("\n".join(map(str, refused)))
    return [each.result() for each in done]


def with_simulator(build, files, options, folder, program, target):
    flags = [word for option in options if option.startswith("-Xcompiler") for word in option.partition("=")[2].split(",")]
    words = [*flags, *(option for option in options if not option.startswith("-Xcompiler"))]
    folders = [option[2:] for option in options if option.startswith("-I")]
    units = [Unit(file, f"{program}.{k}", folder, words, folders) for k, file in enumerate(files)]
    for unit in units:
        unit.translate(build)
    archives = [build / f"lib{name}.a" for name in ("simulator", *(["lens"] if target == "program_lens" else []))]
    old = [unit for unit in units if is_older(unit.object, [*files_read(unit.rule), *archives, build / "build.ninja"])]  # with its options
    messages = ""
    if old or is_older(program, [*(unit.object for unit in units), *archives]):
        model = f"CMakeFiles/{target}.dir/program.cpp.o"
        compile_, link = command_of(build, model), command_of(build, f"bin/{target}")
        program.unlink(missing_ok=True)
        begun, clang = [], clang_of(build)
        for unit in old:  # one after the other, and all before clang reads any: they share copies of headers
            if clang and not unit.is_host:
                unit.translate(build, "--cuda")

        def build_unit(unit):
            begun.append(unit.file)
            show(f"[{len(begun)}/{len(old)}] Compiling {unit.file}")
            Path(unit.object).unlink(missing_ok=True)
            return compiled(unit.command(compile_, model))

        messages = "".join(in_parallel([*(lambda unit=unit: build_unit(unit) for unit in old),
                                        *(lambda unit=unit: unit.ask_clang(clang, build, unit.command(compile_, model)) for unit in old)]))
        objects = [unit.object for unit in units]
        at = link.index(model)
        link = [*link[:at], *objects, *link[at + 1:], *flags]
        show("Linking")
        done = run([word.replace(f"bin/{target}", str(program)) for word in link], cwd=build, env={**os.environ, "LC_ALL": "C"})
        if done.returncode != 0:
            raise Refused(missing.of_linker(done.stdout, dict(zip(objects, files)), folder / "sources", SOURCES))
    show()
    sys.stderr.write(messages + "".join(unit.refused.read_text(encoding="utf-8") for unit in units))


# Options for code that can be linked with other device code. Such code is slower (on an H200, atomics of profile.cu took 230 us
# instead of 160 us), so these options are used only where needed.
RELOCATABLE = ["-rdc=true", "-lcudadevrt"]
OUTSIDE = re.compile(r"\bextern\b[^;{}()]*__(device|constant|managed)__")
NEEDS_IT = "separate compilation mode", "ptxas fatal   : Unresolved extern"


def with_nvcc(files, options, program):
    import machine  # pylint: disable=import-outside-toplevel

    texts = [Path(file).read_text(encoding="utf-8", errors="replace") for file in files]
    libraries = (f"-l{name}" for name in LIBRARIES if any(re.search(rf'include *[<"]{name}', text) for text in texts))
    standards = [] if any(option.startswith("-std") for option in options) else [word for file in files for word in standard(file)][:1]
    words = [*map(os.path.abspath, files), *standards, *options]
    # nvcc writes its arguments into shell commands: most of them in double quotes, those of -Xcompiler without.
    for word in words:
        if found := re.search(r"[^\w=,./+:-]" if word.startswith("-Xcompiler") else r'["$`\\\n]', word):
            raise Refused(f"nvcc would pass {word!r} to a shell, where {found[0]!r} has a special meaning: use another name or value")
    own = ["-O3", "-lineinfo", "-Wno-deprecated-gpu-targets", *["-arch=native"] * bool(machine.visible_gpu())]
    command = [os.environ.get("CUDACXX") or "nvcc", *words, *own, *libraries, "-o", program]
    is_shared = sum(file.endswith(".cu") for file in files) > 1 or any(map(OUTSIDE.search, texts))
    try:
        messages = compiled([*command, *RELOCATABLE * is_shared])
    except Refused as why:  # as for kernels that launch kernels
        if not any(words in str(why) for words in NEEDS_IT):
            raise
        messages = compiled([*command, *RELOCATABLE])
    show()
    sys.stderr.write(messages)


def build_program(build, files, options=(), lens=False):
    """Builds a program unless nothing has changed. Returns the executable's path, or raises Refused."""
    files = list({os.path.abspath(file): file for file in files}.values())
    words = [*map(os.path.abspath, files), *options]
    if any(option.startswith("-I") for option in options):
        words.append(os.getcwd())
    folder = Path(build).resolve() / "programs" / hashlib.sha256(b"\0".join(map(os.fsencode, words))).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / ("lens" if lens else "program")
    with builds.locked_file(folder / "lock", f"a build of {files[0]}"):
        try:
            show(f"Compiling {', '.join(files)}")
            if Path(build).resolve() == ROOT / "build" / "gpu":
                with_nvcc(files, options, program)
            else:
                with_simulator(Path(build).resolve(), files, options, folder, program, "program_lens" if lens else "program")
        finally:
            show()
    return program


def rejected(program):
    """clang's messages about a built program: code that nvcc would reject, and host code that uses device variables."""
    return "".join(file.read_text(encoding="utf-8", errors="replace") for file in sorted(program.parent.glob(f"{program.name}.*.refused")))


def has_mistakes(program):
    """Whether clang has found host code that uses device variables in a built program."""
    return ": error: the host " in rejected(program)


def main(words):
    options, words = split_options(words)
    lens, words = "--lens" in words, [word for word in words if word != "--lens"]
    if len(words) < 2:
        sys.exit(__doc__.strip())
    print(build_program(ROOT / "build" / "gpu" if words[0] == "gpu" else words[0], words[1:], options, lens))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Refused, OSError) as why:
        sys.exit(str(why))
