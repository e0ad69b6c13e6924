//! Leaves out files and directories of a walk.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

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
pub(crate) struct Filter {
    patterns: Vec<Pattern>,
    /// The parts that the walk is for, or none if it is for all.
    parts: Vec<PathBuf>,
    /// Device and number of files.
    files: Vec<(u64, u64)>,
}

impl Filter {
    /// A filter of these patterns, or the error of the first one that is wrong, or that no name can match. A pattern
    /// with a slash, other than at its end, is for the whole name; any other is for the last component, at any depth. A
    /// slash at the end is for directories.
    pub(crate) fn new(patterns: &[String], parts: Vec<PathBuf>) -> Result<Self, String> {
        let one = |text: &String| {
            // Names have both separators there.
            let text = &if cfg!(windows) { text.replace('\\', "/") } else { text.clone() };
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
    pub(crate) fn leave_out(&mut self, device: u64, number: u64) {
        self.files.push((device, number));
    }

    /// Whether this name is outside of the parts, and no directory that leads to one.
    pub(super) fn is_outside(&self, name: &Path, is_directory: bool) -> bool {
        let is_inside = |part: &PathBuf| name.starts_with(part) || is_directory && part.starts_with(name);
        !self.parts.is_empty() && !self.parts.iter().any(is_inside)
    }

    /// Whether a pattern leaves out this name.
    pub(crate) fn excludes(&self, name: &Path, is_directory: bool) -> bool {
        self.patterns.iter().filter(|pattern| is_directory || !pattern.directories).any(|pattern| {
            let last = || name.file_name().map_or(name, Path::new);
            pattern.glob.is_match(if pattern.whole { name } else { last() })
        })
    }

    /// Whether files with this number may be left out, by their device.
    pub(super) fn may_leave_out(&self, number: u64) -> bool {
        self.files.iter().any(|(_, other)| *other == number)
    }

    pub(crate) fn leaves_out(&self, device: u64, number: u64) -> bool {
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
            let filter = Filter::new(&[pattern.to_owned()], Vec::new()).unwrap();
            assert!(left_out.iter().all(|name| filter.excludes(Path::new(name), false)), "{pattern}");
            assert!(!kept.iter().any(|name| filter.excludes(Path::new(name), false)), "{pattern}");
        }
        let filter = Filter::new(&["a/".to_owned(), "b".to_owned()], Vec::new()).unwrap();
        let excluded = [("a", true), ("a", false), ("b", true), ("b", false), ("x/a", true)];
        let excluded = excluded.map(|(name, is_directory)| filter.excludes(Path::new(name), is_directory));
        assert_eq!(excluded, [true, false, true, true, true]);
        for wrong in ["[", "", "/", "//a", "a//", "./a", "a/./b", "../a", ".", ".."] {
            assert!(Filter::new(&[wrong.to_owned()], Vec::new()).is_err(), "{wrong}");
        }
        assert!(Filter::new(&["{a,".repeat(500) + "a" + &"}".repeat(500)], Vec::new()).is_err());
    }

    #[test]
    fn parts_and_what_leads_there() {
        let filter = Filter::new(&[], vec!["a/b".into(), "c".into()]).unwrap();
        for (name, file, directory) in [
            ("a", true, false),
            ("a/b", false, false),
            ("a/b/x", false, false),
            ("a/bb", true, true),
            ("c/x", false, false),
            ("cc", true, true),
            ("b", true, true),
        ] {
            let is_outside = |is_directory| filter.is_outside(Path::new(name), is_directory);
            assert_eq!((is_outside(false), is_outside(true)), (file, directory), "{name}");
        }
        assert!(!Filter::default().is_outside(Path::new("x"), false));
    }
}
