//! Format 2: what an entry has in common with the one before is left out.

use std::io;

use super::format::{
    Attributes, DIRECTORY, Entry, FILE, Header, Inode, Kind, LINK, LONGEST_NAME, Meta, Owner, Record, Rights, Time,
    damaged, in_nanoseconds,
};
use super::parser::Parser;
use crate::scheme::digest;

/// Flags beside the kind of an entry: what follows the name.
const KIND: u8 = 3;
const WITH_MODE: u8 = 4;
const WITH_NANOSECONDS: u8 = 8;
const WITH_OWNER: u8 = 16;
const WITH_ATTRIBUTES: u8 = 32;

/// Flags in the first byte of extended attributes, if there are any.
const ATTRIBUTES: u8 = 1;
const CAPABILITY: u8 = 2;

/// Flags of a file that the root does not cover.
const YOUNG: u8 = 1;
const WITH_INODE: u8 = 2;
const CHANGE_IS_MODIFICATION: u8 = 4;

/// The mode of a file of which none is known.
const NO_MODE: u16 = u16::MAX;

/// The unit of times of checks, in nanoseconds.
const MILLISECOND: u64 = 1_000_000;

/// Values of the entries before, from which those of the next one are told apart.
#[derive(Clone, Debug)]
pub(super) struct Last {
    name: Vec<u8>,
    mode: u16,
    owner: Owner,
    attributes: Attributes,
    seconds: i64,
    /// In milliseconds.
    checked: u64,
    changed: i64,
    inode: u64,
}

impl Default for Last {
    fn default() -> Self {
        let (owner, attributes) = (Owner::default(), Attributes::default());
        Self { name: Vec::new(), mode: 0o644, owner, attributes, seconds: 0, checked: 0, changed: 0, inode: 0 }
    }
}

/// Appends a varint.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Appends a signed varint: how far a number is from the one before, which it replaces.
fn put_difference(bytes: &mut Vec<u8>, last: &mut i64, number: i64) {
    let difference = number.wrapping_sub(*last);
    put(bytes, (difference << 1 ^ difference >> 63).cast_unsigned());
    *last = number;
}

/// The number that is so far from the one before, by a signed varint, and replaces it.
fn at_difference(last: &mut i64, varint: u64) -> i64 {
    let difference = (varint >> 1).cast_signed() ^ -(varint & 1).cast_signed();
    *last = last.wrapping_add(difference);
    *last
}

