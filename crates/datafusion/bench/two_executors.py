#!/usr/bin/env python3
"""One executor of Ballista against two, each with one task slot: seconds of a query that hashes rows of 1 KiB.

two_executors.py [ROWS [PROFILE]]      first, in the folder above: cargo build --release -p simd-digest-datafusion-cluster

The runs take turns, each with new processes and five queries; the least counts. The CPU seconds are those of the last
run of a kind, from start to end, with the check at the start.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

TURNS = 3
FILES = 16


def main():
    rows = sys.argv[1] if len(sys.argv) > 1 else "2000000"
    profile = sys.argv[2] if len(sys.argv) > 2 else "release"
    root = pathlib.Path(__file__).resolve().parent.parent
    programs = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target")) / profile

    def start(name, *arguments):
        return subprocess.Popen([programs / f"ballista-{name}", *arguments], stdout=subprocess.PIPE, text=True)

    def cpu(process):
        """Waits for the process to end."""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        return usage.ru_utime + usage.ru_stime

    def run(executors, folder):
        scheduler = start("scheduler", "--port", "0")
        others = []
        try:
            address = scheduler.stdout.readline().split()[1]
            others = [start("executor", "--scheduler", address, "--slots", "1") for _ in range(executors)]
            client = start("client", "--scheduler", address, "--executors", str(executors), "--folder", folder,
                           "--rows", rows, "--files", str(FILES), "--measure", "1024")
            seconds = [float(figure) for figure in re.findall(r"^([0-9.]+) s$", client.stdout.read(), re.MULTILINE)]
            if len(seconds) != 5:
                sys.exit("the client has failed")
            used = {"client": cpu(client)}
            for executor in others:
                executor.send_signal(signal.SIGTERM)
            used["executors"] = sum(map(cpu, others))
            scheduler.send_signal(signal.SIGTERM)
            used["scheduler"] = cpu(scheduler)
            return min(seconds), used
        finally:
            for process in [*others, scheduler]:
                if process.returncode is None:
                    process.kill()

    with tempfile.TemporaryDirectory(prefix="two-executors-") as folder:
        run(1, folder)  # makes the table, and reads it into memory
        least, used = {1: float("inf"), 2: float("inf")}, {}
        for _ in range(TURNS):
            for executors in least:
                seconds, used[executors] = run(executors, folder)
                least[executors] = min(least[executors], seconds)
    for executors, seconds in least.items():
        figures = ", ".join(f"{name} {figure:.2f}" for name, figure in used[executors].items())
        print(f"{executors} executors: {seconds:.3f} s; CPU seconds: {figures}")
    print(f"two are {least[1] / least[2]:.2f} times as fast as one")


main()
