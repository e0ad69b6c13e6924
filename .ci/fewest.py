#!/usr/bin/env python3
"""Chooses inputs for the fuzz targets by the edges that they reach.

.ci/fewest.py NUMBER FILE…: each file is named TARGET.edges, and is a `-merge_control_file` that the target wrote with
`-set_cover_merge=1 -use_counters=0`. Prints at most so many inputs in all, a target and a path on each line. Standard
error has how many of the edges of each target they reach.

Each next input is the one that adds the greatest share of its target's edges. Between equals, the shortest is taken.
"""

import sys
from pathlib import Path


def edges_of(file):
    """The edges of each input in a control file: two numbers, the first of paths, the paths, and their edges."""
    lines = file.read_text().splitlines()
    count = int(lines[0])
    paths = lines[2:2 + count]
    edges = {path: set() for path in paths}
    for line in lines[2 + count:]:
        kind, number, *features = line.split()
        if kind == "FT":
            edges[paths[int(number)]].update(map(int, features))
    return edges


most = int(sys.argv[1])
inputs = {}  # (target, path): the edges that the chosen inputs do not reach
total = {}
for name in sys.argv[2:]:
    target = Path(name).stem
    edges = edges_of(Path(name))
    total[target] = len(set().union(*edges.values()))
    if not total[target]:
        sys.exit(f"{name} has no edges")
    inputs |= {(target, path): reached for path, reached in edges.items()}

size = {one: Path(one[1]).stat().st_size for one in inputs}
chosen = []
while len(chosen) < most:
    best = min(inputs, key=lambda one: (-len(inputs[one]) / total[one[0]], size[one], one))
    reached = inputs.pop(best)
    if not reached:
        break
    chosen.append(best)
    for other, left in inputs.items():
        if other[0] == best[0]:
            inputs[other] = left - reached
    if not inputs:
        break

for target, all_edges in total.items():
    left = set().union(*(left for (of, _), left in inputs.items() if of == target))
    number = sum(of == target for of, _ in chosen)
    print(f"{target}: {number} inputs reach {all_edges - len(left)} of {all_edges} edges", file=sys.stderr)
for target, path in chosen:
    print(target, path, sep="\t")
