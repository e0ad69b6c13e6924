"""Compares the models of AArch64's instructions with a CPU, or with qemu, on random values.

    python3 tools/prove/aarch64/crosscheck.py LIBRARY [--cases N]

Each form of an instruction (mnemonic, kinds and sizes of operands, constants, operands that are the same) that stands in a
kernel becomes a small function of a program: it loads all registers from memory, executes the one instruction, and stores
all registers and flags. The model executes the same on variables, and its terms are evaluated with the values that the
program was given; or on numbers, where it takes no variables. What depends on conditions is compared after a difference,
a sum and a bitwise function. Takes a compiler for AArch64, and on other machines qemu.
"""

import argparse
import gc
import pathlib
import platform
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import kernels
from aarch64 import scalar, vector
from aarch64.machine import AArch64
from aarch64.operands import CONDITIONS, operands
from elf import Program, Refuted
from inside import evaluate
from machine import Region, State
from terms import ONES, Term, add, forget_all, unpack, var

VECTORS, COMPARED, FLAGS, AREA, ALL = 0x100, 0x300, 0x310, 0x320, 0x420
"""Where vector registers, what flags come from, flags, and memory operands lie in what a function is given: general
registers come first. The base of memory operands is in the middle of theirs."""
BASE, INDEX, SELF = 28, 26, 27
"""The registers of memory operands, and the one that holds the place of all this."""
USABLE = range(27)
NOT_MODELLED = (8 * SELF, 8 * SELF + 8), (8 * 29, VECTORS), (COMPARED, AREA)
NO_EFFECT = ("ret", "nop", "b", "bl", "adrp", "adr", "cbz", "cbnz", "tbz", "tbnz")
BY_CONDITION = ("csel", "csinc", "csinv", "csneg", "cinc", "cinv", "cneg", "cset", "csetm", "ccmp", "ccmn", "adc", "sbc")
BEFORE = {"sub": "cmp x0, x1", "add": "cmn x0, x1", "logic": "tst x0, x1"}
ANY_NUMBER = ("add", "adds", "sub", "subs", "cmp", "cmn", "and", "ands", "tst", "orr", "eor", "mov", "movk", "ccmp")
"""Of these a number is one of many."""


OTHERS = """adc x0, x1, x2|add w0, w1, w2, uxtb|add x0, x1, w2, uxtw #2|add x0, x1, x2, lsr #7
addhn v0.2s, v1.2d, v2.2d|ands w0, w1, w2|bic v0.16b, v1.16b, v2.16b|bics x0, x1, x2
bif v0.16b, v1.16b, v2.16b|bsl v0.8b, v1.8b, v2.8b|ccmn x0, x1, #5, ne|cinv w0, w1, lt
cmeq v0.4s, v1.4s, #0|cmhs v0.4s, v1.4s, v2.4s|cmn w0, w1|cneg x0, x1, ge|csneg w0, w1, w2, cs
eon x0, x1, x2|extr w0, w1, w1, #9|extr x0, x1, x2, #33|ld1 {v0.16b}, [x28]|ldnp q0, q1, [x28]
ldrh w0, [x28]|ldurb w0, [x28, #3]|ldurh w0, [x28, #3]|lsl x0, x1, #9|mneg x0, x1, x2|msub w0, w1, w2, w3
mul v0.4s, v1.4s, v2.4s|mvn v0.16b, v1.16b|mvn w0, w1|mvni v0.4s, #7, lsl #8|mvni v0.4s, #7, msl #8
neg v0.4s, v1.4s|neg x0, x1|negs w0, w1|orn v0.16b, v1.16b, v2.16b|orn x0, x1, x2|rev16 v0.16b, v1.16b
rev16 w0, w1|rev32 x0, x1|rev64 v0.8h, v1.8h|sbc x0, x1, x2|shrn v0.2s, v1.2d, #32
shrn2 v0.4s, v1.2d, #32|sli v0.2d, v1.2d, #9|sri v0.4s, v1.4s, #7|st1 {v0.16b}, [x28]
st1 {v0.s}[2], [x28]|stnp x0, x1, [x28]|strh w0, [x28]|sturb w0, [x28, #3]|sub v0.2d, v1.2d, v2.2d
ubfiz x0, x1, #3, #7|umaxv s0, v1.4s|umov w0, v1.h[3]|umulh x0, x1, x2|umull x0, w1, w2
ushll v0.2d, v1.2s, #0|ushll2 v0.2d, v1.4s, #0|uxtb w0, w1|uxth w0, w1|uxtl2 v0.4s, v1.8h|uxtw x0, w1
uzp1 v0.8h, v1.8h, v2.8h|xtn v0.2s, v1.2d|xtn2 v0.4s, v1.2d|zip1 v0.8b, v1.8b, v2.8b"""
"""Of what is modelled, for it may come with another compiler, and may be in no kernel."""


