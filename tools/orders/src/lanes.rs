//! Half a round of many messages in lanes of 512 bits: an order of the seven instructions of each of four G.
//!
//! Each is one letter, and the number of its G: `m` adds the word of the message to `a`, `a` adds `b` to it, `x` exclusive
//! ors that into `d`, which `r` rotates, `c` adds it to `c`, `y` exclusive ors that into `b`, which `s` rotates. The
//! library has them in a macro, with the compiler's registers. Here they are timed in rounds of BLAKE2b, with the state
//! in registers 0 to 15 and the words of the message in 16 to 31.

use core::fmt::{self, Display, Write};

/// The instructions of a G, in order.
const STEPS: [char; 7] = ['m', 'a', 'x', 'r', 'c', 'y', 's'];

/// The rotations of both halves of BLAKE2b's G.
const ROTATIONS: [[u32; 2]; 2] = [[32, 24], [16, 63]];

/// The instructions in order: the place in [`STEPS`], and the number of the G.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lanes(Vec<(usize, usize)>);

impl Lanes {
    /// The library's orders, by name.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub(crate) fn of_library() -> Result<[(&'static str, Self); 2], String> {
        Ok([
            ("fast-rotation", Self::parse(include_str!("../data/lanes-fast-rotation.order"))?),
            ("slow-rotation", Self::parse(include_str!("../data/lanes-slow-rotation.order"))?),
        ])
    }

    /// # Errors
    ///
    /// An instruction that is none, is missing or stands before one that it waits for.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let mut next = [0; 4];
        let mut order = Vec::new();
        for word in lines.flat_map(str::split_whitespace) {
            let step =
                STEPS.iter().position(|&step| word.starts_with(step)).ok_or(format!("{word}: no instruction"))?;
            let g: usize = word[1..].parse().ok().filter(|&g| g < 4).ok_or(format!("{word}: no instruction"))?;
            if next[g] != step {
                return Err(format!("{word}: not the next instruction of its G"));
            }
            next[g] += 1;
            order.push((step, g));
        }
        if next == [STEPS.len(); 4] { Ok(Self(order)) } else { Err("instructions are missing".to_owned()) }
    }

    /// Every G some instructions behind the one before it.
    pub(crate) fn staggered(behind: usize) -> Self {
        let mut order: Vec<_> = (0..4).flat_map(|g| (0..STEPS.len()).map(move |step| (step, g))).collect();
        order.sort_by_key(|&(step, g)| (step + behind * g, g));
        Self(order)
    }

    /// The order with a few instructions at other places.
    pub(crate) fn mutated(&self, random: &mut fastrand::Rng) -> Self {
        let mut order = self.0.clone();
        for _ in 0..random.usize(1..=3) {
            let instruction = order.remove(random.usize(..order.len()));
            order.insert(random.usize(..=order.len()), instruction);
        }
        // The places of a G stay, and its instructions take them in order.
        let mut next = [0; 4];
        for (step, g) in &mut order {
            *step = next[*g];
            next[*g] += 1;
        }
        Self(order)
    }

    /// The lines that the library has.
    pub(crate) fn source(&self) -> String {
        let line = |&(step, g): &(usize, usize)| {
            let (name, to, from) = match STEPS[step] {
                'm' => ("add", 'a', format!("{{m{g}}}")),
                'a' => ("add", 'a', format!("{{b{g}}}")),
                'x' => ("xor", 'd', format!("{{a{g}}}")),
                'r' => ("ror", 'd', "{r_d}".to_owned()),
                'c' => ("add", 'c', format!("{{d{g}}}")),
                'y' => ("xor", 'b', format!("{{c{g}}}")),
                _ => ("ror", 'b', "{r_b}".to_owned()),
            };
            format!("concat!(${name}, \" {{{to}{g}}}, {{{to}{g}}}, {from}\"),\n")
        };
        self.0.iter().map(line).collect()
    }

    /// A function `name(state, words, rounds)`.
    pub(crate) fn function(&self, name: &str) -> String {
        let mut text = format!(".globl {name}\n.type {name}, @function\n.p2align 6\n{name}:\n");
        let mut line = |line: String| writeln!(text, "{line}").expect("a string takes all");
        for i in 0..16 {
            line(format!("vmovdqu64 zmm{i}, [rdi + {}]", 64 * i));
            line(format!("vmovdqu64 zmm{}, [rsi + {}]", 16 + i, 64 * i));
        }
        line(".p2align 5\n2:".to_owned());
        for half in 0..4 {
            for &(step, g) in &self.0 {
                let [a, b, c, d] = places(half / 2, g);
                let [r_d, r_b] = ROTATIONS[half % 2];
                line(match STEPS[step] {
                    'm' => format!("vpaddq zmm{a}, zmm{a}, zmm{}", 16 + word(half, g)),
                    'a' => format!("vpaddq zmm{a}, zmm{a}, zmm{b}"),
                    'x' => format!("vpxorq zmm{d}, zmm{d}, zmm{a}"),
                    'r' => format!("vprorq zmm{d}, zmm{d}, {r_d}"),
                    'c' => format!("vpaddq zmm{c}, zmm{c}, zmm{d}"),
                    'y' => format!("vpxorq zmm{b}, zmm{b}, zmm{c}"),
                    _ => format!("vprorq zmm{b}, zmm{b}, {r_b}"),
                });
            }
        }
        line("dec rdx\njnz 2b".to_owned());
        for i in 0..16 {
            line(format!("vmovdqu64 [rdi + {}], zmm{i}", 64 * i));
        }
        line("vzeroupper\nret".to_owned());
        text
    }
}

