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
    params: Params,
    input: &'a [u8],
    hash: Option<Hash>,
}

impl<'a> HashManyJob<'a> {
    /// The digest of `input` with these parameters, to be computed by [`hash_many`].
    #[inline]
    pub fn new(params: &Params, input: &'a [u8]) -> Self {
        // A key alone is a whole message, which `blake2b_simd` and `blake2s_simd` hash here.
        let hash = (input.is_empty() && params.keyed).then(|| params.hash(input));
        Self { params: params.clone(), input, hash }
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
        let mut hashes = [ours::Hash::from_bytes(&[0]).expect("one byte is a digest"); BATCH];
        let hashes = &mut hashes[..batch.len()];
        let first = &batch[0].params;
        if batch.iter().all(|job| job.params == *first) {
            let inputs: ArrayVec<&[u8], BATCH> = batch.iter().map(|job| job.input).collect();
            first.hash_many(&inputs, hashes);
        } else {
            hash_each(&batch, hashes);
        }
        for (job, hash) in batch.iter_mut().zip(hashes) {
            job.hash = Some(Hash::of(*hash));
        }
    });
}

/// For parameters that differ, as those of nodes of a tree do. Apart, for the hashers take kilobytes of stack.
#[inline(never)]
fn hash_each(jobs: &[&mut HashManyJob<'_>], hashes: &mut [ours::Hash]) {
    let mut hashers: ArrayVec<ours::Hasher, BATCH> = jobs.iter().map(|job| job.params.hasher()).collect();
    let updates = hashers.iter_mut().zip(jobs).map(|(hasher, job)| (hasher, job.input));
    ours::update_many(&mut updates.collect::<ArrayVec<_, BATCH>>());
    let hashers: ArrayVec<_, BATCH> = hashers.iter().collect();
    ours::finalize_many(&hashers, hashes).expect("a hash for each hasher");
}
