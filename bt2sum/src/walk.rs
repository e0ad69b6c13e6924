//! Directories, for `--recursive`.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Gives each file below the directories among `names`, and all other names as they are, to `found`; what cannot be
/// listed, to `complain`. A directory's files are in the order of their names, bytewise.
///
/// Links to files are files. Links to directories below a directory are left out, for they may lead back, and so are
/// pipes, sockets and devices.
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

fn below(directory: &Path, found: &mut Vec<PathBuf>, complain: &mut impl FnMut(&Path, &io::Error)) {
    let entries = fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return complain(directory, &error),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => below(&path, found, complain),
            Ok(kind) if kind.is_file() => found.push(path),
            Ok(kind) if kind.is_symlink() => match fs::metadata(&path) {
                Ok(target) if !target.is_file() => {}
                // A link that leads nowhere is complained about when it is to be hashed.
                _ => found.push(path),
            },
            Ok(_) => {}
            Err(error) => complain(&path, &error),
        }
    }
}
