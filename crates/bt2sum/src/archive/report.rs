//! Prints what an audit finds or a store has, as text or JSON, and counts it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

use serde::Serialize;

use super::found::path;
use super::store::{Attributes, Kind, Owner, Rights, Sums};
use super::verdict::Notes;
use crate::args::Options;
use crate::input::Source;
use crate::json::{self, Line};
use crate::leaves::Damage;
use crate::mend::Mended;
use crate::output::{Format, Printer, reason, shown};
use crate::scheme::{Digest, Scheme, digest};
use crate::team::Hashed;

/// The state of a file or a link, compared with its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Unchanged,
    Changed,
    Rotted,
    New,
    Missing,
    Moved,
    Unreadable,
    /// By a repair, or with `--dry-run` by the next one.
    Mended,
    Restored,
}

impl Status {
    const ALL: [Self; 9] = [
        Self::Unchanged,
        Self::Changed,
        Self::Rotted,
        Self::New,
        Self::Missing,
        Self::Moved,
        Self::Unreadable,
        Self::Mended,
        Self::Restored,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Rotted => "rotted",
            Self::New => "new",
            Self::Missing => "missing",
            Self::Moved => "moved",
            Self::Unreadable => "unreadable",
            Self::Mended => "mended",
            Self::Restored => "restored",
        }
    }

    /// Whether this is told with `--quiet`.
    fn is_bad(self) -> bool {
        matches!(self, Self::Rotted | Self::Missing | Self::Unreadable)
    }
}

/// A status, and what else there is to tell.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) status: Status,
    /// The digest of a file that was hashed, or of one that is missing.
    pub(super) digest: Option<Digest>,
    pub(super) length: Option<u64>,
    /// Whether the contents were left out, as a sample does.
    pub(super) unread: bool,
    /// The bytes that differ from those recorded, or cannot be read.
    pub(super) damage: Damage,
    /// The parts that a repair mended, and those that stay wrong.
    pub(super) mended: Option<Mended>,
    /// The name that a moved file had, which may have rotted, too.
    pub(super) from: Option<Vec<u8>>,
    pub(super) reason: Option<String>,
    /// Whether a new file has the length and time of a missing one, and so may be that one, with rot.
    pub(super) may_be_lost: bool,
    pub(super) notes: Notes,
}

impl Finding {
    pub(super) fn new(status: Status) -> Self {
        let damage = Damage::default();
        let (unread, may_be_lost, notes) = (false, false, Notes::default());
        let (digest, length, mended, from, reason) = (None, None, None, None, None);
        Self { status, digest, length, unread, damage, mended, from, reason, may_be_lost, notes }
    }
}

/// Prints verdicts.
pub(super) struct Report<'a, 'p> {
    pub(super) printer: &'a mut Printer<'p>,
    json: bool,
    /// Whether only what is rotted, missing or unreadable is told.
    quiet: bool,
    repair: bool,
    /// Whether a repair only tells what it would do.
    dry: bool,
    scheme: Scheme,
    counts: [u64; Status::ALL.len()],
    /// The number of files whose contents were left out.
    unread: u64,
    /// Whether a program may have more rights than its record has.
    more_rights: bool,
}

/// The last line of an audit.
#[derive(Serialize)]
struct Summary<'a> {
    unchanged: u64,
    changed: u64,
    rotted: u64,
    new: u64,
    missing: u64,
    moved: u64,
    unreadable: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mended: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restored: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mendable: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restorable: Option<u64>,
    /// Files of a sample, in one of the other counts, of which only length and time were compared.
    unread: u64,
    /// Pipes, sockets and devices.
    special: u64,
    /// The root of the store.
    root: &'a str,
    /// The root in an older format.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_root: Option<&'a str>,
}

/// The last line of a recording, and of a list.
#[derive(Serialize)]
struct Recorded<'a> {
    files: u64,
    links: u64,
    #[serde(skip_serializing_if = "is_none")]
    empty_directories: u64,
    bytes: u64,
    /// A list knows of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    special: Option<u64>,
    root: &'a str,
}

/// Whether a count is left out.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// The numbers of what a list has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) files: u64,
    pub(super) links: u64,
    pub(super) empty_directories: u64,
    pub(super) bytes: u64,
}

/// Permissions as `chmod` takes them.
fn octal(mode: u16) -> String {
    format!("{mode:o}")
}

/// The owner as `chown` takes it.
fn numbers(Owner { user, group }: Owner) -> String {
    format!("{user}:{group}")
}

