//! The lock file of a project.

use std::collections::BTreeSet;
use std::path::Path;

use semver::Version;
use serde::Deserialize;

use crate::adapters::{Adapter, read_toml};
use crate::metadata::CRATES_IO;

#[derive(Debug, Deserialize)]
pub(crate) struct LockFile {
    #[serde(default)]
    package: Vec<Locked>,
    #[serde(default)]
    patch: Patch,
}

#[derive(Debug, Default, Deserialize)]
struct Patch {
    #[serde(default)]
    unused: Vec<Locked>,
}

/// A package, or a patch that is not used.
#[derive(Debug, Deserialize)]
pub(crate) struct Locked {
    pub(crate) name: String,
    pub(crate) version: Version,
    /// None for a path.
    pub(crate) source: Option<String>,
}

impl LockFile {
    /// Reads a lock file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is no lock file.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        read_toml(file)?.try_into().map_err(|error| format!("{}: {error}", file.display()))
    }

    /// Patches that the graph does not use.
    pub(crate) fn unused(&self) -> &[Locked] {
        &self.patch.unused
    }

    /// Commands without which patches by these adapters may not resolve: the lock file has older versions than the
    /// adapters and the library need.
    pub(crate) fn conflicts<'a>(&self, adapters: impl Iterator<Item = &'a Adapter>) -> Vec<String> {
        let mut commands = BTreeSet::new();
        for requirement in adapters.flat_map(|adapter| &adapter.requirements) {
            for Locked { name, version, source } in &self.package {
                if source.as_deref() == Some(CRATES_IO) && requirement.is_violated_by(name, version) {
                    commands.insert(format!("cargo update -p {name}@{version}"));
                }
            }
        }
        commands.into_iter().collect()
    }
}

/// A paragraph with commands for a shell in a folder. Empty if there are none.
pub(crate) fn to_run(when: &str, folder: &Path, commands: &[String]) -> String {
    if commands.is_empty() {
        return String::new();
    }
    format!("\n{when} in {}:\n\n{}\n", folder.display(), commands.join("\n"))
}

/// Whether a source of a lock file is this repository.
pub(crate) fn is_of_repository(source: &str, url: &str) -> bool {
    let named = source.strip_prefix("git+").and_then(|source| source.split(['?', '#']).next());
    named.is_some_and(|named| short(named) == short(url))
}

/// The URL of a repository without the endings that mean nothing.
pub(crate) fn short(url: &str) -> &str {
    let url = url.trim_end_matches('/');
    url.strip_suffix(".git").unwrap_or(url)
}
