"""Compares the models of instructions with this CPU, on random values.

    python3 tools/prove/crosscheck.py LIBRARY [--cases N]

Each form of an instruction (mnemonic, kinds and sizes of operands, constants) that stands in a kernel or a part
becomes a small function: it loads all registers from memory, executes the one instruction, and stores all registers.
The model executes the same on variables, and its terms are evaluated with the values that the CPU was given; or on
numbers, where it takes no variables. Forms that this CPU cannot run are listed. Takes gcc.
"""

import argparse
import collections
import ctypes
import functools
import gc
import multiprocessing
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import kernels
from elf import Program, Refuted
from inside import evaluate, leaves
from machine import Region, State
from terms import ONES, Term, add, forget_all, unpack, var
from x86.machine import X86
from x86.operands import GPRS, REGISTER, operand

HERE = pathlib.Path(__file__).resolve().parent
MASKS, WORDS, FLAGS, COMPARED, AREA, ALL = 0x800, 0x880, 0x900, 0x908, 0x1000, 0x1080
"""Where masks, general registers, flags, what flags come from, and memory operands lie in what a function is given."""
USABLE = [i for i in range(16) if i not in (4, 7)]
NOT_MODELLED = (FLAGS, COMPARED + 16), (WORDS + 32, WORDS + 40), (WORDS + 56, WORDS + 64)
NO_EFFECT = ("ret", "nop", "push", "pop", "lea", "xchg", "call", "ud2", "endbr64", "int3")
"""These, jumps and prefetches have no effect on data, or one on the stack or an address: they are not compared."""
CONSTANT = {"shufb": 1, "permd": 4, "permps": 4, "permq": 8, "permi2": 4, "permt2": 4, "permilps": 4, "permilpd": 8}
"""Whose control is a constant in kernels, so that the model takes numbers alone."""

Form = collections.namedtuple("Form", "text op args feature")


def cpu_features():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    return set(re.search(r"^flags\s*:(.*)$", text, re.M)[1].split())


def feature_of(first_byte, op):
    """Flags of /proc/cpuinfo that the instruction takes."""
    if first_byte == 0x62 or op.startswith("k"):
        return ("avx512f", "avx512vl", "avx512bw", "avx512dq")
    if op.startswith("sha256"):
        return ("sha_ni",)
    if op == "movbe":
        return ("movbe",)
    if op in ("rorx", "mulx", "shlx", "shrx", "andn"):
        return ("bmi1", "bmi2")
    return ("avx2",) if op[0] == "v" else ("sse4_1",)


def rename(args):
    """Other registers for those that a function cannot set, the same again where they are the same."""
    names = {}

    def other(m):
        if m[0] not in REGISTER:
            return m[0]
        i, size, high = REGISTER[m[0]]
        if i < 4:
            return m[0]
        j = names.setdefault(i, 8 + len(names))
        return GPRS[j] + {8: "", 4: "d", 2: "w", 1: "b"}[size]

    parts = re.split(r"(\[.*?\])", args)
    return "".join(p if p.startswith("[") else re.sub(r"\b[a-z][a-z0-9]+\b", other, p) for p in parts)


def forms(program, listed):
    """One instruction of each form, and the mnemonics of those that are not compared: without an effect on data, and
    with an address for each word."""
    out, left, not_modelled, seen = {}, set(), set(), set()
    patterns, parts = [re.compile(k.symbol) for k in listed], kernels.find_parts(program)
    for name, address, size in program.symbols:
        kernel = "backend::" in name and any(p.fullmatch(name) for p in patterns)
        if not kernel and address not in parts:
            continue
        for line in program.disassembly(address, size, "-M", "intel", "--insn-width=16"):
            text = line.rpartition("\t")[2]
            if text in seen:
                continue
            seen.add(text)
            m = re.match(r"^\s+[0-9a-f]+:\t([0-9a-f ]+?)\s*\t(?:(?:data16|cs|rep|bnd) )*(\w+)\s*(.*?)(\s+#.*)?$", line)
            if not m:
                continue
            first, op, args = int(m[1][:2], 16), m[2], re.sub(r" <.*>", "", m[3])
            if op[0] == "j" or op.startswith(("nop", "prefetch")) or op in NO_EFFECT:
                left.add(op)
                continue
            if re.search("gather|scatter", op):
                not_modelled.add(op)
                continue
            args = rename(re.sub(r"(\w+ (?:PTR|BCST) )(?:\w\w:)?\[.*?\]", r"\1[rdi+0x%x]" % AREA, args))
            kinds = re.sub(r"([xyz])mm\d+", r"\1mm", re.sub(r"\bk[0-7]", "k", args))
            same = [int(n) for n in re.findall(r"[xyz]mm(\d+)", args)]
            kinds += " same" * (len(same) - len(set(same)))
            if op in ("add", "sub", "cmp", "xor", "or", "and", "mov", "movabs", "test"):
                kinds = re.sub(r",0x[0-9a-f]+$", ",imm", kinds)
            out.setdefault((op, kinds), Form(("%s %s" % (op, args)).strip(), op, args, feature_of(first, op)))
    return [out[key] for key in sorted(out)], sorted(left), sorted(not_modelled)