/// The digest of extended attributes.
fn attributes(attributes: Attributes) -> String {
    attributes.digest.map_or_else(|| "none".to_owned(), |bytes| digest(bytes).to_string())
}

/// The bits of permissions by which a program runs as its owner or group.
fn names_of_bits(bits: u16) -> Option<String> {
    let names = [(0o4000, "set-user-id"), (0o2000, "set-group-id")];
    let names: Vec<_> = names.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name).collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

impl Notes {
    /// A line for each note.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.is_touched {
            lines.push("ctime moved".to_owned());
        }
        if let Some(now) = self.mode.filter(|_| self.mode_was.is_some() || self.set_id != 0) {
            let mut line = match self.mode_was {
                Some(was) => format!("mode {was:o}, now {now:o}"),
                None => format!("mode {now:o}"),
            };
            if let Some(names) = names_of_bits(self.set_id) {
                line += &format!(": {names} appeared");
            }
            lines.push(line);
        }
        if let Some((was, now)) = self.owner {
            let mut line = format!("owner {}, now {}", numbers(was), numbers(now));
            if let Some(names) = names_of_bits(self.runs_as) {
                line += &format!(": the file has {names}");
            }
            lines.push(line);
        }
        if let Some((was, now)) = self.attributes {
            let mut line = match (was.map(|was| was.digest), now.digest) {
                (None, _) => "extended attributes",
                (Some(None), _) => "extended attributes appeared",
                (Some(_), None) => "extended attributes are gone",
                (Some(_), Some(_)) => "extended attributes differ",
            }
            .to_owned();
            if now.has_capability {
                let had = was.is_some_and(|was| was.has_capability);
                line += if had { ": security.capability may differ" } else { ": security.capability appeared" };
            }
            lines.push(line);
        }
        lines
    }
}

impl<'a, 'p> Report<'a, 'p> {
    pub(super) fn new(printer: &'a mut Printer<'p>, options: &Options, scheme: Scheme) -> Self {
        let Options { json, quiet, .. } = *options;
        let (repair, dry) = (options.repair.repair, options.repair.dry_run);
        // The digest of a file by BLAKE3 does not depend on the leaves of the catalogue, and its lines state none.
        let scheme = Scheme { shape: scheme.algorithm.shape(scheme.shape), ..scheme };
        Self {
            printer,
            json,
            quiet,
            repair,
            dry,
            scheme,
            counts: [0; Status::ALL.len()],
            unread: 0,
            more_rights: false,
        }
    }

