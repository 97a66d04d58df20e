"""./course predict: questions about times and counts, to be answered before measuring."""

import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from starter import ROOT, Chapter
from student import note, noted

sys.path[1:1] = [str(ROOT / "tools" / name) for name in ("results", "course")]
import rows as results  # noqa: E402
from chapters import chapter_of  # noqa: E402
from terminal import flowed, looks, wrapped  # noqa: E402

QUESTION = re.compile(r"^## Question (\d+)\n<!-- (\w+): ([^\n]*) -->\n\n(.*?)\n\nWhy: (.*?)\s*(?=^## |\Z)",
                      re.MULTILINE | re.DOTALL)
CLOSE = 1.5  # a predicted ratio within this factor counts as right
CLOSE_COUNT = 1.1  # the same for counts of the lens, which depend on the input
COLUMNS = ["launches", "asked", "sectors", "wavefronts", "hottest", "lanes"]  # columns of the lens's table


@dataclass
class Question:
    number: str
    kind: str  # ratio, count, lens (a column of a variant's row in the lens's table) or order
    words: str  # what the answer is computed from
    text: str
    why: str

    def variants(self):
        """The chapters and variants of a ratio or an order."""
        chapter, found = "", []
        for word in shlex.split(self.words.replace(",", " ")):
            if re.fullmatch(r"\d\d", word):
                chapter = word
            elif word != "/":
                found.append((chapter, word))
        return found

    @property
    def choices(self):
        """The variants to put in order, numbered from 1; empty for other kinds."""
        return sorted({name for _, name in self.variants()}) if self.kind == "order" else []

    @property
    def ideas(self):
        """Short descriptions of the variants that the question names, by name: most variants come later in their chapters."""
        found = {}
        for chapter, name in self.variants() if self.kind != "count" else []:
            if idea := re.search(r'\.idea = "([^"]*)"', Chapter(chapter_of(chapter)).entries.get(name, "")):
                found[name] = idea[1]
        return found

    @property
    def asks_for(self):
        return {"order": "The numbers, fastest first", "ratio": "A factor"}.get(self.kind, "A number")

    @property
    def accepts(self):
        """What a valid answer looks like, to show after an invalid one."""
        return "Type " + ("each of these numbers once, such as " + " ".join(map(str, range(len(self.choices), 0, -1)))
                          if self.kind == "order" else "a number, such as 2 or 1.5") + "."

    def read(self, typed):
        """The typed answer as a number or a list of names; None if it is invalid."""
        if self.kind == "order":
            numbers = [int(number) for number in re.findall(r"(?a)\b\d{1,4}\b", typed)]
            return [self.choices[number - 1] for number in numbers] if sorted(numbers) == list(range(1, len(self.choices) + 1)) else None
        return float(typed.replace(",", "")) if re.fullmatch(r"(?a)(\d+|\d{1,3}(,\d{3})+)(\.\d+)?", typed) else None

    def ask(self):
        """Asks until an answer is valid, and returns this answer."""
        ideas = self.ideas
        names = self.choices or ideas
        lines = [f"  {f'{number}  ' * bool(self.choices)}{name:<{max(map(len, names))}}  {ideas.get(name, '')}".rstrip()
                 for number, name in enumerate(names, 1)]
        question = "\n".join([flowed(self.text), *lines, f"{self.asks_for}: "])
        while (answer := self.read(input(question).strip())) is None:
            print(self.accepts)
        return answer

    def grade(self, answer, rows):
        """Whether an answer is right, the right answer as text, and how far off the given one is; None if the rows lack the answer."""
        if self.kind == "lens":
            chapter, variant, column = shlex.split(self.words)
            table, = (ROOT / "docs" / "results" / "simulator").glob(f"lens-{chapter}_*.txt")
            row, *_ = (line.removeprefix(variant).split() for line in table.read_text(encoding="utf-8").splitlines()
                    if line.startswith(variant + " "))
            words = row[COLUMNS.index(column)]
            count = float(words.replace(",", ""))
            right = 1 / CLOSE_COUNT <= answer / count <= CLOSE_COUNT
            return right, f"{words.removesuffix('.00')}, as ./course lens {chapter} shows", how_far(answer, count)
        if self.kind == "count":
            count = eval(self.words, {"__builtins__": {}})  # a product of numbers in the course's own page
            return answer == count, f"{count:,}", how_far(answer, count)
        times = [next((row["time_s"] for row in rows if row["chapter"].startswith(chapter) and row["variant"] == name
                       and row["case"] == "progression"), None) for chapter, name in self.variants()]
        if None in times:
            return None
        if self.kind == "ratio":
            ratio = times[0] / times[1]
            return 1 / CLOSE <= answer / ratio <= CLOSE, results.three_digits(ratio), how_far(answer, ratio)
        order = sorted(zip(times, (name for _, name in self.variants())))
        in_place = sum(one == other for one, (_, other) in zip(answer, order))
        return (in_place == len(order), ", ".join(f"{name} ({results.seconds(time)})" for time, name in order),
                "" if in_place == len(order) else f"{in_place or 'none'} of {len(order)} in the right place")


