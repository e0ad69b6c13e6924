//! Every batch and the loop that it replaces, for each hash, number and length.

use core::array::from_fn;
use core::hint::black_box;

use simd_digest::blake2::{self, Flavour, Params};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::sha2::{self, Batch, HmacKey, Variant, Variant256, Variant512};
use simd_digest::{Backend, blake3};

/// Two calls with the same effect.
pub(crate) struct Row {
    pub(crate) name: String,
    /// Hashes, or pieces, of one call.
    pub(crate) number: usize,
    /// Batches of one call.
    pub(crate) calls: usize,
    pub(crate) batch: Box<dyn FnMut()>,
    pub(crate) one_by_one: Box<dyn FnMut()>,
}

const NUMBERS: [usize; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 16, 64];
const LENGTHS: [usize; 5] = [0, 16, 64, 100, 1024];
/// Pieces of each stream: of any of the lengths, they are whole blocks.
const PIECES: usize = 32;

/// All rows on `backend`.
pub(crate) fn rows(backend: Backend) -> Vec<Row> {
    let mut rows = Vec::new();
    for number in NUMBERS {
        for length in LENGTHS {
            let mut rows = Rows { rows: &mut rows, number, length };
            rows.sha2::<Variant256>("SHA-256", backend);
            rows.sha2::<Variant512>("SHA-512", backend);
            rows.blake2::<FlavourB>("BLAKE2b", backend);
            rows.blake2::<FlavourS>("BLAKE2s", backend);
            for (name, mode) in [("BLAKE3", blake3::Mode::HASH), ("keyed BLAKE3", blake3::Mode::keyed(&[7; 32]))] {
                let mode = mode.with_backend(backend);
                let one = mode.clone();
                let name = format!("{name} hash_many");
                rows.messages(&name, move |all| mode.hash_many(all), move |message| one.hash(message));
            }
            rows.streams(
                "BLAKE3",
                || blake3::Hasher::new().with_backend(backend),
                (
                    |hasher: &mut blake3::Hasher| _ = hasher.reset(),
                    |hasher, piece| _ = hasher.update(piece),
                    blake3::update_many,
                ),
                (blake3::Hasher::finalize, |hashers, hashes| blake3::finalize_many(hashers, hashes).unwrap()),
            );
        }
    }
    rows
}

struct Rows<'a> {
    rows: &'a mut Vec<Row>,
    number: usize,
    length: usize,
}

impl Rows<'_> {
    fn data(&self) -> Vec<&'static [u8]> {
        let memory: Vec<u8> = (0..251).cycle().take(self.number * self.length).collect();
        let memory: &[u8] = memory.leak();
        (0..self.number).map(|i| &memory[i * self.length..][..self.length]).collect()
    }

    fn add(&mut self, name: &str, calls: usize, batch: impl FnMut() + 'static, one_by_one: impl FnMut() + 'static) {
        let &mut Self { ref mut rows, number, length } = self;
        let name = format!("{name} {number} x {length} B");
        let (batch, one_by_one) = (Box::new(batch), Box::new(one_by_one));
        rows.push(Row { name, number: number * calls, calls, batch, one_by_one });
    }

    fn messages<T: 'static>(
        &mut self,
        name: &str,
        many: impl Fn(&[&[u8]]) -> Vec<T> + 'static,
        one: impl Fn(&[u8]) -> T + 'static,
    ) {
        let [data, again] = from_fn(|_| self.data());
        let one_by_one =
            move || _ = black_box(black_box(&again).iter().map(|message| one(message)).collect::<Vec<T>>());
        self.add(name, 1, move || _ = black_box(many(black_box(&data))), one_by_one);
    }

    /// The functions of `appending` are `reset`, `update` and `update_many`, those of `closing` `finalize` and
    /// `finalize_many`.
    fn streams<H: Clone + 'static, T: Clone + 'static>(
        &mut self,
        name: &str,
        fresh: impl Fn() -> H,
        (reset, update, update_many): (
            impl Fn(&mut H) + Copy + 'static,
            impl Fn(&mut H, &[u8]) + Copy + 'static,
            impl Fn(&mut [(&mut H, &[u8])]) + 'static,
        ),
        (finalize, finalize_many): (impl Fn(&H) -> T + Copy + 'static, impl Fn(&[&H], &mut [T]) + 'static),
    ) {
        let hashers = |_| vec![fresh(); self.number].leak().iter_mut().zip(self.data()).collect::<Vec<_>>();
        let [mut updates, mut again] = from_fn(hashers);
        let batch = move || {
            updates.iter_mut().for_each(|(hasher, _)| reset(hasher));
            for _ in 0..PIECES {
                update_many(black_box(&mut updates));
            }
        };
        let one_by_one = move || {
            again.iter_mut().for_each(|(hasher, _)| reset(hasher));
            for _ in 0..PIECES {
                black_box(&mut again).iter_mut().for_each(|(hasher, data)| update(hasher, data));
            }
        };
        let ended = |(hasher, piece): (&'static mut H, _)| {
            update(hasher, piece);
            &*hasher
        };
        let [ends, again] = from_fn(|_| hashers(0).into_iter().map(ended).collect::<Vec<&H>>());
        self.add(&format!("{name} update_many"), PIECES, batch, one_by_one);
        let mut hashes: Vec<T> = ends.iter().map(|hasher| finalize(hasher)).collect();
        let mut hashes_again = hashes.clone();
        let one_by_one = move || {
            black_box(&again).iter().zip(&mut hashes_again).for_each(|(hasher, hash)| *hash = finalize(hasher));
            black_box(&mut hashes_again);
        };
        let batch = move || {
            finalize_many(black_box(&ends), &mut hashes);
            black_box(&mut hashes);
        };
        self.add(&format!("{name} finalize_many"), 1, batch, one_by_one);
    }

    fn sha2<V: Variant>(&mut self, name: &str, backend: Backend) {
        let batch = Batch::<V>::new().with_backend(backend);
        let many = move |all: &[&[u8]]| batch.hash_many(all);
        self.messages(&format!("{name} hash_many"), many, move |message| batch.hash(message));
        let key = HmacKey::<V>::new(&[7; 32]).with_backend(backend);
        let one = key.clone();
        let many = move |all: &[&[u8]]| key.hash_many(all);
        self.messages(&format!("HMAC-{name} hash_many"), many, move |message| one.hash(message));
        self.streams(
            name,
            || sha2::Hasher::<V>::new().with_backend(backend),
            (
                |hasher: &mut sha2::Hasher<_>| _ = hasher.reset(),
                |hasher, piece| _ = hasher.update(piece),
                sha2::update_many,
            ),
            (sha2::Hasher::finalize, |hashers, hashes| sha2::finalize_many(hashers, hashes).unwrap()),
        );
    }

    fn blake2<F: Flavour>(&mut self, name: &str, backend: Backend) {
        for (name, params) in
            [(name.into(), Params::<F>::new()), (format!("keyed {name}"), Params::new().key(&[7; 32]))]
        {
            let params = params.with_backend(backend);
            let one = params.clone();
            let many = move |all: &[&[u8]]| params.hash_many(all).unwrap();
            self.messages(&format!("{name} hash_many"), many, move |message| one.hash(message).unwrap());
        }
        self.streams(
            name,
            || blake2::Hasher::<F>::new().with_backend(backend),
            (
                |hasher: &mut blake2::Hasher<_>| _ = hasher.reset(),
                |hasher, piece| _ = hasher.update(piece),
                blake2::update_many,
            ),
            (blake2::Hasher::finalize, |hashers, hashes| blake2::finalize_many(hashers, hashes).unwrap()),
        );
    }
}
