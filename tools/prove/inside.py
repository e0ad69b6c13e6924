"""The inside of terms: other arguments for the same function, numbers for variables, and text."""

from operator import is_, itemgetter

from terms import (
    ONES, Term, Unknown, bits, both, carry, combine, conjunction, either, equal, masked, remembered, ror, signed,
    table, term, unpack, word, xor,
)  # fmt: skip

first = itemgetter(0)


def rebuild(x, f):
    """The function of `x` with other arguments, each `f` of the old one. It is `x` if all are the old ones."""
    op, size, args = x.op, x.size, x.args
    if op == "xor":
        parts = [f(y) for y, _ in args[1]]
        if all(map(is_, parts, map(first, args[1]))):
            return x
        ones = ONES[size]
        return xor(size, args[0], *[y if m == ones else masked(size, y, m) for y, (_, m) in zip(parts, args[1])])
    if op == "add":
        parts = [f(y) for y, _ in args[1]]
        if all(map(is_, parts, map(first, args[1]))):
            return x
        return combine(size, args[0], [(y, n) for y, (_, n) in zip(parts, args[1])])
    if op == "ror":
        y = f(args[0])
        return x if y is args[0] else ror(size, y, args[1])
    if op == "var":
        if not any(type(a) is Term for a in args):
            return x
        return term("var", size, tuple(f(a) if type(a) is Term else a for a in args), x.secret)
    if op == "and":
        r = ONES[size]
        for y in args:
            r = both(size, r, f(y))
        return r
    if op == "or":
        r = 0
        for y in args:
            r = either(size, r, f(y) if type(y) is Term else y)
        return r
    if op == "carry":
        return carry(*[f(y) if type(y) is Term else y for y in args])
    if op == "sel":
        return rebuild_table(x, f)
    if op == "ext":
        y = f(args[0])
        return x if y is args[0] else word(unpack(y, args[0].size)[args[1] : args[1] + size])
    if op == "zext":
        y = f(args[0])
        return x if y is args[0] else word(unpack(y, args[0].size) + [0] * (size - args[0].size))
    if op == "cat":
        return word([b if type(b) is int else unpack(f(b[0]), b[0].size)[b[1]] for b in args])
    if op == "bits":
        return bits(size, [settled(c, f) for c in args])
    raise Unknown("a substitution in " + op)


STEPS = ((0, 1, 1), (0, 0, 1))
"""Tables by a variable of three values: whether it is 1 or more, and whether it is 2. Every other is made of these."""


def rebuild_table(x, f):
    """A table by another variable, if the steps of which it is made are those of the other."""
    of, values = x.args
    new = f(of)
    if new is not of or len(values) != 3 or x.size == 1 and values in STEPS:
        return table(x.size, new, values)
    steps = [s for s, i in zip(STEPS, (0, 1)) if values[i] != values[i + 1]]
    found = {t.args[0] if type(t) is Term and t.op == "sel" and t.args[1] == s else None
             for s, t in ((s, f(table(1, of, s))) for s in steps)}  # fmt: skip
    (by,) = found if len(found) == 1 else (None,)
    return x if by is None else table(x.size, by, values)


def settled(c, f):
    if type(c) is int or c[0] != "eq":
        return c
    r = 1
    for n, x, y in c[1]:
        r = conjunction(r, equal(n, f(x) if type(x) is Term else x, f(y) if type(y) is Term else y))
    return r


def substitute(x, facts, memo):
    """`x` with equals put in the place of equals, again and again; `memo` belongs to these facts.

    Every fact is an equation that holds on the path, and `rebuild` computes the same function of equal arguments: so the
    result is equal to `x` wherever all facts hold.
    """
    if type(x) is not Term or not facts:
        return x
    r = memo.get(x)
    if r is not None:
        return r
    if None not in memo:
        memo[None] = tuple({y.public for y in facts})
    needed = memo[None]

    def inner(y):
        if type(y) is not Term:
            return y
        r = memo.get(y)
        if r is None:
            # A term without all the variables of any fact has nothing to be replaced.
            absent = ~y.public
            for public in needed:
                if not public & absent:
                    break
            else:
                memo[y] = y
                return y
            r = facts.get(y)
            if r is None:
                r = rebuild(y, inner)
            r = memo[y] = inner(r) if r is not y else y
        return r

    return inner(x)


