//! The program on projects in `projects`, which cargo resolves from a registry in a folder: `registry.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use serde_json::Value;
use tempfile::TempDir;
use toml::Table;

/// The folder of the adapters.
fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a parent").to_owned()
}

fn manifest_of(folder: &Path) -> Table {
    fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest").parse().expect("TOML")
}

/// The version of the adapter in this folder.
fn version_of(adapter: &str) -> String {
    manifest_of(&adapters().join(adapter))["package"]["version"].as_str().expect("a version").to_owned()
}

const ADAPTERS: [&str; 7] = ["blake2", "blake2-010", "blake2b_simd", "blake2s_simd", "blake3", "sha2", "sha2-010"];

/// The sections of a file, each below a line `-- name --`, with the versions and the folder of the adapters in them.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut text = text.replace("@adapters@", &adapters().display().to_string());
    for adapter in ADAPTERS {
        text = text.replace(&format!("@{adapter}@"), &version_of(adapter));
    }
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
            sections.push((name.to_owned(), String::new()));
        } else if let Some((_, section)) = sections.last_mut() {
            section.push_str(line);
            section.push('\n');
        }
    }
    sections
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
    fs::write(file, text).expect("a file");
}

/// The program, which cargo puts beside the folder of this test. A shell that starts the compiler may drop the variable
/// that names it, because of the hyphen in its name.
fn program() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.parent().and_then(Path::parent).expect("two parents");
    folder.join(format!("compat-check{}", std::env::consts::EXE_SUFFIX))
}

/// A folder with a project, and a registry that cargo takes in the place of crates.io there.
struct Sandbox {
    folder: TempDir,
    project: PathBuf,
}

/// The answer of the program.
struct Answer {
    status: i32,
    json: Value,
}

impl Sandbox {
    fn new(name: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("a path");
        write(
            &root.join(".cargo/config.toml"),
            "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"vendor\"\n[net]\noffline = true\n",
        );
        let registry = fs::read_to_string("tests/registry.txt").expect("the registry");
        for (package, text) in sections(&registry).into_iter().chain(needed_by_adapters()) {
            let (name, version) = package.split_once(' ').expect("a version");
            let published = root.join(format!("vendor/{name}-{version}"));
            if !published.exists() {
                let package = format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n");
                write(&published.join("Cargo.toml"), &(package + &text));
                write(&published.join("src/lib.rs"), "");
                write(&published.join(".cargo-checksum.json"), "{\"files\":{},\"package\":null}");
            }
        }
        let project = root.join("projects").join(name);
        let text = fs::read_to_string(format!("tests/projects/{name}.txt")).expect("a project");
        for (file, text) in sections(&text) {
            write(&project.join(file), &text);
        }
        if !text.contains("[workspace]") {
            write(&project.join("src/lib.rs"), "");
        }
        Self { folder, project }
    }

