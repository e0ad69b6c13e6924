"""The list of kernels, from the sources: what is compiled for an instruction set and not inlined, and its signature.

A kernel that is no function of the library any more is missing from its symbols, and so is a failure. Parts are not in
the list: kernels share them by calls, and a proof of a kernel is of the parts that it calls, too.
"""

import collections
import functools
import pathlib
import re

import contracts
import groups
from elf import Refuted
from hashes import HASHES

Kernel = collections.namedtuple("Kernel", "isa hash name parameters symbol most by_assembly caller")
"""`symbol` is a pattern of its whole name; `most` are the messages at most that the sources give it. `caller` is that of
the method which does nothing but call it, where that may have it inlined: the backend comes before its arguments."""

ISAS = {"x86_64": ("portable", "sse41", "avx", "avx2", "avx512", "sha_x86"), "aarch64": ("portable", "neon", "sha_arm")}

EXTENSIONS = ("sha_x86", "sha_arm")

PART = re.compile(r"rounds[0-9]+(_slow)?")
"""Names of parts, which are free functions."""

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

FUNCTION = re.compile(r"^( *)(?:pub(?:\([^)]*\))? )?fn (\w+)(?:<[^(]*>)?\((.*)$")


def functions(text):
    """The functions that are compiled on their own: indentation, name, attributes, signature, and whole line."""
    attributes = []
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.startswith("#[cfg(test)]"):
            return
        if re.match(r" *#\[", line):
            attributes.append(line.strip())
            continue
        m = FUNCTION.match(line)
        if m:
            signature, j = m[3], i
            while "{" not in signature and j + 1 < len(lines):
                j += 1
                signature += " " + lines[j].strip()
            yield m[1], m[2], attributes, signature
        attributes = []


def parameters(signature):
    """The types of the parameters, without those of no size: tokens."""
    types = re.findall(r"\w+: ((?:[^,<\[(]|<[^>]*>|\[(?:[^\[\]]|\[[^\]]*\])*\])+)", signature.split("{")[0].split(" -> ")[0])
    return tuple(t.strip().rstrip(")").strip() for t in types if t.strip().rstrip(")") not in ("Avx", "Bmi2", "Sha"))


def compiled(root, machine):
    """Kernels and parts: the instruction set, the words of the module's path, the module's text, whether the function is
    a part, its name, its signature, and a pattern of its whole symbol."""
    root = pathlib.Path(root)
    for isa in ISAS[machine]:
        for path in sorted((root / "src/backend" / isa).rglob("*.rs")):
            words = path.relative_to(root / "src/backend").with_suffix("").parts
            text = path.read_text()
            for indent, name, attributes, signature in functions(text):
                if isa == "portable":
                    kernel = "#[inline(never)]" in attributes
                else:
                    kernel = any(a.startswith("#[target_feature(") for a in attributes)
                    kernel = kernel and not any(re.match(r"#\[inline(\(always\))?\]", a) for a in attributes)
                if not kernel:
                    continue
                module = "backend::" + "::".join(words)
                symbol = r"(?:.*<impl .*>::|.*::)?%s(?:::<.*>)?$" % name if indent else "%s(?:::<.*>)?$" % name
                symbol = r"(?:.*\W)?%s::%s" % (re.escape(module), symbol)
                part = not indent and isa != "portable" and bool(PART.fullmatch(name))
                yield isa, words, text, part, name, signature, symbol


def list_kernels(root, machine="x86_64"):
    out = []
    for isa, words, text, part, name, signature, symbol in compiled(root, machine):
        if part:
            continue
        names = [words[1]] if words[1] != "blake2" else ["blake2b", "blake2s"]
        for hash_ in names:
            most = most_messages(text, name)
            by_assembly = bool(re.search(r"fn %s\([^}]*?_in_order!\(" % name, text))
            caller = caller_of(text, name) if isa in BASELINE else None
            out.append(Kernel(isa, hash_, name, parameters(signature), symbol, most, by_assembly, caller))
    return out


@functools.lru_cache(maxsize=None)
def find_parts(program):
    """Addresses and sizes of the functions that kernels may call."""
    found = (symbol for *_, part, _, _, symbol in compiled(ROOT, program.isa) if part)
    return {address: size for symbol in found for address, size in program.find(symbol)}


BASELINE = ("neon",)
"""Instruction sets that all code of their machines may use, so that kernels for them may be inlined."""


