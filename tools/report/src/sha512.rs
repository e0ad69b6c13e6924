//! SHA-512: ours on every backend, and the peers'.

#[cfg(feature = "peers")]
use core::cell::RefCell;
use core::hint::black_box;
#[cfg(any(feature = "openssl", feature = "peers"))]
use std::rc::Rc;

use hmac::{Hmac, KeyInit, Mac};
use simd_digest::sha512::{Batch, HmacKey};
use simd_digest::{Backend, Digest};

use crate::contenders::keep;
#[cfg(feature = "peers")]
use crate::contenders::rscrypto_tag;
#[cfg(feature = "openssl")]
use crate::evp;
use crate::experiment::{Call, Experiment, Line, Size, length};

const LENGTHS: [usize; 7] = [0, 64, 111, 112, 1 << 10, 16 << 10, 1 << 20];
/// Numbers and lengths of messages in a call.
const MANY: [(usize, usize); 12] = [
    (4, 64),
    (8, 64),
    (16, 64),
    (64, 64),
    (4, 1 << 10),
    (8, 1 << 10),
    (16, 1 << 10),
    (64, 1 << 10),
    (4, 16 << 10),
    (8, 16 << 10),
    (16, 16 << 10),
    (64, 16 << 10),
];
/// Messages in a call of HMAC.
const TAGS: [usize; 5] = [1, 4, 8, 16, 64];
const KEY: &[u8] = b"a key of 32 bytes, as most have.";

/// The bytes that all experiments need.
pub(crate) const MEMORY: usize = 1 << 20;

/// HMAC with [`KEY`] set up, by the crate `hmac`.
macro_rules! by_hmac {
    ($Digest:ty) => {{
        let key = <Hmac<$Digest> as KeyInit>::new_from_slice(KEY).expect("of any length");
        move |message: &[u8]| key.clone().chain_update(message).finalize().into_bytes()
    }};
}

/// The lines of each experiment.
type Lines<'a> = [Vec<Line<'a>>; 3];

/// Adds the calls of a library to the lines: those for one message, and those for many, which may be loops. Panics if a
/// digest or a tag is not that of `sha2`.
fn add<'a, D: AsRef<[u8]>, T: AsRef<[u8]>>(
    lines: &mut Lines<'a>,
    (name, peer, drawn): (&str, bool, bool),
    memory: &'a [u8],
    (hash, hash_many): (impl Fn(&[u8]) -> D + Copy + 'a, impl Fn(&[&[u8]]) + Copy + 'a),
    (mac, mac_many): (impl Fn(&[u8]) -> T + Clone + 'a, impl Fn(&[&[u8]]) + Clone + 'a),
) {
    for message in LENGTHS.map(|length| &memory[..length]) {
        assert_eq!(hash(message).as_ref(), &sha2::Sha512::digest(message)[..], "{name}");
        assert_eq!(mac(message).as_ref(), &by_hmac!(sha2::Sha512)(message)[..], "{name}");
    }
    let messages = |number, each| -> Vec<&[u8]> { memory.chunks(each).take(number).collect() };
    let one = LENGTHS.map(|length| -> Call<'a> { Box::new(move || keep(hash(black_box(&memory[..length])))) });
    let many = MANY.map(|(number, each)| -> Call<'a> {
        let messages = messages(number, each);
        Box::new(move || hash_many(black_box(&messages)))
    });
    let tags = TAGS.map(|number| -> Call<'a> {
        let (mac, mac_many, messages) = (mac.clone(), mac_many.clone(), messages(number, 64));
        match number {
            1 => Box::new(move || keep(mac(black_box(messages[0])))),
            _ => Box::new(move || mac_many(black_box(&messages))),
        }
    });
    let calls: [Vec<Call<'a>>; 3] = [one.into(), many.into(), tags.into()];
    for (lines, calls) in lines.iter_mut().zip(calls) {
        lines.push(Line { name: name.into(), peer, drawn, calls });
    }
}

