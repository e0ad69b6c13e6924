//! An order of the operations of two half rounds, the one of columns and the one of diagonals.

use core::fmt::{self, Display};
use std::collections::BTreeMap;

use crate::operations::{Choices, Operation, Operations};

/// The choices, and the operations of both half rounds in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) choices: Choices,
    pub(crate) halves: [Vec<Operation>; 2],
}

impl Order {
    /// # Errors
    ///
    /// A text that does not fit: an operation that is missing, or too many, or stands before one whose result it reads.
    pub(crate) fn parse(text: &str, operations: &Operations) -> Result<Self, String> {
        let mut lines =
            text.lines().map(|line| line.split('#').next().unwrap_or_default()).filter(|line| !line.trim().is_empty());
        let mut line = |name: &str| {
            let line =
                lines.next().and_then(|line| line.trim().strip_prefix(name)).and_then(|line| line.strip_prefix(':'));
            line.map(|line| line.split_whitespace().collect::<Vec<_>>()).ok_or_else(|| format!("no line `{name}: …`"))
        };
        let ways = line("ways")?.into_iter().map(|way| way.split_once('=').ok_or_else(|| format!("{way}: not a way")));
        let choices = ways
            .map(|way| way.map(|(group, way)| (group.to_owned(), way.to_owned())))
            .collect::<Result<Choices, _>>()?;
        let selected = operations.select(&choices).ok_or("the ways do not fit together")?;
        let mut half = |name| {
            let names = line(name)?;
            if let Some(missing) = selected.iter().find(|operation| !names.contains(&operation.result.as_str())) {
                return Err(format!("{name}: {} is missing", missing.result));
            }
            if names.len() != selected.len() {
                return Err(format!("{name}: {} operations instead of {}", names.len(), selected.len()));
            }
            let place = |operation: &Operation| names.iter().position(|name| *name == operation.result);
            let mut half = selected.clone();
            half.sort_by_key(place);
            if sort(half.clone()) == half {
                Ok(half)
            } else {
                Err(format!("{name}: an operation stands before its operand"))
            }
        };
        Ok(Self { halves: [half("columns")?, half("diagonals")?], choices })
    }

    /// The operations of these choices in the order in which they are written down.
    pub(crate) fn first(choices: Choices, operations: &Operations) -> Option<Self> {
        let half = sort(operations.select(&choices)?);
        Some(Self { choices, halves: [half.clone(), half] })
    }

    /// The order with a few operations at other places, and sometimes with another way of a group.
    pub(crate) fn mutated(&self, operations: &Operations, random: &mut fastrand::Rng) -> Self {
        let mut order = self.clone();
        if random.u8(..) < 25 {
            order = order.other_way(operations, random).unwrap_or(order);
        }
        let both = random.u8(..) < 100;
        for _ in 0..random.usize(1..=3) {
            let half = random.usize(..2);
            let from = random.usize(..order.halves[half].len());
            let to = random.usize(..order.halves[half].len());
            let result = order.halves[half][from].result.clone();
            for half in if both { 0..2 } else { half..half + 1 } {
                let half = &mut order.halves[half];
                let from =
                    half.iter().position(|operation| operation.result == result).expect("both halves have the same");
                let operation = half.remove(from);
                half.insert(to, operation);
            }
        }
        order.halves = order.halves.map(sort);
        order
    }

    /// Another way of one group; the places of values that both have stay.
    fn other_way(&self, operations: &Operations, random: &mut fastrand::Rng) -> Option<Self> {
        let groups: Vec<_> = operations.groups().into_iter().collect();
        let (group, ways) = random.choice(&groups)?;
        let way = random.choice(ways.iter().copied().collect::<Vec<_>>())?;
        let mut choices = self.choices.clone();
        choices.insert((*group).to_owned(), way.to_owned());
        let selected = operations.select(&choices)?;
        let halves = self.halves.each_ref().map(|half| {
            let place = |name: &str| half.iter().position(|operation| operation.result == name);
            let mut places: BTreeMap<String, usize> = BTreeMap::new();
            // A value that is new stands where the first one does that reads it.
            for operation in selected.iter().rev() {
                let reader = selected.iter().filter(|reader| reader.operands.contains(&operation.result));
                let readers = reader.filter_map(|reader| places.get(&reader.result).copied());
                places
                    .insert(operation.result.clone(), place(&operation.result).or(readers.min()).unwrap_or(half.len()));
            }
            let mut half = selected.clone();
            half.sort_by_key(|operation| places[&operation.result]);
            sort(half)
        });
        Some(Self { choices, halves })
    }
}

/// The operations in the same order as far as that is possible: none before one whose result it reads, nor before one
/// that reads the register it overwrites.
fn sort(mut operations: Vec<Operation>) -> Vec<Operation> {
    let mut sorted: Vec<Operation> = Vec::with_capacity(operations.len());
    while !operations.is_empty() {
        let waits = |operation: &Operation| {
            operations.iter().any(|other| {
                operation.operands.contains(&other.result)
                    || other.result != operation.result
                        && operation
                            .overwrites()
                            .is_some_and(|name| other.operands.iter().any(|operand| operand == name))
            })
        };
        let next = operations.iter().position(|operation| !waits(operation)).expect("operations wait for each other");
        sorted.push(operations.remove(next));
    }
    sorted
}

impl Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ways:")?;
        for (group, way) in &self.choices {
            write!(f, " {group}={way}")?;
        }
        for (name, half) in ["columns", "diagonals"].into_iter().zip(&self.halves) {
            write!(f, "\n{name}:")?;
            for operation in half {
                write!(f, " {}", operation.result)?;
            }
        }
        writeln!(f)
    }
}
