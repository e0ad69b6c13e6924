# The account that `.ci/run` gives: its parts and their steps, what was not run, and the table of machines. A part is a
# process of its own, so each one writes its account to files in "$results", which the summary reads.

# In CI, and as root on Debian, a step can have all that it needs. A step that is not run is a failure there.
complete=${CI-}
[ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || complete=yes

# The seconds of CPU that all programs of this part have used so far. A busy machine changes them little.
cpu_seconds() {
    awk '{ print int(($16 + $17) / 100) }' "/proc/$self/stat" 2>/dev/null || echo 0
}

# part NAME: its steps. Its account is a folder of this name in "$scratch".
part() {
    local began=$SECONDS cpu
    results=$scratch/$1
    self=$BASHPID
    mkdir -p "$results"
    cpu=$(cpu_seconds)
    printf '\n=== %s\n' "$1"
    # A command that fails must end its step: it would not, if this function were called in a condition.
    set +e
    (set -e; false; true)
    [ $? -ne 0 ] || { echo 'set -e is off'; exit 1; }
    set -e
    "part_$1"
    printf '%d\t%d\n' $((SECONDS - began)) $(($(cpu_seconds) - cpu)) >"$results/time"
    printf '\n=== %s took %d s\n' "$1" $((SECONDS - began))
}

# account KIND TEXT: a line of the account, where KIND is passed, failed, not_run, not_here or not_needed.
account() {
    printf '%s\t%s\n' "$1" "${2//$'\n'/ }" >>"$results/account"
}

# reasons LOG: its last line, and what the tests said that failed. A reader may have the summary alone.
reasons() {
    tail -n 1 "$1"
    awk '/ panicked at / { lines = 4 } /^note: / { lines = 0 }
        lines-- > 0 && ++printed <= 20 { print substr($0, 1, 400) }' "$1"
}

# step HEADLINE COMMAND…: runs the command, or the function, with `set -e` of its own. Leaves its output in
# "$results/log" and its status in $status. Status 76 says that the toolchain is too old, 77 that a tool is missing, 78
# that the step is for another machine.
step() {
    local headline=$1 began=$SECONDS cpu
    cpu=$(cpu_seconds)
    shift
    printf '\n==> %s\n' "$headline"
    set +e
    (set -e; "$@") </dev/null 2>&1 | tee "$results/log"
    status=${PIPESTATUS[0]}
    set -e
    if [ "$status" -eq 0 ]; then
        account passed "$headline"
        echo "<== passed in $((SECONDS - began)) s, $(($(cpu_seconds) - cpu)) s of CPU"
    elif [ "$status" -ge 76 ] && [ "$status" -le 78 ]; then
        omit "$status" "$headline" "$(tail -n 1 "$results/log")"
    else
        account failed "$headline: $(reasons "$results/log")"
        echo "<== FAILED with status $status: $headline"
    fi
}

# omit STATUS HEADLINE REASON: counts a step that was not run, by its status. Nothing here installs another toolchain.
omit() {
    if [ "$1" -eq 78 ]; then
        echo "<== not for this machine: $3"
        account not_here "$2: $3"
    elif [ -n "${CI-}" ] || { [ -n "$complete" ] && [ "$1" -ne 76 ]; }; then
        echo "<== FAILED, since it was not run: $3"
        account failed "$2: $3"
    else
        echo "<== NOT RUN: $3"
        account not_run "$2: $3"
    fi
}

# tests COMMAND…: a step of tests. Their number goes to $tests and to the table of parts, and a step that ran none
# fails. The twenty slowest are printed.
tests() {
    local headline=$1
    shift
    : >"$results/slow"
    TEST_TIMES=$results/slow step "$headline" "$@"
    tests=$(awk '/^test result: / { sub(/ passed;.*/, ""); tests += $NF } END { print tests + 0 }' "$results/log")
    if [ "$status" -eq 0 ] && [ "$tests" -eq 0 ]; then
        sed -i.old '$d' "$results/account"
        account failed "$headline: there were none"
        status=1
    fi
    echo "$tests" >>"$results/tests"
    if [ -s "$results/slow" ]; then
        printf '%s tests; the slowest, in seconds:\n' "$tests"
        sort -rn "$results/slow" | sed -n 1,20p
    fi
}

# unless PART STEP…: a step that this part has too, so it is left out of a run that has the part.
unless() {
    if [[ " ${parts[*]} " == *" $1 "* ]]; then
        printf '\n==> %s: those of the part %s\n' "$3" "$1"
    else
        "${@:2}"
    fi
}

# beside STEPS COMMAND…: runs a function of steps, and the command meanwhile. The log of the function, whose files are in
# a folder of their own, is printed last, and its account joins that of this part. The seconds of CPU of both are mixed.
beside() {
    local other=$results/$1 process file
    mkdir -p "$other"
    (results=$other; self=$BASHPID; "$1") >"$other/log.whole" 2>&1 &
    process=$!
    "${@:2}"
    wait "$process" || account failed "$1 broke off"
    cat "$other/log.whole"
    [ -s "$other/account" ] || account failed "$1 had no step"
    for file in account tests table; do
        [ ! -e "$other/$file" ] || cat "$other/$file" >>"$results/$file"
    done
}

# on_machine MACHINE BACKENDS COMMAND…: a step of tests, which must find these backends, and its row of the table.
on_machine() {
    local machine=$1 tests
    export REQUIRE_BACKENDS=$2
    shift 2
    tests "tests: $machine" "$@"
    case $status in
        0) ;;
        77) tests='NOT RUN' ;;
        78) tests='not for this machine' ;;
        *) tests="$tests FAILED" ;;
    esac
    printf '%s\t%s\t%s\n' "$machine" "$REQUIRE_BACKENDS" "$tests" >>"$results/table"
    export REQUIRE_BACKENDS=$native_backends
}

