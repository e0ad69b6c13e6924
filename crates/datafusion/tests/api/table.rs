//! `table_digest`: the vectors of the script, groups, filters, windows, and states that are merged.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, StringArray};
use arrow::record_batch::RecordBatch;
use datafusion::prelude::{SessionConfig, SessionContext};
use simd_digest_datafusion::register_all;

use crate::call::{ALGORITHMS, context, hash, hex, query, value_of, values};
use crate::row::{OF_VECTORS, vectors};

/// The total of these messages, by integers of 64 bytes as Python adds them.
fn total<'a>(algorithm: &str, messages: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let (mut count, mut sum) = (0_u64, [0_u8; 64]);
    for message in messages {
        count += 1;
        let mut carry = 0_u16;
        let digest = hash(algorithm, message);
        for (i, byte) in sum.iter_mut().enumerate() {
            carry += u16::from(*byte) + u16::from(digest.get(i).copied().unwrap_or(0));
            *byte = carry.to_le_bytes()[0];
            carry >>= 8;
        }
    }
    [&count.to_le_bytes()[..], &sum].concat()
}

#[test]
fn the_script_adds_as_this_test_does() {
    let bytes = |digits: &str| -> Vec<u8> {
        digits
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(core::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    };
    let rows: HashMap<_, _> = vectors("row").iter().map(|fields| (fields[1], bytes(fields[2]))).collect();
    for [_, name, of, totals @ ..] in vectors("table") {
        let messages: Vec<&[u8]> =
            of.split(',').filter(|row| !row.is_empty()).map(|row| rows[row].as_slice()).collect();
        for (algorithm, expected) in OF_VECTORS.into_iter().zip(totals) {
            assert_eq!(hex(&total(algorithm, messages.iter().copied())), expected, "{algorithm} of {name}");
        }
    }
}

/// The encoding of a row of a text and an integer.
fn message(text: Option<&str>, number: i64) -> Vec<u8> {
    let mut bytes = vec![1];
    match text {
        None => bytes.push(0),
        Some(text) => {
            bytes.push(7);
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
    }
    bytes.push(if number < 0 { 4 } else { 3 });
    bytes.extend(number.to_le_bytes());
    bytes
}

const ROWS: i64 = 5000;

fn text(row: i64) -> Option<String> {
    (row % 9 != 4).then(|| "t".repeat(usize::try_from(row % 100).unwrap()))
}

/// A table in four partitions of small batches, planned so that states are merged; with few groups before states are
/// passed on, too.
fn spread() -> SessionContext {
    let config = SessionConfig::new()
        .with_target_partitions(4)
        .with_batch_size(100)
        .set_u64("datafusion.execution.skip_partial_aggregation_probe_rows_threshold", 50);
    let mut context = SessionContext::new_with_config(config);
    register_all(&mut context).unwrap();
    let batch = |rows: core::ops::Range<i64>| {
        let texts: StringArray = rows.clone().map(text).collect();
        let columns: [(_, ArrayRef); 2] = [("s", Arc::new(texts)), ("n", Arc::new(Int64Array::from_iter_values(rows)))];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
    };
    let partitions: Vec<Vec<RecordBatch>> =
        (0..4).map(|part| (0..5).map(|i| batch((part * 5 + i) * 250..(part * 5 + i + 1) * 250)).collect()).collect();
    let table = datafusion::datasource::MemTable::try_new(partitions[0][0].schema(), partitions).unwrap();
    context.register_table("t", Arc::new(table)).unwrap();
    context
}

/// The total of the rows that `keep` keeps.
fn expected(algorithm: &str, keep: impl Fn(i64) -> bool) -> Vec<u8> {
    let messages: Vec<_> = (0..ROWS).filter(|&row| keep(row)).map(|row| message(text(row).as_deref(), row)).collect();
    total(algorithm, messages.iter().map(Vec::as_slice))
}

#[tokio::test]
async fn totals_of_partitions_filters_and_orders() {
    let context = spread();
    for algorithm in ALGORITHMS {
        let all = expected(algorithm, |_| true);
        for sql in [
            format!("SELECT table_digest('{algorithm}', s, n) FROM t"),
            format!("SELECT table_digest('{algorithm}', s, n) FROM (SELECT * FROM t ORDER BY n DESC)"),
            format!("SELECT table_digest('{algorithm}', s, n ORDER BY n) FROM t"),
            format!("SELECT table_digest(concat('{algorithm}', ''), s, n) FROM t"),
        ] {
            assert_eq!(hex(&value_of(&context, &sql).await), hex(&all), "{sql}");
        }
        let some = expected(algorithm, |row| row % 3 == 0);
        let sql = format!("SELECT table_digest('{algorithm}', s, n) FILTER (WHERE n % 3 = 0) FROM t");
        assert_eq!(value_of(&context, &sql).await, some);
        let sql = format!("SELECT table_digest('{algorithm}', s, n) FROM t WHERE n % 3 = 0");
        assert_eq!(value_of(&context, &sql).await, some);
    }
}

#[tokio::test]
async fn no_rows_are_zeros_and_never_null() {
    let context = spread();
    for sql in [
        "SELECT table_digest('blake2b', s, n) FROM t WHERE n < 0",
        "SELECT table_digest('sha256', s) FILTER (WHERE n < 0) FROM t",
        "SELECT table_digest('sha256', s) FILTER (WHERE NULL) FROM t",
        "SELECT (SELECT table_digest('sha256', s) FROM t WHERE t.n = -u.x) FROM (VALUES (1)) AS u(x)",
    ] {
        assert_eq!(value_of(&context, sql).await, [0; 72], "{sql}");
    }
    let frame = context.sql("SELECT table_digest('blake2b', s, n) AS d FROM t").await.unwrap();
    assert!(!frame.schema().field(0).is_nullable());
}

#[tokio::test]
async fn totals_of_groups() {
    let context = spread();
    for (groups, filter) in [(7, ""), (2500, ""), (7, "n % 2 = 0"), (2500, "n % 2 = 0")] {
        let clause = if filter.is_empty() { String::new() } else { format!("FILTER (WHERE {filter})") };
        let sql =
            format!("SELECT n % {groups} AS g, table_digest('blake2s', s, n) {clause}, count(*) FROM t GROUP BY g");
        let answer = query(&context, &sql).await.unwrap();
        assert_eq!(answer.num_rows(), usize::try_from(groups).unwrap());
        let keys = answer.column(0).as_primitive::<arrow::datatypes::Int64Type>();
        for (key, digest) in keys.values().iter().zip(values(answer.column(1))) {
            let kept = |row| row % groups == *key && (filter.is_empty() || row % 2 == 0);
            assert_eq!(digest.unwrap(), expected("blake2s", kept), "group {key} of {groups} {filter}");
        }
    }
    // A group of rows that a filter leaves none of.
    let sql = "SELECT n % 2, table_digest('sha256', n) FILTER (WHERE n % 2 = 0) FROM t GROUP BY n % 2 ORDER BY 1";
    let answer = query(&context, sql).await.unwrap();
    assert_eq!(values(answer.column(1))[1], Some(vec![0; 72]));
}

#[tokio::test]
async fn windows_slide() {
    let context = spread();
    let sql = "SELECT n, table_digest('sha256', s, n) OVER (ORDER BY n ROWS \
               BETWEEN 2 PRECEDING AND CURRENT ROW) AS slid, \
               table_digest('sha256', s, n) OVER (ORDER BY n) AS so_far, table_digest('sha256', s, n) OVER () AS whole \
               FROM t ORDER BY n LIMIT 400";
    let answer = query(&context, sql).await.unwrap();
    let [slid, so_far, whole] = [1, 2, 3].map(|column| values(answer.column(column)));
    for row in [0, 1, 2, 3, 150, 399] {
        let last = i64::try_from(row).unwrap();
        assert_eq!(slid[row], Some(expected("sha256", |n| n <= last && n > last - 3)), "row {row}");
        assert_eq!(so_far[row], Some(expected("sha256", |n| n <= last)), "row {row}");
        assert_eq!(whole[row], Some(expected("sha256", |_| true)), "row {row}");
    }
}

#[tokio::test]
async fn windows_filter_and_may_be_empty() {
    let context = spread();
    let sql = "SELECT n, table_digest('sha256', s, n) FILTER (WHERE n % 2 = 0) OVER (ORDER BY n) AS so_far, \
               table_digest('sha256', s, n) FILTER (WHERE n % 2 = 0) OVER () AS whole, \
               table_digest('sha256', s, n) FILTER (WHERE n % 2 = 0) OVER (ORDER BY n ROWS \
               BETWEEN 2 PRECEDING AND CURRENT ROW) AS slid, \
               table_digest('sha256', s, n) OVER (ORDER BY n ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) AS before \
               FROM t ORDER BY n LIMIT 400";
    let answer = query(&context, sql).await.unwrap();
    let [so_far, whole, slid, before] = [1, 2, 3, 4].map(|column| values(answer.column(column)));
    for row in [0, 1, 2, 3, 150, 399] {
        let last = i64::try_from(row).unwrap();
        assert_eq!(so_far[row], Some(expected("sha256", |n| n % 2 == 0 && n <= last)), "row {row}");
        assert_eq!(whole[row], Some(expected("sha256", |n| n % 2 == 0)), "row {row}");
        assert_eq!(slid[row], Some(expected("sha256", |n| n % 2 == 0 && n <= last && n > last - 3)), "row {row}");
        assert_eq!(before[row], Some(expected("sha256", |n| n == last - 3 || n == last - 2)), "row {row}");
    }
    assert_eq!(before[..2], [Some(vec![0; 72]), Some(vec![0; 72])]);
}

#[tokio::test]
async fn a_change_of_one_value_or_a_swap_of_two_changes_the_total() {
    let context = context();
    let of = async |rows: &str| {
        value_of(&context, &format!("SELECT table_digest('sha256', a, b) FROM (VALUES {rows}) AS t(a, b)")).await
    };
    let digest = of("('ab', 'c'), ('x', 'y')").await;
    assert_eq!(digest, of("('x', 'y'), ('ab', 'c')").await);
    for other in [
        "('a', 'bc'), ('x', 'y')",
        "('ab', 'y'), ('x', 'c')",
        "('ab', 'c')",
        "('ab', 'c'), ('x', 'y'), ('x', 'y')",
        "('ab', 'c'), ('x', NULL)",
    ] {
        assert_ne!(digest, of(other).await, "{other}");
    }
}
