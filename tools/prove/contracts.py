"""Contracts: what a kernel is given, and what it must give back. One class for each signature of the sources.

All of memory that a kernel may touch is here, as regions. A kernel that reads anything else, or writes anything but its
outputs and its stack frame, is refused.
"""

import random

import facts
from elf import Differs, Refuted
from machine import NOT_KNOWN, Region, State
from inside import evaluate, leaves, memo_of, substitute
from terms import Term, add, sub, times, unpack, var, word

MOST_BLOCKS = 1 << 55
INPUTS = 8
"""Random ones, of which one is looked for that tells what differs."""
GUESSED = ("forgotten", "unknown", "undefined")
"""Variables for what is not known of a place."""


class Contract:
    """The contract of any kernel: the frame, the registers that are restored, and how a difference is told."""

    total = 1
    """Blocks of each message: a number, or the variable that stands for any."""
    live = 1
    outputs = ()
    """Regions that the kernel is to write."""

    result = None
    """The place of a result that is too long for registers."""

    def __init__(self, machine, program, code, entry, hash_, layout, before=0):
        self.hash, self.layout, self.entry = hash_, layout, entry
        self.machine = machine(program, code, hash_.size, hash_.block, [], self.message)
        self.frame = self.machine.frame
        self.memory, self.ranges, self.orders = {"stack": {}}, {}, frozenset()
        self.states = {}
        self.before = before
        """Arguments of no use before those of the contract."""

    # -------------------------------------------------------------------------------------------------- what is given

    def region(self, name, size, writable=False, lane=None):
        r = Region(name, size, writable, lane)
        self.machine.regions[r.pointer] = r
        if lane is None:
            self.memory[name] = {}
        return r.pointer

    def fill(self, name, at, x, size):
        self.memory[name].update(zip(range(at, at + size), unpack(x, size)))

    def struct(self, name, kind, **fields):
        """A region of a struct of the sources. Every field must be given, and takes 8 bytes, or as it is told."""
        pointer = self.region(name, self.layout.size(kind), True)
        missing = set(self.layout.fields(kind)) ^ set(fields)
        if missing:
            raise Refuted("%s has other fields than the contract: %s" % (kind, ", ".join(sorted(missing))))
        for field, x in fields.items():
            at = self.layout.offset(kind, field)
            for part in x if type(x) is list else [x]:
                value, size = part if type(part) is tuple else (part, 8)
                self.fill(name, at, value, size)
                at += size
        return pointer

    def message(self, lane, offset):
        return var("m", self.hash.size, lane, offset, secret=True)

    def given(self):
        """The values of the arguments, as pairs of value and size."""
        raise NotImplementedError

    def start(self):
        st = State()
        machine, n = self.machine, self.machine.VECTOR_SIZE
        st.ranges, st.facts = self.ranges, {}
        self.initial = [unpack(var("register", 8, r, secret=True), 8) for r in machine.GENERAL]
        self.initial_vectors = [unpack(var("vector", n, i, secret=True), n) for i in range(machine.VECTORS)]
        st.g, st.v = list(self.initial), list(self.initial_vectors)
        arguments = self.given()
        if self.result is not None and machine.RESULT is not None:
            st.g[machine.RESULT] = unpack(self.result, 8)
        elif self.result is not None:
            arguments = [self.result, *arguments]
        for i, x in zip(machine.ARGUMENTS[self.before :], arguments):
            value, size = x if type(x) is tuple else (x, 8)
            st.g[i] = unpack(value, size) + st.g[i][size:]
        st.g[machine.STACK] = unpack(self.frame.pointer, 8)
        st.k = [[("unknown",)] * 64 for _ in range(8)]
        st.memory, st.flags, st.seen, st.turns, st.loop = self.memory, NOT_KNOWN, {}, 0, None
        st.ip, st.calls, st.orders = self.entry, (), self.orders
        return st

    # --------------------------------------------------------------------------------------- chaining values by blocks

    def initial_state(self, lane):
        raise NotImplementedError

    def advance(self, lane, state, done):
        """The state after a block that is not the last, by the standard."""
        raise NotImplementedError

    def state(self, lane, done):
        """The state after that many blocks that are not the last ones: variables, for a number that is a term."""
        sizes = [x.size for x in self.initial_state(lane)]
        return [var("after", n, lane, j, done, secret=j < 8) for j, n in enumerate(sizes)]

    def after(self, lane, done):
        """The state after a number of blocks, computed from the initial one."""
        key = lane, done
        if key not in self.states:
            if done == 0:
                self.states[key] = self.initial_state(lane)
            else:
                self.states[key] = self.advance(lane, self.after(lane, done - 1), done - 1)
        return self.states[key]

    # -------------------------------------------------------------------------------------------- what must be given back

    def expected(self, st, done):
        """The bytes that must be in memory after the last of `done` blocks: a list of lane, what, region, offset, size, values.

        Any of the values will do; they are equal by definition.
        """
        raise NotImplementedError

    def finish(self, st):
        """Refuses a path that has returned without having done what it should."""
        machine = self.machine
        if word(st.g[machine.STACK]) is not self.frame.pointer:
            raise Refuted("returns with another stack pointer")
        for i in machine.SAVED:
            if st.g[i] != self.initial[i]:
                raise Refuted("does not restore %s" % machine.GENERAL[i])
        for i, n in machine.SAVED_VECTORS.items():
            if st.v[i][:n] != self.initial_vectors[i][:n]:
                raise Refuted("does not restore the low %d bytes of vector register %d" % (n, i))
        done, where = self.total, "after any number of blocks"
        r = facts.bounds(st, facts.settle(st, done))
        if r and r[0] == r[1]:
            done = r[0]
            where = "after %d block%s" % (done, "s" * (done != 1))
            if done > 8:
                raise Refuted("returns after %d blocks" % done)
            self.define(st, done)
        memo, differ, number = memo_of(st.facts), [], 0
        for lane, what, region, at, size, values in self.expected(st, done):
            number += 1
            b = [st.memory[region].get(at + i) for i in range(size)]
            code = None if None in b else word(b)
            if code is None or not any(self.same(code, x, st.facts, memo) for x in values):
                differ.append((lane, what, code, values[0]))
        if differ:
            told, different = self.tell(differ[:4], st.facts, memo)
            raise (Differs if different else Refuted)("%s %d of %d outputs differ:\n%s" % (where, len(differ), number, told))

    def define(self, st, done):
        """Sets the variables that loops have left for the state, now that the number of blocks is known."""
        if type(self.total) is Term:
            st.facts.setdefault(self.total, done)
            for lane in range(self.live):
                for k in range(done + 1):
                    if k < done or not self.hash.has_last:
                        st.facts.update(zip(self.state(lane, k), self.after(lane, k)))

    def same(self, x, y, known, memo):
        return x is y or x == y or substitute(x, known, memo) == substitute(y, known, memo)

    def tell(self, differ, known, memo):
        """Text, and whether a number differs that depends on nothing but what the kernel is given."""
        lines, different = [], False
        for lane, what, code, right in differ:
            if code is None:
                lines.append("    lane %d: %s is not written" % (lane, what))
                continue
            for seed in range(INPUTS):
                env, memo1, rng = {}, {}, random.Random(seed)
                a, b = (evaluate(substitute(x, known, memo), env, memo1, rng) for x in (code, right))
                if a != b:
                    break
            different |= a != b and not any(y.args[0] in GUESSED for y in leaves(code))
            same = " (the same number: perhaps only the form differs)" if a == b else ""
            lines.append("    lane %d: %s: for one input the code gives %#x, the standard %#x%s" % (lane, what, a, b, same))
        return "\n".join(lines), different

    def ends(self, lane, st, done):
        """The state after the last block, as any of equal terms."""
        if type(done) is int:
            state = self.after(lane, 0 if done == 0 else done - 1)
            return [state if done == 0 else self.advance_last(lane, state, done - 1)]
        before = sub(8, done, 1)
        out = [self.advance_last(lane, self.state(lane, before), before)]
        if not self.hash.has_last:
            out.append(self.state(lane, done))
            # The last turn of a loop by two blocks. Code has the chaining value before it only where there is one.
            earlier = sub(8, done, 2)
            middle = self.advance(lane, self.state(lane, earlier), earlier)
            out.append(self.advance_last(lane, middle, before))
        return out

    def advance_last(self, lane, state, done):
        return self.advance(lane, state, done)


