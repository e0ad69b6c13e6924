//! Hashes one message by BLAKE3 on several threads, which hash its subtrees; then merges the subtrees.
//!
//! ```text
//!   thread 0   ▏0  1  2  3  4  5  6  7 ▏                        ▏16 …    a thread takes a whole group of subtrees of
//!   thread 1                           ▏8  9 10 11 12 13 14 15 ▏         1 MiB each
//!
//!   the stack after 0 … 6   ▏0-3▏4-5▏6▏   two subtrees of one size are merged when the next one comes: only then is
//!   at the end of 7         ▏0-3▏4-5▏6▏7▏ known that they are not the root
//! ```

use core::ops::Range;
use std::io;

use simd_digest::blake3::hazmat::{ChainingValue, subtrees};
use simd_digest::blake3::{CHUNK_LEN, Mode, OUT_LEN};

use crate::buffers::Buffers;
use crate::input::Input;
use crate::scheme::{Digest, Span};
use crate::team::{GROUP, Hashed, MEMORY, Team};
use crate::tree::Stack;
use crate::window::Window;
use crate::{regular, stream};

/// The number of chunks of a subtree, as a power of two. Reads are as long as a subtree: on Zen 4, Linux copies 1 MiB
/// in two thirds of the time that it takes for 128 KiB eight times. Mapped, the bytes that come next within a subtree
/// are fetched from memory in advance, so a long one seldom waits.
const CHUNKS: u32 = 10;

/// The length of a subtree, in bytes. Only the last subtree of a message is shorter.
const SUBTREE: usize = CHUNK_LEN << CHUNKS;

// The root is never one subtree: files that are not longer than a group are hashed whole.
const _: () = assert!(SUBTREE <= GROUP);

/// The largest length of a group in a regular file, in bytes.
const LONGEST_GROUP: u64 = 16 << 20;

/// The result of a thread for a group.
enum Group {
    /// The digest of a message that has one group only.
    Whole(Digest),
    /// The chaining values of the subtrees of a longer message.
    Subtrees(Vec<ChainingValue>),
}

/// Hashes the input to its end. The digest is `span` of the output.
pub(crate) fn hash(
    input: &mut Input<'_>,
    mode: &Mode,
    span: Span,
    threads: usize,
    buffers: &Buffers,
) -> io::Result<Hashed<Digest>> {
    match input.rest(u64::MAX)?.filter(|rest| rest.end - rest.start > GROUP as u64) {
        Some(rest) => regular_file(input, rest, mode, span, threads, buffers),
        None => {
            let team = Team { threads: threads.min(MEMORY / GROUP), group: GROUP, buffers };
            let hash = |number, bytes: &[u8], is_last| {
                if number == 0 && is_last {
                    return Ok(Group::Whole(span.read(mode.hash_xof(bytes))));
                }
                let mut values = vec![[0; OUT_LEN]; bytes.len().div_ceil(SUBTREE)];
                subtrees(bytes, number * GROUP as u64, CHUNKS, mode, &mut values).map_err(io::Error::other)?;
                Ok(Group::Subtrees(values))
            };
            stream::in_groups(input, team, hash, |groups| root(groups, mode, span))
        }
    }
}

/// Hashes `range` of a regular file, which has more than one subtree.
fn regular_file(
    input: &mut Input<'_>,
    range: Range<u64>,
    mode: &Mode,
    span: Span,
    threads: usize,
    buffers: &Buffers,
) -> io::Result<Hashed<Digest>> {
    let group = group_of(range.end - range.start, threads);
    let team = Team { threads, group: usize::try_from(group).map_err(io::Error::other)?, buffers };
    let begin = range.start;
    let hash = |input: &Input<'_>, group: Range<u64>, _, _| {
        let window = Window::new(input, group.clone());
        let mut buffer = buffers.take(SUBTREE);
        let parts = group.clone().step_by(SUBTREE).map(|at| at..group.end.min(at + SUBTREE as u64));
        let value = |part: Range<u64>| {
            let mut value = [[0; OUT_LEN]];
            let offset = part.start - begin;
            let bytes = window.bytes(input, part, &mut buffer)?;
            subtrees(bytes, offset, CHUNKS, mode, &mut value).map_err(io::Error::other)?;
            Ok(value[0])
        };
        let values = parts.map(value).collect::<io::Result<_>>();
        buffers.put(buffer);
        values.map(Group::Subtrees)
    };
    regular::in_groups(input, range, team, hash, |groups| root(groups, mode, span))
}

