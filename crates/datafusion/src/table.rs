//! `table_digest(algorithm, a, b, …)`: how many rows there are, and the sum of their digests, in any order.

use core::mem::size_of_val;
use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray};
use arrow::datatypes::{DataType, Field, FieldRef};
use arrow::record_batch::RecordBatch;
use datafusion_common::{Result, ScalarValue, exec_err, internal_err, plan_err};
use datafusion_expr::aggregate_doc_sections::DOC_SECTION_GENERAL;
use datafusion_expr::function::{AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs};
use datafusion_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion_expr::{
    Accumulator, AggregateUDFImpl, Documentation, EmitTo, Expr, GroupsAccumulator, ReversedUDAF, Signature, Volatility,
};

use crate::algorithm::Kernel;
use crate::argument::{algorithm, scalar};
use crate::column::{Form, GROUP, output_bytes};
use crate::row::{ALGORITHM, Column, accepted, algorithm_description, each_group, planned};

pub(crate) const NAME: &str = "table_digest";

/// The SQL function `table_digest`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct TableDigest {
    signature: Signature,
}

impl TableDigest {
    pub(crate) fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for TableDigest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        accepted(NAME, arg_types)
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn is_nullable(&self) -> bool {
        false
    }

    fn default_value(&self, _data_type: &DataType) -> Result<ScalarValue> {
        Ok(Total::default().to_scalar())
    }

    // Not asked of a window, whose mistakes are found by `Rows::new` when the query runs.
    fn simplify(&self) -> Option<AggregateFunctionSimplification> {
        Some(Box::new(|function, _| {
            refuse_distinct(function.params.distinct)?;
            planned(NAME, &function.params.args)?;
            Ok(Expr::AggregateFunction(function))
        }))
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OneTotal { rows: Rows::new(&args)?, total: Total::default() }))
    }

    fn groups_accumulator_supported(&self, _args: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Totals { rows: Rows::new(&args)?, totals: Vec::new() }))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format_state_name(args.name, "total"), DataType::Binary, false))])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn documentation(&self) -> Option<&Documentation> {
        static DOCUMENTATION: LazyLock<Documentation> = LazyLock::new(|| {
            Documentation::builder(
                DOC_SECTION_GENERAL,
                "The number of rows, and the sum of their row digests modulo 2^512, in any order: 72 bytes.",
                "table_digest(algorithm, value[, ...])",
            )
            .with_argument("algorithm", algorithm_description())
            .with_argument("value", "Values of most types, as row_digest takes them.")
            .build()
        });
        Some(&DOCUMENTATION)
    }
}

/// A sum over distinct rows would have to remember all rows.
fn refuse_distinct(is_distinct: bool) -> Result<()> {
    if is_distinct {
        return plan_err!("{NAME} takes no DISTINCT: SELECT DISTINCT in a subquery, and aggregate that");
    }
    Ok(())
}

/// A number of rows, and the sum of their digests modulo 2^512.
#[derive(Clone, Debug, Default)]
struct Total {
    count: u64,
    /// The lowest word first.
    sum: [u64; 8],
}

impl Total {
    const LENGTH: usize = 72;

    /// One row of this digest, at most 64 bytes, which are taken for a number: the first byte is the lowest.
    fn of_row(digest: &[u8]) -> Self {
        let mut words = [[0; 8]; 8];
        words.as_flattened_mut()[..digest.len()].copy_from_slice(digest);
        Self { count: 1, sum: words.map(u64::from_le_bytes) }
    }

    fn add(&mut self, other: &Self) {
        self.count = self.count.wrapping_add(other.count);
        let mut carry = false;
        for (word, &more) in self.sum.iter_mut().zip(&other.sum) {
            let (partial, first) = word.overflowing_add(more);
            let (whole, second) = partial.overflowing_add(carry.into());
            (*word, carry) = (whole, first || second);
        }
    }

