//! `row_digest`: the vectors of the script, in all types that have the same values.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::ColumnarValue;
use datafusion_expr::registry::FunctionRegistry;

use crate::call::{ALGORITHMS, call, column, evaluate, hash, hex, literal, registry};

/// A line of the script's output: its kind, its name, a field that depends on the kind, and digests.
pub(crate) fn vectors(kind: &str) -> Vec<[&'static str; 9]> {
    let lines = include_str!("../data/row_digest.txt").lines().filter(|line| !line.starts_with('#'));
    let fields = lines.map(|line| line.split('\t').collect::<Vec<_>>().try_into().unwrap());
    fields.filter(|fields: &[&str; 9]| fields[0] == kind).collect()
}

/// The algorithms of the vectors, in order.
pub(crate) const OF_VECTORS: [&str; 6] = ["sha224", "sha256", "sha384", "sha512", "blake2s", "blake2b"];

fn one<A: Array + 'static>(array: A) -> Vec<ArrayRef> {
    assert_eq!(array.len(), 1);
    vec![Arc::new(array)]
}

fn integers(value: i128) -> Vec<Vec<ArrayRef>> {
    let mut all = Vec::new();
    macro_rules! add {
        ($($Array:ident)*) => {$(
            if let Ok(value) = value.try_into() {
                all.push(one($Array::from_iter_values([value])));
            }
        )*};
    }
    add!(Int8Array Int16Array Int32Array Int64Array UInt8Array UInt16Array UInt32Array UInt64Array);
    all
}

fn floats(value: f64) -> Vec<Vec<ArrayRef>> {
    let mut all = vec![one(Float64Array::from(vec![value]))];
    #[expect(clippy::cast_possible_truncation, reason = "compared")]
    let narrow = value as f32;
    if f64::from(narrow) == value || value.is_nan() {
        all.push(one(Float32Array::from(vec![narrow])));
        let half = arrow::compute::cast(&Float32Array::from(vec![narrow]), &DataType::Float16).unwrap();
        let wide = arrow::compute::cast(&half, &DataType::Float32).unwrap();
        if wide.as_primitive::<Float32Type>().value(0) == narrow || value.is_nan() {
            all.push(vec![half]);
        }
    }
    all
}

/// `digits` with this scale, and with zeros after it as far as each width has room.
fn decimals(digits: &str, scale: i8) -> Vec<Vec<ArrayRef>> {
    let mut all = Vec::new();
    for zeros in [0, 1, 2, 5, 20, 40] {
        let digits = format!("{digits}{}", "0".repeat(usize::try_from(zeros).unwrap()));
        let scale = scale + zeros;
        let count = digits.trim_start_matches('-').len();
        let array = |data_type: DataType, made: ArrayRef| -> ArrayRef {
            make_array(made.to_data().into_builder().data_type(data_type).build().unwrap())
        };
        if count <= 9 && scale <= 9 {
            let made = Int32Array::from(vec![digits.parse::<i32>().unwrap()]);
            all.push(vec![array(DataType::Decimal32(9, scale), Arc::new(made))]);
        }
        if count <= 18 && scale <= 18 {
            let made = Int64Array::from(vec![digits.parse::<i64>().unwrap()]);
            all.push(vec![array(DataType::Decimal64(18, scale), Arc::new(made))]);
        }
        if count <= 38 && scale <= 38 {
            let made = Decimal128Array::from(vec![digits.parse::<i128>().unwrap()]);
            all.push(one(made.with_precision_and_scale(38, scale).unwrap()));
        }
        if count <= 76 && scale <= 76 {
            let made = Decimal256Array::from(vec![digits.parse::<i256>().unwrap()]);
            all.push(one(made.with_precision_and_scale(76, scale).unwrap()));
        }
    }
    all
}

