//! What the system tells of a running program, so that tests wait for it and not for time to pass.

#[cfg(target_os = "linux")]
pub(crate) use linux::{has_begun, has_locked, has_opened, kill};

/// Waits until a process waits, all its threads: it has read what there was.
#[cfg(target_os = "linux")]
pub(crate) fn until_idle(process: u32) {
    crate::in_time::until(format_args!("process {process} to wait"), || linux::is_idle(process).then_some(()));
}

/// Gives a process the time to read what there is, since the system does not tell whether it waits.
#[cfg(not(target_os = "linux"))]
pub(crate) fn until_idle(_: u32) {
    std::thread::sleep(core::time::Duration::from_millis(10));
}

#[cfg(target_os = "linux")]
mod linux {
    use core::fmt::Display;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// Whether no thread of a process runs, or waits for a disk. A thread that is woken does run, even if no processor
    /// is free for it.
    pub(crate) fn is_idle(process: u32) -> bool {
        let threads = entries(process, "task");
        let mut stats = threads.filter_map(|thread| fs::read_to_string(thread.join("stat")).ok());
        // The state follows the name, which is in parentheses and may contain some.
        stats.all(|stat| stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['R', 'D'])))
    }

    /// Whether a process writes a temporary file, which is there after the handler of signals. One that was left
    /// behind, and which it is about to remove, it only reads.
    pub(crate) fn has_begun(process: u32) -> bool {
        unfinished(process).is_some()
    }

    /// Whether a process writes a temporary file and holds its lock, so that no other takes the file for left behind.
    pub(crate) fn has_locked(process: u32) -> bool {
        unfinished(process).is_some_and(|descriptor| {
            let descriptor = descriptor.file_name().unwrap().to_str().unwrap();
            fs::read_to_string(format!("/proc/{process}/fdinfo/{descriptor}")).is_ok_and(|info| info.contains("lock:"))
        })
    }

    /// Whether a process has the file open, whose path has no links.
    pub(crate) fn has_opened(process: u32, path: &Path) -> bool {
        entries(process, "fd").any(|descriptor| fs::read_link(descriptor).is_ok_and(|file| file == path))
    }

    /// The descriptor of the temporary file that a process writes.
    fn unfinished(process: u32) -> Option<PathBuf> {
        entries(process, "fd").find(|descriptor| {
            let mode = fs::symlink_metadata(descriptor).map(|file| file.permissions().mode());
            let is_temporary = |path: PathBuf| path.extension().is_some_and(|extension| extension == "tmp");
            mode.is_ok_and(|mode| mode & 0o200 != 0) && fs::read_link(descriptor).is_ok_and(is_temporary)
        })
    }

    /// What is in a directory that the system has for a process. Of one that has ended, nothing.
    fn entries(process: u32, directory: &str) -> impl Iterator<Item = PathBuf> {
        let entries = fs::read_dir(format!("/proc/{process}/{directory}")).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path()))
    }

    /// Sends a signal to a process, or to a group, whose number is negative.
    pub(crate) fn kill(process: impl Display, signal: impl Display) {
        let run = crate::outcome(Command::new("kill").args([format!("-{signal}"), "--".into(), process.to_string()]));
        assert_eq!(run, crate::success(""), "kill -{signal} -- {process}");
    }
}
