//! Nanoseconds a row, beside DataFusion's own functions: batches of 8192 rows, one core, least of many rounds in turn.
//!
//! `cargo run --release -- [ROUNDS [ROWS]]`: all rows, or those whose name begins so.

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{
    ArrayRef, AsArray, BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int64Array, StringArray,
    StringViewArray,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Int32Type};
use datafusion_common::config::ConfigOptions;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::registry::{FunctionRegistry, MemoryFunctionRegistry};
use datafusion_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};

const ROWS: usize = 8192;
const RAGGED: &str = "1–512 B ragged, 10 % NULL";

/// The columns of one batch.
type Columns = Vec<ArrayRef>;

/// A contestant: its name, and its answer for a batch.
struct Contestant {
    name: String,
    run: Box<dyn Fn(&Columns) -> Result<ArrayRef>>,
}

/// Rows of a kind, and those who hash them. The second is measured against the first.
struct Case {
    rows: &'static str,
    batches: Vec<Columns>,
    built_in: Contestant,
    ours: Contestant,
    /// Equal answers, or else as many different ones.
    equal: bool,
    /// The ratio that there should be, or the nanoseconds that may be added.
    bar: Option<Bar>,
}

enum Bar {
    Ratio(f64),
    Adds(f64),
}

/// A function with constants after the columns that it takes.
fn call(function: &Arc<ScalarUDF>, columns: &[ArrayRef], constants: &[ScalarValue], first: bool) -> Result<ArrayRef> {
    let columns = columns.iter().map(|column| ColumnarValue::Array(column.clone()));
    let constants = constants.iter().map(|constant| ColumnarValue::Scalar(constant.clone()));
    let args: Vec<ColumnarValue> =
        if first { constants.chain(columns).collect() } else { columns.chain(constants).collect() };
    let arg_fields: Vec<_> = args.iter().map(|arg| Arc::new(Field::new("x", arg.data_type(), true))).collect();
    let scalars: Vec<_> = args
        .iter()
        .map(|arg| match arg {
            ColumnarValue::Scalar(scalar) => Some(scalar),
            ColumnarValue::Array(_) => None,
        })
        .collect();
    let return_field =
        function.return_field_from_args(ReturnFieldArgs { arg_fields: &arg_fields, scalar_arguments: &scalars })?;
    let config_options = Arc::new(ConfigOptions::default());
    let answer = function.invoke_with_args(ScalarFunctionArgs {
        args,
        arg_fields,
        number_rows: ROWS,
        return_field,
        config_options,
    })?;
    answer.into_array(ROWS)
}

fn contestant(name: &str, run: impl Fn(&Columns) -> Result<ArrayRef> + 'static) -> Contestant {
    Contestant { name: name.to_owned(), run: Box::new(run) }
}

/// A column as DataFusion reads it from Parquet.
fn views(batches: usize, row: impl Fn(usize) -> Option<String>) -> Vec<Columns> {
    let batch = |i| (i * ROWS..(i + 1) * ROWS).map(&row).collect::<StringViewArray>();
    (0..batches).map(|i| vec![Arc::new(batch(i)) as ArrayRef]).collect()
}

