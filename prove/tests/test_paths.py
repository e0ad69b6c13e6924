"""Bounds, branches, merging and induction. Each test fails if its rule is wrong."""

import pathlib
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import facts
from elf import Refuted, operand
from induction import Paths
from machine import NOT_KNOWN, Machine, Region, State
from terms import STEPS, add, masked, sub, table, times, unpack, var, xor


def state(**ranges):
    st = State()
    st.ip, st.flags, st.turns, st.loop, st.seen, st.counts = 0, NOT_KNOWN, 0, None, {}, frozenset()
    st.facts, st.ranges = {}, {var(name, 8): r for name, r in ranges.items()}
    st.g = [unpack(var("r", 8, i), 8) for i in range(16)]
    st.v = [unpack(var("v", 64, i, secret=True), 64) for i in range(32)]
    st.k = [[0] * 64 for _ in range(8)]
    st.memory = {"stack": {}, "out": {}}
    return st


N, M = var("n", 8), var("m", 8)


class Bounds(unittest.TestCase):
    def test_of_sums(self):
        st = state(n=(1, 10), m=(0, 3))
        self.assertEqual(facts.bounds(st, add(8, times(8, N, 4), times(8, M, -1), 2)), (3, 42))
        self.assertIsNone(facts.bounds(st, add(8, N, var("other", 8))))

    def test_of_masks(self):
        self.assertEqual(facts.bounds(state(), masked(8, var("x", 8), 0xF0)), (0, 0xF0))

    def test_what_may_wrap_is_not_decided(self):
        st = state(n=(0, (1 << 64) - 1))
        self.assertEqual(len(facts.less(st, 8, add(8, N, 1), 1)), 2)

    def test_quotient(self):
        st = state(n=(0, 1 << 60))
        self.assertIs(facts.quotient(st, times(8, N, 8), 3), N)
        self.assertIsNone(facts.quotient(st, add(8, times(8, N, 8), 4), 3))
        self.assertIsNone(facts.quotient(st, times(8, N, 32), 5))  # may wrap around


class Branches(unittest.TestCase):
    def test_both_ways_and_what_they_learn(self):
        answers = dict((yes, s) for yes, s in facts.less(state(n=(0, 9)), 8, N, 4))
        self.assertEqual(answers[True].ranges[N], (0, 3))
        self.assertEqual(answers[False].ranges[N], (4, 9))

    def test_zero(self):
        answers = dict((yes, s) for yes, s in facts.zero(state(n=(1, 9)), 8, sub(8, N, 1)))
        self.assertEqual(facts.settle(answers[True], N), 1)
        self.assertEqual(answers[False].ranges[N], (2, 9))
        self.assertEqual([yes for yes, _ in facts.zero(state(n=(1, 9)), 8, N)], [False])

    def test_secrets_are_refused(self):
        secret = var("h", 8, secret=True)
        for f in (lambda: facts.zero(state(), 8, secret), lambda: facts.less(state(), 8, secret, 1)):
            self.assertRaises(Refuted, f)

    def test_steps_of_tables(self):
        p, q = var("last", 1, 0), var("last", 1, 1)
        d = sub(8, table(8, p, (0, 9, 9)), table(8, q, (0, 9, 9)))
        self.assertEqual(facts.same_step(d), (table(1, q, STEPS[0]), table(1, p, STEPS[0])))
        d = xor(8, table(8, p, (0, 9, 8)), table(8, q, (0, 9, 8)))
        self.assertEqual(facts.same_step(d), (q, p))
        self.assertIsNone(facts.same_step(sub(8, table(8, p, (0, 1, 1)), table(8, q, (0, 0, 1)))))


