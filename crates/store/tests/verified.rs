//! The wrapped store beside a plain one: every option of a get, uploads, listings, keys.
#![allow(clippy::single_range_in_vec_init, reason = "ranges of one object")]

use core::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::chunked::ChunkedStore;
use object_store::limit::LimitStore;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{
    Error as StoreError, Extensions, GetOptions, GetRange, GetResultPayload, ObjectStore, ObjectStoreExt, PutPayload,
    Result, integration,
};
use simd_digest_store::{Check, Error, Format, Hash, HeaderError, Part, Problem, Sizes, Verified};

#[path = "common/random.rs"]
mod random;
#[path = "common/wrapper.rs"]
mod wrapper;
use random::Random;
use wrapper::{Behaviour, Wrapper};

fn format(stripe: u64) -> Format {
    Format::default().with_stripe_length(stripe).unwrap()
}

fn verified(stripe: u64) -> Verified<InMemory> {
    Verified::new(InMemory::new(), format(stripe))
}

fn path(name: &str) -> Path {
    Path::from(name)
}

fn header_error(error: &StoreError) -> HeaderError {
    match Error::find(error).map(Error::problem) {
        Some(Problem::Header(error)) => *error,
        _ => panic!("{error}"),
    }
}

fn never() -> GetOptions {
    let mut extensions = Extensions::new();
    extensions.insert(Check::Never);
    GetOptions::new().with_extensions(extensions)
}

/// The answer to a get, as far as two stores must agree.
async fn answer(
    store: &dyn ObjectStore,
    options: GetOptions,
) -> core::result::Result<(u64, Range<u64>, Bytes), String> {
    let kind = |error: StoreError| match error {
        StoreError::Generic { source, .. } => format!("Generic {source}").replace("Invalid range: ", ""),
        StoreError::Precondition { .. } => "Precondition".to_owned(),
        StoreError::NotModified { .. } => "NotModified".to_owned(),
        StoreError::NotFound { .. } => "NotFound".to_owned(),
        error => error.to_string(),
    };
    let head = options.head;
    let result = store.get_opts(&path("object"), options).await.map_err(kind)?;
    assert!(matches!(result.payload, GetResultPayload::Stream(_)));
    let (size, range) = (result.meta.size, result.range.clone());
    assert_eq!(result.meta.location, path("object"));
    let bytes = result.bytes().await.map_err(kind)?;
    Ok((size, range, if head { Bytes::new() } else { bytes }))
}