fn texts(text: &str) -> Vec<Vec<ArrayRef>> {
    let entries: ArrayRef = Arc::new(StringArray::from(vec![Some("another"), None, Some(text)]));
    let runs = RunArray::<Int16Type>::try_new(&Int16Array::from(vec![3, 4, 9]), &entries).unwrap();
    vec![
        one(StringArray::from(vec![text])),
        one(LargeStringArray::from(vec![text])),
        one(StringViewArray::from(vec![text])),
        one(UInt8DictionaryArray::new(vec![2].into(), Arc::clone(&entries))),
        one(Int64DictionaryArray::new(vec![2].into(), entries)),
        one(runs.slice(5, 1)),
    ]
}

fn bytes(bytes: &[u8]) -> Vec<Vec<ArrayRef>> {
    let fixed = FixedSizeBinaryArray::try_new(i32::try_from(bytes.len()).unwrap(), bytes.to_vec().into(), None);
    let mut all = vec![
        one(BinaryArray::from(vec![bytes])),
        one(LargeBinaryArray::from(vec![bytes])),
        one(BinaryViewArray::from(vec![bytes])),
        one(Int8DictionaryArray::new(vec![0].into(), Arc::new(BinaryArray::from(vec![bytes])))),
    ];
    if !bytes.is_empty() {
        all.push(one(fixed.unwrap()));
    }
    all
}

/// An instant in all units that can say it.
fn timestamps(nanoseconds: i64, zone: Option<&str>) -> Vec<Vec<ArrayRef>> {
    let zones: Vec<Option<Arc<str>>> = match zone {
        None => vec![None],
        Some(_) => vec![Some("UTC".into()), Some("+02:00".into()), Some("Europe/Berlin".into())],
    };
    let in_units = |unit: i64| (nanoseconds % unit == 0).then_some(nanoseconds / unit);
    let mut all = Vec::new();
    for zone in zones {
        macro_rules! add {
            ($($Array:ident $unit:literal,)*) => {$(
                if let Some(value) = in_units($unit) {
                    all.push(one($Array::from(vec![value]).with_timezone_opt(zone.clone())));
                }
            )*};
        }
        add!(
            TimestampSecondArray 1_000_000_000, TimestampMillisecondArray 1_000_000,
            TimestampMicrosecondArray 1_000, TimestampNanosecondArray 1,
        );
    }
    all
}

/// One list of `elements`, in all types of lists, with elements before and after that belong to no list.
fn lists(elements: &ArrayRef) -> Vec<Vec<ArrayRef>> {
    let field = Arc::new(Field::new("element", elements.data_type().clone(), true));
    let length = elements.len();
    let junk = make_array(ArrayData::new_null(elements.data_type(), 2));
    let padded = arrow::compute::concat(&[&junk, elements, &junk]).unwrap();
    let (begin, end) = (2, 2 + i32::try_from(length).unwrap());
    let (begin64, end64) = (i64::from(begin), i64::from(end));
    let small = OffsetBuffer::new(vec![begin, end].into());
    let large = OffsetBuffer::new(vec![begin64, end64].into());
    let sizes = ScalarBuffer::from(vec![end - begin]);
    let sizes64 = ScalarBuffer::from(vec![end64 - begin64]);
    let mut all = vec![
        one(ListArray::new(Arc::clone(&field), small, Arc::clone(&padded), None)),
        one(LargeListArray::new(Arc::clone(&field), large, Arc::clone(&padded), None)),
        one(ListViewArray::new(Arc::clone(&field), vec![begin].into(), sizes, Arc::clone(&padded), None)),
        one(LargeListViewArray::new(Arc::clone(&field), vec![begin64].into(), sizes64, padded, None)),
    ];
    if length > 0 {
        let twice = arrow::compute::concat(&[elements, elements]).unwrap();
        let fixed = FixedSizeListArray::new(field, i32::try_from(length).unwrap(), twice, None);
        all.push(one(fixed.slice(1, 1)));
    }
    all
}