def rename(text):
    """Other registers for those that a function cannot set, the same again where they are the same; and memory operands
    near their base."""
    names = {}

    def other(m):
        return "%s%d" % (m[1], names.setdefault(m[2], len(names)))

    def place(m):
        inside = re.sub(r"^(sp|x\d+)", "x%d" % BASE, m[1])
        inside = re.sub(r"(, )([xw])\d+", r"\1\g<2>%d" % INDEX, inside)
        inside = re.sub(r"#(-?)\d+$", lambda n: "#%s16" % n[1], inside) if "lsl" not in inside and "xtw" not in inside else inside
        return "[%s]" % inside

    parts = [re.sub(r"\[([xs][^\]]*)\]", place, p) if p[:1] == "[" else re.sub(r"\b([xw])(\d+)\b", other, re.sub(r"\bsp\b", "x99", p))
             for p in re.split(r"(\[[xs][^\]]*\])", text)]  # fmt: skip
    return "".join(parts)


def kinds(op, text):
    """The form: registers by the order in which they come."""
    names = {}
    text = re.sub(r"\b([vqdsbh])(\d+)\b", lambda m: "%s(%d)" % (m[1], names.setdefault(m[2], len(names))), text)
    return re.sub(r"#-?(0x[0-9a-f]+|\d+)", "#", text) if op in ANY_NUMBER else text


def forms(program, listed):
    """Text and kind of flags before of one instruction of each form, and the mnemonics that are not compared."""
    out, left = {}, set()
    for kernel in listed:
        for address, size in kernels.places(program, kernel)[0]:
            for line in program.disassembly(address, size, "--no-show-raw-insn"):
                m = re.match(r"^\s+[0-9a-f]+:\t(\S+)\s*(.*)$", line)
                if not m:
                    continue
                if m[1] in NO_EFFECT or m[1].startswith("b."):
                    left.add(m[1])
                    continue
                text = rename(re.sub(r"\s*//.*| <.*>", "", m[2]).strip())
                for before in BEFORE if m[1] in BY_CONDITION else ("sub",):
                    out.setdefault((m[1], kinds(m[1], text), before), (m[1] + " " + text, before))
    for cc in CONDITIONS[:-1]:
        for before in BEFORE:
            out["cset", "w0, " + cc, before] = "cset w0, " + cc, before
    for text in re.split(r"[|\n]", OTHERS):
        op = text.split(" ")[0]
        for before in BEFORE if op in BY_CONDITION else ("sub",):
            out.setdefault((op, kinds(*text.split(" ", 1)), before), (text, before))
    return [out[key] for key in sorted(out)], sorted(left)


def assembly(stubs):
    saved = ["stp x%d, x%d, [sp, #%d]" % (i, i + 1, 8 * (i - 19)) for i in range(19, 30, 2)]
    saved += ["stp d%d, d%d, [sp, #%d]" % (i, i + 1, 96 + 8 * (i - 8)) for i in range(8, 16, 2)]
    vectors = ["q%d, [x%d, #%d]" % (i, SELF, VECTORS + 16 * i) for i in range(32)]
    general = ["x%d, [x%d, #%d]" % (i, SELF, 8 * i) for i in USABLE]
    out = [".arch armv8.2-a+crypto+sha3", ".text"]
    for n, (text, before) in enumerate(stubs):
        out += [".globl f%d" % n, "f%d:" % n, "sub sp, sp, #160", *saved, "mov x%d, x0" % SELF]
        out += ["ldr x%d, [x%d, #%d]" % (i, SELF, COMPARED + 8 * i) for i in (0, 1)] + [BEFORE[before]]
        out += ["ldr " + v for v in vectors] + ["add x%d, x%d, #%d" % (BASE, SELF, AREA + 128)]
        out += ["ldr " + r for r in general] + [text] + ["str " + r for r in general] + ["str " + v for v in vectors]
        out += ["mrs x0, nzcv", "str x0, [x%d, #%d]" % (SELF, FLAGS), "sub x0, x%d, x%d" % (BASE, SELF)]
        out += ["str x0, [x%d, #%d]" % (SELF, 8 * BASE), *[s.replace("stp", "ldp") for s in saved]]
        out += ["add sp, sp, #160", "ret"]
    out += [".data", ".balign 8", ".globl functions", "functions:", *[".quad f%d" % n for n in range(len(stubs))]]
    return "\n".join(out) + '\n.section .note.GNU-stack,"",@progbits\n'


