//! Digests in JSON.

use std::collections::BTreeMap;

use simd_digest::{blake3, sha256};

fn main() -> Result<(), serde_json::Error> {
    let files = BTreeMap::from([("a", sha256::hash(b"one")), ("b", sha256::hash(b"two"))]);
    let text = serde_json::to_string(&files)?;
    println!("{text}");
    assert_eq!(serde_json::from_str::<BTreeMap<&str, sha256::Hash>>(&text)?, files);

    let other: blake3::Hash = serde_json::from_value(serde_json::to_value(blake3::hash(b"abc"))?)?;
    println!("{other}");
    assert!(serde_json::from_str::<sha256::Hash>("\"12ab\"").is_err());
    Ok(())
}