/// A struct whose fields have other names each time.
fn structs(columns: &[ArrayRef]) -> Vec<Vec<ArrayRef>> {
    ["a", "b"]
        .map(|name| {
            let fields: Fields = columns
                .iter()
                .enumerate()
                .map(|(i, column)| Field::new(format!("{name}{i}"), column.data_type().clone(), true))
                .collect();
            one(StructArray::new(fields, columns.to_vec(), None))
        })
        .to_vec()
}

fn int_list(elements: Vec<Option<i32>>) -> ArrayRef {
    Arc::new(Int32Array::from(elements))
}

/// NULL of every type.
fn nulls() -> Vec<Vec<ArrayRef>> {
    let element = Arc::new(Field::new("element", DataType::Int32, true));
    let types = [
        DataType::Null,
        DataType::Boolean,
        DataType::Int8,
        DataType::UInt64,
        DataType::Float16,
        DataType::Float64,
        DataType::Decimal32(5, 2),
        DataType::Decimal256(50, 2),
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        DataType::FixedSizeBinary(3),
        DataType::Date32,
        DataType::Date64,
        DataType::Timestamp(TimeUnit::Second, None),
        DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
        DataType::List(Arc::clone(&element)),
        DataType::LargeList(Arc::clone(&element)),
        DataType::ListView(Arc::clone(&element)),
        DataType::LargeListView(Arc::clone(&element)),
        DataType::FixedSizeList(Arc::clone(&element), 2),
        DataType::Struct(vec![Field::new("a", DataType::Int32, true)].into()),
        DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into()),
    ];
    let mut all: Vec<_> = types.iter().map(|data_type| vec![new_null_array(data_type, 1)]).collect();
    let entries: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    all.push(one(Int8DictionaryArray::new(vec![1].into(), entries)));
    let runs = RunArray::<Int32Type>::try_new(&Int32Array::from(vec![3]), &StringArray::from(vec![None::<&str>]));
    all.push(one(runs.unwrap().slice(1, 1)));
    // A value that lies hidden behind NULL has no effect, not even an error.
    all.push(one(Date64Array::new(vec![1].into(), Some(vec![false].into()))));
    let hidden: ArrayRef = Arc::new(Date64Array::from(vec![1]));
    let field = Fields::from(vec![Field::new("a", DataType::Date64, true)]);
    all.push(one(StructArray::new(field, vec![hidden], Some(NullBuffer::from(vec![false])))));
    all
}

