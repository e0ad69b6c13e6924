//! The hashes by their SQL names, with a length or a key.

use core::fmt;

use datafusion_common::{Result, exec_err, internal_err};
use simd_digest::{Backend, blake2b, blake2s, blake3, sha224, sha256, sha384, sha512};

/// A hash that SQL can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Algorithm {
    Blake2b,
    Blake2s,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Blake3,
}

impl Algorithm {
    pub(crate) const ALL: [Self; 7] =
        [Self::Sha224, Self::Sha256, Self::Sha384, Self::Sha512, Self::Blake2s, Self::Blake2b, Self::Blake3];

    /// The name in SQL. DataFusion's own names are the same, in lower case alone.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Blake2b => "blake2b",
            Self::Blake2s => "blake2s",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Blake3 => "blake3",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// The names of all, as an error lists them.
    pub(crate) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// The bytes of a digest of full length.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Blake2b | Self::Sha512 => 64,
            Self::Sha384 => 48,
            Self::Sha224 => 28,
            Self::Blake2s | Self::Sha256 | Self::Blake3 => 32,
        }
    }

    /// Whether digests have any length up to the full one.
    pub(crate) fn has_lengths(self) -> bool {
        matches!(self, Self::Blake2b | Self::Blake2s)
    }

    /// The lengths of a key, in bytes.
    pub(crate) fn key_lengths(self) -> core::ops::RangeInclusive<usize> {
        match self {
            Self::Blake2b | Self::Sha224 | Self::Sha256 | Self::Sha384 | Self::Sha512 => 16..=64,
            Self::Blake2s => 16..=32,
            Self::Blake3 => 32..=32,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Hashes messages side by side: the algorithm, its length and its key, set up once.
///
/// `Debug` is not there, for there may be a key.
pub(crate) enum Kernel {
    Blake2b(blake2b::Params, usize),
    Blake2s(blake2s::Params, usize),
    Sha224(sha224::Batch),
    Sha256(sha256::Batch),
    Sha384(sha384::Batch),
    Sha512(sha512::Batch),
    Blake3(blake3::Mode),
    HmacSha224(sha224::HmacKey),
    HmacSha256(sha256::HmacKey),
    HmacSha384(sha384::HmacKey),
    HmacSha512(sha512::HmacKey),
}

impl Kernel {
    /// Digests of full length, without a key.
    pub(crate) fn new(algorithm: Algorithm) -> Self {
        Self::with_length(algorithm, algorithm.width())
    }

    /// Digests of `length` bytes. An algorithm that has one length ignores it.
    pub(crate) fn with_length(algorithm: Algorithm, length: usize) -> Self {
        match algorithm {
            Algorithm::Blake2b => Self::Blake2b(blake2b::Params::new().hash_length(length), length),
            Algorithm::Blake2s => Self::Blake2s(blake2s::Params::new().hash_length(length), length),
            Algorithm::Sha224 => Self::Sha224(sha224::Batch::new()),
            Algorithm::Sha256 => Self::Sha256(sha256::Batch::new()),
            Algorithm::Sha384 => Self::Sha384(sha384::Batch::new()),
            Algorithm::Sha512 => Self::Sha512(sha512::Batch::new()),
            Algorithm::Blake3 => Self::Blake3(blake3::Mode::HASH),
        }
    }

    /// Digests of full length with `key`, which has one of the lengths that the algorithm takes.
    pub(crate) fn keyed(algorithm: Algorithm, key: &[u8]) -> Result<Box<Self>> {
        let lengths = algorithm.key_lengths();
        if !lengths.contains(&key.len()) {
            let (least, most) = (lengths.start(), lengths.end());
            let allowed = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            return exec_err!("a key of {algorithm} must have {allowed} bytes, but has {}", key.len());
        }
        Ok(Box::new(match algorithm {
            Algorithm::Blake2b => Self::Blake2b(blake2b::Params::new().key(key), 64),
            Algorithm::Blake2s => Self::Blake2s(blake2s::Params::new().key(key), 32),
            Algorithm::Sha224 => Self::HmacSha224(sha224::HmacKey::new(key)),
            Algorithm::Sha256 => Self::HmacSha256(sha256::HmacKey::new(key)),
            Algorithm::Sha384 => Self::HmacSha384(sha384::HmacKey::new(key)),
            Algorithm::Sha512 => Self::HmacSha512(sha512::HmacKey::new(key)),
            Algorithm::Blake3 => match key.try_into() {
                Ok(key) => Self::Blake3(blake3::Mode::keyed(key)),
                Err(_) => return internal_err!("a key of blake3 has 32 bytes"),
            },
        }))
    }

    /// The bytes of a digest.
    pub(crate) fn width(&self) -> usize {
        match self {
            &Self::Blake2b(_, length) | &Self::Blake2s(_, length) => length,
            Self::Sha224(_) | Self::HmacSha224(_) => 28,
            Self::Sha256(_) | Self::HmacSha256(_) | Self::Blake3(_) => 32,
            Self::Sha384(_) | Self::HmacSha384(_) => 48,
            Self::Sha512(_) | Self::HmacSha512(_) => 64,
        }
    }

    /// Whether messages of this length, side by side, have the next ones fetched while they are hashed.
    pub(crate) fn fetches(&self, length: usize) -> bool {
        let by_kernel = match self {
            // Four lanes do not.
            Self::Blake2b(params, _) => blake2b::lanes(params.backend()) >= 8,
            Self::Blake2s(params, _) => blake2s::lanes(params.backend()) >= 8,
            Self::Sha224(_) | Self::Sha256(_) | Self::HmacSha224(_) | Self::HmacSha256(_) => true,
            Self::Sha384(_) | Self::Sha512(_) | Self::HmacSha384(_) | Self::HmacSha512(_) => {
                sha512::lanes(Backend::best()) >= 8
            }
            Self::Blake3(_) => length <= 1024 && length.is_multiple_of(64),
        };
        by_kernel && cfg!(any(target_arch = "x86", target_arch = "x86_64"))
    }

    /// Writes the digests of `messages` to `digests`, one after the other. These have `messages.len() * width` bytes.
    pub(crate) fn hash(&self, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        let done = match self {
            Self::Blake2b(params, _) => params.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::Blake2s(params, _) => params.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::Sha224(batch) => batch.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::Sha256(batch) => batch.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::Sha384(batch) => batch.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::Sha512(batch) => batch.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::Blake3(mode) => mode.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::HmacSha224(key) => key.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::HmacSha256(key) => key.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::HmacSha384(key) => key.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
            Self::HmacSha512(key) => key.hash_many_flat(messages, digests).map_err(|e| e.to_string()),
        };
        done.or_else(|error| internal_err!("simd-digest: {error}"))
    }
}
