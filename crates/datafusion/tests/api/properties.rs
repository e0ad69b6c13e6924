//! `row_digest` against a second encoder, over columns made at random.

use core::ops::Range;
use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::*;
use proptest::prelude::{any, proptest};
use proptest::prop_assert_eq;
use proptest::test_runner::Config;

use crate::call::{ALGORITHMS, call, column, hash, literal};

/// A value as the specification sees it.
#[derive(Clone, Debug)]
enum Value {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    /// Digits and scale.
    Decimal(i128, i16),
    Text(String),
    Bytes(Vec<u8>),
    Date(i64),
    /// Nanoseconds, and whether there is a zone.
    Timestamp(i128, bool),
    List(Vec<Value>),
    Struct(Vec<Value>),
}

/// The encoding, as the table of `docs/row-digest.md` reads.
fn encode(value: &Value) -> Vec<u8> {
    let counted = |tag: u8, count: usize, rest: &[u8]| [&[tag][..], &(count as u64).to_le_bytes(), rest].concat();
    match value {
        Value::Null => vec![0],
        Value::Bool(value) => vec![if *value { 2 } else { 1 }],
        Value::Integer(value) => [&[if *value < 0 { 4 } else { 3 }][..], &value.to_le_bytes()[..8]].concat(),
        Value::Float(value) if value.is_nan() => vec![5, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
        Value::Float(value) => [&[5][..], &(value + 0.0).to_le_bytes()].concat(),
        Value::Decimal(digits, scale) => {
            let text = digits.to_string();
            let kept = if *digits == 0 { "0" } else { text.trim_end_matches('0') };
            let zeros = i16::try_from(text.len() - kept.len()).unwrap();
            let exponent = if *digits == 0 { 0 } else { zeros - scale };
            let digits: i128 = kept.parse().unwrap();
            let sign = if digits < 0 { [0xff; 16] } else { [0; 16] };
            [&[6][..], &exponent.to_le_bytes(), &digits.to_le_bytes(), &sign].concat()
        }
        Value::Text(text) => counted(7, text.len(), text.as_bytes()),
        Value::Bytes(bytes) => counted(8, bytes.len(), bytes),
        Value::Date(days) => [&[9][..], &days.to_le_bytes()].concat(),
        Value::Timestamp(nanoseconds, zone) => {
            let mut seconds = nanoseconds / 1_000_000_000;
            if seconds * 1_000_000_000 > *nanoseconds {
                seconds -= 1;
            }
            let rest = nanoseconds - seconds * 1_000_000_000;
            [&[if *zone { 11 } else { 10 }][..], &seconds.to_le_bytes()[..8], &rest.to_le_bytes()[..4]].concat()
        }
        Value::List(values) => counted(12, values.len(), &values.iter().flat_map(encode).collect::<Vec<_>>()),
        Value::Struct(values) => counted(13, values.len(), &values.iter().flat_map(encode).collect::<Vec<_>>()),
    }
}

/// Numbers at random, the same for the same seed (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// A number of any size, often a small one or an extreme.
    fn number(&mut self) -> i64 {
        let number = i64::from_le_bytes(self.next().to_le_bytes());
        match self.below(4) {
            0 => number,
            1 => number >> self.below(64),
            2 => [i64::MIN, i64::MAX, 0, -1, 86_400_000, 1_000_000_000][self.below(6)],
            _ => number % 1000 * 100,
        }
    }

    fn text(&mut self) -> String {
        let length = if self.below(20) == 0 { 300 } else { self.below(20) };
        (0..length).map(|_| ['a', 'N', '\0', 'ä', '世', '😀', '\u{1}'][self.below(7)]).collect()
    }

    /// NULL one time in four, or never.
    fn nulls(&mut self, rows: usize) -> Vec<bool> {
        let never = self.below(3) == 0;
        (0..rows).map(|_| !never && self.below(4) == 0).collect()
    }
}

/// Puts NULL into values and into the array: `make` is given what is to be in the array.
fn with_nulls<T: Clone>(
    random: &mut Random,
    plain: Vec<T>,
    value: impl Fn(&T) -> Value,
    make: impl Fn(Vec<Option<T>>) -> ArrayRef,
) -> (ArrayRef, Vec<Value>) {
    let nulls = random.nulls(plain.len());
    let values = plain.iter().zip(&nulls).map(|(plain, &null)| if null { Value::Null } else { value(plain) }).collect();
    (make(plain.into_iter().zip(nulls).map(|(plain, null)| (!null).then_some(plain)).collect()), values)
}

/// A column at random, and its values.
fn random_column(random: &mut Random, rows: usize, depth: usize) -> (ArrayRef, Vec<Value>) {
    // Some rows before and after, which are cut off.
    let (before, after) = (random.below(3), random.below(3));
    let (array, values) = random_whole_column(random, before + rows + after, depth);
    (array.slice(before, rows), values[before..before + rows].to_vec())
}

