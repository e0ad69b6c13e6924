//! One message of BLAKE2, or two, by a loop in assembly, for the sake of the order of instructions.
//!
//! The loop, a file of the folder `generated`, computes `kernel::blake2::compress_rows`, in 312 cycles a block of
//! BLAKE2b instead of 333 on Golden Cove. All its registers are fixed, so it runs in the order that was timed: `tools/orders`
//! searched for it, and writes it down.
//!
//! There are two orders. Where a rotation takes one cycle, as on Intel's, the chain is shortest with rotations. A turn
//! across halves of 128 bits takes three cycles on one port, and that port cannot finish two instructions in one cycle:
//! a one-cycle instruction that would finish in the same cycle as a turn starts one cycle later, and if it is on the
//! chain, everything waits. So a turn should end with a rotation of the chain, for rotations have other ports:
//!
//! - The sum that the next half round begins with is turned when `d` is known but not rotated yet, and no earlier. A
//!   mask that lets everything pass makes the turn wait for the register under it.
//! - Row `c` is turned as soon as it is known, before the other instructions that wait for it.
//!
//! Where a rotation takes two cycles, as on Zen 4, a shuffle takes one. Elsewhere the rotation of one side of an exclusive
//! or begins early, and the other side is shifted both ways: that is a cycle less on the chain.
//!
//! Two messages have one order for all CPUs. Their instructions take turns, so that one message computes while the
//! chain of the other waits. Not latency but ports limit them then, so the order has few instructions: two messages of
//! BLAKE2b take 435 cycles for a block of each, and 559 in four lanes.
//!
//! Words of the message are loaded one by one, so blocks that were written just before do not wait.
//!
//! On 32-bit x86 there are too few registers for the loop. The memory sanitizer does not see assembly, so that runs
//! `compress_rows`, and two messages the kernel for four.

/// Compresses `$blocks` by the loop of the file `$order`. `PATTERNS` must be in scope: byte shuffles that a loop may rotate
/// by.
macro_rules! compress_in_order {
    ($order:literal, $Flavour:ty, $Row:ident, $chain:ident, $blocks:ident, $last:ident) => {{
        use $crate::kernel::blake2::{Constants, Last, compress_rows, halves, rows};
        use $crate::kernel::{Block, Function};

        let token = Avx512::here();
        if cfg!(msan) {
            compress_rows::<$Flavour, $Row>(token, $chain, $blocks, $last);
        } else {
            let length = <$Flavour as Function>::Block::LENGTH as u128;
            let [length_low, length_high] = halves(length);
            let row_of = |words| <$Row as $crate::kernel::Words<_, 4>>::new(token, words).0;
            let row = |words| row_of(rows::swap(words));
            let [c0, c1, c2, c3, d0, d1, d2, d3] = <$Flavour as Constants>::IV;
            let [mut low, mut high] = rows::rows_of::<$Flavour, $Row>(token, $chain);
            let mut rest = $blocks;
            while !rest.is_empty() {
                // The loop counts without a carry.
                let (now, later) = rest.split_at(rest.len().min(<$Flavour>::longest_run($chain)));
                rest = later;
                let [f0, f1] = if later.is_empty() { $last.flags() } else { Last::Not.flags() };
                let [count_low, count_high] = halves($chain.count.wrapping_add(length));
                // SAFETY: the assembly reads so many blocks, and writes its operands alone.
                unsafe {
                    core::arch::asm!(
                        include_str!(concat!("generated/", $order, ".s")),
                        inout("rsi") now.as_ptr() => _,
                        inout("rdx") now.len() => _,
                        inout("zmm31") low.0,
                        inout("zmm30") high.0,
                        in("zmm29") row([c0, c1, c2, c3]),
                        in("zmm28") row([d0, d1, d2, d3]),
                        inout("zmm27") row([count_low, count_high, 0, 0]) => _,
                        in("zmm26") row([length_low, length_high, 0, 0]),
                        in("zmm25") row([0, 0, f0, f1]),
                        in("zmm24") row_of(PATTERNS[0]),
                        in("zmm23") row_of(PATTERNS[1]),
                        in("k1") 0b0010_u8,
                        in("k2") 0b0100_u8,
                        in("k3") 0b1000_u8,
                        in("k4") 0b1111_u8,
                        out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                        out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                        out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                        out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _,
                        options(raw, pure, readonly, nostack)
                    );
                }
                $chain.count = $chain.count.wrapping_add(now.len() as u128 * length);
            }
            rows::set_rows($chain, [low, high]);
        }
    }};
}

/// Compresses a run of two messages by the loop of the file `$order`.
macro_rules! compress_pair_in_order {
    ($order:literal, $Flavour:ty, $Row:ident, $run:ident) => {{
        use $crate::kernel::blake2::{Constants, halves, rows};
        use $crate::kernel::{Block, Function};

        let token = Avx512::here();
        let block = <$Flavour as Function>::Block::LENGTH;
        let length = block as u128;
        let row_of = |words| <$Row as $crate::kernel::Words<_, 4>>::new(token, words).0;
        let row = |words| row_of(rows::swap(words));
        let count = |of: u128| {
            let [low, high] = halves(of);
            row([low, high, 0, 0])
        };
        let flags = |last: Last| {
            let [f0, f1] = last.flags();
            row([0, 0, f0, f1])
        };
        let [c0, c1, c2, c3, d0, d1, d2, d3] = <$Flavour as Constants>::IV;
        let Run { chains, blocks, last, .. } = $run;
        let [low, high] = rows::rows_of::<$Flavour, $Row>(token, &chains[0]);
        let [second_low, second_high] = rows::rows_of::<$Flavour, $Row>(token, &chains[1]);
        let mut memory = [
            low.0,
            high.0,
            second_low.0,
            second_high.0,
            flags(last[0]),
            flags(last[1]),
            count(length),
        ];
        // Each message has its last block, and so all before it.
        let end = $run.count.wrapping_sub(1).saturating_mul($run.stride);
        let [_, _] = [&blocks[0][end], &blocks[1][end]];
        // SAFETY: the assembly reads so many blocks of each message, and writes `memory` and its operands alone.
        unsafe {
            core::arch::asm!(
                include_str!(concat!("generated/", $order, ".s")),
                in("rdi") memory.as_mut_ptr(),
                inout("rsi") blocks[0].as_ptr() => _,
                inout("r8") blocks[1].as_ptr() => _,
                inout("rdx") $run.count => _,
                in("rcx") $run.stride.wrapping_mul(block),
                inout("zmm26") count(chains[0].count.wrapping_add(length)) => _,
                inout("zmm27") count(chains[1].count.wrapping_add(length)) => _,
                in("zmm28") row([d0, d1, d2, d3]),
                in("zmm29") row([c0, c1, c2, c3]),
                in("zmm30") row_of(PATTERNS[1]),
                in("zmm31") row_of(PATTERNS[0]),
                in("k1") 0b0010_u8,
                in("k2") 0b0100_u8,
                in("k3") 0b1000_u8,
                in("k4") 0b1111_u8,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _,
                options(raw, nostack)
            );
        }
        let [low, high, second_low, second_high, ..] = memory;
        rows::set_rows(&mut chains[0], [$Row(low, token), $Row(high, token)]);
        rows::set_rows(&mut chains[1], [$Row(second_low, token), $Row(second_high, token)]);
        for chain in chains {
            chain.count = chain.count.wrapping_add($run.count as u128 * length);
        }
    }};
}
pub(super) use {compress_in_order, compress_pair_in_order};
