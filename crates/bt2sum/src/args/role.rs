//! The programs that bt2sum can stand in for.

use clap::ValueEnum;

/// Another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tool {
    Sha224sum,
    Sha256sum,
    Sha384sum,
    Sha512sum,
    B2sum,
    B3sum,
}

/// Options of other programs that bt2sum lacks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Role {
    pub(crate) tool: Option<Tool>,
    /// Where digests of b3sum begin in the output of BLAKE3.
    pub(crate) seek: u64,
    /// Whether standard input is the key of b3sum.
    pub(crate) keyed: bool,
    pub(crate) no_names: bool,
    /// Whether digests are printed as bytes.
    pub(crate) raw: bool,
}

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sha224sum => "sha224sum",
            Self::Sha256sum => "sha256sum",
            Self::Sha384sum => "sha384sum",
            Self::Sha512sum => "sha512sum",
            Self::B2sum => "b2sum",
            Self::B3sum => "b3sum",
        }
    }
}
