//! The parameters of test vectors.

use simd_digest::blake2::{Flavour, Params};

use super::vector::{Vector, bytes, number};

/// What a vector sets, of all that BLAKE2 knows.
pub(crate) fn params<F: Flavour>(vector: Vector) -> Params<F> {
    vector.fields().fold(Params::new(), |params, (name, value)| match name {
        "length" | "digest" => params,
        "hash_length" => params.hash_length(number(value)),
        "key" => params.key(&bytes(value)),
        "salt" => params.salt(&bytes(value)),
        "personal" => params.personal(&bytes(value)),
        "fanout" => params.fanout(number(value)),
        "max_depth" => params.max_depth(number(value)),
        "max_leaf_length" => params.max_leaf_length(number(value)),
        "node_offset" => params.node_offset(number(value)),
        "node_depth" => params.node_depth(number(value)),
        "inner_hash_length" => params.inner_hash_length(number(value)),
        "last_node" => params.last_node(number::<u8>(value) == 1),
        _ => panic!("unknown field {name}"),
    })
}
