//! What is known about all names while an audit decides about one: an index of times, and of what is not in its place.
//!
//! ```text
//!   walking    the times of all records are known; what is lost and what came is gathered
//!   swaps      all is gathered: files in the place of other files are judged
//!   renamed    files under new names are judged that have the time of a record
//!   copied     all other files under new names are judged, then what is missing
//! ```
//!
//! Only what is not in its place is kept in memory, and of each record its length and time.

use core::mem;
use std::collections::{HashMap, VecDeque};
use std::io;

use super::store::{Kind, Record, Store, Time};
use super::verdict::{Id, Others, Peers, Stamp, Twins};

/// The lengths and times of all records, and where the digests of their leaves begin in the store.
struct Times(Vec<(Time, u64, u64)>);

impl Times {
    fn of(store: &Store) -> io::Result<Self> {
        let (mut times, mut entries) = (Vec::new(), store.entries()?);
        while let Some(entry) = entries.next_entry()? {
            if let Kind::File(record, at) = entry.kind {
                times.push((record.modified, record.length, at));
            }
        }
        times.sort_unstable();
        Ok(Self(times))
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

/// Digest, length and time; or without a time, which is then 0.
type Key = (Vec<u8>, u64, Time);

fn exactly(record: &Record) -> Key {
    (record.digest.as_bytes().to_vec(), record.length, record.modified)
}

fn contents(record: &Record) -> Key {
    (record.digest.as_bytes().to_vec(), record.length, Time { seconds: 0, nanoseconds: 0 })
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
    Renamed { free: HashMap<Key, VecDeque<Id>>, gone: HashMap<Stamp, Id> },
    Copied { free: HashMap<Key, VecDeque<Id>> },
}

/// What is known about all names.
pub(super) struct Index {
    times: Times,
    /// What names lost, in the order of names.
    lost: Vec<Lost>,
    /// Files that are not in their place, if a record has their time.
    came: Vec<(Key, Place)>,
    /// The numbers of files that have the length and time of a record, but not of their own.
    elsewhere: HashMap<Stamp, usize>,
    stage: Stage,
}

impl Index {
    /// Of a store, before anything is found.
    pub(super) fn new(store: &Store) -> io::Result<Self> {
        let (lost, came, elsewhere) = (Vec::new(), Vec::new(), HashMap::new());
        Ok(Self { times: Times::of(store)?, lost, came, elsewhere, stage: Stage::Walking })
    }

    /// Where the digests of leaves begin of the only record with this length and time.
    pub(super) fn only(&self, stamp: Stamp) -> Option<u64> {
        if let [(_, _, at)] = self.times.with(stamp) { Some(*at) } else { None }
    }

    /// Takes down the length and time of a file that was found, and those that it was recorded with.
    pub(super) fn stamp(&mut self, was: Option<Stamp>, now: Stamp) {
        if was != Some(now) && !self.times.with(now).is_empty() {
            *self.elsewhere.entry(now).or_default() += 1;
        }
    }

    /// Takes down a file that came to a place from another one.
    pub(super) fn came(&mut self, now: &Record, place: Place) {
        // Alone in its time, it is nobody's twin.
        if self.times.count(now.modified) > 1 {
            self.came.push((exactly(now), place));
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
            lost.filter_map(|(id, lost)| Some((id, exactly(&lost.file.as_ref()?.0))))
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
        let mut gone = HashMap::new();
        for (id, lost) in self.lost.iter().enumerate() {
            if let Some((record, _)) = &lost.file
                && lost.state == State::Gone
                && self.elsewhere.contains_key(&record.stamp())
            {
                gone.insert(record.stamp(), id);
            }
        }
        self.stage = Stage::Renamed { free: self.free(exactly), gone };
    }

    /// Now all other files under new names are judged.
    pub(super) fn begin_copied(&mut self) {
        self.stage = Stage::Copied { free: self.free(contents) };
    }

    /// The records that files under new names may have come from.
    fn free(&self, key: fn(&Record) -> Key) -> HashMap<Key, VecDeque<Id>> {
        let mut free: HashMap<Key, VecDeque<Id>> = HashMap::new();
        for (id, lost) in self.lost.iter().enumerate() {
            if let Some((record, _)) = &lost.file
                && matches!(lost.state, State::Gone | State::Vacated)
            {
                free.entry(key(record)).or_default().push_back(id);
            }
        }
        free
    }

    /// Takes down that a record is told under another name.
    pub(super) fn take(&mut self, id: Id) {
        self.lost[id].state = State::Taken;
        let Some((record, _)) = &self.lost[id].file else { return };
        let queue = match &mut self.stage {
            Stage::Walking => None,
            Stage::Swaps { twins } => twins.get_mut(&exactly(record)).map(|(_, ids)| ids),
            Stage::Renamed { free, .. } => free.get_mut(&exactly(record)),
            Stage::Copied { free } => free.get_mut(&contents(record)),
        };
        match queue {
            // Nearly always: this is what was answered.
            Some(queue) if queue.front() == Some(&id) => drop(queue.pop_front()),
            Some(queue) => queue.retain(|&other| other != id),
            None => {}
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

    /// What is gone and was told under no other name, in the order of names.
    pub(super) fn missing(&mut self) -> impl Iterator<Item = Lost> + use<> {
        mem::take(&mut self.lost).into_iter().filter(|lost| lost.state == State::Gone)
    }
}

impl Others for Index {
    fn twins(&self, record: &Record, was: Stamp) -> Option<Twins> {
        if let Stage::Swaps { twins } = &self.stage {
            let found = twins.get(&exactly(record));
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
            Stage::Renamed { free, .. } => Some(free.get(&exactly(now)).and_then(|ids| ids.front().copied())),
            // Those are judged.
            Stage::Copied { .. } => Some(None),
        }
    }

    fn copied(&self, now: &Record) -> Option<Option<Id>> {
        let Stage::Copied { free } = &self.stage else { return None };
        Some(free.get(&contents(now)).and_then(|ids| ids.front().copied()))
    }

    fn peers(&self, now: &Record) -> Option<Peers> {
        let gone = match &self.stage {
            Stage::Walking | Stage::Swaps { .. } => return None,
            Stage::Renamed { gone, .. } => gone.get(&now.stamp()).copied(),
            // Those are judged.
            Stage::Copied { .. } => None,
        };
        let gone = gone.filter(|&id| self.lost[id].state == State::Gone);
        Some(Peers {
            records: self.times.with(now.stamp()).len(),
            files: self.elsewhere.get(&now.stamp()).copied().unwrap_or(0),
            gone,
            is_young: gone.is_some_and(|id| self.lost[id].file.as_ref().is_some_and(|(record, _)| record.young)),
        })
    }
}
