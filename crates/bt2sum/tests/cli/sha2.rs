//! `--algorithm sha256`, `sha224`, `sha512` and `sha384`.

use core::iter;

use crate::{Directory, Outcome, failure, message, outcome, success, with_pipe};

/// The examples of FIPS 180-2 for `abc`.
const ABC: [(&str, &str, &str); 4] = [
    ("sha256", "SHA256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("sha224", "SHA224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    (
        "sha512",
        "SHA512",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
         2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    (
        "sha384",
        "SHA384",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
    ),
];

fn directory() -> Directory {
    Directory::new().file("abc", b"abc").file("key", b"key")
}

#[test]
fn published() {
    let directory = directory();
    for (algorithm, title, digest) in ABC {
        let run = |options: &[&str]| outcome(directory.bt2sum(["-a", algorithm]).args(options));
        assert_eq!(run(&["abc"]), success(format!("{digest}  abc\n")));
        assert_eq!(run(&["--sequential", "abc"]), success(format!("{digest}  abc\n")));
        assert_eq!(run(&["-b", "abc"]), success(format!("{digest} *abc\n")));
        assert_eq!(run(&["--text", "-c", "abc"]).code, Some(2));
        assert_eq!(run(&["--tag", "abc"]), success(format!("{title} (abc) = {digest}\n")));
        assert_eq!(run(&["--tag", "-z", "abc"]), success(format!("{title} (abc) = {digest}\0")));
        let piped = |options: &[&str]| {
            let mut command = directory.bt2sum(["-a", algorithm]);
            with_pipe(command.args(options), iter::once(&b"abc"[..]))
        };
        assert_eq!(piped(&[]), success(format!("{digest}  -\n")));
        assert_eq!(piped(&["--tag"]), success(format!("{title} (-) = {digest}\n")));
    }
}

/// Trees, keys and lengths that the algorithms do not have are wrong arguments, each with its reason.
#[test]
fn what_sha2_has_not() {
    let directory = directory();
    for (algorithm, bytes) in [("sha256", 32), ("sha224", 28), ("sha512", 64), ("sha384", 48)] {
        let tree = |option| format!("--algorithm {algorithm} has no --{option}, which is for trees of blake2b and");
        let length = format!("--size of {algorithm} is {bytes} bytes, --length {} bits", 8 * bytes);
        let key = format!("--algorithm {algorithm} takes no key");
        let mut cases = vec![
            ("-t1k", tree("chunk")),
            ("-t1k -c", tree("chunk")),
            ("--leaves leaves", tree("leaves")),
            ("--compat-empty", tree("compat-empty")),
            ("-s31", length.clone()),
            ("--sequential -s65", length.clone()),
            ("-l 128", length.clone()),
            ("--sequential -l 504 -c", length),
            ("--key-file key", key.clone()),
            ("--sequential --key-file key -c", key.clone()),
        ];
        if cfg!(unix) {
            cases.push(("--key-fd 0", key));
        }
        for (options, reason) in cases {
            let mut command = directory.bt2sum(["-a", algorithm, "abc"]);
            let Outcome { code, stdout, stderr } = outcome(command.args(options.split_whitespace()));
            assert_eq!((code, stdout.as_str()), (Some(2), ""), "{algorithm} {options}");
            assert!(stderr.contains(&reason), "{algorithm} {options}: {stderr}");
        }
        assert!(!directory.path("leaves").exists());
        // Of these, too, trees are not defined.
        let mut command = directory.bt2sum(["-a", algorithm, "--sequential", "--leaves", "leaves", "abc"]);
        assert_eq!(outcome(&mut command).code, Some(2));
    }
}

/// The only length may be said.
#[test]
fn the_length_that_sha2_has() {
    let directory = directory();
    for ((algorithm, _, digest), options) in ABC.into_iter().zip([
        ["-s32", "-l256", "-l0", "--length=256"],
        ["-s28", "-l224", "-l0", "--length=224"],
        ["-s64", "-l512", "-l0", "--length=512"],
        ["-s48", "-l384", "-l0", "--length=384"],
    ]) {
        let line = success(format!("{digest}  abc\n"));
        std::fs::write(directory.path("sums"), &line.stdout).unwrap();
        for option in options {
            let run = |more: &[&str]| outcome(directory.bt2sum(["-a", algorithm, option]).args(more));
            assert_eq!(run(&["abc"]), line, "{option}");
            assert_eq!(run(&["-c", "sums"]), success("abc: OK\n"), "{option}");
        }
    }
}

/// Lines that name SHA-2 need neither `--algorithm` nor `--sequential`.
#[test]
fn lines_say_the_algorithm() {
    let directory = directory();
    for (algorithm, title, digest) in ABC {
        let good = success("abc: OK\n");
        let none = failure("", "bt2sum: sums: no properly formatted checksum lines found\n");
        let named = |text: &str| failure("", format!("bt2sum: sums: 1: {text}\n{}", none.stderr));
        let check = |options: &[&str]| outcome(directory.bt2sum(["-c", "sums"]).args(options));
        let tagged = format!("{title} (abc) = {digest}\n");
        std::fs::write(directory.path("sums"), &tagged).unwrap();
        assert_eq!(check(&["--sequential"]), success("abc: OK\n"));
        assert_eq!(check(&["--sequential", "-a", algorithm]), success("abc: OK\n"));
        assert_eq!(check(&[]), good);
        let other = if algorithm == "sha256" { "sha224" } else { "sha256" };
        for other in [other, "blake2b", "blake2s", "blake2bp", "blake2sp"] {
            assert_eq!(check(&["--sequential", "-a", other]), good, "{other}");
        }
        assert_eq!(check(&["--sequential", "-l", "512"]), good);
        // A check with a key must not pass without it.
        let not_keyed = named("the hash of this line cannot have this key or context");
        assert_eq!(check(&["--sequential", "--key-file", "key"]), not_keyed);

        // Lines that trees would have.
        for label in [format!("-{}", digest.len() / 2), format!("-TREE-{}-5M", 4 * digest.len())] {
            std::fs::write(directory.path("sums"), format!("{title}{label} (abc) = {digest}\n")).unwrap();
            assert_eq!(check(&[]), named("improperly formatted BLAKE2b checksum line"), "{label}");
            assert_eq!(check(&["--sequential"]), none, "{label}");
        }

        std::fs::write(directory.path("sums"), tagged.replace(digest, &format!("0{}", &digest[1..]))).unwrap();
        let wrong = failure("abc: FAILED\n", "bt2sum: WARNING: 1 computed checksum did NOT match\n");
        assert_eq!(check(&["--sequential"]), wrong);

        // Lines without a name are of BLAKE2b if nothing else is said, and those of another tool get a hint.
        std::fs::write(directory.path("sums"), format!("{digest}  abc\n")).unwrap();
        let hint = format!("its digests are {title}: check them with --algorithm {algorithm}\n");
        assert_eq!(check(&["--sequential"]), failure("", format!("bt2sum: sums: {hint}")));
        assert_eq!(check(&["--sequential", "-a", algorithm]), success("abc: OK\n"));
        assert_eq!(check(&["-a", algorithm]), success("abc: OK\n"));
        assert_eq!(check(&["--sequential", "-a", other]), none);
    }
}

/// On every backend: small files in lanes, long ones in lanes, one of them alone, and a pipe.
#[test]
fn backends() {
    let long = message((4 << 20) + 200_001);
    let mut directory = Directory::new();
    let mut names = Vec::new();
    for (i, length) in (0..40).map(|i| i * 61).chain([(4 << 20) + 1, long.len(), 4 << 20]).enumerate() {
        directory = directory.file(&format!("f{i}"), &long[..length]);
        names.push((format!("f{i}"), length));
    }
    for algorithm in ["sha256", "sha224", "sha512", "sha384"] {
        let hash = |bytes: &[u8]| match algorithm {
            "sha256" => simd_digest::sha256::hash(bytes).to_string(),
            "sha224" => simd_digest::sha224::hash(bytes).to_string(),
            "sha512" => simd_digest::sha512::hash(bytes).to_string(),
            _ => simd_digest::sha384::hash(bytes).to_string(),
        };
        let line = |(name, length): &(String, usize)| format!("{}  {name}\n", hash(&long[..*length]));
        let lines: String = names.iter().map(line).collect();
        for backend in simd_digest::Backend::available() {
            for more in [&[][..], &["--mmap"], &["-cpus=1"]] {
                let options = ["--sequential", "-a", algorithm, "--backend", backend.name()];
                let mut command = directory.bt2sum(options);
                let run = outcome(command.args(more).args(names.iter().map(|(name, _)| name)));
                assert_eq!(run, success(lines.clone()), "{algorithm} {backend} {more:?}");
                let alone = outcome(directory.bt2sum(options).args(more).arg("f41"));
                assert_eq!(alone, success(line(&names[41])), "{algorithm} {backend} {more:?}");
            }
            let mut command = directory.bt2sum(["--sequential", "-a", algorithm, "--backend", backend.name()]);
            assert_eq!(with_pipe(&mut command, long.chunks(70_001)), success(format!("{}  -\n", hash(&long))));
        }
    }
}
