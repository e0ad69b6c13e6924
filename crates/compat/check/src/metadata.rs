//! The output of `cargo metadata`, as far as it is read here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use semver::{Version, VersionReq};
use serde::Deserialize;

/// How cargo names the registry that `[patch.crates-io]` replaces, whatever mirror it reads.
pub(crate) const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    /// Absent with `--no-deps`.
    pub(crate) resolve: Option<Resolve>,
    pub(crate) workspace_members: Vec<String>,
    pub(crate) workspace_root: PathBuf,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: Version,
    /// None for a path.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    pub(crate) rust_version: Option<String>,
    pub(crate) targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) src_path: PathBuf,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) rename: Option<String>,
    pub(crate) req: VersionReq,
    pub(crate) source: Option<String>,
    pub(crate) path: Option<PathBuf>,
    pub(crate) kind: Option<String>,
    pub(crate) optional: bool,
    pub(crate) target: Option<String>,
    pub(crate) features: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<Edge>,
    pub(crate) features: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Edge {
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<Kind>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Kind {
    pub(crate) kind: Option<String>,
    pub(crate) target: Option<String>,
}

/// A line of a manifest that needs a package, in a graph that has both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need<'a> {
    pub(crate) by: &'a Package,
    node: &'a Node,
    pub(crate) declared: &'a Dependency,
}

impl Metadata {
    /// The lines that this package is needed by.
    pub(crate) fn needs(&self, needed: &Package) -> Vec<Need<'_>> {
        let mut needs = Vec::new();
        let nodes = self.resolve.iter().flat_map(|resolve| &resolve.nodes);
        for (node, edge) in nodes.flat_map(|node| node.deps.iter().map(move |edge| (node, edge))) {
            if edge.pkg != needed.id {
                continue;
            }
            if let Some(by) = self.packages.iter().find(|package| package.id == node.id) {
                let declared = by.dependencies.iter().filter(|declared| {
                    declared.name == needed.name
                        && declared.req.matches(&needed.version)
                        && edge
                            .dep_kinds
                            .iter()
                            .any(|kind| kind.kind == declared.kind && kind.target == declared.target)
                });
                needs.extend(declared.map(|declared| Need { by, node, declared }));
            }
        }
        needs
    }
}

impl Package {
    pub(crate) fn is_of_crates_io(&self) -> bool {
        self.source.as_deref() == Some(CRATES_IO)
    }
}

impl Need<'_> {
    /// The features that this line asks for, with those that the active features of its package add.
    pub(crate) fn features(&self) -> Vec<&str> {
        let called = self.declared.rename.as_ref().unwrap_or(&self.declared.name);
        let added = self.node.features.iter().filter_map(|active| self.by.features.get(active)).flatten();
        let added = added.filter_map(|value| {
            let (dependency, feature) = value.split_once('/')?;
            (dependency.strip_suffix('?').unwrap_or(dependency) == called).then_some(feature)
        });
        self.declared.features.iter().map(String::as_str).chain(added).collect()
    }
}
