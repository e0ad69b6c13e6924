//! Says on which backend the crates compute that were built with these flags.
fn main() {
    assert_eq!(blake2b_simd::many::degree(), simd_digest::blake2b::lanes(simd_digest::Backend::best()));
    println!("{}", simd_digest::Backend::best());
}
