//! Many messages at once, side by side.

use core::marker::PhantomData;

use super::hasher::Hasher;
use super::plan::FEW;
use super::variant::{
    BlockOf, Family, Hash, Sealed, ValueOf, Variant, Variant256, Variant512, Variant512_256, digest, digest_of_node,
    truncate,
};
use crate::backend::Backend;
use crate::backend::dispatch::hash_nodes;
use crate::error::ManyError;
use crate::kernel::sha2::{Chain, Written};
use crate::kernel::sha256::{NODES, Nodes};
use crate::kernel::{Block, Function, Known, wipe};
use crate::lanes::alone::{ends_are_faster_alone, messages_are_faster_alone};
use crate::lanes::ends::{End, close_each};
use crate::lanes::streams::{self, HasStream};
use crate::lanes::{Common, InLanes, Messages};
use crate::stream::{Stream, compress_message};
use crate::traits::hash_many;

/// A way to hash whole messages: the hash and the backend.
///
/// Messages are hashed side by side, as many as [`lanes`](crate::sha256::lanes) tells, and best a multiple. In lanes of
/// vector registers this takes a fraction of the time of one message after the other, and with the SHA extension as
/// little as half. Lengths may differ, but the more alike they are, the longer all lanes are in use. A batch of one
/// costs what a single hash does. The order of the hashes is that of the messages.
///
/// ```
/// use simd_digest::Backend;
/// use simd_digest::sha256::{self, Batch};
///
/// let batch = Batch::new().with_backend("portable".parse()?);
/// # #[cfg(feature = "alloc")]
/// assert_eq!(batch.hash_many(&["one", "two"]), sha256::hash_many(&["one", "two"]));
/// # Ok::<(), simd_digest::BackendError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Batch<V: Variant> {
    backend: Backend,
    variant: PhantomData<V>,
}

impl<V: Variant> Batch<V> {
    /// A batch on [`Backend::best`].
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self { backend: Backend::best(), variant: PhantomData }
    }

    /// Has the batch compute on `backend`.
    #[must_use]
    pub const fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The digest of `message`, alone.
    #[inline]
    #[must_use]
    pub fn hash(&self, message: &[u8]) -> Hash<V> {
        Hash::full(self.digest(message))
    }

    /// The digest of `message`, as bytes.
    #[inline]
    pub(super) fn digest(&self, message: &[u8]) -> V::Bytes {
        if let Some(bytes) = digest_of_node::<V>(self.backend, message) {
            return bytes;
        }
        let mut chain = Chain::new(*V::IV);
        compress_message::<V::Function>(self.backend, &mut chain, &[], message, Written::JustNow);
        let bytes = digest::<V>(&chain);
        V::Function::wipe(&mut chain);
        bytes
    }

    /// A hasher on the batch's backend, for a message that comes piece by piece.
    #[must_use]
    pub fn hasher(&self) -> Hasher<V> {
        Hasher::new().with_backend(self.backend)
    }

    /// Gives the digest of each message to `put`, with its place in `messages`.
    fn each_digest(&self, messages: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, V::Bytes)) {
        let mut done = 0;
        if may_be_nodes::<V>(messages) {
            let put_node: &mut dyn FnMut(usize, &ValueOf<V>) = &mut |i, digest| put(i, truncate::<V>(digest));
            done = match messages.len() {
                ..=FEW => each_node::<V, FEW>(self.backend, &messages, put_node),
                _ => each_node::<V, NODES>(self.backend, &messages, put_node),
            };
            // The caller has asked it of all other messages.
            if messages_are_faster_alone::<V::Function>(self.backend, false, &messages[done..]) {
                return self.each_alone(&&messages[done..], &mut |i, digest| put(done + i, digest));
            }
        }
        let common = Common::<V::Function> {
            backend: self.backend,
            chain: &Chain::new(*V::IV),
            first: &[],
            last: Written::JustNow,
        };
        V::Function::compress_in_lanes(&common, &&messages[done..], &mut |begin, chains| {
            (done + begin..).zip(chains).for_each(|(i, chain)| put(i, digest::<V>(chain)));
        });
    }

    /// As `each_digest`, one by one. Apart, since `hash_many` has the code of one digest already.
    #[inline(never)]
    fn each_alone(&self, messages: &dyn Messages, put: &mut dyn FnMut(usize, V::Bytes)) {
        messages.each(&mut |i, message| put(i, self.digest(message)));
    }
}

