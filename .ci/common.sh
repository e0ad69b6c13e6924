# What the checks of `.ci/run` are told with: steps, what could not be run, and the table of machines.

passed=0
failed=()
not_run=()
times=()

# step HEADLINE COMMAND…: runs the command, or the function, with `set -e` of its own. Leaves what it wrote in
# "$scratch/log" and its status in $status.
step() {
    local headline=$1 began=$SECONDS
    shift
    printf '\n==> %s\n' "$headline"
    set +e
    (set -e; "$@") </dev/null 2>&1 | tee "$scratch/log"
    status=${PIPESTATUS[0]}
    set -e
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
        echo "<== passed in $((SECONDS - began)) s"
    else
        failed+=("$headline")
        echo "<== FAILED with status $status: $headline"
    fi
    times+=("$((SECONDS - began)) s  $headline")
}

# omit HEADLINE REASON: what this machine cannot run.
omit() {
    printf '\n==> %s\n<== NOT RUN: %s\n' "$1" "$2"
    not_run+=("$1: $2")
}

# on_machine MACHINE BACKENDS COMMAND…: a step that runs tests, which must find these backends, and its row of the table.
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
    [ "$status" -eq 0 ] || tests="$tests FAILED"
    printf '%s\t%s\t%s\n' "$machine" "$REQUIRE_BACKENDS" "$tests" >>"$scratch/table"
    export REQUIRE_BACKENDS=$native_backends
}

# no_machine MACHINE REASON
no_machine() {
    omit "tests: $1" "$2"
    printf '%s\t\tNOT RUN\n' "$1" >>"$scratch/table"
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

# The last words; the status tells whether all is well.
summary() {
    echo
    echo 'slowest steps:'
    printf '%s\n' "${times[@]}" | sort -rn | head -8
    if [ -s "$scratch/table" ]; then
        echo
        table
    fi
    echo
    [ ${#not_run[@]} -eq 0 ] || printf 'NOT RUN: %s\n' "${not_run[@]}"
    [ ${#failed[@]} -eq 0 ] || printf 'FAILED: %s\n' "${failed[@]}"
    echo "ci: $passed passed, ${#failed[@]} failed$([ ${#not_run[@]} -eq 0 ] || echo ", ${#not_run[@]} not run") in $((SECONDS / 60)) min"
    [ ${#failed[@]} -eq 0 ] && { [ "${CI_STRICT-}" != 1 ] || [ ${#not_run[@]} -eq 0 ]; }
}
