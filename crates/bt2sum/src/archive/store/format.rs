//! The parameters, the entries and the sums of a store, and their constants, which both formats share.

use core::time::Duration;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::Stat;
use simd_digest::blake2b::{Hasher, Params};

use crate::scheme::{Algorithm, Digest, Scheme, Secret, Shape};
use crate::sealed::{self, BEGIN, SEAL};

/// The length of the root, in bytes.
pub(in crate::archive) const ROOT: usize = 32;

/// The length of the fields after the entries, in bytes: the kind 0, two numbers, the root.
pub(super) const TRAILER: u64 = 1 + 8 + 8 + ROOT as u64;

/// The length of the authenticator that ends a store with a key, in bytes.
pub(super) const AUTHENTICATOR: usize = 32;

/// Where the flags stand in a store.
pub(super) const FLAGS: u64 = BEGIN + 2;

pub(in crate::archive) const FORMAT: sealed::Format =
    sealed::Format { magic: *b"bt2store", version: 2, title: "a catalogue", least: BEGIN + 11 + TRAILER + SEAL };

pub(super) const KEYED: u8 = 1;
pub(super) const ONE_FILE_SYSTEM: u8 = 2;
/// Format 1 has neither of these flags.
pub(super) const OWNER: u8 = 4;
pub(super) const XATTRS: u8 = 8;

pub(super) const END: u8 = 0;
pub(super) const FILE: u8 = 1;
pub(super) const LINK: u8 = 2;
pub(super) const DIRECTORY: u8 = 3;

/// The most bytes of a name and of the target of a link in format 2.
pub(super) const LONGEST_NAME: usize = 1 << 20;

/// A file whose time is nearer than this to the time at which it is read may be written to again within the same time:
/// some file systems have times of 2 seconds. In nanoseconds.
const RESOLUTION: i128 = 2_000_000_000;

/// The extended attribute by which a program has more rights than who starts it.
pub(in crate::archive) const CAPABILITY: &[u8] = b"security.capability";

/// The parameters of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::archive) struct Header {
    /// The version of the format.
    pub(in crate::archive) version: u8,
    /// A tree of BLAKE2b or BLAKE2s, or BLAKE3 with leaves of this length.
    pub(in crate::archive) scheme: Scheme,
    pub(in crate::archive) keyed: bool,
    pub(in crate::archive) one_file_system: bool,
    /// Whether entries have owners.
    pub(in crate::archive) owner: bool,
    /// Whether entries have the digests of extended attributes.
    pub(in crate::archive) xattrs: bool,
    /// Patterns of names that are left out.
    pub(in crate::archive) exclude: Vec<String>,
    /// Where times of change and inode numbers count. The root does not cover this.
    pub(in crate::archive) host: Host,
}

impl Header {
    /// The length of a leaf, in bytes.
    pub(in crate::archive) fn chunk(&self) -> u64 {
        if let Shape::Tree { chunk } = self.scheme.shape { chunk.into() } else { u64::MAX }
    }

    /// The length of all stored digests of the leaves of a file, in bytes. The digest of an only leaf is not stored,
    /// since it tells no more than that of the file.
    pub(super) fn length_of_leaves(&self, length: u64) -> Option<u64> {
        let count = length.div_ceil(self.chunk());
        if count > 1 { count.checked_mul(self.scheme.size as u64) } else { Some(0) }
    }

    /// The fields that the root covers.
    pub(super) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let size = u8::try_from(self.scheme.size).map_err(io::Error::other)?;
        let hash = match self.scheme.algorithm {
            Algorithm::Blake2b => 1,
            Algorithm::Blake2s => 2,
            Algorithm::Blake3 => 3,
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags = flag(self.keyed, KEYED)
            | flag(self.one_file_system, ONE_FILE_SYSTEM)
            | flag(self.owner, OWNER)
            | flag(self.xattrs, XATTRS);
        let mut bytes = vec![hash, size, flags];
        let chunk = u32::try_from(self.chunk()).map_err(io::Error::other)?;
        bytes.extend(chunk.to_le_bytes());
        bytes.extend(number(self.exclude.len())?);
        for pattern in &self.exclude {
            bytes.extend(number(pattern.len())?);
            bytes.extend(pattern.as_bytes());
        }
        Ok(bytes)
    }
}

