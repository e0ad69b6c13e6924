//! All hashes of SHA-2, alone, in pieces and side by side, on every backend, against the crate `sha2`.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simd_digest::digest::common::hazmat::{SerializableState, SerializedState};
use simd_digest::digest::{KeyInit, Mac};
use simd_digest::sha2::hazmat::State;
use simd_digest::sha2::{
    Batch, Hash, Hasher, HmacKey, Variant, Variant224, Variant256, Variant384, Variant512, Variant512_224,
    Variant512_256, finalize_many, update_many,
};
use simd_digest::{
    Backend, Digest, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256, sha256, sha512, sha512_256,
};
use simd_digest_fuzz::{Message, Place, all_backends};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    /// How much of the message is a key, too.
    key: u8,
    middle: Middle,
    /// Up to 33 messages that lie in the same memory.
    first: Vec<Place>,
    second: Vec<Place>,
    message: Message<'a>,
}

/// A state in the middle of a message that is too long to be hashed here.
#[derive(Arbitrary, Debug)]
struct Middle {
    h: [u64; 8],
    /// The number of blocks is a little below 2 to this power.
    power: u8,
    blocks_below: u8,
}

impl Middle {
    /// In the layout of `sha2`, whose length in bits must not overflow, and whose counts differ in length.
    fn state<D: SerializableState>(&self) -> SerializedState<D> {
        // 104 bytes, 32 of them a hash value; or 208 and 64, where the length is told in bytes, and has 128 bits.
        let (value, powers) = if size_of::<SerializedState<D>>() == 104 { (32, 55) } else { (64, 57) };
        let blocks = (1_u64 << (self.power % powers)).saturating_sub(self.blocks_below.into());
        let mut state = SerializedState::<D>::default();
        let (words, rest) = state.split_at_mut(value);
        words.copy_from_slice(&self.h.map(u64::to_le_bytes).as_flattened()[..words.len()]);
        rest[..8].copy_from_slice(&blocks.to_le_bytes());
        state
    }
}

/// A variant and the types that are made for it.
trait Family: Variant {
    type Ours: Digest + Clone + SerializableState;
    type Theirs: Digest + Clone + SerializableState;

    fn on(hash: Self::Ours, backend: Backend) -> Self::Ours;
    fn hmac(key: &[u8], message: &[u8]) -> Vec<u8>;
}

macro_rules! family {
    ($Variant:ident, $Hash:ident) => {
        impl Family for $Variant {
            type Ours = $Hash;
            type Theirs = sha2::$Hash;

            fn on(hash: $Hash, backend: Backend) -> $Hash {
                hash.with_backend(backend)
            }

            fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
                let mac = hmac::Hmac::<sha2::$Hash>::new_from_slice(key).expect("of any length");
                mac.chain_update(message).finalize().into_bytes().to_vec()
            }
        }
    };
}
family!(Variant256, Sha256);
family!(Variant224, Sha224);
family!(Variant512, Sha512);
family!(Variant384, Sha384);
family!(Variant512_224, Sha512_224);
family!(Variant512_256, Sha512_256);

/// All backends that have a kernel of their own. SHA-512 has one kernel on each of x86.
fn backends<V: Variant>() -> impl Iterator<Item = Backend> {
    let of_sha256 = State::<V>::LENGTH == 108;
    all_backends().filter(move |backend| {
        of_sha256 || cfg!(target_arch = "aarch64") || Backend::available().any(|available| available == *backend)
    })
}

fuzz_target!(|input: Input<'_>| {
    check::<Variant256>(&input);
    check::<Variant224>(&input);
    check::<Variant512>(&input);
    check::<Variant384>(&input);
    check::<Variant512_224>(&input);
    check::<Variant512_256>(&input);
    nodes(input.message.bytes);
});

