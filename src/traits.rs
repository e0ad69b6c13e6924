//! The glue to the traits of `digest` and `std` that all hashes have in common.
#![forbid(unsafe_code)]

/// Implements for a type with a field `hasher` the traits that a hash and a MAC share. The hasher has `update`,
/// `reset`, `backend`, `with_backend`, and `digest`, of which the output is the beginning. `finish` is for a hasher that is
/// consumed, if that is another function.
macro_rules! fixed_output {
    (impl[$($generics:tt)*] $Type:ty, output: $Size:ty, name: $name:expr $(, finish: $finish:path)?) => {
        impl<$($generics)*> $Type {
            /// Has the hasher compute on `backend` from here on.
            #[must_use]
            pub fn with_backend(mut self, backend: $crate::Backend) -> Self {
                self.hasher = self.hasher.with_backend(backend);
                self
            }

            /// The backend that computes.
            #[must_use]
            pub fn backend(&self) -> $crate::Backend {
                self.hasher.backend()
            }

            /// Always inlined: see `Stream::finalize`.
            #[inline(always)]
            fn output(&self) -> ::digest::Output<Self> {
                let mut out = ::digest::Output::<Self>::default();
                out.copy_from_slice(&$crate::kernel::Block::bytes(&self.hasher.digest())[..<$Size as ::digest::typenum::Unsigned>::USIZE]);
                out
            }
        }

        impl<$($generics)*> ::digest::Update for $Type {
            #[inline]
            fn update(&mut self, bytes: &[u8]) {
                self.hasher.update(bytes);
            }
        }

        impl<$($generics)*> ::digest::OutputSizeUser for $Type {
            type OutputSize = $Size;
        }

        impl<$($generics)*> ::digest::FixedOutput for $Type {
            #[inline(always)]
            fn finalize_into(self, out: &mut ::digest::Output<Self>) {
                *out = self.finalize_fixed();
            }

            #[inline(always)]
            fn finalize_fixed(self) -> ::digest::Output<Self> {
                $crate::traits::fixed_output!(@finish self $(, $finish)?)
            }
        }

        impl<$($generics)*> ::digest::Reset for $Type {
            #[inline]
            fn reset(&mut self) {
                self.hasher.reset();
            }
        }

        impl<$($generics)*> ::digest::FixedOutputReset for $Type {
            #[inline]
            fn finalize_into_reset(&mut self, out: &mut ::digest::Output<Self>) {
                *out = self.output();
                self.hasher.reset();
            }
        }

        impl<$($generics)*> ::digest::common::AlgorithmName for $Type {
            fn write_alg_name(f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str($name)
            }
        }

        impl<$($generics)*> core::fmt::Debug for $Type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct($name).finish_non_exhaustive()
            }
        }

        #[cfg(feature = "std")]
        $crate::traits::write_by_update!(impl[$($generics)*] $Type);

        #[cfg(feature = "zeroize")]
        impl<$($generics)*> ::zeroize::ZeroizeOnDrop for $Type {}
    };
    (@finish $this:ident) => {
        $this.output()
    };
    (@finish $this:ident, $finish:path) => {
        $finish($this.hasher).into()
    };
}
pub(crate) use fixed_output;

/// Implements `io::Write` for a hasher by its `update`.
#[cfg(feature = "std")]
macro_rules! write_by_update {
    (impl[$($generics:tt)*] $Type:ty) => {
        /// Appends to the message; never fails.
        impl<$($generics)*> ::std::io::Write for $Type {
            fn write(&mut self, bytes: &[u8]) -> ::std::io::Result<usize> {
                #[allow(unused_imports, reason = "some hashers have a method of their own")]
                use ::digest::Update as _;

                self.update(bytes);
                Ok(bytes.len())
            }

            fn flush(&mut self) -> ::std::io::Result<()> {
                Ok(())
            }
        }
    };
}
#[cfg(feature = "std")]
pub(crate) use write_by_update;

/// Implements `update_reader` and `io::Write` for a hasher by an `update` of its own.
#[cfg(feature = "std")]
macro_rules! read_and_write {
    (impl[$($generics:tt)*] $Type:ty) => {
        impl<$($generics)*> $Type {
            /// Appends all that `reader` gives.
            ///
            /// # Errors
            ///
            /// The errors of `reader`, except [`Interrupted`](::std::io::ErrorKind::Interrupted), and
            /// [`InvalidData`](::std::io::ErrorKind::InvalidData) if it claims to have read more bytes than it was given
            /// room for. The bytes before an error are appended.
            pub fn update_reader(&mut self, reader: impl ::std::io::Read) -> ::std::io::Result<&mut Self> {
                $crate::reader::read_all(reader, |bytes| _ = self.update(bytes))?;
                Ok(self)
            }
        }

        $crate::traits::write_by_update!(impl[$($generics)*] $Type);
    };
}
#[cfg(feature = "std")]
pub(crate) use read_and_write;