MAIN = """
#include <stdint.h>
#include <stdio.h>
extern void (*functions[])(void *);
int main(void) {
    static _Alignas(16) unsigned char image[%d];
    uint64_t n;
    while (fread(&n, sizeof n, 1, stdin) == 1 && fread(image, sizeof image, 1, stdin) == 1) {
        functions[n](image);
        if (fwrite(image, sizeof image, 1, stdout) != 1) return 1;
    }
    return 0;
}
"""


def results(stubs, images):
    """What the program makes of each image, by the number of the form."""
    native = platform.machine() == "aarch64"
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch)
        (path / "stubs.S").write_text(assembly(stubs))
        (path / "main.c").write_text(MAIN % ALL)
        compiler = "gcc" if native else "aarch64-linux-gnu-gcc"
        subprocess.run([compiler, "-O1", "-static", "-o", "compare", "stubs.S", "main.c"], cwd=scratch, check=True)
        command = ["./compare"] if native else ["qemu-aarch64-static", "-cpu", "max", "./compare"]
        given = b"".join(struct.pack("<Q", n) + image for n, image in images)
        out = subprocess.run(command, cwd=scratch, input=given, stdout=subprocess.PIPE, check=True).stdout
    if len(out) != ALL * len(images):
        raise SystemExit("the program has ended before all comparisons")
    return [out[at : at + ALL] for at in range(0, len(out), ALL)]


