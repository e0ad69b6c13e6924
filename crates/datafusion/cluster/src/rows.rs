//! A table whose rows are computed from their numbers, here and in `check.py`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, RecordBatch,
    StringArray, TimestampMicrosecondArray,
};
use datafusion::error::{DataFusionError, Result};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::{ParquetReadOptions, SessionContext};

const BATCH: i64 = 8192;

/// All columns, as arguments of `row_digest` and `table_digest`.
pub const COLUMNS: &str = "n, s, b, x, ok, day, moment, price";

/// The number in hexadecimal, 1 to 64 times: up to 640 bytes. Every tenth text is NULL, every tenth is empty.
fn text(n: i64) -> Option<String> {
    match n % 10 {
        3 => None,
        7 => Some(String::new()),
        _ => Some(format!("{n:x}").repeat(usize::try_from(1 + n % 64).expect("not negative"))),
    }
}

/// 0 to 39 bytes. Every eleventh is NULL.
fn bytes(n: i64) -> Option<Vec<u8>> {
    let byte = |i: i64| u8::try_from((31 * n + i) % 256).expect("a byte");
    (n % 11 != 5).then(|| (0..n % 40).map(byte).collect())
}

/// Quarters, and every thirteenth is -0.0, every seventeenth NaN.
#[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 rows")]
fn float(n: i64) -> f64 {
    match (n % 13, n % 17) {
        (0, _) => -0.0,
        (_, 0) => f64::NAN,
        _ => n as f64 / 4.0,
    }
}

fn batch(numbers: core::ops::Range<i64>, text: impl Fn(i64) -> Option<String>) -> Result<RecordBatch> {
    let numbers: Vec<i64> = numbers.collect();
    let days: Vec<i32> = numbers.iter().map(|n| i32::try_from(n % 20_000).expect("a small number")).collect();
    let moments: Vec<i64> = numbers.iter().map(|n| n * 1_000_003).collect();
    let bytes: Vec<Option<Vec<u8>>> = numbers.iter().map(|&n| bytes(n)).collect();
    let price = numbers.iter().map(|&n| Some(i128::from(n % 100_000)));
    let columns: [(&str, ArrayRef); 8] = [
        ("s", Arc::new(numbers.iter().map(|&n| text(n)).collect::<StringArray>())),
        ("b", Arc::new(bytes.iter().map(Option::as_deref).collect::<BinaryArray>())),
        ("x", Arc::new(numbers.iter().map(|&n| float(n)).collect::<Float64Array>())),
        ("ok", Arc::new(numbers.iter().map(|&n| (n % 5 != 0).then_some(n % 3 == 0)).collect::<BooleanArray>())),
        ("day", Arc::new(Date32Array::from(days))),
        ("moment", Arc::new(TimestampMicrosecondArray::from(moments))),
        ("price", Arc::new(price.collect::<Decimal128Array>().with_precision_and_scale(12, 2)?)),
        ("n", Arc::new(Int64Array::from(numbers))),
    ];
    Ok(RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, name != "n")))?)
}

/// Makes `FOLDER/NAME`, a table of Parquet in as many files, so that a query has as many partitions. A folder of this
/// name is taken to be a table that was made before. With `text_bytes`, each text has this length and is not NULL.
///
/// # Errors
/// The folder cannot be written. The part that was written is removed.
pub async fn make(folder: &Path, name: &str, rows: i64, files: i64, text_bytes: Option<usize>) -> Result<PathBuf> {
    let at = |error: std::io::Error| DataFusionError::Execution(format!("the folder {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(at)?;
    let folder = folder.canonicalize().map_err(at)?; // executors have another current folder
    let table = folder.join(name);
    if table.exists() {
        return Ok(table);
    }
    let unfinished = tempfile::Builder::new().prefix(name).suffix(".tmp").tempdir_in(&folder).map_err(at)?;
    let settings = WriterProperties::builder().set_dictionary_enabled(text_bytes.is_none()).build();
    let text = |n: i64| match text_bytes {
        Some(length) => Some(format!("{n:016x}").repeat(length.div_ceil(16))[..length].to_owned()),
        None => text(n),
    };
    for file in 0..files {
        let path = unfinished.path().join(format!("{file}.parquet"));
        let schema = batch(0..0, text)?.schema();
        let mut writer = ArrowWriter::try_new(File::create(path).map_err(at)?, schema, Some(settings.clone()))?;
        let (mut first, end) = (file * rows / files, (file + 1) * rows / files);
        while first < end {
            let next = end.min(first + BATCH);
            writer.write(&batch(first..next, text)?)?;
            first = next;
            tokio::task::yield_now().await; // so that Ctrl-C is heard
        }
        writer.close()?;
    }
    // A folder of `tempfile` is for its owner only. The table is for all whom the folder is for.
    #[cfg(unix)]
    std::fs::set_permissions(unfinished.path(), folder.metadata().map_err(at)?.permissions()).map_err(at)?;
    std::fs::rename(unfinished.path(), &table).map_err(at)?;
    let _ = unfinished.keep();
    Ok(table)
}

/// Registers the Parquet files of the folder `table` as the SQL table `name`. Executors open the folder by its path here.
///
/// # Errors
/// The folder cannot be read, has no Parquet files, or its path is not UTF-8.
pub async fn register(context: &SessionContext, name: &str, table: &Path) -> Result<()> {
    let path = table.to_str().ok_or_else(|| DataFusionError::Execution("the folder's name is not UTF-8".into()))?;
    context.register_parquet(name, path, ParquetReadOptions::default()).await
}
