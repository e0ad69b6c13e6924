//! Half a round as data: operations by name, the values each reads, and the ways among which to choose.

use std::collections::{BTreeMap, BTreeSet};

/// One way of each group, by the names of the groups.
pub(crate) type Choices = BTreeMap<String, String>;

/// An instruction, or several that stand together, by what it computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    /// The value it computes. A name with a prime lives on in the next half round.
    pub(crate) result: String,
    pub(crate) kind: Kind,
    /// The values it reads.
    pub(crate) operands: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Add,
    Xor,
    /// Exclusive or of three values in the register of the first.
    Xor3,
    Ror(u32),
    Shr(u32),
    Shl(u32),
    /// Rotation by 32 bits, by exchanging words of 32 bits.
    Swap,
    /// Rotation by whole bytes, by a shuffle whose pattern is in a register.
    Bytes(u32),
    Turn(Row),
    /// A turn of row `a` in the register of the second operand, and so not before that is known.
    TurnAfter,
    Gather(Words),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    A,
    C,
    D,
}

/// The words of the message that the next half round adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// First, in the order before row `a` is turned.
    First,
    /// First, in the order after.
    Turned,
    /// Second.
    Second,
}

impl Operation {
    /// The operand whose register the result takes.
    pub(crate) fn overwrites(&self) -> Option<&str> {
        match self.kind {
            Kind::Xor3 => Some(&self.operands[0]),
            Kind::TurnAfter => Some(&self.operands[1]),
            _ => None,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (result, operation) = text.split_once('=')?;
        let mut words = operation.split_whitespace();
        let name = words.next()?;
        let mut words: Vec<&str> = words.collect();
        let mut bits = || words.pop()?.parse().ok();
        let kind = match name {
            "add" => Kind::Add,
            "xor" => Kind::Xor,
            "xor3" => Kind::Xor3,
            "ror" => Kind::Ror(bits()?),
            "shr" => Kind::Shr(bits()?),
            "shl" => Kind::Shl(bits()?),
            "bytes" => Kind::Bytes(bits()?),
            "swap" => Kind::Swap,
            "turn_a" => Kind::Turn(Row::A),
            "turn_c" => Kind::Turn(Row::C),
            "turn_d" => Kind::Turn(Row::D),
            "turn_a_after" => Kind::TurnAfter,
            "gather" => Kind::Gather(match words.pop()? {
                "first" => Words::First,
                "turned" => Words::Turned,
                "second" => Words::Second,
                _ => return None,
            }),
            _ => return None,
        };
        let expected = match kind {
            Kind::Gather(_) => 0,
            Kind::Add | Kind::Xor | Kind::TurnAfter => 2,
            Kind::Xor3 => 3,
            _ => 1,
        };
        let operands: Vec<String> = words.into_iter().map(str::to_owned).collect();
        (operands.len() == expected).then(|| Self { result: result.trim().to_owned(), kind, operands })
    }
}

/// All ways to compute half a round.
#[derive(Debug)]
pub(crate) struct Operations(Vec<(Option<(String, String)>, Operation)>);

/// The values that a half round begins with.
pub(crate) const STATE: [&str; 5] = ["sum", "b", "c", "d", "m"];

impl Operations {
    /// # Errors
    ///
    /// The line that is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().enumerate().map(|(i, line)| (i, line.split('#').next().unwrap_or_default().trim()));
        let parse = |line: &str| {
            let way = line
                .split_whitespace()
                .next()?
                .split_once('=')
                .filter(|(group, way)| !group.is_empty() && !way.is_empty());
            let Some((group, way)) = way else { return Some((None, Operation::parse(line)?)) };
            let rest = line.split_once(char::is_whitespace)?.1;
            Some((Some((group.to_owned(), way.to_owned())), Operation::parse(rest)?))
        };
        lines
            .filter(|(_, line)| !line.is_empty())
            .map(|(i, line)| parse(line).ok_or_else(|| format!("line {}: not an operation: {line}", i + 1)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The groups, and the ways of each.
    pub(crate) fn groups(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut groups = BTreeMap::<_, BTreeSet<_>>::new();
        for (group, way) in self.0.iter().filter_map(|(way, _)| way.as_ref()) {
            groups.entry(group.as_str()).or_default().insert(way.as_str());
        }
        groups
    }

    /// The operations by these choices, or nothing if they do not fit together: if a value is read that none computes,
    /// or computed twice.
    pub(crate) fn select(&self, choices: &Choices) -> Option<Vec<Operation>> {
        let chosen =
            |way: &Option<(String, String)>| way.as_ref().is_none_or(|(group, way)| choices.get(group) == Some(way));
        let selected: Vec<Operation> =
            self.0.iter().filter(|(way, _)| chosen(way)).map(|(_, operation)| operation.clone()).collect();
        let mut known: BTreeSet<&str> = STATE.into();
        let fresh = selected.iter().all(|operation| known.insert(&operation.result));
        let complete = STATE.iter().all(|name| known.contains(format!("{name}'").as_str()));
        let read = selected.iter().flat_map(|operation| &operation.operands).all(|name| known.contains(name.as_str()));
        (fresh && complete && read).then_some(selected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_none_are_named() {
        for text in
            ["x", "x = add a", "x = add a b c", "x = ror a b", "x = gather third", "way= x = add a b", "x = what a"]
        {
            assert_eq!(
                Operations::parse(&format!("# first\n{text}")).unwrap_err(),
                format!("line 2: not an operation: {text}")
            );
        }
    }

    #[test]
    fn choices_must_fit_together() {
        let operations = Operations::parse(
            "sum' = add sum b\nb' = turn_a b\nc' = turn_c c\nd' = turn_d x\nm' = gather second\none=yes x = add d c",
        )
        .unwrap();
        let choose = |way: &str| operations.select(&[("one".to_owned(), way.to_owned())].into());
        assert_eq!(choose("yes").unwrap().len(), 6);
        assert_eq!(choose("no"), None, "nothing computes x");
        assert_eq!(operations.groups()["one"], ["yes"].into());
    }
}
