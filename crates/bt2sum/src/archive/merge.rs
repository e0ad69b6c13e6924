//! Brings together what a store has and what a walk finds, by name.

use core::cmp::Ordering;
use std::io;
use std::time::SystemTime;

use super::found::{Found, Walk};
use super::hash::{Task, Wanted};
use super::name::{compare, is_below};
use super::part::{Accepted, Parts};
use super::store::{Entries, Entry, Kind, Record, Store, nanoseconds};
use crate::number::Share;
use crate::output::reason;

/// A name of the store, of the walk, or of both.
#[derive(Debug)]
pub(super) enum Pair {
    /// Recorded and found. The contents are compared if `hash` is true; with `unless_same`, also if length or time are
    /// not as they were.
    Both { entry: Entry, found: Found, hash: bool, unless_same: bool },
    /// Recorded and not found: in a directory that cannot be listed, for this reason, or else gone. It was to be hashed if
    /// `hash` is true.
    Gone { entry: Entry, unlisted: Option<String>, hash: bool },
    /// Recorded, and no business of this run: it is outside of the parts, and no directory that leads to one.
    Outside(Entry),
    /// A directory that was recorded empty, and has something now or is something else.
    Filled(Entry),
    /// Found and not recorded.
    Fresh { found: Found, hash: bool },
    /// A directory, found empty, with something in it that was recorded, or by a store of format 1, which has none.
    Emptied(Found),
    /// A directory that cannot be listed.
    Unlisted(Vec<u8>, io::Error),
    /// The store cannot be read.
    Failed(io::Error),
}

impl Task for Pair {
    fn wanted(&self) -> Wanted<'_> {
        match self {
            Self::Both { found: Found::File(place), hash: true, .. }
            | Self::Fresh { found: Found::File(place), hash: true } => Wanted::Hash(place),
            Self::Both {
                entry: Entry { kind: Kind::File(was, _), .. },
                found: Found::File(place),
                unless_same: true,
                ..
            } => Wanted::HashUnless(place, was),
            Self::Both { found: Found::File(place), .. } | Self::Fresh { found: Found::File(place), .. } => {
                Wanted::Look(place)
            }
            _ => Wanted::Nothing,
        }
    }

    fn close(&mut self) {
        if let Self::Both { found, .. } | Self::Fresh { found, .. } = self {
            found.close();
        }
    }

    fn weight(&self) -> usize {
        match self {
            Self::Both { entry, found, .. } => entry.name.len() + found.name().len(),
            Self::Gone { entry, .. } | Self::Outside(entry) | Self::Filled(entry) => entry.name.len(),
            Self::Fresh { found, .. } | Self::Emptied(found) => found.name().len(),
            Self::Unlisted(name, _) => name.len(),
            Self::Failed(_) => 0,
        }
    }
}

/// Pairs in the order of names.
pub(super) struct Merge<'a> {
    entries: Entries,
    walk: &'a mut Walk,
    parts: &'a Parts,
    /// Files that are hashed, whatever the sample is.
    always: &'a Accepted,
    /// Whether the store can have empty directories.
    has_directories: bool,
    /// Which entries are to be hashed; all if there is no list.
    sample: Option<Vec<bool>>,
    /// Whether new files are hashed.
    fresh: bool,
    /// Whether files that are not as they were recorded are hashed, in a sample or not.
    update: bool,
    number: usize,
    entry: Option<Entry>,
    found: Option<Found>,
    /// The last directory that could not be listed, and why.
    unlisted: Option<(Vec<u8>, String)>,
    failed: bool,
}

impl<'a> Merge<'a> {
    /// Pairs of all names in the parts. With a `sample` only those files are hashed; `fresh` tells whether new ones
    /// are. An `update` hashes all that are not as they were recorded, and those `always`.
    pub(super) fn new(
        store: &Store,
        walk: &'a mut Walk,
        (parts, always): (&'a Parts, &'a Accepted),
        sample: Option<Vec<bool>>,
        fresh: bool,
        update: bool,
    ) -> io::Result<Self> {
        let entries = store.entries()?;
        let (entry, found, unlisted) = (None, None, None);
        let (number, failed) = (0, false);
        let has_directories = store.header.version > 1;
        Ok(Self {
            entries,
            walk,
            parts,
            always,
            has_directories,
            sample,
            fresh,
            update,
            number,
            entry,
            found,
            unlisted,
            failed,
        })
    }

    /// The next entry is in the sample.
    fn sampled(&mut self) -> bool {
        self.number += 1;
        self.sample.as_ref().is_none_or(|sample| sample.get(self.number - 1).copied().unwrap_or(false))
    }
}

