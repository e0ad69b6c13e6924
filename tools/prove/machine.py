"""A processor on terms: its state, its memory, and its conditions. Each instruction set has a class for the rest."""

import facts
from elf import NotModelled, Refuted
from inside import leaves, show
from terms import Term, Unknown, add, carry, signed, sub, table, unpack, var, word

FRAME = 1 << 16
"""A kernel's stack frame at most, in bytes, and so what is below a stack pointer that was rounded down."""

NOT_KNOWN = ("unknown", 8, 0, 0)


class State:
    """The processor at a point of a path, and the facts that the path knows.

    `flags` is the last instruction that set them: its kind, its size and its operands. `orders` are pairs of public words,
    the first of which is not above the second. `calls` are the addresses of the calls that led to the part it is in. They
    tell which paths meet, and are no matter of right or wrong: a part returns to what the stack holds.
    """

    __slots__ = ("ip", "calls", "g", "v", "k", "memory", "flags", "facts", "ranges", "seen", "turns", "loop", "counts", "orders")

    def copy(self):
        s = State()
        s.ip, s.flags, s.turns, s.loop, s.counts = self.ip, self.flags, self.turns, self.loop, self.counts
        s.calls = self.calls
        s.g, s.v, s.k = list(self.g), list(self.v), list(self.k)
        s.memory = {name: dict(b) for name, b in self.memory.items()}
        s.orders = self.orders
        s.facts, s.ranges, s.seen = dict(self.facts), dict(self.ranges), dict(self.seen)
        return s

    @property
    def where(self):
        """The place of the path: it is another one for each call of a part. Places inside a call are next to the call."""
        return (*self.calls, self.ip)

    def count_branch(self, d):
        """Notes a branch on the number of blocks alone, of which loops are made: in a lane there may be more blocks."""
        found = leaves(d)
        if any(y in self.counts for y in found) and not any(y.args[0] == "spare" for y in found):
            self.turns += 1


class Region:
    """The bytes that a pointer argument points to; of a message, the words of a lane."""

    base, cut, multiple = None, None, 1
    """The region in which the stack pointer was before it was rounded down to a multiple, and where, for what is below."""

    def __init__(self, name, size, writable=False, lane=None):
        self.name, self.size, self.writable, self.lane = name, size, writable, lane
        self.pointer = var("pointer", 8, name)


