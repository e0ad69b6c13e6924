//! A default backend that comes too late, alone in its own process since the first hasher decides.
#![cfg(all(feature = "std", feature = "blake2"))]

use simd_digest::blake2b::Hasher;
use simd_digest::{Backend, BackendError};

#[test]
fn too_late() {
    let used = Hasher::new().backend();
    for backend in Backend::available() {
        let error = Backend::set_default(backend).unwrap_err();
        assert_eq!(error, BackendError::AlreadyChosen);
        assert_eq!(error.to_string(), "the default backend is already set or in use");
    }
    assert_eq!(Backend::best(), used);
}
