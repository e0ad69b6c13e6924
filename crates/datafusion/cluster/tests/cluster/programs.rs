//! The three programs, as the README runs them.

use core::time::Duration;
use std::fs::{create_dir_all, read_dir, read_to_string, remove_dir, write};
use std::process::Command;
use std::time::Instant;

use crate::process::{Cluster, Process};

const CHECK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/check.py");

fn python_agrees(cluster: &Cluster, rows: &str) -> bool {
    let python = Command::new("python3").args([CHECK, cluster.folder().to_str().unwrap(), rows]).output();
    let output = python.expect("python3 is needed");
    let errors = String::from_utf8_lossy(&output.stderr);
    eprintln!("{}{errors}", String::from_utf8_lossy(&output.stdout));
    assert!(!errors.contains("Traceback"), "{errors}");
    output.status.success()
}

#[test]
fn two_executors_answer_as_the_built_in_functions_and_python() {
    let cluster = Cluster::start(&[], &[&[], &[]]);
    let left = || {
        let mut left: Vec<_> = read_dir(cluster.folder()).unwrap().map(|file| file.unwrap().file_name()).collect();
        left.sort();
        left
    };
    // A name that is taken: no answers stay, not even the half.
    let taken = cluster.folder().join("table_digest.txt");
    create_dir_all(&taken).unwrap();
    let (status, client) = cluster.client(&["--rows", "20000"]);
    assert!(!status.success() && client.errors().contains("the folder "), "{}", client.errors());
    assert_eq!(left(), ["20000-rows-in-8", "probe-in-8", "table_digest.txt"]);
    remove_dir(taken).unwrap();

    let (status, client) = cluster.client(&["--rows", "20000"]);
    assert!(status.success(), "{}{}", client.output(), client.errors());
    for executor in &cluster.executors {
        assert!(client.output().contains(executor), "no work for {executor}: {}", client.output());
    }
    assert!(python_agrees(&cluster, "20000"));

    // Python does not agree with all.
    let answers = cluster.folder().join("answers.csv");
    let right = read_to_string(&answers).unwrap();
    for (place, wrong) in [(right.find("\n17,").unwrap() + 20, 'g'), (right.len() - 10, 'g')] {
        let mut changed = right.clone();
        changed.replace_range(place..=place, &wrong.to_string());
        write(&answers, changed).unwrap();
        assert!(!python_agrees(&cluster, "20000"));
    }
    write(&answers, &right[..right.trim_end().rfind('\n').unwrap() + 1]).unwrap();
    assert!(!python_agrees(&cluster, "20000"), "a row is missing");
    write(&answers, "").unwrap();
    assert!(!python_agrees(&cluster, "20000"), "all is missing");

    #[cfg(unix)]
    for name in ["answers.csv", "table_digest.txt"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode();
        let folder = cluster.folder();
        assert_eq!(mode(&folder.join(name)) & 0o777, mode(&folder) & 0o666, "{name}");
    }
    assert_eq!(left(), ["20000-rows-in-8", "answers.csv", "probe-in-8", "table_digest.txt"]);
    cluster.stop();
}

#[test]
fn all_processes_have_the_same_key() {
    let keys = tempfile::tempdir().unwrap();
    let file = |name: &str, key: &[u8]| {
        let path = keys.path().join(name);
        write(&path, key).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (key, other) =
        (file("key", b"the key of this cluster, of 32 B"), file("other", b"the key of another cluster, 32 B"));
    let short = file("short", b"fifteen bytes..");

    let cluster = Cluster::start(&["--key-file", &key], &[&["--key-file", &key], &["--key-file", &key]]);
    let (status, client) = cluster.client(&["--rows", "2000", "--key-file", &key]);
    assert!(status.success(), "{}{}", client.output(), client.errors());
    assert!(client.output().contains("mask_fingerprint"), "{}", client.output());
    let (status, client) = cluster.client(&["--rows", "2000", "--key-file", &other]);
    assert!(!status.success(), "{}", client.output());
    assert!(client.errors().contains("another mask, mask_fingerprint"), "{}", client.errors());
    let (status, client) = cluster.client(&["--rows", "2000", "--key-file", &short]);
    assert!(!status.success() && client.errors().contains("16"), "{}", client.errors());
    let (status, client) = cluster.client(&["--rows", "2000", "--key-file", "/no/such/file"]);
    assert!(!status.success() && client.errors().contains("/no/such/file"), "{}", client.errors());
    cluster.stop();

    let cluster = Cluster::start(&["--key-file", &key], &[&["--key-file", &key], &["--key-file", &other]]);
    let (status, client) = cluster.client(&["--rows", "2000", "--key-file", &key]);
    assert!(!status.success(), "{}", client.output());
    assert!(client.errors().contains("another mask, mask_fingerprint"), "{}", client.errors());
    cluster.stop();
}

#[test]
fn errors_are_clear_and_come_in_time() {
    let cluster = Cluster::start(&[], &[]);
    let scratch = cluster.scratch.path();
    let file = scratch.join("file");
    write(&file, "").unwrap();
    let file = file.to_str().unwrap();
    let port = cluster.address.rsplit_once(':').unwrap().1;
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let cases: [(&str, &[&str], &str); 8] = [
        ("ballista-client", &["--scheduler", &nobody, "--wait", "1", "--folder", file], "no scheduler at 127.0.0.1:"),
        (
            "ballista-client",
            &["--scheduler", &cluster.address, "--wait", "1", "--folder", file],
            "has 0 of 1 executors",
        ),
        ("ballista-client", &["--scheduler", &cluster.address, "--executors", "0", "--folder", file], "file"),
        ("ballista-client", &["--scheduler", "nowhere", "--wait", "1", "--folder", file], "no scheduler at nowhere"),
        ("ballista-executor", &["--scheduler", &nobody, "--wait", "1"], "no scheduler at 127.0.0.1:"),
        ("ballista-executor", &["--scheduler", &cluster.address, "--port", port], "port"),
        ("ballista-executor", &["--scheduler", &cluster.address, "--folder", "/no/such/folder"], "/no/such/folder"),
        ("ballista-scheduler", &["--port", port], "port"),
    ];
    for (example, arguments, complaint) in cases {
        let mut process = Process::start(scratch, example, arguments);
        let status = process.wait(Duration::from_secs(20));
        assert_eq!(status.code(), Some(1), "{example} {arguments:?}: {}", process.errors());
        assert!(process.errors().contains(complaint), "{example} {arguments:?}: {}", process.errors());
    }
    cluster.stop();
}

#[test]
fn a_client_that_is_interrupted_leaves_no_part_of_a_table() {
    let cluster = Cluster::start(&[], &[&[]]);
    let folder = cluster.folder();
    let arguments = ["--scheduler", &cluster.address, "--folder", folder.to_str().unwrap(), "--rows", "1000000000"];
    let mut client = Process::start(cluster.scratch.path(), "ballista-client", &arguments);
    client.line("17 functions on executors");
    let unfinished = |name: &str| name.starts_with("1000000000-") && name.ends_with(".tmp");
    let names = || -> Vec<String> {
        read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    };
    let began = Instant::now();
    while !names().iter().any(|name| unfinished(name)) {
        assert!(client.runs() && began.elapsed() < Duration::from_secs(60), "no table: {}", client.errors());
        std::thread::sleep(Duration::from_millis(10));
    }
    client.signal("-INT");
    assert_eq!(client.wait(Duration::from_secs(30)).code(), Some(1));
    assert!(client.errors().contains("interrupted"), "{}", client.errors());
    assert_eq!(names(), ["probe-in-8"]);
    cluster.stop();
}
