//! Code that compiles neither over the adapters nor over their peers, and with the feature `cured` code that does.
fn takes_010<D: digest_010::Digest>() {}
fn takes_011<D: digest_011::Digest>() {}

#[cfg(not(feature = "cured"))]
fn main() {
    {
        use hmac_012::{Hmac, Mac};
        Hmac::<sha2::Sha256>::new_from_slice(b"key").unwrap();
    }
    {
        use hmac_013::{Hmac, KeyInit};
        Hmac::<blake2::Blake2b512>::new_from_slice(b"key").unwrap();
        Hmac::<blake2_010::Blake2b512>::new_from_slice(b"key").unwrap();
        Hmac::<sha2_010::Sha512>::new_from_slice(b"key").unwrap();
        Hmac::<blake3::Hasher>::new_from_slice(b"key").unwrap();
    }
    takes_010::<blake2::Blake2b512>();
    takes_010::<blake3::Hasher>();
    takes_011::<blake2_010::Blake2b512>();
    takes_011::<sha2_010::Sha512>();
}

#[cfg(feature = "cured")]
fn main() {
    {
        use hmac_012::{Hmac, Mac, SimpleHmac};
        Hmac::<sha2_010::Sha512>::new_from_slice(b"key").unwrap();
        SimpleHmac::<blake2_010::Blake2b512>::new_from_slice(b"key").unwrap();
    }
    {
        use hmac_013::{Hmac, KeyInit, SimpleHmac};
        Hmac::<sha2::Sha256>::new_from_slice(b"key").unwrap();
        SimpleHmac::<blake2::Blake2b512>::new_from_slice(b"key").unwrap();
        SimpleHmac::<blake3::Hasher>::new_from_slice(b"key").unwrap();
    }
    takes_010::<blake2_010::Blake2b512>();
    takes_010::<sha2_010::Sha512>();
    takes_011::<blake2::Blake2b512>();
    takes_011::<blake3::Hasher>();
}
