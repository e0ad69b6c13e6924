//! Tags of keyed BLAKE2 and BLAKE3, made by other libraries, verified in constant time.

use simd_digest::blake2::VerifyError;
use simd_digest::digest::MacError;
use simd_digest::{Backend, blake2b, blake2s, blake3};

const KEY: &[u8; 32] = b"a key of thirty-two bytes, a key";

/// Only the whole tag of the message passes.
fn only_the_tag_passes<E: PartialEq + core::fmt::Debug>(
    tag: &[u8],
    differs: &E,
    verify: impl Fn(&[u8], &[u8]) -> Result<(), E>,
) {
    assert_eq!(verify(b"abc", tag), Ok(()));
    assert_eq!(verify(b"abd", tag).as_ref(), Err(differs));
    for bit in 0..8 * tag.len() {
        let mut forged = tag.to_vec();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(verify(b"abc", &forged).as_ref(), Err(differs), "bit {bit}");
    }
    for wrong in [&[][..], &tag[1..], &tag[..tag.len() - 1], &[tag, &[0]].concat(), &tag.repeat(2)] {
        assert_eq!(verify(b"abc", wrong).as_ref(), Err(differs), "length {}", wrong.len());
    }
}

#[test]
fn tags_of_blake2() {
    for backend in Backend::available() {
        for length in [1, 16, 20, 32, 64] {
            let peer = blake2b_simd::Params::new().hash_length(length).key(KEY).hash(b"abc");
            let params = blake2b::Params::new().hash_length(length).key(KEY).with_backend(backend);
            only_the_tag_passes(peer.as_bytes(), &VerifyError::Tag, |message, tag| params.verify(message, tag));
        }
        for length in [1, 16, 20, 32] {
            let peer = blake2s_simd::Params::new().hash_length(length).key(KEY).hash(b"abc");
            let params = blake2s::Params::new().hash_length(length).key(KEY).with_backend(backend);
            only_the_tag_passes(peer.as_bytes(), &VerifyError::Tag, |message, tag| params.verify(message, tag));
        }
    }
}

#[test]
fn parameters_out_of_range_are_errors() {
    let params = blake2s::Params::new().key(&[1; 33]);
    let error = params.hash(b"abc").unwrap_err();
    assert_eq!(params.verify(b"abc", &[0; 32]), Err(VerifyError::Params(error)));
    assert_eq!(VerifyError::from(error).to_string(), "key has 33 bytes, but must have 0 to 32");
    assert_eq!(VerifyError::Tag.to_string(), "the tag is not that of the message");
}

#[test]
fn tags_of_blake3() {
    for backend in Backend::available() {
        let tag = ::blake3::keyed_hash(KEY, b"abc");
        let mode = blake3::Mode::keyed(KEY).with_backend(backend);
        only_the_tag_passes(tag.as_bytes(), &MacError, |message, tag| mode.verify(message, tag));
    }
}
