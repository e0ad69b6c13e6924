//! Files, which `blake3` maps where it can, and which are read here.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use crate::Hasher;

/// The shortest file that `blake3` maps, in bytes.
const MAPPED: i64 = 16 << 10;

/// The file at `path`, and the bytes that it has, or none if it is to be read to its end.
fn open(path: &Path) -> io::Result<(File, Option<u64>)> {
    let mut file = File::open(path)?;
    // A device has no length in its metadata. As in `blake3`, one step tells whether the file is long enough: the seek
    // fails in a short file and in a pipe, and goes to 0 in one of 16383 bytes and in /dev/zero.
    match file.seek(SeekFrom::End(1 - MAPPED)) {
        Ok(0) | Err(_) => Ok((file, None)),
        Ok(at) => {
            file.rewind()?;
            Ok((file, Some(at.saturating_add(MAPPED.unsigned_abs() - 1))))
        }
    }
}

/// The error of a file that ended after `read` bytes, and has had more.
fn became_shorter(read: u64) -> io::Error {
    let error = std::format!("the file became shorter while it was read: it ended after {read} bytes");
    io::Error::new(ErrorKind::UnexpectedEof, error)
}

/// Appends the file at `path` to the message.
pub(crate) fn update(hasher: &mut Hasher, path: &Path) -> io::Result<()> {
    let (file, length) = open(path)?;
    let Some(length) = length else {
        hasher.update_reader(file)?;
        return Ok(());
    };
    let before = hasher.count();
    hasher.update_reader(file.take(length))?;
    let read = hasher.count().wrapping_sub(before);
    if read == length { Ok(()) } else { Err(became_shorter(read)) }
}

#[cfg(feature = "rayon")]
pub(crate) use together::update_rayon;

/// On all cores: threads read and hash subtrees, each in a buffer that stays in the core's own cache.
///
/// ```text
///   thread 0   ▏0  1  2  3 ▏           …   the subtrees of a round; then their parents are made
///   thread 1                ▏4  5  6  7▏
/// ```
#[cfg(feature = "rayon")]
mod together {
    use std::fs::File;
    use std::io::{self, ErrorKind};
    use std::ops::Range;
    use std::path::Path;
    use std::sync::{Mutex, PoisonError};
    use std::vec::Vec;

    use simd_digest::blake3::Mode;
    use simd_digest::blake3::hazmat::{ChainingValue, State, merge_subtrees_non_root, subtrees};

    use crate::{CHUNK_LEN, Hasher};

    /// The chunks of a subtree, as a power of two.
    const CHUNKS: u32 = 8;

    /// Bytes of a subtree.
    const SUBTREE: usize = CHUNK_LEN << CHUNKS;

    /// Subtrees of a round, whose chaining values take 128 KiB. A round of 1 GiB is long, because threads wait for each
    /// other at its end.
    const ROUND: usize = 4096;

    /// Bytes that are read at a time for a hasher that has bytes already.
    const PIECE: usize = 4 << 20;

    /// Bytes that may be a secret.
    struct Buffer(Vec<u8>);

    #[cfg(feature = "zeroize")]
    impl Drop for Buffer {
        fn drop(&mut self) {
            zeroize::Zeroize::zeroize(&mut self.0[..]);
        }
    }

    /// As [`update`](super::update), by the threads of rayon's current pool.
    pub(crate) fn update_rayon(hasher: &mut Hasher, path: &Path) -> io::Result<()> {
        let (file, length) = super::open(path)?;
        match length {
            None => {
                hasher.update_reader(file)?;
                Ok(())
            }
            // The subtrees of the file are those of the message, and not all of it is one of them. Elsewhere a read moves
            // the place in the file, which the threads share.
            Some(length)
                if hasher.count() == 0
                    && hasher.offset == 0
                    && length > 2 * SUBTREE as u64
                    && cfg!(any(unix, windows)) =>
            {
                // All runs in the pool, so that it is entered once.
                rayon_core::scope(|_| whole(hasher, &file, length))
            }
            Some(length) => rayon_core::scope(|_| rest(hasher, &file, length)),
        }
    }

    /// Appends a file to a hasher that has bytes already, or a file of few subtrees.
    fn rest(hasher: &mut Hasher, file: &File, length: u64) -> io::Result<()> {
        let room = |rest: u64| usize::try_from(rest).unwrap_or(PIECE).min(PIECE);
        let mut buffer = Buffer(std::vec![0; room(length)]);
        let mut read = 0;
        while read < length {
            let piece = &mut buffer.0[..room(length - read)];
            fill(file, piece, read)?;
            hasher.update_rayon(piece);
            read += piece.len() as u64;
        }
        Ok(())
    }

