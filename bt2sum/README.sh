#!/usr/bin/env bash
# Makes the transcript of an audit that bt2sum/README.md has, and the picture of it, docs/audit.svg.
#
#   bt2sum/README.sh PROGRAM            prints the transcript
#   bt2sum/README.sh PROGRAM --update   writes both files
set -euo pipefail

program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
cd "$scratch"
export LC_ALL=C
bt2sum() { "$program" "$@"; }

# Ten files, old, and always the same.
mkdir -p photos/2019
for i in 0 1 2 3 4 5 6 7 8 9; do
    yes "photo $i" 2>&- | head -c $((3000000 + i)) > photos/2019/$i.raw || true
    touch -d 2019-05-06T07:08:09Z photos/2019/$i.raw
done

# Prints a command and its output.
shell() {
    echo "\$ $1"
    eval "$1" || true
}

transcript() {
    shell 'bt2sum -r --store photos.store -t 64k photos'
    shell 'echo "a caption" >> photos/2019/3.raw                # an edit'
    touch -d 2024-02-03T04:05:06Z photos/2019/3.raw # the root has this time
    shell 'mv photos/2019/5.raw photos/best.raw'
    printf x | dd of=photos/2019/7.raw bs=1 seek=2000000 conv=notrunc status=none
    touch -d 2019-05-06T07:08:09Z photos/2019/7.raw
    echo '$ # … and a byte of 7.raw rots on the disk: its time stays'
    shell 'bt2sum --audit --store photos.store photos; echo "status $?"'
    shell 'bt2sum --update --store photos.store photos > report; tail -n 1 report'
    shell 'bt2sum --audit --store photos.store photos'
}

text=$(transcript 2>&1)
if [ "${2-}" != --update ]; then
    echo "$text"
    exit
fi
TEXT=$text ROOT=$root python3 - << 'PYTHON'
import html, os, re

text, root = os.environ["TEXT"], os.environ["ROOT"]
path = root + "/bt2sum/README.md"
readme = open(path).read()
begin = readme.index("```console\n", readme.index("<!-- bt2sum/README.sh")) + len("```console\n")
readme = readme[:begin] + text + readme[readme.index("\n```", begin):]
open(path, "w").write(readme)

COLORS = [(r": rotted$|: FAILED$", "#f85149"), (r": changed$", "#d29922"), (r": moved .*$", "#58a6ff")]
lines = [line if len(line) <= 92 else line[:91] + "…" for line in text.split("\n")]
height = 18 * len(lines) + 52
svg = [
    f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{height}" viewBox="0 0 800 {height}">',
    f'<rect width="800" height="{height}" rx="8" fill="#0d1117"/>',
    *(f'<circle cx="{x}" cy="16" r="5" fill="{color}"/>' for x, color in ((18, "#f85149"), (36, "#d29922"), (54, "#3fb950"))),
    '<g font-family="monospace" font-size="13.5" fill="#c9d1d9" xml:space="preserve">',
]
for i, line in enumerate(lines):
    color = next((color for pattern, color in COLORS if re.search(pattern, line)), None)
    color = color or ("#ffffff" if line.startswith("$") else None)
    fill = f' fill="{color}"' if color else ""
    svg.append(f'<text x="16" y="{48 + 18 * i}"{fill}>{html.escape(line)}</text>')
open(root + "/docs/audit.svg", "w").write("\n".join([*svg, "</g>", "</svg>", ""]))
PYTHON
