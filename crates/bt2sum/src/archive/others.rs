//! The facts about all names that an audit has while it decides about one: an index of times, and of what is not in its
//! place.
//!
//! ```text
//!   walking    the times of all records are known; what is lost and what came is gathered
//!   swaps      all is gathered: files in the place of other files are judged
//!   renamed    files under new names are judged that have the time of a record
//!   copied     all other files under new names are judged, then what is missing
//! ```
//!
//! Only what is not in its place is kept in memory, and of each record its length and time.

use core::cmp::Ordering;
use core::mem;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io;

use super::part::Parts;
use super::store::{Kind, Record, Store, Time};
use super::verdict::{Id, Others, Peers, Stamp, Twins};

/// The lengths and times of all records, and where the digests of their leaves begin in the store.
struct Times(Vec<(Time, u64, u64)>);

impl Times {
    /// The times of a store, and the sums of the lengths and the number of the files in the parts.
    fn of(store: &Store, parts: &Parts) -> io::Result<(Self, (u64, u64))> {
        let (mut times, mut entries) = (Vec::new(), store.entries()?);
        let (mut bytes, mut files) = (0_u64, 0);
        while let Some(entry) = entries.next_entry()? {
            if let Kind::File(record, at) = entry.kind {
                times.push((record.modified, record.length, at));
                if parts.has(&entry.name) {
                    (bytes, files) = (bytes.saturating_add(record.length), files + 1);
                }
            }
        }
        times.sort_unstable();
        Ok((Self(times), (bytes, files)))
    }

    /// The number of records that have this time.
    fn count(&self, modified: Time) -> usize {
        self.0.partition_point(|of| of.0 <= modified) - self.0.partition_point(|of| of.0 < modified)
    }

    /// The records that have this length and time.
    fn with(&self, Stamp { length, modified }: Stamp) -> &[(Time, u64, u64)] {
        let begin = self.0.partition_point(|of| (of.0, of.1) < (modified, length));
        let end = self.0.partition_point(|of| (of.0, of.1) <= (modified, length));
        &self.0[begin..end]
    }
}

/// A record whose name lost it.
pub(super) struct Lost {
    pub(super) name: Vec<u8>,
    /// The record, and where in the store the digests of its leaves are. `None` for a link.
    pub(super) file: Option<(Record, u64)>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its name is gone.
    Gone,
    /// Its name has other contents.
    Displaced,
    /// Its name has other contents, which came from elsewhere.
    Vacated,
    /// It is told under another name.
    Taken,
}

/// Digest, length and time.
type Key = (Vec<u8>, u64, Time);

fn key(record: &Record) -> Key {
    (record.digest.as_bytes().to_vec(), record.length, record.modified)
}

/// Compares digests, lengths and times.
fn exactly(a: &Record, b: &Record) -> Ordering {
    contents(a, b).then_with(|| a.modified.cmp(&b.modified))
}

/// Compares digests and lengths.
fn contents(a: &Record, b: &Record) -> Ordering {
    a.digest.as_bytes().cmp(b.digest.as_bytes()).then_with(|| a.length.cmp(&b.length))
}

/// Compares lengths and times.
fn stamps(a: &Record, b: &Record) -> Ordering {
    a.stamp().cmp(&b.stamp())
}

/// The records that files under new names may have come from, in an order that puts equal ones together.
struct Free {
    order: fn(&Record, &Record) -> Ordering,
    ids: Vec<Id>,
    /// For the first of equal records, how many of them come before the first that is free.
    passed: Vec<usize>,
}

impl Free {
    fn new(lost: &[Lost], order: fn(&Record, &Record) -> Ordering) -> Self {
        let mut ids: Vec<_> = (0..lost.len()).filter(|&id| lost[id].is_free() && lost[id].file.is_some()).collect();
        // The order of names stays among equal ones.
        ids.sort_by(|&a, &b| match (&lost[a].file, &lost[b].file) {
            (Some((a, _)), Some((b, _))) => order(a, b),
            _ => Ordering::Equal,
        });
        let passed = vec![0; ids.len()];
        Self { order, ids, passed }
    }

    /// Where the records begin that are equal to this one.
    fn begin(&self, lost: &[Lost], record: &Record) -> usize {
        self.ids.partition_point(|&id| lost[id].compare(record, self.order).is_lt())
    }

    /// The first free record that is equal to this one.
    fn first(&self, lost: &[Lost], record: &Record) -> Option<Id> {
        let begin = self.begin(lost, record);
        let id = *self.ids.get(begin + self.passed.get(begin)?)?;
        lost[id].compare(record, self.order).is_eq().then_some(id)
    }

    /// Passes by those that are free no more, one of which is equal to this record.
    fn pass(&mut self, lost: &[Lost], record: &Record) {
        let begin = self.begin(lost, record);
        if let Some(passed) = self.passed.get_mut(begin) {
            let is_passed = |lost: &Lost| !lost.is_free() && lost.compare(record, self.order).is_eq();
            *passed += self.ids[begin + *passed..].iter().take_while(|&&id| is_passed(&lost[id])).count();
        }
    }
}

