//! Check files of bt2sum and of other tools, by the rules of each: no line is lost, entries are written again, and no
//! list with an improper line is good. Numbers of the command line as well.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = bt2sum::fuzzing::list(bytes);
    bt2sum::fuzzing::argument(bytes);
});
