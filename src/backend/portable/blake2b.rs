//! BLAKE2b in sixteen scalar words, written apart from the vector kernels so that agreeing with it means something.

use core::slice;

use super::Portable;
use crate::kernel::blake2b::{BLOCK, Block, Chain, Compress, IV, Last, Run, SIGMA, row_d};
use crate::kernel::word64;

impl Compress for Portable {
    const LANES: usize = 1;

    fn compress_lanes(self, run: Run<'_>) {
        for block in 0..run.count {
            let last = if block + 1 == run.count { run.last[0] } else { Last::Not };
            self.compress(&mut run.chains[0], slice::from_ref(&run.blocks[0][block * run.stride]), last);
        }
    }

    fn compress(self, chain: &mut Chain, blocks: &[Block], last: Last) {
        for (i, block) in blocks.iter().enumerate() {
            chain.count = chain.count.wrapping_add(BLOCK as u128);
            let flags = if i + 1 == blocks.len() { last.flags() } else { Last::Not.flags() };
            let m = core::array::from_fn(|i| word64(block, i));
            let mut v = begin(&chain.h, chain.count, flags);
            round(&mut v, &m, &SIGMA[0]);
            round(&mut v, &m, &SIGMA[1]);
            round(&mut v, &m, &SIGMA[2]);
            round(&mut v, &m, &SIGMA[3]);
            round(&mut v, &m, &SIGMA[4]);
            round(&mut v, &m, &SIGMA[5]);
            round(&mut v, &m, &SIGMA[6]);
            round(&mut v, &m, &SIGMA[7]);
            round(&mut v, &m, &SIGMA[8]);
            round(&mut v, &m, &SIGMA[9]);
            round(&mut v, &m, &SIGMA[0]);
            round(&mut v, &m, &SIGMA[1]);
            end(&mut chain.h, &v);
        }
    }
}

/// The compression function with any number of rounds, a loop instead of twelve calls.
pub(crate) fn compress_rounds(rounds: u32, h: &mut [u64; 8], m: &[u64; 16], count: u128, last: Last) {
    let mut v = begin(h, count, last.flags());
    for schedule in SIGMA.iter().cycle().take(rounds as usize) {
        round(&mut v, m, schedule);
    }
    end(h, &v);
}

/// The working vector before the first round.
#[inline(always)]
fn begin(h: &[u64; 8], count: u128, flags: [u64; 2]) -> [u64; 16] {
    let mut v = [0; 16];
    v[..8].copy_from_slice(h);
    v[8..12].copy_from_slice(&IV[..4]);
    v[12..].copy_from_slice(&row_d(count, flags));
    v
}

/// Folds the working vector after the last round into the chaining value.
#[inline(always)]
fn end(h: &mut [u64; 8], v: &[u64; 16]) {
    for (i, h) in h.iter_mut().enumerate() {
        *h ^= v[i] ^ v[i + 8];
    }
}

/// The places of `a`, of `b`, of `c` and of `d` in the four G of a column step, and of a diagonal step.
const COLUMNS: [[usize; 4]; 4] = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]];
const DIAGONALS: [[usize; 4]; 4] = [[0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]];

#[inline(always)]
fn round(v: &mut [u64; 16], m: &[u64; 16], s: &[usize; 16]) {
    half_g::<32, 24>(v, COLUMNS, [m[s[0]], m[s[2]], m[s[4]], m[s[6]]]);
    half_g::<16, 63>(v, COLUMNS, [m[s[1]], m[s[3]], m[s[5]], m[s[7]]]);
    half_g::<32, 24>(v, DIAGONALS, [m[s[8]], m[s[10]], m[s[12]], m[s[14]]]);
    half_g::<16, 63>(v, DIAGONALS, [m[s[9]], m[s[11]], m[s[13]], m[s[15]]]);
}

/// Half of the mixing function G of RFC 7693, section 3.1, four times side by side, with a message word each. Written out, for
/// hundreds of small loops in one function take the compiler minutes.
///
/// Operation by operation, the four hide each other's latency: one G after the other takes 445 cycles a block instead
/// of 418, two at a time 450.
#[inline(always)]
fn half_g<const D: u32, const B: u32>(v: &mut [u64; 16], places: [[usize; 4]; 4], m: [u64; 4]) {
    let [a, b, c, d] = places;
    v[a[0]] = v[a[0]].wrapping_add(m[0]).wrapping_add(v[b[0]]);
    v[a[1]] = v[a[1]].wrapping_add(m[1]).wrapping_add(v[b[1]]);
    v[a[2]] = v[a[2]].wrapping_add(m[2]).wrapping_add(v[b[2]]);
    v[a[3]] = v[a[3]].wrapping_add(m[3]).wrapping_add(v[b[3]]);
    v[d[0]] = (v[d[0]] ^ v[a[0]]).rotate_right(D);
    v[d[1]] = (v[d[1]] ^ v[a[1]]).rotate_right(D);
    v[d[2]] = (v[d[2]] ^ v[a[2]]).rotate_right(D);
    v[d[3]] = (v[d[3]] ^ v[a[3]]).rotate_right(D);
    v[c[0]] = v[c[0]].wrapping_add(v[d[0]]);
    v[c[1]] = v[c[1]].wrapping_add(v[d[1]]);
    v[c[2]] = v[c[2]].wrapping_add(v[d[2]]);
    v[c[3]] = v[c[3]].wrapping_add(v[d[3]]);
    v[b[0]] = (v[b[0]] ^ v[c[0]]).rotate_right(B);
    v[b[1]] = (v[b[1]] ^ v[c[1]]).rotate_right(B);
    v[b[2]] = (v[b[2]] ^ v[c[2]]).rotate_right(B);
    v[b[3]] = (v[b[3]] ^ v[c[3]]).rotate_right(B);
}
