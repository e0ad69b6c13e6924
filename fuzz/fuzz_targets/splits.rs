//! A message in pieces against the same bytes at once.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::{Corpus, fuzz_target};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest_fuzz::{Fields, Flavour, Message};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fields: Fields<'a>,
    message: Message<'a>,
}

fuzz_target!(|input: Input<'_>| -> Corpus {
    let compared = [check::<FlavourB>(&input), check::<FlavourS>(&input)];
    if compared == [false; 2] { Corpus::Reject } else { Corpus::Keep }
});

/// Whether there was something to compare.
fn check<F: Flavour>(Input { fields, message }: &Input<'_>) -> bool {
    let params = fields.limited::<F>().params::<F>();
    let Ok(mut hasher) = params.hasher() else { return false };

    // `finalize` after every piece: it must not disturb what follows.
    let mut length = 0;
    for piece in message.pieces() {
        length += piece.len();
        hasher.update(piece);
        assert_eq!(hasher.count(), length as u128);
        assert_eq!(Ok(hasher.finalize()), params.hash(&message.bytes[..length]));
    }
    assert_eq!(length, message.bytes.len());

    let whole = hasher.finalize();
    hasher.reset();
    assert_eq!(hasher.count(), 0);
    assert_eq!(hasher.update(message.bytes).finalize(), whole);
    true
}
