//! SHA-256: ours on every backend, and the peers'.

#[cfg(feature = "peers")]
use core::cell::RefCell;
use core::hint::black_box;

use hmac::digest::Output;
use hmac::{Hmac, KeyInit, Mac};
use simd_digest::sha256::{self, Batch, HmacKey};
use simd_digest::{Backend, Digest};

use crate::contenders::keep;
#[cfg(feature = "peers")]
use crate::contenders::rscrypto_tag;
#[cfg(feature = "openssl")]
use crate::evp;
use crate::experiment::{Call, Experiment, Line, Size, length};
use crate::kinds::kinds;

const LENGTHS: [usize; 6] = [0, 32, 64, 1 << 10, 16 << 10, 1 << 20];
const MANY: usize = 64;
const MANY_LENGTHS: [usize; 4] = [32, 64, 1 << 10, 16 << 10];
const NODES: usize = 1024;
/// Numbers of nodes in a call: fewer than lanes, a remainder after full lanes, and many.
const SOME_NODES: [usize; 9] = [1, 2, 3, 4, 7, 8, 11, 64, NODES];
const KEY: &[u8] = b"a key of 32 bytes, as most have.";

/// The bytes that all experiments need.
pub(crate) const MEMORY: usize = 1 << 20;

/// The names of the peers' packages.
pub(crate) const PEERS: &[&str] = if cfg!(feature = "peers") {
    &["hmac", "pbkdf2", "ring", "aws-lc-rs", "rscrypto", "hashtree-rs"]
} else {
    &["hmac", "pbkdf2"]
};

/// Calls that are timed. A library that has no call for many messages has a loop.
trait Contender: Copy {
    type Digest: AsRef<[u8]>;
    type Key;
    type Tag: AsRef<[u8]>;

    fn hash(self, message: &[u8]) -> Self::Digest;

    fn key(self) -> Self::Key;

    fn mac(self, key: &Self::Key, message: &[u8]) -> Self::Tag;

    fn hash_many(self, messages: &[&[u8]]) {
        messages.iter().for_each(|message| keep(self.hash(message)));
    }

    fn nodes(self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) {
        nodes.iter().zip(digests).for_each(|(node, digest)| digest.copy_from_slice(self.hash(node).as_ref()));
    }

    fn nodes_twice(self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) {
        let twice = |node: &[u8; 64]| self.hash(self.hash(node).as_ref());
        nodes.iter().zip(digests).for_each(|(node, digest)| digest.copy_from_slice(twice(node).as_ref()));
    }

    fn mac_many(self, key: &Self::Key, messages: &[&[u8]]) {
        messages.iter().for_each(|message| keep(self.mac(key, message)));
    }
}

/// The calls of most users.
#[derive(Clone, Copy)]
struct Ours;

impl Contender for Ours {
    type Digest = sha256::Hash;
    type Key = HmacKey;
    type Tag = sha256::Hash;

    fn hash(self, message: &[u8]) -> sha256::Hash {
        sha256::hash(message)
    }

    fn key(self) -> HmacKey {
        HmacKey::new(KEY)
    }

    fn mac(self, key: &HmacKey, message: &[u8]) -> sha256::Hash {
        key.hash(message)
    }

    fn hash_many(self, messages: &[&[u8]]) {
        keep(sha256::hash_many(messages));
    }

    fn nodes(self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) {
        sha256::hash_nodes(nodes, digests).expect("one digest for each");
    }

    fn nodes_twice(self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) {
        sha256::hash_nodes_twice(nodes, digests).expect("one digest for each");
    }

    fn mac_many(self, key: &HmacKey, messages: &[&[u8]]) {
        keep(key.hash_many(messages));
    }
}

#[derive(Clone, Copy)]
struct OursOn(Backend);

impl OursOn {
    fn batch(self) -> Batch {
        Batch::new().with_backend(self.0)
    }
}

impl Contender for OursOn {
    type Digest = sha256::Hash;
    type Key = HmacKey;
    type Tag = sha256::Hash;

    fn hash(self, message: &[u8]) -> sha256::Hash {
        self.batch().hash(message)
    }

    fn key(self) -> HmacKey {
        HmacKey::new(KEY).with_backend(self.0)
    }

    fn mac(self, key: &HmacKey, message: &[u8]) -> sha256::Hash {
        key.hash(message)
    }

    fn hash_many(self, messages: &[&[u8]]) {
        keep(self.batch().hash_many(messages));
    }

    fn nodes(self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) {
        self.batch().hash_nodes(nodes, digests).expect("one digest for each");
    }

    fn nodes_twice(self, nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) {
        self.batch().hash_nodes_twice(nodes, digests).expect("one digest for each");
    }

    fn mac_many(self, key: &HmacKey, messages: &[&[u8]]) {
        keep(key.hash_many(messages));
    }
}

