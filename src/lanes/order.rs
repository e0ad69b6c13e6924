//! The order of messages side by side: those with the most blocks come first.
#![forbid(unsafe_code)]

use crate::kernel::{Block, Function, closes_whole_blocks};

/// Messages that are sorted together at most. The more there are, the less do lanes differ.
pub(crate) const WIDE_WINDOW: usize = 128;

/// The blocks of a message of `length` bytes, those that close it included.
pub(crate) fn blocks<H: Function>(length: usize) -> u64 {
    (length / H::Block::LENGTH + closing::<H>(length)) as u64
}

/// The blocks that close a message of `length` bytes: none if its last block lies in it whole.
fn closing<H: Function>(length: usize) -> usize {
    let rest = length % H::Block::LENGTH;
    if !closes_whole_blocks::<H>() && rest == 0 && length > 0 { 0 } else { H::closing(rest) }
}

/// The blocks of a message, and its number in the window below them: one word, which sorts faster. It has 64 bits, because
/// a message of 1 GiB has too many blocks for 24.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64);

impl Key {
    pub(super) const NONE: Self = Self(0);

    #[inline]
    pub(super) fn new(blocks: u64, number: usize) -> Self {
        Self(blocks << 8 | number as u64)
    }

    #[inline]
    pub(super) fn blocks(self) -> u64 {
        self.0 >> 8
    }

    #[inline]
    pub(super) fn number(self) -> usize {
        self.place().into()
    }

    #[inline]
    fn place(self) -> u8 {
        self.0.to_le_bytes()[0]
    }
}

/// Sorts keys, those with the most blocks first. The one sort of this library: each is two kilobytes of machine code.
pub(super) fn sort(keys: &mut [Key]) {
    if !keys.is_sorted_by(|one, next| one.blocks() >= next.blocks()) {
        keys.sort_unstable_by(|one, next| next.cmp(one));
    }
}

/// Numbers of blocks that are told apart by counting.
const BINS: usize = 17;

/// Writes to `order` the places of as many messages, those with the most blocks first. `blocks` tells those of a place.
///
/// Small numbers are counted, since a sort by comparisons takes a wrong branch for every second one.
#[inline]
pub(crate) fn sort_by_blocks(order: &mut [u8], blocks: impl Fn(usize) -> u64) {
    let mut ends = [0_u8; BINS + 1];
    let bin = |place| BINS - 1 - usize::from(blocks(place).min(BINS as u64 - 1).to_le_bytes()[0]);
    for place in 0..order.len() {
        ends[bin(place) + 1] += 1;
    }
    let most = usize::from(ends[1]);
    for i in 1..BINS {
        ends[i] += ends[i - 1];
    }
    for (place, i) in (0..order.len()).zip(0..) {
        let to = &mut ends[bin(place)];
        order[usize::from(*to)] = i;
        *to += 1;
    }
    if most > 1 {
        sort_places(&mut order[..most], blocks);
    }
}

/// As [`sort_by_blocks`], by comparisons. Apart, so that others need no keys.
#[inline(never)]
fn sort_places(order: &mut [u8], blocks: impl Fn(usize) -> u64) {
    let mut keys = [Key::NONE; WIDE_WINDOW];
    let keys = &mut keys[..order.len()];
    for (key, place) in keys.iter_mut().zip(&*order) {
        let place = usize::from(*place);
        *key = Key::new(blocks(place), place);
    }
    sort(keys);
    order.iter_mut().zip(keys).for_each(|(to, key)| *to = key.place());
}

/// Puts what lies at place `order[i]` of `items` to place `i`.
pub(super) fn put_in_order<T>(items: &mut [T], order: &[u8]) {
    for i in 0..items.len() {
        // An item from a place before this one has been moved to where the item went that is there now.
        let mut from = usize::from(order[i]);
        while from < i {
            from = usize::from(order[from]);
        }
        items.swap(i, from);
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    /// BLAKE2 closes a message with the block that it ends in, SHA-2 with one that has room for 9 or 17 bytes more.
    #[cfg(all(feature = "blake2", feature = "blake3", feature = "sha2"))]
    #[test]
    fn blocks_of_a_message() {
        use crate::kernel::{
            blake2b::FlavourB, blake3::Blake3Function, sha256::Sha256Function, sha512::Sha512Function,
        };

        let blake2b = [0, 1, 127, 128, 129, 256, 257].map(blocks::<FlavourB>);
        assert_eq!(blake2b, [1, 1, 1, 1, 2, 2, 3]);
        let blake3 = [0, 1, 63, 64, 65, 128, 129].map(blocks::<Blake3Function>);
        assert_eq!(blake3, [1, 1, 1, 1, 2, 2, 3]);
        let sha256 = [0, 1, 55, 56, 63, 64, 119, 120, 128].map(blocks::<Sha256Function>);
        assert_eq!(sha256, [1, 1, 1, 2, 2, 2, 2, 3, 3]);
        let sha512 = [0, 1, 111, 112, 127, 128, 239, 240, 256].map(blocks::<Sha512Function>);
        assert_eq!(sha512, [1, 1, 1, 2, 2, 2, 2, 3, 3]);
    }

    #[test]
    fn keys_of_long_messages() {
        let long = Key::new(u64::from(u32::MAX / 64), 3);
        assert_eq!((long.blocks(), long.number()), (u64::from(u32::MAX / 64), 3));
        assert!(long > Key::new(1 << 25, 63) && Key::new(2, 0) > Key::new(1, 63));
    }

    /// Few blocks, which are counted, and more, which are compared.
    #[test]
    fn items_go_where_their_keys_are() {
        for most in [2, 15, 16, 17, 18, 5000] {
            for number in 0..=WIDE_WINDOW {
                let mut items: Vec<_> = (0..number).map(|i| ((i * i * 7919 + i) % most, i)).collect();
                let all = items.clone();
                let mut order = [0; WIDE_WINDOW];
                sort_by_blocks(&mut order[..number], |i| items[i].0 as u64);
                put_in_order(&mut items, &order);
                assert!(items.is_sorted_by(|a, b| a.0 >= b.0), "{number} below {most}");
                items.sort_unstable_by_key(|item| item.1);
                assert_eq!(items, all);
            }
        }
    }
}
