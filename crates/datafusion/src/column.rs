//! A column of text or bytes, hashed as a whole: its values in lanes, from where they lie.

use core::hint::black_box;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayAccessor, ArrayRef, AsArray, BinaryArray, LargeBinaryArray, StringArray, UInt64Array, new_null_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::take;
use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue, exec_err, internal_err};
use datafusion_expr::ColumnarValue;

use crate::algorithm::Kernel;

/// Messages that one call hashes. References to them take 8 KiB of the stack.
pub(crate) const GROUP: usize = 512;

/// Bytes of messages read ahead after which a group ends: they are in the first or second cache when they are hashed.
const CACHED: usize = 32 << 10;

/// A multiple of all numbers of lanes, so that a group that ends early leaves none empty.
const LANES: usize = 16;

/// The form of a digest in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// `Binary`.
    Bytes,
    /// `Utf8`: hexadecimal, in lower case.
    Hex,
}

impl Form {
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Self::Bytes => DataType::Binary,
            Self::Hex => DataType::Utf8,
        }
    }

    /// The bytes that a digest of `digest` bytes takes in this form.
    fn width(self, digest: usize) -> usize {
        match self {
            Self::Bytes => digest,
            Self::Hex => 2 * digest,
        }
    }
}

/// Whether values of this type are hashed: text, bytes, dictionaries of them, and `Null`, the type of a bare `NULL`.
pub(crate) fn is_hashable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text_or_bytes(values),
        DataType::Null => true,
        other => is_text_or_bytes(other),
    }
}

/// Whether this is a type of text or of bytes. A dictionary is none.
pub(crate) fn is_text_or_bytes(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

/// The digests of `value`: of a scalar a scalar, of an array an array.
///
/// # Errors
///
/// If `value` has a type that is not [hashable](is_hashable), or the output has more bytes than an array may have.
pub(crate) fn digest(name: &str, kernel: &Kernel, form: Form, value: &ColumnarValue) -> Result<ColumnarValue> {
    match value {
        ColumnarValue::Array(array) => Ok(ColumnarValue::Array(digest_array(name, kernel, form, array)?)),
        ColumnarValue::Scalar(scalar) => {
            let digests = digest_array(name, kernel, form, &scalar.to_array()?)?;
            Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&digests, 0)?))
        }
    }
}

fn digest_array(name: &str, kernel: &Kernel, form: Form, array: &ArrayRef) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Null => Ok(new_null_array(&form.data_type(), array.len())),
        DataType::Dictionary(_, _) => digest_dictionary(name, kernel, form, array),
        _ => digest_values(name, kernel, form, array, None),
    }
}

/// The bytes of `rows` digests of `width` bytes in this form.
///
/// # Errors
///
/// If an array cannot hold them, for its offsets are of 32 bits.
pub(crate) fn output_bytes(name: &str, rows: usize, width: usize, form: Form) -> Result<usize> {
    let width = form.width(width);
    match rows.checked_mul(width) {
        Some(bytes) if i32::try_from(bytes).is_ok() => Ok(bytes),
        _ => exec_err!(
            "{name}: {rows} digests of {width} bytes are more than the 2147483647 bytes that an array of {} can hold: \
             use smaller batches",
            form.data_type()
        ),
    }
}

/// The digests of the values of an array of text or bytes: of all, or of those at `entries`, none of which is NULL.
fn digest_values(
    name: &str,
    kernel: &Kernel,
    form: Form,
    array: &dyn Array,
    entries: Option<&[usize]>,
) -> Result<ArrayRef> {
    let rows = entries.map_or(array.len() - array.null_count(), <[usize]>::len);
    let output =
        || -> Result<Output<'_>> { Ok(Output::new(kernel, form, output_bytes(name, rows, kernel.width(), form)?)) };
    match array.data_type() {
        DataType::Utf8 => output()?.all(&BinaryArray::from(array.as_string::<i32>().clone()), entries),
        DataType::LargeUtf8 => output()?.all(&LargeBinaryArray::from(array.as_string::<i64>().clone()), entries),
        DataType::Utf8View => output()?.all(&array.as_string_view().clone().to_binary_view(), entries),
        DataType::Binary => output()?.all(array.as_binary::<i32>(), entries),
        DataType::LargeBinary => output()?.all(array.as_binary::<i64>(), entries),
        DataType::BinaryView => output()?.all(array.as_binary_view(), entries),
        DataType::FixedSizeBinary(_) => output()?.all(array.as_fixed_size_binary(), entries),
        other => exec_err!("{name} was called with {other}, which is not text or bytes"),
    }
}

/// The digests of a dictionary: of its entries once, then a digest for each key. If there are more entries than rows
/// with a key, of those in use alone.
fn digest_dictionary(name: &str, kernel: &Kernel, form: Form, array: &dyn Array) -> Result<ArrayRef> {
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        return internal_err!("{name}: {} is no dictionary", array.data_type());
    };
    let (keys, values) = (dictionary.keys(), dictionary.values());
    let nulls = array.logical_nulls();
    let rows = array.len() - nulls.as_ref().map_or(0, NullBuffer::null_count);
    output_bytes(name, rows, kernel.width(), form)?;
    if rows == 0 {
        return Ok(new_null_array(&form.data_type(), array.len()));
    }
    if values.len() <= rows {
        let entries = digest_values(name, kernel, form, values, None)?;
        return Ok(take(&entries, keys, None)?);
    }
    let keys = dictionary.normalized_keys();
    let mut order: Vec<(usize, usize)> = match &nulls {
        None => keys.into_iter().zip(0..).collect(),
        Some(nulls) => nulls.valid_indices().map(|row| (keys[row], row)).collect(),
    };
    order.sort_unstable();
    let mut entries = Vec::new();
    let mut entry_of_row = vec![0; array.len()];
    for (key, row) in order {
        if entries.last() != Some(&key) {
            entries.push(key);
        }
        entry_of_row[row] = entries.len() as u64 - 1;
    }
    let entries = digest_values(name, kernel, form, values, Some(&entries))?;
    Ok(take(&entries, &UInt64Array::new(entry_of_row.into(), nulls), None)?)
}

