//! Which messages take less time one by one than side by side.
//!
//! To go side by side takes as long as some blocks, and saves the latency of the others. Their number depends on how an
//! instruction set computes several messages, and on how far a CPU itself begins the next one before one has ended.
//! `docs/experiments.md` of the repository has the figures.
//!
//! - Zen 4 begins the next message late, so two blocks are enough. Zen 3, whose registers hold two messages, begins it
//!   before a short one has ended.
//! - Arm's CPUs are taken for ones that overlap messages.
//! - BLAKE2: in four lanes a block takes almost the time of two alone, whether or not all are in use; in two lanes or as
//!   a pair that of one and a half; and the call that of one or two.
#![forbid(unsafe_code)]

use super::order::blocks;
use crate::backend::{Backend, Dispatch};
use crate::kernel::{Block, Sides};

/// Messages at most that may take less time one by one.
pub(crate) const MOST_ALONE: usize = 7;

/// Blocks of a message at most that is side by side with others to its end. If it has more, the scheduler gives a lane
/// that is free to the next message.
pub(crate) fn most_blocks(sides: Sides, number: usize) -> u64 {
    match sides {
        _ if sides.by_extension().is_some_and(|most| number <= most) => u64::MAX,
        // Loads of eight lanes begin late.
        Sides::Lanes(8, _) if number <= 8 => 8,
        _ => 17,
    }
}

/// Whether messages take less time one by one, of so many blocks in `total` and in the longest.
#[inline]
pub(crate) fn are_faster_alone(sides: Sides, number: usize, total: u64, longest: u64) -> bool {
    number <= 1
        || match sides {
            Sides::Alone => true,
            Sides::Overlapping(2) => {
                total - longest < if number % 2 == 1 { 10 } else { 4 } || 2 * total < 3 * number as u64
            }
            Sides::Overlapping(_) => total - longest < 10,
            Sides::Streams(4) => total - longest < 2,
            Sides::Streams(_) => total - longest < 4,
            // An odd number leaves one that ends alone.
            Sides::OverlappingShort(_) => {
                total - longest < 4 || longest == 1 && number < 8 || longest == 2 && number < 6 && number % 2 == 1
            }
            Sides::Lanes(_, tenths) => {
                // To fill a lane takes a twentieth of a block in all lanes.
                let fill = number as u64 * tenths / 20;
                if longest <= most_blocks(sides, number) {
                    10 * total <= tenths * longest + fill
                } else {
                    // The longest message ends alone, so lanes gain only with more messages than they cost blocks.
                    10 * total <= 15 * longest + fill || tenths >= 10 * number as u64
                }
            }
            Sides::Pair => total - longest <= 2,
            Sides::Rows(2) if number == 2 => 10 * total <= 17 * longest + 10,
            Sides::Rows(lanes) => {
                number <= 4 && 4 * total <= 7 * longest + if number == 2 || lanes == 2 { 8 } else { 4 }
            }
            Sides::Groups(lanes) => lanes == 4 && total <= 2,
        }
}

/// Whether messages take less time one by one: at most [`MOST_ALONE`], or any number where there is one lane, or where
/// all are one block for a CPU that overlaps them. If they `are_begun`, they have blocks before them.
///
/// Inlined, since a call would take as long as half of a block.
#[inline]
pub(crate) fn messages_are_faster_alone<H: Dispatch>(
    backend: Backend,
    are_begun: bool,
    messages: &[impl AsRef<[u8]>],
) -> bool {
    let number = messages.len();
    if number <= 1 {
        return true;
    }
    if number > MOST_ALONE {
        return !are_begun
            && match H::sides(backend, number) {
                Sides::Overlapping(2) => messages.iter().all(|message| blocks::<H>(message.as_ref().len()) == 1),
                _ => H::lanes(backend) == 1,
            };
    }
    let lengths = || messages.iter().map(|message| message.as_ref().len());
    let longest = blocks::<H>(lengths().max().unwrap_or(0));
    // Answers may differ, and then no length is that of the longest.
    let total = if longest == 1 { number as u64 } else { lengths().map(blocks::<H>).sum::<u64>().max(longest) };
    // A batch compresses the blocks before all messages once. Alone, each of these messages would do so.
    let again = are_begun && lengths().filter(|length| *length > 0).count() > 1;
    // Seven are judged as six: only long ones are faster in lanes.
    !again && are_faster_alone(H::sides(backend, number.min(6)), number, total, longest)
}

/// Whether pieces of streams take less time one by one. Only blocks that lie whole in the data count, because one that
/// the data completes is a run of its own.
#[inline]
pub(super) fn pieces_are_faster_alone<'a, H: Dispatch>(
    backend: Backend,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> bool {
    let (mut number, mut total, mut longest) = (0, 0_usize, 0);
    for data in pieces {
        (number, total, longest) = (number + 1, total.saturating_add(data.len()), longest.max(data.len()));
    }
    let by_extension = by_extension::<H>(backend);
    // It begins the next message before one has ended.
    let short = by_extension && longest <= H::Block::LENGTH;
    if number <= 1 || short || number <= most_short_alone::<H>(backend) && longest < 2 * H::Block::LENGTH {
        return true;
    }
    let blocks = |bytes| (bytes / H::Block::LENGTH) as u64;
    let pieces = Pieces { number, total: blocks(total), longest: blocks(longest), others: blocks(total - longest) };
    pieces.are_faster_alone(by_extension, H::sides(backend, number))
}

