"""The commands of ./course. Each validates its arguments, then builds, then runs."""

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent
sys.path[1:1] = [str(TOOLS / name) for name in ("exercises", "lens", "results")]
from console import ROOT, USER, become, call, fail, quietly, say  # noqa: E402
from rows import Problem, one_line  # noqa: E402

HELP = """usage: ./course run   [CHAPTER ...] [--backend simulator|gpu] [-- PROGRAM OPTIONS]
       ./course run   CHAPTER --single
       ./course test  [CHAPTER ...] [--backend simulator|gpu] [--sanitize] [-- CTEST OPTIONS]
       ./course run|test FILE.cu ... [-I DIR] [-D NAME[=VALUE]] [-Xcompiler OPTION]
                      [--backend simulator|gpu] [--junit FILE] [--annotate github]
                      [-- PROGRAM OPTIONS]
       ./course gdb CHAPTER [-- PROGRAM OPTIONS]
       ./course report [CHAPTER ...] [--output PATH] [--backend simulator|gpu] [-- PROGRAM OPTIONS]
       ./course exercise [NUMBER] [--watch | --hint | --solution | --diff | --reset]
                      [--backend simulator|gpu]
       ./course status [CHAPTER] [--backend simulator|gpu]
       ./course debug [CHAPTER | FAULT] [--answer] [--backend simulator|gpu]
       ./course predict CHAPTER [--backend simulator|gpu]
       ./course lens [CHAPTER ... | EXERCISE | FILE.cu ...] [--variant NAME] [--lines] [--sample N]
                      [--gpu NAME] [--json] [--junit FILE] [--annotate github]
                      [-- PROGRAM OPTIONS]
       ./course profile
       ./course live CHAPTER [--step K]
       ./course grade DIR... [--only NUMBER,...] [--seed N] [--due TIME]
                      [--json | --csv | --junit | --gradescope FILE]
       ./course docs [--serve]
       ./course install [--check]
       ./course help

run      builds and runs the chapters and prints one table per problem
test     builds and runs the checks, then explains each failed check; runs a FILE.cu with sanitizers
gdb      builds a chapter for the simulator without optimization (build/debug), and starts it in gdb
report   does what run does, and also writes an HTML page with tables, charts and the machine's data
exercise checks the kernel that you write in work/ and says what is wrong; see ./course
         exercise --help
status   lists the exercises and whether you have solved them
debug    shows a kernel with one fault, and asks what is wrong
predict  asks how fast a chapter's variants are, before you measure
lens     counts what the kernels do, by source line, and finds races, without a GPU; see ./course
         lens --help
profile  measures your GPU's rates, from which lens --gpu computes the least time of kernels
live     creates a chapter for live coding in class, at a step of the lesson plan
grade    checks students' exercises in a sandbox, one folder per submission; see ./course
         grade --help
docs     builds the site from the READMEs and the sources' comments: build/docs/html; --serve shows
         it in a browser
install  installs all packages that these commands, .ci/run and editors need
         (tools/course/packages.txt); the other commands install the packages that they need;
         --check lists them, where each is found, and how to install what is missing

CHAPTER       3, 03 or 03_shared_privatized; default: all chapters that have a page
FILE.cu ...   any CUDA program: its .cu and .cpp files, or a folder, for all such files in it
-I, -D ...    for such a program, as for nvcc; also -std=c++NN and -Xcompiler -fopenmp (OpenMP)
--backend     default: the GPU if one is visible and nvcc is installed, otherwise the simulator
--single      with run: prints the chapter's program as one file, which nvcc compiles without the
              course
--sanitize    with test: on the simulator with AddressSanitizer and UndefinedBehaviorSanitizer
              (build/sanitize)
--junit       with test or lens of a program: writes the verdict as JUnit XML; see docs/ci.md
--annotate    with test or lens of a program: prints the wrong lines as GitHub annotations
--output      where the page is written (default: build/report/index.html)
--no-install  after any command: installs nothing, but says what is missing and how to install it

  ./course run 03 -- --help
  ./course run 03 -- --n 1M --input skewed
  ./course run 04 -- --image 04_coarsened/applications/images/cat.jpg --equalize out.png
  ./course lens 03 --variant "any block"
  ./course test 02 03
  ./course run ~/vector_add.cu -- 1000000"""

