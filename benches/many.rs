//! Many messages at once, by their number and length, beside the peers.

mod flavour;
mod kinds;
mod setup;

use core::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use simd_digest::blake2::{Hash, Params};
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::FlavourS;
use simd_digest::sha2::{self, Batch, Variant, Variant256, Variant512};
use simd_digest::{Backend, Digest, blake3};

use self::flavour::Peers;
use self::kinds::kinds;
use self::setup::{criterion, paint};

/// Ours on every backend with lanes, and the peers, over the same messages.
fn compare<F: Peers>(mut group: BenchmarkGroup<'_, WallTime>, messages: &[&[u8]]) {
    let params = Params::<F>::new();
    let expected: Vec<Hash<F>> = messages.iter().map(|message| params.hash(message).unwrap()).collect();
    group.throughput(Throughput::Bytes(messages.iter().map(|message| message.len() as u64).sum()));

    assert_eq!(params.hash_many(messages), Ok(expected.clone()));
    group.bench_function("simd_digest hash_many", |b| b.iter(|| params.hash_many(black_box(messages))));
    for backend in Backend::available().filter(|&backend| blake2b::lanes(backend) > 1 && backend != Backend::best()) {
        let params = params.clone().with_backend(backend);
        assert_eq!(params.hash_many(messages), Ok(expected.clone()));
        let name = format!("simd_digest hash_many on {backend}");
        group.bench_function(name, |b| b.iter(|| params.hash_many(black_box(messages))));
    }

    let equal = |peer: &[u8], ours: &Hash<F>| *ours == *peer;
    assert!(F::simd_many(messages).iter().zip(&expected).all(|(peer, ours)| equal(peer.as_ref(), ours)));
    group.bench_function(format!("{} many", F::SIMD), |b| b.iter(|| F::simd_many(black_box(messages))));

    let one_by_one = |messages: &[&[u8]]| messages.iter().map(F::Blake2::digest).collect::<Vec<_>>();
    assert!(one_by_one(messages).iter().zip(&expected).all(|(peer, ours)| equal(peer, ours)));
    group.bench_function("blake2 one by one", |b| b.iter(|| one_by_one(black_box(messages))));
    group.finish();
}

fn equal_lengths(bench: &mut Criterion) {
    for (name, length) in [("64 B", 64), ("1 KiB", 1 << 10), ("16 KiB", 16 << 10), ("1 MiB", 1 << 20)] {
        for count in [1, 2, 4, 8, 16, 64] {
            let memory = paint(count * length);
            let messages: Vec<&[u8]> = memory.chunks(length).collect();
            compare::<FlavourB>(bench.benchmark_group(format!("many {count} × {name}")), &messages);
        }
    }
}

fn blake2s(bench: &mut Criterion) {
    for (name, length) in [("64 B", 64), ("16 KiB", 16 << 10)] {
        for count in [8, 16, 64] {
            let memory = paint(count * length);
            let messages: Vec<&[u8]> = memory.chunks(length).collect();
            compare::<FlavourS>(bench.benchmark_group(format!("many BLAKE2s {count} × {name}")), &messages);
        }
    }
}

fn sha256(bench: &mut Criterion) {
    compare_sha2::<Variant256, ::sha2::Sha256>(bench, &kinds());
}

fn sha512(bench: &mut Criterion) {
    let backends: Vec<_> = Backend::available().map(|backend| (backend.to_string(), backend)).collect();
    compare_sha2::<Variant512, ::sha2::Sha512>(bench, &backends);
}

