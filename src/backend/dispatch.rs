//! Requests: each goes to the instruction set of a backend, whose kernels answer.
//!
//! A request is a function of its own, so a program that asks for one message names no kernel of several. Generic kernels
//! are compiled where they are called, in each crate anew. So the functions here that call them are not inlined.

#[cfg(feature = "blake3")]
use core::hint::black_box;
#[cfg(feature = "blake3")]
use core::slice::from_ref;

use digest::typenum::Unsigned;

use super::{Backend, Isa};
#[cfg(feature = "blake3")]
use crate::kernel::blake3::{Blake3Function, Chain, CompressGroup, Group, SingleBlock};
#[cfg(feature = "sha2")]
use crate::kernel::sha2::{CompressWhole, Sha2Word, Whole};
#[cfg(feature = "sha2")]
use crate::kernel::sha256::{CompressNodes, Iterate, Iteration, Nodes, Sha256Function};
#[cfg(feature = "sha2")]
use crate::kernel::sha512::Sha512Function;
use crate::kernel::{Compress, Function, Run, Sides};

/// Has the test of choices record a request.
macro_rules! tell {
    ($($request:tt)*) => {
        #[cfg(test)]
        #[cfg(all(target_arch = "x86_64", feature = "alloc", feature = "blake2", feature = "blake3", feature = "sha2"))]
        super::choices::tell(|| std::format!($($request)*));
    };
}