fn random_whole_column(random: &mut Random, rows: usize, depth: usize) -> (ArrayRef, Vec<Value>) {
    let numbers: Vec<i64> = (0..rows).map(|_| random.number()).collect();
    macro_rules! primitive {
        ($Array:ty, $Native:ty, $value:expr) => {{
            #[expect(clippy::allow_attributes, reason = "not all casts are lossy")]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::unnecessary_cast,
                clippy::cast_precision_loss
            )]
            let plain: Vec<$Native> = numbers.iter().map(|&number| number as $Native).collect();
            with_nulls(random, plain, $value, |plain| Arc::new(<$Array>::from_iter(plain)))
        }};
    }
    let integer = |value: &dyn Fn() -> i128| Value::Integer(value());
    match random.below(if depth == 0 { 22 } else { 30 }) {
        0 => (Arc::new(NullArray::new(rows)), vec![Value::Null; rows]),
        1 => {
            let plain = numbers.iter().map(|number| number % 2 == 0).collect();
            with_nulls(random, plain, |&value| Value::Bool(value), |plain| Arc::new(BooleanArray::from(plain)))
        }
        2 => primitive!(Int8Array, i8, |&value| integer(&|| value.into())),
        3 => primitive!(Int16Array, i16, |&value| integer(&|| value.into())),
        4 => primitive!(Int32Array, i32, |&value| integer(&|| value.into())),
        5 => primitive!(Int64Array, i64, |&value| integer(&|| value.into())),
        6 => primitive!(UInt8Array, u8, |&value| integer(&|| value.into())),
        7 => primitive!(UInt32Array, u32, |&value| integer(&|| value.into())),
        8 => primitive!(UInt64Array, u64, |&value| integer(&|| value.into())),
        9 => primitive!(Float32Array, f32, |&value| Value::Float(value.into())),
        10 => {
            let plain = numbers.iter().map(|number| f64::from_bits(number.cast_unsigned())).collect();
            with_nulls(random, plain, |&value| Value::Float(value), |plain| Arc::new(Float64Array::from(plain)))
        }
        11 => {
            let scale = i8::try_from(random.below(40)).unwrap() - 10;
            let plain =
                numbers.iter().map(|&number| i128::from(number) * if number % 3 == 0 { 10_000_000_000 } else { 1 });
            let make = |plain| -> ArrayRef {
                Arc::new(Decimal128Array::from_iter(plain).with_precision_and_scale(38, scale).unwrap())
            };
            with_nulls(random, plain.collect(), |&value| Value::Decimal(value, scale.into()), make)
        }
        12 => {
            let scale = i8::try_from(random.below(60)).unwrap() - 10;
            let plain = numbers.iter().map(|&number| i128::from(number) * 1_000_000_000_000).collect();
            let make = |plain: Vec<Option<i128>>| -> ArrayRef {
                let wide = plain.into_iter().map(|value| value.map(i256::from_i128));
                Arc::new(Decimal256Array::from_iter(wide).with_precision_and_scale(76, scale).unwrap())
            };
            with_nulls(random, plain, |&value| Value::Decimal(value, scale.into()), make)
        }
        kind @ 13..=15 => {
            let plain = (0..rows).map(|_| random.text()).collect();
            with_nulls(
                random,
                plain,
                |value| Value::Text(value.clone()),
                |plain| match kind {
                    13 => Arc::new(StringArray::from(plain)),
                    14 => Arc::new(LargeStringArray::from(plain)),
                    _ => Arc::new(StringViewArray::from_iter(plain)),
                },
            )
        }
        kind @ 16..=17 => {
            let plain = (0..rows).map(|_| random.text().into_bytes()).collect();
            with_nulls(
                random,
                plain,
                |value| Value::Bytes(value.clone()),
                |plain| match kind {
                    16 => Arc::new(BinaryArray::from_iter(plain)),
                    _ => Arc::new(BinaryViewArray::from_iter(plain)),
                },
            )
        }
        18 => primitive!(Date32Array, i32, |&value| Value::Date(value.into())),
        19 => {
            let plain = numbers.iter().map(|number| number / 86_400_000 * 86_400_000).collect();
            with_nulls(
                random,
                plain,
                |&value| Value::Date(value / 86_400_000),
                |plain| Arc::new(Date64Array::from(plain)),
            )
        }
        20 => primitive!(TimestampNanosecondArray, i64, |&value| Value::Timestamp(value.into(), false)),
        21 => {
            let value = |&value: &i64| Value::Timestamp(i128::from(value) * 1000, true);
            let make =
                |plain| -> ArrayRef { Arc::new(TimestampMicrosecondArray::from_iter(plain).with_timezone("+01:00")) };
            with_nulls(random, numbers, value, make)
        }
        22..=24 => random_lists(random, rows, depth),
        25 | 26 => {
            let count = 1 + random.below(3);
            let (columns, all): (Vec<_>, Vec<_>) = (0..count).map(|_| random_column(random, rows, depth - 1)).unzip();
            let nulls = random.nulls(rows);
            let row = |row: usize| {
                if nulls[row] {
                    Value::Null
                } else {
                    Value::Struct(all.iter().map(|values| values[row].clone()).collect())
                }
            };
            let values = (0..rows).map(row).collect();
            let fields: Fields =
                columns.iter().map(|column: &ArrayRef| Field::new("f", column.data_type().clone(), true)).collect();
            let nulls = NullBuffer::from_iter(nulls.iter().map(|null| !null));
            (Arc::new(StructArray::new(fields, columns, Some(nulls))), values)
        }
        27 | 28 => {
            let number = 1 + random.below(5);
            let (entries, values) = random_column(random, number, depth - 1);
            let plain: Vec<u8> = (0..rows).map(|_| u8::try_from(random.below(number)).unwrap()).collect();
            let value = |&key: &u8| values[usize::from(key)].clone();
            with_nulls(random, plain, value, |keys| {
                Arc::new(UInt8DictionaryArray::new(UInt8Array::from(keys), Arc::clone(&entries)))
            })
        }
        _ => {
            let number = 1 + random.below(5);
            let (entries, values) = random_column(random, number, depth - 1);
            let mut ends: Vec<i32> = Vec::new();
            for _ in 0..number {
                ends.push(ends.last().unwrap_or(&0) + 1 + i32::try_from(random.below(4)).unwrap());
            }
            if let Some(last) = ends.last_mut() {
                *last = (*last).max(i32::try_from(rows).unwrap());
            }
            let runs = RunArray::<Int32Type>::try_new(&Int32Array::from(ends.clone()), &entries).unwrap();
            let run = |row: usize| ends.iter().position(|&end| row < usize::try_from(end).unwrap()).unwrap();
            (Arc::new(runs.slice(0, rows)), (0..rows).map(|row| values[run(row)].clone()).collect())
        }
    }
}

