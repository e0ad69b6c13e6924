"""Bounds, branches, merging and induction. Each test fails if its rule is wrong."""

import pathlib
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import facts
from contracts import Contract
from elf import Refuted
from induction import REST, Again, Loop, Paths
from machine import NOT_KNOWN, Region, State
from hashes import HASHES
from inside import STEPS, evaluate
from x86.machine import X86
from x86.operands import operand
from terms import add, bits, equal, masked, sub, table, times, unpack, var, word, xor


def state(**ranges):
    st = State()
    st.ip, st.flags, st.turns, st.loop, st.seen, st.counts = 0, NOT_KNOWN, 0, None, {}, frozenset()
    st.calls = ()
    st.orders = frozenset()
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

    def test_less_than_the_greatest_word(self):
        greatest = (1 << 64) - 1
        for x, ranges in ((N, {}), (N, dict(n=(0, greatest))), (add(8, N, 1), dict(n=(0, greatest)))):
            self.assertEqual(sorted(yes for yes, _ in facts.less(state(**ranges), 8, x, greatest)), [False, True])
        self.assertEqual([yes for yes, _ in facts.less(state(n=(0, 1 << 40)), 8, N, greatest)], [True])
        self.assertEqual([yes for yes, _ in facts.less(state(n=(0, 1 << 40)), 8, greatest, N)], [False])
        # The lower end of what is compared with is below, and the upper end above.
        answers = facts.less(state(n=(0, 1 << 62), m=(0, 5)), 8, add(8, N, 1 << 63), add(8, times(8, M, 1 << 61), 1 << 63))
        self.assertEqual(sorted(yes for yes, _ in answers), [False, True])

    def test_zero(self):
        answers = dict((yes, s) for yes, s in facts.zero(state(n=(1, 9)), 8, sub(8, N, 1)))
        self.assertEqual(facts.settle(answers[True], N), 1)
        self.assertEqual(answers[False].ranges[N], (2, 9))
        self.assertEqual([yes for yes, _ in facts.zero(state(n=(1, 9)), 8, N)], [False])

    def test_one_way_where_the_bounds_leave_one(self):
        self.assertEqual([yes for yes, _ in facts.zero(state(n=(1, 1)), 8, sub(8, N, 1))], [True])
        self.assertEqual([yes for yes, _ in facts.zero(state(n=(1, 1)), 8, sub(8, N, 2))], [False])

    def test_a_sum_of_two_that_is_zero(self):
        yes, _ = next(a for a in ((s, y) for y, s in facts.zero(state(n=(0, 99), m=(3, 5)), 8, sub(8, add(8, N, M), 16))))
        self.assertEqual(yes.ranges[N], (11, 13))
        yes, _ = next(a for a in ((s, y) for y, s in facts.zero(state(n=(0, 99), m=(3, 5)), 8, sub(8, N, M))))
        self.assertEqual(yes.ranges[N], (3, 5))
        st = state(n=(0, (1 << 64) - 1), m=(3, 5))  # may wrap around
        facts.learn_pair(st, add(8, N, M, 16))
        self.assertEqual(st.ranges[N], (0, (1 << 64) - 1))

    def test_references_are_not_null(self):
        pointer = Region("table", 8).pointer
        self.assertEqual([yes for yes, _ in facts.zero(state(), 8, pointer)], [False])
        self.assertEqual(len(facts.zero(state(), 8, sub(8, pointer, 8))), 2)

    def test_orders(self):
        x, y = var("x", 8), var("y", 8)
        st = state()
        st.orders = frozenset([(x, y)])
        self.assertEqual([yes for yes, _ in facts.less(st, 8, y, x)], [False])
        self.assertEqual(len(facts.less(st, 8, x, y)), 2)  # they may be equal

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

    def test_masks(self):
        x, y, z = (var(name, 4) for name in "xyz")
        p, q = var("last", 1, 0), var("last", 1, 1)
        steps = [table(4, v, (0, 9, 9)) for v in (p, q)]
        mask = bits(1, [equal(4, x, y), equal(4, y, z), equal(4, *steps), 0, 0, 0, 0, 1])
        for number, known in ((0x87, (True, True, True)), (0x82, (False, True, False)), (0x80, (False,) * 3)):
            (yes, s), (no, _) = facts.zero(state(), 1, sub(1, mask, number))
            self.assertEqual((yes, no), (True, False))
            pairs = (x, y), (y, z), steps
            self.assertEqual(tuple(facts.settle(s, a) is facts.settle(s, b) for a, b in pairs), known)
        for number in (0x07, 0xC7):
            self.assertEqual([yes for yes, _ in facts.zero(state(), 1, sub(1, mask, number))], [False])

    def test_a_bit_of_a_mask(self):
        x, y, z = (var(name, 4) for name in "xyz")
        mask = bits(1, [equal(4, x, y), equal(4, y, z), *[1] * 6])
        (_, zero), (_, other) = facts.zero(state(), 1, masked(1, mask, 2))
        self.assertIs(facts.settle(other, y), facts.settle(other, z))
        self.assertIsNot(facts.settle(other, x), facts.settle(other, y))
        self.assertIsNot(facts.settle(zero, y), facts.settle(zero, z))
        self.assertEqual([yes for yes, _ in facts.zero(state(), 1, masked(1, mask, 4))], [False])


