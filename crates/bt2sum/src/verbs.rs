//! The subcommands. Each stands for an option of the flat form, and takes a part of the other options.
//!
//! A table has what differs. [`Options`] has the options, their values and the rules between them, so that both forms
//! do the same.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};

use crate::args::Options;
use crate::number::Share;
use crate::output;

/// A subcommand.
pub(crate) struct Verb {
    name: &'static str,
    about: &'static str,
    usage: &'static [&'static str],
    /// The option that it stands for, if there is one.
    option: Option<&'static str>,
    /// Turns that option on.
    turn_on: fn(&mut Options),
    /// An option that it cannot do without, although the option that it stands for can.
    needs: Option<&'static str>,
    /// The options of its help, each with a text of its own if the usual one speaks of more.
    shown: &'static [(&'static str, Option<&'static str>)],
    /// Its other options, which the help only names.
    others: &'static [&'static str],
    examples: &'static [&'static str],
}

// Options that several subcommands have.
const STORE: (&str, Option<&str>) = ("store", Some("The catalogue of DIR"));
const ONLY: (&str, Option<&str>) = ("only", None);
const ROOT: (&str, Option<&str>) = ("root", Some("Refuses a catalogue with another root"));
const QUIET: (&str, Option<&str>) = ("quiet", Some("Tells only what is rotted, missing or unreadable"));
const KEY: (&str, Option<&str>) = ("key-file", Some("The key of the catalogue"));
const DIRECT: (&str, Option<&str>) = ("direct", None);
const RATE: (&str, Option<&str>) = ("rate", Some("Reads at most so many bytes in a second, as 50m"));
const JSON: (&str, Option<&str>) = ("json", None);
const CPUS: (&str, Option<&str>) = ("cpus", Some("Threads that hash [default: all processors]"));
const USUAL: &[&str] = &["key-fd", "backend", "no-progress"];
const HASHES: &str = "blake2b, blake2s, blake2bp, blake2sp, blake3, sha224, sha256, sha384, sha512 [default: blake2b]";

