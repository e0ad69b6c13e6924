//! The program `bt2sum`. Its code is in the library, where fuzzers reach it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    bt2sum::main()
}
