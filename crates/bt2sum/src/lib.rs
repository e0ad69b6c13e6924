//! The program `bt2sum`: prints and checks checksums of files, which are BLAKE2 trees, BLAKE3, or plain BLAKE2 and
//! SHA-2.
//!
//! This library is no interface. It exists so that fuzzers and tests reach the parsers of the program, and may change in
//! any version.
//!
//! Each module uses only modules further down this list:
//!
//! ```text
//!   lib         does what the command line asks for
//!   fuzzing     asks the parsers what fuzzers want to know
//!   call        takes the arguments of this program, or of another one
//!   archive     catalogues of all files below a directory, and audits by them
//!   repair      repairs one file that has leaves, by copies of it
//!   supervise   maps files in a process of its own
//!   lengths     sums the lengths of the files to come
//!   check       compares files with the digests in a check file
//!   inspect     compares a file with its leaves, which locate damage
//!   engine      hashes many files: small ones in batches, long ones one after the other
//!   function    the hash functions, and what the program asks of them
//!   message     reads one message, in the way that suits its input
//!   subtrees    hashes one message by BLAKE3 on all threads
//!   regular     hashes a tree over a regular file, read in any order
//!   stream      hashes a tree over a stream, read front to back
//!   team        divides a tree among threads, within a limit of memory
//!   window      gives parts of a regular file, read or mapped
//!   key         reads the key
//!   leaves      writes and reads files of leaves, which locate damage
//!   list        reads check files, part after part
//!   armour      tells the lines of check files that list no file on purpose
//!   foreign     guesses which other tool made a list
//!   line        parses the lines of check files
//!   replace     names the files that are never replaced
//!   output      prints digests, warnings and errors
//!   json        has the results as JSON
//!   manual      makes the manual page
//!   verbs       has the subcommands
//!   args        parses the command line
//!   memory      has a file in memory, with a path
//!   sealed      writes and reads files with a checksum of their own
//!   temporary   writes a file that gets its name only when it is whole
//!   signals     cleans up before a signal ends the program
//!   restore     brings back files that are gone
//!   mend        puts right what is damaged in one file, by copies of it
//!   reader      reads files around what cannot be read, perhaps from the disk
//!   input       opens files and standard input, reads them, and notices changes
//!   walk        finds the files below directories, and opens paths of any length
//!   tree        has messages as leaves and roots over these, for any hash with trees
//!   scheme      names the algorithms, and gives the library's parameters for each kind of digest
//!   number      reads and writes numbers with units
//!   buffers     is the memory into which files are read that are long, or many
//!   threads     runs work on several threads, with results in order
//!   progress    shows how far the work is
//! ```
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod archive;
mod args;
mod armour;
mod buffers;
mod call;
mod check;
mod engine;
mod foreign;
mod function;
#[cfg(target_os = "linux")]
pub mod fuzzing;
mod input;
mod inspect;
mod json;
mod key;
mod leaves;
mod lengths;
mod line;
mod list;
mod manual;
#[cfg(target_os = "linux")]
mod memory;
mod mend;
mod message;
mod number;
mod output;
#[cfg(test)]
mod paint;
mod progress;
mod reader;
mod regular;
mod repair;
mod replace;
#[cfg(target_os = "linux")]
mod restore;
mod scheme;
mod sealed;
mod signals;
mod stream;
mod subtrees;
mod supervise;
mod team;
mod temporary;
mod threads;
mod tree;
mod verbs;
mod walk;
mod window;

use core::cell::Cell;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use simd_digest::Backend;
use simd_digest::blake2::Flavour;
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::FlavourS;

use crate::args::{Options, Role, Tool};
use crate::buffers::Buffers;
use crate::call::Refused;
use crate::engine::{Engine, Job};
use crate::input::Source;
use crate::number::in_largest_unit;
use crate::output::{Format, Printer, USAGE};
use crate::progress::Progress;
use crate::scheme::Algorithm;
#[cfg(target_os = "linux")]
use crate::supervise::{Child, Done, Journal};
use crate::team::Hashed;
use crate::walk::Filter;

