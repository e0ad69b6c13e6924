"""The hashes as the library divides them: what a chain holds, before and after blocks."""

import specification
from terms import ONES, Term, add, carry, either, ext, masked, shr, sub, table, times, unpack, var, word, zext

FLAGS_OF_ALL, FLAGS_OF_FIRST, FLAGS_OF_LAST = 0xF4, 0x01, 0x0A
"""The bits of the flags of BLAKE3: of every block, of the first, and of the last in addition."""


def big_endian(size, x):
    return word(unpack(x, size)[::-1])


def sha256_of_64(iv, m):
    """The hash value of a message of 64 bytes: its block, and the one that pads it."""
    padding = [0x80000000] + [0] * 14 + [512]
    return specification.sha2(4, specification.sha2(4, iv, m), padding)


def sha256_of_32(iv, words, before=0):
    """The hash value of a message that ends with a block of 32 bytes, after `before` bytes that gave `iv`."""
    return specification.sha2(4, iv, [*words, 0x80000000, *[0] * 6, 256 + 8 * before])


def all_flags():
    return masked(1, var("flags", 1), FLAGS_OF_ALL)


def first_flag(*lane):
    return masked(1, var("first", 1, *lane), FLAGS_OF_FIRST)


def last_flags(lane):
    return masked(1, var("end", 1, lane), FLAGS_OF_LAST)


def flags(*parts):
    r = 0
    for p in parts:
        r = either(1, r, p)
    return zext(4, r)


def halves(counter):
    return [ext(counter, 0, 4), ext(counter, 4, 4)] if type(counter) is Term else [counter & ONES[4], counter >> 32]


def blake3_words(h, m, counter, length, flags_):
    return specification.blake3(h, m, halves(counter), length, flags_)


class Blake2:
    """BLAKE2b or BLAKE2s, by the size of a word."""

    least, has_last = 0, True

    def __init__(self, size):
        self.size, self.block = size, 16 * size
        self.name = "blake2b" if size == 8 else "blake2s"
        self.chain = "blake2::Chain<u%d>" % (8 * size)
        self.run, self.ends = ("%s<Flavour%s>" % (kind, self.name[-1].upper()) for kind in ("Run", "Ends"))
        self.hints = ("Nothing", "Alike", "Half")

    def one_block(self, hint):
        return hint == "Half"

    def new_chain(self, contract, lane, alike, lanes):
        return Blake2Chain(self, lane, alike, lanes)


class Blake2Chain:
    """A chaining value and a count of bytes, of which `low` and `high` are the halves."""

    def __init__(self, hash_, lane, alike, lanes):
        n, block = hash_.size, hash_.block
        self.hash, self.lanes = hash_, lanes
        of = 0 if alike else lane
        self.h = [var("h", n, of, j, secret=True) for j in range(8)]
        self.low, self.high = var("low", 8, lane), var("high", 8, lane)
        if alike and n == 8:  # the same upper word of the counter after the first block
            self.high = sub(8, var("upper", 8), carry(self.low, block))
        elif alike:
            self.low = sub(8, word(unpack(var("low", 4, lane), 4) + unpack(var("upper", 4), 4)), block)
        self.last = var("last", 1, of)
        self.flags = [table(n, self.last, v) for v in ((0, ONES[n], ONES[n]), (0, 0, ONES[n]))]

    def fields(self, layout):
        n, chain = self.hash.size, self.hash.chain
        h, count = layout.offset(chain, "h"), layout.offset(chain, "count")
        return [(h + n * j, n, x) for j, x in enumerate(self.h)] + [(count, 8, self.low), (count + 8, 8, self.high)]

    def state(self):
        """The chaining value, and the upper half of the count, which carries on the way."""
        return [*self.h, self.high]

    def advance(self, state, m, done, last, start=None):
        """`start` is the lower half of the count at the start of the message, if it is not the chain's."""
        n, block = self.hash.size, self.hash.block
        bytes_ = times(8, done, block) if type(done) is Term else done * block
        before = add(8, self.low if start is None else start, bytes_)
        low, high = add(8, before, block), add(8, state[8], carry(before, block))
        t = [low, high] if n == 8 else halves(low)
        if self.lanes:  # only the first block of a run may carry: `longest_run`
            t[1] = add(8, self.high, carry(self.low, block)) if n == 8 else halves(add(8, self.low, block))[1]
        f = self.flags if last else (0, 0)
        return [*specification.blake2(n, state[:8], m, t, f), high]

    def longest_run(self):
        """`Function::longest_run`: blocks until another than the first would carry into the upper counter word.

        In two forms, since the complement of a word and the complement of its upper bits are shifted alike.
        """
        n, block = self.hash.size, self.hash.block
        k = block.bit_length() - 1
        first = add(n, self.low if n == 8 else ext(self.low, 0, n), block)

        def blocks(x):
            whole = shr(n, x, k)
            return whole if n == 8 else zext(8, whole)

        return add(8, blocks(sub(n, ONES[n], first)), 1), sub(8, (ONES[n] >> k) + 1, blocks(first))

    def after(self, layout, state, done, total):
        n, block, chain = self.hash.size, self.hash.block, self.hash.chain
        h, count = layout.offset(chain, "h"), layout.offset(chain, "count")
        out = [("word %d of the chaining value" % j, h + n * j, n, state[j]) for j in range(8)]
        bytes_ = times(8, done, block) if type(done) is Term else done * block
        high = state[8]
        if self.lanes:
            bytes_total = times(8, total, block) if type(total) is Term else total * block
            high = add(8, self.high, carry(self.low, bytes_total))
        out.append(("the lower half of the count", count, 8, add(8, self.low, bytes_)))
        out.append(("the upper half of the count", count + 8, 8, high))
        return out


