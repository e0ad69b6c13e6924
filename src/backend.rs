//! Instruction sets: the list of those that this CPU may have, the choice among them, and their answers for each hash.
//!
//! This module alone lists the instruction sets. A backend holds its instruction set's token, the proof that the CPU
//! has it, so code that holds a [`Backend`] may use it safely.

use core::fmt;
use core::str::FromStr;

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use self::bmi2::Bmi2;
use self::cpu::Cpu;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use self::cpu::CpuFamily;
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
use self::isa::Missing as Bmi2;
#[cfg(not(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
)))]
use self::isa::Missing as Sha;
#[cfg(not(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))]
use self::isa::Missing as Sha512;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use self::sha_arm::{Sha, Sha512};
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use self::sha_x86::Sha;
use self::tuning::Tuning;

mod cpu;
#[cfg_attr(
    not(any(target_arch = "x86", target_arch = "x86_64")),
    allow(unused_imports, unused_macros, reason = "an architecture may have `portable` alone")
)]
mod isa;
mod portable;
mod tuning;

#[cfg(all(target_arch = "x86_64", target_pointer_width = "32"))]
compile_error!("simd-digest does not support x32, x86-64 with pointers of 32 bits: build for x86_64 or i686");

#[cfg(any(
    simd_digest_backend,
    simd_digest_backend = "",
    simd_digest_backend = "avx",
    simd_digest_backend = "avx2",
    simd_digest_backend = "avx512",
    simd_digest_backend = "neon",
    simd_digest_backend = "scalar",
    simd_digest_backend = "sha",
    simd_digest_backend = "simd128",
    simd_digest_backend = "soft",
    simd_digest_backend = "sse41"
))]
compile_error!("--cfg simd_digest_backend knows the value \"portable\" alone: choose others by Backend::set_default");

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx512;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod bmi2;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod opaque;
#[cfg(feature = "sha2")]
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod scheduled;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sha_x86;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sse41;
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[cfg(all(target_arch = "x86_64", not(msan)))]
mod staggered;

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod neon;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod sha_arm;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

#[cfg_attr(
    not(any(target_arch = "x86", target_arch = "x86_64")),
    allow(unused_imports, unused_macros, reason = "an architecture may have `portable` alone")
)]
mod vector;