    /// Runs the program, which must change nothing here.
    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, &[])
    }

    fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let before = self.files();
        let output = Command::new(program())
            .args(arguments)
            .current_dir(&self.project)
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_PROFILE_DEV_OPT_LEVEL")
            .env("CARGO_HOME", self.folder.path().join("home"))
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts");
        assert_eq!(self.files(), before, "the program wrote in the project");
        output
    }

    fn check(&self, arguments: &[&str]) -> Answer {
        let output = self.run(&[&[".", "--json"], arguments].concat());
        let status = output.status.code().expect("a status");
        assert!(status == 0 || status == 1, "{}", String::from_utf8_lossy(&output.stderr));
        Answer { status, json: serde_json::from_slice(&output.stdout).expect("JSON") }
    }

    /// The error that the program prints.
    fn error(&self, arguments: &[&str]) -> String {
        told_by(&self.run(arguments))
    }

    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(&[&["."], arguments].concat());
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Every file, with its contents and the time of its last change.
    fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().join("projects"), self.folder.path().join(".cargo")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    // A link may lead nowhere.
                    let data = path.symlink_metadata().expect("a file or a link");
                    let contents = if data.is_symlink() { Vec::new() } else { fs::read(&path).expect("a file") };
                    files.insert(path, (contents, data.modified().expect("a time")));
                }
            }
        }
        files
    }

    /// Replaces text in the manifest, or adds to its end.
    fn edit(&self, old: &str, new: &str) {
        let manifest = self.project.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("a manifest");
        assert!(text.contains(old), "{old}");
        let text = if old.is_empty() { text + new } else { text.replace(old, new) };
        fs::write(&manifest, text).expect("a manifest");
    }

    fn cargo(&self, arguments: &[&str]) {
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).current_dir(&self.project).env("CARGO_HOME", self.folder.path().join("home"));
        let output = command.output().expect("cargo");
        assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Does what the program tells, in its order.
    fn obey(&self, answer: &Answer) {
        let run = |commands: Vec<&str>| {
            for command in commands {
                if command.contains("--precise") {
                    self.take_version(command);
                } else {
                    self.cargo(&command.split(' ').skip(1).collect::<Vec<_>>());
                }
            }
        };
        let missing = &answer.json["missing"];
        run(strings(&missing["before"]));
        let manifest = self.project.join("Cargo.toml");
        let mut text = fs::read_to_string(&manifest).expect("a manifest");
        let heading = format!("\n[{}]\n", missing["patch_table"].as_str().expect("a name"));
        if !text.contains(&heading) {
            text += &heading;
        }
        let lines = strings(&missing["patch"]).join("\n");
        text = text.replace(&heading, &format!("{heading}{lines}\n"));
        if missing["profile"] == true {
            text += "\n[profile.dev.package.simd-digest]\nopt-level = 3\n";
        }
        fs::write(manifest, text).expect("a manifest");
        run(strings(&missing["after"]));
    }

    /// Changes the lock file as `cargo update -p NAME[@OLD] --precise NEW` does. A registry in a folder does not serve
    /// that command.
    fn take_version(&self, command: &str) {
        let words = command.strip_prefix("cargo update -p ").expect("an update").split_once(" --precise ");
        let (which, new) = words.expect("a version");
        let lock = self.project.join("Cargo.lock");
        let text = fs::read_to_string(&lock).expect("a lock file");
        let (name, old) = which.split_once('@').unwrap_or_else(|| {
            let entry = format!("[[package]]\nname = \"{which}\"\nversion = \"");
            let mut found = text.match_indices(&entry).map(|(at, _)| &text[at + entry.len()..]);
            let version = found.next().and_then(|rest| rest.split('"').next()).expect("the package");
            assert!(found.next().is_none(), "{command}: there are several");
            (which, version)
        });
        let entry = |version: &str| format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"");
        assert!(text.contains(&entry(old)), "{command}: it is not there");
        let text = text.replace(&entry(old), &entry(new));
        let text = text.replace(&format!("\"{name} {old}\""), &format!("\"{name} {new}\""));
        fs::write(lock, text).expect("a lock file");
    }
}

impl Answer {
    /// The state of each crate, by name and version.
    fn states(&self) -> BTreeMap<String, &str> {
        let told = |found: &Value| format!("{} {}", text(&found["name"]), text(&found["version"]));
        self.crates().map(|found| (told(found), text(&found["state"]))).collect()
    }

    fn crates(&self) -> impl Iterator<Item = &Value> {
        self.json["crates"].as_array().expect("an array").iter()
    }

    fn why(&self, name: &str, version: &str) -> &str {
        let found = self.crates().find(|found| found["name"] == name && found["version"] == version);
        text(&found.expect("the crate")["why"])
    }
}

/// The error that the program printed.
fn told_by(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty(), "{said}");
    said
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().expect("an array").iter().map(text).collect()
}