/// Object identifiers.
macro_rules! associated_oid {
    ($($Type:ty: $oid:literal,)+) => {
        $(impl ::digest::const_oid::AssociatedOid for $Type {
            const OID: ::digest::const_oid::ObjectIdentifier = ::digest::const_oid::ObjectIdentifier::new_unwrap($oid);
        })+
    };
}
pub(crate) use associated_oid;

/// Implements `hash_many`, `hash_many_into` and `hash_many_flat` for a type with `each_digest`, which gives the digest of
/// each message to a function, with the message's place. If the messages are `alone`, `one` is the digest of each.
/// `hash` makes a hash of the digest's first `length` bytes.
macro_rules! hash_many {
    (
        impl[$($generics:tt)*] $Type:ty, $Hash:ty,
        alone: $alone:expr, one: |$message:ident| $one:expr,
        hash: |$this:ident, $bytes:ident| $hash:expr, length: $length:expr,
        what: $what:literal, of: $each:literal, as: $noun:literal, how: $how:literal,
        $(#[$doc:meta])*
        $vis:vis ($messages:ident) -> $hashes:ident
    ) => {
        impl<$($generics)*> $Type {
            $(#[$doc])*
            #[cfg(feature = "alloc")]
            #[must_use]
            $vis fn hash_many<M: AsRef<[u8]>>(&self, $messages: &[M]) -> ::alloc::vec::Vec<$Hash> {
                let $this = self;
                // Not written twice, since that takes as long as a tenth of a block.
                if $alone {
                    let one = |message: &M| {
                        let $message = message.as_ref();
                        let $bytes = $one;
                        $hash
                    };
                    let mut $hashes = ::alloc::vec::Vec::with_capacity($messages.len());
                    $hashes.extend($messages.iter().map(one));
                    return $hashes;
                }
                let $bytes = $crate::kernel::Block::ZERO;
                let mut $hashes = ::alloc::vec![$hash; $messages.len()];
                self.each_digest($messages, |i, $bytes| $hashes[i] = $hash);
                $hashes
            }

            #[doc = concat!("Writes ", $what, " to `", stringify!($hashes), "`, side by side", $how, ".")]
            ///
            /// # Errors
            ///
            #[doc = concat!("[`ManyError`](crate::ManyError) if there is not one ", $noun, " for each ", $each, ".")]
            /// Then nothing is written.
            $vis fn hash_many_into<M: AsRef<[u8]>>(
                &self,
                $messages: &[M],
                $hashes: &mut [$Hash],
            ) -> Result<(), $crate::error::ManyError> {
                $crate::error::ManyError::check($messages.len(), $hashes.len())?;
                let $this = self;
                if $alone {
                    for (message, hash) in $messages.iter().zip($hashes) {
                        let $message = message.as_ref();
                        let $bytes = $one;
                        *hash = $hash;
                    }
                } else {
                    self.each_digest($messages, |i, $bytes| $hashes[i] = $hash);
                }
                Ok(())
            }

            #[doc = concat!("Writes ", $what, " to `bytes`, one after the other without gaps, side by side", $how, ".")]
            ///
            /// # Errors
            ///
            #[doc = concat!("[`ManyError`](crate::ManyError) if `bytes` is not `", stringify!($messages), ".len()` ", $noun, "s long.")]
            /// Then nothing is written.
            $vis fn hash_many_flat<M: AsRef<[u8]>>(
                &self,
                $messages: &[M],
                bytes: &mut [u8],
            ) -> Result<(), $crate::error::ManyError> {
                let $this = self;
                $crate::error::ManyError::check($messages.len().saturating_mul($length), bytes.len())?;
                if $alone {
                    for (message, to) in $messages.iter().zip(bytes.chunks_exact_mut($length)) {
                        let $message = message.as_ref();
                        $crate::hash::copy_first(to, $crate::kernel::Block::bytes(&$one));
                    }
                } else {
                    self.each_digest($messages, |i, digest| {
                        let to = &mut bytes[i * $length..][..$length];
                        $crate::hash::copy_first(to, $crate::kernel::Block::bytes(&digest));
                    });
                }
                Ok(())
            }
        }
    };
}
pub(crate) use hash_many;

/// The digest of a clone of the hasher and the tail.
///
/// A macro, because a function would move each clone, which costs up to a third of a short message's time.
macro_rules! digest_after {
    ($hasher:ident, $tail:ident) => {{
        let mut own = $hasher.clone();
        own.update($tail);
        own.digest()
    }};
}
pub(crate) use digest_after;
