//! Sums the lengths of the files to come, for the progress bar.

use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::thread::{self, Builder};

use crate::args::Options;
use crate::check;
use crate::engine::Engine;
use crate::input::Source;
use crate::walk::metadata;

/// Calls `check` while another thread reads the lists too and sums the lengths of the files that they name. The thread
/// ends with `check`. Lists that are pipes cannot be read twice.
pub(crate) fn beside<R>(options: &Options, engine: &Engine, lists: &[&OsStr], check: impl FnOnce() -> R) -> R {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        if engine.progress.is_on() && options.range.is_none() {
            let sum = || {
                let sums = lists.iter().map(|list| listed(options, engine, list, &done));
                let sums = sums.reduce(|all, more| all.zip(more).map(|((a, b), (c, d))| (a + c, b + d))).flatten();
                sums.into_iter().for_each(|(bytes, files)| engine.progress.expect(bytes, files));
            };
            // Without the thread, the bar shows no total.
            let _ = Builder::new().spawn_scoped(scope, sum);
        }
        let result = check();
        done.store(true, Ordering::Relaxed);
        result
    })
}

/// The sum of the lengths of the files in a list, and their number, unless `done` comes true before.
fn listed(options: &Options, engine: &Engine, list: &OsStr, done: &AtomicBool) -> Option<(u64, u64)> {
    let source @ Source::File(path) = Source::named(list) else { return None };
    if !metadata(path).is_ok_and(|file| file.is_file()) {
        return None;
    }
    let (mut total, mut number) = (0_u64, 0);
    let mut list = check::open(options, engine, source).ok()?;
    while let Some(part) = list.next().ok()? {
        for entry in &part.entries {
            if done.load(Ordering::Relaxed) {
                return None;
            }
            total = total.checked_add(one(&entry.name)?)?;
            number += 1;
        }
    }
    Some((total, number))
}

/// The sum of the lengths of these files. `None` if one is not a regular file.
pub(crate) fn given(names: &[&OsStr]) -> Option<u64> {
    names.iter().map(|name| one(name)).sum()
}

/// The length of a regular file; of a missing one 0.
fn one(name: &OsStr) -> Option<u64> {
    match metadata(Path::new(name)) {
        Ok(file) if file.is_file() && name != "-" => Some(file.len()),
        Err(error) if error.kind() == ErrorKind::NotFound && name != "-" => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_regular_files_alone() {
        let directory = tempfile::tempdir().unwrap();
        let [file, missing] = ["file", "missing"].map(|name| directory.path().join(name));
        std::fs::write(&file, [0; 5]).unwrap();
        let (file, missing) = (file.as_os_str(), missing.as_os_str());
        assert_eq!((given(&[file, file]), given(&[file, missing])), (Some(10), Some(5)));
        assert_eq!((given(&[file, directory.path().as_os_str()]), given(&[file, OsStr::new("-")])), (None, None));
    }
}
