//! How far every backend is from what the arithmetic allows, and what surrounds it: short inputs and small updates.
//!
//! `cargo bench -p benches --bench limit`, with `-- --quick` a trial run of which the figures mean little.

mod flavour;
mod kinds;
mod measure;
#[path = "../tests/common/paint.rs"]
mod paint;

use core::hint::black_box;

use simd_digest::blake2::Params;
use simd_digest::blake2b::{self, FlavourB, Hasher};
use simd_digest::blake2s::FlavourS;
use simd_digest::digest::consts::U32;
use simd_digest::digest::{KeyInit, Mac, Output};
use simd_digest::sha2::{self, Variant, Variant256, Variant512};
use simd_digest::{Backend, Blake2b512, Blake2bMac256, Digest, blake3, sha256};

use self::flavour::Peers;
use self::kinds::{kind, kinds};
use self::measure::{Race, Results, cpu};
use self::paint::paint;

const BLOCK: usize = 128;
const ONE: usize = 1 << 20;
const MANY: usize = 64;
const MANY_LENGTH: usize = 16 << 10;

/// What a block takes.
trait Block: Peers {
    const ROUNDS: u32;
    /// Operations of a G where a rotation is one, if there is an instruction for it or bytes are moved, or three.
    const OPERATIONS: u32 = 14;
    const OPERATIONS_WITHOUT_ROTATION: u32;

    /// A message is a chain of rounds of two G of two halves of six operations, each of a cycle.
    fn chain() -> f64 {
        f64::from(<Self as Block>::ROUNDS * 2 * 2 * 6)
    }

    fn bits() -> u32 {
        if Self::LONGEST == 64 { 64 } else { 32 }
    }
}

impl Block for FlavourB {
    const ROUNDS: u32 = 12;
    const OPERATIONS_WITHOUT_ROTATION: u32 = 16;
}

impl Block for FlavourS {
    const ROUNDS: u32 = 10;
    const OPERATIONS_WITHOUT_ROTATION: u32 = 18;
}

const ASSUMPTIONS: &str = "\
Bounds, in cycles per block of one message: BLAKE2b has 12 rounds for 128 bytes, BLAKE2s 10 rounds for 64 bytes.
  one message  288 or 240: the additions, exclusive ors and rotations that wait for each other, at one cycle each. The
               1344 operations of portable BLAKE2b alone would keep four scalar units busy for 336, the 1120 of BLAKE2s
               for 280.
  lanes        the 96 or 80 G of a block, each 14 operations, or where a rotation is three, 16 or 18, on four vector
               pipes of up to 256 bits or two of 512 bits, as Zen 4 has; but no less than 288 or 240 divided by the
               number of messages. On three pipes of up to 256 bits, as Intel's cores have, AVX2 and less need a third
               more.
SHA-256 has 64 rounds, and 48 words of the schedule, for 64 bytes.
  scalar       23 operations a round and 13 a word, on four scalar units.
  lanes        35 and 21, or 17 and 11 with rotations and ternary logic, on the pipes of above; but no less than 256 or
               192 divided by the number of messages: a chain of four or three cycles a round.
  +sha         32 instructions for two rounds each, of four cycles, which begin a cycle apart on Zen 4, so no less than
               32 cycles a block; on Intel's cores two cycles apart.
  nodes        two blocks, the schedule of the second from a table.
SHA-512 has 80 rounds, and 64 words of the schedule, for 128 bytes: operations as those of SHA-256, of 64 bits.
BLAKE3 has 7 rounds of BLAKE2s for 64 bytes, so a chain of 168 and seven tenths of the operations of its lanes. A chunk
is 16 blocks. Of a long message chunks are in lanes, and for each there is a parent: a sixteenth more.";

fn main() {
    // Cargo passes `--bench` when it benches; tests of all targets only try whether this runs.
    let quick = std::env::args().all(|argument| argument != "--bench") || std::env::args().any(|a| a == "--quick");
    let rounds = |calm| if quick { 2 } else { calm };
    println!("{}, backends {}", cpu(), Backend::available().map(Backend::name).collect::<Vec<_>>().join(" "));
    if quick {
        println!("A trial run: these figures mean little.");
    }
    println!("{ASSUMPTIONS}");
    blocks::<FlavourB>(rounds(300));
    blocks::<FlavourS>(rounds(300));
    blocks_of_sha256(rounds(100));
    blocks_of_sha512(rounds(100));
    nodes(rounds(300));
    chunks_of_blake3(rounds(300));
    whole_of_blake3(rounds(300));
    writes_of_blake3(rounds(60));
    short_inputs(rounds(1000));
    updates(rounds(60));
}