def how_far(answer, right):
    """By how much a number differs from the right one, as text; empty if they are equal."""
    if answer == right:
        return ""
    word = "too high" if answer > right else "too low"
    if answer == 0:
        return word
    factor = max(answer / right, right / answer)
    return f"{word} by {abs(answer / right - 1):.1%}" if factor < 1.1 else f"{word} by a factor of {results.grouped(factor)}"


def judge(question, answer, rows, whose):
    """Whether an answer is right, and the text before and after the words that say so. `whose` says where the rows come from."""
    said = ", ".join(answer) if question.kind == "order" else f"{answer:,.10g}"
    right, words, off = question.grade(answer, rows) or (False, "the answer is not in these results", "")
    source = f" on {whose}" if question.kind in ("ratio", "order") else ""
    return right, f"{question.number}. You said {said}. ", f"{off and f', {off}'}: {words}{source}. {question.why}"


def page(chapter):
    return ROOT / chapter / "exercises" / "predict.md"


def questions(chapter):
    text = page(chapter).read_text(encoding="utf-8")
    return [Question(*(" ".join(part.split()) for part in match.groups())) for match in QUESTION.finditer(text)]


def measured(chapters, backend):
    """Rows measured on this machine, and a name for the machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        for chapter in chapters:
            done = subprocess.run([ROOT / "build" / backend / "bin" / chapter, "--csv", path], cwd=ROOT, check=False,
                                  stdout=subprocess.DEVNULL)
            if done.returncode > 1:  # 1: a variant has a wrong result, but also a time
                raise OSError(f"{chapter} could not be measured")
        rows = results.read(path)
    return rows, f"your {rows[-1]['device']}"


def recorded():
    """Rows that were recorded on a GPU, and a name for the machine."""
    return results.read(ROOT / "docs" / "results" / "nvidia-h200.csv"), "the recorded NVIDIA H200"


def measures(chapter, backend):
    """The chapters that must be measured for the answers; none if recorded results are used: the simulator's times are meaningless."""
    needed = {name for question in questions(chapter) if question.kind in ("ratio", "order") for name, _ in question.variants()}
    return needed if backend == "gpu" or needed == {"01"} else set()


def predict(chapter, backend, say):
    asked = questions(chapter)
    answers = noted("predict")
    for question in asked:
        try:
            answers[f"{chapter[:2]}.{question.number}"] = question.ask()
        except EOFError:
            return say("\nNot judged: the answers are judged when all questions are answered.")
        say("")
    note("predict", **answers)
    if needed := measures(chapter, backend):
        rows, whose = measured(sorted(map(chapter_of, needed)), backend)
    else:
        rows, whose = recorded()
    for question in asked:
        right, before, after = judge(question, answers[f"{chapter[:2]}.{question.number}"], rows, whose)
        verdict = "Right" if right else "No"
        lines = wrapped(before + verdict + after)
        say(lines.replace(f". {verdict}", f". {looks('good' if right else 'bad', verdict)}", 1))