/// All packages of the registry that the adapters and the library need, each in the oldest version that serves, and with
/// every feature that one of them asks for.
fn needed_by_adapters() -> Vec<(String, String)> {
    let library = adapters().join("../..");
    let manifests = ADAPTERS.map(|adapter| manifest_of(&adapters().join(adapter))).into_iter();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for manifest in manifests.chain([manifest_of(&library)]) {
        let targets = manifest.get("target").and_then(toml::Value::as_table);
        let of_targets = targets.into_iter().flat_map(Table::values).filter_map(|target| target.get("dependencies"));
        let tables = manifest.get("dependencies").into_iter().chain(of_targets).filter_map(toml::Value::as_table);
        for (key, value) in tables.flatten().filter(|(_, value)| value.get("path").is_none()) {
            let name = value.get("package").and_then(toml::Value::as_str).unwrap_or(key);
            let version = value.as_str().or_else(|| value.get("version")?.as_str()).expect("a version");
            let numbers = version.trim_start_matches('=').split('.').chain(["0", "0"]).take(3).collect::<Vec<_>>();
            versions.entry(name.to_owned()).or_default().insert(numbers.join("."));
            let asked = value.get("features").and_then(toml::Value::as_array).into_iter().flatten();
            features
                .entry(name.to_owned())
                .or_default()
                .extend(asked.filter_map(|name| Some(name.as_str()?.to_owned())));
            let all = manifest["features"].as_table().expect("features").values().filter_map(toml::Value::as_array);
            for (of, feature) in all.flatten().filter_map(|value| value.as_str()?.split_once('/')) {
                if of.trim_end_matches('?') == key {
                    features.entry(name.to_owned()).or_default().insert(feature.to_owned());
                }
            }
        }
    }
    let mut packages = Vec::new();
    for (name, versions) in versions {
        let lines: String = features[&name].iter().map(|feature| format!("{feature} = []\n")).collect();
        packages.extend(versions.iter().map(|version| (format!("{name} {version}"), format!("[features]\n{lines}"))));
    }
    packages
}

/// Names and versions, each with a state, as the answer has them.
fn expected<'a>(states: &[(&str, &str, &'a str)]) -> BTreeMap<String, &'a str> {
    let version = |version: &str| if ADAPTERS.contains(&version) { version_of(version) } else { version.to_owned() };
    states.iter().map(|(name, of, state)| (format!("{name} {}", version(of)), *state)).collect()
}

#[test]
fn patched() {
    let sandbox = Sandbox::new("patched");
    let states = [
        ("blake2", "blake2", "ours-by-patch"),
        ("blake2", "blake2-010", "ours-by-patch"),
        ("blake2b_simd", "blake2b_simd", "ours-by-patch"),
        ("blake3", "blake3", "ours-by-patch"),
        ("sha2", "sha2-010", "ours-by-patch"),
        ("sha2", "sha2", "ours-by-patch"),
    ];
    let without_lock = sandbox.check(&[]);
    assert_eq!(without_lock.json["lock"], "missing");
    assert_eq!(without_lock.states(), expected(&states));
    sandbox.cargo(&["generate-lockfile"]);
    // Cargo may write there what it knows of the compiler.
    fs::create_dir(sandbox.project.join("target")).expect("a folder");
    let answer = sandbox.check(&[]);
    assert_eq!(answer.json["lock"], "as-it-is");
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
    assert_eq!(
        answer.json["missing"],
        serde_json::json!({"before": [], "patch_table": "patch.crates-io", "patch": [], "profile": false, "after": []})
    );
    assert_eq!(answer.why("blake2", &version_of("blake2-010")), adapters().join("blake2-010").display().to_string());
    assert_eq!(answer.json["crates"], without_lock.json["crates"]);
}

/// With a line for one generation alone, the other one is the registry's, and the program tells.
#[test]
fn one_generation() {
    let lines = [
        ("sha2 0.11.", "sha2 = { path = \"@adapters@/sha2\" }\n"),
        ("sha2 0.10.", "sha2-010 = { package = \"sha2\", path = \"@adapters@/sha2-010\" }\n"),
    ];
    for (lacks, line) in lines {
        let sandbox = Sandbox::new("patched");
        sandbox.edit(&line.replace("@adapters@", &adapters().display().to_string()), "");
        let answer = sandbox.check(&[]);
        let states = answer.states();
        for (generation, _) in lines {
            let (_, state) = states.iter().find(|(name, _)| name.starts_with(generation)).expect("the crate");
            assert_eq!(*state, if generation == lacks { "could-be-ours" } else { "ours-by-patch" });
        }
        assert_eq!(answer.status, 1);
    }
}

