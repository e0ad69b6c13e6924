//! Stores: catalogues of all files below a directory, and audits by them.
//!
//! ```text
//!   audit    compares a directory with a store, and updates the store
//!   draft    keeps what an update will write until all names are known
//!   others   knows about all names while one of them is judged
//!   verdict  decides what became of a name
//!   damage   compares the leaves of a file with those recorded
//!   repair   repairs what an audit found, by copies
//!   record   makes a store
//!   merge    brings together what a store has and what is found
//!   report   prints what was found
//!   hash     hashes many files, one after the other
//!   host     tells a machine and its file system from others
//!   found    has what a walk comes to, and opens files without following links
//!   extra    finds out owners of links, and extended attributes
//!   part     knows which names are meant
//!   store    reads and writes stores
//!   name     orders and takes apart names
//! ```

mod audit;
mod damage;
mod draft;
mod extra;
mod found;
mod hash;
mod host;
mod merge;
mod name;
mod others;
mod part;
mod record;
mod repair;
mod report;
mod store;
mod verdict;

use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::{self, Builder};

use rustix::fs::FileType;

use crate::args::Options;
use crate::input::Source;
use crate::output::{Printer, USAGE, complain, identity, reason, shown, write_failed};
use crate::progress::Progress;
use crate::replace;
use crate::scheme::{Digest, Scheme, Secret, Shape};
use crate::temporary::{self, Temporary};
use crate::tree::{Tree, tree};
use crate::walk::{self, Filter, Root};
use audit::{Audit, Output, Stop};
use draft::Draft;
use extra::Extra;
use found::{Found, Place, Walk, path};
use hash::Setting;
use part::{Accepted, Parts};
use repair::{Interrupted, Repair};
use report::{Counts, Report};
pub(crate) use store::fuzzing::catalogue as fuzzed;
use store::{Entry, FORMAT, Header, Host, Kind, Sampled, Store, Writer};

/// The exit status of an audit of a directory that cannot be opened: nothing was compared.
const ABSENT: u8 = 3;

/// Why nothing was recorded or compared.
pub(crate) enum Refusal {
    /// The arguments or the store are wrong, and why.
    Wrong(PathBuf, io::Error),
    /// Something cannot be read or written, and why.
    Failed(PathBuf, io::Error),
    /// The directory to compare is missing or cannot be opened, and why.
    Absent(PathBuf, io::Error),
    /// Nothing can be printed.
    Unprintable(io::Error),
}

/// A store's path and what goes with it.
struct Run<'a> {
    options: &'a Options,
    secret: &'a Secret,
    progress: &'a Progress,
    store: &'a Path,
    directory: &'a Path,
    parts: Parts,
    accepted: Accepted,
}

/// Records, audits or lists, as the options ask for. Returns whether all is well.
pub(crate) fn run(options: &Options, store: &Path, secret: &Secret, progress: &Progress) -> Result<bool, Refusal> {
    let directory = Path::new(options.files()[0]);
    let wrong = |option: &'static str| move |error| Refusal::Wrong(option.into(), error);
    let parts = Parts::new(&options.archive.only).map_err(wrong("--only"))?;
    let accepted = options.archive.accept.iter().map(|name| Ok((part::below(name)?, None)));
    let accepted = accepted.collect::<io::Result<Accepted>>().map_err(wrong("--accept"))?;
    if let Some(name) = accepted.keys().find(|name| !parts.has(name)) {
        let text = format!("{}: it is outside of all --only", shown(OsStr::from_bytes(name)));
        return Err(wrong("--accept")(io::Error::other(text)));
    }
    let run = Run { options, secret, progress, store, directory, parts, accepted };
    let mut printer = Printer::new(progress).map_err(Refusal::Unprintable)?;
    if options.archive.list {
        let opened = run.open()?;
        return run.list(&opened, &mut printer);
    }
    if options.repair.repair {
        let opened = run.open()?;
        return run.repair(&opened, &mut printer);
    }
    if !options.archive.audits() {
        return run.record(&mut printer);
    }
    let writes = options.archive.update || options.archive.sample.is_some_and(|share| !share.is_nothing());
    // Before the store is read: a store that another process writes meanwhile would be lost.
    let file = if writes {
        replace::refuse("--store", store, options).map_err(|error| run.wrong(error))?;
        fs::metadata(store).map_err(|error| run.wrong(error))?;
        run.refuse_interrupted()?;
        Some(Temporary::create_alone(store).map_err(|error| run.failed(error))?)
    } else {
        None
    };
    let mut opened = run.open()?;
    if options.archive.update && run.host().0 != opened.header.host {
        opened.forget_inodes();
    }
    run.audit(&opened, file, &mut printer)
}