macro_rules! by_traits {
    ($Name:ident, $Digest:ty) => {
        #[derive(Clone, Copy)]
        struct $Name;

        impl Contender for $Name {
            type Digest = Output<$Digest>;
            type Key = Hmac<$Digest>;
            type Tag = Output<$Digest>;

            fn hash(self, message: &[u8]) -> Self::Digest {
                <$Digest>::digest(message)
            }

            fn key(self) -> Self::Key {
                Hmac::new_from_slice(KEY).expect("of any length")
            }

            fn mac(self, key: &Self::Key, message: &[u8]) -> Self::Tag {
                key.clone().chain_update(message).finalize().into_bytes()
            }
        }
    };
}
by_traits!(OursByTraits, simd_digest::Sha256);
by_traits!(Sha2, sha2::Sha256);

/// Both have the same names.
#[cfg(feature = "peers")]
macro_rules! peer {
    ($Name:ident, $peer:ident) => {
        #[derive(Clone, Copy)]
        struct $Name;

        impl Contender for $Name {
            type Digest = $peer::digest::Digest;
            type Key = $peer::hmac::Key;
            type Tag = $peer::hmac::Tag;

            fn hash(self, message: &[u8]) -> Self::Digest {
                $peer::digest::digest(&$peer::digest::SHA256, message)
            }

            fn key(self) -> Self::Key {
                $peer::hmac::Key::new($peer::hmac::HMAC_SHA256, KEY)
            }

            fn mac(self, key: &Self::Key, message: &[u8]) -> Self::Tag {
                $peer::hmac::sign(key, message)
            }
        }
    };
}
#[cfg(feature = "peers")]
peer!(Ring, ring);
#[cfg(feature = "peers")]
peer!(AwsLc, aws_lc_rs);

#[cfg(feature = "peers")]
#[derive(Clone, Copy)]
struct Rscrypto;

#[cfg(feature = "peers")]
impl Contender for Rscrypto {
    type Digest = [u8; 32];
    type Key = RefCell<rscrypto::HmacSha256>;
    type Tag = rscrypto::HmacSha256Tag;

    fn hash(self, message: &[u8]) -> Self::Digest {
        rscrypto::Sha256::digest(message)
    }

    fn key(self) -> Self::Key {
        RefCell::new(rscrypto::Mac::new(KEY))
    }

    fn mac(self, key: &Self::Key, message: &[u8]) -> Self::Tag {
        rscrypto_tag(key, message)
    }
}

#[cfg(feature = "openssl")]
#[derive(Clone, Copy)]
struct OpenSsl;

#[cfg(feature = "openssl")]
impl Contender for OpenSsl {
    type Digest = [u8; 32];
    type Key = evp::HmacKey;
    type Tag = [u8; 32];

    fn hash(self, message: &[u8]) -> Self::Digest {
        evp::sha256(message)
    }

    fn key(self) -> Self::Key {
        evp::HmacKey::new("SHA256", KEY)
    }

    fn mac(self, key: &Self::Key, message: &[u8]) -> Self::Tag {
        key.tag(message)
    }
}