# The commands and the options of each: an error about an option names the commands that accept it.
FLAG, TEXT = {"action": "store_true"}, {}
BACKEND = {"--backend": TEXT}
FOR_CI = {"--annotate": TEXT, "--junit": TEXT}  # accepted for programs from outside the course
SUBJECTS = "run test gdb report lens".split()  # accept chapters or files, and after --, options for their programs
PROGRAMS = ("run", "test", "lens")  # also accept programs from outside the course
OPTIONS = {
    "run": {**BACKEND, "--single": FLAG},
    "test": {**BACKEND, "--sanitize": FLAG, **FOR_CI},
    "exercise": {**BACKEND, **dict.fromkeys(["--watch", "--hint", "--solution", "--diff", "--reset"], FLAG)},
    "status": BACKEND,
    "debug": {**BACKEND, "--answer": FLAG},
    "predict": BACKEND,
    "lens": {"--variant": TEXT, "--lines": FLAG, "--sample": TEXT, "--gpu": TEXT, "--json": FLAG, **FOR_CI},
    "profile": {},
    "live": {"--step": {"default": "0"}},
    "grade": {"--seed": {"type": int},
              **dict.fromkeys(["--only", "--rubric", "--due", "--times", "--json", "--csv", "--junit", "--gradescope"], TEXT),
              "-j": {"type": int, "default": os.cpu_count()}, "--no-sandbox": {"dest": "sandbox", "action": "store_false"}},
    "gdb": {},
    "report": {**BACKEND, "--output": TEXT},
    "docs": {"--serve": FLAG},
    "install": {"--check": FLAG},
}


def listed(words):
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def help_of(command):
    """The help for one command: that of its tool, or its lines of HELP."""
    if command in ("exercise", "status", "debug", "predict", "live"):
        import exercise  # pylint: disable=import-outside-toplevel

        return exercise.__doc__.strip()
    if command in ("grade", "lens"):
        return __import__(command).__doc__.strip()
    usage, commands, options, _ = HELP.split("\n\n")
    usages = re.findall(r"\./course (.*(?:\n {22}.*)*)", usage)
    lines = [f"./course {line}" for line in usages if command in re.split(r"[| ]+", line.partition("[")[0])]
    about = re.search(rf"^{command} .*(?:\n .*)*", commands, re.MULTILINE)[0]
    kept = [entry for entry in re.findall(r"^\S.*(?:\n .*)*", options, re.MULTILINE)
            if (word := entry.split()[0]) in OPTIONS[command] or word == "--no-install"
            or word == "CHAPTER" and command in SUBJECTS or word in ("FILE.cu", "-I,") and command in PROGRAMS]
    return "\n".join(["usage: " + "\n       ".join(lines), "", about, "", *kept])


def refuse(command, mistake):
    mistake = re.sub(r"^argument (\S+): expected one argument$", r"\1 needs a value", mistake)
    fail(2, f"{mistake}; ./course {command} --help lists the options")


def parse(command, words):
    """The options of a command. `subjects` has its other arguments, and `rest` the arguments after --, for a program."""
    import program  # pylint: disable=import-outside-toplevel

    at = words.index("--") if "--" in words else len(words)
    words, rest = words[:at], words[at + 1:]
    compiler = []
    if command in PROGRAMS:
        try:
            compiler, words = program.split_options(words)
        except program.Refused as why:
            refuse(command, str(why))
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.error = lambda mistake: refuse(command, mistake)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--no-install", dest="may_install", action="store_false")
    either = parser.add_mutually_exclusive_group() if command == "exercise" else parser
    for name, how in OPTIONS[command].items():
        (either if how is FLAG else parser).add_argument(name, **how)
    parser.add_argument("subjects", nargs="*")
    options, unknown = parser.parse_known_intermixed_args(words)
    if options.help:
        print(help_of(command))
        sys.exit()
    for word in unknown:
        name = word.partition("=")[0]
        if name.startswith(program.OPTIONS):
            fail(2, f"{name} is for {listed(PROGRAMS)}")
        if users := [each for each, names in OPTIONS.items() if name in names]:
            fail(2, f"{name} is for {listed(users)}")
        fail(2, f"no option {word}: ./course help lists the options; put the options of a chapter's program after --" if command in SUBJECTS
             else f"no option {word}; ./course {command} --help lists the options")
    if rest and command not in SUBJECTS:
        fail(2, f"{command} accepts no arguments after --")
    for name, value in vars(options).items():
        if value == "" and name != "backend":
            refuse(command, f"--{name} needs a value")
    if (backend := getattr(options, "backend", None)) not in (None, "simulator", "gpu"):
        fail(2, f"--backend accepts simulator or gpu, not '{backend}'")
    if (host := getattr(options, "annotate", None)) not in (None, "github"):
        fail(2, f"--annotate accepts github, not '{host}'")
    options.rest, options.compiler = rest, compiler
    return options