/// All columns that have the values of this vector, in several types.
fn columns(name: &str) -> Vec<Vec<ArrayRef>> {
    let pair = |first: Vec<Vec<ArrayRef>>, second: Vec<Vec<ArrayRef>>| -> Vec<Vec<ArrayRef>> {
        first.iter().flat_map(|first| second.iter().map(|second| [first.clone(), second.clone()].concat())).collect()
    };
    match name {
        "null" => nulls(),
        "two nulls" => pair(nulls(), nulls()),
        "false" => vec![one(BooleanArray::from(vec![false]))],
        "true" => vec![one(BooleanArray::from(vec![true, true, true]).slice(2, 1))],
        "integer 0" => integers(0),
        "integer 5" => integers(5),
        "integer -1" => integers(-1),
        "integer 127" => integers(127),
        "integer -128" => integers(-128),
        "integer 65535" => integers(65535),
        "integer -2147483648" => integers(-(1 << 31)),
        "integer 2^63-1" => integers((1 << 63) - 1),
        "integer -2^63" => integers(-(1 << 63)),
        "integer 2^63" => integers(1 << 63),
        "integer 2^64-1" => integers((1 << 64) - 1),
        "float 0.0" => [floats(0.0), floats(-0.0)].concat(),
        "float 5.0" => floats(5.0),
        "float -1.5" => floats(-1.5),
        "float 0.1" => floats(0.1),
        "float 0.1 of 32 bits" => floats(f64::from(0.1_f32)),
        "float 65504.0" => floats(65504.0),
        "float NaN" => {
            let other = [0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001].map(f64::from_bits);
            [floats(f64::NAN), floats(-f64::NAN), other.into_iter().flat_map(floats).collect()].concat()
        }
        "float infinity" => floats(f64::INFINITY),
        "float -infinity" => floats(f64::NEG_INFINITY),
        "float 5e-324" => floats(5e-324),
        "decimal 0" => [decimals("0", 0), decimals("0", 2), decimals("0", -3)].concat(),
        "decimal 5" => decimals("5", 0),
        "decimal 0.05" => decimals("5", 2),
        "decimal -12.34" => decimals("-1234", 2),
        "decimal 12e3" => [decimals("12", -3), decimals("12000", 0)].concat(),
        "decimal 10^75" => decimals(&format!("1{}", "0".repeat(75)), 0),
        "decimal 76 nines" => decimals(&"9".repeat(76), 0),
        "decimal -76 nines e-76" => decimals(&format!("-{}", "9".repeat(76)), 76),
        "decimal 38 nines" => decimals(&"9".repeat(38), 0),
        "text" => texts("abc"),
        "text empty" => texts(""),
        "text NULL" => texts("NULL"),
        "text of three alphabets" => texts("aä世😀"),
        "text of 300 bytes" => texts(&"0123456789".repeat(30)),
        "bytes" => bytes(b"abc"),
        "bytes empty" => bytes(b""),
        "bytes 00ff" => bytes(b"\x00\xff"),
        "date 1970-01-01" => dates(0),
        "date 2026-11-23" => dates(20780),
        "date 1969-12-31" => dates(-1),
        "timestamp 0" => timestamps(0, None),
        "timestamp 1 s" => timestamps(1_000_000_000, None),
        "timestamp -1 s" => timestamps(-1_000_000_000, None),
        "timestamp -1 ms" => timestamps(-1_000_000, None),
        "timestamp -1 us" => timestamps(-1_000, None),
        "timestamp -1 ns" => timestamps(-1, None),
        "timestamp with zone 0" => timestamps(0, Some("")),
        "timestamp with zone 1.5 s" => timestamps(1_500_000_000, Some("")),
        "timestamp with zone -1 ms" => timestamps(-1_000_000, Some("")),
        "list empty" => lists(&int_list(vec![])),
        "list of null" => [lists(&int_list(vec![None])), lists(&(Arc::new(NullArray::new(1)) as _))].concat(),
        "list 1 2 3" => {
            let elements: ArrayRef = Arc::new(UInt8Array::from(vec![1, 2, 3]));
            let keys = Int8Array::from(vec![2, 0, 1]);
            let entries = Int64Array::from(vec![2, 3, 1]);
            let dictionary: ArrayRef = Arc::new(Int8DictionaryArray::new(keys, Arc::new(entries)));
            let whole = int_list(vec![Some(1), Some(2), Some(3)]);
            [lists(&elements), lists(&dictionary), lists(&whole)].concat()
        }
        "list of lists" => {
            let inner = ListArray::from_iter_primitive::<Int16Type, _, _>(vec![
                Some(vec![Some(1)]),
                Some(vec![]),
                None,
                Some(vec![Some(2), Some(3)]),
            ]);
            lists(&(Arc::new(inner) as _))
        }
        "list of texts" => {
            let inner = StringArray::from(vec![Some("a"), None, Some("bc")]);
            let views = StringViewArray::from(vec![Some("a"), None, Some("bc")]);
            [lists(&(Arc::new(inner) as _)), lists(&(Arc::new(views) as _))].concat()
        }
        "struct 1 a" => pair(integers(1), texts("a")).iter().flat_map(|columns| structs(columns)).collect(),
        "struct null null" => pair(nulls(), nulls()).iter().flat_map(|columns| structs(columns)).collect(),
        "struct of list of structs" => {
            let inner = structs(&[Arc::new(Int8Array::from(vec![1])), Arc::new(BooleanArray::from(vec![true]))]);
            let null = new_null_array(inner[0][0].data_type(), 1);
            let elements = arrow::compute::concat(&[&inner[0][0], &null]).unwrap();
            pair(lists(&elements), floats(2.5)).iter().flat_map(|columns| structs(columns)).collect()
        }
        "ab c" => pair(texts("ab"), texts("c")),
        "a bc" => pair(texts("a"), texts("bc")),
        "text null" => pair(texts("a"), nulls()),
        "null text" => pair(nulls(), texts("a")),
        "five columns" => {
            let all = pair(pair(texts("Ada"), texts("ada@example.com")), pair(integers(1815), floats(3.5)));
            pair(all, vec![one(BooleanArray::from(vec![true]))])
        }
        other => panic!("there are no columns for the vector {other:?}"),
    }
}

