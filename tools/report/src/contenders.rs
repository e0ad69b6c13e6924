//! The functions that run: ours and the peers', all of one shape.

#[cfg(feature = "peers")]
use core::cell::RefCell;
use core::hint::black_box;

use blake2b_simd::Params;
use blake2b_simd::many::HashManyJob;
use sha2::{Sha256, Sha512};
use simd_digest::blake2b::{self, Blake2bp};
use simd_digest::{Blake2b512, Blake2s256, Digest, blake2s, blake3 as our_blake3, sha256};

#[cfg(feature = "openssl")]
use crate::evp;

/// The name of a hash, whether it is a peer's of the same hash as ours, and the hash of one message.
pub(crate) type One = (&'static str, bool, fn(&[u8]));
/// As [`One`], with the hash of many messages.
pub(crate) type Many = (&'static str, bool, fn(&[&[u8]]));

pub(crate) const BLAKE2B: &[One] = &[
    ("simd-digest", false, |message| keep(blake2b::hash(message))),
    ("simd-digest, as `Digest`", false, |message| keep(Blake2b512::digest(message))),
    ("blake2b_simd", true, |message| keep(blake2b_simd::blake2b(message))),
    ("blake2", true, |message| keep(blake2::Blake2b512::digest(message))),
    #[cfg(feature = "peers")]
    ("rscrypto", true, |message| keep(rscrypto::Blake2b512::digest(message))),
    #[cfg(feature = "openssl")]
    (evp::NAME, true, |message| keep(evp::blake2b(message))),
];

pub(crate) const BLAKE2S: &[One] = &[
    ("simd-digest", false, |message| keep(blake2s::hash(message))),
    ("simd-digest, as `Digest`", false, |message| keep(Blake2s256::digest(message))),
    ("blake2s_simd", true, |message| keep(blake2s_simd::blake2s(message))),
    ("blake2", true, |message| keep(blake2::Blake2s256::digest(message))),
    #[cfg(feature = "peers")]
    ("rscrypto", true, |message| keep(rscrypto::Blake2s256::digest(message))),
    #[cfg(feature = "openssl")]
    (evp::NAME, true, |message| keep(evp::blake2s(message))),
];

pub(crate) const BLAKE2BP: &[One] = &[
    ("simd-digest", false, |message| keep(Blake2bp::digest(message))),
    ("blake2b_simd", true, |message| keep(blake2b_simd::blake2bp::blake2bp(message))),
];

pub(crate) const OTHERS: &[One] = &[
    ("simd-digest BLAKE2b", false, |message| keep(blake2b::hash(message))),
    ("simd-digest BLAKE2bp", false, |message| keep(Blake2bp::digest(message))),
    ("blake2b_simd BLAKE2bp", false, |message| keep(blake2b_simd::blake2bp::blake2bp(message))),
    ("simd-digest SHA-256", false, |message| keep(sha256::hash(message))),
    ("sha2 SHA-256", false, |message| keep(Sha256::digest(message))),
    ("sha2 SHA-512", false, |message| keep(Sha512::digest(message))),
    ("simd-digest BLAKE3", false, |message| keep(our_blake3::hash(message))),
    ("blake3", false, |message| keep(blake3::hash(message))),
];

pub(crate) const MANY: &[Many] = &[
    ("simd-digest `hash_many`", false, |messages| keep(blake2b::hash_many(messages))),
    ("simd-digest, one by one", false, |messages| messages.iter().for_each(|message| BLAKE2B[0].2(message))),
    ("blake2b_simd `hash_many`", true, |messages| keep(peer_many(&Params::new(), messages))),
    ("blake2, one by one", true, |messages| messages.iter().for_each(|message| BLAKE2B[3].2(message))),
    #[cfg(feature = "peers")]
    ("rscrypto, one by one", true, |messages| {
        messages.iter().for_each(|message| keep(rscrypto::Blake2b512::digest(message)));
    }),
    #[cfg(feature = "openssl")]
    ("OpenSSL, one by one", true, |messages| messages.iter().for_each(|message| keep(evp::blake2b(message)))),
    ("sha2 SHA-256, one by one", false, |messages| messages.iter().for_each(|message| OTHERS[4].2(message))),
    ("blake3, one by one", false, |messages| messages.iter().for_each(|message| OTHERS[7].2(message))),
];

pub(crate) fn keep<T>(digest: T) {
    black_box(digest);
}

/// The tag of a message by a key that was set up.
#[cfg(feature = "peers")]
pub(crate) fn rscrypto_tag<M: rscrypto::Mac>(key: &RefCell<M>, message: &[u8]) -> M::Tag {
    let mut key = key.borrow_mut();
    key.reset();
    key.update(message);
    key.finalize()
}

pub(crate) fn peer_many(params: &Params, messages: &[impl AsRef<[u8]>]) -> Vec<blake2b_simd::Hash> {
    let mut jobs: Vec<_> = messages.iter().map(|message| HashManyJob::new(params, message.as_ref())).collect();
    blake2b_simd::many::hash_many(jobs.iter_mut());
    jobs.iter().map(HashManyJob::to_hash).collect()
}

/// Panics if not all answer the same to the same question.
pub(crate) fn agree(memory: &[u8]) {
    for message in [0, 64, 129, memory.len()].map(|length| &memory[..length]) {
        let expected = *blake2b_simd::blake2b(message).as_array();
        assert_eq!(blake2b::hash(message), expected);
        assert_eq!(Blake2b512::digest(message), expected);
        assert_eq!(blake2::Blake2b512::digest(message), expected);
        let of_blake2s = *blake2s_simd::blake2s(message).as_array();
        assert_eq!(blake2s::hash(message), of_blake2s);
        assert_eq!(Blake2s256::digest(message), of_blake2s);
        assert_eq!(blake2::Blake2s256::digest(message), of_blake2s);
        #[cfg(feature = "peers")]
        {
            assert_eq!(rscrypto::Blake2b512::digest(message), expected);
            assert_eq!(rscrypto::Blake2s256::digest(message), of_blake2s);
        }
        #[cfg(feature = "openssl")]
        {
            assert_eq!(evp::blake2b(message), expected);
            assert_eq!(evp::blake2s(message), of_blake2s);
        }
        assert_eq!(Blake2bp::digest(message), *blake2b_simd::blake2bp::blake2bp(message).as_array());
    }
    let messages: Vec<&[u8]> = memory.chunks(1000).collect();
    let (ours, peers) = (blake2b::hash_many(&messages), peer_many(&Params::new(), &messages));
    assert!(ours.iter().zip(&peers).all(|(ours, peer)| ours.as_bytes() == peer.as_bytes()));
}