def sort_subjects(command, options):
    """Sorts a command's subjects into chapters, in their order, the files of a program, and an exercise."""
    import chapters  # pylint: disable=import-outside-toplevel
    import program  # pylint: disable=import-outside-toplevel

    options.chapters, options.file, options.files, options.exercise = [], "", [], ""
    for word in options.subjects:
        number = re.fullmatch(r"(\d{1,2})\.(\d+)", word)
        is_folder = not chapters.chapter_of(word) and (USER / word).is_dir()
        if is_folder or word.endswith(program.SOURCES):
            if command not in PROGRAMS:
                fail(2, f"{word} is a program, which only run, test and lens accept")
            options.file = options.file or word  # the first file names the program
            options.files += [word] if not is_folder else [os.path.join(word, name) for name in program.sources_in(USER / word)]
            if not options.files:
                fail(1, f"{word}: there are no .cu or .cpp files in this folder")
        elif number:
            options.exercise, others = f"{number[1].zfill(2)}.{number[2]}", options.exercise
            if command != "lens" or others:
                fail(2, f"{word} is an exercise: only lens accepts exercises, one at a time")
        else:
            options.chapters.append(chapters.find(word))
    if sum(map(bool, (options.chapters, options.file, options.exercise))) > 1:
        fail(2, "lens accepts chapters, an exercise or a program, not two of them" if options.exercise
             else f"{command} accepts chapters or a program, not both")
    for file in options.files:
        if not (USER / file).is_file():
            fail(1, f"{file}: no such file")
    if options.compiler and not options.file:
        fail(2, f"{options.compiler[0]} is for a program of your own: ./course {command} FILE.cu")
    if not options.file:
        for name in ("junit", "annotate"):
            if command in ("test", "lens") and getattr(options, name):
                fail(2, f"--{name} is for a program of your own: ./course {command} FILE.cu"
                     + "; for chapters, use ctest's option: -- --output-junit FILE" * (command == "test"))
    options.named = sorted(set(options.chapters))
    options.chapters = options.named or chapters.with_pages()


def users_of(command, preset):
    """The entries of the column `needed by` in packages.txt, such as build, whose packages a command needs."""
    needs = {command} if command not in ("debug", "predict", "live", "lens") else {"exercise"}
    if command == "grade":
        needs |= {"exercise"}
    if command != "docs":
        needs |= {"build"}
    if preset in ("simulator", "debug", "sanitize"):
        needs |= {"simulator"}
    return needs if command != "install" else set()


def set_up(command, options, preset="", headers=(), optional=()):
    """Prepares what a command needs before it can build: packages, including those of `headers`, and disk space."""
    import builds  # pylint: disable=import-outside-toplevel
    import packages  # pylint: disable=import-outside-toplevel

    os.environ["PATH"] = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{builds.SOURCES}"
    builds.from_source = packages.set_up(users_of(command, preset), options.may_install, headers, optional)
    if command != "install":
        builds.require_space()
    if "ninja" in builds.from_source:
        builds.build_ninja()


