//! The oracle of blake3's tests. Its own `reference_impl` is not published, so this is the published blake3 under the
//! names of that.
pub struct Hasher(blake3::Hasher);

impl Hasher {
    pub fn new() -> Self {
        Self(blake3::Hasher::new())
    }

    pub fn new_keyed(key: &[u8; 32]) -> Self {
        Self(blake3::Hasher::new_keyed(key))
    }

    pub fn new_derive_key(context: &str) -> Self {
        Self(blake3::Hasher::new_derive_key(context))
    }

    pub fn update(&mut self, input: &[u8]) {
        self.0.update(input);
    }

    pub fn finalize(&self, out: &mut [u8]) {
        self.0.finalize_xof().fill(out);
    }
}
