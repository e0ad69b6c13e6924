//! The command line: the options, their help, and the rules between them.

use core::num::NonZeroUsize;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::PathBuf;

use clap::{Command, FromArgMatches, Parser};
use clap_complete::Shell;
use simd_digest::Backend;

use crate::input::from_raw;
use crate::number::in_largest_unit;
use crate::number::{byte_range, chunk_length, digest_bits, digest_length, rate, thread_count};
use crate::scheme::{Algorithm, CHUNK, LONGEST_LEAF, Scheme, Shape};
use repair::RepairOptions;
pub(crate) use role::{Role, Tool};
use store::StoreOptions;

mod repair;
mod role;
pub(crate) mod rules;
mod store;

/// Checksums of files by BLAKE2, BLAKE3 and SHA-2; audits that tell edits from rot.
#[derive(Debug, Parser)]
#[command(name = "bt2sum", args_override_self = true, disable_version_flag = true)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Options {
    /// Hash: trees of blake2b and blake2s, all others plain [default: blake2b]
    #[arg(help_heading = "Hash", short, long, value_enum, value_name = "HASH")]
    pub(crate) algorithm: Option<Algorithm>,

    /// Length of digests of BLAKE2: 1 to 64, of blake2s and blake2sp to 32 [default: the longest]
    ///
    /// Length of digests of blake3: 1 to 1048576 [default: 32]
    #[arg(help_heading = "Hash", short, long, value_name = "BYTES", allow_hyphen_values = true, value_parser = digest_length)]
    pub(crate) size: Option<usize>,

    /// Length of digests in bits, a multiple of 8; 0 is the default
    ///
    /// b3sum checks lists of blake3 with 256 bits only.
    #[arg(
        help_heading = "Hash",
        short,
        long,
        value_name = "BITS",
        conflicts_with = "size",
        allow_hyphen_values = true
    )]
    #[arg(value_parser = digest_bits)]
    pub(crate) length: Option<usize>,

    /// Length of a leaf, less than 4g [default: 5m]
    ///
    /// With --store at most 64m; of blake3 a power of two from 1k on, and only with --store [default: 1m].
    #[arg(help_heading = "Hash", short = 't', long, value_name = "SIZE", allow_hyphen_values = true)]
    #[arg(value_parser = chunk_length)]
    pub(crate) chunk: Option<u32>,

    /// Threads that hash; -cpus too [default: all processors]
    #[arg(help_heading = "Speed", long, value_name = "N", allow_hyphen_values = true, value_parser = thread_count)]
    pub(crate) cpus: Option<NonZeroUsize>,

    /// Maps long files instead of reading them: faster, but not for those that may shrink
    #[arg(help_heading = "Speed", long)]
    pub(crate) mmap: bool,

    /// Plain BLAKE2b and BLAKE2s instead of trees; with --check, the rules of b2sum and sha256sum
    #[arg(help_heading = "Hash", long, conflicts_with_all = ["chunk", "leaves", "compat_empty"])]
    pub(crate) sequential: bool,

    /// Marks names with * instead of a space, except of trees; not for b3sum
    #[arg(help_heading = "Results", short, long, conflicts_with = "check", overrides_with = "text")]
    pub(crate) binary: bool,

    /// Marks names with a space, except of trees (the default)
    #[arg(help_heading = "Results", long, conflicts_with = "check", overrides_with = "binary")]
    pub(crate) text: bool,

    /// Directories too: all files below, in the order of their names
    #[arg(help_heading = "Files", short, long, conflicts_with_all = ["check", "leaves"])]
    pub(crate) recursive: bool,

    // No doc comment, in which [ab] would be a link.
    #[arg(
        help = "Leaves out names like this: * ? [ab] {a,b}; with a slash, whole names below the directory",
        help_heading = "Files",
        long,
        value_name = "GLOB",
        allow_hyphen_values = true
    )]
    pub(crate) exclude: Vec<String>,

    /// Leaves out what is mounted below the directory
    #[arg(help_heading = "Files", long)]
    pub(crate) one_file_system: bool,

    /// Prints lines that say all that is needed to check them
    #[arg(help_heading = "Results", long, conflicts_with = "check")]
    pub(crate) tag: bool,

    /// Ends lines with NUL, and escapes no names
    #[arg(help_heading = "Results", short, long, conflicts_with = "check")]
    pub(crate) zero: bool,

    /// Reads digests from the FILEs and checks them
    #[arg(help_heading = "Check lists", short, long)]
    pub(crate) check: bool,

    /// Neither fails nor tells of files that are missing
    #[arg(help_heading = "Check lists", long)]
    pub(crate) ignore_missing: bool,

    /// Prints no OK; the last of --quiet, --status and --warn counts
    ///
    /// With --audit, --update, --sample or --repair, prints only what is rotted, missing or unreadable, and only that fails.
    #[arg(help_heading = "Check lists", long, overrides_with_all = ["status", "warn"])]
    pub(crate) quiet: bool,

    /// Prints nothing; the exit status tells
    #[arg(help_heading = "Check lists", long, overrides_with_all = ["quiet", "warn"])]
    pub(crate) status: bool,

    /// Fails if a line is improperly formatted, with --sequential too
    #[arg(help_heading = "Check lists", long)]
    pub(crate) strict: bool,

    /// Names each improperly formatted line, with --sequential too
    #[arg(help_heading = "Check lists", short, long, overrides_with_all = ["quiet", "status"])]
    pub(crate) warn: bool,

    /// Writes the digests of the leaves to this file; with --check or --repair, reads them
    #[arg(help_heading = "Leaves, which locate damage", long, value_name = "LEAVES")]
    pub(crate) leaves: Option<PathBuf>,

    /// Lets --leaves replace a regular file of any contents, but no input and no key
    ///
    /// Lets --recursive --store replace a catalogue, and --update take over what looks like an accident.
    #[arg(help_heading = "Leaves, which locate damage", long)]
    pub(crate) force: bool,

    /// Checks only the leaves that have bytes A to B (A- to the end), by --leaves
    #[arg(help_heading = "Leaves, which locate damage", long, value_name = "A-B", allow_hyphen_values = true)]
    #[arg(value_parser = byte_range)]
    pub(crate) range: Option<(u64, u64)>,

    /// Keys BLAKE2 with the 1 to 64 bytes of this file, blake2s and blake2sp with up to 32
    ///
    /// Keys BLAKE3 with the 32 bytes of this file: no other length is a key.
    #[arg(help_heading = "Keys", long, value_name = "KEY", conflicts_with = "key_fd")]
    pub(crate) key_file: Option<PathBuf>,

    /// Keys BLAKE2 or BLAKE3 with what this open descriptor gives
    #[cfg(unix)]
    #[arg(help_heading = "Keys", long, value_name = "N", conflicts_with_all = ["key_file", "derive_key"])]
    pub(crate) key_fd: Option<u32>,

    /// Derives keys by blake3 in this context, which is no secret, from FILEs of key material
    #[arg(
        help_heading = "Keys",
        long,
        value_name = "CONTEXT",
        allow_hyphen_values = true,
        conflicts_with = "key_file"
    )]
    pub(crate) derive_key: Option<String>,

    /// The Go tool's digest of an empty input, which has no leaf; lines cannot say so
    #[arg(help_heading = "Hash", long, conflicts_with_all = ["leaves", "sequential", "tag"])]
    pub(crate) compat_empty: bool,

    #[command(flatten)]
    pub(crate) archive: StoreOptions,

    #[command(flatten)]
    pub(crate) repair: RepairOptions,

    /// Prints results as JSON, an object on a line
    #[arg(help_heading = "Results", long, conflicts_with_all = ["tag", "zero", "binary", "text"])]
    pub(crate) json: bool,

    /// Reads at most this many bytes in a second, all threads together: with k, m, g or nothing
    #[arg(help_heading = "Speed", long, value_name = "BYTES", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) rate: Option<u64>,

    /// Instruction set to compute with [default: the fastest]
    #[arg(help_heading = "Speed", long, value_name = "NAME")]
    pub(crate) backend: Option<Backend>,

    /// No progress bar, even on a terminal
    #[arg(help_heading = "Results", long)]
    pub(crate) no_progress: bool,

    /// Prints the version and the backend in use
    #[arg(short = 'V', long)]
    pub(crate) version: bool,

    /// Maps files for the process that started this one, which this is
    #[cfg(target_os = "linux")]
    #[arg(long, hide = true, value_name = "PID")]
    pub(crate) child_of: Option<u32>,

    /// Prints completions for this shell
    #[arg(long, hide = true, value_name = "SHELL")]
    pub(crate) completions: Option<Shell>,

    /// Prints the manual page, for `man -l -`
    #[arg(long)]
    pub(crate) man: bool,

    /// Acts as this program and takes only its options; must come first
    #[arg(id = "as", long = "as", value_name = "NAME")]
    pub(crate) tool: Option<Tool>,

    #[arg(skip)]
    pub(crate) role: Role,

    /// Takes the names of FILEs from this file, where each ends in NUL; `-` is standard input
    #[arg(help_heading = "Files", long, value_name = "FILE", conflicts_with = "files")]
    pub(crate) files0_from: Option<OsString>,

    /// Files to hash; `-` is standard input, and the default
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

