//! Compares what is below a directory with a store, and writes the store anew if that is wanted.

use core::mem;
use std::collections::{HashMap, VecDeque};
use std::io::{self, ErrorKind};
use std::time::SystemTime;

use simd_digest::blake2::Flavour;

use super::hash::{Content, Outcome, Setting, run};
use super::merge::{Merge, Pair};
use super::record::record_of;
use super::report::{Report, Status, Verdict};
use super::store::{Entry, Kind, Record, Store, Writer, nanoseconds};
use super::walk::{Found, Walk};
use crate::leaves::Damage;
use crate::output::reason;
use crate::scheme::Digest;

/// What is written.
pub(super) enum Output {
    Nothing,
    /// The same records, with the times of the last check.
    Sample(Writer),
    /// The records of what there is now.
    Update(Writer),
}

/// A file or a link that is only in the store or only found.
struct Single {
    name: Vec<u8>,
    /// `None` for links and what was not hashed.
    digest: Option<Digest>,
    length: Option<u64>,
}

/// An audit under way.
pub(super) struct Audit<'a, 'p> {
    store: &'a Store,
    pub(super) report: Report<'a, 'p>,
    output: Output,
    missing: Vec<Single>,
    new: Vec<Single>,
    /// Whether there are records of files in a directory that cannot be listed.
    unlisted_records: bool,
    /// The numbers of recorded files, without links, and of those that are missing.
    files: u64,
    missing_files: u64,
}

impl<'a, 'p> Audit<'a, 'p> {
    pub(super) fn new(store: &'a Store, report: Report<'a, 'p>, output: Output) -> Self {
        let (missing, new) = (Vec::new(), Vec::new());
        Self { store, report, output, missing, new, unlisted_records: false, files: 0, missing_files: 0 }
    }

    /// Compares everything. An error says why the audit ends early.
    pub(super) fn run<F: Flavour>(
        &mut self,
        setting: &Setting<'_>,
        walk: &mut Walk,
        sample: Option<Vec<bool>>,
        fresh: bool,
    ) -> Result<(), Stop> {
        let mut stop = None;
        let pairs = Merge::new(self.store, walk, sample, fresh).map_err(Stop::Store)?;
        let done = run::<F, _>(setting, pairs, |pair, outcome| {
            self.take(pair, outcome).map_err(|error| {
                stop = Some(error);
                ErrorKind::Interrupted.into()
            })
        });
        if let Some(stop) = stop {
            return Err(stop);
        }
        done.map_err(Stop::Store)?;
        self.store.check_unchanged().map_err(Stop::Store)?;
        self.match_moved().map_err(Stop::Unprintable)
    }

    fn take(&mut self, pair: Pair, outcome: Outcome) -> Result<(), Stop> {
        if let Pair::Both { entry, .. } | Pair::Gone { entry, .. } = &pair {
            self.files += u64::from(matches!(entry.kind, Kind::File(..)));
        }
        match pair {
            Pair::Failed(error) => Err(Stop::Store(error)),
            Pair::Unlisted(name, error) => self.unreadable(&name, &error),
            Pair::Gone { entry, unlisted: Some(why), hash } => {
                self.unlisted_records = true;
                self.write(&entry, self.unseen(hash, Now::Unknown))?;
                self.tell(&entry.name, &Verdict::unreadable(why))
            }
            Pair::Gone { entry, unlisted: None, hash } => self.gone(entry, hash),
            Pair::Fresh { found: Found::Link(name, Ok(target)), .. } => {
                self.write_new(&name, &Now::Link(target))?;
                self.new.push(Single { name, digest: None, length: None });
                Ok(())
            }
            Pair::Fresh { found: Found::Link(name, Err(error)), .. } => self.unreadable(&name, &error),
            Pair::Fresh { found, .. } => self.fresh(found.name(), outcome),
            Pair::Both { entry, found: Found::Link(_, target), hash } => match target {
                Ok(target) => {
                    let status =
                        if entry.kind == Kind::Link(target.clone()) { Status::Unchanged } else { Status::Changed };
                    let sampled = matches!(self.output, Output::Sample(_));
                    self.write(&entry, if sampled { self.unseen(hash, Now::Unknown) } else { Now::Link(target) })?;
                    self.tell(&entry.name, &Verdict::new(status))
                }
                Err(error) => self.lost(entry, hash, &error),
            },
            Pair::Both { entry, hash, .. } => match outcome.unwrap_or_else(|| Err(ErrorKind::Unsupported.into())) {
                Ok(content) => {
                    let (verdict, now) = self.judge(&entry, content).map_err(Stop::Store)?;
                    self.write(&entry, now)?;
                    self.tell(&entry.name, &verdict)
                }
                Err(error) => self.lost(entry, hash, &error),
            },
        }
    }

