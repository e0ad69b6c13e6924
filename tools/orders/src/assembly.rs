//! A loop over blocks in assembly, from an order of operations: as the library has it, and as a function to be timed.
//!
//! All registers are fixed, so the loop that is timed is the loop that is used. The loop for one message:
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
//! The loop for two messages, whose instructions take turns:
//!
//! | registers            | value                                                                  |
//! |----------------------|------------------------------------------------------------------------|
//! | `rsi`, `r8`          | the next block of either                                               |
//! | `rdx`, `rcx`         | the number of blocks left, and the bytes from a block to the next      |
//! | `rdi`                | seven rows in memory                                                   |
//! | 0 to 12, 13 to 25    | the registers 0 to 12 of either, as above                              |
//! | 26, 27               | the count of either                                                    |
//! | 28, 29               | the rows of the initialisation vector                                  |
//! | 30, 31               | patterns of rotations by bytes                                         |
//! | `k1` to `k4`         | the second, third, fourth word; all                                    |
//!
//! The rows in memory are both of the first chaining value, both of the second, the flags of either, and the length of
//! a block.
//!
//! Rows have their words in the order 0 2 1 3.

use core::fmt::Write;

use self::message::Message;
use crate::operations::{Kind, Words};
use crate::order::Order;

mod message;

/// BLAKE2b or BLAKE2s on AVX-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// Bytes of a word.
    pub(crate) word: usize,
    pub(crate) rounds: usize,
    /// Messages at a time: 1 or 2.
    pub(crate) messages: usize,
}

pub(crate) const BLAKE2B: Function = Function { name: "blake2b", word: 8, rounds: 12, messages: 1 };
pub(crate) const BLAKE2S: Function = Function { name: "blake2s", word: 4, rounds: 10, messages: 1 };

/// The error of an order that does not fit.
pub(crate) const MANY_REGISTERS: &str = "the order needs more registers than there are for each of two messages";

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

const IV_LOW: usize = 29;
const IV_HIGH: usize = 28;

const HALVES: [&str; 2] = ["columns", "diagonals"];

/// The parameters of a half round's macro, as its lines name them: where the words are that it gathers for the next one.
const OFFSETS: [&str; 8] = [r"\a0", r"\a1", r"\a2", r"\a3", r"\b0", r"\b1", r"\b2", r"\b3"];

impl Function {
    /// This function for two messages.
    pub(crate) fn pair(self) -> Self {
        Self { messages: 2, ..self }
    }

    fn messages(self) -> impl Iterator<Item = Message> {
        (0..self.messages).map(move |number| Message { function: self, number })
    }

    fn register(self, number: usize) -> String {
        format!("{}mm{number}", if self.word == 8 { 'y' } else { 'x' })
    }

    /// A row at `rdi`.
    fn memory(self, row: usize) -> String {
        format!("{}mmword ptr [rdi + {}]", if self.word == 8 { 'y' } else { 'x' }, 4 * self.word * row)
    }

    /// The suffix of instructions on words.
    fn suffix(self) -> char {
        if self.word == 8 { 'q' } else { 'd' }
    }

    fn pattern_registers(self) -> [usize; 2] {
        if self.messages == 1 { [24, 23] } else { [31, 30] }
    }

    /// The rotations by bytes that have a pattern in a register, in the order of `pattern_registers`.
    fn patterns(self) -> [u32; 2] {
        if self.word == 8 { [24, 16] } else { [16, 8] }
    }

