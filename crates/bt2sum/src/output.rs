//! Prints digests on standard output, warnings and errors on standard error, and escapes names: in the words of this
//! program or of another one.

use core::cell::RefCell;
use std::borrow::Cow;
use std::ffi::OsStr;
#[cfg(unix)]
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

#[cfg(unix)]
use crate::input::is_same_file;
use crate::input::{Source, raw};
use os_display::Quotable;

use crate::json::Line;
use crate::progress::Progress;
use crate::scheme::{Digest, Scheme, Shape};
use crate::team::Hashed;

/// The program whose messages these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Own,
    Coreutils,
    B3sum,
}

/// The name of the program in messages, and their style.
static VOICE: OnceLock<(String, Style)> = OnceLock::new();

/// From now on, messages are those of another program.
pub(crate) fn speak_as(name: &str, style: Style) {
    // Nobody sets it twice.
    let _ = VOICE.set((name.to_owned(), style));
}

/// The name of the program in messages.
pub(crate) fn program() -> &'static str {
    VOICE.get().map_or("bt2sum", |(name, _)| name)
}

fn style() -> Style {
    VOICE.get().map_or(Style::Own, |(_, style)| *style)
}

/// The exit status for wrong arguments.
pub(crate) const USAGE: u8 = 2;

/// Standard output without a buffer. A descriptor that is not open for writing gives its error here, whereas the
/// standard library pretends that writing succeeds. Standard output that was closed when the program started accepts
/// all bytes, since Rust opens `/dev/null` in its place.
#[cfg(unix)]
fn stdout() -> io::Result<fs::File> {
    use std::os::fd::AsFd;

    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
fn stdout() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// Whether `path` leads to the regular file that standard output goes to.
#[cfg(unix)]
pub(crate) fn goes_to(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file())
        && is_same_file(stdout().and_then(|file| file.metadata()), fs::metadata(path))
}

#[cfg(not(unix))]
pub(crate) fn goes_to(_: &Path) -> bool {
    false
}

#[cfg(not(unix))]
pub(crate) fn identity() -> Option<(u64, u64)> {
    None
}

/// The device of the regular file that standard output goes to, and its number there.
#[cfg(unix)]
pub(crate) fn identity() -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    static IDENTITY: OnceLock<Option<(u64, u64)>> = OnceLock::new();
    *IDENTITY.get_or_init(|| {
        let file = stdout().and_then(|file| file.metadata()).ok()?;
        file.is_file().then(|| (file.dev(), file.ino()))
    })
}

/// The format of the lines of digests.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Format {
    /// Whether a line states all that is needed to check it.
    pub(crate) tag: bool,
    /// Whether a line ends in NUL instead of a line feed.
    pub(crate) zero: bool,
    /// Whether a name has a star before it instead of a space.
    pub(crate) binary: bool,
    /// Whether a line is an object.
    pub(crate) json: bool,
    /// Whether there are no names.
    pub(crate) no_names: bool,
    /// Whether a digest is printed as bytes, and nothing else.
    pub(crate) raw: bool,
}

impl Format {
    /// The line of the digest of a message.
    pub(crate) fn line(self, scheme: Scheme, source: Source<'_>, hashed: &Hashed<Digest>) -> Vec<u8> {
        let (raw, hash) = (raw(source.name()), &hashed.hash);
        if self.raw {
            return hash.as_bytes().to_vec();
        }
        if self.no_names {
            return self.end(hash.to_string().into_bytes());
        }
        if self.json {
            return Line::new(&raw, "hashed").with(scheme, hash, Some(hashed.length)).to_bytes();
        }
        let raw = match String::from_utf8_lossy(&raw) {
            Cow::Owned(text) if style() == Style::B3sum => text.into_bytes().into(),
            _ => raw,
        };
        let name = if self.zero { Cow::Borrowed(&*raw) } else { escape(&raw) };
        let hash_name = scheme.algorithm.title();
        let (before, after) = match scheme.shape {
            // Without the length, which b3sum does not tell.
            _ if self.tag && style() == Style::B3sum => (format!("{hash_name} ("), format!(") = {hash}")),
            _ if self.tag => (format!("{} (", scheme.tag()), format!(") = {hash}")),
            Shape::Tree { .. } => match source {
                Source::StandardInput => return self.end(format!("{hash_name}-{} = {hash}", scheme.size).into_bytes()),
                Source::File(_) => (format!("{hash_name}-{} (", scheme.size), format!(") = {hash}")),
            },
            Shape::Sequential => (format!("{hash} {}", if self.binary { '*' } else { ' ' }), String::new()),
        };
        let mark: &[u8] = if matches!(name, Cow::Owned(_)) { br"\" } else { b"" };
        self.end([mark, before.as_bytes(), &name, after.as_bytes()].concat())
    }

    /// The line of a message that cannot be read, if lines are objects.
    pub(crate) fn unreadable(self, source: Source<'_>, error: &io::Error) -> Option<Vec<u8>> {
        self.json.then(|| Line::unreadable(&raw(source.name()), reason(error)).to_bytes())
    }

    /// Appends the line end.
    fn end(self, mut line: Vec<u8>) -> Vec<u8> {
        line.push(if self.zero { 0 } else { b'\n' });
        line
    }
}

/// Prints results, warnings and errors while the progress bar is hidden.
pub(crate) struct Printer<'a> {
    stdout: Box<dyn Write + 'a>,
    stderr: RefCell<Box<dyn Write + 'a>>,
    progress: &'a Progress,
}

