//! Orders of the instructions of one message's rounds, of two, or of many in lanes: a search for the fastest on this CPU,
//! and the source that the library has of those that were chosen. README.md says how they are used.

mod assembly;
mod candidate;
mod lanes;
mod operations;
mod order;
mod search;

use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use self::assembly::{BLAKE2B, BLAKE2S, Function, MANY_REGISTERS};
use self::lanes::Lanes;
use self::operations::Operations;
use self::order::Order;
use self::search::{InLanes, Rows};

/// Searches the fastest order of the instructions of one message's rounds.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Tries orders and choices of instructions on this CPU, and prints the best.
    Search {
        function: Name,
        /// For two messages at a time.
        #[arg(long)]
        pair: bool,
        /// Goes on from the orders in these files, instead of the library's.
        #[arg(long)]
        from: Vec<PathBuf>,
        /// For so many seconds.
        #[arg(long, default_value_t = 300)]
        seconds: u64,
        /// The seed of the random choices.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Times the library's orders beside each other on this CPU.
    Time { function: Name },
    /// Prints the source that the library has of an order.
    Print {
        function: Name,
        variant: Variant,
        /// The order in this file, instead of the library's.
        #[arg(long)]
        from: Option<PathBuf>,
    },
    /// Prints the instructions of a block, for a program that counts cycles.
    List { function: Name, variant: Variant },
    /// Half a round of many messages, on registers of 512 bits.
    Lanes {
        #[command(subcommand)]
        command: LaneCommands,
    },
}

#[derive(Debug, Subcommand)]
enum LaneCommands {
    /// Tries orders on this CPU, and prints the best.
    Search {
        /// For so many seconds.
        #[arg(long, default_value_t = 300)]
        seconds: u64,
        /// The seed of the random choices.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Times the library's orders beside those where each G begins a number of instructions after the one before it.
    Time,
    /// Prints the lines that the library has of its orders.
    Print {
        /// Takes the order in this file, instead of the library's.
        #[arg(long)]
        from: Option<PathBuf>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    Blake2b,
    Blake2s,
}

/// The use of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Variant {
    /// One message, where a rotation takes as long as a shift, as on Intel's.
    FastRotation,
    /// One message, where a rotation takes two cycles, as on Zen 4.
    SlowRotation,
    /// Two messages at a time.
    Pair,
}

impl Name {
    fn function(self, pair: bool) -> Function {
        let function = match self {
            Self::Blake2b => BLAKE2B,
            Self::Blake2s => BLAKE2S,
        };
        if pair { function.pair() } else { function }
    }

    fn operations(self) -> Result<Operations, String> {
        Operations::parse(match self {
            Self::Blake2b => include_str!("../data/blake2b.ops"),
            Self::Blake2s => include_str!("../data/blake2s.ops"),
        })
    }

    fn order(self, variant: Variant) -> Result<Order, String> {
        let text = match (self, variant) {
            (Self::Blake2b, Variant::FastRotation) => include_str!("../data/blake2b-fast-rotation.order"),
            (Self::Blake2b, Variant::SlowRotation) => include_str!("../data/blake2b-slow-rotation.order"),
            (Self::Blake2b, Variant::Pair) => include_str!("../data/blake2b-pair.order"),
            (Self::Blake2s, Variant::FastRotation) => include_str!("../data/blake2s-fast-rotation.order"),
            (Self::Blake2s, Variant::SlowRotation) => include_str!("../data/blake2s-slow-rotation.order"),
            (Self::Blake2s, Variant::Pair) => include_str!("../data/blake2s-pair.order"),
        };
        Order::parse(text, &self.operations()?)
    }
}

impl Variant {
    const ALL: [Self; 3] = [Self::FastRotation, Self::SlowRotation, Self::Pair];

    fn name(self) -> &'static str {
        match self {
            Self::FastRotation => "fast-rotation",
            Self::SlowRotation => "slow-rotation",
            Self::Pair => "pair",
        }
    }

