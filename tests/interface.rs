//! The table of calls in the documentation of the crate, beside docs/public-api.txt and the compiler's answers.
#![cfg(all(feature = "alloc", feature = "blake2", feature = "blake3", feature = "sha2"))]

use core::marker::PhantomData;
use core::panic::{RefUnwindSafe, UnwindSafe};
use std::collections::{BTreeMap, BTreeSet};

use simd_digest::digest::common::hazmat::SerializableState;
use simd_digest::digest::const_oid::AssociatedOid;
use simd_digest::digest::consts::{U32, U64};
use simd_digest::digest::{Digest, ExtendableOutput, Mac};

const DOCS: &str = include_str!("../src/lib.rs");
const API: &str = include_str!("../docs/public-api.txt");

/// A column of the table.
struct Column {
    title: &'static str,
    modules: &'static [&'static str],
    /// The module of the types that `modules` name, and their parameter.
    family: (&'static str, &'static str),
}

const COLUMNS: [Column; 3] = [
    Column {
        title: "SHA-2",
        modules: &["sha256", "sha224", "sha512", "sha384", "sha512_256", "sha512_224"],
        family: ("sha2", "<V>"),
    },
    Column { title: "BLAKE2", modules: &["blake2b", "blake2s"], family: ("blake2", "<F>") },
    Column { title: "BLAKE3", modules: &["blake3"], family: ("blake3", "") },
];

/// Owners of calls whose names the table lists, as soon as two columns have them: modules, and types in them.
const OWNERS: [&str; 3] = ["", "Hasher::", "hazmat::State::"];

impl Column {
    /// The names of the functions of `owner`, which each module of the column has.
    fn calls(&self, owner: &str) -> Vec<BTreeSet<&'static str>> {
        let functions = |start: String| -> BTreeSet<&'static str> {
            let names = API.lines().filter_map(|line| line.trim_start_matches("const ").strip_prefix(&*start));
            // Up to the generic parameters or the arguments; names with a path are of other owners.
            let ends = names.filter_map(|name| Some((name, name.find(['(', '<', ':'])?)));
            ends.filter(|&(name, end)| !name[end..].starts_with(':')).map(|(name, end)| &name[..end]).collect()
        };
        let of_module = |module: &&str| {
            if owner.is_empty() {
                return functions(format!("fn simd_digest::{module}::"));
            }
            let name = owner.trim_end_matches("::");
            let ((family, parameter), alias) = (self.family, format!("type simd_digest::{module}::{name} = "));
            assert!(parameter.is_empty() || API.lines().any(|line| line.starts_with(&alias)), "no {alias}");
            functions(format!("fn simd_digest::{family}::{name}{parameter}::"))
        };
        self.modules.iter().map(of_module).collect()
    }
}

/// Whether one of the types implements the trait. `Probe` has a constant of its own for types that do, and else that of
/// the trait `No`.
macro_rules! one_of {
    ($Trait:path: $($Type:ident)+) => {{
        #[allow(dead_code, reason = "types that all implement the trait hide the constant")]
        trait No {
            const ANSWER: bool = false;
        }
        struct Probe<T>(#[allow(dead_code, reason = "no value is ever made")] PhantomData<T>);
        impl<T> No for Probe<T> {}
        #[allow(dead_code, reason = "no type may implement the trait")]
        impl<T: $Trait> Probe<T> {
            const ANSWER: bool = true;
        }
        [$(<Probe<simd_digest::$Type>>::ANSWER),+].contains(&true)
    }};
}

/// For each column, whether a type of each of its modules implements the trait.
macro_rules! by_a_type {
    ($Trait:path) => {
        [
            vec![
                one_of!($Trait: Sha256 HmacSha256),
                one_of!($Trait: Sha224 HmacSha224),
                one_of!($Trait: Sha512 HmacSha512),
                one_of!($Trait: Sha384 HmacSha384),
                one_of!($Trait: Sha512_256 HmacSha512_256),
                one_of!($Trait: Sha512_224 HmacSha512_224),
            ],
            vec![
                one_of!($Trait: Blake2b256 Blake2bMac256 Blake2xb),
                one_of!($Trait: Blake2s256 Blake2sMac256 Blake2xs),
            ],
            vec![one_of!($Trait: Blake3)],
        ]
    };
}

/// The cells of each row of the table, its header first.
fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let table = DOCS.split("//! # Calls").nth(1).and_then(|part| part.split("//! # ").next()).expect("no table");
    let lines = table.lines().filter_map(|line| line.strip_prefix("//! |"));
    lines.map(|line| line.trim_end_matches('|').split('|').map(str::trim).collect())
}

