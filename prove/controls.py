"""Plants errors in copies of the machine code, byte by byte, and checks that each proof fails and says where.

    python3 prove/controls.py LIBRARY [--all]

One error for each hash; with --all, each of them in each kernel of one message or of all lanes where there is a place.
"""

import argparse
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
    """Another word of the message: 16 bytes further."""
    if re.search(r"PTR \[r(si|ax|cx|di|8|9|1[0-5])(\+r\w+(\*1)?)?\+0x[12]0\]$", args) and op != "lea" and b[0] != 0x62 and b[-1] in (16, 32):
        return with_last(b, lambda n: 48 - n)
    return None


def byte_off(b, op, args):
    """A load of a message that begins a byte too late."""
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


CONTROLS = (
    ("blake2b sse41 compress", rotation, 0),
    ("blake2s avx compress", message_word, 0),
    ("blake2b avx2 compress", counter, 0),
    ("blake3 sse41 compress", feed_forward, -1),
    ("sha256 sha compress_sse", byte_off, 0),
)
KINDS = ((rotation, 0), (message_word, 0), (byte_off, 0), (feed_forward, -1))


def plant(program, address, size, kind, which):
    """Another program with the error in it, and where."""
    places = []
    for at, b, op, args in instructions(program, address, size):
        changed = kind(b, op, args)
        if changed:
            places.append((at, changed, op, args))
    if not places:
        return None
    at, changed, op, args = places[which]
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
    sys.setrecursionlimit(1 << 20)
    program, layout, broken = Program(options.library), kernels.Layout(HERE / "layouts.txt"), 0
    listed = {kernels.label(k): k for k in kernels.list_kernels(HERE.parent)}
    controls = CONTROLS
    if options.all:
        controls = [(name, *KINDS[i % len(KINDS)]) for i, name in enumerate(listed) if listed[name].isa != "portable"]
    for name, kind, which in controls:
        kernel = listed[name]
        contract, cases = kernels.cases(kernel, False)
        pattern = re.compile(kernel.symbol)
        address, size = next((a, s) for n, a, s in program.symbols if pattern.fullmatch(n))
        tries = [(kind, which)] + ([k for k in KINDS if k[0] is not kind] if options.all else [])
        planted = next((p for p in (plant(program, address, size, *t) for t in tries) if p), None)
        if planted is None:
            print("%s: no place for an error: %s" % (name, kind.__name__))
            broken = 1
            continue
        copy, where = planted
        try:
            proof.prove_case(copy, layout, address, size, HASHES[kernel.hash], contract, cases[0], again=False)
        except Refuted as e:
            lines = str(e).split("\n")
            told = any(re.search(r"lane \d+: word \d+|lane \d+: the (lower|upper) half", line) for line in lines)
            print("%s, %s, %s: refuted: %s" % (name, kind.__name__, where, lines[1 if len(lines) > 1 else 0].strip()))
            if not told:
                print("    but the message names no lane and word")
                broken = 1
        else:
            print("%s, %s, %s: PROVED, which is wrong" % (name, kind.__name__, where))
            broken = 1
    return broken


if __name__ == "__main__":
    sys.exit(main())
