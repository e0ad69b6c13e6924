//! BLAKE2b tree checksums of files.

fn main() {}