    fn is_pair(self) -> bool {
        self == Self::Pair
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("orders: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Subcommands) -> Result<(), String> {
    let read_order = |name: Name, path: &PathBuf| read(path, |text| Order::parse(text, &name.operations()?));
    match command {
        Subcommands::Search { function, pair, from, seconds, seed } => {
            this_cpu()?;
            let operations = function.operations()?;
            let mut orders = from.iter().map(|path| read_order(function, path)).collect::<Result<Vec<_>, _>>()?;
            if orders.is_empty() {
                orders = Variant::ALL.into_iter().map(|variant| function.order(variant)).collect::<Result<_, _>>()?;
                let first = orders.iter().filter_map(|order| Order::first(order.choices.clone(), &operations));
                orders.extend(first.collect::<Vec<_>>());
            }
            let function = function.function(pair);
            orders.retain(|order| function.fits(order));
            if orders.is_empty() {
                return Err(MANY_REGISTERS.to_owned());
            }
            let rows = Rows(function, &operations);
            let best = search::search(&rows, orders, Duration::from_secs(seconds), seed, |best| {
                let times = best.iter().map(|(cycles, _)| format!("{:.1}", cycles.many)).collect::<Vec<_>>().join(" ");
                eprintln!("{times} (of one block: {:.1})", best[0].0.one);
            })?;
            print!("{}", best[0]);
        }
        Subcommands::Lanes { command } => in_lanes(command)?,
        Subcommands::Time { function } => {
            this_cpu()?;
            for pair in [false, true] {
                let variants = Variant::ALL.into_iter().filter(|variant| variant.is_pair() == pair);
                let orders = variants.clone().map(|variant| function.order(variant)).collect::<Result<Vec<_>, _>>()?;
                let cycles = candidate::measure(function.function(pair), &orders, 1000)?;
                for (variant, cycles) in variants.zip(cycles) {
                    println!(
                        "{}: {:.1} cycles a block, {:.1} a call for one block of each message",
                        variant.name(),
                        cycles.many,
                        cycles.one
                    );
                }
            }
        }
        Subcommands::Print { function, variant, from } => {
            let order = from.map_or_else(|| function.order(variant), |path| read_order(function, &path))?;
            let function = function.function(variant.is_pair());
            if !function.fits(&order) {
                return Err(MANY_REGISTERS.to_owned());
            }
            print!("{}", function.source(&order, variant.name()));
        }
        Subcommands::List { function, variant } => {
            let text = function.function(variant.is_pair()).function(&function.order(variant)?, "order");
            println!(".intel_syntax noprefix\n{text}");
        }
    }
    Ok(())
}

/// The contents of a file, or an error that names it.
fn read<T>(path: &Path, parse: impl FnOnce(&str) -> Result<T, String>) -> Result<T, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn in_lanes(command: LaneCommands) -> Result<(), String> {
    let library = Lanes::of_library()?;
    match command {
        LaneCommands::Search { seconds, seed } => {
            this_cpu()?;
            let orders = (0..=4).map(Lanes::staggered).chain(library.map(|(_, order)| order)).collect();
            let best = search::search(&InLanes, orders, Duration::from_secs(seconds), seed, |best| {
                let times = best.iter().map(|(cycles, _)| format!("{cycles:.2}")).collect::<Vec<_>>().join(" ");
                eprintln!("{times}");
            })?;
            print!("{}", best[0]);
        }
        LaneCommands::Time => {
            this_cpu()?;
            let simple = (0..=7).map(|behind| (format!("{behind} behind"), Lanes::staggered(behind)));
            let library = library.map(|(name, order)| (format!("the library's, {name}"), order));
            let (names, orders): (Vec<_>, Vec<_>) = simple.chain(library).unzip();
            for (name, cycles) in names.iter().zip(candidate::measure_lanes(&orders, 1000)?) {
                println!("{name}: {cycles:.2} cycles half a round");
            }
        }
        LaneCommands::Print { from } => {
            if let Some(path) = from {
                print!("{}", read(&path, Lanes::parse)?.source());
                return Ok(());
            }
            for (name, order) in library {
                print!("{name}:\n{}", order.source());
            }
        }
    }
    Ok(())
}

/// Orders are of AVX-512 on x86-64.
fn this_cpu() -> Result<(), String> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
    {
        return Ok(());
    }
    Err("this CPU does not have AVX-512".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::{env, io};

    use super::*;

    const NAMES: [Name; 2] = [Name::Blake2b, Name::Blake2s];

    fn of_the_library(file: &str) -> String {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/backend/avx512").join(file)).unwrap()
    }

    #[test]
    fn the_library_has_the_source_of_its_orders() {
        for (name, variant) in NAMES.into_iter().flat_map(|name| Variant::ALL.map(|variant| (name, variant))) {
            let (function, order) = (name.function(variant.is_pair()), name.order(variant).unwrap());
            let file = format!("generated/{}_{}.s", function.name, variant.name().replace('-', "_"));
            let source = function.source(&order, variant.name());
            assert_eq!(of_the_library(&file), source, "{file}");
            let patterns = function.source_of_patterns();
            assert!(of_the_library(&format!("{}.rs", function.name)).contains(&patterns), "{patterns}");
        }
    }

    #[test]
    fn orders_are_written_as_they_are_read() {
        for (name, variant) in NAMES.into_iter().flat_map(|name| Variant::ALL.map(|variant| (name, variant))) {
            let order = name.order(variant).unwrap();
            assert_eq!(Order::parse(&order.to_string(), &name.operations().unwrap()), Ok(order));
        }
    }

    /// Every choice and every order of it gives the digest of the crate `blake2`, alone and in pairs; and in lanes every
    /// order computes G.
    #[test]
    fn changed_orders_compute_the_same() {
        if let Err(error) = this_cpu() {
            let required = env::var("REQUIRE_BACKENDS").unwrap_or_default();
            assert!(!required.split(',').any(|name| name.trim() == "avx512"), "REQUIRE_BACKENDS: {error}");
            // Tests that pass keep what `eprintln!` says to themselves.
            let _ = writeln!(io::stderr(), "changed_orders_compute_the_same: NOT RUN: {error}");
            return;
        }
        let mut random = fastrand::Rng::with_seed(1);
        for name in NAMES {
            let operations = name.operations().unwrap();
            let mut orders = vec![name.order(Variant::SlowRotation).unwrap()];
            for i in 0..100 {
                orders.push(orders[i].mutated(&operations, &mut random));
            }
            candidate::measure(name.function(false), &orders, 1).unwrap();
            orders.retain(|order| name.function(true).fits(order));
            orders.push(name.order(Variant::Pair).unwrap());
            candidate::measure(name.function(true), &orders, 1).unwrap();
        }
        let mut orders = vec![Lanes::staggered(0)];
        for i in 0..100 {
            orders.push(orders[i].mutated(&mut random));
        }
        candidate::measure_lanes(&orders, 1).unwrap();
    }

    #[test]
    fn orders_that_do_not_fit_are_refused() {
        let operations = Name::Blake2s.operations().unwrap();
        let text = Name::Blake2s.order(Variant::SlowRotation).unwrap().to_string();
        let refused = |from: &str, to: &str| Order::parse(&text.replacen(from, to, 1), &operations).unwrap_err();
        assert_eq!(refused("ways", "way"), "no line `ways: …`");
        assert_eq!(refused("r7=", "r9="), "the ways do not fit together");
        assert_eq!(refused("r7=", "r7"), "r7terms: not a way");
        assert_eq!(refused(" a1", " a3"), "columns: a1 is missing");
        assert_eq!(refused(" a1", " a1 a1"), "columns: 25 operations instead of 24");
        assert_eq!(refused(" a1 dx", " dx a1"), "columns: an operation stands before its operand");
    }
}
