//! Parts that no test of sha2 or its dependents reaches, compared with the published sha2.
#![cfg(test)]

use ours::digest::array::Array;
use ours::digest::block_api::{Buffer, UpdateCore, VariableOutputCore};
use ours::digest::common::hazmat::SerializableState;

fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

/// The state of a core after the whole blocks of a message, and its whole output, for all output sizes.
fn outputs<C: UpdateCore + VariableOutputCore + SerializableState>(message: &[u8]) -> Vec<Option<(Vec<u8>, Vec<u8>)>> {
    (0..70).map(|size| {
        let mut core = C::new(size).ok()?;
        let mut buffer = Buffer::<C>::default();
        buffer.digest_blocks(message, |blocks| core.update_blocks(blocks));
        let state = core.serialize();
        let mut core = C::deserialize(&state).unwrap();
        let mut out = Array::default();
        core.finalize_variable_core(&mut buffer, &mut out);
        Some((state.to_vec(), out.to_vec()))
    }).collect()
}

#[test]
fn cores_are_theirs() {
    for length in 0..400 {
        let message = paint(length);
        let ours = outputs::<ours::block_api::Sha256VarCore>(&message);
        assert_eq!(ours, outputs::<theirs::block_api::Sha256VarCore>(&message), "{length}");
        assert_eq!(ours.iter().flatten().count(), 2);
        let ours = outputs::<ours::block_api::Sha512VarCore>(&message);
        assert_eq!(ours, outputs::<theirs::block_api::Sha512VarCore>(&message), "{length}");
        assert_eq!(ours.iter().flatten().count(), 4);
    }
}

#[test]
fn compression_functions_are_theirs() {
    for count in 0..20 {
        let message = paint(128 * count);
        let (mut ours, mut theirs) = ([0x0123_4567; 8], [0x0123_4567; 8]);
        ours::block_api::compress256(&mut ours, message.as_chunks().0);
        theirs::block_api::compress256(&mut theirs, message.as_chunks().0);
        assert_eq!(ours, theirs, "{count}");
        let (mut ours, mut theirs) = ([0x0123_4567_89ab_cdef; 8], [0x0123_4567_89ab_cdef; 8]);
        ours::block_api::compress512(&mut ours, message.as_chunks().0);
        theirs::block_api::compress512(&mut theirs, message.as_chunks().0);
        assert_eq!(ours, theirs, "{count}");
    }
}
