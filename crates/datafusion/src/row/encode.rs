//! The encoding of values that `row_digest` hashes: `docs/row-digest.md`, version 1. A change of one byte is a bug.
//!
//! Each encoding tells where it ends, so no two rows of values have the same bytes.

use core::ops::Range;

use arrow::array::{
    Array, ArrayAccessor, ArrayRef, ArrowPrimitiveType, AsArray, BinaryArray, BooleanArray, DictionaryArray,
    FixedSizeListArray, GenericListArray, GenericListViewArray, LargeBinaryArray, OffsetSizeTrait, PrimitiveArray,
    RunArray,
};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    ArrowDictionaryKeyType, ArrowNativeType, DataType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, RunEndIndexType, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type, i256,
};
use datafusion_common::{Result, internal_err};

/// The first byte of every row: the version of the encoding.
pub(super) const VERSION: u8 = 1;

const NULL: u8 = 0x00;
const FALSE: u8 = 0x01;
const TRUE: u8 = 0x02;
const INTEGER: u8 = 0x03;
const NEGATIVE_INTEGER: u8 = 0x04;
const FLOAT: u8 = 0x05;
const DECIMAL: u8 = 0x06;
const TEXT: u8 = 0x07;
const BYTES: u8 = 0x08;
const DATE: u8 = 0x09;
const TIMESTAMP: u8 = 0x0a;
const TIMESTAMP_WITH_ZONE: u8 = 0x0b;
const LIST: u8 = 0x0c;
const STRUCT: u8 = 0x0d;

/// Why a value has no encoding.
pub(super) enum Fault {
    /// Milliseconds of a `Date64`.
    NotAWholeDay(i64),
}

/// The first type inside `data_type` that has no encoding, if there is one.
pub(super) fn unsupported(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::Null
        | DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float16
        | DataType::Float32
        | DataType::Float64
        | DataType::Decimal32(_, _)
        | DataType::Decimal64(_, _)
        | DataType::Decimal128(_, _)
        | DataType::Decimal256(_, _)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_)
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(_, _) => None,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::ListView(field)
        | DataType::LargeListView(field) => unsupported(field.data_type()),
        DataType::Struct(fields) => fields.iter().find_map(|field| unsupported(field.data_type())),
        DataType::Dictionary(_, values) => unsupported(values),
        DataType::RunEndEncoded(_, values) => unsupported(values.data_type()),
        _ => Some(data_type),
    }
}

/// A column whose values can be appended to rows.
pub(super) trait Encode {
    /// Appends value `i`.
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault>;
}

/// A column with its NULLs.
struct Nullable<E> {
    nulls: Option<NullBuffer>,
    values: E,
}

impl<E: Encode> Encode for Nullable<E> {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(i)) {
            row.push(NULL);
            return Ok(());
        }
        self.values.append(i, row)
    }
}

