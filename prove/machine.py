"""A processor on terms: its state, its memory, and the instructions that move control."""

import re

import facts
import known  # noqa: F401, its models
import scalar
import sha_extension  # noqa: F401, its models
import vector
from elf import GPRS, NotModelled, Refuted
from inside import leaves, show
from terms import Term, Unknown, add, carry, signed, sub, table, times, unpack, var, word

FRAME = 1 << 16
"""A kernel's stack frame at most, in bytes."""

NOT_KNOWN = ("unknown", 8, 0, 0)


class State:
    """What a processor has at a point of a path, and what the path knows.

    `flags` is the last instruction that set them: its kind, its size and its operands. `orders` are pairs of public words,
    the first of which is not above the second.
    """

    __slots__ = ("ip", "g", "v", "k", "memory", "flags", "facts", "ranges", "seen", "turns", "loop", "counts", "orders")

    def copy(self):
        s = State()
        s.ip, s.flags, s.turns, s.loop, s.counts = self.ip, self.flags, self.turns, self.loop, self.counts
        s.g, s.v, s.k = list(self.g), list(self.v), list(self.k)
        s.memory = {name: dict(b) for name, b in self.memory.items()}
        s.orders = self.orders
        s.facts, s.ranges, s.seen = dict(self.facts), dict(self.ranges), dict(self.seen)
        return s

    def count_branch(self, d):
        """Notes a branch on the number of blocks alone, of which loops are made: in a lane there may be more blocks."""
        found = leaves(d)
        if any(y in self.counts for y in found) and not any(y.args[0] == "spare" for y in found):
            self.turns += 1


class Region:
    """The bytes that a pointer argument points to; of a message, the words of a lane."""

    bottom = None
    """Of the stack, where it was rounded down."""

    def __init__(self, name, size, writable=False, lane=None):
        self.name, self.size, self.writable, self.lane = name, size, writable, lane
        self.pointer = var("pointer", 8, name)


