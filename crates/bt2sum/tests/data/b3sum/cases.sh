#!/bin/sh
# Runs the first b3sum of the path in many ways, and prints the output and the status of each run. `make.sh` keeps what
# b3sum 1.8.7 makes of it in `cases`. Of usage errors, whose status is 2, only the status is printed.
set -u
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
mkdir "$scratch/files"
cd "$scratch/files" || exit 1
LC_ALL=C
export LC_ALL
unset RUST_BACKTRACE

printf abc >a
: >empty
# A message of several subtrees.
yes 'a line of a long message' | head -c 2500000 >long
printf x >'new
line'
printf y >'back\slash'
printf z >'a  b'
mkdir directory
printf 'whats the Elvish word for friend' >key
printf 'whats the Elvish word' >short
printf 'whats the Elvish word for friends' >more
a=6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85
wrong=0${a#?}
upper=$(printf %s "$a" | tr a-f A-F)

# run INPUT ARGUMENT…
run() {
    input=$1
    shift
    printf '$ b3sum %s <%s\n' "${label-$*}" "$input"
    b3sum "$@" <"$input" >"$scratch/out" 2>"$scratch/err"
    status=$?
    case "$status $* " in
        2*) ;;
        *' --raw '*) od -An -v -tx1 "$scratch/out" && cat "$scratch/err" ;;
        *) cat "$scratch/out" "$scratch/err" ;;
    esac
    echo "status $status"
}

for option in '-l 0' '-l1' '--length 33' '-l 131' '-l=40' '-l -1' '-l x' '--tag' '--tag -l 5' '--no-names' '--no-mmap' \
    '--no-names --tag' '--num-threads 0' '--num-threads=1' '--num-threads 3' '--num-threads x' '--tag --tag' '-q' \
    '--seek 0' '--seek 1' '--seek 31 -l 2' '--seek 32' '--seek 63' '--seek 64' '--seek=65 -l 200' '--seek -1' \
    '--seek 1000000007 --tag' '--seek 18446744073709551552 -l 64' '--seek 18446744073709551616' '--quiet' '--raw' \
    '--raw --tag'; do
    # shellcheck disable=SC2086
    run a $option a empty long missing
done
run a
run a -
run a --tag - a -
run a --raw
run a --raw long
run a --raw -l 70 --seek 3 a
run a --raw -l 0 a
run a --raw missing
run a --raw --no-names --tag empty
run a directory a
run a -- 'new
line' 'back\slash' 'a  b'
run a --tag -- 'new
line' 'back\slash'
bytes=$(printf '\377')
label='a name of bytes'
run a -- "$bytes"
printf v >"$bytes"
run a --tag -- "$bytes"
unset label
run key --keyed a long -
run key --keyed --seek 7 -l 100 --tag a
run key --keyed --raw a
run short --keyed a
run more --keyed a
run empty --keyed a
run key --keyed
run key --keyed --derive-key context a
run a --derive-key context a long -
run a --derive-key '' --seek 9 --no-names a
run a --derive-key

# check LINE…: lists with these lines, from a file and from standard input.
check() {
    printf "$1" >list
    run a -c list
    run list --check --quiet
}
check "$a  a\n"
check "$a  a"
check "BLAKE3 (a) = $a\n"
check "$wrong  a\n$a  a\n$wrong  a\n"
check "$a  missing\n"
check "$upper  a\n"
check "g${a#?}  a\n"
check "${a%?}  a\n"
check "$a$a  a\n"
check "$a a\n"
check "$a *a\n"
check "$a\n"
check "$a  \n"
check "\n"
check '# a comment\n'
check ' '"$a  a\n"
check "$a  a\r\n$a  a\r\r\n"
check "$a  a\n\n$a  a\n"
check "BLAKE3-256 (a) = $a\n"
check "BLAKE3(a)= $a\n"
check "SHA256 (a) = $a\n"
check "\\\\$a  new\\\\nline\n"
check "\\\\$a  a\n"
check "\\\\$a  a\\\\\n"
check "\\\\$a  a\\\\b\n"
check "BLAKE3 (a  b) = $a\n"
check "BLAKE3 () = $a\n"
check "$a  a\\0\n"
check "$a  \\357\\277\\275\n"
check "$a  a\n$a  \\377\n$a  a\n"
check "$a  directory\n"
b3sum -- * 2>"$scratch/err" >list
run a -c list
printf '%s  a\n' "$wrong" >list
: >none
run a -c list list
run a -c missing list
run a -c list missing
run a -c none
run a -c directory
run a -c --seek 1 list
for option in '-l 32' --tag --raw --no-names --keyed '--derive-key context'; do
    # shellcheck disable=SC2086
    run a -c $option list
done
