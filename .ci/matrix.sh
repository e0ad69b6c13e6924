# The tests on other machines: as other CPUs and for other targets, most of them emulated.

debian_rust=(/usr/bin/rustc /usr/bin/cargo /usr/lib/rustlib/src/rust/library)

# cross COMMAND…: cargo with Debian's compiler, whatever comes first in the path. It compiles the standard library
# too. Programs are static, so that they run without a loader or libraries of their machine. Warnings are errors, as
# in clippy, which does not see the code of these targets. The test of wiping is optimised, because an optimiser may
# remove what wipes a value. The checks of pointers that a debug build makes are left to the tests for this machine:
# with this standard library they are calls, and copies by zmm around them make each instruction of SHA-NI on i686 take
# 70 times as long.
cross() {
    local command=$1
    shift
    # In a folder of their own, since cargo locks the folder of programs for this machine as well.
    CARGO_TARGET_DIR=$target/web RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 RUSTC_WORKSPACE_WRAPPER=$(kept=wiping compiler "${test_options-}" -D warnings -Zub-checks=no) \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc \
        CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER=i686-linux-gnu-gcc \
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$(wasm_linker) \
        RUSTFLAGS=${cross_flags--C target-feature=+crt-static} \
        /usr/bin/cargo "$command" "$@"
}

# The standard library of tests.
std_of_tests=(-Zbuild-std=std,test,panic_unwind -Zbuild-std-features=panic-unwind --config=profile.dev.package.{core,alloc}.opt-level=1)

# cross_test TARGET OPTION…: `cargo test` for it. The library is one unit of code, as in `unoptimised`.
cross_test() {
    .ci/need "${debian_rust[@]}" "${1%%-*}-linux-gnu-gcc"
    test_options=${test_options--C opt-level=0} one_unit=yes light cross test --all-features --target "$@" "${std_of_tests[@]}"
}

# build_tests LIST COMMAND…: runs `cargo test --no-run`, and writes the paths of the programs to the list.
build_tests() {
    local list=$1
    shift
    rm -f "$list"
    "$@" 2>&1 | tee "$results/build"
    sed -nE 's/^ *Executable .*\((.*)\)$/\1/p' "$results/build" >"$list"
    [ -s "$list" ]
}

# The tests of the library except those of memory, which does not depend on the machine.
machine_tests() {
    echo --lib --test=api
    basename -a -s .rs tests/default_*.rs | sed 's/^/--test=/'
}

cross_tests() {
    # shellcheck disable=SC2046
    build_tests "$results/$1" cross_test "$1" --no-run $(machine_tests)
}

# Builds the programs of the part `release`, or finds them built.
x86_tests() {
    # shellcheck disable=SC2046
    build_tests "$results/x86_64" light cargo test --no-run $(machine_tests) --release -p simd-digest --all-features
}

# run_tests LIST TESTS EMULATOR…: runs the programs of the list, and of the public interface these tests only, or all if
# there are none. The guard pages are left out, 16 MiB through the traits, and the longest tests of BLAKE3's tree, which
# is the same on all machines: an emulator takes minutes for them. So is SHA-224, whose kernels are those of SHA-256,
# where not all tests are run, and of the tests beside the code those of trees, of what a hasher holds back and of
# choices. The emulator of x86-64 has the SHA extension only if it is new enough.
run_tests() {
    local list=$1 tests=$2 alike=$alike program of_api of_code
    shift 2
    [ "$1" != qemu-x86_64-static ] || alike+=' --skip choices::'
    .ci/need "$1"
    [ "$1 $REQUIRE_SHA" != 'qemu-x86_64-static yes' ] || .ci/need "$1:sha-ni"
    [ -s "$list" ] || without 77 'its tests are not there'
    backends "$@" "$(grep '/api-' "$list")"
    of_api=$("$@" "$(grep '/api-' "$list")" --list </dev/null | grep ': test$')
    # shellcheck disable=SC2086
    filters_match "$of_api" $tests ${tests:+--skip of_sha224 --skip of_sha384 --skip of_sha512_} $too_long
    of_code=$("$@" "$(grep '/simd_digest-' "$list")" --list </dev/null | grep ': test$')
    # shellcheck disable=SC2086
    filters_match "$of_code" $alike
    while read -r program; do
        echo "${program##*/}"
        # shellcheck disable=SC2086
        case $program in
            */api-*) .ci/runner "$@" "$program" $tests ${tests:+--skip of_sha224 --skip of_sha384 --skip of_sha512_} $too_long </dev/null ;;
            */simd_digest-*) .ci/runner "$@" "$program" ${tests:+$alike} </dev/null ;;
            *) .ci/runner "$@" "$program" </dev/null ;;
        esac
    done <"$list"
}

