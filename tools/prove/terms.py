"""Values as terms in a normal form.

A value is an int, or a Term of `size` bytes: the same expression is the same object, so comparing is `is`. A byte is an
int, or a pair of a term and an index.

Two forms do nearly all the work. A sum is linear modulo 2^(8 size): a constant, and terms with coefficients. A bitwise
function is a polynomial over GF(2): a constant, and terms with the mask of the bits where they count, where a term may be
a product (`and`) of others. Rotations are pushed into it, and a shift is a rotation with a mask. Both forms are equal to
what they are made from: a function may fail to see that two values are equal, and must never make equal what is not.
"""

import bisect
import functools
import operator

ONES = {n: (1 << 8 * n) - 1 for n in (1, 2, 4, 8, 16, 32, 64)}
MOST_PRODUCTS = 256  # in one polynomial; more is refused by whoever asks


class Unknown(Exception):
    """No form is known for this."""


REMEMBERED = []


def remembered(f):
    """A function whose results are kept: loops are followed many times, and most terms of one time are those of
    another."""
    f = functools.lru_cache(maxsize=None)(f)
    REMEMBERED.append(f)
    return f


class Term:
    """`op` of `args`; `secret` if a chaining value or a message is in it. `public` has a bit for each other variable."""

    __slots__ = ("op", "size", "args", "id", "secret", "public", "bytes")

    def __getattr__(self, name):
        """Its bytes when they are asked for first: of most terms they never are."""
        if name != "bytes":
            raise AttributeError(name)
        self.bytes = bytes_of(self)
        return self.bytes


TERMS, PUBLIC = {}, {}


def term(op, size, args, secret=False, known=None):
    """`known` are its marks, if they are."""
    key = (op, size, args)
    t = TERMS.get(key)
    if t is None:
        t = TERMS[key] = Term()
        t.op, t.size, t.args, t.id = op, size, args, len(TERMS)
        t.secret, t.public = known or (marks_of_parts(args[1]) if op in ("add", "xor") else marks(args, secret, 0))
        if op == "var" and not t.secret:
            t.public |= 1 << len(PUBLIC)
            PUBLIC[t] = None
    return t


def marks_of_parts(parts):
    """The marks of a sum or a polynomial."""
    secret, public = False, 0
    for y, _ in parts:
        secret, public = secret or y.secret, public | y.public
    return secret, public


def marks(args, secret, public):
    for a in args:
        if type(a) is Term:
            secret, public = secret or a.secret, public | a.public
        elif type(a) is tuple:
            secret, public = marks(a, secret, public)
    return secret, public


def bytes_of(t):
    """The bytes of a term, those that are bytes of a smaller one or constants as such."""
    op, size = t.op, t.size
    if op == "cat":
        return list(t.args)
    if op == "zext":
        return t.args[0].bytes + [0] * (size - t.args[0].size)
    if op == "ext":
        return t.args[0].bytes[t.args[1] : t.args[1] + size]
    if op == "ror" and t.args[1] % 8 == 0:
        b, n = t.args[0].bytes, t.args[1] // 8
        return b[n:] + b[:n]
    own = [(t, i) for i in range(size)]
    if op == "xor" and [m for _, m in t.args[1]].count(ONES[size]) < 2:
        for i in range(size):
            here, part = [(y, m >> 8 * i & 255) for y, m in t.args[1] if m >> 8 * i & 255], t.args[0] >> 8 * i & 255
            if not here:
                own[i] = part
            elif len(here) == 1 and here[0][1] == 255 and part == 0:
                own[i] = here[0][0].bytes[i]
    return own


def var(name, size, *index, secret=False):
    return term("var", size, (name,) + index, secret)


def signed(n, size):
    return n - (1 << 8 * size) if n >> (8 * size - 1) else n


by_id, by_op = operator.attrgetter("id"), operator.attrgetter("op")


