"""Disassembly of AArch64, as objdump prints it."""

import collections
import re

Operand = collections.namedtuple("Operand", "kind size at element index", defaults=(0, None))
"""Of kind r (general register, 31 is the stack pointer), z (the register of zeros), v (vector register: of `element` bytes
each, and the one at `index` if it is one), l (vector registers in braces), i (number, or address of code), s (shift or
extension of the operand before: `at` its name and number), c (condition), m (memory) or ? (unknown)."""

Memory = collections.namedtuple("Memory", "base disp register extension shift before")
"""A place: a register, a number, and perhaps another register that is extended and shifted; `before` if the first
register becomes the sum."""

GPRS = ["x%d" % i for i in range(31)] + ["sp"]
CONDITIONS = "eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le al".split()
SIZES = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
EXTENSIONS = "lsl lsr asr ror uxtb uxth uxtw uxtx sxtb sxth sxtw sxtx msl"


def decode(program, address, size):
    """By address: mnemonic, operands, and the address of the next instruction."""
    code = {}
    for line in program.disassembly(address, size, "--no-show-raw-insn"):
        m = re.match(r"^\s+([0-9a-f]+):\t(\S+)\s*(.*)$", line)
        if m:
            code[int(m[1], 16)] = [m[2], operands(m[3]), int(m[1], 16) + 4]
    return code


def operands(text):
    text = re.sub(r"\s*//.*| <.*>", "", text).strip()
    return [operand(x.strip()) for x in re.split(r",(?![^\[{]*[\]}])", text)] if text else []


def general(text):
    m = re.fullmatch(r"([xw])(\d+)", text)
    if m:
        return Operand("r", 8 if m[1] == "x" else 4, int(m[2]))
    if text in ("sp", "wsp"):
        return Operand("r", 8 if text == "sp" else 4, 31)
    return Operand("z", 8 if text == "xzr" else 4, None) if text in ("xzr", "wzr") else None


def operand(text):
    r = general(text)
    if r:
        return r
    m = re.fullmatch(r"([bhsdq])(\d+)", text)
    if m:
        return Operand("v", SIZES[m[1]], int(m[2]), SIZES[m[1]])
    m = re.fullmatch(r"v(\d+)\.(\d*)([bhsdq])(?:\[(\d+)\])?", text)
    if m:
        element = SIZES[m[3]]
        if m[4]:
            return Operand("v", element, int(m[1]), element, int(m[4]))
        return Operand("v", element * int(m[2] or 1), int(m[1]), element)
    m = re.fullmatch(r"\{(.*)\}(?:\[(\d+)\])?", text)
    if m and "-" not in m[1]:
        parts = [operand(x.strip() + ("[%s]" % m[2] if m[2] else "")) for x in m[1].split(",")]
        return Operand("l", parts[0].size, tuple(parts), parts[0].element, parts[0].index)
    m = re.fullmatch(r"#(-?)(0x[0-9a-f]+|\d+)", text)
    if m:
        return Operand("i", 0, int(m[2], 0) * (-1 if m[1] else 1))
    m = re.fullmatch(r"(%s)(?: #(\d+|0x[0-9a-f]+))?" % EXTENSIONS.replace(" ", "|"), text)
    if m:
        return Operand("s", 0, (m[1], int(m[2] or "0", 0)))
    if text in CONDITIONS:
        return Operand("c", 0, text)
    if re.fullmatch(r"[0-9a-f]+", text):
        return Operand("i", 0, int(text, 16))
    m = re.fullmatch(r"\[(.*)\](!?)", text)
    return memory(m) if m else Operand("?", 0, text)


def memory(m):
    parts = [operand(x.strip()) for x in m[1].split(",")]
    disp, register, extension, shift = 0, None, "lsl", 0
    good = parts[0].kind == "r" and parts[0].size == 8
    for x in parts[1:]:
        if x.kind == "i":
            disp = x.at
        elif x.kind == "r" and register is None:
            register = x
        elif x.kind == "s" and x.at[0] in ("lsl", "uxtw", "sxtw") and register:
            extension, shift = x.at
        else:
            good = False
    if not good or register and register.size == 4 and extension == "lsl":
        return Operand("?", 0, m[0])
    return Operand("m", 0, Memory(parts[0].at, disp, register, extension, shift, bool(m[2])))