/// The encoder of an array.
///
/// # Errors
///
/// If its type is [unsupported], which planning has refused.
pub(super) fn encoder(array: &dyn Array) -> Result<Box<dyn Encode>> {
    let nulls = || array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
    macro_rules! nullable {
        ($values:expr) => {
            Ok(Box::new(Nullable { nulls: nulls(), values: $values }))
        };
    }
    macro_rules! primitive {
        ($Wrapper:ident, $Type:ty $(, $more:expr)*) => {
            nullable!($Wrapper(array.as_primitive::<$Type>().clone() $(, $more)*))
        };
    }
    match array.data_type() {
        DataType::Null => Ok(Box::new(AllNull)),
        DataType::Boolean => nullable!(array.as_boolean().clone()),
        DataType::Int8 => primitive!(Integers, Int8Type),
        DataType::Int16 => primitive!(Integers, Int16Type),
        DataType::Int32 => primitive!(Integers, Int32Type),
        DataType::Int64 => primitive!(Integers, Int64Type),
        DataType::UInt8 => primitive!(Integers, UInt8Type),
        DataType::UInt16 => primitive!(Integers, UInt16Type),
        DataType::UInt32 => primitive!(Integers, UInt32Type),
        DataType::UInt64 => primitive!(Unsigned, UInt64Type),
        DataType::Float16 => primitive!(Floats, Float16Type),
        DataType::Float32 => primitive!(Floats, Float32Type),
        DataType::Float64 => primitive!(Floats, Float64Type),
        &DataType::Decimal32(_, scale) => primitive!(Decimals, Decimal32Type, scale),
        &DataType::Decimal64(_, scale) => primitive!(Decimals, Decimal64Type, scale),
        &DataType::Decimal128(_, scale) => primitive!(Decimals, Decimal128Type, scale),
        &DataType::Decimal256(_, scale) => primitive!(Decimals, Decimal256Type, scale),
        DataType::Utf8 => nullable!(Bytes(TEXT, BinaryArray::from(array.as_string::<i32>().clone()))),
        DataType::LargeUtf8 => nullable!(Bytes(TEXT, LargeBinaryArray::from(array.as_string::<i64>().clone()))),
        DataType::Utf8View => nullable!(Bytes(TEXT, array.as_string_view().clone().to_binary_view())),
        DataType::Binary => nullable!(Bytes(BYTES, array.as_binary::<i32>().clone())),
        DataType::LargeBinary => nullable!(Bytes(BYTES, array.as_binary::<i64>().clone())),
        DataType::BinaryView => nullable!(Bytes(BYTES, array.as_binary_view().clone())),
        DataType::FixedSizeBinary(_) => nullable!(Bytes(BYTES, array.as_fixed_size_binary().clone())),
        DataType::Date32 => primitive!(Days, Date32Type),
        DataType::Date64 => primitive!(Milliseconds, Date64Type),
        DataType::Timestamp(unit, zone) => {
            let tag = if zone.is_some() { TIMESTAMP_WITH_ZONE } else { TIMESTAMP };
            match unit {
                TimeUnit::Second => primitive!(Instants, TimestampSecondType, tag, 1),
                TimeUnit::Millisecond => primitive!(Instants, TimestampMillisecondType, tag, 1_000),
                TimeUnit::Microsecond => primitive!(Instants, TimestampMicrosecondType, tag, 1_000_000),
                TimeUnit::Nanosecond => primitive!(Instants, TimestampNanosecondType, tag, 1_000_000_000),
            }
        }
        DataType::List(_) => list(array.as_list::<i32>()),
        DataType::LargeList(_) => list(array.as_list::<i64>()),
        DataType::FixedSizeList(_, _) => list(array.as_fixed_size_list()),
        DataType::ListView(_) => list(array.as_list_view::<i32>()),
        DataType::LargeListView(_) => list(array.as_list_view::<i64>()),
        DataType::Struct(_) => {
            let fields = array.as_struct().columns().iter().map(|column| encoder(column)).collect::<Result<_>>()?;
            nullable!(Fields(fields))
        }
        DataType::Dictionary(key, _) => match **key {
            DataType::Int8 => dictionary::<Int8Type>(array),
            DataType::Int16 => dictionary::<Int16Type>(array),
            DataType::Int32 => dictionary::<Int32Type>(array),
            DataType::Int64 => dictionary::<Int64Type>(array),
            DataType::UInt8 => dictionary::<UInt8Type>(array),
            DataType::UInt16 => dictionary::<UInt16Type>(array),
            DataType::UInt32 => dictionary::<UInt32Type>(array),
            DataType::UInt64 => dictionary::<UInt64Type>(array),
            ref other => internal_err!("no dictionary has keys of {other}"),
        },
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array),
            DataType::Int32 => runs::<Int32Type>(array),
            DataType::Int64 => runs::<Int64Type>(array),
            other => internal_err!("no run ends at an {other}"),
        },
        other => internal_err!("values of {other} have no encoding"),
    }
}

/// Appends a tag and a value of fixed size in one step.
#[inline]
fn push<const N: usize>(tag: u8, value: [u8; N], row: &mut Vec<u8>) {
    row.push(tag);
    row.extend_from_slice(&value);
}

struct AllNull;

impl Encode for AllNull {
    fn append(&self, _: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        row.push(NULL);
        Ok(())
    }
}

impl Encode for BooleanArray {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        row.push(if self.value(i) { TRUE } else { FALSE });
        Ok(())
    }
}