class Covering(unittest.TestCase):
    """`covers` says yes only if every execution of the second state fits the first."""

    def setUp(self):
        code = {0: ["ret", [], None]}
        machine = Machine(None, code, 8, 128, [], None)
        self.paths = Paths(machine, types.SimpleNamespace(outputs=("out",), total=1))

    def covers(self, r, s):
        return self.paths.covers(r, s, False)

    def test_a_copy(self):
        self.assertTrue(self.covers(state(n=(0, 9)), state(n=(0, 9))))

    def test_ranges(self):
        self.assertTrue(self.covers(state(n=(0, 9)), state(n=(1, 9))))
        self.assertFalse(self.covers(state(n=(1, 9)), state(n=(0, 9))))
        self.assertFalse(self.covers(state(n=(1, 9)), state()))

    def test_places(self):
        r, s = state(n=(0, 9)), state(n=(0, 9))
        r.g[3], s.g[3] = unpack(N, 8), unpack(5, 8)
        self.assertFalse(self.covers(r, s))
        s.facts[N] = 5
        self.assertTrue(self.covers(r, s))
        r.g[3], s.g[3] = unpack(5, 8), unpack(N, 8)
        s.facts = {}
        self.assertFalse(self.covers(r, s))

    def test_facts_that_do_not_hold_are_dropped(self):
        r, s = state(), state()
        r.facts[N] = 5
        self.assertTrue(self.covers(r, s))
        self.assertEqual(r.facts, {})

    def test_memory(self):
        r, s = state(), state()
        r.memory["out"], s.memory["out"] = {0: 1}, {0: 2}
        self.assertFalse(self.paths.covers(r, s, True))
        r.memory, s.memory = {"stack": {}, "out": {}}, {"stack": {0: 7}, "out": {}}
        self.assertTrue(self.covers(r, s))  # what is absent may be anything
        r.memory["stack"], s.memory["stack"] = {0: 7}, {}
        self.assertFalse(self.covers(r, s))

    def test_what_is_forgotten_may_be_anything(self):
        r, s = state(), state()
        r.g[0], s.g[0] = unpack(1, 8), unpack(2, 8)
        self.assertTrue(self.paths.covers(r, s, True))
        self.assertNotIn(r.g[0], (unpack(1, 8), unpack(2, 8)))
        r, s = state(), state()
        r.g[3], s.g[3] = unpack(1, 8), unpack(2, 8)  # rbx is alive: the caller's
        self.assertFalse(self.paths.covers(r, s, True))


class Memory(unittest.TestCase):
    def setUp(self):
        self.region = Region("table", times(8, N, 128))
        self.machine = Machine(None, {}, 8, 128, [self.region], None)

    def place(self, offset, size, blocks):
        return self.machine.place(state(n=blocks), add(8, self.region.pointer, offset), size, False)

    def test_inside(self):
        self.place(120, 8, (1, 9))
        self.place(sub(8, times(8, N, 128), 128), 128, (1, 9))

    def test_outside(self):
        for offset, n in ((121, 8), (-1, 8), (sub(8, times(8, N, 128), 7), 8)):
            self.assertRaises(Refuted, self.place, offset, n, (1, 9))
        self.assertRaises(Refuted, self.place, 0, 8, (0, 9))

    def test_writes_to_what_is_read_only(self):
        self.assertRaises(Refuted, self.machine.place, state(n=(1, 9)), self.region.pointer, 8, True)


class Instructions(unittest.TestCase):
    def test_unknown_ones_are_refused_by_address_and_name(self):
        code = {0x40: ["vfrobnicate", [operand("xmm1", None)], 0x44]}
        st = state()
        st.ip = 0x40
        with self.assertRaisesRegex(Refuted, "at 40, vfrobnicate"):
            Machine(None, code, 8, 128, [], None).step(st)

    def test_calls_are_refused(self):
        st = state()
        st.ip = 0x40
        with self.assertRaisesRegex(Refuted, "call can be reached"):
            Machine(None, {0x40: ["call", [], 0x44]}, 8, 128, [], None).step(st)


if __name__ == "__main__":
    unittest.main()
