//! Puts right what is damaged in one file, leaf by leaf, with the bytes of copies that have the recorded digests.
//!
//! ```text
//!   look    all leaves are read from the disk; those that are right there are left alone
//!   find    for each other leaf, a copy is looked for that has its digest
//!   write   the very bytes that were hashed are written, and the time of the file is put back
//!   check   after the system has brought them to the disk, they are read from there and hashed again
//! ```

use core::num::NonZeroU64;
use core::ops::Range;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::SystemTime;

use simd_digest::blake2::Part;

use crate::input::{Input, is_same_file, is_unchanged};
use crate::output::reason;
use crate::progress::Progress;
use crate::reader::{Reader, forget};
use crate::scheme::{Digest, equal};
use crate::temporary::uninterrupted;
use crate::tree::Tree;

/// Leaves are read together as far as they fit in so many bytes.
const GROUP: u64 = 1 << 20;

/// The recorded length, root and leaves of a file.
pub(crate) struct Recorded<'a> {
    tree: &'a dyn Tree,
    chunk: NonZeroU64,
    pub(crate) length: u64,
    root: Digest,
    /// The values of the leaves, one after the other. Empty if there is one leaf, whose value the root tells.
    leaves: Vec<u8>,
}

impl<'a> Recorded<'a> {
    /// The values of the leaves come one after the other. The root over them must be `root`.
    pub(crate) fn new(tree: &'a dyn Tree, length: u64, leaves: Vec<u8>, root: Digest) -> io::Result<Self> {
        let chunk = NonZeroU64::new(tree.leaf_length().into()).ok_or(ErrorKind::Unsupported)?;
        let number = (leaves.len() / tree.size()) as u64;
        let is_right = if number > 0 { tree.root(&leaves)? == root } else { true };
        if !is_right || number.max(1) != tree.leaf_count(length) {
            return Err(io::Error::other("the digests of the leaves are not those of the digest of the file"));
        }
        Ok(Self { tree, chunk, length, root, leaves })
    }

    /// The digest of the file.
    pub(crate) fn root(&self) -> &Digest {
        &self.root
    }

    /// The number of leaves.
    fn count(&self) -> u64 {
        self.tree.leaf_count(self.length)
    }

    /// The bytes of leaf `index`.
    fn bytes_of(&self, index: u64) -> Range<u64> {
        let begin = (index * self.chunk.get()).min(self.length);
        begin..begin.saturating_add(self.chunk.get()).min(self.length)
    }

    /// Which of the leaves that are in `bytes`, from leaf `first` on, have the recorded values.
    fn are_right(&self, first: u64, bytes: &[u8]) -> io::Result<Vec<bool>> {
        if self.leaves.is_empty() {
            return Ok(self.tree.of_only_leaves(&[bytes]).iter().map(|digest| *digest == self.root).collect());
        }
        let end = first * self.chunk.get() + bytes.len() as u64;
        let (values, size) = (self.tree.leaves(first, bytes, Part::last_if(end == self.length))?, self.tree.size());
        let own = self.leaves.chunks(size).skip(usize::try_from(first).map_err(io::Error::other)?);
        Ok(values.chunks(size).zip(own).map(|(value, own)| equal(value, own)).collect())
    }
}

/// An open file that may have the bytes that are wanted.
pub(crate) struct Copy<'a> {
    /// The name that the user gave.
    pub(crate) name: Arc<str>,
    pub(crate) input: Input<'a>,
}

/// The copies of a file, in the order in which they are asked.
pub(crate) struct Copies<'a> {
    pub(crate) copies: Vec<Copy<'a>>,
    pub(crate) progress: &'a Progress,
    /// The leaf that was found last.
    leaf: Vec<u8>,
}

impl<'a> Copies<'a> {
    pub(crate) fn new(copies: Vec<Copy<'a>>, progress: &'a Progress) -> Self {
        Self { copies, progress, leaf: Vec::new() }
    }

    /// Looks for the bytes of leaf `index`, whose digest must be the recorded one. Returns them, and the name of the copy.
    pub(crate) fn find(&mut self, recorded: &Recorded<'_>, index: u64) -> io::Result<Option<(&[u8], Arc<str>)>> {
        let bytes = recorded.bytes_of(index);
        resize(&mut self.leaf, bytes.end - bytes.start)?;
        for Copy { name, input } in &self.copies {
            // A copy that is damaged here, or ends before, has none of these bytes.
            if input.fill_at(&mut self.leaf, bytes.start).is_ok() && recorded.are_right(index, &self.leaf)? == [true] {
                return Ok(Some((&self.leaf, Arc::clone(name))));
            }
        }
        // Nothing tells one empty file from another.
        let is_right = bytes.is_empty() && recorded.are_right(index, &[])? == [true];
        Ok(is_right.then(|| (&[][..], Arc::from("nothing"))))
    }
}

