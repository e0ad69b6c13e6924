//! Instruction sets: the list of those that this CPU may have, the choice among them, and their answers for each hash.
//!
//! This module alone lists the instruction sets. A backend holds its instruction set's token, the proof that the CPU
//! has it, so code that holds a [`Backend`] may use it safely.

use core::fmt;
use core::str::FromStr;

use digest::typenum::Unsigned;

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use self::bmi2::Bmi2;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use self::family::Family;
use self::isa::Cpu;
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
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use self::sha::Sha;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use self::sha2::{Sha, Sha512};
#[cfg(feature = "blake3")]
use crate::kernel::blake3::{Block, CompressGroup, Group, Node};
#[cfg(feature = "sha2")]
use crate::kernel::sha2::{CompressWhole, Whole};
#[cfg(feature = "sha2")]
use crate::kernel::sha256::{CompressNodes, Iterate, Iteration, Nodes, Sha256Function};
#[cfg(feature = "sha2")]
use crate::kernel::sha512::Sha512Function;
use crate::kernel::{Compress, Function, Run, Sides};

#[cfg_attr(
    not(any(target_arch = "x86", target_arch = "x86_64")),
    allow(unused_imports, unused_macros, reason = "an architecture may have `portable` alone")
)]
mod isa;
mod portable;

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

#[cfg(feature = "sha2")]
mod choice;

/// Features of other CPUs than x86 are not told by leaves.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
#[allow(dead_code, reason = "an architecture may have `portable` alone")]
mod cpuid {
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub(super) enum Leaf {
        First,
    }

    impl Leaf {
        pub(super) const fn of(_: &[&str]) -> Self {
            Self::First
        }

        pub(super) fn is_there(self) -> bool {
            true
        }
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx512;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod bmi2;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod cpuid;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod family;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod opaque;
#[cfg(feature = "sha2")]
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod scheduled;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sha;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sse41;
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[cfg(all(target_arch = "x86_64", not(msan)))]
mod staggered;

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod neon;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod sha2;

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
                        Self { isa, sha, sha512, bmi2, tuning: Tuning::of(isa, sha, cpu) }
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

impl Isa {
    const PORTABLE: Self = Self::Portable(portable::Portable);
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
/// [`available`](Self::available) lists the backends of this CPU, fastest first, as `Ord` sorts them, and
/// `cargo run --example which_backend` prints them. `set_default` chooses one for the process, and `with_backend` for a
/// hasher.
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

/// The choice among kernels, or orders of a kernel's instructions, where two families of CPU with one instruction set
/// differ. A wrong choice costs speed and never a digest. In one byte, since every hasher has a backend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code, reason = "x86 alone has a choice")]
enum Tuning {
    First,
    /// SHA-NI of Intel's, which begins the next message before one has ended. On AVX-512 many messages go in lanes.
    IntelSha,
    /// A rotation by AVX-512 takes two cycles, where a shift takes one.
    SlowRotation,
    Both,
}

impl Tuning {
    const fn new(intel_sha: bool, slow_rotation: bool) -> Self {
        match (intel_sha, slow_rotation) {
            (false, false) => Self::First,
            (true, false) => Self::IntelSha,
            (false, true) => Self::SlowRotation,
            (true, true) => Self::Both,
        }
    }

    #[inline]
    const fn intel_sha(self) -> bool {
        matches!(self, Self::IntelSha | Self::Both)
    }

