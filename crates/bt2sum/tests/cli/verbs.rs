//! Subcommands: what they do is what the flat options do.

use crate::{Directory, EMPTY, HELLO, Outcome, bt2sum, outcome, success};

const VERBS: [&str; 8] = ["sum", "check", "record", "audit", "update", "sample", "list", "repair"];

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}

/// The directories, where both runs of `setup` came to one outcome.
fn twice(setup: &[&str], make: impl Fn() -> Directory) -> [Directory; 2] {
    [(); 2].map(|()| {
        let directory = make();
        for line in setup {
            let run = outcome(&mut directory.bt2sum(words(line)));
            assert_eq!(run.code, Some(0), "{line}: {run:?}");
        }
        directory
    })
}

/// Runs the flat form in one directory and the subcommand in another, and compares all that they write.
#[track_caller]
fn alike([flat, verb]: &[Directory; 2], forms: [&str; 2], code: i32, files: &[&str]) -> Outcome {
    let of_flat = outcome(&mut flat.bt2sum(words(forms[0])));
    let of_verb = outcome(&mut verb.bt2sum(words(forms[1])));
    assert_eq!(of_flat, of_verb, "{forms:?}");
    assert_eq!(of_verb.code, Some(code), "{of_verb:?}");
    for name in files {
        let [a, b] = [flat, verb].map(|directory| std::fs::read(directory.path(name)).unwrap());
        assert!(a == b, "{forms:?}: {name}");
    }
    of_verb
}

#[test]
fn sums_and_checks() {
    let make = || Directory::with_files().file("other", b"other");
    let directories = twice(&["--tag -t 4 --leaves leaves hello"], make);
    for options in [
        "hello empty",
        "-a sha256 hello",
        "-a blake3 --tag hello empty",
        "--sequential -s 20 hello",
        "-cpus 1 hello",
        "-r .",
        "missing",
    ] {
        let code = i32::from(options == "missing");
        let run = alike(&directories, [options, &format!("sum {options}")], code, &[]);
        assert!(code == 1 || !run.stdout.is_empty(), "{options}");
    }
    alike(&directories, ["--tag -t 4 --leaves l hello", "sum --tag -t 4 --leaves l hello"], 0, &["l"]);
    let lines = [
        outcome(&mut directories[0].bt2sum(words("--tag -t 4 hello"))).stdout,
        outcome(&mut directories[0].bt2sum(words("-a sha256 hello empty missing"))).stdout,
    ];
    for directory in &directories {
        std::fs::write(directory.path("list"), &lines[0]).unwrap();
        std::fs::write(directory.path("SHA256SUMS"), &lines[1]).unwrap();
    }
    let check = |options: &str, code| {
        alike(&directories, [&format!("-c {options}"), &format!("check {options}")], code, &[]).stdout
    };
    assert_eq!(check("list", 0), "hello: OK\n");
    assert_eq!(check("--quiet list", 0), "");
    assert_eq!(check("-a sha256 SHA256SUMS", 0), "hello: OK\nempty: OK\n");
    assert_eq!(check("--leaves leaves list", 0), "hello: OK\n");
    assert_eq!(check("--leaves leaves --range 4-7 list", 0), "hello: bytes 4-7: OK\n");
    for directory in &directories {
        std::fs::write(directory.path("hello"), b"hello S3git\n").unwrap();
    }
    assert_eq!(check("--leaves leaves list", 1), "hello: FAILED\nhello: bytes 4-7: FAILED\n");
    assert_eq!(check("list", 1), "hello: FAILED\n");
    assert_eq!(check("nowhere", 1), "");
    // The file, and not the catalogue of a directory.
    let copy = |directory: &Directory| std::fs::write(directory.path("copy"), b"hello s3git\n").unwrap();
    directories.iter().for_each(copy);
    let repair = ["--repair --from copy --leaves leaves hello", "repair --from copy --leaves leaves hello"];
    let mended = alike(&directories, repair, 0, &["hello"]).stdout;
    assert_eq!(mended, "hello: mended\nhello: bytes 4-7: mended from copy\n");
    assert_eq!(check("list", 0), "hello: OK\n");
}

