#!/usr/bin/env python3
"""Runs the test suites of others over the crates of this folder.

crates/compat/run.py [SUITE…] [--backend best|portable]… [--list] [--quick] [--features] [--measure [--debug]]

Takes the published packages of suites.toml from the registry, and puts their tests over ours by `[patch]`. Nothing of
theirs is kept in the repository. Ends with "N passed, N failed". The status is 1 if a failure is not explained in
suites.toml, or a suite did not compile or ran no test.

Python, for suites.toml and for the tests that are cut out of sources; its standard library is enough.
"""

import argparse
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
SUITES = tomllib.loads((HERE / "suites.toml").read_text())
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target")).resolve() / "compat"
BACKENDS = {"best": [], "portable": ["--cfg", 'simd_digest_backend="portable"']}
PROFILE = """
[profile.dev]
debug = 0
opt-level = 1
[profile.dev.package.simd-digest]
opt-level = 2
codegen-units = 1
# They compute nothing.
[profile.dev.package]
clap_builder.opt-level = 0
rustix.opt-level = 0
serde_core.opt-level = 0
serde_json.opt-level = 0
"""
# Every suite asks for these, so that the library is compiled once for a backend, and not once for each set of features.
# That an adapter asks for all that it needs is seen by clippy, which has it alone.
SHARED = {
    "simd-digest": {"path": str(TOP), "default-features": False,
                    "features": ["alloc", "blake2", "blake3", "rayon", "sha2", "std", "zeroize"]},
    "digest": {"version": "0.11", "features": ["alloc", "block-api", "dev", "mac", "oid", "zeroize"]},
    # Peers ask for its macro.
    "zeroize": {"version": "1", "features": ["derive"]},
}
# The macro stands on this crate, and one suite asks for the feature. Macros are compiled for the machine that builds, so
# the others ask for it there.
SHARED_BY_MACROS = {"proc-macro2": {"version": "1", "features": ["span-locations"]}}
# Of projects that hash a few bytes.
UNOPTIMISED = """
[profile.dev]
debug = 0
"""
# What README.md has for debug builds.
FAST_DEBUG = """
[profile.dev.package.simd-digest]
opt-level = 3
"""


class Broken(Exception):
    """A suite that cannot be run, and why."""


def inline(value):
    """A value as TOML, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {inline(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def manifest(**tables):
    """A manifest of tables whose values stand on one line each."""
    lines = []
    for name, table in tables.items():
        lines.append(f"[{name.replace('_', '-')}]")
        lines += [f"{json.dumps(key)} = {inline(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def cargo(folder, backend, *arguments):
    """Runs cargo with the flags of a backend. Gives its output, and whether all was well."""
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(TARGET / backend),
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(BACKENDS[backend] + ["--cap-lints", "allow"]),
        "CARGO_INCREMENTAL": "0",
        "CARGO_TERM_COLOR": "never",
        # rustdoc does not optimise examples, and some derive keys in a million rounds.
        "CARGO_ENCODED_RUSTDOCFLAGS": "\x1f".join([*BACKENDS[backend], "-Copt-level=1"]),
    }
    command = ["cargo", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    return done.stdout, done.returncode == 0


def published(name, requirement):
    """What the registry's client tells of a published package, the newest that fits. Nothing if it has no library."""
    folder = TARGET / "fetch" / f"{name}-{requirement.lstrip('=')}"
    write(folder / "src/lib.rs", "")
    package = {"name": "fetch", "version": "0.0.0", "edition": "2024"}
    dependency = {"version": requirement, "default-features": False}
    # Resolver 3 hides versions that need a newer compiler.
    tables = {"package": package, "workspace": {"resolver": "2"}, "dependencies": {name: dependency}}
    write(folder / "Cargo.toml", manifest(**tables))
    if not requirement.startswith("="):
        # What was the newest in an earlier run.
        (folder / "Cargo.lock").unlink(missing_ok=True)
    output, well = cargo(folder, "best", "metadata", "--format-version=1", "--quiet")
    if not well:
        raise Broken(f"{name} {requirement} is not to be had:\n{output}")
    for line in output.splitlines():
        if line.startswith("{"):
            for package in json.loads(line)["packages"]:
                exact = f"={package['version']}" == requirement or not requirement.startswith("=")
                if package["name"] == name and package["source"] and exact:
                    return package
    return None


