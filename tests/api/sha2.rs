//! SHA-256 and SHA-224.

mod hasher;
mod many;
mod nodes;
mod values;
mod vectors;
