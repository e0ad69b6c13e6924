//! The default backend of a process, alone in its own process since it can be set once.
#![cfg(all(feature = "std", feature = "blake2"))]

use simd_digest::blake2b::{self, Hasher};
use simd_digest::{Backend, BackendError};

#[test]
fn set_once() {
    let portable = "portable".parse().unwrap();
    assert_eq!(Backend::set_default(portable), Ok(()));
    assert_eq!(Backend::best(), portable);
    assert_eq!(Backend::default(), portable);
    assert_eq!(Hasher::new().backend(), portable);
    for backend in Backend::available() {
        assert_eq!(Backend::set_default(backend), Err(BackendError::AlreadyChosen));
        assert_eq!(Hasher::new().with_backend(backend).backend(), backend);
    }
    assert_eq!(Backend::best(), portable);
    assert_eq!(Hasher::new().update(b"abc").finalize(), blake2b::hash(b"abc"));
}
