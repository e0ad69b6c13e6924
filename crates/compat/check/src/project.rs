//! A project, as cargo resolves it.

use core::fmt;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toml::{Table, Value};

use crate::adapters::{Adapter, adapter, read_toml};
use crate::cargo::Cargo;
use crate::lock::{self, LockFile, Locked};
use crate::metadata::Metadata;
use crate::mirror::Mirror;

/// How cargo names the registry in `[patch]`, besides `crates-io`.
pub(crate) const INDEX: &str = "https://github.com/rust-lang/crates.io-index";

/// A project, as it was read. Nothing there is written.
#[derive(Debug)]
pub(crate) struct Project {
    /// The manifest of the workspace's root, which alone may have `[patch]` and `[profile]`.
    pub(crate) manifest_path: PathBuf,
    pub(crate) manifest: Table,
    /// Cargo's configuration for this folder.
    pub(crate) config: Table,
    pub(crate) graph: Metadata,
    /// The lock file of the graph.
    pub(crate) locked: LockFile,
    pub(crate) lock: Lock,
    mirror: Option<Mirror>,
}

/// Where the graph's versions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Lock {
    /// The project's lock file.
    AsItIs,
    /// Cargo would change the lock file now.
    OutOfDate,
    /// The newest versions that fit now.
    Missing,
}

/// An entry of `[patch.crates-io]`.
#[derive(Debug)]
struct Patch<'a> {
    name: &'a str,
    path: Option<PathBuf>,
    git: Option<&'a str>,
}

impl Project {
    /// Asks cargo for the graph of the project that this folder is in, or that has this manifest.
    pub(crate) fn read(path: &Path, offline: bool, adapters: &[Adapter], urls: &[&str]) -> Result<Self, String> {
        let is_manifest = path.file_name().is_some_and(|name| name == "Cargo.toml");
        let path = dunce::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))?;
        if !path.is_dir() && !is_manifest {
            return Err(format!("{} is neither a folder nor a Cargo.toml", path.display()));
        }
        let folder = if path.is_dir() { path } else { path.parent().map(Path::to_owned).unwrap_or_default() };
        let config = configuration(&folder)?;
        let cargo = Cargo::new(folder);
        let listing = cargo.listing(None)?;
        let manifest_path = listing.workspace_root.join("Cargo.toml");
        let manifest = read_toml(&manifest_path)?;
        let lock_path = listing.workspace_root.join("Cargo.lock");
        // A link that leads nowhere is a lock file that cannot be read.
        let has_lock = lock_path.symlink_metadata().is_ok();
        let tries: &[&[&str]] = if offline { &[&["--offline"]] } else { &[&["--offline"], &[]] };
        let current = has_lock.then(|| tries.iter().find_map(|options| cargo.locked(options).ok())).flatten();
        let (graph, lock, mirror) = if let Some(graph) = current {
            (graph, Lock::AsItIs, None)
        } else {
            let told = |error: String| {
                let folder = &listing.workspace_root;
                let patches = patches(&manifest, folder, &config);
                let patched = adapters
                    .iter()
                    .filter(|adapter| patches.iter().any(|patch| patch.name == adapter.name && patch.is_ours(urls)));
                let commands = LockFile::read(&lock_path).map(|file| file.conflicts(patched)).unwrap_or_default();
                error
                    + &lock::to_run("First run", folder, &commands)
                    + "\ncompat-check resolved a copy of the manifests; with a current lock file \
                        (`cargo generate-lockfile`) it needs none."
            };
            let resolved = |mirror: Mirror| Ok((cargo.resolved(&mirror.at(&manifest_path), offline)?, mirror));
            let (graph, mirror) = Mirror::new(&cargo, &listing, &manifest).and_then(resolved).map_err(told)?;
            (graph, if has_lock { Lock::OutOfDate } else { Lock::Missing }, Some(mirror))
        };
        let locked = LockFile::read(&mirror.as_ref().map_or(lock_path.clone(), |mirror| mirror.at(&lock_path)))?;
        Ok(Self { manifest_path, manifest, config, graph, locked, lock, mirror })
    }

    /// The manifest of the user, for one that cargo was given.
    pub(crate) fn original<'a>(&'a self, manifest: &'a Path) -> &'a Path {
        self.mirror.as_ref().map_or(manifest, |mirror| mirror.original(manifest))
    }

    /// The keys of all patches of crates.io.
    pub(crate) fn patched_keys(&self) -> Vec<&str> {
        entries(&self.manifest, &self.config).map(|(key, _)| key.as_str()).collect()
    }

    /// Whether an unused patch is a line of `[patch.crates-io]` for an adapter.
    pub(crate) fn is_ours(&self, unused: &Locked, urls: &[&str]) -> bool {
        let root = self.manifest_path.parent().unwrap_or(&self.manifest_path);
        patches(&self.manifest, root, &self.config).iter().any(|patch| patch.gives(unused) && patch.is_ours(urls))
    }

    /// A value of cargo's configuration, or else of the root's manifest.
    pub(crate) fn setting(&self, keys: &[&str]) -> Option<&Value> {
        value(&self.config, keys).or_else(|| value(&self.manifest, keys))
    }
}

