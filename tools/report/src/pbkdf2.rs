//! PBKDF2 with HMAC-SHA-256 and HMAC-SHA-512: ours on every backend, and the peers'.

use core::hint::black_box;
use core::num::NonZeroU32;

use simd_digest::{Backend, sha256, sha512};

use crate::experiment::{Call, Experiment, Line, Size};

/// Passwords in a call.
const PASSWORDS: [usize; 2] = [1, 8];
const PASSWORD: &[u8] = b"a password";
const SALT: &[u8] = b"16 random bytes.";

/// Adds a library's calls, one for each of [`PASSWORDS`]. Panics if it derives other bytes than the crate `pbkdf2`.
fn add<'a, const N: usize>(
    lines: &mut Vec<Line<'a>>,
    (name, peer): (&str, bool),
    expected: &[u8; N],
    derive: impl Fn(&mut [[u8; N]]) + Clone + 'a,
) {
    let calls = PASSWORDS.map(|number| -> Call<'a> {
        let (derive, mut keys) = (derive.clone(), vec![[0; N]; number]);
        derive(&mut keys);
        assert!(keys.iter().all(|key| key == expected), "{name}");
        Box::new(move || derive(black_box(&mut keys)))
    });
    lines.push(Line { name: name.into(), peer, drawn: false, calls: calls.into() });
}

macro_rules! experiment {
    ($name:literal, $ours:ident, $Peer:ty, $algorithm:ident, $rounds:literal, $length:literal, $block:literal) => {{
        let rounds = NonZeroU32::new($rounds).expect("not 0");
        let mut expected = [0; $length];
        pbkdf2::pbkdf2_hmac::<$Peer>(PASSWORD, SALT, $rounds, &mut expected);
        let mut lines = Vec::new();
        let on = |backend| {
            let batch = $ours::Batch::new().with_backend(backend);
            move |keys: &mut [[u8; $length]]| {
                let inputs = [(PASSWORD, SALT); PASSWORDS[1]];
                batch.pbkdf2_many(black_box(&inputs[..keys.len()]), rounds, keys).expect("one key for each");
            }
        };
        add(&mut lines, ("simd-digest", false), &expected, on(Backend::best()));
        for backend in Backend::available() {
            add(&mut lines, (&format!("on {backend}"), false), &expected, on(backend));
        }
        add(&mut lines, ("pbkdf2", true), &expected, |keys: &mut [[u8; $length]]| {
            keys.iter_mut().for_each(|key| pbkdf2::pbkdf2_hmac::<$Peer>(black_box(PASSWORD), SALT, $rounds, key));
        });
        #[cfg(feature = "peers")]
        {
            add(&mut lines, ("ring", true), &expected, move |keys: &mut [[u8; $length]]| {
                let derive =
                    |key| ring::pbkdf2::derive(ring::pbkdf2::$algorithm, rounds, SALT, black_box(PASSWORD), key);
                keys.iter_mut().for_each(|key| derive(key));
            });
            add(&mut lines, ("aws-lc-rs", true), &expected, move |keys: &mut [[u8; $length]]| {
                use aws_lc_rs::pbkdf2;
                let derive = |key| pbkdf2::derive(pbkdf2::$algorithm, rounds, SALT, black_box(PASSWORD), key);
                keys.iter_mut().for_each(|key| derive(key));
            });
        }
        let sizes = PASSWORDS.map(|number| Size { label: number.to_string(), bytes: number * $rounds * 2 * $block });
        let title = concat!("PBKDF2-HMAC-", $name, " of ", $rounds, " rounds, the peers in a loop");
        Experiment::of_lines(title.into(), None, "passwords", sizes.into(), lines)
    }};
}

/// One password, and eight. Bytes are those of the blocks that all rounds compress.
pub(crate) fn experiments<'a>() -> [Experiment<'a>; 2] {
    [
        experiment!("SHA-256", sha256, sha2::Sha256, PBKDF2_HMAC_SHA256, 1000, 32, 64),
        experiment!("SHA-512", sha512, sha2::Sha512, PBKDF2_HMAC_SHA512, 2048, 64, 128),
    ]
}
