# Where `.ci/run` builds: a folder outside the clone, so that crates of the registry are compiled once a machine, for as
# long as compiler, lock files and flags stay as they are. Of this repository nothing is used again: what an earlier run
# left of it is removed first, and `nothing_reused` looks at what is there at the end.

# The files of the workspaces that decide what is compiled.
build_key() {
    {
        rustc -vV
        git rev-parse >/dev/null
        git ls-files -z '*Cargo.lock' crates/compat/suites.toml | xargs -0 cat
        env | grep -E '^(RUSTFLAGS|CARGO_(BUILD|ENCODED|PROFILE)_.*)=' | sort || true
    } | cksum | tr ' ' -
}

# Sets $target. The lock stays until the run ends.
choose_build_folder() {
    local cache=${SIMD_DIGEST_BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/simd-digest} old
    target=$cache/$(build_key)
    mkdir -p "$target"
    exec 9>"$target/.run"
    if ! command -v flock >/dev/null || ! flock -n 9; then
        target=$PWD/target/fresh
        echo "another run uses the folder of this machine, or there is no flock to tell: this one builds in $target"
        return
    fi
    touch "$target/.run"
    # The one before this stays, so that two branches do not compile all anew in turns.
    find "$cache" -mindepth 1 -maxdepth 1 -type d -exec stat -c '%Y %n' {}/.run \; 2>/dev/null | sort -rn | tail -n +3 |
        while read -r _ old; do (flock -n 8 && rm -rf "${old%/.run}") 8>>"$old" || true; done
    remove_ours "$target"
}

# The folders below this one into which cargo compiles.
layouts() {
    find "$1" -type d -name .fingerprint -prune | sed 's|/\.fingerprint$||'
}

# ours FOLDER: the units of cargo, by the hash in their names, that were compiled from other sources than those of the
# registry and of the standard library. Beside all that a unit compiles to lies a file .d with its sources. A package of
# ours that cargo verifies lies in a registry too, but in one without a host in its name.
ours() {
    find "$1" -type f -name '*.d' \( -path '*/deps/*' -o -path '*/build/*' \) -print0 |
        xargs -0 awk -v registry="${CARGO_HOME:-$HOME/.cargo}/registry/" '
            /^[^#].*:$/ && (index($0, registry) != 1 || index($0, registry "src/-") == 1) && !/^\/usr\/(lib|src)\/rust/ && !/\/build\/[^\/]*\/out\// {
                if (match(FILENAME, /-[0-9a-f]+\.d$/)) print substr(FILENAME, RSTART + 1, RLENGTH - 3)
            }' | sort -u
}

# The names of this repository's packages, tests and examples, as cargo names what it compiles from them. The adapters
# in compat have the names of the registry's crates, so they are left out.
our_names() {
    {
        git ls-files -z '*Cargo.toml' ':!crates/compat' | xargs -0 sed -n '/^\[package\]/,/^$/s/^name = "\(.*\)"/\1/p'
        git ls-files | sed -nE 's#^(.*/)?(tests|examples)/([^/]+)(/main)?\.rs$#\3#p'
    } | tr - _ | sort -u
}

# remove_ours FOLDER: also what has no hash in its name, for only members of a workspace are linked to such files, and
# what has no file .d, which a compiler leaves that is ended before it is ready.
remove_ours() {
    local folder
    ours "$1" >"$scratch/ours"
    while read -r folder; do
        rm -rf "$folder/examples" "$folder/incremental"
        find "$folder" -mindepth 1 -maxdepth 1 -type f ! -name '.cargo-*' -delete
        { find "$folder/deps" "$folder/.fingerprint" "$folder/build" -mindepth 1 -maxdepth 1 2>/dev/null || true; } |
            awk 'FILENAME != "-" { ours[$0]; next }
                match($0, /-[0-9a-f]+(\.[a-z0-9.]*)?$/) {
                    hash = substr($0, RSTART + 1, RLENGTH - 1)
                    sub(/\..*/, "", hash)
                    if (/\/deps\// && /\.d$/) complete[hash]
                    if (hash in ours) print
                    else if (/\/deps\//) of[$0] = hash
                    next
                }
                /\/deps\//
                END { for (file in of) if (!(of[file] in complete)) print file }
            ' "$scratch/ours" - | tr '\n' '\0' | xargs -0 rm -rf
    done < <(layouts "$1")
    rm -rf "$1"/{doc,nightly,package}
}

# left_over FOLDER FILE: what is in the folder under one of our names and older than the file, and how many there are
# under these names at all. Of compat, whose suites have names of the registry's crates, only the library.
left_over() {
    our_names >"$scratch/names"
    find "$1" -type f -path '*/deps/*' \( -name '*.d' -o -name '*.rlib' -o -name '*.rmeta' -o ! -name '*.*' \) \
        \( -newer "$2" -printf 'new %p\n' -o -printf 'old %p\n' \) |
        awk '
            NR == FNR { ours[$0]; next }
            {
                file = name = substr($0, 5)
                sub(/.*\//, "", name)
                sub(/-[0-9a-f]+(\..*)?$/, "", name)
                sub(/^lib/, "", name)
                if (!(name in ours) || (file ~ /\/compat\// && name != "simd_digest")) next
                count++
                if (/^old/) old[file]
            }
            END {
                print count + 0 " files of this repository were looked at"
                for (file in old) { print "of an earlier run: " file; broken = 1 }
                exit broken
            }
        ' "$scratch/names" -
}

# All that was compiled from this repository is newer than the beginning of this run. The search is tried on an old file
# first, which it must find, and which is removed, as an ended compiler has left it.
nothing_reused() {
    local control=$scratch/control/debug
    mkdir -p "$control"/{deps,.fingerprint}
    touch -r "$scratch/began" "$control/deps/libsimd_digest-0123456789abcdef.rlib"
    ! left_over "$scratch/control" "$scratch/began" >"$scratch/found" && grep -q '^of an earlier run' "$scratch/found" ||
        { echo 'an old file was not found'; return 1; }
    remove_ours "$scratch/control"
    left_over "$scratch/control" "$scratch/began" >/dev/null || { echo 'an old file was not removed'; return 1; }
    left_over "$target" "$scratch/began"
}
