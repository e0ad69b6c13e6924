//! Prints the backends of this CPU, fastest first, with what each uses beside its instruction set, and the one that
//! hashers use.

use simd_digest::Backend;

fn main() {
    for backend in Backend::available() {
        let choice = if backend == Backend::best() { "  <- default" } else { "" };
        println!("{backend:<10}{backend:?}{choice}");
    }
}
