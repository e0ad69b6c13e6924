//! Reads a check file, which may be longer than memory, or a pipe that gives a line from time to time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};

use crate::armour::{Armour, Contents};
use crate::foreign::foreign;
use crate::input::Source;
use crate::line::{Entry, LineParser};
use crate::scheme::Secret;

/// The length of the buffer for lines, in bytes.
const BUFFER: usize = 256 << 10;

/// The length of the longest line, in bytes: a digest of BLAKE3, and a name of which each byte is escaped.
const LONGEST: usize = 4 << 20;

/// The largest number of entries of a part.
const MOST: usize = 4096;

/// A check file, read part after part.
pub(crate) struct List<'a> {
    file: BufReader<File>,
    armour: Armour,
    parser: LineParser,
    secret: &'a Secret,
    /// Whether the list is standard input. Then no line can list standard input: it would be the rest of the list.
    is_input: bool,
    /// The number of lines read.
    number: usize,
    line: Vec<u8>,
}

/// A line that cannot be checked.
#[derive(Debug)]
pub(crate) struct Improper {
    /// The number of entries of the part that come before.
    pub(crate) entries: usize,
    /// The number of the line, which counts from 1.
    pub(crate) number: usize,
    pub(crate) why: Why,
}

/// Why a line cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The line cannot be read. If it seems to list a file by an unknown hash, with the name of that hash.
    Malformed(Option<String>),
    /// The armour lacks a part, for this reason.
    Broken(&'static str),
    /// The key or the context is for other hashes. A digest without it must not pass.
    NotKeyed,
}

/// Entries that are checked together.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) entries: Vec<Entry>,
    pub(crate) improper: Vec<Improper>,
}

impl<'a> List<'a> {
    pub(crate) fn new(file: File, source: Source<'_>, armour: Armour, parser: LineParser, secret: &'a Secret) -> Self {
        let file = BufReader::with_capacity(BUFFER, file);
        let is_input = source == Source::StandardInput;
        Self { file, armour, parser, secret, is_input, number: 0, line: Vec::new() }
    }

    /// The next part, or `None` at the end of the list. Waits for the first line of the part, and takes those after it
    /// that are there already.
    pub(crate) fn next(&mut self) -> io::Result<Option<Part>> {
        let mut part = Part::default();
        while self.next_line()? {
            self.number += 1;
            let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let improper = |why| Improper { entries: part.entries.len(), number: self.number, why };
            match self.armour.read(line, self.number) {
                Contents::Nothing => {}
                Contents::Broken(reason) => part.improper.push(improper(Why::Broken(reason))),
                Contents::File(line) => {
                    match self.parser.parse(line).filter(|entry| !(self.is_input && entry.name == "-")) {
                        Some(entry) if self.secret.suits(entry.scheme.algorithm) => part.entries.push(entry),
                        Some(_) => part.improper.push(improper(Why::NotKeyed)),
                        None => part.improper.push(improper(Why::Malformed(foreign(line)))),
                    }
                }
            }
            let lines = part.entries.len() + part.improper.len();
            if lines > 0 && (lines >= MOST || !self.file.buffer().contains(&b'\n')) {
                return Ok(Some(part));
            }
        }
        if let Some((number, reason)) = self.armour.end() {
            part.improper.push(Improper { entries: part.entries.len(), number, why: Why::Broken(reason) });
        }
        Ok((!part.entries.is_empty() || !part.improper.is_empty()).then_some(part))
    }

    /// Reads the next line with its line end. Only the beginning of a line that is too long stays.
    fn next_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        loop {
            let bytes = match self.file.fill_buf() {
                Ok([]) => return Ok(!self.line.is_empty()),
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let length = end.map_or(bytes.len(), |end| end + 1);
            let room = LONGEST.saturating_sub(self.line.len());
            self.line.extend_from_slice(&bytes[..length.min(room)]);
            self.file.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}