#[test]
fn none() {
    let sandbox = Sandbox::new("none");
    let answer = sandbox.check(&[]);
    assert_eq!(answer.json["lock"], "as-it-is");
    let states = [("blake2b_simd", "blake2b_simd", "could-be-ours"), ("blake3", "1.5.0", "could-be-ours")];
    assert_eq!((answer.status, answer.states()), (1, expected(&states)));
    let version = version_of("blake3");
    assert_eq!(
        answer.json["missing"]["after"],
        serde_json::json!([format!("cargo update -p blake3 --precise {version}")])
    );
    assert_eq!(strings(&answer.json["notes"]).len(), 1, "a note on the compiler");
    let text = sandbox.text(&[]);
    let adapters = adapters();
    let lines = format!(
        "[patch.crates-io]\nblake2b_simd = {{ path = \"{0}/blake2b_simd\" }}\nblake3 = {{ path = \"{0}/blake3\" }}\n",
        adapters.display()
    );
    assert!(text.contains(&lines), "{text}");
    assert!(text.contains("\n[profile.dev.package.simd-digest]\nopt-level = 3\n"), "{text}");
    sandbox.obey(&answer);
    let answer = sandbox.check(&[]);
    let states = [("blake2b_simd", "blake2b_simd", "ours-by-patch"), ("blake3", "blake3", "ours-by-patch")];
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
    assert_eq!(answer.json["missing"]["profile"], false);
}

#[test]
fn a_repository_in_place_of_a_folder() {
    let sandbox = Sandbox::new("none");
    let answer = sandbox.check(&["--from", "https://example.org/simd-digest"]);
    let lines = [
        "blake2b_simd = { git = \"https://example.org/simd-digest\", version = \"1\" }",
        "blake3 = { git = \"https://example.org/simd-digest\", version = \"1\" }",
    ];
    assert_eq!(strings(&answer.json["missing"]["patch"]), lines);
    let checkout = adapters().join("../..").display().to_string();
    assert_eq!(sandbox.check(&["--from", &checkout]).json, sandbox.check(&[]).json);
}

#[test]
fn generations() {
    let sandbox = Sandbox::new("generations");
    let answer = sandbox.check(&[]);
    let states = [
        ("blake2", "blake2", "could-be-ours"),
        ("blake2", "blake2-010", "could-be-ours"),
        ("blake3", "0.3.8", "registry"),
        ("sha2", "0.9.9", "registry"),
        ("sha2", "0.10.8", "could-be-ours"),
        ("sha2", "sha2", "could-be-ours"),
    ];
    assert_eq!((answer.status, answer.states()), (1, expected(&states)));
    let why = "no adapter for this generation (digest 0.9): the adapters are for 0.11 and 0.10";
    assert_eq!(answer.why("sha2", "0.9.9"), why);
    let why = "no adapter for this generation (digest 0.9): the adapter is for 1";
    assert_eq!(answer.why("blake3", "0.3.8"), why);
    let version = version_of("sha2-010");
    assert_eq!(answer.why("sha2", "0.10.8"), format!("no line of [patch], and the adapter has {version}"));
    let command = format!("cargo update -p sha2@0.10.8 --precise {version}");
    assert_eq!(answer.json["missing"]["after"], serde_json::json!([command]));
    assert!(sandbox.text(&[]).contains("Add to [patch.crates-io] of "));
    sandbox.obey(&answer);
    let answer = sandbox.check(&[]);
    let states = [
        ("blake2", "blake2", "ours-by-patch"),
        ("blake2", "blake2-010", "ours-by-patch"),
        ("blake3", "0.3.8", "registry"),
        ("sha2", "0.9.9", "registry"),
        ("sha2", "sha2-010", "ours-by-patch"),
        ("sha2", "sha2", "ours-by-patch"),
    ];
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
}

#[test]
fn own_code() {
    let sandbox = Sandbox::new("own-code");
    let answer = sandbox.check(&[]);
    let states = [
        ("bitcoin_hashes", "1.2.0", "own-code"),
        ("minisign", "0.10.0", "own-code"),
        ("orion", "0.18.1", "own-code"),
        ("sha1", "0.11.0", "nothing-to-patch"),
    ];
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
    assert_eq!(answer.json["missing"]["profile"], false);
    assert!(sandbox.text(&[]).ends_with("\nOther crates may carry code of their own.\n"));
}

#[test]
fn elsewhere() {
    let sandbox = Sandbox::new("elsewhere");
    let answer = sandbox.check(&[]);
    let states = [
        ("blake3", "1.8.0", "elsewhere"),
        ("sha2", "sha2", "ours"),
        ("simd-digest", env!("CARGO_PKG_VERSION"), "ours"),
    ];
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
    let fork = sandbox.project.join("../fork").canonicalize().expect("a path");
    let why = format!("from {}, neither crates.io's nor ours", fork.display());
    assert_eq!(answer.why("blake3", "1.8.0"), why);
    let fork = fork.join("Cargo.toml");
    let text = fs::read_to_string(&fork).expect("a manifest");
    let text = text.replace("/../..\"", "/../..\", optional = true").replace("[dev-dependencies]", "[dependencies]");
    assert!(text.contains("optional"), "{text}");
    fs::write(&fork, text).expect("a manifest");
    assert_eq!(sandbox.check(&[]).why("blake3", "1.8.0"), why);
    assert_eq!(answer.json["missing"]["profile"], true);
}

