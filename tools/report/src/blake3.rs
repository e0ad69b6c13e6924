//! BLAKE3: ours on every backend, and the crate `blake3`, of which this is built with one of three builds.

use core::hint::black_box;
use std::thread;

#[cfg(feature = "peers")]
use rscrypto::{Digest as _, Xof as _};
use simd_digest::blake3::{self as ours, Mode};
use simd_digest::digest::{ExtendableOutput, XofReader};
use simd_digest::{Backend, Blake3, Digest};

use crate::contenders::keep;
use crate::experiment::{Call, Experiment, Line, Size, length};

const LENGTHS: [usize; 11] = [0, 32, 64, 1 << 10, 2 << 10, 3 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 1 << 20];
/// Written at a time, of a message of [`WRITTEN`] bytes.
const WRITES: [usize; 5] = [64, 1 << 10, 4 << 10, 16 << 10, 64 << 10];
const WRITTEN: usize = 1 << 20;
/// Messages with a digest after each write of [`BLOCK`] bytes.
const DIGESTED: [usize; 3] = [1 << 10, 4 << 10, 16 << 10];
const BLOCK: usize = 64;
const MANY: usize = 64;
const MANY_LENGTHS: [usize; 3] = [64, 1 << 10, 16 << 10];
const OUTPUTS: [usize; 3] = [BLOCK, 2 << 10, 1 << 20];
const MATERIALS: [usize; 2] = [32, 64];
const CONTEXT: &str = "simd-digest 2026-11-22 report: a key for each tenant";
const ON_ALL_CORES: [usize; 7] = [64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20, 16 << 20];

/// The bytes that all experiments need.
pub(crate) const MEMORY: usize = 16 << 20;

/// The name that the report gives to the build of the peer.
pub(crate) const BUILD: &str = if cfg!(feature = "peer-pure") {
    "`pure`, without assembler and C"
} else if cfg!(feature = "peer-no-avx512") {
    "`no_avx512`, with assembler up to AVX2"
} else {
    "as by default, with assembler"
};

/// Calls that are timed. A library that has no call for many messages has a loop.
trait Contender: Clone {
    type Hash;

    fn bytes(hash: &Self::Hash) -> [u8; 32];

    fn hash(&self, message: &[u8]) -> Self::Hash;

    /// By writes of `size` bytes.
    fn written(&self, message: &[u8], size: usize) -> Self::Hash;

    /// Hands over the digest of all that was written so far, after each write of `size` bytes.
    fn digested(&self, message: &[u8], size: usize, each: impl FnMut(Self::Hash));

    fn hash_many(&self, messages: &[&[u8]], mut each: impl FnMut(Self::Hash)) {
        messages.iter().for_each(|message| each(self.hash(message)));
    }

    /// The output for a message of no bytes.
    fn output(&self, bytes: &mut [u8]);
}

/// The calls of most users.
#[derive(Clone)]
struct Ours;

impl Contender for Ours {
    type Hash = ours::Hash;

    fn bytes(hash: &Self::Hash) -> [u8; 32] {
        *hash.as_bytes()
    }

    fn hash(&self, message: &[u8]) -> Self::Hash {
        ours::hash(message)
    }

    fn written(&self, message: &[u8], size: usize) -> Self::Hash {
        written(ours::Hasher::new(), message, size)
    }

    fn digested(&self, message: &[u8], size: usize, each: impl FnMut(Self::Hash)) {
        digested(ours::Hasher::new(), message, size, each);
    }

    fn hash_many(&self, messages: &[&[u8]], each: impl FnMut(Self::Hash)) {
        ours::hash_many(messages).into_iter().for_each(each);
    }

    fn output(&self, bytes: &mut [u8]) {
        ours::Hasher::new().finalize_xof().fill(bytes);
    }
}

#[derive(Clone)]
struct OursOn(Mode);

impl Contender for OursOn {
    type Hash = ours::Hash;

    fn bytes(hash: &Self::Hash) -> [u8; 32] {
        *hash.as_bytes()
    }

    fn hash(&self, message: &[u8]) -> Self::Hash {
        self.0.hash(message)
    }

    fn written(&self, message: &[u8], size: usize) -> Self::Hash {
        written(self.0.hasher(), message, size)
    }

    fn digested(&self, message: &[u8], size: usize, each: impl FnMut(Self::Hash)) {
        digested(self.0.hasher(), message, size, each);
    }

    fn hash_many(&self, messages: &[&[u8]], each: impl FnMut(Self::Hash)) {
        self.0.hash_many(messages).into_iter().for_each(each);
    }

