//! A project, as cargo resolves it.

use core::fmt;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use semver::Version;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::adapters::read_toml;
use crate::cargo::Cargo;
use crate::metadata::Metadata;
use crate::mirror::Mirror;

/// How cargo names the registry in `[patch]`, besides `crates-io`.
const INDEX: &str = "https://github.com/rust-lang/crates.io-index";

/// What is read of a project. Nothing there is written.
#[derive(Debug)]
pub(crate) struct Project {
    /// The manifest of the workspace's root, which alone may have `[patch]` and `[profile]`.
    pub(crate) manifest_path: PathBuf,
    pub(crate) manifest: Table,
    /// Cargo's configuration there, the files nearest first.
    config: Table,
    pub(crate) graph: Metadata,
    /// Patches that the graph does not use.
    pub(crate) unused: Vec<Unused>,
    pub(crate) lock: Lock,
    mirror: Option<Mirror>,
}

/// What stands for the versions of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Lock {
    /// The project's lock file.
    AsItIs,
    /// What cargo would change in the lock file now.
    OutOfDate,
    /// The newest versions that fit now.
    Missing,
}

/// A package in `[[patch.unused]]` of a lock file.
#[derive(Debug, Deserialize)]
pub(crate) struct Unused {
    pub(crate) name: String,
    pub(crate) version: Version,
}

impl Project {
    /// Asks cargo for the graph of the project that this folder is in, or that has this manifest.
    pub(crate) fn read(path: &Path, offline: bool) -> Result<Self, String> {
        let path = dunce::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let folder = if path.is_dir() { path } else { path.parent().map(Path::to_owned).unwrap_or_default() };
        let config = configuration(&folder)?;
        let cargo = Cargo::new(folder);
        let listing = cargo.listing(None)?;
        let manifest_path = listing.workspace_root.join("Cargo.toml");
        let manifest = read_toml(&manifest_path)?;
        let lock_path = listing.workspace_root.join("Cargo.lock");
        let has_lock = lock_path.is_file();
        let tries: &[&[&str]] = if offline { &[&["--offline"]] } else { &[&["--offline"], &[]] };
        let current = has_lock.then(|| tries.iter().find_map(|options| cargo.locked(options).ok())).flatten();
        let (graph, lock, mirror) = if let Some(graph) = current {
            (graph, Lock::AsItIs, None)
        } else {
            let mirror = Mirror::new(&cargo, &listing, &manifest)?;
            let graph = cargo.resolved(&mirror.at(&manifest_path), offline)?;
            (graph, if has_lock { Lock::OutOfDate } else { Lock::Missing }, Some(mirror))
        };
        let unused = unused(&mirror.as_ref().map_or(lock_path.clone(), |mirror| mirror.at(&lock_path)))?;
        Ok(Self { manifest_path, manifest, config, graph, unused, lock, mirror })
    }

    /// The manifest of the user, for one that cargo was given.
    pub(crate) fn original<'a>(&'a self, manifest: &'a Path) -> &'a Path {
        self.mirror.as_ref().map_or(manifest, |mirror| mirror.original(manifest))
    }

    /// The keys of all patches of crates.io.
    pub(crate) fn patched_keys(&self) -> Vec<&str> {
        let mut keys = Vec::new();
        for table in [&self.manifest, &self.config] {
            let patches = ["crates-io", INDEX].map(|source| value(table, &["patch", source]).and_then(Value::as_table));
            keys.extend(patches.into_iter().flatten().flat_map(Table::keys).map(String::as_str));
        }
        keys
    }

    /// A value of cargo's configuration, or else of the root's manifest.
    pub(crate) fn setting(&self, keys: &[&str]) -> Option<&Value> {
        value(&self.config, keys).or_else(|| value(&self.manifest, keys))
    }
}

/// The unused patches in a lock file.
fn unused(lock: &Path) -> Result<Vec<Unused>, String> {
    #[derive(Default, Deserialize)]
    struct Patch {
        #[serde(default)]
        unused: Vec<Unused>,
    }
    #[derive(Deserialize)]
    struct LockFile {
        #[serde(default)]
        patch: Patch,
    }
    let file: LockFile = read_toml(lock)?.try_into().map_err(|error| format!("{}: {error}", lock.display()))?;
    Ok(file.patch.unused)
}

/// What cargo is configured to in this folder: by files in it, in its parents, and in cargo's own folder.
fn configuration(folder: &Path) -> Result<Table, String> {
    let own = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let folders = folder.ancestors().map(|parent| parent.join(".cargo")).chain(own);
    let mut merged = Table::new();
    for folder in folders {
        // Where both are, cargo reads the file without an extension.
        let files = ["config", "config.toml"].map(|name| folder.join(name));
        if let Some(file) = files.iter().find(|file| fs::metadata(file).is_ok_and(|file| file.is_file())) {
            merge(&mut merged, read_toml(file)?);
        }
    }
    Ok(merged)
}

/// Adds what the first table does not have.
fn merge(into: &mut Table, other: Table) {
    for (key, value) in other {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(into)), Value::Table(value)) => merge(into, value),
            (Some(_), _) => {}
            (None, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// The value at the end of these keys.
pub(crate) fn value<'a>(table: &'a Table, keys: &[&str]) -> Option<&'a Value> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(*key))
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsItIs => "by its lock file",
            Self::OutOfDate => "as cargo would now change its lock file",
            Self::Missing => "of the newest versions that fit, because there is no lock file",
        })
    }
}
