//! Calls of cargo that write nothing in a project.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::metadata::Metadata;

/// Cargo in the folder of a project, so that it reads the configuration there.
#[derive(Debug)]
pub(crate) struct Cargo {
    folder: PathBuf,
}

impl Cargo {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The packages of a workspace, without what they need from elsewhere. Writes no lock file.
    pub(crate) fn listing(&self, manifest: Option<&Path>) -> Result<Metadata, String> {
        let mut options = vec![OsStr::new("--no-deps")];
        if let Some(manifest) = manifest {
            options.extend([OsStr::new("--manifest-path"), manifest.as_os_str()]);
        }
        self.metadata(&options)
    }

    /// The graph of the lock file. An error if cargo would change it.
    pub(crate) fn locked(&self, options: &[&str]) -> Result<Metadata, String> {
        let options: Vec<_> = ["--all-features", "--locked"].iter().chain(options).map(OsStr::new).collect();
        self.metadata(&options)
    }

    /// The graph of a manifest that may get another lock file.
    pub(crate) fn resolved(&self, manifest: &Path, offline: bool) -> Result<Metadata, String> {
        let mut options = vec![OsStr::new("--all-features"), OsStr::new("--manifest-path"), manifest.as_os_str()];
        options.extend(offline.then_some(OsStr::new("--offline")));
        self.metadata(&options)
    }

    fn metadata(&self, options: &[&OsStr]) -> Result<Metadata, String> {
        // `cargo run` names the cargo and the toolchain of this checkout, and the project may have another.
        let is_run_by_cargo = env::var_os("CARGO_PKG_NAME").is_some_and(|name| name == env!("CARGO_PKG_NAME"));
        let named = env::var_os("CARGO").filter(|_| !is_run_by_cargo);
        let cargo = named.unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(&cargo);
        if is_run_by_cargo {
            command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
        }
        let output = command
            .args(["metadata", "--format-version=1", "--color=never"])
            .args(options)
            .current_dir(&self.folder)
            // Otherwise cargo writes what it knows of the compiler in a `target` that is there.
            .env("CARGO_CACHE_RUSTC_INFO", "0")
            .output()
            .map_err(|error| format!("{}: {error}", cargo.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("cargo metadata in {} failed:\n{}", self.folder.display(), said.trim_end()));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| format!("the output of cargo metadata: {error}"))
    }
}
