//! Digests with a key that stays in the process: pseudonyms in the place of personal data.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::hint::black_box;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue, exec_err, plan_err};
use datafusion_expr::scalar_doc_sections::DOC_SECTION_HASHING;
use datafusion_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use zeroize::Zeroize;

use crate::algorithm::{Algorithm, Kernel};
use crate::column::{Form, digest};
use crate::plain::{VALUE, hashable, result_field};

/// The end of the name of a [`FingerprintOf`].
pub(crate) const FINGERPRINT: &str = "_fingerprint";

/// The first bytes of the keyed digest of a constant. It tells keys apart, and tells nothing of a random key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Fingerprint([u8; 8]);

impl Fingerprint {
    const OF: &[u8] = b"simd-digest-datafusion: which key is this?";

    fn new(kernel: &Kernel) -> Result<Self> {
        let mut digest = [0; 64];
        kernel.hash(&[Self::OF], &mut digest[..kernel.width()])?;
        let (&first, _) = digest.split_first_chunk().unwrap_or((&[0; 8], &[]));
        digest.zeroize();
        Ok(Self(first))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A SQL function whose digests depend on a key. Two are equal, and hash equally, if name, algorithm and fingerprint
/// are.
pub(crate) struct KeyedDigest {
    name: String,
    algorithm: Algorithm,
    fingerprint: Fingerprint,
    signature: Signature,
    documentation: Documentation,
    /// On the heap, so that the key is not left behind where the function was moved from.
    kernel: Box<Kernel>,
}

impl KeyedDigest {
    pub(crate) fn new(name: &str, algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let kernel = without_remains(|| Kernel::keyed(algorithm, key))?;
        let fingerprint = without_remains(|| Fingerprint::new(&kernel))?;
        let signature = Signature::user_defined(Volatility::Immutable);
        let description = format!("The {algorithm} digest of text or bytes with the key of this process.");
        let documentation = Documentation::builder(DOC_SECTION_HASHING, description, format!("{name}(value)"))
            .with_argument("value", VALUE)
            .build();
        Ok(Self { name: name.into(), algorithm, fingerprint, signature, documentation, kernel })
    }

    /// The function that tells which key this one has.
    pub(crate) fn fingerprint(&self) -> FingerprintOf {
        let name = format!("{}{FINGERPRINT}", self.name);
        let description = format!("8 bytes that tell which key {} has where the function is evaluated.", self.name);
        FingerprintOf {
            documentation: Documentation::builder(DOC_SECTION_HASHING, description, format!("{name}()")).build(),
            name,
            algorithm: self.algorithm,
            fingerprint: self.fingerprint,
            // A constant would be folded by the planner: the client would hear of its own key, not of the executors'.
            signature: Signature::nullary(Volatility::Volatile),
        }
    }
}

/// Calls `with_key`, and then overwrites the part of the stack where it kept its copies of a key.
fn without_remains<T>(with_key: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn call<T>(with_key: impl FnOnce() -> T) -> T {
        with_key()
    }

    /// 128 KiB, which is deeper than this crate's buffers and hashes in lanes reach. By words, an eighth of the stores.
    #[inline(never)]
    fn wipe() {
        let mut stack = [0_u64; 16 << 10];
        black_box(&mut stack).zeroize();
    }

    let result = call(with_key);
    wipe();
    result
}

impl fmt::Debug for KeyedDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedDigest")
            .field("name", &self.name)
            .field("algorithm", &self.algorithm)
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

impl PartialEq for KeyedDigest {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.algorithm, self.fingerprint) == (&other.name, other.algorithm, other.fingerprint)
    }
}

impl Eq for KeyedDigest {}

impl Hash for KeyedDigest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, self.algorithm, self.fingerprint).hash(state);
    }
}

impl ScalarUDFImpl for KeyedDigest {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        let Self { name, .. } = self;
        match arg_types {
            [value] => Ok(vec![hashable(name, value)?]),
            _ => plan_err!("{name} takes 1 argument, {name}(x), but was given {}", arg_types.len()),
        }
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        Ok(result_field(&self.name, DataType::Binary, args.arg_fields))
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [value] => without_remains(|| digest(&self.name, &self.kernel, Form::Bytes, value)),
            args => exec_err!("{} was called with {} arguments", self.name, args.len()),
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

/// The SQL function that tells the fingerprint of a key where the function is evaluated.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct FingerprintOf {
    name: String,
    algorithm: Algorithm,
    fingerprint: Fingerprint,
    signature: Signature,
    documentation: Documentation,
}

impl ScalarUDFImpl for FingerprintOf {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn return_field_from_args(&self, _args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(&self.name, DataType::Binary, false)))
    }

    fn invoke_with_args(&self, _args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(ScalarValue::Binary(Some(self.fingerprint.0.into()))))
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}
