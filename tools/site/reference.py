"""Reads Doxygen's tag file, and makes the index of kernels and functions."""

import html
import re
import xml.etree.ElementTree as ElementTree
from collections import namedtuple
from pathlib import Path

Function = namedtuple("Function", "name place is_kernel")


class Tags:
    """How Doxygen has named files and pages, and where members are."""

    def __init__(self, path, root):
        self.reference = {}  # file -> its page in the reference
        self.pages = {}      # id -> page
        self.members = {}    # name -> file -> where it is documented
        self.functions = {}  # file -> its functions
        for compound in ElementTree.parse(path).iter("compound"):
            page = compound.findtext("filename", "").replace(".html", "") + ".html"
            if compound.get("kind") == "page":
                self.pages[compound.findtext("name")] = page
            elif compound.get("kind") == "file" and compound.findtext("path"):
                file = str(Path(root, compound.findtext("path"), compound.findtext("name")).relative_to(root))
                self.reference[file] = page
                for member in compound.iter("member"):
                    name, kind = member.findtext("name"), member.findtext("type") or ""
                    place = f'{member.findtext("anchorfile")}#{member.findtext("anchor")}'
                    self.members.setdefault(name, {}).setdefault(file, place)
                    if member.get("kind") == "function":
                        self.functions.setdefault(file, []).append(Function(name, place, "__global__" in kind))

    def source(self, file):
        return self.reference[file].replace(".html", "_source.html")


def briefs(site):
    """The first sentence of each documented member, by its place."""
    row = re.compile(r'<tr class="memdesc:(\w+)">.*?<td class="mdescRight">(.*?)<br />', re.DOTALL)
    for page in site.glob("*.html"):
        for anchor, brief in row.findall(page.read_text(encoding="utf-8")):
            yield f"{page.name}#{anchor}", re.sub(r"</?a\b[^>]*>|More\.\.\.", "", brief)


def listing(functions, brief):
    entries = (f'<dt><a href="{place}"><code>{html.escape(name)}</code></a></dt><dd>{brief.get(place, "")}</dd>'
               for name, place, _ in functions)
    return f'<dl class="functions">{"".join(entries)}</dl>'


def index(tags, site, names):
    """Every kernel and function by its file, a file's kernels first. `names`: the page of each README."""
    brief = dict(briefs(site))
    result = []
    for file in sorted(tags.functions, key=lambda file: (file.split("/")[0], Path(file).stem != "kernels", file)):
        functions, readme = tags.functions[file], str(Path(file).parent / "README.md")
        result.append(f'<h2 id="{re.sub(r"[^a-z0-9]+", "-", file.lower())}">'
                      f'<a href="{tags.reference[file]}">{html.escape(file)}</a></h2>')
        if readme in names:
            result.append(f'<p class="related"><a href="{names[readme]}">The page that explains it</a></p>')
        kernels = [one for one in functions if one.is_kernel]
        others = [one for one in functions if not one.is_kernel]
        if kernels and others:
            result += ["<h3>Kernels</h3>", listing(kernels, brief), "<h3>Host functions</h3>", listing(others, brief)]
        else:
            result.append(listing(functions, brief))
    return "\n".join(result)