async fn differential(inner: impl ObjectStore, rounds: usize, seed: u64) {
    let (inner, plain) = (Arc::new(inner) as Arc<dyn ObjectStore>, InMemory::new());
    let mut random = Random::new(seed);
    for round in 0..rounds {
        let stripe = [64, 100, 1000, 65_536][random.index(4)];
        let hash = [Hash::Blake2b, Hash::Blake2s, Hash::Sha256][random.index(3)];
        let format = Format::new(hash).with_stripe_length(stripe).unwrap();
        let store = Verified::new(Arc::clone(&inner), format);
        let lengths = [0, 1, stripe - 1, stripe, stripe + 1, 3 * stripe, random.below(20 * stripe.min(2000)), 300_000];
        let length = lengths[random.index(8)];
        let bytes = random.bytes(length);
        let payload: PutPayload = random.pieces(bytes.clone(), 1 + length / 3).into_iter().collect();
        let put = store.put(&path("object"), payload).await.unwrap();
        let put_plain = plain.put(&path("object"), bytes.clone().into()).await.unwrap();
        let modified = store.head(&path("object")).await.unwrap().last_modified;
        let modified_plain = plain.head(&path("object")).await.unwrap().last_modified;
        for _ in 0..40 {
            let place = |random: &mut Random| match random.below(6) {
                0 => length,
                1 => length + 1 + random.below(100),
                2 => random.below(length / stripe + 2) * stripe,
                3 => u64::MAX - random.below(3),
                _ => random.below(length + 1),
            };
            let range = match random.below(4) {
                0 => None,
                1 => Some(GetRange::Bounded(place(&mut random)..place(&mut random))),
                2 => Some(GetRange::Offset(place(&mut random))),
                _ => Some(GetRange::Suffix(place(&mut random))),
            };
            let mut options = (GetOptions::default(), GetOptions::default());
            for (options, put, modified) in
                [(&mut options.0, &put, modified), (&mut options.1, &put_plain, modified_plain)]
            {
                options.range = range.clone();
                let day = core::time::Duration::from_secs(86_400);
                match round % 8 {
                    0 => options.if_match = put.e_tag.clone(),
                    1 => options.if_match = Some("other".to_owned()),
                    2 => options.if_none_match = put.e_tag.clone(),
                    3 => options.if_none_match = Some("other".to_owned()),
                    4 => options.if_modified_since = Some(modified),
                    5 => options.if_modified_since = Some(modified - day),
                    6 => options.if_unmodified_since = Some(modified - day),
                    _ => options.head = range.is_none() && length.is_multiple_of(2),
                }
            }
            let (own, other) = (answer(&store, options.0).await, answer(&plain, options.1).await);
            assert_eq!(own, other, "{length} bytes in stripes of {stripe}, {range:?}, round {round}");
        }
        for _ in 0..10 {
            let count = random.below(12);
            let ranges: Vec<_> = (0..count)
                .map(|_| {
                    let start = random.below(length.max(1));
                    start..start + 1 + random.below(length + 3)
                })
                .collect();
            let (own, other) =
                (store.get_ranges(&path("object"), &ranges).await, plain.get_ranges(&path("object"), &ranges).await);
            match (own, other) {
                (Ok(own), Ok(other)) => assert_eq!(own, other, "{ranges:?} of {length}"),
                (Err(_), Err(_)) => assert_eq!(length, 0),
                (own, other) => panic!("{own:?} {other:?} {ranges:?} of {length}"),
            }
        }
    }
}

#[tokio::test]
async fn answers_are_those_of_a_plain_store() {
    differential(InMemory::new(), 200, 1).await;
}

#[tokio::test]
async fn answers_of_files_are_those_of_a_plain_store() {
    let directory = tempfile::tempdir().unwrap();
    differential(LocalFileSystem::new_with_prefix(directory.path()).unwrap(), 60, 2).await;
}

/// The tests that `object_store` publishes.
#[tokio::test]
async fn integration_tests_of_object_store() {
    for sizes in [Sizes::Read, Sizes::Computed] {
        let store = || verified(10_000).with_sizes(sizes);
        integration::put_get_delete_list(&store()).await;
        integration::put_get_attributes(&store()).await;
        integration::get_opts(&store()).await;
        integration::put_opts(&store(), true).await;
        integration::stream_get(&store()).await;
        integration::list_uses_directories_correctly(&store()).await;
        integration::list_with_delimiter(&store()).await;
        integration::list_with_offset_exclusivity(&store()).await;
        integration::rename_and_copy(&store()).await;
        integration::copy_if_not_exists(&store()).await;
        integration::copy_rename_nonexistent_object(&store()).await;
        integration::multipart_race_condition(&store(), true).await;
        integration::multipart_out_of_order(&store()).await;
    }
    let directory = tempfile::tempdir().unwrap();
    let store = Verified::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap(), Format::default());
    integration::put_get_delete_list(&store).await;
    integration::get_opts(&store).await;
    integration::put_opts(&store, false).await;
    integration::list_uses_directories_correctly(&store).await;
    integration::list_with_delimiter(&store).await;
    integration::rename_and_copy(&store).await;
    integration::copy_if_not_exists(&store).await;
    integration::copy_rename_nonexistent_object(&store).await;
    integration::stream_get(&store).await;
}