def unpacked(name, version):
    """The folder of a published package, as the registry's client has unpacked it."""
    package = published(name, f"={version}")
    if package:
        return Path(package["manifest_path"]).parent
    done(TARGET / "fetch" / f"{name}-{version}", "fetch", "--quiet")
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    for folder in home.glob(f"registry/src/index.crates.io-*/{name}-{version}"):
        return folder
    raise Broken(f"{name} {version} is not to be had")


def adapters():
    """The folders of all adapters. compat-check beside them is a program."""
    return sorted(path.parent.parent.name for path in HERE.glob("*/src/lib.rs"))


def features_of_peers():
    """The newest version of each peer that may take the place of the adapter's, and its features, as features.txt."""
    text = "# Each adapter, the version of its peer, and the peer's features: crates/compat/run.py --features\n"
    for adapter in adapters():
        ours = adapter_of(adapter)["package"]
        peer = published(ours["name"], f"^{ours['version']}")
        text += f"{adapter} {peer['version']}: {' '.join(sorted(peer['features']))}\n"
    return text


def check_features():
    """Whether features.txt has all adapters, of their versions, and what the registry has, and each adapter has these
    features. Gives their names."""
    lines = [line for line in (HERE / "features.txt").read_text().splitlines() if not line.startswith("#")]
    known = {words[0]: (words[1].rstrip(":"), words[2:]) for words in map(str.split, lines)}
    if sorted(known) != adapters():
        raise Broken(f"features.txt has {sorted(known)}, and the adapters are {adapters()}")
    passed = []
    for adapter, (version, features) in known.items():
        ours = adapter_of(adapter)["package"]
        if version != ours["version"]:
            raise Broken(f"features.txt has {adapter} {version}, and the adapter is {ours['version']}")
        theirs = sorted(published(ours["name"], f"={version}")["features"])
        if features != theirs:
            raise Broken(f"features.txt has {features} of {adapter}, and the registry has {theirs}")
        folder = TARGET / "scratch/best/features" / adapter
        shutil.rmtree(folder, ignore_errors=True)
        write(folder / "src/lib.rs", "")
        write(folder / "Cargo.toml", manifest(
            package={"name": "features", "version": "0.0.0", "edition": "2024"},
            workspace={},
            dependencies={ours["name"]: {"path": str(HERE / adapter), "version": f"={version}",
                                         "default-features": False, "features": features}},
        ))
        done(folder, "metadata", "--format-version=1", "--quiet")
        passed += [f"{adapter}: {feature}" for feature in features]
    return passed


def check_newest():
    """Whether the registry has a newer version of a peer, or other features, than features.txt. Gives its lines."""
    known = (HERE / "features.txt").read_text().splitlines()
    newest = features_of_peers().splitlines()
    newer = [line for line in newest if line not in known]
    if newer:
        raise Broken("the registry has, and features.txt has not:\n" + "\n".join(newer))
    return newest[1:]


def adapter_of(folder):
    """The table `package` of an adapter."""
    return tomllib.loads((HERE / folder / "Cargo.toml").read_text())


def configured(folder, patches, profile=PROFILE):
    """Writes what holds for all of a scratch folder: the profile, and the adapters in place of the peers."""
    write(folder / ".cargo/config.toml", profile + manifest(**{"patch.crates-io": patches_of(patches)}))


def patches_of(folders, by="path"):
    """The lines of `[patch]` for these adapters. The key of one for an older version is its folder's name."""
    patches = {}
    for adapter in folders:
        ours = adapter_of(adapter)["package"]
        patch = {"git": TOP.as_uri(), "version": ours["version"]} if by == "git" else {"path": str(HERE / adapter)}
        patches[adapter] = patch if adapter == ours["name"] else {"package": ours["name"], **patch}
    return patches


def over_ours(folder, adapter):
    """Whether the lock file has the adapter and not the registry's package of its version."""
    ours = adapter_of(adapter)["package"]
    lock = tomllib.loads((folder / "Cargo.lock").read_text())["package"]
    found = [package for package in lock if (package["name"], package["version"]) == (ours["name"], ours["version"])]
    return any("registry" not in package.get("source", "") for package in found)


