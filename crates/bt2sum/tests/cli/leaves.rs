//! `--leaves` and `--range`: what part of a file is damaged.

use crate::{Directory, Outcome, failure, fewer, message, outcome, success};

const MISMATCH: &str = "bt2sum: WARNING: 1 computed checksum did NOT match\n";
const LENGTH: usize = 10_500;

/// `name` of 11 leaves of 1000 bytes, its `sums`, and `leaves`.
fn listed() -> Directory {
    let directory = Directory::new().file("name", &message(LENGTH));
    let line = outcome(&mut directory.bt2sum(["--tag", "-t1000", "-s20", "--leaves", "leaves", "name"]));
    assert_eq!(line, outcome(&mut directory.bt2sum(["--tag", "-t1000", "-s20", "name"])));
    directory.file("sums", line.stdout.as_bytes())
}

fn check(directory: &Directory, options: &[&str]) -> Outcome {
    outcome(directory.bt2sum(["-c", "--leaves", "leaves", "sums"]).args(options))
}

fn damaged(lines: &[&str]) -> Outcome {
    let lines: String = lines.iter().map(|line| format!("name: {line}\n")).collect();
    failure(format!("name: FAILED\n{lines}"), MISMATCH)
}

fn with_changed(places: &[usize]) -> Vec<u8> {
    let mut bytes = message(LENGTH);
    places.iter().for_each(|&place| bytes[place] ^= 1);
    bytes
}

#[test]
fn damage_is_located() {
    let directory = listed();
    assert_eq!(check(&directory, &[]), success("name: OK\n"));
    for (places, lines) in [
        (&[0][..], &["bytes 0-999: FAILED"][..]),
        (&[999, 1000], &["bytes 0-1999: FAILED"]),
        (&[1500, 3999], &["bytes 1000-1999: FAILED", "bytes 3000-3999: FAILED"]),
        (&[10_499], &["bytes 10000-10499: FAILED"]),
        (&[5, 9999, 10_000], &["bytes 0-999: FAILED", "bytes 9000-10499: FAILED"]),
    ] {
        std::fs::write(directory.path("name"), with_changed(places)).unwrap();
        assert_eq!(check(&directory, &[]), damaged(lines), "{places:?}");
        assert_eq!(check(&directory, &["-cpus=1"]), damaged(lines), "{places:?}");
        assert_eq!(check(&directory, &["--status"]), failure("", ""), "{places:?}");
    }
}

#[test]
fn a_file_of_another_length() {
    let directory = listed();
    let write = |bytes: &[u8]| std::fs::write(directory.path("name"), bytes).unwrap();
    let whole = message(LENGTH);
    for (length, line) in [
        (10_499, "bytes 10000-10499: FAILED"),
        (10_000, "bytes 10000-10499: FAILED"),
        (9_500, "bytes 9000-10499: FAILED"),
        (1, "bytes 0-10499: FAILED"),
        (0, "bytes 0-10499: FAILED"),
    ] {
        write(&whole[..length]);
        assert_eq!(check(&directory, &[]), damaged(&[line]), "{length}");
    }
    // The last leaf that is left is damaged too, and so is one before it.
    for (places, lines) in [
        (&[7999][..], &["bytes 7000-10499: FAILED"][..]),
        (&[6000, 7000], &["bytes 6000-10499: FAILED"]),
        (&[6999], &["bytes 6000-6999: FAILED", "bytes 8000-10499: FAILED"]),
    ] {
        write(&with_changed(places)[..8000]);
        assert_eq!(check(&directory, &[]), damaged(lines), "{places:?}");
    }
    for (length, line) in [(10_501, "bytes 10500-10500: surplus"), (12_000, "bytes 10500-11999: surplus")] {
        write(&message(length));
        assert_eq!(check(&directory, &[]), damaged(&[line]), "{length}");
    }
    std::fs::remove_file(directory.path("name")).unwrap();
    assert_eq!(check(&directory, &[]).stdout, "name: FAILED open or read\n");
    assert_eq!(check(&directory, &["--ignore-missing"]).code, Some(1));
}

