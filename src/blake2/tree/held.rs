//! Bytes on the heap that may be secret.

use alloc::vec::Vec;
use core::mem;

use crate::kernel::wipe_all;

/// Appends what may be secret to `buffer`, which grows to `most` bytes at most.
pub(super) fn append(buffer: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let length = buffer.len() + bytes.len();
    if length > buffer.capacity() {
        let room = buffer.capacity().saturating_mul(2).clamp(length, most.max(length));
        if cfg!(feature = "zeroize") {
            // Growing in place might move the bytes, and leave a copy behind.
            let mut larger = Vec::with_capacity(room);
            larger.extend_from_slice(buffer);
            wipe(&mut mem::replace(buffer, larger));
        } else {
            buffer.reserve_exact(room - buffer.len());
        }
    }
    buffer.extend_from_slice(bytes);
}

/// Overwrites a part of the message, or digests of it, with zeros, and what was there before them: with feature `zeroize`
/// only.
pub(super) fn wipe(bytes: &mut Vec<u8>) {
    if cfg!(feature = "zeroize") {
        bytes.resize(bytes.capacity(), 0);
        wipe_all(bytes);
        bytes.clear();
    }
}
