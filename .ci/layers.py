#!/usr/bin/env python3
"""Reads what every file of the library, of bt2sum, of the pool, of the store, of the SQL functions and of compat-check
imports, and fails where arrows form a circle or, in `src`, go up.

.ci/layers.py [ROOT]

An arrow goes from the file that names something to the file that defines it, however many re-exports are between.
`mod x;` is no arrow, nor is a re-export that the file itself does not use. Tests may look anywhere.
"""

import re
import sys
from pathlib import Path

# From top to bottom. The other files of `src` belong to a hash, and stand above; `lib` is the roof.
FLOORS = [["traits", "hash"], ["error", "output", "reader"], ["lanes"], ["stream"], ["buffer"], ["backend"], ["kernel"]]

TOKEN = re.compile(
    r"""(?P<skip> //[^\n]* | /\*.*?\*/ | \s+ | b?r(?P<hashes>\#*)".*?"(?P=hashes) | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\[^']*'|[^\\']') | '\w+ ) | (?P<token> \$?\w+ | :: | . )""",
    re.DOTALL | re.VERBOSE,
)
DECLARES = {"fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules", "let"}
PAIRS = {"(": ")", "[": "]", "{": "}"}


class Module:
    """A file, or a module within one. `names` are its modules, and what it imports."""

    def __init__(self, file, parent=None):
        self.file, self.parent = file, parent
        self.root = parent.root if parent else self
        self.names, self.paths = {}, []

    def resolve(self, path, seen=()):
        """The module that defines what a path names, or None for other crates."""
        here, first = self, True
        for name in path:
            if name in ("crate", "$crate"):
                here = here.root
            elif name == "super":
                here = here.parent
            elif name != "self":
                found = here.names.get(name)
                if isinstance(found, tuple):
                    if (here, name) in seen:
                        return None
                    found = here.resolve(found, (*seen, (here, name)))
                    if found is None:
                        return None
                if found is None:
                    return None if first else here  # an item, or nothing of this crate
                here = found
            first = False
        return here


class Reader:
    """Finds the modules, imports and paths of one file."""

    def __init__(self, text):
        self.tokens, self.lines, self.at = [], [], 0
        line = 1
        for match in TOKEN.finditer(text):
            if match["token"]:
                self.tokens.append(match["token"])
                self.lines.append(line)
            line += match[0].count("\n")
        self.tokens += ["", ""]

    def group(self):
        """Skips from an opening bracket to the one that closes it."""
        opening, depth, began = self.tokens[self.at], 0, self.at
        while True:
            depth += {opening: 1, PAIRS[opening]: -1}.get(self.tokens[self.at], 0)
            self.at += 1
            if depth == 0 or self.at >= len(self.lines):
                return self.tokens[began : self.at]

    def item(self):
        """Skips an item."""
        while self.tokens[self.at] not in (";", ""):
            if self.tokens[self.at] == "{":
                self.group()
                return
            if self.tokens[self.at] in PAIRS:
                self.group()
            else:
                self.at += 1
        self.at += 1

    def tree(self, prefix=()):
        """The paths that a `use` imports, each with its name here."""
        while True:
            token = self.tokens[self.at]
            self.at += 1
            if token == "{":
                while self.tokens[self.at] != "}":
                    yield from self.tree(prefix)
                    self.at += self.tokens[self.at] == ","
                self.at += 1
                return
            if token == "::":
                continue
            prefix = prefix if token in ("*", "self") and prefix else (*prefix, token)
            if self.tokens[self.at] != "::":
                break
        name = prefix[-1] if token != "*" else None
        if self.tokens[self.at] == "as":
            name = self.tokens[self.at + 1]
            self.at += 2
        yield prefix, name

    def read(self, module, directory, public=False):
        """A module up to its end. Paths are kept with their line, and whether they are but a re-export."""
        while self.at < len(self.lines) and self.tokens[self.at] != "}":
            token, line = self.tokens[self.at], self.lines[self.at]
            previous = self.tokens[self.at - 1] if self.at else ""
            if token == "#" and self.tokens[self.at + 1] in ("[", "!"):
                self.at += 1 + (self.tokens[self.at + 1] == "!")
                attribute = self.group() if self.tokens[self.at] == "[" else []
                if attribute[1:2] == ["cfg"] and "test" in attribute and "not" not in attribute:
                    self.item()
            elif token == "pub":
                self.at += 1
                if self.tokens[self.at] == "(":
                    self.group()
                public = True
                continue
            elif token == "use":
                self.at += 1
                for path, name in list(self.tree()):
                    if name and path != (name,):
                        module.names[name] = path
                    module.paths.append((path, line, public))
            elif token == "mod" and self.tokens[self.at + 2] == ";":
                name = self.tokens[self.at + 1]
                module.names[name] = load(directory / f"{name}.rs", module)
                self.at += 3
            elif token == "mod" and self.tokens[self.at + 2] == "{":
                inner = module.names[self.tokens[self.at + 1]] = Module(module.file, module)
                self.at += 3
                self.read(inner, directory / self.tokens[self.at - 2])
                self.modules.append(inner)
                self.at += 1
            elif token == "{":
                self.at += 1
                self.read(module, directory)
                self.at += 1
            elif re.match(r"\$?[A-Za-z_]", token) and previous not in ("::", ".", *DECLARES):
                path = [token]
                self.at += 1
                while self.tokens[self.at] == "::" and re.match(r"\w", self.tokens[self.at + 1]):
                    path.append(self.tokens[self.at + 1])
                    self.at += 2
                module.paths.append((tuple(path), line, None))
            else:
                self.at += 1
            public = False


