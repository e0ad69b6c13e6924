//! Keys and signatures beside those of the crate `slh-dsa`, and key generation beside NIST's vectors.

use simd_digest_slh_dsa::{Error, ParameterSet, Sha2_128f, Sha2_192f, SigningKey, VerifyingKey};
use slh_dsa as peer;

/// A parameter set of ours and of the peer.
trait Set: ParameterSet {
    type Peer: peer::ParameterSet;
    const NAME: &str;
    /// Seeds that are compared.
    const SEEDS: u64;
}

impl Set for Sha2_128f {
    type Peer = peer::Sha2_128f;
    const NAME: &str = "128f";
    const SEEDS: u64 = 100;
}

impl Set for Sha2_192f {
    type Peer = peer::Sha2_192f;
    const NAME: &str = "192f";
    const SEEDS: u64 = 20;
}

/// Bytes at random, by SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

fn key<P: Set>(random: &mut Random) -> SigningKey<P> {
    let seeds = random.bytes(3 * P::N);
    SigningKey::from_seeds(&seeds[..P::N], &seeds[P::N..2 * P::N], &seeds[2 * P::N..]).unwrap()
}

/// M' of FIPS 205, algorithms 22 and 24.
fn in_context<'a>(head: &'a mut [u8; 2], context: &'a [u8], message: &'a [u8]) -> [&'a [u8]; 3] {
    head[1] = context.len().try_into().unwrap();
    [head, context, message]
}

fn agrees<P: Set>() {
    for seed in 0..P::SEEDS {
        let mut random = Random(seed);
        let key = key::<P>(&mut random);
        let bytes = key.to_bytes();
        let [sk_seed, sk_prf, pk_seed] = [0, 1, 2].map(|i| &bytes[i * P::N..][..P::N]);
        let theirs = peer::SigningKey::<P::Peer>::slh_keygen_internal(sk_seed, sk_prf, pk_seed);
        assert_eq!(theirs.to_bytes()[..], bytes[..], "{} key of seed {seed}", P::NAME);
        let (public, their_public) = (key.verifying_key(), theirs.as_ref());
        assert_eq!(their_public.to_bytes()[..], public.to_bytes());

        let length = [0, 1, 64, 1000][random.below(4)] + random.below(200);
        let (message, context) = (random.bytes(length), &random.bytes(255)[..[0, 255, 7][random.below(3)]]);
        let added = random.bytes(P::N);
        let added = [None, Some(&added[..])][random.below(2)];

        let signature = key.sign_internal(&[&message], added).unwrap();
        assert_eq!(signature.len(), P::SIGNATURE);
        assert_eq!(theirs.slh_sign_internal(&[&message], added).to_bytes()[..], signature, "{} of {seed}", P::NAME);
        public.verify_internal(&[&message], &signature).unwrap();
        let parsed = peer::Signature::try_from(&signature[..]).unwrap();
        their_public.slh_verify_internal(&[&message], &parsed).unwrap();

        let mut head = [0; 2];
        let signature = key.sign_internal(&in_context(&mut head, context, &message), added).unwrap();
        let expected = theirs.try_sign_with_context(&message, context, added).unwrap();
        assert_eq!(expected.to_bytes()[..], signature, "{} in a context, of {seed}", P::NAME);
        public.verify(&message, context, &signature).unwrap();

        let signature = key.sign(&message, context).unwrap();
        assert_ne!(expected.to_bytes()[..], signature);
        let parsed = peer::Signature::try_from(&signature[..]).unwrap();
        their_public.try_verify_with_context(&message, context, &parsed).unwrap();
        public.verify(&message, context, &signature).unwrap();
    }
}

/// A changed bit, in each hash value of the signature, and in all else.
fn refuses<P: Set>() {
    let mut random = Random(1);
    let (key, message, context) = (key::<P>(&mut random), random.bytes(100), random.bytes(20));
    let public = key.verifying_key();
    let mut signature = key.sign(&message, &context).unwrap();
    let flipped = |bytes: &[u8], at: usize, bit: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 1 << bit;
        bytes
    };
    for begin in (0..signature.len()).step_by(P::N) {
        let (at, bit) = (begin + random.below(P::N), random.below(8));
        signature[at] ^= 1 << bit;
        assert_eq!(public.verify(&message, &context, &signature), Err(Error::Signature), "{} byte {at}", P::NAME);
        signature[at] ^= 1 << bit;
    }
    for at in 0..message.len() {
        let message = flipped(&message, at, random.below(8));
        assert_eq!(public.verify(&message, &context, &signature), Err(Error::Signature));
    }
    for at in 0..context.len() {
        let context = flipped(&context, at, random.below(8));
        assert_eq!(public.verify(&message, &context, &signature), Err(Error::Signature));
    }
    for at in 0..2 * P::N {
        let public = VerifyingKey::<P>::from_bytes(&flipped(&public.to_bytes(), at, random.below(8))).unwrap();
        assert_eq!(public.verify(&message, &context, &signature), Err(Error::Signature));
    }
    // The place of the border between context and message counts, and so does the context's being there.
    let whole = [&context[..], &message].concat();
    assert_eq!(public.verify(&whole, &[], &signature), Err(Error::Signature));
    assert_eq!(public.verify_internal(&[&whole], &signature), Err(Error::Signature));
    public.verify(&message, &context, &signature).unwrap();

    // A wrong root or seed in a signing key would leave its signatures unverified. SK.prf may be any.
    let bytes = key.to_bytes();
    for (i, fits) in [false, true, false, false].into_iter().enumerate() {
        let key = SigningKey::<P>::from_bytes(&flipped(&bytes, i * P::N + random.below(P::N), 3)).unwrap();
        assert_eq!(key.sign(&message, &context).err(), (!fits).then_some(Error::Root));
    }
}

