"""What is done to the pages that Doxygen has written: links are resolved, code marked, the sidebar and the head filled."""

import html
import re
from pathlib import Path

import search
from reference import Tags, index

# Words of CUDA's that C++ does not have, but not in comments, strings and tags.
CUDA = re.compile(
    r'(?P<other><span class="(?:comment|stringliteral)">.*?</span>|<[^>]*>)|'
    r"\b(?:__\w+|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|dim3|(?:u?(?:char|short|int)|float|double)[1-4]|"
    r"atomic[A-Z]\w*|cuda[A-Z]\w*|clock64)\b|&lt;&lt;&lt;|&gt;&gt;&gt;")
CODE = re.compile(r'(<!-- diff -->\s*)?(<div class="fragment">.*?</div>)<!-- fragment -->', re.DOTALL)
CODE_LINK = re.compile(r'<a class="code[^"]*" href="([^"#]*)#[^"]*">(.*?)</a>')
DIFF_LINE = re.compile(r'<div class="line">(?:([+-])(?!\1\1 )|(@@|\+\+\+ |--- ))')
DIFF_KINDS = {"+": "added", "-": "removed", None: "hunk"}
CHAPTER = re.compile(r"\d\d_")
HEADING = re.compile(r'<h([23]) id="([^"]*)">(.*?)</h\1>|<h(2) class="memtitle">.*?href="#(\w+)".*?</span>(.*?)</h2>',
                     re.DOTALL)
# Doxygen's indexes by letter, whose place reference.html and the search take.
UNUSED = re.compile(r"globals|functions|namespacemembers|namespaces|classes|hierarchy|pages|.*-members")
# Scripts' leftovers, tips that scripts would show, an anchor before each page's text, and links that add nothing.
DROPPED = re.compile(r' on\w+="[^"]*"|<img src="closed.png"[^>]*>|<p ><a class="anchor"[^>]*></a> </p>|'
                     r'<div class="ttc".*?</div></div>\n?|\s*<a href="[^"]*">More\.\.\.</a>|'
                     r'<a href="[^"]*-members.html">.*?</a>')
TABLE = re.compile(r'<table class="memberdecls">.*?</table>', re.DOTALL)
TABLES = re.compile(rf"(?:{TABLE.pattern}\s*)+", re.DOTALL)
SEARCH = ('<p id="found" role="status"></p><ol id="results"></ol><noscript><p>The search needs JavaScript.</p></noscript>'
          '<script src="search_index.js" defer></script><script src="search.js" defer></script>')


def plain_text(text):
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def code(match, chapter, tags):
    """Marks CUDA's words. A chapter uses names of its own or of common/, never another chapter's nor `sim::`."""

    def own(link):
        home = re.match(r"\d\d_|namespacesim", link[1])
        if chapter is None or home is None or home[0] == chapter[0]:
            return link[0]
        for file, place in tags.members.get(plain_text(link[2]), {}).items():
            if file.startswith(chapter[0]):
                return f'<a class="code" href="{place}">{link[2]}</a>'
        return link[2]

    fragment = CODE_LINK.sub(own, match[2])
    if match[1]:
        fragment = DIFF_LINE.sub(lambda line: f'<div class="line {DIFF_KINDS[line[1]]}">{line[1] or line[2]}', fragment)
    return CUDA.sub(lambda word: word[0] if word["other"] else f'<b class="cuda">{word[0]}</b>', fragment)


