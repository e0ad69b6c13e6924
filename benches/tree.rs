//! One long message as a tree, on one core and on all, beside the peers and beside its leaves alone.

mod setup;

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simd_digest::Digest;
use simd_digest::blake2b::{self, Blake2bp, Params, Tree};

use self::setup::{criterion, paint};

const LEAF: u32 = 64 << 10;

fn tree(bench: &mut Criterion) {
    let tree = Tree::unlimited_fanout(LEAF).unwrap();
    for (name, length) in [("1 MiB", 1 << 20), ("64 MiB", 64 << 20)] {
        let message = paint(length);
        let mut group = bench.benchmark_group(format!("tree {name}"));
        group.throughput(Throughput::Bytes(length as u64));

        let leaves: Vec<&[u8]> = message.chunks(LEAF as usize).collect();
        let mut hashes = vec![blake2b::hash(b""); leaves.len()];
        let params = Params::new();
        group.bench_function("hash_many over the leaves", |b| {
            b.iter(|| params.hash_many_into(black_box(&leaves), &mut hashes));
        });

        let root = tree.hash(&message);
        group.bench_function("Tree, one core", |b| b.iter(|| tree.hash(black_box(&message))));
        let on_all_cores = |message| tree.hasher().update_rayon(message).finalize();
        assert_eq!(on_all_cores(&message), root);
        group.bench_function("Tree, all cores", |b| b.iter(|| on_all_cores(black_box(&message))));

        let expected = blake2b_simd::blake2bp::blake2bp(&message);
        assert_eq!(Blake2bp::digest(&message), *expected.as_array());
        group.bench_function("Blake2bp", |b| b.iter(|| Blake2bp::digest(black_box(&message))));
        group.bench_function("blake2b_simd blake2bp", |b| {
            b.iter(|| blake2b_simd::blake2bp::blake2bp(black_box(&message)));
        });
        group.bench_function("blake3, one core", |b| b.iter(|| blake3::hash(black_box(&message))));
        group.finish();
    }
}

criterion_group!(name = benches; config = criterion(); targets = tree);
criterion_main!(benches);
