//! The serialised state of a hash: its layout, there and back, and states that no message leads to.

use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use simd_digest::digest::{FixedOutputReset, Reset};
use simd_digest::{Blake2b256, Blake2b512, Blake2s128, Blake2s256, Digest};

use crate::common::flavour::for_both;
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
}

type State<F> = SerializedState<<F as Serialize>::Hash>;

/// A hash with the longest digest, and one of the same flavour with a shorter one.
trait Serialize: Rfc {
    const STATE: usize;
    type Hash: Digest + Reset + FixedOutputReset + SerializableState + Clone;
    type Shorter: Digest
        + SerializableState<SerializedStateSize = <Self::Hash as SerializableState>::SerializedStateSize>;

    fn customised() -> Self::Hash;
}

impl Serialize for FlavourB {
    const STATE: usize = 242;
    type Hash = Blake2b512;
    type Shorter = Blake2b256;

    fn customised() -> Blake2b512 {
        Blake2b512::new_with_salt_and_personal(b"salt", b"personal").unwrap()
    }
}

impl Serialize for FlavourS {
    const STATE: usize = 122;
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