class Covering(unittest.TestCase):
    """`covers` says yes only if every execution of the second state fits the first."""

    def setUp(self):
        code = {0: ["ret", [], None]}
        machine = X86(None, code, 8, 128, [], None)
        self.paths = Paths(machine, types.SimpleNamespace(outputs=("out",), total=1))

    def covers(self, r, s):
        return self.paths.covers(r, s, False)

    def test_a_copy(self):
        self.assertTrue(self.covers(state(n=(0, 9)), state(n=(0, 9))))

    def test_ranges(self):
        self.assertTrue(self.covers(state(n=(0, 9)), state(n=(1, 9))))
        self.assertFalse(self.covers(state(n=(1, 9)), state(n=(0, 9))))
        self.assertFalse(self.covers(state(n=(1, 9)), state()))

    def test_ranges_that_go_on_become_one(self):
        for first, second in (((2, 9), (10, 20)), ((10, 20), (2, 9))):
            r = state(n=first)
            self.assertTrue(self.paths.covers(r, state(n=second), False, True))
            self.assertEqual(r.ranges[N], first)
            self.assertTrue(self.covers(r, state(n=second)))
            self.assertEqual(r.ranges[N], (2, 20))
        self.assertFalse(self.covers(state(n=(2, 9)), state(n=(11, 20))))
        self.assertFalse(self.covers(state(n=(2, 9)), state(n=(10, 10))))  # known numbers go on alone

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

    def test_orders_that_do_not_hold_are_dropped(self):
        r, s = state(), state()
        r.orders, s.orders = frozenset([(N, M), (M, N)]), frozenset([(N, M)])
        self.assertTrue(self.covers(r, s))
        self.assertEqual(r.orders, s.orders)

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


class Repeating(unittest.TestCase):
    """Back at the head of a loop there are blocks left, for the bound that was guessed, and all of a turn are done."""

    def test_at_least_so_many_blocks_are_left(self):
        paths = Paths(X86(None, {0: ["ret", [], None]}, 8, 128, [], None), types.SimpleNamespace(live=0))
        of_one = ((1, 0, 0, Refuted), (1, 1, 1, Again), (1, 2, 2, Again), (1, 0, 1, None), (1, 1, 2, None))
        of_two = ((2, 0, 1, Refuted), (2, 1, 2, Again), (2, 0, 2, None), (2, 1, 3, None))
        for step, low, left, error in of_one + of_two:
            st = state()
            st.ranges[paths.rest] = (left, 99)
            st.loop = Loop((0,), {}, st.k, low, step)
            if error:
                self.assertRaises(error, paths.repeat, st)
                self.assertEqual(bool(st.loop.wrong), error is Again)
            else:
                paths.repeat(st)

    def test_as_many_blocks_as_a_turn_takes(self):
        def advance(lane, before, done):
            return [add(8, before[0], var("m", 8, done))]

        contract = types.SimpleNamespace(live=1, state=lambda lane, done: [var("after", 8, done)], advance=advance)
        paths = Paths(X86(None, {0: ["ret", [], None]}, 8, 128, [], None), contract)
        for step, taken in ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3)):
            st, after = state(), contract.state(0, paths.done)
            st.ranges[paths.rest] = (9, 99)
            st.loop = Loop((0,), {(("g", 0, 0), 0, 8): after[0]}, st.k, 1, step)
            for i in range(taken):
                after = advance(0, after, add(8, paths.done, i))
            st.g[0] = unpack(after[0], 8)
            if step == taken:
                paths.repeat(st)
            else:
                self.assertRaises(Again, paths.repeat, st)

    def test_what_a_wrong_guess_executed_does_not_count(self):
        paths = Paths(X86(None, {}, 8, 128, [], None), types.SimpleNamespace(live=0, total=N))
        paths.machine.used.add(0)
        tries = [4, 8]

        def explore(g):
            paths.machine.used.add(tries.pop(0))
            if tries:
                g.loop.wrong.add(REST)

        paths.explore = explore
        paths.generalise(state(n=(1, 99)), 1, 1, {})
        self.assertEqual(paths.machine.used, {0, 8})


