//! `blake2b(x[, length])` and its like, over every type.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanBufferBuilder, DictionaryArray, FixedSizeBinaryArray,
    Int8Array, Int32Array, LargeBinaryArray, LargeStringArray, NullArray, PrimitiveArray, StringArray, StringViewArray,
    UInt64Array,
};
use arrow::datatypes::{
    ArrowDictionaryKeyType, ArrowNativeType, DataType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use datafusion_common::ScalarValue;
use datafusion_expr::ColumnarValue;
use datafusion_expr::registry::FunctionRegistry;

use crate::call::{ALGORITHMS, call, column, evaluate, hash, hex, literal, registry, values};

/// Texts of every length near a block, with NULLs.
fn texts(rows: usize) -> Vec<Option<String>> {
    let paint: String = ('a'..='z').cycle().take(2000).collect();
    (0..rows).map(|i| (i % 7 != 3).then(|| paint[i % 26..][..(i * 37) % 300].to_string())).collect()
}

fn dictionary<K: ArrowDictionaryKeyType>(keys: &[Option<usize>], entries: &ArrayRef) -> ArrayRef {
    let keys: PrimitiveArray<K> = keys.iter().map(|key| key.map(K::Native::usize_as)).collect();
    Arc::new(DictionaryArray::new(keys, Arc::clone(entries)))
}

/// Equal values as every type that is hashed.
fn every_type(rows: usize) -> Vec<ArrayRef> {
    let texts = texts(rows);
    let bytes = || texts.iter().map(|text| text.as_ref().map(String::as_bytes));
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(texts.clone())),
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from_iter(texts.clone())),
        Arc::new(BinaryArray::from_iter(bytes())),
        Arc::new(LargeBinaryArray::from_iter(bytes())),
        Arc::new(BinaryViewArray::from_iter(bytes())),
    ];
    let fixed = texts.iter().enumerate().map(|(i, text)| text.as_ref().map(|_| [i.to_le_bytes(), [7; 8]].concat()));
    arrays.push(Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 16).unwrap()));
    // Dictionaries shorter and longer than the batch, with NULL among the keys and among the entries.
    for number in [3, 100] {
        let keys: Vec<_> = (0..rows).map(|i| (i % 5 != 1).then_some((i * i) % number)).collect();
        let all: Vec<ArrayRef> = arrays[..7]
            .iter()
            .map(|array| if array.len() < number { every_entry(number) } else { array.slice(0, number) })
            .collect();
        for entries in &all {
            arrays.push(dictionary::<Int32Type>(&keys, entries));
        }
        let entries = &all[0];
        arrays.extend([
            dictionary::<Int8Type>(&keys, entries),
            dictionary::<Int16Type>(&keys, entries),
            dictionary::<Int64Type>(&keys, entries),
            dictionary::<UInt8Type>(&keys, entries),
            dictionary::<UInt16Type>(&keys, entries),
            dictionary::<UInt32Type>(&keys, entries),
            dictionary::<UInt64Type>(&keys, entries),
        ]);
    }
    arrays
}

fn every_entry(number: usize) -> ArrayRef {
    Arc::new(StringArray::from(texts(number)))
}

/// Each array, and slices of it.
fn with_slices(arrays: Vec<ArrayRef>) -> Vec<ArrayRef> {
    let slices = |array: ArrayRef| {
        let rows = array.len();
        let slice =
            |begin: usize, end: usize| array.slice(begin.min(rows), end.min(rows).saturating_sub(begin.min(rows)));
        [slice(0, rows), slice(1, rows), slice(5, 17), slice(9, rows - rows / 4), slice(3, 3), slice(3, 4)]
    };
    arrays.into_iter().flat_map(slices).collect()
}