static VERBS: [Verb; 8] = [
    Verb {
        name: "sum",
        about: "Prints checksums of files; this is the default",
        usage: &["bt2sum [sum] [OPTIONS] [FILE]..."],
        option: None,
        turn_on: |_| {},
        needs: None,
        shown: &[
            ("algorithm", Some(HASHES)),
            ("sequential", Some("Plain BLAKE2b and BLAKE2s, as b2sum, not trees")),
            ("recursive", Some("Directories too: all files below them")),
            ("exclude", Some("With -r, leaves out names: *.tmp, /a/*.o, cache/")),
            ("tag", Some("Lines that say all that is needed to check them")),
            ("size", Some("Length of digests of BLAKE2 and BLAKE3")),
            ("leaves", Some("Writes the digests of leaves there, to locate damage")),
            ("key-file", Some("Keys BLAKE2 or BLAKE3 with the bytes of this file")),
            JSON,
        ],
        others: &[
            "one-file-system",
            "chunk",
            "cpus",
            "length",
            "mmap",
            "binary",
            "text",
            "zero",
            "force",
            "key-fd",
            "derive-key",
            "compat-empty",
            "rate",
            "backend",
            "no-progress",
            "files0-from",
            "child-of",
        ],
        examples: &["bt2sum -a sha256 *.iso > SHA256SUMS", "bt2sum -r --tag photos > photos.sums"],
    },
    Verb {
        name: "check",
        about: "Checks files by lists of checksums; finds damaged bytes by --leaves",
        usage: &["bt2sum check [OPTIONS] [LIST]..."],
        option: Some("check"),
        turn_on: |options| options.check = true,
        needs: None,
        shown: &[
            ("algorithm", Some("Hash of lines that name none [default: blake2b]")),
            ("quiet", Some("Prints no OK")),
            ("status", None),
            ("ignore-missing", None),
            ("leaves", Some("Finds damage in the only file of LIST by its leaves")),
            ("range", Some("Checks only bytes A to B (A- to the end), by --leaves")),
            ("key-file", Some("The key that the list was made with")),
            JSON,
            CPUS,
        ],
        others: &[
            "sequential",
            "strict",
            "warn",
            "size",
            "length",
            "chunk",
            "mmap",
            "key-fd",
            "derive-key",
            "compat-empty",
            "rate",
            "backend",
            "no-progress",
            "files0-from",
        ],
        examples: &[
            "bt2sum check --quiet photos.sums",
            "bt2sum check -a sha256 SHA256SUMS",
            "bt2sum check --leaves disk.leaves disk.sum",
        ],
    },
    Verb {
        name: "record",
        about: "Records all files below DIR in a catalogue, for audits and repairs",
        usage: &["bt2sum record --store STORE [OPTIONS] DIR"],
        option: Some("recursive"),
        turn_on: |options| options.recursive = true,
        needs: Some("store"),
        shown: &[
            ("store", Some("The new catalogue")),
            ("exclude", Some("Leaves out names: *.tmp, /a/*.o, cache/; repeatable")),
            ("one-file-system", None),
            ("owner", None),
            ("xattrs", None),
            ("algorithm", Some("blake2b, blake2s or blake3 [default: blake2b]")),
            ("chunk", Some("Length of a leaf, up to 64m [default: 5m; blake3: 1m]")),
            ("key-file", Some("Keys the digests with the bytes of this file")),
            ("force", Some("Replaces an older catalogue")),
            RATE,
            JSON,
            CPUS,
        ],
        others: &["size", "length", "direct", "key-fd", "backend", "no-progress"],
        examples: &[
            "bt2sum record --store photos.store photos",
            "bt2sum record --store home.store --exclude cache/ --exclude '*.tmp' ~",
        ],
    },
    Verb {
        name: "audit",
        about: "Tells what changed, rotted, moved, is new, missing or unreadable",
        usage: &["bt2sum audit --store STORE [OPTIONS] DIR"],
        option: Some("audit"),
        turn_on: |options| options.archive.audit = true,
        needs: None,
        shown: &[STORE, ONLY, QUIET, ROOT, KEY, DIRECT, RATE, JSON, CPUS],
        others: USUAL,
        examples: &[
            "bt2sum audit --store photos.store photos",
            "bt2sum audit --quiet --only 2019 --store photos.store photos",
        ],
    },
    Verb {
        name: "update",
        about: "Audits DIR, then takes over what changed on purpose, never what rotted",
        usage: &["bt2sum update --store STORE [OPTIONS] DIR"],
        option: Some("update"),
        turn_on: |options| options.archive.update = true,
        needs: None,
        shown: &[
            STORE,
            ONLY,
            ("accept", None),
            ("sample", Some("Reads so much of what seems unchanged: 5%, 20g, or 0")),
            QUIET,
            ("force", Some("Takes over what looks like an accident")),
            ROOT,
            KEY,
            DIRECT,
            RATE,
            JSON,
            CPUS,
        ],
        others: USUAL,
        examples: &[
            "bt2sum update --quiet --store photos.store photos",
            "bt2sum update --sample 0 --store photos.store photos",
        ],
    },
    Verb {
        name: "sample",
        about: "Audits a part of the bytes, those first that were read longest ago",
        usage: &["bt2sum sample --store STORE [--sample P%|SIZE] [OPTIONS] DIR"],
        option: Some("sample"),
        turn_on: |options| {
            options.archive.sample.get_or_insert(Share::USUAL);
        },
        needs: None,
        shown: &[
            STORE,
            ("sample", Some("How much is read: 5%, 20g, or 0 [default: 5%]")),
            ONLY,
            QUIET,
            ROOT,
            KEY,
            DIRECT,
            RATE,
            JSON,
            CPUS,
        ],
        others: USUAL,
        examples: &["bt2sum sample --sample 20g --store photos.store photos"],
    },
    Verb {
        name: "list",
        about: "Prints what a catalogue has, as lines that check reads from within DIR",
        usage: &["bt2sum list --store STORE [OPTIONS]"],
        option: Some("list"),
        turn_on: |options| options.archive.list = true,
        needs: None,
        shown: &[("store", Some("The catalogue")), ("only", None), ROOT, KEY, JSON],
        others: USUAL,
        examples: &["bt2sum list --store photos.store > photos.sums", "cd copy && bt2sum check --quiet ../photos.sums"],
    },
    Verb {
        name: "repair",
        about: "Mends what rotted, with bytes of copies that have the recorded digests",
        usage: &[
            "bt2sum repair --from COPY --store STORE [OPTIONS] DIR",
            "bt2sum repair --from COPY --leaves LEAVES [OPTIONS] FILE",
        ],
        option: Some("repair"),
        turn_on: |options| options.repair.repair = true,
        needs: None,
        shown: &[
            ("from", Some("A copy of DIR or FILE; repeatable")),
            STORE,
            ("leaves", Some("The leaves of FILE, as sum --leaves writes them")),
            ONLY,
            ("missing", None),
            ("dry-run", None),
            ("quiet", Some("Prints only what is still rotted, missing or unreadable")),
            ("root", Some("Refuses a catalogue or leaves with another root")),
            ("key-file", Some("The key of the catalogue or the leaves")),
            DIRECT,
            RATE,
            JSON,
        ],
        others: &["cpus", "key-fd", "backend", "no-progress"],
        examples: &["bt2sum repair --from /mnt/backup/photos --store photos.store photos"],
    },
];

