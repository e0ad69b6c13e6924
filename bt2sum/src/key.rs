//! Reads the key from a file or a descriptor. The command line cannot carry a key, since other users can read it.

use std::fs::File;
use std::io;
use std::path::Path;

use zeroize::Zeroizing;

use crate::args::Options;
use crate::input::fill;
use crate::scheme::Secret;

/// Reads the key that the options name, or returns none. A key longer than the algorithm takes is an error.
pub(crate) fn read(options: &Options) -> io::Result<Secret> {
    let limit = options.algorithm().longest();
    #[cfg(unix)]
    if let Some(number) = options.key_fd {
        return from_file(Path::new(&format!("/dev/fd/{number}")), limit);
    }
    options.key_file.as_deref().map_or_else(|| Ok(Secret::default()), |path| from_file(path, limit))
}

/// Reads all of the file as a key, with any line feed at its end.
fn from_file(path: &Path, limit: usize) -> io::Result<Secret> {
    let mut key = Zeroizing::new(vec![0; limit + 1]);
    let length = fill(&mut File::open(path)?, &mut key)?;
    if length == 0 || length > limit {
        let given = if length == 0 { "no bytes" } else { "more" };
        return Err(io::Error::other(format!("a key has 1 to {limit} bytes, this one has {given}")));
    }
    key.truncate(length);
    Ok(Secret::new(key))
}
