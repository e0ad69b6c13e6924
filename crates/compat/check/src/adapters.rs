//! The adapters, from their manifests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};
use toml::{Table, Value};

/// The library's package, which every adapter needs.
pub(crate) const LIBRARY: &str = "simd-digest";

/// Where lines of `[patch]` take the adapters from.
#[derive(Debug)]
pub(crate) enum Place {
    /// The folder of the adapters.
    Path(PathBuf),
    /// A repository. The names of its adapters are read from this checkout.
    Git(String),
}

#[derive(Debug)]
pub(crate) struct Adapter {
    /// Its folder. It differs from `name` where two adapters share a name.
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) version: Version,
    pub(crate) features: BTreeSet<String>,
    /// The needs of the adapter, and of the library for it, that the registry serves. Optional needs are here, too.
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) rust_version: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Requirement {
    pub(crate) package: String,
    pub(crate) req: VersionReq,
}

impl Place {
    /// A value of `--from`, or this checkout.
    pub(crate) fn new(from: Option<&str>) -> Result<Self, String> {
        let Some(from) = from else { return Ok(Self::Path(of_this_checkout())) };
        if from.contains("://") {
            return Ok(Self::Git(from.to_owned()));
        }
        let path = dunce::canonicalize(from).map_err(|error| format!("--from {from}: {error}; a URL has ://"))?;
        let within = path.join("crates/compat");
        Ok(Self::Path(if within.is_dir() { within } else { path }))
    }

    /// The repositories whose packages are ours.
    pub(crate) fn urls(&self) -> Vec<&str> {
        let ours = [env!("CARGO_PKG_REPOSITORY")];
        let from = match self {
            Self::Git(url) => Some(url.as_str()),
            Self::Path(_) => None,
        };
        ours.into_iter().chain(from).collect()
    }

    fn folder(&self) -> PathBuf {
        match self {
            Self::Path(folder) => folder.clone(),
            Self::Git(_) => of_this_checkout(),
        }
    }
}

/// The folder of adapters that this program was compiled beside.
fn of_this_checkout() -> PathBuf {
    let check = Path::new(env!("CARGO_MANIFEST_DIR"));
    check.parent().unwrap_or(check).to_owned()
}

/// All adapters there.
///
/// # Errors
///
/// If there is none, or a manifest cannot be read.
pub(crate) fn read(place: &Place) -> Result<Vec<Adapter>, String> {
    let folder = place.folder();
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}; see --from", folder.display()))?;
    let mut adapters = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
        let manifest = entry.path().join("Cargo.toml");
        if manifest.is_file() {
            let table = read_toml(&manifest)?;
            let named = entry.file_name().to_string_lossy().into_owned();
            let told = |error| format!("{}: {error}", manifest.display());
            if let Some(mut adapter) = adapter(named, &table).map_err(told)? {
                let library = table["dependencies"][LIBRARY].get("path").and_then(Value::as_str);
                if let Some(library) = library {
                    let manifest = entry.path().join(library).join("Cargo.toml");
                    let needs = requirements(&read_toml(&manifest)?);
                    adapter.requirements.extend(needs.map_err(|error| format!("{}: {error}", manifest.display()))?);
                }
                adapters.push(adapter);
            }
        }
    }
    if adapters.is_empty() {
        return Err(format!("{} has no adapters: --from names a checkout of simd-digest", folder.display()));
    }
    adapters.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(adapters)
}

/// Parses a TOML file.
///
/// # Errors
///
/// If it cannot be read, or is no TOML.
pub(crate) fn read_toml(file: &Path) -> Result<Table, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.parse().map_err(|error| format!("{}: {error}", file.display()))
}

/// The adapter of a manifest, or None if that package does not always need the library.
pub(crate) fn adapter(folder: String, manifest: &Table) -> Result<Option<Adapter>, String> {
    let empty = Table::new();
    let table = |name| manifest.get(name).and_then(Value::as_table).unwrap_or(&empty);
    let text = |name| table("package").get(name).and_then(Value::as_str);
    let dependencies = table("dependencies");
    let is_optional = |value: &Value| value.get("optional").and_then(Value::as_bool) == Some(true);
    if dependencies.get(LIBRARY).is_none_or(is_optional) {
        return Ok(None);
    }
    let (Some(name), Some(version)) = (text("name"), text("version")) else {
        return Err("it has no name or no version".to_owned());
    };
    let parsed = |version: &str| Version::parse(version).map_err(|error| format!("version {version}: {error}"));
    let features = table("features");
    let values: Vec<&str> = features.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str).collect();
    // An optional dependency that no feature names by `dep:` is a feature.
    let implicit = dependencies
        .iter()
        .filter(|(key, value)| is_optional(value) && !values.contains(&format!("dep:{key}").as_str()));
    Ok(Some(Adapter {
        folder,
        name: name.to_owned(),
        version: parsed(version)?,
        features: features.keys().chain(implicit.map(|(key, _)| key)).cloned().collect(),
        requirements: requirements(manifest)?,
        rust_version: text("rust-version").map(str::to_owned),
    }))
}

/// The needs of a manifest that the registry serves, except for its tests.
fn requirements(manifest: &Table) -> Result<Vec<Requirement>, String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let of_targets = targets.into_iter().flat_map(Table::values).filter_map(|target| target.get("dependencies"));
    let tables = manifest.get("dependencies").into_iter().chain(of_targets).filter_map(Value::as_table);
    let mut requirements = Vec::new();
    for (key, value) in tables.flatten() {
        if let Some(required) = value.as_str().or_else(|| value.get("version").and_then(Value::as_str)) {
            let package = value.get("package").and_then(Value::as_str).unwrap_or(key).to_owned();
            let req = VersionReq::parse(required).map_err(|error| format!("{package} {required}: {error}"))?;
            requirements.push(Requirement { package, req });
        }
    }
    Ok(requirements)
}

impl Requirement {
    /// Whether a lock file with this version stands in the way: cargo takes one version alone of a generation.
    pub(crate) fn is_violated_by(&self, package: &str, version: &Version) -> bool {
        self.package == package
            && self.lowest().is_some_and(|lowest| are_compatible(&lowest, version))
            && !self.req.matches(version)
    }

    fn lowest(&self) -> Option<Version> {
        let first = self.req.comparators.first()?;
        Some(Version {
            pre: first.pre.clone(),
            ..Version::new(first.major, first.minor.unwrap_or(0), first.patch.unwrap_or(0))
        })
    }
}

/// Whether cargo takes one of these versions in the other's place: the numbers up to the first that is not 0 are equal.
pub(crate) fn are_compatible(a: &Version, b: &Version) -> bool {
    generation(a) == generation(b)
}

/// The numbers of a version that a requirement must name.
pub(crate) fn generation(version: &Version) -> String {
    match version {
        Version { major: 0, minor: 0, patch, .. } => format!("0.0.{patch}"),
        Version { major: 0, minor, .. } => format!("0.{minor}"),
        Version { major, .. } => format!("{major}"),
    }
}
