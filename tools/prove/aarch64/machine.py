"""AArch64: its conditions, its memory operands, and the instructions that move control."""

import facts
from aarch64 import scalar, vector
from aarch64.operands import GPRS, decode
from elf import NotModelled, Refuted
from machine import Machine
from terms import ONES, Term, add, both, times, unpack, word, zext

NEUTRAL = {
    "eq": "e", "ne": "ne", "lt": "l", "ge": "ge", "gt": "g", "le": "le", "mi": "s", "pl": "ns", "vs": "o", "vc": "no",
}  # fmt: skip
"""Conditions that mean the same after each instruction, by their names in `Machine`."""
CARRIES = {
    "sub": {"cs": "ae", "cc": "b", "hi": "a", "ls": "be"},
    "add": {"cs": "b", "cc": "ae"},
    "logic": {"cs": False, "cc": True, "hi": False, "ls": True, "vs": False, "vc": True},
}
"""Those with the carry. A difference sets it where nothing is borrowed, and a bitwise function never."""


class AArch64(Machine):
    GENERAL, STACK, VECTOR_SIZE = GPRS, 31, 16
    ARGUMENTS, RESULT = tuple(range(8)), 8
    SAVED = tuple(range(19, 31))
    """x19 to x28, the frame pointer x29, and x30, to which it returns."""
    SAVED_VECTORS = {i: 8 for i in range(8, 16)}
    RETURNS, STOPS = ("ret", "br"), ("udf", "brk")
    decode = staticmethod(decode)

    # ------------------------------------------------------------------------------------------------------- conditions

    def condition_of(self, st, cc):
        """Its name in `Machine`, or whether it holds, where that is known from the instruction alone."""
        cc = {"hs": "cs", "lo": "cc"}.get(cc, cc)
        kind, size, x, _ = st.flags
        if kind == "nzcv":
            n, z, c, v = (bool(x & bit) for bit in (8, 4, 2, 1))
            known = dict(eq=z, cs=c, mi=n, vs=v, hi=c and not z, ge=n == v, gt=n == v and not z)
            contrary = dict(ne="eq", cc="cs", pl="mi", vc="vs", ls="hi", lt="ge", le="gt")
            return not known[contrary[cc]] if cc in contrary else known[cc]
        found = CARRIES.get(kind, {}).get(cc, NEUTRAL.get(cc))
        if found is None:
            raise Refuted("condition %s after %s" % (cc, kind))
        return found

    def ask(self, st, cc):
        found = self.condition_of(st, cc)
        return [(found, st)] if type(found) is bool else self.condition(st, found)

    def choose_by(self, st, cc, size, yes, no, put):
        found = self.condition_of(st, cc)
        if type(found) is bool:
            put(st, unpack(yes if found else no, size))
            return [st]
        kind, n, _, _ = st.flags
        if kind == "add" and n == 8 and found in ("b", "ae"):  # a sum of a carry, if it may be either
            (low, high) = (no, yes) if found == "b" else (yes, no)
            step = add(size, high, times(size, low, -1))
            ways = self.condition(st.copy(), found) if type(step) is int else ()
            if len(ways) > 1:
                flag = self.carry_flag(st)
                flag = word(unpack(flag, 8)[:size]) if size < 8 else flag
                put(st, unpack(add(size, low, times(size, flag, step)), size))
                return [st]
        return self.choose(st, found, size, yes, no, put)

    # --------------------------------------------------------------------------------------------------------- operands

    def read(self, st, o):
        """A general register, or a number, as a value."""
        if o.kind == "r":
            return word(st.g[o.at][: o.size])
        if o.kind == "z":
            return 0
        if o.kind == "i":
            return o.at & (1 << 64) - 1
        raise Refuted("operand %s" % (o.at,))

    def write(self, st, o, b):
        """What is above becomes zeros."""
        if o.kind == "r":
            st.g[o.at] = b[: o.size] + [0] * (8 - o.size)
        elif o.kind == "v" and o.index is None:
            st.v[o.at] = b[: o.size] + [0] * (16 - o.size)
        elif o.kind == "v":
            at = o.element * o.index
            st.v[o.at] = st.v[o.at][:at] + b[: o.element] + st.v[o.at][at + o.element :]
        elif o.kind != "z":
            raise Refuted("destination %s" % (o.at,))

    def address(self, st, args):
        """Of a memory operand, after which may stand what is added to its register later. The register is set."""
        i = next(i for i, o in enumerate(args) if o.kind == "m")
        m = args[i].at
        base, after = word(st.g[m.base]), args[i + 1] if i + 1 < len(args) else None
        a = add(8, base, m.disp)
        if m.register:
            x = word(st.g[m.register.at][: m.register.size])
            if m.extension == "sxtw":
                raise Refuted("an extension of a sign")
            a = add(8, a, times(8, zext(8, x) if m.register.size == 4 else x, 1 << m.shift))
        if m.before:
            st.g[m.base] = unpack(a, 8)
        elif after:
            step = word(st.g[after.at]) if after.kind == "r" else after.at
            st.g[m.base] = unpack(add(8, base, step), 8)
        return a

    # ----------------------------------------------------------------------------------------------------- instructions

    def execute(self, st, op, args, following):
        st.ip = following
        if op in ("nop", "bti", "hint"):
            return [st]
        if op in ("b", "br"):
            if op == "br":
                return self.jump_indirect(st, word(st.g[args[0].at]))
            st.ip = args[0].at
            return [st]
        if op == "ret" and not args:  # to x30, which is among those that are compared at the end
            st.ip = "end"
            return [st]
        if op in ("bl", "blr", "udf", "brk"):
            raise Refuted("%s can be reached" % op)
        if op == "prfm":
            a = self.address(st, args)
            if type(a) is Term and a.secret:
                raise Refuted("an address that depends on secret data")
            return [st]
        ways = self.branch(st, op, args)
        if ways is None:
            f = scalar.BY.get(op) if not any(o.kind in ("v", "l") for o in args) else vector.BY.get(op)
            if f is None:
                raise NotModelled("an instruction that is not modelled, with operands " + ", ".join(
                    o.kind + str(o.size or "") for o in args))  # fmt: skip
            return f(Call(self, st, op, args)) or [st]
        for yes, s in ways:
            s.ip = args[-1].at if yes else following
        return [s for _, s in ways]

    def branch(self, st, op, args):
        """Whether a conditional branch is taken: answers and states; None if it is no branch."""
        if op.startswith("b."):
            return self.ask(st, op[2:])
        if op not in ("cbz", "cbnz", "tbz", "tbnz"):
            return None
        x = self.read(st, args[0])
        if op[0] == "t":
            x = both(args[0].size, x, 1 << args[1].at)
        ways = facts.zero(st, args[0].size, x)
        return [(not yes, s) for yes, s in ways] if op[2] == "n" else ways

    def ways(self, op, args):
        if op == "b" or op.startswith("b.") or op in ("cbz", "cbnz", "tbz", "tbnz"):
            return [args[-1].at], op != "b"
        return (), True

    def use(self, op, args, kind, i):
        if kind == "flags":
            if op.startswith(("b.", "cs", "cinc", "cinv", "cneg", "ccm", "adc", "sbc")):
                return True
            return False if op in SETS_FLAGS or op in ("ret", "bl") else None
        if op == "ret":
            saved = self.SAVED if kind == "g" else self.SAVED_VECTORS
            return i in saved or kind == "g" and i == self.STACK
        if op in ("bl", "br", "udf", "brk"):
            return False

        def mine(o):
            if o.kind == "l":
                return any(mine(x) for x in o.at)
            return o.kind == {"g": "r", "v": "v"}[kind] and o.at == i

        if kind == "g" and any(o.kind == "m" and (o.at.base == i or o.at.register and o.at.register.at == i) for o in args):
            return True
        count = 0 if op in NO_RESULT or op.startswith(("st", "b.", "cb", "tb")) else 2 if op == "ldp" else 1
        if any(mine(o) for o in args[count:]):
            return True
        written = [o for o in args[:count] if mine(o)]
        if not written:
            return None
        return True if op in vector.READS_ITS_RESULT or op == "movk" or any(o.index is not None for o in written) else False


