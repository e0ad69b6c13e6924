//! `--mmap`: never another result.

use core::iter;

use crate::{Directory, EMPTY, Outcome, failure, message, outcome, success, with_pipe};

/// Without the option and with it.
fn both(directory: &Directory, arguments: &[&str]) -> Outcome {
    let read = outcome(&mut directory.bt2sum(arguments.iter().copied()));
    let mapped = outcome(directory.bt2sum(arguments.iter().copied()).arg("--mmap"));
    assert_eq!(read, mapped, "{arguments:?}");
    read
}

/// Around pages, leaves, groups of leaves, and what is too short to be mapped.
#[test]
fn the_same_digests() {
    let chunk = 300_000;
    let lengths = [0, 1, 4096, 1 << 20, 4 << 20, 8 * chunk, 16 * chunk].into_iter();
    let lengths = lengths.flat_map(|length: usize| [length.saturating_sub(1), length, length + 1]);
    for length in lengths {
        let directory = Directory::new().file("name", &message(length));
        let pipe = with_pipe(&mut directory.bt2sum(["-t300000"]), iter::once(&message(length)[..]));
        for options in [&["-t300000"][..], &["-t1000", "-cpus=1"], &["--sequential"], &["--sequential", "name"]] {
            let run = both(&directory, &[options, &["name"]].concat());
            assert_eq!(run.code, Some(0), "{length}");
            if options == ["-t300000"] {
                assert_eq!(run.stdout, pipe.stdout.replace(" = ", " (name) = "), "{length}");
            }
        }
        let standard =
            |options: &[&str]| outcome(directory.bt2sum(options.iter().copied()).stdin(directory.open("name")));
        assert_eq!(standard(&["-t300000", "--mmap"]), pipe, "{length}");
        assert_eq!(standard(&["--sequential", "--mmap"]), standard(&["--sequential"]), "{length}");
    }
}

/// Also standard input of which the beginning was read by another program.
#[cfg(unix)]
#[test]
fn standard_input_from_where_it_is() {
    use std::io::{Seek, SeekFrom};

    let whole = message(3 << 20);
    let directory = Directory::new().file("name", &whole).file("rest", &whole[4097..]);
    for options in [&["-t300000"][..], &["--sequential"]] {
        let digest = |run: Outcome| run.stdout.replace(" (rest)", "").replace("  rest", "  -");
        let rest = digest(outcome(directory.bt2sum(options.iter().copied()).arg("rest")));
        for mmap in [&[][..], &["--mmap"]] {
            let mut file = directory.open("name");
            file.seek(SeekFrom::Start(4097)).unwrap();
            let run = outcome(directory.bt2sum([options, mmap].concat()).stdin(file));
            assert_eq!(digest(run), rest, "{options:?} {mmap:?}");
        }
    }
}

#[test]
fn pipes_are_read() {
    let directory = Directory::new();
    let run = |options: &[&str]| {
        let message = message(2_000_000);
        with_pipe(&mut directory.bt2sum(options.iter().copied()), message.chunks(7919))
    };
    for options in [&["-t", "4k"][..], &["--sequential"]] {
        let mapped = run(&[options, &["--mmap"]].concat());
        assert!(mapped.code == Some(0) && mapped == run(options), "{mapped:?}");
    }
    assert_eq!(both(&directory, &["-"]), success(format!("BLAKE2b-64 = {EMPTY}\n")));
    assert_eq!(both(&directory, &["."]), failure("", "bt2sum: .: Is a directory\n"));
    #[cfg(target_os = "linux")]
    assert_eq!(both(&directory, &["/proc/self/mem"]), failure("", "bt2sum: /proc/self/mem: Input/output error\n"));
}

#[test]
fn checks_and_leaves() {
    let bytes = message(5_000_000);
    let directory = Directory::new().file("name", &bytes);
    let leaves = |options: &[&str]| {
        let written = outcome(directory.bt2sum(["--tag", "-t300000", "--leaves=leaves", "name"]).args(options));
        (written, std::fs::read(directory.path("leaves")).unwrap())
    };
    let (line, plain) = leaves(&[]);
    assert_eq!(leaves(&["--mmap"]), (line, plain));
    let sums = both(&directory, &["--tag", "-t300000", "name"]).stdout;
    std::fs::write(directory.path("sums"), sums).unwrap();
    std::fs::write(directory.path("plain"), both(&directory, &["--sequential", "name"]).stdout).unwrap();
    for (length, place) in
        [(5_000_000, 5_000_000), (5_000_000, 4_000_000), (4_500_000, 0), (4_499_999, 3), (6_000_000, 7)]
    {
        let mut changed = message(length);
        if let Some(byte) = changed.get_mut(place) {
            *byte ^= 1;
        }
        std::fs::write(directory.path("name"), &changed).unwrap();
        let good = i32::from(changed != bytes);
        for options in [
            &["-c", "sums"][..],
            &["-c", "--sequential", "plain"],
            &["-c", "sums", "--leaves=leaves"],
            &["-c", "sums", "--leaves=leaves", "--range=4000000-"],
        ] {
            assert_eq!(both(&directory, options).code, Some(good), "{length} {place} {options:?}");
        }
        both(&directory, &["-c", "sums", "--leaves=leaves", "--range=0-300000"]);
    }
}

/// Many at once, short and long.
#[test]
fn many_files() {
    let mut directory = Directory::new();
    let mut names = Vec::new();
    for i in 0..20 {
        names.push(format!("f{i}"));
        directory = directory.file(&names[i], &message(i * i * i * 900));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["missing", "."]).collect();
    for options in [&["-t300000"][..], &["--sequential"]] {
        assert_eq!(both(&directory, &[options, &names].concat()).stdout.lines().count(), 20);
    }
}
