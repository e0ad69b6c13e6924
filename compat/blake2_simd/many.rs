//! Many messages side by side, for both flavours.

use core::fmt;

use arrayvec::ArrayVec;
use simd_digest::Backend;

use crate::flavour::ours;
use crate::sequential::{Hash, Params, State};

pub use crate::flavour::MAX_DEGREE;

/// Messages that are handed over together.
const BATCH: usize = 4 * MAX_DEGREE;

/// Messages that this CPU hashes side by side.
pub fn degree() -> usize {
    ours::lanes(Backend::best())
}

/// Takes all of `items`, as many as a batch has at a time.
fn batches<T>(items: impl IntoIterator<Item = T>, mut take: impl FnMut(ArrayVec<T, BATCH>)) {
    let mut items = items.into_iter().fuse();
    loop {
        let batch: ArrayVec<T, BATCH> = items.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return;
        }
        take(batch);
    }
}

/// Appends to each hasher its input, side by side.
pub fn update_many<'a, 'b, I, T>(pairs: I)
where
    I: IntoIterator<Item = (&'a mut State, &'b T)>,
    T: 'b + AsRef<[u8]> + ?Sized,
{
    let pairs = pairs.into_iter().map(|(state, input)| (&mut state.hasher, input.as_ref()));
    batches(pairs, |mut batch| ours::update_many(&mut batch));
}

/// An input, and what is to be hashed with it.
#[derive(Clone)]
pub struct HashManyJob<'a> {
    hasher: ours::Hasher,
    input: &'a [u8],
    hash: Option<Hash>,
}

impl<'a> HashManyJob<'a> {
    /// The digest of `input` with these parameters, to be computed by [`hash_many`].
    #[inline]
    pub fn new(params: &Params, input: &'a [u8]) -> Self {
        let hasher = params.hasher();
        // A key alone is a whole message, which `blake2b_simd` and `blake2s_simd` hash here.
        let hash = (input.is_empty() && params.keyed).then(|| Hash::of(hasher.finalize()));
        Self { hasher, input, hash }
    }

    /// The digest.
    ///
    /// # Panics
    ///
    /// Before [`hash_many`] has run, but for a keyed job of an empty input.
    #[inline]
    pub fn to_hash(&self) -> Hash {
        self.hash.expect("job hasn't been run yet")
    }
}

impl fmt::Debug for HashManyJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HashManyJob").field("input_len", &self.input.len()).finish_non_exhaustive()
    }
}

/// Computes the digests of all jobs that have none yet, side by side.
pub fn hash_many<'a, 'b, I>(hash_many_jobs: I)
where
    'b: 'a,
    I: IntoIterator<Item = &'a mut HashManyJob<'b>>,
{
    let jobs = hash_many_jobs.into_iter().filter(|job| job.hash.is_none());
    batches(jobs, |mut batch| {
        {
            let mut updates: ArrayVec<_, BATCH> = batch.iter_mut().map(|job| (&mut job.hasher, job.input)).collect();
            ours::update_many(&mut updates);
        }
        let mut hashes = [ours::Hash::from_bytes(&[0]).expect("one byte is a digest"); BATCH];
        {
            let hashers: ArrayVec<_, BATCH> = batch.iter().map(|job| &job.hasher).collect();
            ours::finalize_many(&hashers, &mut hashes[..hashers.len()]).expect("a hash for each hasher");
        }
        for (job, hash) in batch.iter_mut().zip(hashes) {
            job.hash = Some(Hash::of(hash));
        }
    });
}
