//! Many messages at once, by their number and length, beside the peers.

mod setup;

use core::hint::black_box;

use blake2b_simd::many::{HashManyJob, hash_many};
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use simd_digest::blake2b::{self, Hash, Params};
use simd_digest::{Backend, Digest};

use self::setup::{criterion, paint};

/// Ours on every backend with lanes, and the peers, over the same messages.
fn compare(mut group: BenchmarkGroup<'_, WallTime>, messages: &[&[u8]]) {
    let expected: Vec<Hash> = messages.iter().map(|message| blake2b::hash(message)).collect();
    group.throughput(Throughput::Bytes(messages.iter().map(|message| message.len() as u64).sum()));

    assert_eq!(blake2b::hash_many(messages), expected);
    group.bench_function("simd_digest hash_many", |b| b.iter(|| blake2b::hash_many(black_box(messages))));
    for backend in Backend::available().filter(|&backend| backend.lanes() > 1 && backend != Backend::best()) {
        let params = Params::new().with_backend(backend);
        assert_eq!(params.hash_many(messages), Ok(expected.clone()));
        let name = format!("simd_digest hash_many on {backend}");
        group.bench_function(name, |b| b.iter(|| params.hash_many(black_box(messages))));
    }

    let peer = |messages: &[&[u8]]| -> Vec<blake2b_simd::Hash> {
        let params = blake2b_simd::Params::new();
        let mut jobs: Vec<_> = messages.iter().map(|message| HashManyJob::new(&params, message)).collect();
        hash_many(jobs.iter_mut());
        jobs.iter().map(HashManyJob::to_hash).collect()
    };
    assert!(peer(messages).iter().zip(&expected).all(|(peer, ours)| peer.as_bytes() == ours.as_bytes()));
    group.bench_function("blake2b_simd many", |b| b.iter(|| peer(black_box(messages))));

    let one_by_one = |messages: &[&[u8]]| messages.iter().map(blake2::Blake2b512::digest).collect::<Vec<_>>();
    assert!(one_by_one(messages).iter().zip(&expected).all(|(peer, ours)| *ours == **peer));
    group.bench_function("blake2 one by one", |b| b.iter(|| one_by_one(black_box(messages))));
    group.finish();
}

fn equal_lengths(bench: &mut Criterion) {
    for (name, length) in [("64 B", 64), ("1 KiB", 1 << 10), ("16 KiB", 16 << 10), ("1 MiB", 1 << 20)] {
        for count in [1, 2, 4, 8, 16, 64] {
            let memory = paint(count * length);
            let messages: Vec<&[u8]> = memory.chunks(length).collect();
            compare(bench.benchmark_group(format!("many {count} × {name}")), &messages);
        }
    }
}

fn mixed_lengths(bench: &mut Criterion) {
    let memory = paint(5 << 20);
    let up_to_4_kib: Vec<&[u8]> = (0..100).map(|i| &memory[..i * 1237 % 4096]).collect();
    compare(bench.benchmark_group("many 100 × 0 to 4 KiB"), &up_to_4_kib);
    let mut one_long = vec![&memory[..64 << 10]; 15];
    one_long.push(&memory);
    compare(bench.benchmark_group("many 15 × 64 KiB, 1 × 5 MiB"), &one_long);
}

/// What the best split of `mixed_lengths` would take: sixteen in lanes, and the rest of the long one alone.
fn best_split(bench: &mut Criterion) {
    let memory = paint(5 << 20);
    let (head, rest) = memory.split_at(64 << 10);
    let mut group = bench.benchmark_group("many 15 × 64 KiB, 1 × 5 MiB");
    group.bench_function("best split: 16 × 64 KiB, then the rest", |b| {
        b.iter(|| (blake2b::hash_many(black_box(&[head; 16])), blake2b::hash(black_box(rest))));
    });
    group.finish();
}

criterion_group!(name = benches; config = criterion(); targets = equal_lengths, mixed_lengths, best_split);
criterion_main!(benches);
