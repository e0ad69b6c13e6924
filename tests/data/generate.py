#!/usr/bin/env python3
"""Generate the test vectors of BLAKE2, and those of SHA-2 in sha2, that lie next to this script.

How to run (Python 3.6 or newer, standard library only, from any directory):

    python3 tests/data/generate.py            rewrite all .txt files that say so
    python3 tests/data/generate.py --check    verify them; exit status 1 if they differ

The oracles are Python's hashlib.blake2b and hashlib.blake2s, which take every tree
parameter, hashlib.sha224 to hashlib.sha512, OpenSSL's SHA-512/t by hashlib.new, and Python's hmac over all of them. With --check some
unkeyed digests are also compared with `b2sum`, `sha224sum`, `sha256sum` and `openssl`, where they
are installed. The output depends on nothing but this file.

Format: lines starting with `#` are comments. Every other line is one vector, made
of `name=value` fields separated by one space, `length` first and `digest` last.
Numbers are decimal, byte strings are lowercase hex. The message is given by its
length only: byte i of every message is i % 251. The header of each file, below,
lists its fields.
"""

import collections
import hashlib
import hmac
import itertools
import os
import subprocess
import sys

HEADER = """\
# {name} test vectors. Written by generate.py: do not edit.
#
# One vector a line, as name=value fields. Byte i of the message is i % 251.
# `length` and `digest` are always present; any other field only if it is not the
# default, in this order:
#   length            message length in bytes
#   hash_length       digest length in bytes, 1..{longest} (default {longest})
#   key               hex, up to {longest} bytes (default empty)
#   salt, personal    hex, up to {text} bytes, zero-padded to {text} (default empty)
#   fanout            0..255 (default 1)
#   max_depth         1..255 (default 1)
#   max_leaf_length   0..2^32-1 (default 0)
#   node_offset       0..2^{offset_bits}-1 (default 0)
#   node_depth        0..255 (default 0)
#   inner_hash_length 0..{longest} (default 0)
#   last_node         1 if set (default 0)
#   digest            hex
"""

BT2SUM_HEADER = """\
# Test vectors of the bt2sum tree hash. Written by generate.py: do not edit.
#
# One vector a line, as name=value fields, all always present, in this order:
#   length       message length in bytes; byte i of the message is i % 251
#   chunk        leaf length in bytes
#   hash_length  digest length in bytes, of the leaves too
#   digest       hex
#
# Every node has fanout 0, max_depth 2, max_leaf_length = chunk and
# inner_hash_length = hash_length. Leaf i has node_depth 0 and node_offset i; the
# final leaf is a last node. The root has node_depth 1 and node_offset 0, is a last
# node, and hashes the concatenated leaf digests. An empty message has one empty leaf.
"""

TREE_HEADER = """\
# Test vectors of {name} trees of any fanout and depth. Written by generate.py: do not edit.
#
# One vector a line, as name=value fields, in this order:
#   length               message length in bytes; byte i of the message is i % 251
#   hash_length          of the root
#   key, salt, personal  hex, of every node; only if not empty
#   fanout               0 is unlimited
#   max_depth
#   max_leaf_length      leaf length in bytes
#   inner_hash_length    of leaves and inner nodes
#   digest               hex
#
# Leaf i has node_depth 0 and node_offset i. A node above has the next node_depth and
# hashes the concatenated digests of up to fanout nodes below. The root is the only
# node of its depth, but never a leaf. It has node_offset 0. At node_depth max_depth - 1,
# or 1 if the fanout is unlimited, it hashes the digests of all nodes below. The final
# node of every depth is a last node. An empty message has one empty leaf.
"""

SHA2_HEADER = """\
# Test vectors of {name}. Written by generate.py: do not edit.
#
# One vector a line, as name=value fields, all always present, in this order:
#   length  message length in bytes; byte i of the message is i % 251
#   digest  hex, {longest} bytes
"""

HMAC_HEADER = """\
# Test vectors of HMAC with {name}. Written by generate.py: do not edit.
#
# One vector a line, as name=value fields, all always present, in this order:
#   length  message length in bytes; byte i of the message is i % 251
#   key     hex, maybe empty, maybe longer than a block
#   digest  hex, {longest} bytes
"""

