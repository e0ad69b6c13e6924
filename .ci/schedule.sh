# Parts, two at a time where there are two cores: while one links, waits for an emulator or proves, the other one has a
# core. The log of a part is printed whole when it ends.

# Parts that build in one folder, which cargo locks. They run one after the other, in the order of the list, so what one
# builds can serve the next: the programs of `release` are those of `emulated`. A part without a group is alone.
declare -A group_of=(
    [quick]=debug [features]=debug [pool]=debug [store]=debug [package]=debug
    [release]=release [kernels]=release [prove]=release [cpus]=release [emulated]=release
    [prove-aarch64]=web [aarch64]=web [s390x]=web [i686]=web [wasm32]=web
    [memory]=sanitizers [threads]=sanitizers
    [sql]=sql [clusters]=sql
)

# ends PART: prints what it said. A part that broke off is a failure.
ends() {
    cat "$scratch/$1/log.whole"
    [ -e "$scratch/$1/time" ] && return
    results=$scratch/$1
    account failed "$1 broke off"
    printf '0\t0\n' >"$results/time"
}

# may_begin PART
may_begin() {
    local other
    for other in "${running[@]}"; do
        [ "${group_of[$1]-$1}" != "${group_of[$other]-$other}" ] || return 1
    done
}

# begin_next: starts the first of the waiting parts that may begin.
begin_next() {
    local i part
    for i in "${!waiting[@]}"; do
        part=${waiting[i]}
        may_begin "$part" || continue
        mkdir -p "$scratch/$part"
        echo "$(date +%T) $part begins"
        (export group=${group_of[$part]-$part}; part "$part") >"$scratch/$part/log.whole" 2>&1 </dev/null 9>&- &
        running[$!]=$part
        unset "waiting[i]"
        return
    done
    return 1
}

# Remembers in "$scratch/memory" how many MiB were in use at most. Prints nothing: it has no meaning without /proc.
watch_memory() {
    local used most=0
    while [ -r /proc/meminfo ]; do
        used=$(awk '/^MemTotal/ { total = $2 } /^MemAvailable/ { print int((total - $2) / 1024) }' /proc/meminfo)
        [ "$used" -le "$most" ] || { most=$used; echo "$most" >"$scratch/memory"; }
        sleep 5
    done
}

# A part ends with all that it started.
end_all() {
    local process
    for process in $(jobs -p); do
        kill -- "-$process" 2>/dev/null || kill "$process" 2>/dev/null || true
    done
    rm -rf "$scratch"
}

run_parts() {
    local part ended
    waiting=("${parts[@]}")
    declare -gA running=()
    set -m # each part is a group of processes, which ends whole
    watch_memory 9>&- &
    while :; do
        while [ ${#running[@]} -lt "$places" ] && begin_next; do :; done
        [ ${#running[@]} -gt 0 ] || break
        ended=
        wait -n -p ended "${!running[@]}" || true
        part=${running[$ended]}
        unset "running[$ended]"
        ends "$part"
    done
    set +m
}
