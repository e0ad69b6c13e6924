//! The examples of blake2's README, over simd-digest under the name of blake2.
use blake2::digest::consts::U10;
use blake2::digest::{KeyInit, Mac};
use blake2::{Blake2b, Blake2b512, Blake2bMac, Blake2s256, Digest};

fn main() {
    let mut hasher = Blake2b512::new();
    hasher.update(b"hello world");
    assert_eq!(hasher.finalize()[..4], [0x02, 0x1c, 0xed, 0x87]);
    assert_eq!(Blake2s256::digest(b"hello world")[..4], [0x9a, 0xec, 0x68, 0x06]);

    let mut hasher = Blake2b::<U10>::new();
    hasher.update(b"my_input");
    assert_eq!(hasher.finalize()[..], [0x2c, 0xc5, 0x5c, 0x84, 0xe4, 0x16, 0x92, 0x4e, 0x64, 0x00]);

    let mac = Blake2bMac::<U10>::new_from_slice(b"my key").expect("a key of at most 64 bytes");
    assert_eq!(mac.chain_update(b"hello world").finalize().into_bytes().len(), 10);
}
