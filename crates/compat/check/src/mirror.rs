//! A copy of manifests elsewhere, in which cargo may write a lock file.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;
use toml::{Table, Value};

use crate::cargo::Cargo;
use crate::metadata::Metadata;

/// The manifests of a workspace and of all that it needs by path, below a folder that is removed at the end. Each lies at
/// its own absolute path there, so relative paths between them lead from copy to copy. Targets are empty files.
#[derive(Debug)]
pub(crate) struct Mirror {
    folder: TempDir,
    /// The manifest that each copy is of.
    originals: BTreeMap<PathBuf, PathBuf>,
}

impl Mirror {
    /// Copies what the listing of a workspace, by `cargo metadata --no-deps`, leads to. `manifest` is the root's.
    pub(crate) fn new(cargo: &Cargo, listing: &Metadata, manifest: &Table) -> Result<Self, String> {
        let within = env::temp_dir();
        let folder = dunce::canonicalize(&within).map_err(|error| format!("{}: {error}", within.display()))?;
        if folder.starts_with(&listing.workspace_root) {
            let root = listing.workspace_root.display();
            return Err(format!("the temporary folder {} lies in {root}; set TMPDIR to another", folder.display()));
        }
        let folder = TempDir::with_prefix("compat-check-").map_err(|error| format!("a temporary folder: {error}"))?;
        let mut mirror = Self { folder, originals: BTreeMap::new() };
        let mut waiting = mirror.copy(listing)?;
        // Cargo reads the patches of the root's manifest alone.
        waiting.extend(patches(manifest).map(|path| listing.workspace_root.join(path)));
        while let Some(needed) = waiting.pop() {
            let manifest = normal(&needed.join("Cargo.toml"));
            if !mirror.originals.contains_key(&mirror.at(&manifest)) {
                waiting.extend(mirror.copy(&cargo.listing(Some(&manifest))?)?);
            }
        }
        let lock = listing.workspace_root.join("Cargo.lock");
        if lock.symlink_metadata().is_ok() {
            mirror.put(&lock)?;
        }
        Ok(mirror)
    }

    /// The place of the copy of an absolute path.
    pub(crate) fn at(&self, path: &Path) -> PathBuf {
        let named = path.components().filter(|part| matches!(part, Component::Normal(_)));
        self.folder.path().components().chain(named).collect()
    }

    /// The manifest that this is a copy of, or itself.
    pub(crate) fn original<'a>(&'a self, manifest: &'a Path) -> &'a Path {
        self.originals.get(manifest).map_or(manifest, PathBuf::as_path)
    }

    /// Copies the manifests of a listing. Gives the folders that they need by path.
    fn copy(&mut self, listing: &Metadata) -> Result<Vec<PathBuf>, String> {
        let mut needed = Vec::new();
        self.put(&listing.workspace_root.join("Cargo.toml"))?;
        for package in &listing.packages {
            self.put(&package.manifest_path)?;
            for target in &package.targets {
                self.write(&target.src_path, b"")?;
            }
            needed.extend(package.dependencies.iter().filter_map(|dependency| dependency.path.clone()));
        }
        Ok(needed)
    }

    fn put(&mut self, file: &Path) -> Result<(), String> {
        let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        self.originals.insert(self.at(file), file.to_owned());
        self.write(file, &bytes)
    }

    fn write(&self, file: &Path, bytes: &[u8]) -> Result<(), String> {
        let copy = self.at(file);
        copy.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&copy, bytes))
            .map_err(|error| format!("{}, a copy: {error}", copy.display()))
    }
}

/// The paths in the patches of a manifest.
fn patches(manifest: &Table) -> impl Iterator<Item = &str> {
    let of_sources = manifest.get("patch").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let entries = of_sources.filter_map(Value::as_table).flat_map(Table::values);
    entries.filter_map(|entry| entry.get("path").and_then(Value::as_str))
}

/// A path without `.` and `..`, as cargo writes it.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            _ => normal.push(part),
        }
    }
    normal
}
