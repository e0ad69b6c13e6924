//! The compression function against one written here, and the counter at the edges that no message reaches.

use simd_digest::blake2b::hazmat;
use simd_digest::digest::common::hazmat::{SerializableState, SerializedState};
use simd_digest::{Backend, Blake2b512, Digest};

use self::paint::paint;
use self::random::Random;

#[path = "common/paint.rs"]
mod paint;
#[path = "common/random.rs"]
mod random;

/// RFC 7693, section 2.7: a hexadecimal digit for each place.
const SIGMA: [&str; 10] = [
    "0123456789abcdef",
    "ea489fd61c02b753",
    "b8c052fdae367194",
    "7931dcbe265a40f8",
    "905724afe1bc683d",
    "2c6a0b834d75fe19",
    "c51fed4a0763928b",
    "db7ec13950f4862a",
    "6fe9b308c2d714a5",
    "a2847615fb9e3cd0",
];

/// Word `i` of the initialisation vector: 64 bits of the fraction of the square root of the `i`th prime.
fn iv(i: usize) -> u64 {
    let prime = [2_u128, 3, 5, 7, 11, 13, 17, 19][i];
    let root = prime.isqrt();
    // With x the fraction times 2^64: (root + x / 2^64)^2 < prime.
    let below = |x: u128| 2 * root * x + ((x * x) >> 64) < (prime - root * root) << 64;
    let fraction = (0..64).rev().fold(0, |x, bit| if below(x | 1 << bit) { x | 1 << bit } else { x });
    u64::try_from(fraction).unwrap()
}

/// RFC 7693, section 3.2, as it is written there.
fn f(rounds: u32, h: [u64; 8], m: &[u64; 16], t: u128, last: bool) -> [u64; 8] {
    let mut v: [u64; 16] = core::array::from_fn(|i| if i < 8 { h[i] } else { iv(i - 8) });
    v[12] ^= u64::try_from(t % (1 << 64)).unwrap();
    v[13] ^= u64::try_from(t >> 64).unwrap();
    if last {
        v[14] = !v[14];
    }
    for round in 0..rounds as usize {
        let mut words = SIGMA[round % 10].chars().map(|place| m[place.to_digit(16).unwrap() as usize]);
        for i in 0..8 {
            // Columns, then diagonals.
            let place = |row: usize| 4 * row + (i + row * (i / 4)) % 4;
            let [a, b, c, d] = [0, 1, 2, 3].map(place);
            for (to_d, to_b) in [(32, 24), (16, 63)] {
                v[a] = v[a].wrapping_add(v[b]).wrapping_add(words.next().unwrap());
                v[d] = (v[d] ^ v[a]).rotate_right(to_d);
                v[c] = v[c].wrapping_add(v[d]);
                v[b] = (v[b] ^ v[c]).rotate_right(to_b);
            }
        }
    }
    core::array::from_fn(|i| h[i] ^ v[i] ^ v[i + 8])
}

fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    core::array::from_fn(|i| u64::from_le_bytes(bytes[8 * i..][..8].try_into().unwrap()))
}

/// A message block, zeros after `bytes`.
fn block(bytes: &[u8]) -> [u64; 16] {
    let mut block = [0; 128];
    block[..bytes.len()].copy_from_slice(bytes);
    words(&block)
}

fn hex_of(h: [u64; 8]) -> String {
    h.map(|word| hex::encode(word.to_le_bytes())).concat()
}

/// The chaining value before the first block: unkeyed, sequential, 64 bytes of digest.
fn start() -> [u64; 8] {
    core::array::from_fn(|i| if i == 0 { iv(0) ^ 0x0101_0040 } else { iv(i) })
}

