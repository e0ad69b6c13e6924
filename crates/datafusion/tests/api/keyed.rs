//! Digests with a key: right, separate from each other, and silent about the key.

use core::hash::BuildHasher;
use std::collections::HashSet;
use std::hash::RandomState;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::record_batch::RecordBatch;
use datafusion::prelude::SessionContext;
use datafusion_expr::registry::{FunctionRegistry, MemoryFunctionRegistry};
use simd_digest::{blake2b, blake2s, blake3, sha224, sha256, sha384, sha512};
use simd_digest_datafusion::{register_all, register_keyed};

use crate::call::{ALGORITHMS, column, error_of, evaluate, hex, query, registry, value_of, values, values_of};

/// A key that no other test has.
fn key(length: usize, seed: u8) -> Vec<u8> {
    (0..length).map(|i| u8::try_from(i * 7 % 251).unwrap().wrapping_mul(31) ^ seed).collect()
}

fn keyed_hash(algorithm: &str, key: &[u8], message: &[u8]) -> Vec<u8> {
    match algorithm {
        "sha224" => sha224::HmacKey::new(key).hash(message).as_bytes().to_vec(),
        "sha256" => sha256::HmacKey::new(key).hash(message).as_bytes().to_vec(),
        "sha384" => sha384::HmacKey::new(key).hash(message).as_bytes().to_vec(),
        "sha512" => sha512::HmacKey::new(key).hash(message).as_bytes().to_vec(),
        "blake2s" => blake2s::Params::new().key(key).hash(message).unwrap().as_bytes().to_vec(),
        "blake2b" => blake2b::Params::new().key(key).hash(message).unwrap().as_bytes().to_vec(),
        "blake3" => blake3::keyed_hash(key.try_into().unwrap(), message).as_bytes().to_vec(),
        other => panic!("{other}"),
    }
}

fn lengths(algorithm: &str) -> Vec<usize> {
    match algorithm {
        "blake2s" => (16..=32).collect(),
        "blake3" => vec![32],
        _ => (16..=64).collect(),
    }
}

#[test]
fn digests_are_those_of_each_value_alone() {
    let texts: Vec<Option<String>> = (0..700).map(|i| (i % 6 != 2).then(|| "p".repeat(i % 150))).collect();
    let array: ArrayRef = Arc::new(StringArray::from(texts.clone()));
    for algorithm in ALGORITHMS {
        for length in lengths(algorithm) {
            let key = key(length, 1);
            let mut registry = MemoryFunctionRegistry::new();
            assert_eq!(register_keyed(&mut registry, "mask", algorithm, &key).unwrap(), ["mask", "mask_fingerprint"]);
            let given = evaluate(&registry.udf("mask").unwrap(), vec![column(&array)], 700).unwrap();
            let expected: Vec<_> = texts
                .iter()
                .map(|text| text.as_ref().map(|text| keyed_hash(algorithm, &key, text.as_bytes())))
                .collect();
            assert_eq!(values(&given.into_array(700).unwrap()), expected, "{algorithm}, key of {length}");
        }
    }
}

#[test]
fn keys_of_other_lengths_are_refused() {
    for algorithm in ALGORITHMS {
        let allowed: HashSet<usize> = lengths(algorithm).into_iter().collect();
        for length in 0..=130 {
            let mut registry = MemoryFunctionRegistry::new();
            let key = key(length, 2);
            let registered = register_keyed(&mut registry, "mask", algorithm, &key);
            assert_eq!(registered.is_ok(), allowed.contains(&length), "{algorithm}, {length}");
            assert_eq!(registry.udfs().len(), if registered.is_ok() { 2 } else { 0 });
            if let Err(error) = registered {
                let error = error.to_string();
                assert!(error.contains(algorithm) && error.contains(&format!("but has {length}")), "{error}");
            }
        }
    }
}

