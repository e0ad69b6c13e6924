//! Functions that take digests and return them: of one hash, of all of SHA-2, and of BLAKE2.

use simd_digest::sha2::{self, Variant};
use simd_digest::{blake2, blake2b, sha256, sha512};

/// The next link of a chain of records.
fn next(before: &sha256::Hash, record: &[u8]) -> sha256::Hash {
    let mut hasher = sha256::Hasher::new();
    hasher.update(before.as_bytes()).update(record);
    hasher.finalize()
}

fn least<V: Variant>(hashes: &[sha2::Hash<V>]) -> Option<sha2::Hash<V>> {
    hashes.iter().min().copied()
}

fn short(message: &[u8]) -> Result<blake2b::Hash, blake2::ParamsError> {
    blake2b::Params::new().hash_length(20).hash(message)
}

fn main() {
    let chain = ["one", "two"].iter().fold(sha256::Hash::default(), |before, record| next(&before, record.as_bytes()));
    println!("{chain}");
    println!("{}", short(b"abc").unwrap());
    let least = least(&sha512::hash_many(&["one", "two", "three"])).unwrap();
    println!("{least}");
    assert_eq!(least.to_string().parse(), Ok(least));
}