    fn output(&self, bytes: &mut [u8]) {
        self.0.hash_xof(b"").fill(bytes);
    }
}

fn written(mut hasher: ours::Hasher, message: &[u8], size: usize) -> ours::Hash {
    message.chunks(black_box(size)).for_each(|piece| _ = hasher.update(piece));
    hasher.finalize()
}

fn digested(mut hasher: ours::Hasher, message: &[u8], size: usize, mut each: impl FnMut(ours::Hash)) {
    for piece in message.chunks(black_box(size)) {
        hasher.update(piece);
        each(hasher.finalize());
    }
}

/// By the traits of `digest`, where a digest of a message that goes on takes a clone.
#[derive(Clone)]
struct OursByTraits;

impl Contender for OursByTraits {
    type Hash = [u8; 32];

    fn bytes(hash: &Self::Hash) -> [u8; 32] {
        *hash
    }

    fn hash(&self, message: &[u8]) -> Self::Hash {
        Blake3::digest(message).into()
    }

    fn written(&self, message: &[u8], size: usize) -> Self::Hash {
        let mut hasher = Blake3::new();
        message.chunks(black_box(size)).for_each(|piece| hasher.update(piece));
        hasher.finalize().into()
    }

    fn digested(&self, message: &[u8], size: usize, mut each: impl FnMut(Self::Hash)) {
        let mut hasher = Blake3::new();
        for piece in message.chunks(black_box(size)) {
            hasher.update(piece);
            each(hasher.clone().finalize().into());
        }
    }

    fn output(&self, bytes: &mut [u8]) {
        Blake3::new().finalize_xof().read(bytes);
    }
}

#[derive(Clone)]
struct Peer;

impl Contender for Peer {
    type Hash = blake3::Hash;

    fn bytes(hash: &Self::Hash) -> [u8; 32] {
        *hash.as_bytes()
    }

    fn hash(&self, message: &[u8]) -> Self::Hash {
        blake3::hash(message)
    }

    fn written(&self, message: &[u8], size: usize) -> Self::Hash {
        let mut hasher = blake3::Hasher::new();
        message.chunks(black_box(size)).for_each(|piece| _ = hasher.update(piece));
        hasher.finalize()
    }

    fn digested(&self, message: &[u8], size: usize, mut each: impl FnMut(Self::Hash)) {
        let mut hasher = blake3::Hasher::new();
        for piece in message.chunks(black_box(size)) {
            hasher.update(piece);
            each(hasher.finalize());
        }
    }

    fn output(&self, bytes: &mut [u8]) {
        blake3::Hasher::new().finalize_xof().fill(bytes);
    }
}

#[cfg(feature = "peers")]
#[derive(Clone)]
struct Rscrypto;

#[cfg(feature = "peers")]
impl Contender for Rscrypto {
    type Hash = [u8; 32];

    fn bytes(hash: &Self::Hash) -> [u8; 32] {
        *hash
    }

    fn hash(&self, message: &[u8]) -> Self::Hash {
        rscrypto::Blake3::digest(message)
    }

    fn written(&self, message: &[u8], size: usize) -> Self::Hash {
        let mut hasher = rscrypto::Blake3::new();
        message.chunks(black_box(size)).for_each(|piece| hasher.update(piece));
        hasher.finalize()
    }

    fn digested(&self, message: &[u8], size: usize, mut each: impl FnMut(Self::Hash)) {
        let mut hasher = rscrypto::Blake3::new();
        for piece in message.chunks(black_box(size)) {
            hasher.update(piece);
            each(hasher.finalize());
        }
    }

    fn output(&self, bytes: &mut [u8]) {
        rscrypto::Blake3::new().finalize_xof().squeeze(bytes);
    }
}

fn on(backend: Backend) -> Mode {
    Mode::HASH.with_backend(backend)
}

fn name_on(backend: Backend) -> String {
    format!("on {backend}")
}

