//! BLAKE2s' constants ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 2).

use super::blake2::word;

word! {
    u32,
    block: 64,
    rounds: 10,
    rotations: [16, 12, 8, 7],
    // That of SHA-256.
    iv: [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ]
}