/// The least cycles per block of `live` messages side by side.
fn bound<F: Block>(backend: Backend, live: usize) -> Option<f64> {
    let (operations, bits) = match backend.name() {
        "portable" => return Some(F::chain()),
        "avx512" => (F::OPERATIONS, 2 * 512),
        "avx2" => (F::OPERATIONS_WITHOUT_ROTATION, 4 * 256),
        "avx" | "sse41" => (F::OPERATIONS_WITHOUT_ROTATION, 4 * 128),
        _ => return None,
    };
    let lanes = f64::from(<F as Block>::ROUNDS * 8 * operations * F::bits()) / f64::from(bits);
    Some((F::chain() / live as f64).max(lanes))
}

/// Rounds, and words of the schedule.
const SHA256_STEPS: [f64; 2] = [64.0, 48.0];
const SHA512_STEPS: [f64; 2] = [80.0, 64.0];

/// As `bound`, of SHA-256, with as many blocks of which the schedule is computed and not known.
fn bound_of_sha256(backend: Backend, live: usize, [rounds, words]: [f64; 2]) -> Option<f64> {
    let blocks = rounds / SHA256_STEPS[0];
    if backend.sha() && !(kind(backend).contains("lanes") && live >= 7) {
        return Some(blocks * (128.0 / live as f64).max(32.0));
    }
    bound_without_sha(backend, live, [rounds, words], 32.0)
}

/// As `bound`, of SHA-512, of which `avx` and `sse41` have no lanes. None is known of Arm's instructions.
fn bound_of_sha512(backend: Backend, live: usize) -> Option<f64> {
    if format!("{backend:?}").contains("sha512") {
        return None;
    }
    bound_without_sha(backend, live, SHA512_STEPS, 64.0)
}

/// As `bound`, of rounds and words of so many bits by the instructions of all hashes.
fn bound_without_sha(backend: Backend, live: usize, [rounds, words]: [f64; 2], bits: f64) -> Option<f64> {
    let (operations, lanes, step) = match backend.name() {
        _ if live == 1 => ([23.0, 13.0], 4.0, 4.0),
        "avx512" => ([17.0, 11.0], 2.0 * 512.0 / bits, 3.0),
        "avx2" => ([35.0, 21.0], 4.0 * 256.0 / bits, 4.0),
        "avx" | "sse41" => ([35.0, 21.0], 4.0 * 128.0 / bits, 4.0),
        _ => return None,
    };
    let operations = (rounds * operations[0] + words * operations[1]) / lanes;
    Some(operations.max(rounds * step / live as f64))
}

/// Times as cycles if there are any, else as nanoseconds.
struct Unit {
    name: &'static str,
    nanoseconds: f64,
}

impl Unit {
    fn of(results: &Results) -> Self {
        match &results.cycle {
            Ok(cycle) => {
                println!("A core cycle took {cycle:.4} ns.");
                Self { name: "cycles", nanoseconds: *cycle }
            }
            Err(reason) => {
                println!("Not calibrated, so all times are nanoseconds: {reason}.");
                Self { name: "ns", nanoseconds: 1.0 }
            }
        }
    }

    fn convert(&self, nanoseconds: f64) -> f64 {
        nanoseconds / self.nanoseconds
    }
}

/// A backend, or a peer, in a race.
struct Row {
    name: String,
    messages: usize,
    /// Hashed in a call, in all messages.
    blocks: usize,
    bound: Option<f64>,
    number: usize,
}

fn print_rows(rows: &[Row], results: &Results) {
    print_rows_by("messages", rows, results);
}

