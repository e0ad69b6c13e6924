"""Proves that the machine code of the kernels computes what the standards say, and prints a table.

    python3 prove LIBRARY [--all] [--only REGEX] [--jobs N] [--verbose]

LIBRARY is the release .rlib, or any ELF file that has the symbols of the kernels. Every kernel of the sources must be in
it. --all: fewer messages than lanes, every hint and stride that callers use, too. See README.md beside this file.
"""

import argparse
import gc
import multiprocessing
import pathlib
import re
import signal
import sys
import time

import kernels
import proof
import specification
from elf import Program, Refuted
from hashes import HASHES

HERE = pathlib.Path(__file__).resolve().parent
OPEN = [line.split(":")[0] for line in (HERE / "open.txt").read_text().splitlines()]
"""Kernels that are not proved yet. A listed one that is proved is a failure, so the list stays true."""


LIMIT = 60
"""Seconds of CPU for one kernel in one case."""


class OutOfTime(Exception):
    pass


def out_of_time(*_):
    raise OutOfTime("not proved in %d s" % LIMIT)


def task(job):
    """One kernel in one case, in a process of its own."""
    number, kernel, contract, case, instances = job
    gc.disable()
    signal.signal(signal.SIGVTALRM, out_of_time)
    began, errors = time.process_time(), []
    for address, size in instances:
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        try:
            counts = proof.prove_case(PROGRAM, LAYOUT, address, size, HASHES[kernel.hash], contract, case)
        except (Refuted, OutOfTime) as e:
            errors.append((address, str(e)))
        except RecursionError:
            errors.append((address, "terms too deep"))
        else:
            errors.append((address, None))
    return number, kernel, case, errors, time.process_time() - began, counts if not errors[-1][1] else None


def main():
    parser = argparse.ArgumentParser(prog="prove", description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true", help="all numbers of messages, hints and strides")
    parser.add_argument("--only", help="kernels whose name matches, as in the table")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--limit", type=int, default=60, help="seconds of CPU for one kernel in one case")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()

    global PROGRAM, LAYOUT, LIMIT
    LIMIT = options.limit
    sys.setrecursionlimit(1 << 20)
    specification.check()
    PROGRAM, LAYOUT = Program(options.library), kernels.Layout(HERE / "layouts.txt")
    began = time.monotonic()
    rows, jobs = {}, []
    for kernel in kernels.list_kernels(HERE.parent):
        name = kernels.label(kernel)
        if options.only and not re.search(options.only, name):
            continue
        pattern = re.compile(kernel.symbol)
        instances = [(address, size) for symbol, address, size in PROGRAM.symbols if pattern.fullmatch(symbol)]
        row = rows[name] = dict(seconds=0.0, cases=0, errors=[], instances=instances, proved={}, left=0)
        if not instances:
            row["errors"].append("not in %s: no such function" % options.library)
            continue
        try:
            contract, cases = kernels.cases(kernel, options.all)
        except Refuted as e:
            row["errors"].append(str(e))
            continue
        row["left"] = len(cases)
        jobs += [(kernel, contract, case, instances) for case in cases]
    # The longest first, so that none is left over at the end.
    jobs.sort(key=lambda job: (-job[2].get("live", 0), job[0].isa))
    jobs = [(i, *job) for i, job in enumerate(jobs)]
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=1) as pool:
        for _, kernel, case, errors, seconds, counts in pool.imap_unordered(task, jobs):
            name = kernels.label(kernel)
            row = rows[name]
            row["seconds"] += seconds
            row["cases"] += 1
            row["left"] -= 1
            for address, error in errors:
                row["proved"].setdefault(address, []).append((case, error))
            if options.verbose:
                print("   ", name, case, "%.1f s" % seconds, counts, [e for _, e in errors if e], flush=True)
            if not row["left"]:
                tell(name, row, options, kernel)
    for name, row in rows.items():
        if not row["cases"]:
            tell(name, row, options, None)
    bad = [name for name, row in rows.items() if row["errors"] and not (name in OPEN and row["cases"])]
    for name in OPEN:
        if name in rows and not rows[name]["errors"]:
            print("%s is proved, so open.txt should not have it" % name)
            bad.append(name)
    cpu = sum(row["seconds"] for row in rows.values())
    still = [name for name, row in rows.items() if row["errors"] and name not in bad]
    counts = len(rows) - len(bad) - len(still), len(bad), len(still)
    print("%d kernels proved, %d not, and %d open as listed" % counts, end="")
    print(", in %.0f s, %.0f s of CPU" % (time.monotonic() - began, cpu))
    return 1 if bad or not rows else 0


def tell(name, row, options, kernel):
    """The row of a kernel. Functions that share a name may be of two hashes: then each must be proved for one."""
    shared = kernel is not None and kernel.isa == "portable" and kernel.hash.startswith("blake2")
    proved = [a for a, cases in row["proved"].items() if not any(e for _, e in cases)]
    if shared:
        good = len(proved) == 1
    else:
        good = len(proved) == len(row["instances"]) > 0
    if not good and not row["errors"]:
        for address, cases in row["proved"].items():
            for case, error in cases:
                if error:
                    row["errors"].append("%s%s" % (error, " for %s" % case if case else ""))
                    break
    verdict = "proved" if good else "open" if name in OPEN and row["cases"] else "REFUTED"
    print("%-32s %-8s %3d cases %7.1f s" % (name, verdict, row["cases"], row["seconds"]), flush=True)
    for error in row["errors"][:2]:
        print("    " + error, flush=True)


if __name__ == "__main__":
    sys.exit(main())
