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

/// A file that is cut short while it is mapped, at many moments: the program goes on, and gives its digest before or
/// after the cut, or an error. The other files are hashed, and nothing is left behind.
#[cfg(target_os = "linux")]
#[test]
fn files_cut_short() {
    use core::time::Duration;

    use crate::in_time::start;

    const LENGTH: u64 = 24 << 20;
    let directory = Directory::new().file("long", b"").file("small", b"small").file("other", &message(5 << 20));
    let file = std::fs::File::options().write(true).open(directory.path("long")).unwrap();
    let digests = |options: &[&str]| {
        [LENGTH, 1, 0].map(|length| {
            file.set_len(length).unwrap();
            outcome(directory.bt2sum(options.iter().copied()).arg("long")).stdout
        })
    };
    let cuts: u64 = std::env::var("BT2SUM_CUTS").map_or(8, |cuts| cuts.parse().unwrap());
    for options in [&["-t1m"][..], &["-a", "blake3"], &["--sequential"], &["-t1m", "--leaves", "leaves"]] {
        let good = digests(options);
        let alone = options.contains(&"--leaves");
        let rest = if alone {
            String::new()
        } else {
            outcome(directory.bt2sum(options.iter().copied()).args(["small", "other"])).stdout
        };
        for cut in 0..cuts {
            file.set_len(LENGTH).unwrap();
            let mut command = directory.bt2sum([options, &["--mmap", "long"]].concat());
            command.args(["small", "other"].iter().filter(|_| !alone));
            let child = start(command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()));
            std::thread::sleep(Duration::from_micros(500 + cut * 7919 % 40_000));
            file.set_len(cut % 2).unwrap();
            let run = Outcome::from(child);
            let own = run.stdout.strip_suffix(&rest).unwrap_or_else(|| panic!("{cut} {run:?}"));
            match run.code {
                Some(0) => assert!(good.contains(&own.to_owned()), "{cut} {run:?}"),
                Some(1) => assert!(own.is_empty() && run.stderr.contains("changed while it was read"), "{cut} {run:?}"),
                _ => panic!("{cut} {run:?}"),
            }
            let mut names = std::fs::read_dir(directory.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
            assert!(names.all(|name| !name.to_string_lossy().ends_with(".tmp")), "{cut}");
        }
    }
}

/// The signal as such: what was done is not done again, and the rest is read.
#[cfg(target_os = "linux")]
#[test]
fn a_child_that_dies() {
    use std::process::Stdio;

    use crate::in_time::{start, until};
    use crate::process::{has_opened, kill};

    let directory = Directory::new().file("a", b"a").file("z", b"z");
    std::fs::File::create(directory.path("long")).unwrap().set_len(64 << 30).unwrap();
    let mut command = directory.bt2sum(["--mmap", "-cpus", "1", "a", "long", "z"]);
    let mut run = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let children = format!("/proc/{0}/task/{0}/children", run.id());
    let mut child = String::new();
    run.until("a child that maps the long file", |_| {
        child = std::fs::read_to_string(&children).unwrap().trim().to_owned();
        if cfg!(target_pointer_width = "32") {
            // There is no room for a map of it.
            return child.parse().is_ok_and(|child| has_opened(child, &directory.path("long")));
        }
        std::fs::read_to_string(format!("/proc/{child}/maps")).is_ok_and(|maps| maps.contains("/long\n"))
    });
    // The parent goes on when the file is short.
    kill(run.id(), "STOP");
    // The first one only removes the standard library's handler, which a fault would then miss.
    until("the end of the child", || {
        kill(&child, "BUS");
        std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap().contains(") Z").then_some(())
    });
    std::fs::write(directory.path("long"), b"short").unwrap();
    kill(run.id(), "CONT");
    let run = Outcome::from(run);
    let whole = outcome(&mut directory.bt2sum(["a", "z"])).stdout;
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!((run.code, lines.len(), lines[0], lines[2]), {
        let mut whole = whole.lines();
        (Some(0), 3, whole.next().unwrap(), whole.next().unwrap())
    });
    assert_eq!(run.stderr, "bt2sum: a mapped file became shorter; it and the files that are left are read\n");
}

/// Standard input under other names, which is another one in a child.
#[cfg(target_os = "linux")]
#[test]
fn standard_input_by_its_path() {
    let directory = Directory::new().file("f", &message(5000)).file("k", b"key");
    let digest = |run: Outcome| {
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stdout.split_once(' ').unwrap().0.to_owned()
    };
    for path in ["/dev/stdin", "/proc/self/fd/0"] {
        let run = outcome(directory.bt2sum(["--mmap", path]).stdin(directory.open("f")));
        assert_eq!(digest(run), digest(outcome(&mut directory.bt2sum(["f"]))));
        let run = outcome(directory.bt2sum(["--mmap", "--key-file", path, "f"]).stdin(directory.open("k")));
        assert_eq!(digest(run), digest(outcome(&mut directory.bt2sum(["--key-file", "k", "f"]))));
    }
}