fn text(n: usize, length: usize) -> String {
    let mut text = format!("{:016x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).repeat(length.div_ceil(16));
    text.truncate(length);
    text
}

fn dictionaries() -> Vec<Columns> {
    let entries: Vec<String> = (0..100).map(|n| text(n, 16 + n % 32)).collect();
    let batch =
        |i: usize| (0..ROWS).map(|n| entries[(n * 31 + i) % 100].as_str()).collect::<DictionaryArray<Int32Type>>();
    (0..16).map(|i| vec![Arc::new(batch(i)) as ArrayRef]).collect()
}

/// Two texts, an integer, a float and a boolean, and some NULLs.
fn mixed() -> Vec<Columns> {
    let batch = |i: usize| -> Columns {
        let numbers = || i * ROWS..(i + 1) * ROWS;
        let name = |n: usize| (n % 10 != 0).then(|| text(n, 8 + n % 16));
        vec![
            Arc::new(numbers().map(name).collect::<StringViewArray>()),
            Arc::new(numbers().map(|n| Some(text(n % 1000, 12))).collect::<StringViewArray>()),
            Arc::new(numbers().map(|n| Some(n as i64 * 7919)).collect::<Int64Array>()),
            Arc::new(numbers().map(|n| (n % 7 != 0).then_some(n as f64 * 0.37)).collect::<Float64Array>()),
            Arc::new(numbers().map(|n| (n % 11 != 0).then_some(n % 3 == 0)).collect::<BooleanArray>()),
        ]
    };
    (0..16).map(batch).collect()
}

/// `format!("{a}|{b}|{c}|{d}|{e}")` of each row.
fn formatted(columns: &Columns) -> ArrayRef {
    let (a, b) = (columns[0].as_string_view(), columns[1].as_string_view());
    let (c, d) = (
        columns[2].as_primitive::<arrow::datatypes::Int64Type>(),
        columns[3].as_primitive::<arrow::datatypes::Float64Type>(),
    );
    let e = columns[4].as_boolean();
    let rows = a.iter().zip(b).zip(c).zip(d).zip(e).map(|((((a, b), c), d), e)| {
        let (a, b, c) = (a.unwrap_or(""), b.unwrap_or(""), c.unwrap_or(0));
        format!("{a}|{b}|{c}|{}|{}", d.unwrap_or(0.0), e.unwrap_or(false))
    });
    Arc::new(StringArray::from_iter_values(rows))
}

/// Everybody's key in SQL: casts to text, `concat_ws`.
fn concatenated(concat_ws: &Arc<ScalarUDF>, columns: &Columns) -> Result<ArrayRef> {
    let texts: Vec<ArrayRef> =
        columns.iter().map(|column| Ok(cast(column, &DataType::Utf8)?)).collect::<Result<_>>()?;
    call(concat_ws, &texts, &[ScalarValue::from("|")], true)
}

fn cases() -> Result<Vec<Case>> {
    let mut built_in = MemoryFunctionRegistry::new();
    datafusion_functions::register_all(&mut built_in)?;
    let mut ours = MemoryFunctionRegistry::new();
    datafusion_functions::register_all(&mut ours)?;
    simd_digest_datafusion::register_all(&mut ours)?;
    let digest = built_in.udf("digest")?;

    // `digest` takes no dictionary: the planner casts it to text.
    let by_digest = |algorithm: &'static str, unpack: bool| {
        let digest = digest.clone();
        contestant(&format!("digest(…, '{algorithm}')"), move |columns: &Columns| {
            let column = if unpack { cast(&columns[0], &DataType::Utf8)? } else { columns[0].clone() };
            call(&digest, &[column], &[ScalarValue::from(algorithm)], false)
        })
    };
    let plain = |registry: &MemoryFunctionRegistry, name: &str| -> Result<Contestant> {
        let function = registry.udf(name)?;
        Ok(contestant(name, move |columns: &Columns| call(&function, &columns[..1], &[], false)))
    };

    let sizes: [(&str, Vec<Columns>); 5] = [
        ("16 B", views(16, |n| Some(text(n, 16)))),
        ("64 B", views(16, |n| Some(text(n, 64)))),
        (RAGGED, views(16, |n| (n % 10 != 3).then(|| text(n, 1 + n * 7919 % 512)))),
        ("1 KiB", views(5, |n| Some(text(n, 1024)))),
        ("dictionary of 100", dictionaries()),
    ];
    let mut cases = Vec::new();
    for (rows, batches) in &sizes {
        let dictionary = rows.starts_with("dictionary");
        for name in ["blake2b", "blake2s", "sha256", "blake3"] {
            let bar = match (name, *rows) {
                ("blake2b" | "blake3", "16 B") => Some(0.30),
                ("blake2b", RAGGED) => Some(0.45),
                ("blake2b", "1 KiB") => Some(0.40),
                ("sha256", "64 B") => Some(0.60),
                ("sha256", "1 KiB") => Some(0.50),
                ("blake3", "1 KiB") => Some(0.20),
                _ => None,
            };
            cases.push(Case {
                rows,
                batches: batches.clone(),
                built_in: by_digest(name, dictionary),
                ours: plain(&ours, name)?,
                equal: true,
                bar: bar.map(Bar::Ratio),
            });
        }
    }
    // Hexadecimal, beside our own bytes.
    for (rows, batches) in &sizes[..4] {
        for name in ["blake2b", "sha256", "blake3"] {
            cases.push(Case {
                rows,
                batches: batches.clone(),
                built_in: plain(&ours, name)?,
                ours: plain(&ours, &format!("{name}_hex"))?,
                equal: false,
                bar: Some(Bar::Adds(25.0)),
            });
        }
    }
    let row_digest = ours.udf("row_digest")?;
    let concat_ws = built_in.udf("concat_ws")?;
    for algorithm in ["blake2b", "sha256", "blake3"] {
        let digests = || {
            let row_digest = row_digest.clone();
            contestant(&format!("row_digest('{algorithm}')"), move |columns: &Columns| {
                call(&row_digest, columns, &[ScalarValue::from(algorithm)], true)
            })
        };
        let hash = by_digest(algorithm, false);
        let format_and_hash = contestant(&format!("format + {algorithm}"), move |columns: &Columns| {
            (hash.run)(&vec![formatted(columns)])
        });
        let (hash, concat_ws) = (by_digest(algorithm, false), concat_ws.clone());
        let concat_and_hash = contestant(&format!("concat_ws + {algorithm}"), move |columns: &Columns| {
            (hash.run)(&vec![concatenated(&concat_ws, columns)?])
        });
        for (others, bar) in [(format_and_hash, Some(Bar::Ratio(0.3))), (concat_and_hash, None)] {
            let ours = digests();
            cases.push(Case { rows: "5 mixed columns", batches: mixed(), built_in: others, ours, equal: false, bar });
        }
    }
    Ok(cases)
}