#[test]
fn names_that_are_taken_or_are_no_names_are_refused() {
    let mut context = SessionContext::new();
    register_all(&mut context).unwrap();
    let key = key(32, 3);
    let long = "a".repeat(65);
    for name in [
        "",
        "1mask",
        "Mask",
        "mask me",
        "mask-me",
        "mask\"",
        "mäsk",
        "mask;",
        "mask\0",
        &long,
        "sha256",
        "blake2b",
        "digest",
        "row_digest",
        "table_digest",
        "concat",
        "count",
        "sum",
        "row_number",
    ] {
        let error = register_keyed(&mut context, name, "blake3", &key).unwrap_err().to_string();
        assert!(error.contains("register_keyed: "), "{name}: {error}");
        assert!(context.udf(&format!("{name}_fingerprint")).is_err(), "{name}");
    }
    // Our own names are refused before we take them, too: a mask would become a digest without a key.
    let mut empty = MemoryFunctionRegistry::new();
    for own in register_all(&mut registry()).unwrap() {
        for name in [own.clone(), format!("{own}_fingerprint")] {
            let error = register_keyed(&mut empty, &name, "blake3", &key).unwrap_err().to_string();
            assert!(
                error.contains(&format!("register_keyed: {name} is a name of a function without a key")),
                "{error}"
            );
        }
    }
    assert!(empty.udfs().is_empty());
    for algorithm in ["", "md5", "BLAKE3", "hmac"] {
        let error = register_keyed(&mut context, "mask", algorithm, &key).unwrap_err().to_string();
        assert!(error.contains("there is no algorithm"), "{error}");
    }
    assert!(context.udf("mask").is_err());
    register_keyed(&mut context, "mask", "blake3", &key).unwrap();
    for other in [("mask", 3), ("mask", 4), ("mask_fingerprint", 4)] {
        let error = register_keyed(&mut context, other.0, "blake3", &self::key(32, other.1)).unwrap_err().to_string();
        assert!(error.contains("already"), "{error}");
    }
    // The name is free, but that of the fingerprint is not.
    let mut registry = MemoryFunctionRegistry::new();
    register_keyed(&mut registry, "a_fingerprint", "blake3", &key).unwrap();
    assert!(register_keyed(&mut registry, "a", "blake3", &key).is_err());
    assert!(registry.udf("a").is_err());
}

#[test]
fn an_alias_of_a_mask_is_not_replaced() {
    let mut context = SessionContext::new();
    register_keyed(&mut context, "mask", "blake3", &key(32, 8)).unwrap();
    let mask = context.udf("mask").unwrap();
    context.register_udf(mask.as_ref().clone().with_aliases(["blake3"]));
    let error = register_all(&mut context).unwrap_err().to_string();
    assert!(error.contains("register_all: blake3 is an alias of mask"), "{error}");
    assert_eq!(context.udf("blake3").unwrap().name(), "mask");
    assert!(context.udf("row_digest").is_err());
}

#[test]
fn functions_are_equal_if_name_algorithm_and_key_are() {
    let function = |name: &str, algorithm: &str, seed| {
        let mut registry = MemoryFunctionRegistry::new();
        register_keyed(&mut registry, name, algorithm, &key(32, seed)).unwrap();
        [registry.udf(name).unwrap(), registry.udf(&format!("{name}_fingerprint")).unwrap()]
    };
    let hash = RandomState::new();
    let one = function("mask", "blake3", 5);
    let same = function("mask", "blake3", 5);
    assert_eq!(one, same);
    assert_eq!(
        one.each_ref().map(|function| hash.hash_one(function)),
        same.each_ref().map(|function| hash.hash_one(function))
    );
    for other in [function("mask", "blake3", 6), function("mask2", "blake3", 5), function("mask", "sha256", 5)] {
        assert!(one[0] != other[0] && one[1] != other[1]);
    }
}

/// A table of a column of text.
async fn people(context: &SessionContext) {
    query(context, "CREATE TABLE people AS VALUES ('ada@example.com'), (NULL), ('alan@example.com')").await.unwrap();
}

