//! Takes the arguments of this program, or of another one: by the name that it is called by, or by `--as`. The options of
//! the other become those of this one.

use core::num::NonZeroUsize;
use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, ValueEnum};
use os_display::Quotable;

use crate::args::{Options, Role, Tool, rules};
use crate::number::decimal;
use crate::output::{self, Style};
use crate::scheme::{Algorithm, LONGEST_OUTPUT};
use crate::verbs;

/// Why the command line is not done.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Help was asked for, or the arguments are wrong.
    Clap(clap::Error),
    /// The arguments are wrong, and another program tells so in these words.
    Told(String),
}

/// The options of the command line.
pub(crate) fn options() -> Result<Options, Refused> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match asked_for(&arguments).map_err(Refused::Clap)? {
        Some(call) => options_of(call),
        None => verbs::options(arguments).map_err(Refused::Clap),
    }
}

/// A program, its name in messages, and its arguments.
type Call<'a> = (Tool, &'a OsStr, &'a [OsString]);

/// The other program that the command line asks for, if it does.
fn asked_for(arguments: &[OsString]) -> Result<Option<Call<'_>>, clap::Error> {
    let [own, rest @ ..] = arguments else { return Ok(None) };
    if let Some(tool) = called(own) {
        return Ok(Some((tool, own, rest)));
    }
    let (name, rest) = match rest {
        [option, name, rest @ ..] if option == "--as" => (name.as_os_str(), rest),
        [option, rest @ ..] => match option.to_str().and_then(|option| option.strip_prefix("--as=")) {
            Some(name) => (OsStr::new(name), rest),
            None => return Ok(None),
        },
        [] => return Ok(None),
    };
    name.to_str().and_then(named).map(|tool| Some((tool, name, rest))).ok_or_else(|| {
        let names: Vec<&str> = Tool::value_variants().iter().map(|tool| tool.name()).collect();
        Options::command().error(ErrorKind::ValueValidation, format!("--as takes one of {}", names.join(", ")))
    })
}

/// The program that has this name.
fn named(name: &str) -> Option<Tool> {
    Tool::value_variants().iter().copied().find(|tool| tool.name() == name)
}

/// The program that `path` leads to by its name.
fn called(path: &OsStr) -> Option<Tool> {
    let name = Path::new(path).file_name()?.to_str()?;
    named(name.strip_suffix(EXE_SUFFIX).unwrap_or(name))
}

/// The options of this program that do what another one would.
fn options_of((tool, name, arguments): Call<'_>) -> Result<Options, Refused> {
    let (name, style) = match tool {
        Tool::B3sum => (tool.name().into(), Style::B3sum),
        _ => (name.to_string_lossy(), Style::Coreutils),
    };
    output::speak_as(&name, style);
    let arguments = [&[OsString::from(tool.name())], arguments].concat();
    let mut options = match tool {
        Tool::B3sum => B3sum::try_parse_from(arguments).map_err(Refused::Clap)?.into_options()?,
        _ => Coreutils::options(tool, &arguments)?,
    };
    options.role.tool = Some(tool);
    options.no_progress = true;
    Ok(options)
}

/// All options as if none were given.
fn none() -> Result<Options, Refused> {
    Options::try_parse_from(["bt2sum"]).map_err(Refused::Clap)
}