/// Members with a lock file of an earlier state, from the folder of one of them.
#[test]
fn workspace() {
    let sandbox = Sandbox::new("workspace");
    let member = sandbox.check(&["--offline"]);
    assert_eq!(member.json["lock"], "out-of-date");
    assert_eq!(member.json["manifest_path"], sandbox.project.join("Cargo.toml").display().to_string());
    let states = [
        ("blake2", "blake2-010", "could-be-ours"),
        ("blake2b_simd", "blake2b_simd", "could-be-ours"),
        ("sha2", "sha2-010", "could-be-ours"),
        ("sha2", "sha2", "could-be-ours"),
    ];
    assert_eq!((member.status, member.states()), (1, expected(&states)));
    // The configuration has a level for all packages.
    assert_eq!(member.json["missing"]["profile"], false);
    let of_member = sandbox.run(&["crates/app", "--json"]);
    assert_eq!(serde_json::from_slice::<Value>(&of_member.stdout).expect("JSON"), member.json);
    sandbox.obey(&member);
    let answer = sandbox.check(&[]);
    assert_eq!(answer.json["lock"], "out-of-date");
    let states = [
        ("blake2", "blake2-010", "ours-by-patch"),
        ("blake2b_simd", "blake2b_simd", "ours-by-patch"),
        ("sha2", "sha2-010", "ours-by-patch"),
        ("sha2", "sha2", "ours-by-patch"),
    ];
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
    sandbox.cargo(&["generate-lockfile"]);
    let answer = sandbox.check(&[]);
    assert_eq!(answer.json["lock"], "as-it-is");
    assert_eq!(answer.states(), expected(&states));
}

/// Versions in the lock file that are newer than those of the adapters.
#[test]
fn newer() {
    let sandbox = Sandbox::new("newer");
    let answer = sandbox.check(&[]);
    assert_eq!(answer.json["lock"], "as-it-is");
    assert_eq!((answer.status, answer.states()), (1, expected(&[("sha2", "0.11.99", "could-be-ours")])));
    let version = version_of("sha2");
    assert_eq!(answer.why("sha2", "0.11.99"), format!("the line of [patch] has {version}, so it is not used"));
    assert_eq!(strings(&answer.json["missing"]["patch"]).len(), 0);
    sandbox.obey(&answer);
    let answer = sandbox.check(&[]);
    assert_eq!((answer.status, answer.states()), (0, expected(&[("sha2", "sha2", "ours-by-patch")])));
}

#[test]
fn hindered() {
    let sandbox = Sandbox::new("hindered");
    let answer = sandbox.check(&[]);
    assert_eq!((answer.status, answer.states()), (0, expected(&[("blake3", "1.8.1", "registry")])));
    let why = "bt 0.1.0 needs the feature unknown, which the adapter lacks, so the line of [patch] is not used";
    assert_eq!(answer.why("blake3", "1.8.1"), why);
    // Another version is needed.
    sandbox.edit("bt = \"0.1\"", "pinned = \"1\"");
    let answer = sandbox.check(&[]);
    assert_eq!((answer.status, answer.states()), (0, expected(&[("blake3", "1.5.0", "registry")])));
    let version = version_of("blake3");
    let why = format!("pinned 1.0.0 needs =1.5.0, and the adapter has {version}, so the line of [patch] is not used");
    assert_eq!(answer.why("blake3", "1.5.0"), why);
    // Nothing is needed.
    sandbox.edit("pinned = \"1\"", "orion = \"0.18\"");
    let answer = sandbox.check(&[]);
    assert_eq!(answer.status, 0);
    assert_eq!(strings(&answer.json["notes"]).len(), 1, "a note on the line that is not used");
}