/// The length of the names in a batch, in bytes. The next batch is found below directories when this one is hashed,
/// because all names together take the square of the depth.
const NAMES: usize = 16 << 20;

/// Runs the program with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    match call::options() {
        Ok(mut options) => {
            if let Err((list, error)) = options.read_names() {
                output::complain(&list, &error);
                return USAGE.into();
            }
            run(&options)
        }
        Err(Refused::Clap(message)) => explain(&message),
        Err(Refused::Told(text)) => output::give_up(&text),
    }
}

/// Runs the program with these options. The run ends early if a result cannot be written.
fn run(options: &Options) -> ExitCode {
    if let Some(backend) = options.backend
        && let Err(error) = Backend::set_default(backend)
    {
        output::warn(&error.to_string());
        return USAGE.into();
    }
    if let Some(text) = about(options) {
        let unused = Progress::default();
        let printed = Printer::new(&unused).and_then(|mut printer| printer.print(&text));
        return printed.map_or_else(|error| output::write_failed(&error), |()| ExitCode::SUCCESS);
    }
    if let Some(chunk) = options.unstated_chunk()
        && !options.is_child()
        && io::stderr().is_terminal()
    {
        let chunk = in_largest_unit(chunk);
        output::warn(&format!(
            "the list must be checked with the same leaf length, -t {chunk}; with --tag, lines state it"
        ));
    }
    #[cfg(not(target_os = "linux"))]
    let were_good = true;
    #[cfg(target_os = "linux")]
    let (mut done, were_good) = match supervise::run(options) {
        Ok(Child::Ended(code)) => return code,
        Ok(Child::Cut(done)) => {
            output::warn("a mapped file became shorter; it and the files that are left are read");
            let were_good = done.all_good;
            (done, were_good)
        }
        // Without a child, files are read.
        Ok(Child::None) => (Done::default(), true),
        Err(error) => {
            output::warn(&error.to_string());
            return ExitCode::FAILURE;
        }
    };
    let secret = match key::read(options) {
        Ok(mut secret) => {
            secret.seek = options.role.seek;
            secret
        }
        Err(error) if options.role.tool.is_some() => return output::give_up(&output::reason(&error)),
        Err(error) => {
            output::complain(options.key_path().unwrap_or_default().as_os_str(), &error);
            return USAGE.into();
        }
    };
    #[cfg(target_os = "linux")]
    if let Some(store) = &options.archive.store {
        let progress = if options.no_progress { Progress::default() } else { Progress::on_terminal() };
        return match archive::run(options, store, &secret, &progress.at_rate(options.rate)) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(refusal) => refusal.tell(),
        };
    }
    if options.repair.repair {
        let progress = if options.no_progress { Progress::default() } else { Progress::on_terminal() };
        return repair::run(options, &secret, &progress.at_rate(options.rate));
    }
    if let Some(path) = options.leaves.as_deref()
        && let Err(error) = may_use(path, options, &options.files())
    {
        output::complain(path.as_os_str(), &error);
        return USAGE.into();
    }
    let mut filter = match Filter::new(&options.exclude, Vec::new()) {
        Ok(filter) => filter,
        Err(text) => {
            output::complain(OsStr::new("--exclude"), &io::Error::other(text));
            return USAGE.into();
        }
    };
    if let Some((device, number)) = output::identity() {
        filter.leave_out(device, number);
    }
    let engine = Engine {
        threads: options.threads(),
        secret,
        compat_empty: options.compat_empty,
        input_is_key: options.role.keyed,
        mmap: options.maps(),
        progress: if options.no_progress { Progress::default() } else { Progress::on_terminal() }.at_rate(options.rate),
        buffers: Buffers::default(),
    };
    let among = |_names: &[&OsStr], _is_end| {
        #[cfg(target_os = "linux")]
        return done.among(_names, _is_end);
        #[cfg(not(target_os = "linux"))]
        Ok(0)
    };
    match hash_or_check_all(options, &engine, &filter, among) {
        Ok(good) if good && were_good => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => engine.progress.aside(|| output::write_failed(&error)),
    }
}