#[test]
fn the_table_of_calls_is_complete_and_right() {
    let traits = BTreeMap::from([
        ("Digest", by_a_type!(Digest)),
        ("Mac", by_a_type!(Mac)),
        ("ExtendableOutput", by_a_type!(ExtendableOutput)),
        ("SerializableState", by_a_type!(SerializableState)),
        ("AssociatedOid", by_a_type!(AssociatedOid)),
        #[cfg(feature = "zeroize")]
        ("ZeroizeOnDrop", by_a_type!(zeroize::ZeroizeOnDrop)),
    ]);
    let mut rows = rows();
    let titles: Vec<&str> = COLUMNS.iter().map(|column| column.title).collect();
    assert_eq!(rows.next().unwrap()[1..], titles);
    assert!(rows.next().unwrap().iter().all(|rule| rule.starts_with("--")));

    let mut listed = BTreeSet::new();
    for row in rows {
        let [what, cells @ ..] = &row[..] else { panic!("no cells") };
        assert_eq!(cells.len(), COLUMNS.len(), "{what}");
        let by_type = what.strip_suffix(" by a type");
        let mut owner = "";
        for name in by_type.unwrap_or(what).split(", ").map(|name| name.trim_matches('`')) {
            let name = match name.rfind("::") {
                Some(end) => {
                    let (before, name) = name.split_at(end + 2);
                    owner = before;
                    name
                }
                None => name,
            };
            for (i, (cell, column)) in cells.iter().zip(&COLUMNS).enumerate() {
                let present: Vec<bool> = if by_type.is_some() {
                    // Without the feature nothing has the trait.
                    if name == "ZeroizeOnDrop" && cfg!(not(feature = "zeroize")) {
                        continue;
                    }
                    traits[name][i].clone()
                } else {
                    column.calls(owner).iter().map(|calls| calls.contains(name)).collect()
                };
                let expected = match *cell {
                    "yes" => true,
                    "no" => false,
                    other => panic!("{what}: {other:?} is no answer"),
                };
                let (title, modules) = (column.title, column.modules);
                assert!(present.iter().all(|&is| is == expected), "{title}, {owner}{name}: {modules:?} {present:?}");
            }
            assert!(by_type.is_some() || listed.insert((owner, name)), "{owner}{name} is listed twice");
        }
    }
    for owner in OWNERS {
        let calls: Vec<BTreeSet<&str>> =
            COLUMNS.iter().map(|column| column.calls(owner).into_iter().flatten().collect()).collect();
        for name in calls.iter().flatten() {
            let columns = calls.iter().filter(|calls| calls.contains(name)).count();
            assert!(columns < 2 || listed.contains(&(owner, *name)), "{owner}{name} is not listed");
        }
    }
}

/// Hashers differ in the types of their digests and counts alone.
#[test]
fn hashers_have_equal_signatures() {
    for name in ["new", "with_backend", "backend", "update", "update_reader", "reset"] {
        let signature = |Column { family: (family, parameter), .. }: &Column| {
            let start = format!("fn simd_digest::{family}::Hasher{parameter}::{name}(");
            API.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("no {start}"))
        };
        let signatures: BTreeSet<&str> = COLUMNS.iter().map(signature).collect();
        assert_eq!(signatures.len(), 1, "{name}: {signatures:?}");
    }
}

/// The types of what is fixed before messages come, and the error of a use, if what was set may be out of range.
const FIXED: [(&str, &str); 4] =
    [("blake2::Params<F>", "ParamsError"), ("blake3::Mode", ""), ("sha2::HmacKey<V>", ""), ("sha2::Batch<V>", "")];

/// The calls of `owner`: names, and signatures without names of arguments, hashes' parameters, paths and `error`.
fn fixed_calls((owner, error): (&str, &str)) -> BTreeMap<&'static str, String> {
    let start = format!("fn simd_digest::{owner}::");
    let calls = API.lines().filter_map(|line| Some((line.starts_with("const "), line.split_once(&start)?.1)));
    let call = |(is_const, call): (bool, &'static str)| {
        let (name, rest) = call.split_at(call.find(['(', '<']).unwrap());
        let mut rest = rest.replace("<F>", "").replace("<V>", "").replace("$crate::error::", "");
        rest = rest.replace("::alloc::vec::", "").replace("HmacHasher", "Hasher");
        for argument in ["hashes", "tags"] {
            rest = rest.replace(&format!("{argument}: "), "outputs: ");
        }
        if let Some((head, of)) = rest.split_once("-> Result<").filter(|_| !error.is_empty()) {
            if let Some(value) = of.strip_suffix(&format!(", {error}>")) {
                rest = format!("{head}-> {value}");
            }
            rest = rest.replace("HashManyError", "ManyError");
        }
        (name, format!("{}{rest}", if is_const { "const " } else { "" }))
    };
    calls.map(call).collect()
}

