//! A table of Parquet files in the store, under DataFusion.

use std::sync::Arc;

use datafusion::arrow::array::AsArray as _;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::datasource::object_store::ObjectStoreUrl;
use datafusion::error::Result;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use object_store::ObjectStoreExt;
use object_store::path::Path;
use simd_digest_store::{Corrupt, Error};

use crate::{Outcome, Store, expect};

const ROWS: i64 = 200_000;

/// The sum of the column `n` of a query's rows.
async fn sum(context: &SessionContext, rows: &str) -> Result<i64> {
    let batches = context.sql(&format!("SELECT sum(n) FROM {rows}")).await?.collect().await?;
    Ok(batches.iter().map(|batch| batch.column(0).as_primitive::<Int64Type>().value(0)).sum())
}

/// Files are written and queried, a byte of one flips in the server, and the query says where; the others still read.
pub(crate) async fn table(store: &Arc<Store>) -> Outcome {
    let context = SessionContext::new();
    context.register_object_store(ObjectStoreUrl::parse("verified://bucket")?.as_ref(), Arc::clone(store) as _);
    for file in 0..3 {
        let (first, end) = (file * ROWS, (file + 1) * ROWS);
        let rows =
            context.sql(&format!("SELECT value AS n, value * 40503 % 65521 AS m FROM range({first}, {end})")).await?;
        let to = format!("verified://bucket/table/{file}.parquet");
        rows.write_parquet(&to, DataFrameWriteOptions::new(), None).await?;
        context.register_parquet(format!("file{file}"), to, ParquetReadOptions::default()).await?;
    }
    context.register_parquet("numbers", "verified://bucket/table/", ParquetReadOptions::default()).await?;
    let all = 3 * ROWS * (3 * ROWS - 1) / 2;
    expect(sum(&context, "numbers").await? == all, "another sum")?;
    expect(sum(&context, "numbers WHERE n < 10").await? == 45, "another sum of ten rows")?;

    let path = Path::from("table/1.parquet");
    let mut stored = store.inner().get(&path).await?.bytes().await?.to_vec();
    let at = stored.len() / 2;
    stored[at] ^= 1;
    store.inner().put(&path, stored.into()).await?;

    let Err(error) = sum(&context, "(SELECT n, m FROM numbers WHERE m >= 0)").await else {
        return Err("a damaged file was read".into());
    };
    println!("    {error}");
    let (Some(about), Some(corrupt)) = (Error::find(&error), Corrupt::find(&error)) else {
        return Err(format!("another error: {error}").into());
    };
    println!("    {} is corrupt in stripe {}, bytes {:?}", about.path(), corrupt.stripe, corrupt.range);
    // A stripe is stored as a digest of 32 bytes and 64 KiB, after a header of 64 bytes.
    let stripe = (at as u64 - 64) / (32 + (64 << 10));
    expect(*about.path() == path && corrupt.stripe == stripe, "another stripe")?;
    expect(corrupt.range == (stripe << 16..(stripe + 1) << 16), "other bytes")?;
    for file in [0, 2] {
        let expected = (file * ROWS..(file + 1) * ROWS).sum::<i64>();
        expect(sum(&context, &format!("file{file}")).await? == expected, "another sum of an undamaged file")?;
    }
    Ok(())
}
