//! BLAKE2s' constants ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 2).

use digest::consts::U16;

use super::blake2::Constants;

/// The flavour BLAKE2s: 32-bit words, blocks of 64 bytes, digests of up to 32.
#[derive(Clone, Copy, Debug)]
pub enum FlavourS {}

impl Constants for FlavourS {
    type Word = u32;
    type Digest = [u8; 32];
    type Lanes = U16;

    const ROUNDS: usize = 10;
    // The initial hash value of SHA-256.
    const IV: [u32; 8] =
        [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
}
