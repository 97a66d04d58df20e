#!/usr/bin/env python3
"""usage: tools/lens/hirace.py FOLDER

Runs the Indigo kernels of HiRace's artifact (https://github.com/JohnJacobsonIII/HiRace-Artifact-SC24), of which FOLDER is
a copy, under the lens, and compares what is found with what the names say: a kernel races if its name has atomicBug,
guardBug, raceBug or syncBug. Needs `./course lens 03` to have been run, which builds the lens. Takes about ten minutes on
two cores.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import programs  # noqa: E402

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "course"))
from program import Refused, build_program  # noqa: E402
from rows import Problem, run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
RACY = re.compile("(atomic|guard|race|sync)Bug")
GRAPHS = ["power_law_200n_1000e.egr", "DAG_200n_400e.egr"]
SHAPE = ["256", "256"]  # threads per block, and blocks: at least one for each of 200 nodes


def races(indigo, source):
    """Whether the lens reports a race for any graph, and "". None and the reason, if the program does not compile, or ends before a race is
    found."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(indigo / "indigo_include" / "indigo_cuda.h", scratch)
        file = shutil.copy(source, scratch)
        try:
            program = build_program(ROOT / "build" / "simulator", [file], lens=True)
        except Refused:
            return None, "it does not compile"
        found = False
        for graph in GRAPHS:
            try:
                seen = programs.run(program, [str(indigo / "input" / graph), *SHAPE], scratch, has_row=False)
            except Problem as problem:
                return None, str(problem).splitlines()[-1]
            found = found or any(finding["problem"] == "race" for finding in seen["findings"])
            if not found and (stopped := re.search("^simulator: .*", seen["said"], re.MULTILINE)):
                return None, stopped.group()
        program.unlink()
        return found, ""


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", maxsplit=1)[0].removeprefix("usage: "))
    parser.add_argument("folder", type=Path)
    indigo = parser.parse_args(arguments).folder.resolve() / "indigo"
    sources = sorted((indigo / "indigo_sources").rglob("*.cu"))
    if not sources:
        raise Problem(f"{indigo.parent}: has no indigo/indigo_sources/*.cu")
    table = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    stopped = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, (found, why) in zip(sources, pool.map(partial(races, indigo), sources)):
            expected = RACY.search(source.stem) is not None
            if found is None:
                stopped += 1
            else:
                table[expected, found] += 1
            words = why or ("" if found == expected else "a race is missed" if expected else "a race is reported where there is none")
            if words:
                print(f"{source.stem}: {words}", flush=True)
    print(f"{len(sources)} kernels, {stopped} of them not run to the end; {table[True, True]} of "
          f"{table[True, True] + table[True, False]} racy ones found, {table[False, True]} of "
          f"{table[False, True] + table[False, False]} others reported as racy")


run(main)