# without STATUS REASON: ends a step that cannot run here.
without() {
    echo "$2"
    return "$1"
}

# of_parts FILE: this file of every part, in the order of the parts.
of_parts() {
    local part
    for part in "${parts[@]}"; do
        cat "$scratch/$part/$1" 2>/dev/null || true
    done
}

# One row for each machine, one column for each backend, and the tests that passed with all of them.
table_of_machines() {
    of_parts table | awk -F '\t' '
        BEGIN {
            count = split("portable sse41 avx avx2 avx512 neon simd128", names, " ")
            printf "%-34s", "machine"
            for (i = 1; i <= count; i++) printf "%-*s", length(names[i]) + 2, names[i]
            print "tests passed"
        }
        {
            printf "%-34s", $1
            for (i = 1; i <= count; i++)
                printf "%-*s", length(names[i]) + 2, ("," $2 ",") ~ ("," names[i] ",") ? "yes" : "-"
            print $3
        }'
}

# The seconds and the tests of each part. Parts run beside each other, so the total is less than the sum.
table_of_parts() {
    local part seconds cpu tests
    printf '%-16s%8s%8s%8s\n' part seconds CPU tests
    for part in "${parts[@]}"; do
        IFS=$'\t' read -r seconds cpu <"$scratch/$part/time"
        tests=$(awk '{ sum += $1 } END { if (NR) print sum + 0 }' "$scratch/$part/tests" 2>/dev/null || true)
        printf '%-16s%8d%8d%8s\n' "$part" "$seconds" "$cpu" "${tests:--}"
    done
    tests=$(of_parts tests | awk '{ sum += $1 } END { print sum + 0 }')
    printf '%-16s%8d%8s%8d\n' 'in all' $SECONDS '' "$tests"
}

# The last line and the status tell whether all is well.
summary() {
    local kind skipped failed
    results=$scratch/${parts[0]}
    if [ -n "${CI-}" ] && [ "$places" -gt 1 ] && [ $SECONDS -gt $limit ]; then
        account failed "the run took $SECONDS s of the $limit that it may take, see the table of parts"
    fi
    if [ -s "$scratch/most-memory" ] && [ "$(<"$scratch/most-memory")" -gt $most_memory ]; then
        account failed "more than $most_memory MiB of memory were in use"
    fi
    echo
    table_of_parts
    [ ! -s "$scratch/most-memory" ] || printf 'memory in use at most: %d MiB\n' "$(<"$scratch/most-memory")"
    if [ -n "$(of_parts table)" ]; then
        echo
        table_of_machines
    fi
    echo
    of_parts account >"$scratch/account"
    for kind in 'not_needed=not needed' 'not_here=not for this machine' 'not_run=NOT RUN' 'failed=FAILED'; do
        sed -n "s/^${kind%%=*}\t/${kind#*=}: /p" "$scratch/account"
    done
    number() { grep -c "^$1	" "$scratch/account" || true; }
    skipped=$(($(number not_run) + $(number not_here)))
    failed=$(number failed)
    echo "$(number passed) passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
    [ "$failed" -eq 0 ]
}