/// The entries of all patches of crates.io, in a manifest and in cargo's configuration.
fn entries<'a>(manifest: &'a Table, config: &'a Table) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let tables = [manifest, config].into_iter().flat_map(|table| ["crates-io", INDEX].map(|source| (table, source)));
    tables.filter_map(|(table, source)| value(table, &["patch", source])?.as_table()).flatten()
}

/// The patches of crates.io in a manifest of this folder and in cargo's configuration.
fn patches<'a>(manifest: &'a Table, folder: &Path, config: &'a Table) -> Vec<Patch<'a>> {
    let patch = |(key, entry): (&'a String, &'a Value)| {
        let text = |key| entry.get(key).and_then(Value::as_str);
        Patch {
            name: text("package").unwrap_or(key),
            path: text("path").map(|path| folder.join(path)),
            git: text("git"),
        }
    };
    entries(manifest, config).map(patch).collect()
}

impl Patch<'_> {
    /// Whether an unused patch of a lock file can be this one.
    fn gives(&self, unused: &Locked) -> bool {
        self.name == unused.name
            && match (&unused.source, self.git) {
                (Some(source), Some(git)) => lock::is_of_repository(source, git),
                (None, None) => self.adapter().is_some_and(|adapter| adapter.version == unused.version),
                _ => false,
            }
    }

    /// Whether it gives an adapter. `urls` are our repositories.
    fn is_ours(&self, urls: &[&str]) -> bool {
        match self.git {
            Some(git) => urls.iter().any(|url| lock::short(url) == lock::short(git)),
            None => self.adapter().is_some(),
        }
    }

    fn adapter(&self) -> Option<Adapter> {
        let manifest = read_toml(&self.path.as_ref()?.join("Cargo.toml")).ok()?;
        adapter(String::new(), &manifest).ok().flatten()
    }
}

/// Cargo's configuration for this folder: by files in it, in its parents, and in cargo's own folder.
fn configuration(folder: &Path) -> Result<Table, String> {
    let own = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let folders = folder.ancestors().map(|parent| parent.join(".cargo")).chain(own);
    let mut merged = Table::new();
    for folder in folders {
        // Where both are, cargo reads the file without an extension.
        let files = ["config", "config.toml"].map(|name| folder.join(name));
        if let Some(file) = files.iter().find(|file| fs::metadata(file).is_ok_and(|file| file.is_file())) {
            let mut table = read_toml(file)?;
            absolute_patches(&mut table, folder.parent().unwrap_or(&folder));
            merge(&mut merged, table);
        }
    }
    Ok(merged)
}

/// Paths in a configuration's patches are relative to the folder that has `.cargo`.
fn absolute_patches(config: &mut Table, folder: &Path) {
    let sources = config.get_mut("patch").and_then(Value::as_table_mut).into_iter().flatten();
    let entries = sources.filter_map(|(_, source)| source.as_table_mut()).flatten();
    for path in entries.filter_map(|(_, entry)| entry.get_mut("path")) {
        if let Some(relative) = path.as_str() {
            *path = Value::String(folder.join(relative).to_string_lossy().into_owned());
        }
    }
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
