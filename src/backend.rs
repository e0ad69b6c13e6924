//! Instruction sets: which ones this CPU has, which one is used, and what each does for each hash.
//!
//! The only place that lists them. A backend holds its instruction set's token, the proof that the CPU has it, so
//! whoever holds a [`Backend`] may use it safely.

use core::fmt;
use core::str::FromStr;

use self::isa::Cpu;
use crate::kernel::blake2::{Chain, Compress, Last, Run, Word};

#[cfg_attr(
    not(any(target_arch = "x86", target_arch = "x86_64")),
    allow(unused_imports, unused_macros, reason = "an architecture may have `portable` alone")
)]
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

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod neon;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

#[cfg_attr(
    not(any(target_arch = "x86", target_arch = "x86_64")),
    allow(unused_imports, unused_macros, reason = "an architecture may have `portable` alone")
)]
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
            /// Several messages count: for one message `neon` and `simd128` run the code of `portable`.
            ///
            /// ```
            /// use simd_digest::Backend;
            ///
            /// for backend in Backend::available() {
            ///     println!("{backend}");
            /// }
            /// ```
            pub fn available() -> impl Iterator<Item = Self> + Clone {
                Self::of(Cpu::THIS)
            }

            /// The backends that `cpu` can run, fastest first: all that the choice depends on.
            fn of(cpu: Cpu) -> impl Iterator<Item = Self> + Clone {
                [$($(#[$cfg])? $module::$Token::detect(cpu).map(|token| Self(Kind::$Token(token))),)+]
                    .into_iter()
                    .flatten()
            }

            /// What a CPU must have to run it.
            #[cfg(test)]
            fn features(self) -> &'static [&'static str] {
                match self.0 {
                    $($(#[$cfg])? Kind::$Token(_) => $module::$Token::FEATURES,)+
                }
            }

            /// The name of the instruction set in lower case: `avx512`, `avx2`, `avx`, `sse41`, `neon`, `simd128` or
            /// `portable`.
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
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    "neon" is Neon of neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    "simd128" is Simd128 of simd128,
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
    /// A multiple of it is a good batch for `blake2b::hash_many` and the like. With the 32-bit words of BLAKE2s, twice
    /// as many have room, but on `portable`.
    #[must_use]
    pub fn lanes(self) -> usize {
        <u64 as Blake2Word>::lanes(self)
    }
}

/// A word for whose flavour of BLAKE2 every instruction set has an answer.
pub trait Blake2Word: Word {
    /// Lanes at most of any instruction set.
    const MAX_LANES: usize;

    /// See [`Compress::compress`].
    fn compress(backend: Backend, chain: &mut Chain<Self>, blocks: &[Self::Block], last: Last);
    /// See [`Compress::compress_lanes`].
    fn compress_lanes(backend: Backend, run: Run<'_, Self>);
    /// See [`Compress::LANES`].
    fn lanes(backend: Backend) -> usize;
    /// The same word, which is not loaded or stored together with its neighbours.
    fn opaque(self) -> Self;
}

macro_rules! blake2_word {
    ($word:ident, $most:literal lanes) => {
        impl Blake2Word for $word {
            const MAX_LANES: usize = $most;

            #[inline]
            fn compress(backend: Backend, chain: &mut Chain<Self>, blocks: &[Self::Block], last: Last) {
                on!(backend, isa => isa.compress(chain, blocks, last));
            }

            #[inline]
            fn compress_lanes(backend: Backend, run: Run<'_, Self>) {
                on!(backend, isa => isa.compress_lanes(run));
            }

            #[inline]
            fn lanes(backend: Backend) -> usize {
                on!(backend, isa => lanes::<Self, _>(&isa))
            }

            #[inline(always)]
            fn opaque(self) -> Self {
                #[cfg(target_arch = "x86_64")]
                return opaque::$word(self);
                #[cfg(not(target_arch = "x86_64"))]
                return self;
            }
        }
    };
}
blake2_word!(u64, 8 lanes);
blake2_word!(u32, 16 lanes);

pub(crate) use portable::blake2::compress_rounds as blake2_rounds;

fn lanes<W: Word, T: Compress<W>>(_: &T) -> usize {
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
mod lane_tests;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

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

    /// A CPU with some of these features, said by the bits of `subset`, and no others.
    fn cpu_with(features: &[&'static str], subset: usize) -> Cpu {
        let has = |i: &usize| subset >> i & 1 == 1;
        let list: Vec<_> = (0..features.len()).filter(has).map(|i| features[i]).collect();
        Cpu { list: Some(list.leak()) }
    }

    /// libb2 took AVX without the system's support, x/crypto AVX-512F without VL: no backend of any CPU needs what was
    /// not detected, and none is left out or misplaced that could run.
    #[test]
    fn trap_undetected_features() {
        let features: &[&str] = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
            &["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512dq", "sha"]
        } else {
            &["neon", "simd128"]
        };
        let all: Vec<Backend> = Backend::of(cpu_with(features, usize::MAX)).collect();
        assert_eq!(all.iter().map(|backend| backend.name()).collect::<Vec<_>>(), Backend::NAMES, "all that there are");
        for subset in 0..1 << features.len() {
            let cpu = cpu_with(features, subset);
            let detected = cpu.list.unwrap_or_default();
            let runs = |backend: &Backend| backend.features().iter().all(|feature| detected.contains(feature));
            let chosen: Vec<Backend> = Backend::of(cpu).collect();
            assert!(chosen.iter().all(runs), "{chosen:?} of {detected:?}");
            assert_eq!(chosen, all.iter().copied().filter(runs).collect::<Vec<_>>(), "{detected:?}");
        }
    }

    /// As they are sold, and as they must not be.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[test]
    fn trap_undetected_features_of_x86() {
        for (list, name) in [
            (&["sse2", "ssse3"][..], "portable"),
            (&["sse2", "ssse3", "sse4.1"], "sse41"),
            (&["sse2", "ssse3", "sse4.1", "avx"], "avx"),
            (&["sse2", "ssse3", "sse4.1", "avx2"], "sse41"),
            (&["sse2", "ssse3", "sse4.1", "avx", "avx2"], "avx2"),
            (&["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f"], "avx2"),
            (&["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl"], "avx512"),
            (&["avx", "avx2", "avx512f", "avx512vl"], "portable"),
            (&[], "portable"),
        ] {
            assert_eq!(Backend::of(Cpu { list: Some(list) }).next().map(Backend::name), Some(name), "{list:?}");
        }
    }

    /// The standard library detects by code of its own.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[test]
    fn features_are_those_of_the_standard_library() {
        use std::is_x86_feature_detected as has;

        let sse41 = has!("sse2") && has!("ssse3") && has!("sse4.1");
        let avx = sse41 && has!("avx");
        let avx2 = avx && has!("avx2");
        let avx512 = avx2 && has!("avx512f") && has!("avx512vl");
        let found = [("avx512", avx512), ("avx2", avx2), ("avx", avx), ("sse41", sse41), ("portable", true)];
        let names = found.into_iter().filter(|found| found.1).map(|found| found.0);
        assert!(Backend::available().map(Backend::name).eq(names), "{:?}", Backend::available().collect::<Vec<_>>());
    }

    #[test]
    fn one_byte_with_or_without_an_option() {
        assert!(size_of::<Backend>() <= 1);
        assert!(size_of::<Option<Backend>>() <= 1);
    }
}
