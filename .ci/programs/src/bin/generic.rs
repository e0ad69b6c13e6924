//! One function for every hash, by the traits of `digest`.

use simd_digest::digest::Output;
use simd_digest::{Blake2b256, Blake3, Digest, Sha256, Sha512};

/// The digest of the parts, each after its length.
fn joined<D: Digest>(parts: &[&str]) -> Output<D> {
    let mut hasher = D::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}

fn show<D: Digest>(name: &str) {
    let hex: String = joined::<D>(&["one", "two"]).iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{name} {hex}");
}

fn main() {
    show::<Sha256>("sha256");
    show::<Sha512>("sha512");
    show::<Blake2b256>("blake2b-256");
    show::<Blake3>("blake3");
    assert_ne!(joined::<Sha256>(&["one", "two"]), joined::<Sha256>(&["on", "etwo"]));
}
