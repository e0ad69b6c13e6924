//! `--check`: compares files with the digests that a check file lists.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use simd_digest::blake2::Flavour;
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use crate::args::Options;
use crate::engine::{Engine, Job};
use crate::input::{Input, Source};
use crate::leaves::{Damage, LeafFile};
use crate::line::{Entry, LineParser};
use crate::output::{Printer, checked_name};
use crate::scheme::Algorithm;

/// Checks all files that the check file `name` lists. Returns whether all is well; an error says why nothing can be
/// printed.
pub(crate) fn check(options: &Options, engine: &Engine, printer: &mut Printer<'_>, name: &OsStr) -> io::Result<bool> {
    let source = Source::named(name);
    let bytes = match read_all(source, engine) {
        Ok(bytes) => bytes,
        Err(error) => {
            printer.complain(source, &error);
            return Ok(false);
        }
    };
    let shown = if source == Source::StandardInput { "'standard input'".into() } else { name.to_string_lossy() };
    let mut tally = Tally::default();
    let hash_name = options.algorithm().title();
    let entries = parse(options, &bytes, &mut tally, |line| {
        printer.warn(&format!("{shown}: {line}: improperly formatted {hash_name} checksum line"));
    });
    if entries.is_empty() {
        printer.warn(&format!("{shown}: no properly formatted checksum lines found"));
        return Ok(false);
    }
    match &options.leaves {
        None => {
            let jobs: Vec<_> =
                entries.iter().map(|entry| Job { source: Source::named(&entry.name), scheme: entry.scheme }).collect();
            engine.hash_all(&jobs, |i, hash| {
                let matches = hash.map(|hash| hash == entries[i].hash);
                tally.count(options, printer, &entries[i], matches, &Findings::default())
            })?;
        }
        Some(path) => {
            let [entry] = &entries[..] else {
                printer.warn(&format!("{shown}: lists {} files, but --leaves is for one", entries.len()));
                return Ok(false);
            };
            let inspected = match entry.scheme.algorithm {
                Algorithm::Blake3 => {
                    printer.warn(&format!("{shown}: lists a file by BLAKE3, which has no leaves"));
                    return Ok(false);
                }
                Algorithm::Blake2s => inspect::<FlavourS>(options, engine, entry, path),
                // No other algorithm gets here: a scheme without a tree would be an error.
                _ => inspect::<FlavourB>(options, engine, entry, path),
            };
            match inspected {
                Ok(Ok(findings)) => tally.count(options, printer, entry, Ok(findings.lines.is_empty()), &findings)?,
                Ok(Err(error)) => tally.count(options, printer, entry, Err(error), &Findings::default())?,
                Err(error) => {
                    printer.complain(Source::File(path), &error);
                    return Ok(false);
                }
            }
        }
    }
    if !options.status {
        tally.warn(printer);
        if options.ignore_missing && tally.matched == 0 {
            printer.warn(&format!("{shown}: no file was verified"));
        }
    }
    Ok(tally.is_good(options))
}

/// Reads a check file.
fn read_all(source: Source<'_>, engine: &Engine) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    engine.open(source)?.file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses a check file. The tally counts improperly formatted lines; with `--warn`, `improper` is told their numbers.
fn parse(options: &Options, bytes: &[u8], tally: &mut Tally, improper: impl Fn(usize)) -> Vec<Entry> {
    let parser = LineParser::new(options.algorithm(), options.scheme().shape, options.size_given());
    let mut parser = parser.or_named(options.algorithms_by_name());
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        match parser.parse(line) {
            Some(entry) => entries.push(entry),
            None => {
                tally.improper += 1;
                if options.warn {
                    improper(number);
                }
            }
        }
    }
    entries
}

/// The result of checking a file against its leaves.
#[derive(Debug, Default)]
struct Findings {
    /// The first and the last byte of the range that was asked for, or `None` for all bytes.
    range: Option<(u64, u64)>,
    /// A line for each damaged or surplus range of bytes; none if the file is good.
    lines: Vec<String>,
}

/// Checks the file of `entry` against its leaves, which are in the file `path`. The outer error is about that file.
fn inspect<F: Flavour>(
    options: &Options,
    engine: &Engine,
    entry: &Entry,
    path: &Path,
) -> io::Result<io::Result<Findings>> {
    let leaves = LeafFile::<F>::open(path, entry.scheme, &engine.secret, &entry.hash)?;
    Ok(find(options, engine, entry, leaves))
}

/// Compares the file of `entry` with its leaves.
fn find<F: Flavour>(
    options: &Options,
    engine: &Engine,
    entry: &Entry,
    mut leaves: LeafFile<F>,
) -> io::Result<Findings> {
    let range = options.range.map(|range| leaves.within(range)).transpose()?;
    let mut input = engine.open(Source::named(&entry.name))?;
    let damage = match range {
        Some(range) => leaves.check_range(&mut input, range)?,
        None => whole_damage(engine, entry, &mut leaves, &mut input)?,
    };
    // Bytes after the end count only if the user asked for the end of the file.
    let to_end = options.range.is_none_or(|(_, last)| last == u64::MAX);
    let surplus = if to_end { io::copy(&mut input, &mut io::sink())? } else { 0 };
    input.check_unchanged()?;
    let failed = |bytes: &core::ops::Range<u64>| format!("bytes {}-{}: FAILED", bytes.start, bytes.end - 1);
    let mut lines: Vec<String> = damage.0.iter().map(failed).collect();
    if surplus > 0 {
        lines.push(format!("bytes {}-{}: surplus", leaves.length, leaves.length + surplus - 1));
    }
    Ok(Findings { range, lines })
}

/// The damaged ranges of a whole file. Afterwards, the position of the input is the end of the original length, or the
/// end of a shorter file.
fn whole_damage<F: Flavour>(
    engine: &Engine,
    entry: &Entry,
    leaves: &mut LeafFile<F>,
    input: &mut Input<'_>,
) -> io::Result<Damage> {
    let mut damage = Damage::default();
    let mut index = 0;
    leaves.seek(0)?;
    // A file that has grown is hashed up to its original length: otherwise no leaf there would be marked as last.
    let found = engine.hash_input(input, leaves.length, entry.scheme, &mut |leaf| {
        if leaves.next()? != *leaf {
            damage.add(leaves.bytes_of(index));
        }
        index += 1;
        Ok(())
    })?;
    if found.length < leaves.length {
        let last = leaves.bytes_of(index - 1);
        damage.cut(last.start);
        // The file is shorter, so the last leaf found was wrongly marked as last. A full leaf may be good all the same,
        // and is read again.
        let full = found.length == last.end;
        let good = full && leaves.check_range(input, (last.start, last.start)).is_ok_and(|damage| damage.0.is_empty());
        damage.add(if good { last.end } else { last.start }..leaves.length);
    }
    Ok(damage)
}

/// The number of lines and files with each result.
#[derive(Debug, Default)]
struct Tally {
    improper: usize,
    unreadable: usize,
    mismatched: usize,
    matched: usize,
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
        let result = match matches {
            Ok(true) => {
                self.matched += 1;
                "OK"
            }
            Ok(false) => {
                self.mismatched += 1;
                "FAILED"
            }
            Err(error) if options.ignore_missing && error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                self.unreadable += 1;
                printer.complain(Source::File(Path::new(&entry.name)), &error);
                "FAILED open or read"
            }
        };
        if options.status || (options.quiet && result == "OK") {
            return Ok(());
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
        self.matched > 0 && self.mismatched == 0 && self.unreadable == 0 && !(options.strict && self.improper > 0)
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
