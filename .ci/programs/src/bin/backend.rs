//! A program that keeps wide registers off, and computes on each backend in turn.

use simd_digest::sha256::{Batch, Hasher};
use simd_digest::{Backend, BackendError, sha256};

fn main() -> Result<(), BackendError> {
    let portable: Backend = "portable".parse()?;
    Backend::set_default(Backend::available().find(|one| one.name() != "avx512").unwrap_or(portable))?;
    assert_ne!(Hasher::new().backend().name(), "avx512");
    assert_eq!(Backend::set_default(portable), Err(BackendError::AlreadyChosen));
    assert_eq!("avx1024".parse::<Backend>(), Err(BackendError::Unknown));

    for backend in Backend::available() {
        let batch = Batch::new().with_backend(backend);
        assert_eq!(batch.hash_many(&["one", "two"])[1], Hasher::new().with_backend(portable).update(b"two").finalize());
    }
    println!("{}", sha256::hash(b"two"));
    Ok(())
}