/// The length of a group in so many bytes. Where no limit is reached, each thread has two to four groups, so that none has
/// to wait long for the last ones.
fn group_of(bytes: u64, threads: usize) -> u64 {
    (bytes / (4 * threads as u64)).clamp(GROUP as u64, LONGEST_GROUP).next_power_of_two()
}

/// The digest of a message, from its groups in order. The first error ends it.
fn root(groups: &mut dyn Iterator<Item = io::Result<Group>>, mode: &Mode, span: Span) -> io::Result<Digest> {
    let mut stack = Stack::default();
    for group in groups {
        match group? {
            Group::Whole(digest) => return Ok(digest),
            Group::Subtrees(values) => values.into_iter().for_each(|value| stack.push(value, mode)),
        }
    }
    stack.root(mode, span).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Seek, SeekFrom};

    use super::*;
    use crate::input::Source;
    use crate::paint::paint;
    use crate::progress::Progress;
    use crate::scheme::digest;

    /// All shapes of a tree of up to nine subtrees, with a last one of one byte, of some chunks, and of full length.
    #[test]
    fn every_number_of_subtrees() {
        let message = paint(9 * SUBTREE);
        let mode = Mode::keyed(&[7; 32]);
        let mut values = vec![[0; OUT_LEN]; 9];
        subtrees(&message, 0, CHUNKS, &mode, &mut values).unwrap();
        for count in 2..=9 {
            let whole = (count - 1) * SUBTREE;
            for last in [1, 3000, SUBTREE] {
                let mut end = [[0; OUT_LEN]];
                let bytes = &message[whole..whole + last];
                subtrees(bytes, whole as u64, CHUNKS, &mode, &mut end).unwrap();
                let values = [&values[..count - 1], &end].concat();
                let message = &message[..whole + last];
                let (short, long) =
                    (digest(mode.hash(message).as_bytes()), Span::first(100).read(mode.hash_xof(message)));
                // In groups of several lengths.
                for group in [1, 3, 8] {
                    let groups = || values.chunks(group).map(|values| Ok(Group::Subtrees(values.to_vec())));
                    assert_eq!(root(&mut groups(), &mode, Span::first(32)).unwrap(), short, "{count} {last} {group}");
                    assert_eq!(root(&mut groups(), &mode, Span::first(100)).unwrap(), long, "{count} {last} {group}");
                }
            }
        }
    }

    /// Less than two subtrees are no tree, and an error is no digest.
    #[test]
    fn no_digest_of_too_little() {
        let group = |values: &[ChainingValue]| Ok(Group::Subtrees(values.to_vec()));
        let digest = |groups: Vec<io::Result<Group>>| root(&mut groups.into_iter(), &Mode::HASH, Span::first(32));
        assert!(digest(vec![]).is_err());
        assert!(digest(vec![group(&[[1; 32]])]).is_err());
        assert!(digest(vec![group(&[[1; 32], [2; 32]])]).is_ok());
        let broken = || Err(io::ErrorKind::ConnectionReset.into());
        assert!(digest(vec![group(&[[1; 32], [2; 32]]), broken()]).is_err());
    }

    #[test]
    fn lengths_of_groups() {
        let groups = [(2 << 20, 64), (9 << 20, 2), (100 << 20, 4), (100 << 20, 8), (1 << 40, 2), (1 << 40, 64)];
        assert_eq!(groups.map(|(bytes, threads)| group_of(bytes, threads) >> 20), [1, 2, 8, 4, 16, 16]);
    }

    /// Groups of all lengths, by the length of the file and the number of threads, read and mapped, from anywhere on.
    #[test]
    fn groups_of_files() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let message = paint((17 << 20) + 12_345);
        fs::write(file.path(), &message).unwrap();
        let progress = Progress::default();
        let mode = Mode::derive_key("bt2sum's tests");
        for begin in [0, 1, 4096, (9 << 20) + 7, (15 << 20) + 12_345, (16 << 20) + 12_344, (16 << 20) + 12_345] {
            let part = &message[begin..];
            let expected = digest(mode.hash(part).as_bytes());
            for (mmap, threads) in [(false, 1), (false, 2), (false, 33), (true, 1), (true, 3)] {
                let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
                input.seek(SeekFrom::Start(begin as u64)).unwrap();
                let hashed = hash(&mut input, &mode, Span::first(32), threads, &Buffers::default()).unwrap();
                assert_eq!(hashed.hash, expected, "{begin} {mmap} {threads}");
                assert_eq!(hashed.length, part.len() as u64, "{begin} {mmap} {threads}");
                assert_eq!(input.stream_position().unwrap(), message.len() as u64, "{begin} {mmap} {threads}");
            }
        }
    }
}
