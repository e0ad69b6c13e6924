//! The state of each hash crate of a graph, and the lines that are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::env;

use semver::Version;
use serde::Deserialize;
use toml::{Table, Value};

use crate::adapters::{Adapter, LIBRARY, Place, are_compatible, generation};
use crate::lock::Locked;
use crate::metadata::{CRATES_IO, Need, Package};
use crate::project::{INDEX, Lock, Project, value};
use crate::report::{Found, Missing, Report, State};

/// The crates that no adapter stands for, with what is said of each.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Hashes {
    own_code: BTreeMap<String, String>,
    other_hashes: BTreeMap<String, String>,
}

/// Says what each hash crate of a project is.
///
/// # Errors
///
/// If cargo gave no graph.
pub(crate) fn examine(project: &Project, adapters: &[Adapter], place: &Place) -> Result<Report, String> {
    let hashes: Hashes =
        toml::from_str(include_str!("../hashes.toml")).map_err(|error| format!("hashes.toml: {error}"))?;
    let nodes = project.graph.resolve.as_ref().ok_or("cargo metadata gave no graph")?;
    let resolved: BTreeSet<&str> = nodes.nodes.iter().map(|node| node.id.as_str()).collect();
    let mut packages: Vec<&Package> =
        project.graph.packages.iter().filter(|package| resolved.contains(package.id.as_str())).collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let all = Graph { project, adapters, urls: place.urls(), packages };
    let mut missing = Missing::new(project);
    let mut found = Vec::new();
    for &package in &all.packages {
        let needs = project.graph.needs(package);
        let (state, why) = if adapters.iter().any(|adapter| adapter.name == package.name) {
            all.of_adapted(package, &needs, place, &mut missing)
        } else if package.name == LIBRARY && needs.iter().any(|need| !all.is_ours(need.by)) {
            (State::Ours, "a direct dependency".to_owned())
        } else if let Some(what) = hashes.own_code.get(&package.name) {
            (State::OwnCode, what.clone())
        } else if let Some(what) = hashes.other_hashes.get(&package.name) {
            (State::NothingToPatch, format!("{what}, which simd-digest does not have"))
        } else {
            continue;
        };
        let needed_by = needs.iter().map(|need| named(need.by)).collect::<BTreeSet<_>>().into_iter().collect();
        found.push(Found { name: package.name.clone(), version: package.version.clone(), state, why, needed_by });
    }
    let mut notes = all.unneeded();
    notes.extend(all.compiler(&missing));
    missing.profile = all.lacks_profile(&found);
    Ok(Report { manifest_path: project.manifest_path.clone(), lock: project.lock, crates: found, missing, notes })
}

struct Graph<'a> {
    project: &'a Project,
    adapters: &'a [Adapter],
    /// Our repositories.
    urls: Vec<&'a str>,
    packages: Vec<&'a Package>,
}

