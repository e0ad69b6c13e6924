//! `--check` as b3sum has it: any line that lists no file is a failure, and all lists have one count.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use simd_digest::blake3::OUT_LEN;

use super::Stop;
use crate::args::Options;
use crate::engine::{Engine, Job};
use crate::input::Source;
use crate::line::unescape;
use crate::output::{self, Printer, reason};
use crate::scheme::{Algorithm, Digest, Scheme, Shape};

/// The length of the longest line, in bytes. The rest of a longer one is a line of its own, after one that failed.
const LONGEST: u64 = 4 << 20;

/// The largest number of lines that are checked together.
const MOST: usize = 1024;

/// A line that lists a file.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// The name as the line has it.
    shown: String,
    path: PathBuf,
    hash: Digest,
}

/// The check of all lists.
struct Run<'a, 'p> {
    options: &'a Options,
    engine: &'a Engine,
    printer: &'a mut Printer<'p>,
    failed: u64,
}

/// Checks all files that these check files list. Returns whether all is well; an error says why nothing can be printed.
pub(crate) fn check(
    options: &Options,
    engine: &Engine,
    printer: &mut Printer<'_>,
    names: &[&OsStr],
) -> io::Result<bool> {
    let mut run = Run { options, engine, printer, failed: 0 };
    for name in names {
        match run.list(Source::named(name)) {
            Ok(()) => {}
            Err(Stop::Unprintable(error)) => return Err(error),
            Err(Stop::Told) => return Ok(false),
            Err(Stop::Unreadable(error)) => {
                output::give_up(&reason(&error));
                return Ok(false);
            }
        }
    }
    let Run { printer, failed, .. } = run;
    if failed > 0 {
        let s = if failed == 1 { "" } else { "s" };
        printer.warn(&format!("WARNING: {failed} computed checksum{s} did NOT match"));
    }
    Ok(failed == 0)
}

impl Run<'_, '_> {
    /// Checks one list.
    fn list(&mut self, source: Source<'_>) -> Result<(), Stop> {
        let mut file = BufReader::new(self.engine.open(source).map_err(Stop::Unreadable)?.file);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = (&mut file).take(LONGEST).read_line(&mut line);
            if read.as_ref().is_ok_and(|length| *length > 0) {
                let line = parse(&line);
                // It would be the rest of the list.
                let is_list = |line: &Line| source == Source::StandardInput && line.path.as_os_str() == "-";
                lines.push(line.and_then(|line| if is_list(&line) { Err("the list lists itself") } else { Ok(line) }));
                if lines.len() < MOST && file.buffer().contains(&b'\n') {
                    continue;
                }
            }
            self.lines(&lines).map_err(Stop::Unprintable)?;
            lines.clear();
            if read.map_err(Stop::Unreadable)? == 0 {
                return Ok(());
            }
        }
    }

    fn lines(&mut self, lines: &[Result<Line, &str>]) -> io::Result<()> {
        let scheme = Scheme { algorithm: Algorithm::Blake3, size: OUT_LEN, shape: Shape::Sequential };
        let listed = lines.iter().filter_map(|line| line.as_ref().ok());
        let jobs: Vec<_> = listed.map(|line| Job { source: Source::named(line.path.as_os_str()), scheme }).collect();
        let mut lines = lines.iter();
        let engine = self.engine;
        engine.hash_all(&jobs, |_, hash| {
            let Some(line) = self.next_listed(&mut lines) else { return Ok(()) };
            let result = match hash {
                Ok(hash) if hash.hash == line.hash => "OK".to_owned(),
                Ok(_) => "FAILED".to_owned(),
                Err(error) => format!("FAILED ({})", reason(&error)),
            };
            if result != "OK" {
                self.failed += 1;
            } else if self.options.quiet {
                return Ok(());
            }
            self.printer.print(format!("{}: {result}\n", line.shown).as_bytes())
        })?;
        self.next_listed(&mut lines);
        Ok(())
    }

    /// The next line that lists a file. Lines before it are failures.
    fn next_listed<'l>(&mut self, lines: &mut core::slice::Iter<'l, Result<Line, &str>>) -> Option<&'l Line> {
        for line in lines {
            match line {
                Ok(line) => return Some(line),
                Err(why) => {
                    self.failed += 1;
                    self.printer.warn(why);
                }
            }
        }
        None
    }
}

/// The file that a line lists, and its digest.
#[cfg(target_os = "linux")]
pub(crate) fn listed(line: &str) -> Option<(PathBuf, Digest)> {
    parse(line).ok().map(|Line { path, hash, .. }| (path, hash))
}

/// Parses a line with its end. An error is b3sum's.
fn parse(line: &str) -> Result<Line, &'static str> {
    let line = line.trim_end_matches(['\r', '\n']);
    let (mark, rest) = line.strip_prefix('\\').map_or(("", line), |rest| ("\\", rest));
    let tagged = || rest.strip_prefix("BLAKE3 (")?.rsplit_once(") = ").map(|(name, hex)| (hex, name));
    let Some((hex, name)) = rest.split_once("  ").or_else(tagged) else {
        return Err(if line.is_empty() { "Empty line" } else { "Invalid check line format" });
    };
    if hex.len() != 2 * OUT_LEN {
        return Err("Invalid hash length");
    }
    let hash = hex.parse().ok().filter(|_| !hex.bytes().any(|byte| byte.is_ascii_uppercase())).ok_or("Invalid hex")?;
    let path = if mark.is_empty() {
        name.to_owned()
    } else {
        unescape(name.as_bytes()).and_then(|name| String::from_utf8(name).ok()).ok_or("Invalid backslash escape")?
    };
    let wrong = [
        (path.is_empty(), "empty file path"),
        (path.contains('\0'), "Null character in path"),
        (path.contains('\u{fffd}'), "Unicode replacement character in path"),
    ];
    match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, why)) => Err(why),
        None => Ok(Line { shown: format!("{mark}{name}"), path: path.into(), hash }),
    }
}
