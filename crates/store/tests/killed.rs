//! A process that writes is killed at random points: nothing that it acknowledged is lost, nothing wrong is returned.
#![cfg(unix)]

use core::time::Duration;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use simd_digest_store::{Format, Verified};

#[path = "common/in_time.rs"]
mod in_time;
#[path = "common/random.rs"]
mod random;
use in_time::in_time;
use random::Random;

/// The variable that makes this program the child, with the directory.
const DIRECTORY: &str = "STORE_TEST_DIRECTORY";
/// The variable with the number of children to kill.
const KILLS: &str = "STORE_TEST_KILLS";

const NAMES: u64 = 3;

fn store(directory: &std::path::Path) -> Verified<LocalFileSystem> {
    Verified::new(LocalFileSystem::new_with_prefix(directory).unwrap(), Format::default())
}

/// The version of an object: its number, and as many bytes as the number says. Some have several parts of the store.
fn version(number: u64) -> Bytes {
    let most = if number.is_multiple_of(4) { 20_000_000 } else { 900_000 };
    let length = usize::try_from((number % (1 << 32)) * 791_900_719 % most).unwrap();
    // `resize` writes byte by byte if it is not optimised.
    let mut bytes = vec![u8::try_from(number % 251).unwrap(); 8 + length];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes.into()
}

/// The child: writes versions without end, by puts and by parts, and prints each one that is acknowledged.
#[test]
fn write_until_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = store(directory.as_ref());
        let mut random = Random::new(u64::from(std::process::id()));
        let begin = random.below(1 << 40) << 8;
        for number in begin.. {
            let name = Path::from(format!("object-{}", random.below(NAMES)));
            let bytes = version(number);
            if random.below(2) == 0 {
                store.put(&name, bytes.into()).await.unwrap();
            } else {
                let mut upload = store.put_multipart(&name).await.unwrap();
                let parts = bytes
                    .chunks(if bytes.len() < 1_000_000 { 200_000 } else { 5_500_000 })
                    .map(|part| upload.put_part(Bytes::copy_from_slice(part).into()));
                futures_util::future::try_join_all(parts.collect::<Vec<_>>()).await.unwrap();
                upload.complete().await.unwrap();
            }
            let mut output = std::io::stdout().lock();
            writeln!(output, "\nstored {name} {number}").unwrap();
            output.flush().unwrap();
        }
    });
}

/// A child, which is killed if the test ends before it.
struct Writer(Child);

impl Drop for Writer {
    fn drop(&mut self) {
        // Fails if it has ended.
        let _ = self.0.kill(); // SIGKILL
        let _ = self.0.wait();
    }
}

fn begin(directory: &std::path::Path) -> Writer {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "write_until_killed", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    Writer(child.unwrap())
}

fn kill(kills: u64) {
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = store(directory.path());
    let mut random = Random::new(17);
    // For each object the version that was acknowledged last.
    let mut stored: Vec<Option<u64>> = vec![None; usize::try_from(NAMES).unwrap()];
    let mut total = 0;
    for round in 0..kills {
        let mut child = begin(directory.path());
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        // Begin to wait when the child writes.
        let first = runtime.spawn_blocking(move || {
            let first = lines.by_ref().map(|line| line.unwrap()).find(|line| line.starts_with("stored "));
            (first, lines)
        });
        let (first, lines) = runtime.block_on(in_time("the first object of a child", first)).unwrap();
        std::thread::sleep(Duration::from_micros(random.below(20_000)));
        child.0.kill().unwrap(); // SIGKILL
        let rest = lines.map_while(Result::ok).filter(|line| line.starts_with("stored "));
        let mut written: Vec<Option<u64>> = vec![None; stored.len()];
        let mut last = None;
        for line in first.into_iter().chain(rest) {
            let mut fields = line.split(' ').skip(1);
            let (Some(name), Some(number)) = (fields.next(), fields.next()) else { continue };
            let name: usize = name.trim_start_matches("object-").parse().unwrap();
            let Ok(number) = number.parse::<u64>() else { continue };
            written[name] = Some(number);
            last = last.max(Some(number));
            total += 1;
        }
        drop(child);
        for (name, (before, written)) in stored.iter_mut().zip(written).enumerate() {
            let name = Path::from(format!("object-{name}"));
            let found = runtime.block_on(async { store.get(&name).await.map(object_store::GetResult::bytes) });
            let expected = written.or(*before);
            let bytes = match found {
                Ok(bytes) => runtime.block_on(bytes).unwrap_or_else(|error| panic!("round {round}: {error}")),
                Err(object_store::Error::NotFound { .. }) => {
                    assert_eq!(expected, None, "round {round}: {name} is lost");
                    continue;
                }
                Err(error) => panic!("round {round}: {error}"),
            };
            let number = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            assert!(bytes == version(number), "round {round}: {name} has other bytes");
            // The one after the last that was printed may have been stored before the child was killed.
            let next = last.map(|last| last + 1);
            assert!(
                Some(number) == expected || (Some(number) >= next && next.is_some()),
                "round {round}: {name} is old"
            );
            *before = Some(number);
        }
    }
    println!("{kills} processes were killed after {total} objects");
    let listed = runtime.block_on(futures_util::StreamExt::count(store.list(None)));
    assert!(listed as u64 <= NAMES, "unfinished objects are listed");
}

#[test]
fn killed_at_random_points() {
    if std::env::var_os(DIRECTORY).is_none() {
        kill(std::env::var(KILLS).map_or(50, |kills| kills.parse().unwrap()));
    }
}

#[test]
#[ignore = "it takes a minute"]
fn killed_five_hundred_times() {
    if std::env::var_os(DIRECTORY).is_none() {
        kill(500);
    }
}
