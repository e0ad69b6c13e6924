//! Functions called without an engine, as one would plan and evaluate them.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field, FieldRef};
use arrow::record_batch::RecordBatch;
use datafusion::prelude::SessionContext;
use datafusion_common::config::ConfigOptions;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::registry::{FunctionRegistry, MemoryFunctionRegistry};
use datafusion_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};
use simd_digest_datafusion::register_all;

pub(crate) const ALGORITHMS: [&str; 7] = ["sha224", "sha256", "sha384", "sha512", "blake2s", "blake2b", "blake3"];

/// A registry with our functions alone.
pub(crate) fn registry() -> MemoryFunctionRegistry {
    let mut registry = MemoryFunctionRegistry::new();
    register_all(&mut registry).unwrap();
    registry
}

/// The digest of full length, one message alone.
pub(crate) fn hash(algorithm: &str, message: &[u8]) -> Vec<u8> {
    use simd_digest::{blake2b, blake2s, blake3, sha224, sha256, sha384, sha512};
    match algorithm {
        "sha224" => sha224::hash(message).as_bytes().to_vec(),
        "sha256" => sha256::hash(message).as_bytes().to_vec(),
        "sha384" => sha384::hash(message).as_bytes().to_vec(),
        "sha512" => sha512::hash(message).as_bytes().to_vec(),
        "blake2s" => blake2s::hash(message).as_bytes().to_vec(),
        "blake2b" => blake2b::hash(message).as_bytes().to_vec(),
        "blake3" => blake3::hash(message).as_bytes().to_vec(),
        other => panic!("{other}"),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A literal.
pub(crate) fn literal(value: impl Into<ScalarValue>) -> ColumnarValue {
    ColumnarValue::Scalar(value.into())
}

pub(crate) fn column(array: &ArrayRef) -> ColumnarValue {
    ColumnarValue::Array(Arc::clone(array))
}

/// Plans and evaluates `function` over `args`. The answer has the promised type, and no NULL that was not promised.
pub(crate) fn evaluate(function: &ScalarUDF, args: Vec<ColumnarValue>, rows: usize) -> Result<ColumnarValue> {
    let types: Vec<DataType> = args.iter().map(ColumnarValue::data_type).collect();
    let coerced = function.coerce_types(&types)?;
    let args: Vec<ColumnarValue> =
        args.iter().zip(&coerced).map(|(arg, to)| arg.cast_to(to, None)).collect::<Result<_>>()?;
    let arg_fields: Vec<FieldRef> = args
        .iter()
        .map(|arg| {
            let nullable = match arg {
                ColumnarValue::Array(array) => array.is_nullable(),
                ColumnarValue::Scalar(scalar) => scalar.is_null(),
            };
            Arc::new(Field::new("arg", arg.data_type(), nullable))
        })
        .collect();
    let scalars: Vec<Option<ScalarValue>> = args
        .iter()
        .map(|arg| match arg {
            ColumnarValue::Scalar(scalar) => Some(scalar.clone()),
            ColumnarValue::Array(_) => None,
        })
        .collect();
    let scalar_arguments: Vec<Option<&ScalarValue>> = scalars.iter().map(Option::as_ref).collect();
    let return_field = function
        .return_field_from_args(ReturnFieldArgs { arg_fields: &arg_fields, scalar_arguments: &scalar_arguments })?;
    let args = ScalarFunctionArgs {
        args,
        arg_fields,
        number_rows: rows,
        return_field: Arc::clone(&return_field),
        config_options: Arc::new(ConfigOptions::default()),
    };
    let answer = function.invoke_with_args(args)?;
    assert_eq!(answer.data_type(), *return_field.data_type());
    if let ColumnarValue::Array(array) = &answer {
        assert_eq!(array.len(), rows);
        array.to_data().validate_full().unwrap();
        assert!(array.null_count() == 0 || return_field.is_nullable(), "{function:?} promised no NULL");
    }
    Ok(answer)
}

/// The answer of the function `name` as rows.
pub(crate) fn call(name: &str, args: Vec<ColumnarValue>, rows: usize) -> Result<Vec<Option<Vec<u8>>>> {
    let function = registry().udf(name)?;
    let answer = evaluate(&function, args, rows)?.into_array(rows)?;
    Ok(values(&answer))
}

/// The values of an array of text or bytes, or of a dictionary of these, row by row by Arrow's own casts.
pub(crate) fn values(array: &dyn Array) -> Vec<Option<Vec<u8>>> {
    let flat = match array.data_type() {
        DataType::Dictionary(_, values) => arrow::compute::cast(array, values).unwrap(),
        _ => arrow::array::make_array(array.to_data()),
    };
    let text = matches!(flat.data_type(), DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8);
    if text {
        let flat = arrow::compute::cast(&flat, &DataType::LargeUtf8).unwrap();
        return flat.as_string::<i64>().iter().map(|value| value.map(|value| value.as_bytes().to_vec())).collect();
    }
    if flat.data_type().is_null() {
        return vec![None; flat.len()];
    }
    let flat = arrow::compute::cast(&flat, &DataType::LargeBinary).unwrap();
    flat.as_binary::<i64>().iter().map(|value| value.map(<[u8]>::to_vec)).collect()
}

/// A context of DataFusion with our functions.
pub(crate) fn context() -> SessionContext {
    let mut context = SessionContext::new();
    register_all(&mut context).unwrap();
    context
}

/// The rows of a query.
pub(crate) async fn query(context: &SessionContext, sql: &str) -> Result<RecordBatch> {
    let frame = context.sql(sql).await?;
    let schema = Arc::new(frame.schema().as_arrow().clone());
    let batches = frame.collect().await?;
    let schema = batches.first().map_or(schema, RecordBatch::schema);
    Ok(arrow::compute::concat_batches(&schema, &batches)?)
}

/// The first column of a query.
pub(crate) async fn values_of(context: &SessionContext, sql: &str) -> Result<Vec<Option<Vec<u8>>>> {
    Ok(values(query(context, sql).await?.column(0)))
}

/// The one value of a query.
pub(crate) async fn value_of(context: &SessionContext, sql: &str) -> Vec<u8> {
    match values_of(context, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}")).as_slice() {
        [Some(value)] => value.clone(),
        other => panic!("{sql}: {other:?}"),
    }
}

/// The error of a query, when planning or when running.
pub(crate) async fn error_of(context: &SessionContext, sql: &str) -> String {
    match query(context, sql).await {
        Ok(answer) => panic!("{sql}: {answer:?}"),
        Err(error) => error.to_string(),
    }
}

/// The error of a query before it runs.
pub(crate) async fn planning_error(context: &SessionContext, sql: &str) -> String {
    let frame = match context.sql(sql).await {
        Ok(frame) => frame,
        Err(error) => return error.to_string(),
    };
    match frame.create_physical_plan().await {
        Ok(_) => panic!("{sql}: is planned"),
        Err(error) => error.to_string(),
    }
}
