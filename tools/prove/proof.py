"""The proof of one kernel in one case."""

import coverage
import terms
from aarch64.machine import AArch64
from elf import Differs, Refuted
from induction import Paths
from x86.machine import X86

MACHINES = {"x86_64": X86, "aarch64": AArch64}
"""By instruction set."""


def prove_case(program, layout, address, size, hash_, contract, case):
    """How many instructions the kernel has, and the addresses of those that the proof did not execute, both without those
    that end in a panic. Raises `Refuted`, with the reason of the first try.

    More tries merge paths otherwise, or look at loops one block later, which is no matter of right or wrong. They are of
    no use where a number differs.
    """
    machine = MACHINES[program.isa]
    code = machine.decode(program, address, size)

    def attempt(merging, patience=0):
        terms.forget_all()
        c = contract(machine, program, code, address, hash_, layout, **case)
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