#[test]
fn digests_are_those_of_each_value_alone() {
    for rows in [0, 1, 2, 40, 1500] {
        for array in with_slices(every_type(rows)) {
            let values = values(&array);
            for algorithm in ALGORITHMS {
                let expected: Vec<_> =
                    values.iter().map(|value| value.as_ref().map(|value| hash(algorithm, value))).collect();
                let given = call(algorithm, vec![column(&array)], array.len()).unwrap();
                assert!(given == expected, "{algorithm} of {} rows of {}", array.len(), array.data_type());
                let digits: Vec<_> =
                    expected.iter().map(|digest| digest.as_ref().map(|digest| hex(digest).into_bytes())).collect();
                let given = call(&format!("{algorithm}_hex"), vec![column(&array)], array.len()).unwrap();
                assert!(given == digits, "{algorithm}_hex of {} rows of {}", array.len(), array.data_type());
            }
        }
    }
}

#[test]
fn nulls_of_no_bytes_are_left_out_of_the_values() {
    let array: ArrayRef = Arc::new(StringArray::from(texts(700)));
    let function = registry().udf("blake2b").unwrap();
    let ColumnarValue::Array(digests) = evaluate(&function, vec![column(&array)], 700).unwrap() else { panic!() };
    let digests = digests.as_any().downcast_ref::<BinaryArray>().unwrap();
    assert_eq!(digests.values().len(), 64 * (700 - array.null_count()));
    assert_eq!(digests.nulls(), array.nulls());
    assert!(digests.nulls().unwrap().buffer().ptr_eq(array.nulls().unwrap().buffer()), "the null buffer is shared");
}

#[test]
fn scalars_stay_scalars() {
    for algorithm in ALGORITHMS {
        let function = registry().udf(algorithm).unwrap();
        let abc = hash(algorithm, b"abc");
        for scalar in [
            ScalarValue::Utf8(Some("abc".into())),
            ScalarValue::LargeUtf8(Some("abc".into())),
            ScalarValue::Utf8View(Some("abc".into())),
            ScalarValue::Binary(Some(b"abc".into())),
            ScalarValue::LargeBinary(Some(b"abc".into())),
            ScalarValue::BinaryView(Some(b"abc".into())),
            ScalarValue::FixedSizeBinary(3, Some(b"abc".into())),
            ScalarValue::Dictionary(DataType::Int8.into(), ScalarValue::Utf8(Some("abc".into())).into()),
        ] {
            for rows in [0, 1, 9] {
                let given = evaluate(&function, vec![literal(scalar.clone())], rows).unwrap();
                let ColumnarValue::Scalar(given) = given else { panic!("{scalar:?}") };
                assert_eq!(given, ScalarValue::Binary(Some(abc.clone())));
            }
        }
        for scalar in [ScalarValue::Utf8(None), ScalarValue::Null, ScalarValue::FixedSizeBinary(3, None)] {
            let given = evaluate(&function, vec![literal(scalar.clone())], 2).unwrap();
            assert!(matches!(given, ColumnarValue::Scalar(ScalarValue::Binary(None))), "{scalar:?}");
        }
    }
}

#[test]
fn digests_of_every_length() {
    let array: ArrayRef = Arc::new(StringArray::from(texts(50)));
    for length in 1..=64_i64 {
        let bytes = usize::try_from(length).unwrap();
        let expected = |message: &Vec<u8>| {
            simd_digest::blake2b::Params::new().hash_length(bytes).hash(message).unwrap().as_bytes().to_vec()
        };
        let expected: Vec<_> = values(&array).iter().map(|value| value.as_ref().map(expected)).collect();
        assert_eq!(call("blake2b", vec![column(&array), literal(length)], 50).unwrap(), expected);
        let digits: Vec<_> =
            expected.iter().map(|digest| digest.as_ref().map(|digest| hex(digest).into_bytes())).collect();
        assert_eq!(call("blake2b_hex", vec![column(&array), literal(length)], 50).unwrap(), digits);
        if length <= 32 {
            let expected = |message: &Vec<u8>| {
                simd_digest::blake2s::Params::new().hash_length(bytes).hash(message).unwrap().as_bytes().to_vec()
            };
            let expected: Vec<_> = values(&array).iter().map(|value| value.as_ref().map(expected)).collect();
            assert_eq!(call("blake2s", vec![column(&array), literal(length)], 50).unwrap(), expected);
        }
    }
    // Integers of all types say a length.
    let wide = call("blake2b", vec![column(&array), literal(20_i64)], 50).unwrap();
    for length in [ScalarValue::from(20_i8), 20_i16.into(), 20_i32.into(), 20_u8.into(), 20_u16.into(), 20_u64.into()] {
        assert_eq!(call("blake2b", vec![column(&array), literal(length)], 50).unwrap(), wide);
    }
}