# Field name, hashlib's name for it, default; in the order they are written.
FIELDS = [
    ("hash_length", "digest_size", None),  # the longest
    ("key", "key", b""),
    ("salt", "salt", b""),
    ("personal", "person", b""),
    ("fanout", "fanout", 1),
    ("max_depth", "depth", 1),
    ("max_leaf_length", "leaf_size", 0),
    ("node_offset", "node_offset", 0),
    ("node_depth", "node_depth", 0),
    ("inner_hash_length", "inner_size", 0),
    ("last_node", "last_node", 0),
]

# Digest length of the longest series, to keep the file small.
SHORT = 16

# `longest` is bytes of the longest digest and key, `text` of salt and of personalisation,
# and `digests` some digest lengths.
Flavour = collections.namedtuple("Flavour", "name hash longest block text offset_bits digests")

BLAKE2B = Flavour("BLAKE2b", hashlib.blake2b, 64, 128, 16, 64, [1, 20, 32, 48, 63, 64])
BLAKE2S = Flavour("BLAKE2s", hashlib.blake2s, 32, 64, 8, 48, [1, 16, 20, 28, 31, 32])

# Of SHA-2 there are no more parameters.
Sha2 = collections.namedtuple("Sha2", "name hash longest block")

SHA224 = Sha2("SHA-224", hashlib.sha224, 28, 64)
SHA256 = Sha2("SHA-256", hashlib.sha256, 32, 64)
SHA384 = Sha2("SHA-384", hashlib.sha384, 48, 128)
SHA512 = Sha2("SHA-512", hashlib.sha512, 64, 128)
SHA512_224 = Sha2("SHA-512/224", lambda data=b"": hashlib.new("sha512_224", data), 28, 128)
SHA512_256 = Sha2("SHA-512/256", lambda data=b"": hashlib.new("sha512_256", data), 32, 128)

# By the names of files.
SHA2 = {
    "sha224": SHA224, "sha256": SHA256, "sha384": SHA384, "sha512": SHA512,
    "sha512_224": SHA512_224, "sha512_256": SHA512_256,
}


def header(text, flavour):
    return text.format(**flavour._asdict())


