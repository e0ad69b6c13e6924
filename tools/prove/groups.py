"""Contracts of kernels that take whole inputs: nodes, groups, single blocks, and output blocks."""

import facts
import hashes
from contracts import MOST_BLOCKS, Contract
from elf import Refuted
from terms import Term, add, times, var, xor, zext


def digest_of_node(st, iv, message, twice):
    """The words of the digest of 64 bytes, or of this digest, from any initial hash value."""
    first = hashes.sha256_of_64(iv, [hashes.big_endian(4, message(4 * j)) for j in range(16)])
    twice = facts.settle(st, twice)
    if twice == 0:
        return first
    if twice != 1:
        raise Refuted("returns without having looked whether digests of digests are asked for")
    return hashes.sha256_of_32(iv, first)


class Nodes(Contract):
    """`fn(Nodes)`: digests of messages of 64 bytes, or of their digests, from any initial hash value."""

    outputs = ("digests",)

    def __init__(self, *args, live, **more):
        super().__init__(*args, **more)
        self.live = live

    def given(self):
        live = self.live
        self.iv = [var("iv", 4, j, secret=True) for j in range(8)]
        iv, slices = self.region("iv", 32), self.region("slices", 8 * live)
        for j, x in enumerate(self.iv):
            self.fill("iv", 4 * j, x, 4)
        for lane in range(live):
            self.fill("slices", 8 * lane, self.region("message %d" % lane, 64, lane=lane), 8)
        digests = self.region("digests", 32 * live, True)
        self.twice = var("twice", 1)
        nodes = self.struct(
            "nodes", "sha256::Nodes", iv=iv, written=(var("written", 1), 1), nodes=[slices, live], digests=[digests, live],
            twice=(self.twice, 1),
        )  # fmt: skip
        return [nodes]

    def expected(self, st, done):
        out = []
        for lane in range(self.live):
            h = digest_of_node(st, self.iv, lambda at: self.message(lane, at), self.twice)
            for j in range(8):
                out.append((lane, "word %d of the digest" % j, "digests", 32 * lane + 4 * j, 4, [hashes.big_endian(4, h[j])]))
        return out


class Node(Contract):
    """`fn(&[u32; 8], &[u8; 64], &mut [u8; 32])`: the digest of a message of 64 bytes, and with a `bool` maybe of this
    digest, from any initial hash value."""

    outputs = ("digest",)

    def __init__(self, *args, may_be_twice, **more):
        super().__init__(*args, **more)
        self.twice = var("twice", 1) if may_be_twice else 0

    def given(self):
        self.iv = [var("iv", 4, j, secret=True) for j in range(8)]
        iv = self.region("iv", 32)
        for j, x in enumerate(self.iv):
            self.fill("iv", 4 * j, x, 4)
        arguments = [iv, self.region("message 0", 64, lane=0), self.region("digest", 32, True)]
        # Callers extend a `bool` by zeros.
        return arguments if self.twice == 0 else [*arguments, (zext(4, self.twice), 4)]

    def expected(self, st, done):
        h = digest_of_node(st, self.iv, lambda at: self.message(0, at), self.twice)
        return [(0, "word %d of the digest" % j, "digest", 4 * j, 4, [hashes.big_endian(4, h[j])]) for j in range(8)]


class Iterate(Contract):
    """`fn(&mut [Iteration], u32)`: the exclusive or of a tag of HMAC-SHA-256 and of `count` more, each of the one before,
    from any hash values after the blocks of the key."""

    outputs = ("iterations",)

    def __init__(self, *args, live, count, **more):
        super().__init__(*args, **more)
        self.live, self.count = live, count

    def given(self):
        kind = "sha256::Iteration"
        self.step = self.layout.size(kind)
        iterations = self.region("iterations", self.step * self.live, True)
        self.fields = []
        for lane in range(self.live):
            words = {}
            for field in self.layout.fields(kind):
                words[field] = [var(field, 4, lane, j, secret=True) for j in range(8)]
                for j, x in enumerate(words[field]):
                    self.fill("iterations", self.step * lane + self.layout.offset(kind, field) + 4 * j, x, 4)
            self.fields.append(words)
        return [iterations, self.live, (self.count, 4)]

    def expected(self, st, done):
        out, kind = [], "sha256::Iteration"
        for lane, words in enumerate(self.fields):
            tag = sums = words["sum"]
            for _ in range(self.count):
                tag = hashes.sha256_of_32(words["outer"], hashes.sha256_of_32(words["inner"], tag, 64), 64)
                sums = [xor(4, x, y) for x, y in zip(sums, tag)]
            for field, values in (("inner", words["inner"]), ("outer", words["outer"]), ("sum", sums)):
                for j, x in enumerate(values):
                    at = self.step * lane + self.layout.offset(kind, field) + 4 * j
                    out.append((lane, "word %d of %s" % (j, field), "iterations", at, 4, [x]))
        return out


