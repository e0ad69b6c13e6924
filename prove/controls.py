"""Plants errors in copies of the machine code, byte by byte, and checks that each proof fails and says where.

    python3 prove/controls.py LIBRARY [--all]

One error for each hash; with --all, one for each hash on each instruction set.
"""

import argparse
import multiprocessing
import pathlib
import re
import subprocess
import sys
import tempfile

import kernels
import proof
from elf import Program, Refuted
from hashes import HASHES

HERE = pathlib.Path(__file__).resolve().parent
OPEN = [line.split(": ")[0] for line in (HERE / "open.txt").read_text().splitlines()]


def instructions(program, address, size):
    """Address, bytes, mnemonic and operands, as objdump prints them."""
    options = ["-d", "-M", "intel", "--insn-width=16", "--start-address=%d" % address, "--stop-address=%d" % (address + size)]
    text = subprocess.run(["objdump", *options, program.path], capture_output=True, text=True).stdout
    for line in text.splitlines():
        m = re.match(r"^\s+([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(\S+)\s*(.*)$", line)
        if m:
            yield int(m[1], 16), bytes.fromhex(m[2]), m[3], m[4]


def with_last(b, f):
    return b[:-1] + bytes([f(b[-1]) & 255])


def rotation(b, op, args):
    """By one bit more or less."""
    if re.fullmatch(r"v?p(srl|ror|rol)[dq]|ror|rol|rorx", op) and re.search(r",0x[0-9a-f]+$", args):
        return with_last(b, lambda n: n ^ 1)
    return None


def message_word(b, op, args):
    """Another word of the message, or of the chaining value: 16 bytes further."""
    if re.search(r"PTR \[r(si|ax|cx|di|8|9|1[0-5])(\+r\w+(\*1)?)?\+0x[12]0\]$", args) and op != "lea" and b[0] != 0x62 and b[-1] in (16, 32):
        return with_last(b, lambda n: 48 - n)
    return None


def byte_off(b, op, args):
    """A load of these that begins a byte too late."""
    if message_word(b, op, args) and re.match(r"v?(mov|p|lddqu)", op) and not re.search(r"^\w+ PTR", args):
        return with_last(b, lambda n: n + 1)
    return None


def counter(b, op, args):
    """A block counted for one byte more."""
    signs = {"add": "0x80|0x40", "sub": "0xffffffffffffff[8c]0"}
    if op in signs and re.search(r",(%s)$" % signs[op], args) and "rsp" not in args:
        at = len(b) - (4 if b[-1] in (0, 255) and len(b) > 4 else 1)
        return b[:at] + bytes([b[at] ^ 1]) + b[at + 1 :]
    return None


def feed_forward(b, op, args):
    """An exclusive or made an or, or a sum a difference: the last ones."""
    for right, wrong in ((0xEF, 0xEB), (0xFE, 0xFA)):
        if op in ("pxor", "vpxor", "paddd", "vpaddd") and right in b[1:4]:
            at = b.index(right, 1)
            return b[:at] + bytes([wrong]) + b[at + 1 :]
    return None


KINDS = (rotation, message_word, counter, feed_forward, byte_off)
CONTROLS = (
    ("blake2b sse41 compress", rotation),
    ("blake2s avx compress", message_word),
    ("blake2b avx2 compress", counter),
    ("blake3 sse41 compress", feed_forward),
    ("sha256 sha compress_sse", byte_off),
)


def controls_of_all(listed):
    """For each hash on each instruction set the kernel that is proved fastest, with the kinds of errors in turn."""
    kernels_of = {}
    for name, kernel in listed.items():
        if name not in OPEN:
            kernels_of.setdefault((kernel.hash, kernel.isa), []).append((kernel.most, "compress" not in name, name))
    names = [min(names)[2] for names in kernels_of.values()]
    return [(name, KINDS[i % len(KINDS)]) for i, name in enumerate(names)]


def plant(program, address, size, kind):
    """Another program with the error in it, and where: at the first place, of feed-forwards at the last."""
    places = []
    for at, b, op, args in instructions(program, address, size):
        changed = kind(b, op, args)
        if changed:
            places.append((at, changed, op, args))
    if not places:
        return None
    at, changed, op, args = places[-1 if kind is feed_forward else 0]
    blob = bytearray(program.blob)
    for start, offset, length, _ in program.sections:
        if start <= at < start + length:
            blob[offset + at - start : offset + at - start + len(changed)] = changed
    file = tempfile.NamedTemporaryFile(suffix=".elf")
    file.write(blob)
    file.flush()
    copy = Program(file.name)
    copy.file = file
    return copy, "%s %s at %x" % (op, args, at)


def main():
    parser = argparse.ArgumentParser(prog="controls", description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()

    global PROGRAM, LAYOUT, LISTED
    sys.setrecursionlimit(1 << 20)
    PROGRAM, LAYOUT = Program(options.library), kernels.Layout(HERE / "layouts.txt")
    LISTED = {kernels.label(k): k for k in kernels.list_kernels(HERE.parent)}
    todo, broken = controls_of_all(LISTED) if options.all else CONTROLS, 0
    with multiprocessing.get_context("fork").Pool(maxtasksperchild=1) as pool:
        for (name, _), (answer, good) in zip(todo, pool.imap(control, todo, 1)):
            print("%s, %s" % (name, answer), flush=True)
            broken |= not good
    return int(broken)


def control(job):
    """What came of an error, and whether it was refuted as it should. Where there is no place for one of that kind, there
    is for the next."""
    program, layout, kernel, first = PROGRAM, LAYOUT, LISTED[job[0]], job[1]
    contract, cases = kernels.cases(kernel, False)
    pattern, at = re.compile(kernel.symbol), KINDS.index(first)
    address, size = next((a, s) for n, a, s in program.symbols if pattern.fullmatch(n))
    tries = ((kind, plant(program, address, size, kind)) for kind in KINDS[at:] + KINDS[:at])
    kind, planted = next((t for t in tries if t[1]), (first, None))
    if planted is None:
        return "%s: no place for an error" % kind.__name__, False
    copy, where = planted
    name = "%s, %s: " % (kind.__name__, where)
    try:
        proof.prove_case(copy, layout, address, size, HASHES[kernel.hash], contract, cases[0])
    except Refuted as e:
        for line in str(e).split("\n"):
            if re.search(r"lane \d+: (word \d+|the (lower|upper) half|the number)", line):
                return name + "refuted: " + line.strip(), True
        return name + "refuted, but not for a word of a lane: " + str(e), False
    return name + "PROVED, which is wrong", False


if __name__ == "__main__":
    sys.exit(main())
