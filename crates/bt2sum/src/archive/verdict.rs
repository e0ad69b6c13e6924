//! Decides what became of a name, and what an update stores under it. Nothing else in the program decides this.
//!
//! ```text
//!   recorded  what the store has under the name    ─┐
//!   found     what is there now                     ├─>  verdict  ─>  Verdict, for the report
//!   others    what is known about all other names  ─┘                 Keep, for an update
//! ```
//!
//! Whoever writes to a file changes its time. Whoever renames it keeps its time. So other contents at the same time are
//! rot, unless they came from another name together with that time. A time of change or an inode number makes no
//! verdict milder: the number finds a rotted file under another name, and the time is only in the notes.

use super::store::{Attributes, Inode, Meta, Owner, Record, Rights, Time};

/// The place of a record among the lost ones of [`super::others`].
pub(super) type Id = usize;

/// The entry that the store has under a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recorded<'a> {
    Nothing,
    /// A link to this target.
    Link(&'a [u8]),
    /// An empty directory.
    Directory,
    File(&'a Record),
}

/// The file, link or empty directory that is under a name now.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found<'a> {
    Nothing,
    /// Something that cannot be read, or only in part.
    Unreadable,
    /// A link to this target.
    Link(&'a [u8]),
    /// An empty directory.
    Directory,
    /// A file whose contents were left out, as a sample does.
    Unread(Stamp),
    /// A file that was read, as it would be recorded.
    Read(&'a Record),
}

/// The length and time of a file. It keeps them when it is renamed, and its owner's programs change them when they
/// write to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp {
    pub(super) length: u64,
    pub(super) modified: Time,
}

/// The verdict about a name. An `Id` is that of another record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Unchanged,
    Changed,
    Rotted,
    New,
    Missing,
    /// It has the contents of this record, whose own name lost them.
    Moved(Id),
    /// It is the file of this record, whose name is gone, with other contents.
    MovedRotted(Id),
    Unreadable,
    /// A file that was there for a moment only.
    Nothing,
}

impl Verdict {
    /// The verdict about a file that rotted, if its owner says that this change was wanted.
    pub(super) fn accepted(self) -> Option<(Self, Keep)> {
        match self {
            Self::Rotted => Some((Self::Changed, Keep::Found)),
            Self::MovedRotted(from) => Some((Self::Moved(from), Keep::Found)),
            _ => None,
        }
    }
}

/// The record that an update stores under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    Nothing,
    /// The record that it has.
    Old,
    /// The entry that was found.
    Found,
    /// This record of another name.
    Of(Id),
}

/// Records and files that have one digest, one length and one time, except files under their own names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Twins {
    /// The number of records whose names have other contents now.
    pub(super) displaced: usize,
    /// The number of records whose names are gone.
    pub(super) gone: usize,
    /// The number of files in the place of other recorded contents.
    pub(super) misplaced: usize,
    /// The number of files under new names.
    pub(super) new: usize,
    /// One of the records, if one is left that no other file came from.
    pub(super) free: Option<Id>,
}

/// Records and files that have one length and one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Peers {
    /// The number of records, of any name.
    pub(super) records: usize,
    /// The number of files whose own record has another length or time.
    pub(super) files: usize,
    /// One of the records, if its name is gone and no other file came from it.
    pub(super) gone: Option<Id>,
    /// Whether that record is young.
    pub(super) is_young: bool,
}

/// The facts about all other names. `None`: they are not known yet.
pub(super) trait Others {
    /// By digest, length and time: records whose names lost them, and files that came from elsewhere. The name that asks
    /// was recorded with the length and time `was`.
    fn twins(&self, record: &Record, was: Stamp) -> Option<Twins>;

    /// By digest, length and time: a record whose name is gone, or passed on to another file, and that no file came from.
    fn renamed(&self, now: &Record) -> Option<Option<Id>>;

    /// By digest and length: such a record of any time.
    fn copied(&self, now: &Record) -> Option<Option<Id>>;

    /// By inode number, length and time: a record whose name is gone, and that no file came from.
    fn same_inode(&self, now: &Record) -> Option<Option<Id>>;

    /// By length and time.
    fn peers(&self, record: &Record) -> Option<Peers>;
}