class Guessing(unittest.TestCase):
    """Two visits of a place are of the loop over blocks if a word of the chaining value is kept there."""

    def guess(self, number, step=1):
        def words(lane, done):
            count = add(8, N, done)
            return [*[var("word", 8, lane, j, done, secret=True) for j in range(8)], count]

        first, second = state(), state()
        for j in (*range(number), 8):
            first.g[j], second.g[j] = (unpack(words(0, done)[j], 8) for done in (0, step))
        first.g[9], second.g[9] = (unpack(sub(8, M, 64 * done), 8) for done in (0, step))
        return Paths(None, types.SimpleNamespace(live=1, after=words, state=words)).guess(first, second)

    def test_words(self):
        for turn in (1, 2):
            step, blocks, cells = self.guess(8, turn)
            self.assertEqual((step, blocks), (turn, turn))
            self.assertEqual(cells[("g", 7, 0), 0, 8], var("word", 8, 0, 7, var("done", 8), secret=True))
            self.assertEqual(cells[("g", 9, 0), 0, 8], sub(8, M, times(8, var("done", 8), 64)))

    def test_the_count_alone(self):
        self.assertIsNone(self.guess(0))


class Memory(unittest.TestCase):
    def setUp(self):
        self.region = Region("table", times(8, N, 128))
        self.machine = X86(None, {}, 8, 128, [self.region], None)

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


class Stack(unittest.TestCase):
    """A pointer that is rounded down makes a region of its own, of what is below it."""

    def setUp(self):
        self.machine, self.st = X86(None, {}, 8, 128, [], None), state()
        self.st.g[4] = unpack(sub(8, self.machine.frame.pointer, 24), 8)

    def run_one(self, op, *args):
        self.machine.code = {0: [op, [operand(a, None) for a in args], 0]}
        (self.st,) = self.machine.step(self.st)

    def test_what_is_below_and_above(self):
        self.run_one("mov", "rbp", "rsp")
        self.run_one("mov", "QWORD PTR [rsp-0x8]", "rax")
        self.run_one("and", "rsp", "0xffffffffffffffc0")
        below = "stack below -24 by 64"
        self.assertIs(word(self.st.g[4]), self.machine.stacks[below].pointer)
        self.run_one("mov", "QWORD PTR [rsp-0x8]", "rcx")
        self.run_one("mov", "QWORD PTR [rbp]", "rdx")
        self.assertEqual(self.st.memory[below][-8], self.st.g[1][0])
        self.assertEqual(self.st.memory["stack"][-24], self.st.g[2][0])
        for to in ("[rsp]", "[rsp-0x7]", "[rbp-0x8]", "[rbp-0x1]", "[rbp+0x18]"):
            self.assertRaises(Refuted, self.run_one, "mov", "QWORD PTR " + to, "rcx")
        for of in ("[rsp]", "[rbp-0x8]", "[rbp+0x19]"):
            self.assertRaises(Refuted, self.run_one, "mov", "rcx", "QWORD PTR " + of)

    def test_what_is_read_again_after_it_was_forgotten(self):
        """A stack slot that was never written reads as the same until it is written or forgotten."""
        for forget, same in ((False, True), (True, False)):
            self.run_one("mov", "rax", "QWORD PTR [rsp-0x8]")
            if forget:
                self.st.memory["stack"] = {}
            self.run_one("mov", "rcx", "QWORD PTR [rsp-0x8]")
            self.assertEqual(self.st.g[0] == self.st.g[1], same)

    def test_it_is_rounded_once(self):
        self.run_one("and", "rsp", "0xffffffffffffffc0")
        self.st.g[4] = unpack(sub(8, self.machine.frame.pointer, 32), 8)
        self.assertRaises(Refuted, self.run_one, "and", "rsp", "0xffffffffffffffc0")
        self.st.g[4] = unpack(sub(8, self.machine.frame.pointer, 24), 8)
        self.assertRaises(Refuted, self.run_one, "and", "rsp", "0xffffffffffffffc0")

    def test_to_a_power_of_two(self):
        self.assertRaises(Refuted, self.run_one, "and", "rsp", "0xffffffffffffffc8")