# Tests for which an emulator takes minutes.
too_long='--skip guard_pages:: --skip a_long_message --skip blake3::hasher::trap_full_last_chunk
    --skip blake3::hazmat::every_length --skip blake3::many::finalize_many --skip blake3::many::lengths_up_to_40_kib
    --skip blake3::state::any_bytes --skip blake3::state::round_trip --skip blake3::vectors::every_length
    --skip blake3::vectors::lengths_around_every_chunk'

# Tests beside the code that are alike on all machines with the same backends.
alike='--skip blake2::tree:: --skip buffer::tests'

# emulated LIST TESTS EMULATOR, and lines of: machine, backends that it must find, whether they have the SHA extension
# (`512`: and that for SHA-512), options of the emulator.
emulated() {
    local machine backends sha options
    while IFS=: read -r machine backends sha options; do
        # shellcheck disable=SC2086
        SIMD_DIGEST_FEWER_CASES=yes REQUIRE_SHA=$sha on_machine "$machine" "$backends" run_tests "$results/$1" "$2" "$3" $options
    done
}

# The tests that depend on the backends found.
tests_of_backends='backends:: blake3::output:: compress:: many:: sha2:: traps:: vectors::'
# Tests for a machine that finds the backends of another one.
tests_of_kin='backends:: vectors::'

# The tests among these that compare with the crate blake3.
without_blake3='--skip blake3::compress --skip blake3::many --skip blake3::output --skip blake3::traps
    --skip blake3::vectors::peer --skip blake3::vectors::random --skip blake3::vectors::trap'

# Denverton has SHA-NI without AVX. The last five machines have an inconsistent CPUID. Other libraries have
# died there.
x86_machines() {
    local beside_native=$tests_of_backends
    if [ "$(uname -m)" != x86_64 ]; then
        step 'tests for x86-64 compile' without 78 'it is no x86-64'
        return
    fi
    step 'tests for other x86-64 CPUs compile' x86_tests
    emulated x86_64 "$tests_of_backends" qemu-x86_64-static <<'CPUS'
x86-64, kvm64:portable:no:-cpu kvm64
x86-64, Penryn:sse41,portable:no:-cpu Penryn
x86-64, Denverton:sse41,portable:yes:-cpu Denverton
CPUS
    # A CPU with AVX2 and SHA-NI runs all tests on their kernels itself. Here the tests of the library alone execute every
    # instruction of these kernels that can be reached, so one that such a machine does not know would end them.
    ! cpu_has avx2 sha_ni || beside_native=$tests_of_kin
    emulated x86_64 "$beside_native" qemu-x86_64-static <<'CPUS'
x86-64, SandyBridge:avx,sse41,portable:no:-cpu SandyBridge
x86-64, max:avx2,avx,sse41,portable:yes:-cpu max
CPUS
    emulated x86_64 "$tests_of_kin" qemu-x86_64-static <<'CPUS'
x86-64, Conroe:portable:no:-cpu Conroe
x86-64, Nehalem:sse41,portable:no:-cpu Nehalem
x86-64, Haswell:avx2,avx,sse41,portable:no:-cpu Haswell
x86-64, EPYC-Milan:avx2,avx,sse41,portable:yes:-cpu EPYC-Milan
x86-64, max without SHA-NI:avx2,avx,sse41,portable:no:-cpu max,-sha-ni
x86-64, Haswell without XSAVE:sse41,portable:no:-cpu Haswell,-xsave
x86-64, Haswell without AVX:sse41,portable:no:-cpu Haswell,-avx
x86-64, Haswell without BMI2:avx2,avx,sse41,portable:no:-cpu Haswell,-bmi2
CPUS
    # The crate blake3 dies there, so BLAKE3 is compared with the official vectors alone.
    emulated x86_64 "$tests_of_backends $without_blake3" qemu-x86_64-static \
        <<<'x86-64, max without SSE4.1:portable:no:-cpu max,-sse4.1'
    # Leaf 7 of CPUID is hidden. The crates blake3, sha2 by SHA-512, and chacha20, proptest's generator, die there.
    emulated x86_64 "$tests_of_kin $without_blake3 --skip of_the_peer --skip any_messages --skip of_sha512::peer_at" qemu-x86_64-static \
        <<<'x86-64, SandyBridge, no leaf 7:avx,sse41,portable:no:-cpu SandyBridge,level=4'
}

