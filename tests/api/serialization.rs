//! The serialised state of a hash, and of a hasher: their layout, there and back, and states that no message leads to.

use simd_digest::StateError;
use simd_digest::blake2::hazmat;
use simd_digest::blake2::{Hasher, Params};
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::{self, FlavourS};
use simd_digest::digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use simd_digest::digest::{FixedOutputReset, Reset};
use simd_digest::{Backend, Blake2b256, Blake2b512, Blake2s128, Blake2s256, Digest};

use crate::common::cases::fewer;
use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;
use crate::common::rfc::{Rfc, f};

for_both! {
    layout,
    layout_of_the_beginning,
    round_trip_at_every_position,
    more_held_than_a_block,
    something_after_what_is_held,
    a_count_of_half_blocks,
    nothing_compressed_to_something,
    something_compressed_but_nothing_held,
    a_state_of_another_length,
    layout_of_a_hasher,
    hashers_restored_at_every_position,
    flipped_bytes_are_refused_or_hash_on,
    of_no_hasher,
    a_count_that_no_message_has,
    nothing_secret_is_printed,
}

type State<F> = SerializedState<<F as Serialize>::Hash>;

/// A hash with the longest digest, and one of the same flavour with a shorter one.
trait Serialize: Rfc {
    const STATE: usize;
    const HASHER: usize;
    type Hash: Digest + Reset + FixedOutputReset + SerializableState + Clone;
    type Shorter: Digest
        + SerializableState<SerializedStateSize = <Self::Hash as SerializableState>::SerializedStateSize>;

    fn customised() -> Self::Hash;
}

impl Serialize for FlavourB {
    const STATE: usize = 242;
    const HASHER: usize = 339;
    type Hash = Blake2b512;
    type Shorter = Blake2b256;

    fn customised() -> Blake2b512 {
        Blake2b512::new_with_salt_and_personal(b"salt", b"personal").unwrap()
    }
}

impl Serialize for FlavourS {
    const STATE: usize = 122;
    const HASHER: usize = 171;
    type Hash = Blake2s256;
    type Shorter = Blake2s128;

    fn customised() -> Blake2s256 {
        Blake2s256::new_with_salt_and_personal(b"salt", b"personal").unwrap()
    }
}

/// Where the fields of a state are.
struct Places {
    salt: usize,
    personal: usize,
    chain: usize,
    count: usize,
    held: usize,
    block: usize,
}

const LENGTH: usize = 0;

fn places<F: Serialize>() -> Places {
    let (salt, personal, chain) = (1, 1 + F::TEXT, 1 + 2 * F::TEXT);
    let count = chain + F::LONGEST;
    let held = count + F::LONGEST / 4;
    Places { salt, personal, chain, count, held, block: held + 1 }
}

fn state<F: Serialize>(length: usize) -> State<F> {
    F::Hash::new_with_prefix(paint(length)).serialize()
}

fn deserialize<F: Serialize>(state: &State<F>) -> Result<(), DeserializeStateError> {
    F::Hash::deserialize(state).map(|_| ())
}

/// A state may be stored, so its bytes must stay what they are.
fn layout<F: Serialize>() {
    let Places { salt, personal, chain, count, held, block } = places::<F>();
    let full = u8::try_from(F::BLOCK).unwrap();
    let hash = F::customised().chain_update(vec![0x13; F::BLOCK + 1]);
    let mut expected = State::<F>::default();
    expected[LENGTH] = full / 2;
    expected[salt..][..4].copy_from_slice(b"salt");
    expected[personal..][..8].copy_from_slice(b"personal");
    let start = F::words(&F::customised().serialize()[chain..]);
    let h = f::<F>(<F as Rfc>::ROUNDS, start, &F::block(&vec![0x13; F::BLOCK]), full.into(), false);
    expected[chain..count].copy_from_slice(&F::bytes(&h));
    expected[count] = full;
    expected[held] = 1;
    expected[block] = 0x13;
    assert_eq!(hash.serialize(), expected);
    assert_eq!(expected.len(), block + F::BLOCK);
    assert_eq!(expected.len(), F::STATE);
}

