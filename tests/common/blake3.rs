//! BLAKE3 in its three modes, for what is written once and run for each. The oracles are the crate `blake3` and the
//! function by its definition.
#![allow(dead_code, reason = "not every user has a use for everything")]

use ::blake3 as peer;
use simd_digest::Backend;
use simd_digest::blake3::{Hash, Hasher, Mode};

/// The key and the context of the official vectors.
pub(crate) const KEY: &[u8; 32] = b"whats the Elvish word for friend";
pub(crate) const CONTEXT: &str = "BLAKE3 2019-12-27 16:29:52 test vectors context";

/// A chunk, in bytes.
pub(crate) const CHUNK: usize = 1024;

/// A mode of BLAKE3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    Keyed,
    DeriveKey,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::Keyed, Self::DeriveKey];

    pub(crate) fn mode(self) -> Mode {
        match self {
            Self::Plain => Mode::HASH,
            Self::Keyed => Mode::keyed(KEY),
            Self::DeriveKey => Mode::derive_key(CONTEXT),
        }
    }

    /// Messages hashed on this backend.
    pub(crate) fn on(self, backend: Backend) -> Mode {
        self.mode().with_backend(backend)
    }

    pub(crate) fn hasher_on(self, backend: Backend) -> Hasher {
        let hasher = match self {
            Self::Plain => Hasher::new(),
            Self::Keyed => Hasher::new_keyed(KEY),
            Self::DeriveKey => Hasher::new_derive_key(CONTEXT),
        };
        hasher.with_backend(backend)
    }

    /// The hasher of the crate `blake3`.
    pub(crate) fn peer(self) -> peer::Hasher {
        match self {
            Self::Plain => peer::Hasher::new(),
            Self::Keyed => peer::Hasher::new_keyed(KEY),
            Self::DeriveKey => peer::Hasher::new_derive_key(CONTEXT),
        }
    }

    /// The digest of `message`, by the crate `blake3`.
    pub(crate) fn of_peer(self, message: &[u8]) -> Hash {
        of_bytes(self.peer().update(message).finalize().as_bytes())
    }

    /// The output for `message`, by the crate `blake3`.
    pub(crate) fn output_of_peer(self, message: &[u8]) -> peer::OutputReader {
        self.peer().update(message).finalize_xof()
    }

    /// The digests of all beginnings of `message`, by the crate `blake3`.
    pub(crate) fn of_beginnings(self, message: &[u8]) -> Vec<Hash> {
        let mut hasher = self.peer();
        let mut hashes = vec![of_bytes(hasher.finalize().as_bytes())];
        for byte in message {
            hasher.update(&[*byte]);
            hashes.push(of_bytes(hasher.finalize().as_bytes()));
        }
        hashes
    }

    /// The mode as the module `hazmat` of the crate `blake3` has it.
    pub(crate) fn with_peer_mode<T>(self, work: impl FnOnce(peer::hazmat::Mode<'_>) -> T) -> T {
        let context_key = peer::hazmat::hash_derive_key_context(CONTEXT);
        work(match self {
            Self::Plain => peer::hazmat::Mode::Hash,
            Self::Keyed => peer::hazmat::Mode::KeyedHash(KEY),
            Self::DeriveKey => peer::hazmat::Mode::DeriveKeyMaterial(&context_key),
        })
    }

    /// Key words and flags of all nodes.
    pub(crate) fn key_and_flags(self) -> ([u32; 8], u8) {
        match self {
            Self::Plain => (IV, 0),
            Self::Keyed => (words(KEY), KEYED_HASH),
            Self::DeriveKey => (words(&peer::hazmat::hash_derive_key_context(CONTEXT)), DERIVE_KEY_MATERIAL),
        }
    }
}

pub(crate) fn of_bytes(bytes: &[u8; 32]) -> Hash {
    Hash::from_bytes(*bytes)
}

/// A digest that is none of those expected.
pub(crate) fn other() -> Hash {
    Hash::from_bytes([0xee; 32])
}

/// Bytes of the output at `position`, each block of it made alone by the crate `blake3`.
pub(crate) fn output_by_blocks(output: &peer::OutputReader, position: u64, length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = position;
    while bytes.len() < length {
        let mut output = output.clone();
        let mut block = [0; 64];
        output.set_position(at - at % 64);
        output.fill(&mut block);
        let rest = &block[usize::try_from(at % 64).unwrap()..];
        let taken = rest.len().min(length - bytes.len());
        bytes.extend(&rest[..taken]);
        at = at.wrapping_add(taken as u64);
    }
    bytes
}

/// Lengths in bytes that end a block or chunk, or lie one byte beside its end, up to `most` bytes.
pub(crate) fn edges(unit: usize, most: usize) -> Vec<usize> {
    (0..=most + 1).filter(|length| matches!(length % unit, 0 | 1) || (length + 1) % unit == 0).collect()
}

pub(crate) const CHUNK_START: u8 = 1;
pub(crate) const CHUNK_END: u8 = 2;
pub(crate) const PARENT: u8 = 4;
pub(crate) const ROOT: u8 = 8;
pub(crate) const KEYED_HASH: u8 = 16;
pub(crate) const DERIVE_KEY_MATERIAL: u8 = 64;

