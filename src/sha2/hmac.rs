//! HMAC ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104), [FIPS 198-1](https://doi.org/10.6028/NIST.FIPS.198-1)).

use core::fmt;
use core::marker::PhantomData;
use core::slice;

use digest::common::{BlockSizeUser, KeySizeUser};
use digest::{InvalidLength, Key, KeyInit, MacError, MacMarker, Update};

use super::batch::Batch;
use super::variant::{BlockOf, ChainOf, Family, FunctionOf, Hash, Variant, digest};
use crate::backend::{Backend, Dispatch};
use crate::buffer::Buffer;
use crate::hash::verify;
use crate::kernel::sha2::{Chain, Written};
use crate::kernel::{Block, Function, Known, wipe};
use crate::lanes::alone::messages_are_faster_alone;
use crate::lanes::ends::{End, close_each};
use crate::lanes::tails::{are_faster_alone, compress_tails};
use crate::lanes::{Common, InLanes, Put};
use crate::stream::{Stream, compress_message};
use crate::traits::{digest_after, fixed_output, hash_many};

/// A key of HMAC, set up once, so that no message costs the two blocks that the key takes.
///
/// **Keys.** A key may have any length. RFC 2104 (section 3) advises as many random bytes as a digest has. A key of
/// more than a block, 64 bytes or 128 of SHA-512, is hashed first. A shorter one is filled up with zeros, so a key and
/// the same key with a zero after it give the same tags. An empty key is allowed, as in the RFC, and protects nothing.
///
/// **Tags.** [`verify`](Self::verify) and `==` take the same time wherever tags differ. Do not compare text or
/// `as_bytes()`, and do not sort tags: the time tells how much was right.
///
/// ```
/// use simd_digest::sha256::HmacKey;
///
/// let key = HmacKey::new(b"a key");
/// let tag: [u8; 32] = *key.hash(b"two").as_bytes();
/// key.verify(b"two", &tag)?;
///
/// # #[cfg(feature = "alloc")]
/// let tags = key.hash_many(&["one", "two", "three"]); // side by side
/// # #[cfg(feature = "alloc")]
/// assert_eq!(tags[1], tag);
/// # Ok::<(), simd_digest::digest::MacError>(())
/// ```
#[derive(Clone)]
pub struct HmacKey<V: Variant> {
    /// After the block of the key and `ipad`.
    pub(super) inner: ChainOf<V>,
    /// After the block of the key and `opad`.
    pub(super) outer: ChainOf<V>,
    backend: Backend,
    variant: PhantomData<V>,
}

