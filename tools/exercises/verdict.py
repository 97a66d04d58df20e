"""The verdict on a student's file, and the sentences that explain it."""

import json
import re
import signal
from dataclasses import dataclass, field, replace
from itertools import takewhile

from cpp import Rejected, Unbalanced, split, tokens_of
from starter import ROOT, Chapter, names_of, without_comments

CPU_SECONDS = 30  # CPU time of a check, all threads together
OUTPUT = 4 << 20  # bytes that a check may print

BY_LUCK = "The results are right, but nothing orders accesses to the same memory: on a GPU, the results may be wrong."
UNWRITTEN = "The results are right, but the code reads memory that was never written."
DEPENDS_ON_ORDER = {"text": "The result depends on the order in which the threads run. A barrier or an atomic operation may be missing, or an "
                            "index may be wrong.", "of_race": True}
DEPENDS_ON_SMS = "The result is right on a GPU with 2 SMs, but wrong on one with 4, where the default grid has more blocks."
IS_GIVEN = "All these lines were in the starter: look at the code that calls them, and at what it does before the call."
FROM_TOOL = re.compile(r"simulator: |==\d+==ERROR|\S+: runtime error")  # the beginning of a line of the simulator or a sanitizer
NO_LAUNCH = re.compile("invalid operands of types .(void ?[(]|<unresolved overloaded).* to binary .operator<<|call to global function .* not configured")
SIGNALS = {signal.SIGSEGV: "usually because of an index outside an array, or an invalid pointer",
           signal.SIGABRT: "usually because of an exception, a thread that was not joined, or an index outside an array",
           signal.SIGFPE: "because of an integer division by zero",
           signal.SIGKILL: "usually because the system ran out of memory",
           signal.SIGXFSZ: f"because it printed more than {OUTPUT >> 20} MiB"}

BY_COMPILER = ("compile", "rejected")  # kinds whose sentences are lines of a compiler, with marks below columns


@dataclass
class Verdict:
    """What a check has found. `kind` is for programs; the texts are for people.

    The checks' own program (common/exercise/verdict.cu) gives `right`, or one of the kinds in common/checks/failure.cuh. The
    tools add: `compile`; `rejected` (by nvcc); `time` (the check does not end); `signal`, `tool` (such as a sanitizer) and
    `status` (these have ended the check before its verdict); `luck` (only the lens finds something); and `point` (the result
    is right, but by a shortcut that misses the exercise's target).
    """
    kind: str
    what: str = ""  # what is wrong, in one line
    sentences: list = field(default_factory=list)  # each with its `text`, whether it is `of_race`, and perhaps `is_idea` (Sentence)
    case: dict = field(default_factory=dict)  # the failing case; `words` describes it
    fault: dict = field(default_factory=dict)  # a kernel's (common/simulator/include/simulator/fault.h)
    has_poison: bool = False  # a result includes memory that was never written
    has_unset: bool = False  # a result includes a local variable to which nothing was assigned
    site: str = ""  # the line of the student's file, if the message names one
    message: str = ""  # the line that the chapter's checks print
    printed: list = field(default_factory=list)  # lines that the student's code printed in the failing case
    not_tried: dict = field(default_factory=dict)  # by the names of stages that could not look for faults: the reason
    counted: list = field(default_factory=list)  # if it passed, for each target: what is counted, the count, and the target

    @property
    def passed(self):
        return self.kind == "right"

    @property
    def short(self):
        what = re.sub(r" allocated at common/\S+?:\d+", "", self.what)  # the checks' own memory
        return f"{self.case['words']}: {what}" if self.case else what or "passed"

    @property
    def first(self):
        return f"{'Stopped' if self.kind == 'time' else 'Wrong'} for {self.short}" if self.case else self.short

    @property
    def words(self):
        """The lines to show; none if the check passed."""
        indent = "" if self.kind in BY_COMPILER else "  "
        return [] if self.passed else [self.first, *(indent + each["text"] for each in self.sentences)]

    @property
    def ends(self):
        return self.kind != "time" and self.fault.get("kind") != "no progress"


def in_case(kind, what, case):
    """A verdict whose sentence follows the words about a case, if there is one."""
    return Verdict(kind, what[0].lower() + what[1:] if case else what, case=case)


def sentences(*texts):
    return [{"text": text, "of_race": False} for text in texts]


