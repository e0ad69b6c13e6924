//! What no test of sha2 0.10 or its dependents reaches, compared with the published sha2 0.10.
#![cfg(test)]

use std::fmt::Debug;

use ours::digest::const_oid::AssociatedOid;
use ours::digest::consts::U256;
use ours::digest::core_api::{Buffer, UpdateCore, VariableOutputCore};
use ours::digest::generic_array::{ArrayLength, GenericArray};
use ours::digest::typenum::{IsLess, Le, NonZero};

fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

/// The whole outputs of a core for all output sizes.
fn outputs<C: UpdateCore + VariableOutputCore>(message: &[u8]) -> Vec<Option<Vec<u8>>>
where
    C::BlockSize: IsLess<U256>,
    Le<C::BlockSize, U256>: NonZero,
{
    (0..70).map(|size| {
        let mut core = C::new(size).ok()?;
        let mut buffer = Buffer::<C>::default();
        buffer.digest_blocks(message, |blocks| core.update_blocks(blocks));
        let mut out = Default::default();
        core.finalize_variable_core(&mut buffer, &mut out);
        Some(out.to_vec())
    }).collect()
}

#[test]
fn cores_are_theirs() {
    for length in 0..700 {
        let message = paint(length);
        let ours = outputs::<ours::Sha256VarCore>(&message);
        assert_eq!(ours, outputs::<theirs::Sha256VarCore>(&message), "{length}");
        assert_eq!(ours.iter().flatten().count(), 2);
        let ours = outputs::<ours::Sha512VarCore>(&message);
        assert_eq!(ours, outputs::<theirs::Sha512VarCore>(&message), "{length}");
        assert_eq!(ours.iter().flatten().count(), 4);
    }
}

fn blocks<N: ArrayLength<u8>>(message: &[u8]) -> Vec<GenericArray<u8, N>> {
    message.chunks_exact(N::USIZE).map(GenericArray::clone_from_slice).collect()
}

#[test]
fn compression_functions_are_theirs() {
    for count in 0..20 {
        let message = paint(128 * count);
        let (mut ours, mut theirs) = ([0x0123_4567; 8], [0x0123_4567; 8]);
        ours::compress256(&mut ours, &blocks(&message));
        theirs::compress256(&mut theirs, &blocks(&message));
        assert_eq!(ours, theirs, "{count}");
        let (mut ours, mut theirs) = ([0x0123_4567_89ab_cdef; 8], [0x0123_4567_89ab_cdef; 8]);
        ours::compress512(&mut ours, &blocks(&message));
        theirs::compress512(&mut theirs, &blocks(&message));
        assert_eq!(ours, theirs, "{count}");
    }
}

/// The object identifier, and the name of the algorithm with all else that `Debug` shows.
fn names<T: AssociatedOid + Debug + Default>() -> (String, String) {
    (T::OID.to_string(), format!("{:?}", T::default()))
}

#[test]
fn names_are_theirs() {
    assert_eq!(names::<ours::Sha224>(), names::<theirs::Sha224>());
    assert_eq!(names::<ours::Sha256>(), names::<theirs::Sha256>());
    assert_eq!(names::<ours::Sha384>(), names::<theirs::Sha384>());
    assert_eq!(names::<ours::Sha512>(), names::<theirs::Sha512>());
    assert_eq!(names::<ours::Sha512_224>(), names::<theirs::Sha512_224>());
    assert_eq!(names::<ours::Sha512_256>(), names::<theirs::Sha512_256>());
    assert_eq!(format!("{:?}", ours::Sha256VarCore::new(32)), format!("{:?}", theirs::Sha256VarCore::new(32)));
    assert_eq!(format!("{:?}", ours::Sha512VarCore::new(64)), format!("{:?}", theirs::Sha512VarCore::new(64)));
}
