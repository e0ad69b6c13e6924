//! Messages from readers.

use alloc::vec::Vec;
use std::io::{self, ErrorKind, Read};

use super::hasher::Hasher;
use super::tree::GROUP;
use super::value::CHUNK_LEN;
use crate::kernel::wipe_bytes;

/// What a reader writes to. It is wiped when it is dropped, also by a panic of the reader.
struct Buffer {
    bytes: Vec<u8>,
    /// Bytes at most that readers wrote.
    most: usize,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        wipe_bytes(&mut self.bytes[..self.most]);
    }
}

impl Hasher {
    /// Appends all that `reader` gives.
    ///
    /// # Errors
    ///
    /// Those of `reader`, except [`Interrupted`](ErrorKind::Interrupted), and [`InvalidData`](ErrorKind::InvalidData) if
    /// it claims to have read more bytes than it was given room for. The bytes before an error are appended.
    pub fn update_reader(&mut self, mut reader: impl Read) -> io::Result<&mut Self> {
        let mut buffer = Buffer { bytes: alloc::vec![0; 4 * GROUP * CHUNK_LEN], most: 0 };
        loop {
            // A reader that fails, panics, or does not tell the truth may have written anywhere.
            let most = core::mem::replace(&mut buffer.most, buffer.bytes.len());
            match reader.read(&mut buffer.bytes) {
                Ok(length) => {
                    let Some(bytes) = buffer.bytes.get(..length) else {
                        let room = buffer.bytes.len();
                        let error = alloc::format!("the reader claims {length} bytes, and was given room for {room}");
                        return Err(io::Error::new(ErrorKind::InvalidData, error));
                    };
                    buffer.most = most.max(length);
                    if length == 0 {
                        return Ok(self);
                    }
                    self.update(bytes);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
