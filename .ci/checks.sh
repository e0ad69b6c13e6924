# The steps of `.ci/run` on this machine.

layers() {
    .ci/need python3
    .ci/layers.py
    planted_in_copy '.ci/layers.py .' <<'FAULTS'
src/kernel.rs: use crate::stream::Stream;
src/stream.rs: use crate::blake2b::Hasher;
src/backend/avx2.rs: use crate::kernel::blake3::Blake3Function;
FAULTS
}

# Vector functions that LLVM inlines, whichever version it is, and faults.
vectors() {
    .ci/need python3
    .ci/vectors.py
    planted_in_copy '.ci/vectors.py' <<'FAULTS'
src/backend/avx2.rs: fn planted(v: __m256i) -> __m256i { v }
src/backend/neon.rs: #[inline] fn planted(v: uint32x4_t) -> uint32x4_t { v }
src/kernel/blake2/lanes.rs: fn planted<V: Copy>(v: V) -> V { v }
src/backend/avx512.rs: #[inline] #[target_feature(enable = "avx512f")] fn planted(v: [__m512i; 16]) -> [__m512i; 16] { transpose32x16(transpose32x16(v)) }
src/backend/avx512.rs: #[target_feature(enable = "avx512f")] fn planted(v: [__m512i; 16]) -> [__m512i; 16] { v }
src/backend/avx512.rs: #[inline] #[target_feature(enable = "avx512f")] fn planted(v: [__m512i; 16]) -> [__m512i; 16] { transpose32x16(transpose32x16(v)) } #[target_feature(enable = "avx512f")] fn caller(a: &mut [u32; 16]) { planted(x(a)); } #[target_feature(enable = "avx512f")] fn other(a: &mut [u32; 16]) { planted(x(a)); }
FAULTS
}

# planted_in_copy COMMAND: reads faults, one a line: a file, and a line that is added to it. In a copy of the tree, the
# command passes without them and fails with each.
planted_in_copy() {
    local copy=$results/copy file line number=0
    rm -rf "$copy"
    mkdir "$copy"
    git ls-files -z | grep -zvE '^fuzz/corpus/' | xargs -0 cp --parents -t "$copy"
    (cd "$copy" && eval "$1") >"$results/copy.log" 2>&1 || { cat "$results/copy.log"; return 1; }
    while IFS= read -r line; do
        file=${line%%: *}
        cp "$copy/$file" "$results/before"
        printf '%s\n' "${line#*: }" >>"$copy/$file"
        if (cd "$copy" && eval "$1") >/dev/null 2>&1; then
            echo "a planted fault was not noticed: $line"
            return 1
        fi
        cp "$results/before" "$copy/$file"
        number=$((number + 1))
    done
    [ $number -gt 0 ] && echo "$number planted faults were noticed"
}

# The rules, and faults against them.
patterns() {
    rules_of_patterns 400
    planted_in_copy 'rules_of_patterns 400' <<'FAULTS'
src/lib.rs: unsafe fn planted() {}
crates/bt2sum/src/main.rs: use std::arch::x86_64::_mm_add_epi8;
src/hash.rs: #![allow(unsafe_code)]
src/backend/avx2.rs: fn planted() { unsafe { core::hint::unreachable_unchecked() } }
Cargo.toml: [patch.crates-io]
README.md: it takes @SECONDS@
crates/store/src/lib.rs: /// The same for a store.
src/hash.rs: // Hashes. What is equal is equal.
FAULTS
    if rules_of_patterns 100000 >/dev/null 2>&1; then
        echo 'too few files were not noticed'
        return 1
    fi
}

