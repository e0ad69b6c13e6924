//! The modes of BLAKE3: plain, keyed, and for deriving keys.

use core::fmt;

use digest::MacError;

use super::hasher::Hasher;
use super::output::OutputReader;
use super::plan;
use super::tree::{Base, Cv};
use super::value::{Hash, KEY_LEN, OUT_LEN};
use crate::backend::Backend;
use crate::buffer::copy_words;
use crate::hash::verify;
use crate::kernel::blake3::{IV, flag};
use crate::kernel::{Word, wipe};
use crate::traits::hash_many;

/// A mode of BLAKE3, with its key, and the backend.
///
/// A key or context is prepared once for any number of messages.
///
/// ```
/// use simd_digest::blake3::{self, Mode};
///
/// let mode = Mode::derive_key("example.com 2026-11-22 session keys");
/// let key = mode.hash(b"secret 1");
/// assert_eq!(key, blake3::derive_key("example.com 2026-11-22 session keys", b"secret 1"));
/// ```
#[derive(Clone)]
pub struct Mode {
    key: [u32; 8],
    flags: u8,
    /// The best one if none.
    backend: Option<Backend>,
}

impl Mode {
    /// Plain hashing.
    pub const HASH: Self = Self { key: IV, flags: 0, backend: None };

    /// Hashing with a secret key: a MAC.
    #[inline]
    #[must_use]
    pub fn keyed(key: &[u8; KEY_LEN]) -> Self {
        Self { key: u32::from_bytes(key), flags: flag::KEYED_HASH, backend: None }
    }

    /// Key derivation for the purpose that `context` names, a globally unique constant of the program.
    #[must_use]
    pub fn derive_key(context: &str) -> Self {
        let base = Base { key: &IV, flags: flag::DERIVE_KEY_CONTEXT, backend: Backend::best() };
        Self::from_context_key(&base.hash(context.as_bytes()))
    }

    /// Key derivation with the context already hashed.
    /// [`hash_derive_key_context`](super::hazmat::hash_derive_key_context) alone gives such a key: **with any other 32
    /// bytes, the result is not that of key derivation.**
    #[must_use]
    pub fn from_context_key(context_key: &[u8; KEY_LEN]) -> Self {
        Self { key: u32::from_bytes(context_key), flags: flag::DERIVE_KEY_MATERIAL, backend: None }
    }

    /// Has the mode compute on `backend`.
    #[must_use]
    pub const fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = Some(backend);
        self
    }

    /// The backend that computes: [`Backend::best`], if none was chosen.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::best)
    }

    #[inline]
    pub(super) fn base(&self) -> Base<'_> {
        Base { key: &self.key, flags: self.flags, backend: self.backend() }
    }

    /// The digest of `message`.
    #[inline]
    #[must_use]
    pub fn hash(&self, message: &[u8]) -> Hash {
        Hash::from_bytes(self.base().hash(message))
    }

    /// Verifies in constant time that `tag` is the digest of `message`, all 32 bytes of it.
    ///
    /// # Errors
    ///
    /// [`MacError`] if it differs, or has another length.
    #[inline]
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), MacError> {
        verify(&mut self.base().hash(message), OUT_LEN, tag)
    }

    /// The digest of `message` to any length.
    #[must_use]
    pub fn hash_xof(&self, message: &[u8]) -> OutputReader {
        let base = self.base();
        if message.len() > 64 {
            return OutputReader::new(&mut base.node(message), base.backend);
        }
        let mut block = [0; 64];
        copy_words(&mut block, message);
        let flags = base.flags | flag::CHUNK_START | flag::CHUNK_END;
        let reader = OutputReader::of_chunk(base.key, flags, (&block, message.len()), base.backend);
        wipe(&mut block);
        reader
    }

    /// Gives the digest of each message to `put`, with its place in `messages`.
    fn each_digest(&self, messages: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, Cv)) {
        plan::each(&self.base(), &messages, &mut |begin, digests| {
            (begin..).zip(digests).for_each(|(i, digest)| put(i, *digest));
        });
    }

    /// A hasher in this mode, for a message that comes piece by piece.
    #[must_use]
    pub fn hasher(&self) -> Hasher {
        Hasher::of(&self.base())
    }
}

hash_many! {
    impl[] Mode, Hash,
    alone: messages.len() <= 1, one: |message| mode.base().hash(message),
    hash: |mode, bytes| Hash::from_bytes(bytes), length: OUT_LEN,
    what: "the digests of `messages`", of: "message", as: "digest", how: ", without allocating",
    /// The digests of `messages`, side by side.
    ///
    /// Lengths may differ. Chunks of all messages share the lanes, and then the parents of all messages do, so no lane
    /// waits for another message's tree. The order of the hashes is that of the messages.
    pub (messages) -> hashes
}

/// Plain hashing.
impl Default for Mode {
    fn default() -> Self {
        Self::HASH
    }
}

/// The kind and the backend alone, because the key is a secret.
impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.flags {
            0 => "hash",
            flag::KEYED_HASH => "keyed",
            _ => "derive_key",
        };
        f.debug_struct("Mode").field("kind", &kind).field("backend", &self.backend()).finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Mode {
    fn drop(&mut self) {
        u32::wipe(&mut self.key);
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Mode {}
