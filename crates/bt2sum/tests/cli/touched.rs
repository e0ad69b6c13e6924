//! Files of which only the metadata changes while they are read, as by the jobs that make links at night.
#![cfg(target_os = "linux")]

use core::time::Duration;
use std::fs::{self, Permissions};
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::thread;

use crate::in_time::{Run, start};
use crate::{Directory, Outcome, message, outcome};

/// A run that reads a file for about a second.
struct Reading {
    length: usize,
    /// Runs before, which write a list or a store.
    before: &'static [&'static str],
    run: &'static str,
    /// Whether the file is standard input.
    is_input: bool,
}

impl Directory {
    fn reading(&self, reading: &Reading) -> Run {
        let rate = format!("--rate={}", reading.length);
        let mut command = self.bt2sum(reading.run.split(' ').chain([rate.as_str()]));
        if reading.is_input {
            // It begins within the file, and does so again.
            let mut file = self.open("d/f");
            file.seek(SeekFrom::Start(3)).unwrap();
            command.stdin(file);
        }
        start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    /// The file gets another link while it is read, and then, if `ever`, other permissions until the end.
    fn with_links(&self, reading: &Reading, ever: bool) -> Outcome {
        let mut child = self.reading(reading);
        let (file, link) = (self.path("d/f"), self.path("link"));
        let own = child.id();
        let is_open = || {
            // The file may be mapped in a process of its own.
            let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
            let processes = children.split_whitespace().map(str::to_owned).chain([own.to_string()]);
            let descriptors =
                processes.filter_map(|id| fs::read_dir(format!("/proc/{id}/fd")).ok()).flatten().flatten();
            descriptors.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| target == file)
        };
        while child.try_wait().unwrap().is_none() && !is_open() {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(150));
        fs::hard_link(&file, &link).unwrap();
        while ever && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(100));
            let mode = fs::metadata(&file).unwrap().permissions().mode() ^ 0o010;
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        }
        let outcome = Outcome::from(child);
        fs::remove_file(&link).unwrap();
        outcome
    }
}

const SHORT: usize = 1 << 20;
const LONG: usize = (5 << 20) + 7;

const READINGS: [Reading; 13] = [
    Reading { length: SHORT, before: &[], run: "d/f", is_input: false },
    Reading { length: LONG, before: &[], run: "-t64k --tag d/f", is_input: false },
    Reading { length: LONG, before: &[], run: "--mmap -t64k --tag d/f", is_input: false },
    Reading { length: LONG, before: &[], run: "--sequential d/f", is_input: false },
    Reading { length: LONG, before: &[], run: "-a blake3 d/f", is_input: false },
    Reading { length: LONG, before: &[], run: "-t64k --tag", is_input: true },
    Reading { length: SHORT, before: &["d/f"], run: "-c out", is_input: false },
    Reading { length: LONG, before: &[], run: "-t64k --tag --leaves leaves d/f", is_input: false },
    Reading {
        length: LONG,
        before: &["-t64k --tag --leaves leaves d/f"],
        run: "-c --leaves leaves out",
        is_input: false,
    },
    Reading { length: SHORT, before: &[], run: "-r --force -t64k --store store d", is_input: false },
    Reading { length: LONG, before: &[], run: "-r --force -t64k --store store d", is_input: false },
    Reading { length: SHORT, before: &["-r -t64k --store store d"], run: "--audit --store store d", is_input: false },
    Reading { length: LONG, before: &["-r -t64k --store store d"], run: "--audit --store store d", is_input: false },
];

/// A file of which only the metadata changed is read once more, and its digest is right. A second change is an error.
#[test]
fn links_made_while_a_file_is_read() {
    let tried = |reading: &Reading| {
        let directory = Directory::new();
        fs::create_dir(directory.path("d")).unwrap();
        let directory = directory.file("d/f", &message(reading.length));
        // Long ago: a young file would be another matter.
        let past = std::time::SystemTime::now() - Duration::from_secs(1000);
        fs::File::options().write(true).open(directory.path("d/f")).unwrap().set_modified(past).unwrap();
        for before in reading.before {
            fs::write(directory.path("out"), outcome(&mut directory.bt2sum(before.split(' '))).stdout).unwrap();
        }
        let run = reading.run;
        let undisturbed = Outcome::from(directory.reading(reading));
        assert_eq!((undisturbed.code, undisturbed.stderr.as_str()), (Some(0), ""), "{run}: {undisturbed:?}");
        let leaves = fs::read(directory.path("leaves")).ok();
        assert_eq!(directory.with_links(reading, false), undisturbed, "{run}");
        assert_eq!(fs::read(directory.path("leaves")).ok(), leaves, "{run}");
        // On a busy machine it may read all of the file between two changes.
        let disturbed = (0..5).map(|_| directory.with_links(reading, true)).find(|run| run.code != Some(0));
        let Outcome { code, stdout, stderr } = disturbed.expect("one of five is disturbed");
        let all = stdout + &stderr;
        let reason = "Metadata changed while the file was read, and once more while it was read again";
        assert!(code == Some(1) && all.contains(reason), "{run}: {all}");
        assert_eq!(fs::read(directory.path("leaves")).ok(), leaves, "{run}");
    };
    thread::scope(|scope| {
        for reading in &READINGS {
            scope.spawn(move || tried(reading));
        }
    });
}