    /// The number of files with this status.
    pub(super) fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }

    /// The name of a status: of a repair that writes nothing, what can be done.
    fn name(&self, status: Status) -> &'static str {
        match status {
            Status::Mended if self.dry => "mendable",
            Status::Restored if self.dry => "restorable",
            _ => status.name(),
        }
    }

    /// Whether all is well. An update takes over what changed on purpose, and a repair leaves it alone.
    pub(super) fn is_good(&self, update: bool) -> bool {
        let is_good = |status| match status {
            Status::Unchanged | Status::Mended | Status::Restored => true,
            Status::Changed | Status::New | Status::Moved => update || self.quiet || self.repair,
            Status::Missing => update && !self.quiet,
            Status::Rotted | Status::Unreadable => false,
        };
        Status::ALL.into_iter().all(|status| is_good(status) || self.count(status) == 0)
            && (update || !self.more_rights)
    }

    /// Counts a finding, and prints it. Only JSON tells of files that are unchanged.
    pub(super) fn tell(&mut self, name: &[u8], finding: &Finding) -> io::Result<()> {
        self.counts[finding.status as usize] += 1;
        self.unread += u64::from(finding.unread);
        let more_rights = finding.notes.tells_of_rights();
        self.more_rights |= more_rights;
        if self.quiet && !finding.status.is_bad() && !finding.may_be_lost && !more_rights {
            return Ok(());
        }
        if self.json {
            return self.object(name, finding);
        }
        let name = printed(name);
        let noted = finding.notes.lines();
        if finding.status == Status::Unchanged {
            let lines = noted.iter().flat_map(|line| [&*name, b": ", line.as_bytes(), b"\n"].concat());
            return self.printer.print(&lines.collect::<Vec<_>>());
        }
        let mut text = [&*name, b": "].concat();
        if let Some(from) = &finding.from {
            text.extend([b"moved from ", &*printed(from)].concat());
        }
        match (finding.status, &finding.from) {
            (Status::Moved, _) => {}
            (status, Some(_)) => text.extend([b", ", self.name(status).as_bytes()].concat()),
            (status, None) => text.extend(self.name(status).as_bytes()),
        }
        if let Some(reason) = &finding.reason {
            text.extend(format!(": {reason}").bytes());
        }
        text.push(b'\n');
        let word = if finding.status == Status::Changed { "changed" } else { "FAILED" };
        let mended = finding.mended.iter().flat_map(|mended| mended.lines(self.dry));
        for line in finding.damage.lines(word).into_iter().chain(mended).chain(noted) {
            text.extend([&*name, b": ", line.as_bytes(), b"\n"].concat());
        }
        self.printer.print(&text)
    }

    fn object(&mut self, name: &[u8], finding: &Finding) -> io::Result<()> {
        let reasons = finding.damage.ranges().filter_map(|(_, reason)| reason.clone());
        let mut line = Line {
            length: finding.length,
            unread: finding.unread,
            ranges: finding.mended.as_ref().map_or_else(|| finding.damage.ends(), |mended| mended.ends(true)),
            mended: finding.mended.as_ref().map_or_else(Vec::new, |mended| mended.ends(false)),
            reason: finding.reason.clone().or_else(|| reasons.take(1).next()),
            mode: finding.notes.mode.map(octal),
            mode_was: finding.notes.mode_was.map(octal),
            owner: finding.notes.owner.map(|(_, now)| numbers(now)),
            owner_was: finding.notes.owner.map(|(was, _)| numbers(was)),
            xattrs: finding.notes.attributes.map(|(_, now)| attributes(now)),
            xattrs_was: finding.notes.attributes.and_then(|(was, _)| was).map(attributes),
            capability: finding.notes.attributes.is_some_and(|(_, now)| now.has_capability),
            ctime_moved: finding.notes.is_touched,
            ..Line::new(name, self.name(finding.status))
        };
        if let Some(digest) = &finding.digest {
            line = line.with(self.scheme, digest, finding.length);
        }
        if let Some(from) = &finding.from {
            line = line.from(from);
        }
        self.printer.print(&line.to_bytes())
    }

    /// Tells of a file that was recorded, if results are objects.
    pub(super) fn recorded(&mut self, name: &[u8], record: Option<(&Digest, u64)>) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let mut line = Line::new(name, "recorded");
        if let Some((digest, length)) = record {
            line = line.with(self.scheme, digest, Some(length));
        }
        self.printer.print(&line.to_bytes())
    }

    /// Tells of a file that cannot be recorded, if results are objects.
    pub(super) fn unreadable(&mut self, name: &[u8], error: &io::Error) -> io::Result<()> {
        if self.json { self.printer.print(&Line::unreadable(name, reason(error)).to_bytes()) } else { Ok(()) }
    }

    /// Prints what a store has under a name. Only JSON has links.
    pub(super) fn listed(&mut self, name: &[u8], kind: &Kind) -> io::Result<()> {
        let line = match kind {
            Kind::File(record, _) if self.json => {
                let line = Line::new(name, "recorded").with(self.scheme, &record.digest, Some(record.length));
                with_rights(line, &record.meta.rights).to_bytes()
            }
            Kind::Directory(rights) if self.json => {
                let line = Line { is_directory: true, ..Line::new(name, "recorded") };
                with_rights(line, rights).to_bytes()
            }
            Kind::File(record, _) => {
                let hashed = Hashed { hash: record.digest.clone(), length: record.length };
                let format = Format { tag: true, ..Format::default() };
                // A file `-`, and not standard input.
                let name = if name == b"-" { b"./-" } else { name };
                format.line(self.scheme, Source::File(path(name)), &hashed)
            }
            Kind::Link(target, owner) if self.json => {
                let line = Line::new(name, "recorded").to(target);
                with_rights(line, &Rights { owner: *owner, ..Rights::default() }).to_bytes()
            }
            Kind::Link(..) | Kind::Directory(_) => return Ok(()),
        };
        self.printer.print(&line)
    }

    /// Prints the sums of a list, if results are objects.
    pub(super) fn end_of_list(&mut self, counts: &Counts, root: &Digest) -> io::Result<()> {
        let Counts { files, links, empty_directories, bytes } = *counts;
        let root = &root.to_string();
        let line = || json::line(&Recorded { files, links, empty_directories, bytes, special: None, root });
        if self.json { self.printer.print(&line()) } else { Ok(()) }
    }

    /// Prints the sums of a recording.
    pub(super) fn end_of_recording(
        &mut self,
        sums: &Sums,
        (links, empty_directories): (u64, u64),
        special: u64,
    ) -> io::Result<()> {
        let (files, root) = (sums.entries - links - empty_directories, sums.root.to_string());
        let line = if self.json {
            let (bytes, special, root) = (sums.bytes, Some(special), &*root);
            json::line(&Recorded { files, links, empty_directories, bytes, special, root })
        } else {
            let mut line = count(files, "file");
            if links > 0 {
                line += &format!(", {}", count(links, "link"));
            }
            match empty_directories {
                0 => {}
                1 => line += ", 1 empty directory",
                more => line += &format!(", {more} empty directories"),
            }
            line += &format!(", {}, root {root}", count(sums.bytes, "byte"));
            (line + &left_out(special) + "\n").into_bytes()
        };
        self.printer.print(&line)
    }

    /// Prints the counts of an audit.
    ///
    /// `old_root` is that of the store in an older format that an update replaced.
    pub(super) fn end_of_audit(&mut self, root: &Digest, old_root: Option<&Digest>, special: u64) -> io::Result<()> {
        let tells = |status: &Status| match self.count(*status) {
            0 => *status == Status::Unchanged && !self.quiet,
            _ => status.is_bad() || !self.quiet,
        };
        let told: Vec<Status> = Status::ALL.into_iter().filter(tells).collect();
        if told.is_empty() {
            return Ok(());
        }
        let [unchanged, changed, rotted, new, missing, moved, unreadable, mended, restored] = self.counts;
        let (root, unread) = (root.to_string(), self.unread);
        let old_root = old_root.map(Digest::to_string);
        let line = if self.json {
            let root = &root;
            let now = |count| (self.repair && !self.dry).then_some(count);
            let later = |count| self.dry.then_some(count);
            json::line(&Summary {
                unchanged,
                changed,
                rotted,
                new,
                missing,
                moved,
                unreadable,
                mended: now(mended),
                restored: now(restored),
                mendable: later(mended),
                restorable: later(restored),
                unread,
                special,
                root,
                old_root: old_root.as_deref(),
            })
        } else {
            if let Some(old) = &old_root {
                self.printer
                    .print(format!("the catalogue has format 2 now; in format 1 its root was {old}\n").as_bytes())?;
            }
            if rotted > 0 && !self.repair {
                self.printer.print(WANTED)?;
            }
            if rotted > 0 && unread > 0 {
                self.printer.print(EXCHANGED)?;
            }
            let counts = told.into_iter().map(|status| format!("{} {}", self.count(status), self.name(status)));
            let mut line = counts.collect::<Vec<_>>().join(", ");
            line += &format!(", root {root}");
            if unread > 0 {
                line += &format!(" ({} not read)", count(unread, "file"));
            }
            (line + &left_out(special) + "\n").into_bytes()
        };
        self.printer.print(&line)
    }
}

