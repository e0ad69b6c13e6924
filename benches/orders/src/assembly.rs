//! A loop over blocks in assembly, from an order of operations: as the library has it, and as a function to be timed.
//!
//! All registers are fixed, so the loop that is timed is the loop that is used:
//!
//! | registers            | value                                                                  |
//! |----------------------|------------------------------------------------------------------------|
//! | `rsi`, `rdx`         | the next block, and the number of blocks left                          |
//! | 0 to 4, 5 to 9       | `sum`, `b`, `c`, `d`, `m` before columns, and before diagonals         |
//! | 10                   | row `a`, not turned                                                    |
//! | 11 to 22             | values in between                                                      |
//! | 23, 24               | patterns of rotations by bytes                                         |
//! | 25, 26, 27           | the flags of the last block, the length of a block, the count          |
//! | 28, 29               | the rows of the initialisation vector                                  |
//! | 30, 31               | the rows of the chaining value                                         |
//! | `k1` to `k4`         | the second, third, fourth word; all                                    |
//!
//! Rows have their words in the order 0 2 1 3.

use core::fmt::Write;
use std::collections::BTreeMap;

use crate::operations::{Kind, Operation, Row, STATE, Words};
use crate::order::Order;

/// BLAKE2b or BLAKE2s on AVX-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// Bytes of a word.
    pub(crate) word: usize,
    pub(crate) rounds: usize,
}

pub(crate) const BLAKE2B: Function = Function { name: "blake2b", word: 8, rounds: 12 };
pub(crate) const BLAKE2S: Function = Function { name: "blake2s", word: 4, rounds: 10 };

/// The message word permutations of RFC 7693, section 2.7.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

const LOW: usize = 31;
const HIGH: usize = 30;
const IV_LOW: usize = 29;
const IV_HIGH: usize = 28;
const COUNT: usize = 27;
const LENGTH: usize = 26;
const FLAGS: usize = 25;
const PATTERNS: [usize; 2] = [24, 23];
const A: usize = 10;

const HALVES: [&str; 2] = ["columns", "diagonals"];

/// The parameters of a half round's macro: the offsets of the words that it gathers for the next one.
const OFFSETS: [&str; 8] = ["$a0", "$a1", "$a2", "$a3", "$b0", "$b1", "$b2", "$b3"];

impl Function {
    /// The rotations by bytes for which the order needs a pattern in a register, in the order of `PATTERNS`.
    fn patterns(self, order: &Order) -> Vec<u32> {
        let mut patterns = Vec::new();
        for operation in order.halves.iter().flatten() {
            if let Kind::Bytes(bits) = operation.kind
                && !patterns.contains(&bits)
            {
                patterns.push(bits);
            }
        }
        patterns.sort_unstable_by_key(|&bits| core::cmp::Reverse(bits));
        patterns
    }

    /// The patterns as byte shuffles, zeros where there is none.
    fn pattern_words(self, order: &Order) -> [[u64; 4]; 2] {
        let mut patterns = [[0; 4]; 2];
        for (pattern, bits) in patterns.iter_mut().zip(self.patterns(order)) {
            *pattern = core::array::from_fn(|word| {
                let byte = |byte: usize| self.word * word % 16 + (byte + bits as usize / 8) % self.word;
                (0..self.word).rev().fold(0, |value, i| value << 8 | byte(i) as u64)
            });
        }
        patterns
    }

    fn register(self, number: usize) -> String {
        format!("{}mm{number}", if self.word == 8 { 'y' } else { 'x' })
    }

    /// The suffix of instructions on words.
    fn suffix(self) -> char {
        if self.word == 8 { 'q' } else { 'd' }
    }

    fn xor(self, to: usize, [a, b]: [usize; 2]) -> String {
        let suffix =
            if [to, a, b].iter().all(|&number| number < 16) { String::new() } else { self.suffix().to_string() };
        format!("vpxor{suffix} {}, {}, {}", self.register(to), self.register(a), self.register(b))
    }

    fn xor3(self, to: usize, [a, b]: [usize; 2]) -> String {
        format!("vpternlog{} {}, {}, {}, 0x96", self.suffix(), self.register(to), self.register(a), self.register(b))
    }

    fn add(self, to: usize, [a, b]: [usize; 2]) -> String {
        format!("vpadd{} {}, {}, {}", self.suffix(), self.register(to), self.register(a), self.register(b))
    }

