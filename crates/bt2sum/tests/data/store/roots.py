#!/usr/bin/env python3
"""Prints the roots of stores of the tree that tests/cli/store.rs makes, by docs/store.md and Python's hashlib alone."""

import struct
from hashlib import blake2b, blake2s


def message(length):
    return bytes(i % 251 for i in range(length))


# In the order of components: `sub/…` comes before `sub.x`.
TREE = [
    (b"a", message(10500)),
    (b"empty", b""),
    (b"link", None),
    (b"sub/b", message(3000)),
    (b"sub/deep/c", b"c"),
    (b"sub.x", b"x"),
]
TIME = 1000000


def digests(hash, size, chunk, key, data):
    """The digest of a file, and those of its leaves."""
    common = dict(digest_size=size, key=key, fanout=0, depth=2, leaf_size=chunk, inner_size=size)
    parts = [data[i : i + chunk] for i in range(0, len(data), chunk)] or [b""]
    last = len(parts) - 1
    leaves = [hash(part, node_offset=i, last_node=i == last, **common).digest() for i, part in enumerate(parts)]
    return hash(b"".join(leaves), node_depth=1, last_node=True, **common).digest(), leaves


def root(number, size, chunk, key=b"", exclude=(), one_file_system=False):
    hash = {1: blake2b, 2: blake2s}[number]
    text = b"bt2store" + bytes([1, number, size, bool(key) + 2 * one_file_system]) + struct.pack("<I", chunk)
    text += struct.pack("<I", len(exclude)) + b"".join(struct.pack("<I", len(glob)) + glob for glob in exclude)
    for name, data in TREE:
        text += bytes([2 if data is None else 1]) + struct.pack("<I", len(name)) + name
        if data is None:
            text += struct.pack("<I", 1) + b"a"
            continue
        digest, leaves = digests(hash, size, chunk, key, data)
        text += struct.pack("<QqI", len(data), TIME, 0) + digest
        text += b"".join(leaves) if len(leaves) > 1 else b""
    length = sum(len(data) for _, data in TREE if data is not None)
    text += b"\0" + struct.pack("<QQ", len(TREE), length)
    return blake2b(text, digest_size=32, key=key, person=b"bt2store root").hexdigest()


print(root(1, 64, 1000))
print(root(2, 20, 700, exclude=[b"*.tmp", b"x/"], one_file_system=True))
print(root(1, 64, 1000, key=b"key"))
