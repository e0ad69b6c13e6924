//! OpenSSL: SHA-2 by the low-level functions, which EVP calls too, BLAKE2 and HMAC by EVP.

use core::cell::RefCell;

use openssl::md::Md;
use openssl::md_ctx::MdCtx;
use openssl::pkey::{PKey, Private};
use openssl::sha;

/// The name of OpenSSL's rows.
pub(crate) const NAME: &str = "OpenSSL";
/// The name of the rows of HMAC: the crate `openssl` cannot copy a context that has a key.
pub(crate) const HMAC: &str = "OpenSSL, its key set up each time";

/// The name, version and date of the library that is linked.
pub(crate) fn version() -> &'static str {
    openssl::version::version()
}

pub(crate) fn sha256(message: &[u8]) -> [u8; 32] {
    let mut hasher = sha::Sha256::new();
    hasher.update(message);
    hasher.finish()
}

pub(crate) fn sha512(message: &[u8]) -> [u8; 64] {
    let mut hasher = sha::Sha512::new();
    hasher.update(message);
    hasher.finish()
}

pub(crate) fn blake2b(message: &[u8]) -> [u8; 64] {
    thread_local!(static CONTEXT: RefCell<Context> = RefCell::new(Context::new("BLAKE2b512")));
    CONTEXT.with_borrow_mut(|context| context.digest(message))
}

pub(crate) fn blake2s(message: &[u8]) -> [u8; 32] {
    thread_local!(static CONTEXT: RefCell<Context> = RefCell::new(Context::new("BLAKE2s256")));
    CONTEXT.with_borrow_mut(|context| context.digest(message))
}

/// An algorithm that is fetched once, and a context for all messages.
struct Context {
    algorithm: Md,
    context: MdCtx,
}

impl Context {
    fn new(algorithm: &str) -> Self {
        Self {
            algorithm: Md::fetch(None, algorithm, None).expect("this OpenSSL has the algorithm"),
            context: MdCtx::new().expect("memory for a context"),
        }
    }

    fn digest<const N: usize>(&mut self, message: &[u8]) -> [u8; N] {
        let mut digest = [0; N];
        self.context.digest_init(&self.algorithm).expect("an algorithm");
        self.context.digest_update(message).expect("any bytes");
        assert_eq!(self.context.digest_final(&mut digest).expect("room for the digest"), N);
        digest
    }
}

pub(crate) struct HmacKey {
    key: PKey<Private>,
    context: RefCell<Context>,
}

impl HmacKey {
    pub(crate) fn new(algorithm: &str, key: &[u8]) -> Self {
        Self { key: PKey::hmac(key).expect("of any length"), context: RefCell::new(Context::new(algorithm)) }
    }

    pub(crate) fn tag<const N: usize>(&self, message: &[u8]) -> [u8; N] {
        let mut tag = [0; N];
        let Context { algorithm, context } = &mut *self.context.borrow_mut();
        context.digest_sign_init(Some(algorithm), &self.key).expect("an algorithm and a key");
        assert_eq!(context.digest_sign(message, Some(&mut tag)).expect("room for the tag"), N);
        tag
    }
}