/// The number of bytes with which both begin.
fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl Last {
    /// The kind, flags, name and rights of an entry.
    fn name(&mut self, kind: u8, name: &[u8], rights: &Rights, header: &Header) -> io::Result<Vec<u8>> {
        if name.len() > LONGEST_NAME {
            return Err(io::Error::other(format!("a name has {} bytes; {LONGEST_NAME} at most", name.len())));
        }
        let (is_link, unknown) = (kind & KIND == LINK, || io::Error::other("a fact to be recorded is not known"));
        let mode = Some(rights.mode.unwrap_or(NO_MODE)).filter(|mode| !is_link && *mode != self.mode);
        let owner = if header.owner { Some(rights.owner.ok_or_else(unknown)?) } else { None };
        let owner = owner.filter(|owner| *owner != self.owner);
        let has_attributes = header.xattrs && !is_link;
        let attributes = if has_attributes { Some(rights.attributes.ok_or_else(unknown)?) } else { None };
        let attributes = attributes.filter(|attributes| *attributes != self.attributes);
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags = flag(mode.is_some(), WITH_MODE)
            | flag(owner.is_some(), WITH_OWNER)
            | flag(attributes.is_some(), WITH_ATTRIBUTES);
        let mut bytes = vec![kind | flags];
        let shared = shared(&self.name, name);
        put(&mut bytes, shared as u64);
        put(&mut bytes, (name.len() - shared) as u64);
        bytes.extend(&name[shared..]);
        self.name.truncate(shared);
        self.name.extend(&name[shared..]);
        if let Some(mode) = mode {
            bytes.extend(mode.to_le_bytes());
            self.mode = mode;
        }
        if let Some(owner) = owner {
            put(&mut bytes, owner.user.into());
            put(&mut bytes, owner.group.into());
            self.owner = owner;
        }
        if let Some(attributes @ Attributes { digest, has_capability }) = attributes {
            bytes.push(digest.map_or(0, |_| ATTRIBUTES) | flag(has_capability, CAPABILITY));
            bytes.extend(digest.iter().flatten());
            self.attributes = attributes;
        }
        Ok(bytes)
    }

    /// The fields of a file before its digest, and those after its leaves, which the root does not cover.
    pub(super) fn file(&mut self, name: &[u8], record: &Record, header: &Header) -> io::Result<(Vec<u8>, Vec<u8>)> {
        let Record { length, modified: Time { seconds, nanoseconds }, checked, young, meta, .. } = *record;
        let kind = FILE | if nanoseconds == 0 { 0 } else { WITH_NANOSECONDS };
        let mut covered = self.name(kind, name, &meta.rights, header)?;
        put(&mut covered, length);
        put_difference(&mut covered, &mut self.seconds, seconds);
        if nanoseconds != 0 {
            covered.extend(nanoseconds.to_le_bytes());
        }
        let is_modification = |inode: &Inode| in_nanoseconds(seconds, nanoseconds.into()) == Some(inode.changed);
        let flags = if young { YOUNG } else { 0 }
            | if meta.inode.is_some() { WITH_INODE } else { 0 }
            | if meta.inode.as_ref().is_some_and(is_modification) { CHANGE_IS_MODIFICATION } else { 0 };
        let mut seen = vec![flags];
        let mut last = self.checked.cast_signed();
        put_difference(&mut seen, &mut last, (checked / MILLISECOND).cast_signed());
        self.checked = last.cast_unsigned();
        if let Some(Inode { changed, number }) = meta.inode {
            if flags & CHANGE_IS_MODIFICATION == 0 {
                put_difference(&mut seen, &mut self.changed, changed);
            }
            self.changed = changed;
            let mut last = self.inode.cast_signed();
            put_difference(&mut seen, &mut last, number.cast_signed());
            self.inode = number;
        }
        Ok((covered, seen))
    }

    /// A link.
    pub(super) fn link(
        &mut self,
        name: &[u8],
        target: &[u8],
        owner: Option<Owner>,
        header: &Header,
    ) -> io::Result<Vec<u8>> {
        if target.len() > LONGEST_NAME {
            return Err(io::Error::other(format!("a target has {} bytes; {LONGEST_NAME} at most", target.len())));
        }
        let mut bytes = self.name(LINK, name, &Rights { owner, ..Rights::default() }, header)?;
        put(&mut bytes, target.len() as u64);
        bytes.extend(target);
        Ok(bytes)
    }

    /// An empty directory.
    pub(super) fn directory(&mut self, name: &[u8], rights: &Rights, header: &Header) -> io::Result<Vec<u8>> {
        self.name(DIRECTORY, name, rights, header)
    }
}

impl Parser {
    /// Reads the owner of an entry, which is another than that of the entry before.
    fn owner(&mut self, last: Owner) -> io::Result<Owner> {
        let mut number = || u32::try_from(self.varint(true)?).map_err(|_| damaged("an owner"));
        let owner = Owner { user: number()?, group: number()? };
        if owner == last { Err(damaged("an owner")) } else { Ok(owner) }
    }

    /// Reads the extended attributes of an entry, which are others than those of the entry before.
    fn attributes(&mut self, last: Attributes) -> io::Result<Attributes> {
        let [flags] = self.covered()?;
        if !matches!(flags, 0 | ATTRIBUTES) && flags != ATTRIBUTES | CAPABILITY {
            return Err(damaged("extended attributes"));
        }
        let digest = if flags & ATTRIBUTES == 0 { None } else { Some(self.covered()?) };
        let attributes = Attributes { digest, has_capability: flags & CAPABILITY != 0 };
        if attributes == last { Err(damaged("extended attributes")) } else { Ok(attributes) }
    }

