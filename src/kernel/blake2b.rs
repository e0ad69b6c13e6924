//! BLAKE2b's constants ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 2).

use super::blake2::word;

word! {
    u64,
    block: 128,
    rounds: 12,
    rotations: [32, 24, 16, 63],
    // That of SHA-512.
    iv: [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ]
}