def caller_of(text, name):
    """The symbol of the method that has one statement, which calls the kernel with its one argument."""
    for m in re.finditer(r"^impl (\w+)<(\w+)> for On<(\w+)> \{$(.*?)^\}", text, re.M | re.S):
        method = re.search(r"fn (\w+)\(self, (\w+): [^)]*\) \{\s*(?://.*\s*)*unsafe \{ %s\(\2\) \}\s*\}" % name, m[4])
        if method:
            return r"<.*\bOn<.*::%s> as .*::%s<.*::%s>>::%s$" % (m[3], m[1], m[2], method[1])
    return None


def places(program, kernel):
    """Addresses and sizes of the functions that it is, and what its cases have besides: of one that is inlined these are
    its caller's."""
    found = program.find(kernel.symbol)
    if found or not kernel.caller:
        return found, {}
    return program.find(kernel.caller), dict(before=1)


def most_messages(text, name):
    """Lanes that a kernel is given at most: by the arm of its caller, or the number in its name. For one that takes any
    number by groups, a group."""
    found = [int(n) for n in re.findall(r"(?<![\w])(?:\.\.=)?(\d+)(?:, \w+\))? => unsafe \{ %s\(" % name, text)]
    number = re.search(r"[a-z](\d+)(?:_slow)?$", name)
    if found:
        return max(found)
    if number and not re.search(r"_(sse|avx512)$", name):
        return int(number[1])
    return {"streams_sse": 2, "streams_avx512": 4, "whole_sse": 2, "iterate_sse": 2, "streams_by_two": 2,
            "whole_by_two": 2}.get(name, 4)  # fmt: skip


def label(kernel):
    return "%s %s %s" % (kernel.hash, kernel.isa, kernel.name)


ENUMS = {"blake2::Last": ("Not", "Block", "Node"), "sha256::Written": ("Before", "JustNow")}
"""Enums, whose numbers contracts take to count up from 0."""


class Layout:
    """Sizes, offsets and numbers of variants that the test `kernel::layouts` has written down."""

    def __init__(self, path):
        self.known = {}
        for line in pathlib.Path(path).read_text().splitlines():
            name, number = line.rsplit(" ", 1)
            self.known[name] = int(number)
        for kind, variants in ENUMS.items():
            if [self.number(kind, variant) for variant in variants] != list(range(len(variants))):
                raise SystemExit("tools/prove/layouts.txt has other numbers of %s than the contracts take" % kind)

    def get(self, name):
        if name not in self.known:
            raise Refuted("tools/prove/layouts.txt does not have " + name)
        return self.known[name]

    def size(self, kind):
        return self.get(kind)

    def offset(self, kind, field):
        return self.get("%s.%s" % (kind, field))

    def number(self, kind, variant):
        return self.get("%s::%s" % (kind, variant))

    def fields(self, kind):
        return [name[len(kind) + 1 :] for name in self.known if name.startswith(kind + ".")]


def live_numbers(most, all_):
    return sorted({1, most - 1, most} - {0}, reverse=True) if all_ else [most]