def image_of(n, case):
    """What a function is given. Its index register is small, and so is each byte by which a table is looked up."""
    rng = random.Random(n * 1000 + case)
    words = (rng.getrandbits(64), rng.getrandbits(64), rng.getrandbits(8), ONES[8] - rng.getrandbits(4), rng.getrandbits(32) << 32)
    image = bytearray(b"".join(rng.choice((*words, rng.getrandbits(64))).to_bytes(8, "little") for _ in range(ALL // 8)))
    x = rng.choice(words)
    image[COMPARED : COMPARED + 16] = x.to_bytes(8, "little") + rng.choice((x, rng.choice(words), 1)).to_bytes(8, "little")
    image[8 * INDEX : 8 * INDEX + 8] = (2).to_bytes(8, "little")
    return image


class Comparison:
    """One form, with words of one size, and general registers that are secret or not."""

    def __init__(self, program, form, size, secret):
        (self.text, self.before), self.size, self.secret = form, size, secret
        self.op, rest = self.text.split(" ", 1)
        self.args = operands(rest)
        self.area = Region("area", 256, True)
        self.machine = AArch64(program, {1: [self.op, self.args, 2]}, size, 16 * size, [self.area], None)
        self.start = self.on_variables()
        self.variables = [(at + j, b[j][0]) for at, b in self.places(self.start) for j in range(0, len(b), size)
                          if at not in (8 * BASE, 8 * INDEX)]  # fmt: skip
        try:
            after = self.machine.step(self.start.copy())
            self.after = after[0] if len(after) == 1 else None
        except Refuted:
            self.after = None

    def state(self, g, v, area):
        st = State()
        st.ip, st.calls, st.facts, st.ranges, st.seen, st.turns, st.loop = 1, (), {}, {}, {}, 0, None
        st.counts, st.orders, st.k, st.flags = frozenset(), frozenset(), [], ("unknown", 8, 0, 0)
        st.g, st.v, st.memory = g, v, {"area": dict(enumerate(area))}
        st.g[BASE], st.g[INDEX] = unpack(add(8, self.area.pointer, 128), 8), unpack(2, 8)
        return st

    def places(self, st):
        """Where general registers, vectors and the memory operands lie in what a function is given, and their bytes."""
        yield from ((8 * i, st.g[i]) for i in (*USABLE, BASE))
        yield from ((VECTORS + 16 * i, st.v[i]) for i in range(32))
        yield AREA, [st.memory["area"][j] for j in range(256)]

    def on_variables(self):
        def values(name, i, count, secret):
            return [b for j in range(count) for b in unpack(var(name, self.size, i, j, secret=secret), self.size)]

        n = self.size
        g = [values("r", i, 8 // n, self.secret) for i in range(32)]
        return self.state(g, [values("v", i, 16 // n, True) for i in range(32)], values("a", 0, 256 // n, True))

    def modelled(self, image):
        """The state after it, on variables if the model takes them; else, or where flags matter, on numbers."""
        if self.after and self.op not in BY_CONDITION:
            return self.after
        g = [list(image[8 * i : 8 * i + 8]) for i in range(32)]
        v = [list(image[VECTORS + 16 * i : VECTORS + 16 * i + 16]) for i in range(32)]
        st = self.state(g, v, image[AREA:])
        x, y = struct.unpack_from("<QQ", image, COMPARED)
        st.flags = (self.before, 8, x & y, 0) if self.before == "logic" else (self.before, 8, x, y)
        (s,) = self.machine.step(st)
        return s

    def compare(self, image, result):
        """The places where model and CPU differ, and what the model has."""
        env, memo, model = {self.area.pointer: AREA}, {}, bytearray(image)
        for at, x in self.variables:
            env[x] = int.from_bytes(image[at : at + self.size], "little")
        s = self.modelled(image)

        def number(x):
            return evaluate(x, env, memo, None) if type(x) is Term else x

        def put(at, b):
            model[at : at + len(b)] = bytes(x if type(x) is int else number(x[0]) >> 8 * x[1] & 255 for x in b)

        # What the model has not changed is what the function was given, except the base.
        for (at, b), (_, given) in zip(self.places(s), self.places(self.start)):
            if at == 8 * BASE or b != given:
                put(at, b)
        for begin, end in NOT_MODELLED:
            model[begin:end] = result[begin:end]
        differ = [] if model == result else [i for i in range(ALL) if model[i] != result[i]]
        if s.flags[0] != "unknown" and nzcv(*s.flags[:2], *map(number, s.flags[2:])) != result[FLAGS + 3] >> 4:
            differ.append(FLAGS)
        return differ, model


def nzcv(kind, size, x, y):
    """The flags that a state stands for."""
    if kind == "nzcv":
        return x
    ones, sign = ONES[size], 1 << 8 * size - 1
    x, y = x & ones, y & ones
    r = {"sub": x - y, "add": x + y, "logic": x}[kind] & ones
    c = {"sub": x >= y, "add": x + y > ones, "logic": False}[kind]
    v = {"sub": (x ^ y) & (x ^ r) & sign, "add": (x ^ r) & (y ^ r) & sign, "logic": 0}[kind]
    return bool(r & sign) << 3 | (r == 0) << 2 | c << 1 | bool(v)


def main():
    parser = argparse.ArgumentParser(prog="crosscheck", description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--cases", type=int, default=12)
    options = parser.parse_args()
    sys.setrecursionlimit(1 << 20)
    gc.disable()
    program = Program(options.library)
    found, left = forms(program, kernels.list_kernels(ROOT.parent.parent, program.isa))
    images = [(n, image_of(n, case)) for n in range(len(found)) for case in range(options.cases)]
    given = [images[at : at + options.cases] for at in range(0, len(images), options.cases)]
    made = results(found, images)
    done, broken, without = 0, 0, []
    for n, form in enumerate(found):
        for size, secret in ((4, True), (8, True), (8, False)):
            forget_all()
            comparison = Comparison(program, form, size, secret)
            for case, (_, image) in enumerate(given[n]):
                result = made[n * options.cases + case]
                try:
                    differ, model = comparison.compare(image, result)
                except (Refuted, ValueError) as e:
                    if size == 4:
                        without.append("%s after %s (%s)" % (*form, e))
                    break
                done += 1
                if differ:
                    broken, at = broken + 1, differ[0] & ~7
                    told = form[0], size, at, model[at : at + 8].hex(), result[at : at + 8].hex()
                    print("DIFFERS: %s (words of %d bytes) at %#x: the model has %s, the CPU %s" % told)
                    break
    compared = {text.split(" ")[0] for text, _ in found}
    without += [op for op in {**scalar.BY, **vector.BY} if op not in compared and op not in NO_EFFECT]
    for text in without:
        print("not compared, since there is no model of it or of such values: " + text)
    print("not compared, since they have no effect on data: " + " ".join(left))
    print("%d forms of instructions, %d comparisons, %d differ, %d forms not compared" % (len(found), done, broken, len(without)))
    return 1 if broken or not done else 0


if __name__ == "__main__":
    sys.exit(main())