pub(crate) const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The first words of `bytes`, zeros after them.
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let mut padded = [[0; 4]; N];
    padded.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
    padded.map(u32::from_le_bytes)
}

/// Which word of the block each half of a G takes, in every round: the permutation of the BLAKE3 paper, table 2, once more
/// in each.
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0; 16]; 7];
    let (mut round, mut i) = (0, 0);
    while round < 7 {
        schedule[round][i] = if round == 0 { i } else { schedule[round - 1][PERMUTATION[i]] };
        i += 1;
        if i == 16 {
            (round, i) = (round + 1, 0);
        }
    }
    schedule
};

/// The BLAKE3 paper, section 2.2: all sixteen words, of which the first eight are a chaining value.
pub(crate) fn compress(cv: &[u32; 8], block: &[u8], length: u8, counter: u64, flags: u8) -> [u32; 16] {
    // Columns, then diagonals. Written out, and without iterators, for tests that are not optimised spend much of their
    // time here.
    const PLACES: [[usize; 4]; 8] = [
        [0, 4, 8, 12],
        [1, 5, 9, 13],
        [2, 6, 10, 14],
        [3, 7, 11, 15],
        [0, 5, 10, 15],
        [1, 6, 11, 12],
        [2, 7, 8, 13],
        [3, 4, 9, 14],
    ];
    let halves = [counter & 0xffff_ffff, counter >> 32].map(|half| u32::try_from(half).unwrap());
    let mut v = [0; 16];
    v[..8].copy_from_slice(cv);
    v[8..12].copy_from_slice(&IV[..4]);
    v[12..].copy_from_slice(&[halves[0], halves[1], length.into(), flags.into()]);
    let m: [u32; 16] = words(block);
    for schedule in &SCHEDULE {
        let mut i = 0;
        while i < 8 {
            let [a, b, c, d] = PLACES[i];
            let (mut va, mut vb, mut vc, mut vd) = (v[a], v[b], v[c], v[d]);
            va = va.wrapping_add(vb).wrapping_add(m[schedule[2 * i]]);
            vd = (vd ^ va).rotate_right(16);
            vc = vc.wrapping_add(vd);
            vb = (vb ^ vc).rotate_right(12);
            va = va.wrapping_add(vb).wrapping_add(m[schedule[2 * i + 1]]);
            vd = (vd ^ va).rotate_right(8);
            vc = vc.wrapping_add(vd);
            vb = (vb ^ vc).rotate_right(7);
            (v[a], v[b], v[c], v[d]) = (va, vb, vc, vd);
            i += 1;
        }
    }
    let mut i = 0;
    while i < 8 {
        v[i] ^= v[i + 8];
        v[i + 8] ^= cv[i];
        i += 1;
    }
    v
}

pub(crate) fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The last compression of a tree or subtree, before it is known to be the root.
#[derive(Clone, Debug)]
pub(crate) struct Last {
    pub(crate) cv: [u32; 8],
    pub(crate) block: Vec<u8>,
    pub(crate) counter: u64,
    pub(crate) flags: u8,
}

impl Last {
    /// The BLAKE3 paper, section 2.1, of the bytes from a chunk on.
    pub(crate) fn of(kind: Kind, message: &[u8], chunk: u64) -> Self {
        let (key, flags) = kind.key_and_flags();
        if message.len() > CHUNK {
            // The left subtree has as many chunks as it can, a power of two, and leaves something to the right one.
            let left = CHUNK * (1 << ((message.len() - 1) / CHUNK).ilog2());
            let right = Self::of(kind, &message[left..], chunk + (left / CHUNK) as u64).chaining_value();
            return Self::parent(kind, &Self::of(kind, &message[..left], chunk).chaining_value(), &right);
        }
        let count = message.len().div_ceil(64).max(1);
        let mut cv = key;
        for i in 0..count {
            let block = &message[64 * i..message.len().min(64 * i + 64)];
            let start = if i == 0 { CHUNK_START } else { 0 };
            if i + 1 == count {
                return Self { cv, block: block.to_vec(), counter: chunk, flags: flags | start | CHUNK_END };
            }
            let output = compress(&cv, block, 64, chunk, flags | start);
            cv = *output.first_chunk().unwrap();
        }
        unreachable!("there is a last block");
    }

    pub(crate) fn parent(kind: Kind, left: &[u8; 32], right: &[u8; 32]) -> Self {
        let (key, flags) = kind.key_and_flags();
        Self { cv: key, block: [*left, *right].concat(), counter: 0, flags: flags | PARENT }
    }

    fn compress(&self, counter: u64, flags: u8) -> Vec<u8> {
        let length = u8::try_from(self.block.len()).unwrap();
        to_bytes(&compress(&self.cv, &self.block, length, counter, self.flags | flags))
    }

    pub(crate) fn chaining_value(&self) -> [u8; 32] {
        *self.compress(self.counter, 0).first_chunk().unwrap()
    }

    /// The root's output block of this number.
    pub(crate) fn output(&self, number: u64) -> Vec<u8> {
        self.compress(number, ROOT)
    }

    pub(crate) fn hash(&self) -> Hash {
        Hash::from_slice(&self.output(0)[..32]).unwrap()
    }
}
