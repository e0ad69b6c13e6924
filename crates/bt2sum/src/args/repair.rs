//! The options of repairs.

use std::path::PathBuf;

use clap::Args;

/// Repairs by copies.
#[derive(Debug, Args)]
pub(crate) struct RepairOptions {
    /// Mends what rotted, by --store in DIR or by --leaves in FILE, with bytes of copies that have the digests
    #[arg(help_heading = "Repair", long)]
    pub(crate) repair: bool,

    /// A copy of DIR or FILE, or a directory with a copy of FILE; repeatable
    #[arg(help_heading = "Repair", long, value_name = "COPY")]
    pub(crate) from: Vec<PathBuf>,

    /// Brings back files that are missing, too
    #[arg(help_heading = "Repair", long)]
    pub(crate) missing: bool,

    /// Prints what would be mended, and writes nothing
    #[arg(help_heading = "Repair", long)]
    pub(crate) dry_run: bool,
}