/// Pieces at most that take less time one by one if each has less than two blocks.
#[inline]
pub(super) fn most_short_alone<H: Dispatch>(backend: Backend) -> usize {
    most_short(by_extension::<H>(backend), backend.overlaps(), H::sides(backend, 2))
}

/// As [`most_short_alone`], where two are computed as `sides` tells.
#[inline]
fn most_short(by_extension: bool, overlaps: bool, sides: Sides) -> usize {
    match sides {
        _ if by_extension && overlaps => 8,
        _ if by_extension => 6,
        Sides::Alone | Sides::Lanes(..) => 1,
        Sides::Groups(_) if overlaps => 6,
        _ => 3,
    }
}

/// Pieces of streams: their number, and the whole blocks in all of them, in the longest, and in the others together.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    number: usize,
    total: u64,
    longest: u64,
    others: u64,
}

impl Pieces {
    /// Whether they take less time one by one, perhaps `by_extension`.
    #[inline]
    fn are_faster_alone(self, by_extension: bool, sides: Sides) -> bool {
        let Self { number, total, longest, others } = self;
        let count = number as u64;
        match sides {
            // A stream costs four tenths of a block, the others end before the longest, and it ends alone.
            Sides::Lanes(_, tenths) if by_extension => {
                (10 * count).saturating_sub(tenths) * others <= 4 * count * (count - 1)
            }
            Sides::Overlapping(2 | 3) => others < if number == 2 { 5 } else { 10 } || total < 4 * count,
            Sides::OverlappingShort(_) => {
                let few = match (number, number % 2) {
                    (2, _) => 5,
                    (_, 0) => 9,
                    _ => 13,
                };
                others < few || number <= 8 && total < 2 * count
            }
            _ if by_extension => false,
            Sides::Lanes(..) => number <= 1,
            _ => are_faster_alone(sides, number, total, longest),
        }
    }
}

/// Whether one message is computed by an extension for this hash.
#[inline]
pub(super) fn by_extension<H: Dispatch>(backend: Backend) -> bool {
    H::sides(backend, 1).by_extension().is_some()
}

/// Whether so many ends of messages take less time one by one.
#[inline]
pub(crate) fn ends_are_faster_alone<H: Dispatch>(backend: Backend, number: usize) -> bool {
    number <= 1
        || number <= MOST_ALONE && by_extension::<H>(backend)
        || are_faster_alone(H::sides(backend, number), number, number as u64, 1)
}

#[cfg(all(test, feature = "blake2", feature = "blake3", feature = "sha2"))]
mod tests {
    use core::iter::once;

    use super::*;
    use crate::kernel::{
        blake2b::FlavourB, blake2s::FlavourS, blake3::Blake3Function, sha256::Sha256Function, sha512::Sha512Function,
    };

    /// Makes a test of each check, for every hash.
    macro_rules! of_every_hash {
        ($($test:ident: $check:ident;)*) => {$(
            #[test]
            fn $test() {
                $check::<FlavourB>();
                $check::<FlavourS>();
                $check::<Blake3Function>();
                $check::<Sha256Function>();
                $check::<Sha512Function>();
            }
        )*};
    }
    of_every_hash! {
        one_message_is_alone_whatever_the_hash: one_is_alone;
        long_pieces_are_side_by_side_whatever_the_hash: long_pieces_are_side_by_side;
    }

    fn one_is_alone<H: Dispatch>() {
        for backend in Backend::available() {
            for length in [0, 64, 128, 5000] {
                let message = &[0; 5000][..length];
                assert!(messages_are_faster_alone::<H>(backend, true, &[message]), "{backend:?}, {length}");
                assert!(pieces_are_faster_alone::<H>(backend, once(message)), "{backend:?}, {length}");
            }
            assert!(ends_are_faster_alone::<H>(backend, 1), "{backend:?}");
        }
    }

    fn long_pieces_are_side_by_side<H: Dispatch>() {
        for backend in Backend::available() {
            let long = &[0; 64 * 128][..64 * H::Block::LENGTH];
            let pieces = [long; MOST_ALONE + 1].into_iter();
            assert_eq!(pieces_are_faster_alone::<H>(backend, pieces), H::lanes(backend) == 1, "{backend:?}");
        }
    }

