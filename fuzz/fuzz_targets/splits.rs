//! A message in pieces against the same bytes at once.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::{Corpus, fuzz_target};
use simd_digest_fuzz::{Fields, Message};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fields: Fields<'a>,
    message: Message<'a>,
}

fuzz_target!(|input: Input<'_>| -> Corpus {
    let Input { fields, message } = &input;
    let params = fields.params();
    let Ok(mut hasher) = params.hasher() else { return Corpus::Reject };

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
    Corpus::Keep
});
