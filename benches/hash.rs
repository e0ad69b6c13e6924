//! One message at once, by its length, beside the peers.

mod flavour;
mod kinds;
mod setup;

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simd_digest::blake2::Hash;
use simd_digest::sha2::{Batch, Sha2, Variant, Variant256, Variant512};
use simd_digest::{Backend, Blake3, Digest, blake3};

use self::flavour::Peers;
use self::kinds::kinds;
use self::setup::{criterion, paint};

const LENGTHS: [(&str, usize); 7] = [
    ("64 B", 64),
    ("128 B", 128),
    ("1 KiB", 1 << 10),
    ("8 KiB", 8 << 10),
    ("32 KiB", 32 << 10),
    ("128 KiB", 128 << 10),
    ("1 MiB", 1 << 20),
];

fn hash(bench: &mut Criterion) {
    println!("simd_digest computes on {}", Backend::best());
    for (name, length) in LENGTHS {
        compare(bench, &format!("hash {name}"), &paint(length), simd_digest::blake2b::hash);
    }
    for (name, length) in LENGTHS {
        compare(bench, &format!("hash BLAKE2s {name}"), &paint(length), simd_digest::blake2s::hash);
    }
    for (name, length) in LENGTHS {
        compare_sha2::<Variant256, ::sha2::Sha256>(bench, &format!("hash SHA-256 {name}"), &paint(length), &kinds());
    }
    let backends: Vec<_> = Backend::available().map(|backend| (backend.to_string(), backend)).collect();
    for (name, length) in LENGTHS {
        compare_sha2::<Variant512, ::sha2::Sha512>(bench, &format!("hash SHA-512 {name}"), &paint(length), &backends);
    }
    for (name, length) in LENGTHS {
        compare_blake3(bench, &format!("hash BLAKE3 {name}"), &paint(length));
    }
}

fn compare<F: Peers>(bench: &mut Criterion, name: &str, message: &[u8], hash: fn(&[u8]) -> Hash<F>) {
    let expected = F::simd(message);
    assert_eq!(hash(message), *expected.as_ref());
    assert_eq!(F::Ours::digest(message)[..], *expected.as_ref());
    assert_eq!(F::Blake2::digest(message)[..], *expected.as_ref());

    let mut group = bench.benchmark_group(name);
    group.throughput(Throughput::Bytes(message.len() as u64));
    group.bench_function("simd_digest hash", |b| b.iter(|| hash(black_box(message))));
    group.bench_function("simd_digest Digest", |b| b.iter(|| F::Ours::digest(black_box(message))));
    group.bench_function("blake2", |b| b.iter(|| F::Blake2::digest(black_box(message))));
    group.bench_function(F::SIMD, |b| b.iter(|| F::simd(black_box(message))));
    group.finish();
}

/// Ours on all these backends, and `sha2`.
fn compare_sha2<V: Variant, P: Digest>(
    bench: &mut Criterion,
    name: &str,
    message: &[u8],
    backends: &[(String, Backend)],
) {
    let expected = P::digest(message);
    assert_eq!(Batch::<V>::new().hash(message), expected[..]);
    assert_eq!(Sha2::<V>::digest(message)[..], expected[..]);

    let mut group = bench.benchmark_group(name);
    group.throughput(Throughput::Bytes(message.len() as u64));
    group.bench_function("simd_digest hash", |b| b.iter(|| Batch::<V>::new().hash(black_box(message))));
    group.bench_function("simd_digest Digest", |b| b.iter(|| Sha2::<V>::digest(black_box(message))));
    for (name, backend) in backends {
        let batch = Batch::<V>::new().with_backend(*backend);
        assert_eq!(batch.hash(message), expected[..], "{name}");
        group.bench_function(format!("simd_digest hash on {name}"), |b| b.iter(|| batch.hash(black_box(message))));
    }
    group.bench_function("sha2", |b| b.iter(|| P::digest(black_box(message))));
    group.finish();
}

/// Ours on every backend, and `blake3`.
fn compare_blake3(bench: &mut Criterion, name: &str, message: &[u8]) {
    let expected = *::blake3::hash(message).as_bytes();
    assert_eq!(blake3::hash(message), expected);
    assert_eq!(Blake3::digest(message), expected);

    let mut group = bench.benchmark_group(name);
    group.throughput(Throughput::Bytes(message.len() as u64));
    group.bench_function("simd_digest hash", |b| b.iter(|| blake3::hash(black_box(message))));
    group.bench_function("simd_digest Digest", |b| b.iter(|| Blake3::digest(black_box(message))));
    for backend in Backend::available() {
        let mode = blake3::Mode::HASH.with_backend(backend);
        assert_eq!(mode.hash(message), expected, "{backend}");
        group.bench_function(format!("simd_digest hash on {backend}"), |b| b.iter(|| mode.hash(black_box(message))));
    }
    group.bench_function("blake3", |b| b.iter(|| ::blake3::hash(black_box(message))));
    group.finish();
}

criterion_group!(name = benches; config = criterion(); targets = hash);
criterion_main!(benches);