def run_file(command, options, report=None):
    """Runs any CUDA program. Standard output and the exit status are the program's. A report, if any, records the mistakes."""
    import builds  # pylint: disable=import-outside-toplevel
    import machine  # pylint: disable=import-outside-toplevel
    import program  # pylint: disable=import-outside-toplevel

    is_sanitized = command == "test" and options.sanitize
    if is_sanitized and options.backend == "gpu":
        fail(2, "--sanitize is for the simulator; on a GPU, test uses compute-sanitizer")
    preset = "simulator"
    if command != "lens":
        preset, why = machine.choose_backend("simulator" if is_sanitized else options.backend)
        say(why)
    set_up(command, options, preset)
    tool = []
    if command == "test" and preset == "simulator":
        preset = "sanitize"
        say("With AddressSanitizer and UndefinedBehaviorSanitizer.")
        # As with compute-sanitizer, leaked memory is not an error.
        os.environ["ASAN_OPTIONS"] = f"detect_leaks=0:{os.environ.get('ASAN_OPTIONS', '')}"
    elif command == "test" and machine.shutil.which("compute-sanitizer"):
        tool = ["compute-sanitizer", "--error-exitcode", "1"]
    if preset != "gpu":
        builds.build(preset, ["simulator", "translate", *(["lens"] if command == "lens" else [])], is_quiet=command == "lens")
    os.chdir(USER)  # messages name the file as the user does
    try:
        path = program.build_program(ROOT / "build" / preset, options.files, options.compiler, command == "lens")
    except program.Refused as why:
        say(why)
        if report:
            report.refused(str(why))
        return 1
    if report:
        report.built(program.rejected(path))
    if command != "run":
        os.environ["CUDA_SIM_STRICT"] = "1"
    has_mistakes = command != "run" and program.has_mistakes(path)
    if command == "lens":
        return look(options, [path], whole=os.path.basename(options.file), report=report) or int(has_mistakes)
    if has_mistakes or report:
        return call([*tool, path, *options.rest]) or int(has_mistakes)
    return become([*tool, path, *options.rest])


def of_chapters(command, options):
    import chapters  # pylint: disable=import-outside-toplevel
    import machine  # pylint: disable=import-outside-toplevel

    sort_subjects(command, options)
    if command == "run" and options.single:
        if len(options.named) != 1 or options.rest:
            fail(2, "--single needs one chapter, such as 03, and no other options")
        import single  # pylint: disable=import-outside-toplevel

        return sys.stdout.write(single.of_chapter(options.named[0])) and 0
    if options.file:
        return watch_file(command, options)
    if command == "gdb" and len(options.named) != 1:
        fail(2, "gdb needs one chapter, such as 03")
    applications = chapters.of_applications(command, options.named, options.rest) if command != "test" else ""
    if command == "report" and (wrong := [word for word in options.rest if re.fullmatch("--csv(=.*)?|--list|-h|--help", word)]):
        fail(2, f"report needs the rows that the run writes: leave out {wrong[0]}")
    if command == "gdb":
        preset = "debug"
    elif command == "test" and options.sanitize:
        if options.backend == "gpu":
            fail(2, "--sanitize is for the simulator; on a GPU, use compute-sanitizer")
        preset = "sanitize"
        print("Running on the simulator with sanitizers.", flush=True)
    else:
        preset, why = machine.choose_backend(options.backend)
        print(why, flush=True)
    set_up(command, options, preset, chapters.headers([applications] if applications else []),
           chapters.headers(options.chapters if command == "test" else []))
    if command == "gdb":
        return chapters.gdb(options.named[0], options.rest, applications)
    if command == "test":
        return chapters.test(options.named, preset, options.rest)
    if command == "report":
        return chapters.report(options.chapters, preset, options.rest, USER / (options.output or ROOT / "build/report/index.html"))
    return chapters.run(options.chapters, preset, options.rest, applications)


def watch_file(command, options):
    """Runs a program and, if asked to, reports what is wrong with it in the formats of CI hosts."""
    if command == "run" or not (options.junit or options.annotate):
        return run_file(command, options)
    import ci  # pylint: disable=import-outside-toplevel

    options.junit = options.junit and USER / options.junit
    return ci.watched(command, options, lambda report: run_file(command, options, report))


