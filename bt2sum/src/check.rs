//! `--check`: what the files should be against what they are.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::args::Options;
use crate::engine::{Engine, Job};
use crate::input::{Input, Source};
use crate::leaves::{Damage, LeafFile};
use crate::line::{Entry, LineParser};
use crate::output::{Printer, checked_name};
use crate::scheme::Flavour;

/// Checks all files that the check file `name` lists. Whether that went well, or else why nothing can be printed.
pub(crate) fn check<F: Flavour>(
    options: &Options,
    engine: &Engine,
    printer: &mut Printer<'_>,
    name: &OsStr,
) -> io::Result<bool> {
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
    let hash_name = options.scheme().shape.name::<F>();
    let entries: Vec<Entry<F>> = parse(options, &bytes, &mut tally, |line| {
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
            match LeafFile::open(path, entry.scheme, &engine.secret, &entry.hash) {
                Ok(leaves) => {
                    let (good, findings) = match inspect(options, engine, entry, leaves) {
                        Ok(findings) => (Ok(findings.lines.is_empty()), findings),
                        Err(error) => (Err(error), Findings::default()),
                    };
                    tally.count(options, printer, entry, good, &findings)?;
                }
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

fn read_all(source: Source<'_>, engine: &Engine) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    engine.open(source)?.file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The lines of a check file that are properly formatted; the numbers of the others go to `improper`.
fn parse<F: Flavour>(options: &Options, bytes: &[u8], tally: &mut Tally, improper: impl Fn(usize)) -> Vec<Entry<F>> {
    let mut parser = LineParser::new(options.scheme().shape, options.size_given());
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

/// What the leaves tell about a file.
#[derive(Debug, Default)]
struct Findings {
    /// The first and the last byte that were looked at, if not all were.
    range: Option<(u64, u64)>,
    /// Line by line; nothing if there is none.
    lines: Vec<String>,
}

/// What the leaves tell about the file of `entry`.
fn inspect<F: Flavour>(
    options: &Options,
    engine: &Engine,
    entry: &Entry<F>,
    mut leaves: LeafFile<F>,
) -> io::Result<Findings> {
    let range = options.range.map(|range| leaves.within(range)).transpose()?;
    let mut input = engine.open(Source::named(&entry.name))?;
    let damage = match range {
        Some(range) => leaves.check_range(&mut input, range)?,
        None => whole_damage(engine, entry, &mut leaves, &mut input)?,
    };
    // Only who asked for the end of the file asked whether it is where it was.
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

/// The ranges that do not match. The input is then behind the bytes that there were.
fn whole_damage<F: Flavour>(
    engine: &Engine,
    entry: &Entry<F>,
    leaves: &mut LeafFile<F>,
    input: &mut Input<'_>,
) -> io::Result<Damage> {
    let mut damage = Damage::default();
    let mut index = 0;
    leaves.seek(0)?;
    // Of a file that has grown, the part that was there: else its last leaf would not be a last one.
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
        // The last leaf that there is was hashed as the last one of all. A full one may be good, if it can be read again.
        let full = found.length == last.end;
        let good = full && leaves.check_range(input, (last.start, last.start)).is_ok_and(|damage| damage.0.is_empty());
        damage.add(if good { last.end } else { last.start }..leaves.length);
    }
    Ok(damage)
}

/// How many files turned out how.
#[derive(Debug, Default)]
struct Tally {
    improper: usize,
    unreadable: usize,
    mismatched: usize,
    matched: usize,
}

impl Tally {
    /// Counts and prints what came of one file.
    fn count<F: Flavour>(
        &mut self,
        options: &Options,
        printer: &mut Printer<'_>,
        entry: &Entry<F>,
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
        // What was not looked at is not OK.
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

    fn is_good(&self, options: &Options) -> bool {
        self.matched > 0 && self.mismatched == 0 && self.unreadable == 0 && !(options.strict && self.improper > 0)
    }

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