#[test]
fn ranges() {
    let directory = listed();
    std::fs::write(directory.path("name"), with_changed(&[1500, 10_200])).unwrap();
    let (second, last) = ("bytes 1000-1999: FAILED", "bytes 10000-10499: FAILED");
    for (range, lines) in [
        ("0-999", &[][..]),
        ("0-0", &[]),
        ("2000-9999", &[]),
        ("0-1000", &[second]),
        ("1999-1999", &[second]),
        ("1999-10000", &[second, last]),
        ("2000-", &[last]),
        ("10499-", &[last]),
        ("10499-10499", &[last]),
    ] {
        let expected = if lines.is_empty() { success(format!("name: bytes {range}: OK\n")) } else { damaged(lines) };
        assert_eq!(check(&directory, &["--range", range]), expected, "{range}");
    }
    for length in [LENGTH, 12_000] {
        std::fs::write(directory.path("name"), message(length)).unwrap();
        for (range, what) in [("10500-", "begins"), ("11000-11999", "begins"), ("0-10500", "ends")] {
            let behind = check(&directory, &["--range", range]);
            assert_eq!((behind.code, behind.stdout.as_str()), (Some(1), "name: FAILED open or read\n"), "{range}");
            assert!(
                behind.stderr.contains(&format!("the range {what} beyond the end of the file, which has 10500 bytes")),
                "{}",
                behind.stderr
            );
        }
    }
    // All that was there is as it was, but it is not the end.
    let surplus = damaged(&["bytes 10500-11999: surplus"]);
    assert_eq!(check(&directory, &["--range", "0-"]), surplus);
    assert_eq!(check(&directory, &["--range", "10499-"]), surplus);
    assert_eq!(check(&directory, &["--range", "0-10499"]), success("name: bytes 0-10499: OK\n"));
    std::fs::write(directory.path("name"), message(LENGTH)).unwrap();
    assert_eq!(check(&directory, &["--range", "2000-"]), success("name: bytes 2000-10499: OK\n"));
    for range in ["", "5", "-5", "5-4", "x-9", "1k-2k"] {
        assert_eq!(check(&directory, &["--range", range]).code, Some(2), "{range}");
    }
}

/// The rest of the file is a hole of a terabyte: reading it would take minutes.
#[cfg(target_os = "linux")]
#[test]
fn a_range_reads_only_its_leaves() {
    let directory = listed();
    let file = std::fs::File::options().write(true).open(directory.path("name")).unwrap();
    file.set_len(1 << 40).unwrap();
    assert_eq!(check(&directory, &["--range", "5000-5999"]), success("name: bytes 5000-5999: OK\n"));
}

/// No damage goes unseen, and none is a crash or a verdict about the file.
#[test]
fn leaves_damaged_at_every_byte() {
    let directory = listed();
    let good = std::fs::read(directory.path("leaves")).unwrap();
    assert_eq!(good.len(), 16 + 11 * 20 + 40);
    let refused = |bytes: &[u8], what: &str| {
        std::fs::write(directory.path("leaves"), bytes).unwrap();
        let Outcome { code, stdout, stderr } = check(&directory, &[]);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{what}");
        stderr.strip_prefix("bt2sum: leaves: ").unwrap().trim_end().to_owned()
    };
    // The header and what begins a leaf, some bytes of leaves, and the end.
    let places = |end| (0..37).chain(fewer(2, 37..235)).chain(235..end);
    for i in places(good.len()) {
        let mut bad = good.clone();
        bad[i] ^= 1 << (i % 8);
        let reason = refused(&bad, &format!("byte {i}"));
        let expected = match i {
            0..8 => "not a file of leaves",
            8 => "is unknown, or damaged",
            _ => "damaged or truncated",
        };
        assert!(reason.contains(expected), "byte {i}: {reason}");
    }
    for length in places(good.len()) {
        assert!(refused(&good[..length], &format!("{length} bytes")).contains("truncated"), "{length}");
    }
    assert!(refused(&[&good[..], b"x"].concat(), "longer").contains("damaged"));
    assert_eq!(refused(b"hello s3git\n", "foreign"), "not a file of leaves");
    std::fs::remove_file(directory.path("leaves")).unwrap();
    assert_eq!(check(&directory, &[]), failure("", "bt2sum: leaves: No such file or directory\n"));
}

