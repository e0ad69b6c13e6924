//! Compares a file with its leaves, and tells which bytes are damaged.

use std::io;
use std::path::Path;

use simd_digest::blake2::Flavour;

use crate::engine::Engine;
use crate::input::{Input, Source};
use crate::leaves::{Damage, LeafFile};
use crate::line::Entry;

/// The result of checking a file against its leaves.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The first and the last byte of the range that was asked for, or `None` for all bytes.
    pub(crate) range: Option<(u64, u64)>,
    /// A line for each damaged or surplus range of bytes; none if the file is good.
    pub(crate) lines: Vec<String>,
    /// The first and the last byte of each of them.
    pub(crate) ranges: Vec<[u64; 2]>,
    /// The length of the file, if it was hashed whole.
    pub(crate) length: Option<u64>,
}

/// Checks the file of `entry` against its leaves, which are in the file `path`. The outer error is about that file.
pub(crate) fn inspect<F: Flavour>(
    range: Option<(u64, u64)>,
    engine: &Engine,
    entry: &Entry,
    path: &Path,
) -> io::Result<io::Result<Findings>> {
    let mut leaves = LeafFile::<F>::open(path, entry.scheme, &engine.secret, &entry.hash)?;
    let input = engine.open(Source::named(&entry.name));
    Ok(input.and_then(|mut input| input.steadily(|input| find(range, engine, entry, &mut leaves, input))))
}

/// Compares the file of `entry` with its leaves.
fn find<F: Flavour>(
    asked: Option<(u64, u64)>,
    engine: &Engine,
    entry: &Entry,
    leaves: &mut LeafFile<F>,
    input: &mut Input<'_>,
) -> io::Result<Findings> {
    let length = input.whole_length()?;
    if let Some(length) = length {
        leaves.try_length(input, length)?;
    }
    let range = asked.map(|range| leaves.within(range)).transpose()?;
    let damage = match range {
        Some(range) => leaves.check_range(input, range)?,
        None => whole_damage(engine, entry, leaves, input)?,
    };
    // Bytes after the end count only if the user asked for the end of the file.
    let to_end = asked.is_none_or(|(_, last)| last == u64::MAX);
    let surplus = match length {
        _ if !to_end => 0,
        Some(length) => length.saturating_sub(leaves.length),
        None => io::copy(input, &mut io::sink())?,
    };
    leaves.check_unchanged()?;
    let mut lines = damage.lines("FAILED");
    let mut ranges = damage.ends();
    if surplus > 0 {
        let (first, last) = (leaves.length, leaves.length + surplus - 1);
        lines.push(format!("bytes {first}-{last}: surplus"));
        ranges.push([first, last]);
    }
    Ok(Findings { range, lines, ranges, length })
}

/// The damaged ranges of a whole file. Afterwards, the position of the input is the end of the original length, or the
/// end of a shorter file.
fn whole_damage<F: Flavour>(
    engine: &Engine,
    entry: &Entry,
    leaves: &mut LeafFile<F>,
    input: &mut Input<'_>,
) -> io::Result<Damage> {
    let mut damage = Damage::default();
    let mut index = 0;
    let mut failure = None;
    leaves.seek(0)?;
    input.mark_end();
    // A file that has grown is hashed up to its original length: otherwise no leaf there would be marked as last.
    let found = engine.hash_input(input, leaves.length, entry.scheme, &mut |leaf| {
        let own = leaves.next().map_err(|error| {
            failure = Some(error);
            io::Error::other("the leaves cannot be read")
        })?;
        if own != *leaf {
            damage.add(leaves.bytes_of(index), None);
        }
        index += 1;
        Ok(())
    });
    let marked = input.take_mark();
    if let Some(error) = failure {
        return Err(error);
    }
    let length = match found {
        // The mark is no byte of the file.
        Ok(found) => found.length - u64::from(marked),
        // A leaf that cannot be read is damaged. Reading goes on behind it, leaf by leaf.
        Err(error) if input.is_file() && error.raw_os_error().is_some() => {
            let begin = leaves.bytes_of(index).start;
            damage.append(leaves.check_range(input, (begin, leaves.length.saturating_sub(1)))?);
            return Ok(damage);
        }
        Err(error) => return Err(error),
    };
    if length < leaves.length {
        let whole = leaves.bytes_of(length / leaves.chunk()).start;
        let mut good = whole;
        if !marked && length > 0 && whole == length {
            // The last leaf is full, but was wrongly marked as last. It may be good all the same, and is read again.
            let last = leaves.bytes_of(length / leaves.chunk() - 1).start;
            damage.cut(last);
            let is_good = leaves.check_range(input, (last, last)).is_ok_and(|damage| damage.is_empty());
            good = if is_good { whole } else { last };
        }
        damage.cut(good);
        damage.add(good..leaves.length, None);
    }
    Ok(damage)
}
