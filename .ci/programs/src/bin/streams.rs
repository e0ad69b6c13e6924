//! Files that arrive piece by piece, hashed side by side.

use simd_digest::ManyError;
use simd_digest::sha256::{self, Hasher};
use simd_digest::{Backend, blake3};

fn main() -> Result<(), ManyError> {
    let files: Vec<Vec<u8>> = (1..=5).map(|i| vec![i; 1000 * usize::from(i)]).collect();
    let mut hashers = vec![Hasher::new(); files.len()];
    let mut rest: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    while rest.iter().any(|rest| !rest.is_empty()) {
        let pieces = rest.iter_mut().map(|rest| rest.split_off(..rest.len().min(700)).unwrap_or_default());
        let mut updates: Vec<_> = hashers.iter_mut().zip(pieces).collect();
        sha256::update_many(&mut updates);
    }
    let mut hashes = vec![sha256::Hash::default(); files.len()];
    sha256::finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes)?;
    println!("{}", hashes[4]);
    assert_eq!(hashes, sha256::hash_many(&files));

    let mut hashers = vec![Hasher::new(); files.len()];
    let mut ended = Vec::new();
    let jobs = hashers.iter_mut().zip(&files).enumerate();
    let jobs = jobs.map(|(i, (hasher, file))| (i, hasher, file.as_slice()));
    sha256::update_each(Backend::best(), jobs, |i| ended.push(i));
    assert_eq!(ended.len(), hashers.len());
    assert!(hashers.iter().zip(&hashes).all(|(hasher, hash)| hasher.finalize() == *hash));

    let mut hasher = blake3::Hasher::new();
    blake3::update_many(&mut [(&mut hasher, b"abc")]);
    println!("{}", hasher.finalize());
    Ok(())
}
