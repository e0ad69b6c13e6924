//! Objects verified on every read, by ranges too: stripes with digests over [`object_store`].
//!
//! ```
//! use object_store::{ObjectStoreExt, memory::InMemory, path::Path};
//! use simd_digest_store::{Corrupt, Format, Verified};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let store = Verified::new(InMemory::new(), Format::default()); // or over S3, or files
//! let path = Path::from("object");
//! store.put(&path, vec![7; 1_000_000].into()).await?;
//! let bytes = store.get_range(&path, 100_000..200_000).await?; // from three verified stripes
//! assert_eq!(bytes, vec![7; 100_000]);
//!
//! // A bit flips in the store.
//! let mut stored = store.inner().get(&path).await?.bytes().await?.to_vec();
//! stored[200_000] ^= 1;
//! store.inner().put(&path, stored.into()).await?;
//! let error = store.get(&path).await?.bytes().await.unwrap_err();
//! assert_eq!(Corrupt::find(&error), Some(&Corrupt { stripe: 3, range: 196_608..262_144 }));
//! # Ok::<(), object_store::Error>(())
//! # }).unwrap();
//! ```
//!
//! - [`Verified`] wraps a store, and is one: it puts objects in stripes, each behind its digest, and gives out no byte
//!   before its stripe is verified.
//! - [`Format`] is how objects are written: hash, length of stripes, key. [`Stripes`] is the format of one object
//!   without I/O, for storage of your own. `docs/format.md` in the repository specifies the format, with vectors.
//! - [`Verified::sidecar`] verifies plain objects by files of leaves beside them, which `bt2sum` writes.
//! - [`Error`] and [`Corrupt`] say what is wrong with which object, stripe, and bytes. They are sources of
//!   [`object_store::Error`].
//!
//! # What verification means
//!
//! The digest of a stripe covers its bytes, its number, whether it is the last, and 16 random bytes that are made at
//! each put. So a stripe does not verify if it is damaged, at another place, of another object or of an older version,
//! or if the object was cut off. With a key the stripes of an object are authenticated as one whole. **A key does not
//! say which object lies under a name, nor how old the object is.**
//!
//! The wrapped store is trusted with nothing but to keep objects: a read fails, or returns what was put. Whether an
//! object is there at all, and under which name, is the wrapped store's word.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod buffers;
mod check;
mod corrupt;
mod encoder;
mod error;
#[cfg_attr(any(not(feature = "fs"), target_arch = "wasm32"), path = "no_file.rs")]
mod file;
mod format;
mod hashing;
mod header;
mod key;
mod layout;
mod leaf_file;
mod listing;
mod put;
mod read;
mod rope;
mod scan;
mod sidecar;
mod source;
mod stripes;
mod verified;
mod watch;
mod write;

pub use self::corrupt::Corrupt;
pub use self::error::{Error, Problem};
pub use self::format::{Format, FormatError};
pub use self::header::HeaderError;
pub use self::key::Hash;
pub use self::layout::{RangeError, Run};
pub use self::leaf_file::LeafFileError;
pub use self::read::Check;
pub use self::sidecar::Sidecar;
pub use self::stripes::{EncodeError, Stripes};
pub use self::verified::{Sizes, Verified};
pub use self::watch::Stats;
#[doc(no_inline)]
pub use simd_digest::blake2::Part;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
