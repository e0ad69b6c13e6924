#!/usr/bin/env python3
"""Fails where a function that takes or returns vectors may stay a function of its own in a kernel.

.ci/vectors.py [ROOT]

A vector function that is not inlined passes its vectors through memory, and a proof finds a call. Whether LLVM
inlines a function that is only marked `#[inline]` depends on the compiler: Rust 1.89 left one alone that later ones
inline. So a vector function in `src/backend` and `src/kernel` has `#[inline(always)]`. The compiler refuses that
beside `#[target_feature]`. There it is `#[inline]`, and small: with all vector functions that it calls it has at most
OPERATIONS operations, or its one caller is a kernel, or another such function. A part that kernels share is meant to be
called: a function that is named `rounds` and a number of lanes, with `#[inline(never)]`, and takes vectors by reference.
"""

import re
import sys
from pathlib import Path

# Rust 1.89 left a function of 88 alone.
OPERATIONS = 40
# As many vector functions there must be at least, so that a pattern that finds none is noticed.
LEAST = 150
PART = re.compile(r"rounds\d+$")

VECTOR = r"__m(?:128|256|512)i?|v128|u?int(?:8|16|32|64)x\d+(?:x\d+)?_t|U(?:32|64)x\d+|\bV\b|\$(?:register|Vector)"
# Blocks whose functions all have to do with vectors, by `self` too.
IMPL = re.compile(r"\bimpl\b[^{};]*\bfor (?:U(?:32|64)x\d+|\$Vector)[^{};]*(?=\{)")
HEAD = re.compile(r"^[ \t]*((?:#\[[^\n]*?\] )*)(?:pub(?:\([^)]*\))? )?(?:const )?(?:unsafe )?fn (\w+)", re.MULTILINE)


def signature(text, start):
    """The text up to the body, or None if there is no body."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] in "([":
            depth += 1
        elif text[i] in ")]":
            depth -= 1
        elif depth == 0 and text[i] in "{;":
            return (text[start:i], i) if text[i] == "{" else None
    return None


def body(text, start):
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[start:i + 1]
    return text[start:]


def attributes(text, start):
    """The lines of attributes right above."""
    lines = []
    for line in reversed(text[:start].rstrip("\n").split("\n")):
        if not re.match(r"\s*(#\[|\$\(#\[|///?)", line):
            break
        lines.append(line)
    return "\n".join(lines)


class Function:
    def __init__(self, path, line, name, marks, code, has_vectors):
        self.place, self.name, self.marks = f"{path}:{line}: {name}", name, marks
        self.has_vectors = has_vectors
        self.is_forced = "#[inline(always)]" in marks
        self.has_features = "target_feature" in marks
        self.is_hinted = "#[inline]" in marks
        # Methods, of a type or a value, are operations: traits' functions are forced.
        calls = re.findall(r"(?<!fn )(?<![\w$.])(?:([\w$]+)::)?([\w$]+)(?:::<[^;(]*?>)?\(", code)
        closures = re.findall(r"\blet (\w+) = (?:move )?\|", code)
        is_type = re.compile(r"[A-Z$]|u\d+$").match
        self.calls = [name for path, name in calls if not is_type(path) and name not in closures]
        # A load looks whether there are as many bytes.
        self.operations = 4 * len(re.findall(r"[A-Z]\w*::load\(", code)) + len(re.findall(r"\.(?:add|xor|ror)\(", code))


def functions(root):
    for path in sorted([*(root / "src/backend").rglob("*.rs"), *(root / "src/kernel").rglob("*.rs")]):
        name = str(path.relative_to(root))
        if "tests" in name or "generated" in name:
            continue
        text = path.read_text().split("#[cfg(test)]\nmod ")[0]
        text = re.sub(r'//[^\n]*|"(?:\\.|[^"\\])*"', lambda m: '""' if m[0][0] == '"' else "", text)
        blocks = [(block.end(), block.end() + len(body(text, block.end()))) for block in IMPL.finditer(text)]
        for head in HEAD.finditer(text):
            found = signature(text, head.end())
            of_vector = any(begin < head.start() < end for begin, end in blocks)
            if not found:
                continue
            has_vectors = of_vector or bool(re.search(VECTOR, found[0]))
            marks = attributes(text, head.start()) + head[1]
            line = text[:head.start()].count("\n") + 1
            yield Function(name, line, head[2], marks, body(text, found[1]), has_vectors)


def size(function, by_name, seen=()):
    """Its operations, those of called vector functions included. Functions of one name: the largest."""
    number = function.operations
    for call in function.calls:
        others = [other for other in by_name.get(call, []) if other.name not in seen]
        if others:
            number += max(size(other, by_name, (*seen, function.name)) for other in others)
        elif re.match(r"_mm|v[a-z]+\d?q?_|[uiv](8|16|32|64|128)x?|\$", call):
            number += 1
    return number


def main():
    all_functions = list(functions(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    found = [function for function in all_functions if function.has_vectors]
    by_name = {}
    for function in found:
        by_name.setdefault(function.name, []).append(function)
    faults, largest = [], 0
    for function in found:
        if function.is_forced:
            continue
        if not function.has_features:
            faults.append(f"{function.place} takes or returns vectors, without #[inline(always)]")
            continue
        if PART.match(function.name) and "#[inline(never)]" in function.marks:
            continue
        if not function.is_hinted:
            faults.append(f"{function.place} takes or returns vectors, without #[inline]")
            continue
        own = size(function, by_name)
        # One call in a function that is forced is many: that of each of its callers.
        callers = [other for other in all_functions for call in other.calls if call == function.name]
        is_alone = len(callers) == 1 and not callers[0].is_forced
        if own > OPERATIONS and not is_alone:
            faults.append(f"{function.place} has {own} operations, and more than one caller: LLVM may leave it alone")
        if not is_alone:
            largest = max(largest, own)
    for fault in faults:
        print(fault)
    print(f"{len(found)} vector functions; the largest that is neither forced nor called once has {largest} operations")
    if len(found) < LEAST:
        faults.append("too few")
        print(f"there must be {LEAST} at least")
    sys.exit(bool(faults))


main()
