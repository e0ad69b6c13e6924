//! Catalogues of bt2sum, read and written again. Sums, roots and checksums, which a fuzzer cannot guess, are put right.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = bt2sum::fuzzing::catalogue(bytes);
});
