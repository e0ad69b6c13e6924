//! What is taken from the heap, by an allocator that counts.
#![allow(unsafe_code, reason = "there is no other way to be an allocator")]
#![cfg(all(feature = "alloc", feature = "blake2"))]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use std::alloc::System;

use simd_digest::Backend;
use simd_digest::blake2::{Hasher, Params, Part, Tree, update_many};

use self::common::flavour::{Flavour, for_both};
use self::common::paint::paint;

mod common {
    #[cfg(any(feature = "blake3", feature = "sha2"))]
    pub(crate) mod backends;
    pub(crate) mod flavour;
    pub(crate) mod paint;
}

for_both! {
    batches_take_nothing,
    a_tree_holds_a_leaf_for_each_lane,
    whole_leaves_are_not_copied,
    long_leaves_are_not_reserved,
    memory_for_a_tree_is_bounded,
    nodes_are_folded,
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// Of one thread, since tests run beside each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Heap {
    /// Times that memory was asked for.
    calls: usize,
    live: isize,
    /// The most that was live.
    peak: isize,
}

thread_local! {
    static HEAP: Cell<Heap> = const { Cell::new(Heap { calls: 0, live: 0, peak: 0 }) };
}

fn count(calls: usize, growth: isize) {
    let Heap { calls: before, live, peak } = HEAP.get();
    let live = live + growth;
    HEAP.set(Heap { calls: before + calls, live, peak: peak.max(live) });
}

fn size(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

// SAFETY: every call is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, size(layout.size()));
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(0, -size(layout.size()));
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(1, size(new_size) - size(layout.size()));
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.realloc(memory, layout, new_size) }
    }
}

/// What `work` asks of the heap: calls, and bytes at most at a time.
fn heap(work: impl FnOnce()) -> (usize, usize) {
    HEAP.set(Heap::default());
    work();
    let Heap { calls, peak, .. } = HEAP.get();
    (calls, usize::try_from(peak).unwrap())
}

#[test]
fn the_allocator_counts() {
    assert_eq!(heap(|| drop(vec![0_u8; 1000])), (1, 1000));
    assert_eq!(heap(|| ()), (0, 0));
}

/// With the output of the caller, nothing at all, however many messages there are.
fn batches_take_nothing<F: Flavour>() {
    let memory = paint(2000);
    let messages: Vec<&[u8]> = (0..200).map(|i| &memory[i..][..7 * i]).collect();
    for backend in Backend::available() {
        let params = Params::<F>::new().key(b"key").hash_length(32).with_backend(backend);
        let mut hashes = vec![params.hash(b"").unwrap(); messages.len()];
        assert_eq!(heap(|| params.hash_many_into(&messages, &mut hashes).unwrap()), (0, 0), "{backend}");
        let mut flat = vec![0; 32 * messages.len()];
        assert_eq!(heap(|| params.hash_many_flat(&messages, &mut flat).unwrap()), (0, 0), "{backend}");
        assert_eq!(heap(|| _ = params.hash_many(&messages)).0, 1, "{backend}, the list of hashes");

        let mut begun = Hasher::<F>::new().with_backend(backend);
        begun.update(&memory[..300]);
        assert_eq!(heap(|| begun.hash_many_into(&messages, &mut hashes).unwrap()), (0, 0), "{backend}, tails");

        let mut hashers = vec![Hasher::new().with_backend(backend); messages.len()];
        let mut updates: Vec<(&mut Hasher<F>, &[u8])> = hashers.iter_mut().zip(messages.iter().copied()).collect();
        assert_eq!(heap(|| update_many(&mut updates)), (0, 0), "{backend}");

        let mut parallel = params.parallel().unwrap();
        assert_eq!(heap(|| _ = parallel.update(&memory).finalize()), (0, 0), "{backend}, parallel mode");

        let tree = unlimited::<F>(backend);
        let leaves = tree.hash_run(0, &memory, Part::Last).unwrap();
        assert_eq!(
            heap(|| tree.verify_run(0, &memory, Part::Last, &leaves).unwrap()),
            (0, 0),
            "{backend}, leaves verified"
        );

        let mut output = params.xof().unwrap().finalize();
        assert_eq!(heap(|| output.try_read(&mut flat).unwrap()), (0, 0), "{backend}, BLAKE2X");
    }
}

