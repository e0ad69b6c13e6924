//! The report of a stripe that does not verify.

use core::fmt;
use core::ops::Range;

/// A stripe that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupt {
    /// The number of the stripe.
    pub stripe: u64,
    /// The bytes of the object that are in the stripe, as far as the stored length tells.
    pub range: Range<u64>,
}

impl Corrupt {
    /// The corruption behind an error of any crate, if it is one.
    #[must_use]
    pub fn find<'a>(error: &'a (dyn core::error::Error + 'static)) -> Option<&'a Self> {
        let mut error = Some(error);
        while let Some(current) = error {
            if let Some(corrupt) = current.downcast_ref() {
                return Some(corrupt);
            }
            error = current.source();
        }
        None
    }
}

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stripe, range: Range { start, end } } = self;
        write!(f, "stripe {stripe}, bytes {start}..{end}, has another digest than when it was written")
    }
}

impl core::error::Error for Corrupt {}
