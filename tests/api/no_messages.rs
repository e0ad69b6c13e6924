//! Batches of no messages: the caller names the type of a message, because nothing else tells it.

/// Tests the calls that begin with these tokens, and that write their digests.
macro_rules! writes_nothing {
    ($($before:tt)+) => {
        $($before)+ hash_many_into::<&[u8]>(&[], &mut []).unwrap();
        $($before)+ hash_many_flat::<&[u8]>(&[], &mut []).unwrap();
    };
}

#[cfg(feature = "sha2")]
macro_rules! sha2 {
    ($($module:ident)+) => {$(
        #[test]
        fn $module() {
            use simd_digest::$module::{self, Batch, HmacKey};

            let key = HmacKey::new(b"a key");
            writes_nothing!($module::);
            writes_nothing!(Batch::new().);
            writes_nothing!(key.);
            #[cfg(feature = "alloc")]
            {
                assert!($module::hash_many::<&[u8]>(&[]).is_empty());
                assert!(Batch::new().hash_many::<[u8; 32]>(&[]).is_empty());
                assert!(key.hash_many::<String>(&[]).is_empty());
            }
        }
    )+};
}

#[cfg(feature = "sha2")]
sha2! { sha224 sha256 sha384 sha512 sha512_224 sha512_256 }

#[cfg(feature = "blake2")]
macro_rules! blake2 {
    ($($module:ident)+) => {$(
        #[test]
        fn $module() {
            use simd_digest::$module::Params;

            writes_nothing!(Params::new().);
            #[cfg(feature = "alloc")]
            {
                assert!(simd_digest::$module::hash_many::<&[u8]>(&[]).is_empty());
                assert_eq!(Params::new().key(b"a key").hash_many::<&[u8]>(&[]), Ok(vec![]));
            }
        }
    )+};
}

#[cfg(feature = "blake2")]
blake2! { blake2b blake2s }

#[cfg(feature = "blake3")]
#[test]
fn blake3() {
    use simd_digest::blake3::{self, Mode};

    let keyed = Mode::keyed(&[7; 32]);
    writes_nothing!(blake3::);
    writes_nothing!(keyed.);
    #[cfg(feature = "alloc")]
    {
        assert!(blake3::hash_many::<&[u8]>(&[]).is_empty());
        assert!(keyed.hash_many::<&[u8]>(&[]).is_empty());
    }
}