    #[inline]
    const fn slow_rotation(self) -> bool {
        matches!(self, Self::SlowRotation | Self::Both)
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn of(isa: Isa, sha: Option<Sha>, cpu: Cpu) -> Self {
        let family = Family::of(cpu);
        // Small cores alone choose SSE4.1 beside SHA-NI, and they cannot hold two messages.
        let intel_sha = sha.is_some() && family == Family::Intel && !matches!(isa, Isa::Sse41(_));
        Self::new(intel_sha, family == Family::Zen4 && matches!(isa, Isa::Avx512(_)))
    }

    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fn of(_: Isa, _: Option<Sha>, _: Cpu) -> Self {
        Self::First
    }
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

    /// This backend's instruction set, without the SHA extension, and without Arm's instructions for SHA-512.
    #[must_use]
    pub fn without_sha(self) -> Self {
        Self { sha: None, sha512: None, tuning: Tuning::new(false, self.tuning.slow_rotation()), ..self }
    }

    /// This backend, and after it the same instruction set with the kernels and orders of instructions for another family
    /// of CPU, on `avx512`: SHA-256 of many messages may use the SHA extension or lanes, and BLAKE2 and BLAKE3 have two ways
    /// to rotate.
    ///
    /// [`available`](Self::available) has the backends that suit this CPU. Digests do not depend on the tuning.
    pub fn tunings(self) -> impl Iterator<Item = Self> + Clone {
        [Some(self), self.other_tuning()].into_iter().flatten()
    }

    fn other_tuning(self) -> Option<Self> {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if matches!(self.isa, Isa::Avx512(_)) {
            let lanes = self.sha() && !self.tuning.intel_sha();
            let tuning = Tuning::new(lanes, !self.tuning.slow_rotation());
            return Some(Self { tuning, ..self });
        }
        None
    }
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

/// Has a backend answer for a function.
macro_rules! dispatch {
    ($Function:ty) => {
        impl Dispatch for $Function {
            #[inline]
            fn compress(backend: Backend, chain: &mut Self::Chain, blocks: &[Self::Block], last: Self::Last) {
                on!(backend, isa => Compress::<Self>::blocks(backend.with(isa), chain, blocks, last));
            }

            #[inline]
            fn compress_lanes(backend: Backend, run: Run<'_, Self>) {
                debug_assert!(run.keeps_contract(<Self as Dispatch>::lanes(backend)), "a kernel's contract");
                on!(backend, isa => Compress::<Self>::run(backend.with(isa), run));
            }

            #[inline]
            fn lanes(backend: Backend) -> usize {
                on!(backend, isa => number_of_lanes::<Self, _>(&backend.with(isa))).min(<Self as Function>::MaxLanes::USIZE)
            }

            #[inline]
            fn sides(backend: Backend, live: usize) -> Sides {
                on!(backend, isa => Compress::<Self>::sides(&backend.with(isa), live))
            }
        }
    };
}

#[cfg(feature = "blake2")]
dispatch!(crate::kernel::blake2b::FlavourB);
#[cfg(feature = "blake2")]
dispatch!(crate::kernel::blake2s::FlavourS);
#[cfg(feature = "blake3")]
dispatch!(crate::kernel::blake3::Blake3Function);
#[cfg(feature = "sha2")]
dispatch!(Sha256Function);
#[cfg(feature = "sha2")]
dispatch!(Sha512Function);

/// See [`CompressNodes::nodes`]. Not inlined, for kernels that are generic are compiled in every crate that names them.
#[cfg(feature = "sha2")]
pub(crate) fn hash_nodes(backend: Backend, nodes: Nodes<'_>) {
    on!(backend, isa => backend.with(isa).nodes(nodes));
}

/// See [`CompressNodes::node`].
#[cfg(feature = "sha2")]
pub(crate) fn hash_node(backend: Backend, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
    on!(backend, isa => backend.with(isa).node(iv, node, digest));
}

/// See [`Iterate::iterate`].
#[cfg(feature = "sha2")]
pub(crate) fn iterate(backend: Backend, iterations: &mut [Iteration], count: u32) -> bool {
    on!(backend, isa => backend.with(isa).iterate(iterations, count))
}

/// See [`CompressWhole::whole`].
#[cfg(feature = "sha2")]
pub(crate) fn compress_whole(backend: Backend, messages: Whole<'_, u32>) {
    debug_assert!(messages.keeps_contract(Sha256Function::lanes(backend)), "a kernel's contract");
    on!(backend, isa => backend.with(isa).whole(messages));
}

/// As [`compress_whole`], for SHA-512.
#[cfg(feature = "sha2")]
pub(crate) fn compress_whole_512(backend: Backend, messages: Whole<'_, u64>) {
    debug_assert!(messages.keeps_contract(Sha512Function::lanes(backend)), "a kernel's contract");
    on!(backend, isa => backend.with(isa).whole(messages));
}

/// See [`CompressGroup::group`].
#[cfg(feature = "blake3")]
#[inline]
pub(crate) fn compress_group(backend: Backend, group: Group<'_>) {
    debug_assert!(group.flags & group.first == 0, "a flag twice");
    debug_assert!(group.last.iter().all(|last| (group.flags | group.first) & last == 0), "a flag twice");
    on!(backend, isa => backend.with(isa).group(group));
}

/// See [`CompressGroup::block`]. Not inlined, for kernels that are generic are compiled in every crate that names them.
#[cfg(feature = "blake3")]
pub(crate) fn compress_block(backend: Backend, block: Block<'_>) -> [u8; 32] {
    on!(backend, isa => backend.with(isa).block::<false>(block))
}

/// As [`compress_block`], for a block that was not written just before.
#[cfg(feature = "blake3")]
pub(crate) fn compress_settled_block(backend: Backend, block: Block<'_>) -> [u8; 32] {
    on!(backend, isa => backend.with(isa).block::<true>(block))
}

/// See [`CompressGroup::output`].
#[cfg(feature = "blake3")]
#[inline]
pub(crate) fn output_blocks(backend: Backend, node: &Node, counter: u64, blocks: &mut [[u8; 64]]) {
    on!(backend, isa => backend.with(isa).output(node, counter, blocks));
}

#[cfg(feature = "blake2")]
pub(crate) use portable::blake2::compress_rounds as blake2_rounds;

fn number_of_lanes<H: Function, T: Compress<H>>(_: &T) -> usize {
    T::LANES
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
        let rotation = if self.tuning.slow_rotation() { ", slow rotation" } else { "" };
        write!(f, "Backend({}{sha}{sha512}{lanes}{rotation})", self.name())
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
mod lane_tests;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn all_names_are_known() {
        for name in Backend::NAMES {
            assert_ne!(name.parse::<Backend>(), Err(BackendError::Unknown));
        }
    }

    /// The last leaf of CPUs that hide none.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    const LAST: cpuid::Leaf = cpuid::Leaf::SeventhOne;
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    const LAST: cpuid::Leaf = cpuid::Leaf::First;

    /// A CPU with some of these features, said by the bits of `subset`, and no others.
    fn cpu_with(features: &[&'static str], subset: usize) -> Cpu {
        let has = |i: &usize| subset >> i & 1 == 1;
        let list: Vec<_> = (0..features.len()).filter(has).map(|i| features[i]).collect();
        Cpu { list: Some(list.leak()), last: LAST }
    }

    /// libb2 took AVX without the system's support, x/crypto AVX-512F without VL: no backend of any CPU needs a feature
    /// that was not detected, and none is left out or misplaced that could run.
    #[test]
    fn trap_undetected_features() {
        let features: &[&str] = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
            &["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw", "avx512dq", "sha", "bmi2"]
        } else {
            &["neon", "simd128", "sha2", "sha3"]
        };
        let all: Vec<Backend> = Backend::of(cpu_with(features, usize::MAX)).collect();
        assert_eq!(all.iter().map(|backend| backend.name()).collect::<Vec<_>>(), Backend::NAMES, "all that there are");
        for subset in 0..1 << features.len() {
            let cpu = cpu_with(features, subset);
            let detected = cpu.list.unwrap_or_default();
            let runs = |backend: &Backend| backend.features().iter().all(|feature| detected.contains(feature));
            let chosen: Vec<Backend> = Backend::of(cpu).collect();
            assert!(chosen.iter().all(runs), "{chosen:?} of {detected:?}");
            let names = |backends: &[Backend]| backends.iter().map(|backend| backend.name()).collect::<Vec<_>>();
            let expected: Vec<Backend> = all.iter().copied().filter(runs).collect();
            assert_eq!(names(&chosen), names(&expected), "{detected:?}");
            let [sha, sha512] = [Sha::FEATURES, Sha512::FEATURES]
                .map(|features| features.iter().all(|feature| detected.contains(feature)) && !features.is_empty());
            for backend in chosen {
                let has = backend.name() != "portable";
                assert_eq!(backend.sha(), sha && has, "{backend:?} of {detected:?}");
                assert_eq!(backend.sha512.is_some(), sha512 && has, "{backend:?} of {detected:?}");
                assert!(!backend.without_sha().sha() && backend.without_sha().sha512.is_none());
                #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
                assert_eq!(backend.bmi2.is_some(), Bmi2::FEATURES.iter().all(|feature| detected.contains(feature)));
                assert_eq!(backend.without_sha() == backend, !backend.sha());
                let told = std::format!("{backend:?}");
                assert_eq!(told.contains("sha"), backend.sha());
                assert_eq!(told.contains("sha512"), backend.sha512.is_some());
            }
        }
    }

    /// Features as CPUs are sold with them, and as none should have them.
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
            (&["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl"], "avx2"),
            (&["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw"], "avx512"),
            (&["avx", "avx2", "avx512f", "avx512vl", "avx512bw"], "portable"),
            (&[], "portable"),
        ] {
            let cpu = Cpu { list: Some(list), last: LAST };
            assert_eq!(Backend::of(cpu).next().map(Backend::name), Some(name), "{list:?}");
        }
    }