/// A length or a count, as the file has it.
pub(super) fn number(number: usize) -> io::Result<[u8; 4]> {
    Ok(u32::try_from(number).map_err(io::Error::other)?.to_le_bytes())
}

/// A time of modification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::archive) struct Time {
    pub(in crate::archive) seconds: i64,
    pub(in crate::archive) nanoseconds: u32,
}

impl Time {
    pub(in crate::archive) fn of(file: &Metadata) -> Self {
        Self { seconds: file.mtime(), nanoseconds: u32::try_from(file.mtime_nsec()).unwrap_or(0) }
    }

    pub(in crate::archive) fn of_stat(file: &Stat) -> Self {
        Self { seconds: file.st_mtime, nanoseconds: u32::try_from(file.st_mtime_nsec).unwrap_or(0) }
    }

    /// The time as the system has it, if it can.
    pub(in crate::archive) fn to_system(self) -> Option<SystemTime> {
        let whole = Duration::from_secs(self.seconds.unsigned_abs());
        let seconds = if self.seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
        seconds?.checked_add(Duration::from_nanos(self.nanoseconds.into()))
    }

    /// Whether a file that was read at `now`, in nanoseconds since 1970, can be written to afterwards and keep this time.
    /// A write sets the time to that of the write, so a time far from `now` is not kept.
    pub(in crate::archive) fn is_young(self, now: u64) -> bool {
        self.since(now).abs() < RESOLUTION
    }

    /// Whether the time is so much later than `now`, in nanoseconds since 1970, that it was not young at `now`, nor
    /// before.
    pub(super) fn is_later(self, now: u64) -> bool {
        self.since(now) >= RESOLUTION
    }

    /// The nanoseconds from `now` to this time.
    fn since(self, now: u64) -> i128 {
        i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanoseconds) - i128::from(now)
    }
}

/// Nanoseconds since 1970.
pub(in crate::archive) fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// The machine and the file system of a directory; zeros if they are not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::archive) struct Host(pub(in crate::archive) [u8; 16]);

/// The time of change of a file, in nanoseconds since 1970, and its inode number. No system call sets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::archive) struct Inode {
    pub(in crate::archive) changed: i64,
    pub(in crate::archive) number: u64,
}

/// The numbers of the user and the group that own a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::archive) struct Owner {
    pub(in crate::archive) user: u32,
    pub(in crate::archive) group: u32,
}

impl Owner {
    pub(in crate::archive) fn of_stat(file: &Stat) -> Self {
        Self { user: file.st_uid, group: file.st_gid }
    }
}

/// The extended attributes of a file, as far as two files must have the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::archive) struct Attributes {
    /// The digest of their names and values, if there are any.
    pub(in crate::archive) digest: Option<[u8; 16]>,
    /// Whether one of them is [`CAPABILITY`].
    pub(in crate::archive) has_capability: bool,
}

/// The facts about a file by which the system tells who may do what with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::archive) struct Rights {
    /// The permissions, or `None` if format 1 has them not.
    pub(in crate::archive) mode: Option<u16>,
    /// `None` if the store has no owners.
    pub(in crate::archive) owner: Option<Owner>,
    /// `None` if the store has no extended attributes.
    pub(in crate::archive) attributes: Option<Attributes>,
}

impl Rights {
    /// The rights without extended attributes.
    pub(in crate::archive) fn of_stat(file: &Stat) -> Self {
        Self { mode: Some(permissions(file.st_mode)), owner: Some(Owner::of_stat(file)), attributes: None }
    }
}

/// The facts about a file that its contents do not depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::archive) struct Meta {
    pub(in crate::archive) rights: Rights,
    /// `None` if the file is on another file system than its directory, or the host is not known. The root does not
    /// cover this.
    pub(in crate::archive) inode: Option<Inode>,
    /// When the file was created, in nanoseconds since 1970. This is not stored, and many file systems do not tell it.
    pub(in crate::archive) born: Option<i64>,
}

