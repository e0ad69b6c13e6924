//! Owners and extended attributes of files, which a catalogue has only if its recording was to have them.
//!
//! The attributes are those that a backup keeps. Others differ between machines or users and are left out, because every
//! copy would differ: `security.selinux` and other labels come from the policy of the machine, `security.ima` and
//! `security.evm` are made with its keys, and only the superuser sees `trusted.*`.

use std::io;

use rustix::fd::AsFd;
use rustix::fs::{fgetxattr, flistxattr};
use rustix::io::Errno;
use simd_digest::blake2b::{Hasher, Params};

use super::store::{Attributes, CAPABILITY, Header};
use crate::output::reason;
use crate::scheme::Secret;

/// The most bytes that the names of all attributes of a file have, and the most of a value.
const LONGEST: usize = 1 << 16;

/// The length of a buffer in which most names and values have room, in bytes.
const USUAL: usize = 1 << 10;

/// The facts that are found out beside times and permissions.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra {
    /// Whether links are asked for their owners. All else tells its own.
    pub(super) has_owners: bool,
    /// Begins digests of attributes, if these are found out.
    hasher: Option<Hasher>,
}

impl Extra {
    /// The facts that a catalogue has.
    pub(super) fn new(header: &Header, secret: &Secret) -> io::Result<Self> {
        let params = Params::new().hash_length(16).personal(b"bt2store xattr").key(secret.key());
        let hasher = header.xattrs.then(|| params.hasher()).transpose().map_err(io::Error::other)?;
        Ok(Self { has_owners: header.owner, hasher })
    }

    /// Whether attributes are found out, for which a file must be open.
    pub(super) fn has_attributes(&self) -> bool {
        self.hasher.is_some()
    }

    /// The attributes of an open file or directory; `None` if they are not found out.
    pub(super) fn attributes(&self, file: impl AsFd) -> io::Result<Option<Attributes>> {
        let Some(hasher) = &self.hasher else { return Ok(None) };
        let mut digest = Digest { hasher: hasher.clone(), is_empty: true, has_capability: false };
        let list = |buffer: &mut [u8]| flistxattr(&file, buffer);
        let done = each(list, |name, buffer| fgetxattr(&file, name, buffer), |name, value| digest.add(name, value));
        done.map_err(|error| {
            let error = io::Error::from(error);
            io::Error::new(error.kind(), format!("Extended attributes: {}", reason(&error)))
        })?;
        Ok(Some(digest.finish()))
    }
}

