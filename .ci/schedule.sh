# Parts, two at a time where there are two cores: while one links, waits for an emulator or proves, the other one has a
# core. The log of a part is printed whole when it ends.

# Parts that build in one folder, which cargo locks. They run one after the other, in the order of the list, so what one
# builds can serve the next: the programs of `release` are those of `emulated`. A part without a group is alone.
declare -A group_of=(
    [quick]=debug [features]=debug [pool]=debug [store]=debug [package]=debug
    [release]=release [kernels]=release [prove]=release [cpus]=release [emulated]=release
    [prove-aarch64]=web [aarch64]=web [s390x]=web [i686]=web [recipe]=web [wasm32]=web
    [memory]=sanitizers [threads]=sanitizers
    [sql]=sql [clusters]=sql [compat]=compat [compat-all]=compat
    [prove-all]=release [store-s3]=debug [slh-dsa]=release [recipe-all]=web
)

declare -A running=()

# ends PART: prints what it said. A part that broke off, or had no step, is a failure.
ends() {
    cat "$scratch/$1/log.whole"
    [ -e "$scratch/$1/time" ] && [ -s "$scratch/$1/account" ] && return
    results=$scratch/$1
    account failed "$1 broke off, or had no step"
    [ -e "$results/time" ] || printf '0\t0\n' >"$results/time"
}

# may_begin PART
may_begin() {
    local other
    for other in "${running[@]}"; do
        [ "${group_of[$1]-$1}" != "${group_of[$other]-$other}" ] || return 1
    done
}

# choose_next: sets $next to the place of the first of the waiting parts that may begin.
choose_next() {
    for next in "${!waiting[@]}"; do
        may_begin "${waiting[next]}" && return
    done
    return 1
}

# begin PLACE: never in a condition, where the shell would turn `set -e` off in all steps of the part.
begin() {
    local part=${waiting[$1]}
    unset "waiting[$1]"
    mkdir -p "$scratch/$part"
    echo "$(date +%T) $part begins"
    (
        export group=${group_of[$part]-$part}
        # One for all these parts, or cargo would compile the library for each.
        [ "$group" != release ] || export RUSTC_WORKSPACE_WRAPPER="$release_compiler"
        part "$part"
    ) >"$scratch/$part/log.whole" 2>&1 </dev/null 9>&- &
    running[$!]=$part
}

# Remembers in "$scratch/most-memory" how many MiB were in use at most. Prints nothing: it has no meaning without /proc.
watch_memory() {
    local used most=0
    while [ -r /proc/meminfo ]; do
        used=$(awk '/^MemTotal/ { total = $2 } /^MemAvailable/ { print int((total - $2) / 1024) }' /proc/meminfo)
        [ "$used" -le "$most" ] || { most=$used; echo "$most" >"$scratch/most-memory"; }
        sleep 5
    done
}

# All that runs ends with the run, and says how far it came.
end_all() {
    local process
    for process in "${!running[@]}"; do
        printf '\n=== %s was ended; the last that it said:\n' "${running[$process]}"
        tail -n 100 "$scratch/${running[$process]}/log.whole"
    done
    for process in $(jobs -p); do
        kill -- "-$process" 2>/dev/null || kill "$process" 2>/dev/null || true
    done
    rm -rf "$scratch"
}

run_parts() {
    local part process next
    waiting=("${parts[@]}")
    set -m # each part is a group of processes, which ends whole
    watch_memory 9>&- &
    while :; do
        while [ ${#running[@]} -lt "$places" ] && choose_next; do
            begin "$next"
        done
        [ ${#running[@]} -gt 0 ] || break
        wait -n "${!running[@]}" 2>/dev/null || true
        for process in "${!running[@]}"; do
            ! kill -0 "$process" 2>/dev/null || continue
            part=${running[$process]}
            unset "running[$process]"
            ends "$part"
        done
    done
    set +m
}
