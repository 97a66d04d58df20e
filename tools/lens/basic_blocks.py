"""Counts the instructions in the basic blocks of a program built for the lens, as an estimate of a GPU's instructions."""

import bisect
import functools
import os
import re
import subprocess

from instructions import KINDS, WEIGHTS

HOOK = "__sanitizer_cov_trace_pc"  # called at the start of each basic block
SIMULATOR = "/include/simulator/"  # code of the simulator's headers stands for one GPU instruction, or none
INSTRUCTION = re.compile(r" +([0-9a-f]+):\t(?:(?:bnd|notrack|lock|data16|cs) )*(\S+) *([^#]*?)\s*(?:#.*)?$")
LINE = re.compile(r"(\S.*):\d+(?: \(discriminator \d+\))?$")
COMPARISON = re.compile("cmp|test|u?comis")
MOVE = re.compile("mov|nop|push|pop|xchg|leave|c[wld]t|cqto|endbr|call|rep|ud2|hlt")
DIVISION = re.compile("i?div|sqrt")
WIDE = re.compile(r"%r(?:\d+|[a-d]x|[bs]p|[sd]i)$")
OF_THREAD = re.compile(r"-0x[0-9a-f]+\(%r\w+\),|.*\(%r[si]p")  # operands: a local variable of a thread, or a constant


def kind(op, args):
    """The kind, of KINDS, of an instruction without memory access; "" for none; "step" if it adds a constant, as loops do."""
    is_zero = re.match("p?xor|sub", op) and len(set(args.split(","))) == 1
    if is_zero or MOVE.match(op) or COMPARISON.match(op) or args.endswith("%rsp") or op == "lea" and OF_THREAD.match(args):
        return ""
    return "divisions" if DIVISION.match(op) else "step" if op in ("add", "sub") and args[0] == "$" else "arithmetic"


@functools.cache
def disassembled(text):
    """A function's instructions as (address, operation, operands, whether it is outside the simulator's headers)."""
    code, own = [], True
    for line in text.splitlines():
        if found := INSTRUCTION.match(line):
            code.append((int(found[1], 16), found[2], found[3], own))
        elif found := LINE.match(line):
            own = SIMULATOR not in found[1]
    return code


def kinds_of(code, places, i):
    """How many instructions of each of KINDS the basic block that begins at code[i] has."""
    found, compared = [], ""
    for _ in code:
        if i == len(code):
            break
        _, op, args, own = code[i]
        i += 1
        target = places.get(int(args.split()[0], 16)) if op[0] == "j" and "+0x" in args else None
        if op.startswith("ret") or op == "call" and re.search(f"{HOOK}|__ubsan|Unwind", args) or op == "jmp" and target is None:
            break
        if op == "jmp":
            i = target
        elif target is None:
            compared = args if COMPARISON.match(op) else ""
            found.append(kind(op, args) if own else "")
        elif "__ubsan" in next((each[2] for each in code[i:i + 5] if each[1] == "call"), ""):  # a check of UndefinedBehaviorSanitizer
            i = target
            found.pop()
        elif own and (target >= i or WIDE.search(compared) and compared[0] != "$"):
            found.append("branches")
        elif own:  # nvcc unrolls loops, unless it counts in 64 bits and the end is not a constant
            for _ in range(min(2, found.count("step"))):
                found.remove("step")
    return {each: found.count(each) + (found.count("step") if each == "arithmetic" else 0) for each in KINDS}


@functools.cache
def functions(program):
    """The addresses of the hook and of all functions, and the disassemblies. None without objdump, or if the code is not for x86."""
    try:
        text = subprocess.run(["objdump", "-dl", "--no-show-raw-insn", program], env={**os.environ, "LC_ALL": "C"},
                              capture_output=True, text=True, check=True, errors="replace").stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    parts = [part for part in text.split("\n\n") if re.match("[0-9a-f]{16} <", part)]
    starts = [int(part[:16], 16) for part in parts]
    hooks = [start for start, part in zip(starts, parts) if part.startswith(f"<{HOOK}>:", 17)]
    return (hooks[0], starts, parts) if hooks and "file format elf64-x86-64" in text[:1000] else None


@functools.cache
def block(program, distance):
    """The number of instructions by kind of the basic block at a distance from the hook."""
    hook, starts, parts = functions(program)
    code = disassembled(parts[bisect.bisect(starts, hook + distance) - 1])
    places = {each[0]: i for i, each in enumerate(code)}
    return kinds_of(code, places, places[hook + distance]) if hook + distance in places else dict.fromkeys(KINDS, 0)


def weigh(launch, program):
    """Replaces a launch's executions of basic blocks by the executions of each of KINDS by warps, and by their weighted sum over
    lanes. Without a disassembly, only removes the basic blocks (counts.sums)."""
    program, executed = str(program), launch.pop("code")
    if not functions(program):
        return
    blocks = [(each, block(program, each["at"])) for each in executed]
    for name in KINDS:
        launch[name] = sum(each["warps"] * found[name] for each, found in blocks)
    launch["weighed_lanes"] = sum(each["lanes"] * WEIGHTS[name] * found[name] for each, found in blocks for name in KINDS)
