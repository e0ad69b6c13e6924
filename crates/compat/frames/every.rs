//! argon2 and snow, which need blake2 of two versions and sha2 0.10, and a call of each other crate.
use argon2::Argon2;
use sha2::Digest;

fn main() {
    let mut tag = [0; 32];
    Argon2::default().hash_password_into(b"password", b"somesalt", &mut tag).expect("lengths in range");
    assert_ne!(tag, [0; 32]);
    let noise = "Noise_NN_25519_ChaChaPoly_BLAKE2b".parse().expect("a pattern of snow");
    let mut initiator = snow::Builder::new(noise).build_initiator().expect("a handshake");
    assert!(initiator.write_message(&[], &mut [0; 100]).is_ok());
    assert_eq!(sha2::Sha256::digest(b"")[..4], [0xe3, 0xb0, 0xc4, 0x42]);
    assert_eq!(blake2b_simd::blake2b(b"").as_bytes()[..4], [0x78, 0x6a, 0x02, 0xf7]);
    assert_eq!(blake2s_simd::blake2s(b"").as_bytes()[..4], [0x69, 0x21, 0x7a, 0x30]);
    assert_eq!(blake3::hash(b"").as_bytes()[..4], [0xaf, 0x13, 0x49, 0xb9]);
}
