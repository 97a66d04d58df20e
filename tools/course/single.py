"""./course run CHAPTER --single: a chapter's program as one file."""

import os
import re

from console import ROOT

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]*)"|(<[^>]*>))')
HEAD = """// Chapter {number}'s program in one file: {title}
//
//     nvcc -std=c++20 -O3 FILE.cu -o program && ./program
//
// {parts}
//
// The files of the course that this one consists of, each with its line here:
{contents}
"""


class Parts:
    """The files of a program, each after those that it includes."""

    def __init__(self):
        self.system, self.texts = [], {}  # texts: a file's lines by its path from the root

    def add(self, path):
        """Adds a file, and before it those that it includes, unless that was done."""
        if path in self.texts or path in self.open:
            return
        self.open.append(path)
        lines, depth = [], 0
        for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
            depth += len(re.findall(r"^\s*#\s*if", line)) - len(re.findall(r"^\s*#\s*endif", line))
            found = INCLUDE.match(line)
            if found and found[1]:
                self.add(os.path.normpath(os.path.join(os.path.dirname(path), found[1])))
            elif found and depth == 0:
                self.system.append(found[2])
            elif line != "#pragma once":
                # The simulator compiles programs from elsewhere as if it were nvcc, but has no CUB.
                lines.append("#if __has_include(<cub/cub.cuh>)" if line == "#ifdef __CUDACC__" else line)
        self.texts[path] = lines
        self.open.remove(path)

    open = []


def of_chapter(chapter):
    """The text: what the kernels need, the kernels, what the program needs besides, and main()."""
    parts, kernels, main = Parts(), f"{chapter}/kernels.cuh", f"{chapter}/main.cu"
    for path in (kernels, main):
        parts.add(path)
    number, brief = chapter[:2], "\n".join(parts.texts[main])
    title = re.search(r"@brief Chapter \d\d: (.*)", brief)
    blocks = [sorted({f"#include {name}" for name in parts.system})]
    blocks += [[f"// --- {path} " + "-" * max(3, 100 - len(path)), "", *"\n".join(lines).strip("\n").split("\n")]
               for path, lines in parts.texts.items()]
    for lengths_known in (False, True):
        contents = contents if lengths_known else [f"//     {path}" for path in parts.texts]
        head = HEAD.format(number=number, title=title[1] if title else chapter, contents="\n".join(contents),
                           parts=f"Read the kernels first, {kernels}, and then main(), {main}: look for their names.")
        line, contents = head.count("\n") + 2, []
        for path, block in zip([None, *parts.texts], blocks):
            if path:
                contents.append(f"// {line:7}  {path}" + {kernels: "  <- the kernels", main: "  <- main()"}.get(path, ""))
            line += len(block) + 1
    return head + "\n" + "\n\n".join("\n".join(block) for block in blocks) + "\n"
