//! `--check`: compares files with the digests that a check file lists.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use clap::ValueEnum;
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use crate::args::Options;
use crate::armour::Armour;
use crate::engine::{Engine, Job};
use crate::input::{Source, raw};
use crate::inspect::{Findings, inspect};
use crate::json::Line;
use crate::line::{Entry, LineParser};
use crate::list::{Improper, List, Part, Why};
use crate::number::in_largest_unit;
use crate::output::{Printer, checked_name, reason, shown};
use crate::scheme::{Algorithm, CHUNK, Scheme, Shape};

/// The length of the longest file that is hashed again to learn of what kind a digest is, in bytes.
const TRIED: u64 = 64 << 20;

/// Checks all files that the check file `name` lists. Returns whether all is well; an error says why nothing can be
/// printed.
pub(crate) fn check(options: &Options, engine: &Engine, printer: &mut Printer<'_>, name: &OsStr) -> io::Result<bool> {
    let source = Source::named(name);
    let shown = if source == Source::StandardInput { "'standard input'".to_owned() } else { shown(name) };
    let mut run = Run { options, engine, printer, shown: &shown, tally: Tally::default() };
    let checked = match open(options, engine, source) {
        Ok(list) => match &options.leaves {
            None => run.all(list),
            Some(path) => run.one(list, path),
        },
        Err(error) => Err(Stop::Unreadable(error)),
    };
    match checked {
        Ok(()) => {}
        Err(Stop::Unreadable(error)) => {
            run.printer.warn(&format!("{shown}: {}", reason(&error)));
            return Ok(false);
        }
        Err(Stop::Told) => return Ok(false),
        Err(Stop::Unprintable(error)) => return Err(error),
    }
    let Run { tally, printer, .. } = run;
    if tally.unchecked > NAMED && !options.status && !options.warn {
        let more = tally.unchecked - NAMED;
        printer.warn(&format!("{shown}: {more} more such lines, which --warn names"));
    }
    if !tally.has_entry {
        printer.warn(&format!("{shown}: no properly formatted checksum lines found"));
        if let Some(hash) = tally.foreign.filter(|_| !options.is_coreutils()) {
            printer.warn(&format!("{shown}: its lines name {hash}, which the tool that made them can check"));
        }
        return Ok(false);
    }
    if !options.status {
        tally.warn(printer);
        if options.ignore_missing && tally.matched == 0 {
            printer.warn(&format!("{shown}: no file was verified"));
        }
        if tally.right == 0 && tally.wrong > 0 && !options.says_kind() {
            printer.warn(&format!("{shown}: {UNKNOWN}"));
        }
        match tally.chunks {
            Chunks { wrong: true, right: false } => printer.warn(&format!("{shown}: {OTHER_CHUNK}")),
            Chunks { wrong: true, right: true } => printer.warn(&format!("{shown}: {MIXED_CHUNKS}")),
            Chunks { wrong: false, .. } => {}
        }
    }
    Ok(tally.is_good(options))
}

/// The number of improper lines of a list that are named without `--warn`. A file that is no list has many.
const NAMED: usize = 100;

/// The hint if no digest matches, and nothing says of what kind they are.
const UNKNOWN: &str = "if b2sum made this list, use --sequential; if sha256sum, sha512sum or b3sum did, \
    use --algorithm";

/// The hint if lines that do not state the length of a leaf do not match, and none of them does.
const OTHER_CHUNK: &str = "the leaf length may differ, which these lines do not state: \
    check them with the --chunk that made them; with --tag, lines state it";

/// The hint if others of them match.
const MIXED_CHUNKS: &str = "the leaf length may differ, but only if a line that FAILED was made with another --chunk \
    than those that match; with --tag, lines state it";

pub(crate) use b3sum::check as as_b3sum;
#[cfg(target_os = "linux")]
pub(crate) use b3sum::listed as listed_by_b3sum;

/// Opens a check file.
pub(crate) fn open<'a>(options: &Options, engine: &'a Engine, source: Source<'a>) -> io::Result<List<'a>> {
    let mut parser = LineParser::new(options.algorithm(), options.scheme().shape, options.size_given());
    parser.one_hash = options.is_coreutils();
    Ok(List::new(engine.open(source)?.file, source, Armour::new(options.as_coreutils()), parser, &engine.secret))
}

/// Why a check file is not checked to its end.
enum Stop {
    /// The check file cannot be read.
    Unreadable(io::Error),
    /// The reason has been told.
    Told,
    /// Nothing can be printed.
    Unprintable(io::Error),
}

/// The check of one list.
struct Run<'a, 'p> {
    options: &'a Options,
    engine: &'a Engine,
    printer: &'a mut Printer<'p>,
    /// The name of the list.
    shown: &'a str,
    tally: Tally,
}