def check_over_ours(folder, suite):
    names = set()
    for adapter in suite["adapters"]:
        if not over_ours(folder, adapter):
            raise Broken(f"{adapter} is not ours in Cargo.lock")
        names.add(adapter_of(adapter)["package"]["name"])
    for package in tomllib.loads((folder / "Cargo.lock").read_text())["package"]:
        if package["name"] in names and "registry" in package.get("source", ""):
            raise Broken(f"the registry's {package['name']} {package['version']} is in Cargo.lock too")


def item(text, keyword, name):
    """The lines of an item of a formatted source, with its attributes, from first to last."""
    lines = text.splitlines()
    start = re.compile(rf"( *)(pub(\([a-z]+\))? )?(const )?{keyword} {name}\b")
    for number, line in enumerate(lines):
        found = start.match(line)
        if found:
            first = number
            while first and re.match(r" *(#\[|//)", lines[first - 1]):
                first -= 1
            last = number
            while lines[last] != found[1] + "}":
                last += 1
            return first, last
    raise Broken(f"no {keyword} {name} there")


def framed(suite, source):
    """The frame of a suite, with the tests of a source in it."""
    edits = suite.get("edits", {})

    def text_of(name):
        text = (source / name).read_text()
        for edit in edits.get(name, []):
            if edit["from"] not in text:
                raise Broken(f"{name} does not have {edit['from']}")
            text = text.replace(edit["from"], edit["to"])
        for left_out in suite.get("left_out", {}):
            file, _, what = left_out.partition(": ")
            if file == name and what:
                first, last = item(text, *what.split())
                lines = text.splitlines()
                text = "\n".join(lines[:first] + lines[last + 1 :]) + "\n"
        return text

    def put(found):
        keyword, name, *rest = found[1].split()
        text = text_of(name)
        if keyword == "file":
            return text
        first, last = item(text, {"item": "fn", "module": "mod"}[keyword], rest[0])
        return "\n".join(text.splitlines()[first : last + 1])

    frame = HERE / "frames" / f"{source.parent.name.rpartition('-')[0]}.rs"
    text = re.sub(r"@([a-z]+ [^@\n]+)@", put, frame.read_text())
    tests = sum(tests_in(file.read_text()) for file in source.rglob("*.rs"))
    if tests_in(text) + left_out(suite, source) != tests:
        raise Broken(f"the peer has {tests} tests: {tests_in(text)} are in the frame, "
                     f"and {left_out(suite, source)} are left out by name")
    return text


def tests_in(text):
    return len(re.findall(r"^ *#\[test\]$", text, re.MULTILINE))


def left_out(suite, package):
    """The number of tests that are left out by name, of the sources in this folder."""
    count = 0
    for name in suite.get("left_out", {}):
        file, _, what = name.partition(": ")
        if not (package / file).is_file():
            raise Broken(f"{file}, which is left out, is not there")
        lines = (package / file).read_text().splitlines()
        first, last = item("\n".join(lines), *what.split()) if what else (0, len(lines) - 1)
        count += tests_in("\n".join(lines[first : last + 1]))
    return count


def prepare_tests(folder, suite, package):
    """The peer's tests and README as a package of its own that needs the peer."""
    peer = tomllib.loads((package / "Cargo.toml").read_text())
    ours = adapter_of(suite["adapters"][0])
    name, version = ours["package"]["name"], ours["package"]["version"]
    features = {feature: ([f"{name}/{feature}"] if feature != "default" else needs)
                for feature, needs in ours["features"].items()}
    shutil.copytree(package / "tests", folder / "tests")
    shutil.copy(package / "README.md", folder / "README.md")
    write(folder / "src/lib.rs", '#![doc = include_str!("../README.md")]\n')
    write(folder / "Cargo.toml", manifest(
        package={"name": f"suite-{name}", "version": "0.0.0", "edition": peer["package"]["edition"]},
        workspace={},
        features=features,
        dependencies={name: {"version": f"={version}", "default-features": False}},
        dev_dependencies=peer["dev-dependencies"],
    ))
    configured(folder, suite["adapters"])


