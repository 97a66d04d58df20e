"""The lens's report for a terminal: a table of the variants, their source with counts next to it, and the findings."""

from pathlib import Path

import bound
import neighbour
from counts import LARGE, by_line, efficiency, has_estimates, moved, ratio, short, sums, total
from terminal import looks, wrapped
from limiter import ADVICE as TRY, figures, name
from profiles import profile
from rows import one_line, seconds as duration

ROOT = Path(__file__).resolve().parent.parent.parent
ADVICE = {  # by the distance of the threads
    "lanes": "__syncwarp() between the two orders lanes of a warp",
    "warps": "__syncthreads() between the two orders threads of a block",
    "blocks": "the end of the kernel or grid.sync() does, or an atomic by each of the two, with __threadfence() before the writer's and after the "
              "reader's",
    "streams": "the two kernels may run at the same time; use one stream, or let the second stream wait for an event that is recorded after the first "
               "kernel (cudaStreamWaitEvent())",
}


def source_lines(name, folders=(ROOT,)):
    for folder in folders:
        path = Path(folder) / name
        if path.is_file():
            return path.read_text(encoding="utf-8", errors="replace").splitlines()
    return []


def describe(space, kind, sums):
    """Text about a line's counts: those of an average request, and those of the costliest one."""
    lanes = f"{ratio(sums['lanes'], sums['requests']):.1f} lanes"
    requests = ("~" if sums["estimated"] else "") + f"{sums['requests']:,}"
    mean, worst = f"{space} {kind:6} {requests:>12} requests {lanes:>10}", []
    if space == "global":
        mean += f" {ratio(sums['sectors'], sums['requests']):6.2f} sectors each "
        mean += f"about {efficiency(sums):.0%} used" if kind == "atomic" else f"{efficiency(sums):5.0%} used"
    else:
        mean += f" {ratio(sums['wavefronts'], sums['requests']):6.2f} wavefronts each"
        if sums["worst_words"] > 1:
            worst.append(f"worst {sums['worst_cost']}: {sums['worst_words']} words in bank {sums['worst_bank']}")
    if kind == "atomic" and sums["most_lanes_on_address"] > 1:
        worst.append(f"up to {sums['most_lanes_on_address']} lanes on one address")
    return [mean, *([", ".join(worst)] if worst else [])]


def costs(lines):
    """The costs of the lines of `by_line`: sectors plus wavefronts."""
    cost = {}
    for (line, _, _), sums in lines.items():
        cost[line] = cost.get(line, 0) + sums["sectors"] + sums["wavefronts"]
    return cost


def annotated(launch, folders=(ROOT,)):
    """The source of a launch with counts: the lines that access memory or wait, and their neighbours. The costliest is highlighted."""
    notes, lines = {}, by_line(launch["sites"])
    cost = costs(lines)
    costliest = max(cost, key=cost.get, default="")
    for (line, space, kind), sums in lines.items():
        notes.setdefault(line, []).append(describe(space, kind, sums))
    for barrier in launch["barriers"]:
        uneven = ratio(barrier["most_requests"], barrier["requests"])
        notes.setdefault(barrier["line"], []).append(
            [f"barrier {barrier['count']:,} times" + (f"; the busiest warp made {uneven:.1f} times the mean number of requests"
                                                      if uneven > 1.05 else "")])
    places = {}
    for line in notes:
        name, _, number = line.rpartition(":")
        places.setdefault(name, []).append(int(number or 0))
    for name, numbers in sorted(places.items()):
        source = source_lines(name, folders)
        yield f"  {name or '(unknown lines)'}"
        last = None
        for number in sorted({near for number in numbers for near in range(number - 1, number + 2)}):
            if not 0 < number <= len(source) and number not in numbers:
                continue
            if last is not None and number > last + 1:
                yield "       ..."
            last = number
            text = source[number - 1] if 0 < number <= len(source) else ""
            place = f"{name}:{number}" if name else ""
            code = wrapped(f"  {number:>4} {one_line(text)}".rstrip())
            yield looks("strong", code) if place == costliest else code
            for mean, *worst in sorted(notes.get(place, [])):
                yield f"       >> {mean}"
                yield from (f"          {words}" for words in worst)


def access(finding, prefix=""):
    """A line about one of a finding's accesses: its kind, its place, where its function was called, and its thread."""
    kind, line, calls, block, thread = (finding[prefix + name] for name in ("kind", "line", "calls", "block", "thread"))
    called = f" (called at {', '.join(calls)})" if calls else ""
    kernel = f" of {short(finding[prefix + 'kernel'])} in {finding[prefix + 'stream']}" if finding.get("other_kernel") else ""
    return f"    {kind} at {line}{called} by block {block}, thread {thread}{kernel}"