/// Sets the length of a buffer. A leaf that does not fit into memory is an error.
fn resize(buffer: &mut Vec<u8>, length: u64) -> io::Result<()> {
    let length = usize::try_from(length).map_err(|_| ErrorKind::OutOfMemory)?;
    buffer.try_reserve(length.saturating_sub(buffer.len())).map_err(|_| ErrorKind::OutOfMemory)?;
    buffer.resize(length, 0);
    Ok(())
}

/// Leaves that are not as they were recorded, and what the system says about those that cannot be read.
type Wrong = Vec<(u64, Option<String>)>;

/// Reads these leaves of a file from the disk, all of which must be within the file, and returns those that are wrong. On
/// systems other than Linux, what the system has in memory is read.
pub(crate) fn wrong_leaves(
    recorded: &Recorded<'_>,
    file: &File,
    leaves: Range<u64>,
    progress: &Progress,
) -> io::Result<Wrong> {
    let (mut wrong, mut buffer) = (Vec::new(), Vec::new());
    let (mut reader, input) = (Reader::of_disk(), Input::of_catalogue(file.try_clone()?, progress)?);
    reader.begin(&input);
    let step = (GROUP / recorded.chunk).max(1);
    for first in leaves.clone().step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        let end = leaves.end.min(first + step);
        let (begin, chunk) = (recorded.bytes_of(first).start, recorded.chunk.get());
        resize(&mut buffer, recorded.bytes_of(end - 1).end - begin)?;
        let bad = reader.fill(&input, &mut buffer, begin, usize::try_from(chunk).unwrap_or(usize::MAX))?;
        let mut bad = bad.into_iter().peekable();
        for (i, is_right) in recorded.are_right(first, &buffer)?.into_iter().enumerate() {
            let unreadable = bad.next_if(|(number, _)| *number == i);
            if unreadable.is_some() || !is_right {
                wrong.push((first + i as u64, unreadable.map(|(_, reason)| reason)));
            }
        }
    }
    Ok(wrong)
}

/// The way in which a range of bytes is mended, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// They are taken from the copy with this name.
    From(Arc<str>),
    /// They are beyond the recorded end, and are cut off.
    CutOff,
    /// They stay wrong, perhaps for this reason.
    Lost(Option<String>),
}

/// The ranges of a file that were mended or stay wrong, or would be.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    parts: Vec<(Range<u64>, Fate)>,
    /// Why the work ended early.
    pub(crate) error: Option<io::Error>,
}

impl Mended {
    /// Nothing was done, for this reason.
    pub(crate) fn failed(error: io::Error) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// Nothing of a file that stays missing is mended.
    #[cfg(target_os = "linux")]
    pub(crate) fn all_or_nothing(mut self) -> Self {
        if !self.is_good() {
            self.parts.retain(|(_, fate)| matches!(fate, Fate::Lost(_)));
        }
        self
    }

    /// With an error, nothing was mended that had to be.
    pub(crate) fn unless(mut self, error: Option<io::Error>) -> Self {
        if let Some(error) = error
            && !self.was_good()
        {
            let parts = core::mem::take(&mut self.parts);
            parts.into_iter().for_each(|(bytes, _)| self.add(bytes, Fate::Lost(None)));
            self.error = Some(error);
        }
        self
    }

    fn add(&mut self, bytes: Range<u64>, fate: Fate) {
        match self.parts.last_mut() {
            Some((last, other)) if last.end == bytes.start && *other == fate => last.end = bytes.end,
            _ => self.parts.push((bytes, fate)),
        }
    }

    /// Whether the file is as it was recorded now, or would be.
    pub(crate) fn is_good(&self) -> bool {
        self.error.is_none() && !self.parts.iter().any(|(_, fate)| matches!(fate, Fate::Lost(_)))
    }

    /// Whether the file was as it was recorded before.
    pub(crate) fn was_good(&self) -> bool {
        self.is_good() && self.parts.is_empty()
    }

