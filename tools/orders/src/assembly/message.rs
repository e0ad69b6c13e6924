//! The instructions of one message, alone or as one of two.

use std::collections::BTreeMap;

use super::{Function, IV_HIGH, IV_LOW, OFFSETS};
use crate::operations::{Kind, Operation, Row, STATE, Words};
use crate::order::Order;

/// Row `a`, not turned.
const A: usize = 10;
/// The last register for values in between.
const LAST: usize = 22;
/// The last register for values in between, of one of two messages.
const LAST_OF_TWO: usize = 12;

/// One of the messages of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) function: Function,
    /// Its place among them.
    pub(super) number: usize,
}

impl Message {
    fn is_alone(self) -> bool {
        self.function.messages == 1
    }

    /// Registers to `LAST` are the message's own.
    fn register(self, number: usize) -> String {
        self.function.register(if number > LAST { number } else { self.own(number) })
    }

    fn own(self, number: usize) -> usize {
        number + (LAST_OF_TWO + 1) * self.number
    }

    /// The register of the first byte of the next block.
    fn block(self) -> &'static str {
        ["rsi", "r8"][self.number]
    }

    fn count(self) -> String {
        self.function.register(if self.is_alone() { 27 } else { 26 + self.number })
    }

    /// The rows of the chaining value.
    fn chain(self) -> [String; 2] {
        if self.is_alone() {
            [31, 30].map(|number| self.function.register(number))
        } else {
            [0, 1].map(|row| self.function.memory(2 * self.number + row))
        }
    }

    fn xor(self, to: usize, [a, b]: [usize; 2]) -> String {
        let in_vex = [to, a, b].iter().all(|&number| self.own(number) < 16);
        let suffix = if in_vex { String::new() } else { self.function.suffix().to_string() };
        format!("vpxor{suffix} {}, {}, {}", self.register(to), self.register(a), self.register(b))
    }

    fn xor3(self, to: usize, [a, b]: [usize; 2]) -> String {
        self.xor3_of(&self.register(to), [&self.register(a), &self.register(b)])
    }

    fn xor3_of(self, to: &str, [a, b]: [&str; 2]) -> String {
        format!("vpternlog{} {to}, {a}, {b}, 0x96", self.function.suffix())
    }

    fn add(self, to: usize, [a, b]: [usize; 2]) -> String {
        self.add_of(&self.register(to), [&self.register(a), &self.register(b)])
    }

    fn add_of(self, to: &str, [a, b]: [&str; 2]) -> String {
        format!("vpadd{} {to}, {a}, {b}", self.function.suffix())
    }

    /// The word of column `(i + N) % 4` at column `i`, columns being in the order 0 2 1 3.
    fn turn(self, to: String, from: usize, by: u32) -> String {
        let (instruction, pattern) = match (self.function.word, by) {
            (8, 1) => ("vpermq", 0b00_01_11_10),
            (8, 2) => ("vpshufd", 0b01_00_11_10),
            (8, _) => ("vpermq", 0b01_00_10_11),
            (_, 1) => ("vpshufd", 0b00_01_11_10),
            (_, 2) => ("vpshufd", 0b10_11_00_01),
            (_, _) => ("vpshufd", 0b01_00_10_11),
        };
        format!("{instruction} {to}, {}, {pattern:#04x}", self.register(from))
    }

    /// Four words of the block, loaded one by one: blocks may have been written just before.
    fn gather(self, to: usize, offsets: [&str; 4]) -> [String; 4] {
        let (to, suffix) = (self.register(to), self.function.suffix());
        let pointer = if self.function.word == 8 { "qword" } else { "dword" };
        core::array::from_fn(|i| {
            let word = format!("{pointer} ptr [{} + {}]", self.block(), offsets[i]);
            match i {
                0 => format!("vpbroadcast{suffix} {to}, {word}"),
                _ => format!("vpblendm{suffix} {to}{{k{i}}}, {to}, {word}{{1to4}}"),
            }
        })
    }

    /// The instructions of the half round of columns (0) or of diagonals (1), with the parameters `OFFSETS`; or nothing if
    /// the registers do not suffice.
    pub(super) fn half_round(self, half: usize, order: &Order) -> Option<Vec<String>> {
        let operations = &order.halves[half];
        let mut registers: BTreeMap<&str, usize> =
            STATE.iter().enumerate().map(|(i, &name)| (name, 5 * half + i)).collect();
        let last = if self.is_alone() { LAST } else { LAST_OF_TWO };
        let mut free: Vec<usize> = (A + 1..=last).rev().collect();
        let mut lines = Vec::new();
        for (i, operation) in operations.iter().enumerate() {
            let from: Vec<usize> = operation.operands.iter().map(|name| registers[name.as_str()]).collect();
            for (name, &register) in operation.operands.iter().zip(&from) {
                let read_again = operations[i + 1..].iter().any(|later| later.operands.contains(name));
                let stays = read_again || is_fixed(name, operations) || operation.overwrites() == Some(name);
                if !stays && !free.contains(&register) {
                    free.push(register);
                }
            }
            let to = match operation.overwrites() {
                Some(name) => registers[name],
                None => home(&operation.result, operations, half).or_else(|| free.pop())?,
            };
            registers.insert(&operation.result, to);
            self.instructions(operation, to, &from, half, &mut lines);
        }
        Some(lines)
    }

    fn instructions(self, operation: &Operation, to: usize, from: &[usize], half: usize, lines: &mut Vec<String>) {
        let suffix = self.function.suffix();
        let one = |name: &str, last: &str| format!("{name} {}, {}, {last}", self.register(to), self.register(from[0]));
        let by = |row| match (row, half) {
            (Row::D, _) => 2,
            (Row::A, 0) | (Row::C, 1) => 3,
            _ => 1,
        };
        lines.push(match operation.kind {
            Kind::Add => self.add(to, [from[0], from[1]]),
            Kind::Xor => self.xor(to, [from[0], from[1]]),
            Kind::Xor3 => self.xor3(to, [from[1], from[2]]),
            Kind::Ror(bits) => one(&format!("vpror{suffix}"), &bits.to_string()),
            Kind::Shr(bits) => one(&format!("vpsrl{suffix}"), &bits.to_string()),
            Kind::Shl(bits) => one(&format!("vpsll{suffix}"), &bits.to_string()),
            Kind::Swap => one("vpshufd", "0xb1"),
            Kind::Bytes(bits) => {
                let patterns = self.function.patterns();
                let pattern = patterns.iter().position(|&other| other == bits).expect("it is among them");
                one("vpshufb", &self.register(self.function.pattern_registers()[pattern]))
            }
            Kind::Turn(row) => self.turn(self.register(to), from[0], by(row)),
            Kind::TurnAfter => self.turn(format!("{}{{k4}}", self.register(to)), from[0], by(Row::A)),
            Kind::Gather(words) => {
                let offsets = if words == Words::Second { 4 } else { 0 };
                lines.extend(self.gather(to, core::array::from_fn(|i| OFFSETS[offsets + i])));
                return;
            }
        });
    }

    /// Before the last block.
    pub(super) fn set_flags(self) -> String {
        let flags = if self.is_alone() { self.function.register(25) } else { self.function.memory(4 + self.number) };
        format!("vpor{} {count}, {count}, {flags}", self.function.suffix(), count = self.count())
    }

    /// Before the rounds.
    pub(super) fn begin(self) -> Vec<String> {
        let gather = |to, places: [usize; 4]| {
            let offsets = places.map(|place| (self.function.word * place).to_string());
            self.gather(to, offsets.each_ref().map(String::as_str))
        };
        let move_to = |to, from: &str| {
            let move_ = if self.is_alone() { "vmovdqa64" } else { "vmovdqu64" };
            format!("{move_} {}, {from}", self.register(to))
        };
        let [low, high] = self.chain();
        let mut lines: Vec<String> = gather(0, [0, 4, 2, 6]).into();
        lines.push(self.add_of(&self.register(0), [&self.register(0), &low]));
        lines.extend([move_to(1, &high), move_to(2, &self.register(IV_LOW))]);
        lines.push(format!(
            "vpxor{} {}, {}, {}",
            self.function.suffix(),
            self.register(3),
            self.register(IV_HIGH),
            self.count()
        ));
        lines.extend(gather(4, [1, 5, 3, 7]));
        lines
    }

    /// After the rounds.
    pub(super) fn end(self) -> Vec<String> {
        let mut lines = vec![self.turn(self.register(0), A, 1)];
        for (i, row) in self.chain().iter().enumerate() {
            let [v, w] = [i, i + 2].map(|number| self.register(number));
            if self.is_alone() {
                lines.push(self.xor3_of(row, [&v, &w]));
            } else {
                lines.extend([self.xor3_of(&v, [&w, row]), format!("vmovdqu64 {row}, {v}")]);
            }
        }
        let length = if self.is_alone() { self.function.register(26) } else { self.function.memory(6) };
        lines.push(self.add_of(&self.count(), [&self.count(), &length]));
        lines
    }

    /// To the next block.
    pub(super) fn advance(self) -> String {
        let by = if self.is_alone() { (16 * self.function.word).to_string() } else { "rcx".to_owned() };
        format!("add {}, {by}", self.block())
    }
}

/// The register that a value must be in: it lives on, or another one takes its place that does.
fn home(name: &str, operations: &[Operation], half: usize) -> Option<usize> {
    if name == "a2" {
        return Some(A);
    }
    if let Some(state) = STATE.iter().position(|state| name.strip_suffix('\'') == Some(state)) {
        return Some(5 * (1 - half) + state);
    }
    let next = operations.iter().find(|operation| operation.overwrites() == Some(name))?;
    home(&next.result, operations, half)
}

/// Whether no other value of the half round may have its register.
fn is_fixed(name: &str, operations: &[Operation]) -> bool {
    home(name, operations, 0).is_some()
}
