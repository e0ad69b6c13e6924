//! Repairs what an audit found: files that rotted, and those that are missing.

use core::time::Duration;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, fstat, mkdirat, symlinkat};

use super::found::{Place, path};
use super::name::{compare, split};
use super::report::{Finding, Report, Status};
use super::store::{Entry, FORMAT, Kind, Record, Store, Time};
use crate::args::Options;
use crate::input::Input;
use crate::mend::{Copies, Copy, Mended, Recorded, Target, mend};
use crate::output::{reason, shown};
use crate::progress::Progress;
use crate::restore::{Gone, in_directories, restore};
use crate::temporary::{self, Temporary};
use crate::tree::Tree;
use crate::walk::Root;

/// The first bytes of the file that a repair has beside the store.
const MAGIC: [u8; 8] = *b"bt2mend\0";

/// How long a repair may take to write a leaf. A file that was written to later, was edited.
const PATIENCE: Duration = Duration::from_secs(60);

/// The difference of times that file systems round.
const RESOLUTION: Duration = Duration::from_secs(2);

/// A file that a repair was writing to when it was killed, so that it may not have its time back.
#[derive(Debug)]
pub(super) struct Interrupted {
    name: Vec<u8>,
    /// The time of the file before.
    pub(super) modified: Time,
    begun: SystemTime,
}

impl Interrupted {
    /// The file that a repair by this store was writing to when it was killed, or writes to now.
    pub(super) fn find(store: &Path) -> io::Result<Option<Self>> {
        let Some((bytes, begun)) = temporary::left_behind(store, &MAGIC)? else { return Ok(None) };
        let fields = bytes[MAGIC.len()..].split_first_chunk().and_then(|(seconds, rest)| {
            let (nanoseconds, name) = rest.split_first_chunk()?;
            Some((i64::from_le_bytes(*seconds), u32::from_le_bytes(*nanoseconds), name))
        });
        // It names no file before the first is written to.
        Ok(fields.filter(|(.., name)| !name.is_empty()).map(|(seconds, nanoseconds, name)| Self {
            name: name.to_vec(),
            modified: Time { seconds, nanoseconds },
            begun,
        }))
    }

    /// The bytes of the file beside the store while a file is written to.
    fn note(name: &[u8], modified: Time) -> Vec<u8> {
        let Time { seconds, nanoseconds } = modified;
        [&MAGIC[..], &seconds.to_le_bytes(), &nanoseconds.to_le_bytes(), name].concat()
    }

    /// Whether a file with this name and time has the time at which the repair wrote to it.
    pub(super) fn wrote(&self, name: &[u8], modified: Time) -> bool {
        self.name == name
            && modified.to_system().is_some_and(|time| {
                self.begun.checked_sub(RESOLUTION).is_some_and(|begin| begin <= time)
                    && self.begun.checked_add(PATIENCE).is_some_and(|end| time <= end)
            })
    }

    /// Whether the file below this directory still has the time at which the repair wrote to it.
    pub(super) fn is_pending(&self, directory: &Path) -> bool {
        let stat = Root::open(directory, false).and_then(|mut root| Place::below(&mut root, &self.name)?.stat());
        stat.is_ok_and(|stat| self.wrote(&self.name, Time::of_stat(&stat)))
    }

    /// Gives the file its time back.
    pub(super) fn settle(&self, root: &mut Root) -> io::Result<()> {
        let file = match Place::below(root, &self.name).and_then(|place| place.open_to_write()) {
            // It went away since, and something else may have its name.
            Err(_) => return Ok(()),
            Ok(file) => file,
        };
        let metadata = file.metadata()?;
        match self.modified.to_system() {
            Some(before) if metadata.is_file() && self.wrote(&self.name, Time::of(&metadata)) => {
                file.set_modified(before)
            }
            _ => Ok(()),
        }
    }

    /// An error that says what is to be done before the store can be written.
    pub(super) fn refusal(&self) -> io::Error {
        let name = shown(OsStr::from_bytes(&self.name));
        io::Error::other(format!("a repair was interrupted while it wrote to {name}; another repair finishes it"))
    }
}

