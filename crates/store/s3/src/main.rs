//! `Verified` over an S3 server, whose address is the argument. Ends with a line: N passed, N failed.

mod table;

use core::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder, S3ConditionalPut};
use object_store::path::Path;
use object_store::{
    Error as StoreError, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutMode, PutOptions, Result,
};
use simd_digest_store::{Corrupt, Error, Format, Hash, HeaderError, Problem, Verified};

type Store = Verified<Arc<AmazonS3>>;
type Outcome = core::result::Result<(), Box<dyn core::error::Error + Send + Sync>>;

fn bytes(length: usize, seed: usize) -> Bytes {
    (0..length).map(|i| ((i + seed).wrapping_mul(2_654_435_761) >> 11).to_le_bytes()[0]).collect()
}

fn expect(condition: bool, what: &str) -> Outcome {
    if condition { Ok(()) } else { Err(what.into()) }
}

async fn all(store: &Store, path: &Path) -> Result<Bytes> {
    store.get(path).await?.bytes().await
}

/// Objects of lengths around stripes, and of several uploads' parts.
async fn puts(store: &Store) -> Outcome {
    for length in [0, 1, 65_535, 65_536, 65_537, 1_000_000, 20 << 20] {
        let (path, bytes) = (Path::from(format!("puts/{length}")), bytes(length, 1));
        store.put(&path, bytes.clone().into()).await?;
        expect(all(store, &path).await? == bytes, "other bytes")?;
        expect(store.head(&path).await?.size == length as u64, "another length")?;
    }
    let sizes: Vec<_> = store.list(Some(&Path::from("puts"))).map_ok(|meta| meta.size).try_collect().await?;
    expect(sizes.iter().sum::<u64>() == 1_000_000 + 3 * 65_536 + 1 + (20 << 20), "other sizes in the listing")
}

async fn parts(store: &Store) -> Outcome {
    for (count, last) in [(0, 0), (0, 100), (2, 0), (3, 1000)] {
        let path = Path::from(format!("parts/{count}-{last}"));
        let whole = bytes((5 << 20) * count + last, 2);
        let mut upload = store.put_multipart(&path).await?;
        let parts = whole.chunks(5 << 20).map(|part| upload.put_part(Bytes::copy_from_slice(part).into()));
        futures_util::future::try_join_all(parts.collect::<Vec<_>>()).await?;
        upload.complete().await?;
        expect(all(store, &path).await? == whole, "other bytes")?;
    }
    let path = Path::from("parts/aborted");
    let mut upload = store.put_multipart(&path).await?;
    upload.put_part(bytes(6 << 20, 2).into()).await?;
    upload.abort().await?;
    expect(matches!(store.get(&path).await, Err(StoreError::NotFound { .. })), "an aborted upload is there")
}

async fn ranges(store: &Store) -> Outcome {
    let (path, whole) = (Path::from("ranges"), bytes(1_000_000, 3));
    store.put(&path, whole.clone().into()).await?;
    for range in [0..1, 65_535..65_537, 0..1_000_000, 999_999..1_000_000, 123_456..654_321] {
        let own = store.get_range(&path, range.start..range.end).await?;
        expect(own == whole[range.start as usize..range.end as usize], "another range")?;
    }
    let ask = |range| store.get_opts(&path, GetOptions::new().with_range(Some(range)));
    expect(ask(GetRange::Suffix(10)).await?.bytes().await? == whole[999_990..], "another suffix")?;
    expect(ask(GetRange::Offset(999_000)).await?.bytes().await? == whole[999_000..], "another offset")?;
    expect(ask(GetRange::Bounded(1_000_000..1_000_001)).await.is_err(), "a range out of bounds")?;
    let several = store.get_ranges(&path, &[5..10, 500_000..700_000, 0..3]).await?;
    expect(several == [&whole[5..10], &whole[500_000..700_000], &whole[0..3]], "other ranges")
}

async fn overwritten(store: &Store) -> Outcome {
    let path = Path::from("overwritten");
    let first = store.put(&path, bytes(100_000, 4).into()).await?;
    let options = |e_tag: Option<String>| GetOptions::new().with_if_match(e_tag).with_range(Some(0..10));
    store.get_opts(&path, options(first.e_tag.clone())).await?;
    store.put(&path, bytes(200_000, 5).into()).await?;
    expect(all(store, &path).await? == bytes(200_000, 5), "other bytes")?;
    let stale = store.get_opts(&path, options(first.e_tag)).await;
    expect(matches!(stale, Err(StoreError::Precondition { .. })), "an ETag that is no longer there")?;
    let create = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
    let created = store.put_opts(&path, bytes(10, 6).into(), create).await;
    expect(matches!(created, Err(StoreError::AlreadyExists { .. })), "an object that is there was created")
}

