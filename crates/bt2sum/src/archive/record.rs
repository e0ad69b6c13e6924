//! `--recursive --store`: records all files below a directory.

use core::mem;
use std::io;

use super::found::{Found, Walk};
use super::hash::{Outcome, Setting, Task, Wanted, run};
use super::report::Report;
use super::store::{Record, Sums, Writer, nanoseconds};

impl Task for Found {
    fn wanted(&self) -> Wanted<'_> {
        match self {
            Self::File(place) => Wanted::Hash(place),
            _ => Wanted::Nothing,
        }
    }

    fn close(&mut self) {
        self.close();
    }

    fn weight(&self) -> usize {
        self.name().len()
    }
}

/// The sums of a recording, and whether it is complete.
pub(super) struct Done {
    pub(super) sums: Sums,
    pub(super) links: u64,
    pub(super) directories: u64,
    /// Whether all that was found could be read.
    pub(super) all_good: bool,
}

/// Writes all files, links and empty directories of a walk to a store. `complain` gets those that cannot be read, which
/// are left out. `before_end` may refuse to give the store its name.
pub(super) fn record(
    setting: &Setting<'_>,
    walk: &mut Walk,
    mut writer: Writer,
    report: &mut Report<'_, '_>,
    mut complain: impl FnMut(&Report<'_, '_>, &[u8], &io::Error),
    before_end: impl FnOnce() -> io::Result<()>,
) -> io::Result<Result<Done, io::Error>> {
    let (mut links, mut directories, mut all_good, mut failure) = (0, 0, true, None);
    let done = run(setting, walk, |mut found, outcome| {
        let written = match (&mut found, outcome) {
            (Found::Link(name, link), _) => mem::replace(link, Ok((Vec::new(), None))).map(|(target, owner)| {
                links += 1;
                writer.link(name, &target, owner).map(|()| None)
            }),
            (Found::Directory(name, rights), _) => {
                directories += 1;
                Ok(writer.directory(name, rights).map(|()| None))
            }
            (Found::Unlisted(_, error), _) => Err(io::Error::new(error.kind(), crate::output::reason(error))),
            (Found::File(_), None) => Ok(Ok(None)),
            (Found::File(place), Some(outcome)) => record_of(Some(outcome)).map(|(record, leaves)| {
                writer.file(&place.name, &record, &leaves).map(|()| Some((record.digest, record.length)))
            }),
        };
        match written {
            Ok(Ok(record)) => report.recorded(found.name(), record.as_ref().map(|(digest, length)| (digest, *length))),
            Ok(Err(error)) => {
                failure = Some(error);
                Err(io::Error::other("the catalogue cannot be written"))
            }
            Err(error) => {
                all_good = false;
                complain(report, found.name(), &error);
                report.unreadable(found.name(), &error)
            }
        }
    });
    if let Some(error) = failure {
        return Ok(Err(error));
    }
    done?;
    Ok(before_end().and_then(|()| writer.finish()).map(|sums| Done { sums, links, directories, all_good }))
}

/// The record of a file that was hashed, and the digests of its leaves. The reason if it could not be hashed.
pub(super) fn record_of(outcome: Outcome) -> io::Result<(Record, Vec<u8>)> {
    let content = outcome.unwrap_or_else(|| Err(io::ErrorKind::Unsupported.into()))?;
    let reason = content.bad.into_iter().next().map_or_else(|| "not hashed".to_owned(), |(_, reason)| reason);
    let digest = content.digest.ok_or_else(|| io::Error::other(reason))?;
    let (length, modified, checked) = (content.length, content.modified, nanoseconds(content.begun));
    let young = modified.is_young(checked);
    Ok((Record { length, modified, digest, checked, young, meta: content.meta }, content.leaves))
}