/// An error if the lock of a repair would take the place of a file that is none of this program's.
pub(super) fn refuse_foreign(store: &Path) -> io::Result<()> {
    let path = temporary::unfinished_of(store)?;
    if temporary::is_foreign(&path, &MAGIC)? && temporary::is_foreign(&path, &FORMAT.magic)? {
        let name = shown(path.file_name().unwrap_or_default());
        return Err(io::Error::other(format!("{name} beside it is in the way, and is no file of this program")));
    }
    Ok(())
}

/// A file that is not as it was recorded.
#[derive(Debug)]
pub(super) struct Lost {
    name: Vec<u8>,
    /// The name in the store, if it is another.
    from: Option<Vec<u8>>,
    /// The record, and where the digests of its leaves are. `None` for a link or a directory.
    file: Option<(Record, u64)>,
    /// The record that the file would have now, if all of it could be read.
    found: Option<Record>,
    is_gone: bool,
}

impl Lost {
    pub(super) fn missing(name: Vec<u8>, file: Option<(Record, u64)>) -> Self {
        Self { name, from: None, file, found: None, is_gone: true }
    }

    pub(super) fn rotted(name: &[u8], from: Option<Vec<u8>>, file: (Record, u64), found: Option<Record>) -> Self {
        Self { name: name.to_vec(), from, file: Some(file), found, is_gone: false }
    }
}

/// Where copies are.
enum From {
    Directory(Root),
    File(PathBuf),
}

/// The options, the store and the copies of a repair.
pub(super) struct Repair<'a> {
    pub(super) options: &'a Options,
    pub(super) store: &'a Store,
    pub(super) tree: &'a dyn Tree,
    pub(super) progress: &'a Progress,
    pub(super) root: Root,
    /// The file beside the store, unless nothing is written.
    pub(super) lock: Option<Temporary>,
    from: Vec<(Arc<str>, From)>,
}

impl<'a> Repair<'a> {
    /// Opens the copies. An error comes with the path that it is about.
    pub(super) fn new(
        options: &'a Options,
        store: &'a Store,
        tree: &'a dyn Tree,
        progress: &'a Progress,
        root: Root,
        lock: Option<Temporary>,
    ) -> Result<Self, (PathBuf, io::Error)> {
        let own = root.stat().map_err(|error| (PathBuf::new(), error))?;
        let open = |path: &PathBuf| {
            let metadata = std::fs::metadata(path)?;
            let from = if metadata.is_dir() {
                From::Directory(Root::open(path, false)?)
            } else if metadata.is_file() {
                // A file that cannot be read is better told now.
                File::open(path)?;
                From::File(path.clone())
            } else {
                return Err(io::Error::other("Neither a directory nor a regular file"));
            };
            if let From::Directory(root) = &from
                && root.stat().is_ok_and(|stat| (stat.st_dev, stat.st_ino) == (own.st_dev, own.st_ino))
            {
                return Err(io::Error::other("--from is the directory to repair"));
            }
            Ok((Arc::from(shown(path.as_os_str())), from))
        };
        let from = options.repair.from.iter().map(|path| open(path).map_err(|error| (path.clone(), error)));
        let from = from.collect::<Result<_, _>>()?;
        Ok(Self { options, store, tree, progress, root, lock, from })
    }

