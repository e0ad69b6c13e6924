//! What the calls for many messages, and for many hashers, have alike in all hashes.
#![forbid(unsafe_code)]

use core::fmt;

/// The output has another length than the digests of all messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError {
    /// Its length: hashes, nodes or bytes.
    pub given: usize,
    /// The length it must have.
    pub needed: usize,
}

impl LengthError {
    pub(crate) fn check(needed: usize, given: usize) -> Result<(), Self> {
        if given == needed { Ok(()) } else { Err(Self { given, needed }) }
    }
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output has length {}, but must have {}", self.given, self.needed)
    }
}

impl core::error::Error for LengthError {}

/// `update_many` and `update_each` of a family, generic over its hashes. `$module` has those of one hash.
#[cfg(feature = "sha2")]
macro_rules! updates {
    ($Kind:ident: $Of:ident, $Function:ty, $module:literal) => {
        #[doc = concat!("See [`", $module, "::update_many`](crate::", $module, "::update_many): the same for each hash.")]
        pub fn update_many<$Kind: $Of>(updates: &mut [(&mut Hasher<$Kind>, &[u8])]) {
            let Some((first, _)) = updates.first() else { return };
            $crate::lanes::streams::update_many(first.backend(), updates);
        }

        impl<$Kind: $Of> $crate::lanes::streams::Update<$Function> for (&mut Hasher<$Kind>, &[u8]) {
            #[inline]
            fn parts(&mut self) -> (&mut $crate::stream::Stream<$Function>, &[u8]) {
                (&mut self.0.stream, self.1)
            }

            #[inline]
            fn append(&mut self) {
                self.0.stream.update(self.1);
            }

            #[inline]
            fn data(&self) -> &[u8] {
                self.1
            }
        }

        #[doc = concat!("See [`", $module, "::update_each`](crate::", $module, "::update_each): the same for each hash.")]
        pub fn update_each<'a, $Kind: $Of, T>(
            backend: $crate::Backend,
            jobs: impl IntoIterator<Item = (T, &'a mut Hasher<$Kind>, &'a [u8])>,
            done: impl FnMut(T),
        ) {
            let jobs = jobs.into_iter().map(|(owner, hasher, data)| (owner, &mut hasher.stream, data));
            $crate::lanes::streams::update_each(backend, jobs, done);
        }
    };
}
#[cfg(feature = "sha2")]
pub(crate) use updates;

/// `update_each` of one hash.
#[cfg(feature = "sha2")]
macro_rules! function {
    ($module:literal, $family:ident) => {
        /// Appends to each hasher its data, side by side, and gives the owner of each job to `done` as soon as its hasher
        /// has all of its data: [`update_many`] for jobs that come as others end.
        ///
        /// `jobs` is asked for the next job only when a lane is free, and again later if there was none. Owners come in
        /// the order in which their jobs end, which is not that of `jobs`. All hashers compute on `backend`.
        ///
        /// If `jobs` or `done` panics, the hashers of jobs that are not done are as if they had lost some of their data.
        ///
        /// ```
        #[doc = concat!("use simd_digest::{Backend, ", $module, "};")]
        ///
        #[doc = concat!("let mut hashers = [", $module, "::Hasher::new(), ", $module, "::Hasher::new()];")]
        /// let jobs = hashers.iter_mut().zip([&[1; 3000][..], &[2; 1000]]).enumerate();
        /// let mut ended = Vec::new();
        #[doc = concat!($module, "::update_each(")]
        ///     Backend::best(),
        ///     jobs.map(|(i, (hasher, data))| (i, hasher, data)),
        ///     |i| ended.push(i),
        /// );
        /// assert_eq!(ended.len(), 2);
        #[doc = concat!("assert_eq!(hashers[1].finalize(), ", $module, "::hash(&[2; 1000]));")]
        /// ```
        pub fn update_each<'a, T>(
            backend: $crate::Backend,
            jobs: impl IntoIterator<Item = (T, &'a mut Hasher, &'a [u8])>,
            done: impl FnMut(T),
        ) {
            $crate::$family::update_each(backend, jobs, done);
        }
    };
}
#[cfg(feature = "sha2")]
pub(crate) use function;