def look(options, programs, variant=None, whole="", report=None):
    """Runs programs under the lens: their variants, or a whole program, which `whole` names in the report."""
    import lens  # pylint: disable=import-outside-toplevel

    options.variant, options.whole = variant or options.variant, whole
    options.program, options.folder = programs, USER
    return lens.look(options, options.rest, *([report.looked] if report else []))


def of_lens(command, options):
    """Builds programs a second time, instrumented so that the lens sees each access."""
    import builds  # pylint: disable=import-outside-toplevel
    import chapters  # pylint: disable=import-outside-toplevel
    import lens  # pylint: disable=import-outside-toplevel
    import starter  # pylint: disable=import-outside-toplevel

    sort_subjects(command, options)
    options.sample = lens.whole_number(options.sample)
    name = options.exercise
    applications = "" if options.file or name else chapters.of_applications(command, options.named, options.rest)
    if options.variant and (options.file or applications):
        fail(2, "--variant is for the variants of chapters; programs and a chapter's applications have none")
    if options.file:
        return watch_file(command, options)
    if name:
        exercise = next((each for each in starter.exercises() if each.number == name), None)
        if not exercise:
            fail(2, f"no exercise '{name}'; ./course status lists them")
        if not (ROOT / exercise.file).exists():
            fail(1, f"you have no file for exercise {name} yet: ./course exercise {name} creates it")
    set_up(command, options, "simulator", chapters.headers([applications] if applications else []))
    if applications:
        return look(options, [chapters.build_applications(applications, "simulator", "applications_lens")], whole=f"{applications}/applications")
    bin_ = ROOT / "build" / "simulator" / "bin"
    if name:
        import native  # pylint: disable=import-outside-toplevel

        builds.build("simulator", ["lens"], is_quiet=True)
        if native.build_now("simulator", f"exercise_{name}_table_lens"):
            fail(1, f"your file for exercise {name} does not compile: ./course exercise {name} shows where")
        return look(options, [bin_ / f"exercise_{name}_table_lens"], "yours")
    targets = [f"{chapter}_lens" for chapter in options.chapters]
    builds.build("simulator", targets, is_quiet=True)
    return look(options, [bin_ / target for target in targets])