    /// Reads an entry after its first byte.
    pub(super) fn entry_of_two(&mut self, begin: u8, header: &Header, last: &mut Last) -> io::Result<Entry> {
        let parser = self;
        let kind = begin & KIND;
        let [with_mode, with_nanoseconds, with_owner, with_attributes] =
            [WITH_MODE, WITH_NANOSECONDS, WITH_OWNER, WITH_ATTRIBUTES].map(|flag| begin & flag != 0);
        if begin & !(KIND | WITH_MODE | WITH_NANOSECONDS | WITH_OWNER | WITH_ATTRIBUTES) != 0
            || kind == 0
            || kind != FILE && with_nanoseconds
            || kind == LINK && (with_mode || with_attributes)
            || with_owner && !header.owner
            || with_attributes && !header.xattrs
        {
            return Err(damaged("an unknown kind of entry"));
        }
        let (same, more) = (parser.varint(true)?, parser.varint(true)?);
        let same = usize::try_from(same).ok().filter(|&same| same <= last.name.len());
        let length = same.and_then(|same| same.checked_add(usize::try_from(more).ok()?));
        let (Some(same), Some(_)) = (same, length.filter(|&length| length <= LONGEST_NAME)) else {
            return Err(damaged("the length of a name"));
        };
        let rest = parser.bytes(more)?;
        if rest.first().is_some_and(|first| last.name.get(same) == Some(first)) {
            return Err(damaged("a name shares more than it says"));
        }
        last.name.truncate(same);
        last.name.extend(rest);
        let name = last.name.clone();
        if with_mode {
            let mode = u16::from_le_bytes(parser.covered()?);
            if mode == last.mode || mode > 0o7777 && mode != NO_MODE {
                return Err(damaged("a mode"));
            }
            last.mode = mode;
        }
        if with_owner {
            last.owner = parser.owner(last.owner)?;
        }
        if with_attributes {
            last.attributes = parser.attributes(last.attributes)?;
        }
        let rights = Rights {
            mode: Some(last.mode).filter(|mode| *mode != NO_MODE),
            owner: header.owner.then_some(last.owner),
            attributes: header.xattrs.then_some(last.attributes),
        };
        match kind {
            LINK => {
                let length = parser.varint(true)?;
                if length > LONGEST_NAME as u64 {
                    return Err(damaged("the length of a target"));
                }
                return Ok(Entry { name, kind: Kind::Link(parser.bytes(length)?, rights.owner) });
            }
            DIRECTORY => return Ok(Entry { name, kind: Kind::Directory(rights) }),
            _ => {}
        }
        let length = parser.varint(true)?;
        let seconds = at_difference(&mut last.seconds, parser.varint(true)?);
        let nanoseconds = if with_nanoseconds { u32::from_le_bytes(parser.covered()?) } else { 0 };
        if with_nanoseconds && !(1..1_000_000_000).contains(&nanoseconds) {
            return Err(damaged("a number"));
        }
        let digest = digest(parser.bytes(header.scheme.size as u64)?);
        let leaves = header.length_of_leaves(length).ok_or_else(|| damaged("a length"))?;
        let at = parser.skip(leaves)?;
        let [flags] = parser.uncovered()?;
        if flags & !(YOUNG | WITH_INODE | CHANGE_IS_MODIFICATION) != 0
            || flags & (WITH_INODE | CHANGE_IS_MODIFICATION) == CHANGE_IS_MODIFICATION
        {
            return Err(damaged("a number"));
        }
        let mut checked = last.checked.cast_signed();
        last.checked = at_difference(&mut checked, parser.varint(false)?).cast_unsigned();
        let checked = last.checked.checked_mul(MILLISECOND).ok_or_else(|| damaged("a number"))?;
        let inode = if flags & WITH_INODE == 0 {
            None
        } else {
            if flags & CHANGE_IS_MODIFICATION == 0 {
                at_difference(&mut last.changed, parser.varint(false)?);
            } else {
                let changed = in_nanoseconds(seconds, nanoseconds.into());
                last.changed = changed.ok_or_else(|| damaged("a number"))?;
            }
            let mut number = last.inode.cast_signed();
            last.inode = at_difference(&mut number, parser.varint(false)?).cast_unsigned();
            Some(Inode { changed: last.changed, number: last.inode })
        };
        let (modified, young, meta) =
            (Time { seconds, nanoseconds }, flags & YOUNG != 0, Meta { rights, inode, born: None });
        Ok(Entry { name, kind: Kind::File(Record { length, modified, digest, checked, young, meta }, at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_come_back() {
        let numbers = [0, 1, -1, 63, 64, -64, -65, i64::MAX, i64::MIN];
        for (a, b) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
            let (mut bytes, mut last) = (Vec::new(), a);
            put_difference(&mut bytes, &mut last, b);
            assert_eq!(last, b);
            let varint = bytes.iter().rev().fold(0, |all: u64, byte| all << 7 | u64::from(byte & 0x7f));
            let mut last = a;
            assert_eq!(at_difference(&mut last, varint), b, "{a} {b}");
            assert!(bytes.len() <= 10 && (bytes.len() == 1 || bytes[bytes.len() - 1] != 0), "{a} {b} {bytes:?}");
        }
    }
}