def is_between(line, *ends):
    """Whether FILE:LINE is between two others, or at one of them."""
    (name, number), *others = [place.rpartition(":")[::2] for place in (line, *ends)]
    return all(other == name for other, _ in others) and min(int(k) for _, k in others) <= int(number) <= max(int(k) for _, k in others)


def advice(finding):
    """A sentence about what would order the two accesses of a race."""
    if finding["distance"] == "streams":
        return ADVICE["streams"]
    if finding["kind"] == finding["other_kind"] == "atomic":
        return "atomicAdd_block() and the like are atomic within a block only, and two atomics on the same bytes must have the same width"
    if finding["lacks_fence"] and finding["distance"] == "blocks":
        return (f"block {finding['other_block']} has its __threadfence(), but block {finding['block']} lacks one between its atomic, or its load "
                f"of a flag, and this {finding['kind']}")
    between = [line for line in finding["partial_barriers"] if is_between(line, finding["line"], finding["other_line"])]
    if between and finding["distance"] != "blocks":
        return f"the __syncthreads() at {between[0]} is for all threads of a block, but some have returned without reaching it: move it out of the branch"
    if finding["line"] == finding["other_line"]:
        start = "for updates of one number, an atomic function such as atomicAdd() does; if only one thread should do the update, the others must skip it"
        if finding["distance"] == "blocks":
            return f"{start}; in other cases, the end of the kernel does, or a lock with fences"
        return f"{start}; otherwise, {ADVICE[finding['distance']]}"
    start = "an atomic orders accesses to one number; for others, " if finding["distance"] == "blocks" else ""
    return start + ADVICE[finding["distance"]]


def finding_words(finding):
    """A finding as a few lines of text."""
    where = finding["where"]
    times = f" ({finding['count']:,} times)" if finding["count"] > 1 else ""
    if finding["problem"] == "copied":
        partly = " in part" if finding.get("partly_written") else ""
        return [f"uninitialized{partly}: the host copies memory that was never written, first {where}{times}",
                f"    the copy is at {finding['line'] or 'an unknown line'}"]
    if finding["problem"] == "unwritten":
        return [f"uninitialized: {short(finding['kernel'])} reads {where}, which was never written{times}", access(finding)]
    return [f"race: {short(finding['kernel'])}, {finding['space']} memory, {where}{times}", access(finding), access(finding, "other_"),
            f"    nothing orders them: {advice(finding)}"]


def distinct(findings):
    """One finding per pair of lines: the one between the threads that are farthest apart. A racing load may also read memory
    before another thread has written it; this is not reported a second time."""
    seen, races = {}, set()
    for finding in findings:
        lines = frozenset((finding["line"], finding.get("other_line")))
        calls = frozenset(tuple(finding[of]) for of in ("calls", "other_calls") if of in finding)
        if finding["problem"] == "race":
            races.update((finding["kernel"], finding["space"], line) for line in lines)
        key = (finding["problem"], lines, calls, finding["space"])
        kept = seen.setdefault(key, {**finding, "count": 0})
        count = kept["count"] + finding["count"]
        far = list(ADVICE).index
        if finding["problem"] == "race" and far(finding["distance"]) > far(kept["distance"]):
            kept.update(finding)
        kept["count"] = count
    return [finding for finding in seen.values()
            if finding["problem"] != "unwritten" or (finding["kernel"], finding["space"], finding["line"]) not in races]


def summary(seen):
    """The table's line about a variant or kernel, without the name."""
    launches = seen["launches"]
    all_bytes, least = moved(launches)
    n = int(seen["row"]["n"]) if "row" in seen else total(launches, "shared", None, "requests")
    hottest = max((launch["hottest_address"] for launch in launches), default=0)
    loads = total(launches, "global", "load", "requests")
    about = "~" if any(map(has_estimates, launches)) else ""
    asked, wavefronts = ratio(all_bytes, least), ratio(total(launches, "shared", None, "wavefronts"), n)
    return (f"{sum(launch['launches'] for launch in launches):8} {f'{about}{asked:.2f}':>11} "
            f"{ratio(total(launches, 'global', 'load', 'sectors'), loads):8.2f} {f'{about}{wavefronts:.3f}':>11} {hottest:10,} "
            f"{ratio(total(launches, None, None, 'lanes'), total(launches, None, None, 'requests')):6.1f}  "
            f"{name(list(map(sums, launches)))}")


