#!/usr/bin/env bash
# Makes the transcripts of an audit and of a repair that README.md has.
#
#   README.sh PROGRAM            prints the transcripts
#   README.sh PROGRAM --update   writes them to README.md
set -euo pipefail

program=$(realpath "$1")
readme=$(realpath "$(dirname "$0")")/README.md
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
cd "$scratch"
export LC_ALL=C
umask 022
# Rot on a disk moves no ctime. That `dd` moves it is no part of the transcript.
bt2sum() { "$program" "$@" | sed "/: ctime moved$/d"; }

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

audit() {
    shell 'bt2sum record --store photos.store -t 64k photos'
    shell 'echo "a caption" >> photos/2019/3.raw                # an edit'
    touch -d 2024-02-03T04:05:06Z photos/2019/3.raw # the root has this time
    shell 'mv photos/2019/5.raw photos/best.raw'
    printf x | dd of=photos/2019/7.raw bs=1 seek=2000000 conv=notrunc status=none
    touch -d 2019-05-06T07:08:09Z photos/2019/7.raw
    echo '$ # … and a byte of 7.raw rots on the disk: its time stays'
    shell 'bt2sum audit --store photos.store photos; echo "status $?"'
    shell 'bt2sum update --store photos.store photos > report; tail -n 1 report'
    shell 'bt2sum audit --store photos.store photos'
}

# The copy was made before the byte rotted, and a byte of it has rotted since.
repair() {
    cp -a photos copy
    printf 'photo 7' | dd of=copy/2019/7.raw bs=1 seek=2000000 conv=notrunc status=none
    printf x | dd of=copy/2019/7.raw bs=1 seek=1000000 conv=notrunc status=none
    printf x | dd of=photos/2019/4.raw bs=1 seek=70000 conv=notrunc status=none
    touch -d 2019-05-06T07:08:09Z photos/2019/4.raw
    shell 'bt2sum repair --from copy --store photos.store photos; echo "status $?"'
}

text=$(audit 2>&1; echo ---; repair 2>&1)
if [ "${2-}" != --update ]; then
    echo "$text"
    exit
fi
TEXT=$text README=$readme python3 - << 'PYTHON'
import os, pathlib

readme = pathlib.Path(os.environ["README"])
text, end = readme.read_text(), 0
for transcript in os.environ["TEXT"].split("\n---\n"):
    begin = text.index("```console\n", text.index("<!-- crates/bt2sum/README.sh", end)) + len("```console\n")
    text = text[:begin] + transcript + "\n" + text[text.index("```\n", begin):]
    end = begin + len(transcript)
readme.write_text(text)
PYTHON
