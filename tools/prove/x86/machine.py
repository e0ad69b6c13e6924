"""x86-64: its operands, and the instructions that move control."""

import re

import x86.known  # noqa: F401, its models
import x86.sha_extension  # noqa: F401, its models
from elf import NotModelled, Refuted
from machine import Machine
from terms import Term, add, sub, times, unpack, word
from x86 import scalar, vector
from x86.operands import GPRS, decode


class X86(Machine):
    GENERAL, STACK, SAVED = GPRS, 4, (3, 5, 12, 13, 14, 15)
    ARGUMENTS = (7, 6, 2, 1, 8, 9)
    """rdi, rsi, rdx, rcx, r8, r9."""
    RETURN_ADDRESS = 8
    STOPS = ("ud2", "int3")
    decode = staticmethod(decode)

    # --------------------------------------------------------------------------------------------------------- operands

    def address(self, st, o):
        return add(8, o.disp & (1 << 64) - 1, *[times(8, word(st.g[r]), k) for r, k in o.terms])

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
        """Sets an operand. The bytes of a vector register above it become zeros, or stay if the encoding is SSE's."""
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

    def execute(self, st, op, args, following):
        at, st.ip = st.ip, following
        if op in ("nop", "nopw", "nopl", "endbr64", "xchg") and (op != "xchg" or args[0] == args[1]):
            return [st]
        if op == "jmp":
            if args[0].kind != "i":
                return self.jump_indirect(st, word(self.get(st, args[0])))
            st.ip = args[0].disp
            return [st]
        if op == "ret" and not args:
            return self.come_back(st)
        if op.startswith("prefetch"):  # no effect but on time, wherever it points
            if any(type(a) is Term and a.secret for a in (self.address(st, args[0]),)):
                raise Refuted("an address that depends on secret data")
            return [st]
        if op == "call" and self.part(args) is not None and following is not None:
            return self.call_part(st, at, self.part(args), following)
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
            return self.conditional(st, m[1], ALIASES.get(m[2], m[2]), args)
        if not (scalar.execute(self, st, op, args) or vector.execute(self, st, op, args)):
            forms = ", ".join(a.kind + str(a.size or "") for a in args)
            raise NotModelled("an instruction that is not modelled, with operands " + forms)
        return [st]

    def part(self, args):
        """The address of the part that is called, or None."""
        return args[0].disp if args and args[0].kind == "i" and args[0].disp in self.parts else None

    def call_part(self, st, at, to, following):
        st.calls += (at,)
        st.g[self.STACK] = unpack(sub(8, word(st.g[self.STACK]), 8), 8)
        self.store(st, word(st.g[self.STACK]), list(following.to_bytes(8, "little")))
        st.ip = to
        return [st]

    def come_back(self, st):
        """To the address on top of the stack. The kernel's own lies where the frame ends: nothing can write there."""
        x = word(st.g[self.STACK])
        if x is self.frame.pointer:
            st.ip = "end"
            return [st]
        to = word(self.load(st, x, 8))
        if type(to) is not int:
            raise Refuted("returns to an address that is not known")
        st.g[self.STACK] = unpack(add(8, x, 8), 8)
        self.leave_below(st)
        st.ip, st.calls = to, st.calls[:-1]
        return [st]

    def conditional(self, st, what, cc, args):
        if what == "j":
            out = self.condition(st, cc)
            for yes, s in out:
                if yes:
                    s.ip = args[0].disp
            return [s for _, s in out]
        to = args[0]
        yes, no = (1, 0) if what == "set" else (word(self.get(st, args[i])) for i in (1, 0))
        return self.choose(st, cc, to.size, yes, no, lambda s, b: self.put(s, to, b))

    def ways(self, op, args):
        if op[0] != "j":
            return (), True
        return [o.disp for o in args if o.kind == "i"], op != "jmp"

    @staticmethod
    def goes_to(op, args):
        return [o.disp for o in args if o.kind == "i"] if op == "call" or op[0] == "j" else []

    def follow(self, op, args, following, kind, i):
        """A part restores what the caller gets back. It may read all else, and leaves nothing in it."""
        if op == "call" and not (kind == "g" and (i in self.SAVED or i == self.STACK)):
            return [self.part(args)]
        return super().follow(op, args, following, kind, i)

    def use(self, op, args, kind, i):
        if kind == "flags":  # no path meets another between a comparison and its use
            return False

        def mine(o):
            return o.kind == "r" and kind == "g" and o.at[0] == i or o.kind == "v" and kind == "v" and o.at == i

        if op == "ret":
            return kind == "g" and (i in self.SAVED or i == self.STACK)
        if op == "call" and self.part(args) is not None:
            return None
        if op in ("call", "ud2"):
            return False
        if kind == "g" and any(o.kind in ("m", "g") and any(r == i for r, _ in o.terms) for o in args):
            return True
        if kind == "v" and any(o.kind == "g" and o.at[1] == i for o in args):
            return True
        if kind == "g" and (op in ("push", "pop") and i == 4 or op in ("mul", "mulx") and i in (0, 2)):
            return True
        if op.startswith("sha256rnds") and kind == "v" and i == 0:
            return True
        idiom = len(args) > 1 and "xor" in op and all(o.kind == args[-1].kind and o.at == args[-1].at for o in args[-2:])
        if not idiom and any(mine(o) for o in args[1:]):
            return True
        if not args or not mine(args[0]):
            return None
        moves = ("mov", "movabs", "movzx", "lea", "pop", "movbe", "rorx", "andn")
        pure = idiom or op in moves or op[:4] in ("kmov", "movd", "movq", "movu", "mova", "pshu") \
            or op[0] == "v" and not args[0].mask and "ternlog" not in op and "permt2" not in op and "permi2" not in op
        if not pure and not op.startswith("set"):
            return True
        return False if pure and args[0].size >= 4 else None


ALIASES = {
    "z": "e", "nz": "ne", "c": "b", "nae": "b", "nc": "ae", "nb": "ae", "na": "be", "nbe": "a",
    "nl": "ge", "nge": "l", "ng": "le", "nle": "g",
}  # fmt: skip
