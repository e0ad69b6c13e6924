//! One long message as a tree, on one core and on all, beside the peers and beside its leaves alone.

mod flavour;
mod setup;

use core::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use simd_digest::Digest;
use simd_digest::blake2b::{self, FlavourB, Params, Tree};
use simd_digest::blake2s::FlavourS;

use self::flavour::Peers;
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

        parallel::<FlavourB>(&mut group, "Blake2bp", &message);
        parallel::<FlavourS>(&mut group, "Blake2sp", &message);
        group.bench_function("blake3, one core", |b| b.iter(|| blake3::hash(black_box(&message))));
        group.finish();
    }
}

/// The parallel mode of a flavour, beside the peer's.
fn parallel<F: Peers>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, message: &[u8]) {
    assert_eq!(F::Parallel::digest(message)[..], *F::simd_parallel(message).as_ref());
    group.bench_function(name, |b| b.iter(|| F::Parallel::digest(black_box(message))));
    group.bench_function(format!("{} {}", F::SIMD, name.to_lowercase()), |b| {
        b.iter(|| F::simd_parallel(black_box(message)));
    });
}

criterion_group!(name = benches; config = criterion(); targets = tree);
criterion_main!(benches);