impl Options {
    /// Parses a command line. `meant` is an option that a subcommand stands for, and `turn_on` does what it does. Two
    /// things are beyond clap: the Go tool's `-cpus`, and rules between options. The error of a rule is a text.
    pub(crate) fn parse(
        command: &mut Command,
        arguments: impl Iterator<Item = OsString>,
        meant: Option<&str>,
        turn_on: impl FnOnce(&mut Self),
    ) -> Result<Result<Self, String>, clap::Error> {
        let matches = command.try_get_matches_from_mut(with_right_dashes(arguments))?;
        let mut options = Self::from_arg_matches(&matches)?;
        turn_on(&mut options);
        let broken = rules::broken(|option| meant == Some(option) || rules::is_given(&matches, option))
            .or_else(|| options.wrong_store())
            .or_else(|| options.wrong_repair())
            .or_else(|| options.contradiction());
        Ok(broken.map_or(Ok(options), Err))
    }

    /// The error in the values of options beside a store, if there is one.
    fn wrong_store(&self) -> Option<String> {
        self.archive.store.as_ref()?;
        if cfg!(not(target_os = "linux")) {
            return Some("--store is for Linux".to_owned());
        }
        if self.archive.list {
            return (!self.files.is_empty()).then(|| "--list reads only the catalogue, and takes no DIR".to_owned());
        }
        let algorithm = self.algorithm();
        let name = algorithm.name();
        if !algorithm.has_leaves() {
            return Some(format!(
                "--store keeps the digests of leaves, which {name} has not: it is for blake2b, blake2s and blake3"
            ));
        }
        if !algorithm.takes_leaf(self.leaf_length()) {
            let (most, given) = (LONGEST_LEAF >> 20, in_largest_unit(self.leaf_length()).to_lowercase());
            return Some(if self.leaf_length() > LONGEST_LEAF {
                format!("--chunk with --store is at most {most}m, not {given}")
            } else {
                format!("--chunk of {name} with --store is a power of two, from 1k to {most}m, not {given}")
            });
        }
        let lengths = algorithm.recorded_lengths();
        if algorithm.lengths() != lengths
            && let Some(size) = self.size_given().filter(|size| !lengths.contains(size))
        {
            let only = lengths.end();
            return Some(format!(
                "--size of {name} with --store is {only} bytes, --length {} bits, not {size} bytes",
                8 * only
            ));
        }
        (self.files.len() != 1).then(|| "--store is for one directory, DIR; --only NAME is a part of it".to_owned())
    }