/// The object of an entry, with its rights.
fn with_rights<'a>(line: Line<'a>, rights: &Rights) -> Line<'a> {
    let Rights { mode, owner, attributes: all } = *rights;
    let capability = all.is_some_and(|all| all.has_capability);
    Line { mode: mode.map(octal), owner: owner.map(numbers), xattrs: all.map(attributes), capability, ..line }
}

/// Advice about a file that is called `rotted` and was changed on purpose.
const WANTED: &[u8] = b"rotted: if a change was wanted, update with --accept NAME\n";

/// Another cause of `rotted` if not all files were read.
const EXCHANGED: &[u8] = b"rotted: files of one time that exchanged names look like this to a sample: an audit tells\n";

/// A name as people read it: its bytes, or in the quotes of a shell if it could speak to the terminal, or begins as quotes
/// do.
fn printed(name: &[u8]) -> Vec<u8> {
    let quoted = shown(OsStr::from_bytes(name));
    let is_mistakable = matches!(name.first(), Some(b'\'' | b'"' | b'$' | b'\\'));
    if quoted.starts_with("$'") || is_mistakable { quoted.into_bytes() } else { name.to_vec() }
}

/// The number of pipes, sockets and devices, if there are any.
fn left_out(special: u64) -> String {
    if special > 0 { format!(" ({} left out)", count(special, "special file")) } else { String::new() }
}

/// A number of things.
fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
