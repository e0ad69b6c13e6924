//! Hashes many files, one after the other and each front to back: one thread at a time reads a batch of files, or a
//! part of a long file, and all threads hash the leaves of their units side by side.

use core::iter;
use core::ops::Range;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::time::SystemTime;

use simd_digest::blake2::Part;

use super::extra::Extra;
use super::found::Place;
use super::store::{Meta, Record, Time};
use crate::buffers::{Buffer, Buffers};
use crate::input::Input;
use crate::progress::Progress;
use crate::reader::Reader;
use crate::scheme::Digest;
use crate::team::{GROUP, Plan};
use crate::threads::in_order;
use crate::tree::Tree;

/// The largest number of tasks of a batch.
const BATCH: usize = 256;

/// The length of the names of a batch that has no room for more, in bytes.
const NAMES: usize = 1 << 18;

/// The facts about a file that a task wants.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    Nothing,
    /// Length and time.
    Look(&'a Place),
    /// These, and the contents unless length and time are those of the record.
    HashUnless(&'a Place, &'a Record),
    /// These and the contents.
    Hash(&'a Place),
}

/// Something to find out. Its results come in the order of tasks.
pub(super) trait Task: Send {
    fn wanted(&self) -> Wanted<'_>;

    /// Lets go of what only the reading needs.
    fn close(&mut self);

    /// The length of its names, in bytes.
    fn weight(&self) -> usize;
}

/// The facts that were found out about a file.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) length: u64,
    pub(super) modified: Time,
    pub(super) meta: Meta,
    /// When the reading began.
    pub(super) begun: SystemTime,
    /// `None` if the file was not hashed, or a part cannot be read.
    pub(super) digest: Option<Digest>,
    /// The values of the leaves, one after the other. Empty if there is only one leaf.
    pub(super) leaves: Vec<u8>,
    /// The numbers of leaves that cannot be read, and why.
    pub(super) bad: Vec<(u64, String)>,
}

pub(super) type Outcome = Option<io::Result<Content>>;

/// How files are hashed.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub(super) tree: &'a dyn Tree,
    pub(super) threads: usize,
    pub(super) progress: &'a Progress,
    pub(super) direct: bool,
    pub(super) quiet: bool,
    /// The device on which inodes are taken down.
    pub(super) device: Option<u64>,
    pub(super) extra: &'a Extra,
}

/// Gives each task, with its outcome, to `consume`, in order. The first error of `consume` ends this.
pub(super) fn run<T: Task>(
    setting: &Setting<'_>,
    tasks: impl Iterator<Item = T> + Send,
    mut consume: impl FnMut(T, Outcome) -> io::Result<()>,
) -> io::Result<()> {
    let tree = setting.tree;
    let plan = Plan::new(tree.leaf_length(), tree.lanes(), setting.threads);
    let (buffers, leaf) = (Buffers::default(), tree.leaf_length() as usize);
    // One thread that has one lane hashes by leaves all the same.
    let group = plan.group.unwrap_or((GROUP / leaf).max(1) * leaf);
    let reader = Reader::new(setting.direct, setting.quiet);
    let mut feed = Feed { tasks, reader, group, leaf, setting, waiting: None, long: None };
    let units = iter::from_fn(|| {
        let mut buffer = buffers.take(group);
        Some((feed.next(&mut buffer)?, buffer))
    });
    let work = |(unit, buffer): (Unit<T>, Buffer)| {
        let hashed = unit.hash(tree, &buffer);
        buffers.put(buffer);
        hashed
    };
    // The leaves of a long file so far, or why there are none.
    let mut long: io::Result<Vec<u8>> = Ok(Vec::new());
    in_order(plan.threads, units, work, |units| {
        for unit in units {
            match unit {
                Hashed::Batch(done) => done.into_iter().try_for_each(|(task, outcome)| consume(task, outcome))?,
                Hashed::Part(first, leaves, bad, end) => {
                    // A file that is read again begins anew.
                    if first == 0 {
                        long = Ok(Vec::new());
                    }
                    long = long.and_then(|mut long| {
                        long.extend(leaves?);
                        Ok(long)
                    });
                    let Some((task, content)) = end.map(|end| *end) else { continue };
                    let leaves = core::mem::replace(&mut long, Ok(Vec::new()));
                    let content = content.and_then(|mut content| {
                        content.bad = bad;
                        content.end(tree, leaves?)?;
                        Ok(content)
                    });
                    consume(task, Some(content))?;
                }
            }
        }
        Ok(())
    })
}