/// The state before the first byte has the parameter block in its chaining value.
fn layout_of_the_beginning<F: Serialize>() {
    let Places { chain, count, .. } = places::<F>();
    let state = state::<F>(0);
    assert_eq!(state[chain..count], F::bytes(&F::start()));
    assert!(state[count..].iter().all(|&byte| byte == 0));
}

fn round_trip_at_every_position<F: Serialize>() {
    let message = paint(700);
    let digest = F::Hash::digest(&message);
    for position in 0..=300 {
        let (begin, end) = message.split_at(position);
        let state = F::Hash::new_with_prefix(begin).serialize();
        let resumed = F::Hash::deserialize(&state).unwrap();
        assert_eq!(resumed.serialize(), state, "position {position}");
        assert_eq!(resumed.chain_update(end).finalize(), digest, "position {position}");

        let state = F::customised().chain_update(begin).serialize();
        let mut resumed = F::Hash::deserialize(&state).unwrap().chain_update(end);
        for _ in 0..2 {
            assert_eq!(resumed.finalize_reset(), F::customised().chain_update(&message).finalize(), "{position}");
            Digest::update(&mut resumed, &message);
        }
    }
}

fn more_held_than_a_block<F: Serialize>() {
    for held in u8::try_from(F::BLOCK + 1).unwrap()..=255 {
        let mut state = state::<F>(256);
        state[places::<F>().held] = held;
        assert_eq!(deserialize::<F>(&state), Err(DeserializeStateError), "{held} held");
    }
}

fn something_after_what_is_held<F: Serialize>() {
    for length in [0, 1, F::BLOCK - 1, F::BLOCK + 1, 3 * F::BLOCK / 2] {
        let mut state = state::<F>(length);
        for place in places::<F>().block + usize::from(state[places::<F>().held])..state.len() {
            state[place] = 1;
            assert_eq!(deserialize::<F>(&state), Err(DeserializeStateError), "length {length}, place {place}");
            state[place] = 0;
        }
        assert_eq!(deserialize::<F>(&state), Ok(()));
    }
}

fn a_count_of_half_blocks<F: Serialize>() {
    for length in [200, 300] {
        let block = u8::try_from(F::BLOCK).unwrap();
        for count in 1..block {
            let mut state = state::<F>(length);
            state[places::<F>().count] |= count;
            let whole = state[places::<F>().count].is_multiple_of(block);
            assert_eq!(deserialize::<F>(&state).is_ok(), whole, "length {length}, count {count}");
        }
    }
}

fn nothing_compressed_to_something<F: Serialize>() {
    for length in [0, 1, F::BLOCK] {
        for place in 0..places::<F>().count {
            let mut state = state::<F>(length);
            state[place] ^= 1;
            assert_eq!(deserialize::<F>(&state), Err(DeserializeStateError), "length {length}, place {place}");
        }
    }
}

/// A block is compressed only when more follows.
fn something_compressed_but_nothing_held<F: Serialize>() {
    let mut state = state::<F>(F::BLOCK + 1);
    state[places::<F>().held..].fill(0);
    assert_eq!(deserialize::<F>(&state), Err(DeserializeStateError));
    let mut state = self::state::<F>(0);
    state[places::<F>().count + 1] = 1;
    assert_eq!(deserialize::<F>(&state), Err(DeserializeStateError));
}

fn a_state_of_another_length<F: Serialize>() {
    for length in [0, F::BLOCK + 1] {
        let state = F::Shorter::new_with_prefix(paint(length)).serialize();
        assert_eq!(deserialize::<F>(&state), Err(DeserializeStateError), "length {length}");
    }
}

/// Hashers that differ in all that a state has, and the name of each.
fn hashers<F: Flavour>() -> Vec<(&'static str, Hasher<F>)> {
    let params = Params::<F>::new;
    let leaf = || params().fanout(0).max_depth(2).max_leaf_length(4096).inner_hash_length(32).node_offset(3);
    let everything = leaf().fanout(7).max_depth(9).node_depth(1).key(b"key").salt(b"salt").personal(b"personal");
    let mut late = leaf().hasher().unwrap();
    late.set_last_node(true);
    let mut not_after_all = leaf().key(&paint(F::LONGEST)).last_node(true).hasher().unwrap();
    not_after_all.set_last_node(false);
    vec![
        ("sequential", Hasher::new()),
        ("keyed", params().key(b"key").hash_length(20).hasher().unwrap()),
        ("keyed in full", params().key(&paint(F::LONGEST)).hasher().unwrap()),
        ("keyed by zeros", params().key(&[0; 5]).hasher().unwrap()),
        ("leaf", leaf().hasher().unwrap()),
        ("last leaf", everything.last_node(true).hasher().unwrap()),
        ("last leaf, known late", late),
        ("keyed leaf, not the last after all", not_after_all),
    ]
}