def of_profile(command, options):
    """Measures the GPU: keeps the output of tools/lens/profile.cu in work/, where the lens finds it."""
    import machine  # pylint: disable=import-outside-toplevel
    import profiles  # pylint: disable=import-outside-toplevel
    import program  # pylint: disable=import-outside-toplevel

    if options.subjects:
        fail(2, "profile accepts only --no-install")
    if not machine.visible_gpu():
        fail(3, "profile needs an NVIDIA GPU, and none is visible; ./course lens --gpu accepts GPUs that others have measured")
    _, why = machine.choose_backend("gpu")
    say(why)
    set_up("run", options, "gpu")
    try:
        path = program.build_program(ROOT / "build" / "gpu", [str(TOOLS / "lens" / "profile.cu")])
    except program.Refused as refused:
        fail(1, str(refused))
    say("This takes up to a minute.")
    measured = subprocess.run([path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    if measured.returncode != 0:
        return measured.returncode
    profiles.add(measured.stdout)
    print("\n".join(profiles.table(profiles.measured(profiles.OWN))))
    say(f"{profiles.OWN.relative_to(ROOT)} keeps the best rates of all your runs; ./course lens 03 --gpu \"{profiles.measured(profiles.OWN).name}\" uses them.")
    return 0


def of_exercises(command, options):
    import chapters  # pylint: disable=import-outside-toplevel
    import exercise  # pylint: disable=import-outside-toplevel
    import machine  # pylint: disable=import-outside-toplevel

    if len(options.subjects) > 1:
        refuse(command, f"{command} accepts one argument: leave out {' '.join(options.subjects[1:])}")
    if not options.subjects and command in ("predict", "live"):
        refuse(command, f"{command} needs a chapter, such as 03")
    options.name = options.subjects[0] if options.subjects else None
    if command == "predict":
        options.name = chapters.find(options.name)
    if command == "live":
        options.backend = "simulator"
    action = exercise.plan(command, options)
    if command != "live":
        options.backend, why = machine.choose_backend(options.backend)
        say(why)
    if command != "status":
        set_up(command, options, options.backend if command != "live" else "")
    return action()


def of_grading(command, options):
    import builds  # pylint: disable=import-outside-toplevel
    import grade  # pylint: disable=import-outside-toplevel

    options.folders = [Path(os.path.normpath(USER / folder)) for folder in options.subjects]
    for name in ("rubric", "times", "json", "csv", "junit", "gradescope"):
        setattr(options, name, USER / getattr(options, name) if getattr(options, name) else None)
    chosen = grade.check(options, lambda mistake: refuse(command, mistake))
    set_up(command, options, "simulator")
    grade.require_tools()
    checks = [f"solution_{exercise.number}_plain" for exercise in chosen]
    builds.build("simulator", ["exercise_answer", "simulator_interleave", "lens", "simulator", *checks], is_quiet=True)
    builds.build("sanitize", ["exercise_answer", "simulator"], is_quiet=True)
    grade.require_sandbox(options)
    return grade.main(options, chosen)


NODE = 20
PORT = 8321  # the port of ./course docs --serve


def has_node():
    """Whether npm is installed, with a version of Node.js that the site's tools accept."""
    try:
        said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    return shutil.which("npm") is not None and (found := re.match(r"v(\d+)", said)) is not None and int(found[1]) >= NODE


def port():
    """The site's own port; 0, for any port, if it is in use. A browser keeps the student's files by address and port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            say(f"Port {PORT} is in use, so the address below has another port. Exercise files that your browser keeps for port {PORT} don't appear there.")
            return 0
    return PORT


def of_machine(command, options):
    if options.subjects:
        fail(2, f"{command} accepts {'--serve' if command == 'docs' else '--check'} and --no-install only")
    if command == "install" and options.check:
        import packages  # pylint: disable=import-outside-toplevel

        return not packages.check()
    set_up(command, options)
    if command == "install":
        say("Everything is installed.")
        return 0
    site = ROOT / "build" / "docs" / "html"
    if not has_node():
        fail(1, f"the site needs Node.js {NODE} or newer, with npm: install it from https://nodejs.org or with your package manager")
    if quietly(["node", str(TOOLS / "site" / "build.mjs")]) != 0:
        fail(1, "the site could not be built; see the messages above")
    if options.serve:  # http.server prints its address
        return become([sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", site, str(port())])
    say(f"The site: {site}. ./course docs --serve shows it in a browser.")
    return 0


RUN = {**dict.fromkeys(["run", "test", "gdb", "report"], of_chapters), "lens": of_lens,
       **dict.fromkeys(["exercise", "status", "debug", "predict", "live"], of_exercises), "grade": of_grading, "profile": of_profile,
       **dict.fromkeys(["docs", "install"], of_machine)}


def main(words):
    command = words[0] if words else ""
    if command in ("help", "-h", "--help"):
        return print(HELP)
    if not command:
        say(HELP)
        return 2
    if command not in RUN:
        fail(2, f"no command '{command}': the commands are run, test, exercise, status, debug, predict, lens, profile, live, grade, gdb, "
             "report, docs, install and help")
    if re.search(r'[][;#"$\\|<>\n]', str(ROOT)):
        fail(1, "CMake or ninja can't handle a folder with one of [ ] ; # \" $ \\ | < > or a line break in its path: move the "
             f"course out of {str(ROOT)!r}")
    if "COURSE_SOURCES" in os.environ:
        os.environ["COURSE_SOURCES"] = str(USER / os.environ["COURSE_SOURCES"])
    os.chdir(ROOT)
    return RUN[command](command, parse(command, words[1:]))


if __name__ == "__main__":
    for ended_by in (signal.SIGTERM, signal.SIGHUP):  # leaves no temporary file and no running program
        if signal.getsignal(ended_by) != signal.SIG_IGN:
            signal.signal(ended_by, lambda number, _: sys.exit(128 + number))
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
        sys.exit(status)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Problem as problem:
        fail(1, "\n".join(map(one_line, problem.args)))
    except OSError as error:
        fail(1, f"{error.filename}: {error.strerror}" if error.filename else error.strerror or error)