fn dates(days: i32) -> Vec<Vec<ArrayRef>> {
    vec![one(Date32Array::from(vec![days])), one(Date64Array::from(vec![i64::from(days) * 86_400_000]))]
}

/// The row digest of columns.
fn row_digest(algorithm: &str, columns: &[ArrayRef]) -> Result<Vec<Vec<u8>>> {
    let args = [literal(algorithm)].into_iter().chain(columns.iter().map(column)).collect();
    let digests = call("row_digest", args, columns[0].len())?;
    Ok(digests.into_iter().map(|digest| digest.expect("a digest of a row is not NULL")).collect())
}

#[test]
fn vectors_of_the_script_in_every_type() {
    let vectors = vectors("row");
    assert!(vectors.len() > 60);
    for [_, name, message, digests @ ..] in vectors {
        let message: Vec<u8> = message
            .as_bytes()
            .chunks(2)
            .map(|digits| u8::from_str_radix(core::str::from_utf8(digits).unwrap(), 16).unwrap())
            .collect();
        let columns = columns(name);
        assert!(!columns.is_empty());
        for columns in columns {
            let types: Vec<_> = columns.iter().map(Array::data_type).collect();
            for (algorithm, digest) in OF_VECTORS.into_iter().zip(digests) {
                assert_eq!(
                    hex(&row_digest(algorithm, &columns).unwrap()[0]),
                    digest,
                    "{algorithm} of {name}: {types:?}"
                );
            }
            assert_eq!(row_digest("blake3", &columns).unwrap()[0], hash("blake3", &message), "{name}: {types:?}");
            // Each value as a scalar, too.
            let scalars: Vec<_> =
                columns.iter().map(|column| ScalarValue::try_from_array(column, 0)).collect::<Result<_>>().unwrap();
            let args = [literal("sha256")].into_iter().chain(scalars.into_iter().map(ColumnarValue::Scalar)).collect();
            let digest = evaluate(&registry().udf("row_digest").unwrap(), args, 5).unwrap();
            let ColumnarValue::Scalar(ScalarValue::Binary(Some(digest))) = digest else { panic!("{name}: {digest:?}") };
            assert_eq!(digest, hash("sha256", &message), "{name}: {types:?}");
        }
    }
}

#[test]
fn no_two_vectors_are_equal() {
    let messages: std::collections::HashSet<_> = vectors("row").iter().map(|fields| fields[2]).collect();
    assert_eq!(messages.len(), vectors("row").len());
}

#[test]
fn many_rows_in_groups_are_hashed_each_for_itself() {
    let rows = 3000;
    let texts: Vec<Option<String>> = (0..rows).map(|i| (i % 11 != 0).then(|| "x".repeat(i * i % 701))).collect();
    let long: StringViewArray = (0..rows).map(|i| (i == 1700).then(|| "y".repeat(300_000))).collect();
    let numbers = Int64Array::from_iter((0..rows).map(|i| (i % 13 != 5).then_some(i64::try_from(i).unwrap() - 1500)));
    let columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from(texts)), Arc::new(numbers), Arc::new(long)];
    for algorithm in ALGORITHMS {
        let together = row_digest(algorithm, &columns).unwrap();
        for row in (0..rows).step_by(37).chain([1699, 1700, 1701]) {
            let alone: Vec<_> = columns.iter().map(|column| column.slice(row, 1)).collect();
            assert_eq!(row_digest(algorithm, &alone).unwrap()[0], together[row], "{algorithm}, row {row}");
        }
        // A constant column is the same as its value in every row.
        let constant: ArrayRef = Arc::new(StringArray::from(vec!["constant"; rows]));
        let args = vec![literal(algorithm), column(&columns[0]), literal("constant"), column(&columns[1])];
        let given: Vec<_> = call("row_digest", args, rows).unwrap().into_iter().flatten().collect();
        let expected = row_digest(algorithm, &[Arc::clone(&columns[0]), constant, Arc::clone(&columns[1])]).unwrap();
        assert_eq!(given, expected);
        let none: Vec<_> = columns.iter().map(|column| column.slice(7, 0)).collect();
        assert_eq!(row_digest(algorithm, &none).unwrap(), Vec::<Vec<u8>>::new());
    }
}

