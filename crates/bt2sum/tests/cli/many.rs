//! Many files, many threads, directories.

use crate::{Directory, EMPTY, HELLO, Outcome, failure, fewer, message, outcome, success};

/// Files of a batch, files of several leaves and files too long for a batch, in this order and mixed.
#[test]
fn batches_and_threads() {
    let mut directory = Directory::new();
    let mut names = Vec::new();
    for i in 0..150 {
        let length = match i {
            20 => (4 << 20) + 1,
            21 => 300_000,
            _ => i * 37,
        };
        let name = format!("f{i}");
        directory = directory.file(&name, &message(length));
        names.push(name);
    }
    for options in [&["-s20", "-t100k"][..], &["--sequential", "-l160"], &["--sequential", "-a", "sha256"]] {
        let all =
            |threads: &str| outcome(directory.bt2sum(options.iter().copied()).args(["--cpus", threads]).args(&names));
        let with_one = all("1");
        let lines: Vec<&str> = with_one.stdout.split_inclusive('\n').collect();
        assert_eq!((with_one.code, lines.len(), with_one.stderr.as_str()), (Some(0), 150, ""), "{options:?}");
        assert_eq!(all("3"), with_one, "{options:?}");
        for i in fewer(0, 0..150).filter(|i| *i != 21).chain([21]) {
            let alone = outcome(directory.bt2sum(options.iter().copied()).args(["-cpus", "1", &names[i]]));
            assert_eq!(alone, success(lines[i]), "{i} {options:?}");
        }
    }
}

#[test]
fn cpus() {
    let directory = Directory::with_files();
    let expected = success(format!("BLAKE2b-64 (hello) = {HELLO}\n"));
    for option in ["-cpus 1", "-cpus=2", "--cpus 3", "--cpus=1000000"] {
        assert_eq!(outcome(directory.bt2sum(option.split(' ')).arg("hello")), expected, "{option}");
    }
    for option in ["-cpus 0", "-cpus=0", "--cpus=-1", "-cpus -1", "-cpus x", "--cpus=", "-cpus"] {
        let Outcome { code, stdout, .. } = outcome(directory.bt2sum(["hello"]).args(option.split(' ')));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{option}");
    }
}

/// The most that the program ever had, when it has hashed all small files and waits for its standard input.
#[cfg(target_os = "linux")]
#[test]
fn memory_of_many_threads() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    use crate::in_time::{in_time, start};

    let directory = Directory::new();
    let names: Vec<String> = (0..64).map(|i| i.to_string()).collect();
    for name in &names {
        std::fs::File::create(directory.path(name)).unwrap().set_len(4 << 20).unwrap();
    }
    let mut command = directory.bt2sum(["--cpus=256", "-s1"]);
    command.args(&names).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = start(&mut command);
    let (output, count) = (BufReader::new(child.stdout.take().unwrap()), names.len());
    let lines = in_time("a line for each file", move || output.lines().take(count).count());
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(child.stdin.take());
    child.wait();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
    let most: usize = most.parse().unwrap();
    // Beside the buffers there are the program and its threads.
    assert!(lines == names.len() && most < (128 + 16) << 10, "{lines} lines, {most} KiB");
}

#[test]
fn backends() {
    let directory = Directory::new().file("name", &message(100_000));
    let run = |backend| outcome(&mut directory.bt2sum(["-t4k", "--backend", backend, "name"]));
    let expected = outcome(&mut directory.bt2sum(["-t4k", "name"]));
    for backend in simd_digest::Backend::available() {
        assert_eq!(run(backend.name()), expected);
    }
    let unknown = run("mmx");
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(2), ""));
    assert!(unknown.stderr.contains("known here are") && unknown.stderr.contains("portable"), "{}", unknown.stderr);
}

