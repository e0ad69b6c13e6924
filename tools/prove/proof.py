"""The proof of one kernel in one case."""

import coverage
import kernels
import terms
from aarch64.machine import AArch64
from elf import Differs, Refuted
from induction import Paths
from x86.machine import X86

MACHINES = {"x86_64": X86, "aarch64": AArch64}
"""By instruction set."""


def load(program, address, size):
    """The code of a kernel and of the parts that it calls or jumps to, and the addresses and sizes of these."""
    machine, listed, code, parts = MACHINES[program.isa], kernels.find_parts(program), {}, {}
    todo = [(address, size)]
    while todo:
        more = machine.decode(program, *todo.pop())
        code.update(more)
        for to in {to for op, args, _ in more.values() for to in machine.goes_to(op, args)}:
            if to in listed and to not in parts and to != address:
                parts[to] = listed[to]
                todo.append((to, listed[to]))
    return code, parts


def prove_case(program, layout, address, size, hash_, contract, case):
    """How many instructions the kernel and its parts have, and the addresses of those that the proof did not execute, both
    without those that end in a panic. Raises `Refuted`, with the reason of the first try.

    More tries merge paths otherwise, or look at loops one block later, which is no matter of right or wrong. They are of
    no use where a number differs.
    """
    machine = MACHINES[program.isa]
    code, parts = load(program, address, size)

    def attempt(merging, patience=0):
        terms.forget_all()
        c = contract(machine, program, code, address, hash_, layout, **case)
        c.machine.parts = frozenset(parts)
        paths = Paths(c.machine, c, merging, patience)
        paths.prove()
        needed = coverage.to_be_executed(c.machine)
        return len(needed), frozenset(needed - c.machine.used)

    try:
        return attempt("registers")
    except Differs:
        raise
    except Refuted as e:
        for other in (("registers", 1), ("all",), ("",)):
            try:
                return attempt(*other)
            except Refuted:
                pass
        raise e from None
