//! The compression function against one written here, and the counter at the edges that no message reaches.

use simd_digest::blake2::hazmat::State;
use simd_digest::blake2::{Hasher, update_many};
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::{self, FlavourS};
use simd_digest::digest::common::hazmat::{SerializableState, SerializedState};
use simd_digest::{Backend, Blake2b512, Blake2s256, Digest};

use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::rfc::{Rfc, f};

for_both! {
    hazmat_is_the_function_of_the_rfc,
    trap_counter_carry,
    trap_counter_carry_in_every_lane,
}

fn hex_of<F: Rfc>(h: [u64; 8]) -> String {
    hex::encode(F::bytes(&h))
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
        let (start, m) = (FlavourB::start(), FlavourB::block(b"abc"));
        assert_eq!(hex_of::<FlavourB>(f::<FlavourB>(rounds, start, &m, 3, last)), digest);
        let h = FlavourB::hazmat(rounds, start, &m, 3, last);
        assert_eq!(hex_of::<FlavourB>(h), digest, "{rounds} rounds, last {last}");
    }
}

/// Test vector 8 of EIP-152.
#[test]
#[ignore = "2^32 - 1 rounds"]
fn eip_152_all_rounds() {
    let h = FlavourB::hazmat(u32::MAX, FlavourB::start(), &FlavourB::block(b"abc"), 3, true);
    assert_eq!(
        hex_of::<FlavourB>(h),
        "fc59093aafa9ab43daae0e914c57635c5402d8e3d2130eb9b3cc181de7f0ecf9\
         b22bf99a7815ce16419e200e01846e6b5df8cc7703041bbceb571de6631d2615"
    );
}

/// RFC 7693, appendix B.
#[test]
fn appendix_b() {
    let (start, m) = (FlavourS::start(), FlavourS::block(b"abc"));
    let digest = "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982";
    assert_eq!(hex_of::<FlavourS>(FlavourS::hazmat(10, start, &m, 3, true)), digest);
}

/// The compression function of `hazmat`. Words and counter of BLAKE2s are numbers that fit.
trait Hazmat: Rfc {
    fn hazmat(rounds: u32, h: [u64; 8], m: &[u64; 16], t: u128, last: bool) -> [u64; 8];
}

impl Hazmat for FlavourB {
    fn hazmat(rounds: u32, mut h: [u64; 8], m: &[u64; 16], t: u128, last: bool) -> [u64; 8] {
        blake2b::hazmat::compress(rounds, &mut h, m, t, last);
        h
    }
}

impl Hazmat for FlavourS {
    fn hazmat(rounds: u32, h: [u64; 8], m: &[u64; 16], t: u128, last: bool) -> [u64; 8] {
        let narrow = |word: u64| u32::try_from(word).unwrap();
        let mut h = h.map(narrow);
        blake2s::hazmat::compress(rounds, &mut h, &m.map(narrow), t.try_into().unwrap(), last);
        h.map(u64::from)
    }
}

/// Counters on either side of every carry, and of the bytes of a block, which a backend counts.
fn counters<F: Rfc>() -> impl Iterator<Item = u128> {
    let (block, most) = (F::BLOCK as u128, u128::MAX >> (128 - 2 * F::BITS));
    let carries = [31, 32, 63, 64, 127].into_iter().filter(|&bit| bit < 2 * F::BITS).map(|bit| 1 << bit);
    carries.flat_map(move |carry: u128| [carry - 1, carry, carry + 1, carry + block - 1, carry + block]).chain([
        0,
        1,
        block - 1,
        block,
        block + 1,
        most - block,
        most - 1,
        most,
    ])
}

fn hazmat_is_the_function_of_the_rfc<F: Hazmat>() {
    let mut random = Random::new(152);
    for rounds in (0..=13).chain([19, 20, 21, 100]) {
        for t in counters::<F>() {
            for last in [false, true] {
                let start = core::array::from_fn(|_| random.number() & F::MASK);
                let m = core::array::from_fn(|_| random.number() & F::MASK);
                assert_eq!(
                    F::hazmat(rounds, start, &m, t, last),
                    f::<F>(rounds, start, &m, t, last),
                    "{rounds} rounds, counter {t:#x}, last {last}"
                );
            }
        }
    }
}

/// The hash with the longest digest, of which the state can be serialised.
trait Resume: Rfc {
    type Hash: Digest + SerializableState + Clone;

    fn on(hash: Self::Hash, backend: Backend) -> Self::Hash;
}

impl Resume for FlavourB {
    type Hash = Blake2b512;

    fn on(hash: Blake2b512, backend: Backend) -> Blake2b512 {
        hash.with_backend(backend)
    }
}

impl Resume for FlavourS {
    type Hash = Blake2s256;

    fn on(hash: Blake2s256, backend: Backend) -> Blake2s256 {
        hash.with_backend(backend)
    }
}