/// A library that has no calls for many messages.
fn add_loop<'a, D: AsRef<[u8]>, T: AsRef<[u8]>>(
    lines: &mut Lines<'a>,
    title: (&str, bool, bool),
    memory: &'a [u8],
    hash: impl Fn(&[u8]) -> D + Copy + 'a,
    mac: impl Fn(&[u8]) -> T + Clone + 'a,
) {
    let each = mac.clone();
    let in_loop = (
        move |messages: &[&[u8]]| messages.iter().for_each(|message| keep(hash(message))),
        move |messages: &[&[u8]]| messages.iter().for_each(|message| keep(each(message))),
    );
    add(lines, title, memory, (hash, in_loop.0), (mac, in_loop.1));
}

/// Ours on this backend.
fn add_ours<'a>(lines: &mut Lines<'a>, title: (&str, bool, bool), memory: &'a [u8], backend: Backend) {
    let batch = Batch::new().with_backend(backend);
    let key = HmacKey::new(KEY).with_backend(backend);
    let many = key.clone();
    add(
        lines,
        title,
        memory,
        (move |message| batch.hash(message), move |messages| keep(batch.hash_many(messages))),
        (move |message| key.hash(message), move |messages| keep(many.hash_many(messages))),
    );
}

/// Both have the same names.
#[cfg(feature = "peers")]
macro_rules! add_peer {
    ($lines:expr, $memory:expr, $peer:ident, $name:literal) => {
        let key = $peer::hmac::Key::new($peer::hmac::HMAC_SHA512, KEY);
        add_loop(
            $lines,
            ($name, true, true),
            $memory,
            |message| $peer::digest::digest(&$peer::digest::SHA512, message),
            move |message| $peer::hmac::sign(&key, message),
        );
    };
}

/// One message, many, and HMAC. Panics if not all answer the same to the same question.
pub(crate) fn experiments(memory: &[u8]) -> [Experiment<'_>; 3] {
    let mut lines = Lines::default();
    add_ours(&mut lines, ("simd-digest", false, true), memory, Backend::best());
    let traits = ("simd-digest, as `Digest`", false, true);
    add_loop(&mut lines, traits, memory, |message| simd_digest::Sha512::digest(message), by_hmac!(simd_digest::Sha512));
    for backend in Backend::available() {
        add_ours(&mut lines, (&format!("on {backend}"), false, false), memory, backend);
    }
    add_loop(&mut lines, ("sha2", true, true), memory, |message| sha2::Sha512::digest(message), by_hmac!(sha2::Sha512));
    #[cfg(feature = "peers")]
    {
        add_peer!(&mut lines, memory, ring, "ring");
        add_peer!(&mut lines, memory, aws_lc_rs, "aws-lc-rs");
        let key = Rc::new(RefCell::new(<rscrypto::HmacSha512 as rscrypto::Mac>::new(KEY)));
        let mac = move |message: &[u8]| rscrypto_tag(&key, message);
        add_loop(&mut lines, ("rscrypto", true, true), memory, rscrypto::Sha512::digest, mac);
    }
    #[cfg(feature = "openssl")]
    {
        let key = Rc::new(evp::HmacKey::new("SHA512", KEY));
        let mac = move |message: &[u8]| key.tag::<64>(message);
        add_loop(&mut lines, (evp::NAME, true, true), memory, evp::sha512, mac);
        lines[2].last_mut().expect("just added").name = evp::HMAC.into();
    }

    let of = |number, each| format!("{number} × {}", length(each));
    let sizes = [
        LENGTHS.map(|bytes| Size { label: length(bytes), bytes }).into(),
        MANY.map(|(number, each)| Size { label: of(number, each), bytes: number * each }).into(),
        TAGS.map(|number| Size { label: number.to_string(), bytes: number * 64 }).into(),
    ];
    let titles = [
        ("SHA-512 of one message", "length"),
        ("SHA-512 of many messages, the peers in a loop", "messages"),
        ("HMAC-SHA-512 of 64 bytes with a key set up, the peers in a loop", "messages"),
    ];
    let mut parts = titles.into_iter().zip(sizes).zip(lines);
    core::array::from_fn(|_| {
        let (((title, across), sizes), lines) = parts.next().expect("three of each");
        Experiment::of_lines(title.into(), None, across, sizes, lines)
    })
}
