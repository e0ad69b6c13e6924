"""The rules on which proofs stand. Each test fails if its rule is wrong."""

import itertools
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from inside import evaluate, instantiate, memo_of, show, substitute
from terms import (
    ONES, Unknown, add, both, carry, combine, either, ext, marks_of_parts, masked, ror, shl, shr, sub, table, times, unpack, var,
    word, xor, zext,
)  # fmt: skip
from x86.vector import truth_table


def number(x, env):
    return evaluate(x, env, {}, None)


class Forms(unittest.TestCase):
    """Normal forms are equal to what they are made from: random expressions against Python's integers."""

    def test_random_expressions(self):
        rng = random.Random(7)
        for size in (4, 8):
            bits, ones = 8 * size, ONES[size]
            v = [var("v", size, i, secret=True) for i in range(4)] + [var("p", size, i) for i in range(2)]
            for _ in range(600):
                env = {x: rng.choice((0, ones, 1 << bits - 1, rng.getrandbits(bits))) for x in v}
                pool = [(x, env[x]) for x in v] + [(c, c) for c in (0, 1, 255, ones, rng.getrandbits(bits))]
                for _ in range(12):
                    (x, a), (y, b), (z, c) = (rng.choice(pool) for _ in range(3))
                    k, table_ = rng.randrange(1, bits), rng.getrandbits(8)
                    made = rng.choice((
                        lambda: (add(size, x, y), a + b),
                        lambda: (sub(size, x, y), a - b),
                        lambda: (times(size, x, k), a * k),
                        lambda: (xor(size, x, y), a ^ b),
                        lambda: (both(size, x, y), a & b),
                        lambda: (either(size, x, y), a | b),
                        lambda: (masked(size, x, b), a & b),
                        lambda: (ror(size, x, k), a >> k | a << bits - k),
                        lambda: (shl(size, x, k), a << k),
                        lambda: (shr(size, x, k), a >> k),
                        lambda: (word(unpack(x, size)[::-1]), int.from_bytes(a.to_bytes(size, "little"), "big")),
                        lambda: (zext_of_part(x, size), a >> 8 & 255),
                        lambda: (truth_table(size, table_, x, y, z), by_table(bits, table_, a, b, c)),
                    ))  # fmt: skip
                    try:
                        t, expected = made()
                    except Unknown:
                        continue
                    self.assertEqual(number(t, env), expected & ones, show(t) if type(t) is not int else t)
                    pool.append((t, expected & ones))

    def test_forms_that_must_be_one(self):
        x, y, z = (var("x", 4, i, secret=True) for i in range(3))
        rotated = xor(4, shr(4, x, 7), shl(4, x, 25))
        self.assertIs(rotated, ror(4, x, 7))
        self.assertIs(either(4, shr(4, x, 7), shl(4, x, 25)), ror(4, x, 7))
        self.assertIs(xor(4, both(4, xor(4, y, z), x), z), truth_table(4, 0xCA, x, y, z))
        maj = xor(4, both(4, x, y), both(4, x, z), both(4, y, z))
        self.assertIs(xor(4, both(4, xor(4, x, y), xor(4, y, z)), y), maj)
        self.assertIs(truth_table(4, 0xE8, x, y, z), maj)
        self.assertIsNot(truth_table(4, 0xE9, x, y, z), maj)

    def test_halves_are_joined_by_a_sum_too(self):
        for secret in (False, True):
            a, b = (masked(8, zext(8, var(name, 1, secret=secret)), 254) for name in "ab")
            moved = shl(8, b, 32)
            self.assertIs(add(8, a, moved), either(8, a, moved))
            self.assertIs(add(8, moved, 64), either(8, moved, 64))
            for overlapping in (add(8, a, b), add(8, a, 6)):
                self.assertIsNot(overlapping, either(8, a, b))
                self.assertNotEqual(overlapping.op, "xor")
            env = {var("a", 1, secret=secret): 255, var("b", 1, secret=secret): 171}
            self.assertEqual(number(add(8, a, moved), env), 254 + (170 << 32))
            negative = add(8, masked(8, a, 254), -256)
            self.assertEqual(number(ror(8, negative, 4), env), 0xEFFFFFFFFFFFFFFF)
            self.assertEqual(number(shl(8, negative, 4), env), 0xFFFFFFFFFFFFFFE0)

    def test_sums_are_modular_and_no_more(self):
        x, y = var("x", 4, secret=True), var("y", 4, secret=True)
        self.assertIs(sub(4, add(4, x, y), y), x)
        self.assertIsNot(xor(4, add(4, x, y), y), x)
        self.assertEqual(times(4, 1 << 31, 2), 0)

    def test_few_parts_are_put_into_a_long_sum(self):
        rng = random.Random(11)
        for size in (4, 8):
            v = [var("long", size, i, secret=i % 3 == 0) for i in range(40)]
            tables = [table(size, var("of", 1, i), [0, 5 + i, 9]) for i in range(2)]
            for _ in range(300):
                many = [(x, rng.randrange(1, 4)) for x in rng.sample(v, 24)]
                long = combine(size, rng.getrandbits(8 * size), many + [(t, 1) for t in rng.sample(tables, rng.randrange(3))])
                few = [(x, rng.choice((-3, -2, -1, 1, 2))) for x in rng.sample(v, rng.randrange(4))]
                short = combine(size, rng.getrandbits(9), few + [(t, 1) for t in rng.sample(tables, rng.randrange(2))])
                found = add(size, long, short)
                self.assertEqual((found.secret, found.public), marks_of_parts(found.args[1]))
                self.assertIs(found, combine(size, 0, [(long, 1), (short, 1)]))

    def test_carry(self):
        low = var("low", 8)
        for value, expected in ((ONES[8] - 127, 1), (ONES[8] - 128, 0)):
            self.assertEqual(number(carry(low, 128), {low: value}), expected)


