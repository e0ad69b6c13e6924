//! One message at once, by its length, beside the peers.

mod setup;

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simd_digest::{Backend, Blake2b512, Digest, blake2b};

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
        let message = paint(length);
        let expected = *blake2b_simd::blake2b(&message).as_array();
        assert_eq!(blake2b::hash(&message), expected);
        assert_eq!(Blake2b512::digest(&message), expected);
        assert_eq!(blake2::Blake2b512::digest(&message), expected);

        let mut group = bench.benchmark_group(format!("hash {name}"));
        group.throughput(Throughput::Bytes(length as u64));
        group.bench_function("simd_digest hash", |b| b.iter(|| blake2b::hash(black_box(&message))));
        group.bench_function("simd_digest Digest", |b| b.iter(|| Blake2b512::digest(black_box(&message))));
        group.bench_function("blake2", |b| b.iter(|| blake2::Blake2b512::digest(black_box(&message))));
        group.bench_function("blake2b_simd", |b| b.iter(|| blake2b_simd::blake2b(black_box(&message))));
        group.finish();
    }
}

criterion_group!(name = benches; config = criterion(); targets = hash);
criterion_main!(benches);
