//! `--algorithm`: BLAKE2s, BLAKE2bp and BLAKE2sp.

use core::iter;

use simd_digest::blake2::{Flavour, Hash, Params};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use crate::{Directory, HELLO, Outcome, failure, message, outcome, success, with_pipe};

/// The digest of `hello s3git\n` by BLAKE2s with the default options, as s3git's tool has it.
const HELLO_S: &str = "b11315827a187a81451d8f2e90a3c85d6c2a4ec0295a513c1bcf41b4a5868500";

const SEQUENTIAL: [(&str, &str, usize); 4] = [
    ("blake2b", "BLAKE2b", 64),
    ("blake2s", "BLAKE2s", 32),
    ("blake2bp", "BLAKE2bp", 64),
    ("blake2sp", "BLAKE2sp", 32),
];

#[test]
fn published() {
    let directory = Directory::with_files();
    let run = |options: &[&str]| outcome(directory.bt2sum(["-a", "blake2s"]).args(options));
    assert_eq!(run(&["hello"]), success(format!("BLAKE2s-32 (hello) = {HELLO_S}\n")));
    assert_eq!(run(&["-l0", "hello"]), success(format!("BLAKE2s-32 (hello) = {HELLO_S}\n")));
    assert_eq!(run(&["--tag", "hello"]), success(format!("BLAKE2s-TREE-256-5M (hello) = {HELLO_S}\n")));
    let piped = with_pipe(&mut directory.bt2sum(["--algorithm=blake2s"]), iter::once(&b"hello s3git\n"[..]));
    assert_eq!(piped, success(format!("BLAKE2s-32 = {HELLO_S}\n")));
}

/// Digests of 250 bytes by Python's `hashlib`.
#[test]
fn blake2s_by_others() {
    let directory = Directory::new().file("m", &message(250)).file("key", b"key");
    let run = |options: &[&str]| outcome(directory.bt2sum(["-a", "blake2s", "m"]).args(options));
    for (options, line) in [
        (&["-t100"][..], "BLAKE2s-32 (m) = 13bc7bc78b419cbefb79243f1868fb1cf21c29e3adfa55efeb58cb7ccc51c24c"),
        (&["-t100", "-s20"], "BLAKE2s-20 (m) = 8f9983f179819020d46618600747150a8e23051d"),
        (
            &["-t100", "--key-file=key"],
            "BLAKE2s-32 (m) = 853bbb05cb1e6b6bb1217e3b1120e88b2eaccd10d32f04a31324660c62995999",
        ),
        (&["--sequential"], "b883d68f5fe51936431ba4256738053b1d0426d4cb64b16e83badc5e9fbe3b81  m"),
        (&["--sequential", "--tag"], "BLAKE2s (m) = b883d68f5fe51936431ba4256738053b1d0426d4cb64b16e83badc5e9fbe3b81"),
        (&["--sequential", "--tag", "-l128", "--key-file=key"], "BLAKE2s-128 (m) = 64178155dce658420413bc2ab2865ffb"),
    ] {
        assert_eq!(run(options), success(format!("{line}\n")), "{options:?}");
    }
}

/// Trees and what is none, of all lengths of digest, keyed or not.
fn like_the_library<F: Flavour>(algorithm: &str, name: &str, longest: usize) {
    let message = message(70_001);
    let directory = Directory::new().file("m", &message).file("key", &message[..longest]);
    for size in [1, 20, longest] {
        for key in [&[][..], &message[..longest]] {
            let params = Params::<F>::new().hash_length(size).key(key);
            let run = |algorithm: &str, options: &[&str]| {
                let mut command = directory.bt2sum(["-a", algorithm, "-s", &size.to_string(), "m"]);
                if !key.is_empty() {
                    command.args(["--key-file", "key"]);
                }
                outcome(command.args(options))
            };
            let node = params.clone().fanout(0).max_depth(2).inner_hash_length(size);
            for chunk in [1000, 4096, 100_000] {
                let hash: Hash<F> = node.clone().max_leaf_length(chunk).tree().unwrap().hash(&message);
                let line = success(format!("{name}-{size} (m) = {hash}\n"));
                assert_eq!(run(algorithm, &["-t", &chunk.to_string()]), line);
            }
            let hash = params.hash(&message).unwrap();
            assert_eq!(run(algorithm, &["--sequential"]), success(format!("{hash}  m\n")));
            let hash = params.parallel().unwrap().update(&message).finalize();
            let parallel = format!("{algorithm}p");
            assert_eq!(run(&parallel, &["--sequential"]), success(format!("{hash}  m\n")));
            let bits = if size == longest { String::new() } else { format!("-{}", 8 * size) };
            assert_eq!(run(&parallel, &["--sequential", "--tag"]), success(format!("{name}p{bits} (m) = {hash}\n")));
        }
    }
}