    /// An entry of which something was found that then could not be read, or was gone.
    fn lost(&mut self, entry: Entry, hash: bool, error: &io::Error) -> Result<(), Stop> {
        if error.kind() == ErrorKind::NotFound {
            return self.gone(entry, hash);
        }
        self.write(&entry, self.unseen(hash, Now::Unknown))?;
        self.unreadable(&entry.name, error)
    }

    /// `otherwise`, unless a sample was to read the entry: then it had its turn, so that it does not keep others from
    /// theirs for ever.
    fn unseen(&self, hash: bool, otherwise: Now) -> Now {
        match self.output {
            Output::Sample(_) if hash => Now::Checked(nanoseconds(SystemTime::now())),
            _ => otherwise,
        }
    }

    fn tell(&mut self, name: &[u8], verdict: &Verdict) -> Result<(), Stop> {
        self.report.tell(name, verdict).map_err(Stop::Unprintable)
    }

    fn unreadable(&mut self, name: &[u8], error: &io::Error) -> Result<(), Stop> {
        self.tell(name, &Verdict::unreadable(reason(error)))
    }

    /// An entry of which nothing is found.
    fn gone(&mut self, entry: Entry, hash: bool) -> Result<(), Stop> {
        self.write(&entry, self.unseen(hash, Now::Nothing))?;
        let (digest, length) = match entry.kind {
            Kind::File(record, _) => (Some(record.digest), Some(record.length)),
            Kind::Link(_) => (None, None),
        };
        self.missing.push(Single { name: entry.name, digest, length });
        Ok(())
    }

    /// A file without an entry.
    fn fresh(&mut self, name: &[u8], outcome: Outcome) -> Result<(), Stop> {
        let length = outcome.as_ref().and_then(|outcome| Some(outcome.as_ref().ok()?.length));
        if matches!(&outcome, Some(Ok(content)) if content.was_looked_at()) {
            self.new.push(Single { name: name.to_vec(), digest: None, length });
            return Ok(());
        }
        match record_of(outcome) {
            Ok((record, leaves)) => {
                let digest = Some(record.digest.clone());
                self.write_new(name, &Now::File(record, leaves))?;
                self.new.push(Single { name: name.to_vec(), digest, length });
                Ok(())
            }
            // The file went away meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => self.unreadable(name, &error),
        }
    }

    /// Compares what was found out about a file with its entry.
    fn judge(&self, entry: &Entry, content: Content) -> io::Result<(Verdict, Now)> {
        let length = Some(content.length);
        let Kind::File(record, at) = &entry.kind else {
            // A link became a file.
            if let Some((_, why)) = content.bad.first() {
                return Ok((Verdict { length, ..Verdict::unreadable(why.clone()) }, Now::Unknown));
            }
            let verdict = Verdict { length, digest: content.digest.clone(), ..Verdict::new(Status::Changed) };
            let now = record_of(Some(Ok(content))).map_or(Now::Unknown, |(record, leaves)| Now::File(record, leaves));
            return Ok((verdict, now));
        };
        let same_time = (record.length, record.modified) == (content.length, content.modified);
        if content.was_looked_at() {
            let status = if same_time { Status::Unchanged } else { Status::Changed };
            return Ok((Verdict { length, unread: true, ..Verdict::new(status) }, Now::Unknown));
        }
        let (checked, digest) = (nanoseconds(content.begun), content.digest.clone());
        if digest.as_ref() == Some(&record.digest) && record.length == content.length {
            let verdict = Verdict { length, digest, ..Verdict::new(Status::Unchanged) };
            let (record, leaves) = record_of(Some(Ok(content)))?;
            return Ok((verdict, Now::File(record, leaves)));
        }
        let status = match digest {
            None => Status::Unreadable,
            Some(_) if same_time && !record.young => Status::Rotted,
            Some(_) => Status::Changed,
        };
        let damage = self.damage(record, *at, &content)?;
        let verdict = Verdict { length, digest, damage, ..Verdict::new(status) };
        let now = match status {
            Status::Changed => record_of(Some(Ok(content))).map(|(record, leaves)| Now::File(record, leaves))?,
            _ => Now::Checked(checked),
        };
        Ok((verdict, now))
    }

    /// The bytes of a file that differ from those recorded, or cannot be read.
    fn damage(&self, record: &Record, at: u64, content: &Content) -> io::Result<Damage> {
        let size = self.store.header.scheme.size;
        let chunk = self.store.header.chunk();
        let recorded = self.store.leaves(record, at)?;
        let (mut recorded, mut found) = (recorded.chunks(size), content.leaves.chunks(size));
        let mut bad = content.bad.iter().peekable();
        let mut damage = Damage::default();
        for index in 0..content.length.div_ceil(chunk) {
            // The digest of an only leaf is not there: the file as a whole differs.
            let (old, new) = (recorded.next(), found.next());
            let bytes = index * chunk..content.length.min((index + 1) * chunk);
            if let Some((_, reason)) = bad.next_if(|(number, _)| *number == index) {
                damage.add(bytes, Some(reason.clone()));
            } else if new.is_none() || old != new {
                damage.add(bytes, None);
            }
        }
        Ok(damage)
    }

