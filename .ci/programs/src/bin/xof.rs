//! Output of any length into a buffer, whole and from a position.

use simd_digest::blake2b::{Blake2xb, Params};
use simd_digest::blake3::Hasher;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut output = Hasher::new().update(b"abc").finalize_xof();
    let (mut buffer, mut part) = ([0; 100], [0; 10]);
    output.fill(&mut buffer);
    println!("{:02x?}", &buffer[..8]);
    output.set_position(64);
    output.fill(&mut part);
    assert_eq!(part, buffer[64..74]);

    let mut output = Params::new().key(b"a key").xof()?.update(b"seed").finalize();
    output.try_read(&mut buffer)?;
    output.set_position(90)?;
    output.try_read(&mut part)?;
    assert_eq!(part, buffer[90..]);

    let mut output = Blake2xb::with_length(100)?.update(b"seed").finalize();
    output.try_read(&mut buffer)?;
    println!("{}", output.try_read(&mut part).unwrap_err());
    Ok(())
}