#[tokio::test]
async fn nothing_shows_the_key() {
    let key = key(32, 7);
    let mut context = SessionContext::new();
    register_keyed(&mut context, "mask_email", "blake2b", &key).unwrap();
    people(&context).await;
    let frame =
        context.sql("SELECT mask_email(column1), mask_email_fingerprint(), mask_email('x') FROM people").await.unwrap();
    let (state, plan) = frame.clone().into_parts();
    let optimized = state.optimize(&plan).unwrap();
    let physical = frame.create_physical_plan().await.unwrap();
    let explained = query(&context, "EXPLAIN VERBOSE SELECT mask_email(column1), mask_email_fingerprint() FROM people")
        .await
        .unwrap();
    let functions = [context.udf("mask_email").unwrap(), context.udf("mask_email_fingerprint").unwrap()];
    let errors = [
        error_of(&context, "SELECT mask_email(1) FROM people").await,
        error_of(&context, "SELECT mask_email(column1, 'x') FROM people").await,
        register_keyed(&mut context, "mask_email", "blake2b", &key).unwrap_err().to_string(),
        register_keyed(&mut context, "mask_2", "blake3", &key[..31]).unwrap_err().to_string(),
    ];
    let shown = format!("{plan:?} {optimized:?} {physical:?} {explained:?} {functions:?} {functions:#?} {errors:?}");
    shows_no_key(&shown, &key);
    for error in &errors[..2] {
        assert!(error.contains("mask_email"), "{error}");
    }
    frame.collect().await.unwrap();
}

/// No form of the key is in `shown`, which is of a function `mask_email`.
fn shows_no_key(shown: &str, key: &[u8]) {
    assert!(shown.contains("mask_email"));
    assert!(!shown.to_lowercase().contains(&hex(key)[..16]), "hexadecimal");
    let decimal: Vec<String> = key[..4].iter().map(u8::to_string).collect();
    for separator in [", ", ",\n"] {
        let lines = shown.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        assert!(!lines.contains(&decimal.join(separator)), "a list of bytes");
    }
    let escaped: String = key[..4].iter().flat_map(|&byte| core::ascii::escape_default(byte)).map(char::from).collect();
    assert!(!shown.contains(&escaped), "a string of bytes");
}

/// In a process of its own, for a logger hears all tests.
#[tokio::test]
async fn logs_do_not_show_the_key() {
    const CHILD: &str = "SIMD_DIGEST_LOG_ALL";
    let key = key(32, 10);
    if std::env::var_os(CHILD).is_none() {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "keyed::logs_do_not_show_the_key", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let log = String::from_utf8(output.stderr).unwrap();
        assert!(log.contains("TRACE") && log.contains("DEBUG"), "{log}");
        return shows_no_key(&log, &key);
    }
    env_logger::Builder::new().parse_filters("trace").init();
    let mut context = SessionContext::new();
    register_keyed(&mut context, "mask_email", "sha256", &key).unwrap();
    people(&context).await;
    query(&context, "SELECT mask_email(column1), mask_email('x'), mask_email_fingerprint() FROM people").await.unwrap();
    error_of(&context, "SELECT mask_email(1) FROM people").await;
}

#[tokio::test]
async fn fingerprints_are_evaluated_where_the_rows_are() {
    let [one, other] = [1, 2].map(|seed| {
        let mut context = SessionContext::new();
        register_keyed(&mut context, "mask", "blake3", &key(32, seed)).unwrap();
        context
    });
    people(&one).await;
    people(&other).await;
    let of = async |context| value_of(context, "SELECT DISTINCT mask_fingerprint() FROM people").await;
    let (first, second) = (of(&one).await, of(&other).await);
    assert!(first.len() == 8 && second.len() == 8 && first != second);
    let three = values_of(&one, "SELECT mask_fingerprint() FROM people").await.unwrap();
    assert_eq!(three, vec![Some(first.clone()); 3]);
    let counted = query(&one, "SELECT mask_fingerprint(), count(*) FROM people GROUP BY 1").await.unwrap();
    assert_eq!(values(counted.column(0)), [Some(first)]);
    // The planner has not put the value into the plan.
    let plan = one.sql("SELECT mask_fingerprint() FROM people").await.unwrap().create_physical_plan().await.unwrap();
    let plan = datafusion::physical_plan::displayable(plan.as_ref()).indent(true).to_string();
    assert!(plan.contains("mask_fingerprint()"), "{plan}");
    assert!(error_of(&one, "SELECT mask_fingerprint(1)").await.contains("mask_fingerprint"));
}