    /// The word of column `(i + N) % 4` at column `i`, columns being in the order 0 2 1 3.
    fn turn(self, to: String, from: usize, by: u32) -> String {
        let (instruction, pattern) = match (self.word, by) {
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
        let (to, suffix) = (self.register(to), self.suffix());
        let pointer = if self.word == 8 { "qword" } else { "dword" };
        core::array::from_fn(|i| {
            let word = format!("{pointer} ptr [rsi + {}]", offsets[i]);
            match i {
                0 => format!("vpbroadcast{suffix} {to}, {word}"),
                _ => format!("vpblendm{suffix} {to}{{k{i}}}, {to}, {word}{{1to4}}"),
            }
        })
    }

    /// Where in a block the words are that the half round gathers for half round `next`.
    fn offsets(self, next: usize, order: &Order) -> [usize; 8] {
        let turned = order.halves[(next + 1) % 2].iter().any(|operation| operation.kind == Kind::Gather(Words::Turned));
        let places = match (next.is_multiple_of(2), turned) {
            (true, false) => [6, 2, 0, 4, 1, 5, 3, 7],
            (true, true) => [0, 4, 2, 6, 1, 5, 3, 7],
            (false, false) => [8, 12, 10, 14, 15, 11, 9, 13],
            (false, true) => [14, 10, 8, 12, 15, 11, 9, 13],
        };
        places.map(|place| self.word * SIGMA[next / 2 % 10][place])
    }

    /// The instructions of the half round of columns (0) or of diagonals (1), with `OFFSETS` in them.
    fn half_round(self, half: usize, order: &Order) -> Vec<String> {
        let operations = &order.halves[half];
        let mut registers: BTreeMap<&str, usize> =
            STATE.iter().enumerate().map(|(i, &name)| (name, 5 * half + i)).collect();
        let mut free: Vec<usize> = (11..=22).rev().collect();
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
                None => {
                    home(&operation.result, operations, half).unwrap_or_else(|| free.pop().expect("twelve suffice"))
                }
            };
            registers.insert(&operation.result, to);
            self.instructions(operation, to, &from, half, order, &mut lines);
        }
        lines
    }

    fn instructions(
        self,
        operation: &Operation,
        to: usize,
        from: &[usize],
        half: usize,
        order: &Order,
        lines: &mut Vec<String>,
    ) {
        let suffix = self.suffix();
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
                let pattern = self.patterns(order).iter().position(|&other| other == bits).expect("it is among them");
                one("vpshufb", &self.register(PATTERNS[pattern]))
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

    /// What stands before and after the rounds, in the loop over blocks.
    fn around(self) -> [Vec<String>; 2] {
        let constant = |places: [usize; 4]| places.map(|place| (self.word * place).to_string());
        let gather = |to, places| {
            let offsets = constant(places);
            self.gather(to, offsets.each_ref().map(String::as_str))
        };
        let move_to = |to, from| format!("vmovdqa64 {}, {}", self.register(to), self.register(from));
        let block = 16 * self.word;
        let mut before: Vec<String> = [".p2align 6", "2:", "cmp rdx, 1", "jne 3f"].map(str::to_owned).into();
        before.push(format!(
            "vpor{} {count}, {count}, {}",
            self.suffix(),
            self.register(FLAGS),
            count = self.register(COUNT)
        ));
        before.push("3:".to_owned());
        before.extend(gather(0, [0, 4, 2, 6]));
        before.push(self.add(0, [0, LOW]));
        before.extend([move_to(1, HIGH), move_to(2, IV_LOW), self.xor(3, [IV_HIGH, COUNT])]);
        before.extend(gather(4, [1, 5, 3, 7]));
        let mut after = vec![self.turn(self.register(0), A, 1)];
        after.extend([self.xor3(LOW, [0, 2]), self.xor3(HIGH, [1, 3]), self.add(COUNT, [COUNT, LENGTH])]);
        after.extend([format!("add rsi, {block}"), "dec rdx".to_owned(), "jnz 2b".to_owned()]);
        [before, after]
    }

    /// The loop as a macro for `asm!`.
    pub(crate) fn source(self, order: &Order, name: &str) -> String {
        let mut source = String::new();
        let mut add = |line: &str| writeln!(source, "{line}").expect("a string takes all");
        let macro_name = name.replace('-', "_");
        add("//! The loop over blocks. Made by this command, which also says what the registers hold:");
        add(&format!("//! `cargo run --release -p orders -- print {} {name}`", self.name));
        add("");
        add(&format!("macro_rules! {macro_name} {{"));
        for (half, name) in HALVES.into_iter().enumerate() {
            add(&format!("    ({name} {}) => {{", OFFSETS.map(|offset| format!("{offset}:literal")).join(" ")));
            add("        concat!(");
            for line in self.half_round(half, order) {
                let offset = OFFSETS.iter().find_map(|offset| line.split_once(*offset).map(|around| (around, *offset)));
                add(&match offset {
                    Some(((before, after), offset)) => format!("            \"{before}\", {offset}, \"{after}\\n\","),
                    None => format!("            \"{line}\\n\","),
                });
            }
            add("        )");
            add("    };");
        }
        add("    () => {");
        add("        concat!(");
        let [before, after] = self.around();
        before.iter().for_each(|line| add(&format!("            \"{line}\\n\",")));
        for half in 0..2 * self.rounds {
            let offsets = self.offsets(half + 1, order).map(|offset| offset.to_string()).join(" ");
            add(&format!("            {macro_name}!({} {offsets}),", HALVES[half % 2]));
        }
        after.iter().for_each(|line| add(&format!("            \"{line}\\n\",")));
        for line in ["        )", "    };", "}"] {
            add(line);
        }
        add(&format!("pub(super) use {macro_name};"));
        add("");
        add("/// What registers 24 and 23 hold.");
        let patterns = self.pattern_words(order).map(|words| {
            let words: Vec<String> = words.iter().map(|word| hexadecimal(*word, self.word)).collect();
            format!("    [{}],", words.join(", "))
        });
        add("#[rustfmt::skip]");
        add(&format!("pub(super) const PATTERNS: [[u{}; 4]; 2] = [", 8 * self.word));
        patterns.iter().for_each(|words| add(words));
        add("];");
        source
    }

    /// The loop in a function of C: `h`, blocks, their number, and `table`.
    pub(crate) fn function(self, order: &Order, symbol: &str) -> String {
        let mut text = format!(".globl {symbol}\n.type {symbol}, @function\n.p2align 6\n{symbol}:\n");
        let mut add = |line: &str| writeln!(text, "{line}").expect("a string takes all");
        for (mask, bits) in [(1, 2), (2, 4), (3, 8), (4, 15)] {
            add(&format!("mov eax, {bits}\nkmovw k{mask}, eax"));
        }
        let load = |to, from: &str, row| format!("vmovdqu64 {}, [{from} + {}]", self.register(to), 4 * self.word * row);
        for (row, register) in [IV_LOW, IV_HIGH, COUNT, LENGTH, FLAGS, PATTERNS[0], PATTERNS[1]].into_iter().enumerate()
        {
            add(&load(register, "rcx", row));
        }
        for (row, register) in [LOW, HIGH].into_iter().enumerate() {
            add(&load(register, "rdi", row));
        }
        let [before, after] = self.around();
        let halves = [self.half_round(0, order), self.half_round(1, order)];
        before.iter().for_each(|line| add(line));
        for half in 0..2 * self.rounds {
            let offsets = self.offsets(half + 1, order);
            for line in &halves[half % 2] {
                let offset = OFFSETS.iter().zip(offsets).find(|(name, _)| line.contains(**name));
                add(&offset.map_or_else(|| line.clone(), |(name, offset)| line.replace(name, &offset.to_string())));
            }
        }
        after.iter().for_each(|line| add(line));
        for (row, register) in [LOW, HIGH].into_iter().enumerate() {
            add(&format!("vmovdqu64 [rdi + {}], {}", 4 * self.word * row, self.register(register)));
        }
        add("vzeroupper\nret");
        text
    }

    /// What a function reads at `table`, in words of 64 bits: the rows of registers 29 to 23 in the function's words.
    pub(crate) fn table(self, order: &Order, iv: [u64; 8]) -> Vec<u8> {
        let length = 16 * self.word as u64;
        let swapped = |row: [u64; 4]| [row[0], row[2], row[1], row[3]];
        let rows = [
            swapped([iv[0], iv[1], iv[2], iv[3]]),
            swapped([iv[4], iv[5], iv[6], iv[7]]),
            swapped([length, 0, 0, 0]),
            swapped([length, 0, 0, 0]),
            swapped([0, 0, u64::MAX, 0]),
        ];
        let mut table: Vec<u8> =
            rows.iter().flatten().flat_map(|word| word.to_le_bytes()[..self.word].to_vec()).collect();
        for word in self.pattern_words(order).as_flattened() {
            table.extend_from_slice(&word.to_le_bytes()[..self.word]);
        }
        table
    }
}

/// A number in the style of the library.
fn hexadecimal(number: u64, bytes: usize) -> String {
    if number == 0 {
        return "0".to_owned();
    }
    let digits = format!("{number:0width$x}", width = 2 * bytes);
    let groups: Vec<&str> = (0..digits.len()).step_by(4).map(|i| &digits[i..i + 4]).collect();
    format!("0x{}", groups.join("_"))
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
