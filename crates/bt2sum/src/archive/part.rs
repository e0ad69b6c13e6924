//! Parts of a directory: names that the command line has, and what is below them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;

use super::name::{is_below, is_proper};
use crate::output::shown;

/// A part of a directory, or all of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts(Vec<Vec<u8>>);

impl Parts {
    /// The parts with these names. All is meant if there are none.
    pub(super) fn new(names: &[OsString]) -> io::Result<Self> {
        names.iter().map(|name| below(name)).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// Whether the name belongs to a part.
    pub(super) fn has(&self, name: &[u8]) -> bool {
        self.is_all() || self.names().any(|part| name == part || is_below(name, part))
    }

    /// Whether the name belongs to a part, and was not given itself.
    pub(super) fn implies(&self, name: &[u8]) -> bool {
        self.is_all() || self.has(name) && self.names().all(|part| name != part)
    }
}

/// Names of files whose rot is accepted, without those that rotted, and what else became of them if that is known.
pub(super) type Accepted = BTreeMap<Vec<u8>, Option<String>>;

/// A name as a store has it, from one that may begin with `./` and end with `/`, as shells complete it.
pub(super) fn below(given: &OsStr) -> io::Result<Vec<u8>> {
    let begin = given.as_bytes().strip_prefix(b"./").unwrap_or(given.as_bytes());
    let name = begin.strip_suffix(b"/").unwrap_or(begin);
    if is_proper(name) {
        return Ok(name.to_vec());
    }
    let text = "this is no name below DIR: give it as an audit prints it, without DIR, `.` and `..`";
    Err(io::Error::other(format!("{}: {text}", shown(given))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_what_is_below() {
        let parts = Parts::new(&["a/b".into(), "./c/".into()]).unwrap();
        for name in ["a/b", "a/b/x", "a/b/x/y", "c", "c/x"] {
            assert!(parts.has(name.as_bytes()), "{name}");
        }
        for name in ["a", "a/bb", "a/c", "b", "cc", "x/c"] {
            assert!(!parts.has(name.as_bytes()), "{name}");
        }
        assert!(parts.implies(b"c/x") && !parts.implies(b"a/b") && !parts.implies(b"a"));
        assert!(Parts::default().has(b"x") && Parts::default().is_all());
        for wrong in ["", "/", "/a", ".", "..", "./", "a/../b", "a//b", "../a"] {
            assert!(Parts::new(&[wrong.into()]).is_err(), "{wrong}");
        }
    }
}