def compiler_words(log):
    """The lines of a log that belong to the first error, without the namespaces that assemble.py adds."""
    log = re.sub(r"\bstudent\d*::", "", log)
    lines = log.splitlines()
    errors = [at for at, line in enumerate(lines) if re.search(r"\berror\b.*:", line)]
    first = errors[0] if errors else 0
    shown = lines[first:first + 1]
    for line in lines[first + 1:first + 8]:
        if re.match(r"\S[^:]*:( In |\d+:)|In file included from |\[\d+/\d+\]|ninja:", line):
            break
        shown.append(line)
    if errors and NO_LAUNCH.search(shown[0]):
        shown[0] += "; a launch is written kernel<<<grid, block>>>(arguments)"
    others = takewhile(lambda line: not re.search(r"\b(error|warning): |^ninja:", line), lines[first + 1:])
    notes = [re.sub(r"note:\s+", "note: ", line) for line in others if ": note: " in line]
    candidates = [note for note in notes if ": note: candidate" in note]
    if len(candidates) == 1 and not notes[-1].endswith(":"):  # the last note is the reason why it does not fit
        shown += dict.fromkeys([candidates[0], notes[-1]])
    if errors and not shown[0].startswith("work/"):  # in a library: the student's line that uses it
        users = takewhile(lambda line: re.search(r":\s+required ", line), reversed(lines[:first]))
        shown[:0] = [re.sub(r":\s+required", ": required", line) for line in users if line.startswith("work/")][-1:]
    return shown


def not_utf8(exercise):
    """A line about the first character of a student's file that is not UTF-8; empty if all are."""
    raw = (ROOT / exercise.file).read_bytes()
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"{exercise.file}:{raw.count(bytes([10]), 0, error.start) + 1}: this line is not UTF-8 text: save the file as UTF-8."]
    return []


def lacks(exercise):
    """A line about a bracket, or a function of the starter, that a student's file lacks; empty list if it lacks neither."""
    text = (ROOT / exercise.file).read_text(encoding="utf-8-sig", errors="replace")
    try:
        split(tokens_of(text.replace("\r\n", "\n")))
    except Unbalanced as why:
        return [f"{exercise.file}:{why.line}: {why.what}."]
    except Rejected:
        pass
    chapter, code = Chapter(exercise.chapter), without_comments(text.split("\n"))
    names = [name for part in chapter.needed(exercise.variant) if part not in chapter.hidden(exercise) for name in sorted(names_of(part))]
    missing = [name for name in names if not re.search(rf"\b{name}\b", code)]
    return [f"{exercise.file}: '{missing[0]}', which is in the starter, is missing."] if missing else []


def not_compiled(*lines):
    return Verdict("compile", "It does not compile.", [{"text": line, "of_race": False} for line in lines])


def does_not_compile(exercise, log):
    """The verdict on a student's file that does not compile."""
    if not re.search(r"\berror\b.*:", log):  # for example, the disk is full or the compiler was killed
        return Verdict("compile", "The build failed without an error message from a compiler. The last lines of the build:", sentences(*log.splitlines()[-5:]))
    lines = compiler_words(log)
    if found := lacks(exercise):
        # The compiler's own line may be far below the mistake, or not in the file.
        lines = [*found, *(line for line in lines[:1] if line.startswith(str(exercise.file)))]
    return not_compiled(*lines)


def words_first(what, fault):
    """If `what` has the form PLACE: CALL: MEANING (CODE) of a failed CUDA call, MEANING and a list of lines about the call; otherwise `what`
    and an empty list."""
    found = re.fullmatch(r"(.*?)(\S+:\d+): (.*?): (.*) \((cuda\w+)\)", what, re.DOTALL)
    if not found:
        return what, []
    begin, place, call, why, code = found.groups()
    own = fault.get("message", "")
    if own and why.endswith(own):
        return begin + own, [f"{place}: {call}: {why[:-len(own)].rstrip(': ')} ({code})"]
    if place.startswith("common/"):  # a call in the check has returned an error that the student's code ignored
        return f"{begin}{why}", [] if begin else [f"The error is from {call}."]
    what = "a launch" if call == "cudaGetLastError()" else call.partition("(")[0]
    return f"{begin}{what} fails: {why}", [f"{place}: {call} ({code})"]