/// The second column is of something else than messages.
fn print_rows_by(column: &str, rows: &[Row], results: &Results) {
    let unit = Unit::of(results);
    println!("{:14}{column:>9}{:>13}{:>9}{:>8}{:>8}", "", unit.name, "median", "bound", "ratio");
    for row in rows {
        let time = results.times[row.number];
        let [minimum, median] = [time.minimum, time.median].map(|time| unit.convert(time) / row.blocks as f64);
        print!("{:14}{:>9}{minimum:>13.1}{median:>9.1}", row.name, row.messages);
        match row.bound.filter(|_| results.cycle.is_ok()) {
            Some(bound) => println!("{bound:>8.0}{:>8.2}", minimum / bound),
            None => println!("{:>8}{:>8}", "-", "-"),
        }
    }
}

fn blocks<F: Block>(rounds: usize) {
    let one = paint(ONE);
    let memory = paint(MANY * MANY_LENGTH);
    let messages: Vec<&[u8]> = memory.chunks(MANY_LENGTH).collect();
    let expected = F::simd(&one);
    assert_eq!(F::Blake2::digest(&one)[..], *expected.as_ref());
    let digests: Vec<u8> = messages.iter().flat_map(F::Ours::digest).collect();

    let mut race = Race::default();
    let mut rows = Vec::new();
    let other = |backend: Backend| backend.tunings().nth(1).filter(|other| other.name() == "avx512");
    let orders = |backend: Backend| [Some((backend, 16)), other(backend).map(|other| (other, 2))];
    // The other order has kernels of its own for one message and for two.
    for (backend, most) in Backend::available().flat_map(orders).flatten() {
        let name = kind(backend).replace("+sha", "").replace(" lanes", "");
        let params = Params::<F>::new().with_backend(backend);
        assert_eq!(params.hash(&one).unwrap(), *expected.as_ref(), "{name}");
        let most = most.min(simd_digest::blake2::lanes::<F>(backend));
        for live in [1, 2, 3, 4, 8, 16].into_iter().filter(|&live| live <= most) {
            let (number, blocks) = if live == 1 {
                let (params, one) = (params.clone(), &one);
                (race.add(move || params.hash(black_box(one))), ONE / F::BLOCK)
            } else {
                // All in one call where they fill the lanes, else as many in a call as shall be alive.
                let batch = if live == simd_digest::blake2::lanes::<F>(backend) { MANY } else { live };
                let mut bytes = vec![0; MANY * F::LONGEST];
                let (params, messages) = (params.clone(), &messages[..MANY / batch * batch]);
                let mut hash = move || {
                    for (messages, bytes) in messages.chunks(batch).zip(bytes.chunks_mut(batch * F::LONGEST)) {
                        params.hash_many_flat(black_box(messages), bytes).unwrap();
                    }
                    bytes[messages.len() * F::LONGEST - 1]
                };
                assert_eq!(hash(), digests[messages.len() * F::LONGEST - 1]);
                (race.add(hash), messages.len() * MANY_LENGTH / F::BLOCK)
            };
            rows.push(Row { name: name.clone(), messages: live, blocks, bound: bound::<F>(backend, live), number });
        }
    }
    let mut peer = |name: &str, messages, bound, number| {
        rows.push(Row { name: name.into(), messages, blocks: ONE / F::BLOCK, bound, number });
    };
    peer(F::SIMD, 1, Some(F::chain()), race.add(|| F::simd(black_box(&one))));
    peer("blake2", 1, Some(F::chain()), race.add(|| F::Blake2::digest(black_box(&one))));
    let many = || F::simd_many(black_box(&messages)).pop();
    assert_eq!(many().unwrap().as_ref(), &digests[digests.len() - F::LONGEST..]);
    peer(F::SIMD, F::simd_degree(), None, race.add(many));

    let results = race.run(rounds);
    println!("\n{}, per block of {} bytes: one message of 1 MiB, or {MANY} of 16 KiB side by side", F::TITLE, F::BLOCK);
    print_rows(&rows, &results);
}

/// Each kind of backend: one message, several, and `sha2`.
///
/// No call comes after code that leaves the upper halves of the vector registers in use, though that is where kernels of
/// SHA-NI can lose half their speed: safe code cannot be made to leave them so.
fn blocks_of_sha256(rounds: usize) {
    let bound = |backend, live| bound_of_sha256(backend, live, SHA256_STEPS);
    blocks_of_sha2::<Variant256, ::sha2::Sha256>(rounds, 64, kinds(), bound);
}

