"""Instructions on general registers, and loads and stores: Arm's architecture reference manual, part C6."""

import facts
from elf import Refuted
from terms import ONES, Term, add, both, either, ext, masked, ror, shl, shr, sub, times, unpack, xor, zext

BY = {}


def model(*names):
    def put(f):
        for name in names:
            BY[name] = f
        return f

    return put


def shift_right(i, n, x, k):
    """Of what is public the quotient, if it is known, since numbers of blocks are sums."""
    r = facts.quotient(i.st, x, k) if not (type(x) is Term and x.secret) else None
    return shr(n, x, k) if r is None else r


def shifted(i, x, name, k):
    """A value of the size of the instruction, shifted or extended before that."""
    n = i.n
    size = {"uxtb": 1, "uxth": 2, "uxtw": 4, "uxtx": 8}.get(name)
    if size:
        x = x & ONES[size] if type(x) is int else ext(x, 0, size) if size < x.size else x
        return shl(n, zext(n, x) if type(x) is Term and x.size < n else x, k) if k else zext(n, x) if size < n else x
    if type(x) is int:
        x &= ONES[n]
    if name == "lsl":
        return shl(n, x, k)
    if name == "lsr":
        return shift_right(i, n, x, k)
    if name == "ror":
        return ror(n, x, k)
    raise Refuted("an operand by " + name)


# ----------------------------------------------------------------------------------------------------- loads and stores


def loaded(i, registers, size):
    """`registers` from places side by side, each of so many bytes."""
    a = i.machine.address(i.st, i.args)
    for j, o in enumerate(registers):
        b = i.machine.load(i.st, add(8, a, j * size), size)
        i.machine.write(i.st, o, b + [0] * max(0, o.size - size))


def stored(i, registers, size):
    # The registers are read before the address is written back, though no encoding has both in one.
    b = [([0] * 8 if o.kind == "z" else i.st.g[o.at] if o.kind == "r" else i.st.v[o.at])[:size] for o in registers]
    a = i.machine.address(i.st, i.args)
    for j, x in enumerate(b):
        i.machine.store(i.st, add(8, a, j * size), x)


@model("ldr", "ldur", "ldp", "ldnp")
def load(i):
    loaded(i, i.args[: 2 if i.op[2:] in ("p", "np") else 1], i.n)


@model("str", "stur", "stp", "stnp")
def store(i):
    stored(i, i.args[: 2 if i.op[2:] in ("p", "np") else 1], i.n)


@model("ldrb", "ldurb", "ldrh", "ldurh")
def load_part(i):
    loaded(i, i.args[:1], 1 if i.op[-1] == "b" else 2)


@model("strb", "sturb", "strh", "sturh")
def store_part(i):
    stored(i, i.args[:1], 1 if i.op[-1] == "b" else 2)


@model("adr", "adrp")
def address_of_page(i):
    i.put(i.args[1].at)


# ---------------------------------------------------------------------------------------------------------------- moves


@model("mov")
def mov(i):
    i.put(i.value(1))


@model("movk")
def movk(i):
    at = i.args[2].at[1] // 8 if len(i.args) > 2 else 0
    b = i.st.g[i.args[0].at]
    i.machine.write(i.st, i.args[0], b[:at] + unpack(i.args[1].at, 2) + b[at + 2 :])


@model("uxtb", "uxth", "uxtw")
def extend(i):
    i.put(shifted(i, i.machine.read(i.st, i.args[1]), i.op, 0))


@model("rev", "rev16", "rev32")
def reverse(i):
    size = {"rev": i.n, "rev16": 2, "rev32": 4}[i.op]
    b = unpack(i.value(1), i.n)
    i.machine.write(i.st, i.args[0], [x for at in range(0, i.n, size) for x in b[at : at + size][::-1]])


# ----------------------------------------------------------------------------------------------------------- arithmetic


@model("add", "adds", "sub", "subs", "cmp", "cmn", "neg", "negs")
def add_sub(i):
    if i.op in ("cmp", "cmn"):
        x, y = i.value(0), i.value(1)
    else:
        x, y = (0, i.value(1)) if i.op[0] == "n" else (i.value(1), i.value(2))
    plus = i.op in ("add", "adds", "cmn")
    if i.op[:2] == "cm" or i.op[-1] == "s":
        i.st.flags = ("add" if plus else "sub", i.n, x, y)
    if i.op[:2] != "cm":
        i.put(add(i.n, x, y) if plus else sub(i.n, x, y))


@model("adc", "sbc")
def with_carry(i):
    if i.n != 8:
        raise Refuted("of %d bytes" % i.n)
    kind, c = i.st.flags[0], i.machine.carry_flag(i.st)
    if kind not in ("add", "sub"):
        raise Refuted("the carry after %s" % kind)
    borrowed = c if kind == "sub" else sub(8, 1, c)
    x, y = i.value(1), i.value(2)
    i.put(add(8, x, y, sub(8, 1, borrowed)) if i.op == "adc" else sub(8, sub(8, x, y), borrowed))