/// The stored object is written anew with a flipped bit, cut, and exchanged.
async fn corrupted(store: &Store) -> Outcome {
    let path = Path::from("corrupted");
    store.put(&path, bytes(500_000, 7).into()).await?;
    let stored = store.inner().get(&path).await?.bytes().await?;
    let mut flipped = stored.to_vec();
    flipped[64 + 3 * (65_536 + 32) + 5000] ^= 1;
    store.inner().put(&path, flipped.into()).await?;
    let error = all(store, &path).await.err().ok_or("a flipped bit was not seen")?;
    let corrupt = Corrupt::find(&error).ok_or("another error")?;
    expect(corrupt.stripe == 3 && corrupt.range == (196_608..262_144), "another stripe")?;
    println!("    {error}");
    expect(store.get_range(&path, 0..196_608).await? == bytes(500_000, 7)[..196_608], "stripes before it")?;
    expect(store.get_range(&path, 196_608..196_609).await.is_err(), "a range of it")?;
    store.inner().put(&path, stored.slice(..stored.len() - (500_000 % 65_536) - 32).into()).await?;
    expect(all(store, &path).await.is_err(), "a cut was not seen")
}

async fn foreign(store: &Store) -> Outcome {
    for (i, length) in [0, 10, 100_000].into_iter().enumerate() {
        let path = Path::from(format!("foreign/{i}"));
        store.inner().put(&path, bytes(length, 8).into()).await?;
        for error in [all(store, &path).await.err(), store.get_range(&path, 0..5).await.err()] {
            let error = error.ok_or("an object of others was read")?;
            let own = Error::find(&error).map(Error::problem);
            expect(own == Some(&Problem::Header(HeaderError::Foreign)), &format!("another error: {error}"))?;
        }
    }
    let sizes: Vec<_> = store.list(Some(&Path::from("foreign"))).map_ok(|meta| meta.size).try_collect().await?;
    expect(sizes == [0, 10, 100_000], "other sizes in the listing")
}

async fn copies(store: &Store) -> Outcome {
    let (from, to) = (Path::from("copies/from"), Path::from("copies/to"));
    store.put(&from, bytes(100_000, 9).into()).await?;
    store.copy(&from, &to).await?;
    expect(all(store, &to).await? == bytes(100_000, 9), "another copy")?;
    store.rename(&to, &Path::from("copies/new")).await?;
    expect(all(store, &Path::from("copies/new")).await? == bytes(100_000, 9), "another name")?;
    store.delete(&from).await?;
    expect(matches!(store.get(&from).await, Err(StoreError::NotFound { .. })), "a deleted object is there")
}

async fn keys(store: &Store) -> Outcome {
    let path = Path::from("keyed");
    let keyed = |key: &[u8]| {
        Format::new(Hash::Sha256).with_key(key).map(|format| Verified::new(Arc::clone(store.inner()), format))
    };
    keyed(b"one")?.put(&path, bytes(100_000, 10).into()).await?;
    expect(all(&keyed(b"one")?, &path).await? == bytes(100_000, 10), "other bytes")?;
    for (other, expected) in [
        (keyed(b"two")?, HeaderError::OtherKey),
        (Verified::new(Arc::clone(store.inner()), Format::default()), HeaderError::NoKey),
    ] {
        let error = all(&other, &path).await.err().ok_or("read without the key")?;
        expect(Error::find(&error).map(Error::problem) == Some(&Problem::Header(expected)), "another error")?;
    }
    Ok(())
}

async fn run(name: &str, counts: &mut (u32, u32), test: impl Future<Output = Outcome>) {
    match test.await {
        Ok(()) => {
            println!("{name}: ok");
            counts.0 += 1;
        }
        Err(error) => {
            println!("{name}: FAILED: {error}");
            counts.1 += 1;
        }
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let endpoint = std::env::args().nth(1).ok_or("usage: simd-digest-store-s3 http://127.0.0.1:PORT")?;
    let s3 = AmazonS3Builder::new()
        .with_endpoint(endpoint)
        .with_allow_http(true)
        .with_region("us-east-1")
        .with_bucket_name("bucket")
        .with_access_key_id("test")
        .with_secret_access_key("test")
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .build()?;
    let store = &Arc::new(Verified::new(Arc::new(s3), Format::default()));
    let mut counts = (0, 0);
    run("puts", &mut counts, puts(store)).await;
    run("parts", &mut counts, parts(store)).await;
    run("ranges", &mut counts, ranges(store)).await;
    run("overwritten", &mut counts, overwritten(store)).await;
    run("corrupted", &mut counts, corrupted(store)).await;
    run("foreign", &mut counts, foreign(store)).await;
    run("copies", &mut counts, copies(store)).await;
    run("keys", &mut counts, keys(store)).await;
    run("table", &mut counts, table::table(store)).await;
    println!("{} passed, {} failed", counts.0, counts.1);
    if counts.1 > 0 || counts.0 == 0 {
        std::process::exit(1);
    }
    Ok(())
}