fn check<V: Family>(Input { message, key, first, second, middle }: &Input<'_>) {
    let bytes = message.bytes;
    let key = &bytes[..usize::from(*key).min(bytes.len())];
    let digest = V::Theirs::digest(bytes);
    let tag = V::hmac(key, bytes);
    let theirs = V::Theirs::deserialize(&middle.state::<V::Theirs>()).expect("nothing is held").chain_update(bytes);
    for backend in backends::<V>() {
        let hmac = HmacKey::<V>::new(key).with_backend(backend);
        let (mut hasher, mut mac) = (Hasher::<V>::new().with_backend(backend), hmac.hasher());
        let ours = V::Ours::deserialize(&middle.state::<V::Ours>()).expect("nothing is held");
        let mut ours = V::on(ours, backend);
        for piece in message.pieces() {
            hasher.update(piece);
            mac.update(piece);
            Digest::update(&mut ours, piece);
            // A state in the middle changes nothing.
            let saved = State::from(&hasher).to_bytes();
            hasher = Hasher::from(State::from_bytes(saved.as_ref()).expect("as saved")).with_backend(backend);
        }
        assert_eq!(hasher.count(), bytes.len() as u64);
        assert_eq!(hasher.finalize(), digest[..], "{backend:?}");
        assert_eq!(Batch::<V>::new().with_backend(backend).hash(bytes), digest[..], "{backend:?}");
        assert_eq!(mac.finalize(), tag[..], "{backend:?}");
        assert_eq!(hmac.hash(bytes), tag[..], "{backend:?}");
        assert_eq!(ours.serialize()[..], theirs.serialize()[..], "{backend:?}");
        assert_eq!(ours.finalize()[..], theirs.clone().finalize()[..], "{backend:?}");
    }

    let of_places = |places: &[Place]| -> Vec<&[u8]> { places.iter().take(33).map(|place| place.of(bytes)).collect() };
    let (first, mut second) = (of_places(first), of_places(second));
    second.resize(first.len(), &[]);
    let expected: Vec<Vec<u8>> = first.iter().map(|message| V::Theirs::digest(message).to_vec()).collect();
    let tags: Vec<Vec<u8>> = first.iter().map(|message| V::hmac(key, message)).collect();
    let both = |(a, b): (&&[u8], &&[u8])| V::Theirs::new_with_prefix(a).chain_update(b).finalize().to_vec();
    let joined: Vec<Vec<u8>> = first.iter().zip(&second).map(both).collect();
    let prefix = first.first().copied().unwrap_or_default();
    let after_prefix: Vec<Vec<u8>> = second.iter().map(|tail| both((&prefix, tail))).collect();
    let bytes_of = |hashes: &[Hash<V>]| -> Vec<Vec<u8>> { hashes.iter().map(|hash| hash.as_ref().to_vec()).collect() };
    for backend in backends::<V>() {
        let mut hashes = Batch::<V>::new().with_backend(backend).hash_many(&first);
        assert_eq!(bytes_of(&hashes), expected, "{backend:?}");
        let mut flat = vec![0; V::LENGTH * first.len()];
        let hmac = HmacKey::<V>::new(key).with_backend(backend);
        hmac.hash_many_flat(&first, &mut flat).expect("as long as it must be");
        assert_eq!(flat, tags.concat(), "{backend:?}");

        let mut hashers = vec![Hasher::<V>::new().with_backend(backend); first.len()];
        for data in [&first, &second] {
            update_many(&mut hashers.iter_mut().zip(data.iter().copied()).collect::<Vec<_>>());
        }
        finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).expect("one for each");
        assert_eq!(bytes_of(&hashes), joined, "{backend:?}");

        let mut hasher = Hasher::<V>::new().with_backend(backend);
        assert_eq!(bytes_of(&hasher.update(prefix).hash_many(&second)), after_prefix, "{backend:?}");
        let mut mac = hmac.hasher();
        let tags: Vec<Vec<u8>> = second.iter().map(|tail| V::hmac(key, &[prefix, tail].concat())).collect();
        assert_eq!(bytes_of(&mac.update(prefix).hash_many(&second)), tags, "{backend:?}");
    }
}

/// The message as nodes of a Merkle tree.
fn nodes(message: &[u8]) {
    let (nodes, _) = message.as_chunks::<64>();
    let once: Vec<[u8; 32]> = nodes.iter().map(|node| sha2::Sha256::digest(node).into()).collect();
    let twice: Vec<[u8; 32]> = once.iter().map(|digest| sha2::Sha256::digest(digest).into()).collect();
    for backend in backends::<Variant256>() {
        let batch = sha256::Batch::new().with_backend(backend);
        let mut digests = vec![[0; 32]; nodes.len()];
        batch.hash_nodes(nodes, &mut digests).expect("one for each");
        assert_eq!(digests, once, "{backend:?}");
        batch.hash_nodes_twice(nodes, &mut digests).expect("one for each");
        assert_eq!(digests, twice, "{backend:?}");
        let mut level = nodes.as_flattened().as_chunks::<32>().0.to_vec();
        assert_eq!(batch.hash_nodes_in_place(&mut level).expect("an even number"), once, "{backend:?}");
    }
    let expected: Vec<[u8; 32]> = nodes.iter().map(|node| sha2::Sha512_256::digest(node).into()).collect();
    for backend in backends::<Variant512_256>() {
        let mut digests = vec![[0; 32]; nodes.len()];
        sha512_256::Batch::new().with_backend(backend).hash_nodes(nodes, &mut digests).expect("one for each");
        assert_eq!(digests, expected, "{backend:?}");
    }
    let (nodes, _) = message.as_chunks::<128>();
    let expected: Vec<[u8; 64]> = nodes.iter().map(|node| sha2::Sha512::digest(node).into()).collect();
    for backend in backends::<Variant512>() {
        let mut digests = vec![[0; 64]; nodes.len()];
        sha512::Batch::new().with_backend(backend).hash_nodes(nodes, &mut digests).expect("one for each");
        assert_eq!(digests, expected, "{backend:?}");
    }
}