class Site:
    """The pages by what they show. `pages`: (Doxygen's id, name) of each file or folder that is one."""

    def __init__(self, tags, pages, copied):
        self.tags = tags
        self.names = {file: tags.source(file) for file in tags.reference}
        self.names.update((file, name) for file, (_, name) in pages.items())
        self.names.update((file, file) for file in copied)
        self.files = {page: file for file, page in self.names.items()}
        self.files.update((page, file) for file, page in tags.reference.items())

    def readme(self, file):
        """The page of the nearest README above a file, but for the first."""
        readmes = (str(folder / "README.md") for folder in list(Path(file).parents)[:-1])
        return next((self.names[path] for path in readmes if path in self.names), None)

    def is_reference(self, name):
        return name in self.tags.reference.values() or name.endswith("_source.html")

    def finished(self, name, text):
        text = DROPPED.sub("", text)
        text = re.sub(r'"repository:([^"#]*)', lambda match: f'"{self.names[html.unescape(match[1])]}', text)
        text = CODE.sub(lambda match: code(match, CHAPTER.match(name), self.tags), text)
        text = TABLES.sub(lambda match: "".join(sorted(TABLE.findall(match[0]), key=lambda one: ">Kernels</h2>" not in one)), text)
        title = self.files[name].replace("/", "/<wbr>") if self.is_reference(name) else None
        text = re.sub(r'<div class="title">(.*?)</div>', lambda match: f"<h1>{title or match[1].strip()}</h1>{self.about(name)}",
                      text, flags=re.DOTALL)
        text = text if name == "search.html" else self.with_sidebar(name, text)
        text = HEADING.sub(with_permalink, text)
        first = re.search(r"</h1>.*?<p[ >].*?</p>", text, re.DOTALL)
        description = search.words(first[0] if first else "") or f"{title or name}: a course on CUDA C++"
        return text.replace("</title>", f'</title>\n<meta name="description" content="{html.escape(description[:300])}">', 1)

    def about(self, name):
        """What leads from a chapter to its reference, and back."""
        file = self.files.get(name, "")
        kernels = str(Path(file).parent / "kernels.cuh")
        if self.is_reference(name) and self.readme(file):
            return f'<p class="about"><a href="{self.readme(file)}">The chapter that explains it</a></p>' \
                if CHAPTER.match(file) else ""
        if Path(file).name == "README.md" and kernels in self.tags.reference:
            return f'<p class="about"><a href="{self.tags.reference[kernels]}">Reference of this chapter\'s code</a></p>'
        return ""

    def entry(self, name, text):
        """The sidebar's entry for a page."""
        if re.search(f'<li(?: class="inner")?><a href="{re.escape(name)}"', text):
            return name
        if self.is_reference(name):
            return "reference.html"
        if name in self.files:
            return self.readme(self.files[name]) or "index.html"
        return "files.html" if name.startswith("dir_") else "annotated.html"

    def with_sidebar(self, name, text):
        """Marks the page's entry, or the one that it belongs to, and lists its sections there."""
        entry = self.entry(name, text)
        sections = "".join(f'<li class="level{match[1] or 2}"><a href="#{match[2] or match[5]}">{html.escape(plain_text(match[3] or match[6]))}</a></li>'
                           for match in HEADING.finditer(text) if name != "reference.html" or match[1] == "2")
        if entry != name:
            title = re.search("<h1>(.*?)</h1>", text, re.DOTALL)[1]
            sections = f'<li><a aria-current="page" href="{name}">{title}</a></li>{sections}'
        current = "page" if entry == name else "true"
        return re.sub(rf'(<li(?: class="inner")?><a)( href="{re.escape(entry)}">.*?</a>)',
                      lambda match: f'{match[1]} aria-current="{current}"{match[2]}<ul>{sections}</ul>', text, count=1)


def with_permalink(match):
    level, anchor, title = match.groups()[:3] if match[1] else match.groups()[3:]
    label = html.escape(f"Link to {plain_text(title)}")
    kind = "" if match[1] else ' class="memtitle"'
    identity = f' id="{anchor}"' if match[1] else ""
    return f'<h{level}{identity}{kind}>{title} <a class="permalink" href="#{anchor}" aria-label="{label}">#</a></h{level}>'


def finish(folder, root, pages, copied, made):
    """Finishes all pages of a folder. `copied`: files that are beside them; `made`: pages to be filled here."""
    for page in folder.glob("*.html"):
        if UNUSED.fullmatch(re.sub(r"_\w+$", "", page.stem)):
            page.unlink()
    tags = Tags(folder.parent / "tags.xml", root)
    site = Site(tags, pages, copied)
    for identity, name in pages.values():
        if identity != "mainpage":
            (folder / tags.pages[identity]).rename(folder / name)
    fillings = {"search": SEARCH, "reference": index(tags, folder, site.names)}
    found = []
    for page in sorted(folder.glob("*.html")):
        text = page.read_text(encoding="utf-8")
        if page.stem in made:
            text = text.replace(f"<!-- {page.stem} -->", fillings[page.stem])
        text = site.finished(page.name, text)
        page.write_text(text, encoding="utf-8")
        if not page.name.endswith("_source.html") and page.stem not in made:
            found += search.sections(page.name, text, 2 if page.name in site.files and not site.is_reference(page.name) else 1)
    (folder / "search_index.js").write_text(search.script(found), encoding="utf-8")
    for file in folder.iterdir():
        if file.suffix in (".js", ".png", ".svg", ".css") and file.name not in \
                ("style.css", "site.js", "search.js", "search_index.js"):
            file.unlink()