def in_order(parts):
    """Parts with numbers, in the one order that a normal form has."""
    ordered = sorted(parts, key=by_id)
    return tuple(zip(ordered, map(parts.__getitem__, ordered)))


# ------------------------------------------------------------------------------------------------------------------ sums


def parts_of(x):
    return len(x.args[1]) if type(x) is Term and x.op == "add" else 0


def id_of_part(part):
    return part[0].id


def put_into(size, x, y):
    """The sum of `x`, a sum of many parts, and `y`, of few, each of which is put in its place: most sums grow so. None if
    a part vanishes or is a table."""
    c, parts = x.args
    if type(y) is int:
        return term("add", size, (c + y & ONES[size], parts), known=(x.secret, x.public))
    of_y = ((y, 1),)
    if y.op == "add":
        c, of_y = c + y.args[0] & ONES[size], y.args[1]
    parts = list(parts)
    for z, n in of_y:
        i = bisect.bisect_left(parts, z.id, key=id_of_part)
        if i == len(parts) or parts[i][0] is not z:
            parts.insert(i, (z, n))
        else:
            parts[i] = (z, parts[i][1] + n & ONES[size])
        if z.op == "sel" or parts[i][1] == 0:
            return None
    return term("add", size, (c, tuple(parts)), known=(x.secret or y.secret, x.public | y.public))


@remembered
def add(size, *xs):
    """The sum modulo 2^(8 size). Two values without a common bit, one of them made of bits, have their exclusive or:
    compilers join halves by either instruction."""
    xs = [x & ONES[size] if type(x) is int else x for x in xs]
    c, out = 0, {}
    if len(xs) == 2:
        moved = any(type(x) is Term and x.op in ("xor", "cat") for x in xs)
        if moved and may_be_set(xs[0], size) & may_be_set(xs[1], size) == 0:
            return xor(size, *xs)
        if parts_of(xs[0]) < parts_of(xs[1]):
            xs = xs[::-1]  # the shorter one is added to the longer one
        if parts_of(xs[0]) > 4 + 4 * parts_of(xs[1]):
            found = put_into(size, *xs)
            if found is not None:
                return found
    for x in xs:
        if type(x) is int:
            c += x
        elif x.op == "add":
            c += x.args[0]
            if not out:
                out = dict(x.args[1])
                continue
            for y, n in x.args[1]:
                out[y] = out.get(y, 0) + n
        else:
            out[x] = out.get(x, 0) + 1
    return linear(size, c, out)


def combine(size, c, pairs):
    """The sum of values with coefficients."""
    out = {}
    for x, k in pairs:
        if type(x) is int:
            c += x * k
        elif x.op == "add":
            c += x.args[0] * k
            if not out and k == 1:
                out = dict(x.args[1])
                continue
            for y, n in x.args[1]:
                out[y] = out.get(y, 0) + n * k
        else:
            out[x] = out.get(x, 0) + k
    return linear(size, c, out)


def linear(size, c, out):
    ones = ONES[size]
    if "sel" in map(by_op, out):
        c, out = join_tables(size, c, out, [y for y in out if y.op == "sel"])
        if type(out) is not dict:
            return out
    if out and (min(out.values()) <= 0 or max(out.values()) > ones):
        out = {y: n & ones for y, n in out.items() if n & ones}
    c &= ones
    if not out:
        return c
    if c == 0 and len(out) == 1:
        ((y, n),) = out.items()
        if n == 1:
            return y
        if y.secret and n & n - 1 == 0:
            return shl(size, y, n.bit_length() - 1)
    return term("add", size, (c, in_order(out)))


def join_tables(size, c, out, tables):
    """Tables by the same variable become one, whose first value is moved into the constant."""
    out, sums = dict(out), {}
    for y in tables:
        n = out.pop(y)
        of, values = y.args
        sums[of] = [a + n * b for a, b in zip(sums.get(of, (0,) * len(values)), values)]
    if len(sums) == 1 and not out:
        ((of, values),) = sums.items()
        return 0, table(size, of, [v + c for v in values])
    for of, values in sums.items():
        c += values[0]
        t = table(size, of, [v - values[0] for v in values])
        if type(t) is Term:
            out[t] = 1
    return c, out