#[cfg(feature = "sha2")]
#[test]
fn batches_of_sha2_take_nothing() {
    use simd_digest::sha2::{Variant224, Variant256, Variant512};

    batches_of_variant_take_nothing::<Variant256>();
    batches_of_variant_take_nothing::<Variant512>();
    batches_of_variant_take_nothing::<Variant224>();
}

/// SHA-256 or SHA-224, HMAC and PBKDF2 over it too.
#[cfg(feature = "sha2")]
fn batches_of_variant_take_nothing<V: simd_digest::sha2::Variant>() {
    use simd_digest::sha2::{Batch, Hasher, HmacKey, finalize_many, update_many};

    let memory = paint(2000);
    let messages: Vec<&[u8]> = (0..200).map(|i| &memory[i..][..7 * i]).collect();
    let mut derived = vec![[0; 70]; messages.len()];
    for backend in common::backends::all_backends() {
        let batch = Batch::<V>::new().with_backend(backend);
        let mut hashes = vec![batch.hash(b""); messages.len()];
        assert_eq!(heap(|| batch.hash_many_into(&messages, &mut hashes).unwrap()), (0, 0), "{backend:?}");
        let mut flat = vec![0; V::LENGTH * messages.len()];
        assert_eq!(heap(|| batch.hash_many_flat(&messages, &mut flat).unwrap()), (0, 0), "{backend:?}");
        assert_eq!(heap(|| _ = batch.hash_many(&messages)).0, 1, "{backend:?}, the list of hashes");

        let mut begun = Hasher::<V>::new().with_backend(backend);
        begun.update(&memory[..300]);
        assert_eq!(heap(|| begun.hash_many_into(&messages, &mut hashes).unwrap()), (0, 0), "{backend:?}, tails");
        let mut begun = HmacKey::<V>::new(b"key").with_backend(backend).hasher();
        begun.update(&memory[..300]);
        assert_eq!(heap(|| begun.hash_many_flat(&messages, &mut flat).unwrap()), (0, 0), "{backend:?}, tails");

        let mut hashers = vec![Hasher::<V>::new().with_backend(backend); messages.len()];
        let mut updates: Vec<(&mut Hasher<V>, &[u8])> = hashers.iter_mut().zip(messages.iter().copied()).collect();
        assert_eq!(heap(|| update_many(&mut updates)), (0, 0), "{backend:?}");
        let hashers: Vec<&Hasher<V>> = hashers.iter().collect();
        assert_eq!(heap(|| finalize_many(&hashers, &mut hashes).unwrap()), (0, 0), "{backend:?}");

        let key = HmacKey::<V>::new(&memory[..70]).with_backend(backend);
        assert_eq!(heap(|| key.hash_many_into(&messages, &mut hashes).unwrap()), (0, 0), "{backend:?}, HMAC");
        assert_eq!(heap(|| key.hash_many_flat(&messages, &mut flat).unwrap()), (0, 0), "{backend:?}, HMAC");
        assert_eq!(heap(|| _ = key.hash_many(&messages)).0, 1, "{backend:?}, the list of tags");
        let work = || _ = HmacKey::<V>::new(&memory).with_backend(backend).hasher().update(&memory).finalize();
        assert_eq!(heap(work), (0, 0), "{backend:?}, HMAC in pieces");
        let inputs: Vec<_> = messages.iter().map(|message| (message, message)).collect();
        let work = || batch.pbkdf2_many(&inputs, core::num::NonZeroU32::MIN, &mut derived).unwrap();
        assert_eq!(heap(work), (0, 0), "{backend:?}, PBKDF2");
    }
}

