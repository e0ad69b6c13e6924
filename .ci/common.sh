# The account that `.ci/run` gives: its parts and their steps, what was not run, and the table of machines.

passed=0
failed=()
not_run=()
not_here=()
times=()

# In CI, and as root on Debian, a step can have all that it needs. A step that is not run is a failure there.
complete=${CI-}
[ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || complete=yes

# The seconds of CPU that all programs have used so far. A busy machine changes them little.
cpu_seconds() {
    awk '{ print int(($16 + $17) / 100) }' /proc/$$/stat
}

# part NAME: its steps.
part() {
    local began=$SECONDS cpu
    cpu=$(cpu_seconds)
    printf '\n=== %s\n' "$1"
    "part_$1"
    times+=("$(printf '%6d s %6d s of CPU  %s' $((SECONDS - began)) $(($(cpu_seconds) - cpu)) "$1")")
    printf '\n=== %s took %d s\n' "$1" $((SECONDS - began))
}

# step HEADLINE COMMAND…: runs the command, or the function, with `set -e` of its own. Leaves its output in
# "$scratch/log" and its status in $status. Status 76 says that the toolchain is too old, 77 that a tool is missing, 78
# that the step is for another machine.
step() {
    local headline=$1 began=$SECONDS cpu
    cpu=$(cpu_seconds)
    shift
    printf '\n==> %s\n' "$headline"
    set +e
    (set -e; "$@") </dev/null 2>&1 | tee "$scratch/log"
    status=${PIPESTATUS[0]}
    set -e
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
        echo "<== passed in $((SECONDS - began)) s, $(($(cpu_seconds) - cpu)) s of CPU"
    elif [ "$status" -ge 76 ] && [ "$status" -le 78 ]; then
        omit "$status" "$headline" "$(tail -n 1 "$scratch/log")"
    else
        failed+=("$headline")
        echo "<== FAILED with status $status: $headline"
    fi
}

# omit STATUS HEADLINE REASON: counts a step that was not run, by its status. Nothing here installs another toolchain.
omit() {
    if [ "$1" -eq 78 ]; then
        echo "<== not for this machine: $3"
        not_here+=("$2: $3")
    elif [ -n "${CI-}" ] || { [ -n "$complete" ] && [ "$1" -ne 76 ]; }; then
        echo "<== FAILED, since it was not run: $3"
        failed+=("$2: $3")
    else
        echo "<== NOT RUN: $3"
        not_run+=("$2: $3")
    fi
}

# on_machine MACHINE BACKENDS COMMAND…: a step of tests, which must find these backends, and its row of the table.
on_machine() {
    local machine=$1 tests
    export REQUIRE_BACKENDS=$2
    shift 2
    step "tests: $machine" "$@"
    tests=$(awk '/^test result: / { sub(/ passed;.*/, ""); tests += $NF } END { print tests + 0 }' "$scratch/log")
    if [ "$status" -eq 0 ] && [ "$tests" -eq 0 ]; then
        passed=$((passed - 1))
        failed+=("tests: $machine: there were none")
        status=1
    fi
    case $status in
        0) ;;
        77) tests='NOT RUN' ;;
        78) tests='not for this machine' ;;
        *) tests="$tests FAILED" ;;
    esac
    printf '%s\t%s\t%s\n' "$machine" "$REQUIRE_BACKENDS" "$tests" >>"$scratch/table"
    export REQUIRE_BACKENDS=$native_backends
}

# without STATUS REASON: ends a step that cannot run here.
without() {
    echo "$2"
    return "$1"
}

# One row for each machine, one column for each backend, and the tests that passed with all of them.
table() {
    awk -F '\t' '
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
        }' "$scratch/table"
}

# The last line and the status tell whether all is well.
summary() {
    local skipped=$((${#not_run[@]} + ${#not_here[@]}))
    echo
    printf '%s\n' "${times[@]}"
    printf '%6d s in all\n\n' $SECONDS
    if [ -s "$scratch/table" ]; then
        table
        echo
    fi
    [ ${#not_here[@]} -eq 0 ] || printf 'not for this machine: %s\n' "${not_here[@]}"
    [ ${#not_run[@]} -eq 0 ] || printf 'NOT RUN: %s\n' "${not_run[@]}"
    [ ${#failed[@]} -eq 0 ] || printf 'FAILED: %s\n' "${failed[@]}"
    echo "$passed passed, ${#failed[@]} failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
    [ ${#failed[@]} -eq 0 ]
}
