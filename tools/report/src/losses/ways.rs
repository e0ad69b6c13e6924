//! The libraries' ways to hash, all of one shape, so that a row has the code of each once.

use core::marker::PhantomData;

use hmac::digest::{FixedOutputReset, KeyInit, Mac, Reset};
use simd_digest::{Digest, blake2b, blake2s, blake3 as our_blake3, sha256, sha512};

/// The key of all tags: of 32 bytes, which all hashes take.
pub(crate) const KEY: &[u8; 32] = b"a key of 32 bytes, as most have.";

/// Writes the digest or the tag of a message.
pub(crate) type Hash = fn(&[u8], &mut [u8]);

/// Writes the tag of a message, by a key that was set up.
pub(crate) type Tagger = Box<dyn Fn(&[u8], &mut [u8])>;

/// A library's way to hash. Outputs have the length of the slice that they are written to.
pub(crate) trait Way: 'static {
    const NAME: &'static str;

    type Hasher: Clone + 'static;

    fn hasher() -> Self::Hasher;

    fn update(hasher: &mut Self::Hasher, bytes: &[u8]);

    /// The digest of the message so far, which may go on.
    fn finalize(hasher: &Self::Hasher, out: &mut [u8]);

    /// The digest of `message` by a hasher that has hashed another.
    fn again(hasher: &mut Self::Hasher, message: &[u8], out: &mut [u8]);

    fn hash(message: &[u8], out: &mut [u8]);

    /// The tag of a message by [`KEY`], which is set up for it: HMAC with SHA-2, or the keyed hash. None if the library
    /// has no such call.
    const MAC: Option<Hash>;

    /// None if the library has no key that is set up once.
    fn tagger() -> Option<Tagger>;

    /// A loop writes to a new vector, because ours returns one.
    fn hash_many(messages: &[&[u8]], out: &mut [u8]) {
        let mut digests = vec![0; messages.len() * Self::size()];
        for (message, digest) in messages.iter().zip(digests.chunks_mut(Self::size())) {
            Self::hash(message, digest);
        }
        out.copy_from_slice(&digests);
    }

    /// Bytes of a digest.
    fn size() -> usize;
}

/// The traits of `digest`, of ours or of `RustCrypto`, with the MAC `M`.
pub(crate) struct ByTraits<D, M, const OURS: bool>(PhantomData<(D, M)>);

impl<D, M, const OURS: bool> Way for ByTraits<D, M, OURS>
where
    D: Digest + FixedOutputReset + Reset + Clone + 'static,
    M: Mac + KeyInit + Clone + 'static,
{
    const NAME: &'static str = if OURS { "simd-digest, traits" } else { "RustCrypto" };

    type Hasher = D;

    fn hasher() -> D {
        D::new()
    }

    fn update(hasher: &mut D, bytes: &[u8]) {
        Digest::update(hasher, bytes);
    }

    fn finalize(hasher: &D, out: &mut [u8]) {
        out.copy_from_slice(&hasher.clone().finalize());
    }

    fn again(hasher: &mut D, message: &[u8], out: &mut [u8]) {
        Digest::update(hasher, message);
        out.copy_from_slice(&hasher.finalize_reset());
    }

    fn hash(message: &[u8], out: &mut [u8]) {
        out.copy_from_slice(&D::digest(message));
    }

    const MAC: Option<Hash> = Some(|message, out| {
        let mac = <M as KeyInit>::new_from_slice(KEY).expect("a key in range");
        out.copy_from_slice(&mac.chain_update(message).finalize().into_bytes());
    });

    fn tagger() -> Option<Tagger> {
        let mac = <M as KeyInit>::new_from_slice(KEY).expect("a key in range");
        Some(Box::new(move |message, out| {
            out.copy_from_slice(&mac.clone().chain_update(message).finalize().into_bytes());
        }))
    }

    fn size() -> usize {
        <D as Digest>::output_size()
    }
}

