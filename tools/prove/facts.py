"""The facts of a path: equations, and where public numbers lie. They decide branches, and branches add to them.

A path begins with the preconditions of its kernel. At a branch both ways are followed that are not excluded, and each
learns its condition. So on every real execution all that its path knows is true.
"""

import math

from elf import Refuted
from inside import STEPS, instantiate, leaves, show, substitute
from terms import Term, add, signed, sub, table, times, xor

DOMAINS = {"last": 3, "written": 2, "twice": 2, "followed": 2}
"""Variables that have few values, from 0 on: enums and flags of the sources."""


def settle(st, x):
    return substitute(x, st.facts, {}) if type(x) is Term and st.facts else x


def bounds(st, x):
    """The least and the greatest of an integer whose residue this is, or None.

    In a sum, coefficients are read as signed, and every part has bounds, so the sum of integers lies between the sums of
    the ends. The value is its residue. A caller who needs the integer itself checks that it does not wrap around.
    """
    if type(x) is int:
        return x, x
    if x.op == "zext":
        inner = bounds(st, x.args[0])
        most = (1 << 8 * x.args[0].size) - 1
        return inner if inner and 0 <= inner[0] and inner[1] <= most else (0, most)
    if x.op == "add":
        low = high = signed(x.args[0], x.size)
        for y, n in x.args[1]:
            r = bounds(st, y)
            if r is None:
                return None
            n = signed(n, x.size)
            low, high = low + min(n * r[0], n * r[1]), high + max(n * r[0], n * r[1])
        return low, high
    if x.op == "sel":
        return min(x.args[1]), max(x.args[1])
    if x.op == "xor" and x.args[0] == 0 and len(x.args[1]) == 1:
        return 0, x.args[1][0][1]
    if x.op == "var" and x.args[0] in DOMAINS:
        return 0, DOMAINS[x.args[0]] - 1
    return st.ranges.get(x)


def quotient(st, x, k):
    """`x >> k` of a public number, if it is seen to be a multiple of 2^k or smaller than it; else None."""
    x = settle(st, x)
    r = bounds(st, x)
    if type(x) is int or r is None or r[0] < 0 or r[1] >> 8 * x.size:
        return None
    if r[1] >> k == 0:
        return 0
    if x.op != "add" or x.args[0] % (1 << k) or any(n % (1 << k) for _, n in x.args[1]):
        return None
    return add(x.size, x.args[0] >> k, *[times(x.size, y, signed(n, x.size) >> k) for y, n in x.args[1]])


def small(x, y=0):
    """The variable of few values that two values depend on, if it is one and no other is in them."""
    found = leaves(x) | leaves(y)
    if len(found) == 1:
        (v,) = found
        if v.args[0] in DOMAINS:
            return v
    return None


def fork_small(st, x):
    """For a term with a variable of few values: a state for each value."""
    for y in sorted(leaves(x), key=lambda y: y.id):
        if y.args[0] in DOMAINS:
            for value in range(DOMAINS[y.args[0]]):
                s = st.copy()
                s.facts[y] = value
                yield s
            return


def same_step(d):
    """The equation that d is zero, if d depends on two variables of three values alone, and says that both are the
    same, or on the same side of a step. All nine cases are looked at."""
    found = sorted(leaves(d), key=lambda v: v.id)
    if len(found) != 2 or any(DOMAINS.get(v.args[0]) != 3 for v in found):
        return None
    p, q = found
    zeros = [[instantiate(d, {p: i, q: j}, {}) == 0 for j in range(3)] for i in range(3)]
    if all(zeros[i][j] == (i == j) for i in range(3) for j in range(3)):
        return q, p
    for step in STEPS:
        if all(zeros[i][j] == (step[i] == step[j]) for i in range(3) for j in range(3)):
            return table(1, q, step), table(1, p, step)
    return None