def ended_by(number):
    """A sentence about a signal that ended a program, with its usual cause."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return f"The program was ended by {name}{', ' if number in SIGNALS else ''}{SIGNALS.get(number, '')}."


def changes_with_order(found, other):
    """Whether a check's verdict differs in another order of the threads.

    If a kernel was stopped in both orders, the order only determines which thread broke a rule first.
    """
    return other.passed or found.first != other.first and found.kind == other.kind == "result"


def with_meaning(order, meaning, found):
    """The verdict of a later check, with the meaning of a failure after the plain check has passed."""
    if order == "interleaved" and found.ends:
        # With a race, guesses from the results would mislead. A bad address is not a race, and nor is a missing value.
        is_race = found.fault.get("kind") != "address" and not found.has_unset
        return replace(found, sentences=[{"text": meaning, "of_race": True}] if is_race else [])
    if order == "interleaved":
        meaning = "If the threads run one after another, the same check passes."
    elif found.kind != "tool":
        meaning = "Without AddressSanitizer and UndefinedBehaviorSanitizer, the same check passes."
    return replace(found, sentences=[*sentences(meaning), *found.sentences])


def out_of_time(limit, cpu_seconds, begun):
    """The verdict on a check that was stopped at `limit`, and how far the check had come."""
    case, right, before = begun.get("case", {}), begun.get("right", 0), begun.get("cpu_seconds", 0)
    said = []
    if right:
        own = max(0, cpu_seconds - before)
        said = [f"The {right:,} cases before this one are right and took {before:.1f} s of CPU time; this one had used {own:.1f} s."]
        reaches_own = own > 0.99 * begun.get("seconds", CPU_SECONDS)
        if reaches_own or cpu_seconds >= CPU_SECONDS:  # otherwise the program has waited, which `limit` says
            said.append("This case never ends, or does far more work than those before it." if reaches_own or own >= cpu_seconds / 2
                        else "The program makes progress, but does far too much work.")
    if case.get("n", 0) > 1 << 32:
        said.append("If an index has 32 bits, it never reaches the end of so many elements: indices and counts need 64 bits.")
    return replace(in_case("time", f"The program was stopped after {limit}.", case), sentences=sentences(*said))


def read(written, token, status):
    """The verdict that a check has written in lines of JSON, if there is one, and the last case that the check has begun."""
    lines = []
    for line in written.decode("utf-8", "replace").split("\n"):
        try:
            lines.append(dict(json.loads(line)))
        except (ValueError, TypeError):  # a line that the check has not written
            continue
    begun = next((line for line in reversed(lines) if "kind" not in line), {})
    said = lines[-1] if lines else {}
    # A failure without a token: the check has not ended while it looked for the cause.
    is_trusted = said.get("token") == token or "token" not in said and status != 0
    if "kind" not in said or not is_trusted or (said["kind"] == "right") != (status == 0):
        return None, begun
    fault = said.get("fault", {})
    return Verdict(**{name: said[name] for name in Verdict.__dataclass_fields__ if name in said},
                   site=fault.get("line") or fault.get("launched_at", "")), begun


def limit_of(written):
    """The limit at which SIGXCPU has ended a check that has written these lines of JSON, in words, and the CPU time used until then."""
    _, begun = read(written, "", 0)
    end = begun.get("cpu_seconds", 0) + begun.get("seconds", CPU_SECONDS)
    if end < CPU_SECONDS:
        return f"{begun['seconds']} second{'s' * (begun['seconds'] != 1)} of CPU time, the limit of a case", end
    return f"{CPU_SECONDS} seconds of CPU time, the limit of a check", CPU_SECONDS


def tool_lines(errors):
    """The messages of the simulator or a sanitizer, and the line of the student's file that these name, if any."""
    said = [re.sub(r"^==\d+==ERROR: | on (unknown )?address 0x.*", "", line) for line in errors.splitlines()
            if FROM_TOOL.match(line)]
    said += [f"at {frame[1]}" for frame in re.finditer(r"^ +#\d+ .*?(work/\S+:\d+)", errors, re.MULTILINE)][:1]
    sites = re.findall(r"work/\S+?:\d+", "\n".join(said[:2]))
    return said[:2], sites[0] if sites else ""


@dataclass
class Ended:
    """How a check's run ended."""
    written: bytes  # lines of JSON; the last one counts only if it contains `token`
    token: str
    status: int  # the exit status, or the negated number of a signal
    printed: bytes
    errors: str
    cpu_seconds: float  # the CPU time used, if the check was stopped
    limit: str  # the limit that stopped the check, as text; empty if it ended by itself

    def verdict(self):
        """The check's own verdict, or one that follows from how the check ended."""
        verdict, begun = read(self.written, self.token, self.status)
        if verdict and verdict.passed:
            return verdict
        said, site = ([], "") if verdict and self.limit else tool_lines(self.errors)
        if not verdict:
            case = begun.get("case", {})
            if self.limit:
                verdict = out_of_time(self.limit, self.cpu_seconds, begun)
            elif self.status < 0:
                verdict = in_case("signal", ended_by(-self.status), case)
            else:
                own = said.pop(0).removeprefix("simulator: " * bool(case)) if said else ""
                verdict = Verdict("tool", own, case=case) if own else Verdict("status", f"The program ended with status {self.status}.")
        what, technical = words_first(verdict.what, verdict.fault)
        printed = self.printed[max(0, begun.get("output", 0)):].decode("utf-8", "replace").splitlines()
        return replace(verdict, what=what, sentences=verdict.sentences + sentences(*said, *technical), site=verdict.site or site, printed=printed)
