//! The serialised state of a hash: its layout, there and back, and states that no message leads to.

use simd_digest::blake2b::hazmat::compress;
use simd_digest::digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use simd_digest::{Blake2b256, Blake2b512, Digest};

use self::paint::paint;

#[path = "common/paint.rs"]
mod paint;

type State = SerializedState<Blake2b512>;

// Where the fields of a state are.
const LENGTH: usize = 0;
const SALT: usize = 1;
const PERSONAL: usize = 17;
const CHAIN: usize = 33;
const COUNT: usize = 97;
const HELD: usize = 113;
const BLOCK: usize = 114;

fn state(length: usize) -> State {
    Blake2b512::new_with_prefix(paint(length)).serialize()
}

fn deserialize(state: &State) -> Result<(), DeserializeStateError> {
    Blake2b512::deserialize(state).map(|_| ())
}

/// A state may be stored, so its bytes must stay what they are.
#[test]
fn layout() {
    let hash = Blake2b512::new_with_salt_and_personal(b"salt", b"personal").unwrap().chain_update([0x13; 129]);
    let mut expected = State::default();
    expected[LENGTH] = 64;
    expected[SALT..][..4].copy_from_slice(b"salt");
    expected[PERSONAL..][..8].copy_from_slice(b"personal");
    let empty = Blake2b512::new_with_salt_and_personal(b"salt", b"personal").unwrap().serialize();
    let mut h = core::array::from_fn(|i| u64::from_le_bytes(empty[CHAIN + 8 * i..][..8].try_into().unwrap()));
    compress(12, &mut h, &[0x1313_1313_1313_1313; 16], 128, false);
    for (to, word) in expected[CHAIN..COUNT].chunks_mut(8).zip(h) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    expected[COUNT] = 128;
    expected[HELD] = 1;
    expected[BLOCK] = 0x13;
    assert_eq!(hash.serialize(), expected);
    assert_eq!(expected.len(), BLOCK + 128);
}

/// The state before the first byte has the parameter block in its chaining value.
#[test]
fn layout_of_the_beginning() {
    let state = state(0);
    assert_eq!(state[CHAIN..][..8], (0x6a09_e667_f3bc_c908_u64 ^ 0x0101_0040).to_le_bytes());
    assert_eq!(state[CHAIN + 56..][..8], 0x5be0_cd19_137e_2179_u64.to_le_bytes());
    assert!(state[COUNT..].iter().all(|&byte| byte == 0));
}

#[test]
fn round_trip_at_every_position() {
    let message = paint(700);
    let digest = Blake2b512::digest(&message);
    let customised = || Blake2b512::new_with_salt_and_personal(b"salt", b"personal").unwrap();
    for position in 0..=300 {
        let (begin, end) = message.split_at(position);
        let state = Blake2b512::new_with_prefix(begin).serialize();
        let resumed = Blake2b512::deserialize(&state).unwrap();
        assert_eq!(resumed.serialize(), state, "position {position}");
        assert_eq!(resumed.chain_update(end).finalize(), digest, "position {position}");

        let state = customised().chain_update(begin).serialize();
        let mut resumed = Blake2b512::deserialize(&state).unwrap().chain_update(end);
        for _ in 0..2 {
            assert_eq!(resumed.finalize_reset(), customised().chain_update(&message).finalize(), "{position}");
            Digest::update(&mut resumed, &message);
        }
    }
}

#[test]
fn more_held_than_a_block() {
    for held in 129..=255 {
        let mut state = state(256);
        state[HELD] = held;
        assert_eq!(deserialize(&state), Err(DeserializeStateError), "{held} held");
    }
}

#[test]
fn something_after_what_is_held() {
    for length in [0, 1, 127, 129, 200] {
        let mut state = state(length);
        for place in BLOCK + usize::from(state[HELD])..state.len() {
            state[place] = 1;
            assert_eq!(deserialize(&state), Err(DeserializeStateError), "length {length}, place {place}");
            state[place] = 0;
        }
        assert_eq!(deserialize(&state), Ok(()));
    }
}

#[test]
fn a_count_of_half_blocks() {
    for length in [200, 300] {
        for count in 1..128 {
            let mut state = state(length);
            state[COUNT] |= count;
            let whole = state[COUNT] & 127 == 0;
            assert_eq!(deserialize(&state).is_ok(), whole, "length {length}, count {count}");
        }
    }
}

#[test]
fn nothing_compressed_to_something() {
    for length in [0, 1, 128] {
        for place in 0..COUNT {
            let mut state = state(length);
            state[place] ^= 1;
            assert_eq!(deserialize(&state), Err(DeserializeStateError), "length {length}, place {place}");
        }
    }
}

/// A block is compressed only when more follows.
#[test]
fn something_compressed_but_nothing_held() {
    let mut state = state(129);
    state[HELD..].fill(0);
    assert_eq!(deserialize(&state), Err(DeserializeStateError));
    let mut state = self::state(0);
    state[COUNT + 1] = 1;
    assert_eq!(deserialize(&state), Err(DeserializeStateError));
}

#[test]
fn a_state_of_another_length() {
    for length in [0, 129] {
        let state = Blake2b256::new_with_prefix(paint(length)).serialize();
        assert_eq!(deserialize(&state), Err(DeserializeStateError), "length {length}");
    }
}