def zero(st, size, d):
    """Whether d is zero: pairs of an answer and the state in which it holds."""
    if type(d) is Term and d.secret:
        raise Refuted("a branch on secret data: %s" % show(d))
    d = settle(st, d)
    if type(d) is int:
        return [(d == 0, st)]
    if d.op == "var" and d.args[0] == "pointer":  # a reference, which is never null
        return [(False, st)]
    st.count_branch(d)
    r = bounds(st, d)
    if r and max(abs(r[0]), abs(r[1])) < 1 << 8 * size - 1:  # no wrapping around: an equation of integers
        if r[0] > 0 or r[1] < 0:
            return [(False, st)]
        if r == (0, 0):
            learn_zero(st, d)
            return [(True, st)]
        if d.op == "add":
            common = math.gcd(*[signed(n, size) for _, n in d.args[1]])
            c = signed(d.args[0], size)
            if c % common:
                return [(False, st)]
            d = add(size, c // common, *[times(size, y, signed(n, size) // common) for y, n in d.args[1]])
    relations = [same_step(part) for part in (d.args if d.op == "or" else (d,)) if type(part) is Term]
    if all(relations):
        yes, no = st.copy(), st
        yes.facts.update(relations)
        return [(True, yes), (False, no)]
    if d.op == "add" and len(d.args[1]) == 1 and d.args[1][0][0].op == "bits":
        return mask_is(st, d)
    forks = list(fork_small(st, d))
    if forks:
        return [answer for s in forks for answer in zero(s, size, d)]
    yes, no = st.copy(), st
    if d.op == "bits":
        conditions = [c for c in d.args if type(c) is tuple]
        if any(c == 1 for c in d.args):
            return [(False, st)]
        if any(c[0] != "eq" for c in conditions):
            raise Refuted("a branch on a mask that is not known")
        for _, x, y in [e for c in conditions for e in c[1]]:
            if type(x) is Term and x.secret or type(y) is Term and y.secret:
                raise Refuted("a branch on a comparison of secret data")
        if len(conditions) == 1:
            learn_equal(no, conditions[0])
        return [(True, yes), (False, no)]
    learn_zero(yes, d)
    learn_range(no, d, exclude=0)
    return [(True, yes), (False, no)]


def mask_is(st, d):
    """Whether a mask of conditions is a number, where that says that a sum of both is zero. If it is, all equations of bits
    that are 1 hold."""
    c, ((mask, n),) = d.args
    if signed(n, d.size) not in (1, -1):
        raise Refuted("a branch on a multiple of a mask")
    number, equations = -c * signed(n, d.size), []
    for i, condition in enumerate(mask.args):
        bit = number >> i & 1
        if type(condition) is int:
            if condition != bit:
                return [(False, st)]
        elif condition[0] != "eq":
            raise Refuted("a branch on a mask that is not known")
        elif bit:
            equations += condition[1]
    yes = st.copy()
    for n, x, y in equations:
        difference = settle(yes, sub(n, x, y))
        relation = same_step(difference) if type(difference) is Term else None
        if relation:
            yes.facts.update((relation,))
        elif type(difference) is Term:
            learn_zero(yes, difference)
        elif difference:
            return [(False, st)]
    return [(True, yes), (False, st)]


def learn_zero(st, d):
    """That d is zero. Whatever is stored as a fact follows from it."""
    if d.op == "or":
        for part in d.args:
            part = settle(st, part)
            if type(part) is Term:
                learn_zero(st, part)
        return
    if d.op == "xor" and len(d.args[1]) <= 2 and all(m == (1 << 8 * d.size) - 1 for _, m in d.args[1]):
        # a ^ b ^ c is zero just if a ^ c is b, so if their difference is zero
        others = d.args[1][1][0] if len(d.args[1]) > 1 else 0
        d = sub(d.size, xor(d.size, d.args[0], d.args[1][0][0]), others)
        if type(d) is int:
            return
    if d.op == "zext":
        d = d.args[0]
    if d.op != "add":
        st.facts[d] = 0
        if d in st.ranges:
            st.ranges[d] = (0, 0)
        return
    learn_range(st, d, exact=0)
    learn_pair(st, d)
    for y, n in reversed(d.args[1]):
        n = signed(n, d.size)
        if n in (1, -1):  # y is what remains, by its sign
            value = times(d.size, sub(d.size, d, times(d.size, y, n)), -n)
            if type(value) is Term and y in leaves(value):
                return
            if y.op == "bits" and type(value) is int:
                for i, c in enumerate(y.args):
                    if type(c) is tuple and c[0] == "eq" and value >> i & 1:
                        learn_equal(st, c)
            same = type(value) is Term and value.op == "zext" and y.op == "zext"
            if same and value.args[0].size == y.args[0].size:
                y, value = y.args[0], value.args[0]
            st.facts = {a: substitute(b, {y: value}, {}) for a, b in st.facts.items()}
            st.facts[y] = value
            return


def learn_pair(st, d):
    """From a sum of two variables, with signs, that is zero and does not wrap around, where each can lie by the other."""
    (c, parts), limit = d.args, 1 << 8 * d.size - 3
    if len(parts) != 2 or any(y not in st.ranges or signed(n, d.size) not in (1, -1) for y, n in parts):
        return
    c = signed(c, d.size)
    if any(abs(b) >= limit for b in (c, *st.ranges[parts[0][0]], *st.ranges[parts[1][0]])):
        return
    for (y, n), (z, k) in (parts, parts[::-1]):  # z is -(c + n y) k
        n, k = signed(n, d.size), signed(k, d.size)
        ends = sorted(-(c + n * b) * k for b in st.ranges[y])
        st.ranges[z] = (max(st.ranges[z][0], ends[0]), min(st.ranges[z][1], ends[1]))


def learn_equal(st, condition):
    for n, x, y in condition[1]:
        d = settle(st, sub(n, x, y))
        if type(d) is Term:
            learn_zero(st, d)


def learn_range(st, d, exclude=None, exact=None, low=None, high=None):
    """From a linear term in one variable that does not wrap around, what is known of the variable."""
    c, parts = (d.args[0], d.args[1]) if d.op == "add" else (0, ((d, 1),))
    if len(parts) != 1 or parts[0][0] not in st.ranges or signed(parts[0][1], d.size) not in (1, -1):
        return
    (y, n), c = parts[0], signed(c, d.size)
    a, b = st.ranges[y]
    n = signed(n, d.size)
    if max(abs(a), abs(b), abs(c)) >= 1 << 8 * d.size - 2:
        return

    def value(of):
        return (of - c) * n

    if exact is not None:
        a = b = value(exact)
    if exclude is not None:
        a, b = a + (a == value(exclude)), b - (b == value(exclude))
    if low is not None:
        a, b = (max(a, value(low)), b) if n > 0 else (a, min(b, value(low)))
    if high is not None:
        a, b = (a, min(b, value(high))) if n > 0 else (max(a, value(high)), b)
    st.ranges[y] = (a, b)


def less(st, size, x, y):
    """Whether x is below y, unsigned."""
    for z in (x, y):
        if type(z) is Term and z.secret:
            raise Refuted("a comparison of secret data: %s" % show(z))
    if (y, x) in st.orders:
        return [(False, st)]
    x, y = settle(st, x), settle(st, y)
    if type(x) is int and type(y) is int:
        return [(x < y, st)]
    pointers = [p for p in leaves(x) if p.args[0] == "pointer"]
    if pointers and pointers == [p for p in leaves(y) if p.args[0] == "pointer"]:
        # Into one object, which does not reach around the end of memory: offsets compare as pointers do.
        x, y = sub(size, x, pointers[0]), sub(size, y, pointers[0])
        if type(x) is int and type(y) is int:
            return [(signed(x, size) < signed(y, size), st)]
    d = sub(size, y, x)
    if type(d) is int and d == 0:
        return [(False, st)]
    st.count_branch(d)

    def whole(r):
        return r and 0 <= r[0] and r[1] < 1 << 8 * size

    rx, ry = bounds(st, x), bounds(st, y)
    if whole(rx) and whole(ry):
        if rx[1] < ry[0] or ry[1] <= rx[0]:
            return [(rx[1] < ry[0], st)]
        rd = bounds(st, d) if type(d) is Term else (signed(d, size),) * 2
        # d is the difference of the integers if no other of its residues lies where that difference can: then its sign
        # decides. With a constant from 2^63 on it is another, since bounds take coefficients as signed.
        turn = 1 << 8 * size
        if rd and rd[1] - turn < ry[0] - rx[1] and ry[1] - rx[0] < rd[0] + turn:
            if rd[0] > 0:
                return [(True, st)]
            if rd[1] <= 0:
                return [(False, st)]
            forks = list(fork_small(st, d))
            if forks:
                return [answer for s in forks for answer in less(s, size, x, y)]
            yes, no = st.copy(), st
            learn_range(yes, d, low=1)
            learn_range(no, d, high=0)
            return [(True, yes), (False, no)]
    forks = list(fork_small(st, d))
    if forks:
        return [answer for s in forks for answer in less(s, size, x, y)]
    return [(True, st.copy()), (False, st)]


def by_value(v, x, y):
    """Both values for each value of a variable of few."""
    return [tuple(instantiate(z, {v: i}, {}) for z in (x, y)) for i in range(DOMAINS[v.args[0]])]