def whole_counts(most):
    """Blocks that lie in each message, and blocks that close it, those with the most first: numbers of their own, none,
    equal ones, the first message alone with more, and fewer messages than are side by side."""
    mixed = sorted(((i % 4, 1 + i % 2) for i in range(most)), key=sum, reverse=True)
    counts = [mixed, [(0, 1)] * most, [(2, 2)] * most, [(3, 2), *[(0, 1)] * (most - 1)]]
    return [tuple(c) for c in counts] + [tuple(mixed[-n:]) for n in range(1, most)][:: max(1, (most - 1) // 3)]


def ways_of_whole(most):
    """Few numbers by which more instructions are executed: as many messages as lanes, all of which end at once; three, two
    and one of more blocks than close a message; and one that has no block."""
    counts = [((1, 2),) * most, ((2, 2), (2, 1), (1, 2))[:most], ((1, 2),) * 2, ((1, 2),), ((0, 1),)]
    return list(dict.fromkeys(counts))


def group_counts(most):
    """Blocks of each input before its last, where inputs have numbers of their own."""
    mixed = tuple(i % 3 for i in range(most))
    return [mixed, (0,) * most, mixed[::-1], (3, *(0,) * (most - 1)), *[mixed[: most - 1]] * (most > 1)]


def counts_before_last(kernel):
    """Blocks of each whole message before its last, those with the most first. Where a rotation is two shifts, messages
    of several numbers are not proved."""
    most = kernel.most
    mixed = tuple(sorted((i % 3 for i in range(most)), reverse=True))
    equal = [(1,) * most, (0,) * most, (2,) * most]
    return [mixed, *equal, (3, *(0,) * (most - 1)), mixed[: most - 1]] if kernel.isa == "avx512" else equal


EXECUTED = ("sha512",)
"""Hashes of which runs execute every instruction that a caller can reach without `--all`, too."""


def run(*args, counts=None, **more):
    """The contract of a run, or of one of whole messages."""
    return groups.WholeInLanes(*args, counts=counts, **more) if counts else contracts.Lanes(*args, **more)


def cases(kernel, everything):
    """The contract of a kernel by its signature, and the cases in which it must keep it."""
    hash_, kinds = HASHES[kernel.hash], kernel.parameters
    first = kinds[0] if kinds else ""
    if re.match(r"Run<", first):
        strides = {"blake2b": (1, 4), "blake2s": (1, 8)}.get(kernel.hash, (1,))
        out = []
        for hint in hash_.hints if everything else hash_.hints[:1]:
            # Loops in assembly take two messages, never one.
            for live in live_numbers(kernel.most, everything and not kernel.by_assembly):
                for stride in strides if everything and hint == "Nothing" else (1,):
                    out.append(dict(live=live, stride=stride, hint=hint))
        if kernel.hash in EXECUTED and not everything:
            out.append(dict(live=1, stride=1, hint="Alike"))
        if kernel.hash in ("blake2b", "blake2s") and not kernel.by_assembly:
            counts = counts_before_last(kernel)
            out += [dict(live=len(c), counts=c) for c in counts[: None if everything else 1]]
            out += [dict(live=kernel.most, counts=(0,) * kernel.most, half=True)] * everything
        return run, out
    if re.match(r"&mut Chain(<.*>)?|&mut Chain<F::Word>", first) and len(kinds) in (2, 3):
        # A loop in assembly counts without a carry, so it is left and begun again where one is.
        return contracts.OneMessage, [dict(one_run=True) if kernel.by_assembly else {}]
    if first.startswith("Nodes<"):
        # Streams have code of their own for each number.
        numbers = range(1, kernel.most + 1) if kernel.isa in EXTENSIONS else live_numbers(kernel.most, everything)
        if kernel.name == "nodes_avx512":  # by four, and then three: it is not given two, or one
            numbers = (3, 4, 7)
        return groups.Nodes, [dict(live=live) for live in numbers]
    if kinds[:3] == ("&[u32; 8]", "&[u8; 64]", "&mut [u8; 32]"):
        return groups.Node, [dict(may_be_twice=len(kinds) == 4)]
    if kinds == ("&mut [Iteration]", "u32"):
        # Streams have code of their own for each number: a group, fewer, and both.
        numbers = range(1, kernel.most + 2)
        return groups.Iterate, [dict(live=live, count=count) for live in numbers for count in (0, 1, 2)]
    if first.startswith("Whole<"):
        counts = whole_counts(kernel.most)
        if kernel.isa not in EXTENSIONS:
            counts = list(dict.fromkeys((counts if everything else counts[:1]) + ways_of_whole(kernel.most)))
        # No caller gives a message without a slice of blocks. Kernels ask, so that is proved too.
        return groups.Whole, [dict(counts=c) for c in [*counts, ((None, 1),) * kernel.most]]
    if first.startswith("Group<"):
        out = [dict(live=live) for live in live_numbers(kernel.most, everything)]
        if everything and kernel.isa == "neon":  # on x86-64 they take psrlw, of which there is no model
            out += [dict(live=len(counts), counts=counts) for counts in group_counts(kernel.most)]
        return groups.Group, out
    to = kinds[-1] if kinds else ""
    if re.match(r"&mut \[+u8; 64\]", to):
        in_registers = len(kinds) > 2
        if in_registers:
            numbers = (2,) if to.endswith("; 2]") else (1,)
        else:
            most = kernel.most
            numbers = (1, 2, most - 1, most, most + 1, 2 * most + 1) if everything else (2, most, most + 1)
            if kernel.name == "output_few":  # it is given two at least, and no more than fit its rows
                numbers = (2, 3, most)
        return groups.Output, [dict(number=n, in_registers=in_registers) for n in numbers]
    if first.startswith("SingleBlock<") or kinds == ("&[u32; 8]", "&[u8; 64]", "u64", "u8", "u8"):
        return groups.OneBlock, [dict(in_registers=len(kinds) > 1)]
    raise Refuted("no contract for fn(%s)" % ", ".join(kinds))
