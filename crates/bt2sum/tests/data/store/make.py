#!/usr/bin/env python3
"""Makes catalogues and their roots by docs/formats.md and Python's hashlib alone: the golden files beside this one.

`one`, `two`, `blake3` and those with a key are of the tree that tests/cli/store.rs makes. `fields` has one of each
field. `owned` is of that tree with owners and extended attributes, as tests/cli/store_rights.rs sets them. BLAKE3, which
hashlib has not, is written here by its paper, and compared with the vectors of the BLAKE3 team.
"""

import json
import pathlib
import struct
from hashlib import blake2b, blake2s

HERE = pathlib.Path(__file__).parent


def message(length):
    return bytes(i % 251 for i in range(length))


def file(name, data, seconds=1000000, nanoseconds=0, mode=0o644, checked=1700000000000, young=0, inode=None):
    return dict(name=name, data=data, time=(seconds, nanoseconds), mode=mode, checked=checked, young=young, inode=inode)


# In the order of components: `sub/…` comes before `sub.x`.
TREE = [
    file(b"a", message(10500)),
    file(b"empty", b""),
    dict(name=b"link", target=b"a"),
    file(b"sub/b", message(3000)),
    file(b"sub/deep/c", b"c"),
    file(b"sub.x", b"x"),
]

# Milliseconds of checks, and nanoseconds of changes.
FIELDS = [
    file(b"a", b"a", inode=(1000000 * 10**9, 500)),
    file(b"a b", b"", -5, 7, 0o4755, 1700000000001, 1, (-5 * 10**9 + 8, 499)),
    file(b"a c", b"c", -(2**63), 999999999, 0o4755, 0),
    dict(name=b"b", mode=0o700),
    dict(name=b"c/d", target=b"\xff/.."),
    file(b"c/deep/e", message(2001), 2**63 - 1, 1, 0o600, 2**44, 0, (2**63 - 1, 2**64 - 1)),
    dict(name=b"c/deep/empty", mode=0o600),
    dict(name=b"c/deeper", mode=None),
    file(b"c/e", message(1000), 0, 1, None, 5, 1, (1, 0)),
    file(b"c.d", message(1001), 2000000000, 0, 0o644, 6, 0, (2000000000 * 10**9, 1)),
]


CAPABILITY = bytes.fromhex("0100000200200000000000000000000000000000")

# The owner and the attributes of each entry of TREE.
OWNED = [
    ((1000, 100), {b"user.b": b"\x00\xff", b"user.a": b"", b"user.B": b"x" * 3000}),
    ((1000, 100), {}),
    ((2**32 - 2, 100), None),
    ((1000, 127), {b"user.a": b"", b"security.capability": CAPABILITY}),
    ((1000, 128), {b"user.a": b"", b"security.capability": CAPABILITY}),
    ((0, 128), {b"user.a": b"1"}),
]


def attributes(key, all):
    """The attributes of an entry: their flags and their digest."""
    text = b""
    for name in sorted(all):
        text += struct.pack("<I", len(name)) + name + struct.pack("<I", len(all[name])) + all[name]
    digest = blake2b(text, digest_size=16, key=key, person=b"bt2store xattr").digest()
    return bytes([1 + 2 * (b"security.capability" in all)]) + digest if all else b"\0"


# BLAKE3, by section 2 of the paper: table 1 has the IV, table 2 the permutation, table 3 the flags.
IV = struct.unpack("<8I", bytes.fromhex("67e6096a85ae67bb72f36e3c3af54fa57f520e518c68059babd9831f19cde05b"))
PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
CHUNK_START, CHUNK_END, PARENT, ROOT, KEYED_HASH = 1, 2, 4, 8, 16


def compress(chaining_value, block, counter, flags):
    words = list(struct.unpack("<16I", block.ljust(64, b"\0")))
    v = [*chaining_value, *IV[:4], counter & 0xFFFFFFFF, counter >> 32, len(block), flags]
    for _ in range(7):
        for i in range(8):
            # Four columns, then four diagonals.
            shift = i // 4
            a, b, c, d = (4 * row + (i + row * shift) % 4 for row in range(4))
            for word, of_d, of_b in (words[2 * i], 16, 12), (words[2 * i + 1], 8, 7):
                v[a] = (v[a] + v[b] + word) & 0xFFFFFFFF
                v[d] = rotated(v[d] ^ v[a], of_d)
                v[c] = (v[c] + v[d]) & 0xFFFFFFFF
                v[b] = rotated(v[b] ^ v[c], of_b)
        words = [words[i] for i in PERMUTATION]
    return [v[i] ^ v[i + 8] for i in range(8)]


