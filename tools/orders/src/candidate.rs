//! Candidates: assembled with the system's compiler, loaded, checked against the crate `blake2`, and timed.
//!
//! The only unsafe code here. A candidate reads the blocks and the table it is given and writes the rows of the
//! chaining values, for that is all that `assembly` can write down; and it keeps the rules of C for registers, for it
//! uses those alone that a function may change.
#![allow(unsafe_code)]

use core::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Instant;

use blake2::{Blake2b512, Blake2s256, Digest as _};
use libloading::{Library, Symbol};
use tempfile::TempDir;

use crate::assembly::Function;
use crate::lanes::{self, Lanes};
use crate::order::Order;

/// Blocks of a call that is timed.
const BLOCKS: usize = 64;
/// Rounds of a call that is timed, in lanes.
const ROUNDS: usize = 400;
/// Steps of the chain that the cycle is calibrated with.
const CHAIN: u32 = 100;

type Compress = unsafe extern "C" fn(
    memory: *mut u8,
    blocks: *const u8,
    count: usize,
    stride: usize,
    second: *const u8,
    table: *const u8,
);
type Mix = unsafe extern "C" fn(state: *mut u64, words: *const u64, rounds: usize);
type Chain = unsafe extern "C" fn(times: usize);

/// Cycles a block of many, and of a call for one block of each message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cycles {
    pub(crate) many: f64,
    pub(crate) one: f64,
}

/// Times the orders beside each other, the minimum of `rounds` rounds.
///
/// # Errors
///
/// The system's compiler is missing or refuses an order; or an order gives a wrong digest.
pub(crate) fn measure(function: Function, orders: &[Order], rounds: usize) -> Result<Vec<Cycles>, String> {
    let texts = (0..).zip(orders).map(|(i, order)| function.function(order, &name(i)));
    let assembled = Assembled::new(texts)?;
    let functions = (0..orders.len()).map(|i| assembled.symbol::<Compress>(&name(i))).collect::<Result<Vec<_>, _>>()?;
    let chain = assembled.symbol::<Chain>("chain")?;

    let (block, messages) = (16 * function.word, function.messages);
    let length = BLOCKS * messages * block;
    let blocks: Vec<u8> = (0..length).map(|i| u8::try_from((7 * i + 3) % 251).expect("below 251")).collect();
    let iv = iv(function);
    let table = function.table(iv);
    let start = function.memory_of(&vec![start(function, iv); messages], &table);
    // The messages have a block each by turns.
    let call = |i: usize, count: usize| {
        let mut memory = start.clone();
        let second = &blocks[(messages - 1) * block..];
        let [blocks, second, table] = [&blocks, second, &table].map(<[u8]>::as_ptr);
        // SAFETY: there are so many blocks of each message, all rows of `memory`, and a table of all rows.
        unsafe { functions[i](memory.as_mut_ptr(), blocks, count, messages * block, second, table) };
        memory
    };

    for (i, order) in orders.iter().enumerate() {
        for count in [1, 2, 3, BLOCKS] {
            let memory = call(i, count);
            for (number, chain) in memory.chunks(8 * function.word).take(messages).enumerate() {
                let blocks = blocks.chunks(block).skip(number).step_by(messages).take(count);
                if chain != expected(function, &blocks.collect::<Vec<_>>().concat()) {
                    return Err(format!("a wrong digest of {count} blocks by\n{order}"));
                }
            }
        }
    }

    let mut cycle = f64::INFINITY;
    let mut times = vec![Cycles { many: f64::INFINITY, one: f64::INFINITY }; orders.len()];
    for _ in 0..rounds {
        cycle = cycle.min(addition(&chain));
        for (i, times) in times.iter_mut().enumerate() {
            call(i, 8);
            times.many = times.many.min(time(&mut || drop(call(i, BLOCKS))) / (BLOCKS * messages) as f64);
            times.one = times.one.min(time(&mut || (0..32).for_each(|_| drop(call(i, 1)))) / 32.0);
        }
    }
    Ok(times.iter().map(|times| Cycles { many: times.many / cycle, one: times.one / cycle }).collect())
}

