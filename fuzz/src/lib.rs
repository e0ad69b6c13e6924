//! The inputs that the fuzz targets share.

use arbitrary::{Arbitrary, Result, Unstructured};
use simd_digest::Backend;
use simd_digest::blake2::Params;

pub use self::flavour::Flavour;

#[path = "../../tests/common/flavour.rs"]
mod flavour;

/// A value for every setter of [`Params`]: mostly in range, so that there is a hash to compare too. The limits are those of
/// BLAKE2b; [`limited`](Fields::limited) has those of a flavour.
#[derive(Arbitrary, Clone, Debug)]
pub struct Fields<'a> {
    #[arbitrary(with = length::<64>)]
    pub hash_length: usize,
    #[arbitrary(with = text::<64>)]
    pub key: &'a [u8],
    #[arbitrary(with = text::<16>)]
    pub salt: &'a [u8],
    #[arbitrary(with = text::<16>)]
    pub personal: &'a [u8],
    pub fanout: u8,
    pub max_depth: u8,
    pub max_leaf_length: u32,
    pub node_offset: u64,
    pub node_depth: u8,
    #[arbitrary(with = length::<64>)]
    pub inner_hash_length: usize,
    pub last_node: bool,
}

impl Fields<'_> {
    /// In range of `F` where they are in range of BLAKE2b. What is beyond stays beyond.
    pub fn limited<F: Flavour>(&self) -> Self {
        let mut fields = self.clone();
        let shrink = |value: usize, of_blake2b: usize, limit: usize| match value {
            _ if limit == of_blake2b => value,
            value if value > of_blake2b => value - of_blake2b + limit,
            value => value % (limit + 1),
        };
        fields.hash_length = shrink(fields.hash_length, 64, F::LONGEST);
        fields.inner_hash_length = shrink(fields.inner_hash_length, 64, F::LONGEST);
        fields.key = &fields.key[..shrink(fields.key.len(), 64, F::LONGEST)];
        fields.salt = &fields.salt[..shrink(fields.salt.len(), 16, F::TEXT)];
        fields.personal = &fields.personal[..shrink(fields.personal.len(), 16, F::TEXT)];
        // Now and then beyond.
        if !fields.node_depth.is_multiple_of(16) {
            fields.node_offset &= F::MAX_NODE_OFFSET;
        }
        fields
    }

    pub fn params<F: Flavour>(&self) -> Params<F> {
        Params::new()
            .hash_length(self.hash_length)
            .key(self.key)
            .salt(self.salt)
            .personal(self.personal)
            .fanout(self.fanout)
            .max_depth(self.max_depth)
            .max_leaf_length(self.max_leaf_length)
            .node_offset(self.node_offset)
            .node_depth(self.node_depth)
            .inner_hash_length(self.inner_hash_length)
            .last_node(self.last_node)
    }
}

/// Mostly 0 to `LIMIT`, sometimes a little more, now and then anything.
fn length<const LIMIT: usize>(u: &mut Unstructured<'_>) -> Result<usize> {
    match usize::from(u.arbitrary::<u8>()?) {
        255 => u.arbitrary(),
        byte if byte >= 240 => Ok(LIMIT + byte - 239),
        byte => Ok(byte % (LIMIT + 1)),
    }
}

/// Bytes, mostly at most `LIMIT` of them.
fn text<'a, const LIMIT: usize>(u: &mut Unstructured<'a>) -> Result<&'a [u8]> {
    let length = length::<LIMIT>(u)?.min(u.len());
    u.bytes(length)
}

/// A message and where to cut it.
#[derive(Arbitrary, Debug)]
pub struct Message<'a> {
    cuts: [Cut; 8],
    pub bytes: &'a [u8],
}

#[derive(Arbitrary, Debug)]
struct Cut {
    place: u16,
    /// Between two blocks, where the one held back is decided.
    between_blocks: bool,
}

impl<'a> Message<'a> {
    /// The pieces in order, of which some are empty.
    pub fn pieces(&self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let end = self.bytes.len();
        let mut cuts = self.cuts.each_ref().map(|cut| {
            let place = usize::from(cut.place) % (end + 1);
            if cut.between_blocks { place - place % 64 } else { place }
        });
        cuts.sort_unstable();
        let bytes = self.bytes;
        let starts = [0].into_iter().chain(cuts);
        let ends = cuts.into_iter().chain([end]);
        starts.zip(ends).map(move |(start, end)| &bytes[start..end])
    }
}

/// Every backend, with the SHA extension and without it, in every tuning.
pub fn all_backends() -> impl Iterator<Item = Backend> {
    let kinds = |backend: Backend| [Some(backend), backend.sha().then(|| backend.without_sha())].into_iter().flatten();
    Backend::available().flat_map(kinds).flat_map(Backend::tunings)
}

/// Where a message lies: several may lie in the same memory.
#[derive(Arbitrary, Debug)]
pub struct Place {
    begin: u16,
    length: u16,
    /// At most a block of it.
    short: bool,
}

impl Place {
    pub fn of<'a>(&self, memory: &'a [u8]) -> &'a [u8] {
        let rest = &memory[usize::from(self.begin) % (memory.len() + 1)..];
        let limit = if self.short { rest.len().min(128) } else { rest.len() };
        &rest[..usize::from(self.length) % (limit + 1)]
    }
}