fn random_lists(random: &mut Random, rows: usize, depth: usize) -> (ArrayRef, Vec<Value>) {
    let fixed = random.below(3) == 0;
    let width = random.below(3);
    let lengths: Vec<usize> = (0..rows).map(|_| if fixed { width } else { random.below(4) }).collect();
    let (elements, values) = random_column(random, lengths.iter().sum(), depth - 1);
    let mut begin = 0;
    let ranges: Vec<Range<usize>> = lengths
        .iter()
        .map(|length| {
            begin += length;
            begin - length..begin
        })
        .collect();
    let field = Arc::new(Field::new("element", elements.data_type().clone(), true));
    let nulls = random.nulls(rows);
    let all = ranges.iter().zip(&nulls);
    let all = all
        .map(|(range, &null)| if null { Value::Null } else { Value::List(values[range.clone()].to_vec()) })
        .collect();
    let nulls = Some(NullBuffer::from_iter(nulls.iter().map(|null| !null)));
    let array: ArrayRef = match random.below(2) {
        _ if fixed => Arc::new(
            FixedSizeListArray::try_new_with_length(field, i32::try_from(width).unwrap(), elements, nulls, rows)
                .unwrap(),
        ),
        0 => Arc::new(ListArray::new(field, OffsetBuffer::from_lengths(lengths), elements, nulls)),
        _ => {
            let begins: Vec<i64> = ranges.iter().map(|range| i64::try_from(range.start).unwrap()).collect();
            let sizes: Vec<i64> = lengths.iter().map(|&length| i64::try_from(length).unwrap()).collect();
            Arc::new(LargeListViewArray::new(field, begins.into(), sizes.into(), elements, nulls))
        }
    };
    (array, all)
}

proptest! {
    #![proptest_config(Config { cases: 400, ..Config::default() })]

    #[test]
    fn encodings_are_those_of_the_specification(seed in any::<u64>(), rows in 0_usize..20, count in 1_usize..5) {
        let mut random = Random(seed);
        let (columns, values): (Vec<_>, Vec<_>) = (0..count).map(|_| random_column(&mut random, rows, 3)).unzip();
        let algorithm = ALGORITHMS[random.below(ALGORITHMS.len())];
        let args = [literal(algorithm)].into_iter().chain(columns.iter().map(column)).collect();
        let given = call("row_digest", args, rows).unwrap();
        for row in 0..rows {
            let encodings = values.iter().flat_map(|values| encode(&values[row]));
            let message: Vec<u8> = [1].into_iter().chain(encodings).collect();
            prop_assert_eq!(given[row].as_ref().unwrap(), &hash(algorithm, &message), "row {} of {:?}", row, columns);
        }
    }
}