def prepare_unit(folder, suite, package):
    """The unit tests of the peer in a frame, over the adapter by its path: beside it, an oracle may be the peer."""
    peer = tomllib.loads((package / "Cargo.toml").read_text())
    name = peer["package"]["name"]
    features = suite["features"]
    ours = {"package": name, "path": str(HERE / suite["adapters"][0]), "default-features": False, "features": features}
    needs = {key: value for key, value in peer.get("dependencies", {}).items() if key in ("arrayvec", "zeroize")}
    needs = {key: {k: v for k, v in value.items() if k != "optional"} for key, value in needs.items()}
    dev = peer.get("dev-dependencies", {})
    if name == "blake3":
        write(folder / "reference_impl/src/lib.rs", (HERE / "frames/reference_impl.rs").read_text())
        write(folder / "reference_impl/Cargo.toml", manifest(
            package={"name": "reference_impl", "version": "0.0.0", "edition": "2024"},
            dependencies={"blake3": f"={suite['version']}"},
        ))
        dev = dev | {"reference_impl": {"path": "reference_impl"}}
    write(folder / "src/lib.rs", framed(suite, package / "src"))
    write(folder / "Cargo.toml", manifest(
        package={"name": f"suite-{name}", "version": "0.0.0", "edition": peer["package"]["edition"]},
        workspace={},
        features={"default": features} | {feature: [] for feature in features},
        dependencies={"adapter": ours} | needs,
        dev_dependencies=dev,
    ))
    configured(folder, [])


def prepare_dependent(folder, suite, package):
    """The package as it is, a workspace of its own."""
    shutil.copytree(package, folder, dirs_exist_ok=True)
    for leftover in ("Cargo.lock", "Cargo.toml.orig", ".cargo-ok", "rust-toolchain.toml", "rust-toolchain"):
        (folder / leftover).unlink(missing_ok=True)
    for left_out in suite.get("left_out", {}):
        # The manifest names its tests, so an empty file stays.
        if not (folder / left_out).is_file():
            raise Broken(f"{left_out} is not there")
        write(folder / left_out, "")
    # Without its oldest compiler, cargo takes the newest versions that this one compiles, as for the other suites. With an
    # older version of one crate, the library would be compiled once more.
    text = re.sub(r"^rust-version = .*\n", "", (folder / "Cargo.toml").read_text(), flags=re.MULTILINE)
    # Cargo would compile what only the benches need, which takes longer than some libraries.
    text = re.sub(r"^\[(dev-dependencies\.criterion|\[bench\])\]\n([^\[\n].*\n|\n)*", "", text, flags=re.MULTILINE)
    write(folder / "Cargo.toml", text + "\n[workspace]\n")
    configured(folder, suite["adapters"])


def prepare_beside(folder, suite, _):
    """Tests of ours that compare the adapter with the published peer: `ours` and `theirs`, without a patch."""
    peer = adapter_of(suite["adapters"][0])["package"]["name"]
    needs = {
        "ours": {"package": peer, "path": str(HERE / suite["adapters"][0]), "features": suite.get("needs", [])},
        "theirs": {"package": peer, "version": f"={suite['version']}", "features": suite.get("needs", [])},
    }
    shutil.copytree(HERE / "frames/beside", folder / "src")
    write(folder / "Cargo.toml", manifest(
        package={"name": "beside", "version": "0.0.0", "edition": "2024"},
        workspace={},
        lib={"path": f"src/{suite['adapters'][0]}.rs"},
        dependencies=needs,
    ))
    configured(folder, [])