/// Cycles that each order takes for half a round of eight messages of BLAKE2b in lanes, beside each other, the minimum of
/// `rounds` rounds.
///
/// # Errors
///
/// The system's compiler is missing or refuses an order; or an order computes something else than G.
pub(crate) fn measure_lanes(orders: &[Lanes], rounds: usize) -> Result<Vec<f64>, String> {
    let assembled = Assembled::new((0..).zip(orders).map(|(i, order)| order.function(&name(i))))?;
    let functions = (0..orders.len()).map(|i| assembled.symbol::<Mix>(&name(i))).collect::<Result<Vec<_>, _>>()?;
    let chain = assembled.symbol::<Chain>("chain")?;
    let words: Vec<u64> = (1..=256).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let (state, m) = words.split_at(128);
    let call = |i: usize, count: usize| {
        let mut state = state.to_vec();
        // SAFETY: there are sixteen registers of the state, and as many of the message.
        unsafe { functions[i](state.as_mut_ptr(), m.as_ptr(), count) };
        state
    };

    let mut expected = state.to_vec();
    (0..3).for_each(|_| lanes::mix(&mut expected, m));
    for (i, order) in orders.iter().enumerate() {
        if call(i, 3) != expected {
            return Err(format!("something else than G by\n{order}"));
        }
    }
    let mut cycle = f64::INFINITY;
    let mut times = vec![f64::INFINITY; orders.len()];
    for _ in 0..rounds {
        cycle = cycle.min(addition(&chain));
        for (i, least) in times.iter_mut().enumerate() {
            call(i, 8);
            // A round is four half rounds.
            *least = least.min(time(&mut || drop(call(i, ROUNDS))) / (4 * ROUNDS) as f64);
        }
    }
    Ok(times.into_iter().map(|time| time / cycle).collect())
}

/// Seconds of an addition that waits for the one before it.
fn addition(chain: &Symbol<'_, Chain>) -> f64 {
    // SAFETY: the function only counts.
    time(&mut || unsafe { chain(200) }) / f64::from(200 * CHAIN)
}

fn name(i: usize) -> String {
    format!("order_{i}")
}

fn time(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// Functions in assembly, and the chain of additions, as a library that is loaded.
struct Assembled {
    library: Library,
    /// Is removed last.
    _directory: TempDir,
}

impl Assembled {
    fn new(functions: impl Iterator<Item = String>) -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
        let (source, object) = (directory.path().join("orders.s"), directory.path().join("orders.so"));
        let mut text = ".intel_syntax noprefix\n.text\n".to_owned();
        text.extend(functions);
        text += ".globl chain\n.type chain, @function\n.p2align 6\nchain:\n";
        writeln!(text, "2:\n.rept {CHAIN}\nadd rax, rax\n.endr\ndec rdi\njnz 2b\nret").expect("a string takes all");
        text += ".section .note.GNU-stack,\"\",@progbits\n";
        fs::write(&source, text).map_err(|error| format!("{}: {error}", source.display()))?;
        let output = Command::new("cc").arg("-shared").arg("-o").args([&object, &source]).output();
        let output = output.map_err(|error| format!("cc: {error}"))?;
        if !output.status.success() {
            return Err(format!("cc: {}", String::from_utf8_lossy(&output.stderr)));
        }
        // SAFETY: the library runs no code of ours when it is loaded.
        let library = unsafe { Library::new(&object) }.map_err(|error| error.to_string())?;
        Ok(Self { library, _directory: directory })
    }

    /// A function that is a `T`: every `order_` is, of the text it was made from, and `chain` a [`Chain`].
    fn symbol<T>(&self, name: &str) -> Result<Symbol<'_, T>, String> {
        // SAFETY: callers name a function by the type that its text has.
        unsafe { self.library.get::<T>(name.as_bytes()) }.map_err(|error| error.to_string())
    }
}

/// The initialisation vector, by which every message begins.
fn iv(function: Function) -> [u64; 8] {
    const B: [u64; 8] = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
    if function.word == 8 { B } else { B.map(|word| word >> 32) }
}

/// The chaining value of a message without a key, whose digest has all bytes, in the order of rows.
fn start(function: Function, iv: [u64; 8]) -> Vec<u8> {
    let [h0, h1, h2, h3, h4, h5, h6, h7] = iv;
    let h0 = h0 ^ 0x0101_0000 ^ (8 * function.word as u64);
    [h0, h2, h1, h3, h4, h6, h5, h7].iter().flat_map(|word| word.to_le_bytes()[..function.word].to_vec()).collect()
}

/// The digest of a message of whole blocks, by the crate `blake2`, in the order of rows.
fn expected(function: Function, message: &[u8]) -> Vec<u8> {
    let digest =
        if function.word == 8 { Blake2b512::digest(message).to_vec() } else { Blake2s256::digest(message).to_vec() };
    let word = |i: usize| digest[function.word * i..][..function.word].to_vec();
    [0, 2, 1, 3, 4, 6, 5, 7].into_iter().flat_map(word).collect()
}
