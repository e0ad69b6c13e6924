//! The code that the crates for both versions of `blake2` share: macros, for the traits are of two versions of `digest`.

/// The blocks of a flavour without the buffer. The caller writes `compress` and `finish`, and imports the traits.
macro_rules! blocks {
    ($flavour:ident, $name:literal, $VarCore:ident, $Size:ident, $length:literal, $BlockSize:ident) => {
        #[doc = concat!("The blocks of ", $name, " without the buffer, to any length of output.")]
        #[derive(Clone)]
        pub struct $VarCore($flavour::hazmat::$VarCore);

        impl $VarCore {
            /// Starts with these parameters. A key of `key_size` bytes is the first block of the message, filled up
            /// with zeros.
            ///
            /// # Panics
            ///
            /// If `salt` or `persona` is longer than a quarter of the longest digest, or `key_size` or `output_size`
            /// is more than it.
            #[must_use]
            pub fn new_with_params(salt: &[u8], persona: &[u8], key_size: usize, output_size: usize) -> Self {
                assert!(key_size <= $length && output_size <= $length, "at most {} bytes", $length);
                let mut parameter_block = [0; $length];
                parameter_block[..4].copy_from_slice(&[output_size as u8, key_size as u8, 1, 1]);
                let texts = &mut parameter_block[$length / 2..];
                texts[..$length / 4][..salt.len()].copy_from_slice(salt);
                texts[$length / 4..][..persona.len()].copy_from_slice(persona);
                Self($flavour::hazmat::$VarCore::from_parameter_block(&parameter_block))
            }
        }

        impl HashMarker for $VarCore {}

        impl BlockSizeUser for $VarCore {
            type BlockSize = $BlockSize;
        }

        impl BufferKindUser for $VarCore {
            type BufferKind = Lazy;
        }

        impl OutputSizeUser for $VarCore {
            type OutputSize = $Size;
        }

        impl UpdateCore for $VarCore {
            #[inline]
            fn update_blocks(&mut self, blocks: &[Block<Self>]) {
                self.compress(blocks);
            }
        }

        impl VariableOutputCore for $VarCore {
            const TRUNC_SIDE: TruncSide = TruncSide::Left;

            #[inline]
            fn new(output_size: usize) -> Result<Self, InvalidOutputSize> {
                if output_size > $length {
                    return Err(InvalidOutputSize);
                }
                Ok(Self::new_with_params(&[], &[], 0, output_size))
            }

            #[inline]
            fn finalize_variable_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                self.finish(buffer, out);
            }
        }

        #[cfg(feature = "reset")]
        impl Reset for $VarCore {
            fn reset(&mut self) {
                self.start_again();
            }
        }

        impl AlgorithmName for $VarCore {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }

        impl fmt::Debug for $VarCore {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($VarCore), " { ... }"))
            }
        }
    };
}

/// The MAC of a flavour over its blocks. The caller writes `new_with_salt_and_personal`.
macro_rules! mac {
    (
        $name:literal, $VarCore:ident, $Mac:ident, $FullMac:ident, $Size:ident, $length:literal, $block:literal,
        where $($bounds:tt)*
    ) => {
        #[doc = concat!($name, " as a MAC.")]
        #[derive(Clone)]
        pub struct $Mac<OutSize>
        where
            $($bounds)*
        {
            core: $VarCore,
            buffer: Buffer<$VarCore>,
            /// The buffer before the message: the key, filled up with zeros to a block.
            #[cfg(feature = "reset")]
            start: Buffer<$VarCore>,
            output: PhantomData<OutSize>,
        }

        impl<OutSize> $Mac<OutSize>
        where
            $($bounds)*
        {
            fn started(key: Option<&[u8]>, salt: &[u8], persona: &[u8]) -> Result<Self, InvalidLength> {
                let key_size = key.map_or(0, <[u8]>::len);
                if key_size > $length || salt.len() > $length / 4 || persona.len() > $length / 4 {
                    return Err(InvalidLength);
                }
                let mut buffer = Buffer::<$VarCore>::default();
                if let Some(key) = key {
                    // A whole block, which a lazy buffer holds back. So no copy of the key stays on the stack.
                    for piece in [key, &[0; $block][key_size..]] {
                        buffer.digest_blocks(piece, |_| {});
                    }
                }
                Ok(Self {
                    core: $VarCore::new_with_params(salt, persona, key_size, OutSize::USIZE),
                    #[cfg(feature = "reset")]
                    start: buffer.clone(),
                    buffer,
                    output: PhantomData,
                })
            }

            fn finish(&mut self, out: &mut Output<Self>) {
                let mut full = Output::<$VarCore>::default();
                self.core.finalize_variable_core(&mut self.buffer, &mut full);
                out.copy_from_slice(&full[..OutSize::USIZE]);
            }
        }

        impl<OutSize> KeySizeUser for $Mac<OutSize>
        where
            $($bounds)*
        {
            type KeySize = $Size;
        }

        impl<OutSize> KeyInit for $Mac<OutSize>
        where
            $($bounds)*
        {
            #[inline]
            fn new(key: &Key<Self>) -> Self {
                Self::new_from_slice(key).expect("Key has correct length")
            }

            /// An empty key is a block of zeros before the message of the unkeyed hash, as in `blake2`: no BLAKE2 of
            /// the standard.
            #[inline]
            fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
                Self::started(Some(key), &[], &[])
            }
        }

        impl<OutSize> Update for $Mac<OutSize>
        where
            $($bounds)*
        {
            #[inline]
            fn update(&mut self, input: &[u8]) {
                let Self { core, buffer, .. } = self;
                buffer.digest_blocks(input, |blocks| core.update_blocks(blocks));
            }
        }

        impl<OutSize> OutputSizeUser for $Mac<OutSize>
        where
            $($bounds)*
        {
            type OutputSize = OutSize;
        }

        impl<OutSize> FixedOutput for $Mac<OutSize>
        where
            $($bounds)*
        {
            #[inline]
            fn finalize_into(mut self, out: &mut Output<Self>) {
                self.finish(out);
            }
        }

        #[cfg(feature = "reset")]
        impl<OutSize> Reset for $Mac<OutSize>
        where
            $($bounds)*
        {
            fn reset(&mut self) {
                self.core.reset();
                self.buffer = self.start.clone();
            }
        }

        #[cfg(feature = "reset")]
        impl<OutSize> FixedOutputReset for $Mac<OutSize>
        where
            $($bounds)*
        {
            #[inline]
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                self.finish(out);
                self.reset();
            }
        }

        impl<OutSize> MacMarker for $Mac<OutSize>
        where
            $($bounds)*
        {
        }

        impl<OutSize> fmt::Debug for $Mac<OutSize>
        where
            $($bounds)*
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{} {{ ... }}", stringify!($Mac), OutSize::USIZE)
            }
        }

        #[doc = concat!($name, " as a MAC of full length.")]
        pub type $FullMac = $Mac<$Size>;
    };
}
