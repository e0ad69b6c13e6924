//! Files of the program's own formats: they begin with a magic number and a version, end in a checksum of all that is
//! before, and are written whole or not at all.
//!
//! ```text
//!   8 bytes   the magic number
//!   1         the version of the format
//!   …         the contents
//!   32        BLAKE2b-256, without a key, of all of the above
//! ```

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use simd_digest::blake2b::{Hasher, Params};

use crate::input::read;
use crate::temporary::Temporary;

/// The length of the magic number and the version, in bytes.
pub(crate) const BEGIN: u64 = 9;

/// The length of the checksum, in bytes.
pub(crate) const SEAL: u64 = 32;

/// A format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    pub(crate) magic: [u8; 8],
    /// The version that is written. Older ones are read.
    pub(crate) version: u8,
    /// The name of a file of the format in messages, with its article.
    pub(crate) title: &'static str,
    /// The length of the shortest file, in bytes.
    pub(crate) least: u64,
}

fn hasher() -> Hasher {
    Params::new().hash_length(32).hasher().expect("the length is in range")
}

/// Writes a file, part after part.
pub(crate) struct Writer<W = Temporary> {
    file: W,
    own: Hasher,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    pub(crate) fn begin(file: W, format: Format) -> io::Result<Self> {
        let mut writer = Self { file, own: hasher() };
        writer.write(&format.magic)?;
        writer.write(&[format.version])?;
        Ok(writer)
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.own.update(bytes);
        self.file.write_all(bytes)
    }

    /// Appends the checksum.
    pub(crate) fn end(mut self) -> io::Result<W> {
        self.file.write_all(self.own.finalize().as_bytes())?;
        Ok(self.file)
    }
}

/// Opens a file and reads all of it. Its checksum must match. The position is then that of the contents. The version of
/// its format comes last.
pub(crate) fn open(path: &Path, format: Format) -> io::Result<(BufReader<File>, Metadata, u8)> {
    let strange = || Err(io::Error::other(format!("not {}", format.title)));
    // Opening a pipe would wait for a writer.
    if !fs::metadata(path)?.is_file() {
        return strange();
    }
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let before = file.get_ref().metadata()?;
    let mut magic = Vec::new();
    file.by_ref().take(format.magic.len() as u64).read_to_end(&mut magic)?;
    if !format.magic.starts_with(&magic) || !before.is_file() {
        return strange();
    }
    if before.len() < format.least {
        return Err(io::Error::other("truncated"));
    }
    let [version] = array(&mut file)?;
    if !(1..=format.version).contains(&version) {
        return Err(io::Error::other(format!("version {version} of the format is unknown, or damaged")));
    }
    let mut own = hasher();
    own.update(&magic).update(&[version]);
    let mut rest = file.by_ref().take(before.len() - BEGIN - SEAL);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match read(&mut rest, &mut buffer)? {
            0 => break,
            length => own.update(&buffer[..length]),
        };
    }
    if own.finalize() != array::<32>(&mut file)? {
        return Err(io::Error::other("damaged or truncated"));
    }
    file.seek(SeekFrom::Start(BEGIN))?;
    Ok((file, before, version))
}

/// Reads a field of `N` bytes.
pub(crate) fn array<const N: usize>(file: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
