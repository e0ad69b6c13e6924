//! `blake2b(x[, length])` and its like: the digest of each value of a column.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue, exec_err, plan_datafusion_err, plan_err};
use datafusion_expr::scalar_doc_sections::DOC_SECTION_HASHING;
use datafusion_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use crate::algorithm::{Algorithm, Kernel};
use crate::argument::{constant, described, refused, scalar};
use crate::column::{Form, digest, is_hashable};

/// The SQL function that hashes a column with one algorithm.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct PlainDigest {
    algorithm: Algorithm,
    form: Form,
    name: String,
    signature: Signature,
    documentation: Documentation,
}

impl PlainDigest {
    pub(crate) fn new(algorithm: Algorithm, form: Form) -> Self {
        let name = match form {
            Form::Bytes => algorithm.name().to_string(),
            Form::Hex => format!("{algorithm}_hex"),
        };
        let documentation = documentation(algorithm, form, &name);
        Self { algorithm, form, name, signature: Signature::user_defined(Volatility::Immutable), documentation }
    }

    /// The length that a constant asks for.
    fn length(&self, value: &ScalarValue) -> Result<usize> {
        let most = self.algorithm.width();
        let Self { name, .. } = self;
        let length = match value {
            ScalarValue::Int64(Some(length)) => Some(*length),
            ScalarValue::Int8(_)
            | ScalarValue::Int16(_)
            | ScalarValue::Int32(_)
            | ScalarValue::UInt8(_)
            | ScalarValue::UInt16(_)
            | ScalarValue::UInt32(_)
            | ScalarValue::UInt64(_)
                if !value.is_null() =>
            {
                match value.cast_to(&DataType::Int64) {
                    Ok(ScalarValue::Int64(length)) => length,
                    _ => return plan_err!("{name}: argument 2 is {value}, but a digest must have 1 to {most} bytes"),
                }
            }
            _ => None,
        };
        match length {
            Some(length) => {
                usize::try_from(length).ok().filter(|length| (1..=most).contains(length)).ok_or_else(|| {
                    plan_datafusion_err!("{name}: argument 2 is {length}, but a digest must have 1 to {most} bytes")
                })
            }
            None => plan_err!(
                "{name}: argument 2 is {}, but must be an integer constant of 1 to {most}, the bytes of a digest",
                described(value)
            ),
        }
    }
}

/// The first argument, in the documentation of a function.
pub(crate) const VALUE: &str = "Text, bytes, or a dictionary of these.";

/// The second argument.
const LENGTH: &str = "the length of a digest";

impl ScalarUDFImpl for PlainDigest {
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
            [value, length] if self.algorithm.has_lengths() => {
                if !length.is_integer() && !length.is_null() {
                    return Err(refused(name, 2, length, "an integer, the bytes of a digest", ""));
                }
                Ok(vec![hashable(name, value)?, DataType::Int64])
            }
            _ if self.algorithm.has_lengths() => {
                plan_err!(
                    "{name} takes 1 or 2 arguments, {name}(x) or {name}(x, length), but was given {}",
                    arg_types.len()
                )
            }
            _ => plan_err!("{name} takes 1 argument, {name}(x), but was given {}", arg_types.len()),
        }
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(self.form.data_type())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        if let Some(Some(length)) = args.scalar_arguments.get(1) {
            self.length(length)?;
        }
        // What has no value yet may become a constant when expressions are folded: `simplify` decides.
        Ok(result_field(&self.name, self.form.data_type(), args.arg_fields))
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn simplify(&self, args: Vec<Expr>, _info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        if let Some(length) = args.get(1) {
            constant(&self.name, 2, LENGTH, length)?.map(|length| self.length(length)).transpose()?;
        }
        Ok(ExprSimplifyResult::Original(args))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (value, length) = match args.args.as_slice() {
            [value] => (value, self.algorithm.width()),
            [value, length] if self.algorithm.has_lengths() => {
                (value, self.length(scalar(&self.name, 2, LENGTH, length)?)?)
            }
            args => return exec_err!("{} was called with {} arguments", self.name, args.len()),
        };
        digest(&self.name, &Kernel::with_length(self.algorithm, length), self.form, value)
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

fn documentation(algorithm: Algorithm, form: Form, name: &str) -> Documentation {
    let as_text = match form {
        Form::Bytes => "",
        Form::Hex => " as hexadecimal text",
    };
    let description = format!("The {algorithm} digest of text or bytes{as_text}. NULL gives NULL.");
    let syntax = format!("{name}(value{})", if algorithm.has_lengths() { "[, length]" } else { "" });
    let builder = Documentation::builder(DOC_SECTION_HASHING, description, syntax).with_argument("value", VALUE);
    if !algorithm.has_lengths() {
        return builder.build();
    }
    let most = algorithm.width();
    builder
        .with_argument("length", format!("The bytes of a digest: a constant of 1 to {most}, {most} by default."))
        .build()
}

/// The type of argument 1, if its values can be hashed.
///
/// # Errors
///
/// If they cannot be. A number has many forms as text or bytes, so the choice is left to the caller.
pub(crate) fn hashable(name: &str, data_type: &DataType) -> Result<DataType> {
    if is_hashable(data_type) {
        return Ok(data_type.clone());
    }
    let hint =
        format!(": CAST it, as in {name}(CAST(x AS VARCHAR)), or use row_digest, which takes values of most types");
    Err(refused(name, 1, data_type, "text or bytes", &hint))
}

/// The field of a digest of the first argument: NULL where the argument is NULL.
pub(crate) fn result_field(name: &str, data_type: DataType, arg_fields: &[FieldRef]) -> FieldRef {
    let nullable = arg_fields.first().is_none_or(|field| {
        // The entries of a dictionary may be NULL though no key is, and so though the field is said not to be.
        field.is_nullable() || matches!(field.data_type(), DataType::Dictionary(_, _) | DataType::Null)
    });
    Arc::new(Field::new(name, data_type, nullable))
}