/// Another process maps the file, and has the arguments of this one.
#[test]
fn mapped_sums() {
    let directory = Directory::new().file("long", &crate::message(5 << 20)).file("sum", b"hello s3git\n");
    let plain = outcome(&mut directory.bt2sum(["long"]));
    assert_eq!(plain.code, Some(0));
    let note = "bt2sum: note: sum is a command here; ./sum is the file\n";
    let noted = Outcome { stderr: note.to_owned(), ..plain.clone() };
    assert_eq!(outcome(&mut directory.bt2sum(["sum", "--mmap", "long"])), noted);
    assert_eq!(outcome(&mut directory.bt2sum(["--mmap", "long"])), plain);
}

#[cfg(target_os = "linux")]
#[test]
fn catalogues() {
    use std::fs;

    use crate::store::{rot, set_time, tree};

    let directories = twice(&["-r --store old -t 1000 d"], tree);
    for directory in &directories {
        fs::create_dir(directory.path("copy")).unwrap();
        fs::copy(directory.path("d/a"), directory.path("copy/a")).unwrap();
    }
    let record = ["-r --store s -t 1000 --exclude sub.x d", "record --store s -t 1000 --exclude sub.x d"];
    assert!(alike(&directories, record, 0, &[]).stdout.starts_with("4 files, 1 link, "));
    alike(&directories, ["-r --store s d", "record --store s d"], 2, &[]);
    alike(&directories, ["-r --force --store s -t 1000 d", "record --force --store s -t 1000 d"], 0, &[]);
    let audit = |options: &str, code| {
        let forms = [format!("--audit --store s {options} d"), format!("audit --store s {options} d")];
        alike(&directories, [&forms[0], &forms[1]], code, &[]).stdout
    };
    assert!(audit("", 0).starts_with("6 unchanged, root "));
    assert_eq!(audit("--quiet", 0), "");
    for directory in &directories {
        rot(directory, "a", 5500);
        fs::write(directory.path("d/sub/b"), b"edited").unwrap();
        set_time(directory, "sub/b", 3_000_000);
    }
    let lines = ["a: rotted\na: bytes 5000-5999: FAILED\n", "\nsub/b: changed\n"];
    assert!(audit("", 1).starts_with(lines[0]) && audit("", 1).contains(lines[1]));
    assert!(audit("--only sub", 1).starts_with("sub/b: changed\n"));
    assert!(audit("--json", 1).ends_with("}\n"));
    assert!(audit("--root 00", 2).is_empty());
    let sample = ["--sample 5% --store s d", "sample --store s d"];
    assert!(alike(&directories, sample, 1, &[]).stdout.contains(" not read)\n"));
    alike(&directories, ["--sample 0 --store s d", "sample --sample 0 --store s d"], 1, &[]);
    alike(&directories, ["--update --sample 0 --store s d", "update --sample 0 --store s d"], 0, &[]);
    alike(&directories, ["--update --quiet --store s d", "update --quiet --store s d"], 1, &[]);
    let lists = ["--list --store s", "list --store s"];
    assert_eq!(alike(&directories, lists, 0, &[]).stdout.lines().count(), 5);
    alike(&directories, ["--list --json --store s", "list --json --store s"], 0, &[]);
    let dry = ["--repair --dry-run --from copy --store s d", "repair --dry-run --from copy --store s d"];
    assert!(alike(&directories, dry, 0, &["d/a"]).stdout.starts_with("a: mendable\n"));
    let repair = ["--repair --from copy --store s d", "repair --from copy --store s d"];
    assert!(alike(&directories, repair, 0, &["d/a"]).stdout.starts_with("a: mended\n"));
    assert!(audit("", 0).starts_with("6 unchanged, root "));
    alike(&directories, ["--audit --store s nowhere", "audit --store s nowhere"], 3, &[]);
    alike(&directories, ["--audit --store d/a d", "audit --store d/a d"], 2, &[]);
}