class Instructions(unittest.TestCase):
    def test_unknown_ones_are_refused_by_address_and_name(self):
        code = {0x40: ["vfrobnicate", [operand("xmm1", None)], 0x44]}
        st = state()
        st.ip = 0x40
        with self.assertRaisesRegex(Refuted, "at 40, vfrobnicate"):
            X86(None, code, 8, 128, [], None).step(st)

    def run_one(self, st, op, *args):
        st.ip = 0x40
        return X86(None, {0x40: [op, [operand(a, None) for a in args], 0x44]}, 8, 128, [], None).step(st)

    def test_carry_of_a_comparison(self):
        st = state(n=(0, 9))
        st.flags, st.g[0] = ("sub", 8, 4, N), unpack(7, 8)
        answers = {s.ranges[N]: word(s.g[0]) for s in self.run_one(st, "adc", "rax", "0x0")}
        self.assertEqual(answers, {(5, 9): 8, (0, 4): 7})

    def test_flags_that_are_not_known_are_refused(self):
        for op, args, branch in (("dec", ("rax",), "js"), ("dec", ("rax",), "jbe"), ("shr", ("rax", "0x1"), "jb"), ("rol", ("rax", "0x1"), "je")):
            st = state()
            st.g[0], st.flags = unpack(5, 8), ("sub", 8, 1, 2)
            (st,) = self.run_one(st, op, *args)
            self.assertRaises(Refuted, self.run_one, st, branch, "80")

    def test_flags_of_counts_and_shifts(self):
        for op, args, branch, answer in (("dec", ("rax",), "jb", 0x80), ("dec", ("rax",), "je", 0x80), ("shr", ("rax", "0x1"), "je", 0x80)):
            st = state()
            st.g[0], st.flags = unpack(1, 8), ("sub", 8, 1, 2)
            (st,) = self.run_one(st, op, *args)
            self.assertEqual([s.ip for s in self.run_one(st, branch, "80")], [answer])

    def test_overflow_of_a_product(self):
        for factor, answer in ((1 << 40, 0x44), (1 << 60, 0x80)):
            st = state(n=(0, 9))
            st.g[0], st.g[1] = unpack(16, 8), unpack(factor, 8)
            (st,) = self.run_one(st, "mul", "rcx")
            self.assertEqual([s.ip for s in self.run_one(st, "jo", "80")], [answer])

    def test_prefetches_of_secret_places_are_refused(self):
        st = state()
        st.g[0] = unpack(var("h", 8, secret=True), 8)
        self.assertRaisesRegex(Refuted, "secret", self.run_one, st, "prefetcht0", "BYTE PTR [rax]")

    def test_expansion(self):
        st = state()
        st.v[1], st.k[1] = [*range(64)], [0, 1, 0, 1] + [0] * 60
        (st,) = self.run_one(st, "vpexpandq", "ymm2{k1}{z}", "ymm1")
        self.assertEqual(st.v[2][:32], [0] * 8 + [*range(8)] + [0] * 8 + [*range(8, 16)])

    def test_calls_are_refused(self):
        st = state()
        st.ip = 0x40
        with self.assertRaisesRegex(Refuted, "call can be reached"):
            X86(None, {0x40: ["call", [], 0x44]}, 8, 128, [], None).step(st)


class Differences(unittest.TestCase):
    def test_numbers_of_what_is_given_alone(self):
        """Other tries are left out if a number differs, so not where it is of what this try has forgotten."""
        h = var("h", 8, 0, secret=True)
        for code, different in ((add(8, h, 1), True), (h, False), (var("forgotten", 8, 1, secret=True), False), (None, False)):
            self.assertEqual(Contract.tell(None, [(0, "word 0", code, h)], {}, {})[1], different)


class Counts(unittest.TestCase):
    def test_longest_run(self):
        """Both forms are the function of `src/kernel/blake2.rs`."""
        for hash_, size, block in ((HASHES["blake2b"], 8, 128), (HASHES["blake2s"], 4, 64)):
            chain = hash_.new_chain(None, 0, False, True)
            for low in (0, 1, block - 1, block, 1 << 8 * size - 1, *((1 << 8 * size) - k * block + j for k in (1, 2, 3) for j in (-1, 0, 1))):
                ones = (1 << 8 * size) - 1
                expected = (ones - (low + block & ones)) // block + 1
                for form in chain.longest_run():
                    self.assertEqual(evaluate(form, {chain.low: low}, {}, None), expected)


if __name__ == "__main__":
    unittest.main()