impl Run<'_, '_> {
    /// Checks all files that the list names, part after part.
    fn all(&mut self, mut list: List<'_>) -> Result<(), Stop> {
        while let Some(Part { entries, improper }) = list.next().map_err(|error| self.unreadable(error))? {
            let jobs: Vec<_> =
                entries.iter().map(|entry| Job { source: Source::named(&entry.name), scheme: entry.scheme }).collect();
            let mut improper = improper.into_iter().peekable();
            self.tally.has_entry |= !entries.is_empty();
            let engine = self.engine;
            let hashed = engine.hash_all(&jobs, |i, hash| {
                while let Some(line) = improper.next_if(|line| line.entries <= i) {
                    self.improper(&line);
                }
                let length = hash.as_ref().ok().map(|hash| hash.length);
                let matches = hash.map(|hash| hash.hash == entries[i].hash);
                let fails = matches!(matches, Ok(false));
                if !entries[i].tagged && (self.tally.strange > 0 || fails && self.is_strange(&entries[i])) {
                    self.tally.strange += 1;
                    return Ok(());
                }
                let findings = Findings { length, ..Findings::default() };
                self.tally.count(self.options, self.printer, &entries[i], matches, &findings)
            });
            hashed.map_err(Stop::Unprintable)?;
            improper.for_each(|line| self.improper(&line));
        }
        Ok(())
    }

    /// Coreutils report a failed read of a list only as `read error`.
    fn unreadable(&self, error: io::Error) -> Stop {
        Stop::Unreadable(if self.options.is_coreutils() { io::Error::other("read error") } else { error })
    }

    /// Counts an improper line, and tells its number if it is a failure, or with `--warn`.
    fn improper(&mut self, line: &Improper) {
        self.tally.improper += 1;
        // b2sum passes over such lines.
        let fails = !self.options.as_coreutils() || line.why == Why::NotKeyed;
        self.tally.unchecked += usize::from(fails);
        if let Why::Malformed(Some(hash)) = &line.why {
            self.tally.foreign.get_or_insert_with(|| hash.clone());
        }
        if self.options.status || !(self.options.warn || fails && self.tally.unchecked <= NAMED) {
            return;
        }
        let title = self.options.algorithm().title();
        let why = match &line.why {
            Why::Malformed(_) => format!("improperly formatted {title} checksum line"),
            Why::Broken(reason) => (*reason).to_owned(),
            Why::NotKeyed => "the hash of this line cannot have this key or context".to_owned(),
        };
        self.printer.warn(&format!("{}: {}: {why}", self.shown, line.number));
    }

    /// Whether a digest that does not match is of another kind, though its line does not say so: then the list is of
    /// another tool, and the hint says how to check it. Lines with a tag are checked all the same. Only the
    /// first digests of a list are tried.
    fn is_strange(&mut self, entry: &Entry) -> bool {
        if self.options.is_coreutils()
            || entry.tagged
            || self.tally.right > 0
            || self.tally.wrong > 0
            || entry.scheme.size < 16
        {
            return false;
        }
        let source = Source::named(&entry.name);
        let Source::File(path) = source else { return false };
        if !fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= TRIED) {
            return false;
        }
        let chunk = if let Shape::Tree { chunk } = self.options.scheme().shape { chunk } else { CHUNK };
        let mut kinds = Vec::new();
        for &algorithm in Algorithm::value_variants() {
            let mut chunks = vec![CHUNK, chunk];
            chunks.dedup();
            chunks.retain(|_| algorithm.makes_trees());
            let trees = chunks.into_iter().map(|chunk| Shape::Tree { chunk });
            for shape in [Shape::Sequential].into_iter().chain(trees) {
                let scheme = Scheme { algorithm, shape, ..entry.scheme };
                let possible = algorithm.lengths().contains(&scheme.size) && self.engine.secret.suits(algorithm);
                if possible && scheme != entry.scheme {
                    kinds.push(Job { source, scheme });
                }
            }
        }
        let mut found = None;
        let tried = self.engine.hash_all(&kinds, |i, hash| {
            if hash.is_ok_and(|hash| hash.hash == entry.hash) {
                found = Some(kinds[i].scheme);
            }
            Ok(())
        });
        let Some(Scheme { algorithm, shape, .. }) = found.filter(|_| tried.is_ok()) else { return false };
        let is_sequential = !shape.is_tree() && algorithm.makes_trees();
        let mut needed = if is_sequential { "--sequential " } else { "" }.to_owned();
        needed += &format!("--algorithm {}", algorithm.name());
        if let Shape::Tree { chunk: other } = shape
            && other != chunk
        {
            needed += &format!(" --chunk {}", in_largest_unit(other));
        }
        let (shown, title) = (self.shown, algorithm.title());
        let kind = if shape.is_tree() { "trees of " } else { "" };
        if !self.options.status {
            self.printer.warn(&format!("{shown}: its digests are {kind}{title}: check them with {needed}"));
        }
        true
    }

    /// Checks the only file that the list names against its leaves.
    fn one(&mut self, mut list: List<'_>, path: &Path) -> Result<(), Stop> {
        let (mut first, mut count) = (None, 0);
        while let Some(Part { entries, improper }) = list.next().map_err(Stop::Unreadable)? {
            improper.iter().for_each(|line| self.improper(line));
            count += entries.len();
            first = first.or(entries.into_iter().next());
        }
        let Some(mut entry) = first else { return Ok(()) };
        self.tally.has_entry = true;
        // The file of leaves states it.
        entry.lacks_chunk = false;
        let tell = |text: &str| {
            self.printer.warn(&format!("{}: {text}", self.shown));
            Err(Stop::Told)
        };
        if count > 1 {
            return tell(&format!("lists {count} files, but --leaves is for one"));
        }
        let inspected = match entry.scheme {
            Scheme { algorithm: Algorithm::Blake3, .. } => return tell("lists a file by BLAKE3, which has no leaves"),
            Scheme { shape: Shape::Sequential, .. } => return tell("lists a digest of no tree, which has no leaves"),
            Scheme { algorithm: Algorithm::Blake2s, .. } => {
                inspect::<FlavourS>(self.options.range, self.engine, &entry, path)
            }
            // No other algorithm gets here: a scheme without a tree would be an error.
            _ => inspect::<FlavourB>(self.options.range, self.engine, &entry, path),
        };
        let (matches, findings) = match inspected {
            Ok(Ok(findings)) => (Ok(findings.lines.is_empty()), findings),
            Ok(Err(error)) => (Err(error), Findings::default()),
            Err(error) => {
                self.printer.complain(Source::File(path), &error);
                return Err(Stop::Told);
            }
        };
        self.tally.count(self.options, self.printer, &entry, matches, &findings).map_err(Stop::Unprintable)
    }
}

