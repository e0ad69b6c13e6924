"""Errors to be planted in machine code of x86-64. Each function gives an instruction with an error, or None."""

import re


def instructions(program, address, size):
    """Address, bytes, mnemonic and operands, as objdump prints them."""
    for line in program.disassembly(address, size, "-M", "intel", "--insn-width=16"):
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
    """Another word of the message, or of the chaining value: 16 bytes further. Not another field of a run, which is rdi."""
    if re.match(r"r\w+,QWORD PTR \[rdi", args):
        return None
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
    right, wrong = {"pxor": (0xEF, 0xEB), "paddd": (0xFE, 0xFA), "paddq": (0xD4, 0xFB)}.get(op.lstrip("v"), (None, None))
    if right and right in b[1:4]:
        at = b.index(right, 1)
        return b[:at] + bytes([wrong]) + b[at + 1 :]
    return None


KINDS = (rotation, message_word, counter, feed_forward, byte_off)
CONTROLS = (
    ("blake2b sse41 compress", rotation),
    ("blake2s avx compress", message_word),
    ("blake2b avx2 compress", counter),
    ("blake3 sse41 compress", feed_forward),
    ("sha256 sha_x86 compress_sse", byte_off),
    ("sha512 avx2 compress", rotation),
    ("sha512 avx2 compress4", rotation),
    ("sha256 avx512 nodes8", feed_forward),
)
