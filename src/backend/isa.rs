//! `isa!`: an instruction set's token, its detection and its features, from one list of names.

use super::cpu::Cpu;

/// Defines the token of an instruction set: a zero-sized value that exists only where the CPU has the features.
///
/// Outside code that is compiled for the features, `detect` is the only way to get one. `here` is itself compiled for
/// them, so a kernel can make its token exactly where the compiler agrees that they are on. List the features that the
/// named ones build upon too: an emulated CPU may offer one without the other.
///
/// An expression behind the names, after a semicolon, is asked before `cpufeatures` is.
///
/// A `static` token is of features that a whole program is compiled for: the compiler detects them, not the CPU.
macro_rules! isa {
    ($(#[$doc:meta])* $Token:ident: $($feature:tt),+ $(; $more:expr)?) => {
        isa!(@token [$(#[$doc])*] $Token [$($feature),+] {
            cpufeatures::new!(detected, $($feature),+);
            $($more &&)? detected::get()
        });
    };
    ($(#[$doc:meta])* static $Token:ident: $($feature:tt),+) => {
        isa!(@token [$(#[$doc])*] $Token [$($feature),+] {
            cfg!(all($(target_feature = $feature),+))
        });
    };
    (@token [$(#[$doc:meta])*] $Token:ident [$($feature:tt),+] $detected:block) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $Token(());

        impl $Token {
            /// The features that the CPU must have.
            pub(crate) const FEATURES: &[&str] = &[$($feature),+];

            /// The token, if this CPU has the features and its operating system saves their registers.
            pub(crate) fn detect(cpu: $crate::backend::cpu::Cpu) -> Option<Self> {
                const LEAF: $crate::backend::cpu::Leaf = $crate::backend::cpu::Leaf::of(&[$($feature),+]);
                // A program that is compiled for the features runs nowhere else, so no CPU is asked for its leaves.
                let is_compiled = cfg!(all($(target_feature = $feature),+));
                let is_there = cpu.has(Self::FEATURES, || $detected) && (is_compiled || cpu.reaches(LEAF));
                is_there.then_some(Self(()))
            }

            /// The token, for code that is compiled for the features.
            #[inline]
            #[allow(dead_code, reason = "an instruction set may run another's kernels, on that one's token")]
            $(#[target_feature(enable = $feature)])+
            pub(crate) fn here() -> Self {
                Self(())
            }
        }
    };
}
pub(crate) use isa;

/// An extension that no CPU of this architecture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code, reason = "some architectures have the extension")]
pub(crate) enum Missing {}

#[allow(dead_code, reason = "some architectures have the extension")]
impl Missing {
    #[cfg(test)]
    pub(crate) const FEATURES: &[&str] = &[];

    pub(crate) fn detect(_: Cpu) -> Option<Self> {
        None
    }
}
