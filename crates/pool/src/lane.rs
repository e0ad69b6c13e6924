//! The hashers of the core that share lanes.
#![forbid(unsafe_code)]

use simd_digest::{Backend, blake2, sha2};

/// A hasher of `simd_digest` whose streams share lanes: `Hasher` of `blake2b`, `blake2s`, `sha256`, `sha224`, `sha512`,
/// `sha384`, `sha512_256` or `sha512_224`.
///
/// A hasher brings its key, its parameters, its backend and all that it has hashed.
pub trait LaneHasher: Sealed + Clone + Send + 'static {
    /// The digest as a value.
    type Hash;

    /// The hasher's own `finalize`: the digest of the message so far.
    fn digest(&self) -> Self::Hash;
}

/// The part that is no business of others.
pub trait Sealed: Sized + 'static {
    fn backend(&self) -> Backend;
    /// Streams at most that `backend` takes side by side.
    fn lanes(backend: Backend) -> usize;
    fn append(&mut self, data: &[u8]);
    fn append_each<'a>(backend: Backend, jobs: impl Iterator<Item = (&'a mut Self, &'a [u8])>);
}

macro_rules! lane_hasher {
    ($family:ident, $Kind:ident: $of:ident, lanes: $lanes:expr) => {
        impl<$Kind: $family::$of> LaneHasher for $family::Hasher<$Kind> {
            type Hash = $family::Hash<$Kind>;

            fn digest(&self) -> Self::Hash {
                self.finalize()
            }
        }

        impl<$Kind: $family::$of> Sealed for $family::Hasher<$Kind> {
            fn backend(&self) -> Backend {
                self.backend()
            }

            fn lanes(backend: Backend) -> usize {
                $lanes(backend)
            }

            fn append(&mut self, data: &[u8]) {
                self.update(data);
            }

            fn append_each<'a>(backend: Backend, jobs: impl Iterator<Item = (&'a mut Self, &'a [u8])>) {
                $family::update_each(backend, jobs.map(|(hasher, data)| ((), hasher, data)), |()| {});
            }
        }
    };
}

lane_hasher!(blake2, F: Flavour, lanes: blake2::lanes::<F>);
lane_hasher!(sha2, V: Variant, lanes: sha2::lanes::<V>);