def tree_values(flavour):
    """Values worth trying of each tree field, and one more than its largest value."""
    offsets = [0, 1, 2**8, 2**31, 2**32 - 1, 2**32, 2**48 - 1, 2**48, 2**63, 2**64 - 1]
    longest = flavour.longest
    return {
        "fanout": ([0, 1, 2, 3, 254, 255], 2**8),
        "max_depth": ([1, 2, 3, 254, 255], 2**8),
        "max_leaf_length": ([0, 1, 4096, 2**31, 2**32 - 1], 2**32),
        "node_offset": (
            [n for n in offsets if n < 2**flavour.offset_bits],
            2**flavour.offset_bits,
        ),
        "node_depth": ([0, 1, 2, 254, 255], 2**8),
        "inner_hash_length": (
            [0, 1, longest // 2 - 1, longest // 2, longest - 1, longest], longest + 1,
        ),
        "last_node": ([0, 1], 2),
    }


def paint(length):
    """The message of the given length."""
    return (bytes(range(251)) * (length // 251 + 1))[:length]


def key(length):
    return bytes((i * 7 + 1) & 0xFF for i in range(length))


def salt(length):
    return bytes((i * 11 + 3) & 0xFF for i in range(length))


def personal(length):
    return bytes((i * 13 + 5) & 0xFF for i in range(length))


class Lcg:
    """Knuth's MMIX generator: the same numbers on every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def next_u32(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> 32

    def below(self, bound):
        return (self.next_u32() << 32 | self.next_u32()) % bound

    def choose(self, values, lowest, bound):
        """One of `values` or any number in lowest..bound, equally often."""
        if self.below(2):
            return values[self.below(len(values))]
        return lowest + self.below(bound - lowest)


def line(fields, digest):
    fields = ["%s=%s" % (n, v.hex() if isinstance(v, bytes) else v) for n, v in fields]
    return " ".join(fields + ["digest=" + digest.hex()])


def vector(flavour, length, **params):
    """One line of blake2b.txt or blake2s.txt."""
    defaults = ((n, py, flavour.longest if n == "hash_length" else d) for n, py, d in FIELDS)
    used = [(n, py, params.pop(n, d), d) for n, py, d in defaults]
    assert not params, "unknown fields: %s" % params
    used = [(n, py, v) for n, py, v, d in used if v != d]
    digest = flavour.hash(paint(length), **{py: v for _, py, v in used}).digest()
    return line([("length", length)] + [(n, v) for n, _, v in used], digest)


def plain_vectors(flavour):
    longest, block = flavour.longest, flavour.block
    for length in range(8 * block + 2):
        near_block_edge = (length + 3) % block <= 6
        full = length <= 300 or near_block_edge
        yield vector(flavour, length, hash_length=longest if full else SHORT)


def keyed_vectors(flavour):
    longest, block = flavour.longest, flavour.block
    edges = {n + d for n in range(2 * block, 8 * block + 1, block) for d in (-1, 0, 1)}
    for length in sorted(set(range(2 * block + 5)) | edges):
        yield vector(flavour, length, key=key(longest))
    for key_length in range(1, longest + 1):
        for length in (0, 1, block, block + 1, 2 * block - 1, 2 * block, 2 * block + 1):
            yield vector(flavour, length, hash_length=SHORT, key=key(key_length))


def hash_length_vectors(flavour):
    for hash_length in range(1, flavour.longest + 1):
        for length in (0, 3, flavour.block, flavour.block + 1):
            for key_length in (0, flavour.longest // 2):
                yield vector(flavour, length, hash_length=hash_length, key=key(key_length))


def salt_vectors(flavour):
    most, half = flavour.text, flavour.text // 2
    pairs = [(n, 0) for n in range(most + 1)] + [(0, n) for n in range(most + 1)]
    pairs += [(1, 1), (1, most), (half - 1, half + 1), (half, half)]
    pairs += [(most - 1, most), (most, 1), (most, most - 1), (most, most)]
    for s, p in pairs:
        for length in (0, 100, flavour.block, 300):
            yield vector(flavour, length, salt=salt(s), personal=personal(p))


def tree_vectors(flavour):
    for name, (values, _) in tree_values(flavour).items():
        for value in values:
            for length in (0, flavour.block + 1):
                yield vector(flavour, length, **{name: value})


def mixed_vectors(flavour):
    longest, block, text = flavour.longest, flavour.block, flavour.text
    lengths = [0, 1] + [n * block + d for n in (1, 2) for d in (-1, 0, 1)] + [3 * block, 3 * block + 1]
    rng = Lcg(2012)
    for _ in range(300):
        length = rng.choose(lengths, 0, 401)
        params = {
            "hash_length": rng.choose(flavour.digests, 1, longest + 1),
            "key": key(rng.choose([0, 0, 1, longest // 2, longest], 0, longest + 1)),
            "salt": salt(rng.choose([0, 0, 1, text], 0, text + 1)),
            "personal": personal(rng.choose([0, 0, 1, text], 0, text + 1)),
        }
        for name, (values, bound) in tree_values(flavour).items():
            params[name] = rng.choose(values, values[0], bound)
        yield vector(flavour, length, **params)


def bt2sum(message, chunk, hash_length):
    """The bt2sum digest of a message; see BT2SUM_HEADER."""

    def node(data, depth, offset, last):
        return hashlib.blake2b(
            data, digest_size=hash_length, fanout=0, depth=2, leaf_size=chunk,
            node_offset=offset, node_depth=depth, inner_size=hash_length, last_node=last,
        ).digest()

    leaves = [message[i : i + chunk] for i in range(0, len(message), chunk)] or [b""]
    digests = [node(x, 0, i, i == len(leaves) - 1) for i, x in enumerate(leaves)]
    return node(b"".join(digests), 1, 0, True)


def tree(flavour, message, **params):
    """The root of a message; see TREE_HEADER."""
    fanout, max_depth = params["fanout"], params["max_depth"]
    own = ("hash_length", "inner_hash_length")
    common = {py: params[n] for n, py, _ in FIELDS if n in params and n not in own}

    def node(data, depth, offset, last, length):
        return flavour.hash(
            data, digest_size=length, inner_size=params["inner_hash_length"],
            node_offset=offset, node_depth=depth, last_node=last, **common
        ).digest()

    def nodes(data, depth, length):
        inputs = [data[i : i + length] for i in range(0, len(data), length)] or [b""]
        inner, last = params["inner_hash_length"], len(inputs) - 1
        return [node(x, depth, i, i == last, inner) for i, x in enumerate(inputs)]

    below = nodes(message, 0, params["max_leaf_length"])
    for depth in range(1, max_depth):
        children = b"".join(below)
        if fanout == 0 or depth == max_depth - 1 or len(below) <= fanout:
            return node(children, depth, 0, True, params["hash_length"])
        below = nodes(children, depth, fanout * params["inner_hash_length"])


def tree_line(flavour, length, **params):
    """One line of tree.txt or tree_blake2s.txt."""
    texts = ("key", "salt", "personal")
    fields = [(n, params[n]) for n, _, _ in FIELDS if n in params and (n not in texts or params[n])]
    return line([("length", length)] + fields, tree(flavour, paint(length), **params))


# The longest message of tree.txt, and the most leaves, but for two messages.
TREE_LIMIT = 33000
LEAF_LIMIT = 600


def tree_lengths(fanout, max_depth, leaf):
    """Around the ends of leaves, and where nodes and depths begin."""
    counts = [1, 2, 5, 2 * fanout] + [fanout**i for i in range(1, max_depth + 1)]
    lengths = {0} | {n * leaf + d for n in counts if 0 < n <= LEAF_LIMIT for d in (-1, 0, 1)}
    return sorted(n for n in lengths if n <= TREE_LIMIT)


def general_tree_vectors(flavour):
    longest, block, text = flavour.longest, flavour.block, flavour.text
    leaves = (1, block - 1, block, block + 1, 4096)
    for fanout, max_depth, leaf in itertools.product((2, 3, 255, 0), (2, 3, 4, 5), leaves):
        for length in tree_lengths(fanout, max_depth, leaf):
            # Digest lengths in turn, rather than all with all.
            inner = (longest // 2, longest // 4, longest, longest // 2 + 1, 1)[length % 5]
            yield tree_line(
                flavour, length, hash_length=SHORT, fanout=fanout, max_depth=max_depth,
                max_leaf_length=leaf, inner_hash_length=inner,
            )

    # The only nodes of the widest fanout at depth 2.
    for length in (255**2, 255**2 + 1):
        yield tree_line(
            flavour, length, hash_length=SHORT, fanout=255, max_depth=4, max_leaf_length=1,
            inner_hash_length=20,
        )

    rng = Lcg(210)
    for _ in range(120):
        params = {
            "hash_length": rng.choose([1, longest // 2, longest], 1, longest + 1),
            "key": key(rng.choose([0, 1, longest], 0, longest + 1)),
            "salt": salt(rng.choose([0, text], 0, text + 1)),
            "personal": personal(rng.choose([0, text], 0, text + 1)),
            "fanout": rng.choose([0, 2, 3, 255], 2, 256),
            "max_depth": rng.choose([2, 3, 4, 255], 2, 256),
            "max_leaf_length": rng.choose([1, 2, block - 1, block, block + 1], 1, 300),
            "inner_hash_length": rng.choose([1, longest - 1, longest], 1, longest + 1),
        }
        yield tree_line(flavour, rng.below(60 * params["max_leaf_length"]), **params)


def hmac_vectors(flavour):
    longest, block = flavour.longest, flavour.block
    near = [n + d for n in (longest, block) for d in (-1, 0, 1)]
    for key_length in [0, 1, longest // 2] + near + [200, 2 * block, 2 * block + 1]:
        for length in (0, 1, block - 1, block, block + 1, 2 * block, 500):
            digest = hmac.new(key(key_length), paint(length), flavour.hash).digest()
            yield line([("length", length), ("key", key(key_length))], digest)


def sha2_vectors(flavour):
    block, field = flavour.block, flavour.block // 8
    edges = {n + d for n in range(block, 16 * block + 1, block) for d in (-field - 1, -field, -1, 0, 1)}
    for length in sorted(set(range(301)) | edges | {4095, 4096, 4097, 17 << 10}):
        yield line([("length", length)], flavour.hash(paint(length)).digest())


def sha2_hmac_vectors(flavour):
    # 20 is the shortest key that RFC 2104 finds long enough for SHA-1; 64 is a block.
    lengths = (0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 129, 500)
    if flavour.block == 128:
        lengths = (0, 1, 111, 112, 127, 128, 129, 239, 240, 256, 257, 500)
    for key_length in (0, 1, 20, flavour.longest, 63, 64, 65, 127, 128, 129, 200):
        for length in lengths:
            digest = hmac.new(key(key_length), paint(length), flavour.hash).digest()
            yield line([("length", length), ("key", key(key_length))], digest)


MIB5 = 5 * 2**20  # the default chunk


def bt2sum_vectors():
    for chunk in (1, 127, 128, 129, 4096, MIB5):
        lengths = {0, 1, 12, 1000}
        if chunk != MIB5:
            lengths = {0, 1, 5 * chunk + 3}
            lengths |= {n * chunk + d for n in (1, 2) for d in (-1, 0, 1)}
        for length in sorted(lengths):
            for hash_length in (64, 40, 32, 1):
                digest = bt2sum(paint(length), chunk, hash_length)
                fields = [("length", length), ("chunk", chunk), ("hash_length", hash_length)]
                yield line(fields, digest)


# Published digests: message, chunk, digest.
KNOWN_BT2SUM = [
    (b"hello s3git\n", MIB5,
     "18e622875a89cede0d7019b2c8afecf8928c21eac18ec51e38a8e6b829b82c3e"
     "f306dec34227929fa77b1c7c329b3d4e50ed9e72dc4dc885be0932d3f28d7053"),
    (b"hello s3git\n", MIB5,
     "919f330a1b4a3a02aced735e7675905c159b99e07e0c8aa087d0327b26e4d3aa8323bc82962b8e8e"),
    (bytes(6000), 4096,
     "724b5876d9120855dcf220ee7815a697c6559575aa79d9e2b9f63f06c9f22e53"
     "2fc32bf356ef1ab26ff776ea960edeb31c54769460f87489f59ae8045122705d"),
    (b"", MIB5,
     "27f6cd321af6c9135369ac75d1af12aa9f404c0ca5272704cc07594b0439be0a"
     "aa53df4c4d5ea0d22ab79a034130ee7f73a5bab4ee498bef69b667b5a58d1d98"),
]


def self_test():
    for message, chunk, digest in KNOWN_BT2SUM:
        n = len(digest) // 2
        general = tree(
            BLAKE2B, message, hash_length=n, fanout=0, max_depth=2, max_leaf_length=chunk, inner_hash_length=n,
        )
        if not bt2sum(message, chunk, n).hex() == general.hex() == digest:
            sys.exit("self-test failed: bt2sum, %d bytes, chunk %d" % (len(message), chunk))


def generate():
    """The contents of each file, by its name."""

    def sequential(flavour):
        series = (
            plain_vectors, keyed_vectors, hash_length_vectors, salt_vectors, tree_vectors, mixed_vectors,
        )
        return itertools.chain.from_iterable(vectors(flavour) for vectors in series)

    files = {
        "blake2b.txt": (header(HEADER, BLAKE2B), sequential(BLAKE2B)),
        "blake2s.txt": (header(HEADER, BLAKE2S), sequential(BLAKE2S)),
        "bt2sum.txt": (BT2SUM_HEADER, bt2sum_vectors()),
        "tree.txt": (header(TREE_HEADER, BLAKE2B), general_tree_vectors(BLAKE2B)),
        # Every third, for the shapes are those of tree.txt.
        "tree_blake2s.txt": (
            header(TREE_HEADER, BLAKE2S), itertools.islice(general_tree_vectors(BLAKE2S), 0, None, 3),
        ),
        "hmac.txt": (header(HMAC_HEADER, BLAKE2B), hmac_vectors(BLAKE2B)),
        "hmac_blake2s.txt": (header(HMAC_HEADER, BLAKE2S), hmac_vectors(BLAKE2S)),
    }
    for name, flavour in SHA2.items():
        files["sha2/%s.txt" % name] = (header(SHA2_HEADER, flavour), sha2_vectors(flavour))
        files["sha2/hmac_%s.txt" % name] = (header(HMAC_HEADER, flavour), sha2_hmac_vectors(flavour))
    # dict.fromkeys drops the vectors that several series share.
    return {
        name: (begin + "".join(v + "\n" for v in dict.fromkeys(vectors))).encode()
        for name, (begin, vectors) in files.items()
    }


def differs(path, want):
    """Report the first line in which the file at `path` is not `want`, if any."""
    try:
        with open(path, "rb") as f:
            have = f.read()
    except OSError as e:
        print("%s: %s" % (path, e.strerror))
        return True
    pairs = itertools.zip_longest(have.split(b"\n"), want.split(b"\n"))
    for number, (a, b) in enumerate(pairs, 1):
        if a != b:
            print("%s:%d: differs" % (path, number))
            print("  have: %s" % ("(end of file)" if a is None else ascii(a)[2:-1]))
            print("  want: %s" % ("(end of file)" if b is None else ascii(b)[2:-1]))
            return True
    return False


def cross_check():
    """Compare hashlib with other programs. True if any of them disagrees."""
    lengths = (0, 1, 127, 128, 129, 255, 256, 257, 1000, 1025)
    programs = [
        ("b2sum", lambda n: ["b2sum", "-l", str(8 * n)], BLAKE2B, (64, 48, 32, 20, 1)),
        ("openssl", lambda n: ["openssl", "dgst", "-r", "-blake2b512"], BLAKE2B, (64,)),
        ("openssl", lambda n: ["openssl", "dgst", "-r", "-blake2s256"], BLAKE2S, (32,)),
        ("openssl", lambda n: ["openssl", "dgst", "-r", "-sha224"], SHA224, (28,)),
        ("openssl", lambda n: ["openssl", "dgst", "-r", "-sha256"], SHA256, (32,)),
        ("openssl", lambda n: ["openssl", "dgst", "-r", "-sha384"], SHA384, (48,)),
        ("openssl", lambda n: ["openssl", "dgst", "-r", "-sha512"], SHA512, (64,)),
        ("openssl", lambda n: ["openssl", "dgst", "-r", "-sha512-224"], SHA512_224, (28,)),
        ("openssl", lambda n: ["openssl", "dgst", "-r", "-sha512-256"], SHA512_256, (32,)),
        ("sha224sum", lambda n: ["sha224sum"], SHA224, (28,)),
        ("sha384sum", lambda n: ["sha384sum"], SHA384, (48,)),
        ("sha512sum", lambda n: ["sha512sum"], SHA512, (64,)),
        ("sha256sum", lambda n: ["sha256sum"], SHA256, (32,)),
    ]
    failed = False
    for name, command, flavour, hash_lengths in programs:
        try:
            for length, n in itertools.product(lengths, hash_lengths):
                run = subprocess.run(
                    command(n), input=paint(length), check=True,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                )
                size = {"digest_size": n} if isinstance(flavour, Flavour) else {}
                want = flavour.hash(paint(length), **size).hexdigest()
                if run.stdout.decode().split()[:1] != [want]:
                    print("%s disagrees: length %d, hash_length %d" % (name, length, n))
                    failed = True
        except FileNotFoundError:
            print("note: %s is not installed, cross-check skipped" % name)
        except (OSError, subprocess.CalledProcessError) as e:
            print("note: %s does not work, cross-check skipped (%s)" % (name, e))
    return failed


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: generate.py [--check]")
    self_test()
    directory = os.path.dirname(os.path.abspath(__file__))
    files = {os.path.join(directory, n): want for n, want in generate().items()}
    if sys.argv[1:]:
        failures = [differs(path, want) for path, want in files.items()]
        failures.append(cross_check())
        sys.exit(1 if any(failures) else 0)
    for path, want in files.items():
        with open(path, "wb") as f:
            f.write(want)


if __name__ == "__main__":
    main()
