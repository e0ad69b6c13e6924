//! What no test of blake3 reaches, compared with the published blake3.
#![cfg(test)]

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
