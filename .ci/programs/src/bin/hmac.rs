//! Signs requests, and verifies what comes back.

use simd_digest::digest::{KeyInit, Mac, MacError};
use simd_digest::sha256::HmacKey;
use simd_digest::{HmacSha256, sha256};

/// The body of a request, if its tag is right.
fn body<'a>(key: &HmacKey, request: &'a str) -> Result<&'a str, MacError> {
    let (tag, body) = request.split_once(' ').ok_or(MacError)?;
    let tag: sha256::Hash = tag.parse().map_err(|_| MacError)?;
    key.verify(body.as_bytes(), tag.as_bytes()).map(|()| body)
}

fn main() -> Result<(), MacError> {
    let key = HmacKey::new(b"a key");
    let request = format!("{} pay 10", key.hash(b"pay 10"));
    println!("{request}");
    assert_eq!(body(&key, &request)?, "pay 10");
    assert_eq!(body(&key, &request.replace("10", "99")), Err(MacError));
    assert_eq!(body(&key, "pay 10"), Err(MacError));

    let mac = HmacSha256::new_from_slice(b"a key").unwrap().chain_update("pay ").chain_update("10");
    mac.verify_slice(key.hash(b"pay 10").as_bytes())
}
