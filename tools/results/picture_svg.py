"""The parts of pictures with steps: texts, cells of memory, threads, arrows, steps."""

import math
from html import escape

WIDTH = 860
# The colours of the parts' classes, on a light page and on a dark one.
COLORS = {"page": ("#ffffff", "#0d1117"), "ink": ("#1f2328", "#e6edf3"), "dim": ("#57606a", "#a3adb8"),
          "thread": ("#0f5cbd", "#82b9ff"), "shared": ("#00664b", "#55d6ad"), "global": ("#7a2676", "#f0a8e4"),
          "alert": ("#ae4312", "#ff9a68")}


def text(x, y, words, kind="ink", anchor="start", size=15):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def note(y, words):
    return text(20, y, words, "dim", size=13)


def cell(x, y, width, height, kind, words, strong=False):
    """A cell of memory with its content, or a round thread with what the thread does."""
    radius, opacity = height / 2 if kind == "thread" else 3, 0.35 if strong else 0.12
    return (f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius:g}" '
            f'fill-opacity="{opacity}"/>' + text(x + width / 2, y + height / 2 + 5, str(words), "ink", "middle", 14))


def cells(places, width, height, kind, opacity=0.4, edge=1):
    """Cells without words, as one path."""
    return f'<path class="{kind}" fill-opacity="{opacity}" stroke-width="{edge}" d="' + "".join(
        f"M{x:g},{y:g}h{width:g}v{height:g}h-{width:g}z" for x, y in places) + '"/>'


def arrow(x0, y0, x1, y1, kind):
    length = math.hypot(x1 - x0, y1 - y0)
    x, y = (x1 - x0) / length * 7, (y1 - y0) / length * 7
    return (f'<path class="{kind}" d="M{x0:g},{y0:g}L{x1:g},{y1:g}L{x1 - x - y / 2:.1f},{y1 - y + x / 2:.1f}'
            f'L{x1 - x + y / 2:.1f},{y1 - y - x / 2:.1f}L{x1:g},{y1:g}"/>')


def step(number, words, *parts):
    return f'<g data-step="{number}"><title>{escape(words)}</title>{"".join(parts)}</g>'


def svg(name, height, title, description, parts):
    """A picture, in the colour scheme of the page that it is part of, or else of the system."""
    rules = "".join(f"#{name} .{kind}{{fill:{light};fill:light-dark({light},{dark});"
                    f"stroke:{light};stroke:light-dark({light},{dark})}}" for kind, (light, dark) in COLORS.items())
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'role="img" aria-labelledby="{name}-title {name}-text" font-family="system-ui, sans-serif">',
        f'<title id="{name}-title">{escape(title)}</title>',
        f'<desc id="{name}-text">{escape(description)}</desc>',
        f"<style>#{name}:root{{color-scheme:light dark}}{rules}#{name} text[class]{{stroke:none}}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}"/>',
        text(20, 32, title, size=19), *parts, "</svg>\n"])
