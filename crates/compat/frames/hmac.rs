//! A program that needs blake3 with `mmap`, and hmac 0.12 over sha2 0.10.
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256, Sha512};

fn main() {
    let file = std::env::current_exe().expect("the path of this program");
    let bytes = std::fs::read(&file).expect("this program");
    let mut hasher = blake3::Hasher::new();
    hasher.update_mmap(&file).expect("this program");
    assert_eq!(hasher.finalize(), blake3::hash(&bytes));
    assert_eq!(blake3::hash(b"").as_bytes()[..4], [0xaf, 0x13, 0x49, 0xb9]);
    assert_eq!(Sha256::digest(b"")[..4], [0xe3, 0xb0, 0xc4, 0x42]);
    assert_eq!(Sha512::digest(b"")[..4], [0xcf, 0x83, 0xe1, 0x35]);
    // RFC 4231, test case 2.
    let message = b"what do ya want for nothing?";
    let tag = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("a key").chain_update(message);
    assert_eq!(tag.finalize().into_bytes()[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    let tag = Hmac::<Sha512>::new_from_slice(b"Jefe").expect("a key").chain_update(message);
    assert_eq!(tag.finalize().into_bytes()[..4], [0x16, 0x4b, 0x7a, 0x7b]);
}