def prepare_fresh(folder, suite, _):
    """A project that knows nothing of ours except lines of `[patch]`, or one renamed dependency."""
    patches = patches_of(suite["adapters"], suite.get("by"))
    needs = suite["needs"]
    if suite.get("by") == "name":
        needs = {"blake2": {"package": "simd-digest", "path": str(TOP), "features": ["reset"]}}
    tables = {
        "package": {"name": "fresh", "version": "0.0.0", "edition": "2024"},
        "workspace": {},
        "features": {"cured": []} if suite["kind"] == "refused" else {},
        "dependencies": needs,
    }
    source = "src/main.rs"
    if suite.get("bare"):
        source = "src/lib.rs"
        tables |= {"lib": {"crate-type": ["staticlib"]}, "profile.dev": {"panic": "abort"}}
    write(folder / source, (HERE / "frames" / suite["frame"]).read_text())
    configured(folder, [], UNOPTIMISED)
    if suite.get("by") == "check":
        return patched_by_check(folder, suite, manifest(**tables))
    for adapter, version in suite.get("locked", {}).items():
        name = locked_at(folder, adapter, version, manifest(**tables))
        write(folder / "Cargo.toml", manifest(**tables, **{"patch.crates-io": patches}))
        done(folder, "metadata", "--format-version=1", "--quiet")
        if over_ours(folder, adapter):
            raise Broken(f"a lock file with {name} {version} is no hindrance, so the README need not speak of it")
        # As the README tells.
        done(folder, "update", name, "--precise", adapter_of(adapter)["package"]["version"])
        if str(HERE / adapter) not in done(folder, "tree", "-i", name):
            raise Broken(f"cargo tree does not name {adapter}")
    write(folder / "Cargo.toml", manifest(**tables, **{"patch.crates-io": patches}))


def locked_at(folder, adapter, version, text):
    """Writes a project whose lock file has this version of the crate that an adapter stands for. Gives its name."""
    write(folder / "Cargo.toml", text)
    name = adapter_of(adapter)["package"]["name"]
    done(folder, "update", name, "--precise", version)
    return name


def patched_by_check(folder, suite, text):
    """Runs a project over the registry's crates, and does what compat-check tells."""
    for adapter, version in suite["locked"].items():
        locked_at(folder, adapter, version, text)
    done(folder, "run", "--quiet")
    done(TOP, "build", "--locked", "--quiet", "-p", "compat-check")
    status, report = checked(folder)
    states = [found["state"] for found in report["crates"]]
    if status != 1 or states != ["could-be-ours"] * len(suite["adapters"]):
        raise Broken(f"compat-check does not see what could be ours: status {status}, {states}")
    missing = report["missing"]
    run_all(folder, missing["before"])
    write(folder / "Cargo.toml", text + "\n".join(["[patch.crates-io]", *missing["patch"], ""]))
    run_all(folder, missing["after"])
    status, report = checked(folder)
    states = [found["state"] for found in report["crates"]]
    if status != 0 or states != ["ours-by-patch"] * len(suite["adapters"]):
        raise Broken(f"what compat-check tells is not enough: status {status}, {states}")


def checked(folder):
    """What compat-check says of a project: its exit status and its report."""
    command = [TARGET / "best/debug/compat-check", "--json", folder]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        raise Broken(done.stderr)
    return done.returncode, json.loads(done.stdout)


def run_all(folder, commands):
    for command in commands:
        done(folder, *command.removeprefix("cargo ").split())


def done(folder, *arguments, backend="best"):
    """The output of cargo, which must succeed."""
    output, well = cargo(folder, backend, *arguments)
    if not well:
        raise Broken(f"cargo {' '.join(arguments)}:\n{output}")
    return output


def shared(folder):
    """What a suite in this folder asks for beside its own needs. One that needs digest 0.10 has that name for it already."""
    package = tomllib.loads((folder / "Cargo.toml").read_text())
    own = [package.get(table, {}).get("digest", "") for table in ("dependencies", "dev-dependencies")]
    versions = [need if isinstance(need, str) else need.get("version", "") for need in own]
    if not any(version.lstrip("=^~").startswith("0.10") for version in versions):
        return SHARED
    needs = dict(SHARED)
    needs["shared_digest"] = {"package": "digest"} | needs.pop("digest")
    return needs


CHECKS = {"features": check_features, "newest": check_newest}
PREPARE = {"tests": prepare_tests, "unit": prepare_unit, "dependent": prepare_dependent,
           "fresh": prepare_fresh, "refused": prepare_fresh, "beside": prepare_beside}


