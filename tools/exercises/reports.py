"""Formats the results of ./course grade. Students' names and texts are untrusted data, so each format gets them escaped."""

import csv
import json
import unicodedata
import xml.etree.ElementTree as xml
from collections import Counter

from rubric import STAGES, UNGRADED

COLUMNS = 100  # the width of a terminal


def visible(text):
    """A text with ? in place of characters that control a terminal or that XML forbids."""
    return "".join(each if each.isprintable() or each == "\n" else "?" for each in text)


def visible_name(name):
    """The same for a name, which also becomes one line."""
    return visible(name).replace("\n", "?")


def name_of(result):
    return visible_name(result["submission"])


def points(result):
    """The points as text: empty if nothing was handed in, a question mark if it was not graded."""
    return "" if result["stage"] == "missing" else "?" if result["stage"] == UNGRADED else f"{result['points']:g}"


def rating(result):
    """A result's points and the reason, in one line."""
    line = f"{points(result) or 0} of {result['of']:g} points: {STAGES.get(result['stage'], result['stage'])}"
    if late := result.get("days_late"):
        line += f"; {late} {'day' if late == 1 else 'days'} late, handed in {result['handed_in']}"
    return line


def by(name, results):
    """Groups of results with the same value under this name, in their order."""
    groups = {}
    for result in results:
        groups.setdefault(result[name], []).append(result)
    return groups


def kind(result):
    """JUnit's word for a result: failure, error, or "" if it passed."""
    return "error" if result["stage"] == UNGRADED else "" if result["passed"] else "failure"


def junit_of(suites):
    """JUnit XML of suites, each a name and cases. A case is a name, a kind ("" if nothing is wrong), what is wrong, and a remark."""
    root = xml.Element("testsuites")
    for name, cases in suites:
        kinds = [case[1] for case in cases]
        suite = xml.SubElement(root, "testsuite", name=name, tests=str(len(cases)), failures=str(kinds.count("failure")),
                               errors=str(kinds.count("error")))
        for case_name, wrong, words, remark in cases:
            case = xml.SubElement(suite, "testcase", classname=name, name=case_name)
            if wrong:
                xml.SubElement(case, wrong, message=words.partition("\n")[0]).text = words
            if remark:
                xml.SubElement(case, "system-out").text = remark
    return xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def junit(results):
    return junit_of((name_of(own[0]), [(result["exercise"], kind(result), result["words"], rating(result)) for result in own])
                    for own in by("submission", results).values())


def gradescope(results, visibility):
    tests = [{"name": result["exercise"], "score": result["points"], "max_score": result["of"],
              "status": "passed" if result["passed"] else "failed", "visibility": visibility, "output_format": "text",
              "output": "\n".join(filter(None, [rating(result), result["words"]]))} for result in results]
    return json.dumps({"score": total(results), "visibility": visibility, "tests": tests}, indent=1) + "\n"


def total(results):
    return round(sum(result["points"] or 0 for result in results), 2)


def sum_of(results):
    """The sum of the points as text, with a question mark if a result was not graded."""
    return f"{total(results):g}" + "?" * any(result["stage"] == UNGRADED for result in results)


def days_late(results):
    return max(result.get("days_late", 0) for result in results)


def as_data(text):
    """A cell that no spreadsheet interprets as a formula."""
    return f"'{text}" if unicodedata.normalize("NFKC", text.lstrip())[:1] in tuple("=+-@|%") else text


def spreadsheet(path, results):
    """Writes a table of points as CSV for Excel and LibreOffice, one line per submission."""
    exercises, late = list(by("exercise", results)), any("days_late" in result for result in results)
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow(["submission", *exercises, "sum", "of", *["days late"] * late])
        for own in by("submission", results).values():
            table.writerow([as_data(name_of(own[0])), *map(points, own), sum_of(own),
                            f"{sum(each['of'] for each in own):g}", *[days_late(own)] * late])


def wide(text):
    """The number of terminal columns that a text takes."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else not unicodedata.combining(each) for each in text)


def cell(text, width):
    """A text padded or cut to `width` columns."""
    if wide(text) > width:
        while wide(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - wide(text))


def short(name):
    return cell(visible_name(name), 24).rstrip()


def packed(line, words):
    """Lines that begin with `line`, followed by the words, as many per line as fit in a terminal."""
    lines = []
    for word in [*(f"{word}, " for word in words[:-1]), words[-1]]:
        if wide(line + word) > COLUMNS:
            lines, line = [*lines, line], " " * 6
        line += word
    return [*lines, line]


def points_table(results):
    """A line per submission and a column per exercise; several tables if there are too many columns."""
    submissions, exercises = by("submission", results), list(by("exercise", results))
    first = min(24, max(len("submission"), *(wide(name_of(own[0])) for own in submissions.values())))
    value = {(result["submission"], result["exercise"]):
             (points(result) or "-") + "*" * (result.get("days_late", 0) > 0)
             for result in results}
    sums = {name: sum_of(own) for name, own in submissions.items()}
    width = max(map(len, [*exercises, *value.values()]))
    room = (COLUMNS - first - 3 - max(map(len, sums.values()))) // (width + 2)
    parts = [exercises[at:at + room] for at in range(0, len(exercises), room)]
    lines = []
    for part in parts:
        is_last = part is parts[-1]
        lines += [cell("submission", first) + "".join(f"{each:>{width + 2}}" for each in part) + "  sum" * is_last]
        for name, own in submissions.items():
            lines.append(cell(name_of(own[0]), first) + "".join(f"{value[name, each]:>{width + 2}}" for each in part)
                         + f"{sums[name]:>5}" * is_last)
        lines.append("")
    lines += ["* late", ""] if any(map(days_late, submissions.values())) else []
    return lines


def exercises_table(results):
    """A line per exercise: how many files were graded, how many are right, and the most common message about wrong ones."""
    lines = ["exercise     graded  solved  mean points  the most common first message"]
    for number, own in by("exercise", results).items():
        given = [result for result in own if result["stage"] not in ("missing", UNGRADED)]
        said = Counter(result["words"].partition("\n")[0] for result in given if not result["passed"])
        (message, count), = said.most_common(1) or [("", 0)]
        mean = f"{total(given) / len(given):.1f} of {given[0]['of']:g}" if given else ""
        lines.append(f"{number:8}  {len(given):>9}  {sum(result['passed'] for result in own):>6}  {mean:>11}  "
                     + cell(f"{count} x {message}" if count > 1 else message, COLUMNS - 42))
    return lines


def alike_table(found):
    """The lines about nearly identical submissions. `found` maps the numbers of exercises to the results of alike.find."""
    texts = []
    for number, (published, groups) in found.items():
        if published:
            names = [f"{short(name)} ({share:.0%})" for name, share in published.items()]
            texts.append((f"{number}  the published solution: ", names))
        for names, least, most in groups:
            shares = f"{least:.0%}" + f" to {most:.0%}" * (round(100 * least) < round(100 * most))
            texts.append((f"{number}  {shares}: ", list(map(short, names))))
    if not texts:
        return []
    return ["", "nearly identical where they differ from the starter (docs/instructors/grading.md)",
            *(line for text in texts for line in packed(*text))]


def table(results, found, others=()):
    """The report on a class for a terminal; `others` are lines about files that belong to no exercise."""
    lines = [*points_table(results), *exercises_table(results), *alike_table(found), *[""] * bool(others), *others, "",
             f"{sum(result['passed'] for result in results)} of {len(results)} passed"]
    return "\n".join(line.rstrip() for line in lines)