/// Ours on all these backends, and `sha2`.
fn compare_sha2<V: Variant, P: Digest>(bench: &mut Criterion, backends: &[(String, Backend)]) {
    for (name, length) in [("32 B", 32), ("64 B", 64), ("1 KiB", 1 << 10), ("16 KiB", 16 << 10)] {
        for count in [2, 4, 8, 16, 64] {
            let memory = paint(count * length);
            let messages: Vec<&[u8]> = memory.chunks(length).collect();
            let one_by_one = |messages: &[&[u8]]| messages.iter().map(P::digest).collect::<Vec<_>>();
            let expected = one_by_one(&messages);
            let equal = |hashes: &[sha2::Hash<V>]| hashes.iter().zip(&expected).all(|(ours, peer)| *ours == peer[..]);

            let mut group = bench.benchmark_group(format!("many {} {count} × {name}", V::TITLE));
            group.throughput(Throughput::Bytes(memory.len() as u64));
            let best = Batch::<V>::new();
            assert!(equal(&best.hash_many(&messages)));
            group.bench_function("simd_digest hash_many", |b| b.iter(|| best.hash_many(black_box(&messages))));
            for (name, backend) in backends {
                let batch = Batch::<V>::new().with_backend(*backend);
                assert!(equal(&batch.hash_many(&messages)), "{name}");
                let name = format!("simd_digest hash_many on {name}");
                group.bench_function(name, |b| b.iter(|| batch.hash_many(black_box(&messages))));
            }
            group.bench_function("sha2 one by one", |b| b.iter(|| one_by_one(black_box(&messages))));
            group.finish();
        }
    }
}

/// Ours on every backend, and `blake3`.
fn blake3_many(bench: &mut Criterion) {
    for (name, length) in [("64 B", 64), ("1 KiB", 1 << 10), ("3 KiB", 3 << 10), ("16 KiB", 16 << 10)] {
        for count in [2, 4, 8, 16, 64] {
            let memory = paint(count * length);
            let messages: Vec<&[u8]> = memory.chunks(length).collect();
            compare_blake3(bench, &format!("many BLAKE3 {count} × {name}"), &messages);
        }
    }
    let memory = paint(64 << 10);
    let up_to_64_kib: Vec<&[u8]> = (0..100).map(|i| &memory[..i * 12377 % memory.len()]).collect();
    compare_blake3(bench, "many BLAKE3 100 × 0 to 64 KiB", &up_to_64_kib);
}

fn compare_blake3(bench: &mut Criterion, name: &str, messages: &[&[u8]]) {
    let one_by_one = |messages: &[&[u8]]| messages.iter().map(|message| ::blake3::hash(message)).collect::<Vec<_>>();
    let expected = one_by_one(messages);
    let equal = |ours: &blake3::Hash, peer: &::blake3::Hash| ours.as_bytes() == peer.as_bytes();
    let equal = |hashes: &[blake3::Hash]| hashes.iter().zip(&expected).all(|(ours, peer)| equal(ours, peer));

    let mut group = bench.benchmark_group(name);
    group.throughput(Throughput::Bytes(messages.iter().map(|message| message.len() as u64).sum()));
    assert!(equal(&blake3::hash_many(messages)));
    group.bench_function("simd_digest hash_many", |b| b.iter(|| blake3::hash_many(black_box(messages))));
    for backend in Backend::available() {
        let mode = blake3::Mode::HASH.with_backend(backend);
        assert!(equal(&mode.hash_many(messages)), "{backend}");
        let name = format!("simd_digest hash_many on {backend}");
        group.bench_function(name, |b| b.iter(|| mode.hash_many(black_box(messages))));
    }
    group.bench_function("blake3 one by one", |b| b.iter(|| one_by_one(black_box(messages))));
    group.finish();
}

fn mixed_lengths(bench: &mut Criterion) {
    let memory = paint(5 << 20);
    let up_to_4_kib: Vec<&[u8]> = (0..100).map(|i| &memory[..i * 1237 % 4096]).collect();
    compare::<FlavourB>(bench.benchmark_group("many 100 × 0 to 4 KiB"), &up_to_4_kib);
    let mut one_long = vec![&memory[..64 << 10]; 15];
    one_long.push(&memory);
    compare::<FlavourB>(bench.benchmark_group("many 15 × 64 KiB, 1 × 5 MiB"), &one_long);
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

criterion_group!(name = benches; config = criterion(); targets = equal_lengths, blake2s, sha256, sha512, blake3_many, mixed_lengths, best_split);
criterion_main!(benches);
