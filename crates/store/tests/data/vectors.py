#!/usr/bin/env python3
"""Writes vectors.txt, by hashlib and hmac alone, from the specification in docs/format.md. --check compares instead.

A line has a hash, the length of a stripe, the key or -, the random bytes, the length of the object, and the stored object.
Byte i of the object is i mod 251. Bytes are hexadecimal.

A line that begins with bt2leaf has a hash, bytes of a digest, bytes of a leaf, the key or -, the length of the object,
the root, and the file of leaves, by the specification in crates/bt2sum/MANUAL.md.
"""

import hashlib
import hmac
import sys
from pathlib import Path

MAGIC = b"stripes\x01"
CODES = {"blake2b": 1, "blake2s": 2, "sha256": 3}


def message(length):
    return bytes(i % 251 for i in range(length))


def digest(name, stripe_length, key, random, number, last, stripe):
    if name == "sha256":
        block = (MAGIC + random + number.to_bytes(8, "little") + bytes([last])).ljust(64, b"\0")
        if key:
            return hmac.new(key, block + stripe, "sha256").digest()
        return hashlib.sha256(block + stripe).digest()
    return getattr(hashlib, name)(
        stripe, digest_size=32, key=key, salt=random if name == "blake2b" else random[:8],
        fanout=0, depth=2, leaf_size=stripe_length, node_offset=number, node_depth=0, inner_size=32, last_node=last,
    ).digest()


def header(name, stripe_length, key, random):
    fields = MAGIC + bytes([CODES[name], bool(key), 0, 0]) + stripe_length.to_bytes(4, "little") + random
    if not key:
        check = bytes(16)
    elif name == "sha256":
        check = hmac.new(key, fields, "sha256").digest()[:16]
    else:
        salt = random if name == "blake2b" else random[:8]
        check = getattr(hashlib, name)(fields, digest_size=16, key=key, salt=salt, person=b"header").digest()
    return fields + check + hashlib.blake2b(fields + check, digest_size=16).digest()


def stored(name, stripe_length, key, random, length):
    data = message(length)
    stripes = [data[i : i + stripe_length] for i in range(0, length, stripe_length)] or [b""]
    out = header(name, stripe_length, key, random)
    for i, stripe in enumerate(stripes):
        out += digest(name, stripe_length, key, random, i, i == len(stripes) - 1, stripe) + stripe
    return out


def leaf_file(name, size, chunk, key, length):
    data = message(length)
    def node(bytes_, offset, depth, last):
        return getattr(hashlib, name)(
            bytes_, digest_size=size, key=key, fanout=0, depth=2, leaf_size=chunk, node_offset=offset, node_depth=depth,
            inner_size=size, last_node=last,
        ).digest()
    chunks = [data[i : i + chunk] for i in range(0, length, chunk)] or [b""]
    leaves = b"".join(node(leaf, i, 0, i == len(chunks) - 1) for i, leaf in enumerate(chunks))
    file = b"bt2leaf\0\x01" + bytes([CODES[name], size, bool(key)]) + chunk.to_bytes(4, "little") + leaves
    file += length.to_bytes(8, "little")
    return node(leaves, 0, 1, True), file + hashlib.blake2b(file, digest_size=32).digest()


def lines():
    random = bytes(range(0xF0, 0x100))
    for name in CODES:
        long_key = {"blake2b": 64, "blake2s": 32, "sha256": 100}[name]
        for key in (b"", b"k", bytes(range(long_key))):
            for stripe_length, lengths in ((64, (0, 1, 63, 64, 65, 128, 200)), (1000, (0, 999, 1000, 2001))):
                for length in lengths:
                    bytes_ = stored(name, stripe_length, key, random, length)
                    yield f"{name} {stripe_length} {key.hex() or '-'} {random.hex()} {length} {bytes_.hex()}"
    for name, size in (("blake2b", 64), ("blake2b", 20), ("blake2s", 32)):
        for key in (b"", b"a key"):
            for length in (0, 1, 999, 1000, 2500):
                root, file = leaf_file(name, size, 1000, key, length)
                yield f"bt2leaf {name} {size} 1000 {key.hex() or '-'} {length} {root.hex()} {file.hex()}"


def main():
    path = Path(__file__).parent / "vectors.txt"
    text = "".join(line + "\n" for line in lines())
    if sys.argv[1:] == ["--check"]:
        if path.read_text() != text:
            sys.exit(f"{path} has other vectors than hashlib")
        print(f"{path}: {text.count(chr(10))} vectors are those of hashlib")
    else:
        path.write_text(text)


main()