/// Each backend: one message, several, and `sha2`.
fn blocks_of_sha512(rounds: usize) {
    let backends = Backend::available().map(|backend| (backend.to_string(), backend)).collect();
    blocks_of_sha2::<Variant512, ::sha2::Sha512>(rounds, 128, backends, bound_of_sha512);
}

/// A block has so many bytes.
fn blocks_of_sha2<V: Variant, P: Digest>(
    rounds: usize,
    block: usize,
    backends: Vec<(String, Backend)>,
    bound: impl Fn(Backend, usize) -> Option<f64>,
) {
    let one = paint(ONE);
    let memory = paint(MANY * MANY_LENGTH);
    let messages: Vec<&[u8]> = memory.chunks(MANY_LENGTH).collect();
    let expected = P::digest(&one);
    let digests: Vec<u8> = messages.iter().flat_map(|message| P::digest(message).to_vec()).collect();

    let mut race = Race::default();
    let mut rows = Vec::new();
    for (name, backend) in backends {
        let batch = sha2::Batch::<V>::new().with_backend(backend);
        assert_eq!(batch.hash(&one), expected[..], "{name}");
        for live in [1, 2, 3, 4, 8, 16].into_iter().filter(|&live| live <= sha2::lanes::<V>(backend)) {
            let (number, blocks) = if live == 1 {
                let one = &one;
                (race.add(move || batch.hash(black_box(one))), ONE / block)
            } else {
                let mut bytes = vec![0; digests.len()];
                let messages = &messages[..MANY / live * live];
                let mut hash = move || {
                    for (messages, bytes) in messages.chunks(live).zip(bytes.chunks_mut(live * V::LENGTH)) {
                        batch.hash_many_flat(black_box(messages), bytes).unwrap();
                    }
                    bytes[messages.len() * V::LENGTH - 1]
                };
                assert_eq!(hash(), digests[messages.len() * V::LENGTH - 1], "{name}");
                (race.add(hash), messages.len() * MANY_LENGTH / block)
            };
            rows.push(Row { name: name.clone(), messages: live, blocks, bound: bound(backend, live), number });
        }
    }
    let number = race.add(|| P::digest(black_box(&one)));
    rows.push(Row { name: "sha2".into(), messages: 1, blocks: ONE / block, bound: None, number });

    let results = race.run(rounds);
    println!("\n{}, per block of {block} bytes: one message of 1 MiB, or {MANY} of 16 KiB side by side", V::TITLE);
    print_rows(&rows, &results);
}

/// Each kind of backend: nodes of Merkle trees, and `sha2` in a loop.
fn nodes(rounds: usize) {
    const NODES: usize = 1024;
    let memory = paint(NODES * 64);
    let nodes = &memory.as_chunks::<64>().0;
    let digests: Vec<[u8; 32]> = nodes.iter().map(|node| ::sha2::Sha256::digest(node).into()).collect();

    let mut race = Race::default();
    let mut rows = Vec::new();
    for (name, backend) in kinds() {
        let batch = sha256::Batch::new().with_backend(backend);
        let mut ours = vec![[0; 32]; NODES];
        batch.hash_nodes(nodes, &mut ours).unwrap();
        assert_eq!(ours, digests, "{name}");
        let number = race.add(move || batch.hash_nodes(black_box(nodes), black_box(&mut ours)));
        let bound = bound_of_sha256(backend, sha256::lanes(backend), [2.0 * SHA256_STEPS[0], SHA256_STEPS[1]]);
        rows.push(Row { name, messages: NODES, blocks: NODES, bound, number });
    }
    let number = race.add(|| nodes.iter().map(|node| ::sha2::Sha256::digest(black_box(node))[31]).max());
    rows.push(Row { name: "sha2".into(), messages: 1, blocks: NODES, bound: None, number });

    let results = race.run(rounds);
    println!("\nSHA-256, per node of 64 bytes: {NODES} nodes");
    print_rows(&rows, &results);
}

const CHUNK: usize = blake3::CHUNK_LEN;

/// Seven rounds, where BLAKE2s has ten.
fn bound_of_blake3(backend: Backend, live: usize) -> Option<f64> {
    Some(0.7 * bound::<FlavourS>(backend, live)?)
}