impl<V: Variant> HmacKey<V> {
    /// Sets up `key`, of any length, on [`Backend::best`].
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        Self::on(Backend::best(), key)
    }

    /// Sets up `key` on `backend`.
    pub(super) fn on(backend: Backend, key: &[u8]) -> Self {
        let mut block = BlockOf::<V>::ZERO;
        if let Some(block) = block.bytes_mut().get_mut(..key.len()) {
            block.copy_from_slice(key);
        } else {
            let mut digest = Batch::<V>::new().with_backend(backend).digest(key);
            block.bytes_mut()[..V::LENGTH].copy_from_slice(digest.bytes());
            wipe(&mut digest);
        }
        let mut after = |pad: u8| {
            let mut chain = Chain::new(*V::IV);
            block.bytes_mut().iter_mut().for_each(|byte| *byte ^= pad);
            V::Function::compress(backend, &mut chain, slice::from_ref(&block), Written::Before);
            block.bytes_mut().iter_mut().for_each(|byte| *byte ^= pad);
            chain
        };
        let key = Self { inner: after(0x36), outer: after(0x5c), backend, variant: PhantomData };
        wipe(&mut block);
        key
    }

    /// Has the key compute on `backend` from here on.
    #[must_use]
    pub const fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The tag of `message`.
    #[inline]
    #[must_use]
    pub fn hash(&self, message: &[u8]) -> Hash<V> {
        Hash::full(self.tag(message))
    }

    /// Verifies in constant time that `tag` is the tag of `message`.
    ///
    /// # Errors
    ///
    /// [`MacError`] if it differs, or has another length.
    #[inline]
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), MacError> {
        verify(&mut self.tag(message), V::LENGTH, tag)
    }

    /// The tag as bytes.
    #[inline]
    fn tag(&self, message: &[u8]) -> V::Bytes {
        let mut chain = self.inner;
        compress_message::<V::Function>(self.backend, &mut chain, &[], message, Written::JustNow);
        let mut inner = digest::<V>(&chain);
        V::Function::wipe(&mut chain);
        let tag = self.close(&inner);
        wipe(&mut inner);
        tag
    }

    /// The tag, from the inner digest: that of the key and the message.
    #[inline(always)]
    fn close(&self, inner: &V::Bytes) -> V::Bytes {
        let mut chain = self.outer;
        compress_message::<V::Function>(self.backend, &mut chain, &[], inner.bytes(), Written::JustNow);
        let tag = digest::<V>(&chain);
        V::Function::wipe(&mut chain);
        tag
    }

    /// Gives the tag of each message to `put`, with its place in `messages`.
    fn each_digest(&self, messages: &[impl AsRef<[u8]>], put: impl FnMut(usize, V::Bytes)) {
        let common =
            Common::<V::Function> { backend: self.backend, chain: &self.inner, first: &[], last: Written::JustNow };
        self.each_tag(messages, |window, put| V::Function::compress_in_lanes(&common, &window, put), put);
    }

    /// Gives each tag to `put`, with its message's place, from the inner digests that `inner` computes.
    fn each_tag<M>(
        &self,
        messages: &[M],
        inner: impl Fn(&[M], Put<'_, V::Function>),
        mut put: impl FnMut(usize, V::Bytes),
    ) {
        const WINDOW: usize = 64;
        let last = Written::JustNow;
        // Inner digests, each the start of a block.
        let mut blocks = [BlockOf::<V>::ZERO; WINDOW];
        for (window, begin) in messages.chunks(WINDOW).zip((0..).step_by(WINDOW)) {
            inner(window, &mut |begin, chains| {
                for (block, chain) in blocks[begin..].iter_mut().zip(chains) {
                    block.bytes_mut()[..V::LENGTH].copy_from_slice(digest::<V>(chain).bytes());
                }
            });
            let ends = blocks[..window.len()].iter();
            let ends = ends.map(|block| End::<V::Function> { chain: &self.outer, block, length: V::LENGTH, last });
            close_each(self.backend, Known::Alike, ends, |i, chain| put(begin + i, digest::<V>(chain)));
        }
        blocks.iter_mut().for_each(wipe);
    }

    /// A hasher of one message that comes piece by piece.
    #[must_use]
    pub fn hasher(&self) -> HmacHasher<V> {
        HmacHasher { stream: Stream::new(self.inner, self.backend), key: self.clone() }
    }
}

hash_many! {
    impl[V: Variant] HmacKey<V>, Hash<V>,
    alone: messages_are_faster_alone::<V::Function>(key.backend, false, messages),
    one: |message| key.tag(message),
    hash: |key, bytes| Hash::full(bytes), length: V::LENGTH,
    what: "the tags of `messages`", of: "message", as: "tag", how: ", without allocating",
    /// The tags of `messages`, side by side, in their order: see [`Batch`] for good batches.
    pub (messages) -> tags
}

/// The backend alone.
impl<V: Variant> fmt::Debug for HmacKey<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HmacKey").field("backend", &self.backend).finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<V: Variant> Drop for HmacKey<V> {
    fn drop(&mut self) {
        V::Function::wipe(&mut self.inner);
        V::Function::wipe(&mut self.outer);
    }
}

#[cfg(feature = "zeroize")]
impl<V: Variant> zeroize::ZeroizeOnDrop for HmacKey<V> {}

/// An incremental HMAC hasher, which [`HmacKey::hasher`] makes. [`sha256::HmacHasher`](crate::sha256::HmacHasher) has an
/// example.
#[derive(Clone)]
pub struct HmacHasher<V: Variant> {
    stream: Stream<FunctionOf<V>>,
    key: HmacKey<V>,
}

