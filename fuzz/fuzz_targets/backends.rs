//! Every backend against `portable`.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::{Corpus, fuzz_target};
use simd_digest::digest::common::hazmat::{SerializableState, SerializedState};
use simd_digest::{Backend, Blake2b512, Digest};
use simd_digest_fuzz::{Fields, Message};

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

impl Middle {
    /// In the form of [`SerializableState`]: digest length, salt and personalisation, chaining value, counter, one block
    /// held back after its length.
    fn hasher(&self) -> Blake2b512 {
        let below = 128 * (u128::from(self.blocks_below) + 1);
        let count = 1_u128.rotate_left(self.power.into()).wrapping_sub(below) & !127;
        let mut state = SerializedState::<Blake2b512>::default();
        state[0] = 64;
        state[33..97].copy_from_slice(self.h.as_flattened());
        state[97..113].copy_from_slice(&count.max(128).to_le_bytes());
        state[113] = 128;
        state[114..].copy_from_slice(self.held.as_flattened());
        Blake2b512::deserialize(&state).expect("whole blocks before the one held back")
    }
}

fuzz_target!(|input: Input<'_>| -> Corpus {
    let Input { fields, middle, message } = &input;
    let Ok(start) = fields.params().hasher() else { return Corpus::Reject };
    let middle = middle.hasher();

    let portable = "portable".parse().expect("portable is everywhere");
    let digest = start.clone().with_backend(portable).update(message.bytes).finalize();
    let end = middle.clone().with_backend(portable).chain_update(message.bytes).finalize();
    for backend in Backend::available() {
        let mut hasher = start.clone().with_backend(backend);
        let mut from_middle = middle.clone().with_backend(backend);
        for piece in message.pieces() {
            hasher.update(piece);
            Digest::update(&mut from_middle, piece);
        }
        assert_eq!(hasher.finalize(), digest, "{backend}");
        assert_eq!(from_middle.finalize(), end, "{backend}");
    }
    Corpus::Keep
});