/// Test vectors 4 to 7 of EIP-152: "abc" with other rounds, last block or not.
#[test]
fn eip_152() {
    let vectors = [
        (
            (0, true),
            "08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5\
             d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b",
        ),
        (
            (12, true),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
             7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
        ),
        (
            (12, false),
            "75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d28752\
             98743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735",
        ),
        (
            (1, true),
            "b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fb\
             a551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421",
        ),
    ];
    for ((rounds, last), digest) in vectors {
        let (mut h, m) = (start(), block(b"abc"));
        assert_eq!(hex_of(f(rounds, h, &m, 3, last)), digest);
        hazmat::compress(rounds, &mut h, &m, 3, last);
        assert_eq!(hex_of(h), digest, "{rounds} rounds, last {last}");
    }
}

/// Test vector 8 of EIP-152.
#[test]
#[ignore = "2^32 - 1 rounds"]
fn eip_152_all_rounds() {
    let mut h = start();
    hazmat::compress(u32::MAX, &mut h, &block(b"abc"), 3, true);
    assert_eq!(
        hex_of(h),
        "fc59093aafa9ab43daae0e914c57635c5402d8e3d2130eb9b3cc181de7f0ecf9\
         b22bf99a7815ce16419e200e01846e6b5df8cc7703041bbceb571de6631d2615"
    );
}

/// Counters on either side of every carry.
fn counters() -> impl Iterator<Item = u128> {
    [31, 32, 63, 64, 127].into_iter().flat_map(|bit| [(1 << bit) - 1, 1 << bit]).chain([0, 1, 128, u128::MAX])
}

#[test]
fn hazmat_is_the_function_of_the_rfc() {
    let mut random = Random::new(152);
    for rounds in (0..=13).chain([19, 20, 21, 100]) {
        for t in counters() {
            for last in [false, true] {
                let start = core::array::from_fn(|_| random.number());
                let m = core::array::from_fn(|_| random.number());
                let mut h = start;
                hazmat::compress(rounds, &mut h, &m, t, last);
                assert_eq!(h, f(rounds, start, &m, t, last), "{rounds} rounds, counter {t:#x}, last {last}");
            }
        }
    }
}

/// A hash in the middle of a message of which `count` bytes were compressed, and `held` are held back.
///
/// A serialised state is the digest length (1), salt and personalisation (32 bytes), chaining value (64), counter (16), bytes held back (1)
/// and their block (128).
fn resume(h: &[u64; 8], count: u128, held: &[u8]) -> Blake2b512 {
    let mut state = SerializedState::<Blake2b512>::default();
    state[0] = 64;
    for (to, word) in state[33..97].chunks_mut(8).zip(h) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    state[97..113].copy_from_slice(&count.to_le_bytes());
    state[113] = held.len().try_into().unwrap();
    state[114..][..held.len()].copy_from_slice(held);
    Blake2b512::deserialize(&state).unwrap()
}

/// The counter has 128 bits, and carries through all of them: peers lost the carry at 2^63 (a signed compare), and
/// could at 2^32 and 2^64. What is after 2^128 - 1 bytes is no BLAKE2b, but no reason to panic.
#[test]
fn trap_counter_carry() {
    let mut random = Random::new(128);
    let message = paint(700);
    let edges = [1 << 32, 1 << 63, 1 << 64, 1 << 127, 0_u128];
    let counts = edges.iter().flat_map(|edge| (1..=4).map(|blocks| edge.wrapping_sub(128 * blocks)));
    for count in counts {
        for (held, length) in [(1, 1), (128, 128), (128, 129), (127, 383), (128, 511), (128, 512), (128, 640), (5, 700)]
        {
            let start = core::array::from_fn(|_| random.number());
            let (mut h, mut t) = (start, count);
            for piece in message[..length].chunks(128) {
                t = t.wrapping_add(piece.len() as u128);
                h = f(12, h, &block(piece), t, t == count.wrapping_add(length as u128));
            }
            for backend in Backend::available() {
                let mut hash = resume(&start, count, &message[..held]).with_backend(backend);
                for piece in random.pieces(&message[held..length]) {
                    Digest::update(&mut hash, piece);
                }
                let digest = hash.finalize();
                assert_eq!(hex::encode(digest), hex_of(h), "{backend}, {length} bytes from {count:#x}");
            }
        }
    }
}
