//! Holes of sparse files, which are passed over: at the rate of these tests, reading them would take ten minutes.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use crate::{Directory, message, outcome, success, with_pipe};

/// The name and length of each file, and where it has some data: between two holes, or nowhere.
const PARTS: [(&str, usize, usize); 3] =
    [("long", 12 << 20, 5_000_001), ("short", 3 << 20, 70_000), ("end", 9 << 20, 9 << 20)];

/// Sparse files with some data at a place each, and their bytes.
fn sparse() -> (Directory, [(&'static str, Vec<u8>); 3]) {
    let directory = Directory::new();
    let files = PARTS.map(|(name, length, at)| {
        let file = fs::File::create(directory.path(name)).unwrap();
        file.set_len(length as u64).unwrap();
        let (mut bytes, data) = (vec![0; length], message(5000.min(length - at)));
        bytes[at..][..data.len()].copy_from_slice(&data);
        file.write_all_at(&data, at as u64).unwrap();
        (name, bytes)
    });
    (directory, files)
}

#[test]
fn checksums_pass_over_holes() {
    let (directory, files) = sparse();
    let all = || directory.bt2sum(["--rate=20000", "long", "short", "end"]);
    let forms: [&[&str]; 6] = [
        &[],
        &["--sequential"],
        &["-t4000000000"],
        &["-t300000", "-a", "blake2s"],
        &["-a", "blake3"],
        &["--sequential", "-a", "sha256"],
    ];
    for form in forms {
        let expected = files.each_ref().map(|(name, bytes)| {
            let pipe = with_pipe(&mut directory.bt2sum(form.iter().copied()), [&bytes[..]].into_iter()).stdout;
            pipe.replace(" = ", &format!(" ({name}) = ")).replace("  -", &format!("  {name}"))
        });
        assert_eq!(outcome(all().args(form)), success(expected.concat()), "{form:?}");
    }
}

/// Standard input is read from its position on, which is its end afterwards.
#[test]
fn standard_input_with_holes() {
    let (directory, files) = sparse();
    for (begin, form) in [(0, "-t300000"), (4097, "--sequential"), (5_000_100, "--sequential"), (5_004_000, "-t300000")]
    {
        let (name, bytes) = &files[0];
        let mut file = directory.open(name);
        file.seek(SeekFrom::Start(begin as u64)).unwrap();
        let run = outcome(directory.bt2sum(["--rate=20000", form]).stdin(file.try_clone().unwrap()));
        assert_eq!(run, with_pipe(&mut directory.bt2sum([form]), [&bytes[begin..]].into_iter()), "{begin} {form}");
        assert_eq!(file.stream_position().unwrap(), bytes.len() as u64, "{begin} {form}");
    }
}
