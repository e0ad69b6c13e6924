//! Run by a WebAssembly host, which gives no command line and takes no output: see `.ci/run`.

use simd_digest::Backend;
use simd_digest::blake2::{Flavour, Hasher, Params};
use simd_digest::{blake2b, blake2s};

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

    let checks = checks_of::<blake2b::FlavourB>() + checks_of::<blake2s::FlavourS>();
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
