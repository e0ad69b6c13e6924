//! One message at once, by its length, beside the peers.

mod flavour;
mod setup;

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simd_digest::blake2::Hash;
use simd_digest::{Backend, Digest};

use self::flavour::Peers;
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

criterion_group!(name = benches; config = criterion(); targets = hash);
criterion_main!(benches);
