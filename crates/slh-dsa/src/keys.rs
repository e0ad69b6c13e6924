//! Keys, signing and verification (FIPS 205, sections 9 and 10).

use core::fmt;
use core::marker::PhantomData;

use zeroize::Zeroizing;

use crate::hashes::{Lanes, h_msg, prf_msg};
use crate::set::{HEIGHT, ParameterSet, TOP, TREES};

/// Why a key, a signature or a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The argument of this name has the first number of bytes, but must have the second.
    Length(&'static str, usize, usize),
    /// The context has this many bytes, more than 255.
    Context(usize),
    /// The signature is not one of this message in this context under this key.
    Signature,
    /// The root in the signing key is not the root of its seeds.
    Root,
    /// The operating system has no random bytes.
    Random,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(name, given, needed) => write!(f, "{name} has {given} bytes, but must have {needed}"),
            Self::Context(given) => write!(f, "the context has {given} bytes, but may have at most 255"),
            Self::Signature => f.write_str("the signature is not one of this message and context under this key"),
            Self::Root => f.write_str("the root in the signing key is not the root of its seeds"),
            Self::Random => f.write_str("the operating system has no random bytes"),
        }
    }
}

impl core::error::Error for Error {}

/// A public key: PK.seed and PK.root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey<P: ParameterSet>(Vec<u8>, PhantomData<P>);

impl<P: ParameterSet> VerifyingKey<P> {
    /// A key of 2n bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Length`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self(of_length("the verifying key", bytes, 2 * P::N)?.to_vec(), PhantomData))
    }

    /// The key as 2n bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.clone()
    }

    /// Verifies a signature of `message` in a context of at most 255 bytes (algorithm 24).
    ///
    /// # Errors
    ///
    /// [`Error::Signature`], [`Error::Length`] or [`Error::Context`].
    pub fn verify(&self, message: &[u8], context: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.verify_internal(&[&[0, length(context)?], context, message], signature)
    }

    /// Verifies a signature of the parts of a message, without a context (algorithm 20).
    ///
    /// # Errors
    ///
    /// [`Error::Signature`] or [`Error::Length`].
    pub fn verify_internal(&self, message: &[&[u8]], signature: &[u8]) -> Result<(), Error> {
        let (r, signature) = of_length("the signature", signature, P::SIGNATURE)?.split_at(P::N);
        let (of_fors, of_trees) = signature.split_at(TREES * (1 + P::A) * P::N);
        let (digest, leaf) = h_msg::<P>(r, &self.0, message);
        let mut lanes = Lanes::<P>::new(&self.0[..P::N], P::CHAINS);
        let key = lanes.fors_key(leaf, &digest, of_fors);
        if lanes.root_above(leaf, key, of_trees) == self.0[P::N..] { Ok(()) } else { Err(Error::Signature) }
    }
}

/// A private key: SK.seed, SK.prf, PK.seed and PK.root. It is wiped when it is dropped.
#[derive(Clone)]
pub struct SigningKey<P: ParameterSet>(Zeroizing<Vec<u8>>, PhantomData<P>);

impl<P: ParameterSet> SigningKey<P> {
    /// A key from random bytes of the operating system (algorithm 21).
    ///
    /// # Errors
    ///
    /// [`Error::Random`].
    pub fn generate() -> Result<Self, Error> {
        let seeds = random(3 * P::N)?;
        Self::from_seeds(&seeds[..P::N], &seeds[P::N..2 * P::N], &seeds[2 * P::N..])
    }

    /// The key of SK.seed, SK.prf and PK.seed, n bytes each (algorithm 18).
    ///
    /// # Errors
    ///
    /// [`Error::Length`].
    pub fn from_seeds(sk_seed: &[u8], sk_prf: &[u8], pk_seed: &[u8]) -> Result<Self, Error> {
        of_length("SK.seed", sk_seed, P::N)?;
        of_length("SK.prf", sk_prf, P::N)?;
        of_length("PK.seed", pk_seed, P::N)?;
        let root = Lanes::<P>::new(pk_seed, P::CHAINS << HEIGHT).tree(sk_seed, TOP, 0, &[], &mut []);
        Ok(Self(Zeroizing::new([sk_seed, sk_prf, pk_seed, &root].concat()), PhantomData))
    }

    /// A key of 4n bytes. Its root is not verified: if it is wrong, the key signs nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Length`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self(Zeroizing::new(of_length("the signing key", bytes, 4 * P::N)?.to_vec()), PhantomData))
    }

    /// The key as 4n bytes.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.0.clone()
    }

    /// The public key.
    pub fn verifying_key(&self) -> VerifyingKey<P> {
        VerifyingKey(self.0[2 * P::N..].to_vec(), PhantomData)
    }

    /// Signs `message` in a context of at most 255 bytes, with random bytes of the operating system (algorithm 22).
    ///
    /// # Errors
    ///
    /// [`Error::Context`], [`Error::Random`] or [`Error::Root`].
    pub fn sign(&self, message: &[u8], context: &[u8]) -> Result<Vec<u8>, Error> {
        self.sign_internal(&[&[0, length(context)?], context, message], Some(&random(P::N)?))
    }

    /// Signs the parts of a message, without a context, with n random bytes or with PK.seed (algorithm 19).
    ///
    /// # Errors
    ///
    /// [`Error::Length`] or [`Error::Root`].
    pub fn sign_internal(&self, message: &[&[u8]], random: Option<&[u8]>) -> Result<Vec<u8>, Error> {
        let (private, public) = self.0.split_at(2 * P::N);
        let ((sk_seed, sk_prf), (pk_seed, root)) = (private.split_at(P::N), public.split_at(P::N));
        let random = of_length("the random bytes", random.unwrap_or(pk_seed), P::N)?;
        let mut signature = prf_msg::<P>(sk_prf, random, message);
        let (digest, leaf) = h_msg::<P>(&signature, public, message);
        signature.resize(P::SIGNATURE, 0);
        let (of_fors, of_trees) = signature[P::N..].split_at_mut(TREES * (1 + P::A) * P::N);
        let mut lanes = Lanes::<P>::new(pk_seed, P::CHAINS << HEIGHT);
        let mut node = lanes.sign_fors(sk_seed, leaf, &digest, of_fors);
        for (layer, part) in (0..).zip(of_trees.chunks_exact_mut((P::CHAINS + HEIGHT) * P::N)) {
            node = lanes.tree(sk_seed, layer, leaf, &node, part);
        }
        // Another root tells of a fault in the top tree, or of seeds and a root that do not belong together.
        if node == root { Ok(signature) } else { Err(Error::Root) }
    }
}

/// The name alone, because the fields are secret.
impl<P: ParameterSet> fmt::Debug for SigningKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

fn of_length<'a>(name: &'static str, bytes: &'a [u8], needed: usize) -> Result<&'a [u8], Error> {
    if bytes.len() == needed { Ok(bytes) } else { Err(Error::Length(name, bytes.len(), needed)) }
}

fn length(context: &[u8]) -> Result<u8, Error> {
    context.len().try_into().map_err(|_| Error::Context(context.len()))
}

fn random(length: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut bytes = Zeroizing::new(vec![0; length]);
    getrandom::fill(&mut bytes).map_err(|_| Error::Random).map(|()| bytes)
}