# Links, anchors and lengths of Markdown files, and faults in them.
links() {
    local bound
    .ci/need python3
    git ls-files >"$results/tracked"
    .ci/links.py --links 60 --anchors 6 <"$results/tracked"
    planted_in_copy '.ci/links.py <"$results/tracked"' <<'FAULTS'
CONTRIBUTING.md: [a dead link](docs/no-such-file.md)
SECURITY.md: [a dead anchor](docs/performance.md#no-such-heading)
docs/performance.md: [a dead anchor](#no-such-heading)
CHANGELOG.md: [a dead link](https://github.com/simd-digest/simd-digest/blob/main/no-such-file.md)
src/lib.rs: // https://github.com/simd-digest/simd-digest/blob/main/README.md#no-such-heading
CONTRIBUTING.md: [a dead link](https://docs.rs/simd-digest/latest/simd_digest/struct.NoSuchItem.html)
CONTRIBUTING.md: [a dead label][no such label]
CHANGELOG.md: a line that is longer than the hundred and twenty columns that a line may have, because its words go on and on and on and on
FAULTS
    for bound in --links=100000 --anchors=100000 --lines=1 --words=1; do
        if .ci/links.py "$bound" <"$results/tracked" >/dev/null 2>&1; then
            echo "the bound was not noticed: $bound"
            return 1
        fi
    done
}

ways() {
    ways_lead_on <docs/adding-a-hash.md
    if sed 's/`Stream::update`/`Stream::planted`/' docs/adding-a-hash.md | ways_lead_on >/dev/null; then
        echo 'a planted fault was not noticed'
        return 1
    fi
}

# Every function of the ways from a call to its instructions is in the file that is named beside it.
ways_lead_on() {
    local file functions function number=0
    while read -r file functions; do
        for function in $functions; do
            function=${function%!}
            grep -rqw -- "${function##*::}" "$file" || { echo "$file has no $function"; return 1; }
            number=$((number + 1))
        done
    done < <(sed -nE 's/^\| `(src[^`]*)` \| (`[^|]*`) \|.*/\1 \2/p' | tr -d '`,')
    echo "$number functions are where they are said to be, of 14 that there must be"
    [ $number -ge 14 ]
}

# rules_of_patterns NUMBER: rules that are a pattern, over this many files at least.
rules_of_patterns() {
    local broken=0 file number nameless crates='crates/bt2sum crates/compat crates/pool crates/slh-dsa crates/store crates/datafusion'
    # none WHAT PATTERN PATH…: no line there has it.
    none() {
        local what=$1 pattern=$2 status=0
        shift 2
        grep -rnE --include='*.rs' -e "$pattern" "$@" || status=$?
        if [ $status -ne 1 ]; then # 2 is a path that is no longer there
            echo "^^^ $what"
            broken=1
        fi
    }
    none 'a safe function with target_feature says the same' '^[^/]*\bunsafe (extern "[A-Za-z]+" )?fn\b' src $crates
    none 'intrinsics are for the backends' '\b(core|std)::arch\b($|[^:]|::[^i])' \
        $(find src crates/bt2sum crates/datafusion -name '*.rs' -not -path 'src/backend/*' -not -path '*/target/*')
    none 'unsafe code is for the backends, for the tests that look at memory, and for running an order' \
        '(allow|expect|warn)\([^)]*unsafe_code' \
        $(find src $crates tests benches tools examples fuzz/src fuzz/fuzz_targets -name '*.rs' \
            -not -path '*/target/*' -not -path crates/pool/src/lend.rs -not -path 'src/backend/*' -not -path tests/memory.rs -not -path 'tests/common/pages.rs' \
            -not -path 'tests/common/remains.rs' -not -path tools/orders/src/candidate.rs \
            -not -path tools/constant-time/src/taint.rs)
    # Whoever finds a line of documentation by a search reads it without the lines before it.
    nameless="(The same|Same|That of|Those|Of|What|One's)\\b"
    none 'documentation begins with a name of what it is about' "//[/!] $nameless" \
        $(find src crates/*/src crates/compat/*/src tools -name '*.rs')
    none 'so does a sentence of a comment' "// $nameless|//[/!]?.*[.:] +$nameless" \
        $(find src crates/bt2sum/src crates/pool/src crates/compat/*/src tools -name '*.rs')
    awk '
        function judge() {
            if (blocks > sentences) print file " has more unsafe blocks than sentences that justify them"
            if (blocks > sentences) broken = 1
        }
        FNR == 1 { judge(); file = FILENAME; blocks = sentences = 0 }
        /unsafe \{/ { blocks++ }
        /\/\/ SAFETY: / { sentences++ }
        END { judge(); exit broken }' $(find src crates/pool/src crates/store/src tools/orders/src -name '*.rs') || broken=1
    for file in blake2 blake2b_simd blake2s_simd blake3 sha2; do
        if ! grep -xA2 "name = \"$file\"" Cargo.lock | grep -q '^source = "registry+'; then
            echo "$file is an oracle here, and must be the registry's: Cargo.lock has another, or none"
            broken=1
        fi
    done
    if grep -n '^\[patch' Cargo.toml $(find .cargo -type f 2>/dev/null || true); then
        echo '^^^ a patch would compare our hashes with themselves'
        broken=1
    fi
    if grep -nE '@[A-Z]+@' $(find . -name '*.md' -not -path '*/target/*'); then
        echo '^^^ is to be filled in'
        broken=1
    fi
    if find src crates tools tests benches examples -name mod.rs -not -path '*/target/*' | grep .; then
        echo '^^^ modules are named after themselves, not mod.rs'
        broken=1
    fi
    number=$(find src crates tools tests benches examples -name '*.rs' -not -path '*/target/*' | wc -l)
    echo "the rules were looked for in $number files, of $1 that there must be"
    [ "$number" -ge "$1" ] || broken=1
    return $broken
}

locked() {
    local manifest
    for manifest in Cargo.toml fuzz/Cargo.toml crates/slh-dsa/Cargo.toml crates/store/s3/Cargo.toml crates/datafusion/Cargo.toml crates/datafusion/bench/Cargo.toml; do
        cargo update --workspace --locked --manifest-path $manifest
    done
}

# Every package once. With --all, cargo formats the packages that a package needs by their path as well, so the library
# again for each of them.
format() {
    local manifest
    for manifest in $(git ls-files '*Cargo.toml'); do
        cargo fmt --manifest-path "$manifest" --check
    done
}

# With peers in C and in assembler, which Cargo compiles for it, and the OpenSSL of the system.
clippy_of_report() {
    .ci/need cc make pkg-config /usr/include/openssl/evp.h
    cargo clippy -p report --all-targets --features peers,openssl -- -D warnings
}

# The crates with the names of others, each a workspace of its own. No other part builds in this folder. The part `quick`
# sees compat-check, which is a member of the root's workspace.
clippy_of_compat() {
    local manifest features
    for manifest in crates/compat/*/Cargo.toml; do
        [ "$manifest" != crates/compat/check/Cargo.toml ] || continue
        for features in --no-default-features --all-features; do
            echo "$manifest $features"
            CARGO_TARGET_DIR=$target/compat/clippy cargo clippy --manifest-path "$manifest" "$features" -- -D warnings
        done
    done
}

# A backend that the compiler is told, but that cannot be chosen so, is an error, and not the best backend.
backends_by_cfg() {
    local value
    for value in avx2 sse41 scalar; do
        # Alone, the crate has more errors: those of the crates that it needs.
        (! rustc --edition 2024 --crate-name simd_digest --crate-type lib --emit metadata --out-dir "$results" \
            --cfg "simd_digest_backend=\"$value\"" src/lib.rs) 2>&1 |
            grep -F 'knows the value "portable" alone' || { echo "$value was taken"; return 1; }
    done
}

# suites OPTION…: others' tests over these crates.
suites() {
    .ci/need python3
    crates/compat/run.py "$@"
}

# The features that are a hash each.
hash_features() {
    sed -n '/^\[features\]/,/^$/s/^\([a-z0-9_-]*\) =.*/\1/p' Cargo.toml |
        grep -vxE 'default|std|alloc|rayon|reset|serde|zeroize' || true
}

# The package alone: in the workspace, bt2sum turns features of the library on. Examples name no feature, so they are
# compiled where there is a heap and where there is none.
clippy_without_features() {
    local hashes features targets
    ! grep -rnE '\bfeature =' examples || { echo '^^^ an example that depends on a feature'; return 1; }
    hashes=$(hash_features | paste -sd,)
    for features in '' alloc zeroize alloc,serde,zeroize; do
        targets='--lib --tests'
        [ "$features" != alloc ] || targets=--all-targets
        # Clippy sees the tests when they run without default features.
        [ -n "$features" ] || targets='--lib --examples'
        # shellcheck disable=SC2086
        cargo clippy -p simd-digest $targets --no-default-features --features "$hashes,$features" -- -D warnings
    done
}

# Each alone: the library and its tests. The library even without any.
clippy_of_each_hash() {
    local hash features
    cargo clippy -p simd-digest --no-default-features -- -D warnings
    for hash in $(hash_features); do
        for features in "$hash" "$hash,std,zeroize"; do
            echo "features: $features"
            cargo clippy -p simd-digest --lib --tests --no-default-features --features "$features" -- -D warnings
        done
    done
}

# backends COMMAND…: checks that tests/api, run by the command, finds the required backends and no others.
backends() {
    local found
    # With one thread the harness has printed the name of the test on this line already.
    found=$("$@" --exact vectors::required_backends_are_available --nocapture | sed -n 's/^.*backends: //p')
    [ "$found" = "$REQUIRE_BACKENDS" ] || { echo "found $found instead of $REQUIRE_BACKENDS"; return 1; }
    echo "found $found"
}

# Compiles a crate that brings its own panic handler, which is an error if the library or what it needs brings std.
no_std() {
    local bare
    # Nothing runs, so nothing is optimised.
    cargo build --no-default-features --features "$(hash_features | paste -sd,)" \
        --config 'profile.dev.package.simd-digest.opt-level=0'
    cat >"$results/bare.rs" <<'RUST'
#![no_std]
extern crate simd_digest;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
RUST
    rustc --edition 2024 --crate-type staticlib -C panic=abort --out-dir "$results" "$results/bare.rs" \
        --extern simd_digest="$target/debug/libsimd_digest.rlib" -L "dependency=$target/debug/deps"
    for bare in "$(rustc --print sysroot)"/lib/rustlib/*-none*; do
        [ -d "$bare/lib" ] || { echo 'note: no target without an operating system is installed'; break; }
        cargo build --no-default-features --features "$(hash_features | paste -sd,)" --target "${bare##*/}"
    done
}

# checksum EXPECTED FILE [OPTION…]: compares the checksums of a file and of a pipe.
checksum() {
    local expected=$1 file=$2
    shift 2
    echo "bt2sum $* ${file##*/}"
    "$bt2sum" "$@" "$file" >"$results/answer"
    diff <(echo "BLAKE2b-$((${#expected} / 2)) ($file) = $expected") "$results/answer"
    cat "$file" | "$bt2sum" "$@" >"$results/answer"
    diff <(echo "BLAKE2b-$((${#expected} / 2)) = $expected") "$results/answer"
}

# s3git's checksums of the same bytes. The program that the first command of README builds has no symbols, and at most
# six megabytes.
bt2sum_vectors() {
    local bytes
    bt2sum=$target/release/bt2sum
    cargo build --release -p bt2sum
    .ci/need strip
    strip -o "$results/stripped" "$bt2sum"
    bytes=$(stat -c %s "$results/stripped")
    echo "bt2sum has $bytes bytes without symbols, of at most 6300000"
    [ "$bytes" -le 6300000 ]
    printf 'hello s3git\n' >"$results/hello"
    head -c 6000 /dev/zero >"$results/zeros"
    : >"$results/empty"
    checksum 18e622875a89cede0d7019b2c8afecf8928c21eac18ec51e38a8e6b829b82c3ef306dec34227929fa77b1c7c329b3d4e50ed9e72dc4dc885be0932d3f28d7053 \
        "$results/hello"
    checksum 919f330a1b4a3a02aced735e7675905c159b99e07e0c8aa087d0327b26e4d3aa8323bc82962b8e8e "$results/hello" -s 40
    checksum 724b5876d9120855dcf220ee7815a697c6559575aa79d9e2b9f63f06c9f22e532fc32bf356ef1ab26ff776ea960edeb31c54769460f87489f59ae8045122705d \
        "$results/zeros" -t 4096
    checksum 27f6cd321af6c9135369ac75d1af12aa9f404c0ca5272704cc07594b0439be0aaa53df4c4d5ea0d22ab79a034130ee7f73a5bab4ee498bef69b667b5a58d1d98 \
        "$results/empty"
}

# No kernel has become longer.
instructions() {
    [ "$(uname -m)" = x86_64 ] || without 78 'it is no x86-64'
    .ci/need valgrind
    # With the features of bt2sum, whose library is compiled already.
    cargo build --release -p constant-time --bin blocks
    .ci/instructions "$target/release/blocks"
}

# release_library TOOL…: builds it with the features of bt2sum, with which it is compiled already, on the machine that the
# checks of its machine code are for.
release_library() {
    [ "$(uname -m)" = x86_64 ] || without 78 'it is no x86-64'
    .ci/need "$@"
    cargo build --release --features "$(hash_features | paste -sd,),zeroize"
}

# Bytes of code of small programs, with the library's default features. They depend on the compiler.
sizes() {
    [ "$(uname -m)" = x86_64 ] || without 78 'it is no x86-64'
    [[ $(rustc --version) == 'rustc 1.95.'* ]] || without 78 'the bounds are those of rustc 1.95'
    .ci/need python3 objdump
    cargo build --release -p simd-digest
    .ci/size "$target/release/libsimd_digest.rlib"
}

# No kernel has fallen apart into calls.
inlined() {
    release_library objdump
    .ci/inlined "$target/release/libsimd_digest.rlib" 127 avx avx2 avx512 sha_x86 sse41
}

# Kernels as the oldest compiler inlines them that is installed here. Cargo.toml may allow an older one, which has a row in
# the public workflow.
inlined_by_oldest() {
    local least oldest
    least=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    grep -q "rust: '$least'" .github/workflows/ci.yml ||
        { echo "the public workflow has no row for Rust $least, which Cargo.toml allows"; return 1; }
    command -v rustup >/dev/null || without 77 'there is no rustup'
    oldest=$(rustup toolchain list | { grep -oE '^1\.[0-9]+(\.[0-9]+)?' || true; } | sort -V |
        awk -F. -v least="${least#1.}" '$2 >= least' | head -n 1)
    echo "Cargo.toml allows Rust $least; the oldest that is installed by its number is ${oldest:-none}"
    [ "${oldest%.0}" = "$least" ] || echo "Rust $least was not run"
    if [ -z "$oldest" ] || [ "$(rustc "+$oldest" --version)" = "$(rustc --version)" ]; then
        echo 'no compiler is older than the one in use'
        return
    fi
    [ "$(uname -m)" = x86_64 ] || without 78 'it is no x86-64'
    .ci/need objdump
    cargo "+$oldest" build --release --features "$(hash_features | paste -sd,),zeroize" --target-dir "$target/oldest"
    .ci/inlined "$target/oldest/release/libsimd_digest.rlib" 127 avx avx2 avx512 sha_x86 sse41
}

# The kernels of SHA-NI are encoded so that they are fast, and run without AVX.
sha_encoding() {
    release_library objdump
    .ci/sha-encoding "$target/release/libsimd_digest.rlib"
}

# The rules that proofs stand on.
rules() {
    .ci/need python3
    python3 -m unittest discover -s tools/prove/tests
}

# As `release_library`, for AArch64, by the compiler of the other emulated tests. Its path is in $library.
library_of_aarch64() {
    .ci/need python3 "${debian_rust[@]}" aarch64-linux-gnu-gcc
    library=$target/web/aarch64-unknown-linux-gnu/release/libsimd_digest.rlib
    cross build --release --lib --features "$(hash_features | paste -sd,),zeroize" -Zbuild-std=std,panic_unwind \
        -Zbuild-std-features=panic-unwind --target aarch64-unknown-linux-gnu
}

proved_on_aarch64() {
    library_of_aarch64
    python3 tools/prove "$library" "$@"
}

refuted_on_aarch64() {
    library_of_aarch64
    python3 tools/prove/controls.py "$library" "$@"
}

modelled_on_aarch64() {
    library_of_aarch64
    [ "$(uname -m)" = aarch64 ] || .ci/need qemu-aarch64-static
    python3 tools/prove/aarch64/crosscheck.py "$library"
}

# The machine code of the kernels computes what the standards say, in the cases that are asked for.
proved() {
    release_library python3 objdump
    python3 tools/prove "$target/release/libsimd_digest.rlib" "$@"
}

# What runs is the linked program.
proved_in_bt2sum() {
    release_library python3 objdump
    cargo build --release -p bt2sum
    python3 tools/prove "$target/release/bt2sum"
}

# Proofs of a library with a planted error fail.
refuted() {
    release_library python3 objdump
    python3 tools/prove/controls.py "$target/release/libsimd_digest.rlib" "$@"
}

# The models of instructions agree with this CPU.
modelled() {
    release_library python3 objdump
    .ci/need cc
    cpu_has avx2 || without 78 'this CPU has no AVX2, which runs the comparison'
    python3 tools/prove/crosscheck.py "$target/release/libsimd_digest.rlib"
}

# readme COMMAND: runs a command that README gives.
readme() {
    grep -qxF "$1" README.md || { echo "README does not have: $1"; return 1; }
    bash -c "$1"
}

# Those of bt2sum run the program that the first run of README has built. All tests have all cases, which the part
# `quick` has not.
release_tests() {
    cargo test --release -p bt2sum
    light cargo test --release -p simd-digest --all-features
}

# Without a heap BLAKE3 has code of its own, so its tests have all cases. BLAKE2 and SHA-2 read as ever: their tests
# have fewer cases than in the part `release`.
tests_without_heap() {
    local command=(linted light cargo test --no-default-features --features "$(hash_features | paste -sd,)" --lib --tests)
    SIMD_DIGEST_FEWER_CASES=yes "${command[@]}" -- --skip blake3::
    filtered "${command[@]}" -- blake3::
}

# tests_for CPU: lets the compiler use all of that CPU in scalar code of the library too, where it has miscompiled. The
# oracles are compiled as ever. Of the tests of the public interface, those run that depend on the backends, and with
# fewer cases than in the part `release`: a wrong instruction of scalar code shows in every message. Requests do not
# depend on the CPU that the compiler knows.
tests_for() {
    local wrapper
    if [ "$1" = x86-64-v3 ]; then
        cpu_has avx2 bmi1 bmi2 f16c fma abm movbe || without 78 'not this CPU'
    fi
    # One unit of code, as in `unoptimised`.
    wrapper=$(one_unit=yes compiler '-C opt-level=0' -C "target-cpu=$1")
    export SIMD_DIGEST_FEWER_CASES=yes RUSTC_WORKSPACE_WRAPPER=$wrapper
    # shellcheck disable=SC2046
    filtered light cargo test --release -p simd-digest --all-features $(machine_tests | sed 's/--test=api//') -- \
        --skip choices::
    # shellcheck disable=SC2086
    filtered light cargo test --release -p simd-digest --all-features --test api -- $tests_of_backends
}

# Its programs of tests run with the library that the tests of the whole workspace have compiled: alone, the pool asks for
# fewer of its features. Its unit tests and examples of the documentation hash a few bytes, so they do with the library
# of these features that is not optimised.
pool_tests() {
    local what programs
    programs=$(basename -a -s .rs crates/pool/tests/*.rs | sed 's/^/--test=/')
    # shellcheck disable=SC2086
    linted cargo test --workspace --features simd-digest-pool/bytes $programs
    for what in --lib --doc; do
        cargo test -p simd-digest-pool --all-features $what --config 'profile.dev.package.simd-digest.opt-level=0'
    done
}

# pool_example NAME: with the library of the tests.
pool_example() {
    linted cargo build --workspace --features simd-digest-pool/bytes --example "$1"
    "$target/debug/examples/$1"
}

# All interleavings of a few threads, by loom. They hash a few bytes, so the library is hardly optimised; not
# optimised at all, it overflows the stack of loom's coroutines. In a copy, because the flag compiles all crates anew,
# and the other tests need a server's.
pool_model() {
    bare_copy "$target/loom/tree" crates/pool
    (cd "$target/loom/tree" && RUSTFLAGS='--cfg loom' CARGO_TARGET_DIR=$target/loom \
        cargo test --release -p simd-digest-pool --features bytes --test model \
        --config 'profile.release.package.simd-digest.opt-level=1')
}

# bare_copy FOLDER MEMBER…: a copy of the library, and of these members of its workspace, that names no crate which only
# tests, examples and benches need. So few are compiled.
bare_copy() {
    local folder=$1 member members=''
    shift
    rm -rf "$folder"
    mkdir -p "$folder"
    git ls-files -z {Cargo,clippy,rustfmt}.toml Cargo.lock README.md src tests ':!tests/data' "$@" |
        xargs -0 cp --parents -t "$folder"
    for member; do
        members+="\"$member\", "
    done
    sed -i "s|^members = .*|members = [${members%, }]|" "$folder/Cargo.toml"
    for member in . "$@"; do
        sed -i -e '/^\[.*dev-dependencies\]/,/^$/d' -e '/^\[\[\(example\|bench\)\]\]/,/^$/d' \
            -e '/^\[profile\.dev\.package/,/^$/d' "$folder/$member/Cargo.toml"
    done
}

# sql COMMAND [OPTION…]: cargo in the workspace of the SQL functions, with a folder of its own. Clippy's driver compiles
# them, so that their hundreds of crates are compiled once, and not checked beside.
sql() {
    local version
    version=$(rustc --version | sed -nE 's/^rustc 1\.([0-9]+).*/\1/p')
    [ "${version:-0}" -ge 94 ] || without 76 "Rust 1.94 is missing: this is 1.$version"
    RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=$deny_warnings CARGO_TARGET_DIR=$target/sql \
        cargo "$1" --locked --manifest-path crates/datafusion/Cargo.toml "${@:2}"
}

# Without a choice of targets, cargo compiles library, tests and examples.
sql_built() {
    sql test --no-run
}

sql_tested() {
    sql test
}

sql_verified() {
    sql run --example verified
}

# rustdoc is called as to run the examples of the library, but writes its pages and its public interface, without the crates
# that only tests need: `cargo doc` would check again all that the library needs.
sql_documented() {
    local needed
    needed=$(sed -n '/^\[dependencies\]/,/^$/s/^\([a-z-]*\) = .*/\1/p' crates/datafusion/Cargo.toml | tr -- '-\n' '_ ')
    [[ " $needed" == *' arrow '* ]]
    cat >"$results/rustdoc" <<'SH'
#!/usr/bin/env bash
options=()
while [ $# -gt 0 ]; do
    case $1 in
        --test) ;;
        --test-run-directory) shift ;;
        --extern)
            shift
            [[ " $NEEDED" != *" ${1%%=*} "* ]] || options+=(--extern "$1")
            ;;
        *) options+=("$1") ;;
    esac
    shift
done
rustdoc "${options[@]}" || exit
RUSTC_BOOTSTRAP=1 exec rustdoc "${options[@]}" -Zunstable-options --output-format json
SH
    chmod +x "$results/rustdoc"
    NEEDED=$needed RUSTDOC=$results/rustdoc RUSTDOCFLAGS="-D warnings --out-dir $results/doc" sql test --doc
    [ -s "$results/doc/simd_digest_datafusion/index.html" ]
}

# As rustdoc has written it beside the pages.
sql_interface() {
    .ci/public-api --json "$results/doc/simd_digest_datafusion.json" datafusion
}

# What the tests of clusters depend on, as one number: the functions, the programs and the versions of what they stand
# on, the library's public interface, and the store without the tests beside its code.
cluster_inputs() {
    local files file
    files=$(git ls-files --cached --others --exclude-standard crates/datafusion docs/public-api.txt Cargo.toml \
        crates/store/Cargo.toml crates/store/src ':!crates/datafusion/bench' ':!*.md' | LC_ALL=C sort -u)
    [ "$(wc -l <<<"$files")" -ge 60 ] || return 1
    while read -r file; do
        echo "$file"
        if [[ $file == crates/store/src/* ]]; then sed '/^#\[cfg(\(all(\)\?test\b/,$d; /^$/d' "$file"; else cat "$file"; fi
    done <<<"$files" | sha256sum | cut -c1-64
}

# Whether they are as in the last run that was green, which .ci/clusters.txt remembers for every machine.
clusters_are_as_before() {
    local now
    now=$(cluster_inputs) && [ "$now" = "$(cat .ci/clusters.txt 2>/dev/null)" ]
}

clusters_tested() {
    local inputs
    .ci/need python3
    inputs=$(cluster_inputs)
    sql test -p simd-digest-datafusion-cluster
    if ! clusters_are_as_before; then
        echo "$inputs" >.ci/clusters.txt
        echo 'all is well, so commit .ci/clusters.txt'
    fi
}

sql_vectors() {
    .ci/need python3
    python3 crates/datafusion/tests/data/row_digest.py --check
}

store_vectors() {
    .ci/need python3
    python3 crates/store/tests/data/vectors.py --check
}

# built_example NAME: runs it as the tests of the whole workspace have built it.
built_example() {
    linted cargo build --workspace --bin bt2sum --example "$1"
    "$target/debug/examples/$1"
}

store_sidecars() {
    linted cargo build --workspace --bin bt2sum --example verified
    crates/store/tests/data/sidecars.sh "$target/debug/bt2sum" --check
}

# Without Python's package index the step is not run: status 77.
store_s3() {
    .ci/need python3
    crates/store/s3/run
}

# slh_dsa COMMAND [OPTION…]: cargo in the workspace of the example of signatures.
slh_dsa() {
    cargo "$1" --release --locked --manifest-path crates/slh-dsa/Cargo.toml "${@:2}"
}

oracles() {
    .ci/need python3 openssl
    python3 tests/data/generate.py --check
}

# x/crypto is of the version in go.mod, or else Debian's.
blake2x_vectors() {
    if ! (command -v go >/dev/null && cd tests/data/blake2x && go mod download); then
        .ci/need go /usr/share/gocode/src/golang.org/x/crypto
        export GO111MODULE=off GOPATH=/usr/share/gocode
    fi
    (cd tests/data/blake2x && go run .) | cmp - tests/data/blake2x.txt
}
