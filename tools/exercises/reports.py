"""Formats the results of ./course grade. Students' texts are escaped."""

import json
import re
import xml.etree.ElementTree as xml


def visible(text):
    """A text without control characters and without what XML forbids."""
    return re.sub(r"[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)


def junit(results):
    suites = xml.Element("testsuites")
    for name in dict.fromkeys(result["submission"] for result in results):
        own = [result for result in results if result["submission"] == name]
        suite = xml.SubElement(suites, "testsuite", name=visible(name), tests=str(len(own)),
                               failures=str(sum(not result["passed"] for result in own)))
        for result in own:
            case = xml.SubElement(suite, "testcase", classname=visible(name), name=result["exercise"])
            if not result["passed"]:
                xml.SubElement(case, "failure", message=result["words"].partition("\n")[0]).text = result["words"]
    return xml.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def gradescope(results):
    tests = [{"name": result["exercise"], "score": float(result["passed"]), "max_score": 1.0,
              "output": result["words"] or "Passed."} for result in results]
    return json.dumps({"score": sum(test["score"] for test in tests), "tests": tests}, indent=1) + "\n"


def table(results):
    """A line per submission, a column per exercise."""
    exercises = list(dict.fromkeys(result["exercise"] for result in results))
    names = list(dict.fromkeys(result["submission"] for result in results))
    width = max(len("submission"), *map(len, names))
    passed = {(result["submission"], result["exercise"]): result["passed"] for result in results}
    lines = [f"{'submission':{width}}  {'  '.join(f'{each:6}' for each in exercises)}"]
    for name in names:
        cells = ["passed" if passed[name, each] else "-" for each in exercises]
        lines.append(f"{visible(name):{width}}  {'  '.join(f'{cell:6}' for cell in cells)}")
    return "\n".join(line.rstrip() for line in [*lines, f"{sum(passed.values())} of {len(results)} passed"])