@remembered
def times(size, x, k):
    return combine(size, 0, [(x, k)])


@remembered
def sub(size, x, y):
    return combine(size, 0, [(x, 1), (y, -1)])


def carry(x, y):
    """1 if the sum of two words of 8 bytes carries."""
    if type(x) is int and type(y) is int:
        return x + y >> 64
    if x == 0 or y == 0:
        return 0
    return term("carry", 8, tuple(sorted((x, y), key=lambda t: t.id if type(t) is Term else -1)))


# --------------------------------------------------------------------------------------------------------------- bitwise


def entries_of(x, size):
    """The constant and the entries of the polynomial that a value is."""
    if type(x) is int:
        return x, ()
    if x.op == "xor":
        return x.args
    return 0, ((x, ONES[size]),)


@remembered
def xor(size, *xs):
    c, out = 0, {}
    for x in xs:
        if type(x) is int:
            c ^= x
        elif x.op == "xor":
            c ^= x.args[0]
            if not out:
                out = dict(x.args[1])
                continue
            for y, m in x.args[1]:
                out[y] = out.get(y, 0) ^ m
        else:
            out[x] = out.get(x, 0) ^ ONES[size]
    return polynomial(size, c, out)


def polynomial(size, c, out):
    if 0 in out.values():
        out = {y: m for y, m in out.items() if m}
    if not out:
        return c
    if "sel" in map(by_op, out):
        tables, rest = {}, {}
        for y, m in out.items():
            if y.op != "sel":
                rest[y] = m
                continue
            of, values = y.args
            tables[of] = [a ^ b & m for a, b in zip(tables.get(of, (0,) * len(values)), values)]
        if len(tables) == 1 and not rest:
            ((of, values),) = tables.items()
            return table(size, of, [v ^ c for v in values])
        for of, values in tables.items():
            c ^= values[0]
            t = table(size, of, [v ^ values[0] for v in values])
            if type(t) is Term:
                rest[t] = ONES[size]
        out = rest
    if len(out) == 1 and c == 0:
        ((y, m),) = out.items()
        if m == ONES[size]:
            return y
        if y.op == "bits":
            return bits(size, [b if m >> i & 1 else 0 for i, b in enumerate(y.args)])
        if y.op == "add" and m & m + 1 == 0 and m.bit_length() in (8, 16, 32):
            low = m.bit_length() // 8
            return word(unpack(ext(y, 0, low), low) + [0] * (size - low))
    return term("xor", size, (c, in_order(out)))


@remembered
def masked(size, x, mask):
    """And with a constant."""
    if type(x) is int or mask == ONES[size]:
        return x & mask if type(x) is int else x
    c, entries = entries_of(x, size)
    return polynomial(size, c & mask, {y: m & mask for y, m in entries})


@remembered
def both(size, x, y):
    """And: the product of the polynomials."""
    if type(x) is int:
        return x & y if type(y) is int else masked(size, y, x)
    if type(y) is int:
        return masked(size, x, y)
    if x is y:
        return x
    (c, p), (d, q) = entries_of(x, size), entries_of(y, size)
    if len(p) * len(q) > MOST_PRODUCTS:
        raise Unknown("a product of %d by %d terms" % (len(p), len(q)))
    out = {}
    for y, m in p:
        out[y] = out.get(y, 0) ^ m & d
    for z, n in q:
        out[z] = out.get(z, 0) ^ n & c
        for y, m in p:
            if m & n:
                yz = product(size, y, z)
                out[yz] = out.get(yz, 0) ^ m & n
    return polynomial(size, c & d, out)