#[tokio::test]
async fn masks_join_and_group() {
    let mut context = SessionContext::new();
    let key = key(20, 9);
    register_keyed(&mut context, "mask", "sha256", &key).unwrap();
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("b"), Some("a")]));
    context.register_batch("t", RecordBatch::try_from_iter([("s", texts)]).unwrap()).unwrap();
    let masked = values_of(&context, "SELECT mask(s) FROM t GROUP BY mask(s) ORDER BY min(s)").await.unwrap();
    assert_eq!(masked, [Some(keyed_hash("sha256", &key, b"a")), Some(keyed_hash("sha256", &key, b"b")), None]);
}

/// In a process of its own, for another test's copy of a key would be found, too.
#[cfg(target_os = "linux")]
mod memory {
    use std::fs::{File, read_to_string};
    use std::io::{Read, Seek, SeekFrom};
    use std::process::Command;

    use super::*;

    const CHILD: &str = "SIMD_DIGEST_FIND_KEY";

    /// The variable with the hash values of HMAC, hexadecimal digits of the flipped bytes.
    const HASH_VALUES: &str = "SIMD_DIGEST_FIND_VALUES";

    const WINDOW: usize = 16;

    /// Makes byte `i` of a key when it is asked for, so that the key is nowhere else.
    fn byte(i: usize) -> u8 {
        u8::try_from(i).unwrap().wrapping_mul(41).wrapping_add(0x5d) ^ 0xa6
    }

    /// Begin and end of the key and of the two blocks that HMAC makes of it; and the begins of the hash values after
    /// these blocks, which are as good as the key. Each byte has all bits flipped, for a search would find the list.
    fn secrets(algorithm: &str, length: usize) -> Vec<[u8; WINDOW]> {
        let mut secrets = Vec::new();
        for pad in [0, 0x36, 0x5c] {
            for begin in [0, length - WINDOW] {
                secrets.push(core::array::from_fn(|i| !(byte(begin + i) ^ pad)));
            }
        }
        secrets.extend(hash_values(algorithm));
        secrets
    }

    /// How many secrets are in writable memory.
    fn copies(secrets: &[[u8; WINDOW]]) -> usize {
        let mut memory = File::open("/proc/self/mem").unwrap();
        let mut found = 0;
        let mut bytes = Vec::new();
        let mut begins = [false; 256];
        secrets.iter().for_each(|secret| begins[usize::from(!secret[0])] = true);
        for line in read_to_string("/proc/self/maps").unwrap().lines() {
            let mut fields = line.split_whitespace();
            let (Some(range), Some(mode)) = (fields.next(), fields.next()) else { continue };
            if !mode.starts_with("rw") || line.ends_with("[vvar]") {
                continue;
            }
            let (begin, end) = range.split_once('-').unwrap();
            let [begin, end] = [begin, end].map(|digits| u64::from_str_radix(digits, 16).unwrap());
            let mut at = begin;
            while at < end {
                bytes.resize(usize::try_from((end - at).min(1 << 20)).unwrap(), 0);
                if memory.seek(SeekFrom::Start(at)).is_err() || memory.read_exact(&mut bytes).is_err() {
                    break;
                }
                let is =
                    |window: &[u8], secret: &[u8]| window.iter().zip(secret).all(|(given, secret)| *given == !secret);
                for window in bytes.windows(WINDOW).filter(|window| begins[usize::from(window[0])]) {
                    found += secrets.iter().filter(|secret| is(window, *secret)).count();
                }
                // What was read is a copy, too.
                bytes.fill(0);
                let read = bytes.len() as u64;
                // A copy across the border is found with the next part.
                at += if at + read < end { read - WINDOW as u64 + 1 } else { read };
            }
        }
        found
    }

