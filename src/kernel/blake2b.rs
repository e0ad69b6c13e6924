//! BLAKE2b's constants ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 2).

use digest::consts::U8;

use super::blake2::Constants;

/// The flavour BLAKE2b: 64-bit words, blocks of 128 bytes, digests of up to 64.
#[derive(Clone, Copy, Debug)]
pub enum FlavourB {}

impl Constants for FlavourB {
    type Word = u64;
    type Digest = [u8; 64];
    type Lanes = U8;

    const ROUNDS: usize = 12;
    // The initial hash value of SHA-512.
    const IV: [u64; 8] = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
}