class Group(Contract):
    """`fn(Group)`: chaining values of inputs that begin with one key, of equally many blocks; or with `ends`, of `counts`
    blocks each before the last, which lies elsewhere."""

    outputs = ("outputs",)
    stride = 1

    def __init__(self, *args, live, counts=None, **more):
        super().__init__(*args, **more)
        self.live, self.counts = live, counts

    def given(self):
        live, size = self.live, 64
        if self.counts is None:
            self.total = var("blocks", 8)
            self.ranges[self.total] = (1, MOST_BLOCKS)
        self.key = [var("key", 4, j, secret=True) for j in range(8)]
        key, slices = self.region("key", 32), self.region("slices", 16 * live)
        for j, x in enumerate(self.key):
            self.fill("key", 4 * j, x, 4)
        lengths, last, counters = self.region("lengths", 16), self.region("last", 16), self.region("counters", 128)
        self.inputs = []
        for lane in range(16):
            end, length, counter = hashes.last_flags(lane), var("length", 1, lane), var("counter", 8, lane)
            self.fill("last", lane, end, 1)
            self.fill("lengths", lane, length, 1)
            self.fill("counters", 8 * lane, counter, 8)
            self.inputs.append((end, length, counter))
        for lane in range(live):
            if self.counts is None:
                more = var("spare", 8, lane)
                self.ranges[more] = (0, 1 << 54)
                length = add(8, self.total, more)
            else:
                length = self.counts[lane]
            pointer = self.region("message %d" % lane, times(8, length, size), lane=lane)
            self.fill("slices", 16 * lane, pointer, 8)
            self.fill("slices", 16 * lane + 8, length, 8)
        outputs = self.region("outputs", 32 * live, True)
        self.all, self.first = hashes.all_flags(), hashes.first_flag()
        count = self.total if self.counts is None else var("unused", 8)
        group = self.struct(
            "group", "blake3::Group", key=key, flags=(self.all, 1), first=(self.first, 1), last=last, lengths=lengths,
            counters=counters, count=count, inputs=[slices, live], ends=self.ends_of_inputs(), followed=(var("followed", 1), 1),
            outputs=[outputs, live],
        )  # fmt: skip
        return [group]

    def ends_of_inputs(self):
        """Places without an input have the count of the first, and any block."""
        if self.counts is None:
            return 0
        counts = [(x, 1) for x in (*self.counts, *self.counts[:1] * (16 - self.live))]
        blocks = [self.region("end %d" % lane, 64, lane=16 + lane) for lane in range(16)]
        return self.struct("ends", "blake3::Ends", counts=counts, blocks=blocks)

    def initial_state(self, lane):
        return self.key

    def block(self, lane, state, done, last):
        end, length, counter = self.inputs[lane]
        at = times(8, done, 64) if type(done) is Term else done * 64
        if last and self.counts is not None:
            lane, at = 16 + lane, 0
        m = [self.message(lane, add(8, at, 4 * j)) for j in range(16)]
        flags = hashes.flags(self.all, self.first if done == 0 else 0, end if last else 0)
        return hashes.blake3_words(state, m, counter, zext(4, length) if last else 64, flags)[:8]

    def advance(self, lane, state, done):
        return self.block(lane, state, done, False)

    def advance_last(self, lane, state, done):
        return self.block(lane, state, done, True)

    def expected(self, st, done):
        out = []
        for lane in range(self.live):
            if self.counts is None:
                (end,) = self.ends(lane, st, done)
            else:
                count = self.counts[lane]
                end = self.advance_last(lane, self.after(lane, count), count)
            for j in range(8):
                out.append((lane, "word %d of the chaining value" % j, "outputs", 32 * lane + 4 * j, 4, [end[j]]))
        return out