#[cfg(feature = "sha2")]
#[test]
fn nodes_take_nothing() {
    let memory = paint(64 * 200);
    let nodes = memory.as_chunks().0;
    for backend in common::backends::all_backends() {
        let batch = simd_digest::sha256::Batch::new().with_backend(backend);
        let (mut digests, mut level) = (vec![[0; 32]; nodes.len()], memory.as_chunks().0.to_vec());
        assert_eq!(heap(|| batch.hash_nodes(nodes, &mut digests).unwrap()), (0, 0), "{backend:?}");
        assert_eq!(heap(|| batch.hash_nodes_twice(nodes, &mut digests).unwrap()), (0, 0), "{backend:?}");
        assert_eq!(heap(|| _ = batch.hash_nodes_in_place(&mut level).unwrap()), (0, 0), "{backend:?}");
    }
}

const LEAF: u32 = 1000;

fn unlimited<F: Flavour>(backend: Backend) -> Tree<F> {
    let params = Params::new().fanout(0).max_depth(2).max_leaf_length(LEAF).inner_hash_length(F::LONGEST);
    params.with_backend(backend).tree().unwrap()
}

/// As many leaves as lanes, whatever the pieces are. One leaf alone is hashed as it comes.
fn a_tree_holds_a_leaf_for_each_lane<F: Flavour>() {
    let message = paint(20_500);
    for backend in Backend::available() {
        let lanes = simd_digest::blake2::lanes::<F>(backend);
        let most = if lanes > 1 { lanes * LEAF as usize } else { 0 };
        for piece in [1, 600, 999, 1000, 1001, 1500, 7999, 8000, 8001, 15_999, 16_000, 16_001, 20_500] {
            let (mut hasher, mut root) = (unlimited::<F>(backend).hasher(), None);
            let (_, peak) = heap(|| {
                message.chunks(piece).for_each(|piece| _ = hasher.update(piece));
                root = Some(hasher.finalize());
            });
            // To be wiped, the smaller of two buffers lives until the larger has its bytes.
            let most = if cfg!(feature = "zeroize") { 2 * most } else { most };
            assert!(peak <= most, "{backend}, pieces of {piece}: {peak} bytes");
            assert!(
                cfg!(feature = "zeroize") || piece > 1 || peak == most,
                "{backend}: lanes are filled, but {peak} bytes were held"
            );
            assert_eq!(root, Some(unlimited::<F>(backend).hash(&message)));
        }
    }
}

/// Leaves that are whole are hashed from where they lie.
fn whole_leaves_are_not_copied<F: Flavour>() {
    let message = paint(20_000);
    for backend in Backend::available() {
        let tree = unlimited::<F>(backend);
        assert_eq!(heap(|| _ = tree.hash(&message)), (0, 0), "{backend}");
        let mut hasher = tree.hasher();
        let (_, peak) = heap(|| _ = hasher.update(&message).finalize());
        assert!(peak <= LEAF as usize, "{backend}: {peak} bytes, more than the last leaf");
        assert_eq!(heap(|| _ = hasher.finalize()), (0, 0), "{backend}, nor is the buffer");
    }
}

/// A long leaf takes no more than what came, and the longest nothing.
fn long_leaves_are_not_reserved<F: Flavour>() {
    for (leaf_length, most) in [(100_000, 2 * 10_000), (u32::MAX, 0)] {
        let mut hasher = Tree::<F>::unlimited_fanout(leaf_length).unwrap().hasher();
        let (_, peak) = heap(|| {
            for _ in 0..100 {
                hasher.update(&[1; 100]);
            }
        });
        assert!(peak <= most, "{peak} bytes of a leaf of {leaf_length}");
    }
}

