//! `row_digest(algorithm, a, b, …)`: one digest of many columns, which cannot collide by how values are joined.

use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{DataFusionError, Result, ScalarValue, exec_datafusion_err, exec_err, plan_err};
use datafusion_expr::scalar_doc_sections::DOC_SECTION_HASHING;
use datafusion_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use crate::algorithm::{Algorithm, Kernel};
use crate::argument::{algorithm, constant, is_text, refused, scalar};
use crate::column::{Form, GROUP, Output, output_bytes};

mod encode;

use self::encode::{Encode, Fault, VERSION, encoder, unsupported};

/// The first argument.
pub(crate) const ALGORITHM: &str = "the algorithm";

/// The SQL function `row_digest`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct RowDigest {
    signature: Signature,
}

impl RowDigest {
    pub(crate) const NAME: &str = "row_digest";

    pub(crate) fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for RowDigest {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        accepted(Self::NAME, arg_types)
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        if let Some(Some(value)) = args.scalar_arguments.first() {
            algorithm(Self::NAME, value)?;
        }
        // What has no value yet may become a constant when expressions are folded: `simplify` decides.
        Ok(Arc::new(Field::new(Self::NAME, DataType::Binary, false)))
    }

    fn simplify(&self, args: Vec<Expr>, _info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        planned(Self::NAME, &args)?;
        Ok(ExprSimplifyResult::Original(args))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some((first, columns)) = args.args.split_first().filter(|(_, columns)| !columns.is_empty()) else {
            return exec_err!("{} was called with {} arguments", Self::NAME, args.args.len());
        };
        let kernel = Kernel::new(algorithm(Self::NAME, scalar(Self::NAME, 1, ALGORITHM, first)?)?);
        let one = columns.iter().all(|column| matches!(column, ColumnarValue::Scalar(_)));
        let rows = if one { 1 } else { args.number_rows };
        let bytes = output_bytes(Self::NAME, rows, kernel.width(), Form::Bytes)?;
        let columns: Vec<Column> = columns.iter().map(|column| Column::new(column, rows)).collect::<Result<_>>()?;
        let mut output = Output::new(&kernel, Form::Bytes, bytes);
        each_group(Self::NAME, &columns, 0..rows, |rows, _| output.hash(rows))?;
        let digests = output.finish(rows, None)?;
        Ok(if one {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&digests, 0)?)
        } else {
            ColumnarValue::Array(digests)
        })
    }

    fn documentation(&self) -> Option<&Documentation> {
        static DOCUMENTATION: LazyLock<Documentation> = LazyLock::new(|| {
            Documentation::builder(
                DOC_SECTION_HASHING,
                "The digest of a row of values, none of which can be mistaken for another, NULL among them.",
                "row_digest(algorithm, value[, ...])",
            )
            .with_argument("algorithm", algorithm_description())
            .with_argument("value", "Values of most types; the same value has the same digest in any width or scale.")
            .build()
        });
        Some(&DOCUMENTATION)
    }
}

/// The first argument, in the documentation of a function.
pub(crate) fn algorithm_description() -> String {
    format!("A constant, one of {}.", Algorithm::names())
}

/// The types of the arguments of a digest of rows, as they are.
///
/// # Errors
///
/// If there is no column, if the algorithm is not text, or if values of a column have no encoding.
pub(crate) fn accepted(name: &str, arg_types: &[DataType]) -> Result<Vec<DataType>> {
    let Some((algorithm, columns)) = arg_types.split_first().filter(|(_, columns)| !columns.is_empty()) else {
        return plan_err!("{name} takes an algorithm and at least one column, as in {name}('sha256', a, b)");
    };
    if !is_text(algorithm) && !algorithm.is_null() {
        return Err(refused(name, 1, algorithm, "text, which names an algorithm", ""));
    }
    for (place, data_type) in (2..).zip(columns) {
        if let Some(part) = unsupported(data_type) {
            let inside = if part == data_type { String::new() } else { format!(", which has {part} inside") };
            return plan_err!(
                "{name}: argument {place} is {data_type}{inside}, but values of this type have no encoding: CAST it, \
                 as in {name}('sha256', CAST(x AS VARCHAR))"
            );
        }
    }
    Ok(arg_types.to_vec())
}

/// Checks what only a plan with folded constants tells: the algorithm.
///
/// # Errors
///
/// If the first argument is no constant, or names no algorithm.
pub(crate) fn planned(name: &str, args: &[Expr]) -> Result<()> {
    if let Some(first) = args.first() {
        constant(name, 1, ALGORITHM, first)?.map(|value| algorithm(name, value)).transpose()?;
    }
    Ok(())
}

/// A column of rows that are to be hashed.
pub(crate) struct Column {
    encoder: Box<dyn Encode>,
    /// Whether one value stands for all rows.
    constant: bool,
}

impl Column {
    pub(crate) fn new(value: &ColumnarValue, rows: usize) -> Result<Self> {
        match value {
            ColumnarValue::Array(array) => Self::of_array(array, rows),
            ColumnarValue::Scalar(scalar) => Ok(Self { encoder: encoder(&scalar.to_array()?)?, constant: true }),
        }
    }

    pub(crate) fn of_array(array: &ArrayRef, rows: usize) -> Result<Self> {
        if array.len() != rows {
            return exec_err!("a column of {} rows stands beside {rows} rows", array.len());
        }
        Ok(Self { encoder: encoder(array)?, constant: false })
    }
}

/// Gives the encodings of `rows` to `hash`, a group at a time, with the numbers of the rows.
///
/// # Errors
///
/// If a value has no encoding, and if `hash` fails.
pub(crate) fn each_group(
    name: &str,
    columns: &[Column],
    rows: impl IntoIterator<Item = usize>,
    mut hash: impl FnMut(&[&[u8]], &[usize]) -> Result<()>,
) -> Result<()> {
    /// Encodings that stay in the first or second cache until they are hashed.
    const BYTES: usize = 128 << 10;
    let mut rows = rows.into_iter().peekable();
    let mut bytes = Vec::new();
    let (mut numbers, mut ends) = ([0; GROUP], [0; GROUP]);
    while rows.peek().is_some() {
        bytes.clear();
        let mut live = 0;
        while live < GROUP && bytes.len() < BYTES {
            let Some(row) = rows.next() else { break };
            bytes.push(VERSION);
            for (place, column) in (2..).zip(columns) {
                let i = if column.constant { 0 } else { row };
                column.encoder.append(i, &mut bytes).map_err(|fault| fault.at(name, place, row))?;
            }
            (numbers[live], ends[live]) = (row, bytes.len());
            live += 1;
        }
        let mut group = [&[][..]; GROUP];
        let mut begin = 0;
        for (to, &end) in group.iter_mut().zip(&ends[..live]) {
            (*to, begin) = (&bytes[begin..end], end);
        }
        hash(&group[..live], &numbers[..live])?;
    }
    Ok(())
}

impl Fault {
    /// The error of argument `place`, counted from 1, in `row` of a batch.
    fn at(self, name: &str, place: usize, row: usize) -> DataFusionError {
        match self {
            Self::NotAWholeDay(milliseconds) => exec_datafusion_err!(
                "{name}: argument {place} is Date64, and in row {row} of a batch {milliseconds} ms, which is no whole \
                 day: CAST it to a timestamp or to DATE first"
            ),
        }
    }
}
