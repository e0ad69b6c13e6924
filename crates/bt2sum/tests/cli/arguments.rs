//! What the command line may say.

use crate::{Directory, HELLO, Outcome, outcome, success};

/// Usage errors are found before anything is hashed.
#[test]
fn wrong_arguments() {
    let directory = Directory::with_files();
    let chunks = [
        "0",
        "0k",
        "4g",
        "4GiB",
        "4194304k",
        "4294967296",
        "99999999999999999999",
        "-1",
        "-5m",
        "x5m",
        "5mx",
        "5 m",
        " 5m",
        "+5m",
        "1.5m",
        "5MB",
        "m",
        "",
    ];
    let sizes = ["0", "65", "1048577", "-1", "x64", "64x", "+64", "6 4", "256", "18446744073709551680", ""];
    let algorithms = ["blake2", "blake", "BLAKE2b", "BLAKE2s", "sha1", "sha512/256", "SHA256", ""];
    let options = [("-t", "--chunk", &chunks[..]), ("-s", "--size", &sizes), ("-a", "--algorithm", &algorithms)];
    for (short, long, values) in options {
        for value in values {
            for arguments in [vec![short, value, "hello"], vec!["hello", &format!("{long}={value}")]] {
                let Outcome { code, stdout, stderr } = outcome(&mut directory.bt2sum(arguments.iter().copied()));
                assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments:?}");
                assert!(stderr.contains(long), "{arguments:?}: {stderr}");
            }
        }
    }
    for arguments in [vec!["--unknown", "hello"], vec!["-x", "hello"], vec!["hello", "-t"], vec!["-s"]] {
        let Outcome { code, stdout, stderr } = outcome(&mut directory.bt2sum(arguments.iter().copied()));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(!stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn one_option_in_many_spellings() {
    let directory = Directory::with_files();
    let expected = success(format!("BLAKE2b-64 (hello) = {HELLO}\n"));
    for option in
        ["-t5m", "-t=5m", "-t5M", "-t5MiB", "-t5mib", "-t5120k", "-t5242880", "--chunk=5m", "-s64", "-ablake2b"]
    {
        assert_eq!(outcome(&mut directory.bt2sum([option, "hello"])), expected, "{option}");
        assert_eq!(outcome(&mut directory.bt2sum(["hello", option])), expected, "{option}");
    }
    // The last one counts.
    assert_eq!(outcome(&mut directory.bt2sum(["-t1k", "-s", "8", "hello", "-t5m", "--size", "64"])), expected);
}

#[test]
fn help_and_version() {
    let directory = Directory::new();
    let Outcome { code, stdout, stderr } = outcome(&mut directory.bt2sum(["--help"]));
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    for part in ["bt2sum COMMAND --help", "--version", "--man", "--as"] {
        assert!(stdout.contains(part), "{part}");
    }
    for (option, columns) in [("-h", 80), ("--help", 80), ("-h", 120), ("--help", 100), ("-h", 60)] {
        let help = outcome(directory.bt2sum([option]).env("COLUMNS", columns.to_string()));
        let longest = help.stdout.lines().map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= columns), "{option} {columns}: {longest:?}");
    }
    // Where nothing tells the width, as in a pipe.
    for option in ["-h", "--help"] {
        let help = outcome(directory.bt2sum([option]).env_remove("COLUMNS"));
        assert!(help.stdout.lines().all(|line| line.chars().count() <= 80), "{option}");
    }
    let unknown = outcome(&mut directory.bt2sum(["--xml"]));
    assert!(unknown.code == Some(2) && !unknown.stderr.contains("similar"), "{}", unknown.stderr);
    for option in ["--s=40", "--s", "-s"] {
        let run = outcome(directory.bt2sum([option]).args((option.len() < 4).then_some("40")));
        assert!(run.stdout.starts_with("BLAKE2b-40 = "), "{run:?}");
    }
    for (arguments, backend) in
        [(&["-V"][..], ""), (&["--version"], ""), (&["--backend", "portable", "-V"], "portable")]
    {
        let Outcome { code, stdout, stderr } = outcome(&mut directory.bt2sum(arguments.iter().copied()));
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        assert!(stdout.starts_with(&format!("bt2sum {} (backend {backend}", env!("CARGO_PKG_VERSION"))), "{stdout}");
    }
}