/// The number of lines and files with each result.
#[derive(Debug, Default)]
struct Tally {
    /// Whether there is a proper line.
    has_entry: bool,
    improper: usize,
    /// Improper lines that make the check fail, since each may have listed a file that was not checked.
    unchecked: usize,
    /// The unknown hash that the first improper line with one names.
    foreign: Option<String>,
    /// Lines that do not say of what kind their digests are, after one was of another kind. The check fails.
    strange: usize,
    /// Files that match, and those that do not, of lines that do not say of what kind the digest is.
    right: usize,
    wrong: usize,
    chunks: Chunks,
    unreadable: usize,
    mismatched: usize,
    matched: usize,
}

/// Whether a line that does not state the length of a leaf matched, and whether one did not.
#[derive(Clone, Copy, Debug, Default)]
struct Chunks {
    right: bool,
    wrong: bool,
}

impl Tally {
    /// Counts and prints the result for one file.
    fn count(
        &mut self,
        options: &Options,
        printer: &mut Printer<'_>,
        entry: &Entry,
        matches: io::Result<bool>,
        findings: &Findings,
    ) -> io::Result<()> {
        let mut why = None;
        // The kind of an untagged line may not be known at all.
        let lacks_chunk = entry.lacks_chunk && (entry.tagged || options.says_kind());
        let result = match matches {
            Ok(true) => {
                self.matched += 1;
                self.chunks.right |= lacks_chunk;
                self.right += usize::from(!entry.tagged);
                "OK"
            }
            Ok(false) => {
                self.mismatched += 1;
                self.chunks.wrong |= lacks_chunk;
                self.wrong += usize::from(!entry.tagged);
                "FAILED"
            }
            Err(error) if options.ignore_missing && error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                self.unreadable += 1;
                why = Some(reason(&error));
                printer.complain(Source::File(Path::new(&entry.name)), &error);
                "FAILED open or read"
            }
        };
        if options.status || (options.quiet && result == "OK") {
            return Ok(());
        }
        if options.json {
            let status = match result {
                "OK" => "ok",
                "FAILED" => "failed",
                _ => "unreadable",
            };
            let ranges = findings.range.filter(|_| result == "OK").map(|(first, last)| vec![[first, last]]);
            let line = Line {
                ranges: ranges.unwrap_or_else(|| findings.ranges.clone()),
                reason: why,
                ..Line::new(&raw(&entry.name), status)
            };
            return printer.print(&line.with(entry.scheme, &entry.hash, findings.length).to_bytes());
        }
        let name = checked_name(&entry.name);
        // Only the range is OK, since nothing else was read.
        let part = match findings.range {
            Some((first, last)) if result == "OK" => format!("bytes {first}-{last}: "),
            _ => String::new(),
        };
        let mut text = [&*name, b": ", part.as_bytes(), result.as_bytes(), b"\n"].concat();
        for detail in &findings.lines {
            text.extend([&*name, b": ", detail.as_bytes(), b"\n"].concat());
        }
        printer.print(&text)
    }

    /// Whether the check succeeds.
    fn is_good(&self, options: &Options) -> bool {
        let failures = self.mismatched + self.unreadable + self.unchecked + self.strange;
        self.matched > 0 && failures == 0 && !(options.strict && self.improper > 0)
    }

    /// Prints the counts of all that went wrong.
    fn warn(&self, printer: &Printer<'_>) {
        let warn = |count, one: &str, many: &str| match count {
            0 => {}
            1 => printer.warn(&format!("WARNING: 1 {one}")),
            count => printer.warn(&format!("WARNING: {count} {many}")),
        };
        warn(self.improper, "line is improperly formatted", "lines are improperly formatted");
        warn(self.unreadable, "listed file could not be read", "listed files could not be read");
        warn(self.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
    }
}

mod b3sum;
#[cfg(test)]
mod tests;
