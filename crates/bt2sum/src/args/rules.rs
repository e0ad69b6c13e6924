//! The rules between options. clap's attributes have a few more, and those about values are in [`super`].

use clap::ArgMatches;
use clap::parser::ValueSource;

/// Each option needs at least one of the others. This is beyond clap's `requires`, which lets an option pass whose need
/// conflicts with something else that was given.
const NEEDS: [(&str, &[&str]); 29] = [
    ("ignore-missing", &["check"]),
    ("quiet", &["check", "audit", "update", "sample", "repair"]),
    ("status", &["check"]),
    ("strict", &["check"]),
    ("warn", &["check"]),
    ("range", &["check"]),
    ("range", &["leaves"]),
    ("only", &["audit", "update", "sample", "list", "repair"]),
    ("only", &["store"]),
    ("accept", &["update"]),
    ("audit", &["store"]),
    ("update", &["store"]),
    ("sample", &["store"]),
    ("list", &["store"]),
    ("repair", &["store", "leaves"]),
    ("repair", &["from"]),
    ("from", &["repair"]),
    ("missing", &["repair"]),
    ("dry-run", &["repair"]),
    ("root", &["store", "repair"]),
    ("exclude", &["recursive", "store"]),
    ("one-file-system", &["recursive", "store"]),
    ("owner", &["store"]),
    ("xattrs", &["store"]),
    ("direct", &["store"]),
    ("store", &["recursive", "audit", "update", "sample", "list", "repair"]),
    ("root", &["audit", "update", "sample", "list", "repair"]),
    ("force", &["leaves", "store"]),
    ("force", &["leaves", "recursive", "update"]),
];

/// Options that a store has once it is made.
const RECORDED: &[&str] = &["algorithm", "size", "length", "chunk", "exclude", "one-file-system", "owner", "xattrs"];
const IN_STORE: &str = ", whose catalogue has it";

/// An option, others that do not go with it, and the end of the message.
const CLASHES: [(&str, &[&str], &str); 11] = [
    ("store", &["sequential"], ", which keeps digests of leaves"),
    (
        "store",
        &["binary", "text", "tag", "zero", "check", "leaves", "mmap", "derive-key", "compat-empty", "files0-from"],
        "",
    ),
    ("recursive", &["audit", "update", "sample", "list"], ", which records"),
    ("list", &["audit", "update", "sample", "direct", "rate", "cpus"], ", which reads only the catalogue"),
    ("audit", RECORDED, IN_STORE),
    ("update", RECORDED, IN_STORE),
    ("sample", RECORDED, IN_STORE),
    ("list", RECORDED, IN_STORE),
    (
        "repair",
        &[
            "recursive",
            "audit",
            "update",
            "sample",
            "list",
            "check",
            "force",
            "sequential",
            "binary",
            "text",
            "tag",
            "zero",
            "mmap",
            "derive-key",
            "compat-empty",
            "files0-from",
        ],
        "",
    ),
    ("repair", RECORDED, ", whose digests have it"),
    ("check", &["force"], ", which replaces nothing"),
];

/// Options of coreutils, and what is wrong with them beside `--check`.
const BESIDE_CHECK: [(&[&str], &str); 3] = [
    (&["zero"], "the --zero option is not supported when verifying checksums"),
    (&["tag"], "the --tag option is meaningless when verifying checksums"),
    (&["binary", "text"], "the --binary and --text options are meaningless when verifying checksums"),
];

/// Options of coreutils that need `--check`.
const OF_CHECK: [&str; 5] = ["ignore-missing", "status", "warn", "quiet", "strict"];

/// Whether the command line has the option.
pub(crate) fn is_given(matches: &ArgMatches, option: &str) -> bool {
    matches.value_source(&option.replace('-', "_")) == Some(ValueSource::CommandLine)
}

/// The rule of coreutils that the given options break, if there is one.
pub(crate) fn broken_of_coreutils(given: impl Fn(&str) -> bool) -> Option<String> {
    if given("check") {
        let wrong = BESIDE_CHECK.iter().find(|(options, _)| options.iter().any(|option| given(option)))?;
        return Some(wrong.1.to_owned());
    }
    let option = OF_CHECK.into_iter().find(|option| given(option))?;
    Some(format!("the --{option} option is meaningful only when verifying checksums"))
}

/// The rule that the given options break, if there is one.
pub(super) fn broken(given: impl Fn(&str) -> bool) -> Option<String> {
    let any = |options: &[&'static str]| options.iter().copied().find(|option| given(option));
    let lacks = |(option, others): &(&str, &[&'static str])| given(option) && any(others).is_none();
    if let Some((option, others)) = NEEDS.iter().find(|need| lacks(need)) {
        return Some(format!("--{option} needs {}", alternatives(others)));
    }
    CLASHES.iter().find_map(|(option, others, end)| {
        let other = any(others).filter(|_| given(option))?;
        Some(format!("--{other} does not go with --{option}{end}"))
    })
}

/// These options, as in "--a, --b or --c".
fn alternatives(options: &[&str]) -> String {
    let names: Vec<String> = options.iter().map(|option| format!("--{option}")).collect();
    match &names[..] {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}
