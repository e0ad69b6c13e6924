//! Argon2id of "password" and "somesalt" with 64 MiB and two passes, as the authors' program computes it.
use argon2::{Algorithm, Argon2, Params, Version};

fn main() {
    let mut tag = [0; 32];
    let params = Params::new(65536, 2, 1, Some(32)).expect("parameters in range");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(b"password", b"somesalt", &mut tag)
        .expect("lengths in range");
    let expected = "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7";
    assert_eq!(tag.map(|byte| format!("{byte:02x}")).concat(), expected);
}