    /// The error in the options of a repair of one file, if there is one.
    fn wrong_repair(&self) -> Option<String> {
        if !self.repair.repair || self.archive.store.is_some() {
            return None;
        }
        if self.cpus.is_some() {
            return Some("--cpus does not go with --repair --leaves, which takes one thread".to_owned());
        }
        (self.files.len() != 1).then(|| "--repair --leaves is for one file".to_owned())
    }

    /// Why the algorithm does not go with the other options, if it does not.
    fn contradiction(&self) -> Option<String> {
        if self.tool.is_some() {
            return Some("--as comes before all other arguments".to_owned());
        }
        if cfg!(not(unix)) && self.one_file_system {
            return Some("--one-file-system is for Unix".to_owned());
        }
        let algorithm = self.algorithm();
        let (name, lengths) = (algorithm.name(), algorithm.lengths());
        let longest = lengths.end();
        if !self.sequential
            && let Some(wrong) = self.no_tree(algorithm)
        {
            return Some(wrong);
        }
        if self.size_given().is_some_and(|size| !lengths.contains(&size)) {
            return Some(if algorithm.is_sha2() {
                format!("--size of {name} is {longest} bytes, --length {} bits: it has no others", 8 * longest)
            } else {
                format!("--size of {name} is 1 to {longest} bytes, --length 8 to {} bits", 8 * longest)
            });
        }
        if self.derive_key.is_some() && algorithm != Algorithm::Blake3 {
            return Some(format!("--derive-key needs --algorithm blake3: {name} derives no keys"));
        }
        (self.is_keyed() && algorithm.key_lengths().is_none()).then(|| format!("--algorithm {name} takes no key"))
    }