/// A function for which every instruction set has an answer.
pub trait Dispatch: Function {
    /// See [`Compress::blocks`].
    fn compress(backend: Backend, chain: &mut Self::Chain, blocks: &[Self::Block], last: Self::Last);
    /// See [`Compress::run`].
    fn compress_lanes(backend: Backend, run: Run<'_, Self>);
    /// See [`Compress::LANES`]. At most [`Function::MaxLanes`], as the compiler knows.
    fn lanes(backend: Backend) -> usize;
    /// See [`Compress::sides`].
    fn sides(backend: Backend, live: usize) -> Sides;
}

/// Has the backends answer for a function. `$sides` is the way in which cells with lanes compute several messages, if they
/// name no other.
macro_rules! dispatch {
    ($Function:ty, $sides:expr) => {
        impl Dispatch for $Function {
            #[inline]
            fn compress(backend: Backend, chain: &mut Self::Chain, blocks: &[Self::Block], last: Self::Last) {
                tell!("{} blocks", blocks.len());
                on!(backend, isa => Compress::<Self>::blocks(backend.with(isa), chain, blocks, last));
            }

            #[inline]
            fn compress_lanes(backend: Backend, run: Run<'_, Self>) {
                tell!("lanes: {} by {}, {} {:?} {}", run.chains.len(), run.count, run.stride, run.hint, run.ends.is_some());
                debug_assert!(run.keeps_contract(<Self as Dispatch>::lanes(backend)), "a kernel's contract");
                on!(backend, isa => Compress::<Self>::run(backend.with(isa), run));
            }

            #[inline]
            fn lanes(backend: Backend) -> usize {
                on!(backend, isa => number_of_lanes::<Self, _>(&backend.with(isa))).min(<Self as Function>::MaxLanes::USIZE)
            }

            #[inline]
            fn sides(backend: Backend, live: usize) -> Sides {
                on!(backend, isa => sides_of::<Self, _>(&backend.with(isa), live, $sides))
            }
        }
    };
}

#[cfg(feature = "blake2")]
dispatch!(crate::kernel::blake2b::FlavourB, Sides::Rows);
#[cfg(feature = "blake2")]
dispatch!(crate::kernel::blake2s::FlavourS, Sides::Rows);
#[cfg(feature = "blake3")]
dispatch!(Blake3Function, Sides::Groups);
#[cfg(feature = "sha2")]
dispatch!(Sha256Function, |_| Sides::Alone);
#[cfg(feature = "sha2")]
dispatch!(Sha512Function, |_| Sides::Alone);

/// A function that compresses whole messages of words `W`.
#[cfg(feature = "sha2")]
pub trait DispatchWhole<W: Sha2Word>: Dispatch {
    /// See [`CompressWhole::whole`].
    fn compress_whole(backend: Backend, messages: Whole<'_, W>);
}

/// Has the backends answer for whole messages.
#[cfg(feature = "sha2")]
macro_rules! dispatch_whole {
    ($Function:ty, $Word:ty) => {
        impl DispatchWhole<$Word> for $Function {
            fn compress_whole(backend: Backend, messages: Whole<'_, $Word>) {
                tell!("whole: {:?}", super::choices::blocks_of(messages.messages));
                debug_assert!(messages.keeps_contract(<Self as Dispatch>::lanes(backend)), "a kernel's contract");
                on!(backend, isa => backend.with(isa).whole(messages));
            }
        }
    };
}

#[cfg(feature = "sha2")]
dispatch_whole!(Sha256Function, u32);
#[cfg(feature = "sha2")]
dispatch_whole!(Sha512Function, u64);

/// See [`CompressNodes::nodes`].
#[cfg(feature = "sha2")]
pub(crate) fn hash_nodes(backend: Backend, nodes: Nodes<'_>) {
    tell!("{} nodes", nodes.digests.len());
    on!(backend, isa => backend.with(isa).nodes(nodes));
}

/// See [`CompressNodes::node`].
#[cfg(feature = "sha2")]
pub(crate) fn hash_node(backend: Backend, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
    tell!("a node");
    on!(backend, isa => backend.with(isa).node(iv, node, digest));
}

/// See [`Iterate::iterate`].
#[cfg(feature = "sha2")]
pub(crate) fn iterate(backend: Backend, iterations: &mut [Iteration], count: u32) -> bool {
    tell!("iterate: {} by {count}", iterations.len());
    on!(backend, isa => backend.with(isa).iterate(iterations, count))
}

/// Compresses one block of a BLAKE3 message that goes on. The compiler does not see that it is one, or it might copy a
/// kernel for it, and no proof knows the copy.
#[cfg(feature = "blake3")]
pub(crate) fn compress_one(backend: Backend, chain: &mut Chain, block: &[u8; 64]) {
    Blake3Function::compress(backend, chain, black_box(from_ref(block)), black_box(Blake3Function::NOT_LAST));
}

/// See [`CompressGroup::group`].
#[cfg(feature = "blake3")]
#[inline]
pub(crate) fn compress_group(backend: Backend, group: Group<'_>) {
    tell!("group: {} by {}, {} {}", group.inputs.len(), group.count, group.followed, group.ends.is_some());
    debug_assert!(group.flags & group.first == 0, "a flag twice");
    debug_assert!(group.last.iter().all(|last| (group.flags | group.first) & last == 0), "a flag twice");
    on!(backend, isa => backend.with(isa).group(group));
}

/// See [`CompressGroup::block`].
#[cfg(feature = "blake3")]
pub(crate) fn compress_block(backend: Backend, block: SingleBlock<'_>) -> [u8; 32] {
    tell!("one block");
    on!(backend, isa => backend.with(isa).block::<false>(block))
}

/// As [`compress_block`], for a block that was not written just before.
#[cfg(feature = "blake3")]
pub(crate) fn compress_settled_block(backend: Backend, block: SingleBlock<'_>) -> [u8; 32] {
    tell!("one settled block");
    on!(backend, isa => backend.with(isa).block::<true>(block))
}

/// See [`CompressGroup::output`].
#[cfg(feature = "blake3")]
#[inline]
pub(crate) fn output_blocks(backend: Backend, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    tell!("{} blocks of output", blocks.len());
    on!(backend, isa => backend.with(isa).output(root, blocks));
}

fn number_of_lanes<H: Function, T: Compress<H>>(_: &T) -> usize {
    T::LANES
}

#[inline]
fn sides_of<H: Function, T: Compress<H>>(cell: &T, live: usize, of_lanes: fn(usize) -> Sides) -> Sides {
    cell.sides(live).unwrap_or_else(|| if T::LANES == 1 { Sides::Alone } else { of_lanes(T::LANES) })
}