impl Graph<'_> {
    /// The state of a package that has an adapter's name. Adds what is missing.
    fn of_adapted(
        &self,
        package: &Package,
        needs: &[Need<'_>],
        place: &Place,
        missing: &mut Missing,
    ) -> (State, String) {
        if !package.is_of_crates_io() {
            return self.of_elsewhere(package, needs);
        }
        let Some(adapter) = self.adapter(&package.name, &package.version) else {
            return (State::Registry, self.other_generation(package));
        };
        let (patch, foreign) = self.unused(adapter);
        let ours = patch.map_or(&adapter.version, |patch| &patch.version);
        if let Some(why) = self.hindrance(adapter, ours, needs) {
            let unused = if patch.is_some() { ", so the line of [patch] is not used" } else { "" };
            return (State::Registry, why + unused);
        }
        let is_other = *ours != package.version;
        // A new lock file has what the lines of [patch] need.
        if self.project.lock != Lock::Missing {
            for command in self.project.locked.conflicts([adapter].into_iter()) {
                if !missing.before.contains(&command) {
                    missing.before.push(command);
                }
            }
        }
        if is_other {
            missing.after.push(self.update(&package.name, &package.version, ours));
        }
        let why = match (patch, is_other) {
            (Some(_), true) => format!("the line of [patch] has {ours}, so it is not used"),
            // Cargo takes a patch of this version and with these features, so this is not known to happen.
            (Some(_), false) => "the line of [patch] is not used, and compat-check does not know why".to_owned(),
            (None, _) => {
                missing.add_patch(adapter, place, &self.project.patched_keys());
                let other = if is_other { format!(", and the adapter has {ours}") } else { String::new() };
                match foreign {
                    Some(Locked { version, .. }) => {
                        format!("a line of [patch] for {version}, which is not ours, is not used{other}")
                    }
                    None => format!("no line of [patch]{other}"),
                }
            }
        };
        (State::CouldBeOurs, why)
    }

    /// The state of a package that has an adapter's name and is not from crates.io.
    fn of_elsewhere(&self, package: &Package, needs: &[Need<'_>]) -> (State, String) {
        let place = package.source.clone().unwrap_or_else(|| {
            let manifest = self.project.original(&package.manifest_path);
            manifest.parent().unwrap_or(manifest).display().to_string()
        });
        if !self.is_ours(package) {
            return (State::Elsewhere, format!("from {place}, neither crates.io's nor ours"));
        }
        let is_patched = needs.iter().any(|need| need.declared.source.as_deref() == Some(CRATES_IO));
        (if is_patched { State::OursByPatch } else { State::Ours }, place)
    }

    /// Whether a package is an adapter.
    fn is_ours(&self, package: &Package) -> bool {
        !package.is_of_crates_io()
            && self.adapters.iter().any(|adapter| adapter.name == package.name)
            && package
                .dependencies
                .iter()
                .any(|dependency| dependency.name == LIBRARY && dependency.kind.is_none() && !dependency.optional)
    }

    /// The adapter that can stand for this version of a crate.
    fn adapter(&self, name: &str, version: &Version) -> Option<&Adapter> {
        self.adapters.iter().find(|adapter| adapter.name == name && are_compatible(&adapter.version, version))
    }

    /// The unused patches for what an adapter stands for: one by an adapter, and one that is not ours.
    fn unused(&self, adapter: &Adapter) -> (Option<&Locked>, Option<&Locked>) {
        let fits = |unused: &&Locked| unused.name == adapter.name && are_compatible(&unused.version, &adapter.version);
        let fitting = self.project.locked.unused().iter().filter(fits);
        let (ours, foreign): (Vec<_>, Vec<_>) = fitting.partition(|unused| self.project.is_ours(unused, &self.urls));
        (ours.first().copied(), foreign.first().copied())
    }

    /// The packages of the registry that cargo would replace by this version.
    fn of_crates_io(&self, name: &str, version: &Version) -> impl Iterator<Item = &Package> {
        let fits = move |package: &&Package| {
            package.name == name && package.is_of_crates_io() && are_compatible(&package.version, version)
        };
        self.packages.iter().copied().filter(fits)
    }

    fn other_generation(&self, package: &Package) -> String {
        let traits = self.packages.iter().find(|other| {
            other.name == "digest" && self.project.graph.needs(other).iter().any(|need| need.by.id == package.id)
        });
        let traits = traits.map_or(String::new(), |digest| format!(" (digest {})", generation(&digest.version)));
        let named: Vec<_> = self.adapters.iter().filter(|adapter| adapter.name == package.name).collect();
        let versions: Vec<_> = named.iter().map(|adapter| generation(&adapter.version)).collect();
        let are = if named.len() == 1 { "the adapter is" } else { "the adapters are" };
        format!("no adapter for this generation{traits}: {are} for {}", versions.join(" and "))
    }

    /// Why cargo would not take this version of an adapter for all that need the crate.
    fn hindrance(&self, adapter: &Adapter, ours: &Version, needs: &[Need<'_>]) -> Option<String> {
        for need in needs {
            if !need.declared.req.matches(ours) {
                let required = &need.declared.req;
                return Some(format!("{} needs {required}, and the adapter has {ours}", named(need.by)));
            }
            // A package without a table of features has the feature `default`.
            let lacks = |feature: &&str| *feature != "default" && !adapter.features.contains(*feature);
            if let Some(feature) = need.features().into_iter().find(lacks) {
                return Some(format!("{} needs the feature {feature}, which the adapter lacks", named(need.by)));
            }
        }
        None
    }

    /// The command that takes another version of a package.
    fn update(&self, name: &str, from: &Version, to: &Version) -> String {
        let several = self.packages.iter().filter(|package| package.name == name).count() > 1;
        let which = if several { format!("{name}@{from}") } else { name.to_owned() };
        format!("cargo update -p {which} --precise {to}")
    }

    /// Patches for which the graph has no crate.
    fn unneeded(&self) -> Vec<String> {
        let unneeded = |unused: &&Locked| {
            self.adapters.iter().any(|adapter| adapter.name == unused.name)
                && self.project.is_ours(unused, &self.urls)
                && self.of_crates_io(&unused.name, &unused.version).next().is_none()
        };
        let told = |unused: &Locked| {
            format!("The line of [patch] for {} {} is not used: nothing needs that crate.", unused.name, unused.version)
        };
        self.project.locked.unused().iter().filter(unneeded).map(told).collect()
    }

    /// A member that promises to compile where the adapters that are missing do not.
    fn compiler(&self, missing: &Missing) -> Option<String> {
        let numbers = |version: &str| version.split('.').map(str::parse).collect::<Result<Vec<u64>, _>>().ok();
        let most = self.adapters.iter().filter_map(|adapter| adapter.rust_version.as_deref());
        let most = most.max_by_key(|version| numbers(version)).filter(|_| !missing.patch.is_empty())?;
        let members = self.packages.iter().filter(|package| self.project.graph.workspace_members.contains(&package.id));
        let mut older = members.filter_map(|member| Some((member, member.rust_version.as_deref()?)));
        let (member, version) = older.find(|(_, version)| numbers(version) < numbers(most))?;
        Some(format!("The adapters need Rust {most}, and {} promises to compile with {version}.", member.name))
    }

    /// Whether debug builds leave the library unoptimised.
    fn lacks_profile(&self, found: &[Found]) -> bool {
        let is_slow = |found: &Found| {
            ["blake3", "sha2", LIBRARY].contains(&found.name.as_str())
                && matches!(found.state, State::Ours | State::OursByPatch | State::CouldBeOurs)
        };
        let is_zero = |level: &Value| level.as_integer() == Some(0) || level.as_str() == Some("0");
        let Project { config, manifest, .. } = self.project;
        let of_library = [config, manifest].into_iter().find_map(library_level);
        let level = of_library
            .map(|(_, level)| level.clone())
            .or_else(|| self.project.setting(&["profile", "dev", "package", "*", "opt-level"]).cloned())
            .or_else(|| env::var("CARGO_PROFILE_DEV_OPT_LEVEL").ok().map(Value::String))
            .or_else(|| self.project.setting(&["profile", "dev", "opt-level"]).cloned());
        found.iter().any(is_slow) && level.is_none_or(|level| is_zero(&level))
    }
}

/// The key in the packages of a profile that names the library, with its version or without, and its level there.
fn library_level(table: &Table) -> Option<(&str, &Value)> {
    let packages = value(table, &["profile", "dev", "package"])?.as_table()?;
    let is_library =
        |key: &str| key.strip_prefix(LIBRARY).is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', ':']));
    let mut named = packages.iter().filter(|(key, _)| is_library(key));
    named.find_map(|(key, value)| Some((key.as_str(), value.get("opt-level")?)))
}

impl Missing {
    fn new(project: &Project) -> Self {
        let has = |keys| value(&project.manifest, keys).is_some_and(Value::is_table);
        let is_named_by_index = !has(&["patch", "crates-io"]) && has(&["patch", INDEX]);
        let (config, manifest) = (library_level(&project.config), library_level(&project.manifest));
        let place = if config.is_some() {
            "cargo's configuration".to_owned()
        } else {
            project.manifest_path.display().to_string()
        };
        Self {
            patch_table: if is_named_by_index {
                format!("patch.{}", quoted(INDEX))
            } else {
                "patch.crates-io".to_owned()
            },
            has_patches: is_named_by_index || has(&["patch", "crates-io"]),
            has_profile: has(&["profile", "dev", "package", LIBRARY]),
            has_level: config.or(manifest).map(|(key, _)| {
                let key = if key == LIBRARY { key.to_owned() } else { quoted(key) };
                format!("Set opt-level in [profile.dev.package.{key}] of {place} to 3.")
            }),
            ..Self::default()
        }
    }

    /// Adds the line of `[patch]` for an adapter, under a key that is free.
    fn add_patch(&mut self, adapter: &Adapter, place: &Place, taken: &[&str]) {
        let Adapter { name, folder, .. } = adapter;
        let mut key = folder.clone();
        while taken.contains(&key.as_str()) {
            key += "-simd-digest";
        }
        let package = if key == *name { String::new() } else { format!("package = {}, ", quoted(name)) };
        let from = match place {
            Place::Path(adapters) => format!("path = {}", quoted(&adapters.join(folder).display().to_string())),
            Place::Git(url) => {
                format!("git = {}, version = {}", quoted(url), quoted(&generation(&adapter.version)))
            }
        };
        self.patch.push(format!("{key} = {{ {package}{from} }}"));
    }
}

/// A string of TOML, which has JSON's escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn named(package: &Package) -> String {
    format!("{} {}", package.name, package.version)
}