/// Only the first argument is a subcommand, and each of them can be a file.
#[test]
fn files_with_names_of_subcommands() {
    for name in VERBS {
        let directory = Directory::new().file(name, b"hello s3git\n").file("empty", b"");
        let line = |name: &str| format!("BLAKE2b-64 ({name}) = {HELLO}\n");
        let run = |arguments: &[&str]| outcome(&mut directory.bt2sum(arguments.iter().copied()));
        let path = format!("./{name}");
        assert_eq!(run(&[&path]), success(line(&path)));
        assert_eq!(run(&["--", name]), success(line(name)));
        assert_eq!(run(&["-s", "64", name]), success(line(name)));
        assert_eq!(run(&["empty", name]), success(format!("BLAKE2b-64 (empty) = {EMPTY}\n{}", line(name))));
        // With a note, because the file may have been meant.
        let note = format!("bt2sum: note: {name} is a command here; {path} is the file\n");
        let sum = run(&["sum", "--", name]);
        assert_eq!((sum.code, sum.stdout), (Some(0), line(name)));
        assert_eq!(sum.stderr, if name == "sum" { &*note } else { "" });
        let command = run(&[name, "empty"]);
        assert!(command.stderr.starts_with(&note), "{command:?}");
        assert_ne!(command.stdout, line(name));
        assert!(
            run(&[name, "--help"])
                .stdout
                .contains(&format!("\nUsage: bt2sum {}", if name == "sum" { "[sum]" } else { name }))
        );
        // A program of another name has none.
        let as_other = run(&["--as", "b2sum", name]);
        assert_eq!((as_other.code, as_other.stderr.as_str()), (Some(0), ""));
        assert!(as_other.stdout.ends_with(&format!("  {name}\n")), "{as_other:?}");
    }
    // Quiet runs are for what runs unwatched.
    let directory = Directory::new().file("check", b"").file("hello", b"hello s3git\n");
    let directory = directory.file("list", format!("BLAKE2b-64 (hello) = {HELLO}\n").as_bytes());
    for option in ["--quiet", "--status"] {
        assert_eq!(outcome(&mut directory.bt2sum(["check", option, "list"])), success(""));
    }
}

/// One screen of a terminal of 80 columns.
#[test]
fn helps_of_one_screen() {
    for verb in VERBS.iter().map(Some).chain([None]) {
        for option in ["-h", "--help"] {
            let help = outcome(bt2sum().args(verb).arg(option).env("COLUMNS", "80"));
            assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
            let lines: Vec<&str> = help.stdout.lines().collect();
            assert!(lines.len() <= 24, "{verb:?}: {} lines", lines.len());
            assert!(lines.iter().all(|line| line.chars().count() <= 80), "{verb:?}: {}", help.stdout);
            if let Some(verb) = verb {
                let (_, examples) = help.stdout.split_once("\nExamples:\n").unwrap();
                assert!(examples.lines().count() > 0 && examples.contains("bt2sum "), "{verb}");
                let overview = outcome(bt2sum().arg(option)).stdout;
                assert!(overview.contains(&format!("\n  {verb:8}{}\n", lines[0])), "{verb}: {overview}");
            } else {
                // The options of subcommands are theirs.
                let of_verbs = ["--store", "--audit", "--check", "--algorithm", "--from", "--range", "--quiet"];
                assert!(of_verbs.iter().all(|option| !help.stdout.contains(option)), "{}", help.stdout);
            }
        }
    }
}