fn restore<F: Flavour>(bytes: &[u8]) -> Result<Hasher<F>, StateError> {
    hazmat::State::from_bytes(bytes).map(Hasher::from)
}

fn save<F: Flavour>(hasher: &Hasher<F>) -> Vec<u8> {
    hazmat::State::from(hasher).to_bytes().as_ref().to_vec()
}

/// Where the fields of a hasher's state are, after version, flags and bytes held back.
struct Fields {
    parameters: usize,
    key: usize,
    chain: usize,
    count: usize,
    block: usize,
}

const FLAGS: usize = 1;
const HELD: usize = 2;

fn fields<F: Flavour>() -> Fields {
    let [parameters, key, chain, count] = [0, 1, 2, 3].map(|i| 3 + i * F::LONGEST);
    Fields { parameters, key, chain, count, block: count + F::TEXT }
}

/// A state may be stored, so its bytes must stay what they are.
fn layout_of_a_hasher<F: Serialize>() {
    let Fields { parameters, key, chain, count, block } = fields::<F>();
    let full = u8::try_from(F::BLOCK).unwrap();
    let params = Params::<F>::new().hash_length(20).fanout(2).max_depth(3).max_leaf_length(0xa7a6_a5a4);
    let params = params.node_offset(0xa9a8).node_depth(4).inner_hash_length(5).key(b"key").salt(b"salt");
    let mut hasher = params.personal(b"personal").last_node(true).hasher().unwrap();
    hasher.update(&[0x13]).set_last_node(false);

    let mut parameter_block = vec![0; F::LONGEST];
    parameter_block[..10].copy_from_slice(&[20, 3, 2, 3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9]);
    let depth = if F::LONGEST == 64 { 16 } else { 14 };
    parameter_block[depth..][..2].copy_from_slice(&[4, 5]);
    parameter_block[2 * F::TEXT..][..4].copy_from_slice(b"salt");
    parameter_block[3 * F::TEXT..][..8].copy_from_slice(b"personal");
    let start = core::array::from_fn(|i| F::iv(i) ^ F::words::<8>(&parameter_block)[i]);
    let h = f::<F>(<F as Rfc>::ROUNDS, start, &F::block(b"key"), full.into(), false);
    let mut expected = vec![1, 0b10, 1];
    expected.extend(parameter_block);
    expected.resize(F::HASHER, 0);
    expected[key..][..3].copy_from_slice(b"key");
    expected[chain..count].copy_from_slice(&F::bytes(&h));
    expected[count] = full;
    expected[block] = 0x13;
    assert_eq!(save(&hasher), expected);
    assert_eq!(expected.len(), block + F::BLOCK);
    assert_eq!(hazmat::State::<F>::LENGTH, F::HASHER);

    expected[FLAGS] = 0b11;
    assert_eq!(save(hasher.set_last_node(true)), expected);
    let mut sequential = Hasher::<F>::new();
    assert_eq!(save(&sequential)[..parameters], [1, 0, 0]);
    assert_eq!(save(sequential.set_last_node(true))[..parameters], [1, 0b01, 0]);
}