/// Over stores that wrap: one gives other names than it was asked by, one counts requests, and one gives
/// pieces.
#[tokio::test]
async fn integration_tests_over_wrapping_stores() {
    let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let local = |i: usize| LocalFileSystem::new_with_prefix(directories[i].path()).unwrap();
    let memory = || Arc::new(InMemory::new()) as Arc<dyn ObjectStore>;
    let stores: Vec<Arc<dyn ObjectStore>> = vec![
        Arc::new(PrefixStore::new(memory(), "some/prefix")),
        Arc::new(PrefixStore::new(local(0), "prefix")),
        Arc::new(LimitStore::new(memory(), 10)),
        Arc::new(LimitStore::new(local(1), 10)),
        Arc::new(ChunkedStore::new(memory(), 7)),
        Arc::new(LimitStore::new(PrefixStore::new(memory(), "prefix"), 10)),
    ];
    for inner in stores {
        println!("{inner}");
        let store = Verified::new(inner, format(10_000));
        integration::put_get_delete_list(&store).await;
        integration::get_opts(&store).await;
        integration::list_uses_directories_correctly(&store).await;
        integration::list_with_delimiter(&store).await;
        integration::rename_and_copy(&store).await;
        integration::copy_if_not_exists(&store).await;
        integration::copy_rename_nonexistent_object(&store).await;
        integration::stream_get(&store).await;
        // Errors have the name that was asked for.
        store.put(&path("single"), vec![1; 30_000].into()).await.unwrap();
        assert_eq!(store.head(&path("single")).await.unwrap().location, path("single"));
        let mut stored = store.inner().get(&path("single")).await.unwrap().bytes().await.unwrap().to_vec();
        stored[15_000] ^= 1;
        store.inner().put(&path("single"), stored.into()).await.unwrap();
        let error = store.get_range(&path("single"), 0..20_000).await.unwrap_err();
        assert_eq!(Error::find(&error).unwrap().path(), &path("single"));
        store.delete(&path("single")).await.unwrap();
    }
}

/// A listing does not keep the requests that reading sizes needs, nor those of a caller who reads what is listed.
#[tokio::test]
async fn listings_of_stores_that_limit_requests() {
    let inner = Arc::new(InMemory::new());
    let plain = Verified::new(Arc::clone(&inner), format(64));
    for i in 0..100_u64 {
        plain.put(&path(&format!("{i:03}")), vec![0; usize::try_from(i).unwrap()].into()).await.unwrap();
    }
    let hangs = core::time::Duration::from_secs(20);
    let list = async {
        let store = Verified::new(LimitStore::new(Arc::clone(&inner), 1), format(64));
        let listed: Vec<_> = store.list(None).map_ok(|meta| meta.size).try_collect().await.unwrap();
        assert_eq!(listed, (0..100).collect::<Vec<_>>());
        assert_eq!(store.list_with_delimiter(None).await.unwrap().objects.len(), 100);
        let store = Arc::new(Verified::new(LimitStore::new(Arc::clone(&inner), 3), format(64)));
        let count = |_| async { store.list(None).count().await };
        assert_eq!(futures_util::future::join_all((0..8).map(count)).await, [100; 8]);
        let store = Verified::new(LimitStore::new(Arc::clone(&inner), 2), format(64));
        let mut listing = store.list(None);
        while let Some(meta) = listing.try_next().await.unwrap() {
            let bytes = store.get(&meta.location).await.unwrap().bytes().await.unwrap();
            assert_eq!(bytes.len() as u64, meta.size);
        }
    };
    tokio::time::timeout(hangs, list).await.expect("the listing waits for itself");
    // A reader that has a piece of a file keeps no request.
    let directory = tempfile::tempdir().unwrap();
    let local = LocalFileSystem::new_with_prefix(directory.path()).unwrap();
    let read = async {
        let store = Verified::new(LimitStore::new(local, 1), Format::default());
        store.put(&path("a"), vec![0; 5 << 20].into()).await.unwrap();
        let mut stream = store.get(&path("a")).await.unwrap().into_stream();
        while stream.try_next().await.unwrap().is_some() {
            assert_eq!(store.get_range(&path("a"), 5..9).await.unwrap(), [0; 4][..]);
        }
    };
    tokio::time::timeout(hangs, read).await.expect("the reader waits for itself");
}

/// The fate of an object between the listing and the request for its header.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meanwhile {
    Fails,
    Overwritten,
    Deleted,
    Emptied,
}

