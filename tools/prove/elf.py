"""The code: symbols, constants and disassembly of an ELF file, read by binutils and here."""

import os
import re
import shutil
import struct
import subprocess
import tempfile


class Refuted(Exception):
    """The code may do something else than it should, or the prover cannot tell."""


class Differs(Refuted):
    """For one input, as far as the path knows, it gives another number than it should."""


class NotModelled(Refuted):
    """The code has an instruction of which there is no model."""


ISAS = {62: "x86_64", 183: "aarch64"}
"""Instruction sets by their number in an ELF file."""
TOOLS = {"x86_64": "x86_64-linux-gnu-", "aarch64": "aarch64-linux-gnu-"}
"""The prefix of the names of the programs of binutils for an instruction set that is not the machine's own."""


class Program:
    """An ELF file that has its symbols: a library, which is linked to resolve its constants, or a linked program."""

    def __init__(self, path):
        self.scratch = None
        self.isa = isa_of(path)
        if path.endswith((".rlib", ".a", ".o")):
            self.scratch = tempfile.TemporaryDirectory()
            linked = os.path.join(self.scratch.name, "linked")
            options = ["--unresolved-symbols=ignore-all", "--no-relax", "--no-warnings", "-e", "0", "--whole-archive"]
            run = self.run("ld", *options, path, "-o", linked)
            if run.returncode:
                raise SystemExit("ld cannot link %s:\n%s" % (path, run.stderr))
            path = linked
        self.path = path
        with open(path, "rb") as file:
            self.blob = file.read()
        (at,) = struct.unpack_from("<Q", self.blob, 0x28)
        size, count = struct.unpack_from("<HH", self.blob, 0x3A)
        self.sections = []
        for i in range(count):
            _, kind, flags, address, offset, length = struct.unpack_from("<IIQQQQ", self.blob, at + i * size)
            if kind == 1 and flags & 2:
                self.sections.append((address, offset, length, bool(flags & 1)))
        found = re.search(rb"rustc version (\d+\.\d+\.\d+ \(\w+ [\d-]+\))", self.blob)
        self.compiler = found[1].decode() if found else "unknown"
        self.symbols = []
        """Name, address and size of every function; generic ones share a name."""
        for line in self.run("nm", "-C", "-S", path).stdout.splitlines():
            m = re.match(r"([0-9a-f]+) ([0-9a-f]+) [tTwW] (.*)", line)
            if m:
                self.symbols.append((re.sub(r"::h[0-9a-f]{16}$", "", m[3]), int(m[1], 16), int(m[2], 16)))

    def find(self, pattern):
        """Addresses and sizes of the functions whose whole name matches."""
        pattern = re.compile(pattern)
        return [(address, size) for name, address, size in self.symbols if pattern.fullmatch(name)]

    def constant(self, address, n):
        """Bytes that no code can write."""
        for start, offset, length, writable in self.sections:
            if start <= address and address + n <= start + length and not writable:
                return list(self.blob[offset + address - start : offset + address - start + n])
        raise Refuted("reads %d bytes at %#x, which is no constant" % (n, address))

    def run(self, tool, *options):
        """A program of binutils, of those for the instruction set of the file."""
        name = TOOLS[self.isa] + tool
        return subprocess.run([name if shutil.which(name) else tool, *options], capture_output=True, text=True)

    def disassembly(self, address, size, *options):
        """The lines that objdump prints of a function."""
        places = "--start-address=%d" % address, "--stop-address=%d" % (address + size)
        return self.run("objdump", "-d", *options, *places, self.path).stdout.splitlines()


def isa_of(path):
    """The instruction set of an ELF file, or of the first one in an archive."""
    with open(path, "rb") as file:
        blob = file.read()
    at = blob.find(b"\x7fELF\x02\x01") if blob[:4] != b"\x7fELF" else 0
    number = struct.unpack_from("<H", blob, at + 0x12)[0] if blob[at : at + 6] == b"\x7fELF\x02\x01" else None
    if number not in ISAS:
        raise SystemExit(path + ": no ELF file of x86-64 or AArch64")
    return ISAS[number]