/// Calls that two have, all have, except `new`, and `verify`, which `Batch` has not, since it has no key, and whose error
/// in `Params` may be one of a field.
#[test]
fn what_is_fixed_before_messages_has_one_set_of_calls() {
    let all = FIXED.map(fixed_calls);
    let names: BTreeSet<&str> = all.iter().flat_map(BTreeMap::keys).copied().collect();
    let mut common = BTreeSet::new();
    for name in names {
        let having: Vec<_> = all.iter().filter_map(|calls| calls.get(name)).collect();
        if having.len() < 2 || name == "new" {
            continue;
        }
        let with_it = if name == "verify" { FIXED.len() - 1 } else { FIXED.len() };
        assert_eq!(having.len(), with_it, "{name}: {having:?}");
        let alike = |signature: &str| signature.replace("VerifyError", "MacError");
        assert!(having.iter().all(|signature| alike(signature) == alike(having[0])), "{name}: {having:#?}");
        common.insert(name);
    }
    let expected =
        ["backend", "hash", "hash_many", "hash_many_flat", "hash_many_into", "hasher", "verify", "with_backend"];
    assert_eq!(common, BTreeSet::from(expected));
}

#[test]
fn a_batch_makes_hashers_on_its_backend() {
    let batch = simd_digest::sha256::Batch::new().with_backend("portable".parse().unwrap());
    let mut hasher = batch.hasher();
    assert_eq!(hasher.backend(), batch.backend());
    assert_eq!(hasher.update(b"abc").finalize(), batch.hash(b"abc"));
}

/// Streams that share lanes compute on one backend, and have their own again afterwards.
#[test]
fn hashers_keep_their_backends() {
    macro_rules! keep {
        ($($module:ident)+) => {
            $({
                use simd_digest::$module::{Hasher, finalize_many, hash, update_each, update_many};
                let available: Vec<_> = simd_digest::Backend::available().collect();
                let backend = |i: usize| available[i % available.len()];
                let mut hashers: Vec<_> = (0..20).map(|i| Hasher::new().with_backend(backend(i))).collect();
                let (one, two) = ([1; 700], [2; 5000]);
                update_many(&mut hashers.iter_mut().map(|hasher| (hasher, &one[..])).collect::<Vec<_>>());
                update_each(backend(1), hashers.iter_mut().map(|hasher| ((), hasher, &two[..])), |()| ());
                let mut hashes = [hash(b""); 20];
                finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
                assert_eq!(hashes, [hash(&[&one[..], &two].concat()); 20]);
                for (i, hasher) in hashers.iter().enumerate() {
                    assert_eq!(hasher.backend(), backend(i), "{i}");
                }
            })+
        };
    }
    keep!(sha224 sha256 sha384 sha512 sha512_224 sha512_256 blake2b blake2s blake3);
}

/// The functions of a module of BLAKE2 are those of its default parameters.
macro_rules! many_by_default {
    ($($test:ident: $module:ident, $length:literal;)+) => {
        $(#[test]
        fn $test() {
            use simd_digest::$module::{hash, hash_many_flat, hash_many_into};

            let messages = ["one", "two", "three"];
            let expected = messages.map(|message| hash(message.as_bytes()));
            let mut hashes = [hash(b""); 3];
            hash_many_into(&messages, &mut hashes).unwrap();
            assert_eq!(hashes, expected);
            assert!(hash_many_into(&messages, &mut hashes[1..]).is_err());
            let mut bytes = [0; 3 * $length];
            hash_many_flat(&messages, &mut bytes).unwrap();
            assert!(bytes.chunks($length).eq(expected.iter().map(AsRef::as_ref)));
            assert!(hash_many_flat(&messages, &mut bytes[1..]).is_err());
        })+
    };
}

many_by_default! {
    many_of_blake2b_by_default: blake2b, 64;
    many_of_blake2s_by_default: blake2s, 32;
}