def assembly(stubs, width):
    """`width` is that of the vector registers which this CPU has."""
    count, move = (32, "vmovdqu64 zmm%d") if width == 64 else (16, "vmovdqu ymm%d")
    load = ["%s, [rdi+%d]" % (move % i, 64 * i) for i in range(count)]
    store = ["%s [rdi+%d], %s" % (*reversed((64 * i, move.split()[0])), move.split()[1] % i) for i in range(count)]
    if width == 64:
        load += ["kmovq k%d, [rdi+%d]" % (i, MASKS + 8 * i) for i in range(8)]
        store += ["kmovq [rdi+%d], k%d" % (MASKS + 8 * i, i) for i in range(8)]
    load += ["mov rax, [rdi+%d]" % COMPARED, "cmp rax, [rdi+%d]" % (COMPARED + 8)]
    load += ["mov %s, [rdi+%d]" % (GPRS[i], WORDS + 8 * i) for i in USABLE]
    store = ["setz [rdi+%d]" % FLAGS, "setc [rdi+%d]" % (FLAGS + 1)] + [
        "mov [rdi+%d], %s" % (WORDS + 8 * i, GPRS[i]) for i in USABLE] + store  # fmt: skip
    saved = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    out = [".intel_syntax noprefix", ".text"]
    for n, form in enumerate(stubs):
        text = form.text
        if "BCST" in text:  # gas writes it by the number of words
            size = {"DWORD": 4, "QWORD": 8}[re.search(r"(\w+) BCST", text)[1]]
            whole = max({"x": 16, "y": 32, "z": 64}[r] for r in re.findall(r"([xyz])mm", text))
            text = re.sub(r"(\w+) BCST (\[.*?\])", r"\1 PTR \2{1to%d}" % (whole // size), text)
        out += [".globl f%d" % n, "f%d:" % n] + ["push " + r for r in saved] + load + [text] + store
        out += ["vzeroupper"] + ["pop " + r for r in reversed(saved)] + ["ret"]
    return "\n".join(out) + '\n.section .note.GNU-stack,"",@progbits\n'


def parts(st):
    """Where vectors, general registers and the memory operand lie in what a function is given, and their bytes."""
    yield from ((64 * i, st.v[i]) for i in range(32))
    yield from ((WORDS + 8 * i, st.g[i]) for i in USABLE)
    yield AREA, [st.memory["area"][j] for j in range(64)]


@functools.lru_cache(maxsize=64)
def random_image(seed):
    """One for the words of each size."""
    rng = random.Random(seed)
    words = (rng.getrandbits(64), rng.getrandbits(64), rng.getrandbits(8), ONES[8] - rng.getrandbits(4))
    chosen = rng.choices((*words, None), k=ALL // 8)
    image = bytearray(b"".join((rng.getrandbits(64) if x is None else x).to_bytes(8, "little") for x in chosen))
    x = rng.choice(words)
    image[COMPARED : COMPARED + 16] = x.to_bytes(8, "little") + rng.choice((x, rng.choice(words), 1)).to_bytes(8, "little")
    return bytes(image)


class Comparison:
    """One form, with words of one size, and general registers that are secret or not."""

    def __init__(self, program, form, n, size, secret, width, rng):
        self.form, self.size, self.secret, self.width, self.rng, self.n = form, size, secret, width, rng, n
        self.area = Region("area", 64, True)
        args = [operand(x.strip(), None) for x in re.split(r",(?![^\[]*\])", form.args)] if form.args else []
        self.machine = X86(program, {1: [form.op, args, 2]}, size, 16 * size, [self.area], None)
        self.masks = [rng.getrandbits(64) for _ in range(8)]
        self.before = self.start(args)
        places = [(at + j, x) for at, part in parts(self.before) for j, x in enumerate(part)]
        self.constants = [(at, x) for at, x in places if type(x) is int]
        self.variables = [(at, x[0]) for at, x in places if type(x) is not int and x[1] == 0]
        try:
            after = self.machine.step(self.before.copy())
            self.after = after[0] if len(after) == 1 and ("unknown",) not in [b for k in after[0].k for b in k] else None
        except Refuted:
            self.after = None
        if self.after:
            self.changes = self.changed(self.after)
            used = leaves((*(tuple(part) for _, part in self.changes), *map(tuple, self.after.k), self.after.flags))
            self.variables = [(at, x) for at, x in self.variables if x in used]

    def changed(self, st):
        """Parts that the model has changed: others are what the function was given."""
        return [(at, part[: self.width] if at < MASKS else part)
                for (at, part), (_, given) in zip(parts(st), parts(self.before)) if part != given]  # fmt: skip

    def start(self, args):
        st, size = State(), self.size

        def values(name, i, count, secret):
            return [b for j in range(count) for b in unpack(var(name, size, i, j, secret=secret), size)]

        st.ip, st.calls, st.facts, st.ranges, st.seen, st.turns, st.loop = 1, (), {}, {}, {}, 0, None
        st.counts, st.orders, st.flags = frozenset(), frozenset(), ("unknown", 8, 0, 0)
        st.v = [values("v", i, 64 // size, True) for i in range(32)]
        st.g = [values("r", i, 8 // size, self.secret) for i in range(16)]
        st.g[7] = unpack(add(8, self.area.pointer, -AREA), 8)
        st.k = [[mask >> i & 1 for i in range(64)] for mask in self.masks]
        st.memory = {"area": dict(enumerate(values("a", 0, 64 // size, True)))}
        unit = next((u for name, u in CONSTANT.items() if name in self.form.op), None)
        if unit and not (args[-1].kind == "i"):
            control = b"".join((self.rng.randrange(32) | (self.rng.choice((0, 128)) if unit == 1 else 0)).to_bytes(unit, "little")
                               for _ in range(64 // unit))  # fmt: skip
            of = args[0] if "permi2" in self.form.op else args[1] if "perm" in self.form.op and "permil" not in self.form.op else args[-1]
            if of.kind == "v":
                st.v[of.at] = list(control)
            else:
                st.memory["area"] = dict(enumerate(control))
        return st

    def image(self, case):
        """The bytes that the function is given, and the numbers of the variables."""
        image, env = bytearray(random_image(self.n * 1000 + case)), {}
        for i, mask in enumerate(self.masks):
            image[MASKS + 8 * i : MASKS + 8 * i + 8] = mask.to_bytes(8, "little")
        for at, x in self.constants:
            image[at] = x
        for at, x in self.variables:
            env[x] = int.from_bytes(image[at : at + x.size], "little")
        return image, env

    def modelled(self, image):
        """The state after it, on variables if the model takes them; else, or where flags matter, on numbers."""
        op = self.form.op
        if self.after and not op.startswith(("set", "cmov", "adc", "sbb")):
            return self.after
        c = self.before.copy()
        c.v = [list(image[64 * i : 64 * i + 64]) for i in range(32)]
        c.g = [list(image[WORDS + 8 * i : WORDS + 8 * i + 8]) if i != 7 else self.before.g[7] for i in range(16)]
        c.memory["area"] = dict(enumerate(image[AREA : AREA + 64]))
        c.flags = ("sub", 8, *(int.from_bytes(image[at : at + 8], "little") for at in (COMPARED, COMPARED + 8)))
        (s,) = self.machine.step(c)
        return s

    def compare(self, case, function, base):
        """Where model and CPU differ, of those places that the model has changed or the CPU has."""
        image, env = self.image(case)
        s, memo = self.modelled(image), {}
        ctypes.memmove(base, bytes(image), ALL)
        function(base)
        result, model = ctypes.string_at(base, ALL), bytearray(image)

        def value(x):
            return x if type(x) is int else evaluate(x[0], env, memo, self.rng) >> 8 * x[1] & 255

        def number(x):
            return evaluate(x, env, memo, self.rng) if type(x) is Term else x

        for at, part in self.changes if s is self.after else self.changed(s):
            model[at : at + len(part)] = bytes(map(value, part))
        for i in range(8):
            if s.k[i] == self.before.k[i]:
                continue
            if all(type(b) is int for b in s.k[i]):
                bits = sum(b << j for j, b in enumerate(s.k[i]))
            else:
                bits = sum((b if type(b) is int else int(all((number(p) - number(q)) & ONES[n] == 0 for n, p, q in b[1]))) << j
                           for j, b in enumerate(s.k[i]))  # fmt: skip
            if self.width == 64:
                model[MASKS + 8 * i : MASKS + 8 * i + 8] = bits.to_bytes(8, "little")
        for begin, end in NOT_MODELLED:
            model[begin:end] = result[begin:end]
        differ = [] if model == result else [i for i in range(ALL) if model[i] != result[i]]
        kind, size, x, y = s.flags
        zero = carried = None
        if kind in ("sub", "add", "logic", "count", "shift") and self.form.op not in ("set", "cmov"):
            x, y = number(x), number(y) if kind != "count" else 0
            zero = (x - y if kind == "sub" else x + y) & ONES[size] == 0
            if kind in ("sub", "add"):
                carried = x < y if kind == "sub" else x + y > ONES[size]
            elif kind == "logic" and self.form.op in ("xor", "or", "and", "test", "andn"):
                carried = False
        if kind == "product":
            carried = x != 0
        if self.form.op in ("shl", "shr", "sar"):
            zero = None if int.from_bytes(image[WORDS + 8 : WORDS + 9], "little") & 63 == 0 else zero
        for at, flag in ((FLAGS, zero), (FLAGS + 1, carried)):
            if flag is not None and int(flag) != result[at]:
                differ.append(at)
        return differ, model, result


def task(job):
    """All cases of one form: how many, where it differs, and why it could not be compared."""
    n, form, width, cases = job
    function, buffer = getattr(LIBRARY, "f%d" % n), ctypes.create_string_buffer(ALL + 64)
    base = (ctypes.addressof(buffer) + 63) // 64 * 64
    function.argtypes = [ctypes.c_void_p]
    done, differ = 0, []
    for size, secret in ((4, True), (8, True)) if "mm" in form.text else ((8, False), (8, True)):
        forget_all()
        comparison = Comparison(PROGRAM, form, n, size, secret, width, random.Random(n))
        for case in range(cases):
            try:
                wrong, model, result = comparison.compare(case, function, base)
            except (Refuted, ValueError) as e:
                return done, differ, "%s (%s)" % (form.text, e)
            done += 1
            if wrong:
                at = wrong[0]
                told = form.text, size, at, model[at : at + 8].hex(), result[at : at + 8].hex()
                differ.append("%s (words of %d bytes) at %#x: the model has %s, the CPU %s" % told)
                break
    return done, differ, None


def main():
    parser = argparse.ArgumentParser(prog="crosscheck", description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--cases", type=int, default=12)
    options = parser.parse_args()
    sys.setrecursionlimit(1 << 20)
    gc.disable()
    have = cpu_features()
    if "avx2" not in have:
        raise SystemExit("this CPU has no AVX2, by which registers are saved")

    global PROGRAM, LIBRARY
    PROGRAM = Program(options.library)
    found, left, many = forms(PROGRAM, kernels.list_kernels(HERE.parent.parent))
    stubs = [f for f in found if have.issuperset(f.feature)]
    width = 64 if have.issuperset(feature_of(0x62, "")) else 32
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "stubs")
        pathlib.Path(path + ".S").write_text(assembly(stubs, width))
        subprocess.run(["gcc", "-shared", "-o", path + ".so", path + ".S"], check=True)
        LIBRARY = ctypes.CDLL(path + ".so")
    done, broken, without = 0, 0, []
    with multiprocessing.get_context("fork").Pool(maxtasksperchild=100) as pool:
        jobs = [(n, form, width, options.cases) for n, form in enumerate(stubs)]
        for compared, differ, reason in pool.imap(task, jobs, 10):
            done, broken = done + compared, broken + len(differ)
            without += [reason] if reason else []
            for text in differ:
                print("DIFFERS: " + text)
    for text in [f.text for f in found if f not in stubs]:
        print("not compared, since this CPU cannot run it: " + text)
    for text in without:
        print("not compared, since there is no model of it or of such values: " + text)
    print("not compared, since they have no effect on data: " + " ".join(left))
    print("not compared, since they have an address for each word: " + " ".join(many))
    count = len(found), done, broken, len(found) - len(stubs) + len(without)
    print("%d forms of instructions, %d comparisons with the CPU, %d differ, %d forms not compared" % count)
    return 1 if broken or not done else 0


if __name__ == "__main__":
    sys.exit(main())