/// The options of a command line, whose first argument may be a subcommand. If a file has its name, a note says so.
pub(crate) fn options(arguments: Vec<OsString>) -> Result<Options, clap::Error> {
    let verb = of(&arguments);
    let parsed = parse(verb, arguments);
    let is_silent = |options: &Options| options.quiet || options.status || options.is_child();
    if let Some(Verb { name, .. }) = verb
        && Path::new(name).symlink_metadata().is_ok()
        && !parsed.as_ref().is_ok_and(is_silent)
    {
        output::warn(&format!("note: {name} is a command here; ./{name} is the file"));
    }
    parsed
}

/// The subcommand that the first argument is, which follows the name of the program.
pub(crate) fn of(arguments: &[OsString]) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| arguments.get(1).is_some_and(|first| first == verb.name))
}

fn parse(verb: Option<&Verb>, mut arguments: Vec<OsString>) -> Result<Options, clap::Error> {
    let mut command = with_width(verb.map_or_else(flat, |verb| verb.parser(&Options::command())));
    if verb.is_some() {
        arguments.remove(1);
    }
    let (meant, turn_on) = verb.map_or((None, (|_| {}) as fn(&mut Options)), |verb| (verb.option, verb.turn_on));
    match Options::parse(&mut command, arguments.into_iter(), meant, turn_on) {
        Ok(Ok(options)) => Ok(options),
        Ok(Err(wrong)) => {
            let wrong = if let Some(verb) = verb { verb.speaks(&wrong) } else { wrong };
            Err(command.error(ErrorKind::ValueValidation, wrong))
        }
        Err(help) if verb.is_none() && help.kind() == ErrorKind::DisplayHelp => {
            Err(with_width(overview()).try_get_matches_from(["bt2sum", "--help"]).err().unwrap_or(help))
        }
        Err(mut error) => {
            // Clap shows none where a value is wrong.
            if error.use_stderr() && error.get(ContextKind::Usage).is_none() {
                error.insert(ContextKind::Usage, ContextValue::StyledStr(command.render_usage()));
            }
            Err(error)
        }
    }
}

/// The command without subcommands.
fn flat() -> Command {
    Options::command().override_usage("bt2sum [sum] [OPTIONS] [FILE]...\n       bt2sum COMMAND [OPTIONS] ...")
}

/// The command for the help, which names the subcommands, and has only the options that none of them has.
fn overview() -> Command {
    let hidden = |argument: Arg| {
        let is_shown = argument.get_long().is_some_and(|name| !has(name));
        if is_shown { argument } else { argument.hide(true) }
    };
    let example = "Acts as sha256sum, b2sum, b3sum or another; comes first";
    flat()
        .mut_args(hidden)
        .mut_arg("as", |tool| tool.help(example).hide_possible_values(true))
        .subcommands(VERBS.iter().map(|verb| Command::new(verb.name).about(verb.about)))
        .disable_help_subcommand(true)
        .help_template("{about}\n\nUsage: {usage}\n\nCommands:\n{subcommands}\n\nOptions:\n{options}{after-help}")
        .after_help(MORE)
}

/// The end of the help.
const MORE: &str = "\
bt2sum COMMAND --help    options of a command, and examples
bt2sum --man | man -l -  all options and the reference";

/// The command with all its options and subcommands, for completions and the manual page.
pub(crate) fn whole() -> Command {
    let all = Options::command();
    all.clone().subcommands(VERBS.iter().map(|verb| verb.command(&all)))
}

/// The ways to call the program with a subcommand, a line each.
pub(crate) fn synopsis() -> String {
    VERBS.iter().flat_map(|verb| verb.usage).map(|usage| format!("{usage}\n")).collect()
}

/// The subcommands in Markdown, a part of the manual page.
pub(crate) fn reference() -> String {
    let all = Options::command();
    let item = |verb: &Verb| {
        let shown = verb.shown.iter().map(|(name, _)| *name);
        let options: Vec<String> = shown.chain(verb.further(&all)).map(|name| format!("`--{name}`")).collect();
        let flat = verb.option.map_or("bt2sum".to_owned(), |option| format!("bt2sum --{option}"));
        format!("- **`{}`**: {}. The flat form is `{flat}`. Options: {}.\n", verb.name, verb.about, options.join(", "))
    };
    format!("### Options of commands\n\n{}", VERBS.iter().map(item).collect::<String>())
}

/// The command, whose help has at most 80 columns where nothing tells how many there are.
fn with_width(command: Command) -> Command {
    let is_known = io::stdout().is_terminal() || std::env::var_os("COLUMNS").is_some();
    if is_known { command } else { command.term_width(80) }
}