/// Gives the names and values of the attributes that count to `put`, in the order of names. `list` and `get` ask the
/// system. One value at a time is in memory.
fn each(
    list: impl Fn(&mut [u8]) -> rustix::io::Result<usize>,
    get: impl Fn(&[u8], &mut [u8]) -> rustix::io::Result<usize>,
    mut put: impl FnMut(&[u8], &[u8]),
) -> rustix::io::Result<()> {
    let (mut names, mut value) = (Vec::new(), Vec::new());
    match read(&mut names, list) {
        // The file system has none.
        Err(Errno::OPNOTSUPP) => return Ok(()),
        listed => listed?,
    }
    let mut names: Vec<&[u8]> = names.split(|&byte| byte == 0).filter(|name| is_kept(name)).collect();
    names.sort_unstable();
    for name in names {
        match read(&mut value, |buffer| get(name, buffer)) {
            Ok(()) => put(name, &value),
            // It was removed meanwhile.
            Err(Errno::NODATA) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether an attribute is one that a backup keeps.
fn is_kept(name: &[u8]) -> bool {
    name.starts_with(b"user.") || name == CAPABILITY || name.starts_with(b"system.posix_acl_")
}

/// Fills a buffer with the bytes that the system writes.
fn read(buffer: &mut Vec<u8>, call: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<()> {
    buffer.resize(buffer.len().max(USUAL), 0);
    let length = match call(buffer) {
        Err(Errno::RANGE) => {
            buffer.resize(LONGEST, 0);
            call(buffer)?
        }
        length => length?,
    };
    buffer.truncate(length);
    Ok(())
}

/// The digest of attributes so far.
struct Digest {
    hasher: Hasher,
    is_empty: bool,
    has_capability: bool,
}

impl Digest {
    /// Adds an attribute, whose name comes after the others.
    fn add(&mut self, name: &[u8], value: &[u8]) {
        for bytes in [name, value] {
            // None is longer than `LONGEST`.
            self.hasher.update(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
            self.hasher.update(bytes);
        }
        self.is_empty = false;
        self.has_capability |= name == CAPABILITY;
    }

    fn finish(self) -> Attributes {
        let digest = self.hasher.finalize().as_bytes().try_into().ok();
        Attributes { digest: digest.filter(|_| !self.is_empty), has_capability: self.has_capability }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_are_kept() {
        for name in ["user.a", "user.", "security.capability", "system.posix_acl_access", "system.posix_acl_default"] {
            assert!(is_kept(name.as_bytes()), "{name}");
        }
        for name in [
            "",
            "user",
            "security.selinux",
            "security.ima",
            "security.evm",
            "security.capability2",
            "security.SMACK64",
            "trusted.overlay.opaque",
            "system.nfs4_acl",
            "btrfs.compression",
        ] {
            assert!(!is_kept(name.as_bytes()), "{name}");
        }
    }

    /// No two sets of attributes have the same bytes, and none has no digest.
    #[test]
    fn digests_of_attributes() {
        let params = || Params::new().hash_length(16).personal(b"bt2store xattr").hasher().unwrap();
        let of = |all: &[(&str, &str)]| {
            let mut digest = Digest { hasher: params(), is_empty: true, has_capability: false };
            all.iter().for_each(|(name, value)| digest.add(name.as_bytes(), value.as_bytes()));
            digest.finish()
        };
        assert_eq!(of(&[]), Attributes::default());
        let sets: [&[(&str, &str)]; 6] = [
            &[("user.a", "")],
            &[("user.a", "b")],
            &[("user.ab", "")],
            &[("user.a", ""), ("user.b", "")],
            &[("user.a", "\u{6}\0\0\0user.b")],
            &[("security.capability", "")],
        ];
        for (i, a) in sets.iter().enumerate() {
            assert!(of(a).digest.is_some() && sets[..i].iter().all(|b| of(a) != of(b)), "{i}");
            assert_eq!(of(a).has_capability, i == 5);
        }
    }

    /// A file system without attributes gives none. An attribute that cannot be read is an error.
    #[test]
    fn errors_of_the_system() {
        let answer = |bytes: &'static [u8]| {
            move |buffer: &mut [u8]| {
                buffer[..bytes.len()].copy_from_slice(bytes);
                Ok(bytes.len())
            }
        };
        let list = || answer(b"user.b\0security.selinux\0user.a\0");
        let of = |name: &[u8], value: &[u8]| (name.to_vec(), value.to_vec());
        type Got = rustix::io::Result<Vec<(Vec<u8>, Vec<u8>)>>;
        fn all(
            list: impl Fn(&mut [u8]) -> rustix::io::Result<usize>,
            get: impl Fn(&[u8], &mut [u8]) -> rustix::io::Result<usize>,
        ) -> Got {
            let mut all = Vec::new();
            each(list, get, |name, value| all.push((name.to_vec(), value.to_vec()))).map(|()| all)
        }
        assert_eq!(all(list(), |_, buffer| answer(b"1")(buffer)), Ok(vec![of(b"user.a", b"1"), of(b"user.b", b"1")]));
        assert_eq!(all(|_| Err(Errno::OPNOTSUPP), |_, _| Ok(0)), Ok(Vec::new()));
        for error in [Errno::ACCESS, Errno::PERM, Errno::IO, Errno::TOOBIG] {
            assert_eq!(all(|_| Err(error), |_, _| Ok(0)), Err(error));
        }
        let one = |error| move |name: &[u8], _: &mut [u8]| if name == b"user.a" { Err(error) } else { Ok(0) };
        assert_eq!(all(list(), one(Errno::NODATA)), Ok(vec![of(b"user.b", b"")]));
        for error in [Errno::ACCESS, Errno::PERM, Errno::IO, Errno::OPNOTSUPP] {
            assert_eq!(all(list(), one(error)), Err(error));
        }
    }

    /// Names and values that have no room in the usual buffer.
    #[test]
    fn long_answers() {
        let whole: Vec<u8> = (0..=255).cycle().take(LONGEST).collect();
        for length in [0, 1, USUAL, USUAL + 1, LONGEST] {
            let answer = |buffer: &mut [u8]| {
                buffer.get_mut(..length).ok_or(Errno::RANGE)?.copy_from_slice(&whole[..length]);
                Ok(length)
            };
            // After a shorter and after a longer answer.
            for mut buffer in [Vec::new(), whole.clone()] {
                read(&mut buffer, answer).unwrap();
                assert_eq!(buffer, whole[..length]);
            }
        }
        assert_eq!(read(&mut Vec::new(), |_| Err(Errno::RANGE)), Err(Errno::RANGE));
        assert_eq!(read(&mut Vec::new(), |_| Err(Errno::ACCESS)), Err(Errno::ACCESS));
    }
}
