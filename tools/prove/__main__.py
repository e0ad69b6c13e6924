"""Proves that the machine code of the kernels computes what the standards say, and prints a table.

    python3 prove LIBRARY [--all] [--only REGEX] [--jobs N] [--verbose]

LIBRARY is the release .rlib, or any ELF file that has the symbols of the kernels. Every kernel of the sources must be in
it. --all: fewer messages than lanes, every hint and stride that callers use, too. README.md beside this file says what a
proof means.
"""

import argparse
import gc
import multiprocessing
import pathlib
import re
import resource
import signal
import sys
import time

import coverage
import kernels
import proof
import specification
import terms
from elf import NotModelled, Program, Refuted
from hashes import HASHES

HERE = pathlib.Path(__file__).resolve().parent


def lines_of(path):
    """Kernels and what is said of them, one a line."""
    return dict(line.split(": ", 1) for line in path.read_text().splitlines() if line[:1] != "#")


OPEN = lines_of(HERE / "open.txt")
"""Kernels that are not proved yet, each with the reason."""
PARTLY = {"x86_64": lines_of(HERE / "x86" / "partly.txt")}
"""Kernels with instructions that no case executes, each with the number of them at most."""
COMPILERS = {"x86_64": ".ci/instructions.txt", "aarch64": "tools/prove/aarch64/compiler.txt"}
"""Files that name those of which an instruction without a model is an error."""
LIMIT = 60
"""Seconds of CPU for one kernel in one case."""
LIMIT_OF_OPEN = 20
"""Seconds of CPU for a kernel that is known not to be proved."""
MEMORY = 6 << 30
"""Bytes for one kernel in one case. Without a limit the system ends the process, and nobody hears of it."""


class OutOfTime(Exception):
    pass


def out_of_time(*_):
    raise OutOfTime("not proved within the time")


def task(job):
    """One kernel in one case, in a process of its own. Answers by address: None, or the reason why it is not proved; and
    what `prove_case` tells, or None."""
    number, kernel, contract, case, instances = job
    gc.disable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    limit = min(LIMIT, LIMIT_OF_OPEN) if kernels.label(kernel) in OPEN else LIMIT
    signal.signal(signal.SIGVTALRM, out_of_time)
    began, answers = time.process_time(), []
    for address, size in instances:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        try:
            told = proof.prove_case(PROGRAM, LAYOUT, address, size, HASHES[kernel.hash], contract, case)
        except (Refuted, OutOfTime) as e:
            answers.append((address, (str(e), isinstance(e, NotModelled)), None))
        except RecursionError:
            answers.append((address, ("terms too deep", False), None))
        except MemoryError:
            terms.forget_all()
            answers.append((address, ("not proved in %d GiB" % (MEMORY >> 30), False), None))
        else:
            answers.append((address, None, told))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return number, answers, time.process_time() - began


class Row:
    """A kernel in the table."""

    def __init__(self, kernel, program, everything):
        self.kernel, self.name = kernel, kernels.label(kernel)
        self.instances, more = kernels.places(program, kernel)
        self.seconds, self.done, self.answers, self.cases, self.error, self.where = 0.0, 0, [], [], None, ""
        self.instructions, self.missed = {}, {}
        if not self.instances:
            self.error = "no such function in the library"
            return
        try:
            self.contract, self.cases = kernels.cases(kernel, everything)
            self.cases = [{**case, **more} for case in self.cases]
            self.where = "  inlined into its caller" if more else ""
        except Refuted as e:
            self.error = str(e)

    def add(self, case, seconds, answers):
        """Adds the results of a case."""
        self.seconds += seconds
        self.done += 1
        for address, error, told in answers:
            self.answers.append((case, address, error))
            if told:
                self.instructions[address], missed = told
                self.missed[address] = self.missed.get(address, missed) & missed

    def not_executed(self):
        """Addresses of the instructions that no case executed, of the functions that are proved, and how many they have."""
        failed = {address for _, address, error in self.answers if error}
        proved = [address for address in self.missed if address not in failed]
        return sorted(ip for address in proved for ip in self.missed[address]), sum(self.instructions[a] for a in proved)

    def verdict_on_instructions(self, everything):
        """Why the instructions that were executed do not do, or None. `everything` executes more than partly.txt tells."""
        missed, number = self.not_executed()
        return coverage.complaint(missed, number, int(PARTLY[PROGRAM.isa].get(self.name, "0")), everything)

    def verdict(self, pinned):
        """`proved`, `open`, `NOTE` or `REFUTED`, and the reasons. Functions that share a name may be of two hashes: then
        one of them must be proved for each."""
        failed = {address for _, address, error in self.answers if error}
        proved = [address for address, _ in self.instances if address not in failed]
        wanted = 1 if self.kernel.isa == "portable" and self.kernel.hash.startswith("blake2") else len(self.instances)
        if self.error is None and len(proved) == wanted:
            return ("proved", []) if self.name not in OPEN else ("REFUTED", ["it is proved, so tools/prove/open.txt should not have it"])
        reasons = [self.error] if self.error else []
        reasons += ["%s%s" % (e[0], " for %s" % told(case) if case else "") for case, _, e in self.answers if e]
        if not self.instances:
            return "REFUTED", reasons
        if self.name in OPEN:
            return "open", ["NOTE: " + OPEN[self.name], *reasons[:1]]
        if not pinned and self.answers and all(e is None or e[1] for _, _, e in self.answers):
            return "NOTE", ["NOTE: of another compiler than %s names" % COMPILERS[PROGRAM.isa], *reasons[:1]]
        return "REFUTED", reasons[:2]