    /// Writes an entry, or what is there now in its place.
    fn write(&mut self, entry: &Entry, now: Now) -> Result<(), Stop> {
        let written = match (&mut self.output, now) {
            (Output::Nothing, _) | (Output::Update(_), Now::Nothing) => Ok(()),
            (Output::Update(writer), Now::File(record, leaves)) => writer.file(&entry.name, &record, &leaves),
            (Output::Update(writer), Now::Link(target)) => writer.link(&entry.name, &target),
            (Output::Sample(writer) | Output::Update(writer), now) => match &entry.kind {
                Kind::Link(target) => writer.link(&entry.name, target),
                Kind::File(record, at) => {
                    let leaves = self.store.leaves(record, *at).map_err(Stop::Store)?;
                    writer.file(&entry.name, &now.seen(record), &leaves)
                }
            },
        };
        written.map_err(Stop::Output)
    }

    /// Writes what has no entry yet.
    fn write_new(&mut self, name: &[u8], now: &Now) -> Result<(), Stop> {
        let written = match (&mut self.output, now) {
            (Output::Update(writer), Now::File(record, leaves)) => writer.file(name, record, leaves),
            (Output::Update(writer), Now::Link(target)) => writer.link(name, target),
            _ => Ok(()),
        };
        written.map_err(Stop::Output)
    }

    /// Tells of what is new, missing or moved: a file that is missing under one name and new under another. Each is
    /// taken once, in the order of names.
    fn match_moved(&mut self) -> io::Result<()> {
        let mut places: HashMap<Vec<u8>, VecDeque<usize>> = HashMap::new();
        let mut missing: Vec<Option<Single>> = mem::take(&mut self.missing).into_iter().map(Some).collect();
        for (i, single) in missing.iter().enumerate() {
            if let Some(key) = single.as_ref().and_then(Single::key) {
                places.entry(key).or_default().push_back(i);
            }
        }
        for Single { name, digest, length } in mem::take(&mut self.new) {
            let key = Single { name: Vec::new(), digest: digest.clone(), length }.key();
            let old = key.and_then(|key| places.get_mut(&key)?.pop_front()).and_then(|i| missing[i].take());
            let from = old.map(|old| old.name);
            let status = if from.is_some() { Status::Moved } else { Status::New };
            self.report.tell(&name, &Verdict { digest, length, from, ..Verdict::new(status) })?;
        }
        for Single { name, digest, length } in missing.into_iter().flatten() {
            self.missing_files += u64::from(length.is_some());
            self.report.tell(&name, &Verdict { digest, length, ..Verdict::new(Status::Missing) })?;
        }
        Ok(())
    }

    /// Why an update may be an accident.
    pub(super) fn doubt(&self) -> Option<&'static str> {
        if self.unlisted_records {
            return Some("a directory with recorded files cannot be listed");
        }
        (self.missing_files > self.files / 2).then_some("more than half of the files are missing")
    }

    /// Gives the store that was written its name. Returns the root of the store as it is now.
    pub(super) fn finish(self) -> io::Result<(Report<'a, 'p>, Digest)> {
        let root = match self.output {
            Output::Nothing => self.store.sums.root.clone(),
            Output::Sample(writer) | Output::Update(writer) => writer.finish()?.root,
        };
        Ok((self.report, root))
    }
}

/// What is there now, as far as it can be trusted.
enum Now {
    Nothing,
    File(Record, Vec<u8>),
    Link(Vec<u8>),
    /// A file that was read at this time, in nanoseconds since 1970, and is not to be recorded.
    Checked(u64),
    Unknown,
}

impl Now {
    /// An old record, with when the file was last read.
    fn seen(&self, old: &Record) -> Record {
        let (checked, young) = match self {
            Self::File(now, _) if (&now.digest, now.modified) == (&old.digest, old.modified) => {
                (now.checked, now.young)
            }
            Self::File(now, _) => (now.checked, old.young),
            Self::Checked(checked) => (*checked, old.young),
            _ => (old.checked, old.young),
        };
        Record { checked, young, ..old.clone() }
    }
}

/// Why an audit ends early.
pub(super) enum Stop {
    /// The store cannot be read.
    Store(io::Error),
    /// The new store cannot be written.
    Output(io::Error),
    /// Nothing can be printed.
    Unprintable(io::Error),
}

impl Single {
    /// What a moved file keeps. Empty files have nothing that tells them apart.
    fn key(&self) -> Option<Vec<u8>> {
        let (digest, length) = (self.digest.as_ref()?, self.length.filter(|&length| length > 0)?);
        Some([digest.as_bytes(), &length.to_le_bytes()].concat())
    }
}
