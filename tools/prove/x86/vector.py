"""Instructions on vector registers: Intel's manual, volume 2. Registers are 64 bytes from the low end."""

import re

from elf import Refuted
from terms import ONES, add, both, conjunction, either, equal, ror, shl, shr, signed, sub, unpack, word, xor

MODELS = []
BY = {}


def model(pattern):
    """Models all mnemonics that match, without the `v` of VEX and EVEX."""

    def put(f):
        MODELS.append((re.compile(pattern), f))
        return f

    return put


def find(name):
    for pattern, f in MODELS:
        m = pattern.fullmatch(name)
        if m:
            return f, m
    return None


class Call:
    """An instruction as its model sees it: `n` is the size of the destination, `size` that of the hash's words."""

    def __init__(self, machine, st, name, legacy, args):
        self.machine, self.st, self.name, self.legacy, self.args = machine, st, name, legacy, args
        self.imm = args[-1].disp if args[-1].kind == "i" else None
        self.n = args[0].size if args[0].kind == "v" else 16
        self.size = machine.size

    def get(self, i, n=None):
        return self.machine.get(self.st, self.args[i], self.n if n is None else n)

    def put(self, b, lane=None):
        """`lane` is the size of the parts that a mask lets pass."""
        self.machine.put(self.st, self.args[0], b, self.legacy, lane)

    def two(self):
        """Both sources: of three operands the last two, of SSE's two these."""
        return (self.get(0), self.get(1)) if self.legacy else (self.get(1), self.get(2))

    def words(self, f, size, *sources):
        """The results of a function, word by word."""
        out = []
        for i in range(0, self.n, size):
            out += unpack(f(*[word(b[i : i + size]) for b in sources]), size)
        return out


def execute(machine, st, op, args):
    if not args:
        return False
    legacy, name = (False, op[1:]) if op[0] == "v" else (True, op)
    found = BY.get(name)
    if found is None:
        found = BY[name] = find(name)
    if found is None:
        return False
    f, m = found
    return f(Call(machine, st, name, legacy, args), m) is not False


SIZES = {"b": 1, "w": 2, "d": 4, "q": 8, "ps": 4, "pd": 8, "ss": 4, "sd": 8, "bw": 1, "wd": 2, "dq": 4, "qdq": 8}

# ----------------------------------------------------------------------------------------------------------------- moves


@model(r"mov(dq[au](8|16|32|64)?|[au]p[sd]|ntdq|ntps|ntdqa)|lddqu")
def move(i, m):
    size = i.args[1].size if i.args[1].kind == "v" else i.n
    i.put(i.get(1, size), {"8": 1, "6": 2}.get((m[2] or "")[:1] if m[2] != "64" else "", 8 if i.name[-2:] in ("64", "pd") else 4))


@model(r"mov(d|q|ss|sd)")
def move_low(i, m):
    size = SIZES[m[1]]
    to, of = i.args[0], i.args[1]
    if len(i.args) == 3:  # a low word, and the rest of another
        x, y = i.get(1, 16), i.get(2, 16)
        i.put(y[:size] + x[size:16])
    elif to.kind != "v":
        i.machine.put(i.st, to, i.machine.get(i.st, of)[:size])
    elif of.kind == "v" and m[1][0] == "s":
        i.put(i.get(1, 16)[:size] + i.st.v[to.at][size:16])
    else:
        i.put(i.machine.get(i.st, of, size)[:size] + [0] * (16 - size))