def product(size, x, y):
    factors = set(x.args if x.op == "and" else (x,)) | set(y.args if y.op == "and" else (y,))
    if len(factors) == 1:
        return x
    return term("and", size, tuple(sorted(factors, key=by_id)))


def may_be_set(x, size):
    """The bits of a value that may be 1, as far as its polynomial tells, and the bytes of its parts."""
    bits, entries = entries_of(x, size)
    for y, m in entries:
        if type(y) is Term and y.op in ("cat", "zext"):
            m &= sum(255 << 8 * i for i, b in enumerate(y.bytes) if b != 0)
        bits |= m
    return bits


@remembered
def either(size, x, y):
    """Or: an exclusive or if parts share no bit; a set if they are public, for a test of all."""
    if type(x) is int and type(y) is int:
        return x | y
    if x == 0 or y == 0 or x is y:
        return y if x == 0 else x
    if may_be_set(x, size) & may_be_set(y, size) == 0:
        return xor(size, x, y)
    if (type(x) is int or x.secret or x.op == "sel") and (type(y) is int or y.secret or y.op == "sel"):
        return xor(size, x, y, both(size, x, y))
    parts = set()
    for p in (x, y):
        parts.update(p.args if type(p) is Term and p.op == "or" else (p,))
    return term("or", size, tuple(sorted(parts, key=lambda p: p.id if type(p) is Term else -1)))