/// Digests one after the other, as an array holds them.
pub(crate) struct Output<'k> {
    kernel: &'k Kernel,
    form: Form,
    values: Vec<u8>,
    done: usize,
}

impl<'k> Output<'k> {
    /// Room for `bytes`, which [`output_bytes`] told.
    pub(crate) fn new(kernel: &'k Kernel, form: Form, bytes: usize) -> Self {
        Self { kernel, form, values: vec![0; bytes], done: 0 }
    }

    /// The digests of all values of `array`, or of those at `entries`. NULLs take no bytes: their offsets repeat.
    fn all<'a>(mut self, array: impl ArrayAccessor<Item = &'a [u8]>, entries: Option<&[usize]>) -> Result<ArrayRef> {
        if let Some(entries) = entries {
            self.hash_each(entries.iter().map(|&i| array.value(i)))?;
            return self.finish(entries.len(), None);
        }
        match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => self.hash_each((0..array.len()).map(|i| array.value(i)))?,
            Some(nulls) => self.hash_each(nulls.valid_indices().map(|i| array.value(i)))?,
        }
        self.finish(array.len(), array.nulls().cloned())
    }

    /// Appends the digests of `messages`, a group at a time.
    fn hash_each<'a>(&mut self, mut messages: impl Iterator<Item = &'a [u8]>) -> Result<()> {
        let mut group = [&[][..]; GROUP];
        loop {
            let (mut live, mut bytes, mut length) = (0, 0, None);
            for (to, message) in group.iter_mut().zip(&mut messages) {
                *to = message;
                live += 1;
                if length.replace(message.len()) == Some(message.len()) && self.kernel.fetches(message.len()) {
                    continue;
                }
                bytes += message.len();
                read_ahead(message);
                if bytes > CACHED && live % LANES == 0 {
                    break;
                }
            }
            if live == 0 {
                return Ok(());
            }
            self.hash(&group[..live])?;
        }
    }

    /// Appends the digests of `messages`, at most a [`GROUP`].
    pub(crate) fn hash(&mut self, messages: &[&[u8]]) -> Result<()> {
        let bytes = messages.len() * self.kernel.width();
        match self.form {
            Form::Bytes => {
                self.kernel.hash(messages, &mut self.values[self.done..][..bytes])?;
                self.done += bytes;
            }
            Form::Hex => {
                let mut digests = [0; GROUP * 64];
                self.kernel.hash(messages, &mut digests[..bytes])?;
                write_hex(&digests[..bytes], &mut self.values[self.done..][..2 * bytes]);
                self.done += 2 * bytes;
            }
        }
        Ok(())
    }

    /// The array of `rows` rows, of which those that are not in `nulls` were hashed.
    pub(crate) fn finish(self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let width = self.form.width(self.kernel.width());
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        let offsets = match &nulls {
            None => OffsetBuffer::from_repeated_length(width, rows),
            Some(nulls) => OffsetBuffer::from_lengths(nulls.iter().map(|valid| if valid { width } else { 0 })),
        };
        Ok(match self.form {
            Form::Bytes => Arc::new(BinaryArray::try_new(offsets, self.values.into(), nulls)?),
            Form::Hex => Arc::new(StringArray::try_new(offsets, self.values.into(), nulls)?),
        })
    }
}

/// Reads long messages once in order, which the CPU does ahead of use. Lanes read many messages at once, each a block
/// at a time, which the CPU does not foresee.
#[inline]
fn read_ahead(message: &[u8]) {
    if message.len() > 128 {
        black_box(message.iter().step_by(64).fold(0, |sum, byte| sum | byte));
    }
}

/// Writes `bytes` as hexadecimal digits in lower case. `digits` has twice as many bytes.
fn write_hex(bytes: &[u8], digits: &mut [u8]) {
    // Arithmetic instead of a table, for the compiler makes vectors of it.
    let digit = |nibble: u8| nibble + b'0' + if nibble > 9 { b'a' - b'0' - 10 } else { 0 };
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_output_than_offsets_of_32_bits_reach_is_refused() {
        let most = (1 << 31) - 1;
        assert_eq!(output_bytes("f", most / 64, 64, Form::Bytes).unwrap(), most / 64 * 64);
        assert_eq!(output_bytes("f", most, 1, Form::Bytes).unwrap(), most);
        for (rows, width, form) in [
            (most / 64 + 1, 64, Form::Bytes),
            (most / 128 + 1, 64, Form::Hex),
            (most + 1, 1, Form::Bytes),
            (usize::MAX, 64, Form::Hex),
            (usize::MAX, 1, Form::Bytes),
        ] {
            let error = output_bytes("f", rows, width, form).unwrap_err().to_string();
            assert!(error.contains("f: ") && error.contains("2147483647"), "{error}");
        }
    }

    #[test]
    fn hex_digits_are_those_of_format() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut digits = [0; 512];
        write_hex(&bytes, &mut digits);
        let expected: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits[..], *expected.as_bytes());
    }
}
