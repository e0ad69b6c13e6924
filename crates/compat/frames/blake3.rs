// The unit tests of blake3 over the public names of the adapter.
pub use adapter::*;

#[cfg(test)]
type CVBytes = [u8; 32];
#[cfg(test)]
type CVWords = [u32; 8];
#[cfg(test)]
enum IncrementCounter {}

#[cfg(test)]
mod hazmat {
    use adapter::hazmat::*;

    use crate::{CHUNK_LEN, Hasher};

    @item hazmat.rs test_max_subtree_len@

    @item hazmat.rs test_left_subtree_len@

    @module hazmat.rs test@
}

#[cfg(test)]
mod traits {
    use adapter::traits::digest;

    use crate::Hasher;

    @module traits.rs test@
}

#[cfg(test)]
mod test {
    @file test.rs@
}
