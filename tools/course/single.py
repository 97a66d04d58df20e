"""./course run CHAPTER --single: a chapter's program as one file."""

import os
import re

from console import ROOT

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]*)"|(<[^>]*>))')
HEAD = """// Chapter {number}'s program in one file: {title}
//
//     nvcc -std=c++20 -O3 FILE.cu -o program && ./program
//
// It contains these files of the course, each after those that it includes, from the line beside its name.
// Read the kernels first.
"""


class Parts:
    """The files of a program, each after those that it includes."""

    def __init__(self):
        self.system, self.texts, self.seen = set(), {}, set()  # texts: each file's lines, by the path from the root

    def add(self, path):
        """Adds a file after those that it includes, unless it was added before."""
        if path in self.seen:
            return
        self.seen.add(path)
        lines, depth = [], 0
        for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
            depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
            found = INCLUDE.match(line)
            if found and found[1]:
                self.add(os.path.normpath(os.path.join(os.path.dirname(path), found[1])))
            elif found and depth == 0:
                self.system.add(found[2])
            elif line != "#pragma once":
                # Only nvcc has a build number: the simulator also defines __CUDACC__ for programs from outside the course, but has no CUB.
                lines.append("#ifdef __CUDACC_VER_BUILD__" if line == "#ifdef __CUDACC__" else line)
        self.texts[path] = lines


def of_chapter(chapter):
    """The program's text: what the kernels need, the kernels, what else the program needs, and main()."""
    parts, kernels, main = Parts(), f"{chapter}/kernels.cuh", f"{chapter}/main.cu"
    for path in (kernels, main):
        parts.add(path)
    title = re.search(r"@brief Chapter \d\d: (.*)", "\n".join(parts.texts[main]))
    blocks = {path: f"// --- {path} {'-' * max(3, 100 - len(path))}\n\n" + "\n".join(lines).strip("\n") + "\n"
              for path, lines in parts.texts.items()}
    begin = HEAD.format(number=chapter[:2], title=title[1] if title else chapter)
    includes = "".join(f"#include {name}\n" for name in sorted(parts.system))
    line, contents = sum(text.count("\n") for text in (begin, includes)) + len(blocks) + 3, ""
    for path, block in blocks.items():
        contents += f"// {line:7}  {path}" + {kernels: "  <- the kernels", main: "  <- main()"}.get(path, "") + "\n"
        line += block.count("\n") + 1
    return "\n".join([begin + contents, includes, *blocks.values()])
