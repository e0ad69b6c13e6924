//! Tells the report which compiler it was built with.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").expect("Cargo sets RUSTC");
    let version = Command::new(rustc).arg("--version").output().expect("rustc tells its version").stdout;
    println!("cargo::rustc-env=COMPILER={}", String::from_utf8_lossy(&version).trim());
    println!("cargo::rerun-if-changed=build.rs");
}
