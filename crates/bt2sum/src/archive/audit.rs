//! Compares what is below a directory with a store, and writes the store anew if that is wanted.
//!
//! Findings are told as they come, except those that depend on other names: these come when all names are known, first
//! files in the place of others, then files under new names, then what is missing.

use core::mem;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::time::SystemTime;

use super::damage::{Leaves, damage};
use super::draft::Draft;
use super::found::{Found as Walked, Walk};
use super::hash::{Content, Outcome, Setting, run};
use super::merge::{Merge, Pair};
use super::others::{Index, Place};
use super::part::{Accepted, Parts};
use super::record::record_of;
use super::repair::{Interrupted, Lost};
use super::report::{Finding, Report, Status};
use super::store::{Entry, Kind, Meta, Owner, Record, Rights, Sampled, Store, nanoseconds};
use super::verdict::{Found, Id, Keep, Notes, Recorded, Stamp, Verdict, notes, notes_about_rights, verdict};
use crate::leaves::Damage;
use crate::output::{reason, shown};
use crate::scheme::{Digest, Secret};

/// The store that an audit writes, or the list that it makes for a repair.
pub(super) enum Output {
    Nothing,
    /// The records of the store, with the times of the last check.
    Sample(Sampled),
    /// The records of what there is now.
    Update(Draft),
    /// Nothing yet: what is to be repaired.
    Repair(Vec<Lost>),
}

/// The file, link or empty directory that is under a name now.
enum Sight {
    Nothing,
    /// Why it cannot be read, and the parts that can be read.
    Unreadable(String, Option<Box<Content>>),
    Link(Vec<u8>, Option<Owner>),
    /// An empty directory.
    Directory(Rights),
    Unread(Stamp, Meta),
    /// A record of the file, and the digests of its leaves.
    Read(Record, Vec<u8>),
}

