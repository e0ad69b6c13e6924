//! The parameter sets (FIPS 205, section 11).

use simd_digest::sha2::{Variant, Variant256, Variant512};

/// The top layer of the hypertree, the height of each of its trees, and the number of FORS trees: d - 1, h' and k.
pub(crate) const TOP: u8 = 21;
pub(crate) const HEIGHT: usize = 3;
pub(crate) const TREES: usize = 33;

/// The private supertrait of `ParameterSet`.
pub trait Sealed: Copy + core::fmt::Debug + Eq + 'static {
    /// The height of a FORS tree: a.
    const A: usize;
    /// SHA-256 or SHA-512, for all except F and PRF.
    type Wide: Variant;
}

/// A parameter set.
pub trait ParameterSet: Sealed {
    /// Bytes of a seed and of a hash value: n. A verifying key has 2n bytes, a signing key 4n.
    const N: usize;
    /// Chains of a WOTS+ key: len.
    const CHAINS: usize = 2 * Self::N + 3;
    /// Bytes of a signature.
    const SIGNATURE: usize = (1 + TREES * (1 + Self::A) + (TOP as usize + 1) * (Self::CHAINS + HEIGHT)) * Self::N;
}

macro_rules! set {
    ($Set:ident, $name:literal, n $n:literal, a $a:literal, $Wide:ident) => {
        #[doc = concat!("SLH-DSA-SHA2-", $name, ": n is ", $n, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Set {}

        impl Sealed for $Set {
            const A: usize = $a;
            type Wide = $Wide;
        }

        impl ParameterSet for $Set {
            const N: usize = $n;
        }
    };
}

set!(Sha2_128f, "128f", n 16, a 6, Variant256);
set!(Sha2_192f, "192f", n 24, a 8, Variant512);
