//! A message that comes piece by piece.

use core::fmt;

use crate::hazmat::max_subtree_len;
use crate::output::OutputReader;
use crate::{Hash, KEY_LEN, ours};

/// An incremental hasher.
#[derive(Clone)]
pub struct Hasher {
    pub(crate) hasher: ours::Hasher,
    /// Where its input begins in a larger message.
    pub(crate) offset: u64,
}

impl Hasher {
    pub(crate) fn of(hasher: ours::Hasher) -> Self {
        Self { hasher, offset: 0 }
    }

    /// A hasher of a new message.
    pub fn new() -> Self {
        Self::of(ours::Hasher::new())
    }

    /// A hasher with a secret key: a MAC.
    pub fn new_keyed(key: &[u8; KEY_LEN]) -> Self {
        Self::of(ours::Hasher::new_keyed(key))
    }

    /// A hasher that derives a key, for the purpose that `context` names.
    pub fn new_derive_key(context: &str) -> Self {
        Self::of(ours::Hasher::new_derive_key(context))
    }

    /// Forgets the message, and where it began.
    pub fn reset(&mut self) -> &mut Self {
        self.hasher.reset();
        self.offset = 0;
        self
    }

    /// Appends `input` to the message.
    ///
    /// # Panics
    ///
    /// If the hasher is one of a part of a message, and the part has more bytes than a part that begins there.
    pub fn update(&mut self, input: &[u8]) -> &mut Self {
        self.check(input);
        self.hasher.update(input);
        self
    }

    /// As [`update`](Self::update), on all cores.
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update).
    #[cfg(feature = "rayon")]
    pub fn update_rayon(&mut self, input: &[u8]) -> &mut Self {
        self.check(input);
        self.hasher.update_rayon(input);
        self
    }

    fn check(&self, input: &[u8]) {
        if let Some(most) = max_subtree_len(self.offset) {
            let remaining = most.saturating_sub(self.count());
            assert!(
                input.len() as u64 <= remaining,
                "the subtree starting at {} contains at most {most} bytes",
                self.offset
            );
        }
    }

    /// Appends all that `reader` gives.
    ///
    /// # Errors
    ///
    /// The errors of `reader`, except `Interrupted`, and `InvalidData` if it claims more bytes than it was given room
    /// for.
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<&mut Self> {
        if self.offset == 0 {
            self.hasher.update_reader(reader)?;
        } else {
            std::io::copy(&mut Checked(reader), self)?;
        }
        Ok(self)
    }

    /// Appends the file at `path`.
    ///
    /// It is read, and not mapped: a program that has a file in its memory is killed when another one cuts that file.
    /// If a file has 16 KiB or more, the bytes that it has when it is opened are appended. All else is read to its end:
    /// shorter files, pipes, and files that only seem to have a length.
    ///
    /// # Errors
    ///
    /// The errors of opening and reading, except `Interrupted`, and `UnexpectedEof` if the file becomes shorter while
    /// it is read. Bytes before the error may be appended, so the hasher is of no use then.
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update).
    #[cfg(feature = "mmap")]
    pub fn update_mmap(&mut self, path: impl AsRef<std::path::Path>) -> std::io::Result<&mut Self> {
        crate::file::update(self, path.as_ref())?;
        Ok(self)
    }

    /// As [`update_mmap`](Self::update_mmap), on all cores.
    ///
    /// Each thread of rayon's current pool reads 256 KiB of the file at a time, and hashes them. If the hasher has bytes
    /// already, one thread reads 4 MiB at a time, and all hash them.
    ///
    /// # Errors
    ///
    /// As [`update_mmap`](Self::update_mmap).
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update).
    #[cfg(all(feature = "mmap", feature = "rayon"))]
    pub fn update_mmap_rayon(&mut self, path: impl AsRef<std::path::Path>) -> std::io::Result<&mut Self> {
        crate::file::update_rayon(self, path.as_ref())?;
        Ok(self)
    }

    /// The digest of the message so far.
    ///
    /// # Panics
    ///
    /// If the hasher is one of a part of a message.
    pub fn finalize(&self) -> Hash {
        self.check_whole();
        Hash::of(self.hasher.finalize())
    }

    /// As [`finalize`](Self::finalize), to any length.
    ///
    /// # Panics
    ///
    /// If the hasher is one of a part of a message.
    pub fn finalize_xof(&self) -> OutputReader {
        self.check_whole();
        OutputReader::of(self.hasher.finalize_xof())
    }

    fn check_whole(&self) {
        assert_eq!(self.offset, 0, "set_input_offset must be used with finalize_non_root");
    }

    /// Bytes of the message so far.
    pub fn count(&self) -> u64 {
        self.hasher.count()
    }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("count", &self.count()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl std::io::Write for Hasher {
    fn write(&mut self, input: &[u8]) -> std::io::Result<usize> {
        self.update(input);
        Ok(input.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A reader whose claims are checked. `io::copy` panics at one that claims more bytes than it was given room for.
#[cfg(feature = "std")]
struct Checked<R>(R);

#[cfg(feature = "std")]
impl<R: std::io::Read> std::io::Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            length if length <= buffer.len() => Ok(length),
            length => {
                let error = std::format!("the reader claims {length} bytes, and was given room for {}", buffer.len());
                Err(std::io::Error::new(std::io::ErrorKind::InvalidData, error))
            }
        }
    }
}

/// Leaves a hasher of a new message without a key. The other one is wiped as it is dropped.
#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Hasher {
    fn zeroize(&mut self) {
        *self = Self::new();
    }
}