/// The record that a name has itself.
#[derive(Clone, Copy)]
enum Own<'a> {
    Nothing,
    /// A record of a file, and where the digests of its leaves are.
    File(&'a Record, u64),
    /// A link with this owner.
    Link(Option<Owner>),
    /// An empty directory.
    Directory(&'a Rights),
}

/// A name whose verdict waits for other names.
struct Waiting {
    name: Vec<u8>,
    /// The record of a file in the place of another, where the digests of its leaves are, and its number among the lost.
    old: Option<Box<(Record, u64, Option<Id>)>>,
    sight: Sight,
    /// The bytes that differ from those of the record that is compared if the file rotted.
    damage: Damage,
    /// The number of the entry in the draft.
    number: Option<u64>,
}

/// An audit under way.
pub(super) struct Audit<'a, 'p> {
    store: &'a Store,
    pub(super) report: Report<'a, 'p>,
    output: Output,
    others: Index,
    /// Files that may have been exchanged, and files and links under new names.
    swapped: Vec<Waiting>,
    newcomers: Vec<Waiting>,
    /// Lengths and times of missing files, once these are known.
    missing: BTreeSet<Stamp>,
    /// Whether there are records of files in a directory that cannot be listed.
    unlisted_records: bool,
    /// The numbers of recorded files, without links, and of those that are missing. Files that are named themselves are
    /// in neither: their owner knows of them.
    files: u64,
    missing_files: u64,
    /// Whether files take turns.
    samples: bool,
    /// The file that a repair was writing to when it was killed.
    interrupted: Option<Interrupted>,
    parts: &'a Parts,
    accepted: Accepted,
}

impl<'a, 'p> Audit<'a, 'p> {
    pub(super) fn new(
        store: &'a Store,
        report: Report<'a, 'p>,
        output: Output,
        interrupted: Option<Interrupted>,
        (parts, accepted): (&'a Parts, Accepted),
    ) -> io::Result<Self> {
        let (others, swapped, newcomers) = (Index::new(store, parts)?, Vec::new(), Vec::new());
        let (unlisted_records, files, missing_files, samples) = (false, 0, 0, false);
        let missing = BTreeSet::new();
        Ok(Self {
            store,
            report,
            output,
            others,
            swapped,
            newcomers,
            missing,
            unlisted_records,
            files,
            missing_files,
            samples,
            interrupted,
            parts,
            accepted,
        })
    }

    /// The sum of the lengths and the number of the recorded files.
    pub(super) fn sums(&self) -> (u64, u64) {
        self.others.sums
    }

    /// Compares everything. An error says why the audit ends early.
    pub(super) fn run(
        &mut self,
        setting: &Setting<'_>,
        walk: &mut Walk,
        sample: Option<Vec<bool>>,
        fresh: bool,
    ) -> Result<(), Stop> {
        let mut stop = None;
        self.samples = sample.is_some();
        let update = matches!(self.output, Output::Update(_));
        let always = self.accepted.clone();
        let pairs = Merge::new(self.store, walk, (self.parts, &always), sample, fresh, update).map_err(Stop::Store)?;
        let done = run(setting, pairs, |pair, outcome| {
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
        self.judge_waiting()
    }

    fn take(&mut self, pair: Pair, outcome: Outcome) -> Result<(), Stop> {
        let (name, entry, mut sight, hash) = match pair {
            Pair::Failed(error) => return Err(Stop::Store(error)),
            Pair::Outside(Entry { name, kind }) => return self.write_old(&name, &kind, Record::clone),
            // Nothing is lost, and a sample keeps what there is.
            Pair::Filled(Entry { name, kind }) => {
                let is_kept = matches!(self.output, Output::Sample(_));
                return if is_kept { self.write_old(&name, &kind, Record::clone) } else { Ok(()) };
            }
            // The verdicts about what was in it tell enough.
            Pair::Emptied(found) => {
                let name = found.name().to_vec();
                return self.write_directory(&name, &Sight::of(found, None));
            }
            Pair::Unlisted(name, error) => (name, None, Sight::Unreadable(reason(&error), None), false),
            Pair::Fresh { found, hash } => (found.name().to_vec(), None, Sight::of(found, outcome), hash),
            Pair::Both { entry, found, hash, .. } => (Vec::new(), Some(entry), Sight::of(found, outcome), hash),
            Pair::Gone { entry, unlisted: None, hash } => (Vec::new(), Some(entry), Sight::Nothing, hash),
            Pair::Gone { entry, unlisted: Some(why), hash } => {
                self.unlisted_records |= !matches!(entry.kind, Kind::Directory(_));
                (Vec::new(), Some(entry), Sight::Unreadable(why, None), hash)
            }
        };
        if let Some(interrupted) = &self.interrupted {
            let own = entry.as_ref().map_or(&name, |entry| &entry.name);
            sight.put_back(interrupted, own);
        }
        match entry {
            Some(entry) => self.recorded(entry, sight, hash),
            None => self.new_name(name, sight),
        }
    }

    /// A name that is not in the store.
    fn new_name(&mut self, name: Vec<u8>, sight: Sight) -> Result<(), Stop> {
        let (mut damage, mut number) = (Damage::default(), None);
        match &sight {
            Sight::Nothing | Sight::Unreadable(..) => {
                let decided = verdict(Recorded::Nothing, sight.as_found(), &self.others);
                return decided.map_or(Ok(()), |(verdict, _)| self.tell(&name, verdict, &sight, damage, Own::Nothing));
            }
            Sight::Unread(stamp, _) => self.others.stamp(None, *stamp),
            Sight::Directory(_) => self.write_directory(&name, &sight)?,
            Sight::Link(target, owner) => {
                if let Output::Update(draft) = &mut self.output {
                    draft.link(&name, target, *owner).map_err(Stop::Output)?;
                }
            }
            Sight::Read(now, leaves) => {
                self.others.stamp(None, now.stamp());
                self.others.came(now, Place::New);
                damage = self.damage_of_only(now, leaves).map_err(Stop::Store)?;
                if let Output::Update(draft) = &mut self.output {
                    number = Some(draft.file(&name, now, leaves).map_err(Stop::Output)?);
                }
            }
        }
        self.newcomers.push(Waiting { name, old: None, sight: sight.without_leaves(), damage, number });
        Ok(())
    }

    /// The bytes in which a file under a new name differs from the only recorded one of its length and time.
    fn damage_of_only(&self, now: &Record, leaves: &[u8]) -> io::Result<Damage> {
        let Some(at) = self.others.only(now.stamp()) else { return Ok(Damage::default()) };
        if self.store.digest(at)? == now.digest {
            return Ok(Damage::default());
        }
        damage(self.store, now, at, &Leaves { length: now.length, digests: leaves, bad: &[] }, true)
    }

    /// A name that is in the store.
    fn recorded(&mut self, entry: Entry, sight: Sight, hash: bool) -> Result<(), Stop> {
        let Entry { name, kind } = entry;
        self.files += u64::from(matches!(kind, Kind::File(..)) && self.parts.implies(&name));
        if let Some(now) = sight.stamp() {
            self.others.stamp(if let Kind::File(was, _) = &kind { Some(was.stamp()) } else { None }, now);
        }
        let decided = verdict(kind.as_recorded(), sight.as_found(), &self.others);
        let decided = decided.map(|decided| self.accept(&name, decided));
        if let Sight::Nothing = sight {
            self.write(&name, &kind, &sight, decided, hash)?;
            self.others.gone(name, if let Kind::File(record, at) = kind { Some((record, at)) } else { None });
            return Ok(());
        }
        let mut lost = None;
        if let Sight::Read(now, _) = &sight {
            match &kind {
                Kind::File(was, _) if was.has_contents_of(now) => {}
                Kind::Link(..) | Kind::Directory(_) => self.others.came(now, Place::Misplaced),
                Kind::File(was, at) => {
                    self.others.came(now, Place::Misplaced);
                    lost = self.others.displaced(&name, was, *at);
                }
            }
        }
        let number = self.write(&name, &kind, &sight, decided, hash)?;
        let damage = match &kind {
            Kind::Link(..) | Kind::Directory(_) => Damage::default(),
            Kind::File(was, at) => self.damage(was, *at, &sight).map_err(Stop::Store)?,
        };
        match (decided, kind) {
            (Some((verdict, _)), kind) => self.tell(&name, verdict, &sight, damage, kind.as_own()),
            (None, Kind::File(record, at)) => {
                let (old, sight) = (Some(Box::new((record, at, lost))), sight.without_leaves());
                self.swapped.push(Waiting { name, old, sight, damage, number });
                Ok(())
            }
            (None, _) => unreachable!("only what becomes of a file depends on other names"),
        }
    }

    /// The bytes in which a file differs from its record.
    fn damage(&self, was: &Record, at: u64, sight: &Sight) -> io::Result<Damage> {
        let (leaves, lost) = match sight {
            Sight::Read(now, _) if was.has_contents_of(now) => return Ok(Damage::default()),
            Sight::Read(now, leaves) => {
                // Nobody asks for bytes that somebody deleted.
                (Leaves { length: now.length, digests: leaves, bad: &[] }, !was.was_written(now.modified))
            }
            Sight::Unreadable(_, Some(content)) => {
                let Content { length, leaves, bad, .. } = &**content;
                (Leaves { length: *length, digests: leaves, bad }, false)
            }
            _ => return Ok(Damage::default()),
        };
        damage(self.store, was, at, &leaves, lost)
    }

    /// Writes what is kept under a recorded name, or what was found if that is open. Returns the number of the entry in
    /// the draft.
    fn write(
        &mut self,
        name: &[u8],
        kind: &Kind,
        sight: &Sight,
        decided: Option<(Verdict, Keep)>,
        hash: bool,
    ) -> Result<Option<u64>, Stop> {
        let keep = decided.map_or(Keep::Found, |(_, keep)| keep);
        let turn = self.samples && hash;
        match (&mut self.output, sight) {
            (Output::Nothing | Output::Repair(_), _) => return Ok(None),
            (Output::Update(_), _) if keep == Keep::Nothing => return Ok(None),
            (Output::Update(draft), Sight::Read(record, leaves)) if keep == Keep::Found => {
                return draft.file(name, record, leaves).map(Some).map_err(Stop::Output);
            }
            (Output::Update(draft), Sight::Link(target, owner)) if keep == Keep::Found => {
                draft.link(name, target, *owner).map_err(Stop::Output)?;
                return Ok(None);
            }
            (Output::Update(_), Sight::Directory(_)) if keep == Keep::Found => {
                return self.write_directory(name, sight).map(|()| None);
            }
            _ => {}
        }
        let is_update = matches!(self.output, Output::Update(_));
        let seen = |record: &Record| if is_update { sight.updated(record) } else { sight.seen(record, turn) };
        self.write_old(name, kind, seen).map(|()| None)
    }

    /// Writes an empty directory that was found.
    fn write_directory(&mut self, name: &[u8], sight: &Sight) -> Result<(), Stop> {
        match (&mut self.output, sight) {
            (Output::Update(draft), Sight::Directory(rights)) => draft.directory(name, rights).map_err(Stop::Output),
            _ => Ok(()),
        }
    }

    /// Writes the entry that the store has, with what became of its record.
    fn write_old(&mut self, name: &[u8], kind: &Kind, seen: impl Fn(&Record) -> Record) -> Result<(), Stop> {
        let record = if let Kind::File(record, _) = kind { Some(seen(record)) } else { None };
        let written = match (&mut self.output, kind) {
            (Output::Nothing | Output::Repair(_), _) => return Ok(()),
            (Output::Sample(sampled), _) => sampled.entry(self.store, name, kind, record.as_ref()),
            (Output::Update(draft), Kind::Link(target, owner)) => draft.link(name, target, *owner),
            (Output::Update(draft), Kind::Directory(rights)) => draft.directory(name, rights),
            (Output::Update(draft), Kind::File(old, at)) => {
                let leaves = self.store.leaves(old, *at).map_err(Stop::Store)?;
                draft.file(name, record.as_ref().unwrap_or(old), &leaves).map(|_| ())
            }
        };
        written.map_err(Stop::Output)
    }

    /// The verdict about a name, whose rot may be accepted.
    fn accept(&mut self, name: &[u8], decided: (Verdict, Keep)) -> (Verdict, Keep) {
        match decided.0.accepted() {
            Some(accepted) if self.accepted.remove(name).is_some() => accepted,
            _ => decided,
        }
    }

    /// The names whose rot was to be accepted, and why none was.
    pub(super) fn not_accepted(&self) -> impl Iterator<Item = (&[u8], &str)> {
        let unknown = "not found: --accept takes over nothing";
        self.accepted.iter().map(move |(name, why)| (name.as_slice(), why.as_deref().unwrap_or(unknown)))
    }

    /// Keeps what became of a name for [`Audit::not_accepted`].
    fn explain(&mut self, name: &[u8], status: Status, from: Option<&[u8]>) {
        if let Some(old) = from.and_then(|from| self.accepted.get_mut(from)) {
            let name = shown(OsStr::from_bytes(name));
            old.get_or_insert_with(|| format!("moved to {name}: --accept takes the new name"));
        }
        if let Some(why) = self.accepted.get_mut(name) {
            *why = Some(format!("{}, and not rotted: --accept takes over nothing", status.name()));
        }
    }

    /// Judges the names whose verdicts depend on others, now that all are known.
    fn judge_waiting(&mut self) -> Result<(), Stop> {
        self.others.begin_swaps();
        for waiting in mem::take(&mut self.swapped) {
            let decided = self.judge(&waiting).expect("all names are known");
            self.settle(waiting, decided)?;
        }
        self.others.begin_renamed();
        let newcomers = mem::take(&mut self.newcomers);
        let renamed: Vec<_> = newcomers.iter().map(|waiting| self.judge(waiting)).collect();
        self.others.begin_copied();
        let copied = newcomers.iter().zip(renamed).map(|(waiting, decided)| decided.or_else(|| self.judge(waiting)));
        let decided: Vec<_> = copied.map(|decided| decided.expect("all names are known")).collect();
        self.missing = self.others.missing_stamps();
        for (waiting, decided) in newcomers.into_iter().zip(decided) {
            self.settle(waiting, decided)?;
        }
        for lost in self.others.missing() {
            if let Output::Repair(all) = &mut self.output {
                all.push(Lost::missing(lost.name, lost.file));
                continue;
            }
            self.explain(&lost.name, Status::Missing, None);
            let mut finding = Finding::new(Status::Missing);
            if let Some((record, _)) = lost.file {
                self.missing_files += u64::from(self.parts.implies(&lost.name));
                (finding.digest, finding.length) = (Some(record.digest), Some(record.length));
            }
            self.report.tell(&lost.name, &finding).map_err(Stop::Unprintable)?;
        }
        Ok(())
    }

    /// The verdict about a name that waited, unless it waits for others still. A record that it depends on is given to
    /// no other name.
    fn judge(&mut self, waiting: &Waiting) -> Option<(Verdict, Keep)> {
        let recorded = waiting.old.as_ref().map_or(Recorded::Nothing, |old| Recorded::File(&old.0));
        let decided = verdict(recorded, waiting.sight.as_found(), &self.others)?;
        let decided = self.accept(&waiting.name, decided);
        if let Verdict::Moved(id) | Verdict::MovedRotted(id) = decided.0 {
            self.others.take(id);
            if let Some(own) = waiting.old.as_ref().and_then(|old| old.2) {
                self.others.vacate(own);
            }
        }
        Some(decided)
    }

    /// Keeps and tells what a verdict says.
    fn settle(&mut self, waiting: Waiting, (verdict, keep): (Verdict, Keep)) -> Result<(), Stop> {
        let Waiting { name, old, sight, damage, number } = waiting;
        let replacement = match (keep, &old) {
            (Keep::Old, Some(old)) => Some((&old.0, old.1)),
            (Keep::Of(id), _) => self.others.lost(id).file.as_ref().map(|(record, at)| (record, *at)),
            _ => None,
        };
        if let (Output::Update(draft), Some((record, at)), Some(number)) = (&mut self.output, replacement, number) {
            draft.replace(number, sight.updated(record), at);
        }
        let own = old.as_ref().map_or(Own::Nothing, |old| Own::File(&old.0, old.1));
        self.tell(&name, verdict, &sight, damage, own)
    }

    /// Tells a verdict, or keeps it until the repair.
    fn tell(&mut self, name: &[u8], verdict: Verdict, sight: &Sight, damage: Damage, own: Own<'_>) -> Result<(), Stop> {
        if let Output::Repair(all) = &mut self.output {
            let (from, own) = match verdict {
                // A repair has no business with it.
                Verdict::New => return Ok(()),
                Verdict::MovedRotted(id) => {
                    let lost = self.others.lost(id);
                    (Some(lost.name.clone()), lost.file.as_ref().map(|(record, at)| (record, *at)))
                }
                _ => (None, if let Own::File(record, at) = own { Some((record, at)) } else { None }),
            };
            if let Some((record, at)) = own
                && sight.is_to_be_repaired(verdict, record)
            {
                let found = if let Sight::Read(now, _) = sight { Some(now.clone()) } else { None };
                all.push(Lost::rotted(name, from, (record.clone(), at), found));
                return Ok(());
            }
        }
        let from = |id| Some(self.others.lost(id).name.clone());
        let (status, from) = match verdict {
            Verdict::Nothing => return Ok(()),
            Verdict::Unchanged => (Status::Unchanged, None),
            Verdict::Changed => (Status::Changed, None),
            Verdict::Rotted => (Status::Rotted, None),
            Verdict::New => (Status::New, None),
            Verdict::Missing => (Status::Missing, None),
            Verdict::Moved(id) => (Status::Moved, from(id)),
            Verdict::MovedRotted(id) => (Status::Rotted, from(id)),
            Verdict::Unreadable => (Status::Unreadable, None),
        };
        self.explain(name, status, from.as_deref());
        let may_be_lost = status == Status::New && sight.stamp().is_some_and(|stamp| self.missing.contains(&stamp));
        let notes = self.notes(verdict, sight, own);
        let mut finding = Finding { from, may_be_lost, notes, ..Finding::new(status) };
        if matches!(status, Status::Changed | Status::Rotted | Status::Unreadable) {
            finding.damage = damage;
        }
        match sight {
            Sight::Nothing | Sight::Link(..) | Sight::Directory(_) => {}
            Sight::Unreadable(why, content) => {
                finding.length = content.as_ref().map(|content| content.length);
                // The ranges have the reasons.
                finding.reason = finding.damage.is_empty().then(|| why.clone());
            }
            Sight::Unread(stamp, _) => {
                (finding.length, finding.unread) = (Some(stamp.length), status != Status::New);
            }
            Sight::Read(now, _) => (finding.length, finding.digest) = (Some(now.length), Some(now.digest.clone())),
        }
        self.report.tell(name, &finding).map_err(Stop::Unprintable)
    }

    /// The notes about a name, with its own record.
    fn notes(&self, verdict: Verdict, sight: &Sight, own: Own<'_>) -> Notes {
        // A repair has no business with them.
        if matches!(self.output, Output::Repair(_)) {
            return Notes::default();
        }
        let now = match (sight, own) {
            (Sight::Read(now, _), _) => &now.meta,
            (Sight::Unread(_, now), _) => now,
            (&Sight::Link(_, owner), Own::Link(was)) => {
                let rights = |owner| Rights { owner, ..Rights::default() };
                return notes_about_rights(Some(&rights(was)), &rights(owner));
            }
            // Set-group-id of a directory makes no program run.
            (Sight::Directory(now), Own::Directory(was)) => {
                return notes_about_rights(Some(was), &Rights { mode: None, ..*now });
            }
            _ => return Notes::default(),
        };
        let was = match (verdict, own) {
            (Verdict::Moved(id) | Verdict::MovedRotted(id), _) => {
                self.others.lost(id).file.as_ref().map(|(was, _)| was)
            }
            (_, Own::File(was, _)) => Some(was),
            _ => None,
        };
        notes(verdict, was.map(|was| &was.meta), now)
    }

    /// Why an update may be an accident.
    pub(super) fn doubt(&self) -> Option<&'static str> {
        if self.unlisted_records {
            return Some("a directory with recorded files cannot be listed");
        }
        (self.missing_files > self.files / 2).then_some("more than half of the files are missing")
    }

    /// The report, and the files to be repaired.
    pub(super) fn into_lost(self) -> (Report<'a, 'p>, Vec<Lost>) {
        (self.report, if let Output::Repair(all) = self.output { all } else { Vec::new() })
    }

    /// Gives the store that was written its name, unless `before_end` refuses. Returns the root of the store as it is.
    pub(super) fn finish(
        self,
        secret: &Secret,
        before_end: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<(Report<'a, 'p>, Digest)> {
        let root = match self.output {
            Output::Nothing | Output::Repair(_) => self.store.sums.root.clone(),
            Output::Sample(sampled) => {
                before_end()?;
                sampled.finish(self.store)?;
                self.store.sums.root.clone()
            }
            Output::Update(draft) => draft.finish(self.store, secret, before_end)?.root,
        };
        Ok((self.report, root))
    }
}

impl Kind {
    fn as_recorded(&self) -> Recorded<'_> {
        match self {
            Self::Link(target, _) => Recorded::Link(target),
            Self::Directory(_) => Recorded::Directory,
            Self::File(record, _) => Recorded::File(record),
        }
    }

    fn as_own(&self) -> Own<'_> {
        match self {
            Self::Link(_, owner) => Own::Link(*owner),
            Self::Directory(rights) => Own::Directory(rights),
            Self::File(record, at) => Own::File(record, *at),
        }
    }
}

impl Sight {
    fn of(found: Walked, outcome: Outcome) -> Self {
        let lost = |error: &io::Error| match error.kind() {
            // It went away meanwhile.
            ErrorKind::NotFound => Self::Nothing,
            _ => Self::Unreadable(reason(error), None),
        };
        match (found, outcome.unwrap_or_else(|| Err(ErrorKind::Unsupported.into()))) {
            (Walked::Link(_, Ok((target, owner))), _) => Self::Link(target, owner),
            (Walked::Directory(_, rights), _) => Self::Directory(rights),
            (Walked::Link(_, Err(error)) | Walked::Unlisted(_, error), _) | (Walked::File(_), Err(error)) => {
                lost(&error)
            }
            (Walked::File(_), Ok(content)) if content.was_looked_at() => {
                Self::Unread(Stamp { length: content.length, modified: content.modified }, content.meta)
            }
            (Walked::File(_), Ok(content)) => match content.bad.first() {
                Some((_, why)) => Self::Unreadable(why.clone(), Some(Box::new(content))),
                None => record_of(Some(Ok(content)))
                    .map_or_else(|error| lost(&error), |(now, leaves)| Self::Read(now, leaves)),
            },
        }
    }

    fn as_found(&self) -> Found<'_> {
        match self {
            Self::Nothing => Found::Nothing,
            Self::Unreadable(..) => Found::Unreadable,
            Self::Link(target, _) => Found::Link(target),
            Self::Directory(_) => Found::Directory,
            Self::Unread(stamp, _) => Found::Unread(*stamp),
            Self::Read(now, _) => Found::Read(now),
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        match self {
            Self::Unread(stamp, _) => Some(*stamp),
            Self::Read(now, _) => Some(now.stamp()),
            _ => None,
        }
    }

    /// The time that a file had before a killed repair wrote to it.
    fn put_back(&mut self, interrupted: &Interrupted, name: &[u8]) {
        let modified = match self {
            Self::Read(now, _) => &mut now.modified,
            Self::Unread(stamp, _) => &mut stamp.modified,
            Self::Unreadable(_, Some(content)) => &mut content.modified,
            _ => return,
        };
        if interrupted.wrote(name, *modified) {
            *modified = interrupted.modified;
        }
    }

    /// Whether a repair mends this: nobody wrote to it on purpose.
    fn is_to_be_repaired(&self, verdict: Verdict, record: &Record) -> bool {
        match (verdict, self) {
            (Verdict::Rotted | Verdict::MovedRotted(_), _) => true,
            (Verdict::Unreadable, Self::Unreadable(_, Some(content))) => !record.was_written(content.modified),
            _ => false,
        }
    }

    /// The digests of leaves are long, and nobody needs them while a verdict waits.
    fn without_leaves(mut self) -> Self {
        if let Self::Read(_, leaves) = &mut self {
            *leaves = Vec::new();
        }
        self
    }

    /// An old record, with when its file was last read. If a sample was to read it and could not, it had its `turn`, so
    /// that it does not keep others from theirs for ever.
    fn seen(&self, old: &Record, turn: bool) -> Record {
        let mut meta = old.meta;
        let (checked, young) = match self {
            Self::Read(now, _) if now.has_contents_of(old) && now.modified == old.modified => {
                meta.inode = now.meta.inode.or(meta.inode);
                (now.checked, now.young)
            }
            Self::Read(now, _) => (now.checked, old.young),
            Self::Unreadable(_, Some(content)) => (nanoseconds(content.begun), old.young),
            _ if turn => (nanoseconds(SystemTime::now()), old.young),
            _ => (old.checked, old.young),
        };
        Record { checked, young, meta, ..old.clone() }
    }

    /// An old record that an update keeps, with the rights of its file: the update told of them.
    fn updated(&self, old: &Record) -> Record {
        let mut record = self.seen(old, false);
        if let Self::Read(Record { meta: now, .. }, _) | Self::Unread(_, now) = self {
            record.meta.rights = now.rights;
        }
        record
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
