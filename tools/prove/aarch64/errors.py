"""Errors to be planted in machine code of AArch64. Each function gives an instruction with an error, or None."""

import re


def instructions(program, address, size):
    """Address, bytes, mnemonic and operands, as objdump prints them."""
    for line in program.disassembly(address, size):
        m = re.match(r"^\s+([0-9a-f]+):\t([0-9a-f]{8})\s+(\S+)\s*(.*?)(\s+//.*)?$", line)
        if m:
            yield int(m[1], 16), bytes.fromhex(m[2])[::-1], m[3], m[4]


def with_bits(b, changed):
    """The instruction with these bits turned over."""
    return (int.from_bytes(b, "little") ^ changed).to_bytes(4, "little")


def rotation(b, op, args):
    """By one bit more or less."""
    if op == "ror" and "#" in args:
        return with_bits(b, 1 << 10)
    return with_bits(b, 1 << 16) if op in ("usra", "sri", "shl") and args[0] == "v" else None


def message_word(b, op, args):
    """Another word of the message, or of the chaining value."""
    if op == "ldp" and args[0] in "qw" and re.search(r"\[x\d+, #(16|32)\]$", args):
        step = int(args.rsplit("#", 1)[1][:-1]) // {"q": 16, "w": 4}[args[0]]
        return with_bits(b, (step ^ step >> 1) << 15) if step > 1 else None
    return with_bits(b, 3 << 10) if op == "ldr" and re.match(r"q\d+, \[x\d+, #(16|32)\]$", args) else None


def counter(b, op, args):
    """A block counted for one byte more."""
    return with_bits(b, 1 << 10) if op == "adds" and re.match(r"x\d+, x\d+, #0x[48]0$", args) else None


def feed_forward(b, op, args):
    """An exclusive or made an or, or its complement, or a sum a difference: the last ones."""
    if op == "eor" and args[0] == "v":
        return with_bits(b, 1 << 29 | 1 << 23)
    if op == "eor" and "#" not in args:
        return with_bits(b, 1 << 21)
    return with_bits(b, 1 << 29) if op == "add" and args[0] == "v" else None


def byte_off(b, op, args):
    """A load that begins a byte too late."""
    return with_bits(b, 1 << 12) if op == "ldur" and re.search(r"\[x\d+, #-?\d*[02468]\]$", args) and "x29" not in args else None


KINDS = (rotation, message_word, counter, feed_forward, byte_off)
CONTROLS = (
    ("blake2b portable compress", rotation),
    ("blake2s neon compress4", message_word),
    ("blake2b neon compress2", counter),
    ("blake3 portable compress_blocks", feed_forward),
    ("sha256 sha_arm compress_alone", feed_forward),
    ("sha256 neon compress4", byte_off),
    ("sha512 sha_arm compress_alone", feed_forward),
)
