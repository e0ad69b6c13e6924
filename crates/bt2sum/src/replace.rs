//! Files that no option replaces.

use std::io;
use std::path::Path;

use crate::args::Options;
use crate::input::Source;
use crate::output::goes_to;

/// An error if `option` would write to the key or to standard output, or if `path` is no name of a file.
pub(crate) fn refuse(option: &str, path: &Path, options: &Options) -> io::Result<()> {
    let wrong = |reason: &str| Err(io::Error::other(format!("{option} {reason}")));
    refuse_no_name(option, path)?;
    if options.key_path().is_some_and(|key| Source::File(&key).is_at(path)) {
        return wrong("would replace the key");
    }
    if goes_to(path) {
        return wrong("would replace standard output");
    }
    Ok(())
}

/// An error if `path` would be standard input elsewhere.
pub(crate) fn refuse_no_name(option: &str, path: &Path) -> io::Result<()> {
    if path == Path::new("-") {
        return Err(io::Error::other(format!("{option} takes the name of a file; ./- is one")));
    }
    Ok(())
}
