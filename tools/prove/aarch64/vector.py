"""Instructions on vector registers, and those of SHA-256 and SHA-512: Arm's architecture reference manual, part C7.
Registers are 16 bytes from the low end."""

import facts
import specification
from aarch64 import scalar
from elf import Refuted
from terms import ONES, Term, add, both, either, shl, shr, sub, times, unpack, word, xor

BY = {}
READS_ITS_RESULT = (
    "bsl", "bit", "bif", "sli", "sri", "usra", "sha256h", "sha256h2", "sha256su0", "sha256su1", "mla", "addhn2", "xtn2",
    "tbx", "shrn2", "sha512h", "sha512h2", "sha512su0", "sha512su1",
)  # fmt: skip


def model(*names):
    def put(f):
        for name in names:
            BY[name] = f
        return f

    return put


for _name in ("ldr", "ldur", "ldp", "ldnp", "str", "stur", "stp", "stnp"):
    BY[_name] = scalar.BY[_name]


def source(i, j):
    """The bytes of an operand of either kind."""
    o = i.args[j]
    return unpack(i.machine.read(i.st, o), o.size) if o.kind in "rz" else i.get(j)


def words(size, f, *sources):
    """The results of a function, word by word."""
    out = []
    for at in range(0, len(sources[0]), size):
        out += unpack(f(*[word(b[at : at + size]) for b in sources]), size)
    return out


def parts(b, size):
    return [b[at : at + size] for at in range(0, len(b), size)]


# ---------------------------------------------------------------------------------------------------------------- moves


@model("mov", "fmov", "umov")
def move(i):
    b, to = source(i, 1), i.args[0]
    i.put_bytes(b + [0] * max(0, to.size - len(b)))


