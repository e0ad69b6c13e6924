//! Run by a WebAssembly host, which gives no command line and takes no output: see `.ci/run`.

use simd_digest::Backend;
use simd_digest::blake2::{Flavour, Hasher, Params};
use simd_digest::sha2::{self, HmacKey, Variant, Variant224, Variant256, Variant512};
use simd_digest::{blake2b, blake2s, blake3, sha224, sha256, sha512};

/// Compares every backend with `portable`, alone and in lanes. Traps where they differ, or returns how often they agreed.
#[unsafe(no_mangle)]
pub extern "C" fn checks() -> u32 {
    let names: Vec<&str> = Backend::available().map(Backend::name).collect();
    assert_eq!(names.join(","), option_env!("REQUIRE_BACKENDS").unwrap_or("portable"));

    let expected = "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
                    7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923";
    assert_eq!(blake2b::hash(b"abc").to_string(), expected);
    let expected = "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982";
    assert_eq!(blake2s::hash(b"abc").to_string(), expected);

    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256::hash(b"abc").to_string(), expected);
    assert_eq!(sha224::hash(b"abc").to_string(), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
    assert!(sha512::hash(b"abc").to_string().starts_with("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea2"));

    let expected = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
    assert_eq!(blake3::hash(b"abc").to_string(), expected);

    let blake2 = checks_of::<blake2b::FlavourB>() + checks_of::<blake2s::FlavourS>();
    let checks = blake2
        + checks_of_sha2::<Variant256>()
        + checks_of_sha2::<Variant224>()
        + checks_of_sha2::<Variant512>()
        + checks_of_nodes()
        + checks_of_blake3();
    u32::try_from(checks).expect("a few thousand")
}

fn checks_of<F: Flavour>() -> usize {
    let paint: Vec<u8> = (0..251).cycle().take(1100).collect();
    let messages: Vec<&[u8]> = (0..=paint.len()).map(|length| &paint[..length]).collect();
    let portable = "portable".parse().expect("it is everywhere");
    let mut checks = 0;
    for params in [Params::<F>::new(), Params::new().key(&paint[..30]).salt(b"salt").last_node(true)] {
        let params = params.hash_length(32);
        let hasher = |backend| params.hasher().expect("all in range").with_backend(backend);
        let alone = |backend, message: &&[u8]| Hasher::finalize(hasher(backend).update(message));
        let digests: Vec<_> = messages.iter().map(|message| alone(portable, message)).collect();
        assert_eq!(params.hash_many(&messages).expect("all in range"), digests);
        checks += digests.len();
        for backend in Backend::available() {
            let again: Vec<_> = messages.iter().map(|message| alone(backend, message)).collect();
            assert_eq!(again, digests, "{backend}");
            checks += digests.len();
        }
    }
    checks
}

fn checks_of_sha2<V: Variant>() -> usize {
    let paint: Vec<u8> = (0..251).cycle().take(1100).collect();
    let messages: Vec<&[u8]> = (0..=paint.len()).map(|length| &paint[..length]).collect();
    let portable = "portable".parse().expect("it is everywhere");
    let hasher = |backend| sha2::Hasher::<V>::new().with_backend(backend);
    let digests: Vec<_> = messages.iter().map(|message| hasher(portable).update(message).finalize()).collect();
    let tags = HmacKey::<V>::new(&paint[..70]).with_backend(portable).hash_many(&messages);
    let mut checks = 0;
    for backend in Backend::available() {
        assert_eq!(sha2::Batch::<V>::new().with_backend(backend).hash_many(&messages), digests, "{backend}");
        let again: Vec<_> = messages.iter().map(|message| hasher(backend).update(message).finalize()).collect();
        assert_eq!(again, digests, "{backend}");
        let key = HmacKey::<V>::new(&paint[..70]).with_backend(backend);
        assert_eq!(messages.iter().map(|message| key.hash(message)).collect::<Vec<_>>(), tags, "{backend}");
        checks += 3 * digests.len();
    }
    checks
}

fn checks_of_nodes() -> usize {
    let paint: Vec<u8> = (0..251).cycle().take(64 * 33).collect();
    let nodes = paint.as_chunks().0;
    let once: Vec<[u8; 32]> = nodes.iter().map(|node: &[u8; 64]| *sha256::hash(node).as_bytes()).collect();
    let mut digests = vec![[0; 32]; nodes.len()];
    for backend in Backend::available() {
        sha256::Batch::new().with_backend(backend).hash_nodes(nodes, &mut digests).expect("one for each");
        assert_eq!(digests, once, "{backend}");
    }
    once.len()
}

/// One message, many, pieces that gather, and output, all in lanes.
fn checks_of_blake3() -> usize {
    let paint: Vec<u8> = (0..251).cycle().take(20_000).collect();
    let lengths = (0..1100).chain((1..=19).flat_map(|chunks| [1024 * chunks - 1, 1024 * chunks, 1024 * chunks + 1]));
    let messages: Vec<&[u8]> = lengths.map(|length| &paint[..length]).collect();
    let portable = "portable".parse().expect("it is everywhere");
    let modes = [blake3::Mode::HASH, blake3::Mode::keyed(&[7; 32]), blake3::Mode::derive_key("a context")];
    let mut checks = 0;
    for mode in modes {
        let mode = |backend| mode.clone().with_backend(backend);
        let digests: Vec<_> = messages.iter().map(|message| mode(portable).hash(message)).collect();
        let mut expected = vec![0; 3000];
        mode(portable).hash_xof(&paint).fill(&mut expected);
        for backend in Backend::available() {
            assert_eq!(mode(backend).hash_many(&messages), digests, "{backend}");
            let again: Vec<_> = messages.iter().map(|message| mode(backend).hash(message)).collect();
            assert_eq!(again, digests, "{backend}");
            let mut hasher = mode(backend).hasher();
            for piece in paint.chunks(100) {
                hasher.update(piece);
            }
            let mut output = vec![0; 3000];
            hasher.finalize_xof().fill(&mut output);
            assert_eq!(output, expected, "{backend}");
            checks += 2 * digests.len() + 1;
        }
    }
    checks
}
