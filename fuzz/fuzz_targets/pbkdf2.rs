//! PBKDF2 with all hashes of SHA-2, of one password and of many, on every backend, against the crate `pbkdf2`.
#![no_main]

use core::num::NonZeroU32;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pbkdf2::{hmac::EagerHash, pbkdf2_hmac};
use simd_digest::sha2::{
    Batch, Variant, Variant224, Variant256, Variant384, Variant512, Variant512_224, Variant512_256,
};
use simd_digest_fuzz::{Place, all_backends};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    rounds: u8,
    /// Up to 20 passwords and salts, which lie in the same memory, and the lengths of their outputs.
    many: Vec<(Place, Place, u8)>,
    memory: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    check::<Variant256, sha2::Sha256>(&input);
    check::<Variant224, sha2::Sha224>(&input);
    check::<Variant512, sha2::Sha512>(&input);
    check::<Variant384, sha2::Sha384>(&input);
    check::<Variant512_224, sha2::Sha512_224>(&input);
    check::<Variant512_256, sha2::Sha512_256>(&input);
});

fn check<V: Variant, H: EagerHash>(Input { rounds, many, memory }: &Input<'_>) {
    let rounds = NonZeroU32::MIN.saturating_add(u32::from(rounds % 4));
    let many = &many[..many.len().min(20)];
    let inputs: Vec<_> = many.iter().map(|(password, salt, _)| (password.of(memory), salt.of(memory))).collect();
    let empty: Vec<Vec<u8>> = many.iter().map(|(_, _, length)| vec![0; usize::from(*length)]).collect();
    let mut expected = empty.clone();
    for ((password, salt), out) in inputs.iter().zip(&mut expected) {
        pbkdf2_hmac::<H>(password, salt, rounds.get(), out);
    }
    for backend in all_backends() {
        let batch = Batch::<V>::new().with_backend(backend);
        let mut outs = empty.clone();
        batch.pbkdf2_many(&inputs, rounds, &mut outs).expect("one for each");
        assert_eq!(outs, expected, "{backend:?}");
        if let (Some((password, salt)), Some(out)) = (inputs.first(), outs.first_mut()) {
            out.fill(0);
            batch.pbkdf2(password, salt, rounds, out).expect("a short one");
            assert_eq!(*out, expected[0], "{backend:?}");
        }
    }
}