impl Lost {
    fn is_free(&self) -> bool {
        matches!(self.state, State::Gone | State::Vacated)
    }

    fn compare(&self, record: &Record, order: fn(&Record, &Record) -> Ordering) -> Ordering {
        self.file.as_ref().map_or(Ordering::Greater, |(own, _)| order(own, record))
    }
}

/// Where a file that was found came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Its name is new.
    New,
    /// Its name has a record of other contents.
    Misplaced,
}

enum Stage {
    Walking,
    Swaps { twins: HashMap<Key, (Twins, VecDeque<Id>)> },
    Renamed { free: Free, peers: Free, inodes: HashMap<u64, VecDeque<Id>> },
    Copied { free: Free },
}

/// The facts about all names, as far as they are known.
pub(super) struct Index {
    times: Times,
    /// The records whose names lost them, in the order of names.
    lost: Vec<Lost>,
    /// Files that are not in their place, if a record has their time.
    came: Vec<(Key, Place)>,
    /// Lengths and times of files that are those of a record, but not of their own. Later, they are in order.
    elsewhere: Vec<Stamp>,
    stage: Stage,
    /// The sum of the lengths and the number of the recorded files in the parts.
    pub(super) sums: (u64, u64),
}

impl Index {
    /// The index of a store, before anything is found. It has the times of all records, also outside of the parts: a
    /// file is compared with the only record of its time.
    pub(super) fn new(store: &Store, parts: &Parts) -> io::Result<Self> {
        let (lost, came, elsewhere) = (Vec::new(), Vec::new(), Vec::new());
        let (times, sums) = Times::of(store, parts)?;
        Ok(Self { times, lost, came, elsewhere, stage: Stage::Walking, sums })
    }

    /// Where the digests of leaves begin of the only record with this length and time.
    pub(super) fn only(&self, stamp: Stamp) -> Option<u64> {
        if let [(_, _, at)] = self.times.with(stamp) { Some(*at) } else { None }
    }

    /// Takes down the length and time of a file that was found, and those that it was recorded with.
    pub(super) fn stamp(&mut self, was: Option<Stamp>, now: Stamp) {
        if was != Some(now) && !self.times.with(now).is_empty() {
            self.elsewhere.push(now);
        }
    }

    /// Takes down a file that came to a place from another one.
    pub(super) fn came(&mut self, now: &Record, place: Place) {
        // Alone in its time, it is nobody's twin.
        if self.times.count(now.modified) > 1 {
            self.came.push((key(now), place));
        }
    }

    /// Takes down an entry whose name is gone.
    pub(super) fn gone(&mut self, name: Vec<u8>, file: Option<(Record, u64)>) {
        self.lost.push(Lost { name, file, state: State::Gone });
    }

    /// Takes down a record whose name has other contents.
    pub(super) fn displaced(&mut self, name: &[u8], record: &Record, at: u64) -> Option<Id> {
        // Alone in its time, it is nobody's twin.
        if self.times.count(record.modified) < 2 {
            return None;
        }
        self.lost.push(Lost { name: name.to_vec(), file: Some((record.clone(), at)), state: State::Displaced });
        Some(self.lost.len() - 1)
    }

    /// All is found: now files in the place of others are judged.
    pub(super) fn begin_swaps(&mut self) {
        let mut twins: HashMap<Key, (Twins, VecDeque<Id>)> = HashMap::new();
        for (key, place) in mem::take(&mut self.came) {
            let (twins, _) = twins.entry(key).or_default();
            match place {
                Place::New => twins.new += 1,
                Place::Misplaced => twins.misplaced += 1,
            }
        }
        let records = |state| {
            let lost = self.lost.iter().enumerate().filter(move |(_, lost)| lost.state == state);
            lost.filter_map(|(id, lost)| Some((id, key(&lost.file.as_ref()?.0))))
        };
        for (id, key) in records(State::Displaced) {
            let (twins, ids) = twins.entry(key).or_default();
            twins.displaced += 1;
            ids.push_back(id);
        }
        for (id, key) in records(State::Gone) {
            // Nobody asks for a record that has no twin.
            if let Some((twins, ids)) = twins.get_mut(&key) {
                twins.gone += 1;
                ids.push_back(id);
            }
        }
        self.stage = Stage::Swaps { twins };
    }

    /// Now files under new names are judged that have the time of a record.
    pub(super) fn begin_renamed(&mut self) {
        self.elsewhere.sort_unstable();
        let number = |lost: &Lost| Some(lost.file.as_ref()?.0.meta.inode?.number).filter(|_| lost.state == State::Gone);
        let mut inodes: HashMap<_, VecDeque<_>> = HashMap::new();
        for (id, number) in self.lost.iter().enumerate().filter_map(|(id, lost)| Some((id, number(lost)?))) {
            // All names of a file have one number.
            inodes.entry(number).or_default().push_back(id);
        }
        let (free, peers) = (Free::new(&self.lost, exactly), Free::new(&self.lost, stamps));
        self.stage = Stage::Renamed { free, peers, inodes };
    }

