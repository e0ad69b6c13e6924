//! Parts that no test of blake3 reaches, compared with the published blake3.
#![cfg(test)]

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use zeroize::Zeroize;

#[test]
fn digits_are_read_as_by_theirs() {
    let digits = "00fFAa9b".repeat(8);
    assert_eq!(ours::Hash::from_hex(&digits).unwrap().as_bytes(), theirs::Hash::from_hex(&digits).unwrap().as_bytes());
    let bad = [digits.replacen('9', "g", 1), digits.replacen("00", "0\u{e9}", 1), digits[1..].into(), String::new()];
    for text in [&bad[..], &[digits.clone() + "0", digits.clone() + "00"]].concat() {
        let (ours, theirs) = (ours::Hash::from_hex(&text).unwrap_err(), theirs::Hash::from_hex(&text).unwrap_err());
        assert_eq!(ours.to_string(), theirs.to_string());
    }
}

#[test]
fn digits_can_be_wiped() {
    let mut digits = ours::hash(b"").to_hex();
    digits.zeroize();
    assert_eq!(digits.len(), 0);
}

#[test]
fn left_subtrees_are_theirs() {
    for length in (1025..20000).chain([1 << 40, (1 << 40) + 1, u64::MAX - 1]) {
        assert_eq!(ours::hazmat::left_subtree_len(length), theirs::hazmat::left_subtree_len(length), "{length}");
    }
    if !cfg!(debug_assertions) {
        for length in 0..=1024 {
            assert_eq!(ours::hazmat::left_subtree_len(length), theirs::hazmat::left_subtree_len(length), "{length}");
        }
    }
}

#[test]
fn chunks_are_theirs() {
    let bytes = paint(1024);
    for counter in [0, 1, 7, 1 << 54, u64::MAX] {
        for length in 0..=bytes.len() {
            for first in [0, 1, 63, 64, 65, 1000] {
                let (first, second) = bytes[..length].split_at(length.min(first));
                let mut ours = ours::guts::ChunkState::new(counter);
                let mut theirs = theirs::guts::ChunkState::new(counter);
                ours.update(first).update(second);
                theirs.update(first).update(second);
                assert_eq!(ours.len(), theirs.len());
                for is_root in [false, true].into_iter().take(if counter == 0 { 2 } else { 1 }) {
                    let case = format!("{counter} {length} {is_root}");
                    assert_eq!(ours.finalize(is_root).as_bytes(), theirs.finalize(is_root).as_bytes(), "{case}");
                }
            }
        }
    }
    let refused = [
        catch_unwind(|| ours::guts::ChunkState::new(0).update(&[0; 1000]).update(&[0; 25]).len()),
        catch_unwind(|| ours::guts::ChunkState::new(1).finalize(true).as_bytes().len()),
    ];
    assert!(refused.iter().all(Result::is_err));
}

#[test]
fn parents_are_theirs() {
    let (left, right) = ([1; 32], [2; 32]);
    for is_root in [false, true] {
        let ours = ours::guts::parent_cv(&left.into(), &right.into(), is_root);
        let theirs = theirs::guts::parent_cv(&left.into(), &right.into(), is_root);
        assert_eq!(ours.as_bytes(), theirs.as_bytes(), "{is_root}");
    }
}

/// One test reads files at a time, so that `while_it_is_read` sees no other's reading.
static READING: Mutex<()> = Mutex::new(());