@model("dup")
def dup(i):
    o, b = i.args[0], source(i, 1)[: i.args[0].element]
    i.put_bytes(b * (o.size // o.element))


@model("movi", "mvni")
def move_number(i):
    o, x = i.args[0], i.args[1].at
    if len(i.args) > 2:
        kind, k = i.args[2].at
        x = x << k | (ONES[1] >> 8 - k if kind == "msl" else 0)
    x = (~x if i.op == "mvni" else x) & ONES[o.element]
    i.put_bytes(unpack(x, o.element) * (o.size // o.element))


def registers(i):
    """Of one register in braces."""
    (o,) = i.args[0].at
    return o


@model("ld1", "ld1r")
def load_one(i):
    o, size = registers(i), i.args[0].element if i.op == "ld1r" else i.args[0].size
    b = i.machine.load(i.st, i.machine.address(i.st, i.args), size)
    i.machine.write(i.st, o, b * (o.size // size) if i.op == "ld1r" else b)


@model("st1")
def store_one(i):
    o = registers(i)
    at = 0 if o.index is None else o.element * o.index
    i.machine.store(i.st, i.machine.address(i.st, i.args), i.st.v[o.at][at : at + o.size])


# ------------------------------------------------------------------------------------------------------------- shuffles


@model("rev16", "rev32", "rev64")
def reverse(i):
    size, element = int(i.op[3:]) // 8, i.args[0].element
    i.put_bytes([x for part in parts(i.get(1), size) for e in parts(part, element)[::-1] for x in e])


@model("tbl")
def table_of_bytes(i):
    b = [x for o in i.args[1].at for x in i.st.v[o.at]]
    control = i.get(2)
    if any(type(c) is not int for c in control):
        raise Refuted("a shuffle that is not constant")
    i.put_bytes([b[c] if c < len(b) else 0 for c in control])


@model("ext")
def extract(i):
    k = i.args[3].at
    i.put_bytes((i.get(1) + i.get(2))[k : k + i.n])


@model("zip1", "zip2", "uzp1", "uzp2", "trn1", "trn2")
def permute(i):
    x, y = (parts(i.get(j), i.args[0].element) for j in (1, 2))
    second, n = int(i.op[3]) - 1, len(x)
    if i.op[:3] == "zip":
        out = [e for p in zip(x, y) for e in p][second * n :][:n]
    elif i.op[:3] == "uzp":
        out = (x + y)[second::2]
    else:
        out = [e for p in zip(x[second::2], y[second::2]) for e in p]
    i.put_bytes([b for e in out for b in e])


@model("uxtl", "ushll", "uxtl2", "ushll2")
def widen(i):
    if i.op[:5] == "ushll" and i.args[2].at:
        raise Refuted("with a shift")
    size, wide = i.args[1].element, i.args[0].element
    b = i.st.v[i.args[1].at][8 if i.op[-1] == "2" else 0 :][:8]
    i.put_bytes([x for part in parts(b, size) for x in part + [0] * (wide - size)])


@model("xtn", "xtn2", "shrn", "shrn2", "addhn", "addhn2")
def narrow(i):
    """The low halves of words, or the bits from a place on, or the high halves of sums."""
    wide, size = i.args[1].element, i.args[0].element
    k = {"xtn": 0, "addhn": 8 * size}.get(i.op.rstrip("2")) if i.op[0] != "s" else i.args[2].at
    if k % 8:
        raise Refuted("by a number that is no multiple of 8")
    b = i.get(1)
    if i.op[0] == "a":
        b = words(wide, lambda x, y: add(wide, x, y), b, i.get(2))
    out = [x for part in parts(b, wide) for x in part[k // 8 :][:size]]
    upper = i.op[-1] == "2"
    i.st.v[i.args[0].at] = i.st.v[i.args[0].at][:8] + out if upper else out + [0] * 8


# ----------------------------------------------------------------------------------------------------------- arithmetic


@model("add", "sub", "neg", "mul")
def add_words(i):
    size = i.args[0].element

    def f(x, y):
        if i.op == "sub":
            return sub(size, x, y)
        if i.op == "mul":
            return multiple(size, x, y)
        return shl(size, x, 1) if x is y and size > 1 else add(size, x, y)  # doubled is a shift, which rotations are made of

    if i.op == "neg":
        i.put_bytes(words(size, lambda x: times(size, x, -1), i.get(1)))
    else:
        i.put_bytes(words(size, f, i.get(1), i.get(2)))


def multiple(size, x, y):
    if type(x) is int:
        x, y = y, x
    if type(y) is Term or type(x) is Term and x.secret:
        raise Refuted("a product of a secret, or of two that vary")
    return times(size, x, y)


@model("shl", "ushr", "usra", "sri", "sli")
def shift_words(i):
    size, k = i.args[0].element, i.args[2].at
    if i.op == "shl":
        i.put_bytes(words(size, lambda x: shl(size, x, k), i.get(1)))
        return
    if i.op == "sli":
        kept = (1 << k) - 1
        f = lambda x, old: xor(size, shl(size, x, k), both(size, old, kept))  # noqa: E731
    elif i.op == "sri":
        kept = ONES[size] ^ ONES[size] >> k
        f = lambda x, old: xor(size, shr(size, x, k), both(size, old, kept))  # noqa: E731
    elif i.op == "usra":
        f = lambda x, old: add(size, shr(size, x, k), old)  # noqa: E731
    else:
        f = lambda x, old: shr(size, x, k)  # noqa: E731
    i.put_bytes(words(size, f, i.get(1), i.get(0)))


@model("eor", "orr", "and", "bic", "orn", "mvn", "bsl", "bit", "bif")
def logic(i):
    size, op = min(i.size, i.n), i.op
    if op == "eor" and i.args[1] == i.args[2]:
        i.put_bytes([0] * i.n)
        return
    if any(o.kind != "v" for o in i.args):
        raise Refuted("of a number")

    def choose(by, yes, no):
        return xor(size, no, both(size, by, xor(size, yes, no)))

    f = {
        "eor": lambda x, y: xor(size, x, y),
        "orr": lambda x, y: either(size, x, y),
        "and": lambda x, y: both(size, x, y),
        "bic": lambda x, y: both(size, x, xor(size, y, ONES[size])),
        "orn": lambda x, y: either(size, x, xor(size, y, ONES[size])),
        "mvn": lambda x: xor(size, x, ONES[size]),
        "bsl": lambda old, x, y: choose(old, x, y),
        "bit": lambda old, x, y: choose(y, x, old),
        "bif": lambda old, x, y: choose(y, old, x),
    }[op]
    first = 0 if op in ("bsl", "bit", "bif") else 1
    i.put_bytes(words(size, f, *[i.get(j) for j in range(first, len(i.args))]))


# ---------------------------------------------------------------------------------------------------------- comparisons


@model("cmeq", "cmhi", "cmhs")
def compare(i):
    """A mask for each word. Of public words both ways are followed; a comparison of secret ones is refused."""
    size, ways = i.args[0].element, [(i.st, [])]
    y = [0] * i.n if i.args[2].kind == "i" else i.get(2)
    for p, q in zip(parts(i.get(1), size), parts(y, size)):
        following = []
        for st, b in ways:
            for yes, s in compared(st, i.op, size, facts.settle(st, word(p)), facts.settle(st, word(q))):
                following.append((s, b + [255 * yes] * size))
        ways = following
    for st, b in ways:
        i.machine.write(st, i.args[0], b)
    return [st for st, _ in ways]


def compared(st, op, size, x, y):
    if op == "cmeq":
        return facts.zero(st, size, sub(size, x, y))
    if op == "cmhi":
        return facts.less(st, size, y, x)
    return [(not yes, s) for yes, s in facts.less(st, size, x, y)]


@model("uminv", "umaxv")
def extreme(i):
    """Of numbers."""
    b = i.get(1)
    if any(type(x) is not int for x in b):
        raise Refuted("of numbers that are not known")
    size = i.args[1].element
    found = [int.from_bytes(bytes(p), "little") for p in parts(b, size)]
    i.put_bytes(unpack((min if i.op == "uminv" else max)(found), size))


# -------------------------------------------------------------------------------------------------- SHA-256 and SHA-512


def words_of(b, size=4):
    return [word(p) for p in parts(b, size)]


def from_words(found, size=4):
    return [x for w in found for x in unpack(w, size)]


@model("sha256h", "sha256h2")
def sha256_rounds(i):
    """Four rounds: the upper half of the working variables after them, or the lower one."""
    x, y = words_of(i.get(0)), words_of(i.get(1))
    v = tuple(x + y) if i.op == "sha256h" else tuple(y + x)
    for sum_ in words_of(i.get(2)):
        v = specification.sha2_round(4, v, sum_)
    i.put_bytes(from_words(v[:4] if i.op == "sha256h" else v[4:]))


@model("sha256su0")
def sha256su0(i):
    w = words_of(i.get(0)) + words_of(i.get(1))[:1]
    i.put_bytes(from_words([add(4, w[j], specification.sigma0(4, w[j + 1])) for j in range(4)]))


@model("sha256su1")
def sha256su1(i):
    old, x, y = (words_of(i.get(j)) for j in range(3))
    before, out = x[1:] + y[:1], []
    later = y[2:]
    for j in range(4):
        out.append(add(4, old[j], before[j], specification.sigma1(4, later[j] if j < 2 else out[j - 2])))
    i.put_bytes(from_words(out))


def words_of_512(i):
    """The two words of each operand, the lower one first."""
    return [words_of(i.get(j), 8) for j in range(len(i.args))]


@model("sha512h")
def sha512h(i):
    """T1 of two rounds, of the second in the lower word. `sums` are those of h, the constant and the word."""
    sums, (f, g), (d, e) = words_of_512(i)

    def t1(sum_, e, f, g):
        return add(8, sum_, specification.rotations(8, e, specification.SUM1[8]), specification.choose(8, e, f, g))

    first = t1(sums[1], e, f, g)
    i.put_bytes(from_words([t1(sums[0], add(8, d, first), e, f), first], 8))


@model("sha512h2")
def sha512h2(i):
    """The variable a after two rounds, of the second in the lower word, from T1 of both."""
    t1, (c, _), (a, b) = words_of_512(i)

    def t2(a, b, c):
        return add(8, specification.rotations(8, a, specification.SUM0[8]), specification.majority(8, a, b, c))

    first = add(8, t1[1], t2(a, b, c))
    i.put_bytes(from_words([add(8, t1[0], t2(first, a, b)), first], 8))


@model("sha512su0")
def sha512su0(i):
    (x, y), (z, _) = words_of_512(i)
    i.put_bytes(from_words([add(8, x, specification.sigma0(8, y)), add(8, y, specification.sigma0(8, z))], 8))


@model("sha512su1")
def sha512su1(i):
    i.put_bytes(from_words([add(8, x, specification.sigma1(8, y), z) for x, y, z in zip(*words_of_512(i))], 8))
