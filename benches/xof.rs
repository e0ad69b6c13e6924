//! 1 MiB of output, whole and block by block, which takes one lane.

mod setup;

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simd_digest::Backend;
use simd_digest::blake2::{Flavour, OutputReader, Params};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::blake3;

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

/// Beside `blake3`.
fn of_blake3(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("BLAKE3 1 MiB out");
    group.throughput(Throughput::Bytes(LENGTH as u64));
    let key = [7; blake3::KEY_LEN];
    let mut expected = vec![0; LENGTH];
    ::blake3::Hasher::new_keyed(&key).update(&paint(100)).finalize_xof().fill(&mut expected);
    for backend in Backend::available() {
        for (how, piece) in [("whole", LENGTH), ("block by block", blake3::BLOCK_LEN)] {
            let mut output = blake3::Mode::keyed(&key).with_backend(backend).hash_xof(&paint(100));
            let mut bytes = vec![0; LENGTH];
            let mut expand = |bytes: &mut [u8]| {
                output.set_position(0);
                bytes.chunks_mut(piece).for_each(|piece| output.fill(piece));
            };
            expand(&mut bytes);
            assert!(bytes == expected);
            group.bench_function(format!("{how} on {backend}"), |b| b.iter(|| expand(black_box(&mut bytes))));
        }
    }
    let mut output = ::blake3::Hasher::new_keyed(&key).update(&paint(100)).finalize_xof();
    let mut bytes = vec![0; LENGTH];
    group.bench_function("blake3 whole", |b| {
        b.iter(|| {
            output.set_position(0);
            output.fill(black_box(&mut bytes));
        });
    });
    group.finish();
}

criterion_group!(name = benches; config = criterion(); targets = blake2x, of_blake3);
criterion_main!(benches);