    /// `cpufeatures` 0.3.1 reads leaf 7 of CPUs whose highest leaf is below: the bits are those of another leaf. Firmware
    /// and virtual machines hide leaves of CPUs of any generation.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[test]
    fn trap_hidden_leaves() {
        let list = &["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw", "sha", "bmi2"];
        for (highest, sub_leaf, name, sha) in [
            (1, 0, "avx", false),
            (4, 0, "avx", false),
            (6, 9, "avx", false),
            (7, 0, "avx512", true),
            (0xd, 1, "avx512", true),
        ] {
            let cpu = Cpu { list: Some(list), last: cpuid::Leaf::last(highest, sub_leaf) };
            let found: Vec<Backend> = Backend::of(cpu).collect();
            // Features that the program is compiled for are taken to be there.
            if !cfg!(any(target_feature = "avx2", target_feature = "bmi2", target_feature = "sha")) {
                // Leaf 7 tells of BMI2, too.
                assert_eq!((found[0].name(), found[0].sha(), found[0].bmi2.is_some()), (name, sha, sha), "{highest}");
            }
            assert_eq!(found.last().map(|backend| backend.name()), Some("portable"));
        }
    }

    /// Each family's own kernels on AVX-512, and what else Intel's SHA-NI is taken to do.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[test]
    fn tunings_are_those_of_the_family() {
        let avx512 = &["sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw", "sha"];
        let tunings = |family: Option<&'static str>| {
            let list: Vec<_> = avx512.iter().copied().chain(family).collect();
            Backend::of(Cpu { list: Some(list.leak()), last: LAST })
                .map(|backend| std::format!("{backend:?}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(tunings(Some("intel"))[..2], ["Backend(avx512, sha, sha in lanes)", "Backend(avx2, sha)"]);
        assert_eq!(tunings(Some("zen4"))[..2], ["Backend(avx512, sha, slow rotation)", "Backend(avx2, sha)"]);
        assert_eq!(tunings(None)[..2], ["Backend(avx512, sha)", "Backend(avx2, sha)"]);
        for family in ["intel", "zen4"] {
            let list: Vec<_> = avx512.iter().copied().chain([family]).collect();
            for backend in Backend::of(Cpu { list: Some(list.leak()), last: LAST }) {
                let overlaps = family == "intel" && ["avx512", "avx2", "avx"].contains(&backend.name());
                assert_eq!(backend.tuning.intel_sha(), overlaps, "{family}, {backend:?}");
            }
        }
    }
}
