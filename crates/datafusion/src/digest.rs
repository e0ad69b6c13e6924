//! `digest(x, algorithm)`: the registry's own function, with the algorithms of this crate in lanes.

use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef};
use datafusion_common::config::ConfigOptions;
use datafusion_common::types::{logical_binary, logical_string};
use datafusion_common::{ExprSchema, Result, ScalarValue, exec_err, not_impl_err, plan_err};
use datafusion_expr::interval_arithmetic::Interval;
use datafusion_expr::preimage::PreimageResult;
use datafusion_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion_expr::{
    Coercion, ColumnarValue, Documentation, Expr, ExpressionPlacement, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, StructFieldMapping, TypeSignature, TypeSignatureClass, Volatility,
};

use crate::algorithm::{Algorithm, Kernel};
use crate::column::{Form, digest, is_text_or_bytes};

/// A function `digest` that hashes in lanes where it can, and asks another for all else: for other algorithms, for
/// types that take no lanes, and for errors.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digest {
    inner: Arc<ScalarUDF>,
}

impl Digest {
    /// Over `inner`, unless that is one already, or over a function that knows no algorithm.
    pub(crate) fn over(inner: Option<Arc<ScalarUDF>>) -> Arc<ScalarUDF> {
        match inner {
            Some(inner) if inner.inner().is::<Self>() => inner,
            Some(inner) => Arc::new(Self { inner }.into()),
            None => Arc::new(Self { inner: Arc::new(NoDigest::new().into()) }.into()),
        }
    }

    /// The algorithm, if this call is one that lanes take.
    fn algorithm(args: &ScalarFunctionArgs) -> Option<Algorithm> {
        let [value, ColumnarValue::Scalar(algorithm)] = args.args.as_slice() else { return None };
        let data_type = value.data_type();
        let takes_lanes = is_text_or_bytes(&data_type) && !matches!(data_type, DataType::FixedSizeBinary(_));
        // Another function of this name may give another type, or read its arguments in another order.
        if !takes_lanes || *args.return_field.data_type() != DataType::Binary {
            return None;
        }
        Algorithm::of_name(algorithm.try_as_str()??)
    }
}

// Each method of the trait is asked of the inner function, so that none is forgotten.
#[warn(clippy::missing_trait_methods)]
impl ScalarUDFImpl for Digest {
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match Self::algorithm(&args) {
            Some(algorithm) => digest(self.name(), &Kernel::new(algorithm), Form::Bytes, &args.args[0]),
            None => self.inner.invoke_with_args(args),
        }
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        #[expect(deprecated, reason = "the trait still has it")]
        self.inner.display_name(args)
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arg_types)
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let inner = self.inner.inner().with_updated_config(config)?;
        Some(Self { inner: Arc::new(inner) }.into())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn is_nullable(&self, args: &[Expr], schema: &dyn ExprSchema) -> bool {
        #[expect(deprecated, reason = "the trait still has it")]
        self.inner.is_nullable(args, schema)
    }

    fn is_strict(&self) -> bool {
        self.inner.is_strict()
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.inner.simplify(args, info)
    }

    fn preimage(&self, args: &[Expr], literal: &Expr, info: &SimplifyContext) -> Result<PreimageResult> {
        self.inner.preimage(args, literal, info)
    }

    fn short_circuits(&self) -> bool {
        self.inner.short_circuits()
    }

    fn conditional_arguments<'a>(&self, args: &'a [Expr]) -> Option<(Vec<&'a Expr>, Vec<&'a Expr>)> {
        self.inner.conditional_arguments(args)
    }

    fn evaluate_bounds(&self, input: &[&Interval]) -> Result<Interval> {
        self.inner.evaluate_bounds(input)
    }

    fn propagate_constraints(&self, interval: &Interval, inputs: &[&Interval]) -> Result<Option<Vec<Interval>>> {
        self.inner.propagate_constraints(interval, inputs)
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        self.inner.output_ordering(inputs)
    }

    fn preserves_lex_ordering(&self, inputs: &[ExprProperties]) -> Result<bool> {
        self.inner.preserves_lex_ordering(inputs)
    }

    fn strictly_order_preserving(&self, inputs: &[ExprProperties]) -> Result<bool> {
        self.inner.strictly_order_preserving(inputs)
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(arg_types)
    }

    fn struct_field_mapping(&self, literal_args: &[Option<ScalarValue>]) -> Option<StructFieldMapping> {
        self.inner.struct_field_mapping(literal_args)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        self.inner.placement(args)
    }
}

/// Stands behind [`Digest`] where DataFusion was built without `crypto_expressions`: the signature of its `digest`, and
/// an error for all that lanes do not take.
#[derive(Debug, PartialEq, Eq, Hash)]
struct NoDigest {
    signature: Signature,
}

impl NoDigest {
    fn new() -> Self {
        let exact = |class| Coercion::new_exact(TypeSignatureClass::Native(class));
        let taken = [logical_string(), logical_binary()]
            .map(|value| TypeSignature::Coercible(vec![exact(value), exact(logical_string())]));
        Self { signature: Signature::one_of(taken.into(), Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for NoDigest {
    fn name(&self) -> &'static str {
        "digest"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value, algorithm] = args.args.as_slice() else {
            return exec_err!("digest was called with {} arguments", args.args.len());
        };
        match algorithm {
            ColumnarValue::Array(_) => {
                not_impl_err!("Digest using dynamically decided method is not yet supported")
            }
            ColumnarValue::Scalar(scalar) => match scalar.try_as_str() {
                Some(Some(name)) if Algorithm::of_name(name).is_none() => plan_err!(
                    "There is no built-in digest algorithm named '{name}', currently supported algorithms are: {}",
                    Algorithm::names()
                ),
                Some(Some(name)) => exec_err!("Unsupported data type {:?} for function {name}", value.data_type()),
                _ => exec_err!("Unsupported data type {scalar:?} for function digest"),
            },
        }
    }
}