    /// Repairs all that is lost, and tells of it. The inner error says why nothing can be printed.
    pub(super) fn run(&mut self, mut lost: Vec<Lost>, report: &mut Report<'_, '_>) -> io::Result<io::Result<()>> {
        lost.sort_by(|a, b| compare(&a.name, &b.name));
        let known = self.known(&lost)?;
        let lengths = lost.iter().filter_map(|lost| Some(lost.file.as_ref()?.0.length));
        self.progress.expect_more(lengths.sum(), lost.len() as u64);
        for (lost, known) in lost.iter().zip(known) {
            self.progress.begin(OsStr::from_bytes(&lost.name));
            let finding = match (&lost.file, known) {
                (None, Known::Link(target)) => self.entry(lost, |at, name| Ok(symlinkat(&*target, at, name)?)),
                (None, Known::Directory(mode)) => {
                    let mode = Mode::from_raw_mode(u32::from(mode.unwrap_or(0o777) & 0o777));
                    self.entry(lost, |at, name| Ok(mkdirat(at, name, mode)?))
                }
                (Some(_), Known::Elsewhere(name)) => {
                    let name = shown(OsStr::from_bytes(&name));
                    let reason = format!("has the recorded contents of {name}, so move it there first");
                    Finding { reason: Some(reason), ..Finding::new(Status::Rotted) }
                }
                (Some(file), _) => self.file(lost, file)?,
                (None, _) => Finding::new(Status::Missing),
            };
            if let Err(error) = report.tell(&lost.name, &finding) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// The store's facts about each of the files that are lost.
    fn known(&self, lost: &[Lost]) -> io::Result<Vec<Known>> {
        let mut known: Vec<Known> = lost.iter().map(|_| Known::Nothing).collect();
        let names: HashSet<&[u8]> = lost.iter().map(|lost| &**lost.from.as_ref().unwrap_or(&lost.name)).collect();
        // Empty files are all alike, and to fill one destroys nothing.
        let mut found: HashMap<(&[u8], u64), Vec<usize>> = HashMap::new();
        for (i, lost) in lost.iter().enumerate() {
            if let Some(Record { digest, length: length @ 1.., .. }) = &lost.found {
                found.entry((digest.as_bytes(), *length)).or_default().push(i);
            }
        }
        let mut entries = self.store.entries()?;
        while !lost.is_empty()
            && let Some(Entry { name, kind }) = entries.next_entry()?
        {
            match kind {
                Kind::Link(..) | Kind::Directory(_) => {
                    if let Ok(i) = lost.binary_search_by(|lost| compare(&lost.name, &name)) {
                        known[i] = match kind {
                            Kind::Link(target, _) => Known::Link(target),
                            Kind::Directory(rights) => Known::Directory(rights.mode),
                            Kind::File(..) => Known::Nothing,
                        };
                    }
                }
                // Where the file with this name has its contents, they are not lost.
                Kind::File(record, _) if names.contains(&*name) => {
                    for &i in found.get(&(record.digest.as_bytes(), record.length)).into_iter().flatten() {
                        known[i] = Known::Elsewhere(name.clone());
                    }
                }
                Kind::File(..) => {}
            }
        }
        Ok(known)
    }

    /// Brings back a link or an empty directory, which `make` makes.
    fn entry(&mut self, lost: &Lost, make: impl FnOnce(&OwnedFd, &[u8]) -> io::Result<()>) -> Finding {
        if !self.options.repair.missing {
            return Finding::new(Status::Missing);
        }
        let made = self.directory_of(&lost.name).and_then(|gone| {
            if self.options.repair.dry_run {
                return Ok(());
            }
            in_directories(&gone, |directory| make(directory, gone.name))
        });
        match made {
            Ok(()) => Finding::new(Status::Restored),
            Err(error) => Finding { reason: Some(reason(&error)), ..Finding::new(Status::Missing) },
        }
    }

    /// Repairs a file, or finds out what can be done.
    fn file(&mut self, lost: &Lost, (record, at): &(Record, u64)) -> io::Result<Finding> {
        let (length, digest) = (Some(record.length), Some(record.digest.clone()));
        let finding = |status| Finding { length, digest: digest.clone(), ..Finding::new(status) };
        if lost.is_gone && !self.options.repair.missing {
            return Ok(finding(Status::Missing));
        }
        let leaves = self.store.leaves(record, *at)?;
        let recorded = match Recorded::new(self.tree, record.length, leaves, record.digest.clone()) {
            Ok(recorded) => recorded,
            Err(error) => {
                let status = if lost.is_gone { Status::Missing } else { Status::Rotted };
                return Ok(Finding { from: lost.from.clone(), reason: Some(reason(&error)), ..finding(status) });
            }
        };
        let mut copies = Copies::new(self.copies(lost), self.progress);
        let mended = if lost.is_gone {
            let dry = self.options.repair.dry_run;
            self.directory_of(&lost.name).map(|mut gone| {
                gone.modified = record.modified.to_system();
                restore(&recorded, &gone, &mut copies, dry)
            })
        } else {
            self.mend(lost, record, &recorded, &mut copies)
        };
        let mended = mended.unwrap_or_else(Mended::failed);
        let status = match (mended.is_good(), lost.is_gone) {
            (true, _) if mended.was_good() => Status::Unchanged,
            (true, true) => Status::Restored,
            (true, false) => Status::Mended,
            (false, true) => Status::Missing,
            (false, false) => Status::Rotted,
        };
        let from = lost.from.clone();
        let reason = mended.reason().filter(|_| mended.error.is_some());
        Ok(Finding { from, reason, mended: Some(mended), ..finding(status) })
    }

    fn mend(
        &mut self,
        lost: &Lost,
        record: &Record,
        recorded: &Recorded<'_>,
        copies: &mut Copies<'_>,
    ) -> io::Result<Mended> {
        let place = Place::below(&mut self.root, &lost.name)?;
        let mut dry = self.options.repair.dry_run;
        let mut refused = None;
        let file = if dry { place.open() } else { place.open_to_write() };
        // A file that may not be written to is compared, so that its damage is told.
        let file = file.or_else(|error| {
            (dry, refused) = (true, Some(error));
            place.open()
        })?;
        // An interrupted repair left another time.
        let modified = record.modified.to_system().filter(|_| !dry);
        let mut target = Target::new(file, place.open()?, modified)?;
        let note = Interrupted::note(&lost.name, record.modified);
        let lock = &mut self.lock;
        let mut mark = || lock.as_mut().map_or(Ok(()), |lock| lock.note(&note));
        let mended = mend(recorded, &mut target, copies, dry, &mut mark).unless(refused);
        if let Some(lock) = &mut self.lock {
            lock.note(&MAGIC)?;
        }
        Ok(mended)
    }

    /// Opens what the copies have under the names of a file. Nothing but regular files is opened, and not the file itself.
    fn copies(&mut self, lost: &Lost) -> Vec<Copy<'a>> {
        let own = Place::below(&mut self.root, &lost.name)
            .and_then(|place| place.stat())
            .map(|stat| (stat.st_dev, stat.st_ino));
        let own = own.ok();
        let mut copies = Vec::new();
        for (name, from) in &mut self.from {
            let files: Vec<io::Result<File>> = match from {
                From::File(path) => vec![File::open(path)],
                From::Directory(root) => {
                    let names = lost.from.iter().chain([&lost.name]);
                    names.map(|name| Place::below(root, name).and_then(|place| open_regular(&place))).collect()
                }
            };
            let inputs = files.into_iter().flatten().filter_map(|file| Input::regular(file, self.progress).ok());
            let others = inputs.filter(|input| own != Some((input.before.dev(), input.before.ino())));
            copies.extend(others.map(|input| Copy { name: Arc::clone(name), input }));
        }
        copies
    }

    /// The deepest directory on the way to a name that is there.
    fn directory_of<'n>(&mut self, name: &'n [u8]) -> io::Result<Gone<'n>> {
        let (mut there, own) = split(name);
        let mut parents = Vec::new();
        loop {
            match self.root.directory(path(there)) {
                Ok(directory) => {
                    if self.store.header.one_file_system && fstat(&directory)?.st_dev != self.root.stat()?.st_dev {
                        return Err(io::Error::other("another file system is mounted there"));
                    }
                    parents.reverse();
                    return Ok(Gone { directory, parents, name: own, modified: None });
                }
                Err(error) if error.kind() == ErrorKind::NotFound && !there.is_empty() => {
                    let (above, last) = split(there);
                    parents.push(last);
                    there = above;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// The store's fact about something that is lost.
enum Known {
    Nothing,
    /// It is a link to this target.
    Link(Vec<u8>),
    /// It is an empty directory with these permissions.
    Directory(Option<u16>),
    /// Its contents were recorded under this name, which has lost them.
    Elsewhere(Vec<u8>),
}

fn open_regular(place: &Place) -> io::Result<File> {
    if FileType::from_raw_mode(place.stat()?.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("Not a regular file"));
    }
    place.open()
}