/// The memory for a message has a limit, whatever the length of the leaves and the number of lanes.
fn memory_for_a_tree_is_bounded<F: Flavour>() {
    const BOUND: usize = 1 << 20;
    let message = paint(5 << 19);
    // To be wiped, the smaller of two buffers lives until the larger has its bytes.
    let most = if cfg!(feature = "zeroize") { 2 * BOUND } else { BOUND };
    for backend in Backend::available() {
        let lanes = simd_digest::blake2::lanes::<F>(backend);
        for leaf_length in [BOUND / 16, BOUND / 8, BOUND / 8 + 1, BOUND / 2, BOUND / 2 + 1, BOUND, 2 * BOUND, 1 << 31] {
            let params = Params::<F>::new().fanout(0).max_depth(2).inner_hash_length(F::LONGEST).with_backend(backend);
            let tree = params.max_leaf_length(u32::try_from(leaf_length).unwrap()).tree().unwrap();
            for piece in [50_000, 3 * BOUND / 2] {
                let mut hasher = tree.hasher();
                let (_, peak) = heap(|| {
                    message.chunks(piece).for_each(|piece| _ = hasher.update(piece));
                    let _ = hasher.finalize();
                });
                let case = format!("{backend}, leaves of {leaf_length}, pieces of {piece}: {peak} bytes");
                assert!(peak <= most, "{case}");
                // Two leaves can be in two lanes.
                let collects = lanes > 1 && leaf_length <= BOUND / 2;
                assert_eq!(peak > 0, collects, "{case}");
                let collected = lanes.min(BOUND / leaf_length) * leaf_length;
                assert!(piece > 50_000 || !collects || peak >= collected, "{case}, lanes are not filled");
            }
        }
    }
}

/// Above the leaves there are the children of one node for each depth.
fn nodes_are_folded<F: Flavour>() {
    let message = paint(6000);
    for (fanout, depths) in [(2, 13), (16, 4), (255, 2)] {
        let params = Params::<F>::new().fanout(fanout).max_depth(255).max_leaf_length(1).inner_hash_length(F::LONGEST);
        let mut hasher = params.tree().unwrap().hasher();
        let (_, peak) = heap(|| _ = hasher.update(&message));
        // A list may have grown to twice what it holds, and knows its own length.
        let most = depths * (2 * usize::from(fanout) * 64 + 128) + 1000;
        assert!(peak <= most, "fanout {fanout}: {peak} bytes, but should be at most {most}");
    }
}

#[cfg(feature = "blake3")]
mod of_blake3 {
    use simd_digest::blake3::hazmat::subtrees;
    use simd_digest::blake3::{Hasher, Mode, finalize_many, update_many};

    use super::common::backends::all_backends;
    use super::common::paint::paint;
    use super::heap;

    const CHUNK: usize = 1024;

    /// What a hasher may gather, and the subtrees of the longest message: a block each.
    const GATHERED: usize = 16 * CHUNK;
    const SUBTREES: usize = 32 * 55;

    /// With the output of the caller, nothing at all, however many messages there are and however long they are.
    #[test]
    fn batches_take_nothing() {
        let memory = paint(60_000);
        let messages: Vec<&[u8]> =
            (0..200).map(|i| &memory[i..][..if i % 50 == 7 { 50_000 } else { 17 * i }]).collect();
        for backend in all_backends() {
            let mode = Mode::keyed(&[7; 32]).with_backend(backend);
            let mut hashes = vec![mode.hash(b""); messages.len()];
            assert_eq!(heap(|| mode.hash_many_into(&messages, &mut hashes).unwrap()), (0, 0), "{backend:?}");
            let mut flat = vec![0; 32 * messages.len()];
            assert_eq!(heap(|| mode.hash_many_flat(&messages, &mut flat).unwrap()), (0, 0), "{backend:?}");
            assert_eq!(heap(|| _ = mode.hash_many(&messages)).0, 1, "{backend:?}, the list of hashes");
            assert_eq!(heap(|| _ = mode.hash(&memory)), (0, 0), "{backend:?}");
            assert_eq!(heap(|| mode.hash_xof(&memory).fill(&mut flat)), (0, 0), "{backend:?}, output");
            let derive = || _ = Mode::derive_key("a context").with_backend(backend).hash(&memory);
            assert_eq!(heap(derive), (0, 0), "{backend:?}, derived");
            let mut begun = mode.hasher();
            begun.update(&memory[..500]);
            let tails: Vec<&[u8]> = (0..200).map(|i| &memory[i..][..i * 7 % 525]).collect();
            assert_eq!(heap(|| begun.hash_many_into(&tails, &mut hashes).unwrap()), (0, 0), "{backend:?}, tails");
            let mut cvs = [[0; 32]; 59];
            let work = || subtrees(&memory, 0, 0, &mode, &mut cvs).unwrap();
            assert_eq!(heap(work), (0, 0), "{backend:?}, chaining values");
        }
    }

