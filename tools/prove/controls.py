"""Plants errors in copies of the machine code, byte by byte, and checks that each proof fails and says where.

    python3 tools/prove/controls.py LIBRARY [--all]

One error for each hash, and one in a part; with --all, one for each hash on each instruction set, and for each part that
its kernels call.
"""

import argparse
import gc
import multiprocessing
import pathlib
import re
import signal
import sys
import tempfile

import aarch64.errors
import kernels
import proof
import x86.errors
from elf import Program, Refuted
from hashes import HASHES

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 60
"""Seconds of CPU for one error."""
ERRORS = {"x86_64": x86.errors, "aarch64": aarch64.errors}
OPEN = [line.split(": ")[0] for line in (HERE / "open.txt").read_text().splitlines()]


def controls_of_all(listed, kinds):
    """For each hash on each instruction set, and each part there, the kernel that is proved fastest, with the kinds of
    errors in turn."""
    kernels_of = {}
    for name, kernel in listed.items():
        if name not in OPEN:
            places, _ = kernels.places(PROGRAM, kernel)
            parts = frozenset(part for place in places for part in proof.load(PROGRAM, *place)[1])
            kernels_of.setdefault((kernel.hash, kernel.isa, parts), []).append((kernel.most, "compress" not in name, name))
    names = [min(names)[2] for names in kernels_of.values()]
    return [(name, kinds[i % len(kinds)]) for i, name in enumerate(names)]


def plant(program, address, size, kind):
    """Another program with the error in it, and where: at the first place, of feed-forwards at the last. In a part, if the
    kernel calls one: what it has itself then may be for prefetches, of which any address will do."""
    places = []
    for piece in proof.load(program, address, size)[1].items() or [(address, size)]:
        for at, b, op, args in ERRORS[program.isa].instructions(program, *piece):
            changed = kind(b, op, args)
            if changed:
                places.append((at, changed, op, args))
    if not places:
        return None
    at, changed, op, args = places[-1 if kind.__name__ == "feed_forward" else 0]
    blob = bytearray(program.blob)
    for start, offset, length, _ in program.sections:
        if start <= at < start + length:
            blob[offset + at - start : offset + at - start + len(changed)] = changed
    file = tempfile.NamedTemporaryFile(suffix=".elf")
    file.write(blob)
    file.flush()
    copy = Program(file.name)
    copy.file = file
    return copy, "%s %s at %x" % (op, args, at)


class OutOfTime(Exception):
    pass


def out_of_time(*_):
    raise OutOfTime("not within the time")


def own_place(found, proved):
    """The function that is proved, of those that share a name and may be of two hashes."""
    for address, size in found[:-1]:
        try:
            proved(PROGRAM, address, size)
        except Refuted:
            continue
        return address, size
    return found[-1]


def main():
    parser = argparse.ArgumentParser(prog="controls", description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()

    global PROGRAM, LAYOUT, LISTED
    sys.setrecursionlimit(1 << 20)
    PROGRAM, LAYOUT = Program(options.library), kernels.Layout(HERE / "layouts.txt")
    LISTED = {kernels.label(k): k for k in kernels.list_kernels(HERE.parent.parent, PROGRAM.isa)}
    errors, broken = ERRORS[PROGRAM.isa], 0
    todo = controls_of_all(LISTED, errors.KINDS) if options.all else errors.CONTROLS
    with multiprocessing.get_context("fork").Pool(maxtasksperchild=1) as pool:
        for (name, _), (answer, good) in zip(todo, pool.imap(control, todo, 1)):
            print("%s, %s" % (name, answer), flush=True)
            broken |= not good
    return int(broken)


def control(job):
    """The result of an error, and whether it was refuted as it should. Where there is no place for one of that kind, there
    is for the next; and so where an error is refuted for another reason, such as an address, or not within the time."""
    gc.disable()
    signal.signal(signal.SIGVTALRM, out_of_time)
    program, layout, kernel, first = PROGRAM, LAYOUT, LISTED[job[0]], job[1]
    contract, cases = kernels.cases(kernel, False)
    found, more = kernels.places(program, kernel)

    def proved(of, address, size, cases=cases[:1]):
        for case in cases:
            proof.prove_case(of, layout, address, size, HASHES[kernel.hash], contract, {**case, **more})

    address, size = own_place(found, proved)
    kinds = ERRORS[program.isa].KINDS
    at = kinds.index(first)
    told = []
    for kind in kinds[at:] + kinds[:at]:
        planted = plant(program, address, size, kind)
        if planted is None:
            continue
        copy, where = planted
        name = "%s, %s: " % (kind.__name__, where)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        try:
            proved(copy, address, size, cases)
        except (Refuted, OutOfTime) as e:
            for line in str(e).split("\n"):
                if re.search(r"lane \d+: (word \d+|the (lower|upper) half|the number)", line):
                    return name + "refuted: " + line.strip(), True
            told.append(name + "not refuted for a word of a lane: " + str(e).split("\n")[0])
        else:
            return name + "PROVED, which is wrong", False
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "; ".join(told) or "no place for an error", False


if __name__ == "__main__":
    sys.exit(main())