#[test]
fn the_empty_tree_of_the_go_tool() {
    const GO: &str = "067b63c7d8d79ccfb6efc6dbdd97f96fa5c93ce37ad1cec943db3f90b125c3ed\
        cc95aa5d82b8e285aee4ca2074d3cf757a6023a750c6b22c7c22b69cac8af4d4";
    let directory = Directory::with_files().file("sums", format!("{GO}  empty\n").as_bytes());
    let run = outcome(&mut directory.bt2sum(["--compat-empty", "empty", "hello", "-"]));
    assert_eq!(run, success(format!("BLAKE2b-64 (empty) = {GO}\nBLAKE2b-64 (hello) = {HELLO}\nBLAKE2b-64 = {GO}\n")));
    assert_eq!(outcome(&mut directory.bt2sum(["--compat-empty", "-c", "sums"])), success("empty: OK\n"));
    assert_eq!(outcome(&mut directory.bt2sum(["-c", "sums"])).code, Some(1));
}

#[cfg(unix)]
#[test]
fn recursion() {
    use std::os::unix::fs::symlink;

    let directory = Directory::with_files();
    for name in ["d/b", "d/B/x", "d/a", "d/a.b", "d/c/y", "d/c/.z"] {
        let path = directory.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, b"").unwrap();
    }
    symlink("..", directory.path("d/up")).unwrap();
    symlink("../hello", directory.path("d/link")).unwrap();
    symlink("void", directory.path("d/nowhere")).unwrap();
    symlink("d", directory.path("to-d")).unwrap();
    let lines = |directory: &str| -> String {
        let names = ["B/x", "a", "a.b", "b", "c/.z", "c/y", "link"];
        let digest = |name: &str| if name == "link" { HELLO } else { EMPTY };
        names.iter().map(|name| format!("BLAKE2b-64 ({directory}/{name}) = {}\n", digest(name))).collect()
    };
    let complaint = |directory| format!("bt2sum: {directory}/nowhere: No such file or directory\n");
    let hello = format!("BLAKE2b-64 (hello) = {HELLO}\n");
    let run = outcome(&mut directory.bt2sum(["-r", "d", "hello"]));
    assert_eq!(run, failure(lines("d") + &hello, complaint("d")));
    let linked = outcome(&mut directory.bt2sum(["--recursive", "hello", "to-d"]));
    assert_eq!(linked, failure(hello + &lines("to-d"), complaint("to-d")));
    let standard = outcome(&mut directory.bt2sum(["-r"]));
    assert_eq!(standard, success(format!("BLAKE2b-64 = {EMPTY}\n")));
}

/// What is read or mapped while it changes is no version of the file. It is read so slowly that the test has time to
/// change it. One that is mapped is not made shorter: that may end the program.
#[cfg(unix)]
#[test]
fn files_that_change() {
    use std::fs::File;
    use std::io::{Seek, SeekFrom, Write};
    use std::process::Stdio;

    use crate::in_time::{start, until};

    type Change = fn(&mut File);
    let longer: Change = |file| file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(b"more")).unwrap();
    let shorter: Change = |file| file.set_len(file.metadata().unwrap().len() - 1).unwrap();
    let other: Change = |file| file.rewind().and_then(|()| file.write_all(b"other")).unwrap();
    let how = [(longer, ""), (shorter, ""), (other, ""), (longer, "--mmap"), (other, "--mmap")];
    for (change, option) in how {
        let once = || {
            let directory = Directory::new().file("name", &message(1 << 20));
            File::options().write(true).open(directory.path("name")).unwrap().set_len(16 << 20).unwrap();
            let mut command = directory.bt2sum(["-t64k", "--rate=64m", "name"]);
            command.args(Some(option).filter(|option| !option.is_empty()));
            let mut child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
            let mut file = File::options().write(true).open(directory.path("name")).unwrap();
            // At the first moment it may not be open yet.
            until("the end of a file that changes", || {
                change(&mut file);
                child.try_wait().unwrap()
            });
            Outcome::from(child)
        };
        // On a busy machine it may read all of the file between two changes.
        let run = (0..5).map(|_| once()).find(|run| run.code != Some(0)).expect("one of five is disturbed");
        assert_eq!(run, failure("", "bt2sum: name: File changed while it was read\n"), "{option}");
    }
}