/// A module of ours.
macro_rules! ours {
    ($Name:ident, $module:ident, $size:literal, $key:expr, |$set_up:ident, $message:ident| $tag:expr) => {
        pub(crate) struct $Name;

        impl Way for $Name {
            const NAME: &'static str = "simd-digest";

            type Hasher = $module::Hasher;

            fn hasher() -> $module::Hasher {
                $module::Hasher::new()
            }

            fn update(hasher: &mut $module::Hasher, bytes: &[u8]) {
                hasher.update(bytes);
            }

            fn finalize(hasher: &$module::Hasher, out: &mut [u8]) {
                out.copy_from_slice(hasher.finalize().as_bytes());
            }

            fn again(hasher: &mut $module::Hasher, message: &[u8], out: &mut [u8]) {
                hasher.reset();
                hasher.update(message);
                out.copy_from_slice(hasher.finalize().as_bytes());
            }

            fn hash(message: &[u8], out: &mut [u8]) {
                out.copy_from_slice($module::hash(message).as_bytes());
            }

            const MAC: Option<Hash> = Some(|$message, out| {
                let $set_up = $key;
                out.copy_from_slice($tag.as_bytes());
            });

            fn tagger() -> Option<Tagger> {
                let $set_up = $key;
                Some(Box::new(move |$message, out| out.copy_from_slice($tag.as_bytes())))
            }

            fn hash_many(messages: &[&[u8]], out: &mut [u8]) {
                for (hash, out) in $module::hash_many(messages).iter().zip(out.chunks_mut($size)) {
                    out.copy_from_slice(hash.as_bytes());
                }
            }

            fn size() -> usize {
                $size
            }
        }
    };
}
ours!(OurSha256, sha256, 32, sha256::HmacKey::new(KEY), |key, message| key.hash(message));
ours!(OurSha512, sha512, 64, sha512::HmacKey::new(KEY), |key, message| key.hash(message));
ours!(OurBlake2b, blake2b, 64, blake2b::Params::new().key(KEY), |key, message| key.hash(message).expect("in range"));
ours!(OurBlake2s, blake2s, 32, blake2s::Params::new().key(KEY), |key, message| key.hash(message).expect("in range"));
ours!(OurBlake3, our_blake3, 32, our_blake3::Mode::keyed(KEY), |key, message| key.hash(message));

/// `blake2b_simd` and `blake2s_simd`, which have the same names.
macro_rules! simd {
    ($Name:ident, $peer:ident, $hash:ident, $size:literal) => {
        pub(crate) struct $Name;

        impl Way for $Name {
            const NAME: &'static str = stringify!($peer);

            type Hasher = $peer::State;

            fn hasher() -> $peer::State {
                $peer::State::new()
            }

            fn update(hasher: &mut $peer::State, bytes: &[u8]) {
                hasher.update(bytes);
            }

            fn finalize(hasher: &$peer::State, out: &mut [u8]) {
                out.copy_from_slice(hasher.finalize().as_bytes());
            }

            fn again(hasher: &mut $peer::State, message: &[u8], out: &mut [u8]) {
                *hasher = $peer::State::new();
                Self::update(hasher, message);
                Self::finalize(hasher, out);
            }

            fn hash(message: &[u8], out: &mut [u8]) {
                out.copy_from_slice($peer::$hash(message).as_bytes());
            }

            const MAC: Option<Hash> =
                Some(|message, out| out.copy_from_slice($peer::Params::new().key(KEY).hash(message).as_bytes()));

            fn tagger() -> Option<Tagger> {
                let mut params = $peer::Params::new();
                params.key(KEY);
                Some(Box::new(move |message, out| out.copy_from_slice(params.hash(message).as_bytes())))
            }

            fn hash_many(messages: &[&[u8]], out: &mut [u8]) {
                let params = $peer::Params::new();
                let mut jobs: Vec<_> =
                    messages.iter().map(|message| $peer::many::HashManyJob::new(&params, message)).collect();
                $peer::many::hash_many(jobs.iter_mut());
                for (job, out) in jobs.iter().zip(out.chunks_mut($size)) {
                    out.copy_from_slice(job.to_hash().as_bytes());
                }
            }

            fn size() -> usize {
                $size
            }
        }
    };
}
simd!(Blake2bSimd, blake2b_simd, blake2b, 64);
simd!(Blake2sSimd, blake2s_simd, blake2s, 32);

/// The crate `blake3`.
pub(crate) struct PeerBlake3;

impl Way for PeerBlake3 {
    const NAME: &'static str = "blake3";

    type Hasher = blake3::Hasher;

    fn hasher() -> blake3::Hasher {
        blake3::Hasher::new()
    }

    fn update(hasher: &mut blake3::Hasher, bytes: &[u8]) {
        hasher.update(bytes);
    }

    fn finalize(hasher: &blake3::Hasher, out: &mut [u8]) {
        out.copy_from_slice(hasher.finalize().as_bytes());
    }

    fn again(hasher: &mut blake3::Hasher, message: &[u8], out: &mut [u8]) {
        hasher.reset();
        Self::update(hasher, message);
        Self::finalize(hasher, out);
    }

    fn hash(message: &[u8], out: &mut [u8]) {
        out.copy_from_slice(blake3::hash(message).as_bytes());
    }

    const MAC: Option<Hash> = Some(|message, out| out.copy_from_slice(blake3::keyed_hash(KEY, message).as_bytes()));

    fn tagger() -> Option<Tagger> {
        let keyed = blake3::Hasher::new_keyed(KEY);
        Some(Box::new(move |message, out| {
            out.copy_from_slice(keyed.clone().update(message).finalize().as_bytes());
        }))
    }

    fn size() -> usize {
        32
    }
}