/// Each backend: so many chunks side by side, each a message. A message of a chunk has no parents.
fn chunks_of_blake3(rounds: usize) {
    let memory = paint(MANY * CHUNK);
    let messages: Vec<&[u8]> = memory.chunks(CHUNK).collect();
    let digests: Vec<u8> = messages.iter().flat_map(|message| *::blake3::hash(message).as_bytes()).collect();

    let mut race = Race::default();
    let mut rows = Vec::new();
    for backend in Backend::available() {
        for live in [1, 2, 3, 4, 8, 16].into_iter().filter(|&live| live <= blake3::lanes(backend)) {
            // All in one call where they fill the lanes, else as many in a call as shall be alive.
            let batch = if live > 1 && live == blake3::lanes(backend) { MANY } else { live };
            let mode = blake3::Mode::HASH.with_backend(backend);
            let mut bytes = vec![0; digests.len()];
            let messages = &messages[..MANY / batch * batch];
            let mut hash = move || {
                for (messages, bytes) in messages.chunks(batch).zip(bytes.chunks_mut(batch * blake3::OUT_LEN)) {
                    mode.hash_many_flat(black_box(messages), bytes).unwrap();
                }
                bytes[messages.len() * blake3::OUT_LEN - 1]
            };
            assert_eq!(hash(), digests[messages.len() * blake3::OUT_LEN - 1], "{backend}");
            let blocks = messages.len() * CHUNK / blake3::BLOCK_LEN;
            let bound = bound_of_blake3(backend, live);
            rows.push(Row { name: backend.to_string(), messages: live, blocks, bound, number: race.add(hash) });
        }
    }
    let number = race.add(|| messages.iter().map(|message| ::blake3::hash(black_box(message)).as_bytes()[31]).max());
    rows.push(Row {
        name: "blake3".into(),
        messages: 1,
        blocks: memory.len() / blake3::BLOCK_LEN,
        bound: None,
        number,
    });

    let results = race.run(rounds);
    println!(
        "\nBLAKE3, per block of 64 bytes: {MANY} messages of a chunk, so many in a call, or all that fill the lanes"
    );
    print_rows(&rows, &results);
}

/// Each backend: one message, many that are as a parent, and output, with all lanes in use.
fn whole_of_blake3(rounds: usize) {
    let one = &paint(ONE)[..];
    let expected = *::blake3::hash(one).as_bytes();
    let mut output = vec![0; ONE];
    ::blake3::Hasher::new().finalize_xof().fill(&mut output);
    let short: Vec<&[u8]> = one.chunks(blake3::BLOCK_LEN).take(MANY).collect();
    let digests: Vec<u8> = short.iter().flat_map(|message| *::blake3::hash(message).as_bytes()).collect();

    let [mut message, mut many, mut out] = [(); 3].map(|()| (Race::default(), Vec::new()));
    for backend in Backend::available() {
        let mode = blake3::Mode::HASH.with_backend(backend);
        let lanes = blake3::lanes(backend);
        let bound = bound_of_blake3(backend, lanes);
        let row = |messages, blocks, bound, number| Row { name: backend.to_string(), messages, blocks, bound, number };

        assert_eq!(mode.hash(one), expected, "{backend}");
        let hash = {
            let mode = mode.clone();
            move || mode.hash(black_box(one))
        };
        let with_parents = bound.map(|bound| bound * 17.0 / 16.0);
        message.1.push(row(1, ONE / blake3::BLOCK_LEN, with_parents, message.0.add(hash)));

        let mut bytes = vec![0; digests.len()];
        mode.hash_many_flat(&short, &mut bytes).unwrap();
        assert_eq!(bytes, digests, "{backend}");
        let hash = {
            let (mode, short) = (mode.clone(), &short);
            move || mode.hash_many_flat(black_box(short), &mut bytes)
        };
        many.1.push(row(MANY, MANY, bound, many.0.add(hash)));

        let mut bytes = vec![0; ONE];
        mode.hash_xof(b"").fill(&mut bytes);
        assert!(bytes == output, "{backend}");
        let fill = move || mode.hash_xof(b"").fill(black_box(&mut bytes));
        out.1.push(row(1, ONE / blake3::BLOCK_LEN, bound, out.0.add(fill)));
    }
    let peer = |messages, blocks, number| Row { name: "blake3".into(), messages, blocks, bound: None, number };
    message.1.push(peer(1, ONE / blake3::BLOCK_LEN, message.0.add(|| ::blake3::hash(black_box(one)))));
    let hash = || short.iter().map(|message| ::blake3::hash(black_box(message)).as_bytes()[31]).max();
    many.1.push(peer(1, MANY, many.0.add(hash)));
    let mut bytes = vec![0; ONE];
    let fill = move || ::blake3::Hasher::new().finalize_xof().fill(black_box(&mut bytes));
    out.1.push(peer(1, ONE / blake3::BLOCK_LEN, out.0.add(fill)));

    for (title, (race, rows)) in [
        ("per block of 64 bytes: one message of 1 MiB", message),
        ("per message of 64 bytes, 64 in a call, which is the work of a parent", many),
        ("per block of 64 bytes of output: 1 MiB", out),
    ] {
        let results = race.run(rounds);
        println!("\nBLAKE3, {title}");
        print_rows(&rows, &results);
    }
}

