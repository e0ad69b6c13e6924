//! Both flavours of BLAKE2 in sixteen scalar words, written apart from the vector kernels so that agreeing with it
//! means something.

use core::slice;

use super::Portable;
use crate::backend::On;
use crate::kernel::blake2::{Chain, Constants, Last, SIGMA, row_d};
use crate::kernel::g::G;
use crate::kernel::{Block, Compress, Run, Word};

impl<F: Constants> Compress<F> for On<Portable> {
    const LANES: usize = 1;

    #[inline]
    fn blocks(self, chain: &mut Chain<F::Word>, blocks: &[F::Block], last: Last) {
        compress::<F>(chain, blocks, last);
    }

    fn run(self, run: Run<'_, F>) {
        if let Some(ends) = run.ends {
            let chain = &mut run.chains[0];
            let (count, zeros) = (chain.count, ends.start.count.wrapping_sub(chain.count));
            *chain = *ends.start;
            compress::<F>(chain, run.blocks[0], Last::Not);
            chain.count = chain.count.wrapping_sub(zeros);
            compress::<F>(chain, slice::from_ref(ends.blocks[0]), run.last[0]);
            chain.count = count;
            return;
        }
        for block in 0..run.count {
            let last = if block + 1 == run.count { run.last[0] } else { Last::Not };
            compress::<F>(&mut run.chains[0], slice::from_ref(&run.blocks[0][block * run.stride]), last);
        }
    }
}

/// Not inlined into a run, which would be as long again.
#[inline(never)]
pub(in crate::backend) fn compress<F: Constants>(chain: &mut Chain<F::Word>, blocks: &[F::Block], last: Last) {
    for (i, block) in blocks.iter().enumerate() {
        chain.count = chain.count.wrapping_add(F::Block::LENGTH as u128);
        let flags = if i + 1 == blocks.len() { last.flags() } else { Last::Not.flags() };
        let m = core::array::from_fn(|i| F::Word::load(block.bytes(), i));
        let mut v = begin::<F>(&chain.h, chain.count, flags);
        round::<F>(&mut v, &m, &SIGMA[0]);
        round::<F>(&mut v, &m, &SIGMA[1]);
        round::<F>(&mut v, &m, &SIGMA[2]);
        round::<F>(&mut v, &m, &SIGMA[3]);
        round::<F>(&mut v, &m, &SIGMA[4]);
        round::<F>(&mut v, &m, &SIGMA[5]);
        round::<F>(&mut v, &m, &SIGMA[6]);
        round::<F>(&mut v, &m, &SIGMA[7]);
        round::<F>(&mut v, &m, &SIGMA[8]);
        round::<F>(&mut v, &m, &SIGMA[9]);
        if F::ROUNDS == 12 {
            round::<F>(&mut v, &m, &SIGMA[0]);
            round::<F>(&mut v, &m, &SIGMA[1]);
        }
        end::<F>(&mut chain.h, &v);
    }
}

/// The compression function with any number of rounds, a loop instead of ten or twelve calls.
pub(crate) fn compress_rounds<F: Constants>(
    rounds: u32,
    h: &mut [F::Word; 8],
    m: &[F::Word; 16],
    count: u128,
    last: Last,
) {
    let mut v = begin::<F>(h, count, last.flags());
    for schedule in SIGMA.iter().cycle().take(rounds as usize) {
        round::<F>(&mut v, m, schedule);
    }
    end::<F>(h, &v);
}

/// The working vector before the first round.
#[inline(always)]
fn begin<F: Constants>(h: &[F::Word; 8], count: u128, flags: [F::Word; 2]) -> [F::Word; 16] {
    let mut v = [F::Word::ZERO; 16];
    v[..8].copy_from_slice(h);
    v[8..12].copy_from_slice(&F::IV[..4]);
    v[12..].copy_from_slice(&row_d::<F>(count, flags));
    v
}

/// Folds the working vector after the last round into the chaining value.
#[inline(always)]
fn end<F: Constants>(h: &mut [F::Word; 8], v: &[F::Word; 16]) {
    for (i, h) in h.iter_mut().enumerate() {
        *h = *h ^ v[i] ^ v[i + 8];
    }
}

/// The places of `a`, of `b`, of `c` and of `d` in the four G of a column step, and of a diagonal step.
const COLUMNS: [[usize; 4]; 4] = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]];
const DIAGONALS: [[usize; 4]; 4] = [[0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]];

#[inline(always)]
fn round<F: Constants>(v: &mut [F::Word; 16], m: &[F::Word; 16], s: &[usize; 16]) {
    let [r1, r2, r3, r4] = F::Word::ROTATIONS;
    half_g::<F::Word>(v, [r1, r2], COLUMNS, [m[s[0]], m[s[2]], m[s[4]], m[s[6]]]);
    half_g::<F::Word>(v, [r3, r4], COLUMNS, [m[s[1]], m[s[3]], m[s[5]], m[s[7]]]);
    half_g::<F::Word>(v, [r1, r2], DIAGONALS, [m[s[8]], m[s[10]], m[s[12]], m[s[14]]]);
    half_g::<F::Word>(v, [r3, r4], DIAGONALS, [m[s[9]], m[s[11]], m[s[13]], m[s[15]]]);
}

/// Half of the mixing function G of RFC 7693, section 3.1, four times side by side, with a message word each. Written
/// out, for hundreds of small loops in one function take the compiler minutes.
///
/// Operation by operation, the four hide each other's latency.
#[inline(always)]
fn half_g<W: Word>(v: &mut [W; 16], [r_d, r_b]: [u32; 2], places: [[usize; 4]; 4], m: [W; 4]) {
    let [a, b, c, d] = places;
    v[a[0]] = v[a[0]].add(m[0]).add(v[b[0]]);
    v[a[1]] = v[a[1]].add(m[1]).add(v[b[1]]);
    v[a[2]] = v[a[2]].add(m[2]).add(v[b[2]]);
    v[a[3]] = v[a[3]].add(m[3]).add(v[b[3]]);
    v[d[0]] = (v[d[0]] ^ v[a[0]]).ror(r_d);
    v[d[1]] = (v[d[1]] ^ v[a[1]]).ror(r_d);
    v[d[2]] = (v[d[2]] ^ v[a[2]]).ror(r_d);
    v[d[3]] = (v[d[3]] ^ v[a[3]]).ror(r_d);
    v[c[0]] = v[c[0]].add(v[d[0]]);
    v[c[1]] = v[c[1]].add(v[d[1]]);
    v[c[2]] = v[c[2]].add(v[d[2]]);
    v[c[3]] = v[c[3]].add(v[d[3]]);
    v[b[0]] = (v[b[0]] ^ v[c[0]]).ror(r_b);
    v[b[1]] = (v[b[1]] ^ v[c[1]]).ror(r_b);
    v[b[2]] = (v[b[2]] ^ v[c[2]]).ror(r_b);
    v[b[3]] = (v[b[3]] ^ v[c[3]]).ror(r_b);
}