impl Iterator for Merge<'_> {
    type Item = Pair;

    fn next(&mut self) -> Option<Pair> {
        if self.failed {
            return None;
        }
        if self.entry.is_none() {
            match self.entries.next_entry() {
                Ok(entry) => self.entry = entry,
                Err(error) => {
                    self.failed = true;
                    return Some(Pair::Failed(error));
                }
            }
        }
        if self.found.is_none() {
            self.found = self.walk.next();
        }
        let order = match (&self.entry, &self.found) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            // A directory has no contents, time or number to compare, and what was recorded may be found elsewhere.
            (Some(entry), Some(found)) if found.is_directory() != matches!(entry.kind, Kind::Directory(_)) => {
                compare(&entry.name, found.name()).then(Ordering::Less)
            }
            (Some(entry), Some(found)) => compare(&entry.name, found.name()),
        };
        let entry = if order.is_le() { self.entry.take() } else { None };
        let found = if order.is_ge() { self.found.take() } else { None };
        Some(match (entry, found) {
            (Some(entry), None) => {
                let hash = self.sampled();
                // Names come in order, so this is a directory now if anything that was found is below.
                let is_directory = self.found.as_ref().is_some_and(|found| is_below(found.name(), &entry.name));
                let is_replaced = self.found.as_ref().is_some_and(|found| found.name() == entry.name);
                if matches!(entry.kind, Kind::Directory(_)) && (is_directory || is_replaced) {
                    return Some(Pair::Filled(entry));
                }
                if !self.parts.has(&entry.name) && !is_directory {
                    return Some(Pair::Outside(entry));
                }
                let unlisted = self.unlisted.as_ref().filter(|(name, _)| is_below(&entry.name, name));
                let unlisted = unlisted.map(|(_, why)| why.clone());
                Pair::Gone { entry, unlisted, hash }
            }
            (entry, Some(Found::Unlisted(name, error))) => {
                let why = reason(&error);
                self.unlisted = Some((name.clone(), why.clone()));
                match entry {
                    Some(entry) => Pair::Gone { entry, unlisted: Some(why), hash: self.sampled() },
                    None => Pair::Unlisted(name, error),
                }
            }
            (Some(entry), Some(found)) => {
                // A change of a young file need not show in its time, and a link has no time.
                let is_open = !matches!(&entry.kind, Kind::File(Record { young: false, .. }, _));
                let hash = self.sampled() || self.update && (is_open || self.always.contains_key(&entry.name));
                Pair::Both { entry, found, hash, unless_same: self.update }
            }
            (None, Some(found @ Found::Directory(..)))
                if !self.has_directories
                    || self.entry.as_ref().is_some_and(|entry| is_below(&entry.name, found.name())) =>
            {
                Pair::Emptied(found)
            }
            (None, Some(found)) => Pair::Fresh { found, hash: self.fresh || self.update },
            (None, None) => return None,
        })
    }
}

/// The entries of a sample.
pub(super) struct Sample {
    pub(super) chosen: Vec<bool>,
    pub(super) bytes: u64,
    pub(super) files: u64,
}

/// Which entries a sample of this share has: those first that were not looked for for longest, at least one unless the
/// share is nothing. The share is that of the parts.
pub(super) fn sample(store: &Store, parts: &Parts, share: Share) -> io::Result<Sample> {
    const WHOLE: u32 = 100_000_000;
    let now = nanoseconds(SystemTime::now());
    let mut chosen = Vec::new();
    let mut files = Vec::new();
    let mut entries = store.entries()?;
    while let Some(entry) = entries.next_entry()? {
        if let Kind::File(record, _) = entry.kind
            && parts.has(&entry.name)
        {
            // A time to come is one of a clock that was wrong.
            let checked = if record.checked > now { 0 } else { record.checked };
            files.push((checked, chosen.len(), record.length));
        }
        chosen.push(false);
    }
    if share.is_nothing() {
        return Ok(Sample { chosen, bytes: 0, files: 0 });
    }
    let all: u128 = files.iter().map(|&(_, _, length)| u128::from(length)).sum();
    let wanted = match share {
        Share::Part(part) => (all * u128::from(part)).div_ceil(WHOLE.into()),
        Share::Bytes(bytes) => bytes.into(),
    };
    files.sort_unstable();
    let (mut bytes, mut number) = (0, 0);
    for (i, &(_, index, length)) in files.iter().enumerate() {
        if i > 0 && bytes >= wanted && share != Share::Part(WHOLE) {
            break;
        }
        chosen[index] = true;
        bytes += u128::from(length);
        number += 1;
    }
    Ok(Sample { chosen, bytes: u64::try_from(bytes).unwrap_or(u64::MAX), files: number })
}
