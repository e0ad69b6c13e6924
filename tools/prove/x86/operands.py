"""Disassembly of x86-64, as objdump prints it in Intel's notation."""

import collections
import re

Operand = collections.namedtuple("Operand", "kind size at mask zero terms disp broadcast")
"""An operand of kind r (general register), v (vector), k (mask), i (immediate), m (memory), g (memory at many places, by
the numbers in a vector: `at` is its size, the register and the scale) or ? (unknown)."""

GPRS = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
REGISTER = {}
"""The name of a register: its number, its size, and whether it is the second byte."""
for _i, _r in enumerate(GPRS):
    REGISTER[_r] = (_i, 8, 0)
    if _i < 8:
        REGISTER["e" + _r[1:]], REGISTER[_r[1:]] = (_i, 4, 0), (_i, 2, 0)
        REGISTER[_r[1:] + "l" if _i >= 4 else _r[1] + "l"] = (_i, 1, 0)
        if _i < 4:
            REGISTER[_r[1] + "h"] = (_i, 1, 1)
    else:
        REGISTER[_r + "d"], REGISTER[_r + "w"], REGISTER[_r + "b"] = (_i, 4, 0), (_i, 2, 0), (_i, 1, 0)
WIDTH = dict(BYTE=1, WORD=2, DWORD=4, QWORD=8, XMMWORD=16, YMMWORD=32, ZMMWORD=64)
PREFIXES = ("data16", "cs", "notrack", "bnd", "repz")


def decode(program, address, size):
    """By address: mnemonic, operands, and the address of the next instruction."""
    code, last = {}, None
    for line in program.disassembly(address, size, "--no-show-raw-insn", "-M", "intel"):
        m = re.match(r"^\s+([0-9a-f]+):\s+(.*?)(\s+#\s+([0-9a-f]+).*)?$", line)
        if not m:
            continue
        ip = int(m[1], 16)
        words = m[2].split(None, 1)
        while words[0] in PREFIXES and len(words) > 1:
            words = words[1].split(None, 1)
        parts = re.split(r",(?![^\[]*\])", words[1]) if len(words) > 1 else []
        code[ip] = [words[0], [operand(x.strip(), m[4]) for x in parts], None]
        if last is not None:
            code[last][2] = ip
        last = ip
    return code


def operand(text, note):
    """`note` is the address that objdump computes for what is relative to the instruction."""
    m = re.search(r"\{k(\d)\}", text)
    mask, zero = int(m[1]) if m else None, "{z}" in text
    text = re.sub(r"\{(k\d|z)\}", "", text)
    if text in REGISTER:
        i, size, high = REGISTER[text]
        return Operand("r", size, (i, high), mask, zero, None, 0, 0)
    m = re.fullmatch(r"([xyz])mm(\d+)", text)
    if m:
        return Operand("v", {"x": 16, "y": 32, "z": 64}[m[1]], int(m[2]), mask, zero, None, 0, 0)
    m = re.fullmatch(r"k(\d)", text)
    if m:
        return Operand("k", 8, int(m[1]), mask, zero, None, 0, 0)
    m = re.fullmatch(r"(?:(\w+) (PTR|BCST) )?(?:([c-g]s):)?\[(.*)\](?:\{1to(\d+)\})?", text)
    if m and m[3] not in ("fs", "gs"):
        return memory_operand(m, note, mask, zero)
    m = re.fullmatch(r"(0x[0-9a-f]+|[0-9a-f]+)( <.*>)?", text)
    if m:
        return Operand("i", 0, None, None, False, None, int(m[1], 16), 0)
    return Operand("?", 0, text, None, False, None, 0, 0)


def memory_operand(m, note, mask, zero):
    terms, disp, many = [], 0, None
    if "rip" in m[4]:
        if note is None:
            return Operand("?", 0, m[0], None, False, None, 0, 0)
        disp = int(note, 16)
    else:
        for sign, part in re.findall(r"([+-]?)([^+-]+)", m[4]):
            name, _, scale = part.partition("*")
            v = re.fullmatch(r"([xyz])mm(\d+)", name)
            if v:
                many = {"x": 16, "y": 32, "z": 64}[v[1]], int(v[2]), int(scale or 1)
                continue
            if name in REGISTER:
                if sign == "-" or REGISTER[name][1] != 8:
                    return Operand("?", 0, m[0], None, False, None, 0, 0)
                terms.append((REGISTER[name][0], int(scale) if scale else 1))
            elif name in ("riz", "eiz"):
                continue
            elif re.fullmatch(r"0x[0-9a-f]+|\d", part):
                disp += int(part, 16) * (-1 if sign == "-" else 1)
            else:
                return Operand("?", 0, m[0], None, False, None, 0, 0)
    if many:
        return Operand("g", WIDTH.get(m[1], 0), many, mask, zero, terms, disp, 0)
    return Operand("m", WIDTH.get(m[1], 0), None, mask, zero, terms, disp, 1 if m[2] == "BCST" or m[5] else 0)