class Sha2:
    """SHA-256 or SHA-512, by the size of a word."""

    least, has_last = 0, False
    hints = ("Nothing", "Alike")

    def __init__(self, size):
        self.size, self.block = size, 16 * size
        self.name = "sha256" if size == 4 else "sha512"
        self.chain, self.run = self.name + "::Chain", "Run<%sFunction>" % self.name.capitalize()

    def one_block(self, hint):
        return False

    def new_chain(self, contract, lane, alike, lanes):
        return Sha2Chain(self, lane, alike)

    def compress(self, h, m):
        """The hash value after a block, of which `m` are the words as they lie in memory."""
        return specification.sha2(self.size, h, [big_endian(self.size, x) for x in m])


class Sha2Chain:
    def __init__(self, hash_, lane, alike):
        self.hash = hash_
        self.h = [var("h", hash_.size, 0 if alike else lane, j, secret=True) for j in range(8)]
        self.blocks, self.last = var("count", 8, lane), var("written", 1, lane)

    def places(self, layout, words, blocks):
        """The name, the place, the size and the value of each field."""
        n, chain = self.hash.size, self.hash.chain
        h = layout.offset(chain, "h")
        out = [("word %d of the hash value" % j, h + n * j, n, x) for j, x in enumerate(words)]
        return out + [("the number of blocks", layout.offset(chain, "blocks"), 8, blocks)]

    def fields(self, layout):
        return [place[1:] for place in self.places(layout, self.h, self.blocks)]

    def state(self):
        return self.h

    def advance(self, state, m, done, last):
        return self.hash.compress(state, m)

    def after(self, layout, state, done, total):
        return self.places(layout, state, add(8, self.blocks, done))


class Blake3:
    least, has_last = 1, True
    size, block, name = 4, 64, "blake3"
    chain, run = "blake3::Chain", "Run<Blake3Function>"
    hints = ("Nothing",)

    def one_block(self, hint):
        return False

    def new_chain(self, contract, lane, alike, lanes):
        return Blake3Chain(lane, alike)


class Blake3Chain:
    def __init__(self, lane, alike):
        self.h = [var("h", 4, 0 if alike else lane, j, secret=True) for j in range(8)]
        self.counter, self.missing = var("counter", 8, lane), var("missing", 1, lane)
        self.all = masked(1, var("flags", 1, lane), FLAGS_OF_ALL)
        self.first, self.last = first_flag(lane), last_flags(lane)

    def fields(self, layout):
        out = [(layout.offset("blake3::Chain", "h") + 4 * j, 4, x) for j, x in enumerate(self.h)]
        for field, size, x in self.others(self.first, self.missing):
            out.append((layout.offset("blake3::Chain", field), size, x))
        return out

    def others(self, first, missing):
        return [("counter", 8, self.counter), ("flags", 1, self.all), ("first", 1, first), ("missing", 1, missing)]

    def state(self):
        return self.h

    def advance(self, state, m, done, last):
        length = zext(4, sub(1, 64, self.missing)) if last else 64
        flags_ = flags(self.all, self.first if done == 0 else 0, self.last if last else 0)
        return blake3_words(state, m, self.counter, length, flags_)[:8]

    def after(self, layout, state, done, total):
        h = layout.offset("blake3::Chain", "h")
        out = [("word %d of the chaining value" % j, h + 4 * j, 4, state[j]) for j in range(8)]
        for field, size, x in self.others(0, 0):
            out.append((field, layout.offset("blake3::Chain", field), size, x))
        return out


HASHES = {"blake2b": Blake2(8), "blake2s": Blake2(4), "sha256": Sha2(4), "sha512": Sha2(8), "blake3": Blake3()}
