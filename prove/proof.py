"""The proof of one kernel in one case."""

import terms
from elf import Refuted
from induction import Paths

ALIGNMENTS = (8, 24, 40, 56)
"""Where the stack may be at a call, by the ABI, as a remainder of 64."""


def prove_case(program, layout, address, size, hash_, contract, case, again=True):
    """Paths, loops and instructions that it took. Raises `Refuted`, with the reason of the first try.

    `again` allows more tries that merge paths otherwise, or look at loops one block later, which is no matter of right
    or wrong.
    """
    code = program.function(address, size)

    def attempt(stack, merging, patience=0):
        terms.forget_all()
        c = contract(program, code, address, hash_, layout, stack=stack, **case)
        paths = Paths(c.machine, c, merging, patience)
        paths.prove()
        return paths, c

    def prove(stack):
        try:
            return attempt(stack, "registers")
        except Refuted as e:
            for other in (("registers", 1), ("all",), ("",)) if again else ():
                try:
                    return attempt(stack, *other)
                except Refuted:
                    pass
            raise e from None

    paths, c = prove(ALIGNMENTS[0])
    if c.machine.aligns:  # a frame that is aligned lies elsewhere for other callers
        for stack in ALIGNMENTS[1:]:
            prove(stack)
    return paths.paths, paths.loops, c.machine.steps
