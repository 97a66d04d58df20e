"""The data that a page shows beside the lines of a source file: counts, the addresses of the costliest requests, and mistakes."""

from counts import by_line, efficiency, ratio
from rows import count
from text import costs, describe, distinct, finding_words

COLUMNS = ["access", "requests", "sectors each", "wavefronts each", "lanes", "bytes used"]


def several(number, what):
    return f"{number} {what}{'s' * (number != 1)}"


def words_of(space, sums):
    """A sentence about the drawing of an access's costliest request."""
    lanes, cost = several(len(sums["worst_addresses"]), "lane"), sums["worst_cost"]
    if space == "global":
        return f"{lanes}, {several(cost, 'sector')} of 32 bytes. Each column is a sector."
    words = several(sums["worst_words"], "different word")
    return f"{lanes}, {several(cost, 'wavefront')}: bank {sums['worst_bank']} has {words}. Each column is a bank."


def drawn(line, space, sums):
    """An access's costliest request, as request.mjs needs it. In global memory, addresses count from the first line, to be short."""
    first = min(sums["worst_addresses"], default=0) // 128 * 128 if space == "global" else 0
    lanes = [lane for lane in range(32) if sums["worst_lanes"] >> lane & 1]
    return {"line": line, "space": space, "bytes": sums["bytes_per_lane"], "words": words_of(space, sums),
            "lanes": [[lane, address - first] for lane, address in zip(lanes, sums["worst_addresses"])]}


def heat(lines):
    """The cost of each line of `by_line`, relative to the costliest line: from 0 to 1."""
    cost = costs(lines)
    most = max(cost.values(), default=0)
    return {line: ratio(each, most) for line, each in cost.items()}


def counted(line, space, kind, sums):
    """An access: its counts as text and as the cells of a table with COLUMNS, and its costliest request."""
    of_request = {name: f"{ratio(sums[name], sums['requests']):.3g}" for name in ("sectors", "wavefronts", "lanes")}
    own = "sectors" if space == "global" else "wavefronts"
    cells = [f"{space} {kind}", ("~" if sums["estimated"] else "") + count(sums["requests"]),
             *(of_request[name] if name == own else "" for name in ("sectors", "wavefronts")), of_request["lanes"],
             f"{efficiency(sums):.0%}" if space == "global" else ""]
    return {"words": " ".join(", ".join(describe(space, kind, sums)).split()), "cells": cells, "request": drawn(line, space, sums)}


def number_of(place, file):
    """The line number in FILE:NUMBER; None if this is another file."""
    name, _, number = (place or "").rpartition(":")
    return int(number) if name == file and number.isdecimal() else None


def margin(launches, findings, file):
    """The lines of a file in which launches have accessed memory, in order, each with its costliest access first; and the findings: their
    text and, for each of their accesses, the line of the file or None."""
    lines = by_line(site for launch in launches for site in launch["sites"])
    warmth, shown, found = heat(lines), {}, []
    for (place, space, kind), sums in sorted(lines.items(), key=lambda each: -each[1]["sectors"] - each[1]["wavefronts"]):
        if number := number_of(place, file):
            entry = shown.setdefault(number, {"line": number, "heat": warmth[place], "accesses": [], "findings": []})
            entry["accesses"].append(counted(place, space, kind, sums))
    for finding in distinct(findings):
        places = [number_of(finding[name], file) for name in ("line", "other_line") if name in finding]
        for number in filter(None, dict.fromkeys(places)):
            shown.setdefault(number, {"line": number, "heat": 0, "accesses": [], "findings": []})["findings"].append(len(found))
        found.append({"problem": finding["problem"], "words": [line.strip() for line in finding_words(finding)], "lines": places})
    for number, entry in shown.items():
        said = [*(found[each]["problem"] for each in entry["findings"]), *(access["words"] for access in entry["accesses"])]
        entry["name"] = f"line {number}: " + "; ".join(said)
    return {"columns": COLUMNS, "lines": [shown[number] for number in sorted(shown)], "findings": found}