hash_many! {
    impl[V: Variant] Batch<V>, Hash<V>,
    alone: !may_be_nodes::<V>(messages) && messages_are_faster_alone::<V::Function>(batch.backend, false, messages),
    one: |message| batch.digest(message),
    hash: |batch, bytes| Hash::full(bytes), length: V::LENGTH,
    what: "the digests of `messages`", of: "message", as: "digest", how: ", without allocating",
    /// The digests of `messages`, in their order, hashed side by side.
    pub (messages) -> hashes
}

/// Whether there is a kernel of nodes, and the first and the last of several messages have one block.
#[inline]
fn may_be_nodes<V: Variant>(messages: &[impl AsRef<[u8]>]) -> bool {
    let mut ends = messages.first().into_iter().chain(messages.last());
    V::Function::HASH_NODES.is_some()
        && messages.len() > 1
        && ends.all(|message| message.as_ref().len() == BlockOf::<V>::LENGTH)
}

/// Gives the digest of each message of the first groups of `N` in which all have one block to `put`, with its place,
/// and tells how many messages these are.
fn each_node<V: Variant, const N: usize>(
    backend: Backend,
    messages: &dyn Messages,
    put: &mut dyn FnMut(usize, &ValueOf<V>),
) -> usize {
    let Some(hash_nodes) = V::Function::HASH_NODES else { return 0 };
    let number = messages.number();
    let mut done = 0;
    while done < number {
        let mut group = [&[][..]; N];
        let live = messages.read(done, &mut group);
        let none = BlockOf::<V>::ZERO;
        let mut nodes = [&none; N];
        for (to, message) in nodes.iter_mut().zip(&group[..live]) {
            match BlockOf::<V>::split(message) {
                ([node], []) => *to = node,
                _ => return done,
            }
        }
        let mut digests = [ValueOf::<V>::ZERO; N];
        let (nodes, to) = (&nodes[..live], &mut digests[..live]);
        hash_nodes(backend, V::IV, nodes, to);
        for digest in &mut digests[..live] {
            put(done, digest);
            wipe(digest);
            done += 1;
        }
    }
    done
}

/// Nodes of Merkle trees: messages of 64 bytes each, two digests. The schedule of their closing block is prepared.
impl Batch<Variant256> {
    /// Writes the digest of each node to `digests`: the nodes of SSZ's Merkle trees, two digests each.
    ///
    /// # Errors
    ///
    /// [`ManyError`] if there is not one digest for each node. Then nothing is written.
    pub fn hash_nodes(&self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) -> Result<(), ManyError> {
        ManyError::check(nodes.len(), digests.len())?;
        hash_by_groups(self.backend, nodes, digests, false);
        Ok(())
    }

    /// Writes the digest of the digest of each node, two digests, to `digests`: the nodes of Bitcoin's Merkle trees.
    ///
    /// # Errors
    ///
    /// [`ManyError`] if there is not one digest for each node. Then nothing is written.
    pub fn hash_nodes_twice(&self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) -> Result<(), ManyError> {
        ManyError::check(nodes.len(), digests.len())?;
        hash_by_groups(self.backend, nodes, digests, true);
        Ok(())
    }

    /// Hashes neighbours of a level of a Merkle tree, and gives the next level: the front half of `level`, which holds
    /// the digest of each pair. The back half stays as it was.
    ///
    /// # Errors
    ///
    /// [`ManyError`] if the number is odd. Then nothing is written, and [`needed`](ManyError::needed) is the next even
    /// number.
    pub fn hash_nodes_in_place<'a>(&self, level: &'a mut [[u8; 32]]) -> Result<&'a mut [[u8; 32]], ManyError> {
        const GROUP: usize = 64;
        ManyError::check(level.len().next_multiple_of(2), level.len())?;
        let half = level.len() / 2;
        let mut digests = [[0; 32]; GROUP];
        for begin in (0..half).step_by(GROUP) {
            let digests = &mut digests[..GROUP.min(half - begin)];
            let pairs = &level[2 * begin..][..2 * digests.len()];
            hash_by_groups(self.backend, pairs.as_flattened().as_chunks().0, digests, false);
            level[begin..][..digests.len()].copy_from_slice(digests);
        }
        Ok(&mut level[..half])
    }
}

/// Nodes of Merkle trees: messages of 128 bytes each, two digests.
impl Batch<Variant512> {
    /// Writes the digest of each node to `digests`.
    ///
    /// # Errors
    ///
    /// [`ManyError`] if there is not one digest for each node. Then nothing is written.
    pub fn hash_nodes(&self, nodes: &[[u8; 128]], digests: &mut [[u8; 64]]) -> Result<(), ManyError> {
        ManyError::check(nodes.len(), digests.len())?;
        self.hash_many_flat(nodes, digests.as_flattened_mut())
    }
}

