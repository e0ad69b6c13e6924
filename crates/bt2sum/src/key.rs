//! Reads the key from a file or a descriptor. The command line cannot carry a key, since other users can read it.

use core::ops::RangeInclusive;
use std::fs::File;
use std::io;
use std::path::Path;

use simd_digest::blake3::KEY_LEN;
use zeroize::Zeroizing;

use crate::args::Options;
use crate::input::{fill, stdin};
use crate::scheme::Secret;

/// Reads the key that the options name, or takes their context, or returns none. A key of a length that the algorithm
/// does not take is an error.
pub(crate) fn read(options: &Options) -> io::Result<Secret> {
    let Some(lengths) = options.algorithm().key_lengths() else { return Ok(Secret::default()) };
    if let Some(context) = &options.derive_key {
        return Ok(Secret::of_context(context.clone()));
    }
    if options.role.keyed {
        return from_standard_input();
    }
    options.key_path().map_or_else(|| Ok(Secret::default()), |path| from_file(&path, lengths))
}

/// Reads the key of BLAKE3 as b3sum does.
fn from_standard_input() -> io::Result<Secret> {
    let mut key = Zeroizing::new(vec![0; KEY_LEN + 1]);
    // Without a buffer, which would keep a copy.
    let length = fill(&mut stdin()?, &mut key)?;
    key.truncate(KEY_LEN);
    match length {
        KEY_LEN => Ok(Secret::new(key)),
        0..KEY_LEN => Err(io::Error::other(format!("expected {KEY_LEN} key bytes from stdin, found {length}"))),
        _ => Err(io::Error::other(format!("read more than {KEY_LEN} key bytes from stdin"))),
    }
}

/// Fails if the descriptor at `path` is not open for reading: opening it anew would wait for a writer. Warns of a key
/// that all users can read.
#[cfg(unix)]
fn refuse_or_warn(path: &Path) -> io::Result<()> {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use crate::output::{shown, warn};

    let mode = |file: fs::Metadata| file.permissions().mode();
    // Such as /dev/stdout.
    #[cfg(target_os = "linux")]
    let leads_to = fs::read_link(path).unwrap_or_default();
    #[cfg(target_os = "linux")]
    let path_of_number = if leads_to.starts_with("/proc/self/fd") { &leads_to } else { path };
    #[cfg(target_os = "linux")]
    if ["/dev/fd", "/proc/self/fd"].iter().any(|directory| path_of_number.starts_with(directory))
        && fs::symlink_metadata(path_of_number).is_ok_and(|link| mode(link) & 0o400 == 0)
    {
        return Err(io::Error::other("Not open for reading"));
    }
    if fs::metadata(path).is_ok_and(|file| file.is_file() && mode(file) & 0o004 != 0) {
        warn(&format!("{}: WARNING: all users can read this key", shown(path.as_os_str())));
    }
    Ok(())
}

/// Reads all of the file as a key, with any line feed at its end.
fn from_file(path: &Path, lengths: RangeInclusive<usize>) -> io::Result<Secret> {
    #[cfg(unix)]
    refuse_or_warn(path)?;
    let (least, most) = lengths.into_inner();
    let mut key = Zeroizing::new(vec![0; most + 1]);
    let length = fill(&mut File::open(path)?, &mut key)?;
    if !(least..=most).contains(&length) {
        let right = if least == most { format!("exactly {most}") } else { format!("{least} to {most}") };
        let given = match length {
            0 => "no bytes".to_owned(),
            _ if length > most => "more".to_owned(),
            _ => format!("{length}"),
        };
        return Err(io::Error::other(format!("a key has {right} bytes, this one has {given}")));
    }
    key.truncate(length);
    Ok(Secret::new(key))
}