class OfChains(Contract):
    """Kernels that take blocks into chains: `chains` are structs of the hash, one for each lane."""

    outputs = ("chains",)

    def prepare(self, live, alike=False, lanes=True):
        self.live, self.alike = live, alike
        hash_ = self.hash
        self.chain_size = self.layout.size(hash_.chain)
        self.total = var("blocks", 8)
        self.chains = [hash_.new_chain(self, lane, alike, lanes) for lane in range(live)]

    def fill_chains(self):
        pointer = self.region("chains", self.chain_size * self.live, True)
        for lane, chain in enumerate(self.chains):
            for at, size, x in chain.fields(self.layout):
                self.fill("chains", self.chain_size * lane + at, x, size)
        return pointer

    def words(self, lane, done):
        hash_ = self.hash
        at = times(8, done, hash_.block * self.stride) if type(done) is Term else done * hash_.block * self.stride
        return [self.message(lane, add(8, at, hash_.size * j)) for j in range(16)]

    def initial_state(self, lane):
        return self.chains[lane].state()

    def advance(self, lane, state, done):
        return self.chains[lane].advance(state, self.words(lane, done), done, False)

    def advance_last(self, lane, state, done):
        return self.chains[lane].advance(state, self.words(lane, done), done, True)

    def expected(self, st, done):
        out = []
        for lane, chain in enumerate(self.chains):
            ends = self.ends(lane, st, done)
            fields = [chain.after(self.layout, end, done, self.total) for end in ends]
            for parts in zip(*fields):
                what, at, size, _ = parts[0]
                out.append((lane, what, "chains", self.chain_size * lane + at, size, [p[3] for p in parts]))
        return out


