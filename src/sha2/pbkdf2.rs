//! PBKDF2 with HMAC ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018), section 5.2).
//!
//! ```text
//!   password 0 ─┬─▶ block 1  U1 ⊕ U2 ⊕ U3 …     an `Iteration`, which has a lane or a stream of its own
//!     salt 0    └─▶ block 2  U1 ⊕ U2 ⊕ U3 …     the key and the salt are compressed once for all blocks
//!   password 1 ───▶ block 1  U1 ⊕ U2 ⊕ U3 …
//! ```

use core::num::NonZeroU32;
use core::slice::{from_mut, from_ref};

use digest::array::Array;

use super::batch::Batch;
use super::hmac::HmacKey;
use super::variant::{BlockOf, ChainOf, Family, Sealed, ValueOf, Variant, WordOf};
use crate::backend::{Backend, Dispatch};
use crate::error::{ManyError, Pbkdf2Error};
use crate::kernel::sha2::{Chain, Iteration, Written};
use crate::kernel::{Block, ChainState, Function, Known, Run, Word, wipe};

/// PBKDF2, see [`sha256::pbkdf2`](crate::sha256::pbkdf2).
impl<V: Variant> Batch<V> {
    /// Fills `out` with bytes derived from `password` and `salt` by PBKDF2 with HMAC, with this number of rounds.
    ///
    /// Each digest that `out` has room for takes all rounds; these blocks are computed side by side.
    ///
    /// # Errors
    ///
    /// [`Pbkdf2Error`] if `out` is longer than 2^32 - 1 digests. Then nothing is written.
    pub fn pbkdf2(&self, password: &[u8], salt: &[u8], rounds: NonZeroU32, out: &mut [u8]) -> Result<(), Pbkdf2Error> {
        self.pbkdf2_many(&[(password, salt)], rounds, &mut [out])
    }

    /// Fills each of `outs`, which may differ in length, with bytes derived from the password and the salt at its place in
    /// `inputs`, side by side.
    ///
    /// # Errors
    ///
    /// [`Pbkdf2Error`] if there is not one output for each input, or if an output is longer than 2^32 - 1 digests. Then
    /// nothing is written.
    pub fn pbkdf2_many<P: AsRef<[u8]>, S: AsRef<[u8]>, O: AsMut<[u8]>>(
        &self,
        inputs: &[(P, S)],
        rounds: NonZeroU32,
        outs: &mut [O],
    ) -> Result<(), Pbkdf2Error> {
        ManyError::check(inputs.len(), outs.len())?;
        for out in &mut *outs {
            Pbkdf2Error::check(out.as_mut().len(), V::LENGTH)?;
        }
        let mut group = Group::<V>::new(self.backend(), rounds);
        for ((password, salt), out) in inputs.iter().zip(outs) {
            group.add(password.as_ref(), salt.as_ref(), out.as_mut());
        }
        group.finish();
        Ok(())
    }
}

/// As many as any backend has lanes.
type Lanes<V, T> = Array<T, <<V as Sealed>::Function as Function>::MaxLanes>;

/// Blocks of output side by side, of one password or of several.
struct Group<'a, V: Variant> {
    backend: Backend,
    rounds: NonZeroU32,
    live: usize,
    iterations: Lanes<V, Iteration<WordOf<V>>>,
    /// A digest each, or fewer bytes at the end of an output.
    outs: Lanes<V, &'a mut [u8]>,
}

impl<'a, V: Variant> Group<'a, V> {
    fn new(backend: Backend, rounds: NonZeroU32) -> Self {
        let (iterations, outs) = (Array::from_fn(|_| Iteration::NONE), Array::from_fn(|_| [].as_mut_slice()));
        Self { backend, rounds, live: 0, iterations, outs }
    }

