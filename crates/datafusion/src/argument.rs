//! The errors of functions about their arguments.

use arrow::datatypes::DataType;
use datafusion_common::tree_node::TreeNode;
use datafusion_common::{DataFusionError, Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion_expr::{ColumnarValue, Expr};

use crate::algorithm::Algorithm;

/// The type of text that [`ScalarValue::try_as_str`] reads.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// That argument `place` of `function`, counted from 1, cannot have this type.
pub(crate) fn refused(function: &str, place: usize, given: &DataType, must: &str, hint: &str) -> DataFusionError {
    plan_datafusion_err!("{function}: argument {place} is {given}, but must be {must}{hint}")
}

/// The constant that argument `place` of `function` is after the planner has folded what it can. None if a parameter
/// has no value yet: then a later plan is asked again.
///
/// # Errors
///
/// If the argument is no constant.
pub(crate) fn constant<'e>(
    function: &str,
    place: usize,
    meaning: &str,
    expr: &'e Expr,
) -> Result<Option<&'e ScalarValue>> {
    match expr {
        Expr::Literal(value, _) => Ok(Some(value)),
        Expr::Alias(alias) => constant(function, place, meaning, &alias.expr),
        expr if expr.exists(|part| Ok(matches!(part, Expr::Placeholder(_))))? => Ok(None),
        _ => Err(not_constant(function, place, meaning)),
    }
}

/// The algorithm that the first argument of `function` names.
///
/// # Errors
///
/// If the value is NULL, not text, or names no algorithm.
pub(crate) fn algorithm(function: &str, value: &ScalarValue) -> Result<Algorithm> {
    match value.try_as_str() {
        Some(Some(name)) => Algorithm::of_name(name).map_or_else(
            || {
                plan_err!(
                    "{function}: there is no algorithm '{name}': argument 1 must be one of {}",
                    Algorithm::names()
                )
            },
            Ok,
        ),
        _ => plan_err!(
            "{function}: argument 1 is {}, but must name an algorithm: one of {}",
            described(value),
            Algorithm::names()
        ),
    }
}

/// That argument `place` of `function` is not a constant.
pub(crate) fn not_constant(function: &str, place: usize, meaning: &str) -> DataFusionError {
    plan_datafusion_err!(
        "{function}: argument {place}, {meaning}, must be a constant: a literal, a parameter with a value, or an \
         expression that the planner can evaluate"
    )
}

/// The scalar in an argument of a call.
pub(crate) fn scalar<'a>(
    function: &str,
    place: usize,
    meaning: &str,
    value: &'a ColumnarValue,
) -> Result<&'a ScalarValue> {
    match value {
        ColumnarValue::Scalar(value) => Ok(value),
        ColumnarValue::Array(_) => Err(not_constant(function, place, meaning)),
    }
}

/// A constant as an error shows it: NULL, or the type. Values may be secrets.
pub(crate) fn described(value: &ScalarValue) -> String {
    if value.is_null() { "NULL".into() } else { value.data_type().to_string() }
}
