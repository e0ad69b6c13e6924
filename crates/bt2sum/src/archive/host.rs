//! Tells the machine and the file system of a directory from others, without telling who they are.

use std::fs;

use simd_digest::blake2b::Params;

use super::store::Host;
use crate::walk::Root;

/// Where the machine has its identifier.
const MACHINE: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// Whether this is the text of a file with an identifier. A machine that has not been set up has none or another text.
fn is_id(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The host of a directory, and the device that it is on. A host that is not known equals no other.
pub(super) fn host(root: &Root) -> (Host, Option<u64>) {
    let known = || {
        let machine = MACHINE.into_iter().find_map(|path| fs::read_to_string(path).ok().filter(|text| is_id(text)))?;
        let machine = machine.trim_end();
        let file_system = root.file_system().ok().filter(|&id| id != 0)?;
        let params = Params::new().hash_length(16).personal(b"bt2store host").key(machine.as_bytes());
        let hash = params.hash(&file_system.to_le_bytes()).ok()?;
        Some((Host(hash.as_bytes().try_into().ok()?), Some(root.stat().ok()?.st_dev)))
    };
    known().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::is_id;

    #[test]
    fn identifiers_of_machines() {
        assert!(is_id("0123456789abcdef0123456789abcdef\n") && is_id("0123456789abcdef0123456789abcdef"));
        for text in
            ["", "\n", "uninitialized\n", "0123456789abcdef0123456789abcde\n", "0123456789abcdef0123456789abcdeg\n"]
        {
            assert!(!is_id(text), "{text:?}");
        }
    }
}
