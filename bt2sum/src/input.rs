//! Reading, front to back.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use simd_digest::blake2b::Hash;

use crate::tree::Tree;

/// Bytes of one read at most: large enough that the system calls do not count, small enough for the nearer caches.
const BUFFER: usize = 256 << 10;

/// What is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    StandardInput,
    File(&'a Path),
}

impl<'a> Source<'a> {
    /// As an argument names it.
    pub(crate) fn named(argument: &'a OsStr) -> Self {
        if argument == "-" { Self::StandardInput } else { Self::File(Path::new(argument)) }
    }
}

/// Reads one source after the other into the same memory.
#[derive(Debug)]
pub(crate) struct Reader {
    buffer: Box<[u8]>,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self { buffer: vec![0; BUFFER].into() }
    }

    /// The digest of all of `source`, or else an error.
    pub(crate) fn hash(&mut self, source: Source<'_>, tree: &Tree) -> io::Result<Hash> {
        match source {
            Source::StandardInput => self.hash_all(stdin()?, tree),
            Source::File(path) => self.hash_all(File::open(path)?, tree),
        }
    }

    /// Until a read gives nothing: one that gives less than asked for is not the end.
    fn hash_all(&mut self, mut input: impl Read, tree: &Tree) -> io::Result<Hash> {
        let mut hasher = tree.hasher();
        loop {
            match input.read(&mut self.buffer) {
                Ok(0) => return Ok(hasher.finalize()),
                Ok(length) => hasher.update(&self.buffer[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Standard input without a buffer, and with all its errors: the standard library takes a descriptor that cannot be read
/// for an empty file.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;

    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
fn stdin() -> io::Result<io::Stdin> {
    Ok(io::stdin())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: Tree = Tree { hash_length: 64, leaf_length: 1000 };

    /// Gives `message` in short reads of many lengths, each after an interruption, and then the end or an error.
    struct Restless<'a> {
        message: &'a [u8],
        reads: usize,
        end: Option<ErrorKind>,
    }

    impl Read for Restless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.reads += 1;
            if self.reads % 2 == 1 {
                return Err(ErrorKind::Interrupted.into());
            }
            if let (true, Some(error)) = (self.message.is_empty(), self.end) {
                return Err(error.into());
            }
            let short = (self.reads * 7919 % 1361).clamp(1, buffer.len());
            self.message.read(&mut buffer[..short])
        }
    }

    fn hash(message: &[u8], end: Option<ErrorKind>) -> io::Result<Hash> {
        Reader::new().hash_all(Restless { message, reads: 0, end }, &TREE)
    }

    #[test]
    fn short_and_interrupted_reads() {
        let message: Vec<u8> = (0..=250).cycle().take(20_001).collect();
        for length in [0, 1, 999, 1000, 1001, 2000, 20_000, 20_001] {
            let message = &message[..length];
            let mut expected = TREE.hasher();
            expected.update(message);
            assert_eq!(hash(message, None).unwrap(), expected.finalize(), "{length}");
        }
    }

    #[test]
    fn an_error_is_never_a_digest() {
        for length in [0, 1, 1000, 20_000] {
            let error = hash(&vec![7; length], Some(ErrorKind::ConnectionReset)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{length}");
        }
    }
}
