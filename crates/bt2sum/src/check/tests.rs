//! Checks of lists with one damaged bit.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Parser;

use super::*;
use crate::output::Format;

/// Files whose digests begin with 3 and with c, digits that one bit makes a `#`. All contents differ.
struct Damaged {
    directory: tempfile::TempDir,
    /// The options of the check.
    options: Options,
    engine: Engine,
    names: Vec<PathBuf>,
    list: Vec<u8>,
}

/// The result and the output of a check.
struct Checked {
    good: bool,
    /// Whether each listed file was found to match.
    all: bool,
    stdout: String,
    stderr: String,
}

fn options(arguments: &[&str]) -> Options {
    Options::try_parse_from(["bt2sum"].iter().chain(arguments)).unwrap()
}

impl Damaged {
    fn new(kind: &[&'static str], tag: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (mut names, mut list) = (Vec::new(), Vec::new());
        let engine = Engine::default();
        let scheme = options(kind).scheme();
        let format = Format { tag, ..Format::default() };
        for (digit, name) in [('3', "x"), ('c', "y")] {
            let path = directory.path().join(name);
            let mut contents = 0_u32;
            loop {
                contents += 1;
                fs::write(&path, format!("{name} {contents}")).unwrap();
                let source = Source::File(&path);
                let mut line = None;
                let hashed = engine.hash_all(&[Job { source, scheme }], |_, hash| {
                    let hash = hash?;
                    line = hash.hash.to_string().starts_with(digit).then(|| format.line(scheme, source, &hash));
                    Ok(())
                });
                hashed.unwrap();
                if let Some(line) = line {
                    list.extend(line);
                    break;
                }
            }
            names.push(path);
        }
        Self { directory, options: options(&[&["-c"], kind].concat()), engine, names, list }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("sums")
    }

    /// Checks a list with the program's own code.
    fn check(&self, list: &[u8]) -> Checked {
        // A new file, for a file system may wait for the disk when one is made empty and written again.
        _ = fs::remove_file(self.path());
        fs::write(self.path(), list).unwrap();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut printer = Printer::to(&mut stdout, &mut stderr, &self.engine.progress);
        let good = check(&self.options, &self.engine, &mut printer, self.path().as_os_str()).unwrap();
        drop(printer);
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let all = self.names.iter().all(|name| stdout.lines().any(|line| line == format!("{}: OK", name.display())));
        Checked { good, all, stdout, stderr }
    }

    /// The list with each bit flipped, and the number of that bit.
    fn flipped(&self) -> impl Iterator<Item = (usize, Vec<u8>)> {
        (0..8 * self.list.len()).map(|bit| {
            let mut list = self.list.clone();
            list[bit / 8] ^= 1 << (bit % 8);
            (bit, list)
        })
    }

    /// The flips that leave a listed file unchecked with status 0.
    fn passed(&self) -> Vec<(usize, Vec<u8>)> {
        let whole = self.check(&self.list);
        assert!(whole.good && whole.all && whole.stderr.is_empty(), "{} {}", whole.stdout, whole.stderr);
        let passes = |list: &[u8]| {
            let Checked { good, all, .. } = self.check(list);
            good && !all
        };
        self.flipped().filter(|(_, list)| passes(list)).collect()
    }
}

#[test]
fn no_damaged_bit_leaves_a_listed_file_unchecked() {
    for (kind, tag) in [
        (&[][..], false),
        (&[], true),
        (&["-a", "blake3"], false),
        (&["-a", "blake3"], true),
        (&["-a", "blake3", "--sequential"], false),
        (&["-a", "sha256"], false),
        (&["-a", "sha256"], true),
    ] {
        let bits: Vec<usize> = Damaged::new(kind, tag).passed().iter().map(|(bit, _)| *bit).collect();
        assert!(bits.is_empty(), "{kind:?} {tag}: {} bits, {:?} …", bits.len(), &bits[..bits.len().min(9)]);
    }
}

/// A line that cannot be read is named by its number.
#[test]
fn damaged_lines_are_named() {
    let damaged = Damaged::new(&["-a", "blake3"], false);
    let lines: Vec<&[u8]> = damaged.list.split_inclusive(|&byte| byte == b'\n').collect();
    for (number, bad) in
        [(1, &b"g"[..]), (3, b"#c"), (2, b"#"), (1, b"\0"), (2, b" \n"), (3, b"\t\r\n"), (1, b"\xef\xbb\xbf")]
    {
        let mut list = lines.clone();
        list.insert(number - 1, bad);
        let Checked { good, stdout, stderr, .. } = damaged.check(&list.concat());
        let told =
            format!("bt2sum: {}: {number}: improperly formatted BLAKE3 checksum line\n", damaged.path().display());
        let warning = "bt2sum: WARNING: 1 line is improperly formatted\n";
        // A line without an end takes the next one with it.
        let left = if bad.ends_with(b"\n") || number == 3 { 2 } else { 1 };
        assert_eq!((good, stdout.matches(": OK\n").count(), stderr), (false, left, told + warning), "{bad:?}");
    }
}

/// The lists of coreutils may have comments that begin with `#` and no space.
#[test]
fn damaged_bits_with_the_rules_of_coreutils() {
    let kind = ["--sequential", "--strict", "-a", "sha256"];
    for (tag, count) in [(false, 2), (true, 0)] {
        let damaged = Damaged::new(&kind, tag);
        let passed = damaged.passed();
        assert_eq!(passed.len(), count, "{tag}");
        let line = damaged.list.len() / 2;
        for (place, (bit, list)) in [0, line].into_iter().zip(&passed) {
            assert_eq!((bit / 8, list[place]), (place, b'#'));
        }
        let Some(version) = version() else { continue };
        assert!(version.contains("GNU coreutils"), "{version}");
        // Every bit would be thousands of processes: those where lines begin and end, and some of the others.
        let near = |byte: usize| byte % line < 2 || byte % line >= line - 2;
        for (bit, list) in damaged.flipped().filter(|(bit, _)| near(bit / 8) || bit % 13 == 0) {
            let ours = damaged.check(&list);
            let mut theirs = Command::new("sha256sum");
            theirs.args(["-c", "--strict"]).arg(damaged.path()).stdin(Stdio::null()).stderr(Stdio::null());
            let theirs = theirs.output().unwrap();
            assert_eq!(ours.good, theirs.status.success(), "{tag} {bit}: {}{}", ours.stdout, ours.stderr);
        }
    }
}

/// The version of `sha256sum`, where there is one.
fn version() -> Option<String> {
    let Ok(version) = Command::new("sha256sum").arg("--version").output() else {
        println!("NOT COMPARED with coreutils: there is no sha256sum here");
        return None;
    };
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.contains("GNU coreutils") {
        println!("NOT COMPARED with coreutils: sha256sum is another's here");
        return None;
    }
    Some(version)
}
