#!/usr/bin/env bash
# sidecars.sh BT2SUM [--check]: writes objects, their files of leaves and their roots to sidecars/, by bt2sum.
set -euo pipefail
bt2sum=$(realpath "$1")
cd "$(dirname "$0")"
directory=sidecars
[ "${2-}" != --check ] || directory=$(mktemp -d)
mkdir -p "$directory"
# In files, since a pipe that ends early may kill its writer, which is a failure here.
seq 1 3000 >"$directory/all"
head -c 10501 "$directory/all" >"$directory/odd"
: >"$directory/empty"
printf x >"$directory/one"
head -c 4000 "$directory/all" >"$directory/even"
(
    cd "$directory"
    : >roots
    for algorithm in blake2b blake2s; do
        for name in odd empty one even; do
            cp "$name" "$algorithm-$name"
            "$bt2sum" -a "$algorithm" --chunk 1000 --leaves "$algorithm-$name.bt2leaf" "$algorithm-$name" >sum
            echo "$algorithm-$name $(grep -oE '[0-9a-f]{64,}' sum)" >>roots
        done
    done
    rm -f sum all odd empty one even
)
if [ "$directory" != sidecars ]; then
    diff -r sidecars "$directory"
    rm -r "$directory"
    echo 'the files of leaves are those of bt2sum'
fi
