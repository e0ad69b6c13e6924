//! A long message at random.

use simd_digest::digest::Update;
use simd_digest::digest::dev::feed_rand_16mib;

/// Gives 16 MiB to the function, in pieces: once for all hashers that a test compares, because to make the bytes takes
/// longer than to hash them.
pub(crate) fn feed_16_mib(function: impl FnMut(&[u8])) {
    struct Feed<F>(F);
    impl<F: FnMut(&[u8])> Update for Feed<F> {
        fn update(&mut self, bytes: &[u8]) {
            (self.0)(bytes);
        }
    }
    feed_rand_16mib(&mut Feed(function));
}
