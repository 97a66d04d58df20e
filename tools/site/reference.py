#!/usr/bin/env python3
"""usage: tools/site/reference.py FOLDER FILE...

Lets Doxygen read the public names of these files, and writes a page for each, FOLDER/FILE.md, and a list, FOLDER/reference.md.
"""

import html
import os
import re
import shutil
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DEFAULT_SECTIONS = {"function": "Functions", "variable": "Constants and variables", "typedef": "Types", "enum": "Types", "define": "Macros"}
INLINE = {"computeroutput": "code", "emphasis": "em", "bold": "strong"}
BLOCKS = {"itemizedlist": "ul", "orderedlist": "ol", "listitem": "li", "table": "table", "row": "tr"}
VARIABLE = re.compile(r"Member .* \(variable\) of .* is not documented")  # a variable's name and type may suffice


def doxygen(folder, files):
    """Writes folder/xml. Each of Doxygen's warnings is an error."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = " ".join(f'"{file}"' for file in files)
    configuration = (ROOT / "tools/site/Doxyfile").read_text(encoding="utf-8")
    done = subprocess.run(["doxygen", "-"], input=f'{configuration}\nOUTPUT_DIRECTORY = "{folder}"\nINPUT = {names}\n',
                          stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT, check=False)
    warnings = [line.replace(f"{ROOT}/", "") for line in done.stderr.splitlines() if not VARIABLE.search(line)]
    if warnings or done.returncode != 0:
        sys.exit("\n".join([*warnings, "tools/site/reference.py: each of Doxygen's warnings is an error"]))


def described(node):
    return any("".join(child.itertext()).strip() for child in node.findall("briefdescription") + node.findall("detaileddescription"))


def in_file(node):
    return node.find("location").get("file")


class Page:
    """A file's page: its headings, which are known before any text refers to them, and the nodes below each heading."""

    def __init__(self, file, compound):
        self.file, self.compound, self.parts, self.slugs = file, compound, [], {}

    def heading(self, level, title, node=None):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = self.slugs[slug] = self.slugs.get(slug, -1) + 1
        self.parts.append((level, title, node))
        return f"{self.file}.html#{slug}{f'-{number}' if number else ''}"


class Reference:
    """Doxygen's output. `places` maps Doxygen's ids to the pages and anchors with their descriptions."""

    def __init__(self, folder):
        compounds = [compound for path in sorted((folder / "xml").glob("*.xml")) for compound in xml.parse(path).iter("compounddef")]
        self.places, self.pages = {}, {}
        for compound in compounds:
            if compound.get("kind") == "file":
                file = in_file(compound)
                self.pages[file] = Page(file, compound)
                self.places[compound.get("id")] = f"{file}.html"
        types = [each for each in compounds if each.get("kind") in ("struct", "class", "union") and described(each)]
        of_namespaces = [member for each in compounds if each.get("kind") == "namespace" for member in each.iter("memberdef")]
        for file, page in self.pages.items():
            own = [each for each in of_namespaces if in_file(each) == file]
            sections = [(section.findtext("header"), section, [*section.iter("memberdef")]) for section in page.compound.iter("sectiondef")]
            others = sorted([*own, *(each for header, _, members in sections if not header for each in members)],
                            key=lambda each: int(each.find("location").get("line")))
            sections = [each for each in sections if each[0]]
            for title in dict.fromkeys(DEFAULT_SECTIONS.values()):
                sections.append((title, None, [each for each in others if DEFAULT_SECTIONS.get(each.get("kind")) == title]))
            for header, section, members in sections:
                here = [each for each in types if in_file(each) == file] if header == "Types" else []
                if members or here:
                    page.heading(2, header, section)
                for each in here:
                    self.add_type(page, each)
                self.add(page, 3, members)

    def add(self, page, level, members):
        for each in members:
            self.places[each.get("id")] = page.heading(level, each.findtext("name"), each)

    def add_type(self, page, compound):
        self.places[compound.get("id")] = page.heading(3, compound.findtext("compoundname"), compound)
        self.add(page, 4, [each for section in compound.findall("sectiondef") for each in section.findall("memberdef") if described(each)])

    # --- Words -----------------------------------------------------------------------------------------------

    def words(self, node):
        """A description's node as HTML."""
        inner = html.escape(node.text or "", quote=False) + "".join(
            self.words(child) + html.escape(child.tail or "", quote=False) for child in node)
        tag = node.tag
        if tag in INLINE or tag in BLOCKS:
            name = INLINE.get(tag) or BLOCKS[tag]
            return f"<{name}>{inner}</{name}>"
        if tag == "ref" and node.get("refid") in self.places:
            return f'<a href="/{self.places[node.get("refid")]}">{inner}</a>'
        if tag == "ulink":
            return f'<a href="{html.escape(node.get("url"))}">{inner}</a>'
        if tag == "entry":
            name = "th" if node.get("thead") == "yes" else "td"
            return f"<{name}{' scope=col' * (name == 'th')}>{inner}</{name}>"
        if tag == "parameterlist":
            kind = {"param": "Parameters", "templateparam": "Template parameters", "exception": "Throws", "retval": "Returns"}[node.get("kind")]
            items = "".join(f"<dt><code>{html.escape(', '.join(''.join(name.itertext()) for name in item.iter('parametername')))}</code></dt>"
                            f"<dd>{self.words(item.find('parameterdescription'))}</dd>" for item in node)
            return f'</p><p class="of">{kind}</p><dl>{items}</dl><p>'
        if tag == "simplesect":
            title = node.findtext("title") or {"return": "Returns", "see": "See also", "note": "Note", "warning": "Warning"}.get(node.get("kind"), "")
            body = "".join(self.words(child) for child in node if child.tag != "title")
            return f'</p><p class="of">{html.escape(title)}</p>{body}<p>'
        if tag in ("programlisting", "verbatim"):
            lines = ["".join(" " if part.tag == "sp" else part.text or "" for part in line.iter()) for line in node.iter("codeline")]
            return f"</p><pre><code>{html.escape(chr(10).join(lines) or node.text or '')}</code></pre><p>"
        return f"<p>{inner}</p>" if tag == "para" else inner

    def description(self, node):
        found = [self.words(child) for name in ("briefdescription", "description", "detaileddescription") for child in node.findall(name)]
        text = re.sub(r"\s*\n\s*", " ", "".join(found))
        return re.sub(r"<p>\s*</p>", "", text).replace("<p></p>", "")

    def brief(self, node):
        return re.sub(r"</?p>|</?a\b[^>]*>", "", self.words(node.find("briefdescription"))).strip()


