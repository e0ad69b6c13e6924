//! The options of stores, and the rules between them.

use std::path::PathBuf;

use clap::Args;

use crate::number::percent;

/// Catalogues of trees of files.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct StoreOptions {
    /// With --recursive, records all files below DIR in this file; otherwise compares DIR with it
    #[arg(help_heading = "Stores of all files below a directory", long, value_name = "STORE")]
    pub(crate) store: Option<PathBuf>,

    /// Tells which files changed, rotted, moved, are new, missing or unreadable
    #[arg(help_heading = "Stores of all files below a directory", long)]
    pub(crate) audit: bool,

    /// An audit that then takes over what changed on purpose
    #[arg(help_heading = "Stores of all files below a directory", long)]
    pub(crate) update: bool,

    /// An audit that reads P percent of the bytes, those first that were not read for longest
    #[arg(help_heading = "Stores of all files below a directory", long, value_name = "P%", allow_hyphen_values = true, value_parser = percent)]
    pub(crate) sample: Option<u32>,

    /// Refuses a store with another root
    #[arg(help_heading = "Stores of all files below a directory", long, value_name = "HEX")]
    pub(crate) root: Option<String>,

    // No doc comment, in which [ab] would be a link.
    #[arg(
        help = "Leaves out names like this: * ? [ab] {a,b}; with a slash, whole names below DIR",
        help_heading = "Stores of all files below a directory",
        long,
        value_name = "GLOB",
        allow_hyphen_values = true
    )]
    pub(crate) exclude: Vec<String>,

    /// Leaves out what is mounted below DIR
    #[arg(help_heading = "Stores of all files below a directory", long)]
    pub(crate) one_file_system: bool,

    /// Reads from the disk and not from the page cache
    #[arg(help_heading = "Stores of all files below a directory", long)]
    pub(crate) direct: bool,
}

impl StoreOptions {
    /// Whether the options ask for an audit, perhaps of a sample, perhaps with an update.
    pub(crate) fn audits(&self) -> bool {
        self.audit || self.update || self.sample.is_some()
    }

    /// Whether `--force` has a meaning.
    pub(crate) fn can_force(&self, recursive: bool) -> bool {
        self.store.is_some() && (recursive || self.update)
    }

    /// What is wrong with these options. `foreign` are other options, and whether they are there; `parameters` those
    /// that a store has once it is made.
    pub(crate) fn wrong(
        &self,
        recursive: bool,
        foreign: &[(&str, bool)],
        parameters: &[(&str, bool)],
    ) -> Option<String> {
        let own = [
            ("audit", self.audit),
            ("update", self.update),
            ("sample", self.sample.is_some()),
            ("root", self.root.is_some()),
            ("exclude", !self.exclude.is_empty()),
            ("one-file-system", self.one_file_system),
            ("direct", self.direct),
        ];
        let given =
            |options: &[(&str, bool)]| options.iter().find(|(_, given)| *given).map(|(name, _)| (*name).to_owned());
        if self.store.is_none() {
            return given(&own).map(|option| format!("--{option} needs --store"));
        }
        if cfg!(not(target_os = "linux")) {
            return Some("--store is for Linux".to_owned());
        }
        if let Some(option) = given(foreign) {
            return Some(match option.as_str() {
                "sequential" => "--store keeps the digests of leaves: --sequential has none".to_owned(),
                _ => format!("--{option} does not go with --store"),
            });
        }
        if self.update && self.sample.is_some() {
            return Some("--update reads all files: it does not go with --sample".to_owned());
        }
        if recursive && self.audits() {
            return Some(
                "--store with --recursive records: --audit, --update and --sample need no --recursive".to_owned(),
            );
        }
        if self.audits() {
            let parameters = [parameters, &own[4..6]].concat();
            return given(&parameters).map(|option| format!("--{option} is taken from the store"));
        }
        if !recursive {
            return Some("--store needs --recursive to record, or --audit, --update or --sample".to_owned());
        }
        self.root.is_some().then(|| "--root needs --audit, --update or --sample".to_owned())
    }
}