def run(name, suite, backend):
    """Runs a suite on a backend. Gives the names of tests that passed, what those printed that failed, by their names,
    and the number that is ignored."""
    if suite["kind"] in CHECKS:
        return CHECKS[suite["kind"]](), [], 0
    package = unpacked(suite.get("package", name), suite["version"]) if "version" in suite else None
    folder = TARGET / "scratch" / backend / name.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    PREPARE[suite["kind"]](folder, suite, package)
    if suite["kind"] == "fresh":
        output, well = cargo(folder, backend, "build" if suite.get("bare") else "run", "--quiet")
        if not well:
            raise Broken(output)
        check_over_ours(folder, suite)
        return [name], [], 0
    if suite["kind"] == "refused":
        return refused(folder, suite), [], 0
    with (folder / "Cargo.toml").open("a") as file:
        file.write("\n" + manifest(**{
            "target.'cfg(all())'.dependencies": shared(folder),
            "target.'cfg(all())'.build-dependencies": SHARED_BY_MACROS,
        }))
    passed, failed, ignored = [], [], 0
    for features in runs_of(suite):
        # A frame has its features by default.
        arguments = [] if suite["kind"] == "unit" else features.split()
        output, well = cargo(folder, backend, "test", "--no-fail-fast", *arguments)
        (folder / "output.txt").write_text(output)
        answers = re.findall(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)", output, re.MULTILINE)
        ours = [test for test, answer in answers if answer == "ok"]
        theirs = [test for test, answer in answers if answer == "FAILED"]
        said = re.findall(r"^---- (.+?) stdout ----\n(.*?)(?=^---- |^failures:$|\Z)", output, re.MULTILINE | re.DOTALL)
        sums = [sum(map(int, column)) for column in
                zip(*re.findall(r"^test result: .*? (\d+) passed; (\d+) failed;", output, re.MULTILINE))] or [0, 0]
        # A target that dies before it counts its tests must not hide behind a failure that is explained.
        counted = len(re.findall(r"^test result: FAILED", output, re.MULTILINE))
        reported = re.findall(r"^error: (\d+) targets? failed:", output, re.MULTILINE)
        if list(map(int, reported)) != ([] if well else [counted]) or well != (not theirs):
            raise Broken(f"did not compile, or could not be run {features}:\n" + output[-6000:])
        if not ours:
            raise Broken(f"ran no test {features}")
        if sums != [len(ours), len(theirs)] or sorted(theirs) != sorted(test for test, _ in said):
            raise Broken(f"{sums} were counted, and {len(ours)}, {len(theirs)} read {features}")
        if suite["kind"] not in ("unit", "beside"):
            check_over_ours(folder, suite)
        passed, failed = passed + ours, failed + said
        ignored += sum(answer == "ignored" for _, answer in answers)
    if "compared" in suite:
        equal, different = compare(name, suite, package, folder, backend)
        passed, failed = passed + equal, failed + different
    return passed, failed, ignored


def refused(folder, suite):
    """Whether the compiler says what the adapters' documentation quotes, and takes the cures. Gives what it says."""
    output, well = cargo(folder, "best", "check", "--quiet")
    if well:
        raise Broken("it compiles without a cure")
    check_over_ours(folder, suite)
    said = []
    for adapter in suite["adapters"]:
        source = (HERE / adapter / "src/lib.rs").read_text()
        quoted = re.findall(r"^//! (?:error\[E\d+\]|note): (.*)$", source, re.MULTILINE)
        if not quoted:
            raise Broken(f"the documentation of {adapter} quotes no error")
        for text in quoted:
            if not re.search(re.escape(text).replace("…", ".*"), output):
                raise Broken(f"the compiler does not say: {text}\n{output}")
            said.append(f"{adapter}: {text}")
    done(folder, "check", "--quiet", "--features", "cured")
    return said