#[test]
fn errors() {
    let sandbox = Sandbox::new("none");
    let empty = sandbox.folder.path().join("projects/empty");
    fs::create_dir(&empty).expect("a folder");
    for (arguments, says) in [
        (&["no-such-folder"][..], "no-such-folder: "),
        (&[".", "--from", "no-such-folder"], "--from no-such-folder: "),
        (&[".", "--from", "src"], "has no adapters"),
        (&[&empty.display().to_string()], "could not find `Cargo.toml`"),
        (&[], "Usage: compat-check"),
        (&["--no-such-option", "."], "--no-such-option"),
        (&["Cargo.lock"], "Cargo.lock is neither a folder nor a Cargo.toml"),
    ] {
        let said = sandbox.error(arguments);
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    // Nothing has the version that is needed.
    sandbox.edit("blake2b_simd = \"1\"", "blake2b_simd = \"7\"");
    let said = sandbox.error(&["."]);
    assert!(said.contains("blake2b_simd = \"^7\""), "{said}");
    assert!(said.ends_with("with a current lock file (`cargo generate-lockfile`) it needs none.\n"), "{said}");
    // A copy would lie in the project.
    let within = sandbox.project.join("src").display().to_string();
    let said = told_by(&sandbox.run_with(&["."], &[("TMPDIR", &within), ("TMP", &within)]));
    assert!(said.contains("the temporary folder ") && said.contains(" lies in "), "{said}");
}

#[cfg(unix)]
#[test]
fn a_lock_file_that_is_nowhere() {
    let sandbox = Sandbox::new("hindered");
    assert_eq!(sandbox.check(&[]).json["lock"], "missing");
    std::os::unix::fs::symlink("nowhere", sandbox.project.join("Cargo.lock")).expect("a link");
    let said = sandbox.error(&["."]);
    assert!(said.contains("Cargo.lock: "), "{said}");
}

/// Lines of [patch] that are not used, and are not ours.
#[test]
fn foreign() {
    let (version, ours) = (version_of("blake3"), adapters().join("blake3").display().to_string());
    let blake3 = |answer: &Answer| answer.why("blake3", "1.5.0").to_owned();
    let sandbox = Sandbox::new("none");
    let fork = sandbox.project.join("../fork");
    write(&fork.join("Cargo.toml"), "[package]\nname = \"blake3\"\nversion = \"1.8.0\"\n[features]\nstd = []\n");
    write(&fork.join("src/lib.rs"), "");
    sandbox.edit("", "\n[patch.crates-io]\nblake3 = { path = \"../fork\" }\n");
    let answer = sandbox.check(&[]);
    let why = "a line of [patch] for 1.8.0, which is not ours, is not used, and the adapter has ";
    assert_eq!((answer.status, blake3(&answer)), (1, format!("{why}{version}")));
    let line = format!("blake3-simd-digest = {{ package = \"blake3\", path = \"{ours}\" }}");
    assert!(strings(&answer.json["missing"]["patch"]).contains(&line.as_str()), "{}", answer.json);
    sandbox.obey(&answer);
    let answer = sandbox.check(&[]);
    let states = [("blake2b_simd", "blake2b_simd", "ours-by-patch"), ("blake3", "blake3", "ours-by-patch")];
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
    // An adapter for another registry or repository.
    let sandbox = Sandbox::new("none");
    sandbox.edit("", &format!("\n[patch.\"https://example.org/hashes\"]\nblake3 = {{ path = \"{ours}\" }}\n"));
    let answer = sandbox.check(&[]);
    let why = format!("a line of [patch] for {version}, which is not ours, is not used, and the adapter has {version}");
    assert_eq!((answer.status, blake3(&answer)), (1, why));
    let line = format!("blake3 = {{ path = \"{ours}\" }}");
    assert!(strings(&answer.json["missing"]["patch"]).contains(&line.as_str()), "{}", answer.json);
    // Ours, by a path that is relative to the folder of the configuration's folder.
    let sandbox = Sandbox::new("none");
    let folder = sandbox.project.parent().expect("a parent");
    let up = "../".repeat(folder.ancestors().count() - 1);
    let line = format!("blake3 = {{ path = \"{up}{}\" }}\n", ours.trim_start_matches('/'));
    write(&folder.join(".cargo/config.toml"), &format!("[patch.crates-io]\n{line}"));
    let answer = sandbox.check(&[]);
    assert_eq!(blake3(&answer), format!("the line of [patch] has {version}, so it is not used"));
}

/// A manifest that names the registry by its index.
#[test]
fn by_the_index() {
    let sandbox = Sandbox::new("none");
    let heading = "[patch.\"https://github.com/rust-lang/crates.io-index\"]";
    sandbox.edit("", &format!("\n{heading}\n"));
    let answer = sandbox.check(&[]);
    assert_eq!(format!("[{}]", text(&answer.json["missing"]["patch_table"])), heading);
    assert!(sandbox.text(&[]).contains(&format!("Add to {heading} of ")));
    sandbox.obey(&answer);
    let answer = sandbox.check(&[]);
    let states = [("blake2b_simd", "blake2b_simd", "ours-by-patch"), ("blake3", "blake3", "ours-by-patch")];
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
}

/// A lock file with an older `digest` than the adapter and the library need. Another crate needs it, too.
#[test]
fn older() {
    let sandbox = Sandbox::new("older");
    let command = "cargo update -p digest@0.11.0";
    let answer = sandbox.check(&[]);
    assert_eq!(answer.json["lock"], "as-it-is");
    assert_eq!(strings(&answer.json["missing"]["before"]), [command]);
    let first = format!("\nFirst run in {}:\n\n{command}\n", sandbox.project.display());
    assert!(sandbox.text(&[]).contains(&first));
    // The lines without the command.
    let lines = strings(&answer.json["missing"]["patch"]).join("\n");
    sandbox.edit("", &format!("\n[patch.crates-io]\n{lines}\n"));
    let said = sandbox.error(&["."]);
    assert!(said.contains(&first), "{said}");
    sandbox.cargo(&["update", "-p", "digest@0.11.0"]);
    let answer = sandbox.check(&[]);
    let states = [("sha1", "0.11.0", "nothing-to-patch"), ("sha2", "sha2", "ours-by-patch")];
    assert_eq!((answer.status, answer.states()), (0, expected(&states)));
    // The command, and then the lines.
    let sandbox = Sandbox::new("older");
    sandbox.obey(&sandbox.check(&[]));
    assert_eq!(sandbox.check(&[]).states(), answer.states());
}

#[test]
fn levels() {
    let sandbox = Sandbox::new("none");
    let lacks = |variables: &[(&str, &str)]| {
        let output = sandbox.run_with(&[".", "--json"], variables);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        report["missing"]["profile"] == true
    };
    assert!(lacks(&[]));
    let text = sandbox.text(&[]);
    assert!(text.contains("without optimisation: BLAKE3 and SHA-256 take many times as long.\n"), "{text}");
    assert!(!text.contains("may carry code"), "{text}");
    assert!(!lacks(&[("CARGO_PROFILE_DEV_OPT_LEVEL", "1")]));
    assert!(lacks(&[("CARGO_PROFILE_DEV_OPT_LEVEL", "0")]));
    sandbox.edit("", "\n[profile.dev.package.\"simd-digest@0.1.0\"]\nopt-level = 3\n");
    assert!(!lacks(&[]));
    sandbox.edit("simd-digest@0.1.0", "simd-digest:0.1.0");
    assert!(!lacks(&[]));
    sandbox.edit("opt-level = 3", "opt-level = 0");
    assert!(lacks(&[("CARGO_PROFILE_DEV_OPT_LEVEL", "1")]));
    let manifest = sandbox.project.join("Cargo.toml");
    let set = format!("Set opt-level in [profile.dev.package.\"simd-digest:0.1.0\"] of {} to 3.", manifest.display());
    let text = sandbox.text(&[]);
    assert!(text.contains(&set) && !text.contains("opt-level = 3"), "{text}");
    // BLAKE2 is fast enough as it is.
    sandbox.edit("blake3 = { version = \"1\", features = [\"std\"] }", "");
    assert!(!lacks(&[]));
}

/// The cargo and the toolchain that `cargo run` names are not the project's.
#[test]
fn toolchain() {
    let sandbox = Sandbox::new("none");
    let variables = [("CARGO", "no-such-cargo"), ("RUSTUP_TOOLCHAIN", "no-such-toolchain")];
    let run = |name| sandbox.run_with(&["."], &[&variables[..], &[("CARGO_PKG_NAME", name)]].concat());
    assert_eq!(run("compat-check").status.code(), Some(1));
    // A user may name a cargo.
    assert_eq!(run("").status.code(), Some(2));
}