impl<V: Variant> HmacHasher<V> {
    /// Has the hasher compute on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.stream.backend = backend;
        self.key.backend = backend;
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.key.backend
    }

    /// Appends `bytes` to the message.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.stream.update(bytes);
        self
    }

    /// The tag of the message so far, to which more may be appended.
    #[inline]
    #[must_use]
    pub fn finalize(&self) -> Hash<V> {
        Hash::full(self.digest())
    }

    /// The tag so far, as bytes. Always inlined: see [`Stream::finalize`].
    #[inline(always)]
    pub(super) fn digest(&self) -> V::Bytes {
        let mut inner = self.stream.finalize(Written::JustNow, digest::<V>);
        let tag = self.key.close(&inner);
        wipe(&mut inner);
        tag
    }

    /// Gives the tag with each tail to `put`, with the tail's place.
    fn each_digest(&self, tails: &[impl AsRef<[u8]>], put: impl FnMut(usize, V::Bytes)) {
        self.key.each_tag(tails, |window, put| compress_tails(&self.stream, Written::JustNow, window, put), put);
    }

    /// Forgets the message; key and backend stay.
    pub fn reset(&mut self) -> &mut Self {
        self.stream.chain = self.key.inner;
        self.stream.buffer = Buffer::EMPTY;
        self
    }

    /// Bytes of the message so far, without the key.
    #[must_use]
    pub fn count(&self) -> u64 {
        let Stream { chain, buffer, .. } = &self.stream;
        chain
            .blocks
            .wrapping_sub(1)
            .saturating_mul(BlockOf::<V>::LENGTH as u64)
            .saturating_add(buffer.held().len() as u64)
    }
}

hash_many! {
    impl[V: Variant] HmacHasher<V>, Hash<V>,
    // Memory for the inner digests costs what five tags gain, as measured on Zen 4.
    alone: tails.len() <= 5 || are_faster_alone(&hasher.stream, tails),
    one: |tail| digest_after!(hasher, tail),
    hash: |hasher, bytes| Hash::full(bytes), length: V::LENGTH,
    what: "the tags of the message so far with each of `tails` behind it", of: "tail", as: "tag",
    how: ", without allocating",
    /// The tags of the message so far with each of `tails` behind it, in their order, side by side. The hasher stays as it
    /// is.
    pub (tails) -> tags
}

/// For code that knows the `digest` traits alone. `HmacHasher::update` takes precedence over this method.
impl<V: Variant> Update for HmacHasher<V> {
    #[inline]
    fn update(&mut self, bytes: &[u8]) {
        self.stream.update(bytes);
    }
}

/// The count and the backend alone.
impl<V: Variant> fmt::Debug for HmacHasher<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("HmacHasher");
        fields.field("count", &self.count()).field("backend", &self.backend()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
crate::traits::read_and_write!(impl[V: Variant] HmacHasher<V>);

#[cfg(feature = "zeroize")]
impl<V: Variant> Drop for HmacHasher<V> {
    fn drop(&mut self) {
        self.stream.wipe();
    }
}

#[cfg(feature = "zeroize")]
impl<V: Variant> zeroize::ZeroizeOnDrop for HmacHasher<V> {}

/// HMAC of the `digest` traits; see [`HmacSha256`](crate::HmacSha256), [`HmacSha512`](crate::HmacSha512) and the like.
///
/// `KeyInit::new` takes a key of a block: 64 bytes, or 128 of SHA-512. `KeyInit::new_from_slice` takes any length and
/// never fails. `Mac::verify_slice` and the like compare tags in constant time.
#[derive(Clone)]
pub struct Hmac<V: Variant> {
    hasher: HmacHasher<V>,
}

impl<V: Variant> KeySizeUser for Hmac<V> {
    type KeySize = <V::Function as Family>::BlockSize;
}

impl<V: Variant> KeyInit for Hmac<V> {
    fn new(key: &Key<Self>) -> Self {
        Self { hasher: HmacKey::new(key).hasher() }
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self { hasher: HmacKey::new(key).hasher() })
    }
}

impl<V: Variant> BlockSizeUser for Hmac<V> {
    type BlockSize = <V::Function as Family>::BlockSize;
}

impl<V: Variant> MacMarker for Hmac<V> {}

fixed_output!(impl[V: Variant] Hmac<V>, output: V::OutputSize, name: V::MAC_NAME);