#[async_trait::async_trait]
impl Behaviour for Meanwhile {
    async fn before(&self, store: &dyn ObjectStore, path: &Path, _: &GetOptions) {
        match self {
            Self::Fails => {}
            Self::Overwritten => {
                let stripes = format(64).stripes().unwrap();
                let mut stored = vec![Bytes::copy_from_slice(&stripes.header())];
                stored.extend(stripes.encode(0, [Bytes::from(vec![2; 999])], Part::Last).unwrap());
                store.put(path, stored.into_iter().collect()).await.unwrap();
            }
            Self::Deleted => store.delete(path).await.unwrap(),
            Self::Emptied => drop(store.put(path, PutPayload::new()).await.unwrap()),
        }
    }
    fn get(&self, result: object_store::GetResult) -> Result<object_store::GetResult> {
        if *self == Self::Fails {
            return Err(StoreError::Generic { store: "Meanwhile", source: "status 500".into() });
        }
        Ok(result)
    }
}

/// Objects of ours never get another size in a listing than that which a get tells.
#[tokio::test]
async fn listings_of_objects_that_change() {
    let inner = Arc::new(InMemory::new());
    for meanwhile in [Meanwhile::Fails, Meanwhile::Overwritten, Meanwhile::Deleted, Meanwhile::Emptied] {
        Verified::new(Arc::clone(&inner), format(64)).put(&path("a"), vec![1; 1000].into()).await.unwrap();
        let store = Verified::new(Wrapper::new(Arc::clone(&inner) as _, meanwhile), format(64));
        let listed = store.list(None).map_ok(|meta| meta.size).try_collect::<Vec<_>>().await;
        match meanwhile {
            Meanwhile::Fails => {
                let stored = inner.head(&path("a")).await.unwrap().size;
                assert_eq!(listed.unwrap(), [stored]);
                assert_eq!(store.list_with_delimiter(None).await.unwrap().objects[0].size, stored);
                assert_eq!(store.stats().unknown_sizes, 2);
            }
            Meanwhile::Overwritten => assert_eq!(listed.unwrap(), [999]),
            Meanwhile::Deleted => assert_eq!(listed.unwrap(), [0; 0]),
            Meanwhile::Emptied => assert_eq!(listed.unwrap(), [0]),
        }
    }
}

#[tokio::test]
async fn objects_follow_their_header() {
    let inner = Arc::new(InMemory::new());
    let mut random = Random::new(3);
    let mut sizes = Vec::new();
    for hash in [Hash::Blake2b, Hash::Blake2s, Hash::Sha256] {
        for stripe in [64, 1000, 1 << 20] {
            let name = format!("{hash}-{stripe}");
            let bytes = random.bytes(12_345);
            let store = Verified::new(Arc::clone(&inner), Format::new(hash).with_stripe_length(stripe).unwrap());
            store.put(&path(&name), bytes.clone().into()).await.unwrap();
            let other = Verified::new(Arc::clone(&inner), Format::default());
            assert_eq!(other.get(&path(&name)).await.unwrap().bytes().await.unwrap(), bytes);
            assert_eq!(other.get_range(&path(&name), 1000..5000).await.unwrap(), bytes.slice(1000..5000));
            assert_eq!(other.head(&path(&name)).await.unwrap().size, 12_345);
            sizes.push(12_345);
        }
    }
    let store = Verified::new(Arc::clone(&inner), Format::default());
    let listed: Vec<_> = store.list(None).map_ok(|meta| meta.size).try_collect().await.unwrap();
    assert_eq!(listed, sizes);
}

