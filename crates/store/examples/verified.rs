//! A bit flips in a file of a store, and the next read says where.
//!
//! ```sh
//! cargo run -p simd-digest-store --example verified
//! ```

use core::error::Error;
use std::fs;

use object_store::ObjectStoreExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use simd_digest_store::{Corrupt, Format, Verified};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let store = Verified::new(LocalFileSystem::new_with_prefix(directory.path())?, Format::default())
        .on_corrupt(|path, corrupt| println!("hook: {path}, stripe {}, bytes {:?}", corrupt.stripe, corrupt.range));
    let path = Path::from("table/part-0.parquet");
    let message: Vec<u8> = (0..1_000_000_u32).map(|i| i.to_le_bytes()[0]).collect();
    store.put(&path, message.clone().into()).await?;

    let bytes = store.get_range(&path, 100_000..200_000).await?;
    assert_eq!(bytes, message[100_000..200_000]);
    println!("put {} bytes, got 100000 of them from {} stripes", message.len(), store.stats().verified_stripes);

    let file = store.inner().path_to_filesystem(&path)?;
    let mut stored = fs::read(&file)?;
    let at = stored.len() / 4;
    stored[at] ^= 0b100;
    fs::write(&file, stored)?;
    println!("flipped a bit of byte {at} in {}", file.display());

    let error = store.get(&path).await?.bytes().await.expect_err("a bit has flipped");
    println!("get: {error}");
    let corrupt = Corrupt::find(&error).ok_or("another error")?;
    assert_eq!((corrupt.stripe, corrupt.range.clone()), (3, 196_608..262_144));

    let bytes = store.get_range(&path, 300_000..1_000_000).await?;
    assert_eq!(bytes, message[300_000..]);
    println!("the bytes after the stripe are good: {:?}", store.stats());
    Ok(())
}