#[test]
fn columns_of_nothing_but_null() {
    let nothing: ArrayRef = Arc::new(NullArray::new(9));
    let nulls: ArrayRef = Arc::new(StringArray::from(vec![None::<&str>; 9]));
    let no_entries = dictionary::<Int32Type>(&[None; 9], &(Arc::new(StringArray::from(Vec::<&str>::new())) as _));
    let null_entries = dictionary::<Int32Type>(&[Some(0); 9], &nulls.slice(0, 1));
    let many_null_entries = dictionary::<Int32Type>(&[Some(8); 2], &nulls);
    for array in [nothing, nulls, no_entries, null_entries, many_null_entries] {
        for name in ["blake2b", "sha256", "blake3_hex", "sha384_hex", "sha512", "blake2s"] {
            assert_eq!(call(name, vec![column(&array)], array.len()).unwrap(), vec![None; array.len()], "{array:?}");
        }
    }
}

#[test]
fn bytes_of_length_zero() {
    let array: ArrayRef = Arc::new(
        FixedSizeBinaryArray::try_new_with_len(0, [].into(), Some(vec![true, false, true].into()), 3).unwrap(),
    );
    for algorithm in ALGORITHMS {
        let expected = vec![Some(hash(algorithm, b"")), None, Some(hash(algorithm, b""))];
        assert_eq!(call(algorithm, vec![column(&array)], 3).unwrap(), expected);
        assert_eq!(call(algorithm, vec![column(&array.slice(1, 2))], 2).unwrap(), expected[1..]);
    }
}

/// All entries would have more digits than an array can hold. All are empty, so they take no memory.
#[test]
fn entries_that_few_rows_use_are_not_hashed() {
    let rows = (1 << 31) / 128;
    let entries = FixedSizeBinaryArray::try_new_with_len(0, [].into(), None, rows).unwrap();
    let mut valid = BooleanBufferBuilder::new(rows);
    valid.append_n(rows, false);
    valid.set_bit(rows / 2, true);
    let keys = Int8Array::new(vec![7; rows].into(), Some(valid.finish().into()));
    let array: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(entries)));
    let function = registry().udf("blake2b_hex").unwrap();
    let digests = evaluate(&function, vec![column(&array)], rows).unwrap().into_array(rows).unwrap();
    assert_eq!(digests.null_count(), rows - 1);
    assert_eq!(values(&digests.slice(rows / 2, 1)), [Some(hex(&hash("blake2b", b"")).into_bytes())]);
}

#[test]
fn keys_behind_a_null_may_be_anything() {
    let keys = Int8Array::new(vec![0, 100, 1].into(), Some(vec![true, false, true].into()));
    let entries: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let array: ArrayRef = Arc::new(DictionaryArray::new(keys, entries));
    let expected = vec![Some(hash("blake3", b"a")), None, Some(hash("blake3", b"b"))];
    assert_eq!(call("blake3", vec![column(&array)], 3).unwrap(), expected);
    assert_eq!(call("blake3", vec![column(&array.slice(1, 2))], 2).unwrap(), expected[1..]);
    assert_eq!(call("blake3", vec![column(&array.slice(1, 1))], 1).unwrap(), expected[1..2]);
}

#[test]
fn other_types_are_refused_with_a_hint() {
    let others: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![1])), Arc::new(UInt64Array::from(vec![1]))];
    let of_dictionary = dictionary::<Int8Type>(&[Some(0)], &others[0]);
    for array in others.into_iter().chain([of_dictionary]) {
        for name in ["blake2b", "blake2s_hex", "sha224", "sha256", "blake3"] {
            let error = call(name, vec![column(&array)], 1).unwrap_err().to_string();
            let data_type = array.data_type();
            assert!(
                error.contains(&format!("{name}: argument 1 is {data_type}, but must be text or bytes")),
                "{error}"
            );
            assert!(error.contains(&format!("{name}(CAST(x AS VARCHAR))")), "{error}");
        }
    }
}
