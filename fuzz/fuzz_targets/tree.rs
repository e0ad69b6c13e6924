//! Trees in pieces against the definition, node by node.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::{Corpus, fuzz_target};
use simd_digest::Backend;
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest_fuzz::{Fields, Flavour, Message};

use self::tree::Model;

#[path = "../../tests/common/tree.rs"]
mod tree;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fields: Fields<'a>,
    /// In place of that of the fields, which is mostly longer than any message.
    leaf_length: u8,
    /// Narrow and low, so that depths are reached.
    small: bool,
    backend: u8,
    message: Message<'a>,
}

fuzz_target!(|input: Input<'_>| -> Corpus {
    let compared = [check::<FlavourB>(&input), check::<FlavourS>(&input)];
    if compared == [false; 2] { Corpus::Reject } else { Corpus::Keep }
});

/// Whether there was something to compare.
fn check<F: Flavour>(Input { fields, leaf_length, small, backend, message }: &Input<'_>) -> bool {
    let fields = fields.limited::<F>();
    let Fields { hash_length, inner_hash_length, .. } = fields;
    let narrow = |value: u8| if *small { value % 6 } else { value };
    let (fanout, max_depth) = (narrow(fields.fanout), narrow(fields.max_depth));
    let mut model = Model::<F>::new(hash_length, fanout, max_depth, (*leaf_length).into(), inner_hash_length);
    model.params = model.params.key(fields.key).salt(fields.salt).personal(fields.personal);

    let backend = Backend::available().cycle().nth((*backend).into()).expect("there is always one");
    let tree = model.params.clone().with_backend(backend).tree();
    let possible = fanout != 1 && max_depth >= 2 && *leaf_length > 0 && inner_hash_length > 0;
    assert_eq!(tree.is_ok(), possible && model.params.hasher().is_ok());
    let Ok(tree) = tree else { return false };

    let (root, leaves) = model.root(message.bytes);
    assert_eq!(tree.hash(message.bytes), root, "{backend}");
    let (mut hasher, mut taken) = (tree.hasher().keep_leaves(), Vec::new());
    let mut length = 0;
    for piece in message.pieces() {
        hasher.update(piece);
        length += piece.len();
        assert_eq!(hasher.count(), length as u128);
        assert_eq!(hasher.finalize(), tree.hash(&message.bytes[..length]), "{backend}");
        if length % 2 == 0 {
            taken.extend(hasher.take_leaves());
        }
    }
    let (end, rest) = hasher.finalize_with_leaves();
    taken.extend(rest);
    assert_eq!((end, &taken), (root, &leaves), "{backend}");
    assert_eq!(tree.leaf_count(length as u64), leaves.len() as u64);
    assert_eq!(tree.root_from_leaves(leaves), Ok(root), "{backend}");
    true
}