/// Each help has only options that the subcommand takes, and the examples are ones that it understands.
#[cfg(target_os = "linux")]
#[test]
fn examples_of_helps() {
    let directory = Directory::new();
    for verb in VERBS {
        let help = outcome(bt2sum().args([verb, "--help"])).stdout;
        let (_, examples) = help.split_once("\nExamples:\n").unwrap();
        for example in examples.lines() {
            let (_, command) = example.rsplit_once("bt2sum ").unwrap();
            let command = command.split(" > ").next().unwrap().replace('\'', "");
            let run = outcome(&mut directory.bt2sum(words(&command)));
            assert!(run.code != Some(0) && !run.stderr.contains("Usage:"), "{example}: {run:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn usage_errors_show_the_usage_of_the_subcommand() {
    let directory = Directory::with_files();
    for (arguments, message) in [
        ("check --tag hello", "unexpected argument '--tag' found"),
        ("check --range 0-5 hello", "--range needs --leaves"),
        ("check --leaves", "a value is required for '--leaves <LEAVES>'"),
        ("check --store s hello", "unexpected argument '--store' found"),
        ("record hello", "--store <STORE>"),
        ("record --store s -a sha256 hello", "--store keeps the digests of leaves, which sha256 has not"),
        ("record --store s --chunk 65m hello", "--chunk with --store is at most 64m, not 65m"),
        ("record --store s -a blake3 --derive-key x hello", "unexpected argument '--derive-key' found"),
        ("record --store s --only x hello", "unexpected argument '--only' found"),
        ("audit hello", "audit needs --store"),
        ("audit --store s", "--store is for one directory"),
        ("audit --store s hello empty", "--store is for one directory"),
        ("audit --store s -a blake2b hello", "unexpected argument '-a' found"),
        ("audit --store s --accept x hello", "unexpected argument '--accept' found"),
        ("update hello", "update needs --store"),
        ("update --store s --from x hello", "unexpected argument '--from' found"),
        ("sample --sample 5 --store s hello", "give 0% to 100%"),
        ("sample hello", "sample needs --store"),
        ("list", "list needs --store"),
        ("list --store s hello", "list reads only the catalogue, and takes no DIR"),
        ("repair --store s hello", "repair needs --from"),
        ("repair --from x hello", "repair needs --store or --leaves"),
        ("repair --from x --leaves l hello empty", "repair --leaves is for one file"),
        ("repair --from x --store s --leaves l hello", "--leaves does not go with --store"),
        ("sum --check hello", "unexpected argument '--check' found"),
        ("sum -t 5x hello", "invalid value '5x'"),
        ("sum -a sha256 -t 5m hello", "--algorithm sha256 has no --chunk"),
        ("sum --as b2sum hello", "unexpected argument '--as' found"),
    ] {
        let run = outcome(&mut directory.bt2sum(words(arguments)));
        let verb = arguments.split(' ').next().unwrap();
        let usage = if verb == "sum" { "Usage: bt2sum [sum] ".to_owned() } else { format!("Usage: bt2sum {verb} ") };
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments}");
        assert!(run.stderr.contains(message) && run.stderr.contains(&usage), "{arguments}: {}", run.stderr);
    }
    // Without a subcommand.
    let flat = outcome(&mut directory.bt2sum(["--audit", "hello"])).stderr;
    assert!(
        flat.contains("--audit needs --store") && flat.contains("Usage: bt2sum [sum] [OPTIONS] [FILE]...\n"),
        "{flat}"
    );
}

/// Every option beside every subcommand: it is refused by its name, or both forms take it or refuse it.
#[test]
fn every_option_beside_every_subcommand() {
    let directory = Directory::with_files();
    let options: Vec<&[&str]> = vec![
        &["--algorithm", "blake2s"],
        &["-a", "sha256"],
        &["--size", "20"],
        &["--length", "80"],
        &["--chunk", "4k"],
        &["--cpus", "1"],
        &["--mmap"],
        &["--sequential"],
        &["--binary"],
        &["--text"],
        &["--recursive"],
        &["--tag"],
        &["--zero"],
        &["--check"],
        &["--ignore-missing"],
        &["--quiet"],
        &["--status"],
        &["--strict"],
        &["--warn"],
        &["--leaves", "hello"],
        &["--force"],
        &["--range", "0-5"],
        &["--key-file", "hello"],
        &["--derive-key", "x"],
        &["--compat-empty"],
        &["--store", "t"],
        &["--audit"],
        &["--update"],
        &["--sample", "5%"],
        &["--list"],
        &["--only", "x"],
        &["--accept", "x"],
        &["--root", "00"],
        &["--exclude", "x"],
        &["--one-file-system"],
        &["--owner"],
        &["--xattrs"],
        &["--direct"],
        &["--repair"],
        &["--from", "x"],
        &["--missing"],
        &["--dry-run"],
        &["--json"],
        &["--rate", "1m"],
        &["--backend", "portable"],
        &["--no-progress"],
        &["--files0-from", "x"],
        &["--unknown"],
        &["--as", "b2sum"],
    ];
    let forms: [(&str, &str); 8] = [
        ("sum", ""),
        ("check", "--check"),
        ("record --store s", "--recursive --store s"),
        ("audit --store s", "--audit --store s"),
        ("update --store s", "--update --store s"),
        ("sample --store s", "--sample 5% --store s"),
        ("list --store s", "--list --store s"),
        ("repair --from x --store s", "--repair --from x --store s"),
    ];
    let (mut taken, mut refused) = (0, 0);
    for (verb, flat) in forms {
        for option in &options {
            // No directory has this name.
            let file = (!verb.starts_with("list")).then_some("nowhere");
            let run = |form: &str| outcome(directory.bt2sum(words(form)).args(*option).args(file));
            let of_verb = run(verb);
            assert!(matches!(of_verb.code, Some(0..=3)), "{verb} {option:?}: {of_verb:?}");
            if of_verb.stderr.contains("unexpected argument") {
                assert!(
                    of_verb.code == Some(2) && of_verb.stderr.contains(option[0]),
                    "{verb} {option:?}: {of_verb:?}"
                );
                refused += 1;
                continue;
            }
            let of_flat = run(flat);
            let is_usage = |run: &Outcome| run.stderr.contains("Usage:");
            assert_eq!(is_usage(&of_verb), is_usage(&of_flat), "{verb} {option:?}: {of_verb:?} {of_flat:?}");
            assert_eq!((of_verb.code, &of_verb.stdout), (of_flat.code, &of_flat.stdout), "{verb} {option:?}");
            taken += usize::from(!is_usage(&of_verb));
        }
    }
    assert!(taken > 80 && refused > 180, "{taken} {refused}");
}

#[test]
fn junk() {
    let directory = Directory::with_files();
    for verb in VERBS {
        for junk in ["", "-", "--", "--=", "-\u{1}", "--\u{1}", "--store", "--store=", "--only=", "\u{7f}", "-0", "---"]
        {
            let run = outcome(&mut directory.bt2sum([verb, junk]));
            let reads_standard_input = matches!(verb, "sum" | "check") && matches!(junk, "-" | "--");
            assert!(matches!(run.code, Some(1 | 2)) || reads_standard_input, "{verb} {junk:?}: {run:?}");
            assert!(run.code == Some(0) || !run.stderr.is_empty(), "{verb} {junk:?}");
        }
    }
    // No name is that of an option that the subcommand lacks.
    for length in [1, 2, 7, 30, 99, 100, 101, 2000] {
        for byte in ["\u{1}", "\u{7f}", " "] {
            let name = format!("--{}", byte.repeat(length));
            for value in [&["hello"][..], &[]] {
                let run = outcome(directory.bt2sum(["audit", &name]).args(value));
                assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{length}: {run:?}");
                assert!(run.stderr.contains("unexpected argument '--"), "{length}: {}", run.stderr);
            }
        }
    }
    for name in ["Sum", "audits", "aud", "help", "--audit=x"] {
        let run = outcome(&mut directory.bt2sum([name]));
        assert!(matches!(run.code, Some(1 | 2)) && run.stdout.is_empty(), "{run:?}");
    }
}

#[test]
fn completions_have_subcommands_and_their_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = outcome(bt2sum().args(["--completions", shell]));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        for word in VERBS.iter().copied().chain(["accept", "only", "sequential"]) {
            assert!(run.stdout.contains(word), "{shell} {word}");
        }
        assert!(!run.stdout.contains('\0'), "{shell}");
    }
}
