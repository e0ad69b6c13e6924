//! Hashes a tree over a regular file, whose bytes can be read in any order.
//!
//! ```text
//!             leaf 0   leaf 1  …  leaf 7  │ leaf 8   …              a group has as many leaves as there are lanes;
//!   thread 0   1 9 17   2 10       8 16   │                         a thread reads a piece of each leaf, in the order
//!   thread 1                              │  1 9 17   …             of the numbers, and hashes these 8 side by side
//! ```
//!
//! The pieces are short, so that a core hashes them from its own cache. The system is asked to read the groups from the
//! disk one after the other, each front to back.

use core::ops::Range;
use std::io::{self, Seek, SeekFrom};

use simd_digest::blake2::{self, Hash, Hasher, Part, Tree};

use crate::input::Input;
use crate::team::{GROUP, Hashed, LeafSink, MEMORY, Team, root};
use crate::threads::in_order;
use crate::window::{Window, read_ahead};
use simd_digest::blake2::Flavour;

/// The length of a piece of a leaf, in bytes.
const PIECE: usize = 64 << 10;

/// The largest length of a buffer, in bytes. A group of small leaves fits in, and is read at once.
const BUFFER: usize = 2 * GROUP;

/// Hashes the leaves in `range` of `input`.
pub(crate) fn leaves<F: Flavour>(
    input: &mut Input<'_>,
    range: Range<u64>,
    tree: &Tree<F>,
    team: Team<'_>,
    sink: LeafSink<'_, F>,
) -> io::Result<Hashed<Hash<F>>> {
    let hash = |input: &Input<'_>, group, number, is_last| hash_group(input, group, tree, team, number, is_last);
    in_groups(input, range, team, hash, |groups| root(tree, groups, sink))
}

/// Hashes `range` of `input`. `hash` gets the place of a group in the input, its number, and whether it is the last;
/// `consume` gets the results in order. More threads are possible than for a stream, since each needs only a small
/// buffer.
pub(crate) fn in_groups<T: Send, H>(
    input: &mut Input<'_>,
    range: Range<u64>,
    team: Team<'_>,
    hash: impl Fn(&Input<'_>, Range<u64>, u64, bool) -> io::Result<T> + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = io::Result<T>>) -> io::Result<H>,
) -> io::Result<Hashed<H>> {
    let (shared, group) = (&*input, team.group as u64);
    let groups = (range.end - range.start).div_ceil(group);
    let group_at = |number: u64| {
        let begin = range.start + number * group;
        begin..range.end.min(begin + group)
    };
    let numbers = (0..groups).inspect(|&number| {
        // Each thread asks for the group after its own; the first one asks for its own too.
        for ahead in u64::from(number > 0)..2 {
            if number + ahead < groups {
                read_ahead(shared, group_at(number + ahead));
            }
        }
    });
    let work = |number| hash(shared, group_at(number), number, number + 1 == groups);
    let threads = team.threads.min(MEMORY / BUFFER).min(usize::try_from(groups).unwrap_or(usize::MAX));
    let hash = in_order(threads, numbers, work, consume)?;
    input.seek(SeekFrom::Start(range.end))?;
    Ok(Hashed { hash, length: range.end - range.start })
}

/// Hashes the leaves of group `number`. `has_last` tells whether the last leaf of the message is among them.
fn hash_group<F: Flavour>(
    input: &Input<'_>,
    group: Range<u64>,
    tree: &Tree<F>,
    team: Team<'_>,
    number: u64,
    has_last: bool,
) -> io::Result<Vec<Hash<F>>> {
    let buffers = team.buffers;
    let chunk = u64::from(tree.leaf_length());
    let first = number * (team.group as u64 / chunk);
    let window = Window::new(input, group.clone());
    let length = usize::try_from(group.end - group.start).unwrap_or(usize::MAX);
    if length <= BUFFER {
        let mut buffer = buffers.take(BUFFER);
        let bytes = window.bytes(input, group, &mut buffer);
        let leaves =
            bytes.and_then(|bytes| tree.hash_run(first, bytes, Part::last_if(has_last)).map_err(io::Error::other));
        buffers.put(buffer);
        return leaves;
    }
    let begins: Vec<u64> = (group.start..group.end).step_by(tree.leaf_length() as usize).collect();
    let is_last = |i| has_last && i + 1 == begins.len();
    let leaf = |i| tree.leaf(first + i as u64, Part::last_if(is_last(i)));
    let hashers: Result<Vec<Hasher<F>>, _> = (0..begins.len()).map(leaf).collect();
    let mut hashers = hashers.map_err(io::Error::other)?;
    let mut buffer = buffers.take(begins.len() * PIECE);
    for done in (0..chunk).step_by(PIECE) {
        let mut updates = Vec::with_capacity(begins.len());
        for ((hasher, &begin), buffer) in hashers.iter_mut().zip(&begins).zip(buffer.chunks_mut(PIECE)) {
            let part = begin + done..(begin + chunk.min(done + PIECE as u64)).min(group.end);
            if !part.is_empty() {
                updates.push((hasher, window.bytes(input, part, buffer)?));
            }
        }
        blake2::update_many(&mut updates);
    }
    buffers.put(buffer);
    Ok(hashers.iter().map(Hasher::finalize).collect())
}