@model("mul", "madd", "msub", "mneg", "umull", "umaddl")
def multiply(i):
    wide = i.op[0] == "u"
    x, y = (facts.settle(i.st, i.machine.read(i.st, i.args[j])) for j in (1, 2))
    z = i.value(3) if len(i.args) > 3 else 0
    i.put(add(i.n, z, times(i.n, product(i, x, y, wide), -1 if i.op in ("msub", "mneg") else 1)))


def product(i, x, y, wide):
    """Of two public values, one of which is a number."""
    if type(x) is int:
        x, y = y, x
    if type(x) is Term and (x.secret or type(y) is Term):
        raise Refuted("a product of a secret, or of two that vary")
    return times(i.n, zext(i.n, x) if wide and type(x) is Term else x, y)


@model("umulh")
def multiply_high(i):
    x, y = (facts.settle(i.st, i.value(j)) for j in (1, 2))
    if type(x) is int:
        x, y = y, x
    if type(y) is Term or type(x) is Term and x.secret:
        raise Refuted("a product of a secret, or of two that vary")
    if type(x) is Term:
        b = facts.bounds(i.st, x)
        if not b or b[0] < 0 or b[1] * y >> 64:
            raise Refuted("a product that may be longer than a word")
        i.put(0)
    else:
        i.put(x * y >> 64)


# -------------------------------------------------------------------------------------------------------------- bitwise


@model("and", "ands", "tst", "orr", "eor", "bic", "bics", "orn", "eon", "mvn")
def logic(i):
    n, op = i.n, i.op
    x, y = (i.value(0), i.value(1)) if op == "tst" else (0, i.value(1)) if op == "mvn" else (i.value(1), i.value(2))
    if op in ("bic", "bics", "orn", "eon", "mvn"):
        y = xor(n, y, ONES[n])
    f = either if op in ("orr", "orn") else xor if op in ("eor", "eon", "mvn") else both
    size = {0xFF: 1, 0xFFFF: 2, 0xFFFFFFFF: 4}.get(y)
    if f is both and type(x) is Term and size and size < n:  # the low bytes, whatever is above them
        r = zext(n, ext(x, 0, size))
    else:
        r = f(n, x, y)
    if op in ("ands", "bics", "tst"):
        i.st.flags = ("logic", n, r, 0)
    if op != "tst":
        i.put(r)


@model("lsl", "lsr", "ror")
def shift(i):
    k = facts.settle(i.st, i.value(2))
    if type(k) is not int:
        raise Refuted("by a number that varies")
    x, k = i.value(1), k % (8 * i.n)
    i.put(shl(i.n, x, k) if i.op == "lsl" else shift_right(i, i.n, x, k) if i.op == "lsr" else ror(i.n, x, k))


@model("extr")
def extract(i):
    x, y, k = i.value(1), i.value(2), i.args[3].at
    i.put(ror(i.n, x, k) if x is y else either(i.n, shl(i.n, x, 8 * i.n - k), shr(i.n, y, k)))


@model("ubfx", "ubfiz")
def field(i):
    """Bits from a place on, as a number; or the low bits, moved to a place."""
    x, at, width = i.value(1), i.args[2].at, i.args[3].at
    ones = (1 << width) - 1
    if i.op == "ubfx":
        x = shift_right(i, i.n, x, at)
    r = facts.bounds(i.st, x)
    if not (r and 0 <= r[0] and r[1] <= ones):
        x = masked(i.n, x, ones)
    i.put(x if i.op == "ubfx" else shl(i.n, x, at))


# -------------------------------------------------------------------------------------------------------- by conditions


def choose(i, yes, no):
    to = i.args[0]
    return i.machine.choose_by(i.st, i.args[-1].at, i.n, yes, no, lambda s, b: i.machine.write(s, to, b))


@model("csel", "csinc", "csinv", "csneg")
def select(i):
    yes, no, n = i.value(1), i.value(2), i.n
    change = {"csinc": lambda x: add(n, x, 1), "csinv": lambda x: xor(n, x, ONES[n]), "csneg": lambda x: times(n, x, -1)}
    return choose(i, yes, change.get(i.op, lambda x: x)(no))


@model("cinc", "cinv", "cneg")
def change_if(i):
    x, n = i.value(1), i.n
    return choose(i, {"cinc": lambda: add(n, x, 1), "cinv": lambda: xor(n, x, ONES[n]), "cneg": lambda: times(n, x, -1)}[i.op](), x)


@model("cset", "csetm")
def set_if(i):
    return choose(i, 1 if i.op == "cset" else ONES[i.n], 0)


@model("ccmp", "ccmn")
def compare_if(i):
    """A comparison if a condition holds, else flags that are given."""
    x, y, out = i.value(0), i.value(1), []
    for yes, s in i.machine.ask(i.st, i.args[3].at):
        s.flags = ("sub" if i.op == "ccmp" else "add", i.n, x, y) if yes else ("nzcv", i.n, i.args[2].at, 0)
        out.append(s)
    return out