#[test]
fn leaves_of_something_else() {
    let directory = listed().file("other", &message(LENGTH + 1)).file("key", b"a key");
    for (options, reason) in [
        (&["-t1000", "-s20", "other"][..], "the leaves of another message"),
        (&["-t1001", "-s20", "name"], "made with another --size or --chunk"),
        (&["-t1000", "-s21", "name"], "made with another --size or --chunk"),
        (&["-t1000", "-s20", "--key-file", "key", "name"], "made with a key"),
    ] {
        let made = outcome(directory.bt2sum(["--leaves", "leaves"]).args(options));
        assert_eq!(made.code, Some(0));
        let Outcome { code, stdout, stderr } = check(&directory, &[]);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{options:?}");
        assert!(stderr.contains(reason), "{stderr}");
    }
    // Only one file can be meant.
    let directory = listed();
    let line = std::fs::read_to_string(directory.path("sums")).unwrap();
    std::fs::write(directory.path("sums"), line.repeat(2)).unwrap();
    assert_eq!(check(&directory, &[]), failure("", "bt2sum: sums: lists 2 files, but --leaves is for one\n"));
}

/// From a pipe and of nothing: the length is known only at the end.
#[test]
fn leaves_of_standard_input() {
    for length in [0, 1, 1000, LENGTH] {
        let directory = Directory::new().file("name", &message(length));
        let options = ["--tag", "-t1000", "--leaves=leaves"];
        let piped = crate::with_pipe(&mut directory.bt2sum(options), core::iter::once(&message(length)[..]));
        let leaves = std::fs::read(directory.path("leaves")).unwrap();
        let named = outcome(directory.bt2sum(options).arg("name"));
        assert_eq!(piped.stdout.replace("(-)", "(name)"), named.stdout);
        assert_eq!(std::fs::read(directory.path("leaves")).unwrap(), leaves);
        let directory = directory.file("sums", named.stdout.as_bytes());
        assert_eq!(check(&directory, &[]), success("name: OK\n"));
    }
}

/// A file that cannot be read leaves nothing behind, and harms nothing.
#[cfg(target_os = "linux")]
#[test]
fn nothing_half_written() {
    let directory = Directory::new().file("leaves", b"bt2leaf\0 of before");
    let names = || {
        let names = std::fs::read_dir(directory.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };
    let untouched = || {
        assert_eq!(names(), ["leaves"]);
        assert_eq!(std::fs::read(directory.path("leaves")).unwrap(), b"bt2leaf\0 of before");
    };
    assert_eq!(outcome(&mut directory.bt2sum(["--leaves", "leaves", "missing"])).code, Some(1));
    untouched();
    assert_eq!(outcome(&mut directory.bt2sum(["--leaves", "leaves", "."])).code, Some(1));
    untouched();
    let run = outcome(&mut directory.bt2sum(["--leaves", "no/such/directory", "leaves"]));
    assert_eq!(run, failure("", "bt2sum: no/such/directory: No such file or directory\n"));
}

/// By its name, by another, and as standard input.
#[test]
fn leaves_never_replace_the_input() {
    let directory = Directory::with_files();
    let refused = |run: Outcome| {
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains("would replace the file to hash"), "{}", run.stderr);
        assert_eq!(std::fs::read(directory.path("hello")).unwrap(), b"hello s3git\n");
    };
    refused(outcome(&mut directory.bt2sum(["--leaves", "hello", "hello"])));
    refused(outcome(&mut directory.bt2sum(["--leaves", "./hello", "hello"])));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("hello", directory.path("link")).unwrap();
        std::fs::hard_link(directory.path("hello"), directory.path("same")).unwrap();
        refused(outcome(&mut directory.bt2sum(["--leaves", "link", "hello"])));
        refused(outcome(&mut directory.bt2sum(["--leaves", "hello", "link"])));
        refused(outcome(&mut directory.bt2sum(["--leaves", "same", "hello"])));
        refused(outcome(directory.bt2sum(["--leaves", "hello"]).stdin(directory.open("hello"))));
    }
}