/// One message, many, nodes, and HMAC.
pub(crate) fn experiments(memory: &[u8]) -> [Experiment<'_>; 4] {
    let messages = |each| -> Vec<&[u8]> { memory.chunks(each).take(MANY).collect() };
    let nodes = &memory.as_chunks().0[..NODES];
    let sizes = [
        LENGTHS.map(|bytes| Size { label: length(bytes), bytes }).into(),
        MANY_LENGTHS.map(|bytes| Size { label: length(bytes), bytes: MANY * bytes }).into(),
        ["once", "twice"].map(|label| Size { label: label.into(), bytes: NODES * 64 }).into(),
        [1, MANY].map(|count| Size { label: count.to_string(), bytes: count * 64 }).into(),
    ];
    let mut lines = <[Vec<Line<'_>>; 4]>::default();

    /// Adds all calls of a contender to the lines of each experiment.
    macro_rules! add {
        ($name:expr, $peer:literal, $drawn:literal, $contender:expr) => {
            let contender = $contender;
            let one = LENGTHS
                .map(|length| &memory[..length])
                .map(|message| -> Call<'_> { Box::new(move || keep(contender.hash(black_box(message)))) });
            let many = MANY_LENGTHS
                .map(messages)
                .map(|messages| -> Call<'_> { Box::new(move || contender.hash_many(black_box(&messages))) });
            let mut digests = vec![[0; 32]; NODES];
            let once: Call<'_> = Box::new(move || contender.nodes(black_box(nodes), black_box(&mut digests)));
            let mut digests = vec![[0; 32]; NODES];
            let twice: Call<'_> = Box::new(move || contender.nodes_twice(black_box(nodes), black_box(&mut digests)));
            let key = contender.key();
            let mac: Call<'_> = Box::new(move || keep(contender.mac(&key, black_box(&memory[..64]))));
            let (key, sixty_four) = (contender.key(), messages(64));
            let macs: Call<'_> = Box::new(move || contender.mac_many(&key, black_box(&sixty_four)));
            let calls: [Vec<Call<'_>>; 4] = [one.into(), many.into(), vec![once, twice], vec![mac, macs]];
            for (lines, calls) in lines.iter_mut().zip(calls) {
                lines.push(Line { name: $name.into(), peer: $peer, drawn: $drawn, calls });
            }
        };
    }
    add!("simd-digest", false, true, Ours);
    add!("simd-digest, as `Digest`", false, true, OursByTraits);
    for (name, backend) in kinds() {
        add!(format!("on {name}"), false, false, OursOn(backend));
    }
    add!("sha2", true, true, Sha2);
    #[cfg(feature = "peers")]
    {
        add!("ring", true, true, Ring);
        add!("aws-lc-rs", true, true, AwsLc);
        add!("rscrypto", true, true, Rscrypto);
    }
    #[cfg(feature = "openssl")]
    {
        add!(evp::NAME, true, true, OpenSsl);
        lines[3].last_mut().expect("just added").name = evp::HMAC.into();
    }

    let titles = [
        ("SHA-256 of one message".into(), Some("sha256-one-message.svg"), "length"),
        (format!("SHA-256 of {MANY} messages, the peers in a loop"), Some("sha256-many.svg"), "length of each"),
        (format!("SHA-256 of {NODES} nodes of 64 bytes, the peers in a loop"), None, "hashed"),
        ("HMAC-SHA-256 of 64 bytes with a key set up, the peers in a loop".into(), None, "messages"),
    ];
    let mut parts = titles.into_iter().zip(sizes).zip(lines);
    core::array::from_fn(|_| {
        let (((title, file, across), sizes), lines) = parts.next().expect("four of each");
        Experiment::of_lines(title, file, across, sizes, lines)
    })
}

/// Nodes of Merkle trees, by their number in a call.
pub(crate) fn some_nodes(memory: &[u8]) -> Experiment<'_> {
    fn line<'a>(
        name: String,
        peer: bool,
        nodes: &'a [[u8; 64]],
        hash: impl Fn(&[[u8; 64]], &mut [[u8; 32]]) + Copy + 'a,
    ) -> Line<'a> {
        let calls = SOME_NODES.map(|number| -> Call<'a> {
            let mut digests = vec![[0; 32]; number];
            Box::new(move || hash(black_box(&nodes[..number]), black_box(&mut digests)))
        });
        Line { name, peer, drawn: false, calls: calls.into() }
    }

    let nodes = &memory.as_chunks().0[..NODES];
    let mut lines = vec![line("simd-digest".into(), false, nodes, |nodes, digests| Ours.nodes(nodes, digests))];
    for (name, backend) in kinds() {
        let hash = move |nodes: &[_], digests: &mut [_]| OursOn(backend).nodes(nodes, digests);
        lines.push(line(format!("on {name}"), false, nodes, hash));
    }
    lines.push(line("sha2".into(), true, nodes, |nodes, digests| Sha2.nodes(nodes, digests)));
    #[cfg(feature = "peers")]
    lines.push(line("hashtree-rs".into(), true, nodes, hashtree));
    let sizes = SOME_NODES.map(|number| Size { label: number.to_string(), bytes: number * 64 });
    let title = "SHA-256 of nodes of 64 bytes in one call, `sha2` in a loop";
    Experiment::of_lines(title.into(), None, "nodes", sizes.into(), lines)
}

/// The one call of `hashtree-rs`, which has none for other messages.
#[cfg(feature = "peers")]
pub(crate) fn hashtree(nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) {
    static CHOSEN: std::sync::Once = std::sync::Once::new();
    CHOSEN.call_once(|| _ = hashtree_rs::init());
    hashtree_rs::hash(digests.as_flattened_mut(), nodes.as_flattened(), nodes.len());
}

/// Panics if not all answer the same to the same question.
pub(crate) fn agree(memory: &[u8]) {
    agrees(Ours, memory);
    agrees(OursByTraits, memory);
    kinds().into_iter().for_each(|(_, backend)| agrees(OursOn(backend), memory));
    #[cfg(feature = "peers")]
    {
        agrees(Ring, memory);
        agrees(AwsLc, memory);
        agrees(Rscrypto, memory);
        let nodes = &memory.as_chunks().0[..NODES];
        let (mut ours, mut theirs) = (vec![[0; 32]; NODES], vec![[0; 32]; NODES]);
        Ours.nodes(nodes, &mut ours);
        hashtree(nodes, &mut theirs);
        assert_eq!(ours, theirs);
    }
    #[cfg(feature = "openssl")]
    agrees(OpenSsl, memory);
}

fn agrees(contender: impl Contender, memory: &[u8]) {
    for message in LENGTHS.map(|length| &memory[..length]) {
        assert_eq!(contender.hash(message).as_ref(), Sha2.hash(message).as_slice());
        let (ours, theirs) = (contender.mac(&contender.key(), message), Sha2.mac(&Sha2.key(), message));
        assert_eq!(ours.as_ref(), theirs.as_slice());
    }
    let nodes = &memory.as_chunks().0[..NODES];
    let (mut ours, mut theirs) = (vec![[0; 32]; NODES], vec![[0; 32]; NODES]);
    contender.nodes(nodes, &mut ours);
    Sha2.nodes(nodes, &mut theirs);
    assert_eq!(ours, theirs);
    contender.nodes_twice(nodes, &mut ours);
    Sha2.nodes_twice(nodes, &mut theirs);
    assert_eq!(ours, theirs);
}
