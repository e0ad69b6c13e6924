//! `u64s!`: what all vectors of 64-bit words have in common, from the names of their intrinsics.
#![allow(unsafe_code)]

/// Defines a vector of `L` words over a register, which its token travels with, and implements `U64s` for it.
///
/// `ror` names a function compiled for the token's features that rotates every word by a constant.
macro_rules! u64s {
    ($(#[$doc:meta])* $Vector:ident: [u64; $L:literal] in $register:ty, $Token:ident, $add:ident, $xor:ident, $ror:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Vector($register, $Token);

        impl $crate::kernel::U64s<$L> for $Vector {
            type Token = $Token;

            #[inline(always)]
            fn new(token: $Token, words: [u64; $L]) -> Self {
                // SAFETY: the array and the register have as many bytes, and all values of both are valid.
                Self(unsafe { core::mem::transmute::<[u64; $L], $register>(words) }, token)
            }

            #[inline(always)]
            fn words(self) -> [u64; $L] {
                // SAFETY: the array and the register have as many bytes, and all values of both are valid.
                unsafe { core::mem::transmute::<$register, [u64; $L]>(self.0) }
            }

            #[inline(always)]
            fn add(self, rhs: Self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $add(self.0, rhs.0) }, self.1)
            }

            #[inline(always)]
            fn xor(self, rhs: Self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $xor(self.0, rhs.0) }, self.1)
            }

            #[inline(always)]
            fn ror<const N: u32>(self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $ror::<N>(self.0) }, self.1)
            }
        }
    };
}
pub(super) use u64s;
