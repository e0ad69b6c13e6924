//! Digests, of files and pipes alike.

use core::iter;

use crate::{Directory, EMPTY, HELLO, message, one_of, success, with_pauses, with_pipe};

/// Hashes `message` as a file, as standard input that is a file, and through a pipe.
fn check(message: &[u8], options: &[&str], hash_length: usize, digest: &str) {
    check_ways([0, 1, 2], message, options, hash_length, digest);
}

/// In these of the three ways.
fn check_ways(
    ways: impl IntoIterator<Item = usize>,
    message: &[u8],
    options: &[&str],
    hash_length: usize,
    digest: &str,
) {
    let directory = Directory::new().file("name", message);
    let arguments = || options.iter().copied();
    let with_name = success(format!("BLAKE2b-{hash_length} (name) = {digest}\n"));
    let without = success(format!("BLAKE2b-{hash_length} = {digest}\n"));

    for way in ways {
        match way {
            0 => {
                let file = crate::outcome(&mut directory.bt2sum(arguments().chain(["name"])));
                assert_eq!(file, with_name, "{} bytes, {options:?}", message.len());
            }
            1 => {
                let redirected = crate::outcome(directory.bt2sum(arguments()).stdin(directory.open("name")));
                assert_eq!(redirected, without, "{} redirected bytes, {options:?}", message.len());
            }
            _ => {
                let pipe = with_pipe(&mut directory.bt2sum(arguments()), iter::once(message));
                assert_eq!(pipe, without, "{} bytes through a pipe, {options:?}", message.len());
            }
        }
    }
}

#[test]
fn published() {
    check(b"hello s3git\n", &[], 64, HELLO);
    check(
        b"hello s3git\n",
        &["-s", "40"],
        40,
        "919f330a1b4a3a02aced735e7675905c159b99e07e0c8aa087d0327b26e4d3aa8323bc82962b8e8e",
    );
    check(
        &[0; 6000],
        &["-t", "4096"],
        64,
        "724b5876d9120855dcf220ee7815a697c6559575aa79d9e2b9f63f06c9f22e53\
         2fc32bf356ef1ab26ff776ea960edeb31c54769460f87489f59ae8045122705d",
    );
    check(b"", &[], 64, EMPTY);
}

/// The vectors beside the library's, made with Python's `hashlib`.
#[test]
fn vectors() {
    let lines = include_str!("../../../../tests/data/bt2sum.txt").lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for line in lines {
        let values: Vec<&str> = line.split(' ').map(|field| field.split_once('=').unwrap().1).collect();
        let [length, chunk, hash_length, digest] = values[..] else { panic!("{line}") };
        let options = ["--chunk", chunk, "--size", hash_length];
        let message = message(length.parse().unwrap());
        check_ways(one_of(count + count / 3, [0, 1, 2]), &message, &options, hash_length.parse().unwrap(), digest);
        count += 1;
    }
    assert!(count >= 100, "{count} vectors");
}

/// Leaves longer than a read and reads longer than a leaf; digests by Python's `hashlib`.
#[test]
fn leaves_and_reads_of_different_lengths() {
    let long = message((512 << 10) + 5);
    for (chunk, digest) in [
        ("100k", "c1b3626f5a12d7982aad4d350a6dfcab1d5a52fafcd3210be1e960997ce03858"),
        ("256k", "f6a7d3cfcadf554af31868fa3230e010cba1f4b1b56ba56478cae82a368e050d"),
        ("300KiB", "d9373efb6eab719a7d191cce1ce562c8b7afb21ae5230d990d23ceac23162ad3"),
        ("524293", "8f9bc3638bf42a094dbeaf0ca0bb5c458ae8f32a9a0a010cd045d12cc3056683"),
        ("5m", "1be3e9c08a8f73a5b8433d1442c6435a48e0e786d25efe2b7a9c9e2463528690"),
    ] {
        check(&long, &["-t", chunk, "-s", "32"], 32, digest);
    }
}

#[test]
fn random_writes_to_a_pipe() {
    let message = message(20_483);
    let mut state = 1_u32;
    let mut random = |limit: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % limit
    };
    for length in [20_479, 20_480, 20_481, 20_483] {
        let mut rest = &message[..length];
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((1 + random(700)).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        let directory = Directory::new().file("name", &message[..length]);
        let options = ["-t", "4096"];
        let file = crate::outcome(directory.bt2sum(options).stdin(directory.open("name")));
        assert_eq!(file.code, Some(0));
        // Between some writes there are reads.
        let slowly = pieces.into_iter().map(|piece| (piece, piece.len() % 2 == 1));
        assert_eq!(with_pauses(&mut directory.bt2sum(options), slowly), file, "{length} bytes");
    }
}

/// The last leaf is known to be the last when the pipe is closed, long after its last byte.
#[test]
fn a_pipe_that_ends_late_on_a_full_leaf() {
    let message = message(8192);
    let directory = Directory::new().file("name", &message);
    let file = crate::outcome(directory.bt2sum(["-t", "4k"]).stdin(directory.open("name")));
    let late = message.chunks(4096).map(|piece| (piece, true));
    assert_eq!(with_pauses(&mut directory.bt2sum(["-t", "4k"]), late), file);
}

#[test]
fn standard_input_among_files() {
    let directory = Directory::with_files();
    let mut command = directory.bt2sum(["empty", "-", "hello"]);
    let expected = format!("BLAKE2b-64 (empty) = {EMPTY}\nBLAKE2b-64 = {HELLO}\nBLAKE2b-64 (hello) = {HELLO}\n");
    assert_eq!(with_pipe(&mut command, iter::once(&b"hello s3git\n"[..])), success(expected));
}

/// `./-` is a file, and so is what follows `--`, but for `-` itself.
#[test]
fn files_with_names_like_arguments() {
    let directory = Directory::new().file("-", b"hello s3git\n").file("-s", b"").file("--help", b"");
    let outcome = crate::outcome(&mut directory.bt2sum(["./-", "--", "-s", "--help", "-"]));
    let expected = format!(
        "BLAKE2b-64 (./-) = {HELLO}\nBLAKE2b-64 (-s) = {EMPTY}\nBLAKE2b-64 (--help) = {EMPTY}\nBLAKE2b-64 = {EMPTY}\n"
    );
    assert_eq!(outcome, success(expected));
}

/// Run in so little address space that a leaf does not fit in.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_depend_on_the_chunk() {
    let directory = Directory::new().file("name", &message(5000));
    let run = |chunk| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "ulimit -v 131072 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_bt2sum")]);
        crate::outcome(shell.args(["-s", "32", "-t", chunk, "name"]).current_dir(directory.0.path()))
    };
    assert_eq!(
        run("4294967295"),
        success("BLAKE2b-32 (name) = 0c4c5779784da32c3686a63fd5f0a06dc800e9397377f99b8f57479513c70bc6\n")
    );
}
