//! Concurrent streams share SIMD lanes.
//!
//! ```
//! use std::thread;
//!
//! use simd_digest::blake2b;
//! use simd_digest_pool::Pool;
//!
//! let pool = Pool::new();
//! let messages: Vec<Vec<u8>> = (0..8).map(|i| vec![i; 300_000]).collect();
//! thread::scope(|scope| {
//!     for message in &messages {
//!         let mut hasher = pool.hasher(blake2b::Hasher::new());
//!         scope.spawn(move || {
//!             for piece in message.chunks(65_536) {
//!                 hasher.update(piece); // the piece is hashed, by this thread or by another
//!             }
//!             assert_eq!(hasher.finalize(), blake2b::hash(message));
//!         });
//!     }
//! });
//! println!("{:?}", pool.stats());
//! ```
//!
//! A server hashes many uploads at once, each in its own thread or task. A stream on its own runs in one lane of the
//! vector registers, while all lanes together give several times as much. Here a thread that would hash with lanes to
//! spare yields once; whoever comes back first hashes for all. There is no thread of the pool, no timer and nothing to
//! stop, and a stream that is alone pays nothing.
//!
//! - [`Pool::hasher`] is for threads: [`PoolHasher::update`] borrows its bytes.
//! - `Pool::async_hasher`, with feature `bytes`, is for tasks on any executor: `AsyncPoolHasher::update` takes `Bytes`.
//!
//! # When it pays
//!
//! With more streams of one hash than cores, in pieces of 16 KiB or more in threads, and of any size in tasks.
//! [`Pool::stats`] tells. It does not pay with fewer streams than cores, for a free core is better than a lane.
//!
//! BLAKE3 has no place here: `blake3::Hasher` of the core fills its lanes from one stream.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod after;
mod lane;
mod lead;
mod lend;
mod member;
mod piece;
mod pool;
mod queue;
mod stats;
mod sync;
#[cfg(feature = "bytes")]
mod task;
mod thread;

pub use self::lane::LaneHasher;
pub use self::pool::{Builder, Pool};
pub use self::stats::Stats;
#[cfg(feature = "bytes")]
pub use self::task::{AsyncPoolHasher, Finalize, Update};
pub use self::thread::PoolHasher;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
