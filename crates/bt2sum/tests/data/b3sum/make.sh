#!/bin/sh
# Makes the lists beside this script by b3sum, once installed by `cargo install b3sum --version 1.8.7`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
inputs=$(mktemp -d)
trap 'rm -r "$inputs"' EXIT
cd "$inputs"

# The inputs of BLAKE3's official test vectors, and longer ones: byte i is i modulo 251. The names are the lengths.
lengths='0 1 2 3 4 5 6 7 8 63 64 65 127 128 129 1023 1024 1025 2048 2049 3072 3073 4096 4097 5120 5121 6144 6145 7168
    7169 8192 8193 16384 31744 102400 1048576 1048577 4194304 4194305 5247201'
for length in $lengths; do
    python3 -c "import sys; sys.stdout.buffer.write((bytes(range(251)) * ($length // 251 + 1))[:$length])" >"$length"
done
key='whats the Elvish word for friend'
context='BLAKE3 2019-12-27 16:29:52 test vectors context'
for length in 32 131 16; do
    b3sum --length $length $lengths >"$here/plain-$length"
    printf %s "$key" | b3sum --keyed --length $length $lengths >"$here/keyed-$length"
    b3sum --derive-key "$context" --length $length $lengths >"$here/derived-$length"
done
b3sum --tag $lengths >"$here/plain-tag"
printf %s "$key" | b3sum --keyed --tag $lengths >"$here/keyed-tag"
b3sum --derive-key "$context" --tag $lengths >"$here/derived-tag"
b3sum - <1025 >"$here/stdin"
b3sum --tag - <1025 >"$here/stdin-tag"

# Names to escape, and names like parts of lines. Byte i is i in these files too, and their lengths are 1, 2, 3 and on.
mkdir names
cd names
python3 - <<'NAMES'
names = ["a b", " a", "a ", "*a", "#a", "new\nline", "return\r", "back\\slash", "\\n", "\\", "\n", ") = 00", "a) = (b",
         "BLAKE3 (a) = 00", "tab\t", "ä", "\u2028", "%s", "'", '"']
for number, name in enumerate(names, 1):
    open(name, "wb").write(bytes(range(number)))
NAMES
# In this order, by name.
LC_ALL=C b3sum -- * >"$here/names"
LC_ALL=C b3sum --tag -- * >"$here/names-tag"
# b3sum reads all these lists again.
b3sum --check "$here/names" >/dev/null
b3sum --check "$here/names-tag" >/dev/null
# What it says in many cases.
"$here/cases.sh" >"$here/cases"