#[test]
fn blake2b_like_the_library() {
    like_the_library::<FlavourB>("blake2b", "BLAKE2b", 64);
}

#[test]
fn blake2s_like_the_library() {
    like_the_library::<FlavourS>("blake2s", "BLAKE2s", 32);
}

/// Several files, small ones and long ones: in lanes if they can be, and else one after the other.
#[test]
fn many_files_sequentially() {
    let (long, empty) = (message((4 << 20) + 77), Vec::new());
    let files =
        [("long", &long[..]), ("small", &long[..5000]), ("empty", &empty), ("longer", &[&long[..], b"x"].concat())];
    let directory = files.iter().fold(Directory::new(), |directory, (name, bytes)| directory.file(name, bytes));
    let names = files.map(|(name, _)| name);
    for (algorithm, ..) in SEQUENTIAL {
        let hash = |bytes: &[u8]| match algorithm {
            "blake2b" => simd_digest::blake2b::hash(bytes).to_string(),
            "blake2s" => simd_digest::blake2s::hash(bytes).to_string(),
            "blake2bp" => Params::<FlavourB>::new().parallel().unwrap().update(bytes).finalize().to_string(),
            _ => Params::<FlavourS>::new().parallel().unwrap().update(bytes).finalize().to_string(),
        };
        let lines: String = files.iter().map(|(name, bytes)| format!("{}  {name}\n", hash(bytes))).collect();
        for more in [&[][..], &["--mmap"], &["-cpus=1"]] {
            let run = outcome(directory.bt2sum(["--sequential", "-a", algorithm]).args(names).args(more));
            assert_eq!(run, success(lines.clone()), "{algorithm} {more:?}");
        }
        let piped = with_pipe(&mut directory.bt2sum(["--sequential", "-a", algorithm]), iter::once(&long[..]));
        assert_eq!(piped, success(format!("{}  -\n", hash(&long))), "{algorithm}");
    }
}

/// What is made with an algorithm is accepted with it, and with another one only if the lines say what they are.
#[test]
fn check_by_other_algorithms() {
    let directory = Directory::with_files().file("key", b"key");
    let trees = [("blake2b", "BLAKE2b", 64), ("blake2s", "BLAKE2s", 32)];
    for (mode, algorithms) in [(&[][..], &trees[..]), (&["--sequential"], &SEQUENTIAL)] {
        let run =
            |algorithm: &str, options: &[&str]| outcome(directory.bt2sum(["-a", algorithm]).args(mode).args(options));
        for &(algorithm, ..) in algorithms {
            for options in [&[][..], &["--tag"], &["-s16"], &["-s32", "--tag"], &["--key-file=key", "--tag"]] {
                let made = run(algorithm, &[options, &["hello", "empty"]].concat());
                std::fs::write(directory.path("sums"), &made.stdout).unwrap();
                let key: &[&str] = if options.contains(&"--key-file=key") { &["--key-file=key"] } else { &[] };
                let all_good = success("hello: OK\nempty: OK\n");
                assert_eq!(run(algorithm, &[&["-c", "--strict", "sums"], key].concat()), all_good, "{options:?}");
                for &(other, ..) in algorithms.iter().filter(|(other, ..)| *other != algorithm) {
                    let run = run(other, &[&["-c", "-w", "sums"], key].concat());
                    if made.stdout.starts_with("BLAKE2") {
                        assert_eq!(run, all_good, "{algorithm} {other} {options:?}");
                        continue;
                    }
                    assert_eq!(run.code, Some(1), "{algorithm} {other} {options:?}");
                    assert!(!run.stdout.contains("OK"), "{run:?}");
                }
            }
        }
    }
}