#[cfg(unix)]
#[test]
fn leaves_replace_only_regular_files() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::Command;

    let directory = Directory::with_files().file("old", b"bt2leaf\0 old");
    let leaves = |target: &str| outcome(&mut directory.bt2sum(["--leaves", target, "hello"]));
    let refused =
        |target: &str, reason| assert_eq!(leaves(target), failure("", format!("bt2sum: {target}: {reason}\n")));
    let kind = |name| std::fs::symlink_metadata(directory.path(name)).unwrap().file_type();
    assert_eq!(outcome(Command::new("mkfifo").arg(directory.path("pipe"))).code, Some(0));
    std::fs::create_dir(directory.path("directory")).unwrap();
    symlink("/dev/null", directory.path("null")).unwrap();
    symlink("nothing", directory.path("nowhere")).unwrap();
    symlink("../old", directory.path("directory/link")).unwrap();
    for target in ["pipe", "directory", "null", "/dev/null"] {
        refused(target, "Not a regular file");
    }
    refused("nowhere", "A link that leads nowhere");
    #[cfg(target_os = "linux")]
    refused("/dev/stdout", "Not a regular file");
    assert!(kind("pipe").is_fifo() && kind("null").is_symlink() && kind("nowhere").is_symlink());

    assert_eq!(leaves("directory/link").code, Some(0));
    assert!(kind("directory/link").is_symlink() && kind("old").is_file());
    assert!(std::fs::read(directory.path("old")).unwrap().starts_with(b"bt2leaf\0"));
}

/// No digest covers the length in the file of leaves. The last leaf tells which length is right.
#[test]
fn a_length_that_is_a_lie() {
    let directory = listed();
    let good = std::fs::read(directory.path("leaves")).unwrap();
    for length in [10_001_u64, 10_499, 10_501, 11_000] {
        let mut forged = good.clone();
        let place = good.len() - 40;
        forged[place..place + 8].copy_from_slice(&length.to_le_bytes());
        let own = simd_digest::blake2b::Params::new().hash_length(32).hash(&forged[..place + 8]).unwrap();
        forged[place + 8..].copy_from_slice(own.as_bytes());
        std::fs::write(directory.path("leaves"), forged).unwrap();
        for (options, result) in [
            (&[][..], "OK"),
            (&["--range=0-"], "bytes 0-10499: OK"),
            (&["--range=10499-10499"], "bytes 10499-10499: OK"),
        ] {
            assert_eq!(check(&directory, options), success(format!("name: {result}\n")), "{length}");
        }
        std::fs::write(directory.path("name"), with_changed(&[1500])).unwrap();
        assert_eq!(check(&directory, &[]), damaged(&["bytes 1000-1999: FAILED"]), "{length}");
        std::fs::write(directory.path("name"), message(LENGTH)).unwrap();
    }
}