    /// The first and the last byte of each range that stays wrong, or that does not.
    pub(crate) fn ends(&self, wrong: bool) -> Vec<[u64; 2]> {
        let wanted = self.parts.iter().filter(|(_, fate)| matches!(fate, Fate::Lost(_)) == wrong);
        wanted.filter(|(bytes, _)| !bytes.is_empty()).map(|(bytes, _)| [bytes.start, bytes.end - 1]).collect()
    }

    /// Why the work ended early, or why something stays wrong.
    pub(crate) fn reason(&self) -> Option<String> {
        let lost = self.parts.iter().find_map(|(_, fate)| if let Fate::Lost(why) = fate { why.clone() } else { None });
        self.error.as_ref().map(reason).or(lost)
    }

    /// A line for each range.
    pub(crate) fn lines(&self, dry: bool) -> Vec<String> {
        let lines = self.parts.iter().filter(|(bytes, _)| !bytes.is_empty()).map(|(bytes, fate)| {
            let what = match fate {
                Fate::From(name) if dry => format!("mendable from {name}"),
                Fate::From(name) => format!("mended from {name}"),
                Fate::CutOff if dry => "surplus".to_owned(),
                Fate::CutOff => "surplus, cut off".to_owned(),
                Fate::Lost(None) => "FAILED".to_owned(),
                Fate::Lost(Some(why)) => format!("FAILED: {why}"),
            };
            format!("bytes {}-{}: {what}", bytes.start, bytes.end - 1)
        });
        lines.collect()
    }
}

/// A file to mend.
pub(crate) struct Target {
    /// For writing, unless nothing is to be written.
    file: File,
    /// For reading from the disk.
    disk: File,
    before: Metadata,
    /// The time that the file gets back.
    modified: SystemTime,
    /// `security.capability`, which a write takes away.
    capability: Option<Vec<u8>>,
}

impl Target {
    /// A file that was opened twice: where reads pass the cache, writes would, too. With a recorded time, the file must
    /// have that time.
    pub(crate) fn new(file: File, disk: File, recorded: Option<SystemTime>) -> io::Result<Self> {
        let before = file.metadata()?;
        if !before.is_file() {
            return Err(io::Error::other("Not a regular file"));
        }
        let modified = before.modified()?;
        if !is_same_file(file.metadata(), disk.metadata()) || recorded.is_some_and(|recorded| recorded != modified) {
            return Err(changed());
        }
        let capability = capability::of(&file)?;
        Ok(Self { file, disk, before, modified, capability })
    }

    /// Does `work`, which changes the file, unless somebody else has changed it. Afterwards the file has its time and its
    /// rights again, whether the work succeeds or not. Signals wait for all of this.
    fn change(
        &mut self,
        mark: &mut dyn FnMut() -> io::Result<()>,
        work: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        uninterrupted(|| {
            mark()?;
            if !is_unchanged(&self.before, &self.file.metadata()?) {
                return Err(changed());
            }
            let done = work(&mut self.file);
            let rights = self.put_rights_back();
            self.file.set_modified(self.modified)?;
            self.before = self.file.metadata()?;
            done.and(rights)
        })
    }

    /// Gives the file the permissions and the capability back that a write takes away.
    fn put_rights_back(&self) -> io::Result<()> {
        let permissions = self.before.permissions();
        let unable = |what: &str, error: io::Error| {
            io::Error::new(error.kind(), format!("{what} cannot be put back after a write: {}", reason(&error)))
        };
        if self.file.metadata()?.permissions() != permissions {
            self.file.set_permissions(permissions).map_err(|error| unable("Permissions", error))?;
        }
        let Some(capability) = &self.capability else { return Ok(()) };
        capability::put_back(&self.file, capability).map_err(|error| unable("security.capability", error))
    }
}

/// The attribute by which a program has more rights.
#[cfg(target_os = "linux")]
mod capability {
    use std::fs::File;
    use std::io;

    use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
    use rustix::io::Errno;

    const NAME: &str = "security.capability";