/// The features of the library are those that CHANGELOG.md promises to keep.
#[test]
fn features_are_the_promised() {
    let manifest = include_str!("../Cargo.toml").split("\n[features]\n").nth(1).expect("no features");
    let lines = manifest.lines().take_while(|line| !line.starts_with('['));
    let features = lines.filter_map(|line| line.split_once(" = [")).map(|(name, _)| name);
    let features: BTreeSet<&str> = features.filter(|name| *name != "default").collect();
    let promise = include_str!("../CHANGELOG.md").split("the features of `simd-digest`: ").nth(1).expect("no promise");
    let promised = promise.split(';').next().unwrap().split('`').skip(1).step_by(2).collect();
    assert_eq!(features, promised);
}

/// Threads may own and share every public type, and it may be moved, and looked at after a panic.
macro_rules! auto_traits {
    ($($module:ident: $($Type:ty)+;)+) => {
        #[test]
        fn public_types_have_the_auto_traits() {
            fn has<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}
            $({
                #[allow(unused_imports, reason = "some types are not of the module")]
                use simd_digest::$module::*;
                $(has::<$Type>();)+
            })+
        }
    };
}

auto_traits! {
    sha224: Batch Hash Hasher HmacHasher HmacKey HmacSha224 Sha224 hazmat::Sha224Core hazmat::State;
    sha256: Batch Hash Hasher HmacHasher HmacKey HmacSha256 Sha256 hazmat::Sha256Core hazmat::State;
    sha384: Batch Hash Hasher HmacHasher HmacKey HmacSha384 Sha384 hazmat::Sha384Core hazmat::State;
    sha512: Batch Hash Hasher HmacHasher HmacKey HmacSha512 Sha512 hazmat::Sha512Core hazmat::State;
    sha512_224: Batch Hash Hasher HmacHasher HmacKey HmacSha512_224 Sha512_224 hazmat::Sha512_224Core hazmat::State;
    sha512_256: Batch Hash Hasher HmacHasher HmacKey HmacSha512_256 Sha512_256 hazmat::Sha512_256Core hazmat::State;
    blake2b: Hash Hasher Params Parallel OutputReader Tree TreeHasher Blake2b<U64> Blake2bMac<U64> Blake2bp Blake2xb;
    blake2b: FlavourB hazmat::Blake2bVarCore hazmat::State;
    blake2s: Hash Hasher Params Parallel OutputReader Tree TreeHasher Blake2s<U32> Blake2sMac<U32> Blake2sp Blake2xs;
    blake2s: FlavourS hazmat::Blake2sVarCore hazmat::State;
    blake2: HashManyError LeavesError ParamsError Part VerifyError XofError;
    blake3: Blake3 Blake3Variant Hash Hasher Mode OutputReader hazmat::State hazmat::SubtreeError;
    sha2: Variant224 Variant256 Variant384 Variant512 Variant512_224 Variant512_256;
    hash: Full Hex ParseHashError simd_digest::Backend simd_digest::BackendError simd_digest::ManyError;
    hash: simd_digest::Pbkdf2Error simd_digest::StateError;
}

/// The public structures and enumerations are all in the list above, by a name of their own or as what an alias names.
#[test]
fn no_public_type_is_left_out() {
    let source = include_str!("interface.rs");
    let list = source.split("auto_traits! {").nth(1).and_then(|part| part.split('}').next()).expect("no list");
    let words: BTreeSet<&str> = list.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let kinds = ["struct ", "enum ", "#[non_exhaustive] struct ", "#[non_exhaustive] enum "];
    let mut seen = 0;
    for line in API.lines() {
        let Some(path) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
        let path = path.split(['<', ' ']).next().unwrap();
        // A generic type is named by aliases: `type simd_digest::sha256::Hasher = sha2::Hasher<Variant256>`.
        let end = path.rsplitn(3, "::").take(2).collect::<Vec<_>>();
        let end = format!("{}::{}<", end[1], end[0]);
        let aliases = API.lines().filter(|line| line.starts_with("type simd_digest::") && line.contains(&end));
        let names = aliases.map(|line| line.split([' ', '<']).nth(1).unwrap()).chain([path]);
        let is_listed = |name: &str| words.contains(name.rsplit("::").next().unwrap());
        assert!(names.into_iter().any(is_listed), "{path} is not listed");
        seen += 1;
    }
    assert!(seen >= 40, "{seen} types");
}