class Whole(Contract):
    """`fn(Whole)`: messages from one hash value, of `counts` blocks each, and of blocks that close them. Messages with the
    most come first. `None` is a message without a slice of blocks."""

    outputs = ("chains",)

    def __init__(self, *args, counts, **more):
        super().__init__(*args, **more)
        self.counts, self.live = counts, len(counts)

    def given(self):
        live, size, block, name = self.live, self.hash.size, self.hash.block, self.hash.name
        chain, message = self.hash.chain, name + "::Message"
        self.h = [var("h", size, j, secret=True) for j in range(8)]
        start, chains = self.region("start", 8 * size), self.region("chains", self.layout.size(chain) * live, True)
        step = self.layout.size(message)
        messages = self.region("messages", step * live)
        for j, x in enumerate(self.h):
            self.fill("start", size * j, x, size)
        for lane, (count, closing) in enumerate(self.counts):
            place = lambda field: step * lane + self.layout.offset(message, field)
            if count is None:
                self.fill("messages", place("blocks"), 0, 8)
                self.fill("messages", place("blocks") + 8, var("anything", 8, lane), 8)
            else:
                pointer = self.region("blocks of message %d" % lane, block * count, lane=lane)
                self.fill("messages", place("blocks"), pointer, 8)
                self.fill("messages", place("blocks") + 8, count, 8)
            for at in range(0, 3 * block, size):
                self.fill("messages", place("end") + at, self.message(live + lane, at), size)
            self.fill("messages", place("closing"), closing, 8)
            self.fill("chains", self.layout.size(chain) * lane + self.layout.offset(chain, "blocks"), var("count", 8, lane), 8)
        return [self.struct("whole", name + "::Whole", start=start, messages=[messages, live], chains=[chains, live])]

    def expected(self, st, done):
        out, hash_, chain = [], self.hash, self.hash.chain
        for lane, (count, closing) in enumerate(self.counts):
            h, at = self.h, self.layout.size(chain) * lane
            for of, first, number in ((lane, 0, count or 0), (self.live + lane, 1, closing)):
                for i in range(first, first + number):
                    h = hash_.compress(h, [self.message(of, hash_.block * i + hash_.size * j) for j in range(16)])
            for j in range(8):
                place = at + self.layout.offset(chain, "h") + hash_.size * j
                out.append((lane, "word %d of the hash value" % j, "chains", place, hash_.size, [h[j]]))
            blocks = at + self.layout.offset(chain, "blocks")
            out.append((lane, "the number of blocks", "chains", blocks, 8, [var("count", 8, lane)]))
        return out


class WholeInLanes(Contract):
    """`fn(Run)` with `ends`: whole messages of BLAKE2 from one chain, of `counts` blocks each before the last, which
    lies elsewhere. With `half` the upper half of each block is zeros."""

    outputs = ("chains",)

    def __init__(self, *args, live, counts, half=False, **more):
        super().__init__(*args, **more)
        self.live, self.counts, self.half = live, counts, half

    def given(self):
        hash_, live, layout = self.hash, self.live, self.layout
        self.start = hash_.new_chain(self, live, True, True)
        size = layout.size(hash_.chain)
        start, chains = self.region("start", size), self.region("chains", size * live, True)
        for at, n, x in self.start.fields(layout):
            self.fill("start", at, x, n)
        self.chains = [hash_.new_chain(self, lane, False, True) for lane in range(live)]
        slices, last = self.region("slices", 16 * live), self.region("last", live)
        ends = self.region("blocks of ends", 8 * live)
        for lane, (chain, count) in enumerate(zip(self.chains, self.counts)):
            for at, n, x in chain.fields(layout):
                self.fill("chains", size * lane + at, x, n)
            self.fill("slices", 16 * lane, self.region("message %d" % lane, hash_.block * count, lane=lane), 8)
            self.fill("slices", 16 * lane + 8, count, 8)
            self.fill("blocks of ends", 8 * lane, self.region("end %d" % lane, hash_.block, lane=live + lane), 8)
            self.fill("last", lane, self.start.last, 1)
        ends = self.struct("ends", hash_.ends, start=start, blocks=[ends, live])
        hint = layout.number("Known", "Half" if self.half else "Alike")
        run = self.struct(
            "run", hash_.run, count=self.counts[0] + 1, stride=1, chains=[chains, live], blocks=[slices, live],
            last=[last, live], hint=(hint, 1), ends=ends,
        )  # fmt: skip
        return [run]

    def message(self, lane, offset):
        if self.half and offset % self.hash.block >= self.hash.block // 2:
            return 0
        return super().message(lane, offset)

    def expected(self, st, done):
        hash_, layout, out = self.hash, self.layout, []
        for lane, (chain, count) in enumerate(zip(self.chains, self.counts)):
            state = self.start.state()
            for i in range(count + 1):
                of, at = (lane, hash_.block * i) if i < count else (self.live + lane, 0)
                m = [self.message(of, at + hash_.size * j) for j in range(16)]
                # The last count is the lane's own, without the zeros that fill up the block.
                low = self.start.low if i < count else chain.low
                state = self.start.advance(state, m, i, i == count, low)
            at = layout.size(hash_.chain) * lane
            h = at + layout.offset(hash_.chain, "h")
            out += [(lane, "word %d of the chaining value" % j, "chains", h + hash_.size * j, hash_.size, [state[j]]) for j in range(8)]
            bytes_ = at + layout.offset(hash_.chain, "count")
            out.append((lane, "the lower half of the count", "chains", bytes_, 8, [chain.low]))
            out.append((lane, "the upper half of the count", "chains", bytes_ + 8, 8, [chain.high]))
        return out


