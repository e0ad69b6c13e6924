//! Messages from readers.

use alloc::vec::Vec;
use std::io::{self, ErrorKind, Read};

use super::hasher::Hasher;
use super::tree::GROUP;
use super::value::CHUNK_LEN;
use crate::kernel::wipe_bytes;

/// The bytes that a reader writes. They are wiped when they are dropped, also by a panic of the reader: all of them,
/// since a reader may have written more than it tells.
struct Buffer(Vec<u8>);

impl Drop for Buffer {
    fn drop(&mut self) {
        wipe_bytes(&mut self.0);
    }
}

impl Hasher {
    /// Appends all that `reader` gives.
    ///
    /// # Errors
    ///
    /// The errors of `reader`, except [`Interrupted`](ErrorKind::Interrupted), and
    /// [`InvalidData`](ErrorKind::InvalidData) if it claims to have read more bytes than it was given room for. The bytes
    /// before an error are appended.
    pub fn update_reader(&mut self, mut reader: impl Read) -> io::Result<&mut Self> {
        let mut buffer = Buffer(alloc::vec![0; 4 * GROUP * CHUNK_LEN]);
        loop {
            match reader.read(&mut buffer.0) {
                Ok(length) => {
                    let Some(bytes) = buffer.0.get(..length) else {
                        let room = buffer.0.len();
                        let error = alloc::format!("the reader claims {length} bytes, and was given room for {room}");
                        return Err(io::Error::new(ErrorKind::InvalidData, error));
                    };
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
