//! Half of G on vectors of 512 bits, in assembly for the sake of the order of instructions.
//!
//! On Intel's cores two ports compute on such vectors, and one of them alone rotates. Each of the four G begins three
//! instructions after the one before it, so that one rotates while the next ones add:
//!
//! ```text
//!   m: a += word   a: a += b   x: d ^= a   r: rotate d   c: c += d   y: b ^= c   s: rotate b
//!
//!   G 0   m a x r c y s                       the 28 instructions take 14.3 cycles; in the order m m m m a a a a x …
//!   G 1         m a x r c y s                 they take 19.9; two ports need 14 (Emerald Rapids)
//!   G 2               m a x r c y s
//!   G 3                     m a x r c y s
//! ```
//!
//! On Zen 4 a rotation takes two cycles, and another order is faster. The orders are data of `tools/orders`, which can
//! search for others, and whose tests compare them with the source.
//!
//! A round has 32 vectors, one for each register. On 32-bit x86 there are eight registers, and the memory sanitizer does
//! not see assembly: both have the order of the compiler.

/// The assembly of half of G in the order for CPUs where a rotation takes one cycle, or two, with these operands.
macro_rules! half_round {
    (fast_rotation: $add:literal, $xor:literal, $ror:literal; $($operands:tt)*) => {
        core::arch::asm!(
            concat!($add, " {a0}, {a0}, {m0}"),
            concat!($add, " {a0}, {a0}, {b0}"),
            concat!($xor, " {d0}, {d0}, {a0}"),
            concat!($ror, " {d0}, {d0}, {r_d}"),
            concat!($add, " {a1}, {a1}, {m1}"),
            concat!($add, " {c0}, {c0}, {d0}"),
            concat!($add, " {a1}, {a1}, {b1}"),
            concat!($xor, " {b0}, {b0}, {c0}"),
            concat!($xor, " {d1}, {d1}, {a1}"),
            concat!($ror, " {b0}, {b0}, {r_b}"),
            concat!($ror, " {d1}, {d1}, {r_d}"),
            concat!($add, " {a2}, {a2}, {m2}"),
            concat!($add, " {c1}, {c1}, {d1}"),
            concat!($add, " {a2}, {a2}, {b2}"),
            concat!($xor, " {b1}, {b1}, {c1}"),
            concat!($xor, " {d2}, {d2}, {a2}"),
            concat!($ror, " {b1}, {b1}, {r_b}"),
            concat!($ror, " {d2}, {d2}, {r_d}"),
            concat!($add, " {a3}, {a3}, {m3}"),
            concat!($add, " {c2}, {c2}, {d2}"),
            concat!($add, " {a3}, {a3}, {b3}"),
            concat!($xor, " {b2}, {b2}, {c2}"),
            concat!($xor, " {d3}, {d3}, {a3}"),
            concat!($ror, " {b2}, {b2}, {r_b}"),
            concat!($ror, " {d3}, {d3}, {r_d}"),
            concat!($add, " {c3}, {c3}, {d3}"),
            concat!($xor, " {b3}, {b3}, {c3}"),
            concat!($ror, " {b3}, {b3}, {r_b}"),
            $($operands)*
        )
    };
    (slow_rotation: $add:literal, $xor:literal, $ror:literal; $($operands:tt)*) => {
        core::arch::asm!(
            concat!($add, " {a0}, {a0}, {m0}"),
            concat!($add, " {a0}, {a0}, {b0}"),
            concat!($add, " {a1}, {a1}, {m1}"),
            concat!($xor, " {d0}, {d0}, {a0}"),
            concat!($add, " {a1}, {a1}, {b1}"),
            concat!($ror, " {d0}, {d0}, {r_d}"),
            concat!($add, " {a2}, {a2}, {m2}"),
            concat!($xor, " {d1}, {d1}, {a1}"),
            concat!($add, " {a2}, {a2}, {b2}"),
            concat!($xor, " {d2}, {d2}, {a2}"),
            concat!($add, " {a3}, {a3}, {m3}"),
            concat!($ror, " {d1}, {d1}, {r_d}"),
            concat!($add, " {a3}, {a3}, {b3}"),
            concat!($xor, " {d3}, {d3}, {a3}"),
            concat!($add, " {c1}, {c1}, {d1}"),
            concat!($ror, " {d2}, {d2}, {r_d}"),
            concat!($add, " {c0}, {c0}, {d0}"),
            concat!($ror, " {d3}, {d3}, {r_d}"),
            concat!($add, " {c2}, {c2}, {d2}"),
            concat!($add, " {c3}, {c3}, {d3}"),
            concat!($xor, " {b0}, {b0}, {c0}"),
            concat!($ror, " {b0}, {b0}, {r_b}"),
            concat!($xor, " {b1}, {b1}, {c1}"),
            concat!($xor, " {b2}, {b2}, {c2}"),
            concat!($xor, " {b3}, {b3}, {c3}"),
            concat!($ror, " {b1}, {b1}, {r_b}"),
            concat!($ror, " {b3}, {b3}, {r_b}"),
            concat!($ror, " {b2}, {b2}, {r_b}"),
            $($operands)*
        )
    };
}
pub(super) use half_round;