impl Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(|&(step, g)| format!("{}{g}", STEPS[step])).collect();
        writeln!(f, "{}", words.join(" "))
    }
}

/// Computes a round of the function, for the eight words of each register.
pub(crate) fn mix(state: &mut [u64], words: &[u64]) {
    for (half, g, lane) in (0..4).flat_map(|half| (0..32).map(move |i| (half, i / 8, i % 8))) {
        let [a, b, c, d] = places(half / 2, g).map(|place| 8 * place + lane);
        let [r_d, r_b] = ROTATIONS[half % 2];
        state[a] = state[a].wrapping_add(words[8 * word(half, g) + lane]).wrapping_add(state[b]);
        state[d] = (state[d] ^ state[a]).rotate_right(r_d);
        state[c] = state[c].wrapping_add(state[d]);
        state[b] = (state[b] ^ state[c]).rotate_right(r_b);
    }
}

/// The words of the state that a G mixes, on columns or on diagonals.
fn places(diagonals: usize, g: usize) -> [usize; 4] {
    [0, 1, 2, 3].map(|row| 4 * row + (g + row * diagonals) % 4)
}

/// The word of the message that a G adds in a half round, in the order of the first round.
fn word(half: usize, g: usize) -> usize {
    8 * (half / 2) + 2 * g + half % 2
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = include_str!("../../../src/backend/staggered.rs");

    fn order() -> Lanes {
        let [(_, fast), _] = Lanes::of_library().unwrap();
        fast
    }

    #[test]
    fn the_library_has_the_source_of_each_order() {
        let lines: String = LIBRARY.lines().map(|line| format!("{}\n", line.trim())).collect();
        for (name, order) in Lanes::of_library().unwrap() {
            let name = name.replace('-', "_");
            let (_, arm) = lines.split_once(&format!("({name}: ")).unwrap();
            let (_, arm) = arm.split_once("asm!(\n").unwrap();
            assert!(arm.starts_with(&order.source()), "{name}:\n{}", order.source());
        }
        assert_eq!(order(), Lanes::staggered(3));
    }

    #[test]
    fn orders_are_written_as_they_are_read() {
        for (_, order) in Lanes::of_library().unwrap() {
            assert_eq!(Lanes::parse(&order.to_string()), Ok(order));
        }
    }

    #[test]
    fn changed_orders_are_orders() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut order = order();
        for _ in 0..1000 {
            order = order.mutated(&mut random);
            assert_eq!(Lanes::parse(&order.to_string()), Ok(order.clone()));
        }
    }

    #[test]
    fn orders_that_do_not_fit_are_refused() {
        let refused = |from: &str, to: &str| Lanes::parse(&order().to_string().replacen(from, to, 1)).unwrap_err();
        assert_eq!(refused("m0", "k0"), "k0: no instruction");
        assert_eq!(refused("m0", "m4"), "m4: no instruction");
        assert_eq!(refused("m0 a0", "a0 m0"), "a0: not the next instruction of its G");
        assert_eq!(refused(" s3", ""), "instructions are missing");
    }
}
