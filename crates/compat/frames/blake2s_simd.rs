// The unit tests of blake2s_simd over the public names of the adapter.
pub use adapter::*;

#[cfg(test)]
use core::cmp;

#[cfg(test)]
type Count = u64;

#[cfg(test)]
mod guts {
    pub(crate) const MAX_DEGREE: usize = adapter::many::MAX_DEGREE;
}

@item lib.rs paint_test_input@

#[cfg(test)]
mod many {
    use crate::{Count, Params, State};
    use adapter::many::*;

    @module many.rs test@
}

#[cfg(test)]
mod blake2sp {
    pub use adapter::blake2sp::*;
    use adapter::benchmarks::force_portable_blake2sp as force_portable;

    use crate::{BLOCKBYTES, Count, Hash, OUTBYTES, cmp};

    const DEGREE: usize = 8;

    @module blake2sp.rs test@
}

#[cfg(test)]
mod test {
    @file test.rs@
}
