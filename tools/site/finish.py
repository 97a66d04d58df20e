"""What is done to the pages that Doxygen has written: links are resolved, CUDA's words marked, scripts dropped."""

import html
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# Words of CUDA's that C++ does not have, but not in comments, strings and tags.
CUDA = re.compile(
    r'(?P<other><span class="(?:comment|stringliteral)">.*?</span>|<[^>]*>)|'
    r"\b(?:__\w+|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|dim3|(?:u?(?:char|short|int)|float|double)[1-4]|"
    r"atomic[A-Z]\w*|cuda[A-Z]\w*|clock64)\b|&lt;&lt;&lt;|&gt;&gt;&gt;")
CODE = re.compile(r'<div class="fragment">.*?</div><!-- fragment -->', re.DOTALL)
CODE_LINK = re.compile(r'<a class="code[^"]*" href="([^"#]*)#[^"]*">(.*?)</a>')
CHAPTER = re.compile(r"\d\d_")


class Tags:
    """What Doxygen's tag file knows: how it has named files and pages, and where members are."""

    def __init__(self, path, root):
        self.reference = {}  # file -> its page in the reference
        self.pages = {}      # id -> page
        self.members = {}    # name -> file -> where it is documented
        for compound in ElementTree.parse(path).iter("compound"):
            page = compound.findtext("filename", "").replace(".html", "") + ".html"
            if compound.get("kind") == "page":
                self.pages[compound.findtext("name")] = page
            elif compound.get("kind") == "file" and compound.findtext("path"):
                file = str(Path(root, compound.findtext("path"), compound.findtext("name")).relative_to(root))
                self.reference[file] = page
                for member in compound.iter("member"):
                    place = f'{member.findtext("anchorfile")}#{member.findtext("anchor")}'
                    self.members.setdefault(member.findtext("name"), {}).setdefault(file, place)

    def source(self, file):
        return self.reference[file].replace(".html", "_source.html")


def plain_text(text):
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def without_scripts(text):
    text = re.sub(r"<script.*?</script>\n?", "", text, flags=re.DOTALL)
    return re.sub(r' on\w+="[^"]*"|<img src="closed.png"[^>]*>', "", text)


def code(fragment, chapter, tags):
    """Marks CUDA's words. A chapter uses names of its own or of common/, never another chapter's nor `sim::`."""

    def own(link):
        home = re.match(r"\d\d_|namespacesim", link[1])
        if chapter is None or home is None or home[0] == chapter[0]:
            return link[0]
        for file, place in tags.members.get(plain_text(link[2]), {}).items():
            if file.startswith(chapter[0]):
                return f'<a class="code" href="{place}">{link[2]}</a>'
        return link[2]

    fragment = CODE_LINK.sub(own, fragment)
    return CUDA.sub(lambda match: match[0] if match["other"] else f'<b class="cuda">{match[0]}</b>', fragment)


def all_places(text, tags):
    """In an index of names: Doxygen leaves out files that are called alike, in several folders."""

    def entry(match):
        places = tags.members.get(match[1])
        if places is None:  # not of a file
            return match[0]
        links = (f'<a class="el" href="{place}">{file}</a>' for file, place in sorted(places.items()))
        return f'<li>{match[1]}{match[2]}: {", ".join(links)}</li>'

    return re.sub(r"<li>(\w+)((?:\(\))?)&#160;:&#160;.*?</li>", entry, text)


def finished(name, text, tags, names, titles):
    """A page of the site. `names`: the page of each file or folder; `titles`: those of pages about files."""
    text = without_scripts(text)
    text = re.sub(r'"repository:([^"#]*)', lambda match: f'"{names[html.unescape(match[1])]}', text)
    text = CODE.sub(lambda match: code(match[0], CHAPTER.match(name), tags), text)
    if name.startswith("globals"):
        text = all_places(text, tags)
    text = re.sub(r'<div id="navrow1".*?</div>', "", text, flags=re.DOTALL)  # the contents have it
    text = re.sub(r'\s*<a href="[^"]*">More\.\.\.</a>', "", text)
    text = re.sub(r'<div class="title">(.*?)</div>', lambda match: f"<h1>{titles.get(name, match[1])}</h1>", text,
                  flags=re.DOTALL)
    sections = "".join(f'<li><a href="#{anchor}">{title}</a></li>'
                       for anchor, title in re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', text))
    return re.sub(rf'<li><a( href="{re.escape(name)}">.*?</a>)',
                  lambda match: f'<li><a aria-current="page"{match[1]}<ul>{sections}</ul>', text, count=1)


def finish(site, root, pages, copied):
    """Finishes all pages. `pages`: (Doxygen's id, name) of each file or folder that is one; `copied`: files."""
    tags = Tags(site.parent / "tags.xml", root)
    names = {file: tags.source(file) for file in tags.reference}
    names.update((file, name) for file, (_, name) in pages.items())
    names.update((file, file) for file in copied)
    titles = {page: file.replace("/", "/<wbr>")
              for file, page in tags.reference.items() for page in (page, tags.source(file))}
    for identity, name in pages.values():
        if identity != "mainpage":
            (site / tags.pages[identity]).rename(site / name)
    (site / "pages.html").unlink()
    for page in site.glob("*.html"):
        page.write_text(finished(page.name, page.read_text(encoding="utf-8"), tags, names, titles), encoding="utf-8")
    for file in site.iterdir():
        if file.suffix in (".js", ".png", ".svg", ".css") and file.name != "style.css":
            file.unlink()