@model(r"p?broadcast(ss|sd|[bwdq]|[if]128|[if]\d+x\d)")
def broadcast(i, m):
    size = SIZES.get(m[1]) or {"128": 16, "32x4": 16, "64x2": 16, "32x2": 8}.get(m[1][1:], 32)
    of = i.args[1]
    b = i.machine.get(i.st, of)[:size] if of.kind != "m" else i.machine.load(i.st, i.machine.address(i.st, of), size)
    i.put(b * (i.n // size), size if size <= 8 else None)


@model(r"movddup")
def movddup(i, m):
    of = i.args[1]
    if of.kind == "m" and i.n == 16:
        b = i.machine.load(i.st, i.machine.address(i.st, of), 8)
    else:
        b = i.get(1)
    i.put([x for at in range(0, i.n, 16) for x in b[at : at + 8] * 2])


@model(r"movs([hl])dup")
def movdup(i, m):
    b, odd = i.get(1), 4 if m[1] == "h" else 0
    i.put([x for at in range(0, i.n, 8) for x in b[at + odd : at + odd + 4] * 2])


@model(r"mov(lhps|hlps|hps|lps|hpd|lpd)")
def move_half(i, m):
    if i.args[0].kind == "m":
        i.machine.put(i.st, i.args[0], i.get(1, 16)[8 if m[1][0] == "h" else 0 :][:8])
        return
    x, y = i.get(0 if i.legacy else 1, 16), i.machine.get(i.st, i.args[-1])
    if m[1] == "lhps":
        i.put(x[:8] + y[:8])
    elif m[1] == "hlps":
        i.put(y[8:16] + x[8:16])
    elif m[1][0] == "h":
        i.put(x[:8] + y[:8])
    else:
        i.put(y[:8] + x[8:16])


@model(r"p(mov|)([sz])x(bw|bd|bq|wd|wq|dq)|pmov([sz])x(bw|bd|bq|wd|wq|dq)")
def extend(i, m):
    if (m[2] or m[4]) == "s":
        return False
    of, to = m[3] or m[5]
    size, wide = SIZES[of], SIZES[to]
    count = i.n // wide
    b = i.machine.get(i.st, i.args[1], size * count)[: size * count]
    i.put([x for at in range(0, len(b), size) for x in b[at : at + size] + [0] * (wide - size)], wide)


@model(r"pmov(qd|qw|dw|qb|db|wb)")
def truncate(i, m):
    wide, size = SIZES[m[1][0]], SIZES[m[1][1]]
    b = i.machine.get(i.st, i.args[1])
    out = [x for at in range(0, len(b), wide) for x in b[at : at + size]]
    if i.args[0].kind == "v":
        i.put(out + [0] * (16 - len(out)))
    else:
        i.machine.put(i.st, i.args[0], out)


# -------------------------------------------------------------------------------------------------------------- shuffles


@model(r"p?unpck([lh])(bw|wd|dq|qdq|ps|pd)")
def unpack_halves(i, m):
    size = SIZES[m[2]]
    x, y = i.two()
    out = []
    for base in range(0, i.n, 16):
        start = base + (8 if m[1] == "h" else 0)
        for at in range(start, start + 8, size):
            out += x[at : at + size] + y[at : at + size]
    i.put(out, size)


def by_control(b, base, size, control, count=4):
    """`count` parts of a vector from `base` on, two bits of the control for each."""
    return [x for j in range(count) for x in b[base + size * (control >> 2 * j & 3) :][:size]]


@model(r"pshufd|permilps")
def shuffle_words(i, m):
    b = i.get(1)
    if i.imm is None:
        places = indices(i.get(2), 4)
        i.put([x for j, c in enumerate(places) for x in b[4 * (j & ~3 | c & 3) :][:4]], 4)
        return
    i.put([x for base in range(0, i.n, 16) for x in by_control(b, base, 4, i.imm)], 4)


@model(r"permilpd")
def shuffle_pairs(i, m):
    b = i.get(1)
    if i.imm is None:
        places = indices(i.get(2), 8)
        i.put([x for j, c in enumerate(places) for x in b[8 * (j & ~1 | c >> 1 & 1) :][:8]], 8)
        return
    i.put([x for j in range(i.n // 8) for x in b[8 * (j & ~1 | i.imm >> j & 1) :][:8]], 8)


@model(r"pshuf([lh])w")
def shuffle_shorts(i, m):
    b, half = i.get(1), 8 if m[1] == "h" else 0
    out = list(b)
    for base in range(half, i.n, 16):
        out[base : base + 8] = by_control(b, base, 2, i.imm)
    i.put(out)


@model(r"shufp([sd])")
def shuffle_two(i, m):
    x, y = i.two()
    out = []
    for base in range(0, i.n, 16):
        if m[1] == "s":
            out += by_control(x, base, 4, i.imm, 2) + by_control(y, base, 4, i.imm >> 4, 2)
        else:
            j = base // 8
            out += x[base + 8 * (i.imm >> j & 1) :][:8] + y[base + 8 * (i.imm >> j + 1 & 1) :][:8]
    i.put(out, 4 if m[1] == "s" else 8)


@model(r"pshufb")
def shuffle_bytes(i, m):
    x, control = i.two()
    assert all(type(c) is int for c in control), "a shuffle that is not constant"
    i.put([0 if c & 128 else x[at & ~15 | c & 15] for at, c in enumerate(control)], 1)


@model(r"palignr")
def align_right(i, m):
    x, y = i.two()
    out = []
    for base in range(0, i.n, 16):
        out += (y[base : base + 16] + x[base : base + 16] + [0] * 256)[i.imm : i.imm + 16]
    i.put(out)


@model(r"align([dq])")
def align_words(i, m):
    x, y = i.two()
    size = SIZES[m[1]]
    start = size * (i.imm % (i.n // size))
    i.put((y + x)[start : start + i.n], size)


@model(r"psrldq|pslldq")
def shift_bytes(i, m):
    b, k, out = i.get(-2 if len(i.args) > 2 else 0), min(i.imm, 16), []
    for base in range(0, i.n, 16):
        part = b[base : base + 16]
        out += part[k:] + [0] * k if i.name == "psrldq" else [0] * k + part[: 16 - k]
    i.put(out)


@model(r"pblendw|blendps|blendpd|pblendd")
def blend(i, m):
    size = {"pblendw": 2, "blendps": 4, "blendpd": 8, "pblendd": 4}[i.name]
    x, y = i.two()
    i.put([b for at in range(0, i.n, size) for b in (y if i.imm >> at // size % 8 & 1 else x)[at : at + size]])


@model(r"p?blendm([dq]|ps|pd)")
def blend_by_mask(i, m):
    size, a = SIZES[m[1]], i.args[0]
    x, y = i.two()
    c = i.st.k[a.mask][: i.n // size]
    assert all(type(b) is int for b in c), "a mask that is not constant"
    rest = [0] * i.n if a.zero else x
    out = [b for at in range(0, i.n, size) for b in (y if c[at // size] else rest)[at : at + size]]
    i.machine.put(i.st, a._replace(mask=None), out)


@model(r"pexpand([dq])")
def expand(i, m):
    size, a = SIZES[m[1]], i.args[0]
    b, old, c = i.get(1), i.st.v[a.at], i.st.k[a.mask][: i.n // size]
    assert all(type(x) is int for x in c), "a mask that is not constant"
    out, at = [], 0
    for j, taken in enumerate(c):
        if taken:
            out += b[at : at + size]
            at += size
        else:
            out += [0] * size if a.zero else old[size * j :][:size]
    i.machine.put(i.st, a._replace(mask=None), out)


@model(r"p(gather|scatter)([dq])([dq])")
def at_many_places(i, m):
    """A load or a store for each word that the mask lets pass, the lowest first. Then the mask is empty."""
    to, of = i.args
    scatter = m[1] == "scatter"
    (v, places), step, size = ((of, to) if scatter else (to, of)), SIZES[m[2]], SIZES[m[3]]
    k = to.mask if not of.mask else of.mask
    if places.kind != "g" or not k:
        return False
    whole, register, scale = places.at
    index = [signed(x, step) for x in indices(i.st.v[register][:whole], step)]
    count = min(len(index), v.size // size)
    taken = i.st.k[k][:count]
    assert all(type(b) is int for b in taken), "a mask that is not constant"
    b = list(i.st.v[v.at][: v.size])
    for j in range(count):
        if taken[j]:
            a = add(8, i.machine.address(i.st, places), index[j] * scale)
            if scatter:
                i.machine.store(i.st, a, b[size * j : size * j + size])
            else:
                b[size * j : size * j + size] = i.machine.load(i.st, a, size)
    i.st.k[k] = [0] * 64
    if not scatter:
        i.machine.put(i.st, v._replace(mask=None), b[: size * count] + [0] * (v.size - size * count))


@model(r"insertps")
def insertps(i, m):
    x, of = i.get(0 if i.legacy else 1, 16), i.args[-2]
    y = i.machine.get(i.st, of)[4 * (i.imm >> 6) if of.kind == "v" else 0 :][:4]
    at = i.imm >> 4 & 3
    out = x[: 4 * at] + y + x[4 * at + 4 : 16]
    i.put([b for j in range(4) for b in ([0] * 4 if i.imm >> j & 1 else out[4 * j : 4 * j + 4])])


@model(r"pinsr([bwdq])")
def insert_word(i, m):
    size = SIZES[m[1]]
    x, at = i.get(0 if i.legacy else 1, 16), size * (i.imm % (16 // size))
    i.put(x[:at] + i.machine.get(i.st, i.args[-2], size)[:size] + x[at + size : 16])


@model(r"pextr([bwdq])|extractps")
def extract_word(i, m):
    size = SIZES[m[1] or "d"]
    b = i.get(1, 16)[size * (i.imm % (16 // size)) :][:size]
    to = i.args[0]
    i.machine.put(i.st, to, b + [0] * (to.size - size) if to.kind == "r" else b)


@model(r"insert[if](128|32x4|64x2|64x4|32x8)")
def insert_part(i, m):
    size = 32 if m[1] in ("64x4", "32x8") else 16
    x, at = i.get(1), size * (i.imm % (i.n // size))
    i.put(x[:at] + i.get(2, size) + x[at + size : i.n])


@model(r"extract[if](128|32x4|64x2|64x4|32x8)")
def extract_part(i, m):
    size, b = 32 if m[1] in ("64x4", "32x8") else 16, i.machine.get(i.st, i.args[1])
    i.put(b[size * (i.imm % (len(b) // size)) :][:size])


@model(r"perm2[if]128")
def permute_halves(i, m):
    x, y = i.two()
    four = [x[:16], x[16:32], y[:16], y[16:32]]
    i.put([b for c in (i.imm, i.imm >> 4) for b in ([0] * 16 if c & 8 else four[c & 3])])


@model(r"perm(q|pd|d|ps)")
def permute(i, m):
    size = SIZES[m[1]]
    if i.imm is not None:
        b = i.get(1)
        i.put([x for base in range(0, i.n, 32) for x in by_control(b, base, 8, i.imm)], 8)
        return
    control, b = i.two()
    i.put(pick(indices(control, size), size, b), size)


@model(r"perm([it])2(d|q|ps|pd)")
def permute_two(i, m):
    size = SIZES[m[2]]
    own, x, y = i.get(0), i.get(1), i.get(2)
    control, low = (own, x) if m[1] == "i" else (x, own)
    i.put(pick(indices(control, size), size, low + y), size)


def indices(control, size):
    out = [word(control[at : at + size]) for at in range(0, len(control), size)]
    assert all(type(c) is int for c in out), "a permutation that is not constant"
    return out


def pick(places, size, b):
    count = len(b) // size
    return [x for c in places for x in b[size * (c % count) :][:size]]


@model(r"shuf[if](32x4|64x2)")
def shuffle_parts(i, m):
    x, y = i.two()
    if i.n == 64:
        i.put(by_control(x, 0, 16, i.imm, 2) + by_control(y, 0, 16, i.imm >> 4, 2), 4 if m[1] == "32x4" else 8)
    else:
        i.put(x[16 * (i.imm & 1) :][:16] + y[16 * (i.imm >> 1 & 1) :][:16], 4 if m[1] == "32x4" else 8)


# ------------------------------------------------------------------------------------------------------------ arithmetic


@model(r"p(add|sub)([bwdq])")
def add_words(i, m):
    size = SIZES[m[2]]
    x, y = i.two()

    def f(p, q):
        if m[1] == "sub":
            return sub(size, p, q)
        return shl(size, p, 1) if p is q and size > 1 else add(size, p, q)  # doubled is a shift, which rotations are made of

    i.put(i.words(f, size, x, y), size)


@model(r"p(xor|or|and|andn)([dq]?)|(xor|or|and|andn)p([sd])")
def logic(i, m):
    kind, size, (x, y) = m[1] or m[3], i.size, i.two()
    if kind == "xor" and i.args[-1].kind == "v" and i.args[-1].at == i.args[0 if i.legacy else 1].at and not i.args[0].mask:
        i.put([0] * i.n)
        return
    f = {
        "xor": lambda p, q: xor(size, p, q),
        "or": lambda p, q: either(size, p, q),
        "and": lambda p, q: both(size, p, q),
        "andn": lambda p, q: both(size, xor(size, p, ONES[size]), q),
    }[kind]
    i.put(i.words(f, size, x, y), {"d": 4, "q": 8, "s": 4}.get(m[2] or m[4], None))


def truth_table(size, immediate, x, y, z):
    """The bitwise function of three whose value for bits of x, y, z is that bit of the immediate: by Möbius inversion."""
    f = [immediate >> i & 1 for i in range(8)]
    for step in (1, 2, 4):
        for i in range(8):
            if i & step:
                f[i] ^= f[i ^ step]
    out = []
    for i in range(8):
        if f[i]:
            p = ONES[size]
            for bit, v in ((4, x), (2, y), (1, z)):
                if i & bit:
                    p = both(size, p, v)
            out.append(p)
    return xor(size, *out)


@model(r"pternlog([dq])")
def ternary_logic(i, m):
    size, sources = i.size, [i.get(j) for j in range(3)]
    i.put(i.words(lambda x, y, z: truth_table(size, i.imm, x, y, z), size, *sources), SIZES[m[1]])


@model(r"p(sll|srl|rol|ror)([dq])")
def shift_words(i, m):
    size = SIZES[m[2]]
    k = i.imm
    b = i.get(-2 if len(i.args) > 2 else 0)
    if k is None:  # in the low half of a register
        k = word(i.machine.get(i.st, i.args[-1], 16)[:8])
        assert type(k) is int and m[1] in ("sll", "srl"), "a shift that is not constant"
    if m[1][0] == "s" and k >= 8 * size:
        i.put([0] * i.n, size)
        return
    f = {
        "sll": lambda x: shl(size, x, k),
        "srl": lambda x: shr(size, x, k),
        "ror": lambda x: ror(size, x, k),
        "rol": lambda x: ror(size, x, -k),
    }[m[1]]
    i.put(i.words(f, size, b), size)


@model(r"pcmpeq([bwdq])")
def compare(i, m):
    size, to = SIZES[m[1]], i.args[0]
    if to.kind != "k":
        if i.args[-1].kind == "v" and i.args[-1].at == i.args[0 if i.legacy else 1].at:
            i.put([255] * i.n)
            return
        x, y = i.two()
        out = []
        for at in range(0, i.n, size):
            c = equal(size, word(x[at : at + size]), word(y[at : at + size]))
            if type(c) is not int:
                raise Refuted("a comparison that is not known")
            out += [255 * c] * size
        i.put(out)
        return
    n = i.args[1].size
    x, y = i.get(1, n), i.get(2, n)
    out = [equal(size, word(x[at : at + size]), word(y[at : at + size])) for at in range(0, n, size)]
    if to.mask:
        out = [conjunction(c, b) for c, b in zip(out, i.st.k[to.mask])]
    i.st.k[to.at] = out + [0] * (64 - len(out))
