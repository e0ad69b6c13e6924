//! Messages from readers.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use std::io::{self, ErrorKind, Read};

use crate::kernel::wipe_all;

/// The bytes that a reader writes. They are wiped when they are dropped, also by a panic of the reader: all of them,
/// since a reader may have written more than it tells.
struct Buffer(Vec<u8>);

impl Drop for Buffer {
    fn drop(&mut self) {
        wipe_all(&mut self.0);
    }
}

/// Gives all that `reader` gives to `take`, 64 KiB at most at a time.
pub(crate) fn read_all(mut reader: impl Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = Buffer(alloc::vec![0; 64 * 1024]);
    loop {
        match reader.read(&mut buffer.0) {
            Ok(length) => {
                let Some(bytes) = buffer.0.get(..length) else {
                    let room = buffer.0.len();
                    let error = alloc::format!("the reader claims {length} bytes, and was given room for {room}");
                    return Err(io::Error::new(ErrorKind::InvalidData, error));
                };
                if length == 0 {
                    return Ok(());
                }
                take(bytes);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