/// Integers that 64 bits with a sign hold.
struct Integers<T: ArrowPrimitiveType>(PrimitiveArray<T>);

impl<T: ArrowPrimitiveType<Native: Into<i64>>> Encode for Integers<T> {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        let value: i64 = self.0.value(i).into();
        push(if value < 0 { NEGATIVE_INTEGER } else { INTEGER }, value.to_le_bytes(), row);
        Ok(())
    }
}

struct Unsigned(PrimitiveArray<UInt64Type>);

impl Encode for Unsigned {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        push(INTEGER, self.0.value(i).to_le_bytes(), row);
        Ok(())
    }
}

struct Floats<T: ArrowPrimitiveType>(PrimitiveArray<T>);

impl<T: ArrowPrimitiveType<Native: Into<f64>>> Encode for Floats<T> {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        let value: f64 = self.0.value(i).into();
        let bits = match value {
            _ if value.is_nan() => 0x7ff8_0000_0000_0000,
            0.0 => 0,
            _ => value.to_bits(),
        };
        push(FLOAT, bits.to_le_bytes(), row);
        Ok(())
    }
}

/// Decimals: the value before the point is moved, and how far to the left it is moved.
struct Decimals<T: ArrowPrimitiveType>(PrimitiveArray<T>, i8);

/// An integer of a decimal as one of 256 bits, or of 128 where those hold it.
trait Wide: Copy {
    fn narrow(self) -> Option<i128>;
    fn wide(self) -> i256;
}

macro_rules! wide {
    ($($Integer:ty)*) => {$(
        impl Wide for $Integer {
            fn narrow(self) -> Option<i128> {
                Some(self.into())
            }

            fn wide(self) -> i256 {
                i256::from_i128(self.into())
            }
        }
    )*};
}

wide!(i32 i64 i128);

impl Wide for i256 {
    fn narrow(self) -> Option<i128> {
        self.to_i128()
    }

    fn wide(self) -> i256 {
        self
    }
}

impl<T: DecimalType<Native: Wide>> Encode for Decimals<T> {
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        let value = self.0.value(i);
        let (digits, exponent) = normalised(value.narrow(), value.wide(), -i16::from(self.1));
        row.push(DECIMAL);
        row.extend_from_slice(&exponent.to_le_bytes());
        row.extend_from_slice(&digits.to_le_bytes());
        Ok(())
    }
}

/// `value * 10^exponent` with no zero at the end of the digits; 0 is `0 * 10^0`.
fn normalised(narrow: Option<i128>, wide: i256, mut exponent: i16) -> (i256, i16) {
    if wide == i256::ZERO {
        return (i256::ZERO, 0);
    }
    let Some(mut value) = narrow else {
        // At most 78 digits, so at most 77 zeros are taken away.
        let (ten, mut value) = (i256::from_i128(10), wide);
        while value.wrapping_rem(ten) == i256::ZERO {
            value = value.wrapping_div(ten);
            exponent += 1;
        }
        return (value, exponent);
    };
    while value % 10 == 0 {
        value /= 10;
        exponent += 1;
    }
    (i256::from_i128(value), exponent)
}

/// Text or bytes: the tag tells which.
struct Bytes<A>(u8, A);

impl<A> Encode for Bytes<A>
where
    for<'a> &'a A: ArrayAccessor<Item = &'a [u8]>,
{
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        let bytes = (&self.1).value(i);
        push(self.0, (bytes.len() as u64).to_le_bytes(), row);
        row.extend_from_slice(bytes);
        Ok(())
    }
}

struct Days(PrimitiveArray<Date32Type>);

impl Encode for Days {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        push(DATE, i64::from(self.0.value(i)).to_le_bytes(), row);
        Ok(())
    }
}

/// Dates as milliseconds, which must be whole days.
struct Milliseconds(PrimitiveArray<Date64Type>);

impl Encode for Milliseconds {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        const DAY: i64 = 86_400_000;
        let value = self.0.value(i);
        if value % DAY != 0 {
            return Err(Fault::NotAWholeDay(value));
        }
        push(DATE, (value / DAY).to_le_bytes(), row);
        Ok(())
    }
}