def table(runs, what="variant", mark=str):
    """The lines of a table: the counts of variants, or of a program's kernels; below, what limits each for the course's input, and the
    two counts that matter most. `mark` highlights the names of variants with findings."""
    width = max(len(each) for each in [what, *(each for each, _ in runs)])
    yield f"{what:{width}} launches asked/least  sectors  wavefronts on hottest  lanes  limiter"
    yield f"{'':{width}}                     /request    /{'element' if what == 'variant' else 'request'}    address  /req."
    for each, seen in runs:
        cell = f"{each:{width}}"
        yield f"{mark(cell) if seen['findings'] or seen['fault'] else cell} {summary(seen)}"
    has_large = any("large" in seen for _, seen in runs)
    yield ""
    yield f"{what:{width}}{f'  at {LARGE >> 20} Mi     ' * has_large}  why"
    for each, seen in runs:
        counted = list(map(sums, seen["launches"]))
        large = f"  {name(seen['large']) if 'large' in seen else '':14}" * has_large
        yield f"{each:{width}}{large}  {', '.join(figures(counted, name(counted), '~' if any(map(has_estimates, seen['launches'])) else ''))}"
    yield from sampling(runs)


def bounds(runs, gpu, what="variant"):
    """The lines of a table: for each variant or kernel, the least time on a GPU for the course's input, and the reason."""
    width = max(len(each) for each in [what, *(each for each, _ in runs)])
    yield ""
    yield f"{what:{width}}  at least  on {bound.article(gpu)}{', for 100 Mi' * any('large' in seen for _, seen in runs)}, because of"
    for each, seen in runs:
        if seen["launches"]:
            least, why = bound.times(of_large(seen), gpu, "row" in seen)[0]
            yield f"{each:{width}}  {duration(least):>8}  {why}"


def of_large(seen):
    return seen.get("large") or list(map(sums, seen["launches"]))


def sentences(seen, gpu, whose=""):
    """Lines about one program or variant: what limits it, what to try, the least time, and the measured time of a similar variant."""
    counted = of_large(seen)
    if not counted:
        return
    word, about = name(counted), "~" if any(map(has_estimates, seen["launches"])) else ""
    where = " for 100 Mi" * ("large" in seen)
    yield f"{whose}limiter{where}: {word} ({', '.join(figures(counted, word, about))}); {TRY[word]}"
    if row := seen.get("row"):
        yield from times(counted, row["chapter"], row["input"], LARGE if "large" in seen else int(row["n"]), gpu)
    else:
        yield f"{whose}{bound.words(counted, gpu)}"


def times(counted, chapter, given, n, gpu):
    """Lines about launches for n elements of an input: the least time on a GPU, and the measured time of a similar variant."""
    yield f"{'for 100 Mi bytes, ' * (n == LARGE)}{bound.words(counted, gpu, True)}"
    yield from neighbour.words(counted, chapter, given, n, gpu)


def sampling(runs):
    """The line that explains ~, if a count has it."""
    samples = [launch["sample"] for _, seen in runs for launch in seen["launches"] if has_estimates(launch)]
    if samples:
        yield f"~: estimated from one block in {max(samples)} (--sample 1 counts all). Races are searched for in all blocks."


def problems(name, seen):
    """The lines about the findings in a variant."""
    found = distinct(seen["findings"])
    if found or seen["fault"]:
        yield from ("", f"{name}:")
    for what, *others in map(finding_words, found):
        kind, colon, words = wrapped(f"  {one_line(what)}").partition(":")
        yield looks("bad", kind + colon) + words
        yield from (wrapped(f"  {one_line(line)}") for line in others)
    if seen["fault"]:
        yield looks("bad", "  stopped:") + wrapped(f"  stopped: {one_line(seen['fault']['message'])}").removeprefix("  stopped:")


def kernels(seen):
    """The lens's output for each of a program's kernels, with the kernel's name, in the order of the launches."""
    def of(kernel):
        launches, findings = ([each for each in seen[what] if kernel in (each["kernel"], each.get("other_kernel"))] for what in ("launches", "findings"))
        return {"launches": launches, "findings": findings, "fault": (seen["fault"] or {}).get("kernel") == kernel}

    return [(short(kernel), of(kernel)) for kernel in dict.fromkeys(launch["kernel"] for launch in seen["launches"])]


def report(runs, with_lines, folders=(ROOT,), gpu=None):
    """All lines of the report. `runs` are pairs of a variant's name and the lens's output."""
    gpu, rows, what = profile(gpu), runs, "variant"
    if len(runs) == 1 and "row" not in runs[0][1]:
        rows, what = kernels(runs[0][1]) or runs, "kernel"
    yield from table(rows, what, lambda name: looks("bad", name))
    if len(rows) > 1:
        yield from bounds(rows, gpu, what)
    if len(runs) == 1:
        yield ""
        yield from map(wrapped, sentences(runs[0][1], gpu, "all kernels: " * (len(rows) > 1)))
    for name, seen in runs:
        if with_lines:
            for launch in seen["launches"]:
                grid, block = ("x".join(str(k) for k in launch[what] if k != 1) or "1" for what in ("grid", "block"))
                yield ""
                times = "" if launch["launches"] == 1 else f", {launch['launches']} launches"
                yield f"{name}: {short(launch['kernel'])}<<<{grid}, {block}>>>{times}"
                yield from annotated(launch, folders)
        yield from problems(name, seen)
