//! Instruction sets: which ones this CPU has, which one is used, and what each does for each hash.
//!
//! The only place that lists them. A backend holds its instruction set's token, the proof that the CPU has it, so
//! whoever holds a [`Backend`] may use it safely.

use core::fmt;
use core::str::FromStr;

use crate::kernel::blake2b::{self, Chain, Compress, Last};

mod isa;
mod portable;

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx512;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod opaque;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sse41;
mod vector;

/// Makes from one list, fastest first, the enum of tokens, `on!`, which runs the same expression on whichever token
/// there is, and what is asked of each by name. (`$d` is a dollar sign for the inner macro.)
macro_rules! backends {
    ($d:tt $($(#[$cfg:meta])? $name:literal is $Token:ident of $module:ident,)+) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Kind {
            $($(#[$cfg])? $Token($module::$Token),)+
        }

        macro_rules! on {
            ($d backend:expr, $d isa:ident => $d answer:expr) => {
                match $d backend.0 {
                    $($(#[$cfg])? Kind::$Token($d isa) => $d answer,)+
                }
            };
        }

        impl Backend {
            /// The names of all backends that are compiled in, whether or not this CPU can run them.
            const NAMES: &'static [&'static str] = &[$($(#[$cfg])? $name,)+];

            /// The backends that this CPU can run, fastest first; the last is always `portable`.
            ///
            /// ```
            /// use simd_digest::Backend;
            ///
            /// for backend in Backend::available() {
            ///     println!("{backend}");
            /// }
            /// ```
            pub fn available() -> impl Iterator<Item = Self> + Clone {
                [$($(#[$cfg])? $module::$Token::detect().map(|token| Self(Kind::$Token(token))),)+]
                    .into_iter()
                    .flatten()
            }

            /// The name of the instruction set in lower case: `avx512`, `avx2`, `avx`, `sse41` or `portable`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self.0 {
                    $($(#[$cfg])? Kind::$Token(_) => $name,)+
                }
            }
        }
    };
}

backends! { $
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "avx512" is Avx512 of avx512,
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "avx2" is Avx2 of avx2,
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "avx" is Avx of avx,
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "sse41" is Sse41 of sse41,
    "portable" is Portable of portable,
}

/// An instruction set that this CPU has, and so a way to compute every hash.
///
/// All backends give the same digests; they differ in speed. A hasher takes [`Backend::best`] unless it is told
/// otherwise, and keeps the backend it was made with.
///
/// ```
/// use simd_digest::{Backend, blake2b};
///
/// let portable: Backend = "portable".parse()?;
/// let mut hasher = blake2b::Hasher::new().with_backend(portable);
/// hasher.update(b"the same everywhere");
/// assert_eq!(hasher.finalize(), blake2b::hash(b"the same everywhere"));
/// # Ok::<(), simd_digest::BackendError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Backend(Kind);

#[cfg(feature = "std")]
static BEST: std::sync::OnceLock<Backend> = std::sync::OnceLock::new();

impl Backend {
    /// The backend that hashers use by default: the first of [`available`](Self::available), or the one given to
    /// `set_default`.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        #[cfg(feature = "std")]
        return *BEST.get_or_init(Self::fastest);
        #[cfg(not(feature = "std"))]
        return Self::fastest();
    }

    /// Makes `backend` the one that every hasher of this process uses by default.
    ///
    /// For those who must keep wide registers off, say because of their effect on the clock of neighbouring code.
    ///
    /// # Errors
    ///
    /// [`BackendError::AlreadyChosen`] once a default was set, or was used by a hasher: half a process on another
    /// instruction set than it was told would be a surprise.
    #[cfg(feature = "std")]
    pub fn set_default(backend: Self) -> Result<(), BackendError> {
        BEST.set(backend).map_err(|_| BackendError::AlreadyChosen)
    }

    fn fastest() -> Self {
        Self::available().next().unwrap_or(Self(Kind::Portable(portable::Portable)))
    }

    /// Messages that this backend hashes side by side, with 64-bit words: 1, 2, 4 or 8.
    ///
    /// A multiple of it is a good batch for `blake2b::hash_many` and the like.
    #[must_use]
    pub fn lanes(self) -> usize {
        on!(self, isa => lanes_of(&isa))
    }

    /// BLAKE2b: see [`Compress::compress`].
    #[inline]
    pub(crate) fn blake2b(self, chain: &mut Chain, blocks: &[blake2b::Block], last: Last) {
        on!(self, isa => isa.compress(chain, blocks, last));
    }

    /// BLAKE2b: see [`Compress::compress_lanes`].
    #[inline]
    pub(crate) fn blake2b_lanes(self, run: blake2b::Run<'_>) {
        on!(self, isa => isa.compress_lanes(run));
    }
}

pub(crate) use portable::blake2b::compress_rounds as blake2b_rounds;

/// The same word, which is not loaded or stored together with its neighbours.
#[inline(always)]
pub(crate) fn opaque_word(word: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return opaque::word(word);
    #[cfg(not(target_arch = "x86_64"))]
    return word;
}

fn lanes_of<T: Compress>(_: &T) -> usize {
    T::LANES
}

impl Default for Backend {
    fn default() -> Self {
        Self::best()
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({})", self.name())
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = BackendError;

    /// The backend of this [`name`](Backend::name), if this CPU can run it.
    fn from_str(name: &str) -> Result<Self, BackendError> {
        Self::available().find(|backend| backend.name() == name).ok_or(if Self::NAMES.contains(&name) {
            BackendError::Unavailable
        } else {
            BackendError::Unknown
        })
    }
}

/// Why a backend could not be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendError {
    /// No backend of this target has that name.
    Unknown,
    /// This CPU, or its operating system, cannot run the backend of that name.
    Unavailable,
    /// The default was set before, or is in use already.
    AlreadyChosen,
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                f.write_str("unknown backend, known here are")?;
                Backend::NAMES.iter().try_for_each(|name| write!(f, " {name}"))
            }
            Self::Unavailable => f.write_str("this CPU does not have the backend's instruction set"),
            Self::AlreadyChosen => f.write_str("the default backend is already set or in use"),
        }
    }
}

impl core::error::Error for BackendError {}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;
    use crate::kernel;
    use crate::kernel::blake2b::Run;

    #[test]
    fn names_are_the_way_back() {
        for backend in Backend::available() {
            assert_eq!(backend.name().parse(), Ok(backend));
        }
        assert_eq!("".parse::<Backend>(), Err(BackendError::Unknown));
        assert_eq!("AVX2".parse::<Backend>(), Err(BackendError::Unknown));
        for name in Backend::NAMES {
            assert_ne!(name.parse::<Backend>(), Err(BackendError::Unknown));
        }
    }

    #[test]
    fn portable_is_always_there_and_last() {
        assert_eq!(Backend::available().last().map(Backend::name), Some("portable"));
    }

    #[test]
    fn one_byte() {
        assert_eq!(size_of::<Backend>(), size_of::<Option<Backend>>());
        assert!(size_of::<Backend>() <= 1);
    }
    /// Numbers that look random.
    fn noise(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        seed.rotate_left(29)
    }

    fn blocks(seed: &mut u64, number: usize) -> Vec<blake2b::Block> {
        (0..number).map(|_| core::array::from_fn(|_| noise(seed).to_le_bytes()[0])).collect()
    }

    /// Every lane must be what its message is alone.
    fn check_lanes(backend: Backend, starts: &[Chain], last: &[Last], blocks: &[Vec<blake2b::Block>], of: Of) {
        let Of { stride, kind } = of;
        let mut chains = starts.to_vec();
        let slices: Vec<&[blake2b::Block]> = blocks.iter().map(Vec::as_slice).collect();
        let count = blocks[0].len().div_ceil(stride);
        backend.blake2b_lanes(Run { count, stride, chains: &mut chains, blocks: &slices, last, kind });

        let portable = Backend(Kind::Portable(portable::Portable));
        for (i, mut alone) in starts.iter().copied().enumerate() {
            let blocks: Vec<_> = blocks[i].iter().copied().step_by(stride).collect();
            portable.blake2b(&mut alone, &blocks, last[i]);
            let lanes = starts.len();
            assert!(chains[i] == alone, "{backend}, lane {i} of {lanes}, {kind:?}, stride {stride}");
        }
    }

    /// Of a run: where its blocks lie, and what is known of it.
    struct Of {
        stride: usize,
        kind: kernel::Kind,
    }

    fn all_widths() -> impl Iterator<Item = (Backend, usize)> {
        Backend::available().flat_map(|backend| (1..=backend.lanes()).map(move |lanes| (backend, lanes)))
    }

    const LASTS: [Last; 3] = [Last::Not, Last::Block, Last::Node];

    /// With its own chaining value, counter, blocks and end.
    #[test]
    fn lanes_of_blake2b_are_messages_of_blake2b() {
        let mut seed = 2012;
        // Without a carry after the first of three blocks: the last two carry in that.
        let edge = 1 << 64;
        let counts = [0, 1 << 32, (1 << 63) - 128, edge - 129 - 2 * 128, 1 << 127, edge, edge - 128, u128::MAX];
        for (backend, lanes) in all_widths() {
            for (stride, shift) in [1, 4].into_iter().flat_map(|stride| (0..8).map(move |shift| (stride, shift))) {
                let count = |i| counts[(i + shift) % 8];
                let starts: Vec<Chain> =
                    (0..lanes).map(|i| Chain { h: [(); 8].map(|()| noise(&mut seed)), count: count(i) }).collect();
                let last: Vec<Last> = (0..lanes).map(|i| LASTS[(i + shift) % 3]).collect();
                let blocks: Vec<_> = (0..lanes).map(|_| blocks(&mut seed, 2 * stride + 1)).collect();
                check_lanes(backend, &starts, &last, &blocks, Of { stride, kind: kernel::Kind::Any });
            }
        }
    }

    /// Messages that begin alike, of one block that is whole or half empty.
    #[test]
    fn lanes_of_blake2b_may_be_alike() {
        let mut seed = 2013;
        for (backend, lanes) in all_widths() {
            for (last, high) in LASTS.into_iter().flat_map(|last| [0, 7].map(|high| (last, high << 64))) {
                let h = [(); 8].map(|()| noise(&mut seed));
                let starts: Vec<Chain> = (0..lanes).map(|i| Chain { h, count: high + 97 * i as u128 }).collect();
                let mut blocks: Vec<_> = (0..lanes).map(|_| blocks(&mut seed, 1)).collect();
                let last = vec![last; lanes];
                check_lanes(backend, &starts, &last, &blocks, Of { stride: 1, kind: kernel::Kind::Alike });
                blocks.iter_mut().for_each(|blocks| blocks[0][64..].fill(0));
                check_lanes(backend, &starts, &last, &blocks, Of { stride: 1, kind: kernel::Kind::Half });
            }
        }
    }

    /// A run may have as many blocks as that, and the next one would carry.
    #[test]
    fn runs_of_blake2b_end_at_the_carry() {
        let edge = 1_u128 << 64;
        // The last block of a run may be counted to the edge less one; the first may be counted to anything.
        let limits = [
            (edge - 128 * 5 - 1, 5),
            (edge - 128 * 5, 4),
            (edge - 128 * 2, 1),
            (edge - 129, 1),
            (edge - 128, 1 << 57),
            (edge - 1, 1 << 57),
            (u128::MAX - 127, 1 << 57),
            (0, (1 << 57) - 1),
        ];
        for (count, limit) in limits {
            assert_eq!(Chain { h: [0; 8], count }.blocks_to_carry(), limit, "{count:#x}");
        }
    }
}
