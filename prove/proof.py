"""The proof of one kernel in one case."""

import terms
from elf import Refuted
from induction import Paths

ALIGNMENTS = (8, 24, 40, 56)
"""Where the stack may be at a call, by the ABI, as a remainder of 64."""


def prove_case(program, layout, address, size, hash_, contract, case, again=True):
    """Paths, loops and instructions that it took. Raises `Refuted`, with the reason of the first try.

    `again` allows two more tries that merge paths otherwise, which is no matter of right or wrong.
    """
    code = program.function(address, size)

    def attempt(stack, merging):
        terms.forget_all()
        c = contract(program, code, address, hash_, layout, stack=stack, **case)
        paths = Paths(c.machine, c, merging)
        paths.prove()
        return paths, c

    def prove(stack):
        try:
            return attempt(stack, "registers")
        except Refuted as e:
            for merging in ("all", "") if again else ():
                try:
                    return attempt(stack, merging)
                except Refuted:
                    pass
            raise e from None

    paths, c = prove(ALIGNMENTS[0])
    if c.machine.aligns:  # a frame that is aligned lies elsewhere for other callers
        for stack in ALIGNMENTS[1:]:
            prove(stack)
    return paths.paths, paths.loops, c.machine.steps