/// Prints or checks checksums, as the program of coreutils
#[derive(Debug, Parser)]
#[command(infer_long_args = true, args_override_self = true, disable_help_flag = true, disable_version_flag = true)]
#[command(version = concat!("(bt2sum) ", env!("CARGO_PKG_VERSION")))]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct Coreutils {
    /// Marks names with *
    #[arg(short, long, overrides_with = "text")]
    binary: bool,

    /// Reads digests from the FILEs and checks them
    #[arg(short, long)]
    check: bool,

    /// Length of digests of b2sum in bits, a multiple of 8 up to 512; 0 is the default, 512
    #[arg(short, long, value_name = "BITS", allow_hyphen_values = true)]
    length: Option<OsString>,

    /// Prints lines that name the hash
    #[arg(long)]
    tag: bool,

    /// Marks names with a space (the default)
    #[arg(short, long, overrides_with = "binary")]
    text: bool,

    /// Ends lines with NUL, and escapes no names
    #[arg(short, long)]
    zero: bool,

    /// Neither fails nor tells of files that are missing
    #[arg(long)]
    ignore_missing: bool,

    /// Prints no OK
    #[arg(long, overrides_with_all = ["status", "warn"])]
    quiet: bool,

    /// Prints nothing; the exit status tells
    #[arg(long, overrides_with_all = ["quiet", "warn"])]
    status: bool,

    /// Fails if a line is improperly formatted
    #[arg(long)]
    strict: bool,

    /// Names each improperly formatted line
    #[arg(short, long, overrides_with_all = ["quiet", "status"])]
    warn: bool,

    /// Prints this help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Prints the version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,

    /// Files to hash; `-` is standard input, and the default
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
}

impl Coreutils {
    /// Translates to bt2sum's options.
    fn options(tool: Tool, arguments: &[OsString]) -> Result<Options, Refused> {
        let wrong = |text: &str| {
            let end = format!("Try '{} --help' for more information.", output::program());
            Err(Refused::Told(format!("{text}\n{end}")))
        };
        let algorithm = match tool {
            Tool::Sha224sum => Algorithm::Sha224,
            Tool::Sha256sum => Algorithm::Sha256,
            Tool::Sha384sum => Algorithm::Sha384,
            Tool::Sha512sum => Algorithm::Sha512,
            _ => Algorithm::Blake2b,
        };
        let mut command = Self::command().name(tool.name());
        if tool != Tool::B2sum {
            // clap takes no argument away. Nobody types this name.
            command = command.mut_arg("length", |length| length.short(None).long("\u{1}").hide(true));
        }
        let matches = match command.try_get_matches_from(arguments) {
            Ok(matches) => matches,
            Err(error) if error.use_stderr() => return wrong(&as_getopt(&error, arguments)),
            Err(help) => return Err(Refused::Clap(help)),
        };
        let given = Self::from_arg_matches(&matches).map_err(Refused::Clap)?;
        let size = given.length.as_deref().map(length).transpose()?;
        // The last of --tag, --text and --binary counts.
        if given.tag && given.text && matches.index_of("text") > matches.index_of("tag") {
            return wrong("--tag does not support --text mode");
        }
        if let Some(text) = rules::broken_of_coreutils(|option| rules::is_given(&matches, option)) {
            return wrong(&text);
        }
        let Self { binary, check, tag, zero, ignore_missing, quiet, status, strict, warn, files, .. } = given;
        // A list tells the lengths of its digests.
        let size = size.filter(|&size| size > 0 && !check);
        let sequential = true;
        let algorithm = Some(algorithm);
        let rest = none()?;
        Ok(Options {
            algorithm,
            size,
            sequential,
            binary,
            check,
            tag,
            zero,
            ignore_missing,
            quiet,
            status,
            strict,
            warn,
            files,
            ..rest
        })
    }
}

/// The length of a digest in bytes, 0 for the default, from what is given to `--length`.
fn length(given: &OsStr) -> Result<usize, Refused> {
    let told = |end: &str| Err(Refused::Told(format!("invalid length: {}{end}", given.quote())));
    let and = |text: &str| format!("\n{}: {text}", output::program());
    let digits = given.to_str().map(str::trim_ascii_start).map(|text| text.strip_prefix('+').unwrap_or(text));
    let Some(digits) = digits.filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    else {
        return told("");
    };
    let Some(bits) = decimal(digits) else { return told(": Value too large for defined data type") };
    if !bits.is_multiple_of(8) {
        return told(&and("length is not a multiple of 8"));
    }
    match usize::try_from(bits / 8) {
        Ok(bytes) if Algorithm::Blake2b.lengths().contains(&bytes.max(1)) => Ok(bytes),
        _ => told(&and("maximum digest length for 'BLAKE2b' is 512 bits")),
    }
}

