"""Instructions on general registers and on masks: Intel's manual, volume 2."""

import facts
from elf import Refuted
from terms import (
    ONES, Term, add, bits, both, either, ext, ror, shl, shr, signed, sub, table, times, unpack, word, xor,
)  # fmt: skip

BY = {}


def model(*names):
    def put(f):
        for name in names:
            BY[name] = f
        return f

    return put


class Call:
    """An instruction as its model sees it: `n` is the size of the operands."""

    def __init__(self, machine, st, op, args):
        self.machine, self.st, self.op, self.args = machine, st, op, args
        self.n = next((x.size for x in args if x.size), 8)

    def value(self, i):
        return word(self.machine.get(self.st, self.args[i], self.n))

    def put(self, x, i=0):
        self.machine.put(self.st, self.args[i], unpack(x, self.n))

    def flags(self, kind, x, y=0):
        self.st.flags = (kind, self.n, x, y)


def execute(machine, st, op, args):
    if args and (args[0].kind == "v" or len(args) > 1 and args[1].kind == "v"):
        return False
    f = BY.get(op)
    if f is None:
        return False
    f(Call(machine, st, op, args))
    return True


@model("mov", "movabs")
def mov(i):
    i.machine.put(i.st, i.args[0], i.machine.get(i.st, i.args[1], i.n))


@model("movzx")
def movzx(i):
    b = i.machine.get(i.st, i.args[1])
    i.machine.put(i.st, i.args[0], b + [0] * (i.n - len(b)))


@model("movsx", "movsxd")
def movsx(i):
    b = i.machine.get(i.st, i.args[1])
    x = facts.settle(i.st, word(b))
    if type(x) is Term:
        r = facts.bounds(i.st, x)
        if not r or r[0] < 0 or r[1] >> 8 * len(b) - 1:
            raise Refuted("an extension of a sign that is not known")
        i.machine.put(i.st, i.args[0], b + [0] * (i.n - len(b)))
    else:
        i.put(signed(x, len(b)) & ONES[i.n])


@model("movbe")
def movbe(i):
    i.machine.put(i.st, i.args[0], i.machine.get(i.st, i.args[1], i.n)[::-1])


@model("bswap")
def bswap(i):
    i.machine.put(i.st, i.args[0], i.machine.get(i.st, i.args[0])[::-1])


@model("lea")
def lea(i):
    x = i.machine.address(i.st, i.args[1])
    i.machine.put(i.st, i.args[0], unpack(x if i.n == 8 else x & ONES[i.n] if type(x) is int else ext(x, 0, i.n), i.n))


@model("push")
def push(i):
    i.st.g[4] = unpack(sub(8, word(i.st.g[4]), 8), 8)
    b = i.machine.get(i.st, i.args[0], 8)
    if len(b) != 8:
        raise Refuted("a push of %d bytes" % len(b))
    i.machine.store(i.st, word(i.st.g[4]), b)


@model("pop")
def pop(i):
    b = i.machine.load(i.st, word(i.st.g[4]), 8)
    i.st.g[4] = unpack(add(8, word(i.st.g[4]), 8), 8)
    i.machine.put(i.st, i.args[0], b)


@model("xchg")
def xchg(i):
    x, y = (i.machine.get(i.st, a) for a in i.args)
    i.machine.put(i.st, i.args[0], y)
    i.machine.put(i.st, i.args[1], x)


@model("add", "sub", "cmp")
def add_sub(i):
    x, y = i.value(0), i.value(1)
    i.flags("add" if i.op == "add" else "sub", x, y)
    if i.op != "cmp":
        i.put(add(i.n, x, y) if i.op == "add" else sub(i.n, x, y))


@model("adc", "sbb")
def adc_sbb(i):
    if i.op == "sbb" and i.args[0] == i.args[1]:  # 0 or all ones
        found = i.machine.condition_table(i.st, "b")
        if found:
            i.put(table(i.n, found[0], [ONES[i.n] * answer for answer in found[1]]))
            i.st.flags = ("unknown", i.n, 0, 0)
            return
    if i.n != 8:
        raise Refuted("of %d bytes" % i.n)
    x, y, c = i.value(0), i.value(1), i.machine.carry_flag(i.st)
    i.put(add(8, x, y, c) if i.op == "adc" else sub(8, sub(8, x, y), c))
    i.flags("unknown", 0)