def zext_of_part(x, size):
    return zext(size, word(unpack(x, size)[1:2]))


def by_table(bits, immediate, a, b, c):
    return sum((immediate >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(bits))


class Substitution(unittest.TestCase):
    def test_equals_for_equals(self):
        x, y = var("x", 8), var("y", 8)
        facts = {x: add(8, y, 3)}
        t = xor(8, times(8, x, 5), ror(8, x, 8))
        env = {y: 1234}
        self.assertEqual(number(substitute(t, facts, {}), env), number(t, {x: 1237, y: 1234}))

    def test_instances_are_not_replaced_again(self):
        i = var("i", 8)
        self.assertIs(instantiate(times(8, i, 64), {i: add(8, i, 1)}, {}), add(8, times(8, i, 64), 64))

    def test_other_facts_have_another_memo(self):
        i, x = var("i", 8), var("x", 8, secret=True)
        facts = {i: 1}
        memo = memo_of(facts)
        self.assertIs(substitute(add(8, x, i), facts, memo), add(8, x, 1))
        self.assertIs(memo_of(dict(facts)), memo)
        facts[i] = 2
        self.assertIs(substitute(add(8, x, i), facts, memo_of(facts)), add(8, x, 2))

    def test_names_of_variables_are_replaced_too(self):
        i = var("i", 8)
        m = var("m", 8, 0, times(8, i, 128), secret=True)
        moved = instantiate(m, {i: add(8, i, 1)}, {})
        self.assertIsNot(moved, m)
        self.assertIs(moved, var("m", 8, 0, add(8, times(8, i, 128), 128), secret=True))

    def test_a_table_by_another_variable(self):
        p, q = var("last", 1, 0), var("last", 1, 1)
        flag0, flag1 = (0, ONES[8], ONES[8]), (0, 0, ONES[8])
        facts = {table(1, q, (0, 1, 1)): table(1, p, (0, 1, 1))}
        self.assertIs(substitute(table(8, q, flag0), facts, {}), table(8, p, flag0))
        # Whether it is 2 is not known by that.
        self.assertIs(substitute(table(8, q, flag1), facts, {}), table(8, q, flag1))
        self.assertIs(substitute(table(8, q, (5, 6, 7)), facts, {}), table(8, q, (5, 6, 7)))

    def test_parts_of_terms(self):
        x = var("x", 8, secret=True)
        env = {x: 0x8877665544332211}
        for start, size in itertools.product(range(5), (1, 2, 4)):
            t = ext(add(8, x, 0x100), start, size)
            self.assertEqual(number(t, env), (env[x] + 0x100) >> 8 * start & ONES[size])


if __name__ == "__main__":
    unittest.main()