def signature(node):
    """A declaration as it is in its file, without its body or a long value."""
    location = node.find("location")
    lines, first = (ROOT / location.get("file")).read_text(encoding="utf-8").split("\n"), int(location.get("line")) - 1
    if node.get("kind") == "define":
        return lines[first].rstrip("\\ ")
    while re.match(r"\s*(template\b|requires\b)", lines[first - 1]):
        first -= 1
    code, depth = "\n".join(lines[first:]), 0
    for at, sign in enumerate(code):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and (sign == ";" or sign == "{" and node.get("kind") != "enum" or sign == "}"):
            break
    code = re.sub(r"\s+:$| =$", "", re.sub(r"\s+: \w+\(.*", "", code[:at].rstrip() + " }" * (sign == "}"), flags=re.DOTALL))
    return textwrap.dedent(code) + ";"


def page_text(reference, page, readme):
    """The Markdown of a file's page."""
    lines = [f"# {page.file}", "", reference.description(page.compound), ""]
    if readme:
        lines += [f'<p><a href="/{readme}">The page that explains it</a></p>', ""]
    for level, title, node in page.parts:
        lines += ["#" * level + f" {title}", ""]
        if node is not None and level > 2:
            lines += ["```cpp", signature(node), "```", ""]
        if node is not None:
            lines += [reference.description(node), ""]
    source = (ROOT / page.file).read_text(encoding="utf-8")
    return "\n".join([*lines, "## Source", "", "``````cpp showLineNumbers", source.rstrip("\n"), "``````", ""])


def index_text(reference):
    lines = ["# Kernels and functions", ""]
    order = sorted(reference.pages, key=lambda file: (file.split("/")[0], Path(file).stem != "kernels", file))
    for file, page in ((file, reference.pages[file]) for file in order):
        functions = [node for _, _, node in page.parts if node is not None and node.get("kind") == "function" and described(node)]
        lines += [f"## [{file}](/{file}.html)", "", f"<p>{reference.brief(page.compound)}</p>", ""]
        if functions:
            items = (f'<dt><a href="/{reference.places[node.get("id")]}"><code>{html.escape(node.findtext("name"))}()</code></a></dt><dd>{reference.brief(node)}</dd>'
                     for node in functions)
            lines += [f"<dl>{''.join(items)}</dl>", ""]
    return "\n".join(lines)


def readme_of(file):
    folders = [folder for folder in list(Path(file).parents)[:-1] if (ROOT / folder / "README.md").exists()]
    return f"{folders[0]}.html" if folders else ""


def main(folder, files):
    doxygen(folder, files)
    reference = Reference(folder)
    for file, page in reference.pages.items():
        place = folder / f"{file}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page_text(reference, page, readme_of(file)), encoding="utf-8")
    (folder / "reference.md").write_text(index_text(reference), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    os.chdir(ROOT)
    main(Path(sys.argv[1]), sys.argv[2:])