/// The default backend and the peer, by the length of a write, and with a digest after each.
fn writes_of_blake3(rounds: usize) {
    const DIGESTED: usize = 16 << 10;
    let memory = &paint(ONE)[..];
    let mut race = Race::default();
    let mut rows = Vec::new();
    let mut row = |name: &str, messages, bytes, number| {
        rows.push(Row { name: name.into(), messages, blocks: bytes / blake3::BLOCK_LEN, bound: None, number });
    };
    for size in [64, 1 << 10, 4 << 10, 16 << 10, 64 << 10] {
        let pieces = move || black_box(memory).chunks(black_box(size));
        let ours = move || {
            let mut hasher = blake3::Hasher::new();
            pieces().for_each(|piece| _ = hasher.update(piece));
            hasher.finalize()
        };
        let theirs = move || {
            let mut hasher = ::blake3::Hasher::new();
            pieces().for_each(|piece| _ = hasher.update(piece));
            hasher.finalize()
        };
        assert_eq!(ours().as_bytes(), theirs().as_bytes());
        row("simd_digest", size, ONE, race.add(ours));
        row("blake3", size, ONE, race.add(theirs));
    }
    let pieces = move || black_box(&memory[..DIGESTED]).chunks(black_box(blake3::BLOCK_LEN));
    let ours = move || {
        let mut hasher = blake3::Hasher::new();
        pieces().map(|piece| *hasher.update(piece).finalize().as_bytes()).max()
    };
    let theirs = move || {
        let mut hasher = ::blake3::Hasher::new();
        pieces().map(|piece| *hasher.update(piece).finalize().as_bytes()).max()
    };
    assert_eq!(ours(), theirs());
    row("… and a digest", blake3::BLOCK_LEN, DIGESTED, race.add(ours));
    row("blake3's same", blake3::BLOCK_LEN, DIGESTED, race.add(theirs));

    let results = race.run(rounds);
    println!(
        "\nBLAKE3, per block of 64 bytes: 1 MiB by writes of so many bytes, and 16 KiB with a digest after each write"
    );
    print_rows_by("bytes", &rows, &results);
}

/// Numbers, in a race, of one of our calls and of the peers' same.
struct Beside {
    what: &'static str,
    size: usize,
    ours: usize,
    blake2: usize,
    blake2b_simd: usize,
}

/// Prints what each took in the race, `scale` calls being counted as one, and then what `end` says of ours.
fn print_beside(rows: &[Beside], results: &Results, scale: f64, end: impl Fn(usize) -> String) {
    let unit = Unit::of(results);
    let titles = ["simd_digest", "blake2", "blake2b_simd"];
    print!("{:18}{:>6}", "", "bytes");
    titles.iter().for_each(|title| print!("{title:>14} ns{:>8}", unit.name));
    println!("{:>18}", "of the best peer");
    for row in rows {
        let [ours, blake2, simd] =
            [row.ours, row.blake2, row.blake2b_simd].map(|number| results.times[number].minimum * scale);
        print!("{:18}{:>6}", row.what, row.size);
        [ours, blake2, simd].iter().for_each(|&ns| print!("{ns:>17.1}{:>8.1}", unit.convert(ns)));
        println!("{:>18.2}{}", ours / blake2.min(simd), end(row.ours));
    }
}

