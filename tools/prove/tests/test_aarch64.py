"""AArch64's operands, conditions and memory, and what a kernel must give back. Each test fails if its rule is wrong."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import facts
from aarch64.machine import AArch64
from aarch64.operands import operands
from contracts import Contract
from elf import NotModelled, Refuted
from hashes import HASHES
from machine import Region, State
from terms import add, carry, either, ext, sub, unpack, var, word, zext

N, SECRET = var("n", 8), var("h", 8, secret=True)


def state():
    st = State()
    st.ip, st.flags, st.turns, st.loop, st.seen, st.counts = 0, ("unknown", 8, 0, 0), 0, None, {}, frozenset()
    st.calls, st.orders, st.facts, st.ranges, st.k = (), frozenset(), {}, {N: (0, 9)}, []
    st.g = [unpack(var("r", 8, i), 8) for i in range(32)]
    st.v = [unpack(var("v", 16, i, secret=True), 16) for i in range(32)]
    st.memory = {"out": {}}
    return st


def run(st, text, machine=None):
    op, _, rest = text.partition(" ")
    machine = machine or AArch64(None, {}, 8, 128, [], None)
    machine.code = {0: [op, operands(rest), 4]}
    return machine.step(st)


class Registers(unittest.TestCase):
    def test_what_is_above_becomes_zeros(self):
        st = state()
        st.g[1], st.v[1] = [*range(1, 9)], [*range(1, 17)]
        run(st, "mov w0, w1")
        self.assertEqual(st.g[0], [1, 2, 3, 4, 0, 0, 0, 0])
        st.ip = 0
        run(st, "fmov d0, d1")
        self.assertEqual(st.v[0], [*range(1, 9)] + [0] * 8)
        st.ip = 0
        run(st, "mov v1.s[1], w1")
        self.assertEqual(st.v[1], [1, 2, 3, 4, 1, 2, 3, 4, *range(9, 17)])

    def test_zeros_are_not_a_register(self):
        st = state()
        before = [list(b) for b in st.g]
        run(st, "subs xzr, x1, #0x1")
        self.assertEqual(st.g, before)


class Conditions(unittest.TestCase):
    def answers(self, flags, cc):
        st = state()
        st.flags = flags
        return sorted(yes for yes, _ in AArch64(None, {}, 8, 128, [], None).ask(st, cc))

    def test_a_difference_sets_the_carry_unless_it_borrows(self):
        for x, y in ((1, 2), (2, 2), (3, 2)):
            flags = "sub", 8, x, y
            found = {cc: self.answers(flags, cc) for cc in ("cs", "cc", "hi", "ls", "eq", "ne")}
            right = dict(cs=x >= y, cc=x < y, hi=x > y, ls=x <= y, eq=x == y, ne=x != y)
            self.assertEqual(found, {cc: [yes] for cc, yes in right.items()})

    def test_a_bitwise_function_clears_it(self):
        for x in (0, 5):
            found = [self.answers(("logic", 8, x, 0), cc)[0] for cc in ("cs", "cc", "hi", "ls")]
            self.assertEqual(found, [False, True, False, True])

    def test_of_a_sum_not_all_are_known(self):
        self.assertEqual(self.answers(("add", 8, (1 << 64) - 1, 1), "cs"), [True])
        self.assertRaises(Refuted, self.answers, ("add", 8, 1, 1), "hi")

    def test_a_comparison_if_a_condition_holds(self):
        st = state()
        st.flags = "sub", 8, N, 4
        st.g[0] = unpack(7, 8)
        found = {s.ranges[N]: s.flags for s in run(st, "ccmp x0, #0x7, #0x2, cc")}
        self.assertEqual(found, {(0, 3): ("sub", 8, 7, 7), (4, 9): ("nzcv", 8, 2, 0)})

    def test_a_carry_that_may_be_either_is_a_term(self):
        st, x = state(), var("low", 8)
        st.flags, st.g[1] = ("add", 8, x, 128), unpack(N, 8)
        (st,) = run(st, "cinc x0, x1, cs")
        self.assertIs(word(st.g[0]), add(8, N, carry(x, 128)))

    def test_secrets_are_refused(self):
        for text in ("cbz x1, 40", "tbnz x1, #3, 40"):
            st = state()
            st.g[1] = unpack(SECRET, 8)
            self.assertRaisesRegex(Refuted, "secret", run, st, text)
        st = state()
        self.assertRaisesRegex(Refuted, "secret", run, st, "cmeq v0.2d, v1.2d, v2.2d")

    def test_public_words_of_vectors_are_compared_both_ways(self):
        st = state()
        st.v[1], st.v[2] = unpack(N, 8) + [0] * 8, unpack(4, 8) + [0] * 8
        found = {word(s.v[0][:8]): s for s in run(st, "cmeq v0.2d, v1.2d, v2.2d")}
        self.assertEqual(set(found), {0, (1 << 64) - 1})
        self.assertEqual(facts.settle(found[(1 << 64) - 1], N), 4)
        self.assertEqual([s.v[0][8:] for s in found.values()], [[255] * 8] * 2)


class Memory(unittest.TestCase):
    def setUp(self):
        self.region = Region("out", 64, True)
        self.machine = AArch64(None, {}, 8, 128, [self.region], None)
        self.st = state()
        self.st.g[1] = unpack(self.region.pointer, 8)
        self.st.memory["out"] = dict(enumerate(range(64)))

    def at(self, text):
        self.st.ip = 0
        (self.st,) = run(self.st, text, self.machine)
        return sub(8, word(self.st.g[1]), self.region.pointer), self.st.g[2][0]

    def test_when_the_base_is_moved(self):
        self.assertEqual(self.at("ldr x2, [x1, #8]"), (0, 8))
        self.assertEqual(self.at("ldr x2, [x1, #8]!"), (8, 8))
        self.assertEqual(self.at("ldr x2, [x1], #16"), (24, 8))
        self.assertEqual(self.at("ldur x2, [x1, #-8]"), (24, 16))
        self.st.g[3] = unpack(2, 8)
        self.assertEqual(self.at("ldr x2, [x1, x3, lsl #3]"), (24, 40))

    def test_two_are_side_by_side(self):
        self.at("stp x1, xzr, [x1, #16]")
        self.assertEqual([self.st.memory["out"][i] for i in range(24, 32)], [0] * 8)
        self.assertEqual([self.st.memory["out"][i] for i in range(16, 24)], unpack(self.region.pointer, 8))
        self.assertRaises(Refuted, self.at, "ldp x2, x3, [x1, #56]")


class Bytes(unittest.TestCase):
    def test_of_a_set_of_parts(self):
        x, y = var("x", 1), var("y", 4)
        self.assertIs(ext(either(4, zext(4, x), y), 1, 1), ext(y, 1, 1))
        self.assertIs(ext(either(4, zext(4, x), y), 0, 1), either(1, x, ext(y, 0, 1)))


class Refusals(unittest.TestCase):
    def test_unknown_ones_are_refused_by_address_and_name(self):
        with self.assertRaisesRegex(NotModelled, "at 0, frobnicate"):
            run(state(), "frobnicate v0.4s, v1.4s")

    def test_calls(self):
        self.assertRaisesRegex(Refuted, "bl can be reached", run, state(), "bl 40")


class Returns(unittest.TestCase):
    def finish(self, change):
        c = Contract.__new__(Contract)
        c.given, c.expected = (lambda: []), (lambda st, done: [])
        Contract.__init__(c, AArch64, None, {}, 0, HASHES["blake2b"], None)
        st = c.start()
        change(st)
        c.finish(st)

    def test_what_the_caller_keeps(self):
        self.finish(lambda st: None)

        def upper_half(st):
            st.v[8][8] = 0

        self.finish(upper_half)

        def saved_vector(st):
            st.v[8] = [0] * 16

        def return_address(st):
            st.g[30] = [0] * 8

        def saved(st):
            st.g[19] = [0] * 8

        def stack(st):
            st.g[31] = [0] * 8

        for change in (saved_vector, return_address, saved, stack):
            self.assertRaises(Refuted, self.finish, change)


if __name__ == "__main__":
    unittest.main()
