//! A writer that hashes and counts what goes through it.

use std::io::{self, Write};

use simd_digest::blake2b::{Hash, Hasher};

#[derive(Clone, Debug, Default)]
struct Tee<W> {
    to: W,
    hasher: Hasher,
}

impl<W: Write> Tee<W> {
    fn finish(mut self) -> io::Result<(W, Hash)> {
        self.to.flush()?;
        Ok((self.to, self.hasher.finalize()))
    }
}

impl<W: Write> Write for Tee<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn main() -> io::Result<()> {
    let mut tee = Tee::<Vec<u8>>::default();
    io::copy(&mut &b"one, two"[..], &mut tee)?;
    let count = tee.hasher.count();
    let (bytes, hash) = tee.finish()?;
    println!("{count} {hash}");
    assert_eq!(bytes, b"one, two");
    Ok(())
}
