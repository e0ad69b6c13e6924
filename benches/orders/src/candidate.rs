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

use crate::assembly::Function;
use crate::order::Order;

/// Blocks of a call that is timed.
const BLOCKS: usize = 64;
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
    let directory = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let (source, object) = (directory.path().join("orders.s"), directory.path().join("orders.so"));
    let mut text = ".intel_syntax noprefix\n.text\n".to_owned();
    for (i, order) in orders.iter().enumerate() {
        text += &function.function(order, &format!("order_{i}"));
    }
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
    let symbol = |name: String| {
        // SAFETY: every `order_` is such a function.
        unsafe { library.get::<Compress>(name.as_bytes()) }.map_err(|error| error.to_string())
    };
    let functions = (0..orders.len()).map(|i| symbol(format!("order_{i}"))).collect::<Result<Vec<_>, _>>()?;
    // SAFETY: `chain` is such a function.
    let chain: Symbol<'_, Chain> = unsafe { library.get(b"chain") }.map_err(|error| error.to_string())?;

    let (block, messages) = (16 * function.word, function.messages);
    let length = BLOCKS * messages * block;
    let blocks: Vec<u8> = (0..length).map(|i| u8::try_from((7 * i + 3) % 251).expect("below 251")).collect();
    let iv = iv(function);
    let tables: Vec<Vec<u8>> = orders.iter().map(|order| function.table(order, iv)).collect();
    let start = function.memory_of(&vec![start(function, iv); messages], &tables[0]);
    // The messages have a block each by turns.
    let call = |i: usize, count: usize| {
        let mut memory = start.clone();
        let second = &blocks[(messages - 1) * block..];
        let [blocks, second, table] = [&blocks, second, &tables[i]].map(<[u8]>::as_ptr);
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

    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    let mut cycle = f64::INFINITY;
    let mut times = vec![Cycles { many: f64::INFINITY, one: f64::INFINITY }; orders.len()];
    for _ in 0..rounds {
        // SAFETY: the function only counts.
        cycle = cycle.min(time(&mut || unsafe { chain(200) }) / f64::from(200 * CHAIN));
        for (i, times) in times.iter_mut().enumerate() {
            call(i, 8);
            times.many = times.many.min(time(&mut || drop(call(i, BLOCKS))) / (BLOCKS * messages) as f64);
            times.one = times.one.min(time(&mut || (0..32).for_each(|_| drop(call(i, 1)))) / 32.0);
        }
    }
    Ok(times.iter().map(|times| Cycles { many: times.many / cycle, one: times.one / cycle }).collect())
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
