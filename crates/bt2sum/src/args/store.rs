//! The options of catalogues.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::number::{Share, share};

/// Catalogues of trees of files.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct StoreOptions {
    /// The catalogue: --recursive records DIR in it, --audit and others compare DIR with it, --list prints it
    #[arg(help_heading = "Catalogues of all files below a directory", long, value_name = "STORE")]
    pub(crate) store: Option<PathBuf>,

    /// Tells which files changed, rotted, moved, are new, missing or unreadable
    #[arg(help_heading = "Catalogues of all files below a directory", long)]
    pub(crate) audit: bool,

    /// An audit that then takes over what changed on purpose
    #[arg(help_heading = "Catalogues of all files below a directory", long)]
    pub(crate) update: bool,

    /// An audit that reads P percent of the bytes, or SIZE bytes; the files read longest ago come first
    ///
    /// With --update, what is new, and what has another length or time, is read besides.
    #[arg(help_heading = "Catalogues of all files below a directory", long, value_name = "P%|SIZE")]
    #[arg(allow_hyphen_values = true, value_parser = share)]
    pub(crate) sample: Option<Share>,

    /// Prints what the catalogue has, as lines that --check reads from within DIR
    #[arg(help_heading = "Catalogues of all files below a directory", long)]
    pub(crate) list: bool,

    /// Only this file or directory within DIR; repeatable
    #[arg(help_heading = "Catalogues of all files below a directory", long, value_name = "NAME")]
    pub(crate) only: Vec<OsString>,

    /// Takes over this file although it rotted; repeatable
    #[arg(help_heading = "Catalogues of all files below a directory", long, value_name = "NAME")]
    pub(crate) accept: Vec<OsString>,

    /// Refuses a catalogue with another root
    #[arg(help_heading = "Catalogues of all files below a directory", long, value_name = "HEX")]
    pub(crate) root: Option<String>,

    /// Records owners: numbers of the user and the group
    #[arg(help_heading = "Catalogues of all files below a directory", long)]
    pub(crate) owner: bool,

    /// Records xattrs by a digest: user.*, ACLs, capabilities
    #[arg(help_heading = "Catalogues of all files below a directory", long)]
    pub(crate) xattrs: bool,

    /// Reads from the disk and not from the page cache
    #[arg(help_heading = "Catalogues of all files below a directory", long)]
    pub(crate) direct: bool,
}

#[cfg(target_os = "linux")]
impl StoreOptions {
    /// Whether the options ask for an audit, perhaps of a sample, perhaps with an update.
    pub(crate) fn audits(&self) -> bool {
        self.audit || self.update || self.sample.is_some()
    }
}
