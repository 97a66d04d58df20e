#!/usr/bin/env python3
"""usage: tools/lens/watch.py [--check]

Records the blocks that the site's player shows: docs/results/simulator/watch/NAME.json. Needs the chapters' programs for the
lens in build/simulator. --check changes nothing, and exits with 1 if a recording is out of date.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import programs

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "results" / "simulator" / "watch"

LETTERS = "eachwarpcountsitsbytestogetherandlanesthatmeetinonebinlosecounts" "whereasatomicadditionsinsharedmemorycountallofthemoneafteranother"

# For each name: the chapter, the kernel, the block's number, the variant, the number of elements, and more options of the
# program. Histograms count LETTERS. Inputs must be small enough to be drawn.
WATCHED = {
    "02-racy": ("02_naive_atomic", "racy_kernel", 0, "racy", 64, ["--block", "64"]),
    "02-atomic": ("02_naive_atomic", "one_per_element_kernel", 0, "one per element", 64, ["--block", "64"]),
    "03-privatized": ("03_shared_privatized", "any_block_kernel", 0, "any block", 128, ["--block", "64", "--grid", "1"]),
    "05-contiguous": ("05_sum_of_squares", "contiguous_kernel", 0, "512 contiguous", 256, ["--block", "32"]),
    "05-strided": ("05_sum_of_squares", "strided_kernel", 0, "512 strided", 256, ["--block", "32"]),
    "06-adjacent": ("06_tree_reduction", "adjacent_kernel", 0, "adjacent pairs", 64, ["--block", "64"]),
    "06-packed": ("06_tree_reduction", "adjacent_packed_kernel", 0, "pairs, packed", 64, ["--block", "64"]),
    "06-halves": ("06_tree_reduction", "halves_kernel", 0, "halves", 64, ["--block", "64"]),
    "06-shuffles": ("06_tree_reduction", "warps_kernel", 0, "warps shuffle", 128, ["--block", "64"]),
    "07-last-block": ("07_arbitrary_n", "last_block_kernel", 2, "last block", 192, ["--block", "64", "--grid", "3"]),
}


def recording(letters, chapter, kernel, block, variant, count, options):
    """A block's recording by the lens, as the text of a file. `letters` is the path of the input file that is written for it."""
    letters.write_text(LETTERS[:count], encoding="ascii")
    elements = ["--file", str(letters)] if chapter[:2] < "05" else ["--n", str(count)]
    os.environ |= {"LENS_RECORD": kernel, "LENS_RECORD_BLOCK": str(block)}
    seen = programs.run(ROOT / "build/simulator/bin" / f"{chapter}_lens", ["--variant", variant, *elements, *options, "--no-cpu"])
    if "recording" not in seen:
        raise programs.Problem(f"{kernel}: no block {block} was recorded: {seen['said'].strip()}")
    return json.dumps(seen["recording"], separators=(",", ":")).replace('{"do"', '\n{"do"') + "\n"


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__.strip())
    os.chdir(ROOT)
    old = []
    with tempfile.TemporaryDirectory() as temporary:
        for name, watched in WATCHED.items():
            path, text = FOLDER / f"{name}.json", recording(Path(temporary) / "letters", *watched)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                old.append(name)
                if not arguments:
                    FOLDER.mkdir(exist_ok=True)
                    path.write_text(text, encoding="utf-8")
    if arguments and old:
        sys.exit(f"docs/results/simulator/watch: {', '.join(old)} out of date; tools/lens/watch.py records them")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except programs.Problem as problem:
        sys.exit(f"tools/lens/watch.py: {problem}")
