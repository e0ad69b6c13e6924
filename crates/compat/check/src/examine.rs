//! What each hash crate of a graph is, and what is missing.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use serde::Deserialize;
use toml::Value;

use crate::adapters::{Adapter, LIBRARY, Place, are_compatible, generation};
use crate::metadata::{CRATES_IO, Need, Package};
use crate::project::{Project, Unused, value};
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
    let all = Graph { project, adapters, packages };
    let mut missing = Missing::new(project);
    let mut found = Vec::new();
    for &package in &all.packages {
        let needs = project.graph.needs(package);
        let (state, why) = if adapters.iter().any(|adapter| adapter.name == package.name) {
            all.of_adapted(package, &needs, place, &mut missing)
        } else if package.name == LIBRARY && needs.iter().any(|need| !all.is_ours(need.by)) {
            (State::Ours, "needed by its own name".to_owned())
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
    packages: Vec<&'a Package>,
}

impl Graph<'_> {
    /// What a package is that has the name of an adapter. Adds what is missing.
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
        if !needs.is_empty() && needs.iter().all(|need| self.is_ours(need.by)) {
            return (State::NothingToPatch, "an adapter takes from it what simd-digest does not have".to_owned());
        }
        let Some(adapter) = self.adapter(&package.name, &package.version) else {
            return (State::Registry, self.other_generation(package));
        };
        let patch = self.unused(adapter);
        let ours = patch.map_or(&adapter.version, |patch| &patch.version);
        if let Some(why) = self.hindrance(adapter, ours, needs) {
            let unused = if patch.is_some() { ", so the line of [patch] is not used" } else { "" };
            return (State::Registry, why + unused);
        }
        let is_other = *ours != package.version;
        if is_other {
            missing.after.push(self.update(&package.name, &package.version, ours));
        }
        let why = match (patch, is_other) {
            (Some(_), true) => format!("the line of [patch] has {ours}, so it is not used"),
            (Some(_), false) => {
                missing.after.push(format!("cargo update -p {}@{}", package.name, package.version));
                "the line of [patch] is not used".to_owned()
            }
            (None, _) => {
                for (name, version) in &adapter.exact {
                    for other in self.of_crates_io(name, version).filter(|other| other.version != *version) {
                        missing.before.push(self.update(name, &other.version, version));
                    }
                }
                missing.add_patch(adapter, place, &self.project.patched_keys());
                let other = if is_other { format!(", and the adapter has {ours}") } else { String::new() };
                format!("no line of [patch]{other}")
            }
        };
        (State::CouldBeOurs, why)
    }

    /// What a package is that has the name of an adapter and is not from crates.io.
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
            && package.dependencies.iter().any(|dependency| dependency.name == LIBRARY)
    }

    /// The adapter that can stand for this version of a crate.
    fn adapter(&self, name: &str, version: &Version) -> Option<&Adapter> {
        self.adapters.iter().find(|adapter| adapter.name == name && are_compatible(&adapter.version, version))
    }

    fn unused(&self, adapter: &Adapter) -> Option<&Unused> {
        let fits = |unused: &&Unused| unused.name == adapter.name && are_compatible(&unused.version, &adapter.version);
        self.project.unused.iter().find(fits)
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
        for (name, version) in &adapter.exact {
            for other in self.of_crates_io(name, version) {
                let needs = self.project.graph.needs(other);
                if let Some(need) = needs.iter().find(|need| !need.declared.req.matches(version)) {
                    let required = &need.declared.req;
                    let by = named(need.by);
                    return Some(format!("{by} needs {name} {required}, and the adapter needs {name} ={version}"));
                }
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
        let unneeded = |unused: &&Unused| {
            self.adapters.iter().any(|adapter| adapter.name == unused.name)
                && self.of_crates_io(&unused.name, &unused.version).next().is_none()
        };
        let told = |unused: &Unused| {
            format!("The line of [patch] for {} {} is not used: nothing needs that crate.", unused.name, unused.version)
        };
        self.project.unused.iter().filter(unneeded).map(told).collect()
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

    /// Whether debug builds would run the library as it is compiled without optimisation.
    fn lacks_profile(&self, found: &[Found]) -> bool {
        let is_there =
            found.iter().any(|found| matches!(found.state, State::Ours | State::OursByPatch | State::CouldBeOurs));
        let levels: [&[&str]; 3] = [
            &["profile", "dev", "package", LIBRARY, "opt-level"],
            &["profile", "dev", "package", "*", "opt-level"],
            &["profile", "dev", "opt-level"],
        ];
        let level = levels.iter().find_map(|keys| self.project.setting(keys));
        is_there && level.is_none_or(|level| level.as_integer() == Some(0))
    }
}

impl Missing {
    fn new(project: &Project) -> Self {
        let has = |keys| value(&project.manifest, keys).is_some_and(Value::is_table);
        Self {
            has_patches: has(&["patch", "crates-io"]),
            has_profile: has(&["profile", "dev", "package", LIBRARY]),
            ..Self::default()
        }
    }

    /// Adds the line of `[patch.crates-io]` for an adapter, under a key that is free.
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