def compare(name, suite, package, folder, backend):
    """Runs the lines of `compared` by a shell that finds the program over ours, and by one that finds it over its peer.
    Gives the lines of the equal outputs, and both outputs of the others."""
    peers = folder.with_name(folder.name + "-over-its-peer")
    shutil.rmtree(peers, ignore_errors=True)
    prepare_dependent(peers, suite | {"adapters": []}, package)
    outputs = []
    for place in folder, peers:
        done(place, "build", backend=backend)
        if over_ours(place, suite["adapters"][0]) != (place == folder):
            raise Broken(f"{name} in {place} is over the wrong crate")
        files = place / "compared"
        files.mkdir()
        (place / "bin").mkdir()
        shutil.copy2(TARGET / backend / "debug" / name, place / "bin" / name)
        for length in suite["files"]:
            (files / str(length)).write_bytes((bytes(range(251)) * (length // 251 + 1))[:length])
        environment = os.environ | {"PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
        outputs.append([
            subprocess.run(["sh", "-c", line], cwd=files, env=environment, capture_output=True, timeout=60)
            for line in suite["compared"]])
    if (folder / "bin" / name).read_bytes() == (peers / "bin" / name).read_bytes():
        raise Broken(f"{name} is one program, over whichever crate")
    passed, failed = [], []
    for line, ours, theirs in zip(suite["compared"], *outputs):
        ours, theirs = ((done.returncode, done.stdout, done.stderr) for done in (ours, theirs))
        if not any(theirs[1:]):
            raise Broken(f"{line}: the peer prints nothing")
        if ours == theirs:
            passed.append(line)
        else:
            failed.append((line, f"ours: {ours}\ntheirs: {theirs}"))
    return passed, failed


def runs_of(suite):
    """The arguments for cargo that choose features, one string for each run."""
    return [" ".join(suite["features"])] if suite["kind"] == "unit" else suite.get("features", [""])


def described(suite):
    """The sets of features of a suite, for the table."""
    if suite["kind"] in ("fresh", "refused", *CHECKS):
        return ""
    return ", ".join(runs.removeprefix("--").removeprefix("features ") or "default" for runs in runs_of(suite))


def measure(backend, debug):
    """Prints how long the adapters take beside their peers. With `debug`, in a build without optimisation, and in one that
    has README's lines of `[profile]` beside it."""
    folder = TARGET / "scratch" / backend / "measure"
    needs = {"rustix": {"version": "1", "features": ["time"]}}
    for adapter in adapters():
        ours = adapter_of(adapter)["package"]
        name = adapter.replace("-", "_")
        needs[f"ours_{name}"] = {"package": ours["name"], "path": str(HERE / adapter)}
        needs[f"theirs_{name}"] = {"package": ours["name"], "version": f"={ours['version']}"}
    write(folder / "src/main.rs", (HERE / "frames/measure.rs").read_text())
    write(folder / "Cargo.toml", manifest(
        package={"name": "measure", "version": "0.0.0", "edition": "2024"}, workspace={}, dependencies=needs))
    builds = {"release": PROFILE}
    if debug:
        builds = {"debug, without the lines of [profile]": UNOPTIMISED, "debug, with them": UNOPTIMISED + FAST_DEBUG}
    for title, profile in builds.items():
        print(title, flush=True)
        configured(folder, [], profile)
        output, well = cargo(folder, backend, "build", "--quiet", *([] if debug else ["--release"]))
        if not well:
            sys.exit(output)
        program = TARGET / backend / ("debug" if debug else "release") / "measure"
        subprocess.run([program, *(["debug"] if debug else [])], check=True)


def probe(backend):
    """The name of the backend that programs built with these flags compute on."""
    folder = TARGET / "scratch" / backend / "probe"
    write(folder / "src/main.rs", (HERE / "frames/probe.rs").read_text())
    write(folder / "Cargo.toml", manifest(
        package={"name": "probe", "version": "0.0.0", "edition": "2024"},
        workspace={},
        dependencies={"blake2b_simd": {"path": str(HERE / "blake2b_simd")}, **SHARED},
        build_dependencies=SHARED_BY_MACROS,
    ))
    configured(folder, [])
    output, well = cargo(folder, backend, "run", "--quiet")
    if not well:
        sys.exit(output)
    return output.strip().splitlines()[-1]


def cpu_seconds():
    """The time that all processes have taken that this one has started and that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def listed():
    for name, suite in SUITES.items():
        print(f"{name}: {suite.get('package', name)} {suite.get('version', '')} over {', '.join(suite['adapters'])}"
              + (", quick" if suite.get("quick") else ""))
        for what, why in suite.get("left_out", {}).items():
            print(f"    left out: {what}: {why}")
        for file, edits in suite.get("edits", {}).items():
            for edit in edits:
                print(f"    changed: {file}: {edit['why']}")
        for test, reason in suite.get("explained", {}).items():
            print(f"    explained on {', '.join(reason['backends'])}: {test}: {reason['why']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--backend", action="append", choices=list(BACKENDS))
    parser.add_argument("--list", action="store_true", help="the suites, what is left out of them, and why")
    parser.add_argument("--quick", action="store_true", help="the suites for CI")
    parser.add_argument("--features", action="store_true", help="features.txt anew, from the registry")
    parser.add_argument("--measure", action="store_true", help="times beside those of the peers, on a quiet machine")
    parser.add_argument("--debug", action="store_true", help="with --measure: of builds without optimisation")
    options = parser.parse_args()
    if options.debug and not options.measure:
        parser.error("--debug needs --measure")
    if options.list:
        return listed()
    unknown = [name for name in options.suites if name not in SUITES]
    if unknown:
        parser.error(f"no such suite: {', '.join(unknown)}")
    TARGET.mkdir(parents=True, exist_ok=True)
    lock = open(TARGET / "lock", "w")  # until the end: two runs would share their scratch folders
    fcntl.flock(lock, fcntl.LOCK_EX)
    if options.features:
        print(features_of_peers(), end="")
        return False
    if options.measure:
        for backend in options.backend or ["best"]:
            measure(backend, options.debug)
        return False
    suites = options.suites or [name for name, suite in SUITES.items() if suite.get("quick") or not options.quick]
    all_passed = all_failed = explained = 0
    broken = False
    rows = []
    # Whether a line of `[patch]` is taken does not depend on the backend.
    alone = dict.fromkeys(["fresh", "refused", *CHECKS], "best")
    if options.quick:
        # An adapter's own suite asks it for more than dependents do, and compiles its peer for a backend.
        alone |= {"tests": "portable", "unit": "portable", "beside": "best", "dependent": "best"}
    for backend in options.backend or list(BACKENDS):
        known_as = probe(backend)
        print(f"built for {backend}: the backend is {known_as}", flush=True)
        if backend == "portable" and known_as != "portable":
            sys.exit("the portable run would not be portable")
        for name in suites:
            suite = SUITES[name]
            if alone.get(suite["kind"], backend) != backend and not options.backend:
                continue
            began = cpu_seconds()
            whys, failed, passed = [], [], []
            try:
                passed, failed, ignored = run(name, suite, backend)
                if ignored:
                    whys.append(f"{ignored} ignored by its authors")
            except Broken as why:
                broken = True
                print(f"{name}, {backend}: {why}", file=sys.stderr)
                whys.append("BROKEN: " + str(why).partition("\n")[0])
            reasons = {test: reason for test, reason in suite.get("explained", {}).items()
                       if backend in reason["backends"]}
            for test, said in failed:
                expected = test in reasons and reasons[test]["says"] in said
                explained += expected
                broken |= not expected
                whys.append(f"{test}: {reasons[test]['why'] if expected else 'NOT EXPLAINED'}")
            for test in reasons:
                if test in passed:
                    broken = True
                    whys.append(f"{test} passed, though a failure is explained")
            if suite.get("left_out"):
                folder = unpacked(name, suite["version"]) / ("src" if suite["kind"] == "unit" else "")
                whys.append(f"{left_out(suite, folder)} left out, see --list")
            rows.append((name, described(suite), known_as, len(passed), len(failed), "; ".join(whys)))
            all_passed, all_failed = all_passed + len(passed), all_failed + len(failed)
            took = cpu_seconds() - began
            print(f"    {name}: {len(passed)} passed, {len(failed)} failed, {took:.0f} CPU seconds", flush=True)
    print()
    titles = "suite", "features", "backend", "passed", "failed", "why"
    for name, features, backend, passed, failed, why in [titles, *rows]:
        print(f"{name:26} {features:47} {backend:9} {passed:>6} {failed:>6}  {why}".rstrip())
    if all_failed:
        print(f"{explained} of the failures are explained")
    print(f"{all_passed} passed, {all_failed} failed")
    return broken


sys.exit(main())