/// A file that is removed when it is dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("beside-blake3-{}-{name}", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The digests of the file by both methods: with bytes before it, with a key, and as a part of a message.
macro_rules! digests {
    ($blake3:ident, $path:expr) => {{
        use $blake3::{hazmat::HasherExt, Hasher};

        let path: &Path = $path;
        let of = |rayon: bool| -> io::Result<Vec<[u8; 32]>> {
            let (keyed, derive) = (Hasher::new_keyed(&[7; 32]), Hasher::new_derive_key("a context"));
            let mut hashers = [Hasher::new(), keyed, derive, Hasher::new(), Hasher::new()];
            hashers[3].update(b"abc");
            hashers[4].set_input_offset(1 << 30);
            for hasher in &mut hashers {
                if rayon { hasher.update_mmap_rayon(path)? } else { hasher.update_mmap(path)? };
            }
            let [whole @ .., part] = &hashers;
            let part = (part.count() > 0).then(|| part.finalize_non_root());
            // Something may follow.
            let longer = hashers[0].clone().update(&[5; 3000]).finalize().into();
            Ok(whole.iter().map(|hasher| hasher.finalize().into()).chain(part).chain([longer]).collect())
        };
        [of(false), of(true)].map(|digests| digests.map_err(|error| (error.kind(), error.to_string())))
    }};
}

#[test]
fn files_have_their_digests() {
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    let file = Temporary::new("whole");
    // The peer reads files below 16 KiB, and maps the others. Threads of ours read 256 KiB each.
    let subtrees = (1..9).flat_map(|count| [(count << 18) - 1, count << 18, (count << 18) + 1]);
    for length in [0, 1, 16382, 16383, 16384, 16385, 5_000_000].into_iter().chain(subtrees) {
        fs::write(&file.0, paint(length)).unwrap();
        let ours = digests!(ours, &file.0);
        assert!(ours.iter().all(Result::is_ok), "{length}");
        assert_eq!(ours, digests!(theirs, &file.0), "{length}");
    }
}

#[test]
fn what_is_no_regular_file_is_as_for_theirs() {
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    let exe = std::env::current_exe().unwrap();
    let none = Temporary::new("none");
    let mut paths = vec![exe.as_path(), exe.parent().unwrap(), &none.0, Path::new("")];
    if cfg!(target_os = "linux") {
        // The last one is long enough, and cannot be mapped.
        paths.extend(["/dev/null", "/proc/version", "/proc/self/mem", "/sys/kernel/btf/vmlinux"].map(Path::new));
    }
    for path in paths {
        assert_eq!(digests!(ours, path), digests!(theirs, path), "{}", path.display());
    }
}

/// The digest of a file of so many zeros, by one method or the other, while `change` is done to it as it is read.
#[cfg(target_os = "linux")]
fn while_it_is_read(length: u64, rayon: bool, change: fn(&fs::File) -> io::Result<()>) -> io::Result<[u8; 32]> {
    let file = Temporary::new("changing");
    let writer = fs::File::create(&file.0)?;
    writer.set_len(length)?;
    let bytes_read = || -> u64 {
        let counters = fs::read_to_string("/proc/self/io").unwrap();
        counters.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
    };
    let before = bytes_read();
    std::thread::scope(|scope| {
        let hashing = scope.spawn(|| {
            let mut hasher = ours::Hasher::new();
            if rayon { hasher.update_mmap_rayon(&file.0)? } else { hasher.update_mmap(&file.0)? };
            Ok(hasher.finalize().into())
        });
        while bytes_read() < before + (1 << 20) && !hashing.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        change(&writer)?;
        hashing.join().unwrap()
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_cut_while_it_is_read_has_no_digest() {
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    for rayon in [false, true] {
        // It takes longer to read than the test waits.
        let error = while_it_is_read(1 << 36, rayon, |file| file.set_len(1 << 20)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert!(error.to_string().contains("became shorter while it was read"), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_grows_while_it_is_read_has_the_digest_of_its_beginning() {
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    let zeros = 1 << 27;
    let mut theirs = theirs::Hasher::new();
    theirs.update_rayon(&vec![0; zeros]);
    for rayon in [false, true] {
        let digest = while_it_is_read(zeros as u64, rayon, |file| file.set_len((1 << 27) + 1)).unwrap();
        assert_eq!(digest, *theirs.finalize().as_bytes(), "{rayon}");
    }
}

fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}