def rotated(word, right):
    return (word >> right | word << 32 - right) & 0xFFFFFFFF


def subtree(data, counter, key, root=0):
    """The chaining value of a subtree whose first chunk has this number, or with ROOT the hash of the message."""
    words = struct.unpack("<8I", key) if key else IV
    flags = KEYED_HASH if key else 0
    if len(data) <= 1024:
        blocks = [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
        value, last = words, len(blocks) - 1
        for i, block in enumerate(blocks):
            ends = CHUNK_START * (i == 0) | (CHUNK_END | root) * (i == last)
            value = compress(value, block, counter, flags | ends)
    else:
        # The left subtree has the most chunks that leave at least a byte for the right one, a power of two.
        left = 2 ** (((len(data) - 1) // 1024).bit_length() - 1)
        halves = subtree(data[: 1024 * left], counter, key), subtree(data[1024 * left :], counter + left, key)
        value = compress(words, b"".join(halves), 0, flags | PARENT | root)
    return struct.pack("<8I", *value)


VECTORS = json.loads((HERE.parents[4] / "tests/data/blake3/test_vectors.json").read_text())
for case in VECTORS["cases"]:
    for name, key in [("hash", b""), ("keyed_hash", VECTORS["key"].encode())]:
        assert subtree(message(case["input_len"]), 0, key, ROOT).hex() == case[name][:64], (name, case["input_len"])


def digests(hash, size, chunk, key, data):
    """The digest of a file, and those of its leaves."""
    if hash is subtree:
        leaves = [subtree(data[i : i + chunk], i // 1024, key) for i in range(0, len(data), chunk)]
        return subtree(data, 0, key, ROOT), leaves
    common = dict(digest_size=size, key=key, fanout=0, depth=2, leaf_size=chunk, inner_size=size)
    parts = [data[i : i + chunk] for i in range(0, len(data), chunk)] or [b""]
    last = len(parts) - 1
    leaves = [hash(part, node_offset=i, last_node=i == last, **common).digest() for i, part in enumerate(parts)]
    return hash(b"".join(leaves), node_depth=1, last_node=True, **common).digest(), leaves


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def difference(new, old):
    number = (new - old + 2**63) % 2**64 - 2**63
    return varint(2 * number if number >= 0 else -2 * number - 1)


def entries_of_one(tree, sums):
    for entry in tree:
        name = entry["name"]
        if "target" in entry:
            yield bytes([2]) + struct.pack("<I", len(name)) + name + struct.pack("<I", 1) + entry["target"], b""
            continue
        digest, leaves = sums(entry["data"])
        text = bytes([1]) + struct.pack("<I", len(name)) + name
        text += struct.pack("<QqI", len(entry["data"]), *entry["time"]) + digest
        text += b"".join(leaves) if len(leaves) > 1 else b""
        yield text, struct.pack("<QB", entry["checked"] * 10**6, entry["young"])


def entries_of_two(tree, sums, key=b"", owned=None):
    last_owner, last_attributes = (0, 0), b"\0"
    last, last_mode, last_seconds, last_checked, last_changed, last_inode = b"", 0o644, 0, 0, 0, 0
    for i, entry in enumerate(tree):
        name = entry["name"]
        kind = 1 if "data" in entry else 2 if "target" in entry else 3
        shared = 0
        while shared < min(len(last), len(name)) and last[shared] == name[shared]:
            shared += 1
        last = name
        mode = entry.get("mode", last_mode)
        mode = 65535 if mode is None else mode
        with_mode = mode != last_mode
        last_mode = mode
        seconds, nanoseconds = entry.get("time", (0, 0))
        owner, all = owned[i] if owned else (last_owner, None)
        with_owner = owner != last_owner
        last_owner = owner
        these = last_attributes if all is None else attributes(key, all)
        with_attributes = these != last_attributes
        last_attributes = these
        text = bytes([kind + 4 * with_mode + 8 * (nanoseconds != 0) + 16 * with_owner + 32 * with_attributes])
        text += varint(shared) + varint(len(name) - shared) + name[shared:]
        text += struct.pack("<H", mode) if with_mode else b""
        text += varint(owner[0]) + varint(owner[1]) if with_owner else b""
        text += these if with_attributes else b""
        if kind == 2:
            text += varint(len(entry["target"])) + entry["target"]
        if kind != 1:
            yield text, b""
            continue
        digest, leaves = sums(entry["data"])
        text += varint(len(entry["data"])) + difference(seconds, last_seconds)
        text += struct.pack("<I", nanoseconds) if nanoseconds else b""
        last_seconds = seconds
        text += digest + (b"".join(leaves) if len(leaves) > 1 else b"")
        is_modification = entry["inode"] is not None and entry["inode"][0] == seconds * 10**9 + nanoseconds
        seen = bytes([entry["young"] + 2 * (entry["inode"] is not None) + 4 * is_modification])
        seen += difference(entry["checked"], last_checked)
        last_checked = entry["checked"]
        if entry["inode"] is not None:
            changed, inode = entry["inode"]
            seen += b"" if is_modification else difference(changed, last_changed)
            seen += difference(inode, last_inode)
            last_changed, last_inode = changed, inode
        yield text, seen


def catalogue(
    version, number, size, chunk, key=b"", exclude=(), one_file_system=False, tree=TREE, host=bytes(16), owned=None
):
    """The bytes of a catalogue, and its root."""
    hash = {1: blake2b, 2: blake2s, 3: subtree}[number]
    flags = bool(key) + 2 * one_file_system + 12 * bool(owned)
    covered = b"bt2store" + bytes([version, number, size, flags]) + struct.pack("<I", chunk)
    covered += struct.pack("<I", len(exclude)) + b"".join(struct.pack("<I", len(glob)) + glob for glob in exclude)
    all = covered + (host if version == 2 else b"")
    sums = lambda data: digests(hash, size, chunk, key, data)
    for text, seen in entries_of_one(tree, sums) if version == 1 else entries_of_two(tree, sums, key, owned):
        covered += text
        all += text + seen
    end = b"\0" + struct.pack("<QQ", len(tree), sum(len(entry.get("data", b"")) for entry in tree))
    root = blake2b(covered + end, digest_size=32, key=key, person=b"bt2store root").digest()
    all += end + root
    all += blake2b(all, digest_size=32, key=key, person=b"bt2store all").digest() if key else b""
    return all + blake2b(all, digest_size=32).digest(), root.hex()


for name, version in [("one", 1), ("two", 2)]:
    (HERE / name).write_bytes(catalogue(version, 1, 64, 1000)[0])
    (HERE / f"{name}-keyed").write_bytes(catalogue(version, 2, 20, 700, key=b"key", exclude=[b"*.tmp", b"x/"])[0])
KEY = VECTORS["key"].encode()
(HERE / "blake3").write_bytes(catalogue(2, 3, 32, 1024)[0])
(HERE / "blake3-keyed").write_bytes(catalogue(2, 3, 32, 2048, key=KEY, exclude=[b"*.tmp"])[0])
(HERE / "fields").write_bytes(catalogue(2, 1, 20, 1000, tree=FIELDS, host=bytes(range(16)))[0])
(HERE / "owned").write_bytes(catalogue(2, 1, 20, 1000, key=b"key", owned=OWNED)[0])
roots = [
    catalogue(2, 1, 64, 1000)[1],
    catalogue(2, 2, 20, 700, exclude=[b"*.tmp", b"x/"], one_file_system=True)[1],
    catalogue(2, 1, 64, 1000, key=b"key")[1],
    catalogue(2, 3, 32, 1024)[1],
    catalogue(2, 3, 32, 2048, key=KEY, exclude=[b"*.tmp"])[1],
]
(HERE / "roots").write_text("".join(root + "\n" for root in roots))