    /// Why the algorithm does not go with the options of trees, or of lines that are not of trees, if it does not.
    fn no_tree(&self, algorithm: Algorithm) -> Option<String> {
        let given = |options: &[(&'static str, bool)]| options.iter().find(|(_, given)| *given).map(|(name, _)| *name);
        if algorithm.makes_trees() {
            let mark = given(&[("binary", self.binary), ("text", self.text)])?;
            return Some(format!("--{mark} needs --sequential: lines of trees have no marks"));
        }
        let chunk = self.chunk.is_some() && self.archive.store.is_none();
        let of_trees = [("leaves", self.leaves.is_some()), ("chunk", chunk), ("compat-empty", self.compat_empty)];
        let (option, name) = (given(&of_trees)?, algorithm.name());
        Some(format!("--algorithm {name} has no --{option}, which is for trees of blake2b and blake2s"))
    }

    /// Takes the names of files from the list of `--files0-from`, if there is one. An error comes with the name of the
    /// list.
    pub(crate) fn read_names(&mut self) -> Result<(), (OsString, io::Error)> {
        let Some(list) = &self.files0_from else { return Ok(()) };
        self.files = names(list).map_err(|error| (list.clone(), error))?;
        if self.check && self.files.is_empty() {
            return Err((list.clone(), io::Error::other("no check list is named here, so nothing is checked")));
        }
        Ok(())
    }

    /// The hash to compute, and the one of lines that name none.
    pub(crate) fn algorithm(&self) -> Algorithm {
        self.algorithm.unwrap_or(Algorithm::Blake2b)
    }

    /// Whether the user says of what kind the lines are that do not say so themselves.
    pub(crate) fn says_kind(&self) -> bool {
        self.sequential || self.algorithm.is_some()
    }

    /// The file that has the key, if the options name one.
    pub(crate) fn key_path(&self) -> Option<PathBuf> {
        #[cfg(unix)]
        if let Some(number) = self.key_fd {
            return Some(format!("/dev/fd/{number}").into());
        }
        self.key_file.clone()
    }

    fn is_keyed(&self) -> bool {
        self.key_path().is_some()
    }

    /// The files to hash or check; `-`, for standard input, if none is given.
    pub(crate) fn files(&self) -> Vec<&OsStr> {
        if self.files.is_empty() && self.files0_from.is_none() {
            return vec![OsStr::new("-")];
        }
        self.files.iter().map(OsString::as_os_str).collect()
    }

    /// The number of threads: `--cpus`, or one for each processor.
    pub(crate) fn threads(&self) -> usize {
        self.cpus.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), NonZeroUsize::get)
    }

    /// The length of digests in bytes, if `--size` or `--length` gives one.
    pub(crate) fn size_given(&self) -> Option<usize> {
        self.size.or(self.length.map(|length| if length == 0 { self.algorithm().usual_length() } else { length }))
    }

