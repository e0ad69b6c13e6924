//! Errors of reading and writing objects.

use core::fmt;

use object_store::path::Path;

use crate::corrupt::Corrupt;
use crate::format::FormatError;
use crate::header::HeaderError;
use crate::leaf_file::LeafFileError;
use crate::stripes::EncodeError;

/// The name of the store in errors of `object_store`.
pub(crate) const STORE: &str = "Verified";

/// Why an object was not read or written, as the source of [`object_store::Error::Generic`].
///
/// ```
/// use simd_digest_store::{Error, Problem};
///
/// fn log(error: &object_store::Error) {
///     match Error::find(error).map(Error::problem) {
///         Some(Problem::Corrupt(corrupt)) => println!("stripe {}, bytes {:?}", corrupt.stripe, corrupt.range),
///         Some(problem) => println!("not verified: {problem}"),
///         None => println!("the store itself failed: {error}"),
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Error {
    path: Path,
    problem: Problem,
}

impl Error {
    pub(crate) fn new(path: &Path, problem: impl Into<Problem>) -> Self {
        Self { path: path.clone(), problem: problem.into() }
    }

    /// The object.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fault of the object.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Our error behind one of any crate, if it is one.
    #[must_use]
    pub fn find<'a>(error: &'a (dyn core::error::Error + 'static)) -> Option<&'a Self> {
        let mut error = Some(error);
        while let Some(current) = error {
            if let Some(own) = current.downcast_ref() {
                return Some(own);
            }
            error = current.source();
        }
        None
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.problem {
            Problem::Corrupt(error) => Some(error),
            Problem::Header(error) => Some(error),
            Problem::LeafFile(error) => Some(error),
            Problem::Encode(error) => Some(error),
            Problem::Format(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for object_store::Error {
    fn from(error: Error) -> Self {
        let path = error.path.to_string();
        let source = Box::new(error);
        match &source.problem {
            Problem::Changed => Self::Precondition { path, source },
            Problem::ReadOnly => Self::NotSupported { source },
            _ => Self::Generic { store: STORE, source },
        }
    }
}

/// Kinds of [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A stripe is not as it was written.
    Corrupt(Corrupt),
    /// The object was not written by us, or with another key, or its header is damaged.
    Header(HeaderError),
    /// No object is stored in so many bytes: some were cut off or added.
    Length {
        /// The stored length, in bytes.
        stored: u64,
    },
    /// The store returned other bytes than were asked for: fewer, or from elsewhere.
    Returned {
        /// The number of bytes that were asked for, or that were still to come.
        asked: u64,
        /// The number of bytes that came.
        got: u64,
    },
    /// The object changed while it was read: every one of four times before the get returned, or once afterwards. This
    /// is the source of [`object_store::Error::Precondition`].
    Changed,
    /// [`Check::Never`](crate::Check::Never) in a store with a key that was not told to allow this.
    Unchecked,
    /// The file of leaves beside the object cannot be used.
    LeafFile(LeafFileError),
    /// A store with sidecars is for reading only. This is the source of [`object_store::Error::NotSupported`].
    ReadOnly,
    /// The object cannot be written.
    Encode(EncodeError),
    /// No object can be begun.
    Format(FormatError),
    /// A part of an upload failed, or was not waited for, so the upload cannot be completed.
    Part,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Corrupt(error) => error.fmt(f),
            Self::Header(error) => error.fmt(f),
            Self::LeafFile(error) => error.fmt(f),
            Self::Encode(error) => error.fmt(f),
            Self::Format(error) => error.fmt(f),
            Self::Length { stored } => write!(f, "no object is stored in {stored} bytes: some were cut off or added"),
            Self::Returned { asked, got } => write!(f, "the store returned {got} bytes where {asked} were asked for"),
            Self::Changed => f.write_str("the object changed while it was read"),
            Self::Unchecked => {
                f.write_str("reading without verification is not allowed in this store, which has a key")
            }
            Self::ReadOnly => f.write_str("objects with sidecars are for reading only"),
            Self::Part => f.write_str("a part of the upload failed, or was not waited for"),
        }
    }
}

macro_rules! problems {
    ($($from:ident => $problem:ident),*) => {$(
        impl From<$from> for Problem {
            fn from(error: $from) -> Self {
                Self::$problem(error)
            }
        }
    )*};
}
problems!(
    Corrupt => Corrupt, HeaderError => Header, LeafFileError => LeafFile, EncodeError => Encode, FormatError => Format
);