fn short_inputs(rounds: usize) {
    let key = &paint(32)[..];
    let memory = paint(BLOCK);
    let mut race = Race::default();
    let mut rows = Vec::new();
    for size in [0, 1, 32, 64, 128] {
        let message = &memory[..size];
        let expected = *blake2b_simd::blake2b(message).as_array();
        assert_eq!(blake2b::hash(message), expected);
        assert_eq!(Blake2b512::digest(message), expected);
        let blake2 = race.add(move || blake2::Blake2b512::digest(black_box(message)));
        let blake2b_simd = race.add(move || blake2b_simd::blake2b(black_box(message)));
        let ours = race.add(move || blake2b::hash(black_box(message)));
        rows.push(Beside { what: "blake2b::hash", size, ours, blake2, blake2b_simd });
        let ours = race.add(move || Blake2b512::digest(black_box(message)));
        rows.push(Beside { what: "Blake2b512::digest", size, ours, blake2, blake2b_simd });
    }
    for size in [0, 1, 32, 64, 128] {
        let message = &memory[..size];
        let ours = move || mac::<Blake2bMac256>(black_box(key), black_box(message));
        let blake2 = move || mac::<blake2::Blake2bMac<U32>>(black_box(key), black_box(message));
        let blake2b_simd =
            move || blake2b_simd::Params::new().hash_length(32).key(black_box(key)).hash(black_box(message));
        assert_eq!(ours()[..], *blake2b_simd().as_bytes());
        assert_eq!(ours(), blake2());
        let (ours, blake2, blake2b_simd) = (race.add(ours), race.add(blake2), race.add(blake2b_simd));
        rows.push(Beside { what: "Blake2bMac256", size, ours, blake2, blake2b_simd });
    }
    let results = race.run(rounds);
    println!("\nShort inputs: whole calls; of the MAC with a key of 32 bytes set up");
    print_beside(&rows, &results, 1.0, |_| String::new());
}

/// A tag from key to bytes.
fn mac<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Output<M> {
    <M as KeyInit>::new_from_slice(key).unwrap().chain_update(message).finalize().into_bytes()
}

fn updates(rounds: usize) {
    let message = &paint(ONE)[..];
    let expected = *blake2b_simd::blake2b(message).as_array();
    let mut race = Race::default();
    let one_shot = race.add(move || blake2b::hash(black_box(message)));
    let mut rows = Vec::new();
    for size in [1, 7, 63, 64, 127, 128, 129, 1000, 4096] {
        let pieces = move || black_box(message).chunks(black_box(size));
        let hasher = move || {
            let mut hasher = Hasher::new();
            pieces().for_each(|piece| _ = hasher.update(piece));
            hasher.finalize()
        };
        let simd = move || {
            let mut hasher = blake2b_simd::State::new();
            pieces().for_each(|piece| _ = hasher.update(piece));
            hasher.finalize()
        };
        let digest = move || digest_pieces::<Blake2b512>(pieces());
        let blake2 = move || digest_pieces::<blake2::Blake2b512>(pieces());
        assert_eq!(hasher(), expected);
        assert_eq!(digest(), expected);
        assert_eq!(blake2(), expected);
        assert_eq!(*simd().as_array(), expected);
        let (hasher, digest) = (race.add(hasher), race.add(digest));
        let (blake2, blake2b_simd) = (race.add(blake2), race.add(simd));
        rows.push(Beside { what: "Hasher", size, ours: hasher, blake2, blake2b_simd });
        rows.push(Beside { what: "Blake2b512", size, ours: digest, blake2, blake2b_simd });
    }
    let results = race.run(rounds);
    println!("\nUpdates of so many bytes, 1 MiB in all: per block of 128 bytes, and at last of our one-shot's time");
    let whole = results.times[one_shot].minimum;
    print_beside(&rows, &results, BLOCK as f64 / ONE as f64, |ours| {
        format!("{:>8.2}", results.times[ours].minimum / whole)
    });
}

fn digest_pieces<'a, D: Digest>(pieces: impl Iterator<Item = &'a [u8]>) -> Output<D> {
    let mut hasher = D::new();
    pieces.for_each(|piece| hasher.update(piece));
    hasher.finalize()
}