/// One message, its writes, digests in between, many messages, output, keys, and all cores.
pub(crate) fn experiments(memory: &[u8]) -> Vec<Experiment<'_>> {
    let mut lines = <[Vec<Line<'_>>; 5]>::default();
    add(&mut lines, "simd-digest", false, Ours, memory);
    add(&mut lines, "simd-digest, as `Digest`", false, OursByTraits, memory);
    for backend in Backend::available() {
        add(&mut lines, &name_on(backend), false, OursOn(on(backend)), memory);
    }
    add(&mut lines, "blake3", true, Peer, memory);
    #[cfg(feature = "peers")]
    add(&mut lines, "rscrypto", true, Rscrypto, memory);

    let each = |bytes: &[usize]| bytes.iter().map(|&bytes| Size { label: length(bytes), bytes }).collect();
    let titles = [
        ("BLAKE3 of one message".into(), Some("blake3-one-message.svg"), "length", each(&LENGTHS)),
        (
            format!("BLAKE3 of {} by writes", length(WRITTEN)),
            Some("blake3-writes.svg"),
            "length of each",
            WRITES.map(|size| Size { label: length(size), bytes: WRITTEN }).into(),
        ),
        (format!("BLAKE3 by writes of {}, a digest after each", length(BLOCK)), None, "length", each(&DIGESTED)),
        (
            format!("BLAKE3 of {MANY} messages, the peers in a loop"),
            Some("blake3-many.svg"),
            "length of each",
            MANY_LENGTHS.map(|size| Size { label: length(size), bytes: MANY * size }).into(),
        ),
        ("Output of BLAKE3".into(), None, "length", each(&OUTPUTS)),
    ];
    let experiments = titles.into_iter().zip(lines);
    let experiments = experiments
        .map(|((title, file, across, sizes), lines)| Experiment::of_lines(title, file, across, sizes, lines));
    experiments.chain([keys(memory), on_all_cores(memory)]).collect()
}

/// Adds all calls of a contender to the lines of each experiment.
fn add<'a>(lines: &mut [Vec<Line<'a>>; 5], name: &str, peer: bool, contender: impl Contender + 'a, memory: &'a [u8]) {
    let one = LENGTHS.map(|length| -> Call<'a> {
        let (contender, message) = (contender.clone(), &memory[..length]);
        Box::new(move || keep(contender.hash(black_box(message))))
    });
    let writes = WRITES.map(|size| -> Call<'a> {
        let (contender, message) = (contender.clone(), &memory[..WRITTEN]);
        Box::new(move || keep(contender.written(black_box(message), size)))
    });
    let digests = DIGESTED.map(|length| -> Call<'a> {
        let (contender, message) = (contender.clone(), &memory[..length]);
        Box::new(move || contender.digested(black_box(message), BLOCK, keep))
    });
    let many = MANY_LENGTHS.map(|length| -> Call<'a> {
        let (contender, messages) = (contender.clone(), messages(memory, length));
        Box::new(move || contender.hash_many(black_box(&messages), keep))
    });
    let outputs = OUTPUTS.map(|length| -> Call<'a> {
        let (contender, mut bytes) = (contender.clone(), vec![0; length]);
        Box::new(move || contender.output(black_box(&mut bytes)))
    });
    let calls: [Vec<Call<'a>>; 5] = [one.into(), writes.into(), digests.into(), many.into(), outputs.into()];
    for (lines, calls) in lines.iter_mut().zip(calls) {
        lines.push(Line { name: name.into(), peer, drawn: peer || !name.starts_with("on "), calls });
    }
}

fn messages(memory: &[u8], each: usize) -> Vec<&[u8]> {
    memory.chunks(each).take(MANY).collect()
}

/// Keys from key material, with the context hashed before or each time.
fn keys(memory: &[u8]) -> Experiment<'_> {
    let mut lines = Vec::new();
    let mut add = |name: String, peer, derive: fn(&Mode, &blake3::Hasher, &[u8]) -> [u8; 32], mode: Mode| {
        let hasher = blake3::Hasher::new_derive_key(CONTEXT);
        let calls = MATERIALS.map(|length| -> Call<'_> {
            let (mode, hasher, material) = (mode.clone(), hasher.clone(), &memory[..length]);
            Box::new(move || keep(derive(black_box(&mode), black_box(&hasher), black_box(material))))
        });
        lines.push(Line { name, peer, drawn: false, calls: calls.into() });
    };
    let mode = Mode::derive_key(CONTEXT);
    add("simd-digest, a `Mode` prepared".into(), false, by_mode, mode.clone());
    add("simd-digest `derive_key`".into(), false, |_, _, material| ours::derive_key(CONTEXT, material), mode.clone());
    for backend in Backend::available() {
        add(format!("a `Mode` {}", name_on(backend)), false, by_mode, mode.clone().with_backend(backend));
    }
    add("blake3 `derive_key`".into(), true, |_, _, material| blake3::derive_key(CONTEXT, material), mode.clone());
    #[cfg(feature = "peers")]
    add("rscrypto `derive_key`".into(), true, by_rscrypto, mode.clone());
    add("blake3, a `Hasher` prepared and cloned".into(), true, by_clone, mode);
    let sizes = MATERIALS.map(|bytes| Size { label: length(bytes), bytes });
    Experiment::of_lines("A key derived by BLAKE3".into(), None, "key material", sizes.into(), lines)
}