@model("inc", "dec")
def inc_dec(i):
    x = add(i.n, i.value(0), 1 if i.op == "inc" else -1)
    i.st.flags = ("count", i.n, x, i.st.flags if i.st.flags[0] != "count" else i.st.flags[3])
    i.put(x)


@model("neg")
def neg(i):
    x = i.value(0)
    i.flags("sub", 0, x)
    i.put(times(i.n, x, -1))


@model("not")
def invert(i):
    i.put(xor(i.n, i.value(0), ONES[i.n]))


@model("xor", "or", "and", "test", "andn")
def logic(i):
    if i.op == "andn":
        r = both(i.n, xor(i.n, i.value(1), ONES[i.n]), i.value(2))
        i.flags("logic", r)
        i.put(r)
        return
    x, y = i.value(0), i.value(1)
    if i.op == "and" and align(i, x, y):
        return
    if i.op == "test" and x is y:
        r = x
    else:
        r = {"xor": xor, "or": either}.get(i.op, both)(i.n, x, y)
    i.flags("logic", r)
    if i.op != "test":
        i.put(r)


def align(i, x, y):
    """Whether it is a stack pointer that is rounded down. Then it is done."""
    if type(y) is not int:
        return False
    rounded = i.machine.round_down(i.st, x, -y & ONES[8])
    if rounded is None:
        return False
    if i.n != 8:
        raise Refuted("a stack pointer cut short")
    i.put(rounded)
    i.st.flags = ("unknown", 8, 0, 0)
    return True


@model("bt")
def bt(i):
    k = i.value(1)
    if type(k) is not int:
        raise Refuted("of a bit that varies")
    x = i.value(0)
    i.flags("bit", both(i.n, x, 1 << k % (8 * i.n)))


@model("shl", "shr", "sar", "rol", "ror", "rorx", "shlx", "shrx")
def shift(i):
    i_from = 1 if i.op in ("rorx", "shlx", "shrx") else 0
    k = 1 if len(i.args) == 1 else facts.settle(i.st, word(i.machine.get(i.st, i.args[-1], 1)))
    if type(k) is not int:
        raise Refuted("by a number that varies")
    k &= 63 if i.n == 8 else 31
    x, op = i.value(i_from), i.op.rstrip("x")
    if op in ("shr", "sar") and not (type(x) is Term and x.secret):
        r = facts.quotient(i.st, x, k)
        if r is None and op == "sar":
            y = facts.settle(i.st, x)
            if type(y) is Term:
                raise Refuted("of a sign that is not known")
            r = signed(y, i.n) >> k & ONES[i.n]
        if r is None:
            r = shr(i.n, x, k)
    elif op == "sar":
        raise Refuted("of a secret")
    else:
        r = {"shl": shl, "shr": shr, "ror": ror}[op](i.n, x, k) if op != "rol" else ror(i.n, x, -k)
    if i.op[-1] != "x":
        i.flags("shift" if i.op[0] == "s" and k else "unknown", r)  # the carry is the last bit that went out
    i.put(r)


@model("shld", "shrd")
def double_shift(i):
    k = i.args[2].disp
    x, y = (i.value(0), i.value(1)) if i.op == "shld" else (i.value(1), i.value(0))
    k = k if i.op == "shld" else 8 * i.n - k
    if x is y:  # a rotation
        r = ror(i.n, x, -k)
    else:
        high = facts.quotient(i.st, y, 8 * i.n - k) if not (type(y) is Term and y.secret) else None
        r = either(i.n, shl(i.n, x, k), shr(i.n, y, 8 * i.n - k) if high is None else high)
    i.flags("unknown", 0)
    i.put(r)


