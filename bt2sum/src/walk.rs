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

/// Adds the files below `directory` to `found`.
fn below(directory: &Path, found: &mut Vec<PathBuf>, complain: &mut impl FnMut(&Path, &io::Error)) {
    let entries = reach(directory).and_then(|reached| fs::read_dir(reached)?.collect::<io::Result<Vec<_>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return complain(directory, &error),
    };
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        let path = directory.join(entry.file_name());
        if is_output(&entry, &path) {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => below(&path, found, complain),
            Ok(kind) if kind.is_file() => found.push(path),
            Ok(kind) if kind.is_symlink() => match reach(&path).and_then(fs::metadata) {
                Ok(target) if !target.is_file() => {}
                // A link that leads nowhere is kept: opening it for hashing gives the error to report.
                _ => found.push(path),
            },
            Ok(_) => {}
            Err(error) => complain(&path, &error),
        }
    }
}

/// Whether standard output goes to this entry: the file that lists the digests of the others.
fn is_output(entry: &DirEntry, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirEntryExt;

        // Most names need no question to the system.
        if output::number().is_none_or(|output| output != entry.ino()) {
            return false;
        }
    }
    entry.file_type().is_ok_and(|kind| kind.is_file()) && output::goes_to(path)
}
