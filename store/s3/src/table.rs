//! A table of Parquet files in the store, read as query engines do: metadata, then columns of row groups, by ranges.

use core::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryStreamExt};
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::{AsyncFileReader, MetadataSuffixFetch, ParquetRecordBatchStreamBuilder};
use parquet::arrow::{AsyncArrowWriter, ProjectionMask};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;
use simd_digest_store::{Corrupt, Error};

use crate::{Outcome, Store, expect};

const ROWS: i64 = 200_000;
const ROWS_OF_GROUP: i64 = 20_000;

fn path(file: i64) -> Path {
    Path::from(format!("table/{file}.parquet"))
}

/// A file, read by ranges.
struct Object {
    store: Arc<Store>,
    path: Path,
}

fn external(error: object_store::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

impl AsyncFileReader for Object {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes>> {
        self.store.get_range(&self.path, range).map(|bytes| bytes.map_err(external)).boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, Result<Vec<Bytes>>> {
        async move { self.store.get_ranges(&self.path, &ranges).await.map_err(external) }.boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, Result<Arc<ParquetMetaData>>> {
        let reader = ParquetMetaDataReader::new().with_arrow_reader_options(options);
        async move { reader.load_via_suffix_and_finish(self).await.map(Arc::new) }.boxed()
    }
}

impl MetadataSuffixFetch for &mut Object {
    fn fetch_suffix(&mut self, suffix: usize) -> BoxFuture<'_, Result<Bytes>> {
        let options = GetOptions::new().with_range(Some(GetRange::Suffix(suffix as u64)));
        async move {
            let result = self.store.get_opts(&self.path, options).await.map_err(external)?;
            result.bytes().await.map_err(external)
        }
        .boxed()
    }
}

/// Writes a file of two columns, by an upload.
async fn write(store: &Arc<Store>, file: i64) -> Outcome {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..ROWS).map(|n| file * ROWS + n)));
    let others: ArrayRef = Arc::new(Int64Array::from_iter_values((0..ROWS).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a))));
    let batch = RecordBatch::try_from_iter([("n", numbers), ("other", others)])?;
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(usize::try_from(ROWS_OF_GROUP)?));
    let properties = properties.set_dictionary_enabled(false).build();
    let object = BufWriter::new(Arc::clone(store) as _, path(file));
    let mut writer = AsyncArrowWriter::try_new(object, batch.schema(), Some(properties))?;
    writer.write(&batch).await?;
    writer.close().await?;
    Ok(())
}

/// The sum of the first column over some row groups of a file, or all.
async fn sum(store: &Arc<Store>, file: i64, groups: Option<Vec<usize>>) -> Result<i64> {
    let reader = Object { store: Arc::clone(store), path: path(file) };
    let builder = ParquetRecordBatchStreamBuilder::new(reader).await?;
    let mask = ProjectionMask::leaves(builder.parquet_schema(), [0]);
    let builder = builder.with_projection(mask);
    let builder = if let Some(groups) = groups { builder.with_row_groups(groups) } else { builder };
    let mut batches = builder.build()?;
    let mut sum = 0;
    while let Some(batch) = batches.try_next().await? {
        sum += batch.column(0).as_primitive::<Int64Type>().values().iter().sum::<i64>();
    }
    Ok(sum)
}

/// Files are written and read, a byte of one flips in the server, and reading says where; the others still read.
pub(crate) async fn table(store: &Arc<Store>) -> Outcome {
    let expected = |file: i64, rows: Range<i64>| rows.map(|n| file * ROWS + n).sum::<i64>();
    for file in 0..3 {
        write(store, file).await?;
        expect(sum(store, file, None).await? == expected(file, 0..ROWS), "another sum")?;
        let groups = sum(store, file, Some(vec![2, 3])).await?;
        expect(groups == expected(file, 2 * ROWS_OF_GROUP..4 * ROWS_OF_GROUP), "another sum of two row groups")?;
    }

    let mut stored = store.inner().get(&path(1)).await?.bytes().await?.to_vec();
    // In the first column of the sixth of ten row groups, each of which begins with this column.
    let at = stored.len() / 2 + 10_000;
    stored[at] ^= 1;
    store.inner().put(&path(1), stored.into()).await?;

    let Err(error) = sum(store, 1, None).await else { return Err("a damaged file was read".into()) };
    println!("  {error}");
    let (Some(about), Some(corrupt)) = (Error::find(&error), Corrupt::find(&error)) else {
        return Err(format!("another error: {error}").into());
    };
    println!("  {} is corrupt in stripe {}, bytes {:?}", about.path(), corrupt.stripe, corrupt.range);
    let stripe = (at as u64 - 64) / (32 + 65_536);
    expect(*about.path() == path(1) && corrupt.stripe == stripe, "another stripe")?;
    expect(corrupt.range == (stripe * 65_536..(stripe + 1) * 65_536), "other bytes")?;

    // Row groups elsewhere in the file, and other files.
    expect(sum(store, 1, Some(vec![0])).await? == expected(1, 0..ROWS_OF_GROUP), "another sum of a row group")?;
    for file in [0, 2] {
        expect(sum(store, file, None).await? == expected(file, 0..ROWS), "another sum of an undamaged file")?;
    }
    Ok(())
}
