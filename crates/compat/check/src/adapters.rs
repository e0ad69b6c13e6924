//! The adapters, from their manifests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use semver::Version;
use toml::{Table, Value};

/// The library's package, which every adapter needs.
pub(crate) const LIBRARY: &str = "simd-digest";

/// Where lines of `[patch]` take the adapters from.
#[derive(Debug)]
pub(crate) enum Place {
    /// The folder of the adapters.
    Path(PathBuf),
    /// A repository. What its adapters are is read from this checkout.
    Git(String),
}

#[derive(Debug)]
pub(crate) struct Adapter {
    /// The name of its folder, which is another than its own where two adapters have one name.
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) version: Version,
    pub(crate) features: BTreeSet<String>,
    /// Packages of the registry of which it needs one version alone.
    pub(crate) exact: Vec<(String, Version)>,
    pub(crate) rust_version: Option<String>,
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
            adapters.extend(adapter(named, &table).map_err(|error| format!("{}: {error}", manifest.display()))?);
        }
    }
    if adapters.is_empty() {
        return Err(format!("{} has no adapters: --from names a checkout of simd-digest", folder.display()));
    }
    adapters.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(adapters)
}

/// A file of TOML.
///
/// # Errors
///
/// If it cannot be read, or is no TOML.
pub(crate) fn read_toml(file: &Path) -> Result<Table, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.parse().map_err(|error| format!("{}: {error}", file.display()))
}

/// The adapter of a manifest, or None if that package does not need the library.
fn adapter(folder: String, manifest: &Table) -> Result<Option<Adapter>, String> {
    let empty = Table::new();
    let table = |name| manifest.get(name).and_then(Value::as_table).unwrap_or(&empty);
    let text = |name| table("package").get(name).and_then(Value::as_str);
    let dependencies = table("dependencies");
    if !dependencies.contains_key(LIBRARY) {
        return Ok(None);
    }
    let (Some(name), Some(version)) = (text("name"), text("version")) else {
        return Err("it has no name or no version".to_owned());
    };
    let parsed = |version: &str| Version::parse(version).map_err(|error| format!("version {version}: {error}"));
    let features = table("features");
    let values: Vec<&str> = features.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str).collect();
    // An optional dependency that no feature names by `dep:` is a feature.
    let implicit = dependencies.iter().filter(|(key, value)| {
        value.get("optional").and_then(Value::as_bool) == Some(true) && !values.contains(&format!("dep:{key}").as_str())
    });
    let mut exact = Vec::new();
    for (key, value) in dependencies {
        let required = value.as_str().or_else(|| value.get("version").and_then(Value::as_str));
        if let Some(version) = required.and_then(|version| version.strip_prefix('=')) {
            let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
            exact.push((package.to_owned(), parsed(version.trim())?));
        }
    }
    Ok(Some(Adapter {
        folder,
        name: name.to_owned(),
        version: parsed(version)?,
        features: features.keys().chain(implicit.map(|(key, _)| key)).cloned().collect(),
        exact,
        rust_version: text("rust-version").map(str::to_owned),
    }))
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
