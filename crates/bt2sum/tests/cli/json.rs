//! Results as JSON, and lists of names.

use crate::{Directory, HELLO, message, outcome, success, with_pipe};

/// The object of `hello`.
fn hello(status: &str) -> String {
    format!(
        r#"{{"name":"hello","status":"{status}","algorithm":"BLAKE2b-TREE-512-5M","digest":"{HELLO}","length":12}}"#
    )
}

#[test]
fn digests() {
    let directory = Directory::with_files().file("long", &message(5_000_000));
    assert_eq!(outcome(&mut directory.bt2sum(["--json", "hello"])), success(hello("hashed") + "\n"));
    let run = with_pipe(&mut directory.bt2sum(["--json"]), [&b"hello s3git\n"[..]].into_iter());
    assert_eq!(run.stdout, hello("hashed").replace("hello", "-") + "\n");
    assert_eq!(outcome(&mut directory.bt2sum(["--json", "--leaves", "l", "hello"])), success(hello("hashed") + "\n"));
    let run = outcome(&mut directory.bt2sum(["--json", "none", "hello"]));
    let none = r#"{"name":"none","status":"unreadable","reason":"No such file or directory"}"#;
    assert_eq!((run.code, run.stdout), (Some(1), format!("{none}\n{}\n", hello("hashed"))));
    for (options, algorithm) in [
        ("--sequential -a sha256", "SHA256"),
        ("-a sha384", "SHA384"),
        ("--sequential -l 128", "BLAKE2b-128"),
        ("-a blake3", "BLAKE3"),
        ("-a blake2s -t 1k -s 16", "BLAKE2s-TREE-128-1K"),
    ] {
        let run = outcome(directory.bt2sum(options.split(' ')).args(["--json", "long", "empty"])).stdout;
        let objects: Vec<serde_json::Value> = run.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let field = |name: &str| objects.iter().map(|object| object[name].clone()).collect::<Vec<_>>();
        assert_eq!(field("algorithm"), [algorithm, algorithm]);
        assert_eq!(
            (field("length"), field("name")),
            (vec![5_000_000.into(), 0.into()], vec!["long".into(), "empty".into()])
        );
    }
}

#[test]
fn checks() {
    let directory = Directory::with_files().file("long", &message(10_000));
    let made = outcome(&mut directory.bt2sum(["--tag", "-t1k", "--leaves", "l", "long"]));
    let list = format!("BLAKE2b-64 (hello) = {HELLO}\nBLAKE2b-64 (empty) = {HELLO}\nBLAKE2b-64 (none) = {HELLO}\n");
    let directory = directory.file("list", list.as_bytes()).file("one", made.stdout.as_bytes());
    let run = outcome(&mut directory.bt2sum(["-c", "--json", "list"]));
    let [ok, failed, missing] = run.stdout.lines().collect::<Vec<_>>()[..] else { panic!("{run:?}") };
    assert_eq!((run.code, ok), (Some(1), &*hello("ok")));
    assert!(
        failed.starts_with(r#"{"name":"empty","status":"failed","#) && failed.ends_with(r#""length":0}"#),
        "{failed}"
    );
    assert!(missing.starts_with(r#"{"name":"none","status":"unreadable","#), "{missing}");
    assert!(missing.ends_with(r#","reason":"No such file or directory"}"#), "{missing}");
    let directory = directory.file("long", &[&message(3000)[..], b"x", &message(10_000)[3001..], b"yy"].concat());
    let run = outcome(&mut directory.bt2sum(["-c", "--json", "--leaves", "l", "one"]));
    assert!(run.stdout.contains(r#""ranges":[[2048,3071],[10000,10001]]"#), "{run:?}");
    let run = outcome(&mut directory.bt2sum(["-c", "--json", "--leaves", "l", "--range=0-5", "one"]));
    assert!(run.code == Some(0) && run.stdout.contains(r#""ranges":[[0,5]]"#), "{run:?}");
}

#[test]
fn lists_of_names() {
    let directory = Directory::with_files().file("names", b"hello\0empty\0").file("open", b"empty\0hello");
    let expected = outcome(&mut directory.bt2sum(["hello", "empty"]));
    assert_eq!(outcome(&mut directory.bt2sum(["--files0-from", "names"])), expected);
    assert_eq!(outcome(&mut directory.bt2sum(["--files0-from=names", "--mmap"])), expected);
    let run = with_pipe(&mut directory.bt2sum(["--files0-from", "-"]), [&b"hello\0"[..], b"empty"].into_iter());
    assert_eq!(run, expected);
    assert_eq!(outcome(&mut directory.bt2sum(["--files0-from=open"])).stdout.lines().count(), 2);
    // Of no names, nothing is printed, and standard input is not read.
    assert_eq!(outcome(&mut directory.bt2sum(["--files0-from=empty"])), success(""));
    let run = outcome(&mut directory.bt2sum(["-c", "--files0-from=empty"]));
    assert!(run.code != Some(0) && run.stderr.ends_with("nothing is checked\n"), "{run:?}");
    let directory = directory.file("bad", b"hello\0\0empty\0");
    for (option, reason) in [
        ("--files0-from=bad", "bt2sum: bad: A name in this list is empty\n"),
        ("--files0-from=none", "bt2sum: none: No such file or directory\n"),
    ] {
        let run = outcome(&mut directory.bt2sum([option]));
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(2), "", reason));
    }
    let run = with_pipe(&mut directory.bt2sum(["--files0-from", "-"]), [&b"hello\0-\0"[..]].into_iter());
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(2), "bt2sum: -: The list is standard input, and cannot name it\n")
    );
    let run = outcome(&mut directory.bt2sum(["--leaves=l", "--files0-from=empty"]));
    assert_eq!(run.code, Some(2), "{run:?}");
}