    /// The length of a leaf.
    pub(crate) fn leaf_length(&self) -> u32 {
        self.chunk.unwrap_or(self.algorithm().usual_leaf())
    }

    /// The length of a leaf, if the lines to print do not state it, and it is not the usual one.
    pub(crate) fn unstated_chunk(&self) -> Option<u32> {
        let stated = self.tag || self.json || self.check || self.archive.store.is_some();
        self.chunk.filter(|&chunk| !stated && chunk != CHUNK)
    }

    /// Whether lists are read by the rules of coreutils. BLAKE3 has those of b3sum in either case.
    pub(crate) fn as_coreutils(&self) -> bool {
        self.sequential && self.algorithm() != Algorithm::Blake3
    }

    /// Whether this is a program of coreutils, which gives no hints, and checks no lines of other hashes.
    pub(crate) fn is_coreutils(&self) -> bool {
        self.role.tool.is_some_and(|tool| tool != Tool::B3sum)
    }

    /// Whether another process started this one to map files.
    pub(crate) fn is_child(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.child_of.is_some();
        #[cfg(not(target_os = "linux"))]
        return false;
    }

    /// Whether this process maps files.
    pub(crate) fn maps(&self) -> bool {
        self.mmap && (self.is_child() || cfg!(not(target_os = "linux")))
    }

    /// The kind of digest that the options ask for.
    pub(crate) fn scheme(&self) -> Scheme {
        let algorithm = self.algorithm();
        let tree = Shape::Tree { chunk: self.leaf_length() };
        let shape = algorithm.shape(if self.sequential { Shape::Sequential } else { tree });
        Scheme { algorithm, size: self.size_given().unwrap_or(algorithm.usual_length()), shape }
    }
}

/// The names in a list, each of which ends in NUL.
fn names(list: &OsStr) -> io::Result<Vec<OsString>> {
    let mut bytes = Vec::new();
    if list == "-" {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(list)?;
    }
    let text = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    let name = |name: &[u8]| match name {
        b"" => Err(io::Error::other("A name in this list is empty")),
        b"-" if list == "-" => Err(io::Error::other("The list is standard input, and cannot name it")),
        name => from_raw(name),
    };
    if bytes.is_empty() { Ok(Vec::new()) } else { text.split(|&byte| byte == 0).map(name).collect() }
}

/// Turns `-cpus` into `--cpus`, and `--a`, `--s` and `--t` into `-a`, `-s` and `-t`: Go makes no difference between one
/// dash and two. If these were aliases, they would be proposed in place of unknown options.
fn with_right_dashes(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut options = true;
    let correct = |argument: OsString| {
        options &= argument != "--";
        let Some(text) = argument.to_str().filter(|_| options) else { return argument };
        match text.split_once('=').map_or(text, |(name, _)| name) {
            "-cpus" => format!("-{text}").into(),
            "--a" | "--s" | "--t" => text[1..].into(),
            _ => argument,
        }
    };
    arguments.map(correct).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_do_not_state_the_length_of_a_leaf() {
        for (arguments, unstated) in [
            ("-t64k f", true),
            ("f", false),
            ("-t5m f", false),
            ("-t64k --tag f", false),
            ("-t64k --json f", false),
            ("-t64k -c f", false),
            ("-t64k -r --store s f", false),
        ] {
            let options = Options::try_parse_from(["bt2sum"].into_iter().chain(arguments.split(' '))).unwrap();
            assert_eq!(options.unstated_chunk(), unstated.then_some(64 << 10), "{arguments}");
        }
    }

    #[test]
    fn dashes_as_go_has_them() {
        let given = ["bt2sum", "-cpus", "2", "-cpus=3", "-c", "-cpu", "--s", "--t=5m", "--st", "--", "-cpus", "--a"];
        let expected = ["bt2sum", "--cpus", "2", "--cpus=3", "-c", "-cpu", "-s", "-t=5m", "--st", "--", "-cpus", "--a"];
        assert_eq!(with_right_dashes(given.into_iter().map(OsString::from)), expected);
    }
}
