//! Files and directories that a walk leaves out.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::name::split;
use super::part::Parts;

/// A pattern of names that are left out.
#[derive(Clone, Debug)]
struct Pattern {
    /// One glob. A set tells of one that is nested too deep, where a matcher panics.
    glob: GlobSet,
    /// Whether the pattern has a slash, and is compared with the whole name instead of its last component.
    whole: bool,
    /// Whether only directories are left out.
    directories: bool,
}

/// The files and directories that a walk leaves out, with all that is below.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    patterns: Vec<Pattern>,
    /// The parts that the walk is for. Outside of them, it enters only directories that lead there.
    parts: Parts,
    /// Device and number of files.
    files: Vec<(u64, u64)>,
}

impl Filter {
    /// A filter of these patterns, or the error of the first one that is wrong, or that no name can match. A pattern with a slash, other than at
    /// its end, is for the whole name; any other is for the last component, at any depth. A slash at the end is for
    /// directories.
    pub(super) fn new(patterns: &[String], parts: Parts) -> Result<Self, String> {
        let one = |text: &String| {
            let begin = text.strip_suffix('/').unwrap_or(text);
            let below = begin.strip_prefix('/').unwrap_or(begin);
            if below.split('/').any(|component| matches!(component, "" | "." | "..")) {
                return Err(format!("{text}: a name below the directory has no empty component, `.` or `..`"));
            }
            let glob = GlobBuilder::new(below).literal_separator(true).build();
            let set = glob.and_then(|glob| GlobSetBuilder::new().add(glob).build());
            let glob = set.map_err(|error| format!("{text}: {}", error.kind()))?;
            Ok::<_, String>(Pattern { glob, whole: begin.contains('/'), directories: text.ends_with('/') })
        };
        Ok(Self { patterns: patterns.iter().map(one).collect::<Result<_, _>>()?, parts, files: Vec::new() })
    }

    /// Leaves out this file, under any name.
    pub(super) fn leave_out(&mut self, device: u64, number: u64) {
        self.files.push((device, number));
    }

    /// Whether this name is outside of the parts, and no directory that leads to one.
    pub(super) fn is_outside(&self, name: &[u8], is_directory: bool) -> bool {
        !(self.parts.has(name) || is_directory && self.parts.are_below(name))
    }

    /// Whether a pattern leaves out this name.
    pub(super) fn excludes(&self, name: &[u8], is_directory: bool) -> bool {
        self.patterns.iter().filter(|pattern| is_directory || !pattern.directories).any(|pattern| {
            let compared = if pattern.whole { name } else { split(name).1 };
            pattern.glob.is_match(Path::new(OsStr::from_bytes(compared)))
        })
    }

    /// Whether files with this number may be left out, by their device.
    pub(super) fn may_leave_out(&self, number: u64) -> bool {
        self.files.iter().any(|(_, other)| *other == number)
    }

    pub(super) fn leaves_out(&self, device: u64, number: u64) -> bool {
        self.files.contains(&(device, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, left_out, kept) in [
            ("*.tmp", &["a.tmp", "b/c/a.tmp", ".tmp"][..], &["a.tmp1", "a.tm"][..]),
            ("cache", &["cache", "a/cache"], &["cache1", "acache"]),
            ("/cache", &["cache"], &["a/cache"]),
            ("a/*.o", &["a/b.o"], &["a/b/c.o", "b/a/c.o", "b.o"]),
            ("a/**/*.o", &["a/b.o", "a/b/c.o"], &["b/a/c.o"]),
            ("[a-c]?", &["ax", "b/cy"], &["dx", "abc"]),
            ("**/x", &["x", "a/x", "a/b/x"], &["ax"]),
        ] {
            let filter = Filter::new(&[pattern.to_owned()], Parts::default()).unwrap();
            assert!(left_out.iter().all(|name| filter.excludes(name.as_bytes(), false)), "{pattern}");
            assert!(!kept.iter().any(|name| filter.excludes(name.as_bytes(), false)), "{pattern}");
        }
        let filter = Filter::new(&["a/".to_owned(), "b".to_owned()], Parts::default()).unwrap();
        let excluded = [(&b"a"[..], true), (b"a", false), (b"b", true), (b"b", false), (b"x/a", true)];
        let excluded = excluded.map(|(name, is_directory)| filter.excludes(name, is_directory));
        assert_eq!(excluded, [true, false, true, true, true]);
        for wrong in ["[", "", "/", "//a", "a//", "./a", "a/./b", "../a", ".", ".."] {
            assert!(Filter::new(&[wrong.to_owned()], Parts::default()).is_err(), "{wrong}");
        }
        assert!(Filter::new(&["{a,".repeat(500) + "a" + &"}".repeat(500)], Parts::default()).is_err());
    }
}
