#!/usr/bin/env python3
"""usage: tools/lens/try_program.py BUILD FILE.cu

Runs a program under the lens of a build folder, and compares what is reported of each kernel with the comment after its
launch. A kernel without a comment must not be reported. All lines must name the file as it is given here.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import programs  # noqa: E402

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "course"))
from rows import Problem, run  # noqa: E402
from text import distinct  # noqa: E402

LAUNCH = re.compile(r"(\w+_kernel<\w+>)[^/\n]*;(?: *// (.*))?")


def words(findings):
    return ", ".join(finding["problem"] + (f" of {finding['distance']}" if "distance" in finding else "") for finding in findings)


def main(arguments):
    if len(arguments) != 2:
        raise Problem(__doc__)
    build, file = arguments
    expected = dict(LAUNCH.findall(Path(file).read_text(encoding="utf-8")))
    seen = programs.of_file(build, file)
    if seen["status"] != int(bool(seen["fault"])):
        raise Problem(seen["said"])
    said = {launch["kernel"]: words(distinct([finding for finding in seen["findings"] if finding["kernel"] == launch["kernel"]]))
            for launch in seen["launches"]}
    if seen["fault"]:
        said[seen["fault"]["kernel"]] = "a fault"
    places = [place["line"] for launch in seen["launches"] for place in launch["sites"] + launch["barriers"]]
    elsewhere = sorted({place for place in places if not place.startswith(f"{file}:")})
    wrong = [f"{kernel}: the lens says '{said.get(kernel)}', but the comment '{expected.get(kernel)}'" for kernel in sorted({*said, *expected})
             if said.get(kernel) != expected.get(kernel)] + [f"{place} is not in {file}" for place in elsewhere]
    print("\n".join(wrong) or f"{len(said)} kernels, as expected")
    return int(bool(wrong))


run(main)