#[test]
fn lists_and_bytes_of_length_zero() {
    let nulls = || Some(NullBuffer::from(vec![true, false, true]));
    let element = Arc::new(Field::new("element", DataType::Int64, true));
    let no_values: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
    let lists = FixedSizeListArray::try_new_with_length(element, 0, no_values, nulls(), 3).unwrap();
    let bytes = FixedSizeBinaryArray::try_new_with_len(0, [].into(), nulls(), 3).unwrap();
    let both: [ArrayRef; 2] = [Arc::new(lists), Arc::new(bytes)];
    for (tag, array) in [0x0c, 8].into_iter().zip(both) {
        let empty = Some(hash("sha256", &[&[1, tag][..], &[0; 8]].concat()));
        let expected = [empty.clone(), Some(hash("sha256", &[1, 0])), empty];
        let of = |array: &ArrayRef| call("row_digest", vec![literal("sha256"), column(array)], array.len()).unwrap();
        assert_eq!(of(&array), expected);
        assert_eq!(of(&array.slice(1, 2)), expected[1..]);
    }
}

#[test]
fn dates_that_are_no_whole_days_are_errors_that_name_the_row() {
    let dates: ArrayRef = Arc::new(Date64Array::from(vec![Some(0), None, Some(86_400_000), Some(-86_399_999)]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"; 4]));
    let error = row_digest("sha256", &[text, dates]).unwrap_err().to_string();
    for part in ["row_digest: argument 3", "Date64", "row 3", "-86399999 ms"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn types_without_an_encoding_are_refused_when_planning() {
    let function = registry().udf("row_digest").unwrap();
    let field = |data_type| Arc::new(Field::new("x", data_type, true));
    let entries = field(DataType::Struct(
        vec![Field::new("k", DataType::Utf8, false), Field::new("v", DataType::Utf8, true)].into(),
    ));
    let union: UnionFields = [(0_i8, field(DataType::Int8))].into_iter().collect();
    let refused = [
        DataType::Time32(TimeUnit::Second),
        DataType::Time64(TimeUnit::Nanosecond),
        DataType::Duration(TimeUnit::Second),
        DataType::Interval(IntervalUnit::MonthDayNano),
        DataType::Map(entries, false),
        DataType::Union(union, UnionMode::Sparse),
    ];
    for part in refused {
        let nested = [
            part.clone(),
            DataType::List(field(part.clone())),
            DataType::FixedSizeList(field(part.clone()), 2),
            DataType::Struct(vec![field(DataType::Int8), field(DataType::LargeListView(field(part.clone())))].into()),
            DataType::Dictionary(DataType::Int8.into(), part.clone().into()),
            DataType::RunEndEncoded(field(DataType::Int16), field(part.clone())),
        ];
        for data_type in nested {
            let error =
                function.coerce_types(&[DataType::Utf8, DataType::Int8, data_type.clone()]).unwrap_err().to_string();
            assert!(error.contains(&format!("row_digest: argument 3 is {data_type}")), "{error}");
            assert!(error.contains(&part.to_string()) && error.contains("CAST"), "{error}");
        }
    }
}
