//! Every backend of this CPU: blocks in a row, and one block with all that a hash costs beside it.

mod setup;

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simd_digest::{Backend, blake2b};

use self::setup::{criterion, paint};

fn compress(bench: &mut Criterion) {
    for (name, length) in [("1 block", 128), ("16 KiB", 16 << 10)] {
        let message = paint(length);
        let expected = *blake2b_simd::blake2b(&message).as_array();

        let mut group = bench.benchmark_group(format!("compress {name}"));
        group.throughput(Throughput::Bytes(length as u64));
        for backend in Backend::available() {
            let hash = |message| blake2b::Hasher::new().with_backend(backend).update(message).finalize();
            assert_eq!(hash(&message), expected, "{backend}");
            group.bench_function(backend.name(), |b| b.iter(|| hash(black_box(&message))));
        }
        group.finish();
    }
}

criterion_group!(name = benches; config = criterion(); targets = compress);
criterion_main!(benches);