    /// Appends a file of more than two subtrees to a hasher of an empty message.
    fn whole(hasher: &mut Hasher, file: &File, length: u64) -> io::Result<()> {
        // Something follows the subtrees, so none of their parents is the root.
        let number = (length - 1) / SUBTREE as u64;
        let begin = number * SUBTREE as u64;
        let mut state = Buffer(std::vec![0; State::MAX_LEN]);
        let written = State::from(&hasher.hasher).to_bytes(&mut state.0).map_err(io::Error::other)?;
        let reading = Reading { file, mode: mode_of(&state.0), buffers: Mutex::default() };
        let mut values = std::vec![[0; 32]; ROUND];
        let mut stack = Vec::new();
        for first in (0..number).step_by(ROUND) {
            let next = number.min(first + ROUND as u64);
            let values = &mut values[..(next - first) as usize];
            reading.subtrees(first, values)?;
            for (count, value) in (first..).zip(values.iter()) {
                // As a binary counter carries: a bit of the count stands for each subtree that is left.
                reading.merge(&mut stack, count.count_ones() as usize);
                stack.push(*value);
            }
        }
        // A state keeps the halves of a single subtree apart.
        reading.merge(&mut stack, (number.count_ones() as usize).max(2));
        let mut end = reading.buffer();
        let end = &mut end.0[..(length - begin) as usize];
        fill(file, end, begin)?;
        state.0.truncate(written);
        state.0[COUNT].copy_from_slice(&(number << CHUNKS).to_le_bytes());
        state.0.extend_from_slice(stack.as_flattened());
        hasher.hasher = State::from_bytes(&state.0).map_err(io::Error::other)?.into();
        hasher.update(end);
        Ok(())
    }

    // The bytes of a `State` that are read or written here.
    const FLAGS: usize = 1;
    const COUNT: Range<usize> = 12..20;
    const KEY: Range<usize> = 20..52;

    /// The flag of the mode with a key.
    const KEYED_HASH: u8 = 16;

    fn mode_of(state: &[u8]) -> Mode {
        let key = state[KEY].try_into().expect("a key has 32 bytes");
        match state[FLAGS] {
            0 => Mode::HASH,
            KEYED_HASH => Mode::keyed(key),
            _ => Mode::from_context_key(key),
        }
    }

    /// A file that is read by several threads.
    struct Reading<'a> {
        file: &'a File,
        mode: Mode,
        /// Buffers that no thread uses.
        buffers: Mutex<Vec<Buffer>>,
    }

    impl Reading<'_> {
        fn buffer(&self) -> Buffer {
            let free = self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop();
            free.unwrap_or_else(|| Buffer(std::vec![0; SUBTREE]))
        }

        /// Writes the chaining values of the subtrees from number `first` on.
        fn subtrees(&self, first: u64, values: &mut [ChainingValue]) -> io::Result<()> {
            if values.len() > 1 {
                let (left, right) = values.split_at_mut(values.len() / 2);
                let middle = first + left.len() as u64;
                let (left, right) = rayon_core::join(|| self.subtrees(first, left), || self.subtrees(middle, right));
                return left.and(right);
            }
            let begin = first * SUBTREE as u64;
            let mut buffer = self.buffer();
            fill(self.file, &mut buffer.0, begin)?;
            subtrees(&buffer.0, begin, CHUNKS, &self.mode, values).map_err(io::Error::other)?;
            self.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
            Ok(())
        }

        /// Makes parents of the last two subtrees until so many are left.
        fn merge(&self, stack: &mut Vec<ChainingValue>, number: usize) {
            while let [rest @ .., left, right] = &stack[..]
                && stack.len() > number
            {
                let parent = merge_subtrees_non_root(left, right, &self.mode);
                stack.truncate(rest.len());
                stack.push(parent);
            }
        }
    }

    /// Fills `buffer` with the bytes of `file` from `offset` on. A file that ends before has become shorter.
    fn fill(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match read_at(file, buffer, offset) {
                Ok(0) => return Err(super::became_shorter(offset)),
                Ok(length) => {
                    buffer = &mut buffer[length..];
                    offset += length as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(file, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
    }

    /// Moves the place in the file, which all threads share.
    #[cfg(not(any(unix, windows)))]
    fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
        io::Read::read(&mut file, buffer)
    }
}
