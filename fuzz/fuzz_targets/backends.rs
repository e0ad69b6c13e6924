//! Every backend against `portable`.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::{Corpus, fuzz_target};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::digest::common::hazmat::{SerializableState, SerializedState};
use simd_digest::{Backend, Blake2b512, Blake2s256, Digest};
use simd_digest_fuzz::{Fields, Flavour, Message};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fields: Fields<'a>,
    middle: Middle,
    message: Message<'a>,
}

/// A hasher in the middle of a message that is too long to be hashed here.
#[derive(Arbitrary, Debug)]
struct Middle {
    h: [[u8; 16]; 4],
    /// The counter is a little below 2 to this power.
    power: u8,
    blocks_below: u8,
    held: [[u8; 16]; 8],
}

/// The hash with the longest digest, of which the state can be serialised.
trait Resume: Flavour {
    type Hash: Digest + SerializableState + Clone;

    fn on(hash: Self::Hash, backend: Backend) -> Self::Hash;
}

impl Resume for FlavourB {
    type Hash = Blake2b512;

    fn on(hash: Blake2b512, backend: Backend) -> Blake2b512 {
        hash.with_backend(backend)
    }
}

impl Resume for FlavourS {
    type Hash = Blake2s256;

    fn on(hash: Blake2s256, backend: Backend) -> Blake2s256 {
        hash.with_backend(backend)
    }
}

impl Middle {
    /// In the form of [`SerializableState`]: digest length, salt, personalisation, chaining value, counter, one block
    /// held back.
    fn hasher<F: Resume>(&self) -> F::Hash {
        let block = F::BLOCK as u128;
        let length = |length: usize| u8::try_from(length).expect("at most 128");
        let below = block * (u128::from(self.blocks_below) + 1);
        let bits = 2 * u8::try_from(F::LONGEST).expect("at most 64");
        let count = 1_u128.rotate_left((self.power % bits).into()).wrapping_sub(below) & !(block - 1);
        let mut bytes = vec![length(F::LONGEST)];
        bytes.resize(1 + 2 * F::TEXT, 0);
        bytes.extend(&self.h.as_flattened()[..F::LONGEST]);
        bytes.extend(&count.max(block).to_le_bytes()[..F::LONGEST / 4]);
        bytes.push(length(F::BLOCK));
        bytes.extend(&self.held.as_flattened()[..F::BLOCK]);
        let mut state = SerializedState::<F::Hash>::default();
        state.copy_from_slice(&bytes);
        F::Hash::deserialize(&state).expect("whole blocks before the one held back")
    }
}

fuzz_target!(|input: Input<'_>| -> Corpus {
    let compared = [check::<FlavourB>(&input), check::<FlavourS>(&input)];
    if compared == [false; 2] { Corpus::Reject } else { Corpus::Keep }
});

/// Whether there was something to compare.
fn check<F: Resume>(Input { fields, middle, message }: &Input<'_>) -> bool {
    let Ok(start) = fields.limited::<F>().params::<F>().hasher() else { return false };
    let middle = middle.hasher::<F>();

    let portable: Backend = "portable".parse().expect("portable is everywhere");
    let digest = start.clone().with_backend(portable).update(message.bytes).finalize();
    let end = F::on(middle.clone(), portable).chain_update(message.bytes).finalize();
    for backend in Backend::available() {
        let mut hasher = start.clone().with_backend(backend);
        let mut from_middle = F::on(middle.clone(), backend);
        for piece in message.pieces() {
            hasher.update(piece);
            Digest::update(&mut from_middle, piece);
        }
        assert_eq!(hasher.finalize(), digest, "{backend}");
        assert_eq!(from_middle.finalize(), end, "{backend}");
    }
    true
}
