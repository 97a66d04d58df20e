"""Finishes the pages that Doxygen has written: resolves links, fills the sidebar and the head."""

import html
import re
from pathlib import Path

import search
from highlight import CHAPTER, highlighted
from markdown import plain
from reference import Tags, index

FILLINGS = {"search": '<p id="found" role="status"></p><ol id="results"></ol>'
                      "<noscript><p>The search needs JavaScript.</p></noscript>"
                      '<script src="search_index.js" defer></script><script src="search.js" defer></script>'}
# Doxygen's indexes by letter: reference.html and the search take their place.
UNUSED = re.compile(r"(globals|functions|namespacemembers|namespaces|classes|hierarchy|pages)(_\w+)?|.*-members")
# Scripts' leftovers, tips that scripts would show, an anchor before each page's text, and links that add nothing.
DROPPED = re.compile(r' on\w+="[^"]*"|<img src="closed.png"[^>]*>|<p ><a class="anchor"[^>]*></a> </p>|'
                     r'<div class="ttc".*?</div></div>\n?|\s*<a href="[^"]*">More\.\.\.</a>|'
                     r'(?:&#124;\s*)?<a href="[^"]*-members.html">.*?</a>')
MEMBERS = re.compile(r'<table class="memberdecls">.*?</table>\s*', re.DOTALL)
MEMBER = re.compile(r'<a id="(\w+)" name="\1"></a>\s*<h2 class="memtitle"><span class="permalink">.*?</span>(.*?)</h2>')
HEADING = re.compile(r'<h([23]) id="([^"]*)"([^>]*)>(.*?)</h\1>', re.DOTALL)
TITLE = re.compile(r'<div class="title">(.*?)</div>', re.DOTALL)
ENTRY = r'(<li(?: class="inner")?><a)( href="{}">.*?</a>)'


def kernels_first(match):
    return "".join(sorted(MEMBERS.findall(match[0]), key=lambda table: ">Kernels</h2>" not in table))


def with_permalink(match):
    level, anchor, attributes, title = match.groups()
    label = html.escape(f"Link to {plain(title)}")
    link = f'<a class="permalink" href="#{anchor}" aria-label="{label}">#</a>'
    return f'<h{level} id="{anchor}"{attributes}>{title} {link}</h{level}>'


class Site:
    """The pages by what they show. `pages`: (Doxygen's id, name) of each file or folder that is one."""

    def __init__(self, tags, pages, copied):
        self.tags = tags
        self.names = {file: tags.source(file) for file in tags.reference}
        self.names.update((file, name) for file, (_, name) in pages.items())
        self.names.update((file, file) for file in copied)
        self.files = {page: file for file, page in self.names.items()}
        self.files.update((page, file) for file, page in tags.reference.items())

    def is_reference(self, name):
        return name in self.tags.reference.values() or name.endswith("_source.html")

    def readme(self, file):
        """The page of the nearest README above a file, but for the root's."""
        readmes = (str(folder / "README.md") for folder in list(Path(file).parents)[:-1])
        return next((self.names[path] for path in readmes if path in self.names), None)

    def finished(self, name, text):
        text = DROPPED.sub("", text)
        text = re.sub(r'"repository:([^"#]*)', lambda match: f'"{self.names[html.unescape(match[1])]}', text)
        text = highlighted(name, text, self.tags.members)
        text = re.sub(f"(?s:(?:{MEMBERS.pattern})+)", kernels_first, text)
        text = MEMBER.sub(r'<h2 id="\1" class="memtitle">\2</h2>', text)
        title = self.files[name].replace("/", "/<wbr>") if self.is_reference(name) else TITLE.search(text)[1].strip()
        text = TITLE.sub(lambda _: f"<h1>{title}</h1>{self.related(name)}", text)
        if name != "search.html":
            text = self.with_sidebar(name, text, title)
        text = HEADING.sub(with_permalink, text)
        first = re.search(r"</h1>.*?<p[ >].*?</p>", text, re.DOTALL)
        description = html.escape((search.words(first[0]) if first else "")[:300] or plain(title))
        return text.replace("</title>", f'</title>\n<meta name="description" content="{description}">', 1)

    def related(self, name):
        """A link from a chapter to its reference, or back."""
        file = self.files.get(name, "")
        kernels = str(Path(file).parent / "kernels.cuh")
        if Path(file).name == "README.md" and kernels in self.tags.reference:
            page = self.tags.reference[kernels]
            return f'<p class="related"><a href="{page}">Reference of this chapter\'s code</a></p>'
        if self.is_reference(name) and CHAPTER.match(file):
            return f'<p class="related"><a href="{self.readme(file)}">The page that explains it</a></p>'
        return ""

    def entry(self, name, text):
        """The sidebar's entry for a page: its own, or the one that it belongs to."""
        if re.search(ENTRY.format(re.escape(name)), text):
            return name
        if self.is_reference(name):
            return "reference.html"
        if name in self.files:
            return self.readme(self.files[name]) or "index.html"
        return "files.html" if name.startswith("dir_") else "annotated.html"

    def with_sidebar(self, name, text, title):
        """Marks the page's entry, and lists the page's sections there."""
        entry, current = self.entry(name, text), "page"
        sections = "".join(f'<li class="level{level}"><a href="#{anchor}">{html.escape(plain(heading))}</a></li>'
                           for level, anchor, _, heading in HEADING.findall(text))
        if entry != name:
            sections = f'<li><a aria-current="page" href="{name}">{title}</a></li>{sections}'
            current = "true"
        return re.sub(ENTRY.format(re.escape(entry)), lambda match: (
            f'{match[1]} aria-current="{current}"{match[2]}<ul>{sections}</ul>'), text, count=1)


def finish(folder, root, pages, copied, made):
    """Finishes all pages of a folder. `copied`: files that are beside them; `made`: pages to be filled here."""
    for file in folder.iterdir():
        if UNUSED.fullmatch(file.stem) or file.suffix in (".js", ".png", ".svg", ".css") and file.name != "style.css":
            file.unlink()
    tags = Tags(folder.parent / "tags.xml", root)
    site = Site(tags, pages, copied)
    for identity, name in pages.values():
        if identity != "mainpage":
            (folder / tags.pages[identity]).rename(folder / name)
    fillings = {**FILLINGS, "reference": index(tags, folder, site.names)}
    entries = []
    for page in sorted(folder.glob("*.html")):
        text = page.read_text(encoding="utf-8")
        if page.stem in made:
            text = text.replace(f"<!-- {page.stem} -->", fillings[page.stem])
        text = site.finished(page.name, text)
        page.write_text(text, encoding="utf-8")
        is_text = site.files.get(page.name, "").endswith(".md")
        if is_text or page.name in tags.reference.values() or page.name.startswith(("class", "struct")):
            entries.append(search.entry(page.name, text, weight=2 if is_text else 1))
    (folder / "search_index.js").write_text(search.script(entries), encoding="utf-8")
