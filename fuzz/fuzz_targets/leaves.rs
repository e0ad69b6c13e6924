//! Files of leaves of bt2sum, read and written again, and the damage that they locate, against every leaf hashed on its
//! own. Their checksums are put right.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = bt2sum::fuzzing::leaves(bytes);
});