    /// The patterns as byte shuffles.
    pub(crate) fn pattern_words(self) -> [[u64; 4]; 2] {
        self.patterns().map(|bits| {
            core::array::from_fn(|word| {
                let byte = |byte: usize| self.word * word % 16 + (byte + bits as usize / 8) % self.word;
                (0..self.word).rev().fold(0, |value, i| value << 8 | byte(i) as u64)
            })
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

    /// Whether the registers suffice for it.
    pub(crate) fn fits(self, order: &Order) -> bool {
        self.messages().all(|message| (0..2).all(|half| message.half_round(half, order).is_some()))
    }

    /// The instructions of a half round, those of two messages by turns. The registers must suffice.
    fn half_round(self, half: usize, order: &Order) -> Vec<String> {
        by_turns(self.messages().map(|message| message.half_round(half, order).expect("the order fits")))
    }

    /// The lines before and after the rounds, in the loop over blocks.
    fn around(self) -> [Vec<String>; 2] {
        let mut before: Vec<String> = [".p2align 6", "2:", "cmp rdx, 1", "jne 3f"].map(str::to_owned).into();
        before.extend(self.messages().map(Message::set_flags));
        before.push("3:".to_owned());
        before.extend(by_turns(self.messages().map(Message::begin)));
        let mut after = by_turns(self.messages().map(Message::end));
        after.extend(self.messages().map(Message::advance));
        after.extend(["dec rdx", "jnz 2b"].map(str::to_owned));
        [before, after]
    }

    /// The loop, whose macros begin with a name that no other code has. It leaves none behind, since it may stand in a
    /// program more than once. The order must fit.
    fn lines(self, order: &Order, name: &str) -> Vec<String> {
        let macros = HALVES.map(|half| format!("{name}_{half}"));
        let mut lines = Vec::new();
        for (half, name) in macros.iter().enumerate() {
            lines.push(format!(".macro {name} {}", OFFSETS.map(|offset| &offset[1..]).join(", ")));
            lines.extend(self.half_round(half, order));
            lines.push(".endm".to_owned());
        }
        let [before, after] = self.around();
        lines.extend(before);
        for half in 0..2 * self.rounds {
            let offsets = self.offsets(half + 1, order).map(|offset| offset.to_string()).join(", ");
            lines.push(format!("{} {offsets}", macros[half % 2]));
        }
        lines.extend(after);
        lines.extend(macros.iter().map(|name| format!(".purgem {name}")));
        lines
    }

    /// The loop as the library has it. The order must fit.
    pub(crate) fn source(self, order: &Order, name: &str) -> String {
        let of = if self.messages == 1 { "" } else { " of two messages" };
        let mut source =
            format!("# The loop over blocks{of}. Made by this command, which also says what the registers hold:\n");
        let mut add = |line: &str| writeln!(source, "{line}").expect("a string takes all");
        add(&format!("# cargo run --release -p orders -- print {} {name}", self.name));
        add("");
        let macros = format!("simd_digest_{}_{}", self.name, name.replace('-', "_"));
        self.lines(order, &macros).iter().for_each(|line| add(line));
        source
    }

    /// The patterns as the library has them, in the style of its source.
    #[cfg(test)]
    pub(crate) fn source_of_patterns(self) -> String {
        let rows = self.pattern_words().map(|words| {
            let words: Vec<String> = words.iter().map(|word| hexadecimal(*word, self.word)).collect();
            format!("    [{}],\n", words.join(", "))
        });
        format!("const PATTERNS: [[u{}; 4]; 2] = [\n{}];\n", 8 * self.word, rows.concat())
    }

    /// The loop in a function of C: the rows of `memory`, the first message's blocks, their number, the bytes from a
    /// block to the next, the second message's blocks, and `table`.
    pub(crate) fn function(self, order: &Order, symbol: &str) -> String {
        let mut text = format!(".globl {symbol}\n.type {symbol}, @function\n.p2align 6\n{symbol}:\n");
        let mut add = |line: &str| writeln!(text, "{line}").expect("a string takes all");
        for (mask, bits) in [(1, 2), (2, 4), (3, 8), (4, 15)] {
            add(&format!("mov eax, {bits}\nkmovw k{mask}, eax"));
        }
        let row = |from: &str, row| format!("[{from} + {}]", 4 * self.word * row);
        let chain = [31, 30].into_iter().enumerate().filter(|_| self.messages == 1);
        let [first, second] = self.pattern_registers();
        let table = [(0, IV_LOW), (1, IV_HIGH), (5, first), (6, second)];
        let counts: &[(usize, usize)] =
            if self.messages == 1 { &[(2, 27), (3, 26), (4, 25)] } else { &[(2, 26), (2, 27)] };
        for (i, register) in table.iter().chain(counts) {
            add(&format!("vmovdqu64 {}, {}", self.register(*register), row("r9", *i)));
        }
        for (i, register) in chain.clone() {
            add(&format!("vmovdqu64 {}, {}", self.register(register), row("rdi", i)));
        }
        self.lines(order, symbol).iter().for_each(|line| add(line));
        for (i, register) in chain {
            add(&format!("vmovdqu64 {}, {}", row("rdi", i), self.register(register)));
        }
        add("vzeroupper\nret");
        text
    }

    /// The rows that a function reads at `table`: the rows of the initialisation vector, the count, the length and the flags,
    /// and both patterns.
    pub(crate) fn table(self, iv: [u64; 8]) -> Vec<u8> {
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
        for word in self.pattern_words().as_flattened() {
            table.extend_from_slice(&word.to_le_bytes()[..self.word]);
        }
        table
    }

    /// The rows that a function reads and writes at `memory`, of messages with these chaining values.
    pub(crate) fn memory_of(self, chains: &[Vec<u8>], table: &[u8]) -> Vec<u8> {
        let row = |i: usize| &table[4 * self.word * i..][..4 * self.word];
        let mut memory = chains.concat();
        for i in if self.messages == 1 { &[][..] } else { &[4, 4, 3] } {
            memory.extend_from_slice(row(*i));
        }
        memory
    }
}

/// One line of each at a time.
fn by_turns(messages: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let messages: Vec<Vec<String>> = messages.collect();
    (0..messages[0].len()).flat_map(|i| messages.iter().map(move |lines| lines[i].clone())).collect()
}

/// A number in the style of the library.
#[cfg(test)]
fn hexadecimal(number: u64, bytes: usize) -> String {
    let digits = format!("{number:0width$x}", width = 2 * bytes);
    let groups: Vec<&str> = (0..digits.len()).step_by(4).map(|i| &digits[i..i + 4]).collect();
    format!("0x{}", groups.join("_"))
}