/// Hashes or checks the files that the options name. `among` gives the number of those that are done already among the
/// next names. Returns whether all went well; an error says why nothing can be printed.
fn hash_or_check_all(
    options: &Options,
    engine: &Engine,
    filter: &Filter,
    mut among: impl FnMut(&[&OsStr], bool) -> io::Result<usize>,
) -> io::Result<bool> {
    let (files, filter) = (options.files(), options.recursive.then_some(filter));
    let (mut found, mut all_good) = (walk::files(&files, filter, options.one_file_system), true);
    let mut is_first = true;
    loop {
        let (mut paths, mut length) = (Vec::new(), 0);
        while (filter.is_none() || length < NAMES)
            && let Some(path) = found.next()
        {
            match path {
                Ok(path) => {
                    length += path.as_os_str().len();
                    paths.push(path);
                }
                Err((path, error)) => {
                    all_good = false;
                    engine.progress.aside(|| output::complain(path.as_os_str(), &error));
                }
            }
        }
        let is_end = filter.is_none() || length < NAMES;
        let names: Vec<&OsStr> = paths.iter().map(|path: &PathBuf| path.as_os_str()).collect();
        let names = match among(&names, is_end) {
            Ok(done) => &names[done..],
            Err(error) => {
                engine.progress.aside(|| output::warn(&error.to_string()));
                return Ok(false);
            }
        };
        // The total of several batches is known when the last one is found.
        if engine.progress.is_on()
            && !options.check
            && is_first
            && is_end
            && let Some(total) = lengths::given(names)
        {
            engine.progress.expect(total, names.len() as u64);
        }
        is_first = false;
        all_good &= hash_or_check(options, engine, names)?;
        if is_end {
            return Ok(all_good);
        }
    }
}

/// Whether `path` can be the file of leaves. Nothing is replaced that the user may want to keep.
fn may_use(path: &Path, options: &Options, names: &[&OsStr]) -> io::Result<()> {
    let wrong = |reason: &str| Err(io::Error::other(reason.to_owned()));
    if names.len() != 1 {
        return wrong("--leaves is for one file");
    }
    if options.check {
        return replace::refuse_no_name("--leaves", path);
    }
    if Source::named(names[0]).is_at(path) {
        return wrong("--leaves would replace the file to hash");
    }
    replace::refuse("--leaves", path, options)?;
    if !options.force && temporary::is_foreign(path, &leaves::FORMAT.magic)? {
        return wrong("--leaves would replace this file, which has no leaves; --force replaces it");
    }
    Ok(())
}

/// Hashes or checks the files. Returns whether all went well; an error says why nothing can be printed.
fn hash_or_check(options: &Options, engine: &Engine, names: &[&OsStr]) -> io::Result<bool> {
    let mut printer = Printer::new(&engine.progress)?;
    if options.check && options.role.tool == Some(Tool::B3sum) {
        return check::as_b3sum(options, engine, &mut printer, names);
    }
    if options.check {
        let mut check = |name: &&OsStr| check::check(options, engine, &mut printer, name);
        return lengths::beside(options, engine, names, || {
            names.iter().map(&mut check).try_fold(true, |good, more| more.map(|more| good && more))
        });
    }
    let Some(path) = &options.leaves else { return print_digests(options, engine, &mut printer, names) };
    let source = Source::named(names[0]);
    match options.algorithm() {
        Algorithm::Blake2s => write_leaves::<FlavourS>(options, engine, &mut printer, source, path),
        // No other algorithm gets here: a scheme without a tree would be an error.
        _ => write_leaves::<FlavourB>(options, engine, &mut printer, source, path),
    }
}