impl Verb {
    /// A message about options, with the name of the subcommand in place of its option.
    fn speaks(&self, message: &str) -> String {
        match self.option {
            Some(option) => message.replace(&format!("--{option}"), self.name),
            None => message.to_owned(),
        }
    }

    /// The options that the help only names: those that this system has, and that are not for the program itself.
    fn further(&self, all: &Command) -> Vec<&'static str> {
        let is_for_all = |name: &&str| named(all, name).is_some_and(|argument| !argument.is_hide_set());
        self.others.iter().copied().filter(is_for_all).collect()
    }

    /// The options that it takes, as the help has them.
    fn arguments(&self, all: &Command) -> Vec<Arg> {
        let shown = self.shown.iter().enumerate().filter_map(|(order, (name, text))| {
            let argument = named(all, name)?.help_heading(None).long_help(None).display_order(order);
            let has_values = argument.get_action().takes_values();
            let argument = argument.hide_possible_values(has_values).required(self.needs == Some(name));
            Some(text.iter().fold(argument, |argument, text| argument.help(*text)))
        });
        let others = self.others.iter().filter_map(|name| Some(named(all, name)?.hide(true)));
        let files = all.get_arguments().filter(|argument| argument.is_positional()).cloned();
        shown.chain(others).chain(files.map(|files| files.hide(true))).collect()
    }

    fn base(&self, all: &Command) -> Command {
        let names = self.further(all).iter().fold(String::new(), |names, name| format!("{names} --{name}"));
        let examples = self.examples.iter().fold(String::new(), |text, example| format!("{text}\n  {example}"));
        Command::new(self.name)
            .about(self.about)
            .override_usage(self.usage.join("\n       "))
            .help_template("{about}\n\nUsage: {usage}\n\nOptions:\n{options}{after-help}")
            .after_help(format!("More, in bt2sum --man:{names}\n\nExamples:{examples}"))
            .args_override_self(true)
    }

    /// The subcommand for completions.
    fn command(&self, all: &Command) -> Command {
        // The other sides of conflicts may be options that it lacks.
        let alone = |argument: Arg| argument.conflicts_with(Resettable::Reset).overrides_with(Resettable::Reset);
        self.base(all).args(self.arguments(all).into_iter().map(alone))
    }

    /// The subcommand for the command line. The options that it lacks are there under names that nobody can type, because
    /// [`Options`] asks for all of them.
    fn parser(&self, all: &Command) -> Command {
        let own = self.arguments(all);
        let lacks = |argument: &&Arg| own.iter().all(|own| own.get_id() != argument.get_id());
        let lacked = all.get_arguments().filter(lacks).enumerate();
        let nameless = |(i, argument): (usize, &Arg)| argument.clone().short(None).long(&UNTYPED[..=i]).hide(true);
        let lacked: Vec<Arg> = lacked.map(nameless).collect();
        self.base(all).args(own).args(lacked)
    }
}

/// NULs, whose beginnings are names that no command line can have, because a NUL ends an argument. They are far more
/// than there are options.
const UNTYPED: &str = match str::from_utf8(&[0; 1000]) {
    Ok(text) => text,
    Err(_) => "",
};

/// The option of this name, if this system has it.
fn named(all: &Command, name: &str) -> Option<Arg> {
    all.get_arguments().find(|argument| argument.get_long() == Some(name)).cloned()
}

/// Whether a subcommand takes the option, or stands for it.
fn has(option: &str) -> bool {
    let takes = |verb: &Verb| verb.shown.iter().any(|(name, _)| *name == option) || verb.others.contains(&option);
    VERBS.iter().any(|verb| verb.option == Some(option) || takes(verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_finds_no_contradiction() {
        let all = Options::command();
        for verb in &VERBS {
            verb.command(&all).debug_assert();
            verb.parser(&all).debug_assert();
        }
        flat().debug_assert();
        overview().debug_assert();
        whole().debug_assert();
    }

    /// Each name in the table is that of an option, once, and each option except a few belongs to a subcommand.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_table_names_options() {
        let all = Options::command();
        let longs: Vec<&str> = all.get_arguments().filter_map(Arg::get_long).collect();
        for verb in &VERBS {
            let shown = verb.shown.iter().map(|(name, _)| *name);
            let mut names: Vec<&str> = shown.chain(verb.others.iter().copied()).collect();
            for name in names.iter().chain(&verb.option).chain(&verb.needs) {
                assert!(longs.contains(name), "{} {name}", verb.name);
            }
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}", verb.name);
        }
        let alone: Vec<&str> = longs.into_iter().filter(|option| !has(option)).collect();
        assert_eq!(alone, ["version", "completions", "man", "as"]);
    }
}