/// An answer for each row that is not NULL.
fn answers(contestant: &Contestant, columns: &Columns) -> Result<Vec<Option<Vec<u8>>>> {
    let answer = cast(&(contestant.run)(columns)?, &DataType::Binary)?;
    let answer: &BinaryArray = answer.as_binary();
    Ok(answer.iter().map(|row| row.map(<[u8]>::to_vec)).collect())
}

fn compare(case: &Case) -> Result<()> {
    for columns in &case.batches {
        let (theirs, ours) = (answers(&case.built_in, columns)?, answers(&case.ours, columns)?);
        let agree = if case.equal {
            theirs == ours
        } else {
            let different = |rows: &[Option<Vec<u8>>]| rows.iter().collect::<HashSet<_>>().len();
            different(&theirs) == different(&ours) && theirs.len() == ours.len()
        };
        assert!(agree, "{} and {} disagree on {}", case.built_in.name, case.ours.name, case.rows);
    }
    Ok(())
}

/// Nanoseconds a row.
fn time(contestant: &Contestant, batches: &[Columns]) -> Result<f64> {
    let began = Instant::now();
    for columns in batches {
        black_box((contestant.run)(black_box(columns))?);
    }
    Ok(began.elapsed().as_secs_f64() * 1e9 / (batches.len() * ROWS) as f64)
}

fn main() -> Result<()> {
    let rounds: usize = std::env::args().nth(1).map_or(30, |rounds| rounds.parse().expect("a number of rounds"));
    let only = std::env::args().nth(2).unwrap_or_default();
    let mut cases = cases()?;
    cases.retain(|case| case.rows.starts_with(&only));
    for case in &cases {
        compare(case)?;
    }
    println!("{:<26} {:<24} {:>8}  {:<20} {:>8}  {:>6}  bar", "rows", "beside", "ns/row", "ours", "ns/row", "ratio");
    let mut least = vec![[f64::INFINITY; 2]; cases.len()];
    for _ in 0..rounds {
        for (case, least) in cases.iter().zip(&mut least) {
            for (contestant, least) in [&case.built_in, &case.ours].into_iter().zip(least) {
                *least = least.min(time(contestant, &case.batches)?);
            }
        }
    }
    for (case, [theirs, ours]) in cases.iter().zip(least) {
        let verdict = |holds: bool| if holds { "holds" } else { "MISSED" };
        let bar = match case.bar {
            Some(Bar::Ratio(bar)) => format!("≤ {bar:.2} {}", verdict(ours / theirs <= bar)),
            Some(Bar::Adds(bar)) => format!("+{:.0} of {bar:.0} {}", ours - theirs, verdict(ours - theirs <= bar)),
            None => String::new(),
        };
        let (rows, beside, name) = (case.rows, &case.built_in.name, &case.ours.name);
        println!("{rows:<26} {beside:<24} {theirs:>8.1}  {name:<20} {ours:>8.1}  {:>6.2}  {bar}", ours / theirs);
    }
    Ok(())
}
