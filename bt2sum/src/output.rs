//! Lines on standard output, complaints on standard error.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use simd_digest::blake2b::Hash;

use crate::args::Algorithm;
use crate::input::Source;

/// Standard output without a buffer, and with all its errors: the standard library pretends that a descriptor that
/// cannot be written takes everything.
#[cfg(unix)]
pub(crate) fn stdout() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;

    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
pub(crate) fn stdout() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// `BLAKE2b-64 (name) = hex`, the number being bytes; without the name for standard input.
pub(crate) fn digest_line(algorithm: Algorithm, source: Source<'_>, hash: &Hash) -> Vec<u8> {
    let mut line = format!("{}-{}", algorithm.name(), hash.as_bytes().len()).into_bytes();
    if let Source::File(path) = source {
        let name = raw(path.as_os_str());
        let name = escape(&name);
        if let Cow::Owned(_) = name {
            line.insert(0, b'\\');
        }
        line.extend_from_slice(b" (");
        line.extend_from_slice(&name);
        line.extend_from_slice(b")");
    }
    line.extend_from_slice(format!(" = {hash}\n").as_bytes());
    line
}

/// At once, so that lines of several processes do not mix.
pub(crate) fn write(output: &mut impl Write, line: &[u8]) -> io::Result<()> {
    output.write_all(line)?;
    output.flush()
}

/// The end of a run whose results cannot be written. A reader that wants no more of them knows that itself.
pub(crate) fn write_failed(error: &io::Error) -> ExitCode {
    if error.kind() != ErrorKind::BrokenPipe {
        complain_of(b"write error", error);
    }
    ExitCode::FAILURE
}

/// Says that `source` was not hashed, and why.
pub(crate) fn complain(source: Source<'_>, error: &io::Error) {
    match source {
        Source::StandardInput => complain_of(b"-", error),
        Source::File(path) => complain_of(&escape(&raw(path.as_os_str())), error),
    }
}

fn complain_of(what: &[u8], error: &io::Error) {
    let reason = reason(error);
    let message = [b"bt2sum: ", what, b": ", reason.as_bytes(), b"\n"].concat();
    // Where else could one complain that this fails? The exit status tells.
    let _ = io::stderr().write_all(&message);
}

/// The error in words, without the number that Rust appends.
fn reason(error: &io::Error) -> String {
    let mut text = error.to_string();
    if let Some(code) = error.raw_os_error()
        && let Some(words) = text.strip_suffix(&format!(" (os error {code})"))
    {
        text.truncate(words.len());
    }
    text
}

/// The name with `\\`, `\n` and `\r` for the characters that a line cannot have; owned if it has any.
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

/// The name as the system has it, which may not be UTF-8.
#[cfg(unix)]
fn raw(name: &OsStr) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;

    name.as_bytes().into()
}

/// The name, with replacement characters for what is not Unicode.
#[cfg(not(unix))]
fn raw(name: &OsStr) -> Cow<'_, [u8]> {
    match name.to_string_lossy() {
        Cow::Borrowed(name) => name.as_bytes().into(),
        Cow::Owned(name) => name.into_bytes().into(),
    }
}