/// A hash in the middle of a message of which `count` bytes were compressed, and `held` are held back.
///
/// A serialised state is, with `W` bytes in a word: the digest length (1), salt and personalisation (4 W), chaining
/// value (8 W), counter (2 W), bytes held back (1) and their block (16 W).
fn resume<F: Resume>(h: &[u64; 8], count: u128, held: &[u8]) -> F::Hash {
    let length = |length: usize| u8::try_from(length).unwrap();
    let mut bytes = vec![length(F::LONGEST)];
    bytes.resize(1 + 2 * F::TEXT, 0);
    bytes.extend(F::bytes(h));
    bytes.extend(&count.to_le_bytes()[..F::LONGEST / 4]);
    bytes.push(length(held.len()));
    bytes.extend(held);
    let mut state = SerializedState::<F::Hash>::default();
    state[..bytes.len()].copy_from_slice(&bytes);
    F::Hash::deserialize(&state).unwrap()
}

/// The counter has two words, and carries through all of them: peers lost the carry at 2^63 (a signed compare), and
/// could at 2^32 and 2^64. What is after the last count is no BLAKE2, but no reason to panic.
fn trap_counter_carry<F: Resume>() {
    let mut random = Random::new(128);
    let (message, block) = (paint(700), F::BLOCK);
    let most = u128::MAX >> (128 - 2 * F::BITS);
    let edges = [31, 32, 63, 64, 127].into_iter().filter(|&bit| bit < 2 * F::BITS).map(|bit| 1 << bit).chain([0_u128]);
    let counts = edges.flat_map(|edge| (1..=4).map(move |blocks| edge.wrapping_sub(block as u128 * blocks) & most));
    for count in counts {
        let near = |n: usize| [n * block - 1, n * block, n * block + 1];
        for (held, length) in [(1, 1), (block, block), (block, block + 1), (5, 5 * block + 60)]
            .into_iter()
            .chain([3, 4, 5].into_iter().flat_map(near).map(|length| (block - length % 2, length)))
        {
            let start = core::array::from_fn(|_| random.number() & F::MASK);
            let (mut h, mut t) = (start, count);
            for piece in message[..length].chunks(block) {
                t = t.wrapping_add(piece.len() as u128) & most;
                h = f::<F>(<F as Rfc>::ROUNDS, h, &F::block(piece), t, t == count.wrapping_add(length as u128) & most);
            }
            for backend in Backend::available() {
                let mut hash = F::on(resume::<F>(&start, count, &message[..held]), backend);
                for piece in random.pieces(&message[held..length]) {
                    Digest::update(&mut hash, piece);
                }
                let digest = hash.finalize();
                assert_eq!(hex::encode(digest), hex_of::<F>(h), "{backend}, {length} bytes from {count:#x}");
            }
        }
    }
}

/// A hasher in the middle of a message: `count` bytes were compressed, and a block is held back.
fn far<F: Flavour>(count: u128, seed: u8) -> Hasher<F> {
    // In the layout of `State`, the chaining value, the number of bytes and those held back follow each other.
    let mut state = State::from(&Hasher::<F>::new()).to_bytes();
    let (bytes, length) = (state.as_mut(), F::LONGEST);
    bytes[2] = u8::try_from(F::BLOCK).unwrap();
    bytes[3 + 2 * length..][..length].fill(seed);
    bytes[3 + 3 * length..][..length / 4].copy_from_slice(&count.to_le_bytes()[..length / 4]);
    bytes[3 + 3 * length + length / 4..].fill(!seed);
    Hasher::from(State::from_bytes(state.as_ref()).unwrap())
}

/// Side by side with messages whose counters carry in another block, or do not: so many bytes that no message is as
/// long.
fn trap_counter_carry_in_every_lane<F: Flavour>() {
    let (message, block) = (paint(3000), F::BLOCK as u128);
    let portable = Backend::available().last().unwrap();
    let edges = [31, 32, 63, 64, 127, 128].into_iter().filter(|&bit| bit <= 2 * F::LONGEST);
    for backend in Backend::available() {
        for edge in edges.clone().map(|bit| if bit < 128 { 1_u128 << bit } else { 0 }) {
            for number in [2, 3, 4, 5, 8, 9, 16] {
                let count = |i: usize| edge.wrapping_sub(block * (1 + 3 * i as u128 % 8));
                let hasher = |i: usize| far::<F>(count(i), u8::try_from(i).unwrap());
                let piece = |i: usize| &message[i..][..1500 + 90 * i];
                let mut together: Vec<_> = (0..number).map(|i| hasher(i).with_backend(backend)).collect();
                let mut updates: Vec<_> =
                    together.iter_mut().enumerate().map(|(i, hasher)| (hasher, piece(i))).collect();
                update_many(&mut updates);
                for (i, together) in together.iter().enumerate() {
                    let mut alone = hasher(i).with_backend(portable);
                    alone.update(piece(i));
                    let state = |hasher: &Hasher<F>| State::from(hasher).to_bytes().as_ref().to_vec();
                    let count = count(i);
                    assert_eq!(state(together), state(&alone), "{backend}, message {i} of {number} from {count:#x}");
                    assert_eq!(together.finalize(), alone.finalize());
                }
            }
        }
    }
}