impl<'a> Printer<'a> {
    /// A printer beside this progress bar.
    pub(crate) fn new(progress: &'a Progress) -> io::Result<Self> {
        Ok(Self::to(stdout()?, io::stderr(), progress))
    }

    /// A printer that prints to these two.
    pub(crate) fn to(stdout: impl Write + 'a, stderr: impl Write + 'a, progress: &'a Progress) -> Self {
        Self { stdout: Box::new(stdout), stderr: RefCell::new(Box::new(stderr)), progress }
    }

    /// Prints a line in one write, so that lines of several processes do not mix.
    pub(crate) fn print(&mut self, line: &[u8]) -> io::Result<()> {
        self.progress.aside(|| self.stdout.write_all(line).and_then(|()| self.stdout.flush()))
    }

    /// Prints why `source` was not hashed.
    pub(crate) fn complain(&self, source: Source<'_>, error: &io::Error) {
        self.warn(&complaint(source.name(), error));
    }

    /// Prints a warning.
    pub(crate) fn warn(&self, text: &str) {
        self.progress.aside(|| say(&mut *self.stderr.borrow_mut(), text));
    }
}

/// Reports a failure to write a result, and gives the exit status. A reader that closed the pipe wants no report.
pub(crate) fn write_failed(error: &io::Error) -> ExitCode {
    if error.kind() != ErrorKind::BrokenPipe {
        warn(&format!("write error: {}", reason(error)));
    }
    ExitCode::FAILURE
}

/// Prints an error about a file.
pub(crate) fn complain(name: &OsStr, error: &io::Error) {
    warn(&complaint(name, error));
}

fn complaint(name: &OsStr, error: &io::Error) -> String {
    format!("{}: {}", shown(name), reason(error))
}

/// The name of a file in a message: in the quotes of a shell if it needs them, so that no name makes a line of its own
/// or speaks to the terminal.
pub(crate) fn shown(name: &OsStr) -> String {
    match style() {
        Style::Own => name.maybe_quote().to_string(),
        Style::B3sum => name.to_string_lossy().into_owned(),
        Style::Coreutils => {
            let raw = raw(name);
            if !raw.iter().all(|&byte| matches!(byte, b' '..=b'~')) {
                return name.maybe_quote().to_string();
            }
            let is_special = raw.iter().any(|byte| br#" !"$&'()*:;<=>?[\^`|"#.contains(byte));
            let is_quoted = is_special || matches!(&*raw, b"" | b"{" | b"}" | [b'#' | b'~', ..]);
            if is_quoted { name.quote().to_string() } else { name.to_string_lossy().into_owned() }
        }
    }
}

/// Prints why the work of another program ends, and gives the exit status.
pub(crate) fn give_up(text: &str) -> ExitCode {
    if style() == Style::B3sum {
        let _ = io::stderr().write_all(format!("Error: {text}\n").as_bytes());
    } else {
        warn(text);
    }
    ExitCode::FAILURE
}

/// Prints an error or a warning that is not about a file.
pub(crate) fn warn(text: &str) {
    say(&mut io::stderr(), text);
}

/// Prints a line on standard error, in one write.
fn say(stderr: &mut dyn Write, text: &str) {
    // If this fails, there is nowhere left to report; the exit status still tells.
    let _ = stderr.write_all(format!("{}: {text}\n", program()).as_bytes());
}

/// The name of a file before the result of its check. The name is escaped only if it would break the line.
pub(crate) fn checked_name(name: &OsStr) -> Vec<u8> {
    let raw = raw(name);
    if raw.contains(&b'\n') || raw.contains(&b'\r') && style() == Style::Own {
        return [br"\", &*escape(&raw)].concat();
    }
    raw.into_owned()
}

/// The text of an error, without the number that Rust appends, which only b3sum prints.
pub(crate) fn reason(error: &io::Error) -> String {
    let mut text = error.to_string();
    if style() == Style::B3sum {
        return text;
    }
    if let Some(code) = error.raw_os_error()
        && let Some(words) = text.strip_suffix(&format!(" (os error {code})"))
    {
        text.truncate(words.len());
    }
    text
}

/// The name with `\\`, `\n` and `\r` for backslash, line feed and carriage return. Borrowed if it has none of them.
fn escape(name: &[u8]) -> Cow<'_, [u8]> {
    let mut escaped = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\\' => escaped.extend_from_slice(br"\\"),
            b'\n' => escaped.extend_from_slice(br"\n"),
            b'\r' => escaped.extend_from_slice(br"\r"),
            _ => escaped.push(byte),
        }
    }
    if escaped.len() == name.len() { name.into() } else { escaped.into() }
}