/// On every backend before and after.
fn hashers_restored_at_every_position<F: Flavour>() {
    let message = paint(3 * F::BLOCK);
    for (name, hasher) in hashers::<F>() {
        let whole = hasher.clone().update(&message).finalize();
        let mut again = hasher.clone();
        again.reset();
        let again = again.update(&message).finalize();
        for position in 0..=message.len() {
            let (begin, end) = message.split_at(position);
            for before in Backend::available() {
                let mut hasher = hasher.clone().with_backend(before);
                let state = save(hasher.update(begin));
                let restored = restore::<F>(&state).unwrap();
                assert_eq!(restored.backend(), Backend::best());
                assert_eq!(restored.count(), position as u128);
                assert_eq!(save(&restored), state, "{name} at {position}");
                for after in Backend::available() {
                    let mut restored = restored.clone().with_backend(after);
                    assert_eq!(restored.update(end).finalize(), whole, "{name} at {position}, {before}, {after}");
                    restored.reset();
                    assert_eq!(restored.update(&message).finalize(), again, "{name}, reset, at {position}, {after}");
                }
            }
        }
    }
}

fn flipped_bytes_are_refused_or_hash_on<F: Flavour>() {
    let (message, mut refused, mut taken) = (paint(3 * F::BLOCK), 0, 0);
    for (name, hasher) in hashers::<F>() {
        for length in [0, 1, F::BLOCK, F::BLOCK + 1, 3 * F::BLOCK] {
            let mut state = save(hasher.clone().update(&message[..length]));
            for place in fewer(length, 0..state.len()) {
                // Every value of what tells lengths, and every bit of the rest.
                let flips = if place < 8 { (1..=255).collect() } else { vec![1, 2, 4, 8, 16, 32, 64, 128, 255] };
                for flip in fewer(place / 5, flips) {
                    state[place] ^= flip;
                    if let Ok(mut restored) = restore::<F>(&state) {
                        taken += 1;
                        assert_eq!(save(&restored), state, "{name} of {length}, byte {place}, {flip:#x}");
                        let _ = format!("{restored:?}");
                        let _ = restored.update(&message[..F::BLOCK + 1]).finalize();
                        restored.reset();
                        assert_eq!(restored.count(), 0);
                        let _ = restored.update(b"abc").finalize();
                    } else {
                        refused += 1;
                    }
                    state[place] ^= flip;
                }
            }
            assert!(restore::<F>(&state).is_ok());
        }
    }
    assert!(refused > 0 && taken > 0, "{refused} refused, {taken} taken");
}

fn of_no_hasher<F: Serialize>() {
    let Fields { parameters, key, chain, count, block } = fields::<F>();
    let message = paint(2 * F::BLOCK);
    let of = |name: &str, length: usize| {
        let (_, mut hasher) = hashers::<F>().into_iter().find(|hasher| hasher.0 == name).unwrap();
        save(hasher.update(&message[..length]))
    };
    let error = |state: &[u8]| restore::<F>(state).map(|_| ()).unwrap_err();
    let refuses = |state: &[u8], changes: &[(usize, u8)]| {
        let mut state = state.to_vec();
        changes.iter().for_each(|&(place, byte)| state[place] = byte);
        assert_eq!(error(&state), StateError::Impossible, "{changes:?}");
    };
    let (longest, full) = (u8::try_from(F::LONGEST).unwrap(), u8::try_from(F::BLOCK).unwrap());

    // The length and the version.
    let state = of("keyed", 1);
    for length in 0..F::HASHER {
        assert_eq!(error(&state[..length]), StateError::Length);
    }
    assert_eq!(error(&[&state[..], &[0]].concat()), StateError::Length);
    for version in (0..=255).filter(|&version| version != 1) {
        assert_eq!(error(&[&[version], &state[1..]].concat()), StateError::Version);
        assert_eq!(error(&[version]), StateError::Version);
    }

    for (name, length) in [("sequential", F::BLOCK + 1), ("keyed", 1), ("last leaf", F::BLOCK)] {
        let state = of(name, length);
        assert!(state[count] > 0);
        (0..8).filter(|bit| bit & 4 != 0).for_each(|flags| refuses(&state, &[(FLAGS, flags)]));
        refuses(&state, &[(FLAGS, 0x83)]);
        // Lengths beyond the longest, a digest of no bytes, bytes that are reserved.
        for beyond in [longest + 1, 2 * longest, 255] {
            refuses(&state, &[(parameters, beyond)]);
            refuses(&state, &[(parameters + 1, beyond)]);
            refuses(&state, &[(parameters + if longest == 64 { 17 } else { 15 }, beyond)]);
        }
        refuses(&state, &[(parameters, 0)]);
        (if longest == 64 { 18..32 } else { 0..0 }).for_each(|place| refuses(&state, &[(parameters + place, 1)]));
        // What is held back, and what is compressed.
        (full + 1..=255).for_each(|held| refuses(&state, &[(HELD, held)]));
        (block + usize::from(state[HELD])..state.len()).for_each(|place| refuses(&state, &[(place, 1)]));
        (1..full).for_each(|count_of| refuses(&state, &[(count, count_of)]));
        let held = || (block..state.len()).map(|place| (place, 0)).chain([(HELD, 0)]);
        refuses(&state, &held().collect::<Vec<_>>());
        refuses(&state, &[(count, 0)]);
    }

    // The key and its length.
    let state = of("keyed", 1);
    (0..3).for_each(|length| refuses(&state, &[(parameters + 1, length)]));
    (key + 3..chain).for_each(|place| refuses(&state, &[(place, 1)]));
    let state = of("sequential", F::BLOCK + 1);
    (key..chain).for_each(|place| refuses(&state, &[(place, 1)]));

    // Nothing is compressed, so the chaining value is that of the parameters.
    for (name, length) in [("sequential", 0), ("leaf", 1), ("sequential", F::BLOCK), ("last leaf", 0), ("keyed", 0)] {
        let state = of(name, length);
        for place in (parameters..key).chain(chain..count) {
            refuses(&state, &[(place, state[place] ^ 1)]);
        }
    }
    // The key is held back.
    for name in ["keyed", "keyed in full", "keyed by zeros"] {
        let state = of(name, 0);
        (0..full).for_each(|held| refuses(&state, &[(HELD, held)]));
        (block..state.len()).for_each(|place| refuses(&state, &[(place, state[place] ^ 1)]));
        let no_block: Vec<_> = (block..state.len()).map(|place| (place, 0)).chain([(HELD, 0)]).collect();
        refuses(&state, &no_block);
        (key..chain).for_each(|place| refuses(&state, &[(place, state[place] ^ 1)]));
    }
}

