//! `--check`: what the files should be against what they are.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::args::Options;
use crate::engine::{Engine, Job};
use crate::input::{Input, Source};
use crate::leaves::{Damage, Leaves};
use crate::line::{Entry, Parser};
use crate::output::{Printer, checked_name};

/// Checks all files that the check file `name` lists. Whether that went well, or else why nothing can be printed.
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
    let entries = parse(options, &bytes, &mut tally, |line| {
        printer.warn(&format!("{shown}: {line}: improperly formatted BLAKE2b checksum line"));
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
                tally.take(options, printer, &entries[i], matches, &[])
            })?;
        }
        Some(path) => {
            let [entry] = &entries[..] else {
                printer.warn(&format!("{shown}: lists {} files, but --leaves is for one", entries.len()));
                return Ok(false);
            };
            match Leaves::open(path, entry.scheme, &engine.secret, &entry.hash) {
                Ok(leaves) => {
                    let (good, lines) = match damage(options, engine, entry, leaves) {
                        Ok(lines) => (Ok(lines.is_empty()), lines),
                        Err(error) => (Err(error), Vec::new()),
                    };
                    tally.take(options, printer, entry, good, &lines)?;
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
    source.open(&engine.progress)?.file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The lines of a check file that are properly formatted; the numbers of the others go to `improper`.
fn parse(options: &Options, bytes: &[u8], tally: &mut Tally, improper: impl Fn(usize)) -> Vec<Entry> {
    let mut parser = Parser::new(options.scheme().shape, options.size_given());
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

/// What the leaves tell about the file of `entry`, line by line; nothing if it is whole.
fn damage(options: &Options, engine: &Engine, entry: &Entry, mut leaves: Leaves) -> io::Result<Vec<String>> {
    let mut input = Source::named(&entry.name).open(&engine.progress)?;
    let (damage, surplus) = match options.range {
        Some(range) => (leaves.check_range(&mut input, range)?, 0),
        None => whole_damage(engine, entry, &mut leaves, &mut input)?,
    };
    input.check_unchanged()?;
    let failed = |bytes: &core::ops::Range<u64>| format!("bytes {}-{}: FAILED", bytes.start, bytes.end - 1);
    let mut lines: Vec<String> = damage.0.iter().map(failed).collect();
    if surplus > 0 {
        lines.push(format!("bytes {}-{}: surplus", leaves.length, leaves.length + surplus - 1));
    }
    Ok(lines)
}

/// The ranges that do not match, and how many bytes there are too many.
fn whole_damage(
    engine: &Engine,
    entry: &Entry,
    leaves: &mut Leaves,
    input: &mut Input<'_>,
) -> io::Result<(Damage, u64)> {
    let mut damage = Damage::default();
    let mut index = 0;
    leaves.seek(0)?;
    // Of a file that has grown, the part that was there: else its last leaf would not be a last one.
    let found = engine.hash_input(input.by_ref().take(leaves.length), entry.scheme, &mut |leaf| {
        if leaves.next()? != *leaf {
            damage.add(leaves.bytes_of(index));
        }
        index += 1;
        Ok(())
    })?;
    if found.length < leaves.length {
        let chunk_begin = damage.0.pop().map_or(found.length, |last| last.start);
        damage.add(chunk_begin..leaves.length);
    }
    let surplus = io::copy(input, &mut io::sink())?;
    Ok((damage, surplus))
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
    fn take(
        &mut self,
        options: &Options,
        printer: &mut Printer<'_>,
        entry: &Entry,
        matches: io::Result<bool>,
        details: &[String],
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
        let part = match options.range {
            Some((first, u64::MAX)) if result == "OK" => format!("bytes {first}-: "),
            Some((first, last)) if result == "OK" => format!("bytes {first}-{last}: "),
            _ => String::new(),
        };
        let mut text = [&*name, b": ", part.as_bytes(), result.as_bytes(), b"\n"].concat();
        for detail in details {
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