/// The verdict about a name, and the record that an update stores under it. `None` if this depends on names that
/// `others` does not know yet.
pub(super) fn verdict(recorded: Recorded<'_>, found: Found<'_>, others: &impl Others) -> Option<(Verdict, Keep)> {
    Some(match (recorded, found) {
        // A file that cannot be read may be as it was.
        (Recorded::Nothing, Found::Unreadable) => (Verdict::Unreadable, Keep::Nothing),
        (_, Found::Unreadable) => (Verdict::Unreadable, Keep::Old),

        (Recorded::Nothing, Found::Nothing) => (Verdict::Nothing, Keep::Nothing),
        (_, Found::Nothing) => (Verdict::Missing, Keep::Nothing),

        (Recorded::Nothing, Found::Link(_) | Found::Directory) => (Verdict::New, Keep::Found),
        (Recorded::Nothing, Found::Unread(_)) => (Verdict::New, Keep::Nothing),
        (Recorded::Nothing, Found::Read(now)) => came_from(now, others)?,

        (Recorded::Link(was), Found::Link(now)) if was == now => (Verdict::Unchanged, Keep::Found),
        (Recorded::Directory, Found::Directory) => (Verdict::Unchanged, Keep::Found),
        (Recorded::Link(_), Found::Unread(_)) => (Verdict::Changed, Keep::Old),
        (Recorded::Link(_), Found::Link(_) | Found::Read(_)) | (Recorded::File(_), Found::Link(_)) => {
            (Verdict::Changed, Keep::Found)
        }
        (Recorded::Directory, _) | (_, Found::Directory) => {
            unreachable!("a directory and something else of one name are judged one after the other")
        }

        (Recorded::File(was), Found::Unread(now)) if was.stamp() == now => (Verdict::Unchanged, Keep::Old),
        (Recorded::File(was), Found::Unread(now)) if was.was_written(now.modified) => (Verdict::Changed, Keep::Old),
        // Another length at the same time.
        (Recorded::File(_), Found::Unread(_)) => (Verdict::Rotted, Keep::Old),

        (Recorded::File(was), Found::Read(now)) if was.has_contents_of(now) => (Verdict::Unchanged, Keep::Found),
        (Recorded::File(was), Found::Read(now)) if was.was_written(now.modified) => (Verdict::Changed, Keep::Found),
        (Recorded::File(was), Found::Read(now)) => match swapped(was, now, others)? {
            Some(from) => (Verdict::Moved(from), Keep::Found),
            None => (Verdict::Rotted, Keep::Old),
        },
    })
}

/// The verdict about a file under a new name.
fn came_from(now: &Record, others: &impl Others) -> Option<(Verdict, Keep)> {
    // Nothing tells empty files apart.
    if now.length == 0 {
        return Some((Verdict::New, Keep::Found));
    }
    if let Some(from) = others.renamed(now)? {
        return Some((Verdict::Moved(from), Keep::Found));
    }
    // Two files have one number only as names of one file, or one after the other.
    if let Some(from) = others.same_inode(now)? {
        return Some((Verdict::MovedRotted(from), Keep::Of(from)));
    }
    // A time of whole seconds is one that many files have.
    if now.modified.nanoseconds != 0
        && let Peers { records: 1, files: 1, gone: Some(from), is_young: false } = others.peers(now)?
    {
        return Some((Verdict::MovedRotted(from), Keep::Of(from)));
    }
    Some((others.copied(now)?.map_or(Verdict::New, Verdict::Moved), Keep::Found))
}

/// The record whose contents a file has in the place of its own, if names were exchanged. Then no more files have the
/// contents of now in the place of others than names lost them. And the contents of then are found elsewhere, as often as
/// names lost them.
fn swapped(was: &Record, now: &Record, others: &impl Others) -> Option<Option<Id>> {
    let of_now = others.twins(now, was.stamp())?;
    let Some(from) = of_now.free else { return Some(None) };
    let of_was = others.twins(was, was.stamp())?;
    // A record whose name is gone is that of a new file rather than of this one.
    let left = of_now.displaced + of_now.gone.saturating_sub(of_now.new);
    let is_explained = of_now.misplaced <= left;
    let is_kept = of_was.misplaced + of_was.new >= of_was.displaced + of_was.gone;
    Some((is_explained && is_kept).then_some(from))
}

/// The bits of permissions by which a program runs as its owner or group.
const SET_ID: u16 = 0o6000;