    fn subtract(&mut self, other: &Self) {
        self.count = self.count.wrapping_sub(other.count);
        let mut borrow = false;
        for (word, &less) in self.sum.iter_mut().zip(&other.sum) {
            let (partial, first) = word.overflowing_sub(less);
            let (whole, second) = partial.overflowing_sub(borrow.into());
            (*word, borrow) = (whole, first || second);
        }
    }

    fn to_bytes(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let (count, sum) = bytes.split_at_mut(8);
        count.copy_from_slice(&self.count.to_le_bytes());
        sum.copy_from_slice(self.sum.map(u64::to_le_bytes).as_flattened());
        bytes
    }

    fn of_bytes(bytes: &[u8]) -> Result<Self> {
        let (words, []) = bytes.as_chunks() else {
            return exec_err!("{NAME}: a partial state has {} bytes", bytes.len());
        };
        let Ok(words) = <&[[u8; 8]; 9]>::try_from(words) else {
            return exec_err!("{NAME}: a partial state has {} bytes, but must have {}", bytes.len(), Self::LENGTH);
        };
        let [count, sum @ ..] = words.map(u64::from_le_bytes);
        Ok(Self { count, sum })
    }

    fn to_scalar(&self) -> ScalarValue {
        ScalarValue::Binary(Some(self.to_bytes().into()))
    }
}

/// The totals as an array.
fn array_of(totals: &[Total]) -> Result<ArrayRef> {
    output_bytes(NAME, totals.len(), Total::LENGTH, Form::Bytes)?;
    Ok(Arc::new(BinaryArray::from_iter_values(totals.iter().map(Total::to_bytes))))
}

/// The partial states in the one column that there is of them.
fn states(columns: &[ArrayRef]) -> Result<impl Iterator<Item = Result<Total>>> {
    let [column] = columns else { return exec_err!("{NAME}: {} columns of partial states", columns.len()) };
    let Some(states) = column.as_binary_opt::<i32>() else {
        return exec_err!("{NAME}: partial states are {}, but must be {}", column.data_type(), DataType::Binary);
    };
    Ok(states.iter().map(|state| match state {
        Some(bytes) => Total::of_bytes(bytes),
        None => exec_err!("{NAME}: a partial state is NULL"),
    }))
}

/// Hashes the rows of batches.
struct Rows {
    kernel: Kernel,
}

impl Rows {
    /// With the algorithm that the first argument is.
    fn new(args: &AccumulatorArgs<'_>) -> Result<Self> {
        refuse_distinct(args.is_distinct)?;
        let Some(first) = args.exprs.first() else { return exec_err!("{NAME} was called without arguments") };
        let value = first.evaluate(&RecordBatch::new_empty(Arc::new(args.schema.clone())))?;
        let value = scalar(NAME, 1, ALGORITHM, &value)?;
        Ok(Self { kernel: Kernel::new(algorithm(NAME, value)?) })
    }

    /// Gives the digest of each row that `filter` leaves to `each`, with the row's number.
    fn each(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
        mut each: impl FnMut(usize, Total),
    ) -> Result<()> {
        let [first, columns @ ..] = values else { return internal_err!("{NAME} was called without values") };
        let rows = first.len();
        let columns: Vec<Column> =
            columns.iter().map(|column| Column::of_array(column, rows)).collect::<Result<_>>()?;
        let width = self.kernel.width();
        let mut digests = [0; GROUP * 64];
        let hash = |messages: &[&[u8]], rows: &[usize]| {
            let digests = &mut digests[..messages.len() * width];
            self.kernel.hash(messages, digests)?;
            for (&row, digest) in rows.iter().zip(digests.chunks_exact(width)) {
                each(row, Total::of_row(digest));
            }
            Ok(())
        };
        match filter {
            None => each_group(NAME, &columns, 0..rows, hash),
            Some(filter) if filter.len() == rows => {
                let left = (0..rows).filter(|&row| filter.is_valid(row) && filter.value(row));
                each_group(NAME, &columns, left, hash)
            }
            Some(filter) => internal_err!("{NAME}: a filter of {} rows over {rows}", filter.len()),
        }
    }
}

/// The total of one group, or of a window.
struct OneTotal {
    rows: Rows,
    total: Total,
}

