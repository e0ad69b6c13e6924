//! Entry points for fuzzers of the parsers: they take bytes, and panic if the program contradicts itself.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::Parser;
use simd_digest::blake2::{Flavour, Part};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use zeroize::Zeroizing;

use crate::args::{Options, Tool};
use crate::check;
use crate::engine::{Engine, Job};
use crate::input::Source;
use crate::leaves::{FORMAT, LeafFile, Writer, scheme_of};
use crate::line::{Entry, LineParser};
use crate::memory::InMemory;
use crate::number::{byte_range, chunk_length, digest_bits, digest_length, in_largest_unit, rate, share, thread_count};
use crate::output::{Format, Printer};
use crate::scheme::{Algorithm, Digest, Scheme, Secret, Shape, digest};
use crate::team::Hashed;

/// Reads the bytes as a catalogue without its magic number and its end: the version, the parameters and the entries.
/// Returns whether the catalogue is proper.
///
/// # Panics
///
/// Panics if a proper one is another when it is written again.
#[must_use]
pub fn catalogue(bytes: &[u8]) -> bool {
    crate::archive::fuzzed(bytes)
}

/// The message of files of leaves, or its beginning: the numbers from 1 on, each on a line.
static MESSAGE: LazyLock<Vec<u8>> =
    LazyLock::new(|| (1..=3000).flat_map(|number| format!("{number}\n").into_bytes()).collect());

/// Reads the bytes as a file of leaves without its magic number, its version and its checksum. Returns whether the file
/// is proper, and belongs to the beginning of the numbers from 1 on, each on a line.
///
/// # Panics
///
/// Panics if a proper one is another when it is written again, or does not tell which leaves are damaged.
#[must_use]
pub fn leaves(bytes: &[u8]) -> bool {
    let whole = [&FORMAT.magic[..], &[FORMAT.version], bytes].concat();
    let seal = simd_digest::blake2b::Params::new().hash_length(32).hash(&whole).expect("the length is in range");
    let whole = [&whole[..], seal.as_bytes()].concat();
    let file = InMemory::new(&whole).expect("a file in memory");
    let path = file.path();
    match scheme_of(&path) {
        Ok(scheme) if scheme.algorithm == Algorithm::Blake2s => leaves_of::<FlavourS>(&path, scheme, &whole),
        Ok(scheme) => leaves_of::<FlavourB>(&path, scheme, &whole),
        Err(_) => Ok(false),
    }
    .unwrap_or(false)
}