impl Content {
    /// The facts about a file that is not hashed so far.
    fn new(input: &Input<'_>, begun: SystemTime, setting: &Setting<'_>) -> io::Result<Self> {
        let (length, modified) = (input.before.len(), Time::of(&input.before));
        let mut meta = Meta::of(&input.before, setting.device);
        meta.rights.attributes = setting.extra.attributes(&input.file)?;
        Ok(Self { length, modified, meta, begun, digest: None, leaves: Vec::new(), bad: Vec::new() })
    }

    /// Whether only length and time were asked for.
    pub(super) fn was_looked_at(&self) -> bool {
        self.digest.is_none() && self.bad.is_empty()
    }

    /// Takes over the values of all leaves, two or more.
    fn end(&mut self, tree: &dyn Tree, leaves: Vec<u8>) -> io::Result<()> {
        if self.bad.is_empty() {
            self.digest = Some(tree.root(&leaves)?);
        }
        self.leaves = leaves;
        Ok(())
    }
}

/// A file that is not long, and its place in the buffer.
struct Small {
    content: Content,
    /// `None` if only length and time were asked for.
    bytes: Option<Range<usize>>,
}

/// A file that is longer than the buffer.
struct Long<'a, T> {
    task: T,
    input: Input<'a>,
    begun: SystemTime,
    done: u64,
    bad: Vec<(u64, String)>,
}

/// The files, or the part of a long file, that one thread reads at a time.
enum Unit<T> {
    Batch(Vec<(T, Option<io::Result<Small>>)>),
    /// The number of the first leaf of a part of a long file, and the length of the part. With the last part come the
    /// leaves that cannot be read, and the task.
    Part {
        first: u64,
        length: usize,
        is_last: bool,
        bad: Vec<(u64, String)>,
        end: Option<Box<(T, io::Result<Content>)>>,
    },
}

/// The files, or the part of a long file, that one thread has hashed.
enum Hashed<T> {
    Batch(Vec<(T, Outcome)>),
    /// The number of the first leaf comes first.
    Part(u64, io::Result<Vec<u8>>, Vec<(u64, String)>, Option<Box<(T, io::Result<Content>)>>),
}

/// Reads files in the order of tasks.
struct Feed<'a, I: Iterator> {
    tasks: I,
    reader: Reader,
    /// The length of a buffer, a multiple of that of a leaf.
    group: usize,
    leaf: usize,
    setting: &'a Setting<'a>,
    /// A file that has no room in the batch before.
    waiting: Option<(I::Item, Input<'a>, SystemTime)>,
    long: Option<Long<'a, I::Item>>,
}

impl<'a, T: Task, I: Iterator<Item = T>> Feed<'a, I> {
    fn next(&mut self, buffer: &mut [u8]) -> Option<Unit<T>> {
        if let Some(long) = self.long.take() {
            return Some(self.part(long, buffer));
        }
        let mut batch = Vec::new();
        let (mut filled, mut names) = (0, 0);
        while batch.len() < BATCH && names < NAMES {
            let (task, mut input, begun) = match self.waiting.take() {
                Some(waiting) => waiting,
                None => {
                    let Some(mut task) = self.tasks.next() else { break };
                    let begun = SystemTime::now();
                    let begins = begin(task.wanted(), self.setting);
                    names += task.weight();
                    task.close();
                    match begins {
                        Begun::Done(outcome) => {
                            batch.push((
                                task,
                                outcome.map(|content| content.map(|content| Small { content, bytes: None })),
                            ));
                            continue;
                        }
                        Begun::Open(input) => (task, input, begun),
                    }
                }
            };
            let length = input.before.len();
            if length > (self.group - filled) as u64 {
                if !batch.is_empty() {
                    self.waiting = Some((task, input, begun));
                    break;
                }
                return Some(self.part(Long { task, input, begun, done: 0, bad: Vec::new() }, buffer));
            }
            let end = filled + usize::try_from(length).unwrap_or(usize::MAX);
            let read = input.steadily(|input| {
                self.reader.begin(input);
                self.reader.fill(input, &mut buffer[filled..end], 0, self.leaf)
            });
            let small = read.and_then(|bad| {
                let mut content = Content::new(&input, begun, self.setting)?;
                content.bad = bad.into_iter().map(|(leaf, reason)| (leaf as u64, reason)).collect();
                Ok(Small { content, bytes: Some(filled..end) })
            });
            // The next file begins at an address to which the system copies fast, and in a cache line of its own.
            filled = end.next_multiple_of(64).min(self.group);
            batch.push((task, Some(small)));
        }
        (!batch.is_empty()).then_some(Unit::Batch(batch))
    }

