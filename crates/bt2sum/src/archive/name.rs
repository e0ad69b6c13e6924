//! Names of files below a directory: bytes, with slashes between components.

use core::cmp::Ordering;

/// The order of a walk that takes the entries of each directory in the bytewise order of their names.
pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    // A slash is less than any other byte of a name, and the end is less than a slash.
    let rank = |&byte: &u8| if byte == b'/' { 0 } else { u16::from(byte) + 1 };
    a.iter().map(rank).cmp(b.iter().map(rank))
}

/// Whether `name` is that of something below `directory`.
pub(super) fn is_below(name: &[u8], directory: &[u8]) -> bool {
    name.strip_prefix(directory).is_some_and(|rest| directory.is_empty() || rest.starts_with(b"/"))
}

/// Whether a walk can find this name: no component is empty, `.` or `..`, and none has a NUL.
pub(super) fn is_proper(name: &[u8]) -> bool {
    !name.contains(&0) && name.split(|&byte| byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

/// The name without its last component, and that component.
pub(super) fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (&name[..slash], &name[slash + 1..]),
        None => (b"", name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_components() {
        let ordered = ["a", "a/b", "a/b/c", "a/c", "a\u{1}", "a b", "a-b/c", "a.b", "ab", "b"];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                assert_eq!(compare(a.as_bytes(), b.as_bytes()), i.cmp(&j), "{a} {b}");
                let (left, right): (Vec<_>, Vec<_>) = (a.split('/').collect(), b.split('/').collect());
                assert_eq!(i.cmp(&j), left.cmp(&right), "{a} {b}");
            }
        }
    }

    #[test]
    fn proper_names() {
        for name in ["a", "a/b", "...", "a/.b", " ", "a\nb", "a\\b"] {
            assert!(is_proper(name.as_bytes()), "{name:?}");
        }
        for name in ["", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/../b", "../a", "a\0b"] {
            assert!(!is_proper(name.as_bytes()), "{name:?}");
        }
    }

    #[test]
    fn parts_of_names() {
        assert!(is_below(b"a/b", b"a") && is_below(b"a", b"") && !is_below(b"ab", b"a") && !is_below(b"a", b"a"));
        assert_eq!((split(b"a/b/c"), split(b"a")), ((&b"a/b"[..], &b"c"[..]), (&b""[..], &b"a"[..])));
    }
}