fn by_mode(mode: &Mode, _: &blake3::Hasher, material: &[u8]) -> [u8; 32] {
    *mode.hash(material).as_bytes()
}

fn by_clone(_: &Mode, hasher: &blake3::Hasher, material: &[u8]) -> [u8; 32] {
    *hasher.clone().update(material).finalize().as_bytes()
}

#[cfg(feature = "peers")]
fn by_rscrypto(_: &Mode, _: &blake3::Hasher, material: &[u8]) -> [u8; 32] {
    rscrypto::Blake3::derive_key(CONTEXT, material)
}

/// One message on all cores and on one.
fn on_all_cores(memory: &[u8]) -> Experiment<'_> {
    let line = |name: &str, peer, hash: fn(&[u8]) -> [u8; 32]| {
        let calls = ON_ALL_CORES.map(|length| -> Call<'_> {
            let message = &memory[..length];
            Box::new(move || keep(hash(black_box(message))))
        });
        Line { name: name.into(), peer, drawn: false, calls: calls.into() }
    };
    let lines = vec![
        line("simd-digest `update_rayon`", false, by_rayon),
        line("blake3 `update_rayon`", true, peer_by_rayon),
        line("on one core: simd-digest `update`", false, by_update),
        line("on one core: blake3 `update`", false, peer_by_update),
    ];
    let sizes = ON_ALL_CORES.map(|bytes| Size { label: length(bytes), bytes });
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Experiment::of_lines(format!("BLAKE3 on all cores, here {cores}"), None, "length", sizes.into(), lines)
}

fn by_rayon(message: &[u8]) -> [u8; 32] {
    *ours::Hasher::new().update_rayon(message).finalize().as_bytes()
}

fn by_update(message: &[u8]) -> [u8; 32] {
    *ours::Hasher::new().update(message).finalize().as_bytes()
}

fn peer_by_rayon(message: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new().update_rayon(message).finalize().as_bytes()
}

fn peer_by_update(message: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new().update(message).finalize().as_bytes()
}

/// Panics if not all answer the same to the same question.
pub(crate) fn agree(memory: &[u8]) {
    agrees(&Ours, memory);
    agrees(&OursByTraits, memory);
    Backend::available().for_each(|backend| agrees(&OursOn(on(backend)), memory));
    #[cfg(feature = "peers")]
    agrees(&Rscrypto, memory);

    let hasher = blake3::Hasher::new_derive_key(CONTEXT);
    for material in MATERIALS.map(|length| &memory[..length]) {
        let expected = blake3::derive_key(CONTEXT, material);
        assert_eq!(by_clone(&Mode::HASH, &hasher, material), expected);
        assert_eq!(ours::derive_key(CONTEXT, material), expected);
        #[cfg(feature = "peers")]
        assert_eq!(by_rscrypto(&Mode::HASH, &hasher, material), expected);
        for backend in Backend::available() {
            let mode = Mode::derive_key(CONTEXT).with_backend(backend);
            assert_eq!(by_mode(&mode, &hasher, material), expected, "{backend}");
        }
    }
    for message in ON_ALL_CORES.map(|length| &memory[..length]) {
        let expected = peer_by_update(message);
        assert_eq!(peer_by_rayon(message), expected);
        assert_eq!(by_rayon(message), expected);
        assert_eq!(by_update(message), expected);
    }
}

fn agrees<C: Contender>(contender: &C, memory: &[u8]) {
    let peer = |message: &[u8]| Peer::bytes(&Peer.hash(message));
    for message in LENGTHS.map(|length| &memory[..length]) {
        assert_eq!(C::bytes(&contender.hash(message)), peer(message));
    }
    for size in WRITES {
        assert_eq!(C::bytes(&contender.written(&memory[..WRITTEN], size)), peer(&memory[..WRITTEN]));
    }
    for message in DIGESTED.map(|length| &memory[..length]) {
        let mut end = 0;
        contender.digested(message, BLOCK, |hash| {
            end += BLOCK;
            assert_eq!(C::bytes(&hash), peer(&message[..end]));
        });
        assert_eq!(end, message.len());
    }
    for messages in MANY_LENGTHS.map(|length| messages(memory, length)) {
        let mut hashes = Vec::new();
        contender.hash_many(&messages, |hash| hashes.push(C::bytes(&hash)));
        assert_eq!(hashes, messages.into_iter().map(peer).collect::<Vec<_>>());
    }
    for length in OUTPUTS {
        let (mut ours, mut theirs) = (vec![0; length], vec![0; length]);
        contender.output(&mut ours);
        Peer.output(&mut theirs);
        assert!(ours == theirs);
    }
}