    /// Reads the next part of a long file.
    fn part(&mut self, mut long: Long<'a, T>, buffer: &mut [u8]) -> Unit<T> {
        if long.done == 0 {
            self.reader.begin(&long.input);
        }
        let left = usize::try_from(long.input.before.len() - long.done).unwrap_or(usize::MAX);
        let (length, is_last) = (left.min(buffer.len()), left <= buffer.len());
        let first = long.done / self.leaf as u64;
        let read = self.reader.fill(&long.input, &mut buffer[..length], long.done, self.leaf);
        long.done += length as u64;
        let error = match read {
            Ok(bad) => {
                long.bad.extend(bad.into_iter().map(|(leaf, reason)| (first + leaf as u64, reason)));
                if !is_last {
                    self.long = Some(long);
                    return Unit::Part { first, length, is_last, bad: Vec::new(), end: None };
                }
                match long.input.is_steady() {
                    Ok(true) => None,
                    Ok(false) => {
                        (long.done, long.bad) = (0, Vec::new());
                        self.long = Some(long);
                        return Unit::Part { first, length, is_last, bad: Vec::new(), end: None };
                    }
                    Err(error) => Some(error),
                }
            }
            Err(error) => Some(error),
        };
        let Long { task, input, begun, bad, .. } = long;
        let content = error.map_or_else(|| Content::new(&input, begun, self.setting), Err);
        Unit::Part { first, length, is_last, bad, end: Some(Box::new((task, content))) }
    }
}

enum Begun<'a> {
    Done(Outcome),
    Open(Input<'a>),
}

/// Opens the file of a task, or looks at it.
fn begin<'a>(wanted: Wanted<'_>, setting: &Setting<'a>) -> Begun<'a> {
    let look = |place: &Place| {
        if setting.extra.has_attributes() {
            return Content::new(&Input::of_catalogue(place.open()?, setting.progress)?, SystemTime::now(), setting);
        }
        place.stat().map(|stat| Content {
            length: u64::try_from(stat.st_size).unwrap_or(0),
            modified: Time::of_stat(&stat),
            meta: Meta::of_stat(&stat, setting.device),
            begun: SystemTime::now(),
            digest: None,
            leaves: Vec::new(),
            bad: Vec::new(),
        })
    };
    match wanted {
        Wanted::Nothing => Begun::Done(None),
        Wanted::Look(place) => Begun::Done(Some(look(place))),
        Wanted::HashUnless(place, was) => match look(place) {
            Ok(now) if (now.length, now.modified) != (was.length, was.modified) => begin(Wanted::Hash(place), setting),
            looked => Begun::Done(Some(looked)),
        },
        Wanted::Hash(place) => {
            setting.progress.begin(OsStr::from_bytes(&place.name));
            match place.open().and_then(|file| Input::of_catalogue(file, setting.progress)) {
                Ok(input) => Begun::Open(input),
                Err(error) => Begun::Done(Some(Err(error))),
            }
        }
    }
}

impl<T> Unit<T> {
    /// Hashes all leaves side by side.
    fn hash(self, tree: &dyn Tree, buffer: &[u8]) -> Hashed<T> {
        match self {
            Self::Batch(batch) => Hashed::Batch(hash_batch(tree, batch, buffer)),
            Self::Part { first, length, is_last, bad, end } => {
                let leaves = tree.leaves(first, &buffer[..length], Part::last_if(is_last));
                Hashed::Part(first, leaves, bad, end)
            }
        }
    }
}

/// The digests of files that are in the buffer.
fn hash_batch<T>(tree: &dyn Tree, batch: Vec<(T, Option<io::Result<Small>>)>, buffer: &[u8]) -> Vec<(T, Outcome)> {
    let chunk = tree.leaf_length() as usize;
    let read = batch.iter().filter_map(|(_, small)| Some(&buffer[small.as_ref()?.as_ref().ok()?.bytes.clone()?]));
    let (short, long): (Vec<&[u8]>, Vec<&[u8]>) = read.partition(|bytes| bytes.len() <= chunk);
    let mut single = tree.of_only_leaves(&short).into_iter();
    let mut several = tree.leaves_of_each(&long).map(Vec::into_iter);
    let outcomes = batch.into_iter().map(|(task, small)| {
        let outcome = small.map(|small| {
            let Small { mut content, bytes } = small?;
            match (bytes.map(|bytes| bytes.len()), &mut several) {
                (None, _) => {}
                (Some(length), _) if length <= chunk => {
                    content.digest = single.next().filter(|_| content.bad.is_empty());
                }
                (Some(_), Ok(several)) => content.end(tree, several.next().unwrap_or_default())?,
                (Some(_), Err(error)) => return Err(io::Error::other(error.to_string())),
            }
            Ok(content)
        });
        (task, outcome)
    });
    outcomes.collect()
}