impl Meta {
    /// The facts about a file, without extended attributes; with its inode, if it is on this device.
    pub(in crate::archive) fn of(file: &Metadata, device: Option<u64>) -> Self {
        let changed = in_nanoseconds(file.ctime(), file.ctime_nsec()).filter(|_| device == Some(file.dev()));
        let inode = changed.map(|changed| Inode { changed, number: file.ino() });
        let born = file.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let born = born.and_then(|born| i64::try_from(born.as_nanos()).ok()).filter(|&born| born > 0);
        let owner = Some(Owner { user: file.uid(), group: file.gid() });
        Self { rights: Rights { mode: Some(permissions(file.mode())), owner, attributes: None }, inode, born }
    }

    /// As [`Self::of`], without the time of creation.
    pub(in crate::archive) fn of_stat(file: &Stat, device: Option<u64>) -> Self {
        let changed = in_nanoseconds(file.st_ctime, i64::try_from(file.st_ctime_nsec).unwrap_or(0));
        let changed = changed.filter(|_| device == Some(file.st_dev));
        let inode = changed.map(|changed| Inode { changed, number: file.st_ino });
        Self { rights: Rights::of_stat(file), inode, born: None }
    }
}

/// The bits of a mode that `chmod` sets.
fn permissions(mode: u32) -> u16 {
    u16::try_from(mode & 0o7777).unwrap_or(0)
}

/// A time in nanoseconds since 1970, if it is near enough.
pub(super) fn in_nanoseconds(seconds: i64, nanoseconds: i64) -> Option<i64> {
    i64::try_from(i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)).ok()
}

/// The fields that are stored about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::archive) struct Record {
    pub(in crate::archive) length: u64,
    pub(in crate::archive) modified: Time,
    pub(in crate::archive) digest: Digest,
    /// When the file was last read, in nanoseconds since 1970. The root does not cover this.
    pub(in crate::archive) checked: u64,
    /// Whether the file was so young when it was read that a change of its contents need not show in its time. The
    /// root does not cover this.
    pub(in crate::archive) young: bool,
    pub(in crate::archive) meta: Meta,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::archive) enum Kind {
    /// A regular file, and where in the store the digests of its leaves are.
    File(Record, u64),
    /// A symbolic link, its target, and its owner if the store has owners.
    Link(Vec<u8>, Option<Owner>),
    /// An empty directory.
    Directory(Rights),
}

/// A file, a link or an empty directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::archive) struct Entry {
    pub(in crate::archive) name: Vec<u8>,
    pub(in crate::archive) kind: Kind,
}

/// The number of entries and bytes, and the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::archive) struct Sums {
    pub(in crate::archive) entries: u64,
    pub(in crate::archive) bytes: u64,
    pub(in crate::archive) root: Digest,
}

/// The hashers over a store while it is written or read.
#[derive(Debug)]
pub(super) struct Sealing {
    /// Hashes the bytes that two recordings of one tree have in common.
    pub(super) root: Hasher,
    /// Hashes all bytes, if there is a key.
    pub(super) all: Option<Hasher>,
}

impl Sealing {
    pub(super) fn begin(secret: &Secret, version: u8) -> io::Result<Self> {
        let hasher = |length, personal: &[u8]| {
            let params = Params::new().hash_length(length).personal(personal).key(secret.key());
            params.hasher().map_err(io::Error::other)
        };
        let all = (!secret.is_empty()).then(|| hasher(AUTHENTICATOR, b"bt2store all")).transpose()?;
        let mut sealing = Self { root: hasher(ROOT, b"bt2store root")?, all };
        sealing.covered(&FORMAT.magic);
        sealing.covered(&[version]);
        Ok(sealing)
    }

    /// Hashes bytes that the root covers.
    pub(super) fn covered(&mut self, bytes: &[u8]) {
        self.root.update(bytes);
        self.uncovered(bytes);
    }

    /// Hashes bytes that the root does not cover.
    pub(super) fn uncovered(&mut self, bytes: &[u8]) {
        if let Some(all) = &mut self.all {
            all.update(bytes);
        }
    }
}

pub(super) fn damaged(text: &str) -> io::Error {
    io::Error::other(format!("damaged: {text}"))
}
