//! Published test vectors, on every backend of this CPU. The package carries this file, so that whoever builds the
//! package can test it: `cargo test --test published`.
#![cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]

use simd_digest::Backend;

#[cfg(feature = "sha2")]
const JEFE: &[u8] = b"what do ya want for nothing?";

/// Every backend, with the SHA extension and without it.
fn backends() -> impl Iterator<Item = Backend> {
    Backend::available().flat_map(|backend| [backend, backend.without_sha()])
}

/// NIST's "Examples with Intermediate Values" of FIPS 180-4: messages of one block and of two. Then HMAC: test case 2 of
/// RFC 4231.
#[cfg(feature = "sha2")]
#[test]
fn sha224_and_sha256() {
    let two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for backend in backends() {
        macro_rules! check {
            ($hash:ident, $digests:expr) => {
                let batch = simd_digest::$hash::Batch::new().with_backend(backend);
                let tag = simd_digest::$hash::HmacKey::new(b"Jefe").with_backend(backend).hash(JEFE);
                let found = [batch.hash(b"abc"), batch.hash(two), tag];
                assert_eq!(found.map(|digest| digest.to_string()), $digests, "{backend:?}");
            };
        }
        check!(
            sha224,
            [
                "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
                "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525",
                "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
            ]
        );
        check!(
            sha256,
            [
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ]
        );
    }
}

/// NIST's message of two blocks of 128 bytes, and test case 2 of the RFC.
#[cfg(feature = "sha2")]
#[test]
fn sha512_and_its_kin() {
    let two = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs\
        mnopqrstnopqrstu";
    for backend in backends() {
        macro_rules! check {
            ($hash:ident, $digest:expr) => {
                let digest = simd_digest::$hash::Batch::new().with_backend(backend).hash(two);
                assert_eq!(digest.to_string(), $digest, "{backend:?}");
            };
        }
        check!(
            sha384,
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"
        );
        check!(
            sha512,
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
             501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        );
        check!(sha512_256, "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a");
        let hmac = simd_digest::sha512::HmacKey::new(b"Jefe").with_backend(backend);
        assert_eq!(
            hmac.hash(JEFE).to_string(),
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd\
             caeab1a34d4a6b4b636e070a38bce737"
        );
    }
}

/// RFC 7693, appendices A, B and E: "abc", and a hash of hashes of many lengths, each without and with a key.
#[cfg(feature = "blake2")]
#[test]
fn blake2b_and_blake2s() {
    use simd_digest::{blake2b, blake2s};
    // Appendix E calls it `selftest_seq`.
    let bytes = |length: usize| -> Vec<u8> {
        let (mut a, mut b) = (0xdead_4bad_u32.wrapping_mul(u32::try_from(length).unwrap()), 1_u32);
        let mut next = || {
            (a, b) = (b, a.wrapping_add(b));
            b.to_be_bytes()[0]
        };
        (0..length).map(|_| next()).collect()
    };
    macro_rules! check {
        ($hash:ident, $abc:expr, $lengths:expr, $messages:expr, $of_all:expr) => {
            for backend in backends() {
                let params = $hash::Params::new().with_backend(backend);
                assert_eq!(params.hash(b"abc").unwrap().to_string(), $abc, "{backend:?}");
                let mut all = params.clone().hash_length(32).hasher().unwrap();
                for length in $lengths {
                    let params = params.clone().hash_length(length);
                    for message in $messages.map(bytes) {
                        all.update(params.hash(&message).unwrap().as_bytes());
                        all.update(params.clone().key(&bytes(length)).hash(&message).unwrap().as_bytes());
                    }
                }
                assert_eq!(all.finalize().to_string(), $of_all, "{backend:?}");
            }
        };
    }
    let abc = "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
        7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923";
    let of_all = "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475";
    check!(blake2b, abc, [20, 32, 48, 64], [0, 3, 128, 129, 255, 1024], of_all);
    let abc = "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982";
    let of_all = "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe";
    check!(blake2s, abc, [16, 20, 28, 32], [0, 3, 64, 65, 255, 1024], of_all);
}

/// The BLAKE3 team's `test_vectors.json`: the hash, the keyed hash and the derived key of 31744 bytes.
#[cfg(feature = "blake3")]
#[test]
fn blake3() {
    use simd_digest::blake3::Mode;
    let modes = [
        (Mode::HASH, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"),
        (
            Mode::keyed(b"whats the Elvish word for friend"),
            "efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419",
        ),
        (
            Mode::derive_key("BLAKE3 2019-12-27 16:29:52 test vectors context"),
            "39772aef80e0ebe60596361e45b061e8f417429d529171b6764468c22928e28e",
        ),
    ];
    let message: Vec<u8> = (0..251).cycle().take(31744).collect();
    for backend in backends() {
        for (mode, digest) in &modes {
            assert_eq!(mode.clone().with_backend(backend).hash(&message).to_string(), *digest, "{backend:?}");
        }
    }
}