    #[test]
    fn no_copy_of_a_key_is_left() {
        if let Ok(case) = std::env::var(CHILD) {
            let (algorithm, length) = case.split_once(' ').unwrap();
            return child(algorithm, length.parse().unwrap());
        }
        for (algorithm, length) in
            [("blake2b", 64), ("blake2s", 32), ("blake3", 32), ("sha224", 64), ("sha256", 33), ("sha512", 64)]
        {
            let output = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "keyed::memory::no_copy_of_a_key_is_left", "--nocapture"])
                .env(CHILD, format!("{algorithm} {length}"))
                .env(HASH_VALUES, flipped_hash_values(algorithm, length))
                .output()
                .unwrap();
            assert!(output.status.success(), "{algorithm}: {output:?}");
            assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
        }
    }

    /// The first 16 bytes of the hash values after the first blocks of HMAC, as a little-endian CPU has them in memory.
    fn flipped_hash_values(algorithm: &str, length: usize) -> String {
        let mut digits = String::new();
        for pad in [0x36, 0x5c] {
            let block = |i| pad ^ if i < length { byte(i) } else { 0 };
            if algorithm == "sha512" {
                let mut value = INITIAL_512;
                sha512::hazmat::compress(&mut value, &[core::array::from_fn(block)]);
                digits.extend(value[..2].iter().map(|word| hex(&(!word).to_le_bytes())));
                continue;
            }
            let compress = match algorithm {
                "sha224" => sha224::hazmat::compress,
                "sha256" => sha256::hazmat::compress,
                _ => return digits,
            };
            let mut value = initial(algorithm);
            compress(&mut value, &[core::array::from_fn(block)]);
            digits.extend(value[..4].iter().map(|word| hex(&(!word).to_le_bytes())));
        }
        digits
    }

    /// The hash value of SHA-512 before the first block.
    const INITIAL_512: [u64; 8] = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];

    /// The hash value of SHA-224 or SHA-256 before the first block.
    fn initial(algorithm: &str) -> [u32; 8] {
        match algorithm {
            "sha224" => {
                [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4]
            }
            _ => {
                [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19]
            }
        }
    }

    /// The values of [`flipped_hash_values`].
    fn hash_values(algorithm: &str) -> Vec<[u8; WINDOW]> {
        let digits = std::env::var(HASH_VALUES).unwrap();
        assert_eq!(digits.len(), if algorithm.starts_with("sha") { 4 * WINDOW } else { 0 });
        let digit = |i: usize| u8::from_str_radix(&digits[2 * i..][..2], 16).unwrap();
        (0..digits.len() / 2 / WINDOW).map(|value| core::array::from_fn(|i| digit(value * WINDOW + i))).collect()
    }

    fn child(algorithm: &str, length: usize) {
        let secrets = secrets(algorithm, length);
        let mut key: Vec<u8> = (0..length).map(byte).collect();
        assert!(copies(&secrets) > 0, "the search finds no key");
        let mut registry = MemoryFunctionRegistry::new();
        register_keyed(&mut registry, "mask", algorithm, &key).unwrap();
        // A key that is refused is not kept either.
        register_keyed(&mut registry, "mask", algorithm, &key).unwrap_err();
        key.fill(0);
        drop(core::hint::black_box(key));
        if algorithm.starts_with("sha") {
            assert!(copies(&secrets) >= 2, "the search finds no hash values of a function that is there");
        }
        // Full groups, and lanes of other lengths.
        let texts = StringArray::from_iter_values((0..1500).map(|i| "t".repeat(1 + i * 37 % 500)));
        let array: ArrayRef = Arc::new(texts);
        evaluate(&registry.udf("mask").unwrap(), vec![column(&array)], 1500).unwrap();
        drop(registry);
        assert_eq!(copies(&secrets), 0, "{algorithm}");
    }
}