    pub(super) fn of(file: &File) -> io::Result<Option<Vec<u8>>> {
        // It has 24 bytes at most.
        let mut value = vec![0; 256];
        match fgetxattr(file, NAME, &mut value[..]) {
            Ok(length) => {
                value.truncate(length);
                Ok(Some(value))
            }
            Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn put_back(file: &File, value: &[u8]) -> io::Result<()> {
        Ok(fsetxattr(file, NAME, value, XattrFlags::empty())?)
    }
}

/// No other system has it.
#[cfg(not(target_os = "linux"))]
mod capability {
    use std::fs::File;
    use std::io;

    pub(super) fn of(_: &File) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    pub(super) fn put_back(_: &File, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

fn changed() -> io::Error {
    io::Error::other("File changed while it was mended")
}

/// Mends a file, or with `dry` finds out what can be mended. `mark` is called before each change of the file.
pub(crate) fn mend(
    recorded: &Recorded<'_>,
    target: &mut Target,
    copies: &mut Copies<'_>,
    dry: bool,
    mark: &mut dyn FnMut() -> io::Result<()>,
) -> Mended {
    let mut fates = Vec::new();
    let length = target.before.len();
    let mut error = mend_leaves(recorded, target, copies, dry, mark, &mut fates).err();
    if !dry {
        // Leaves that were written before an error are checked, too.
        let checked = check_written(recorded, target, copies.progress, &mut fates);
        error = error.or(checked.err());
    }
    let mut mended = Mended { parts: Vec::new(), error };
    fates.into_iter().for_each(|(index, fate)| mended.add(recorded.bytes_of(index), fate));
    let surplus = recorded.length..length;
    if !surplus.is_empty() {
        // Nothing is cut off as long as anything before is wrong.
        let fate = if mended.is_good() { Fate::CutOff } else { Fate::Lost(Some("surplus".to_owned())) };
        mended.add(surplus, fate);
    }
    if !dry && mended.is_good() && length != recorded.length {
        mended.error = end_at_length(recorded, target, copies.progress, mark).err();
    }
    if !dry {
        // The pages in memory may be wrong where the disk is right.
        forget(&target.file);
    }
    mended
}

/// Mends all leaves. In `fates` are those that were wrong.
fn mend_leaves(
    recorded: &Recorded<'_>,
    target: &mut Target,
    copies: &mut Copies<'_>,
    dry: bool,
    mark: &mut dyn FnMut() -> io::Result<()>,
    fates: &mut Vec<(u64, Fate)>,
) -> io::Result<()> {
    let length = target.before.len();
    let count = recorded.count();
    // The leaves that a file that was cut off still has whole, and the others.
    let within = if length >= recorded.length { count } else { length / recorded.chunk };
    let tail = within..count;
    for (index, why) in wrong_leaves(recorded, &target.disk, 0..within, copies.progress)? {
        let fate = mend_leaf(recorded, target, copies, dry, mark, index)?;
        fates.push((index, if fate == Fate::Lost(None) { Fate::Lost(why) } else { fate }));
    }
    // A file is made longer only if it becomes whole.
    let mut has_all = !fates.iter().any(|(_, fate)| matches!(fate, Fate::Lost(_)));
    for index in tail.clone() {
        has_all = has_all && copies.find(recorded, index)?.is_some();
    }
    let kept = fates.len();
    for index in tail.clone().take_while(|_| has_all) {
        let fate = mend_leaf(recorded, target, copies, dry, mark, index)?;
        let is_lost = matches!(fate, Fate::Lost(_));
        fates.push((index, fate));
        if is_lost {
            break;
        }
    }
    let failed = match fates.last() {
        _ if !has_all && !tail.is_empty() => Some(Fate::Lost(None)),
        Some((index, fate @ Fate::Lost(_))) if tail.contains(index) => Some(fate.clone()),
        _ => None,
    };
    if let Some(fate) = failed {
        fates.truncate(kept);
        fates.extend(tail.map(|index| (index, fate.clone())));
        if !dry && target.file.metadata()?.len() > length {
            target.change(mark, |file| file.set_len(length))?;
        }
    }
    Ok(())
}

/// Waits until all is on the disk, and reads from there what was written.
fn check_written(
    recorded: &Recorded<'_>,
    target: &Target,
    progress: &Progress,
    fates: &mut [(u64, Fate)],
) -> io::Result<()> {
    if fates.is_empty() {
        return Ok(());
    }
    target.file.sync_all()?;
    for run in fates.chunk_by_mut(|a, b| a.0 + 1 == b.0 && a.1 == b.1).filter(|run| matches!(run[0].1, Fate::From(_))) {
        let first = run[0].0;
        for (index, why) in wrong_leaves(recorded, &target.disk, first..first + run.len() as u64, progress)? {
            let place = usize::try_from(index - first).map_err(io::Error::other)?;
            run[place].1 = Fate::Lost(why.or_else(|| Some(OTHER_BYTES.to_owned())));
        }
    }
    Ok(())
}

/// The reason for a leaf that the disk gives back with other bytes.
const OTHER_BYTES: &str = "the disk gives other bytes than were written";

/// Cuts off what is beyond the recorded end, and looks at the whole file once more. The recorded digests of the leaves
/// have the recorded root, so a file with these leaves has it, too.
fn end_at_length(
    recorded: &Recorded<'_>,
    target: &mut Target,
    progress: &Progress,
    mark: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<()> {
    if target.before.len() > recorded.length {
        target.change(mark, |file| file.set_len(recorded.length))?;
        target.file.sync_all()?;
    }
    check_all(recorded, &target.disk, progress)
}

/// Looks for a leaf in the copies and writes it.
fn mend_leaf(
    recorded: &Recorded<'_>,
    target: &mut Target,
    copies: &mut Copies<'_>,
    dry: bool,
    mark: &mut dyn FnMut() -> io::Result<()>,
    index: u64,
) -> io::Result<Fate> {
    let Some((bytes, name)) = copies.find(recorded, index)? else { return Ok(Fate::Lost(None)) };
    if dry {
        return Ok(Fate::From(name));
    }
    let begin = recorded.bytes_of(index).start;
    let written = target.change(mark, |file| {
        file.seek(SeekFrom::Start(begin))?;
        file.write_all(bytes)
    });
    match written {
        Ok(()) => Ok(Fate::From(name)),
        Err(error) if error.raw_os_error().is_some() => Ok(Fate::Lost(Some(reason(&error)))),
        Err(error) => Err(error),
    }
}

/// Gathers the leaves of a file that is gone from its copies. `write` gets each leaf and where it begins, as long as
/// none is lost.
#[cfg(target_os = "linux")]
pub(crate) fn gather(
    recorded: &Recorded<'_>,
    copies: &mut Copies<'_>,
    mut write: impl FnMut(&[u8], u64) -> io::Result<()>,
) -> Mended {
    let mut mended = Mended::default();
    let gathered = (0..recorded.count()).try_for_each(|index| {
        let bytes = recorded.bytes_of(index);
        let fate = match copies.find(recorded, index)? {
            Some((leaf, name)) => {
                if mended.is_good() {
                    write(leaf, bytes.start)?;
                }
                Fate::From(name)
            }
            None => Fate::Lost(None),
        };
        mended.add(bytes, fate);
        Ok::<_, io::Error>(())
    });
    mended.error = gathered.err();
    mended
}

/// Fails unless a file on the disk has the recorded length and leaves.
pub(crate) fn check_all(recorded: &Recorded<'_>, file: &File, progress: &Progress) -> io::Result<()> {
    let wrong = wrong_leaves(recorded, file, 0..recorded.count(), progress)?;
    if file.metadata()?.len() != recorded.length || !wrong.is_empty() {
        return Err(io::Error::other(OTHER_BYTES));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::paint;
    use crate::scheme::{Algorithm, Scheme, Secret, Shape};
    use crate::tree::tree;

    /// Leaves are those of the digest, and as many as the length needs: a file of another length has not these leaves.
    #[test]
    fn leaves_of_another_message() {
        let (message, secret) = (paint(2500), Secret::default());
        for (algorithm, chunk) in [(Algorithm::Blake2b, 1000), (Algorithm::Blake3, 1024)] {
            let scheme = Scheme { algorithm, size: 32, shape: Shape::Tree { chunk } };
            let tree = tree(scheme, &secret).unwrap();
            let leaves = tree.leaves(0, &message, Part::Last).unwrap();
            let root = tree.root(&leaves).unwrap();
            let is_right = |length, leaves: &[u8]| Recorded::new(&*tree, length, leaves.to_vec(), root.clone()).is_ok();
            assert!(is_right(2500, &leaves), "{algorithm:?}");
            for length in [0, 1, 1000, 1024, 2000, 3073, u64::MAX] {
                assert!(!is_right(length, &leaves), "{algorithm:?} {length}");
            }
            // The digest of an only leaf is all there is.
            assert!(is_right(0, &[]) && is_right(1000, &[]) && !is_right(2500, &[]), "{algorithm:?}");
            assert!(!is_right(2500, &leaves[32..]) && !is_right(2000, &leaves[..64]), "{algorithm:?}");
        }
    }
}