SETS_FLAGS = ("cmp", "cmn", "tst", "adds", "subs", "negs", "ands", "bics")
NO_RESULT = ("cmp", "cmn", "tst", "ccmp", "ccmn", "b", "prfm")


class Call:
    """An instruction as its model sees it: `n` is the size of its first operand."""

    def __init__(self, machine, st, op, args):
        self.machine, self.st, self.op, self.args = machine, st, op, args
        self.n, self.size = args[0].size, machine.size

    def value(self, i):
        """Of a general operand, or a number, with the shift or extension behind it, cut to the size."""
        x, behind = self.machine.read(self.st, self.args[i]), self.args[i + 1] if i + 1 < len(self.args) else None
        if behind and behind.kind == "s":
            return scalar.shifted(self, x, *behind.at)
        return x & ONES[self.n] if type(x) is int else x

    def put(self, x, i=0):
        self.machine.write(self.st, self.args[i], unpack(x, self.args[i].size))

    def get(self, i):
        """The bytes of a vector operand."""
        o = self.args[i]
        if o.kind != "v":
            raise Refuted("operand %s" % (o.at,))
        at = 0 if o.index is None else o.element * o.index
        return self.st.v[o.at][at : at + o.size]

    def put_bytes(self, b, i=0):
        self.machine.write(self.st, self.args[i], b)