def memo_of(facts):
    """The memo that belongs to these facts: states on the way have mostly those of others."""
    return memo_of_items(frozenset(facts.items()))


@remembered
def memo_of_items(_):
    return {}


def instantiate(x, values, memo):
    """`x` with all variables of `values` replaced at once, and not again in what takes their place: an instance of `x`.

    A variable stands for every value, so what holds of `x` holds of its instances. Doing it again inside would turn
    `i := i + 1` into an endless sum.
    """
    if type(x) is not Term:
        return x
    r = values.get(x)
    if r is not None:
        return r
    r = memo.get(x)
    if r is None:
        r = memo[x] = rebuild(x, lambda y: instantiate(y, values, memo))
    return r


def leaves(x):
    """The variables of a term, also those in the names of others."""
    found, todo, done = set(), [x], set()
    while todo:
        y = todo.pop()
        if type(y) is tuple:
            todo.extend(y)
        elif type(y) is Term and y not in done:
            done.add(y)
            if y.op == "var":
                found.add(y)
            todo.extend(y.args)
    return found


def evaluate(x, env, memo, rng):
    """The number that a term is for numbers in place of variables; of those that have none yet, random ones."""
    if type(x) is int:
        return x
    if x in memo:
        return memo[x]
    op, args, ones = x.op, x.args, ONES[x.size]

    def e(y):
        return evaluate(y, env, memo, rng)

    if op == "add":
        r = args[0] + sum(n * e(y) for y, n in args[1])
    elif op == "xor":
        r = args[0]
        for y, m in args[1]:
            r ^= e(y) & m
    elif op == "and":
        r = ones
        for y in args:
            r &= e(y)
    elif op == "or":
        r = 0
        for y in args:
            r |= e(y)
    elif op == "ror":
        r = e(args[0]) >> args[1] | e(args[0]) << 8 * x.size - args[1]
    elif op == "carry":
        r = e(args[0]) + e(args[1]) >> 64
    elif op == "sel":
        r = args[1][e(args[0]) % len(args[1])]
    elif op == "ext":
        r = e(args[0]) >> 8 * args[1]
    elif op == "zext":
        r = e(args[0])
    elif op == "cat":
        r = sum((b if type(b) is int else e(b[0]) >> 8 * b[1] & 255) << 8 * i for i, b in enumerate(args))
    elif op == "bits":
        r = sum((c if type(c) is int else int(all((e(p) - e(q)) & ONES[n] == 0 for n, p, q in c[1]))) << i for i, c in enumerate(args))
    else:
        if x not in env:
            env[x] = rng.getrandbits(8 * x.size)
        r = env[x]
    memo[x] = r & ones
    return r & ones


def show(t, depth=3):
    if type(t) is int:
        return hex(t) if t > 9 else str(t)
    if t.op == "var":
        return t.args[0] + "".join("[%s]" % (show(a) if type(a) is Term else a) for a in t.args[1:])
    if depth == 0:
        return "…"
    if t.op in ("add", "xor"):
        parts = []
        for a, n in t.args[1][:4]:
            of = "%d·" % signed(n, t.size) if t.op == "add" and n != 1 else "%#x & " % n if t.op == "xor" and n != ONES[t.size] else ""
            parts.append(of + show(a, depth - 1))
        parts += ["…"] if len(t.args[1]) > 4 else []
        parts += [hex(t.args[0])] if t.args[0] else []
        return "(" + {"add": " + ", "xor": " ^ "}[t.op].join(parts) + ")"
    return t.op + "(" + ", ".join(show(a, depth - 1) if type(a) in (Term, int) else "…" for a in t.args[:4]) + ")"