impl Run<'_> {
    fn wrong(&self, error: io::Error) -> Refusal {
        Refusal::Wrong(self.store.into(), error)
    }

    fn failed(&self, error: io::Error) -> Refusal {
        Refusal::Failed(self.store.into(), error)
    }

    /// Whether a new store can be written to the path: nothing is lost but an empty file, or a store by `--force`.
    fn may_record(&self) -> io::Result<()> {
        replace::refuse("--store", self.store, self.options)?;
        if temporary::is_foreign(self.store, &FORMAT.magic)? {
            return Err(io::Error::other("--store would replace this file, which is no catalogue"));
        }
        if fs::metadata(self.store).is_ok_and(|file| file.is_file() && file.len() > 0) && !self.options.force {
            // Files that rotted since the old recording would be recorded as good.
            let text = match store::number_of_entries(self.store) {
                Ok(number) => {
                    format!("a catalogue of {number} entries; an update takes over what changed, --force replaces it")
                }
                Err(error) => format!("a catalogue that cannot be read ({}); --force replaces it", reason(&error)),
            };
            return Err(io::Error::other(format!("--store would replace {text}")));
        }
        Ok(())
    }

    /// Opens the store, which must have the right root, and checks the names that the options have.
    fn open(&self) -> Result<Store, Refusal> {
        let store = self.open_any().map_err(|error| self.wrong(error))?;
        self.check_names(&store)?;
        Ok(store)
    }

    /// Fails unless each part, and each file whose rot is accepted, is in the store or in the directory.
    fn check_names(&self, store: &Store) -> Result<(), Refusal> {
        let parts = self.parts.names().map(|part| (part, true));
        let files = self.accepted.keys().map(|name| (name.as_slice(), false));
        let mut unknown: Vec<(&[u8], bool)> = parts.chain(files).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let mut entries = store.entries().map_err(|error| self.wrong(error))?;
        while !unknown.is_empty()
            && let Some(entry) = entries.next_entry().map_err(|error| self.wrong(error))?
        {
            unknown.retain(|(name, is_part)| entry.name != *name && !(*is_part && name::is_below(&entry.name, name)));
        }
        if !unknown.is_empty() && !self.options.archive.list {
            // An error here is one of the walk, which tells it.
            let Ok(mut root) = Root::open(self.directory, false) else { return Ok(()) };
            let filter = self.filter(&store.header)?;
            let device = root.stat().ok().filter(|_| store.header.one_file_system).map(|stat| stat.st_dev);
            unknown.retain(|&(part, is_part)| {
                let mut prefixes = (0..part.len()).filter(|&end| part[end] == b'/').map(|end| &part[..end]);
                let (is_directory, is_read) = match Place::below(&mut root, part).and_then(|place| place.stat()) {
                    Ok(stat) => {
                        let kind = FileType::from_raw_mode(stat.st_mode);
                        let is_directory = kind == FileType::Directory;
                        let has_contents = matches!(kind, FileType::RegularFile | FileType::Symlink);
                        let is_left_out = filter.leaves_out(stat.st_dev, stat.st_ino);
                        let is_elsewhere = device.is_some_and(|device| device != stat.st_dev);
                        (is_directory, (has_contents || is_directory && is_part) && !is_left_out && !is_elsewhere)
                    }
                    // Any other error is one that the walk meets, and tells.
                    Err(error) => {
                        use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
                        (false, !matches!(error.kind(), NotFound | NotADirectory | InvalidFilename))
                    }
                };
                !is_read
                    || filter.excludes(path(part), is_directory)
                    || prefixes.any(|part| filter.excludes(path(part), true))
            });
        }
        match unknown.first() {
            Some((name, is_part)) => {
                let (option, what) = if *is_part { ("--only", "nothing") } else { ("--accept", "no file") };
                let text = "with this name is recorded, nor found in DIR beside what is left out";
                let name = shown(OsStr::from_bytes(name));
                Err(Refusal::Wrong(option.into(), io::Error::other(format!("{name}: {what} {text}"))))
            }
            None => Ok(()),
        }
    }

    fn open_any(&self) -> io::Result<Store> {
        let store = Store::open(self.store, self.secret)?;
        if let Some(root) = &self.options.archive.root {
            let wanted: Digest = root.parse().map_err(|_| io::Error::other("--root is not hexadecimal"))?;
            if wanted != store.sums.root {
                return Err(io::Error::other(format!("its root is {}, not that of --root", store.sums.root)));
            }
        }
        Ok(store)
    }

    /// Refuses to write a store while a file may have half of a leaf, and the time at which that was written.
    fn refuse_interrupted(&self) -> Result<(), Refusal> {
        let interrupted = Interrupted::find(self.store).map_err(|error| self.wrong(error))?;
        // If the repair goes on, the lock of the store tells.
        let is_pending =
            |interrupted: &Interrupted| !temporary::is_locked(self.store) && interrupted.is_pending(self.directory);
        let interrupted = interrupted.filter(is_pending);
        interrupted.map_or(Ok(()), |interrupted| Err(self.failed(interrupted.refusal())))
    }

    /// The filter of a store, for the parts. It leaves out the store, what is being written, and standard output.
    fn filter(&self, header: &Header) -> Result<Filter, Refusal> {
        let parts = self.parts.names().map(|part| path(part).to_owned()).collect();
        let mut filter = Filter::new(&header.exclude, parts)
            .map_err(|text| Refusal::Wrong(self.store.into(), io::Error::other(format!("wrong pattern: {text}"))))?;
        let unfinished = temporary::unfinished_of(self.store).map_err(|error| self.failed(error))?;
        for file in [self.store, &unfinished].map(fs::metadata).into_iter().flatten() {
            filter.leave_out(file.dev(), file.ino());
        }
        if let Some((device, number)) = identity() {
            filter.leave_out(device, number);
        }
        Ok(filter)
    }

    /// Begins a walk through the directory, or tells why it cannot be opened.
    fn walk(&self, header: &Header, extra: Extra) -> Result<Walk, Refusal> {
        let tree = walk::Walk::new(self.directory, self.filter(header)?, header.one_file_system, true);
        let refusal =
            if self.options.archive.audits() || self.options.repair.repair { Refusal::Absent } else { Refusal::Failed };
        tree.map(|tree| Walk { tree, extra }).map_err(|error| refusal(self.directory.into(), error))
    }

    /// The host of the directory, and its device if inodes are to be taken down there.
    fn host(&self) -> (Host, Option<u64>) {
        Root::open(self.directory, false).map(|root| host::host(&root)).unwrap_or_default()
    }

    /// The facts that a catalogue has beside times and permissions.
    fn extra(&self, header: &Header) -> Result<Extra, Refusal> {
        Extra::new(header, self.secret).map_err(|error| self.failed(error))
    }

    /// The tree of each file.
    fn tree(&self, scheme: Scheme) -> Result<Box<dyn Tree + '_>, Refusal> {
        tree(scheme, self.secret).ok_or_else(|| self.wrong(io::ErrorKind::Unsupported.into()))
    }

    fn setting<'s>(&'s self, tree: &'s dyn Tree, device: Option<u64>, extra: &'s Extra) -> Setting<'s> {
        let Self { options, progress, .. } = self;
        let (threads, direct, quiet) = (options.threads(), options.archive.direct, options.quiet);
        Setting { tree, threads, progress, direct, quiet, device, extra }
    }

    /// The name of something below the directory, for messages.
    fn below(&self, name: &[u8]) -> PathBuf {
        self.directory.join(path(name))
    }

    fn record(&self, printer: &mut Printer<'_>) -> Result<bool, Refusal> {
        self.may_record().map_err(|error| self.wrong(error))?;
        let archive = &self.options.archive;
        let (host, device) = self.host();
        let header = Header {
            version: FORMAT.version,
            host,
            scheme: Scheme { shape: Shape::Tree { chunk: self.options.leaf_length() }, ..self.options.scheme() },
            keyed: !self.secret.is_empty(),
            one_file_system: self.options.one_file_system,
            owner: archive.owner,
            xattrs: archive.xattrs,
            exclude: self.options.exclude.clone(),
        };
        let tree = self.tree(header.scheme)?;
        self.refuse_interrupted()?;
        // An error in a pattern leaves nothing behind.
        Filter::new(&header.exclude, Vec::new())
            .map_err(|text| Refusal::Wrong("--exclude".into(), io::Error::other(text)))?;
        let file = Temporary::create_alone(self.store).map_err(|error| self.failed(error))?;
        let extra = self.extra(&header)?;
        let mut walk = self.walk(&header, extra.clone())?;
        let writer = Writer::begin(file, &header, self.secret).map_err(|error| self.failed(error))?;
        let mut report = Report::new(printer, self.options, header.scheme);
        let complain = |report: &Report<'_, '_>, name: &[u8], error: &io::Error| {
            report.printer.complain(Source::File(&self.below(name)), error);
        };
        // Another program may have put a store there meanwhile.
        let before_end = || self.may_record();
        let setting = self.setting(&*tree, device, &extra);
        let recorded =
            self.beside(&header, || record::record(&setting, &mut walk, writer, &mut report, complain, before_end));
        let done = recorded.map_err(Refusal::Unprintable)?.map_err(|error| self.failed(error))?;
        let ended = report.end_of_recording(&done.sums, (done.links, done.directories), walk.tree.special);
        ended.map(|()| done.all_good).map_err(Refusal::Unprintable)
    }

    /// Calls `work` while another thread walks, too, and sums the lengths of what is to be read. The thread ends with
    /// `work`.
    fn beside<R>(&self, header: &Header, work: impl FnOnce() -> R) -> R {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            if self.progress.is_on()
                && let Ok(walk) = self.walk(header, Extra::default())
            {
                let sum = || {
                    let (mut bytes, mut files) = (0_u64, 0);
                    for found in walk {
                        if done.load(Ordering::Relaxed) {
                            return;
                        }
                        if let Found::File(place) = found
                            && let Ok(stat) = place.stat()
                        {
                            bytes = bytes.saturating_add(u64::try_from(stat.st_size).unwrap_or(0));
                            files += 1;
                        }
                    }
                    self.progress.expect(bytes, files);
                };
                // Without the thread, the bar shows no total.
                let _ = Builder::new().spawn_scoped(scope, sum);
            }
            let result = work();
            done.store(true, Ordering::Relaxed);
            result
        })
    }

    /// Prints what a store has.
    fn list(&self, opened: &Store, printer: &mut Printer<'_>) -> Result<bool, Refusal> {
        let mut report = Report::new(printer, self.options, opened.header.scheme);
        let mut entries = opened.entries().map_err(|error| self.wrong(error))?;
        let mut counts = Counts::default();
        while let Some(Entry { name, kind }) = entries.next_entry().map_err(|error| self.wrong(error))? {
            if !self.parts.has(&name) {
                continue;
            }
            match &kind {
                Kind::Link(..) => counts.links += 1,
                Kind::Directory(_) => counts.empty_directories += 1,
                Kind::File(record, _) => {
                    counts.files += 1;
                    counts.bytes = counts.bytes.saturating_add(record.length);
                }
            }
            report.listed(&name, &kind).map_err(Refusal::Unprintable)?;
        }
        opened.check_unchanged().map_err(|error| self.wrong(error))?;
        report.end_of_list(&counts, &opened.sums.root).map_err(Refusal::Unprintable)?;
        Ok(true)
    }

    fn stopped(&self, stop: Stop) -> Refusal {
        match stop {
            Stop::Store(error) => self.wrong(error),
            Stop::Output(error) => self.failed(error),
            Stop::Unprintable(error) => Refusal::Unprintable(error),
        }
    }

    /// Audits, then repairs what was found.
    fn repair(&self, opened: &Store, printer: &mut Printer<'_>) -> Result<bool, Refusal> {
        let absent = |error| Refusal::Absent(self.directory.into(), error);
        let mut root = Root::open(self.directory, false).map_err(absent)?;
        let mut interrupted = Interrupted::find(self.store).map_err(|error| self.wrong(error))?;
        let lock = if self.options.repair.dry_run {
            None
        } else {
            let unlocked = interrupted.take().filter(|_| !temporary::is_locked(self.store));
            unlocked.map_or(Ok(()), |interrupted| interrupted.settle(&mut root)).map_err(absent)?;
            repair::refuse_foreign(self.store).map_err(|error| self.failed(error))?;
            // No other program writes the store or repairs by it.
            Some(Temporary::create_alone(self.store).map_err(|error| self.failed(error))?)
        };
        let (options, tree, progress) = (self.options, self.tree(opened.header.scheme)?, self.progress);
        let repair = Repair::new(options, opened, &*tree, progress, root, lock);
        let mut repair = repair.map_err(|(path, error)| Refusal::Wrong(path, error))?;
        // It restores neither, so none needs to be readable.
        let extra = Extra::default();
        let mut walk = self.walk(&opened.header, extra.clone())?;
        let report = Report::new(printer, options, opened.header.scheme);
        let names = (&self.parts, Accepted::new());
        let audit = Audit::new(opened, report, Output::Repair(Vec::new()), interrupted, names);
        let mut audit = audit.map_err(|error| self.wrong(error))?;
        let (bytes, files) = audit.sums();
        progress.expect(bytes, files);
        let setting = self.setting(&*tree, None, &extra);
        audit.run(&setting, &mut walk, None, true).map_err(|stop| self.stopped(stop))?;
        let (mut report, lost) = audit.into_lost();
        let told = repair.run(lost, &mut report).map_err(|error| self.wrong(error))?;
        told.map_err(Refusal::Unprintable)?;
        report.end_of_audit(&opened.sums.root, None, walk.tree.special).map_err(Refusal::Unprintable)?;
        Ok(report.is_good(false))
    }

    fn audit(&self, opened: &Store, file: Option<Temporary>, printer: &mut Printer<'_>) -> Result<bool, Refusal> {
        let archive = &self.options.archive;
        let sample = archive.sample.map(|share| merge::sample(opened, &self.parts, share)).transpose();
        let sample = sample.map_err(|error| self.wrong(error))?;
        let (extra, tree) = (self.extra(&opened.header)?, self.tree(opened.header.scheme)?);
        let mut walk = self.walk(&opened.header, extra.clone())?;
        let (secret, (host, device)) = (self.secret, self.host());
        // Inodes of another host are not compared with those of this one. An update takes down this one's instead.
        let device = device.filter(|_| archive.update || host == opened.header.host);
        let header = Header { host, ..opened.header.clone() };
        let output = match file {
            None => Ok(Output::Nothing),
            Some(file) if archive.update => Draft::begin(file, &header, secret).map(Output::Update),
            Some(file) => Sampled::begin(file, opened, secret).map(Output::Sample),
        };
        let output = output.map_err(|error| self.failed(error))?;
        let fresh = archive.sample.is_none_or(|share| !share.is_nothing());
        let report = Report::new(printer, self.options, opened.header.scheme);
        let interrupted = Interrupted::find(self.store).map_err(|error| self.wrong(error))?;
        let names = (&self.parts, self.accepted.clone());
        let mut audit = Audit::new(opened, report, output, interrupted, names).map_err(|error| self.wrong(error))?;
        // The number of new files, and of those that an update reads besides, is not known yet.
        let (bytes, files) = sample.as_ref().map_or_else(|| audit.sums(), |sample| (sample.bytes, sample.files));
        self.progress.expect(bytes, files);
        let sample = sample.map(|sample| sample.chosen);
        let setting = self.setting(&*tree, device, &extra);
        audit.run(&setting, &mut walk, sample, fresh).map_err(|stop| self.stopped(stop))?;
        if archive.update
            && !self.options.force
            && let Some(doubt) = audit.doubt()
        {
            let text = format!("not updated: {doubt}; --force updates it");
            return Err(self.failed(io::Error::other(text)));
        }
        let mut all_accepted = true;
        for (name, why) in audit.not_accepted() {
            all_accepted = false;
            audit.report.printer.complain(Source::File(&self.below(name)), &io::Error::other(why));
        }
        let (mut report, root) =
            audit.finish(secret, || opened.check_name(self.store)).map_err(|error| self.failed(error))?;
        let old_root = (archive.update && opened.header.version < FORMAT.version).then_some(&opened.sums.root);
        report.end_of_audit(&root, old_root, walk.tree.special).map_err(Refusal::Unprintable)?;
        Ok(report.is_good(archive.update) && all_accepted)
    }
}

impl Refusal {
    /// Tells of it on standard error, and gives the exit status.
    pub(crate) fn tell(&self) -> ExitCode {
        match self {
            Self::Wrong(path, error) | Self::Failed(path, error) | Self::Absent(path, error) => {
                complain(path.as_os_str(), error);
            }
            Self::Unprintable(error) => return write_failed(error),
        }
        match self {
            Self::Wrong(..) => USAGE.into(),
            Self::Absent(..) => ABSENT.into(),
            _ => ExitCode::FAILURE,
        }
    }
}