    /// Up to a chunk, in any pieces.
    #[test]
    fn a_chunk_takes_nothing() {
        let memory = paint(100_000);
        for backend in all_backends() {
            for piece in [1, 64, 1000, 1023, 1024] {
                let work = || {
                    let mut hasher = Hasher::new().with_backend(backend);
                    memory[..CHUNK].chunks(piece).for_each(|piece| _ = hasher.update(piece));
                    let _ = hasher.clone().finalize();
                    let _ = hasher.reset().update(b"abc").finalize_xof();
                };
                assert_eq!(heap(work), (0, 0), "{backend:?}, pieces of {piece}");
            }
            // Many hashers of a short message each.
            let mut hashers = vec![Hasher::new().with_backend(backend); 33];
            let mut updates: Vec<(&mut Hasher, &[u8])> =
                hashers.iter_mut().map(|hasher| (hasher, &memory[..900])).collect();
            assert_eq!(heap(|| update_many(&mut updates)), (0, 0), "{backend:?}");
            let mut hashes = vec![Mode::HASH.hash(b""); hashers.len()];
            let hashers: Vec<&Hasher> = hashers.iter().collect();
            assert_eq!(heap(|| finalize_many(&hashers, &mut hashes).unwrap()), (0, 0), "{backend:?}");
        }
    }

    /// Small writes gather, whatever their size, and a digest in between takes nothing. Large writes take no more.
    #[test]
    fn gathered_once() {
        let memory = paint(200_000);
        for backend in all_backends() {
            for piece in [1, 64, 1000, 1024, 1025, 4096, 16_383, 16_384, 16_385, 50_000] {
                let memory = &memory[..if piece == 1 { 40_000 } else { 200_000 }];
                let mut hasher = Hasher::new().with_backend(backend);
                let (calls, peak) = heap(|| memory.chunks(piece).for_each(|piece| _ = hasher.update(piece)));
                assert!(calls <= 2, "{backend:?}, pieces of {piece}: {calls} calls");
                assert!(peak <= GATHERED + SUBTREES, "{backend:?}, pieces of {piece}: {peak} bytes");
                assert_eq!(heap(|| _ = hasher.finalize()), (0, 0), "{backend:?}, pieces of {piece}");
                // The memory is used again.
                let again = heap(|| {
                    hasher.reset();
                    memory.chunks(piece).for_each(|piece| _ = hasher.update(piece));
                });
                assert_eq!(again, (0, 0), "{backend:?}, pieces of {piece}");
            }
        }
    }

    /// A clone takes no memory for what is not held.
    #[test]
    fn clones_copy_what_is_held() {
        let memory = paint(530_000);
        for backend in all_backends() {
            for length in [0, 1000, 1024, 1025, 3000, 5000, 16_384, 16_385, 17_408, 17_409, 40_000, 524_000] {
                let mut hasher = Hasher::new().with_backend(backend);
                memory[..length].chunks(64).for_each(|piece| _ = hasher.update(piece));
                let mut clone = None;
                let (calls, peak) = heap(|| clone = Some(hasher.clone()));
                assert!(
                    calls <= 2 && peak <= GATHERED + SUBTREES,
                    "{backend:?}, {length}: {calls} calls, {peak} bytes"
                );
                assert!(length > CHUNK || calls == 0, "{backend:?}, {length}: {calls} calls");
                assert_eq!(clone.unwrap().finalize(), hasher.finalize());
                // Nothing is held after a reset.
                hasher.reset();
                assert_eq!(heap(|| _ = hasher.clone()), (0, 0), "{backend:?}, {length}, reset");
            }
            // Nor is anything gathered after a large write of whole groups.
            let mut hasher = Hasher::new().with_backend(backend);
            hasher.update(&memory[..64 * CHUNK]);
            let (_, peak) = heap(|| _ = hasher.clone());
            assert!(peak <= SUBTREES, "{backend:?}: {peak} bytes");
        }
    }
}
