//! Addresses and hash functions (FIPS 205, section 11.2).

use simd_digest::sha2::{Hasher, HmacKey, Variant};
use simd_digest::sha256;
use zeroize::Zeroizing;

use crate::set::{HEIGHT, ParameterSet, TREES};

pub(crate) enum Kind {
    WotsHash,
    WotsPk,
    Tree,
    ForsTree,
    ForsRoots,
    WotsPrf,
    ForsPrf,
}

/// A compressed address: layer, tree, kind, key pair, chain or height, and hash or index.
#[derive(Clone, Copy)]
pub(crate) struct Address([u8; Address::LENGTH]);

impl Address {
    const LENGTH: usize = 22;
    /// The places of the kind and of the last byte of the hash.
    pub(crate) const KIND: usize = 9;
    pub(crate) const HASH: usize = 21;

    /// The tree of `layer` that signs for `leaf`, a leaf of the hypertree, and the key pair that does.
    pub(crate) fn new(layer: u8, leaf: u128) -> (Self, usize) {
        let leaf = leaf >> (usize::from(layer) * HEIGHT);
        let mut bytes = [0; Self::LENGTH];
        bytes[0] = layer;
        bytes[1..Self::KIND].copy_from_slice(&((leaf >> HEIGHT) as u64).to_be_bytes());
        (Self(bytes), leaf as usize % (1 << HEIGHT))
    }

    pub(crate) fn of(mut self, kind: Kind, pair: usize) -> Self {
        self.0[Self::KIND] = kind as u8;
        self.0[10..14].copy_from_slice(&(pair as u32).to_be_bytes());
        self
    }

    /// The chain and the hash, or the height and the index.
    pub(crate) fn at(mut self, chain: usize, hash: usize) -> Self {
        self.0[14..18].copy_from_slice(&(chain as u32).to_be_bytes());
        self.0[18..].copy_from_slice(&(hash as u32).to_be_bytes());
        self
    }
}

/// The hash functions, and values that F and PRF replace side by side, each in its lane.
pub(crate) struct Lanes<P: ParameterSet> {
    narrow: sha256::Hasher,
    wide: Hasher<P::Wide>,
    pub(crate) number: usize,
    /// An address and a value each. Most values are secret.
    tails: Zeroizing<Vec<u8>>,
    digests: Zeroizing<Vec<u8>>,
}

impl<P: ParameterSet> Lanes<P> {
    const TAIL: usize = Address::LENGTH + P::N;

    pub(crate) fn new(pk_seed: &[u8], number: usize) -> Self {
        let [tails, digests] = [Self::TAIL, 32].map(|length| Zeroizing::new(vec![0; number * length]));
        Self { narrow: after_block(pk_seed), wide: after_block(pk_seed), number, tails, digests }
    }

    pub(crate) fn set(&mut self, lane: usize, address: Address, value: &[u8]) {
        let (head, tail) = self.tails[lane * Self::TAIL..][..Self::TAIL].split_at_mut(Address::LENGTH);
        head.copy_from_slice(&address.0);
        tail.copy_from_slice(value);
    }

    /// The values of the first lanes.
    pub(crate) fn values(&self, number: usize) -> impl Iterator<Item = &[u8]> {
        self.tails.chunks_exact(Self::TAIL).take(number).map(|tail| &tail[Address::LENGTH..])
    }

    /// Replaces the values of the first lanes by their hashes.
    pub(crate) fn hash(&mut self, number: usize) {
        let tails: Vec<&[u8]> = self.tails.chunks_exact(Self::TAIL).take(number).collect();
        let digests = &mut self.digests[..number * 32];
        self.narrow.hash_many_flat(&tails, digests).expect("a digest for each lane");
        for (tail, digest) in self.tails.chunks_exact_mut(Self::TAIL).zip(digests.chunks_exact(32)) {
            tail[Address::LENGTH..].copy_from_slice(&digest[..P::N]);
        }
    }

    /// Changes a byte of all addresses.
    pub(crate) fn change(&mut self, at: usize, byte: u8) {
        self.tails.chunks_exact_mut(Self::TAIL).for_each(|tail| tail[at] = byte);
    }

    /// H or T of messages of this length, side by side, each after the address for its number.
    pub(crate) fn many(&self, messages: &[u8], length: usize, address: impl Fn(usize) -> Address) -> Vec<u8> {
        let mut tails = Vec::with_capacity(messages.len() / length * (Address::LENGTH + length));
        for (i, message) in messages.chunks_exact(length).enumerate() {
            tails.extend_from_slice(&address(i).0);
            tails.extend_from_slice(message);
        }
        let tails: Vec<&[u8]> = tails.chunks_exact(Address::LENGTH + length).collect();
        let mut values = Vec::with_capacity(tails.len() * P::N);
        self.wide.hash_many(&tails).iter().for_each(|hash| values.extend_from_slice(&hash.as_ref()[..P::N]));
        values
    }
}

/// A hasher that holds a block, twice as long as a digest: the public seed and zeros.
fn after_block<V: Variant>(pk_seed: &[u8]) -> Hasher<V> {
    Hasher::new().update(pk_seed).update(&[0; 128][pk_seed.len()..2 * V::LENGTH]).clone()
}

/// H_msg: the digest for FORS, and the leaf of the hypertree.
pub(crate) fn h_msg<P: ParameterSet>(r: &[u8], public: &[u8], message: &[&[u8]]) -> (Vec<u8>, u128) {
    let (mut inner, mut mask) = (Hasher::<P::Wide>::new(), Hasher::<P::Wide>::new());
    inner.update(r).update(public);
    message.iter().for_each(|part| _ = inner.update(part));
    mask.update(r).update(&public[..P::N]).update(inner.finalize().as_ref());
    // MGF1, of which both sets need two digests at most.
    let mut digest = mask.hash_many(&[[0; 4], [0, 0, 0, 1]]).iter().map(AsRef::as_ref).collect::<Vec<_>>().concat();
    let rest = digest.split_off((TREES * P::A).div_ceil(8));
    // Of the number of a tree, the first bit is dropped, and of the number of a leaf, all except three.
    let tree = rest[..8].iter().fold(0, |tree, byte| tree << 8 | u128::from(*byte)) & u128::from(u64::MAX >> 1);
    (digest, tree << HEIGHT | u128::from(rest[8] % (1 << HEIGHT)))
}

/// PRF_msg: the randomizer of a signature.
pub(crate) fn prf_msg<P: ParameterSet>(sk_prf: &[u8], random: &[u8], message: &[&[u8]]) -> Vec<u8> {
    let mut hasher = HmacKey::<P::Wide>::new(sk_prf).hasher();
    hasher.update(random);
    message.iter().for_each(|part| _ = hasher.update(part));
    hasher.finalize().as_ref()[..P::N].to_vec()
}
