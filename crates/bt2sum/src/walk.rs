//! Finds the files below directories, for `--recursive`.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use crate::long::reach;
use crate::output;

/// Replaces each directory among `names` by the files below it, in the bytewise order of their names. All other names
/// stay as they are. A directory that cannot be listed goes to `complain`.
///
/// Links to files count as files. Below a directory, links to directories are left out, since they may lead back to it;
/// so are pipes, sockets and devices, and the file that standard output goes to.
pub(crate) fn files(names: &[&OsStr], mut complain: impl FnMut(&Path, &io::Error)) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for &name in names {
        let path = Path::new(name);
        if name != "-" && path.is_dir() {
            below(path, &mut found, &mut complain);
        } else {
            found.push(path.into());
        }
    }
    found
}

/// Adds the files below `directory` to `found`. The directories on the way to where it is are not open, so there may be
/// any number of them.
fn below(directory: &Path, found: &mut Vec<PathBuf>, complain: &mut impl FnMut(&Path, &io::Error)) {
    let mut todo = vec![(directory.to_owned(), true)];
    while let Some((path, is_directory)) = todo.pop() {
        if !is_directory {
            found.push(path);
            continue;
        }
        let begin = todo.len();
        if let Err(error) = entries(&path, &mut todo, complain) {
            complain(&path, &error);
        }
        // The first by name is taken first.
        todo[begin..].sort_unstable_by(|a, b| b.0.file_name().cmp(&a.0.file_name()));
    }
}

/// Adds what is in `directory` to `todo`, each path with whether it is of a directory.
fn entries(
    directory: &Path,
    todo: &mut Vec<(PathBuf, bool)>,
    complain: &mut impl FnMut(&Path, &io::Error),
) -> io::Result<()> {
    let begin = todo.len();
    for entry in reach(directory).and_then(fs::read_dir)? {
        let entry = entry.inspect_err(|_| todo.truncate(begin))?;
        let path = directory.join(entry.file_name());
        if is_output(&entry, &path) {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => todo.push((path, true)),
            Ok(kind) if kind.is_file() => todo.push((path, false)),
            Ok(kind) if kind.is_symlink() => match reach(&path).and_then(fs::metadata) {
                Ok(target) if !target.is_file() => {}
                // A link that leads nowhere is kept: opening it for hashing gives the error to report.
                _ => todo.push((path, false)),
            },
            Ok(_) => {}
            Err(error) => complain(&path, &error),
        }
    }
    Ok(())
}

/// Whether standard output goes to this entry: the file that lists the digests of the others.
fn is_output(entry: &DirEntry, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirEntryExt;

        // Most names need no question to the system.
        if output::identity().is_none_or(|(_, output)| output != entry.ino()) {
            return false;
        }
    }
    entry.file_type().is_ok_and(|kind| kind.is_file()) && output::goes_to(path)
}