/// Timestamps: the tag, and how many units a second has.
struct Instants<T: ArrowPrimitiveType>(PrimitiveArray<T>, u8, i64);

impl<T: ArrowPrimitiveType<Native = i64>> Encode for Instants<T> {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        let &Self(ref values, tag, units) = self;
        let value = values.value(i);
        let seconds = value.div_euclid(units);
        let nanoseconds = value.rem_euclid(units) * (1_000_000_000 / units);
        push(tag, seconds.to_le_bytes(), row);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than a second")]
        row.extend_from_slice(&(nanoseconds as u32).to_le_bytes());
        Ok(())
    }
}

/// An array of lists.
trait Lists: Array + Clone + 'static {
    fn elements(&self) -> &ArrayRef;
    /// Where the elements of list `i` are.
    fn range(&self, i: usize) -> Range<usize>;
}

impl<O: OffsetSizeTrait> Lists for GenericListArray<O> {
    fn elements(&self) -> &ArrayRef {
        self.values()
    }

    fn range(&self, i: usize) -> Range<usize> {
        let offsets = self.value_offsets();
        offsets[i].as_usize()..offsets[i + 1].as_usize()
    }
}

impl<O: OffsetSizeTrait> Lists for GenericListViewArray<O> {
    fn elements(&self) -> &ArrayRef {
        self.values()
    }

    fn range(&self, i: usize) -> Range<usize> {
        let begin = self.value_offsets()[i].as_usize();
        begin..begin + self.value_sizes()[i].as_usize()
    }
}

impl Lists for FixedSizeListArray {
    fn elements(&self) -> &ArrayRef {
        self.values()
    }

    fn range(&self, i: usize) -> Range<usize> {
        let length = self.value_length().as_usize();
        i * length..(i + 1) * length
    }
}

struct ListsOf<L> {
    lists: L,
    elements: Box<dyn Encode>,
}

fn list<L: Lists>(lists: &L) -> Result<Box<dyn Encode>> {
    let nulls = lists.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
    let elements = encoder(lists.elements())?;
    Ok(Box::new(Nullable { nulls, values: ListsOf { lists: lists.clone(), elements } }))
}

impl<L: Lists> Encode for ListsOf<L> {
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        let range = self.lists.range(i);
        push(LIST, (range.len() as u64).to_le_bytes(), row);
        for element in range {
            self.elements.append(element, row)?;
        }
        Ok(())
    }
}

/// The fields of a struct, in order.
struct Fields(Vec<Box<dyn Encode>>);

impl Encode for Fields {
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        push(STRUCT, (self.0.len() as u64).to_le_bytes(), row);
        for field in &self.0 {
            field.append(i, row)?;
        }
        Ok(())
    }
}

struct Entries<K: ArrowDictionaryKeyType> {
    keys: PrimitiveArray<K>,
    values: Box<dyn Encode>,
}

fn dictionary<K: ArrowDictionaryKeyType>(array: &dyn Array) -> Result<Box<dyn Encode>> {
    let dictionary: &DictionaryArray<K> = array.as_dictionary();
    let (keys, values) = (dictionary.keys().clone(), encoder(dictionary.values())?);
    let nulls = keys.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
    Ok(Box::new(Nullable { nulls, values: Entries { keys, values } }))
}

impl<K: ArrowDictionaryKeyType> Encode for Entries<K> {
    #[inline]
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        self.values.append(self.keys.value(i).as_usize(), row)
    }
}

struct Runs<R: RunEndIndexType> {
    runs: RunArray<R>,
    values: Box<dyn Encode>,
}

fn runs<R: RunEndIndexType>(array: &dyn Array) -> Result<Box<dyn Encode>> {
    let Some(runs) = array.as_run_opt::<R>() else { return internal_err!("{} is no run", array.data_type()) };
    Ok(Box::new(Runs { runs: runs.clone(), values: encoder(runs.values())? }))
}

impl<R: RunEndIndexType> Encode for Runs<R> {
    fn append(&self, i: usize, row: &mut Vec<u8>) -> Result<(), Fault> {
        self.values.append(self.runs.get_physical_index(i), row)
    }
}
