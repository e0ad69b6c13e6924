//! Compares the leaves of a file with those that were recorded.

use core::iter::Peekable;
use std::io;

use super::store::{Record, Store};
use crate::leaves::Damage;

/// The length of a file that was read, and the digests of its leaves.
pub(super) struct Leaves<'a> {
    pub(super) length: u64,
    /// The digests of the leaves, one after the other. Empty if there is only one leaf.
    pub(super) digests: &'a [u8],
    /// The numbers of leaves that cannot be read, and why.
    pub(super) bad: &'a [(u64, String)],
}

/// The bytes of a file that differ from those of a record, or cannot be read; and bytes that the file lost, if `lost` is
/// true. The digests of the recorded leaves are at `at`.
pub(super) fn damage(store: &Store, record: &Record, at: u64, now: &Leaves<'_>, lost: bool) -> io::Result<Damage> {
    let (size, chunk) = (store.header.scheme.size, store.header.chunk());
    let recorded = store.leaves(record, at)?;
    let (mut recorded, mut found) = (recorded.chunks(size), now.digests.chunks(size));
    let mut bad: Peekable<_> = now.bad.iter().peekable();
    let mut damage = Damage::default();
    let length = if lost { now.length.max(record.length) } else { now.length };
    for index in 0..length.div_ceil(chunk) {
        // The digest of an only leaf is not there: the file as a whole differs.
        let (old, new) = (recorded.next(), found.next());
        let bytes = index * chunk..length.min((index + 1) * chunk);
        if let Some((_, reason)) = bad.next_if(|(number, _)| *number == index) {
            damage.add(bytes, Some(reason.clone()));
        } else if new.is_none() || old != new {
            damage.add(bytes, None);
        }
    }
    Ok(damage)
}
