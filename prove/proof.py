"""The proof of one kernel in one case."""

import terms
from elf import Differs, Refuted
from induction import Paths


def prove_case(program, layout, address, size, hash_, contract, case):
    """Paths, loops and instructions that it took. Raises `Refuted`, with the reason of the first try.

    More tries merge paths otherwise, or look at loops one block later, which is no matter of right or wrong. They are of
    no use where a number differs.
    """
    code = program.function(address, size)

    def attempt(merging, patience=0):
        terms.forget_all()
        c = contract(program, code, address, hash_, layout, **case)
        paths = Paths(c.machine, c, merging, patience)
        paths.prove()
        return paths.paths, paths.loops, c.machine.steps

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