FILES = {}  # every file's modules


def load(file, parent=None):
    module = Module(file, parent)
    reader = Reader(file.read_text())
    reader.modules = [module]
    reader.read(module, file.parent if parent is None else file.with_suffix(""))
    FILES[file] = reader.modules
    return module


def arrows(file):
    """The files that a file leads to, each with the line and the path of the first arrow."""
    found = {}
    for module in FILES[file]:
        for path, line, public in module.paths:
            if public or (public is None and len(path) == 1 and not isinstance(module.names.get(path[0]), tuple)):
                continue  # a re-export; or a plain name that was not imported
            target = module.resolve(path)
            if target and target.file != file:
                found.setdefault(target.file, (line, "::".join(path)))
    return found


def circles(graph):
    """The shortest circle through each file that is in one, but one for each set of files."""
    seen = set()
    for start in graph:
        ways = [[start]]
        reached = set()
        while ways:
            way = ways.pop(0)
            for target in graph[way[-1]]:
                if target == start and not seen.issuperset(way):
                    seen.update(way)
                    yield [*way, start]
                    ways = []
                    break
                if target not in reached:
                    reached.add(target)
                    ways.append([*way, target])


def main():
    top = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    source = top / "src"
    load(source / "lib.rs")
    load(top / "crates/bt2sum/src/lib.rs")
    load(top / "crates/compat/check/src/main.rs")
    load(top / "crates/pool/src/lib.rs")
    load(top / "crates/datafusion/src/lib.rs")
    load(top / "crates/store/src/lib.rs")
    graph = {file: arrows(file) for file in sorted(FILES)}
    hashes = {cell.stem for cell in source.glob("backend/*/*.rs")}
    broken = False

    def complain(complaint, *way):
        nonlocal broken
        broken = True
        print(complaint)
        for file, target in zip(way, way[1:]):
            line, path = graph[file][target]
            print(f"    {file.relative_to(top)}:{line} -> {target.relative_to(top)}: {path}")

    def floor(file):
        room = file.relative_to(source).with_suffix("").parts[0]
        return 0 if room == "lib" else next((i for i, rooms in enumerate(FLOORS, 2) if room in rooms), 1)

    for circle in circles(graph):
        complain("a circle:", *circle)
    for file, target in [(file, target) for file in graph for target in graph[file] if source in file.parents]:
        if floor(target) < floor(file):
            complain("an arrow up:", file, target)
        # Cells, and the files of a kernel, are named after their hash. `dispatch.rs` asks for all of them.
        elif file.parent.name != "backend" or file.stem == "dispatch":
            continue
        elif hashes.intersection(target.relative_to(source).with_suffix("").parts):
            complain("an instruction set that knows a hash:", file, target)
    if not broken:
        print(f"{len(graph)} files, {sum(map(len, graph.values()))} arrows: no circle, none goes up")
    return broken


sys.exit(main())