    fn add(&mut self, password: &[u8], salt: &[u8], out: &'a mut [u8]) {
        if out.is_empty() {
            return;
        }
        let key = HmacKey::<V>::on(self.backend, password);
        let mut salted = key.hasher();
        salted.update(salt);
        for (out, number) in out.chunks_mut(V::LENGTH).zip(1..=u32::MAX) {
            let mut hasher = salted.clone();
            hasher.update(&number.to_be_bytes());
            let iteration = &mut self.iterations[self.live];
            (iteration.inner, iteration.outer) = (key.inner.h, key.outer.h);
            // The words of the first tag, filled up with zeros.
            let (mut first, mut value) = (hasher.digest(), ValueOf::<V>::ZERO);
            value.bytes_mut()[..V::LENGTH].copy_from_slice(first.bytes());
            for (i, word) in iteration.sum.iter_mut().enumerate() {
                *word = Word::load_be(value.bytes(), i);
            }
            wipe(&mut first);
            wipe(&mut value);
            self.outs[self.live] = out;
            self.live += 1;
            if self.live == V::Function::lanes(self.backend) {
                self.finish();
            }
        }
    }

    /// Computes the blocks, so that there is room for others.
    fn finish(&mut self) {
        let iterations = &mut self.iterations[..self.live];
        if iterations.is_empty() {
            return;
        }
        let more = self.rounds.get() - 1;
        let is_whole = V::LENGTH == ValueOf::<V>::LENGTH;
        if !(is_whole && V::Function::iterate(self.backend, iterations, more)) {
            iterate_in_lanes::<V>(self.backend, iterations, more);
        }
        for (iteration, out) in iterations.iter_mut().zip(&mut self.outs) {
            let mut value = WordOf::<V>::to_bytes_be(iteration.sum);
            out.copy_from_slice(&value.bytes()[..out.len()]);
            wipe(&mut value);
            iteration.wipe();
        }
        self.live = 0;
    }
}

/// Also if a caller's `as_ref` panics.
#[cfg(feature = "zeroize")]
impl<V: Variant> Drop for Group<'_, V> {
    fn drop(&mut self) {
        self.iterations.iter_mut().for_each(Iteration::wipe);
    }
}

/// `count` more tags of each. A tag is two messages of one block after the key's.
fn iterate_in_lanes<V: Variant>(backend: Backend, iterations: &mut [Iteration<WordOf<V>>], count: u32) {
    let mut chains = Lanes::<V, ChainOf<V>>::from_fn(|_| ChainState::UNUSED);
    let mut blocks = Lanes::<V, BlockOf<V>>::from_fn(|_| BlockOf::<V>::ZERO);
    let last = Lanes::<V, Written>::from_fn(|_| Written::JustNow);
    let (live, mut value) = (iterations.len(), ValueOf::<V>::ZERO);
    let mut put = |block: &mut BlockOf<V>, h: [WordOf<V>; 8]| {
        value = WordOf::<V>::to_bytes_be(h);
        block.bytes_mut()[..V::LENGTH].copy_from_slice(&value.bytes()[..V::LENGTH]);
    };
    let (chains, blocks, last) = (&mut chains[..live], &mut blocks[..live], &last[..live]);
    for (block, iteration) in blocks.iter_mut().zip(&*iterations) {
        let mut after_key = Chain { blocks: 1, ..ChainState::UNUSED };
        V::Function::close(&mut after_key, from_mut(block), V::LENGTH);
        put(block, iteration.sum);
    }
    for _ in 0..count {
        for midstate in [|iteration: &Iteration<_>| iteration.inner, |iteration: &Iteration<_>| iteration.outer] {
            for (chain, iteration) in chains.iter_mut().zip(&*iterations) {
                chain.h = midstate(iteration);
            }
            if let ([chain], [block]) = (&mut *chains, &*blocks) {
                V::Function::compress(backend, chain, from_ref(block), Written::JustNow);
            } else {
                let blocks = Lanes::<V, &[_]>::from_fn(|i| blocks.get(i).map_or(&[][..], from_ref));
                let (blocks, hint) = (&blocks[..live], Known::Nothing);
                V::Function::compress_lanes(
                    backend,
                    Run { count: 1, stride: 1, chains: &mut *chains, blocks, last, hint, ends: None },
                );
            }
            for (block, chain) in blocks.iter_mut().zip(&*chains) {
                put(block, chain.h);
            }
        }
        for (iteration, chain) in iterations.iter_mut().zip(&*chains) {
            for (sum, word) in iteration.sum.iter_mut().zip(chain.h) {
                *sum = *sum ^ word;
            }
        }
    }
    chains.iter_mut().for_each(V::Function::wipe);
    blocks.iter_mut().for_each(wipe);
    wipe(&mut value);
}
