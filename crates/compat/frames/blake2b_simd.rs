// The unit tests of blake2b_simd over the public names of the adapter.
pub use adapter::*;

#[cfg(test)]
use core::cmp;

#[cfg(test)]
type Count = u128;

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
mod blake2bp {
    pub use adapter::blake2bp::*;
    use adapter::benchmarks::force_portable_blake2bp as force_portable;

    use crate::{BLOCKBYTES, Count, Hash, OUTBYTES, cmp};

    const DEGREE: usize = 4;

    @module blake2bp.rs test@
}

#[cfg(test)]
mod test {
    @file test.rs@
}