/// Makes from one list, fastest first, the enum of tokens, `on!`, which runs the same expression on the token that
/// there is, and the questions about each by name. (`$d` is a dollar sign for the inner macro.)
macro_rules! backends {
    ($d:tt $($(#[$cfg:meta])? $name:literal is $Token:ident of $module:ident,)+) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        enum Isa {
            $($(#[$cfg])? $Token($module::$Token),)+
        }

        macro_rules! on {
            ($d backend:expr, $d isa:ident => $d answer:expr) => {
                match $d backend.isa {
                    $($(#[$cfg])? Isa::$Token($d isa) => $d answer,)+
                }
            };
        }

        impl Backend {
            /// The names of all backends that are compiled in, whether or not this CPU can run them.
            const NAMES: &'static [&'static str] = &[$($(#[$cfg])? $name,)+];

            /// The backends that this CPU can run, fastest first, each instruction set once; the last is always
            /// `portable`. All others have the [SHA extension](Self::sha) if the CPU has it.
            ///
            /// The order is by the speed of several messages: for one message `neon` and `simd128` run the code of
            /// `portable`, except SHA-2 with the extension.
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
                let (sha, sha512, bmi2) = (Sha::detect(cpu), Sha512::detect(cpu), Bmi2::detect(cpu));
                [$($(#[$cfg])? $module::$Token::detect(cpu).map(Isa::$Token),)+]
                    .into_iter()
                    .flatten()
                    .map(move |isa| {
                        let has_extension = isa != Isa::PORTABLE;
                        let (sha, sha512) = (sha.filter(|_| has_extension), sha512.filter(|_| has_extension));
                        Self { isa, sha, sha512, bmi2, tuning: isa.tuning(sha, cpu) }
                    })
            }

            /// The features that a CPU must have to run it.
            #[cfg(test)]
            fn features(self) -> &'static [&'static str] {
                match self.isa {
                    $($(#[$cfg])? Isa::$Token(_) => $module::$Token::FEATURES,)+
                }
            }

            /// The name of the instruction set in lower case: `avx512`, `avx2`, `avx`, `sse41`, `neon`, `simd128` or
            /// `portable`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self.isa {
                    $($(#[$cfg])? Isa::$Token(_) => $name,)+
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

// It has `on!`, which must be defined above.
pub(crate) mod dispatch;

pub(crate) use self::dispatch::Dispatch;
#[cfg(feature = "blake2")]
pub(crate) use self::portable::blake2::compress_rounds as blake2_rounds;

impl Isa {
    const PORTABLE: Self = Self::Portable(portable::Portable);

    /// The tuning that suits the family of the CPU.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn tuning(self, sha: Option<Sha>, cpu: Cpu) -> Tuning {
        let family = CpuFamily::of(cpu);
        // Small cores alone choose SSE4.1 beside SHA-NI, and they cannot hold two messages.
        let intel_sha = sha.is_some() && family == CpuFamily::Intel && !matches!(self, Self::Sse41(_));
        let has_choice = matches!(self, Self::Avx2(_) | Self::Avx512(_));
        Tuning::new(intel_sha, family == CpuFamily::BeforeZen5 && has_choice)
    }

    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fn tuning(self, _: Option<Sha>, _: Cpu) -> Tuning {
        Tuning::First
    }
}

/// A way to compute every hash: an instruction set that this CPU has, and its SHA extension if it has one.
///
/// All backends give the same digests; they differ in speed. A hasher takes [`Backend::best`] unless it is told
/// otherwise, and keeps the backend it was made with.
///
/// The [name](Self::name) is the name of the instruction set alone. The SHA extension (SHA-NI, or Arm's `sha2` and
/// `sha3`) stands beside it, because it needs no wide registers: a program that chooses `avx2` to keep wider registers
/// off has it.
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
///
/// [`available`](Self::available) lists the backends of this CPU, fastest first, as `Ord` sorts them. `set_default`
/// chooses one for the process, and `with_backend` for a hasher.
///
/// # BLAKE2
///
/// | name       | needs                  | one message of BLAKE2b                    | lanes: BLAKE2b | BLAKE2s |
/// |------------|------------------------|-------------------------------------------|----------------|---------|
/// | `avx512`   | AVX-512F, VL and BW    | rows in 256-bit registers                 | 8              | 16      |
/// | `avx2`     | AVX2                   | rows in 256-bit registers                 | 4              | 8       |
/// | `avx`      | AVX                    | the kernels of `sse41` in VEX encoding    | 2              | 4       |
/// | `sse41`    | SSE4.1                 | rows in pairs of 128-bit registers        | 2              | 4       |
/// | `neon`     | AArch64, little-endian | scalar, which takes fewer cycles there    | 2              | 4       |
/// | `simd128`  | WebAssembly's SIMD     | scalar                                    | 2              | 4       |
/// | `portable` | nothing                | scalar                                    | 1              | 1       |
///
/// On x86, one message of BLAKE2s has its rows in 128-bit registers. On `avx512` of x86-64, two messages of BLAKE2 are
/// in rows too. A program has `simd128` if it is compiled with `RUSTFLAGS="-C target-feature=+simd128"`.
///
/// # SHA-256 and SHA-224
///
/// | name       | one message, several side by side              | with the SHA extension                       |
/// |------------|------------------------------------------------|----------------------------------------------|
/// | `avx512`   | mixed; 2 to 8 in eight lanes, more in sixteen  | SHA-NI: one stream; up to four, 32 registers |
/// | `avx2`     | mixed; from 3 on in eight lanes                | SHA-NI: one stream; pairs                    |
/// | `avx`      | mixed; from 3 on in four lanes                 | SHA-NI: one stream; pairs                    |
/// | `sse41`    | mixed; from 3 on in four lanes                 | SHA-NI: one stream; pairs                    |
/// | `neon`     | scalar; from 3 on in four lanes                | `sha2`: one stream; up to four               |
/// | `simd128`  | scalar; from 3 on in four lanes                |                                              |
/// | `portable` | scalar; one after the other                    |                                              |
///
/// Mixed means that the schedule of one message is computed in vectors, and its rounds in scalar code: on `avx512` and
/// `avx2` for two blocks at a time, if the CPU has BMI2.
///
/// On Intel's CPUs, `avx512` takes lanes from seven messages on although there is SHA-NI.
///
/// # SHA-512 and its kin
///
/// | name                  | one    | several side by side                  |
/// |-----------------------|--------|---------------------------------------|
/// | `avx512`              | mixed  | 2 to 4 in four lanes, 5 to 8 in eight |
/// | `avx2`                | mixed  | from 3 on in four lanes               |
/// | `avx`, `sse41`        | mixed  | one after the other                   |
/// | `neon`                | scalar | two lanes                             |
/// | `simd128`, `portable` | scalar | one after the other                   |
///
/// With Arm's `sha3`, which has the instructions for SHA-512, `neon` computes one stream or two by them.
///
/// # BLAKE3
///
/// Lanes take chunks, parents of chunks, and blocks of output.
///
/// | name       | one                       | two                         | more                                      |
/// |------------|---------------------------|-----------------------------|-------------------------------------------|
/// | `avx512`   | rows in 128-bit registers | halves of 256-bit registers | 3 to 8 in eight lanes, 9 to 16 in sixteen |
/// | `avx2`     | rows in 128-bit registers | halves of 256-bit registers | 3 and 4 in four lanes, 5 to 8 in eight    |
/// | `avx`      | `sse41` in VEX encoding   | `sse41` in VEX encoding     | `sse41` in VEX encoding                   |
/// | `sse41`    | rows in 128-bit registers | in four lanes               | in four lanes                             |
/// | `neon`     | scalar                    | in four lanes               | in four lanes                             |
/// | `simd128`  | scalar                    | in four lanes               | in four lanes                             |
/// | `portable` | scalar                    | one after the other         | one after the other                       |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Backend {
    isa: Isa,
    sha: Option<Sha>,
    sha512: Option<Sha512>,
    bmi2: Option<Bmi2>,
    tuning: Tuning,
}

/// An instruction set's token, and all else that a backend has.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "an architecture may have no extension, and one tuning alone")]
struct On<T> {
    isa: T,
    sha: Option<Sha>,
    sha512: Option<Sha512>,
    bmi2: Option<Bmi2>,
    tuning: Tuning,
}

#[cfg(feature = "std")]
static BEST: std::sync::OnceLock<Backend> = std::sync::OnceLock::new();

impl Backend {
    const PORTABLE: Self = Self { isa: Isa::PORTABLE, sha: None, sha512: None, bmi2: None, tuning: Tuning::First };

    /// The backend that hashers use by default: the first of [`available`](Self::available), or the one given to
    /// `set_default`. A program compiled with `--cfg simd_digest_backend="portable"` begins with `portable`.
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
    /// A program that keeps wide registers off sets `avx2`, or `sse41`.
    ///
    /// # Errors
    ///
    /// [`BackendError::AlreadyChosen`] once a default was set, or was used by a hasher.
    #[cfg(feature = "std")]
    pub fn set_default(backend: Self) -> Result<(), BackendError> {
        BEST.set(backend).map_err(|_| BackendError::AlreadyChosen)
    }

    /// Whether the CPU is taken for one that begins the next message before one has ended: Intel's with SHA-NI.
    #[inline]
    pub(crate) fn overlaps(self) -> bool {
        self.tuning.intel_sha()
    }

    /// The token, which is this backend's, and all else that it has.
    #[inline]
    fn with<T>(self, isa: T) -> On<T> {
        On { isa, sha: self.sha, sha512: self.sha512, bmi2: self.bmi2, tuning: self.tuning }
    }

    fn fastest() -> Self {
        #[cfg(simd_digest_backend = "portable")]
        return Self::PORTABLE;
        #[cfg(not(simd_digest_backend = "portable"))]
        Self::available().next().unwrap_or(Self::PORTABLE)
    }

    /// Whether the backend has the CPU's SHA extension: SHA-NI on x86, `sha2` on AArch64. `portable` never has it.
    ///
    /// SHA-256 and SHA-224 use the extension. SHA-512 and its kin use Arm's `sha3`, where `Debug` tells of `sha512`.
    ///
    /// On AArch64 the extension is found under Linux, Android and Apple's systems, and elsewhere if the program is
    /// compiled for it.
    #[must_use]
    pub fn sha(self) -> bool {
        self.sha.is_some()
    }

    /// This backend without the instructions for SHA-2 of the CPU. SHA-2 then has other kernels, with equal digests, and
    /// short pieces of BLAKE3 may share lanes sooner.
    #[must_use]
    pub fn without_sha(self) -> Self {
        Self { sha: None, sha512: None, tuning: Tuning::new(false, self.tuning.before_zen5()), ..self }
    }

    /// This backend, and after it the same instruction set with the kernels and orders of instructions for another family
    /// of CPU. On `avx512` SHA-256 of many messages may use the SHA extension or lanes, and BLAKE2 and BLAKE3 have two ways
    /// to rotate. A few short pieces of BLAKE3 share lanes or go one by one. On `avx2` with the extension, SHA-256 of a few
    /// messages and BLAKE3 of three and four have two ways.
    ///
    /// [`available`](Self::available) has the backends that suit this CPU. Digests do not depend on the tuning.
    pub fn tunings(self) -> impl Iterator<Item = Self> + Clone {
        [Some(self), self.other_tuning()].into_iter().flatten()
    }

    fn other_tuning(self) -> Option<Self> {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        // Without the extension, AVX2 has a choice between kernels that other backends run, too.
        if matches!(self.isa, Isa::Avx512(_)) || matches!(self.isa, Isa::Avx2(_)) && self.sha() {
            let lanes = self.sha() && !self.tuning.intel_sha();
            let tuning = Tuning::new(lanes, !self.tuning.before_zen5());
            return Some(Self { tuning, ..self });
        }
        None
    }
}

/// `word` itself, not loaded or stored together with its neighbours.
///
/// A load from memory that was written just before takes its value from the one store that covers it. Where there is
/// none it waits until the stores have reached the cache, for which they wait until all before them is done: a hash
/// would not begin before the one before has ended. So bytes that are soon read by words are written by words
/// (`buffer::copy_words`), and words that were just written are read one by one, which this function enforces: the
/// compiler would join them.
#[inline(always)]
pub(crate) fn reread(word: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return opaque::word(word);
    #[cfg(not(target_arch = "x86_64"))]
    return word;
}

/// `words`, hidden behind a reference: a copy is then made by vectors, as kernels load it, and not word by word.
#[cfg(feature = "blake3")]
#[inline(always)]
pub(crate) fn together(words: &[u32; 8]) -> &[u32; 8] {
    #[cfg(target_arch = "x86_64")]
    return opaque::reference(words);
    #[cfg(not(target_arch = "x86_64"))]
    return words;
}

impl Default for Backend {
    fn default() -> Self {
        Self::best()
    }
}

/// The name, the SHA extension, and what the backend does for one family of CPU alone.
impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sha = if self.sha() { ", sha" } else { "" };
        let sha512 = if self.sha512.is_some() { ", sha512" } else { "" };
        let lanes = self.tuning.intel_sha() && self.name() == "avx512";
        let lanes = if lanes { ", sha in lanes" } else { "" };
        let family = match self.tuning.before_zen5() {
            true if self.name() == "avx512" => ", slow rotation",
            true => ", four in lanes",
            false => "",
        };
        write!(f, "Backend({}{sha}{sha512}{lanes}{family})", self.name())
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = BackendError;

    /// The backend of this [`name`](Backend::name), if this CPU can run it: with the SHA extension, if the CPU has it.
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
mod choices;

#[cfg(test)]
mod lane_tests;

#[cfg(test)]
mod tests;