@model("mul", "mulx", "imul")
def multiply(i):
    st = i.st
    if i.n != 8:
        raise Refuted("of %d bytes" % i.n)
    if i.op == "imul" and len(i.args) > 1:
        x, y = i.value(-2), i.value(-1)
        if i.args[-1].kind == "i":
            y = i.args[-1].disp
    else:
        x, y = word(st.g[0] if i.op != "mulx" else st.g[2]), i.value(-1)
    if i.op == "imul" and len(i.args) == 1:
        raise Refuted("a signed product of two words")
    x, y = facts.settle(st, x), facts.settle(st, y)
    if type(x) is Term:
        x, y = y, x
    if type(x) is Term:
        raise Refuted("a product of two that vary")
    if type(y) is Term and y.secret:
        raise Refuted("a product of a secret")
    r = times(8, y, x) if type(y) is Term else x * y
    if i.op == "imul" and len(i.args) > 1:
        i.flags("unknown", 0)
        i.put(r & ONES[8] if type(r) is int else r)
        return
    if type(r) is int:
        low, high = r & ONES[8], r >> 64
    else:
        b = facts.bounds(st, y)
        if not b or b[0] < 0 or b[1] * x >> 64:
            raise Refuted("a product that may be longer than a word")
        low, high = r, 0
    if i.op == "mul":  # carry and overflow say whether there is an upper half
        i.flags("product", high)
    if i.op == "mulx":
        i.put(low, 1)
        i.put(high, 0)
    else:
        st.g[0], st.g[2] = unpack(low, 8), unpack(high, 8)


# ----------------------------------------------------------------------------------------------------------------- masks


@model("kmovb", "kmovw", "kmovd", "kmovq")
def kmov(i):
    size, st = {"b": 8, "w": 16, "d": 32, "q": 64}[i.op[4]], i.st
    to, of = i.args
    if to.kind != "k":
        i.machine.put(st, to, unpack(bits(to.size, (st.k[of.at][:size] + [0] * 64)[: 8 * to.size]), to.size))
        return
    if of.kind == "k":
        c = st.k[of.at]
    else:
        b = i.machine.get(st, of, size // 8)[: size // 8]
        x = word(b)
        c = list(x.args) if type(x) is Term and x.op == "bits" else [
            y >> j & 1 if type(y) is int else ("unknown",) for y in b for j in range(8)
        ]  # fmt: skip
    st.k[to.at] = (list(c) + [0] * 64)[:size] + [0] * (64 - size)


@model("kshiftrb", "kshiftlb", "kshiftrw", "kshiftlw")
def kshift(i):
    size = 16 if i.op[-1] == "w" else 8
    c, k = i.st.k[i.args[1].at][:size], i.args[2].disp
    c = c[k:] + [0] * min(k, size) if i.op[6] == "r" else [0] * k + c
    i.st.k[i.args[0].at] = c[:size] + [0] * (64 - size)


@model("kxnorw", "kxnorb", "kxorw", "kxorb")
def kset(i):
    if i.args[1] != i.args[2]:
        raise Refuted("of masks that are not the same")
    one = 1 if i.op[2] == "n" else 0
    i.st.k[i.args[0].at] = [one] * {"w": 16, "b": 8}[i.op[-1]] + [0] * (64 - {"w": 16, "b": 8}[i.op[-1]])


@model("korw", "korb", "kandw", "kandb", "kunpckbw")
def kjoin(i):
    x, y = (i.st.k[a.at] for a in i.args[1:])
    if i.op == "kunpckbw":
        i.st.k[i.args[0].at] = y[:8] + x[:8] + [0] * 48
        return
    size, one = (16 if i.op[-1] == "w" else 8), (1 if i.op[1] == "o" else 0)

    def join(p, q):
        if type(p) is int:
            return one if p == one else q
        if type(q) is int:
            return one if q == one else p
        raise Refuted("two conditions at once")

    i.st.k[i.args[0].at] = [join(p, q) for p, q in zip(x[:size], y[:size])] + [0] * (64 - size)


@model("vzeroupper", "vzeroall")
def vzero(i):
    keep = 16 if i.op == "vzeroupper" else 0
    i.st.v[:16] = [b[:keep] + [0] * (64 - keep) for b in i.st.v[:16]]
