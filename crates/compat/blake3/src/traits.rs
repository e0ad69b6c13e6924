//! The traits of `digest`.

pub use simd_digest::digest;

use digest::array::Array;
use digest::common::{BlockSizeUser, KeySizeUser};
use digest::consts::{U32, U64};
use digest::{
    ExtendableOutput, ExtendableOutputReset, FixedOutput, FixedOutputReset, HashMarker, Key, KeyInit, MacMarker,
    OutputSizeUser, Reset, Update, XofReader,
};

use crate::{Hasher, OutputReader};

impl HashMarker for Hasher {}

impl MacMarker for Hasher {}

impl Update for Hasher {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.update(data);
    }
}

impl Reset for Hasher {
    #[inline]
    fn reset(&mut self) {
        self.reset();
    }
}

impl OutputSizeUser for Hasher {
    type OutputSize = U32;
}

impl FixedOutput for Hasher {
    #[inline]
    fn finalize_into(self, out: &mut Array<u8, U32>) {
        out.copy_from_slice(self.finalize().as_bytes());
    }
}

impl FixedOutputReset for Hasher {
    #[inline]
    fn finalize_into_reset(&mut self, out: &mut Array<u8, U32>) {
        out.copy_from_slice(self.finalize().as_bytes());
        self.reset();
    }
}

impl ExtendableOutput for Hasher {
    type Reader = OutputReader;

    #[inline]
    fn finalize_xof(self) -> OutputReader {
        Hasher::finalize_xof(&self)
    }
}

impl ExtendableOutputReset for Hasher {
    #[inline]
    fn finalize_xof_reset(&mut self) -> OutputReader {
        let reader = Hasher::finalize_xof(self);
        self.reset();
        reader
    }
}

impl XofReader for OutputReader {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) {
        self.fill(buffer);
    }
}

impl KeySizeUser for Hasher {
    type KeySize = U32;
}

impl BlockSizeUser for Hasher {
    type BlockSize = U64;
}

impl KeyInit for Hasher {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Hasher::new_keyed(key.as_ref())
    }
}