impl core::fmt::Debug for OneTotal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("OneTotal").field("total", &self.total).finish_non_exhaustive()
    }
}

impl Accumulator for OneTotal {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Self { rows, total } = self;
        rows.each(values, None, |_, row| total.add(&row))
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Self { rows, total } = self;
        rows.each(values, None, |_, row| total.subtract(&row))
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(self.total.to_scalar())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.total.to_scalar()])
    }

    fn merge_batch(&mut self, columns: &[ArrayRef]) -> Result<()> {
        for state in states(columns)? {
            self.total.add(&state?);
        }
        Ok(())
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }
}

/// The totals of all groups.
struct Totals {
    rows: Rows,
    totals: Vec<Total>,
}

impl Totals {
    /// Room for the totals of `groups`, and a check that each row has a group.
    fn reserve(&mut self, rows: usize, group_indices: &[usize], groups: usize) -> Result<()> {
        if group_indices.len() != rows || group_indices.iter().any(|&group| group >= groups) {
            return internal_err!("{NAME}: {rows} rows have groups of their own number below {groups}");
        }
        self.totals.resize(groups.max(self.totals.len()), Total::default());
        Ok(())
    }
}

impl GroupsAccumulator for Totals {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.reserve(values.first().map_or(0, Array::len), group_indices, total_num_groups)?;
        let Self { rows, totals } = self;
        rows.each(values, opt_filter, |row, total| totals[group_indices[row]].add(&total))
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.reserve(values.first().map_or(0, Array::len), group_indices, total_num_groups)?;
        for (&group, state) in group_indices.iter().zip(states(values)?) {
            self.totals[group].add(&state?);
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        if let EmitTo::First(groups) = emit_to
            && groups > self.totals.len()
        {
            return internal_err!("{NAME}: {groups} groups of {} are to be emitted", self.totals.len());
        }
        array_of(&emit_to.take_needed(&mut self.totals))
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit_to)?])
    }

    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, Array::len);
        output_bytes(NAME, rows, Total::LENGTH, Form::Bytes)?;
        let mut totals = vec![Total::default(); rows];
        self.rows.each(values, opt_filter, |row, total| totals[row] = total)?;
        Ok(vec![array_of(&totals)?])
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.totals.capacity() * size_of::<Total>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_carry_and_borrow_through_all_words() {
        let mut total = Total::of_row(&[0xff; 64]);
        total.add(&Total::of_row(&[1]));
        assert_eq!(total.to_bytes(), {
            let mut bytes = [0; 72];
            bytes[0] = 2;
            bytes
        });
        total.subtract(&Total::of_row(&[1]));
        assert_eq!(total.to_bytes()[8..], [0xff; 64]);
        total.subtract(&Total::of_row(&[0xff; 64]));
        assert_eq!(total.to_bytes(), [0; 72]);
    }

    #[test]
    fn malformed_states_are_errors() {
        let state = |bytes: Option<&[u8]>| -> ArrayRef { Arc::new(BinaryArray::from(vec![bytes])) };
        let mut total = OneTotal {
            rows: Rows { kernel: Kernel::new(crate::algorithm::Algorithm::Sha256) },
            total: Total::default(),
        };
        for bytes in [None, Some(&[][..]), Some(&[0; 71]), Some(&[0; 73]), Some(&[0; 64]), Some(&[0; 80])] {
            assert!(total.merge_batch(&[state(bytes)]).is_err(), "{bytes:?}");
        }
        assert!(total.merge_batch(&[]).is_err());
        assert!(total.merge_batch(&[state(None), state(None)]).is_err());
        let text: ArrayRef = Arc::new(arrow::array::StringArray::from(vec!["a"]));
        assert!(total.merge_batch(&[text]).is_err());
        total.merge_batch(&[state(Some(&[1; 72]))]).unwrap();
        assert_eq!(total.state().unwrap(), [ScalarValue::Binary(Some(vec![1; 72]))]);
        assert!(total.merge_batch(&[state(Some(&[1; 72])), state(None)]).is_err());
    }
}