    /// On either side of each threshold: so many blocks in total take less time alone, one more does not.
    #[test]
    fn thresholds() {
        for (sides, number, longest, total) in [
            (Sides::Overlapping(2), 2, 20, 23),
            (Sides::Overlapping(2), 3, 20, 29),
            (Sides::Overlapping(2), 6, 1, 8),
            (Sides::Overlapping(3), 3, 20, 29),
            (Sides::Streams(4), 2, 20, 21),
            (Sides::Streams(2), 2, 20, 23),
            (Sides::OverlappingShort(2), 6, 2, 5),
            (Sides::Lanes(8, 24), 8, 8, 20),
            (Sides::Lanes(8, 24), 3, 20, 30),
            (Sides::Lanes(4, 24), 3, 17, 41),
            (Sides::Lanes(4, 24), 3, 18, 27),
            (Sides::Pair, 2, 20, 22),
            (Sides::Rows(2), 2, 20, 35),
            (Sides::Rows(4), 2, 20, 37),
            (Sides::Rows(4), 3, 20, 36),
            (Sides::Rows(2), 3, 20, 37),
            (Sides::Groups(4), 2, 1, 2),
        ] {
            let is_alone = |total| are_faster_alone(sides, number, total, longest);
            assert_eq!((is_alone(total), is_alone(total + 1)), (true, false), "{sides:?}, {number} of {longest}");
        }
        assert!(!are_faster_alone(Sides::Rows(4), 5, 20, 20), "five in rows");
        assert!(!are_faster_alone(Sides::Groups(8), 2, 2, 1), "two in a group of eight");
        assert!(are_faster_alone(Sides::Alone, 9, 900, 100), "where there is no other way");
        for (number, blocks, is_alone) in [(7, 1, true), (8, 1, false), (5, 2, true), (7, 2, false), (5, 3, false)] {
            let total = number as u64 * blocks;
            let sides = Sides::OverlappingShort(2);
            assert_eq!(are_faster_alone(sides, number, total, blocks), is_alone, "{number} of {blocks}");
        }
        // Two long messages, where a block in all lanes takes as long as two alone and more.
        assert!(
            are_faster_alone(Sides::Lanes(4, 20), 2, 200, 100) && !are_faster_alone(Sides::Lanes(4, 19), 2, 200, 100)
        );
        for (sides, number, most) in [
            (Sides::Streams(4), 4, u64::MAX),
            (Sides::Overlapping(2), 2, u64::MAX),
            (Sides::Streams(4), 5, 17),
            (Sides::Lanes(8, 24), 8, 8),
            (Sides::Lanes(8, 24), 9, 17),
            (Sides::Lanes(4, 24), 4, 17),
        ] {
            assert_eq!(most_blocks(sides, number), most, "{sides:?}, {number}");
        }
    }

    /// As [`thresholds`], for pieces of streams: so many blocks in those beside the longest, which has 20 or one.
    #[test]
    fn thresholds_of_pieces() {
        for (by_extension, sides, number, longest, others) in [
            (true, Sides::Lanes(16, 34), 8, 20, 4),
            (true, Sides::Lanes(16, 34), 16, 20, 7),
            (true, Sides::Overlapping(2), 2, 20, 4),
            (true, Sides::Overlapping(3), 3, 20, 9),
            (true, Sides::Overlapping(3), 8, 20, 11),
            (true, Sides::OverlappingShort(2), 2, 20, 4),
            (true, Sides::OverlappingShort(2), 3, 20, 12),
            (true, Sides::OverlappingShort(2), 4, 20, 8),
            (true, Sides::OverlappingShort(2), 8, 2, 13),
            (true, Sides::OverlappingShort(2), 10, 2, 8),
            (false, Sides::Rows(4), 2, 20, 17),
            (false, Sides::Pair, 2, 20, 2),
        ] {
            let is_alone = |others| {
                Pieces { number, total: longest + others, longest, others }.are_faster_alone(by_extension, sides)
            };
            assert_eq!((is_alone(others), is_alone(others + 1)), (true, false), "{sides:?}, {number}");
        }
        for (by_extension, overlaps, sides, most) in [
            (true, false, Sides::Streams(4), 6),
            (true, true, Sides::Overlapping(2), 8),
            (false, false, Sides::Rows(4), 3),
            (false, false, Sides::Groups(8), 3),
            (false, true, Sides::Groups(8), 6),
            (false, false, Sides::Lanes(8, 24), 1),
        ] {
            assert_eq!(most_short(by_extension, overlaps, sides), most, "{sides:?}");
        }
        let two = Pieces { number: 2, total: 2, longest: 1, others: 1 };
        assert!(!two.are_faster_alone(false, Sides::Lanes(8, 24)), "two in lanes");
    }

    /// The extension needs no lanes for the ends of a few.
    #[test]
    fn a_few_ends_are_alone_beside_an_extension() {
        for backend in Backend::available().filter(|&backend| by_extension::<Sha256Function>(backend)) {
            for number in 1..=MOST_ALONE {
                assert!(ends_are_faster_alone::<Sha256Function>(backend, number), "{backend:?}, {number}");
            }
        }
        for backend in Backend::available().filter(|&backend| FlavourB::lanes(backend) > 1) {
            assert!(!ends_are_faster_alone::<FlavourB>(backend, 64), "{backend:?}");
        }
    }
}
