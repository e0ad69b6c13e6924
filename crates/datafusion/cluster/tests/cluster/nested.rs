//! Structs, lists and runs on two executors: the totals of each are merged as in one process.

use core::time::Duration;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, Int64Builder, ListBuilder, RecordBatch, StringArray, StructArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Field, Fields};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::SessionContext;

use crate::in_time::{answer, check};
use crate::process::Cluster;
use simd_digest_datafusion_cluster::connect::connect;
use simd_digest_datafusion_cluster::rows;
use simd_digest_datafusion_cluster::scheduler::wait_for_executors;
use simd_digest_datafusion_cluster::session::Functions;

const ROWS: i64 = 4000;
const FILES: i64 = 8;

/// The texts of a column of runs, cast where the rows are. Parquet keeps none.
const RUNS: &str = "arrow_cast(word, 'RunEndEncoded(\"run_ends\": non-null Int32, \"values\": Utf8)')";

/// Four rows in a row have one text. Every third text is NULL.
fn word(n: i64) -> Option<String> {
    let run = n / 4;
    (run % 3 != 1).then(|| format!("{run:x}").repeat(usize::try_from(run % 40).expect("not negative")))
}

/// A number, its text, a struct of both, and a list. Structs, their fields, lists and their elements are sometimes
/// NULL, and lists and texts are sometimes empty.
fn batch(numbers: core::ops::Range<i64>) -> RecordBatch {
    let numbers: Vec<i64> = numbers.collect();
    let words: ArrayRef = Arc::new(numbers.iter().map(|&n| word(n)).collect::<StringArray>());
    let halves: ArrayRef = Arc::new(numbers.iter().map(|&n| (n % 2 == 0).then_some(n / 2)).collect::<Int64Array>());
    let fields =
        Fields::from(vec![Field::new("half", DataType::Int64, true), Field::new("word", DataType::Utf8, true)]);
    let valid: NullBuffer = numbers.iter().map(|n| n % 5 != 3).collect();
    let pairs = StructArray::try_new(fields, vec![halves, words.clone()], Some(valid)).unwrap();
    let mut lists = ListBuilder::new(Int64Builder::new());
    for &n in &numbers {
        for i in 0..n % 7 {
            lists.values().append_option((i != 2).then_some(n * i));
        }
        // A list that is NULL has elements nobody sees.
        lists.append(n % 11 != 4);
    }
    let columns: [(&str, ArrayRef, bool); 4] = [
        ("n", Arc::new(Int64Array::from(numbers)), false),
        ("word", words, true),
        ("pair", Arc::new(pairs), true),
        ("list", Arc::new(lists.finish()), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Makes a table in a folder of its own, of as many files.
fn make(table: &Path) {
    std::fs::create_dir_all(table).unwrap();
    for file in 0..FILES {
        let batch = batch(file * ROWS / FILES..(file + 1) * ROWS / FILES);
        let to = File::create(table.join(format!("{file}.parquet"))).unwrap();
        let mut writer = ArrowWriter::try_new(to, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_executors_merge_totals_of_structs_lists_and_runs() {
    let cluster = Cluster::start(&[], &[&[], &[]]);
    wait_for_executors(&cluster.address, 2, Duration::from_secs(60)).await.unwrap();
    let functions = Functions::new("client", None).unwrap();
    let mut local = SessionContext::new();
    functions.register(&mut local).unwrap();
    let (remote, names) = connect(&cluster.address, &functions, 8).await.unwrap();
    let probe = rows::make(&cluster.folder(), "probe", 400, 8, None).await.unwrap();
    let table = cluster.folder().join("nested");
    make(&table);
    for context in [&remote, &local] {
        rows::register(context, "probe", &probe).await.unwrap();
        rows::register(context, "nested", &table).await.unwrap();
    }
    // Both have work.
    check(&remote, &local, "probe", &names, 2).await.unwrap().complete(2).unwrap();

    let mut totals = Vec::new();
    for columns in ["pair", "list", RUNS, "n, word, pair, list"] {
        for query in [
            format!("select table_digest('sha256', {columns}) as d from nested"),
            format!("select table_digest('blake3', {columns}) filter (where n % 3 = 0) as d from nested"),
            format!("select n % 10 as k, table_digest('blake2b', {columns}) as d from nested group by k order by k"),
        ] {
            let (found, expected) = (answer(&remote, &query).await.unwrap(), answer(&local, &query).await.unwrap());
            assert_eq!(found.columns(), expected.columns(), "{query}");
            totals.push(found);
        }
    }
    // No column is taken for another, or for nothing.
    for (i, total) in totals.iter().enumerate() {
        assert!(totals[..i].iter().all(|other| other.columns() != total.columns()), "query {i}");
        assert_eq!(total.num_rows(), if i % 3 == 2 { 10 } else { 1 }, "query {i}");
    }
    // Runs are their texts.
    let texts = answer(&remote, "select table_digest('sha256', word) as d from nested").await.unwrap();
    assert_eq!(texts.columns(), totals[6].columns());
    cluster.stop();
}
