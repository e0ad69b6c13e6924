//! A file in memory that has a path, for functions that take the path of a file.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, memfd_create};

/// A file in memory.
#[derive(Debug)]
pub(crate) struct InMemory(File);

impl InMemory {
    /// A file of these bytes.
    pub(crate) fn new(bytes: &[u8]) -> io::Result<Self> {
        let mut file = File::from(memfd_create("bt2sum", MemfdFlags::CLOEXEC)?);
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(Self(file))
    }

    /// The path of the file in this process.
    pub(crate) fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.0.as_raw_fd()).into()
    }
}
