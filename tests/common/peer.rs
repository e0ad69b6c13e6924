//! The crates `blake2b_simd` and `blake2s_simd` as oracles. They have the same names for everything.
//!
//! In scalar code: they take AVX2 for SSE4.1 too, and end the process where a CPU tells of the one and not of the
//! other.

use core::fmt::Debug;

use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use super::flavour::Flavour;

/// Everything that can be set.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    pub(crate) hash_length: usize,
    pub(crate) key: Vec<u8>,
    pub(crate) salt: Vec<u8>,
    pub(crate) personal: Vec<u8>,
    pub(crate) fanout: u8,
    pub(crate) max_depth: u8,
    pub(crate) max_leaf_length: u32,
    pub(crate) node_offset: u64,
    pub(crate) node_depth: u8,
    pub(crate) inner_hash_length: usize,
    pub(crate) last_node: bool,
}

impl Fields {
    /// Sequential hashing, unkeyed, to as many bytes as there can be.
    pub(crate) fn new<F: Flavour>() -> Self {
        Self {
            hash_length: F::LONGEST,
            key: vec![],
            salt: vec![],
            personal: vec![],
            fanout: 1,
            max_depth: 1,
            max_leaf_length: 0,
            node_offset: 0,
            node_depth: 0,
            inner_hash_length: 0,
            last_node: false,
        }
    }
}

/// The parameters of `fields`, of whichever crate `params` is: all have the same setters.
macro_rules! set_all {
    ($params:expr, $fields:expr) => {
        $params
            .hash_length($fields.hash_length)
            .key(&$fields.key)
            .salt(&$fields.salt)
            .personal(&$fields.personal)
            .fanout($fields.fanout)
            .max_depth($fields.max_depth)
            .max_leaf_length($fields.max_leaf_length)
            .node_offset($fields.node_offset)
            .node_depth($fields.node_depth)
            .inner_hash_length($fields.inner_hash_length)
            .last_node($fields.last_node)
    };
}
pub(crate) use set_all;

/// What the peer of a flavour computes.
pub(crate) trait Peer: Flavour {
    type Hash: AsRef<[u8]> + Debug;

    fn digest(fields: &Fields, message: &[u8]) -> Self::Hash;
    fn hash_many(fields: &Fields, messages: &[Vec<u8>]) -> Vec<Self::Hash>;
    fn update_many(streams: &[(Fields, Vec<u8>)]) -> Vec<Self::Hash>;
    /// BLAKE2bp or BLAKE2sp.
    fn parallel(hash_length: usize, key: &[u8], message: &[u8]) -> Self::Hash;
}

macro_rules! peer {
    ($Flavour:ident, $peer:ident, $parallel:ident, $portable_parallel:ident) => {
        impl Peer for $Flavour {
            type Hash = $peer::Hash;

            fn digest(fields: &Fields, message: &[u8]) -> $peer::Hash {
                peer!(@params $peer, fields).hash(message)
            }

            fn hash_many(fields: &Fields, messages: &[Vec<u8>]) -> Vec<$peer::Hash> {
                let params = peer!(@params $peer, fields);
                let job = |message| $peer::many::HashManyJob::new(&params, message);
                let mut jobs: Vec<_> = messages.iter().map(|message| job(message)).collect();
                $peer::many::hash_many(&mut jobs);
                jobs.iter().map($peer::many::HashManyJob::to_hash).collect()
            }

            fn update_many(streams: &[(Fields, Vec<u8>)]) -> Vec<$peer::Hash> {
                let start = |fields: &Fields| peer!(@params $peer, fields).to_state();
                let mut states: Vec<_> = streams.iter().map(|(fields, _)| start(fields)).collect();
                $peer::many::update_many(states.iter_mut().zip(streams.iter().map(|(_, message)| message)));
                states.iter().map($peer::State::finalize).collect()
            }

            fn parallel(hash_length: usize, key: &[u8], message: &[u8]) -> $peer::Hash {
                let mut params = $peer::$parallel::Params::new();
                $peer::benchmarks::$portable_parallel(&mut params);
                params.hash_length(hash_length).key(key).hash(message)
            }
        }
    };
    (@params $peer:ident, $fields:expr) => {{
        let mut params = $peer::Params::new();
        $peer::benchmarks::force_portable(&mut params);
        set_all!(params, $fields);
        params
    }};
}
peer!(FlavourB, blake2b_simd, blake2bp, force_portable_blake2bp);
peer!(FlavourS, blake2s_simd, blake2sp, force_portable_blake2sp);