/// Prints the digests of the files, in their order. Returns whether all files could be read.
fn print_digests(options: &Options, engine: &Engine, printer: &mut Printer<'_>, names: &[&OsStr]) -> io::Result<bool> {
    let (scheme, format) = (options.scheme(), format_of(options));
    let jobs: Vec<Job<'_>> = names.iter().map(|name| Job { source: Source::named(name), scheme }).collect();
    let mut all_good = true;
    #[cfg(target_os = "linux")]
    let mut journal = Journal::of(options)?;
    engine.hash_all(&jobs, |i, hash| {
        let source = jobs[i].source;
        #[cfg(target_os = "linux")]
        let good = hash.is_ok();
        match hash {
            Ok(hash) => printer.print(&format.line(scheme, source, &hash))?,
            Err(error) => {
                printer.complain(source, &error);
                format.unreadable(source, &error).map_or(Ok(()), |line| printer.print(&line))?;
                all_good = false;
            }
        }
        #[cfg(target_os = "linux")]
        journal.tell(source.name(), good)?;
        Ok(())
    })?;
    Ok(all_good)
}

/// Writes the digests of a file's leaves to `path`, then prints the digest of the file. Returns whether both succeeded.
fn write_leaves<F: Flavour>(
    options: &Options,
    engine: &Engine,
    printer: &mut Printer<'_>,
    source: Source<'_>,
    path: &Path,
) -> io::Result<bool> {
    let scheme = options.scheme();
    // An error about the file of leaves is not one about the source.
    let failure = Cell::new(None);
    let keep = |error: io::Error| {
        let kind = error.kind();
        failure.set(Some(error));
        io::Error::from(kind)
    };
    let digest = engine.hash_leaves::<F, _>(
        Job { source, scheme },
        || leaves::Writer::create::<F>(path, scheme, &engine.secret).map_err(keep),
        |writer, leaf| writer.write(leaf.as_bytes()).map_err(keep),
    );
    let (writer, digest) = match digest {
        Ok(digest) => digest,
        Err(error) => {
            let (source, error) = failure.take().map_or((source, error), |error| (Source::File(path), error));
            printer.complain(source, &error);
            return Ok(false);
        }
    };
    // Once more, because hashing may have taken long.
    let finished = may_use(path, options, &[source.name()]).and_then(|()| writer.finish(digest.length));
    if let Err(error) = finished {
        printer.complain(Source::File(path), &error);
        return Ok(false);
    }
    let hashed = Hashed { hash: scheme::digest(digest.hash), length: digest.length };
    printer.print(&format_of(options).line(scheme, source, &hashed))?;
    Ok(true)
}

fn format_of(options: &Options) -> Format {
    let Options { tag, zero, binary, json, role: Role { no_names, raw, .. }, .. } = *options;
    Format { tag, zero, binary, json, no_names, raw }
}

/// The version, completions or manual page, if the options ask for one instead of digests.
fn about(options: &Options) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let version = env!("CARGO_PKG_VERSION");
    // Only where it is asked for: to build all subcommands takes longer than most files to hash.
    let command = || verbs::whole().version(version);
    if options.version {
        let backend = Backend::best();
        // Writing to memory never fails, here and below.
        let _ = writeln!(text, "bt2sum {version} (backend {backend}, {} lanes)", blake2b::lanes(backend));
    } else if let Some(shell) = options.completions {
        clap_complete::generate(shell, &mut command(), "bt2sum", &mut text);
    } else if options.man {
        let _ = manual::write(command(), &mut text);
    } else {
        return None;
    }
    Some(text)
}

/// Prints the help, or the error in the arguments.
fn explain(message: &clap::Error) -> ExitCode {
    let exit_code = u8::try_from(message.exit_code()).unwrap_or(u8::MAX);
    match message.print() {
        Err(error) if !message.use_stderr() => output::write_failed(&error),
        _ => exit_code.into(),
    }
}
