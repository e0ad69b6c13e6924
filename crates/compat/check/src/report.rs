//! The report, as text and as JSON.

use core::fmt::Write;
use std::path::{Path, PathBuf};

use semver::Version;
use serde::Serialize;

use crate::lock::to_run;
use crate::project::Lock;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) manifest_path: PathBuf,
    pub(crate) lock: Lock,
    pub(crate) crates: Vec<Found>,
    pub(crate) missing: Missing,
    pub(crate) notes: Vec<String>,
}

/// A hash crate of the graph.
#[derive(Debug, Serialize)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) version: Version,
    pub(crate) state: State,
    pub(crate) why: String,
    /// The packages that name it, with their versions.
    pub(crate) needed_by: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    OursByPatch,
    /// Named by its path, its repository or its own name.
    Ours,
    /// The registry's, and a line of `[patch]` or a command would change that.
    CouldBeOurs,
    /// The registry's, and an adapter cannot take its place.
    Registry,
    OwnCode,
    NothingToPatch,
    /// From a path, a repository or a registry, and neither crates.io's nor ours.
    Elsewhere,
}

/// The steps that would make crates ours, in their order.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Missing {
    /// Commands that make the lines of `[patch]` resolve.
    pub(crate) before: Vec<String>,
    /// The name of the table for the lines of `[patch]`.
    pub(crate) patch_table: String,
    /// Lines of `[patch]`.
    pub(crate) patch: Vec<String>,
    /// Whether debug builds need the line of `[profile]`.
    pub(crate) profile: bool,
    /// Commands that take the versions of the patches.
    pub(crate) after: Vec<String>,
    #[serde(skip)]
    pub(crate) has_patches: bool,
    #[serde(skip)]
    pub(crate) has_profile: bool,
    /// The advice where the level of the library is set already.
    #[serde(skip)]
    pub(crate) has_level: Option<String>,
}

impl State {
    fn told(self) -> &'static str {
        match self {
            Self::OursByPatch => "ours by [patch]",
            Self::Ours => "ours",
            Self::CouldBeOurs => "could be ours",
            Self::Registry => "the registry's",
            Self::OwnCode => "its own code",
            Self::NothingToPatch => "nothing to patch",
            Self::Elsewhere => "from elsewhere",
        }
    }
}

impl Report {
    /// Whether something could be patched and is not.
    pub(crate) fn could_be_ours(&self) -> bool {
        self.crates.iter().any(|found| found.state == State::CouldBeOurs)
    }

    /// The report as one line of JSON.
    ///
    /// # Errors
    ///
    /// If the path of the manifest is no Unicode.
    pub(crate) fn json(&self) -> Result<String, String> {
        serde_json::to_string(self).map(|text| text + "\n").map_err(|error| format!("--json: {error}"))
    }

    /// The report for a reader.
    pub(crate) fn text(&self) -> String {
        // Writing to a string cannot fail.
        let mut text = String::new();
        let manifest = self.manifest_path.display();
        let _ = writeln!(text, "{manifest}: the hash crates {}", self.lock);
        if self.crates.is_empty() {
            text += "\n  none that compat-check knows\n";
        } else {
            text += "\n";
        }
        let names: Vec<_> = self.crates.iter().map(|found| format!("{} {}", found.name, found.version)).collect();
        let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        for (found, name) in self.crates.iter().zip(names) {
            let _ = writeln!(text, "  {name:widest$}  {:16}  {}", found.state.told(), found.why);
            if let Some(by) = listed(&found.needed_by) {
                let _ = writeln!(text, "  {:widest$}  {:16}  needed by {by}", "", "");
            }
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        self.missing.tell(&self.manifest_path, &mut text);
        if !self.could_be_ours() {
            text += "\nOther crates may carry code of their own.\n";
        }
        text
    }
}

/// Up to three of these, and the number of the others.
fn listed(names: &[String]) -> Option<String> {
    Some(match names.split_last()? {
        (last, []) => last.clone(),
        (last, first) if first.len() < 3 => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} others", names[..2].join(", "), names.len() - 2),
    })
}

impl Missing {
    fn tell(&self, manifest: &Path, text: &mut String) {
        let folder = manifest.parent().unwrap_or(manifest);
        let manifest = manifest.display().to_string();
        *text += &to_run("First run", folder, &self.before);
        if !self.patch.is_empty() {
            table(&manifest, &self.patch_table, self.has_patches, &self.patch.join("\n"), text);
        }
        if self.profile {
            *text += "\nDebug builds compile the library without optimisation: \
                      BLAKE3 and SHA-256 take many times as long.\n";
            if let Some(change) = &self.has_level {
                let _ = writeln!(text, "{change}");
            } else {
                table(&manifest, "profile.dev.package.simd-digest", self.has_profile, "opt-level = 3", text);
            }
        }
        let is_first = self.before.is_empty() && self.patch.is_empty();
        *text += &to_run(if is_first { "Run" } else { "Then run" }, folder, &self.after);
    }
}

/// Lines of a table of TOML, which may have one heading only.
fn table(manifest: &str, name: &str, is_there: bool, lines: &str, text: &mut String) {
    let _ = if is_there {
        write!(text, "\nAdd to [{name}] of {manifest}:\n\n{lines}\n")
    } else {
        write!(text, "\nAdd to {manifest}:\n\n[{name}]\n{lines}\n")
    };
}