@remembered
def ror(size, x, n):
    bits = 8 * size
    n %= bits
    if n == 0:
        return x
    ones = ONES[size]
    if type(x) is int:
        return (x >> n | x << bits - n) & ones
    op = x.op
    if op == "ror":
        return ror(size, x.args[0], x.args[1] + n)
    if op == "xor":
        c, out = ror(size, x.args[0], n), {}
        for y, m in x.args[1]:
            if m != ones:
                m = (m >> n | m << bits - n) & ones
            y = ror(size, y, n)
            if type(y) is Term and y.op != "xor":
                out[y] = out.get(y, 0) ^ m
                continue
            d, entries = entries_of(y, size)
            c ^= d & m
            for z, k in entries:
                out[z] = out.get(z, 0) ^ k & m
        return polynomial(size, c, out)
    if op == "and":
        r = ones
        for y in x.args:
            r = both(size, r, ror(size, y, n))
        return r
    if op == "sel":
        return table(size, x.args[0], [ror(size, v, n) for v in x.args[1]])
    if op in ("cat", "zext") and n >= 8:
        b = x.bytes[n // 8 :] + x.bytes[: n // 8]
        return ror(size, word(b), n % 8)
    return term("ror", size, (x, n))


@remembered
def shl(size, x, n):
    """A multiple if `x` is public and no combination of bits, since it is a number then; else bits."""
    if n >= 8 * size:
        return 0
    if type(x) is int or not x.secret and x.op not in ("xor", "cat", "zext"):
        return times(size, x, 1 << n)
    return masked(size, ror(size, x, -n), ONES[size] & ONES[size] << n)


@remembered
def shr(size, x, n):
    if type(x) is int:
        return x >> n
    if n >= 8 * size:
        return 0
    if n % 8 == 0:
        return word(x.bytes[n // 8 :] + [0] * (n // 8))
    return masked(size, ror(size, x, n), ONES[size] >> n)


# ---------------------------------------------------------------------------------------------------------------- tables


def table(size, of, values):
    """A value by a variable that is 0, 1 or so, as many as there are values."""
    values = tuple(v & ONES[size] for v in values)
    if type(of) is int:
        return values[of]
    if values == values[:1] * len(values):
        return values[0]
    if size == of.size and values == tuple(range(len(values))):
        return of
    return term("sel", size, (of, values))


def bits(size, conditions):
    """A word of conditions, one for each bit."""
    if all(type(c) is int for c in conditions):
        return sum(c << i for i, c in enumerate(conditions))
    return term("bits", size, tuple(conditions))


def equal(size, x, y):
    """The condition that two words are equal: 0, 1 or ('eq', all pairs that must be equal)."""
    d = sub(size, x, y)
    return int(d == 0) if type(d) is int else ("eq", ((size, x, y),))


def conjunction(a, b):
    if type(a) is int:
        return b if a else 0
    if type(b) is int:
        return a if b else 0
    return ("eq", tuple(dict.fromkeys(a[1] + b[1])))


# ----------------------------------------------------------------------------------------------------------------- bytes


@remembered
def ext(t, start, size):
    """Bytes `start` and on of a term, as a word."""
    return t if start == 0 and size == t.size else part_of(t, start, size)


def part_of(t, start, size):
    op = t.op
    if op == "xor":
        c, entries = t.args
        ones = ONES[size]
        out = [c >> 8 * start & ones]
        for y, m in entries:
            m = m >> 8 * start & ones
            if m:
                out.append(masked(size, ext(y, start, size), m))
        return xor(size, *out)
    if op == "add" and start == 0:
        return combine(size, t.args[0], [(ext(y, 0, size), n) for y, n in t.args[1]])
    if op == "and":
        r = ONES[size]
        for y in t.args:
            r = both(size, r, ext(y, start, size))
        return r
    if op == "or":
        r = 0
        for y in t.args:
            r = either(size, r, y >> 8 * start & ONES[size] if type(y) is int else ext(y, start, size))
        return r
    if op == "sel":
        return table(size, t.args[0], [v >> 8 * start for v in t.args[1]])
    if op == "bits":
        return bits(size, t.args[8 * start : 8 * (start + size)])
    b = t.bytes[start : start + size]
    if type(b[0]) is not tuple or b[0] != (t, start):
        return word(b)
    return term("ext", size, (t, start))


@remembered
def zext(size, t):
    if type(t) is int:
        return t
    if t.op == "xor":
        return xor(size, t.args[0], *[masked(size, zext(size, y), m) for y, m in t.args[1]])
    if t.op == "sel":
        return table(size, t.args[0], t.args[1])
    if t.op == "zext":
        return zext(size, t.args[0])
    return term("zext", size, (t,))


def word(b):
    """Bytes as one value."""
    n = len(b)
    if type(b[0]) is tuple:
        t, i = b[0]
        if b == t.bytes[i : i + n]:
            return t if n == t.size else ext(t, i, n)
    return word_of(tuple(b))


@remembered
def word_of(b):
    n = len(b)
    c, rotations, whole = 0, {}, True
    for i, x in enumerate(b):
        if type(x) is int:
            c |= x << 8 * i
        elif x[0].size >= n and x[0].size % n == 0:
            t, at = x
            if t.size > n:  # an aligned part of it
                t, at = ext(t, at - at % n, n), at % n
                if type(t) is int or t.op != "ext":
                    whole = False
                    continue
            key = t, (at - i) % n
            rotations[key] = rotations.get(key, 0) | 255 << 8 * i
        else:
            whole = False
    if whole:  # all of it from words of this size, moved by bytes
        out = [c]
        for (t, k), mask in rotations.items():
            out.append(masked(n, ror(n, t, 8 * k), mask))
        return xor(n, *out)
    k = n
    while b[k - 1] == 0:
        k -= 1
    if k < n:
        k = next(p for p in (1, 2, 4, 8, 16, 32) if k <= p)
        if k < n:
            low = word(list(b[:k]))
            if type(low) is Term and low.op != "cat":
                return zext(n, low)
    return term("cat", n, tuple(b))


def unpack(x, size):
    if type(x) is int:
        return list(x.to_bytes(size, "little"))
    if x.size != size:
        raise Unknown("a word of %d bytes where %d are" % (x.size, size))
    return x.bytes


def forget_all():
    """Terms of the proof before are of no use."""
    for known in (TERMS, PUBLIC):
        known.clear()
    for f in REMEMBERED:
        f.cache_clear()
