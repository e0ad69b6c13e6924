"""Parts: functions that kernels call. Each test fails if its rule is wrong."""

import pathlib
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import kernels
import proof
from coverage import to_be_executed
from elf import Refuted
from induction import Again, Loop, Paths
from machine import NOT_KNOWN, State
from x86.machine import X86
from x86.operands import operand
from terms import add, sub, unpack, var, word

PART = 0x80


def code(kernel, part=("ret",)):
    """A kernel at 0 and a part, of instructions of one byte."""
    out = {}
    for start, lines in ((0, kernel), (PART, part)):
        for ip, line in enumerate(lines, start):
            op, _, args = line.partition(" ")
            args = [operand(x, None) for x in args.split(",")] if args else []
            out[ip] = [op, args, ip + 1 if ip + 1 < start + len(lines) else None]
    return out


class Parts(unittest.TestCase):
    def prepare(self, *args):
        self.machine = X86(None, code(*args), 8, 128, [], None)
        self.machine.parts = frozenset([PART])
        self.frame = self.machine.frame.pointer
        st = State()
        st.ip, st.calls, st.flags, st.turns, st.loop, st.seen, st.counts = 0, (), NOT_KNOWN, 0, None, {}, frozenset()
        st.orders, st.facts, st.ranges = frozenset(), {}, {}
        st.g = [unpack(var("r", 8, i), 8) for i in range(16)]
        st.v = [unpack(var("v", 64, i, secret=True), 64) for i in range(32)]
        st.k = [[0] * 64 for _ in range(8)]
        st.memory = {"stack": {}}
        st.g[4] = unpack(self.frame, 8)
        self.st = st
        return self

    def steps(self, number):
        for _ in range(number):
            (self.st,) = self.machine.step(self.st)

    def slot(self, region, at):
        b = self.st.memory[region]
        return word([b[at + i] for i in range(8)])


class Calls(Parts):
    def test_there_and_back(self):
        self.prepare(("push rax", "call 80", "pop rax", "ret"))
        self.steps(2)
        self.assertEqual((self.st.ip, self.st.calls, self.st.where), (PART, (1,), (1, PART)))
        self.assertEqual(word(self.st.g[4]), sub(8, self.frame, 16))
        self.assertEqual(self.slot("stack", -16), 2)
        self.steps(1)
        self.assertEqual((self.st.ip, self.st.calls), (2, ()))
        self.assertEqual(word(self.st.g[4]), sub(8, self.frame, 8))
        self.steps(2)
        self.assertEqual(self.st.ip, "end")
        self.assertIs(word(self.st.g[4]), self.frame)

    def test_of_anything_else_are_refused(self):
        for to in ("81", "0", "100", "rax", "QWORD PTR [rax]"):
            self.prepare(("call " + to, "ret"))
            self.assertRaisesRegex(Refuted, "call can be reached", self.steps, 1)

    def test_that_do_not_come_back_are_refused(self):
        self.prepare(("call 80",))
        self.assertRaisesRegex(Refuted, "call can be reached", self.steps, 1)

    def test_without_room_are_refused(self):
        self.prepare(("call 80", "ret"))
        self.st.g[4] = unpack(add(8, self.frame, 16), 8)
        self.assertRaisesRegex(Refuted, "of the stack frame", self.steps, 1)

    def test_jumps_to_parts_return_for_the_kernel(self):
        self.prepare(("jmp 80",))
        self.steps(2)
        self.assertEqual(self.st.ip, "end")


class Returns(Parts):
    def test_to_what_is_on_the_stack(self):
        """The number there decides, and not the call."""
        self.prepare(("call 80", "ret"), ("mov QWORD PTR [rsp],rcx", "ret"))
        self.st.g[1] = unpack(PART, 8)
        self.steps(3)
        self.assertEqual(self.st.ip, PART)
        self.prepare(("call 80", "ret"), ("mov QWORD PTR [rsp],rcx", "ret"))
        self.assertRaisesRegex(Refuted, "an address that is not known", self.steps, 3)

    def test_with_another_stack_pointer_are_refused(self):
        for line in ("pop rax", "push rax", "lea rsp,[rsp+0x10]"):
            self.prepare((line, "ret"))
            self.assertRaises(Refuted, self.steps, 2)

    def test_out_of_the_code_are_refused(self):
        self.prepare(("push 0x7000", "ret"))
        self.assertRaisesRegex(Refuted, "leaves the function", self.steps, 3)

    def test_what_is_below_is_lost(self):
        self.prepare(("push rax", "call 80", "mov rdx,QWORD PTR [rsp-0x10]", "ret"), ("push rcx", "pop rcx", "ret"))
        self.steps(5)
        self.assertEqual(sorted(self.st.memory["stack"]), [*range(-8, 0)])
        self.steps(1)
        self.assertNotEqual(self.st.g[2], self.st.g[1])