class OneBlock(Contract):
    """`fn(Block) -> [u8; 32]`, or with the fields of a block in registers: the chaining value after it."""

    outputs = ("digest",)

    def __init__(self, *args, in_registers, **more):
        super().__init__(*args, **more)
        self.in_registers = in_registers

    def given(self):
        self.key = [var("key", 4, j, secret=True) for j in range(8)]
        key = self.region("key", 32)
        for j, x in enumerate(self.key):
            self.fill("key", 4 * j, x, 4)
        block = self.region("message 0", 64, lane=0)
        self.length, self.flags, self.counter = var("length", 1), var("flags", 1), var("counter", 8)
        fields = dict(key=key, bytes=block, counter=self.counter, length=(self.length, 1), flags=(self.flags, 1))
        self.result = self.region("digest", 32, True)
        return list(fields.values()) if self.in_registers else [self.struct("block", "blake3::SingleBlock", **fields)]

    def expected(self, st, done):
        m = [self.message(0, 4 * j) for j in range(16)]
        h = hashes.blake3_words(self.key, m, self.counter, zext(4, self.length), zext(4, self.flags))
        return [(0, "word %d of the chaining value" % j, "digest", 4 * j, 4, [h[j]]) for j in range(8)]


class Output(Contract):
    """`fn(SingleBlock, &mut [[u8; 64]])`, or with the fields in registers and an array of blocks: `number` output blocks of
    a root."""

    outputs = ("blocks",)

    def __init__(self, *args, number, in_registers, **more):
        super().__init__(*args, **more)
        self.number, self.in_registers = number, in_registers

    def given(self):
        self.h = [var("h", 4, j, secret=True) for j in range(8)]
        self.m = [var("m", 4, j, secret=True) for j in range(16)]
        key, block = self.region("key", 32), self.region("block of the root", 64)
        for words, region in ((self.h, "key"), (self.m, "block of the root")):
            for j, x in enumerate(words):
                self.fill(region, 4 * j, x, 4)
        self.length, self.flags, self.counter = var("length", 1), var("flags", 1), var("counter", 8)
        fields = dict(key=key, bytes=block, counter=self.counter, length=(self.length, 1), flags=(self.flags, 1))
        blocks = self.region("blocks", 64 * self.number, True)
        if self.in_registers:
            return [*fields.values(), blocks]
        return [self.struct("root", "blake3::SingleBlock", **fields), blocks, self.number]

    def expected(self, st, done):
        out = []
        for i in range(self.number):
            counter = add(8, self.counter, i)
            words = hashes.blake3_words(self.h, self.m, counter, zext(4, self.length), zext(4, self.flags))
            for j, x in enumerate(words):
                out.append((i, "word %d of the output block" % j, "blocks", 64 * i + 4 * j, 4, [x]))
        return out