#[tokio::test]
async fn objects_of_others_are_named_and_listed() {
    let inner = Arc::new(InMemory::new());
    let store = Verified::new(Arc::clone(&inner), Format::default());
    let lengths = [0, 1, 63, 64, 95, 96, 1000, 200_000];
    for length in lengths {
        let name = format!("{length:06}");
        let name = path(&name);
        inner.put(&name, Random::new(1).bytes(length).into()).await.unwrap();
        let ranged = GetOptions::new().with_range(Some(0..1));
        for options in [GetOptions::new(), GetOptions::new().with_head(true), ranged, never()] {
            let error = store.get_opts(&name, options).await.unwrap_err();
            assert_eq!(header_error(&error), HeaderError::Foreign, "{length}");
            assert!(error.to_string().contains("not written in stripes"), "{error}");
        }
        let error = store.get_ranges(&name, &[0..1]).await.unwrap_err();
        assert_eq!(header_error(&error), HeaderError::Foreign);
    }
    let listed: Vec<_> = store.list(None).map_ok(|meta| meta.size).try_collect().await.unwrap();
    assert_eq!(listed, lengths);
    let listed = store.list_with_delimiter(None).await.unwrap();
    assert_eq!(listed.objects.iter().map(|meta| meta.size).collect::<Vec<_>>(), lengths);
    assert_eq!(store.stats().unknown_sizes, 2 * lengths.len() as u64);
    assert!(matches!(store.get(&path("none")).await, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn keys_and_skipped_checks() {
    let inner = Arc::new(InMemory::new());
    let keyed = |key: &[u8]| Verified::new(Arc::clone(&inner), format(64).with_key(key).unwrap());
    let plain = Verified::new(Arc::clone(&inner), format(64));
    keyed(b"one").put(&path("keyed"), vec![1; 1000].into()).await.unwrap();
    plain.put(&path("plain"), vec![2; 1000].into()).await.unwrap();
    assert_eq!(keyed(b"one").get(&path("keyed")).await.unwrap().bytes().await.unwrap(), vec![1; 1000]);
    for (store, name, expected) in [
        (keyed(b"two"), "keyed", HeaderError::OtherKey),
        (keyed(b"one"), "plain", HeaderError::Unkeyed),
        (Verified::new(Arc::clone(&inner), format(64)), "keyed", HeaderError::NoKey),
    ] {
        assert_eq!(header_error(&store.get(&path(name)).await.unwrap_err()), expected);
        assert_eq!(header_error(&store.head(&path(name)).await.unwrap_err()), expected);
        assert_eq!(header_error(&store.get_range(&path(name), 1..2).await.unwrap_err()), expected);
    }
    let debug = format!("{:?} {}", keyed(b"SECRET"), keyed(b"SECRET"));
    assert!(!debug.contains("SECRET") && !debug.contains("83, 69"), "{debug}");

    // Without a check, also of damaged bytes, and counted.
    let mut stored = inner.get(&path("plain")).await.unwrap().bytes().await.unwrap().to_vec();
    stored[500] ^= 1;
    inner.put(&path("plain"), stored.into()).await.unwrap();
    assert!(plain.get(&path("plain")).await.unwrap().bytes().await.is_err());
    let before = plain.stats();
    let options = never().with_range(Some(100..900));
    let bytes = plain.get_opts(&path("plain"), options).await.unwrap().bytes().await.unwrap();
    assert_eq!(bytes.iter().filter(|&&byte| byte != 2).count(), 1);
    let mut expected = before;
    expected.unverified_bytes = 800;
    assert_eq!(plain.stats(), expected);
    assert!((before.verified_bytes, before.corrupt_stripes) == (1000, 1), "{before:?}");
    assert_eq!(before.written_bytes, 1000);

    let error = keyed(b"one").get_opts(&path("keyed"), never()).await.unwrap_err();
    assert!(matches!(Error::find(&error).map(Error::problem), Some(Problem::Unchecked)), "{error}");
    assert!(keyed(b"one").allow_unchecked().get_opts(&path("keyed"), never()).await.is_ok());
}

#[tokio::test]
async fn copies_keep_their_stripes() {
    let store = verified(64);
    store.put(&path("a"), vec![1; 1000].into()).await.unwrap();
    store.copy(&path("a"), &path("b")).await.unwrap();
    store.rename(&path("a"), &path("c")).await.unwrap();
    assert!(matches!(store.get(&path("a")).await, Err(StoreError::NotFound { .. })));
    for name in ["b", "c"] {
        assert_eq!(store.get(&path(name)).await.unwrap().bytes().await.unwrap(), vec![1; 1000]);
    }
    assert!(matches!(store.copy_if_not_exists(&path("b"), &path("c")).await, Err(StoreError::AlreadyExists { .. })));
    store.delete(&path("b")).await.unwrap();
    let names = futures_util::stream::iter([Ok(path("c"))]).boxed();
    assert_eq!(store.delete_stream(names).try_collect::<Vec<_>>().await.unwrap(), [path("c")]);
    assert_eq!(store.list(None).count().await, 0);
    assert_eq!(store.to_string(), "Verified(InMemory)");
}