/// The facts beside a verdict about a file, on which it does not depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// Whether a rotted file has another time of change: a program wrote to it and put its time back, or changed its
    /// metadata.
    pub(super) is_touched: bool,
    /// The recorded permissions, if the file has others.
    pub(super) mode_was: Option<u16>,
    /// The permissions, if there is something to tell about them.
    pub(super) mode: Option<u16>,
    /// Set-user-id and set-group-id, if the record has them not.
    pub(super) set_id: u16,
    /// The recorded owner and that of now, if they differ.
    pub(super) owner: Option<(Owner, Owner)>,
    /// Set-user-id, if the user differs, and set-group-id, if the group does: the file runs as another one.
    pub(super) runs_as: u16,
    /// The recorded extended attributes and those of now, if they differ; and those of a new file that has a capability.
    pub(super) attributes: Option<(Option<Attributes>, Attributes)>,
}

impl Notes {
    /// Whether a program may have more rights than its record has.
    pub(super) fn tells_of_rights(&self) -> bool {
        // The digest does not tell which of the attributes differ.
        let has_capability = self.attributes.is_some_and(|(_, now)| now.has_capability);
        self.set_id != 0 || self.runs_as != 0 || has_capability
    }
}

/// The notes about the owner and the extended attributes of a file, a link or an empty directory. `was` are the recorded
/// rights, if there are any.
pub(super) fn notes_about_rights(was: Option<&Rights>, now: &Rights) -> Notes {
    let owner = was.and_then(|was| was.owner.zip(now.owner)).filter(|(was, now)| was != now);
    let runs = |is_other, bit| if is_other { now.mode.unwrap_or(0) & bit } else { 0 };
    let runs_as =
        owner.map_or(0, |(was, now)| runs(was.user != now.user, 0o4000) | runs(was.group != now.group, 0o2000));
    let attributes = match was {
        Some(was) => {
            was.attributes.zip(now.attributes).filter(|(was, now)| was != now).map(|(was, now)| (Some(was), now))
        }
        None => now.attributes.filter(|now| now.has_capability).map(|now| (None, now)),
    };
    Notes { owner, runs_as, attributes, ..Notes::default() }
}

/// The notes about a file. `was` are the facts about the recorded one, if there is one.
pub(super) fn notes(verdict: Verdict, was: Option<&Meta>, now: &Meta) -> Notes {
    let (was_rights, now_rights) = (was.map(|was| &was.rights), &now.rights);
    // Format 1 has no permissions.
    let is_known = was_rights.is_none_or(|was| was.mode.is_some());
    let before = was_rights.and_then(|was| was.mode);
    let mode_was = before.filter(|before| now_rights.mode.is_some_and(|mode| mode != *before));
    let set_id = now_rights.mode.map_or(0, |mode| mode & SET_ID & !before.unwrap_or(0));
    let set_id = if is_known { set_id } else { 0 };
    let changed = |meta: &Meta| meta.inode.map(|inode| inode.changed);
    let is_other = was.and_then(changed).zip(changed(now)).is_some_and(|(was, now)| was != now);
    let rights = notes_about_rights(was_rights, now_rights);
    let mode = now_rights.mode.filter(|_| mode_was.is_some() || set_id != 0 || rights.runs_as != 0);
    let is_touched = verdict == Verdict::Rotted && is_other;
    Notes { is_touched, mode_was, mode, set_id, ..rights }
}

impl Record {
    pub(super) fn stamp(&self) -> Stamp {
        Stamp { length: self.length, modified: self.modified }
    }

    pub(super) fn has_contents_of(&self, other: &Self) -> bool {
        (&self.digest, self.length) == (&other.digest, other.length)
    }

    /// Whether somebody may have written to the file, if it has this time now. A young one can be written to within the
    /// time that it has.
    pub(super) fn was_written(&self, modified: Time) -> bool {
        self.young || self.modified != modified
    }

    /// Whether a file with the inode number of the record `was` can be the file of that record. The system gives the
    /// number of a file that was removed to a new file, which is born after all changes of the old one. Where no birth
    /// is known, whole seconds may be a time that many files have.
    pub(super) fn may_be(&self, was: &Self) -> bool {
        match (self.meta.born, was.meta.inode) {
            (Some(born), Some(Inode { changed, .. })) => born <= changed,
            _ => self.modified.nanoseconds != 0,
        }
    }
}

#[cfg(test)]
mod tests;