ROUND = ("push rbp", "mov rbp,rsp", "and rsp,%s", "mov QWORD PTR [rsp-0x8],rcx", "mov rsp,rbp", "pop rbp", "ret")


def rounding(multiple):
    return tuple(line.replace("%s", hex(-multiple & (1 << 64) - 1)) for line in ROUND)


class RoundedStack(Parts):
    """A part rounds the stack down, which the kernel may have done before."""

    def test_of_a_kernel_that_was_not(self):
        self.prepare(("call 80", "call 80", "ret"), rounding(64))
        for again in (False, True):
            self.steps(5)
            self.assertEqual(self.slot("stack below -16 by 64", -8), word(self.st.g[1]))
            self.steps(3)
            self.assertEqual((self.st.ip, list(self.st.memory)), (1 + again, ["stack"]))
        self.steps(1)
        self.assertEqual(self.st.ip, "end")

    def test_of_one_that_was_by_less(self):
        kernel = ("mov rbp,rsp", "and rsp,0xffffffffffffffe0", "mov QWORD PTR [rsp-0x8],rbx", "sub rsp,0x8", "call 80")
        self.prepare((*kernel, "mov rsp,rbp", "ret"), rounding(64))
        self.steps(9)
        # The old value is kept, and what the part has is elsewhere.
        self.assertEqual(self.slot("stack below 0 by 32", -8), word(self.st.g[3]))
        self.assertEqual(self.slot("stack below 0 by 32 below -24 by 64", -8), word(self.st.g[1]))
        self.steps(3)
        self.assertEqual(list(self.st.memory), ["stack", "stack below 0 by 32"])
        self.assertEqual(self.slot("stack below 0 by 32", -8), word(self.st.g[3]))
        self.steps(2)
        self.assertEqual(self.st.ip, "end")

    def test_of_one_that_was_by_as_much(self):
        for multiple, at in ((64, -64), (32, -32), (16, -32)):
            kernel = ("mov rbp,rsp", "and rsp,0xffffffffffffffc0", "sub rsp,0x8", "call 80", "mov rsp,rbp", "ret")
            self.prepare(kernel, rounding(multiple))
            self.steps(8)
            self.assertEqual(list(self.st.memory), ["stack", "stack below 0 by 64"])
            self.assertEqual(self.slot("stack below 0 by 64", at - 8), word(self.st.g[1]))
            self.steps(5)
            self.assertEqual(self.st.ip, "end")

    def test_what_a_part_has_left_is_out_of_reach(self):
        part = [line for line in rounding(32) for line in (line, *["mov rdx,rsp"] * line.startswith("and"))]
        for line in ("mov rax,QWORD PTR [rdx-0x8]", "mov QWORD PTR [rdx-0x8],rax", "and rdx,0xffffffffffffffc0"):
            self.prepare(("call 80", line, "ret"), part)
            self.assertRaises(Refuted, self.steps, 10)

    def test_what_is_below_the_old_pointer_is_out_of_reach(self):
        for line in ("mov rax,QWORD PTR [rbp-0x8]", "mov QWORD PTR [rbp-0x1],al", "mov rax,QWORD PTR [rsp]"):
            self.prepare(("call 80", "ret"), [*rounding(64)[:3], line])
            self.assertRaisesRegex(Refuted, "of the stack frame", self.steps, 5)

    def test_what_was_below_is_lost(self):
        self.prepare(("mov QWORD PTR [rsp-0x20],rcx", "call 80", "ret"), rounding(64))
        self.steps(5)
        self.assertEqual(sorted(self.st.memory["stack"]), [*range(-16, 0)])


