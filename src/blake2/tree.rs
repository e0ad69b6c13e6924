//! Trees (BLAKE2 paper, section 2.10): leaves hashed side by side, nodes folded as they complete.
//!
//! ```text
//!   depth 2                 root              last of its depth, as are all nodes on the right edge
//!                       ┌────┴────┐
//!   depth 1           node 0    node 1        over the digests of up to fanout children
//!                    ┌──┴──┐    ┌──┴──┐
//!   depth 0        leaf 0 leaf 1 leaf 2 …     each over leaf length bytes of the message, the last over the rest
//! ```

pub use self::hasher::TreeHasher;
pub use self::leaves::Part;
pub use self::nodes::LeavesError;
pub use self::shape::Tree;

mod hasher;
mod held;
mod leaves;
mod nodes;
mod shape;
mod verify;