class Machine:
    """`size` is the size of the hash's words, and `block` of its blocks; `message` makes the word at a place."""

    def __init__(self, program, code, size, block, regions, message):
        self.program, self.code, self.size, self.block, self.message = program, code, size, block, message
        self.regions = {r.pointer: r for r in regions}
        self.frame, self.aligned = Region("stack", 0, True), Region("aligned", 0, True)
        self.regions.update((r.pointer, r) for r in (self.frame, self.aligned))
        self.steps = 0
        self.used = set()
        self.targets = {o.disp for op, args, _ in code.values() if op[0] == "j" for o in args if o.kind == "i"}

    # ------------------------------------------------------------------------------------------------------- conditions

    def condition(self, st, cc):
        """Whether a condition holds: pairs of an answer and the state in which it does."""
        cc = ALIASES.get(cc, cc)
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

    def address(self, st, o):
        return add(8, o.disp & (1 << 64) - 1, *[times(8, word(st.g[r]), k) for r, k in o.terms])

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
        if region is self.frame or region is self.aligned:
            if type(offset) is not int:
                raise Refuted("a stack address that varies: %s" % show(offset))
            offset = signed(offset, 8)
            low = -FRAME if region.bottom is None else region.bottom
            high = 8 if region is self.frame and not write else 0  # above is where it returns to
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

    # --------------------------------------------------------------------------------------------------------- operands

    def get(self, st, o, n=None):
        """The bytes of an operand: n of them, if it is more, or an immediate."""
        if o.kind == "r":
            i, high = o.at
            return st.g[i][high : high + o.size]
        if o.kind == "v":
            return st.v[o.at][: n or o.size]
        if o.kind == "i":
            return list((o.disp & (1 << 64) - 1).to_bytes(8, "little"))[: n or 8]
        if o.kind == "m":
            size = o.size or n
            b = self.load(st, self.address(st, o), size if o.broadcast else n if n and n < size else size)
            return b * (n // size) if o.broadcast and n else b
        raise Refuted("operand %s" % o.at)

    def put(self, st, o, b, legacy=False, lane=None):
        """Sets an operand. Of a vector register, what is above becomes zeros, or stays if the encoding is SSE's."""
        if o.kind == "r":
            i, high = o.at
            b = b[: o.size]
            old = st.g[i]
            st.g[i] = b + [0] * 4 if o.size == 4 else old[:high] + b + old[high + o.size :]
        elif o.kind == "v":
            if o.mask:
                b = self.merge_masked(st, o, b, lane)
            st.v[o.at] = b + (st.v[o.at][len(b) :] if legacy else [0] * (64 - len(b)))
        elif o.kind == "m":
            if o.mask:
                raise Refuted("a masked store")
            self.store(st, self.address(st, o), b[: o.size or len(b)])
        elif o.kind == "k":
            st.k[o.at] = b
        else:
            raise Refuted("destination %s" % o.at)

    def merge_masked(self, st, o, b, lane):
        if lane is None:
            raise Refuted("a mask here")
        old, out = st.v[o.at], []
        for i in range(0, len(b), lane):
            c = st.k[o.mask][i // lane]
            if type(c) is not int:
                raise Refuted("a mask that is not constant")
            out += b[i : i + lane] if c else [0] * lane if o.zero else old[i : i + lane]
        return out

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

    def execute(self, st, op, args, following):
        ip, st.ip = st.ip, following
        if op in ("nop", "nopw", "nopl", "endbr64", "xchg") and (op != "xchg" or args[0] == args[1]):
            return [st]
        if op == "jmp":
            if args[0].kind == "i":
                st.ip = args[0].disp
            else:
                to = facts.settle(st, word(self.get(st, args[0])))
                if type(to) is Term:
                    v = facts.small(to)
                    if v is None:
                        raise Refuted("an indirect jump")
                    out = []
                    for s, (at, _) in zip(facts.fork_small(st, to), facts.by_value(v, to, 0)):
                        s.ip = at
                        out.append(s)
                    return out
                st.ip = to
            return [st]
        if op == "ret":
            st.ip = "end"
            return [st]
        if op.startswith("prefetch"):  # no effect but on time, wherever it points
            if any(type(a) is Term and a.secret for a in (self.address(st, args[0]),)):
                raise Refuted("an address that depends on secret data")
            return [st]
        if op in ("call", "ud2", "int3"):
            raise Refuted("%s can be reached" % op)
        if op in ("adc", "sbb") and st.flags[0] == "sub" and args[0] != args[1]:
            ways = self.condition(st.copy(), "b")
            if len(ways) == 1 or type(st.flags[3]) is Term:  # else the carry is a term of its own
                for yes, s in ways:
                    s.flags = ("carry", 8, int(yes), 0)
                    scalar.execute(self, s, op, args)
                return [s for _, s in ways]
        m = re.fullmatch(r"(j|set|cmov)(n?[abegclzso]e?|n?be|n?ae|n?le|n?ge)", op)
        if m:
            return self.conditional(st, ip, m[1], m[2], args, following)
        if not (scalar.execute(self, st, op, args) or vector.execute(self, st, op, args)):
            forms = ", ".join(a.kind + str(a.size or "") for a in args)
            raise NotModelled("an instruction that is not modelled, with operands " + forms)
        return [st]

    def conditional(self, st, ip, what, cc, args, following):
        if what != "j":
            found = self.condition_table(st, cc)
            if found:
                v, answers = found
                if what == "set":
                    self.put(st, args[0], unpack(table(1, v, answers), 1))
                    return [st]
                choices = [facts.settle(st, word(self.get(st, args[i]))) for i in (1, 0)]
                if all(type(x) is int or facts.small(x) is v for x in choices):
                    pairs = facts.by_value(v, *choices)
                    values = [a if answer else b for answer, (a, b) in zip(answers, pairs)]
                    self.put(st, args[0], unpack(table(args[0].size, v, values), args[0].size))
                    return [st]
        st.ip, out = ip, []
        for yes, s in self.condition(st, cc):
            s.ip = following
            if what == "j":
                if yes:
                    s.ip = args[0].disp
            elif what == "set":
                self.put(s, args[0], [int(yes)])
            else:
                b = self.get(s, args[1])
                self.put(s, args[0], b if yes else self.get(s, args[0]))
            out.append(s)
        return out


ALIASES = {
    "z": "e", "nz": "ne", "c": "b", "nae": "b", "nc": "ae", "nb": "ae", "na": "be", "nbe": "a",
    "nl": "ge", "nge": "l", "ng": "le", "nle": "g",
}  # fmt: skip
NEGATED = {"ne": "e", "ae": "b", "a": "be", "ge": "l", "g": "le", "ns": "s", "no": "o"}