# All tests, of the command line too, with fewer cases: this CPU runs 32-bit programs by itself, and sees all in 64 bits.
i686() {
    [ "$(uname -m)" = x86_64 ] || without 78 'it is no x86-64'
    SIMD_DIGEST_FEWER_CASES=yes cross_test i686-unknown-linux-gnu --no-fail-fast \
        --workspace --exclude report --exclude orders --exclude constant-time --lib --bins --tests
}

# Every CPU of this emulator has the SHA extension, and no option takes it away. Some have that for SHA-512, too, and one
# of these runs all tests, with the extensions and without. Without SVE, which nothing here uses: with it, qemu 10.0.2
# translates a long block of BLAKE2b's tree hasher wrongly and dies, except with -one-insn-per-tb.
aarch64_machines() {
    # Of two backends, they run twice as long if they are not optimised. To optimise across units takes longer than it saves.
    test_options='-C opt-level=1 -C lto=off' step 'tests for aarch64 compile' cross_tests aarch64-unknown-linux-gnu
    emulated aarch64-unknown-linux-gnu '' qemu-aarch64-static <<<'aarch64, max without SVE:neon,portable:512:-cpu max,sve=off'
    emulated aarch64-unknown-linux-gnu "$tests_of_kin" qemu-aarch64-static <<'CPUS'
aarch64, Cortex-A53:neon,portable:yes:-cpu cortex-a53
aarch64, Neoverse N1:neon,portable:yes:-cpu neoverse-n1
CPUS
}

s390x_machines() {
    step 'tests for s390x compile' cross_tests s390x-unknown-linux-gnu
    emulated s390x-unknown-linux-gnu '' qemu-s390x-static <<<'s390x (big endian):portable:no:'
}

# The linker of WebAssembly comes with rustup's toolchains.
wasm_linker() {
    find "$(rustc --print sysroot)/lib/rustlib" -name rust-lld 2>/dev/null | head -n 1
}

# Compiles the library for microcontrollers with Arm's Cortex-M4, which have no operating system: without a heap, and with
# one.
cortex_m() {
    local features hashes
    .ci/need "${debian_rust[@]}"
    hashes=$(hash_features | paste -sd,)
    for features in "$hashes" "$hashes,alloc,zeroize"; do
        echo "features: $features"
        cross_flags='-C panic=abort' cross check --lib --no-default-features --features "$features" \
            -Zbuild-std=core,alloc --target thumbv7em-none-eabi
    done
}

# Checks the types of what users of other systems have, for none of which a machine runs here.
other_systems() {
    local machine
    .ci/need "${debian_rust[@]}"
    for machine in x86_64-pc-windows-msvc aarch64-apple-darwin; do
        echo "$machine: types are checked, and nothing runs"
        cross_flags='' cross check --locked --all-features -p simd-digest-pool -p simd-digest-store -p bt2sum \
            -Zbuild-std=std,panic_abort --target "$machine"
    done
}