/// As [`leaves`], of these whole bytes, which are at `path`. An error is in the file.
fn leaves_of<F: Flavour>(path: &Path, scheme: Scheme, whole: &[u8]) -> io::Result<bool> {
    let keyed = whole[11] != 0;
    let secret = Secret::new(Zeroizing::new(vec![7; if keyed { 32 } else { 0 }]));
    let mut file = LeafFile::<F>::open_any(path, scheme, &secret)?;
    let (all, root, length) = (file.all()?, digest(file.root()?), file.length);

    let mut writer = Writer::begin::<F>(Vec::new(), scheme, &secret)?;
    writer.write(&all)?;
    assert_eq!(writer.end(length)?, whole, "a file of leaves is another when it is written again");
    let mut other = root.as_bytes().to_vec();
    other[0] ^= 1;
    assert!(LeafFile::<F>::open(path, scheme, &secret, &digest(other)).is_err(), "another root was taken");
    let mut file = LeafFile::<F>::open(path, scheme, &secret, &root)?;

    let message = &MESSAGE[..MESSAGE.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
    let Ok(range) = file.within((0, u64::MAX)) else { return Ok(length == 0) };
    let damage = file.check_range(&mut io::Cursor::new(message), range)?;
    let tree = scheme.tree::<F>(&secret).expect("a file of leaves is of a tree");
    for (index, leaf) in (0..).zip(all.chunks(scheme.size)) {
        let bytes = file.bytes_of(index);
        let is_damaged = damage.ranges().any(|(range, _)| range.contains(&bytes.start));
        let is_last = bytes.end == length;
        let own = usize::try_from(bytes.start).ok().zip(usize::try_from(bytes.end).ok());
        let own = own.and_then(|(start, end)| message.get(start..end)).map(|part| {
            let mut hasher = tree.leaf(index, Part::last_if(is_last)).expect("the leaf is in range");
            hasher.update(part);
            hasher.finalize()
        });
        let matches = own.is_some_and(|own| own.as_bytes() == leaf);
        assert_eq!(is_damaged, !matches, "leaf {index}");
    }
    Ok(damage.is_empty())
}

/// The options of checks: lines of each kind, by the rules of this program and of others, without `--strict` and with it.
static CHECKS: LazyLock<[[Options; 2]; 7]> = LazyLock::new(|| {
    [
        (&[][..], None),
        (&["--sequential"], None),
        (&["-a", "blake2s", "-t", "4096"], None),
        (&["-a", "sha256"], None),
        (&["-a", "blake3"], None),
        (&["--sequential"], Some(Tool::B2sum)),
        (&["-a", "sha256", "--sequential"], Some(Tool::Sha256sum)),
    ]
    .map(|(arguments, tool)| {
        [false, true].map(|strict| {
            let arguments = [&["bt2sum", "-c", "--status"], arguments].concat();
            let mut options = Options::try_parse_from(arguments).expect("the options are in order");
            options.strict = strict;
            options.role.tool = tool;
            options
        })
    })
});

/// The only file that is read: any other name in a list could be that of a pipe or of a device.
const NAME: &str = "/dev/null";

/// The largest number of files that a list may name to be checked.
const MOST: usize = 64;

/// Reads the bytes as a check file, in all ways that there are. Returns whether the list is found to be good in one.
///
/// # Panics
///
/// Panics if a line is lost, an entry is another when it is written again, or a list is good that has an improper line.
#[must_use]
pub fn list(bytes: &[u8]) -> bool {
    let file = InMemory::new(bytes).expect("a file in memory");
    let path = file.path();
    let engine = Engine::default();
    let good = CHECKS.iter().fold(false, |good, both| list_by(both, &engine, &path, bytes) | good);
    list_by_b3sum(&engine, &path, bytes) | good
}

/// As [`list`], by these options, of a check file with these bytes.
fn list_by(both @ [options, _]: &[Options; 2], engine: &Engine, path: &Path, bytes: &[u8]) -> bool {
    let mut list = check::open(options, engine, Source::File(path)).expect("the list is there");
    let (mut entries, mut improper) = (Vec::new(), 0);
    while let Some(part) = list.next().expect("memory can be read") {
        entries.extend(part.entries);
        improper += part.improper.len();
    }
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n');
    let lines: Vec<_> = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    let lists_nothing = |line: &&&[u8]| match **line {
        [] | b"#" | [b'#', b' ', ..] => true,
        [b'#', ..] => options.as_coreutils(),
        _ => false,
    };
    let listed = lines.len() - lines.iter().filter(lists_nothing).count();
    // Lines of armour list nothing either.
    let has_armour = !options.as_coreutils() && lines.iter().any(|line| line.starts_with(b"-----BEGIN"));
    assert!(has_armour || entries.len() + improper == listed, "{} + {improper} of {listed} lines", entries.len());
    entries.iter().for_each(|entry| written_again(options, entry));

    let files: Vec<_> = entries.iter().map(|entry| (Path::new(&entry.name), entry.scheme, &entry.hash)).collect();
    let Some(all_match) = all_match(engine, &files) else { return false };
    let good = both.each_ref().map(|options| {
        let mut printer = Printer::to(io::sink(), io::sink(), &engine.progress);
        let good = check::check(options, engine, &mut printer, path.as_os_str()).expect("a sink takes all");
        let passes = improper == 0 || options.as_coreutils() && !options.strict;
        assert_eq!(good, all_match && passes && !entries.is_empty(), "{} and {improper} lines", entries.len());
        good
    });
    good.contains(&true)
}

/// Writes an entry as lines, and parses these. The program writes no empty name.
fn written_again(options: &Options, entry: &Entry) {
    let hashed = Hashed { hash: entry.hash.clone(), length: 0 };
    for tag in [false, true] {
        if entry.name.is_empty() {
            continue;
        }
        let line = Format { tag, ..Format::default() }.line(entry.scheme, Source::named(&entry.name), &hashed);
        let mut parser = LineParser::new(entry.scheme.algorithm, entry.scheme.shape, None);
        parser.one_hash = options.is_coreutils();
        let again =
            parser.parse(line.strip_suffix(b"\n").expect("a line has an end")).expect("a line that was written");
        assert_eq!((&again.name, again.scheme, &again.hash), (&entry.name, entry.scheme, &entry.hash));
    }
}

/// Whether all files have these digests, or `None` if they are not to be read.
fn all_match(engine: &Engine, files: &[(&Path, Scheme, &Digest)]) -> Option<bool> {
    if files.len() > MOST || files.iter().any(|(path, ..)| path.as_os_str() != NAME) {
        return None;
    }
    let jobs: Vec<_> = files.iter().map(|&(path, scheme, _)| Job { source: Source::File(path), scheme }).collect();
    let mut all = true;
    let hashed = engine.hash_all(&jobs, |i, hash| {
        all &= hash?.hash == *files[i].2;
        Ok(())
    });
    hashed.expect("the file can be read");
    Some(all)
}

/// As [`list`], by the rules of b3sum.
fn list_by_b3sum(engine: &Engine, path: &Path, bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let lines: Vec<Option<(PathBuf, Digest)>> = text.split_inclusive('\n').map(check::listed_by_b3sum).collect();
    let scheme = Scheme { algorithm: Algorithm::Blake3, size: 32, shape: Shape::Sequential };
    for (name, hash) in lines.iter().flatten() {
        let hashed = Hashed { hash: hash.clone(), length: 0 };
        let line = Format::default().line(scheme, Source::File(name), &hashed);
        let again = check::listed_by_b3sum(str::from_utf8(&line).expect("the name is text"));
        assert_eq!(again.as_ref(), Some(&(name.clone(), hash.clone())));
    }
    let files: Vec<_> = lines.iter().flatten().map(|(name, hash)| (&**name, scheme, hash)).collect();
    let Some(all_match) = all_match(engine, &files) else { return false };
    let mut printer = Printer::to(io::sink(), io::sink(), &engine.progress);
    let good = check::as_b3sum(&CHECKS[0][0], engine, &mut printer, &[path.as_os_str()]).expect("a sink takes all");
    assert_eq!(good, all_match && lines.iter().all(Option::is_some));
    good && !lines.is_empty()
}

/// Reads the bytes as a number of each kind that an option takes.
///
/// # Panics
///
/// Panics if a number is out of its range, or another when it is written again.
pub fn argument(bytes: &[u8]) {
    let Some(text) = OsStr::from_bytes(bytes).to_str() else { return };
    if let Ok(chunk) = chunk_length(text) {
        assert_eq!(chunk_length(&in_largest_unit(chunk)), Ok(chunk));
    }
    assert!(byte_range(text).is_ok_and(|(first, last)| first <= last) || byte_range(text).is_err());
    assert!(digest_bits(text).is_ok_and(|bytes| bytes <= 1 << 20) || digest_bits(text).is_err());
    assert!(digest_length(text).is_ok_and(|length| (1..=1 << 20).contains(&length)) || digest_length(text).is_err());
    assert!(thread_count(text).is_ok_and(|count| count.get() <= 256) || thread_count(text).is_err());
    assert!(rate(text).is_ok_and(|rate| rate > 0) || rate(text).is_err());
    let _ = share(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The golden files are proper, and are not once a byte is lost.
    #[test]
    fn golden_files() {
        let data = |path: &str| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        for (name, end) in
            [("one", 81), ("one-keyed", 113), ("two", 81), ("two-keyed", 113), ("blake3", 81), ("owned", 113)]
        {
            let bytes = data(&format!("tests/data/store/{name}"));
            let bytes = &bytes[8..bytes.len() - end];
            assert!(catalogue(bytes), "{name}");
            assert!(!catalogue(&bytes[..bytes.len() - 1]), "{name}");
        }
        for name in ["names", "names-tag", "plain-16", "plain-tag"] {
            let bytes = data(&format!("tests/data/b3sum/{name}"));
            assert!(!list(&bytes), "its files are not there: {name}");
        }
    }

    /// A list of the file that is read, and one that has an improper line as well.
    #[test]
    fn lists() {
        let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let blake3 = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        for line in [
            format!("{sha256}  /dev/null"),
            format!("SHA256 (/dev/null) = {sha256}"),
            format!("{blake3}  /dev/null"),
            format!("BLAKE3 (/dev/null) = {blake3}"),
        ] {
            assert!(list(format!("{line}\n").as_bytes()), "{line}");
            assert!(!list(line.replace('a', "b").as_bytes()), "{line}");
        }
        argument(b"5m");
    }

    #[test]
    fn files_of_leaves() {
        let tree = Scheme { algorithm: Algorithm::Blake2b, size: 20, shape: Shape::Tree { chunk: 1000 } };
        let mut writer = Writer::begin::<FlavourB>(Vec::new(), tree, &Secret::default()).unwrap();
        let hashes = tree.tree::<FlavourB>(&Secret::default()).unwrap().hash_run(0, &MESSAGE[..4000], Part::Last);
        hashes.unwrap().iter().for_each(|leaf| writer.write(leaf.as_bytes()).unwrap());
        let whole = writer.end(4000).unwrap();
        let mut bytes = whole[9..whole.len() - 32].to_vec();
        assert!(leaves(&bytes));
        bytes[20] ^= 1;
        assert!(!leaves(&bytes), "a damaged leaf");
        bytes[20] ^= 1;
        bytes[2] = 2;
        assert!(!leaves(&bytes), "neither with a key nor without one");
    }
}
