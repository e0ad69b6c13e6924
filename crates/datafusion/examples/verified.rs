//! A table of Parquet files whose bytes are verified on every read: a bit flips on the disk, and the query says where.
//!
//! ```sh
//! cargo run --example verified
//! ```

use std::fs;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::datasource::object_store::ObjectStoreUrl;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use simd_digest_store::{Corrupt, Error, Format, Verified};

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let store = Arc::new(Verified::new(LocalFileSystem::new_with_prefix(directory.path())?, Format::default()));
    let ctx = SessionContext::new();
    ctx.register_object_store(ObjectStoreUrl::parse("verified://data")?.as_ref(), Arc::clone(&store) as _);

    // Three files of 100 000 rows.
    for file in 0..3 {
        let (first, last) = (file * 100_000, file * 100_000 + 99_999);
        let rows = format!("SELECT value AS n, sha256(value::text) AS h FROM range({first}, {last} + 1)");
        let to = format!("verified://data/numbers/{file}.parquet");
        ctx.sql(&rows).await?.write_parquet(&to, DataFrameWriteOptions::new(), None).await?;
    }
    ctx.register_parquet("numbers", "verified://data/numbers/", ParquetReadOptions::default()).await?;
    let sum = "SELECT count(*), sum(n), max(h) FROM numbers";
    ctx.sql(sum).await?.show().await?;

    let damaged = store.inner().path_to_filesystem(&Path::from("numbers/1.parquet"))?;
    let mut stored = fs::read(&damaged)?;
    let at = stored.len() / 2;
    stored[at] ^= 1;
    fs::write(&damaged, stored)?;
    println!("A bit of byte {at} of {} has flipped.", damaged.display());

    let Err(error) = ctx.sql(sum).await?.collect().await else { return wrong("the query succeeded") };
    println!("The query fails: {error}");
    let (Some(about), Some(corrupt)) = (Error::find(&error), Corrupt::find(&error)) else {
        return wrong("another error");
    };
    println!("{} is corrupt in stripe {}, bytes {:?}.", about.path(), corrupt.stripe, corrupt.range);
    assert_eq!(about.path().as_ref(), "numbers/1.parquet");
    // A stripe is stored as a digest of 32 bytes and 64 KiB, after a header of 64 bytes.
    assert_eq!(corrupt.stripe, (at as u64 - 64) / (32 + (64 << 10)));

    for good in [0, 2] {
        let file = format!("verified://data/numbers/{good}.parquet");
        let rows = ctx.read_parquet(file, ParquetReadOptions::default()).await?.collect().await?;
        println!("File {good} still reads: {} rows.", rows.iter().map(RecordBatch::num_rows).sum::<usize>());
    }
    println!("{:?}", store.stats());
    Ok(())
}

fn wrong(what: &str) -> Result<()> {
    Err(DataFusionError::Execution(what.into()))
}
