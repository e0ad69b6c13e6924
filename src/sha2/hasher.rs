//! One message, as it comes or all at once.

use core::fmt;
use core::marker::PhantomData;

use digest::Update;

use super::variant::{BlockOf, FunctionOf, Hash, Variant, digest};
use crate::backend::Backend;
use crate::buffer::Buffer;
use crate::kernel::Block;
use crate::kernel::sha2::{Chain, Written};
use crate::lanes::tails::{are_faster_alone, compress_tails};
use crate::stream::Stream;
use crate::traits::{digest_after, hash_many};

/// An incremental hasher.
///
/// The standard of SHA-256 ends at messages of 2^61 − 1 bytes. The length of a longer one counts modulo 2^61, without
/// an error. SHA-512 counts lengths beyond 2^64 bytes. [`sha256::Hasher`](crate::sha256::Hasher) has an example.
#[derive(Clone)]
pub struct Hasher<V: Variant> {
    pub(super) stream: Stream<FunctionOf<V>>,
    pub(super) variant: PhantomData<V>,
}

impl<V: Variant> Hasher<V> {
    /// A hasher of a new message, on [`Backend::best`].
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self::of(Stream::new(Chain::new(*V::IV), Backend::best()))
    }

    #[inline]
    pub(super) fn of(stream: Stream<V::Function>) -> Self {
        Self { stream, variant: PhantomData }
    }

    /// Has the hasher compute on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.stream.backend = backend;
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.stream.backend
    }

    /// Appends `bytes` to the message.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.stream.update(bytes);
        self
    }

    /// The digest of the message so far, to which more may be appended.
    #[inline]
    #[must_use]
    pub fn finalize(&self) -> Hash<V> {
        Hash::full(self.digest())
    }

    /// The digest so far, as bytes. Always inlined: see [`Stream::finalize`].
    #[inline(always)]
    pub(super) fn digest(&self) -> V::Bytes {
        self.stream.finalize(Written::JustNow, digest::<V>)
    }

    /// Gives the digest with each tail to `put`, with the tail's place.
    #[inline]
    fn each_digest(&self, tails: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, V::Bytes)) {
        compress_tails(&self.stream, Written::JustNow, tails, &mut |begin, chains| {
            (begin..).zip(chains).for_each(|(i, chain)| put(i, digest::<V>(chain)));
        });
    }

    /// Forgets the message; the backend stays.
    #[inline]
    pub fn reset(&mut self) -> &mut Self {
        self.stream.chain = Chain::new(*V::IV);
        self.stream.buffer = Buffer::EMPTY;
        self
    }

    /// The number of bytes of the message so far, at most `u64::MAX`.
    #[must_use]
    pub fn count(&self) -> u64 {
        let Stream { chain, buffer, .. } = &self.stream;
        // A restored state may tell a count that no message has.
        chain.blocks.saturating_mul(BlockOf::<V>::LENGTH as u64).saturating_add(buffer.held().len() as u64)
    }
}

hash_many! {
    impl[V: Variant] Hasher<V>, Hash<V>,
    alone: are_faster_alone(&hasher.stream, tails), one: |tail| digest_after!(hasher, tail),
    hash: |hasher, bytes| Hash::full(bytes), length: V::LENGTH,
    what: "the digests of the message so far with each of `tails` behind it", of: "tail", as: "digest",
    how: ", without allocating",
    /// The digests of the message so far with each of `tails` behind it, in their order, side by side. The hasher stays as
    /// it is.
    pub (tails) -> hashes
}

impl<V: Variant> Default for Hasher<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// For code that knows the `digest` traits alone. `Hasher::update` takes precedence over this method.
impl<V: Variant> Update for Hasher<V> {
    #[inline]
    fn update(&mut self, bytes: &[u8]) {
        self.stream.update(bytes);
    }
}

/// The count and the backend alone, because the message may be secret.
impl<V: Variant> fmt::Debug for Hasher<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("count", &self.count()).field("backend", &self.backend()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
crate::traits::read_and_write!(impl[V: Variant] Hasher<V>);

#[cfg(feature = "zeroize")]
impl<V: Variant> Drop for Hasher<V> {
    fn drop(&mut self) {
        self.stream.wipe();
    }
}

#[cfg(feature = "zeroize")]
impl<V: Variant> zeroize::ZeroizeOnDrop for Hasher<V> {}
