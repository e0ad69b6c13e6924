//! Reaches files by paths that are longer than the system takes.

use std::borrow::Cow;
use std::io;
use std::path::Path;

/// A path that the system takes. It leads to the file while this value lives.
pub(crate) struct Reached<'a> {
    path: Cow<'a, Path>,
    #[cfg(target_os = "linux")]
    _directory: Option<rustix::fd::OwnedFd>,
}

impl AsRef<Path> for Reached<'_> {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

/// Opens the directories of a path of more than 4095 bytes one after the other. Any other path stays as it is.
#[cfg(target_os = "linux")]
pub(crate) fn reach(path: &Path) -> io::Result<Reached<'_>> {
    use std::ffi::OsStr;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;

    use rustix::fs::{CWD, Mode, OFlags, openat};

    /// The largest number of bytes of a path for one step, and of what is left at the end.
    const STEP: usize = 2048;

    let mut rest = path.as_os_str().as_bytes();
    let mut directory = None;
    if rest.len() > 4095 {
        while rest.len() > STEP
            && let Some(end) = rest[..STEP].iter().rposition(|&byte| byte == b'/')
        {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let part = OsStr::from_bytes(&rest[..=end]);
            let next = match &directory {
                None => openat(CWD, part, flags, Mode::empty())?,
                Some(directory) => openat(directory, part, flags, Mode::empty())?,
            };
            directory = Some(next);
            let slashes = rest[end..].iter().take_while(|&&byte| byte == b'/').count();
            rest = &rest[end + slashes..];
        }
    }
    let path = match &directory {
        None => Cow::Borrowed(path),
        Some(directory) => {
            Path::new(&format!("/proc/self/fd/{}", directory.as_raw_fd())).join(OsStr::from_bytes(rest)).into()
        }
    };
    Ok(Reached { path, _directory: directory })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn reach(path: &Path) -> io::Result<Reached<'_>> {
    Ok(Reached { path: path.into() })
}