/// A pipe cannot be read again, and is located as exactly as a file all the same.
#[test]
fn a_pipe_of_another_length() {
    let directory = Directory::new();
    for original in [message(LENGTH), vec![0; LENGTH], vec![0; 3_000_000]] {
        std::fs::write(directory.path("name"), &original).unwrap();
        let chunk = if original.len() == LENGTH { "-t1000" } else { "-t100000" };
        let line = outcome(&mut directory.bt2sum(["--tag", chunk, "--leaves", "leaves", "name"])).stdout;
        for (list, name) in [("files", "(name)"), ("sums", "(-)")] {
            std::fs::write(directory.path(list), line.replace("(name)", name)).unwrap();
        }
        let length = original.len();
        let cuts = [0, 1, 999, 1000, 3000, 8000, 10_000, 10_499, 10_500, 2_000_000, 2_900_000, 2_999_999];
        for cut in cuts.into_iter().filter(|&cut| cut <= length) {
            let changes = [None, Some(0), Some(7999), Some(9999)];
            for changed in changes.into_iter().filter(|changed| changed.is_none_or(|place| place < cut)) {
                let mut bytes = original[..cut].to_vec();
                changed.into_iter().for_each(|place: usize| bytes[place] ^= 1);
                std::fs::write(directory.path("name"), &bytes).unwrap();
                let of_file = outcome(&mut directory.bt2sum(["-c", "--leaves", "leaves", "files"]));
                let mut command = directory.bt2sum(["-c", "--leaves", "leaves", "sums"]);
                let of_pipe = crate::with_pipe(&mut command, core::iter::once(&bytes[..]));
                assert_eq!(of_pipe.stdout, of_file.stdout.replace("name:", "-:"), "{length} {cut} {changed:?}");
                assert_eq!(of_pipe.code, of_file.code, "{length} {cut} {changed:?}");
                assert_eq!(of_file.code == Some(0), bytes == original, "{length} {cut} {changed:?}");
            }
        }
    }
}

/// The first pages of this file can never be read, and reading goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_leaf_that_cannot_be_read_is_damaged() {
    let directory = listed();
    let line = std::fs::read_to_string(directory.path("sums")).unwrap();
    std::fs::write(directory.path("sums"), line.replace("(name)", "(/proc/self/mem)")).unwrap();
    for (range, bytes) in [(&[][..], "0-10499"), (&["--range=2500-4000"], "2000-4999")] {
        let run = check(&directory, range);
        let name = "/proc/self/mem";
        let stdout = format!("{name}: FAILED\n{name}: bytes {bytes}: FAILED: Input/output error\n");
        assert_eq!(run, failure(stdout, MISMATCH));
    }
    std::fs::write(directory.path("sums"), line.replace("(name)", "(.)")).unwrap();
    for range in [&[][..], &["--range=2500-4000"]] {
        assert_eq!(check(&directory, range).stdout, ".: FAILED open or read\n");
    }
}

/// What was read after the root was verified counts no more than the root.
#[cfg(unix)]
#[test]
fn leaves_that_change_while_they_are_read() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use crate::in_time::{in_time, start};

    let (good, mut bad) = (message(100_000), message(100_000));
    bad[50_000] ^= 1;
    for arguments in [&["-c", "--leaves", "L", "sums"][..], &["-c", "--leaves", "L", "--range", "0-", "sums"]] {
        let directory = Directory::new().file("p", &bad);
        assert_eq!(outcome(&mut directory.bt2sum(["-t", "4k", "--leaves", "others", "p"])).code, Some(0));
        let directory = directory.file("p", &good);
        let sums = outcome(&mut directory.bt2sum(["--tag", "-t", "4k", "--leaves", "L", "p"])).stdout;
        let directory = directory.file("sums", sums.as_bytes());
        std::fs::remove_file(directory.path("p")).unwrap();
        assert_eq!(outcome(Command::new("mkfifo").arg(directory.path("p"))).code, Some(0));
        let mut run = directory.bt2sum(arguments.iter().copied());
        let run = start(run.stdout(Stdio::piped()).stderr(Stdio::piped()));
        // This waits for the reader, who has verified the leaves before.
        let (path, bad) = (directory.path("p"), bad.clone());
        let open = || std::fs::File::options().write(true).open(path).unwrap();
        let mut pipe = in_time("a reader of the pipe", open);
        std::fs::write(directory.path("L"), std::fs::read(directory.path("others")).unwrap()).unwrap();
        let _ = in_time("the pipe to be read", move || pipe.write_all(&bad));
        let run = Outcome::from(run);
        assert!(run.code == Some(1) && !run.stdout.contains("OK"), "{run:?}");
    }
}