/// `ring` and `aws-lc-rs`, which have the same names.
#[cfg(feature = "peers")]
macro_rules! ring {
    ($Name:ident, $peer:ident, $name:literal, $Algorithm:ident, $Hmac:ident, $size:literal) => {
        pub(crate) struct $Name;

        impl Way for $Name {
            const NAME: &'static str = $name;

            type Hasher = $peer::digest::Context;

            fn hasher() -> Self::Hasher {
                $peer::digest::Context::new(&$peer::digest::$Algorithm)
            }

            fn update(hasher: &mut Self::Hasher, bytes: &[u8]) {
                hasher.update(bytes);
            }

            fn finalize(hasher: &Self::Hasher, out: &mut [u8]) {
                out.copy_from_slice(hasher.clone().finish().as_ref());
            }

            fn again(hasher: &mut Self::Hasher, message: &[u8], out: &mut [u8]) {
                *hasher = Self::hasher();
                Self::update(hasher, message);
                Self::finalize(hasher, out);
            }

            fn hash(message: &[u8], out: &mut [u8]) {
                out.copy_from_slice($peer::digest::digest(&$peer::digest::$Algorithm, message).as_ref());
            }

            const MAC: Option<Hash> = Some(|message, out| {
                let key = $peer::hmac::Key::new($peer::hmac::$Hmac, KEY);
                out.copy_from_slice($peer::hmac::sign(&key, message).as_ref());
            });

            fn tagger() -> Option<Tagger> {
                let key = $peer::hmac::Key::new($peer::hmac::$Hmac, KEY);
                Some(Box::new(move |message, out| out.copy_from_slice($peer::hmac::sign(&key, message).as_ref())))
            }

            fn size() -> usize {
                $size
            }
        }
    };
}
#[cfg(feature = "peers")]
ring!(RingSha256, ring, "ring", SHA256, HMAC_SHA256, 32);
#[cfg(feature = "peers")]
ring!(RingSha512, ring, "ring", SHA512, HMAC_SHA512, 64);
#[cfg(feature = "peers")]
ring!(AwsLcSha256, aws_lc_rs, "aws-lc-rs", SHA256, HMAC_SHA256, 32);
#[cfg(feature = "peers")]
ring!(AwsLcSha512, aws_lc_rs, "aws-lc-rs", SHA512, HMAC_SHA512, 64);

/// `rscrypto`, whose keyed BLAKE is left out.
#[cfg(feature = "peers")]
macro_rules! rscrypto {
    (mac) => { None };
    (mac $Mac:ty) => {
        Some(|message, out| out.copy_from_slice(<$Mac as rscrypto::Mac>::mac(KEY, message).as_ref()))
    };
    (tagger) => { None };
    (tagger $Mac:ty) => {{
        let key = core::cell::RefCell::new(<$Mac as rscrypto::Mac>::new(KEY));
        Some(Box::new(move |message, out| {
            out.copy_from_slice(crate::contenders::rscrypto_tag(&key, message).as_ref());
        }))
    }};
    ($Name:ident, $Digest:ty, $size:literal $(, $Mac:ty)?) => {
        pub(crate) struct $Name;

        impl Way for $Name {
            const NAME: &'static str = "rscrypto";

            type Hasher = $Digest;

            fn hasher() -> $Digest {
                <$Digest as rscrypto::Digest>::new()
            }

            fn update(hasher: &mut $Digest, bytes: &[u8]) {
                rscrypto::Digest::update(hasher, bytes);
            }

            fn finalize(hasher: &$Digest, out: &mut [u8]) {
                out.copy_from_slice(&rscrypto::Digest::finalize(hasher));
            }

            fn again(hasher: &mut $Digest, message: &[u8], out: &mut [u8]) {
                rscrypto::Digest::reset(hasher);
                Self::update(hasher, message);
                Self::finalize(hasher, out);
            }

            fn hash(message: &[u8], out: &mut [u8]) {
                out.copy_from_slice(&<$Digest as rscrypto::Digest>::digest(message));
            }

            const MAC: Option<Hash> = rscrypto!(mac $($Mac)?);

            fn tagger() -> Option<Tagger> {
                rscrypto!(tagger $($Mac)?)
            }

            fn size() -> usize {
                $size
            }
        }
    };
}
#[cfg(feature = "peers")]
rscrypto!(RscryptoSha256, rscrypto::Sha256, 32, rscrypto::HmacSha256);
#[cfg(feature = "peers")]
rscrypto!(RscryptoSha512, rscrypto::Sha512, 64, rscrypto::HmacSha512);
#[cfg(feature = "peers")]
rscrypto!(RscryptoBlake2b, rscrypto::Blake2b512, 64);
#[cfg(feature = "peers")]
rscrypto!(RscryptoBlake2s, rscrypto::Blake2s256, 32);
#[cfg(feature = "peers")]
rscrypto!(RscryptoBlake3, rscrypto::Blake3, 32);
