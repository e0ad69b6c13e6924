"""Which instructions a proof must have executed. Each test fails if its rule is wrong."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from aarch64.machine import AArch64
from aarch64.operands import operand as operand_of_aarch64
from coverage import SLACK, complaint, to_be_executed
from x86.machine import X86
from x86.operands import operand


def needed(machine, *lines):
    """Numbers of the lines, of which each is an instruction of one byte."""
    code = {}
    for ip, line in enumerate(lines):
        op, _, args = line.partition(" ")
        args = args.split(",") if args else []
        args = [operand(x, None) if machine is X86 else operand_of_aarch64(x) for x in args]
        code[ip] = [op, args, ip + 1 if ip + 1 < len(lines) else None]
    return to_be_executed(machine(None, code, 8, 128, [], None))


class Needed(unittest.TestCase):
    def test_panics_are_not(self):
        self.assertEqual(needed(X86, "je 3", "inc rax", "ret", "mov rdi,rax", "call 80"), {0, 1, 2})
        self.assertEqual(needed(X86, "je 3", "inc rax", "ret", "call 80", "ud2"), {0, 1, 2})
        self.assertEqual(needed(AArch64, "cbz x0,3", "mov x1,x2", "ret", "mov x0,x1", "bl 80"), {0, 1, 2})
        self.assertEqual(needed(AArch64, "cbz x0,2", "ret", "brk #0x1", "ret"), {0, 1, 3})

    def test_calls_that_come_back_are(self):
        self.assertEqual(needed(X86, "je 3", "inc rax", "ret", "call 80", "jmp 2"), {0, 1, 2, 3, 4})

    def test_jumps_that_go_anywhere_are(self):
        self.assertEqual(needed(X86, "je 2", "ret", "jmp rax"), {0, 1, 2})
        self.assertEqual(needed(X86, "je 2", "ret", "jmp 80"), {0, 1, 2})
        self.assertEqual(needed(AArch64, "cbz x0,2", "ret", "br x1"), {0, 1, 2})

    def test_loops_are(self):
        self.assertEqual(needed(X86, "inc rax", "jne 0", "ret"), {0, 1, 2})

    def test_targets_of_jumps_are(self):
        self.assertEqual(needed(X86, "je 3", "call 80", "ud2", "ret"), {0, 3})

    def test_padding_is_not(self):
        self.assertEqual(needed(X86, "jmp 3", "nop", "xchg ax,ax", "ret"), {0, 3})
        self.assertEqual(needed(X86, "xchg rax,rcx", "ret"), {0, 1})


class Complaint(unittest.TestCase):
    def test_a_kernel_that_is_not_listed_has_no_slack(self):
        self.assertIsNone(complaint([], 9, 0, False))
        self.assertIn("allows 0: 7", complaint([7], 9, 0, False))

    def test_a_listed_kernel_has_some(self):
        for listed, most in (1, 1 + SLACK), (99, 99 + SLACK), (1682, 1682 + 16 + SLACK):
            self.assertIsNone(complaint([*range(most)], 3000, listed, False))
            self.assertIn("allows %d: 0 1" % most, complaint([*range(most + 1)], 3000, listed, False))

    def test_a_kernel_leaves_the_list(self):
        self.assertIn("should not have it", complaint([], 99, SLACK + 1, False))
        self.assertIsNone(complaint([], 99, SLACK + 1, True))
        # Another build may have some.
        self.assertIsNone(complaint([], 99, SLACK, False))


if __name__ == "__main__":
    unittest.main()
