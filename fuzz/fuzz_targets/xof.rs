//! Output of any length, in pieces from any positions, against every block hashed on its own on `portable`.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simd_digest::Backend;
use simd_digest::blake2::{Flavour, Params};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest_fuzz::{Fields, Message};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fields: Fields<'a>,
    length: Option<Length>,
    reads: Vec<Read>,
    message: Message<'a>,
}

#[derive(Arbitrary, Debug)]
enum Length {
    Short(u16),
    Any(u64),
}

#[derive(Arbitrary, Debug)]
struct Read {
    /// From where it is, if there is none.
    position: Option<Position>,
    length: u16,
}

#[derive(Arbitrary, Debug)]
enum Position {
    Near(u16),
    Any(u64),
    /// From the end.
    Back(u16),
}

fuzz_target!(|input: Input<'_>| {
    check::<FlavourB>(&input, 64, u32::MAX.into());
    check::<FlavourS>(&input, 32, u16::MAX.into());
});

/// With a flavour's bytes of a digest, and what stands for an unknown length.
fn check<F: Flavour>(input: &Input<'_>, whole: u8, unknown: u64) {
    let Input { fields, length, reads, message } = input;
    let portable: Backend = "portable".parse().expect("portable is everywhere");
    let params = Params::<F>::new().key(fields.key).salt(fields.salt).personal(fields.personal);
    let length = length.as_ref().map(|length| match *length {
        Length::Short(length) => length.into(),
        Length::Any(length) => length,
    });
    let hasher = length.map_or_else(|| params.xof(), |length| params.xof_with_length(length));
    let in_range = length.is_none_or(|length| 0 < length && length < unknown);
    assert_eq!(hasher.is_ok(), in_range && params.hasher().is_ok());
    let Ok(hasher) = hasher else { return };

    let params = params.with_backend(portable);
    let high = length.unwrap_or(unknown) << 32;
    let root = params.clone().node_offset(high).hash(message.bytes).expect("in range");
    let node = params.key(b"").fanout(0).max_depth(0).max_leaf_length(whole.into()).inner_hash_length(whole.into());
    let whole = u64::from(whole);
    let end = length.unwrap_or(whole << 32);
    let by_definition = |begin: u64, length: usize| -> Vec<u8> {
        let mut bytes = Vec::new();
        for i in begin / whole..(begin + length as u64).div_ceil(whole) {
            let left = usize::try_from(whole.min(end - i * whole)).expect("a block");
            let block = node.clone().node_offset(i | high).hash_length(left).hash(root.as_bytes()).expect("in range");
            bytes.extend_from_slice(block.as_bytes());
        }
        let skipped = usize::try_from(begin % whole).expect("less than a block");
        bytes[skipped.min(bytes.len())..][..length].to_vec()
    };

    for backend in Backend::available() {
        let mut hasher = hasher.clone().with_backend(backend);
        message.pieces().for_each(|piece| _ = hasher.update(piece));
        let mut output = hasher.finalize();
        for read in reads.iter().take(20) {
            if let Some(position) = &read.position {
                let position = match *position {
                    Position::Near(position) => position.into(),
                    Position::Any(position) => position,
                    Position::Back(back) => end.saturating_sub(back.into()),
                };
                assert_eq!(output.set_position(position).is_ok(), position <= end);
            }
            let begin = output.position();
            assert_eq!(output.remaining(), end - begin);
            let mut bytes = vec![0x5a; usize::from(read.length) % 4096];
            if output.try_read(&mut bytes).is_ok() {
                assert_eq!(output.position(), begin + bytes.len() as u64);
                assert_eq!(bytes, by_definition(begin, bytes.len()), "{backend}");
            } else {
                assert!(output.remaining() < bytes.len() as u64);
                assert!(bytes.iter().all(|&byte| byte == 0x5a) && output.position() == begin);
            }
        }
    }
}
