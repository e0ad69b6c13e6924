//! Both flavours of BLAKE2 and what the peers have of them.
#![allow(dead_code, reason = "not every bench has a use for everything")]

use digest::Digest;
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use self::sizes::Flavour;

#[path = "../tests/common/flavour.rs"]
pub(crate) mod sizes;

/// Digests of full length, unkeyed, by each peer.
pub(crate) trait Peers: Flavour {
    /// The crate `blake2b_simd` or `blake2s_simd`.
    const SIMD: &str;
    type Simd: AsRef<[u8]>;
    /// The digest of the crate `blake2`.
    type Blake2: Digest;
    /// Our hash by the traits.
    type Ours: Digest;
    /// Our parallel mode by the traits.
    type Parallel: Digest;

    fn simd(message: &[u8]) -> Self::Simd;
    fn simd_many(messages: &[&[u8]]) -> Vec<Self::Simd>;
    /// Messages that the peer hashes side by side.
    fn simd_degree() -> usize;
    fn simd_parallel(message: &[u8]) -> Self::Simd;
}

macro_rules! peers {
    ($Flavour:ident, $peer:ident, $hash:ident, $parallel:ident, $Hash:ident, $Parallel:ident) => {
        impl Peers for $Flavour {
            const SIMD: &str = stringify!($peer);
            type Simd = $peer::Hash;
            type Blake2 = blake2::$Hash;
            type Ours = simd_digest::$Hash;
            type Parallel = simd_digest::$Parallel;

            fn simd(message: &[u8]) -> $peer::Hash {
                $peer::$hash(message)
            }

            fn simd_many(messages: &[&[u8]]) -> Vec<$peer::Hash> {
                let params = $peer::Params::new();
                let job = |message| $peer::many::HashManyJob::new(&params, message);
                let mut jobs: Vec<_> = messages.iter().map(|message| job(message)).collect();
                $peer::many::hash_many(jobs.iter_mut());
                jobs.iter().map($peer::many::HashManyJob::to_hash).collect()
            }

            fn simd_degree() -> usize {
                $peer::many::degree()
            }

            fn simd_parallel(message: &[u8]) -> $peer::Hash {
                $peer::$parallel::$parallel(message)
            }
        }
    };
}
peers!(FlavourB, blake2b_simd, blake2b, blake2bp, Blake2b512, Blake2bp);
peers!(FlavourS, blake2s_simd, blake2s, blake2sp, Blake2s256, Blake2sp);