/// Nodes of Merkle trees: messages of 64 bytes each, two digests.
impl Batch<Variant512_256> {
    /// Writes the digest of each node to `digests`.
    ///
    /// # Errors
    ///
    /// [`ManyError`] if there is not one digest for each node. Then nothing is written.
    pub fn hash_nodes(&self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) -> Result<(), ManyError> {
        ManyError::check(nodes.len(), digests.len())?;
        self.hash_many_flat(nodes, digests.as_flattened_mut())
    }
}

/// Hashes any number of nodes, [`NODES`] at a time.
fn hash_by_groups(backend: Backend, nodes: &[[u8; 64]], digests: &mut [[u8; 32]], twice: bool) {
    let hash = |nodes: &[&[u8; 64]], digests: &mut [[u8; 32]]| {
        hash_nodes(backend, Nodes { iv: Variant256::IV, written: Written::Before, nodes, digests, twice });
    };
    if let [node] = nodes {
        return hash(&[node], digests);
    }
    for (group, digests) in nodes.chunks(NODES).zip(digests.chunks_mut(NODES)) {
        let mut nodes = [&group[0]; NODES];
        for (to, node) in nodes.iter_mut().zip(group) {
            *to = node;
        }
        hash(&nodes[..group.len()], digests);
    }
}

impl<V: Variant> Default for Batch<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Variant> HasStream for Hasher<V> {
    type Function = V::Function;

    #[inline]
    fn stream(&mut self) -> &mut Stream<V::Function> {
        &mut self.stream
    }
}

/// As [`sha256::update_many`](crate::sha256::update_many), for every variant.
pub fn update_many<V: Variant>(updates: &mut [(&mut Hasher<V>, &[u8])]) {
    let Some((first, _)) = updates.first() else { return };
    streams::update_many(first.backend(), updates);
}

/// As [`sha256::update_each`](crate::sha256::update_each), for every variant.
pub fn update_each<'a, V: Variant, T>(
    backend: Backend,
    jobs: impl IntoIterator<Item = (T, &'a mut Hasher<V>, &'a [u8])>,
    done: impl FnMut(T),
) {
    let jobs = jobs.into_iter().map(|(owner, hasher, data)| (owner, &mut hasher.stream, data));
    streams::update_each(backend, jobs, done);
}

/// As [`sha256::finalize_many`](crate::sha256::finalize_many), for every variant.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each hasher. Then nothing is written.
pub fn finalize_many<V: Variant>(hashers: &[&Hasher<V>], hashes: &mut [Hash<V>]) -> Result<(), ManyError> {
    ManyError::check(hashers.len(), hashes.len())?;
    let Some(first) = hashers.first() else { return Ok(()) };
    if ends_are_faster_alone::<V::Function>(first.backend(), hashers.len()) {
        hashes.iter_mut().zip(hashers).for_each(|(hash, hasher)| *hash = hasher.finalize());
    } else {
        let ends = hashers.iter().map(|hasher| End::of(&hasher.stream, Written::JustNow));
        close_each(first.backend(), Known::Nothing, ends, |i, chain| {
            hashes[i] = Hash::full(digest::<V>(chain));
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::sha256;

    /// Groups of nodes in front of a message of another length take the kernel of nodes, and the others do not.
    #[test]
    fn nodes_are_hashed_as_nodes() {
        let nodes: Vec<[u8; 64]> = (0..11).map(|i| [i; 64]).collect();
        for backend in Backend::available() {
            for number in 1..=nodes.len() {
                let mut messages: Vec<&[u8]> = nodes[..number].iter().map(|node| &node[..]).collect();
                for (end, done) in [(None, number), (Some(&[1; 63][..]), number / FEW * FEW)] {
                    messages.truncate(number);
                    messages.extend(end);
                    let mut digests = Vec::new();
                    let put = &mut |i, digest: &[u8; 32]| digests.push((i, *digest));
                    assert_eq!(
                        each_node::<Variant256, FEW>(backend, &&messages[..], put),
                        done,
                        "{backend:?}, {number}"
                    );
                    let expected = messages[..done].iter().map(|message| *sha256::hash(message).as_bytes());
                    assert!(digests.into_iter().eq(expected.enumerate()), "{backend:?}, {number}");
                }
            }
        }
    }
}