/// As many bytes as the counter can tell are compressed, and a block more is held back.
fn a_count_that_no_message_has<F: Serialize>() {
    let Fields { count, block, .. } = fields::<F>();
    for (name, mut hasher) in hashers::<F>() {
        let mut state = save(hasher.update(&paint(2 * F::BLOCK)));
        state[count..block].fill(0xff);
        state[count] = u8::try_from(256 - F::BLOCK).unwrap();
        let digests = Backend::available().map(|backend| {
            let mut restored = restore::<F>(&state).unwrap().with_backend(backend);
            let _ = restored.count();
            let digest = restored.finalize();
            (digest, restored.update(&paint(2 * F::BLOCK)).finalize(), restored.count())
        });
        let digests: Vec<_> = digests.collect();
        assert!(digests.iter().all(|digest| *digest == digests[0]), "{name}");
    }
}

fn nothing_secret_is_printed<F: Flavour>() {
    let hasher = Params::<F>::new().key(b"key").hasher().unwrap();
    assert_eq!(format!("{:?}", hazmat::State::from(&hasher)), "State { .. }");
    assert_eq!(StateError::Version.to_string(), "the state has a version that is not known");
    assert_eq!(StateError::Length.to_string(), "the state has another length than that of a hasher");
    assert_eq!(StateError::Impossible.to_string(), "the state is not that of a hasher");
}

/// States of the two flavours have their own types and lengths.
#[test]
fn states_of_the_modules() {
    let bytes: [u8; 339] = blake2b::hazmat::State::from(&blake2b::Hasher::new()).to_bytes();
    assert!(blake2b::hazmat::State::from_bytes(&bytes).is_ok());
    assert_eq!(blake2s::hazmat::State::from_bytes(&bytes).map(|_| ()), Err(StateError::Length));
    let bytes: [u8; 171] = blake2s::hazmat::State::from(&blake2s::Hasher::new()).to_bytes();
    assert!(blake2s::hazmat::State::from_bytes(&bytes).is_ok());
    assert_eq!(blake2b::hazmat::State::from_bytes(&bytes).map(|_| ()), Err(StateError::Length));
}