def told(case):
    return ", ".join("%s %s" % pair for pair in case.items() if pair[0] != "before")


def main():
    parser = argparse.ArgumentParser(prog="prove", description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true", help="all numbers of messages, hints and strides")
    parser.add_argument("--only", help="kernels whose name matches, as in the table")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--limit", type=int, default=60, help="seconds of CPU for one kernel in one case")
    parser.add_argument("--verbose", action="store_true", help="each case as it ends")
    options = parser.parse_args()

    global PROGRAM, LAYOUT, LIMIT
    LIMIT = options.limit
    sys.setrecursionlimit(1 << 20)
    specification.check()
    PROGRAM, LAYOUT = Program(options.library), kernels.Layout(HERE / "layouts.txt")
    pinned = PROGRAM.compiler in (HERE.parent.parent / COMPILERS[PROGRAM.isa]).read_text()
    began = time.monotonic()
    listed = kernels.list_kernels(HERE.parent.parent, PROGRAM.isa)
    unknown = {*OPEN, *PARTLY.get(PROGRAM.isa, ())} - {kernels.label(k) for k in listed}
    if unknown:
        print("open.txt or partly.txt has what is no kernel: " + ", ".join(sorted(unknown)))
    rows = [Row(k, PROGRAM, options.all) for k in listed if not options.only or re.search(options.only, kernels.label(k))]
    jobs = [(i, r.kernel, r.contract, case, r.instances) for i, r in enumerate(rows) if not r.error for case in r.cases]
    # The longest first, so that none is left over at the end.
    jobs.sort(key=lambda job: (-job[3].get("live", 0), job[1].isa))
    count = {"proved": 0, "open": 0, "NOTE": 0, "REFUTED": 0}

    def tell(row):
        verdict, reasons = row.verdict(pinned)
        missed, number = row.not_executed()
        # For a linked program, another compiler, or a machine without a list, what is missed is told.
        listed = pinned and PROGRAM.scratch and PROGRAM.isa in PARTLY
        lacks = row.verdict_on_instructions(options.all) if verdict == "proved" and listed else None
        if lacks:
            verdict, reasons = "REFUTED", [lacks]
        lack = "  %d of %d instructions not executed" % (len(missed), number) if missed else ""
        count[verdict] += 1
        print("%-36s %-8s %3d cases %7.1f s%s%s" % (row.name, verdict, row.done, row.seconds, row.where, lack))
        for reason in reasons:
            print("    " + reason, flush=True)

    for row in rows:
        if row.error:
            tell(row)
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=1) as pool:
        todo = [(n, *job[1:]) for n, job in enumerate(jobs)]
        for n, answers, seconds in pool.imap_unordered(task, todo):
            row, case = rows[jobs[n][0]], jobs[n][3]
            row.add(case, seconds, answers)
            if options.verbose:
                print("   ", row.name, told(case), "%.1f s" % seconds, "refuted" if any(e for _, e, _ in answers) else "", flush=True)
            if row.done == len(row.cases):
                tell(row)
    print("%d kernels proved, %d open as listed, %d not proved for an instruction that is not modelled, %d refuted" % tuple(count.values()))
    found = [row.not_executed() for row in rows]
    sums = sum(len(missed) for missed, _ in found), sum(number for _, number in found)
    print("%d of %d instructions executed in no case, without those that end in a panic" % sums)
    cpu = sum(row.seconds for row in rows)
    print("of rustc %s, in %.0f s, %.0f s of CPU" % (PROGRAM.compiler, time.monotonic() - began, cpu))
    return 1 if count["REFUTED"] or unknown or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
