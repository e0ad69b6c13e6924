//! The rounds of one message, in assembly, for the sake of the order of instructions.
//!
//! They compute `kernel::blake2::Rows::rounds`, in 318 to 324 cycles a block instead of 333 on Golden Cove.
//!
//! A turn across halves of 128 bits takes three cycles on one port, and that port cannot finish two instructions in one
//! cycle. A one-cycle instruction that would finish in the same cycle as a turn starts one cycle later; if it is on the
//! critical path, everything waits. So a turn should end with a rotation of the chain, for rotations have other ports:
//!
//! - The sum that the next half round begins with is turned when `d` is known but not rotated yet, and no earlier. A
//!   mask that lets everything pass makes the turn wait for the register under it.
//! - Row `c` is turned as soon as it is known, before the other instructions that wait for it.
//! - All rotations are by their own instruction. For 32 bits a shuffle does as well, on a port that turns use: it is
//!   slower by 6 cycles a block, but where rotations take two cycles, as on Zen 4, it may well be faster.
//!
//! Words of the message are loaded one by one, so blocks that were written just before do not wait.

use core::arch::asm;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Avx512, U64x4};
use crate::kernel::blake2::{Row, Rows, SIGMA};
use crate::kernel::blake2b::FlavourB;

/// All rounds of a block.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) fn rounds<const SETTLED: bool>(rows: &mut Rows<FlavourB, U64x4>, block: &[u8; 128]) {
    let token = Avx512::here();
    let places = core::array::from_fn(|i| second(0, i) / 8);
    let mut v = Registers {
        sum: rows.sum.0,
        a: rows.a.0,
        b: rows.b.0,
        c: rows.c.0,
        d: rows.d.0,
        message: <U64x4 as Row<FlavourB>>::gather::<SETTLED>(token, block, places).0,
    };
    half_round::<0>(&mut v, block);
    half_round::<1>(&mut v, block);
    half_round::<2>(&mut v, block);
    half_round::<3>(&mut v, block);
    half_round::<4>(&mut v, block);
    half_round::<5>(&mut v, block);
    half_round::<6>(&mut v, block);
    half_round::<7>(&mut v, block);
    half_round::<8>(&mut v, block);
    half_round::<9>(&mut v, block);
    half_round::<10>(&mut v, block);
    half_round::<11>(&mut v, block);
    half_round::<12>(&mut v, block);
    half_round::<13>(&mut v, block);
    half_round::<14>(&mut v, block);
    half_round::<15>(&mut v, block);
    half_round::<16>(&mut v, block);
    half_round::<17>(&mut v, block);
    half_round::<18>(&mut v, block);
    half_round::<19>(&mut v, block);
    half_round::<20>(&mut v, block);
    half_round::<21>(&mut v, block);
    half_round::<22>(&mut v, block);
    half_round::<23>(&mut v, block);
    [rows.a.0, rows.b.0, rows.c.0, rows.d.0] = [v.a, v.b, v.c, v.d];
}

/// `Rows` in registers, and the message words of the second half of G.
struct Registers {
    sum: __m256i,
    a: __m256i,
    b: __m256i,
    c: __m256i,
    d: __m256i,
    message: __m256i,
}

/// Where in a block the message word of vector place `i` begins that the first half of G takes in half round `half`,
/// but before the turn that comes in between.
const fn first(half: usize, i: usize) -> usize {
    let places = if half.is_multiple_of(2) { [6, 2, 0, 4] } else { [8, 12, 10, 14] };
    8 * SIGMA[half / 2 % 10][places[i]]
}

/// The same for the second half of G.
const fn second(half: usize, i: usize) -> usize {
    let places = if half.is_multiple_of(2) { [1, 5, 3, 7] } else { [15, 11, 9, 13] };
    8 * SIGMA[half / 2 % 10][places[i]]
}

/// The turns by one, two and three, as `avx2::blake2b::turn64` does them.
const TURN_1: u8 = 0b00_01_11_10;
const TURN_2: u8 = 0b01_00_11_10;
const TURN_3: u8 = 0b01_00_10_11;

/// A step of columns if `HALF` is even, else of diagonals; afterwards the rows are turned for the next.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn half_round<const HALF: usize>(v: &mut Registers, block: &[u8; 128]) {
    // SAFETY: the assembly reads words of the block, and writes its operands alone.
    unsafe {
        asm!(
            "vpaddq {sum}, {sum}, {b}",
            "vpxor {d}, {d}, {sum}",
            "vprorq {d}, {d}, 32",
            "vpbroadcastq {next}, qword ptr [{block} + {first0}]",
            "vpblendmq {next}{{{word1}}}, {next}, qword ptr [{block} + {first1}]{{1to4}}",
            "vpblendmq {next}{{{word2}}}, {next}, qword ptr [{block} + {first2}]{{1to4}}",
            "vpblendmq {next}{{{word3}}}, {next}, qword ptr [{block} + {first3}]{{1to4}}",
            "vpaddq {sum}, {sum}, {message}",
            "vpaddq {c}, {c}, {d}",
            "vpxor {b}, {b}, {c}",
            "vprorq {b}, {b}, 24",
            "vpaddq {next}, {next}, {sum}",
            "vpaddq {a}, {sum}, {b}",
            "vpaddq {next}, {next}, {b}",
            "vpxor {sum}, {a}, {d}",
            "vprorq {d}, {sum}, 16",
            "vpermq {sum}{{{all}}}, {next}, {turn_a}", // waits for the exclusive or
            "vpaddq {c}, {c}, {d}",
            "vpermq {next}, {c}, {turn_c}",
            "vpxor {b}, {b}, {c}",
            "vpbroadcastq {message}, qword ptr [{block} + {second0}]",
            "vpblendmq {message}{{{word1}}}, {message}, qword ptr [{block} + {second1}]{{1to4}}",
            "vpblendmq {message}{{{word2}}}, {message}, qword ptr [{block} + {second2}]{{1to4}}",
            "vpblendmq {message}{{{word3}}}, {message}, qword ptr [{block} + {second3}]{{1to4}}",
            "vprorq {b}, {b}, 63",
            "vpshufd {d}, {d}, {turn_d}",
            sum = inout(ymm_reg) v.sum,
            a = out(ymm_reg) v.a,
            b = inout(ymm_reg) v.b,
            c = inout(ymm_reg) v.c => _,
            d = inout(ymm_reg) v.d,
            message = inout(ymm_reg) v.message,
            next = out(ymm_reg) v.c,
            block = in(reg) block,
            all = in(kreg) 0b1111_u8,
            word1 = in(kreg) 0b0010_u8,
            word2 = in(kreg) 0b0100_u8,
            word3 = in(kreg) 0b1000_u8,
            first0 = const first(HALF + 1, 0),
            first1 = const first(HALF + 1, 1),
            first2 = const first(HALF + 1, 2),
            first3 = const first(HALF + 1, 3),
            second0 = const second(HALF + 1, 0),
            second1 = const second(HALF + 1, 1),
            second2 = const second(HALF + 1, 2),
            second3 = const second(HALF + 1, 3),
            turn_a = const if HALF.is_multiple_of(2) { TURN_3 } else { TURN_1 },
            turn_c = const if HALF.is_multiple_of(2) { TURN_1 } else { TURN_3 },
            turn_d = const TURN_2,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
}