class Machine:
    """An instruction set, as far as all are alike. A class of one says what is named here, executes its instructions, and
    decodes them by `decode(program, address, size)`: by address, a mnemonic, operands, and the address of the next one.

    `size` is the size of the hash's words, and `block` of its blocks; `message` makes the word at a place.
    """

    GENERAL = ()
    """Names of the general registers, each of 8 bytes."""
    STACK = 0
    """The stack pointer among them."""
    ARGUMENTS, RESULT = (), None
    """Registers that hold arguments, and the one for the place of a result, if that is no argument."""
    SAVED, SAVED_VECTORS = (), {}
    """Registers that the caller gets back as they were, and the low bytes of vector registers of which that is true."""
    VECTORS, VECTOR_SIZE = 32, 64
    RETURN_ADDRESS = 0
    """Bytes that it takes above the frame."""
    RETURNS, STOPS = ("ret",), ()
    """Instructions that return, and those after which nothing comes."""
    decode = None
    parts = frozenset()
    """Addresses of the functions that may be called."""

    def __init__(self, program, code, size, block, regions, message):
        self.program, self.code, self.size, self.block, self.message = program, code, size, block, message
        self.regions = {r.pointer: r for r in regions}
        self.frame = Region("stack", 0, True)
        self.regions[self.frame.pointer] = self.frame
        self.stacks = {self.frame.name: self.frame}
        """The frame, and what is below each stack pointer that was rounded down."""
        self.steps = 0
        self.used = set()
        self.targets = {to for op, args, _ in code.values() for to in self.ways(op, args)[0]}

    def execute(self, st, op, args, following):
        """The states after an instruction; `following` is the address of the next one."""
        raise NotImplementedError

    def ways(self, op, args):
        """The addresses to which an instruction may go, and whether it may go on to the next one."""
        raise NotImplementedError

    @staticmethod
    def goes_to(op, args):
        """The addresses that an instruction jumps to or calls, where calls are followed."""
        return []

    def follow(self, op, args, following, kind, i):
        """The addresses of the instructions that may be the next to use register `i`, for what does not use it. A mistake
        here can only make a proof fail."""
        to, goes_on = self.ways(op, args)
        return [*to, following] if goes_on else to

    def use(self, op, args, kind, i):
        """True if an instruction may read register `i` of kind g, v or flags, False if it sets all of it or nothing comes
        after it, None else. A mistake here can only make a proof fail."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------------- conditions

    def condition(self, st, cc):
        """Whether a condition holds: pairs of an answer and the state in which it does. It is one of e (equal), b (below),
        be, l (less, signed), le, s (negative), o (overflow), or the contrary of one."""
        if cc in NEGATED:
            return [(not b, s) for b, s in self.condition(st, NEGATED[cc])]
        kind, size, x, y = st.flags
        if kind == "count" and cc == "b":  # inc and dec leave the carry as it was, and nothing else
            st.flags = y
            return self.condition(st, cc)
        if cc in ("o", "b") and kind == "product":
            return [(bool(x), st)]
        if cc == "e":
            if kind in ("sub", "add"):
                return facts.zero(st, size, sub(size, x, y) if kind == "sub" else add(size, x, y))
            if kind in ("logic", "count", "shift"):
                return facts.zero(st, size, x)
        if cc == "b":
            if kind == "logic":
                return [(False, st)]
            if kind == "sub":
                return facts.less(st, size, x, y)
            if kind == "add":
                return self.carries(st, size, x, y)
            if kind == "bit":
                return [(not b, s) for b, s in facts.zero(st, size, x)]
        if cc == "be":
            if kind == "sub":
                return [(not b, s) for b, s in facts.less(st, size, y, x)]
            if kind == "logic":
                return facts.zero(st, size, x)
        if cc in ("l", "le", "s") and kind in ("logic", "sub"):
            return self.sign(st, cc, kind, size, x, y)
        raise Refuted("condition %s after %s" % (cc, kind))

    def carries(self, st, size, x, y):
        x, y = facts.settle(st, x), facts.settle(st, y)
        if type(x) is int and type(y) is int:
            return [(bool(x + y >> 8 * size), st)]
        rx, ry = facts.bounds(st, x), facts.bounds(st, y)
        if type(y) is int and rx and 0 <= rx[0] and rx[1] < 1 << 8 * size:
            if rx[1] + y < 1 << 8 * size:
                return [(False, st)]
            if rx[0] + y >= 1 << 8 * size:
                return [(True, st)]
        if type(y) is int and y >> 8 * size - 1 and rx and ry:  # x - k does not borrow
            return [(not b, s) for b, s in facts.less(st, size, x, -y & (1 << 8 * size) - 1)]
        if size != 8:
            raise Refuted("a carry of %d bytes" % size)
        return [(not b, s) for b, s in facts.zero(st, 8, carry(x, y))]

    def sign(self, st, cc, kind, size, x, y):
        """A signed comparison, of numbers or where neither side wraps around."""
        x, y = facts.settle(st, x), facts.settle(st, y) if kind == "sub" else 0
        for z in (x, y):
            if type(z) is Term and z.secret:
                raise Refuted("a comparison of secret data: %s" % show(z))
        if type(x) is int and type(y) is int:
            a, b = signed(x, size), signed(y, size)
            negative = signed(x - y & (1 << 8 * size) - 1, size) < 0
            return [({"l": a < b, "le": a <= b, "s": negative}[cc], st)]
        rx, ry, limit = facts.bounds(st, x), facts.bounds(st, y), 1 << 8 * size - 1
        if rx and ry and all(-limit <= b < limit for b in (*rx, *ry)) and rx[1] - ry[0] < limit and rx[0] - ry[1] >= -limit:
            if cc in ("l", "s"):
                if rx[1] < ry[0]:
                    return [(True, st)]
                if rx[0] >= ry[1]:
                    return [(False, st)]
            if rx[0] >= 0 and ry[0] >= 0:  # then it is the unsigned one
                if cc == "le":
                    return [(not b, s) for b, s in facts.less(st, size, y, x)]
                return facts.less(st, size, x, y)
        v = facts.small(x, y)
        if v is None:
            raise Refuted("condition %s of %s and %s" % (cc, show(x), show(y)))
        out = []
        for i, (a, b) in enumerate(facts.by_value(v, x, y)):
            s = st.copy()
            s.facts[v] = i
            out += self.sign(s, cc, kind, size, a, b)
        return out

    def condition_table(self, st, cc):
        """The variable of few values on which alone a condition depends, and the answer for each value; or None."""
        kind, size, x, y = st.flags
        if kind not in ("sub", "logic", "add"):
            return None
        x, y = facts.settle(st, x), facts.settle(st, y)
        v = facts.small(x, y)
        if v is None or type(x) is Term and x.secret or type(y) is Term and y.secret:
            return None
        answers, s = [], st.copy()
        for a, b in facts.by_value(v, x, y):
            s.flags = (kind, size, a, b)
            ((answer, _),) = self.condition(s, cc)
            answers.append(answer)
        return v, answers

    def choose(self, st, cc, size, yes, no, put):
        """One of two values by a condition, to where `put` puts it: the states after it."""
        found = self.condition_table(st, cc)
        if found:
            v, answers = found
            values = [facts.settle(st, x) for x in (yes, no)]
            if all(type(x) is int or facts.small(x) is v for x in values):
                values = [a if answer else b for answer, (a, b) in zip(answers, facts.by_value(v, *values))]
                put(st, unpack(table(size, v, values), size))
                return [st]
        out = []
        for answer, s in self.condition(st, cc):
            put(s, unpack(yes if answer else no, size))
            out.append(s)
        return out

    def jump_indirect(self, st, to):
        """To an address by a variable of few values."""
        to = facts.settle(st, to)
        if type(to) is int:
            st.ip = to
            return [st]
        v = facts.small(to)
        if v is None:
            raise Refuted("an indirect jump")
        out = []
        for s, (at, _) in zip(facts.fork_small(st, to), facts.by_value(v, to, 0)):
            s.ip = at
            out.append(s)
        return out

    def carry_flag(self, st):
        """The carry as a number."""
        kind, size, x, y = st.flags
        if kind == "count":
            kind, size, x, y = y
        if kind == "carry":
            return x
        if kind == "logic":
            return 0
        if kind == "add" and size == 8:
            return carry(x, y)
        if kind == "sub" and size == 8 and type(y) is int:
            return 0 if y == 0 else sub(8, 1, carry(x, -y & (1 << 64) - 1))
        raise Refuted("the carry after %s" % kind)

    # ----------------------------------------------------------------------------------------------------------- memory

    def place(self, st, a, n, write):
        """The region, and the offset in it, of n bytes at an address: refused unless they lie in the region.

        Every offset between its bounds is checked, and arguments do not overlap: so no other region is touched.
        """
        if a.secret:
            raise Refuted("an address that depends on secret data: %s" % show(a))
        found = [p for p in leaves(a) if p in self.regions]
        if len(found) != 1:
            raise Refuted("an address of no argument: %s" % show(a))
        region, offset = self.regions[found[0]], sub(8, a, found[0])
        if type(offset) is Term and found[0] in leaves(offset):
            raise Refuted("an odd address: %s" % show(a))
        what = "writes" if write else "reads"
        if write and not region.writable:
            raise Refuted("%s to %s" % (what, region.name))
        if region.name in self.stacks:
            if region.name not in st.memory:
                raise Refuted("%s a stack frame that is gone" % what)
            if type(offset) is not int:
                raise Refuted("a stack address that varies: %s" % show(offset))
            offset = signed(offset, 8)
            below = self.below(st, region)
            low = -FRAME if below is None else below.cut
            high = self.RETURN_ADDRESS if region is self.frame and not write else 0
            if not low <= offset <= offset + n <= high:
                raise Refuted("%s %d bytes at %d of the stack frame" % (what, n, offset))
            return region, offset
        settled = facts.settle(st, offset)
        low = facts.bounds(st, settled)
        room = facts.bounds(st, facts.settle(st, sub(8, region.size, add(8, settled, n))))
        limit = 1 << 63
        if low is None or room is None or not (0 <= low[0] and low[1] < limit and 0 <= room[0] and room[1] < limit):
            raise Refuted(
                "%s %d bytes at %s of %s, which has %s" % (what, n, show(offset), region.name, show(region.size))
            )
        return region, offset

    def load(self, st, a, n):
        a = facts.settle(st, a)
        if type(a) is int:
            return self.program.constant(a, n)
        if not any(p.args[0] == "pointer" for p in leaves(a)):
            return self.constant_by_value(a, n)
        region, offset = self.place(st, a, n, False)
        if region.lane is not None:
            return self.load_message(region, offset, n)
        if type(offset) is not int:
            return self.load_by_value(st, region, offset, n)
        known, out = st.memory[region.name], []
        for i in range(offset, offset + n):
            if i not in known:  # by the step, for what is forgotten later is not what was read before
                known[i] = (var("undefined", 1, region.name, i, self.steps, secret=True), 0)
            out.append(known[i])
        return out

    def load_by_value(self, st, region, offset, n):
        """A load at an offset that depends on a variable of few values, from bytes that are numbers."""
        v = facts.small(offset)
        if v is None:
            raise Refuted("reads at %s of %s" % (show(offset), region.name))
        known, values = st.memory[region.name], []
        for at, _ in facts.by_value(v, offset, 0):
            b = [known.get(i) for i in range(signed(at, 8), signed(at, 8) + n)]
            if any(type(x) is not int for x in b):
                raise Refuted("reads at %s of %s" % (show(offset), region.name))
            values.append(int.from_bytes(bytes(b), "little"))
        return unpack(table(n, v, values), n)

    def load_message(self, region, offset, n):
        c, rest = (offset, 0) if type(offset) is int else (0, offset)
        if type(offset) is Term and offset.op == "add":
            c, rest = offset.args[0], sub(8, offset, offset.args[0])
        parts = () if type(rest) is int else rest.args[1] if rest.op == "add" else ((rest, 1),)
        if any(k % self.block for _, k in parts):
            raise Refuted("reads a message at %s" % show(offset))
        out, size = [], self.size
        for i in range(signed(c, 8), signed(c, 8) + n):
            at = i - i % size
            out += unpack(self.message(region.lane, add(8, rest, at)), size)[i % size : i % size + 1]
        return out

    def constant_by_value(self, a, n):
        """A load from a table of constants by a variable of few values."""
        v = facts.small(a)
        if v is None:
            raise Refuted("an address of no argument: %s" % show(a))
        values = []
        for at, _ in facts.by_value(v, a, 0):
            values.append(int.from_bytes(bytes(self.program.constant(at, n)), "little"))
        return unpack(table(n, v, values), n)

    def store(self, st, a, b):
        a = facts.settle(st, a)
        if type(a) is int:
            raise Refuted("writes at %#x" % a)
        region, offset = self.place(st, a, len(b), True)
        if type(offset) is not int:
            raise Refuted("writes at %s of %s" % (show(offset), region.name))
        known = st.memory[region.name]
        for i, x in enumerate(b):
            known[offset + i] = x

    def below(self, st, region):
        """What was made by rounding down a pointer into this region of the stack, if it was not left since. No state has
        two of one region, so nothing that it may touch lies at one place with anything else."""
        return next((r for r in self.stacks.values() if r.base is region and r.name in st.memory), None)

    def round_down(self, st, x, multiple):
        """A stack pointer rounded down to a multiple, or None if `x` is no stack pointer. If it points into what is below
        one that was rounded down to as much, its new place is known. Otherwise what is below it is a region of its own
        from there on, for it lies somewhere below what was pushed. What is below the pointer as it was is lost, and is not
        used until that region is left."""
        region = None if type(x) is int else next((r for r in self.stacks.values() if r.pointer in leaves(x)), None)
        if region is None:
            return None
        cut = sub(8, x, region.pointer)
        if type(cut) is not int or multiple & multiple - 1 or not 0 < multiple <= 64 or region.name not in st.memory:
            raise Refuted("a stack pointer cut short")
        cut = signed(cut, 8)
        if region.multiple % multiple == 0:
            return add(8, region.pointer, (cut & -multiple) & (1 << 64) - 1)
        if self.below(st, region):
            raise Refuted("a stack pointer cut short at two places")
        name = "%s below %d by %d" % (region.name, cut, multiple)
        if name not in self.stacks:
            new = self.stacks[name] = Region(name, 0, True)
            new.base, new.cut, new.multiple = region, cut, multiple
            self.regions[new.pointer] = new
        st.memory[name] = {}
        self.lose(st, region, cut)
        return self.stacks[name].pointer

    def lose(self, st, region, bottom):
        """Forgets what a region of the stack holds below a place, for it may be anything from there on."""
        st.memory[region.name] = {i: b for i, b in st.memory[region.name].items() if i >= bottom}

    def leave_below(self, st):
        """After a return: what is below the stack pointer is lost, and what was made by rounding it down is left."""
        x = word(st.g[self.STACK])
        region = next((r for r in self.stacks.values() if type(x) is Term and r.pointer in leaves(x)), None)
        bottom = sub(8, x, region.pointer) if region else None
        if type(bottom) is not int or region.name not in st.memory:
            raise Refuted("returns with a stack pointer that is not known")
        below = self.below(st, region)
        while below:
            under = self.below(st, below)
            del st.memory[below.name]
            below = under
        self.lose(st, region, signed(bottom, 8))

    # ----------------------------------------------------------------------------------------------------- instructions

    def step(self, st):
        """The states after one instruction."""
        ip = st.ip
        if ip not in self.code:
            raise Refuted("at %x: leaves the function" % ip)
        op, args, following = self.code[ip]
        self.steps += 1
        self.used.add(ip)
        try:
            return self.execute(st, op, args, following)
        except (Refuted, Unknown, AssertionError, KeyError, IndexError, TypeError, ValueError) as e:
            if isinstance(e, Refuted) and str(e).startswith("at "):
                raise
            reason = str(e) if str(e) and isinstance(e, (Refuted, Unknown, AssertionError)) else repr(e)
            raise (NotModelled if isinstance(e, NotModelled) else Refuted)("at %x, %s: %s" % (ip, op, reason)) from e


NEGATED = {"ne": "e", "ae": "b", "a": "be", "ge": "l", "g": "le", "ns": "s", "no": "o"}