/// Implements `kernel::g::HalfG` for a vector of 512 bits that `words!` made, from the names of instructions and
/// the order of [`half_round`].
macro_rules! staggered {
    ($Vector:ident: [$word:ident; $L:literal] by $add:literal, $xor:literal, $ror:literal, $order:ident) => {
        impl $crate::kernel::g::HalfG<$word, $L> for $Vector {
            const LOOP: bool = true;

            #[inline(always)]
            fn word(m: &[Self; 16], place: $crate::kernel::g::Place) -> Self {
                $crate::backend::vector::word(m, place)
            }

            #[inline(always)]
            fn half_g<const SECOND: bool, const DIAGONALS: bool>(v: &mut [Self; 16], m: &[Self; 4]) {
                #[inline]
                #[target_feature(enable = "avx512f")]
                fn half_g<const SECOND: bool, const DIAGONALS: bool>(v: &mut [$Vector; 16], m: &[$Vector; 4]) {
                    let [b, c, d] = const { $crate::kernel::g::places(DIAGONALS) };
                    let [mut a0, mut a1, mut a2, mut a3] = [v[0].0, v[1].0, v[2].0, v[3].0];
                    let [mut b0, mut b1, mut b2, mut b3] = [v[b[0]].0, v[b[1]].0, v[b[2]].0, v[b[3]].0];
                    let [mut c0, mut c1, mut c2, mut c3] = [v[c[0]].0, v[c[1]].0, v[c[2]].0, v[c[3]].0];
                    let [mut d0, mut d1, mut d2, mut d3] = [v[d[0]].0, v[d[1]].0, v[d[2]].0, v[d[3]].0];
                    // SAFETY: the assembly reads and writes its operands alone.
                    unsafe {
                        $crate::backend::staggered::half_round!(
                            $order: $add, $xor, $ror;
                            a0 = inout(zmm_reg) a0, a1 = inout(zmm_reg) a1, a2 = inout(zmm_reg) a2, a3 = inout(zmm_reg) a3,
                            b0 = inout(zmm_reg) b0, b1 = inout(zmm_reg) b1, b2 = inout(zmm_reg) b2, b3 = inout(zmm_reg) b3,
                            c0 = inout(zmm_reg) c0, c1 = inout(zmm_reg) c1, c2 = inout(zmm_reg) c2, c3 = inout(zmm_reg) c3,
                            d0 = inout(zmm_reg) d0, d1 = inout(zmm_reg) d1, d2 = inout(zmm_reg) d2, d3 = inout(zmm_reg) d3,
                            m0 = in(zmm_reg) m[0].0, m1 = in(zmm_reg) m[1].0, m2 = in(zmm_reg) m[2].0, m3 = in(zmm_reg) m[3].0,
                            r_d = const $crate::kernel::g::rotations::<$word>(SECOND)[0],
                            r_b = const $crate::kernel::g::rotations::<$word>(SECOND)[1],
                            options(pure, nomem, nostack, preserves_flags)
                        );
                    }
                    [v[0].0, v[1].0, v[2].0, v[3].0] = [a0, a1, a2, a3];
                    [v[b[0]].0, v[b[1]].0, v[b[2]].0, v[b[3]].0] = [b0, b1, b2, b3];
                    [v[c[0]].0, v[c[1]].0, v[c[2]].0, v[c[3]].0] = [c0, c1, c2, c3];
                    [v[d[0]].0, v[d[1]].0, v[d[2]].0, v[d[3]].0] = [d0, d1, d2, d3];
                }

                // SAFETY: v[0].1 proves AVX-512F.
                unsafe { half_g::<SECOND, DIAGONALS>(v, m) }
            }
        }
    };
}
pub(super) use staggered;