fn has_lengths<P: Set>() {
    let mut random = Random(2);
    let key = key::<P>(&mut random);
    let (public, bytes) = (key.verifying_key(), [7; 36_000]);
    let n = P::N;
    for length in (0..200).chain([P::SIGNATURE - 1, P::SIGNATURE, P::SIGNATURE + 1, 36_000]) {
        let given = &bytes[..length];
        let wrong = |name, needed| (length != needed).then_some(Error::Length(name, length, needed));
        assert_eq!(SigningKey::<P>::from_bytes(given).err(), wrong("the signing key", 4 * n));
        assert_eq!(VerifyingKey::<P>::from_bytes(given).err(), wrong("the verifying key", 2 * n));
        let refused = wrong("the signature", P::SIGNATURE).unwrap_or(Error::Signature);
        assert_eq!(public.verify(b"", b"", given), Err(refused));
        assert_eq!(public.verify_internal(&[], given), Err(refused));
        let context = &bytes[..length.min(300)];
        let too_long = (context.len() > 255).then_some(Error::Context(context.len()));
        let signature = &bytes[..P::SIGNATURE];
        assert_eq!(public.verify(b"", context, signature), Err(too_long.unwrap_or(Error::Signature)));
        if length != n {
            let seed = &bytes[..n];
            assert_eq!(SigningKey::<P>::from_seeds(given, seed, seed).err(), wrong("SK.seed", n));
            assert_eq!(SigningKey::<P>::from_seeds(seed, given, seed).err(), wrong("SK.prf", n));
            assert_eq!(SigningKey::<P>::from_seeds(seed, seed, given).err(), wrong("PK.seed", n));
            assert_eq!(key.sign_internal(&[], Some(given)).err(), wrong("the random bytes", n));
        }
    }
    assert_eq!(key.sign(b"", &[0; 256]), Err(Error::Context(256)));
    let signature = key.sign(b"", &[0; 255]).unwrap();
    public.verify(b"", &[0; 255], &signature).unwrap();
    assert_eq!(Error::Context(256).to_string(), "the context has 256 bytes, but may have at most 255");
    let error = VerifyingKey::<P>::from_bytes(&[]).err().unwrap();
    assert_eq!(error.to_string(), format!("the verifying key has 0 bytes, but must have {}", 2 * n));
}

/// Keys of ACVP: SK.seed, SK.prf, PK.seed and PK.root.
fn is_nists<P: Set>() {
    let lines = include_str!("data/keygen.txt").lines().filter_map(|line| line.strip_prefix(P::NAME));
    let mut number = 0;
    for line in lines {
        let digit = |i: usize| u8::from_str_radix(&line[1 + 2 * i..][..2], 16).unwrap();
        let expected: Vec<u8> = (0..4 * P::N).map(digit).collect();
        let [sk_seed, sk_prf, pk_seed] = [0, 1, 2].map(|i| &expected[i * P::N..][..P::N]);
        let key = SigningKey::<P>::from_seeds(sk_seed, sk_prf, pk_seed).unwrap();
        assert_eq!(*key.to_bytes(), expected);
        assert_eq!(*SigningKey::<P>::from_bytes(&expected).unwrap().to_bytes(), expected);
        assert_eq!(format!("{key:?}"), "SigningKey");
        number += 1;
    }
    assert_eq!(number, 10);
}

macro_rules! tests {
    ($($set:ident: $Set:ty),+) => {
        $(mod $set {
            use super::*;

            #[test]
            fn keys_and_signatures_are_those_of_the_peer() {
                agrees::<$Set>();
            }

            #[test]
            fn a_changed_bit_is_refused() {
                refuses::<$Set>();
            }

            #[test]
            fn other_lengths_are_errors() {
                has_lengths::<$Set>();
            }

            #[test]
            fn keys_are_those_of_acvp() {
                is_nists::<$Set>();
            }

            #[test]
            fn keys_from_the_system_differ() {
                let [a, b] = [(); 2].map(|()| SigningKey::<$Set>::generate().unwrap());
                for i in 0..4 {
                    assert_ne!(a.to_bytes()[i * <$Set>::N..][..<$Set>::N], b.to_bytes()[i * <$Set>::N..][..<$Set>::N]);
                }
            }
        })+
    };
}

tests!(sha2_128f: Sha2_128f, sha2_192f: Sha2_192f);