# A program of its own: a host of WebAssembly cannot run test programs.
wasm() {
    local checks
    .ci/need "${debian_rust[@]}" node
    [ -n "$(wasm_linker)" ] || without 77 'the toolchain has no rust-lld'
    grep -owFf <(.ci/hashes) .ci/wasm/checks.rs | .ci/hashes .ci/wasm/checks.rs
    cross_flags='-C target-feature=+simd128' cross build --locked --manifest-path .ci/wasm/Cargo.toml \
        -Zbuild-std=std,panic_abort --target wasm32-unknown-unknown
    checks=$(node -e '
        WebAssembly.instantiate(require("fs").readFileSync(process.argv[1]), {})
            .then(({ instance }) => console.log(instance.exports.checks()))
    ' "$target/web/wasm32-unknown-unknown/debug/wasm_checks.wasm")
    echo "test result: ok. $checks passed; 0 failed"
}

# The recipe for a hash (docs/adding-a-hash.md) is a patch with a toy hash. It is applied to a copy of the library, whose
# other tests and examples are not compiled.

# recipe_tree [STEP]: the copy, in "$tree". Without this step of the patch, if there is one.
recipe_tree() {
    tree=$target/recipe/tree
    bare_copy "$tree"
    if [ -z "${1-}" ]; then cat .ci/recipe/toy.patch; else .ci/recipe/steps.py --without "$1"; fi >"$results/patch"
    # As in a folder that is in no repository: in one, git looks for the files at its root.
    (cd "$tree" && GIT_CEILING_DIRECTORIES=$target/recipe git apply "$results/patch")
}

recipe_machines='x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu s390x-unknown-linux-gnu
    wasm32-unknown-unknown'

# recipe_compiles MACHINE: the copy, with the toy hash alone, and the standard library of the other parts. Called in
# conditions, so without `set -e`.
recipe_compiles() {
    local options=(--no-default-features --features std,toy --lib --test toy)
    case $1 in
        "$(uname -m)"-*) (cd "$tree" && CARGO_TARGET_DIR=$target/recipe cargo clippy "${options[@]}" -- -D warnings) ;;
        wasm32-*)
            (cd "$tree" && cross_flags='-C target-feature=+simd128' \
                cross check "${options[@]}" -Zbuild-std=std,test,panic_abort --target "$1")
            ;;
        *) (cd "$tree" && cross check "${options[@]}" "${std_of_tests[@]}" --target "$1") ;;
    esac
}

# recipe_test: the copy, on this machine. Called in conditions, too.
recipe_test() {
    (cd "$tree" && CARGO_TARGET_DIR=$target/recipe cargo test --no-default-features --features std,toy --test toy)
}

# The recipe as it is: beside all other hashes, and alone.
recipe_tested() {
    recipe_tree
    (cd "$tree" && cargo fmt --check)
    (cd "$tree" && CARGO_TARGET_DIR=$target/recipe cargo clippy --all-features --lib -- -D warnings)
    recipe_test
}

recipe_compiled() {
    local machine
    .ci/need "${debian_rust[@]}"
    recipe_tree
    for machine in $recipe_machines; do
        echo "$machine"
        recipe_compiles "$machine"
    done
}

recipe_without_one() {
    local number
    .ci/need python3
    number=$(.ci/recipe/steps.py | wc -l)
    recipe_without $((16#$(git rev-parse --short=7 HEAD) % number + 1))
}

recipe_without_each() {
    .ci/need python3
    # shellcheck disable=SC2046
    recipe_without $(.ci/recipe/steps.py | cut -d ' ' -f 1)
    if recipe_without '' >"$results/planted" 2>&1 || [ "$(tail -n 1 "$results/planted")" != 'nothing needs it' ]; then
        echo 'nothing was left out, and it was not noticed'
        return 1
    fi
}

# recipe_without STEP…: each of these steps of the recipe is needed: without it, the copy does not compile for one of the
# machines. To be called after `recipe_tested` and `recipe_compiled`, or it would not know why it fails.
recipe_without() {
    local step machine
    .ci/need "${debian_rust[@]}"
    for step; do
        .ci/recipe/steps.py | sed -n "${step}p"
        recipe_tree "$step"
        for machine in $recipe_machines; do
            if ! recipe_compiles "$machine" >"$results/without" 2>&1; then
                echo "    $machine: $(grep -m1 '^error' "$results/without")"
                continue 2
            fi
        done
        if recipe_test >"$results/without" 2>&1; then
            echo 'nothing needs it'
            return 1
        fi
        echo "    the test: $(grep -m1 'panicked at' "$results/without")"
    done
}