class Merging(Parts):
    def paths(self, merging="registers"):
        return Paths(self.machine, types.SimpleNamespace(outputs=(), total=1), merging)

    def called(self, ip, rcx=0):
        st = self.st.copy()
        st.ip, st.g[1] = ip, unpack(rcx, 8)
        (st,) = self.machine.step(st)
        return st

    def test_two_return_addresses_stay_apart(self):
        self.prepare(("call 80", "call 80", "ret"))
        first, second = self.called(0), self.called(1)
        self.assertFalse(self.paths().covers(first, second, True))
        self.assertEqual(len(self.paths().merge([first, second])), 2)
        # A way to merge that forgets the address only makes the proof fail.
        self.assertTrue(self.paths("all").covers(first, second, True))
        self.assertRaises(Refuted, self.machine.step, first)

    def test_paths_do_not_meet_in_two_calls(self):
        self.prepare(("call 80", "call 80", "ret"))
        self.assertNotEqual(self.called(0).where, self.called(1).where)
        self.assertEqual(self.called(0).where, self.called(0, 5).where)

    def test_a_region_that_is_gone(self):
        self.prepare(("ret",))
        r, s = self.st.copy(), self.st.copy()
        r.memory["stack below 0 by 64"] = {}
        self.assertFalse(self.paths().covers(r, s, True))
        self.assertTrue(self.paths().covers(s, r, True))
        s.loop = Loop((0,), {}, s.k, 0, 1, r.memory)
        self.assertRaisesRegex(Refuted, "leaves a stack frame", self.paths().check_instance, s, s.loop, {})

    def test_registers_that_are_alive(self):
        self.prepare(("call 80", "mov rdx,rbx", "ret"), ("mov rax,rdi", "mov r8,rax", "ret"))
        alive = [i for i in range(16) if self.paths().alive(0, ("g", i))]
        self.assertEqual(alive, [3, 4, 5, 7, 12, 13, 14, 15])  # the part reads rdi, the kernel rbx
        self.assertFalse(self.paths().alive(0, ("v", 0)))
        self.prepare(("call 80", "ret"), ("vmovdqu YMMWORD PTR [rdi],ymm1", "ret"))
        self.assertEqual([i for i in range(3) if self.paths().alive(0, ("v", i))], [1])
        self.prepare(("call 80", "mov rbx,rdx", "ret"), ("ret",))
        self.assertFalse(self.paths().alive(0, ("g", 3)))

    def test_all_paths(self):
        """Two calls with a branch in the part: each is followed to its own end."""
        self.prepare(("call 80", "mov rbx,rcx", "call 80", "ret"), ("test rdi,rdi", "je 84", "mov rcx,0x1", "ret", "ret"))
        ends = []

        class Ends:
            outputs, total = (), 1
            start = staticmethod(lambda: self.st)
            finish = staticmethod(ends.append)

        self.st.g[1] = unpack(0, 8)
        Paths(self.machine, Ends).prove()
        self.assertEqual({word(s.g[3]) for s in ends}, {0, 1})
        self.assertEqual(self.machine.used, set(self.machine.code))


class Lists(Parts):
    def test_parts_are_part_of_the_kernel(self):
        self.prepare(("call 80", "ret"), ("test rdi,rdi", "je 84", "call 0", "ud2", "nop", "ret"))
        self.assertEqual(to_be_executed(self.machine), {0, 1, 0x80, 0x81, 0x85})

    def test_what_is_loaded(self):
        functions = {0: code(("call 80", "call 90", "je 40", "ret")), 0x40: {0x40: ["jmp", [operand("100", None)], None]},
                     0x80: {0x80: ["ret", [], None]}, 0x100: {0x100: ["ret", [], None]}}  # fmt: skip
        functions[0] = {ip: x for ip, x in functions[0].items() if ip < PART}
        program = types.SimpleNamespace(isa="x86_64")
        before = kernels.find_parts, X86.decode
        try:
            kernels.find_parts = lambda _: {0x40: 1, 0x80: 1, 0x100: 1, 0x200: 1}
            X86.decode = staticmethod(lambda _, address, size: functions[address])
            loaded, parts = proof.load(program, 0, 4)
        finally:
            kernels.find_parts, X86.decode = before[0], staticmethod(before[1])
        self.assertEqual(parts, {0x40: 1, 0x80: 1, 0x100: 1})
        self.assertEqual(set(loaded), {0, 1, 2, 3, 0x40, 0x80, 0x100})

    def test_names(self):
        for name in ("rounds8", "rounds16", "rounds16_slow"):
            self.assertTrue(kernels.PART.fullmatch(name))
        for name in ("rounds", "rounds8_fast", "rounds8x", "surrounds8", "compress8"):
            self.assertIsNone(kernels.PART.fullmatch(name))

    def test_parts_are_no_kernels(self):
        self.assertFalse([k for k in kernels.list_kernels(kernels.ROOT) if kernels.PART.fullmatch(k.name)])
        symbols = [s for *_, part, _, _, s in kernels.compiled(kernels.ROOT, "x86_64") if part]
        self.assertTrue(symbols)
        self.assertTrue(all("::rounds" in s and s.startswith(r"(?:.*\W)?backend::") for s in symbols))


if __name__ == "__main__":
    unittest.main()