    /// Now all other files under new names are judged.
    pub(super) fn begin_copied(&mut self) {
        self.stage = Stage::Copied { free: Free::new(&self.lost, contents) };
    }

    /// Takes down that a record is told under another name.
    pub(super) fn take(&mut self, id: Id) {
        self.lost[id].state = State::Taken;
        let Some((record, _)) = &self.lost[id].file else { return };
        match &mut self.stage {
            Stage::Walking => {}
            Stage::Swaps { twins } => {
                // This is what was answered.
                twins.get_mut(&key(record)).map(|(_, ids)| ids.pop_front());
            }
            Stage::Renamed { free, inodes, .. } => {
                free.pass(&self.lost, record);
                let ids = record.meta.inode.and_then(|inode| inodes.get_mut(&inode.number));
                if let Some(ids) = ids {
                    while ids.front().is_some_and(|&id| self.lost[id].state != State::Gone) {
                        ids.pop_front();
                    }
                }
            }
            Stage::Copied { free } => free.pass(&self.lost, record),
        }
    }

    /// Takes down that the name of a displaced record has what came from elsewhere: the record may have gone elsewhere,
    /// too.
    pub(super) fn vacate(&mut self, id: Id) {
        if self.lost[id].state == State::Displaced {
            self.lost[id].state = State::Vacated;
        }
    }

    pub(super) fn lost(&self, id: Id) -> &Lost {
        &self.lost[id]
    }

    /// The lengths and times of files that are gone so far and were told under no other name, without empty files.
    pub(super) fn missing_stamps(&self) -> BTreeSet<Stamp> {
        let gone = self.lost.iter().filter(|lost| lost.state == State::Gone).filter_map(|lost| lost.file.as_ref());
        gone.map(|(record, _)| record.stamp()).filter(|stamp| stamp.length > 0).collect()
    }

    /// The records that are gone and were told under no other name, in the order of names.
    pub(super) fn missing(&mut self) -> impl Iterator<Item = Lost> + use<> {
        mem::take(&mut self.lost).into_iter().filter(|lost| lost.state == State::Gone)
    }
}

impl Others for Index {
    fn twins(&self, record: &Record, was: Stamp) -> Option<Twins> {
        if let Stage::Swaps { twins } = &self.stage {
            let found = twins.get(&key(record));
            return Some(
                found.map_or_else(Twins::default, |(twins, ids)| Twins { free: ids.front().copied(), ..*twins }),
            );
        }
        // Without another record of this length and time, there is none to come from.
        let stamp = record.stamp();
        (self.times.with(stamp).len() == usize::from(stamp == was)).then(Twins::default)
    }

    fn renamed(&self, now: &Record) -> Option<Option<Id>> {
        match &self.stage {
            Stage::Walking | Stage::Swaps { .. } => None,
            Stage::Renamed { free, .. } => Some(free.first(&self.lost, now)),
            // Files that have the time of a record are judged.
            Stage::Copied { .. } => Some(None),
        }
    }

    fn copied(&self, now: &Record) -> Option<Option<Id>> {
        let Stage::Copied { free } = &self.stage else { return None };
        Some(free.first(&self.lost, now))
    }

    fn same_inode(&self, now: &Record) -> Option<Option<Id>> {
        let inodes = match &self.stage {
            Stage::Walking | Stage::Swaps { .. } => return None,
            Stage::Renamed { inodes, .. } => inodes,
            // Files that have the time of a record are judged.
            Stage::Copied { .. } => return Some(None),
        };
        let is_it = |lost: &Lost| {
            let record = lost.file.as_ref().map(|(record, _)| record);
            lost.state == State::Gone
                && record.is_some_and(|was| !was.young && was.stamp() == now.stamp() && now.may_be(was))
        };
        let ids = now.meta.inode.and_then(|inode| inodes.get(&inode.number));
        Some(ids.and_then(|ids| ids.iter().copied().find(|&id| is_it(&self.lost[id]))))
    }

    fn peers(&self, now: &Record) -> Option<Peers> {
        let gone = match &self.stage {
            Stage::Walking | Stage::Swaps { .. } => return None,
            Stage::Renamed { peers, .. } => peers.first(&self.lost, now),
            // Files that have the time of a record are judged.
            Stage::Copied { .. } => None,
        };
        let gone = gone.filter(|&id| self.lost[id].state == State::Gone);
        let stamp = now.stamp();
        let (begin, end) =
            (self.elsewhere.partition_point(|of| *of < stamp), self.elsewhere.partition_point(|of| *of <= stamp));
        Some(Peers {
            records: self.times.with(stamp).len(),
            files: end - begin,
            gone,
            is_young: gone.is_some_and(|id| self.lost[id].file.as_ref().is_some_and(|(record, _)| record.young)),
        })
    }
}
