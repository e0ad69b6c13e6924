//! Many messages at once against one by one on `portable`.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::{Corpus, fuzz_target};
use simd_digest::Backend;
use simd_digest::blake2::{Hash, Hasher, update_many};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest_fuzz::{Fields, Flavour, Place};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fields: Fields<'a>,
    /// What open hashers differ in.
    others: Vec<Fields<'a>>,
    /// Up to 33 messages.
    first: Vec<Place>,
    second: Vec<Place>,
    memory: &'a [u8],
}

fn messages<'a>(places: &[Place], memory: &'a [u8]) -> Vec<&'a [u8]> {
    places.iter().take(33).map(|place| place.of(memory)).collect()
}

fuzz_target!(|input: Input<'_>| -> Corpus {
    let compared = [check::<FlavourB>(&input), check::<FlavourS>(&input)];
    if compared == [false; 2] { Corpus::Reject } else { Corpus::Keep }
});

/// Whether there was something to compare.
fn check<F: Flavour>(Input { fields, others, first, second, memory }: &Input<'_>) -> bool {
    let portable: Backend = "portable".parse().expect("portable is everywhere");
    let (first, second) = (messages(first, memory), messages(second, memory));
    let params = fields.limited::<F>().params::<F>();
    if params.hasher().is_err() || first.is_empty() {
        assert_eq!(params.hasher().is_err(), params.hash_many(&first).is_err());
        return false;
    }

    let one_by_one = params.clone().with_backend(portable);
    let expected: Vec<Hash<F>> = first.iter().map(|message| one_by_one.hash(message).expect("in range")).collect();
    let flat_expected = expected.iter().map(Hash::as_bytes).collect::<Vec<_>>().concat();
    let starts: Vec<Hasher<F>> =
        [fields].into_iter().chain(others).filter_map(|fields| fields.limited::<F>().params().hasher().ok()).collect();
    let starts = starts.iter().cycle().take(first.len()).cloned();
    for backend in Backend::available() {
        let params = params.clone().with_backend(backend);
        assert_eq!(params.hash_many(&first), Ok(expected.clone()), "{backend}");
        let mut flat = vec![0; flat_expected.len()];
        params.hash_many_flat(&first, &mut flat).expect("as long as it must be");
        assert_eq!(flat, flat_expected, "{backend}");

        let mut hasher = params.hasher().expect("in range");
        let with_each = |tail: &&[u8]| one_by_one.hash(&[first[0], tail].concat()).expect("in range");
        let after_first: Vec<Hash<F>> = second.iter().map(with_each).collect();
        assert_eq!(hasher.update(first[0]).hash_many(&second), after_first, "{backend}");

        let mut alone: Vec<Hasher<F>> = starts.clone().map(|hasher| hasher.with_backend(portable)).collect();
        let mut together: Vec<Hasher<F>> = starts.clone().map(|hasher| hasher.with_backend(backend)).collect();
        for data in [&first, &second, &first] {
            alone.iter_mut().zip(data).for_each(|(hasher, data)| _ = hasher.update(data));
            let mut updates: Vec<(&mut Hasher<F>, &[u8])> = together.iter_mut().zip(data.iter().copied()).collect();
            update_many(&mut updates);
            for (alone, together) in alone.iter().zip(&together) {
                assert_eq!(together.count(), alone.count(), "{backend}");
                assert_eq!(together.finalize(), alone.finalize(), "{backend}");
            }
        }
    }
    true
}
