//! The programs as processes, which end with the test.

use core::time::Duration;
use std::fs::{File, read_dir, read_to_string};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::Instant;

use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// A process, whose output is in a folder.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    output: PathBuf,
}

impl Process {
    /// Starts a program of this package with these arguments, and its temporary files in `scratch/tmp`.
    pub(crate) fn start(scratch: &Path, name: &str, arguments: &[&str]) -> Self {
        let program = match name {
            "ballista-client" => env!("CARGO_BIN_EXE_ballista-client"),
            "ballista-executor" => env!("CARGO_BIN_EXE_ballista-executor"),
            "ballista-scheduler" => env!("CARGO_BIN_EXE_ballista-scheduler"),
            _ => panic!("no program {name}"),
        };
        let temporary = scratch.join("tmp");
        std::fs::create_dir_all(&temporary).unwrap();
        let number = read_dir(scratch).unwrap().count();
        let output = scratch.join(format!("{number}-{name}"));
        let child = Command::new(program)
            .args(arguments)
            .env("TMPDIR", temporary)
            .stdout(File::create(output.with_extension("out")).unwrap())
            .stderr(File::create(output.with_extension("err")).unwrap())
            .spawn()
            .unwrap();
        Self { child, output }
    }

    pub(crate) fn output(&self) -> String {
        read_to_string(self.output.with_extension("out")).unwrap()
    }

    pub(crate) fn errors(&self) -> String {
        read_to_string(self.output.with_extension("err")).unwrap()
    }

    /// The rest of the line that begins so. The process has some time to write it.
    pub(crate) fn line(&mut self, beginning: &str) -> String {
        let began = Instant::now();
        loop {
            let output = self.output();
            let line = output.split_inclusive('\n').find_map(|line| line.strip_suffix('\n')?.strip_prefix(beginning));
            if let Some(line) = line {
                return line.to_owned();
            }
            assert!(self.runs(), "ended before it wrote {beginning:?}: {}", self.errors());
            assert!(began.elapsed() < PATIENCE, "has not written {beginning:?}: {}", self.errors());
            sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn wait(&mut self, patience: Duration) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < patience, "runs on after {patience:?}:\n{}{}", self.output(), self.errors());
            sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Asks the process to end.
    pub(crate) fn signal(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- {}\n{}{}", self.output.display(), self.output(), self.errors());
        }
    }
}

/// A scheduler and executors, each with one task slot.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) address: String,
    pub(crate) executors: Vec<String>,
    processes: Vec<Process>,
    pub(crate) scratch: TempDir,
}

impl Cluster {
    /// Starts an executor for each list of further arguments.
    pub(crate) fn start(scheduler: &[&str], executors: &[&[&str]]) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let arguments = [&["--port", "0"], scheduler].concat();
        let mut scheduler = Process::start(scratch.path(), "ballista-scheduler", &arguments);
        let address = scheduler.line("scheduler: ");
        let start = |further: &&[&str]| {
            let arguments = [&["--scheduler", &address, "--slots", "1"], *further].concat();
            Process::start(scratch.path(), "ballista-executor", &arguments)
        };
        let mut processes: Vec<_> = executors.iter().map(start).collect();
        let executors = processes.iter_mut().map(|executor| executor.line("executor: ")).collect();
        processes.push(scheduler);
        Self { address, executors, processes, scratch }
    }

    /// Runs the client to its end.
    pub(crate) fn client(&self, arguments: &[&str]) -> (ExitStatus, Process) {
        let folder = self.folder();
        let executors = self.executors.len().to_string();
        let common = ["--scheduler", &self.address, "--executors", &executors, "--folder", folder.to_str().unwrap()];
        let mut client = Process::start(self.scratch.path(), "ballista-client", &[&common, arguments].concat());
        let status = client.wait(Duration::from_secs(240));
        (status, client)
    }

    /// The folder of the client's tables.
    pub(crate) fn folder(&self) -> PathBuf {
        self.scratch.path().join("tables")
    }

    /// Ends all processes, executors first. They leave no files.
    pub(crate) fn stop(mut self) {
        for process in &mut self.processes {
            process.signal("-TERM");
            let status = process.wait(PATIENCE);
            assert!(status.success(), "{status}: {}", process.errors());
        }
        let left: Vec<_> = read_dir(self.scratch.path().join("tmp")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