/// An error in the words of getopt.
fn as_getopt(error: &clap::Error, arguments: &[OsString]) -> String {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return "wrong arguments".into() };
    let option = given.split([' ', '=']).next().unwrap_or(given);
    // With the value that clap leaves out.
    let is_whole =
        |whole: &&str| whole.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    let whole = || arguments.iter().filter_map(|argument| argument.to_str()).find(is_whole).unwrap_or(option);
    match (error.kind(), option.strip_prefix("--")) {
        (ErrorKind::TooManyValues, _) => format!("option '{option}' doesn't allow an argument"),
        (ErrorKind::InvalidValue, _) => format!("option '{option}' requires an argument"),
        (_, Some(_)) => format!("unrecognized option '{}'", whole()),
        (_, None) => format!("invalid option -- '{}'", option.trim_start_matches('-')),
    }
}

/// Prints or checks checksums by BLAKE3, as the program b3sum
#[derive(Debug, Parser)]
#[command(name = "b3sum", version = concat!("(bt2sum) ", env!("CARGO_PKG_VERSION")))]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct B3sum {
    /// Files to hash or lists to check; `-` is standard input, and the default
    file: Vec<OsString>,

    /// Keys the hash with the 32 bytes of standard input
    #[arg(long, requires = "file")]
    keyed: bool,

    /// Derives keys in this context, from FILEs of key material
    #[arg(long, value_name = "CONTEXT", conflicts_with = "keyed")]
    derive_key: Option<String>,

    /// Length of digests in bytes, at most 1048576
    #[arg(short, long, value_name = "BYTES", default_value_t = 32)]
    length: u64,

    /// The byte of BLAKE3's output with which digests begin
    #[arg(long, value_name = "BYTE", default_value_t = 0)]
    seek: u64,

    /// Threads that hash; 0 is the default, all processors
    #[arg(long, value_name = "N")]
    num_threads: Option<usize>,

    /// Maps no files, which are not mapped in any case
    #[arg(long)]
    no_mmap: bool,

    /// Prints digests without names
    #[arg(long)]
    no_names: bool,

    /// Prints the bytes of the digest of the only file
    #[arg(long)]
    raw: bool,

    /// Prints lines that name the hash
    #[arg(long)]
    tag: bool,

    /// Reads digests from the FILEs and checks them
    #[arg(short, long, conflicts_with_all = ["derive_key", "keyed", "length", "raw", "tag", "no_names"])]
    check: bool,

    /// Prints no OK
    #[arg(long, requires = "check")]
    quiet: bool,
}

impl B3sum {
    /// Translates to bt2sum's options.
    fn into_options(self) -> Result<Options, Refused> {
        let Self {
            file: files, keyed, derive_key, length, seek, num_threads, no_names, raw, tag, check, quiet, ..
        } = self;
        if raw && files.len() > 1 {
            return Err(Refused::Told("Only one filename can be provided when using --raw".to_owned()));
        }
        let size = usize::try_from(length).ok().filter(|&size| size <= LONGEST_OUTPUT);
        let size = Some(size.ok_or_else(|| Refused::Told(format!("--length is at most {LONGEST_OUTPUT} here")))?);
        let cpus = num_threads.and_then(|count| NonZeroUsize::new(count.min(256)));
        let role = Role { seek, keyed, no_names, raw, ..Role::default() };
        let algorithm = Some(Algorithm::Blake3);
        let rest = none()?;
        Ok(Options { algorithm, size, cpus, derive_key, tag, check, quiet, files, role, ..rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_finds_no_contradiction() {
        Coreutils::command().debug_assert();
        B3sum::command().debug_assert();
    }
}
