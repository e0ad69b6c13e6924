//! Catalogues of BLAKE3: the digests are those of b3sum, and leaves are parts of BLAKE3's own tree.
#![cfg(target_os = "linux")]

use core::ops::Range;
use std::fs;

use simd_digest::blake3::Mode;

use crate::repair::{copy, repair, state};
use crate::store::{HINT, audit, rot, set_time};
use crate::store_verdicts::set_length;
use crate::{Directory, message, one_of, outcome};

const KEY: &[u8; 32] = b"whats the Elvish word for friend";

/// A directory with files below `d`, all old, whose names are their lengths; and a key `k`.
fn files(lengths: &[usize]) -> Directory {
    let directory = Directory::new().file("k", KEY);
    fs::create_dir(directory.path("d")).unwrap();
    let whole = message(*lengths.iter().max().unwrap());
    lengths.iter().fold(directory, |directory, length| {
        let directory = directory.file(&format!("d/{length}"), &whole[..*length]);
        set_time(&directory, &length.to_string(), 1_000_000);
        directory
    })
}

/// Records `d` in `s` by BLAKE3, and returns what is printed.
fn record(directory: &Directory, options: &[&str]) -> String {
    let run = outcome(directory.bt2sum(["record", "--store", "s", "-a", "blake3", "--force"]).args(options).arg("d"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    run.stdout
}

/// The digest of a file is that of its bytes, whatever its leaves are: without a byte, and around the borders of chunks,
/// of leaves and of what is merged.
#[test]
fn digests_are_those_of_b3sum() {
    let leaves = [("1k", 1 << 10), ("2k", 2 << 10), ("16k", 16 << 10), ("1m", 1 << 20)];
    let borders = [1 << 10, 2 << 10, 3 << 10, 4 << 10, 8 << 10, 16 << 10, 48 << 10, 1 << 20, 2 << 20];
    let mut lengths: Vec<usize> = borders.iter().flat_map(|at| [at - 1, *at, at + 1]).collect();
    lengths.extend([0, 1, 100]);
    lengths.sort_by_key(usize::to_string);
    let (directory, whole) = (files(&lengths), message(2_200_000));
    for (turn, (mode, key)) in [(Mode::HASH, &[][..]), (Mode::keyed(KEY), &["--key-file=k"])].iter().enumerate() {
        let lines = lengths.iter().map(|&length| format!("BLAKE3 ({length}) = {}\n", mode.hash(&whole[..length])));
        let lines: String = lines.collect();
        let mut roots = Vec::new();
        for (leaf, _) in one_of(turn, leaves) {
            for options in [&["--cpus=1"][..], &["--cpus=3", "--direct"]] {
                roots.push(record(&directory, &[&["-t", leaf], *key, options].concat()));
                let list = outcome(directory.bt2sum(["list", "--store", "s"]).args(*key));
                assert_eq!((list.code, list.stdout.as_str()), (Some(0), lines.as_str()), "{leaf}");
            }
            let all = format!("{} unchanged", lengths.len());
            let audited = outcome(directory.bt2sum(["audit", "--store", "s"]).args(*key).arg("d"));
            assert!(audited.stdout.starts_with(&all), "{audited:?}");
            let bytes =
                lengths.iter().map(|&length| if length > leaf_of(leaf) { length.div_ceil(leaf_of(leaf)) } else { 0 });
            let size = fs::metadata(directory.path("s")).unwrap().len();
            assert!(size > 32 * bytes.sum::<usize>() as u64, "{leaf} {size}");
        }
        // A list is checked as it is.
        fs::write(directory.path("sums"), &lines).unwrap();
        let mut check = directory.bt2sum(["check", "-a", "blake3", "--quiet", "../sums"]);
        let key = key.first().map(|_| "--key-file=../k");
        assert_eq!(outcome(check.args(key).current_dir(directory.path("d"))), crate::success(""));
        assert_eq!(roots.iter().step_by(2).collect::<Vec<_>>(), roots.iter().skip(1).step_by(2).collect::<Vec<_>>());
    }
}

/// The length of a leaf, of its text.
fn leaf_of(text: &str) -> usize {
    let (number, unit) = text.split_at(text.len() - 1);
    number.parse::<usize>().unwrap() << if unit == "k" { 10 } else { 20 }
}

/// Without `--chunk`, leaves have 1 MiB.
#[test]
fn the_usual_length_of_leaves() {
    let directory = files(&[3 << 20]);
    record(&directory, &[]);
    rot(&directory, "3145728", 1 << 20);
    let lines = ["3145728: rotted", "3145728: bytes 1048576-2097151: FAILED", HINT];
    assert_eq!(audit(&directory, &["--audit"]).0, lines);
}

/// Each leaf in which a byte is changed is found, and no other; then it is mended.
#[test]
fn each_leaf_is_located() {
    for (leaf, options) in [(1024, &["-t", "1k"][..]), (4096, &["-t", "4k", "--key-file=k"])] {
        let length = 6 * leaf + 1;
        let (directory, name) = (files(&[length]), length.to_string());
        record(&directory, options);
        copy(&directory, "copy");
        let key: Vec<&str> = options.iter().copied().filter(|option| option.starts_with("--")).collect();
        let whole = state(&directory, "d");
        for (i, at) in (0..=6).flat_map(|i| [(i, i * leaf), (i, ((i + 1) * leaf).min(length) - 1)]) {
            rot(&directory, &name, at);
            let range = format!("{name}: bytes {}-{}", i * leaf, ((i + 1) * leaf).min(length) - 1);
            let lines = [format!("{name}: rotted"), format!("{range}: FAILED"), HINT.to_owned()];
            assert_eq!(audit(&directory, &[&["--audit"], &key[..]].concat()).0, lines, "{at}");
            let lines = vec![format!("{name}: mended"), format!("{range}: mended from copy")];
            assert_eq!(repair(&directory, &key), (lines, "0 unchanged, 1 mended".into(), 0), "{at}");
            assert_eq!(state(&directory, "d"), whole, "{at}");
        }
    }
}

/// Files that were cut or have grown, at the borders of leaves and elsewhere. A leaf does not depend on what follows.
#[test]
fn other_lengths() {
    let (leaf, lengths) = (1024, [0, 1, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 5000]);
    let whole = message(5000);
    for &old in &lengths {
        let (directory, name) = (files(&[old]), old.to_string());
        record(&directory, &["-t", "1k"]);
        copy(&directory, "copy");
        let recorded = state(&directory, "d");
        for new in lengths.into_iter().filter(|&new| new != old) {
            set_length(&directory, &name, new as u64);
            fs::write(directory.path("d").join(&name), &whole[..new]).unwrap();
            set_time(&directory, &name, 1_000_000);
            // An only leaf has no value of its own, so it is told with the rest.
            let same = if old.min(new) <= leaf { 0 } else { old.min(new) / leaf * leaf };
            let longest = old.max(new);
            let range = format!("{name}: bytes {same}-{}: FAILED", longest - 1);
            let lines = [format!("{name}: rotted"), range, HINT.to_owned()];
            assert_eq!(audit(&directory, &["--audit"]).0, lines, "{old} {new}");
            let (lines, sums, code) = repair(&directory, &[]);
            assert_eq!((sums.as_str(), code), ("0 unchanged, 1 mended", 0), "{old} {new} {lines:?}");
            assert_eq!(state(&directory, "d"), recorded, "{old} {new}");
        }
    }
}

/// An update and a sample keep the hash and its leaves.
#[test]
fn updates_and_samples() {
    let directory = files(&[5000, 3000, 10]).file("d/new", b"new");
    set_time(&directory, "new", 1_000_000);
    record(&directory, &["-t", "1k", "--key-file=k"]);
    let bytes = |at: Range<usize>| fs::read(directory.path("s")).unwrap()[at].to_vec();
    let header = [2, 3, 32, 1, 0, 4, 0, 0];
    fs::write(directory.path("d/new"), message(2500)).unwrap();
    set_time(&directory, "new", 2_000_000);
    rot(&directory, "3000", 2500);
    for (mode, sums) in [
        (&["--sample=100%"][..], "2 unchanged, 1 changed, 1 rotted"),
        (&["--update", "--sample=0"], "3 unchanged, 1 changed"),
        (&["--update"], "3 unchanged, 1 rotted"),
        (&["--audit"], "3 unchanged, 1 rotted"),
        (&["--update", "--accept=3000"], "3 unchanged, 1 changed"),
        (&["--audit"], "4 unchanged"),
    ] {
        let found = audit(&directory, &[mode, &["--key-file=k"]].concat());
        assert_eq!((found.1.as_str(), bytes(8..16).as_slice()), (sums, &header[..]), "{mode:?} {found:?}");
    }
}

/// Leaves and digests that BLAKE3 has not in a catalogue, and keys that are none of BLAKE3.
#[test]
fn what_is_refused() {
    let directory = files(&[10]).file("short", b"key");
    let power = "--chunk of blake3 with --store is a power of two, from 1k to 64m, not";
    let size = "--size of blake3 with --store is 32 bytes, --length 256 bits, not";
    let cases = [
        ("-t 1", format!("{power} 1\n")),
        ("-t 512", format!("{power} 512\n")),
        ("-t 1000", format!("{power} 1000\n")),
        ("-t 3k", format!("{power} 3k\n")),
        ("-t 5m", format!("{power} 5m\n")),
        ("-t 128m", "--chunk with --store is at most 64m, not 128m\n".to_owned()),
        ("-s 31", format!("{size} 31 bytes\n")),
        ("-l 512", format!("{size} 64 bytes\n")),
        ("--derive-key=x", "--derive-key does not go with --store\n".to_owned()),
        ("--leaves=l", "cannot be used with '--leaves <LEAVES>'".to_owned()),
        ("--sequential", "--sequential does not go with --store".to_owned()),
        ("--key-file=short", "a key has exactly 32 bytes, this one has 3\n".to_owned()),
    ];
    for (options, error) in cases {
        let mut command = directory.bt2sum(["-r", "--store", "s", "-a", "blake3"]);
        let run = outcome(command.args(options.split(' ')).arg("d"));
        assert!((run.code, run.stdout.as_str()) == (Some(2), "") && run.stderr.contains(&error), "{run:?}");
        assert!(!directory.path("s").exists(), "{options}");
    }
    for leaf in ["1k", "64m", "1KiB"] {
        record(&directory, &["-t", leaf, "--length=256"]);
    }
    record(&directory, &["--key-file=k"]);
    for (key, error) in [
        (&["--key-file=short"][..], "bt2sum: s: of blake3, which takes no key of this length\n"),
        (&[], "bt2sum: s: made with a key\n"),
    ] {
        let run = outcome(directory.bt2sum(["audit", "--store", "s"]).args(key).arg("d"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(2), error));
    }
    // Without a catalogue, BLAKE3 has no leaves as ever.
    let run = outcome(&mut directory.bt2sum(["-a", "blake3", "-t", "1k", "d/10"]));
    assert!(run.code == Some(2) && run.stderr.contains("--algorithm blake3 has no --chunk"), "{run:?}");
}