/// Longer digests than the algorithm has are of another one.
#[test]
fn untagged_digests_that_are_too_long() {
    let directory = Directory::new().file("sums", format!("{HELLO}  hello\n").as_bytes());
    let none = failure("", "bt2sum: sums: no properly formatted checksum lines found\n");
    let told = "bt2sum: sums: 1: improperly formatted BLAKE2s checksum line\n";
    let named = Outcome { stderr: told.to_owned() + &none.stderr, ..none.clone() };
    assert_eq!(outcome(&mut directory.bt2sum(["-a", "blake2s", "-c", "sums"])), named);
    assert_eq!(outcome(&mut directory.bt2sum(["-a", "blake2sp", "--sequential", "-c", "sums"])), none);
}

#[test]
fn leaves_know_their_algorithm() {
    let directory = Directory::new().file("name", &message(10_500));
    let run = |algorithm: &str, options: &[&str]| {
        outcome(directory.bt2sum(["-a", algorithm, "--leaves", "leaves", "-t1000"]).args(options))
    };
    let sums = |line: &Outcome| std::fs::write(directory.path("sums"), &line.stdout).unwrap();
    for (algorithm, code, other) in [("blake2b", 1, "blake2s"), ("blake2s", 2, "blake2b")] {
        let made = run(algorithm, &["-s32", "--tag", "name"]);
        let leaves = std::fs::read(directory.path("leaves")).unwrap();
        assert_eq!((leaves[9], leaves.len()), (code, 16 + 11 * 32 + 40));
        sums(&made);
        assert_eq!(run(algorithm, &["-c", "sums"]), success("name: OK\n"));
        assert_eq!(run(algorithm, &["-c", "sums", "--range=0-5"]), success("name: bytes 0-5: OK\n"));
        let mut bytes = message(10_500);
        bytes[1500] ^= 1;
        std::fs::write(directory.path("name"), &bytes).unwrap();
        let damaged = run(algorithm, &["-c", "sums"]);
        assert_eq!((damaged.code, damaged.stdout.as_str()), (Some(1), "name: FAILED\nname: bytes 1000-1999: FAILED\n"));
        std::fs::write(directory.path("name"), message(10_500)).unwrap();

        sums(&outcome(&mut directory.bt2sum(["-a", other, "-s32", "-t1000", "--tag", "name"])));
        let reason = "bt2sum: leaves: made with another --algorithm than the digest to check\n";
        assert_eq!(run(other, &["-c", "sums"]), failure("", reason));
    }
}

#[test]
fn limits_of_the_algorithm() {
    let directory = Directory::with_files().file("long", &[7; 33]).file("most", &[7; 32]);
    for (arguments, reason) in [
        ("-a blake2bp --leaves x", "--algorithm blake2bp has no --leaves, which is for trees"),
        ("-a blake2sp -t1k", "--algorithm blake2sp has no --chunk, which is for trees"),
        ("-a blake2sp -c --compat-empty", "--algorithm blake2sp has no --compat-empty"),
        ("-a blake2s -s33", "1 to 32 bytes"),
        ("-s64 -a blake2s", "1 to 32 bytes"),
        ("-a blake2s -l 264", "8 to 256 bits"),
        ("-a blake2sp -s33", "1 to 32 bytes"),
        ("-a blake2bp --sequential -s65", "1 to 64"),
        ("-a blake2s --key-file long", "a key has 1 to 32 bytes"),
        ("-a blake2sp --sequential --key-file long", "a key has 1 to 32 bytes"),
        ("-a blake2bp --sequential --leaves x", "cannot be used with"),
        ("-a sha256 --sequential --leaves x", "cannot be used with"),
    ] {
        let Outcome { code, stdout, stderr } = outcome(directory.bt2sum(arguments.split(' ')).arg("hello"));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments}");
        assert!(stderr.contains(reason), "{arguments}: {stderr}");
    }
    for arguments in ["-a blake2s -s32 --key-file most", "-a blake2b --key-file long", "-a blake2bp --sequential -s64"]
    {
        assert_eq!(outcome(directory.bt2sum(arguments.split(' ')).arg("hello")).code, Some(0), "{arguments}");
    }
}
