//! Tells the machine and the file system of a directory from others, without telling who they are.

use std::fs;

use simd_digest::blake2b::Params;

use super::store::Host;
use super::walk::Root;

/// Where the machine has its identifier.
const MACHINE: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// The host of a directory, and the device that it is on. A host that is not known equals no other.
pub(super) fn host(root: &Root) -> (Host, Option<u64>) {
    let known = || {
        let text = MACHINE.into_iter().find_map(|path| fs::read_to_string(path).ok())?;
        let machine = text.lines().next().filter(|line| (1..=64).contains(&line.len()))?;
        let file_system = root.file_system().ok().filter(|&id| id != 0)?;
        let params = Params::new().hash_length(16).personal(b"bt2store host").key(machine.as_bytes());
        let hash = params.hash(&file_system.to_le_bytes()).ok()?;
        Some((Host(hash.as_bytes().try_into().ok()?), Some(root.stat().ok()?.st_dev)))
    };
    known().unwrap_or_default()
}
