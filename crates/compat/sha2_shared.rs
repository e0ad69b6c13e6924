//! The code that the crates for both versions of `sha2` share: a macro, for the traits are of two versions of `digest`.

/// The blocks of a family without the buffer. The caller writes `UpdateCore` and `finish`, and imports the traits.
macro_rules! blocks {
    ($name:literal, $VarCore:ident, $sizes:literal, $Core:ident, $Output:ident, $Block:ident, $($size:literal: $SizedCore:ident),*) => {
        #[doc = concat!("The blocks of ", $name, " without the buffer, to ", $sizes, " bytes of output.")]
        #[derive(Clone)]
        pub struct $VarCore($Core);

        impl HashMarker for $VarCore {}

        impl BlockSizeUser for $VarCore {
            type BlockSize = $Block;
        }

        impl BufferKindUser for $VarCore {
            type BufferKind = Eager;
        }

        impl OutputSizeUser for $VarCore {
            type OutputSize = $Output;
        }

        impl VariableOutputCore for $VarCore {
            const TRUNC_SIDE: TruncSide = TruncSide::Left;

            #[inline]
            fn new(output_size: usize) -> Result<Self, InvalidOutputSize> {
                let begun = match output_size {
                    $($size => $SizedCore::default().serialize(),)*
                    _ => return Err(InvalidOutputSize),
                };
                // The cores of a family differ in the hash value that they begin with.
                $Core::deserialize(&begun).map(Self).map_err(|_| InvalidOutputSize)
            }

            #[inline]
            fn finalize_variable_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                self.finish(buffer, out);
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