class OneMessage(OfChains):
    """`fn(&mut Chain, &[Block], Last)`: any number of blocks, also none, of one message.

    With `one_run` no block but the first carries into the upper counter word.
    """

    stride = 1

    def __init__(self, *args, one_run=False, **more):
        super().__init__(*args, **more)
        self.one_run = one_run

    def given(self):
        hash_ = self.hash
        self.prepare(1, lanes=self.one_run)
        self.ranges[self.total] = (hash_.least, MOST_BLOCKS)
        if self.one_run:
            self.orders = frozenset((self.total, run) for run in self.chains[0].longest_run())
        chains = self.fill_chains()
        blocks = self.region("message 0", times(8, self.total, hash_.block), lane=0)
        arguments = [chains, blocks, self.total]
        return arguments + [(self.chains[0].last, 1)] if self.takes_last else arguments

    takes_last = True


class Lanes(OfChains):
    """`fn(Run)`: messages side by side, `live` of them, with a stride and a hint that are numbers."""

    def __init__(self, *args, live, stride, hint, **more):
        super().__init__(*args, **more)
        self.live, self.stride, self.hint = live, stride, hint

    def given(self):
        hash_, live, stride = self.hash, self.live, self.stride
        self.prepare(live, alike=self.hint != "Nothing")
        if hash_.one_block(self.hint):
            self.total = 1
        else:
            self.ranges[self.total] = (1, MOST_BLOCKS // stride)
        chains, slices = self.fill_chains(), self.region("slices", 16 * live, True)
        last = self.region("last", live)
        for lane, chain in enumerate(self.chains):
            more = var("spare", 8, lane)
            self.ranges[more] = (0, 1 << 54)
            length = add(8, times(8, self.total, stride), 1 - stride, more)
            pointer = self.region("message %d" % lane, times(8, length, hash_.block), lane=lane)
            self.fill("slices", 16 * lane, pointer, 8)
            self.fill("slices", 16 * lane + 8, length, 8)
            self.fill("last", lane, chain.last, 1)
        run = self.struct(
            "run", hash_.run, count=self.total, stride=stride, chains=[chains, live], blocks=[slices, live],
            last=[last, live], hint=(self.layout.number("Known", self.hint), 1), ends=0,
        )  # fmt: skip
        return [run]

    def message(self, lane, offset):
        c = offset if type(offset) is int else offset.args[0] if offset.op == "add" else 0
        if self.hint == "Half" and c % self.hash.block >= self.hash.block // 2:
            return 0
        return super().message(lane, offset)
