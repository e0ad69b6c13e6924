//! 1 MiB of output, whole and block by block, which takes one lane.

mod setup;

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simd_digest::Backend;
use simd_digest::blake2::{Flavour, OutputReader, Params};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use self::setup::{criterion, paint};

const LENGTH: usize = 1 << 20;

fn expand<F: Flavour>(output: &mut OutputReader<F>, bytes: &mut [u8], piece: usize) {
    output.set_position(0).expect("the start is always there");
    bytes.chunks_mut(piece).for_each(|piece| output.try_read(piece).expect("the length is unknown, but not as short"));
}

fn xof<F: Flavour>(bench: &mut Criterion, name: &str, block: usize) {
    let mut group = bench.benchmark_group(format!("{name} 1 MiB out"));
    group.throughput(Throughput::Bytes(LENGTH as u64));
    let params = |backend| Params::<F>::new().key(b"a key").with_backend(backend);
    let output = |backend| params(backend).xof().expect("in range").update(&paint(100)).finalize();
    let mut expected = vec![0; LENGTH];
    expand::<F>(&mut output(Backend::best()), &mut expected, block);
    for backend in Backend::available() {
        for (how, piece) in [("whole", LENGTH), ("block by block", block)] {
            let (mut output, mut bytes) = (output(backend), vec![0; LENGTH]);
            expand::<F>(&mut output, &mut bytes, piece);
            assert!(bytes == expected);
            group.bench_function(format!("{how} on {backend}"), |b| {
                b.iter(|| expand::<F>(&mut output, black_box(&mut bytes), piece));
            });
        }
    }
    group.finish();
}

fn blake2x(bench: &mut Criterion) {
    xof::<FlavourB>(bench, "BLAKE2Xb", 64);
    xof::<FlavourS>(bench, "BLAKE2Xs", 32);
}

criterion_group!(name = benches; config = criterion(); targets = blake2x);
criterion_main!(benches);
