//! A planted fault, which `.ci/fuzz` must find. Chance alone would take years: the search must see each byte that fits.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|message: &[u8]| {
    for (place, expected) in b"fault".iter().enumerate() {
        if message.get(place) != Some(expected) {
            return;
        }
    }
    panic!("found");
});
