//! `words!`: the operations that all vectors of words have in common, from the names of their intrinsics.
#![allow(unsafe_code)]

/// Defines a vector of `L` words over a register, which its token travels with, and implements `Words` for it.
///
/// `ror` names a function compiled for the token's features that rotates every word by a number of bits. The number is
/// constant where the function is used.
macro_rules! words {
    ($(#[$doc:meta])* $Vector:ident: [$word:ident; $L:literal] in $register:ty, $Token:ident, $add:ident, $xor:ident, $ror:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Vector($register, $Token);

        #[allow(dead_code, reason = "not all vectors are transposed")]
        impl $Vector {
            /// Not `map`: its closure may become a call, which knows no instruction set.
            #[inline(always)]
            fn registers<const N: usize>(vectors: [Self; N]) -> [$register; N] {
                let mut registers = [vectors[0].0; N];
                for (register, vector) in registers.iter_mut().zip(&vectors) {
                    *register = vector.0;
                }
                registers
            }

            /// The way back.
            #[inline(always)]
            fn vectors<const N: usize>(token: $Token, registers: [$register; N]) -> [Self; N] {
                let mut vectors = [Self(registers[0], token); N];
                for (vector, register) in vectors.iter_mut().zip(&registers) {
                    vector.0 = *register;
                }
                vectors
            }
        }

        impl $crate::kernel::Words<$word, $L> for $Vector {
            type Token = $Token;

            #[inline(always)]
            fn new(token: $Token, words: [$word; $L]) -> Self {
                // SAFETY: the array and the register have as many bytes, and all values of both are valid.
                Self(unsafe { core::mem::transmute::<[$word; $L], $register>(words) }, token)
            }

            #[inline(always)]
            fn words(self) -> [$word; $L] {
                // SAFETY: the array and the register have as many bytes, and all values of both are valid.
                unsafe { core::mem::transmute::<$register, [$word; $L]>(self.0) }
            }

            #[inline(always)]
            fn load(token: $Token, bytes: &[u8], i: usize) -> Self {
                const BYTES: usize = size_of::<$register>();
                let words = bytes[i * BYTES..].first_chunk::<BYTES>().expect("there are as many words");
                // SAFETY: the array has the bytes an unaligned load reads, and all values of the register are valid.
                Self(unsafe { words.as_ptr().cast::<$register>().read_unaligned() }, token)
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
            fn ror(self, bits: u32) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $ror(self.0, bits) }, self.1)
            }
        }
    };
}
pub(super) use words;
