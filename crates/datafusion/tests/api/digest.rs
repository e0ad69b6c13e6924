//! `digest(x, algorithm)` answers as DataFusion's own does.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use datafusion::prelude::SessionContext;
use datafusion_expr::registry::{FunctionRegistry, MemoryFunctionRegistry};
use datafusion_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use simd_digest_datafusion::register_all;

use crate::call::{ALGORITHMS, column, context, hash, literal, query, registry, values};

const OF_DATAFUSION: [&str; 8] = ["md5", "sha224", "sha256", "sha384", "sha512", "blake2s", "blake2b", "blake3"];

/// A table with a column of each type that DataFusion has in SQL, and NULL among them.
fn table() -> RecordBatch {
    let texts = vec![Some("a"), None, Some(""), Some("a text that is longer than twelve bytes"), Some("ä")];
    let bytes: Vec<_> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let keys = Int32Array::from(vec![Some(0), None, Some(1), Some(3), Some(4)]);
    let dictionary = DictionaryArray::new(keys, Arc::new(StringArray::from(texts.clone())));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("utf8", Arc::new(StringArray::from(texts.clone()))),
        ("large", Arc::new(LargeStringArray::from(texts.clone()))),
        ("view", Arc::new(StringViewArray::from(texts.clone()))),
        ("bytes", Arc::new(BinaryArray::from(bytes.clone()))),
        ("largebytes", Arc::new(LargeBinaryArray::from(bytes.clone()))),
        ("viewbytes", Arc::new(BinaryViewArray::from_iter(bytes))),
        (
            "fixed",
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size((0..5).map(|i| (i != 2).then_some([i; 4])), 4)
                    .unwrap(),
            ),
        ),
        ("dictionary", Arc::new(dictionary)),
        ("number", Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]))),
        ("float", Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0, 4.0, 5.0]))),
        ("flag", Arc::new(BooleanArray::from(vec![true, false, true, false, true]))),
        ("day", Arc::new(Date32Array::from(vec![1, 2, 3, 4, 5]))),
        ("algorithm", Arc::new(StringArray::from(vec!["blake2b"; 5]))),
        ("nothing", Arc::new(NullArray::new(5))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}

fn both() -> [SessionContext; 2] {
    let contexts = [SessionContext::new(), context()];
    for context in &contexts {
        context.register_batch("t", table()).unwrap();
    }
    contexts
}

#[tokio::test]
async fn answers_types_and_errors_are_those_of_datafusion() {
    let [stock, ours] = both();
    let names: Vec<String> = table().schema().fields().iter().map(|field| field.name().clone()).collect();
    let literals = [
        "'abc'",
        "x'00ff'",
        "NULL",
        "''",
        "1",
        "1.5",
        "true",
        "arrow_cast('abc', 'LargeUtf8')",
        "arrow_cast('abc', 'FixedSizeBinary(3)')",
        "arrow_cast('abc', 'Dictionary(Int32, Utf8)')",
    ];
    let mut answered = 0;
    for value in names.iter().map(String::as_str).chain(literals) {
        let algorithms = OF_DATAFUSION.map(|name| format!("'{name}'"));
        let odd = [
            "'BLAKE2B'",
            "'nope'",
            "''",
            "NULL",
            "1",
            "algorithm",
            "concat('blake', '3')",
            "arrow_cast('blake3', 'Utf8View')",
            "arrow_cast('blake3', 'Dictionary(Int8, Utf8)')",
            "CASE WHEN number = 1 THEN 'blake3' ELSE 'blake2b' END",
        ];
        for algorithm in algorithms.iter().map(String::as_str).chain(odd) {
            let sql = format!("SELECT digest({value}, {algorithm}) FROM t");
            match (query(&stock, &sql).await, query(&ours, &sql).await) {
                (Ok(expected), Ok(given)) => {
                    assert_eq!(expected, given, "{sql}");
                    answered += 1;
                }
                (Err(expected), Err(given)) => assert_eq!(expected.to_string(), given.to_string(), "{sql}"),
                (expected, given) => panic!("{sql}: {expected:?} {given:?}"),
            }
        }
    }
    assert!(answered > 100, "{answered} answers");
}

#[tokio::test]
async fn our_sha2_answers_as_the_functions_it_replaces() {
    let [stock, ours] = both();
    for name in ["sha224", "sha256", "sha384", "sha512"] {
        for value in ["utf8", "large", "view", "bytes", "largebytes", "viewbytes", "'abc'", "x'00'", "''", "NULL"] {
            let sql = format!("SELECT {name}({value}) FROM t");
            assert_eq!(query(&stock, &sql).await.unwrap(), query(&ours, &sql).await.unwrap(), "{sql}");
        }
    }
}

#[test]
fn registered_twice_it_does_not_wrap_itself() {
    let mut context = SessionContext::new();
    let names = register_all(&mut context).unwrap();
    let once = context.udf("digest").unwrap();
    assert_eq!(register_all(&mut context).unwrap(), names);
    let twice = context.udf("digest").unwrap();
    assert_eq!(format!("{once:?}"), format!("{twice:?}"));
    assert_eq!(once, twice);
    assert_ne!(once, SessionContext::new().udf("digest").unwrap());
    for name in &names {
        assert!(context.udf(name).is_ok() || context.udaf(name).is_ok(), "{name}");
    }
    assert_eq!(names.len(), 17, "{names:?}");
}

#[test]
fn without_one_to_wrap_it_hashes_what_we_have() {
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    for algorithm in ALGORITHMS {
        let function = registry().udf("digest").unwrap();
        let given = evaluate_as_is(&function, vec![column(&text), literal(algorithm)]).unwrap().into_array(2).unwrap();
        assert_eq!(values(&given), [Some(hash(algorithm, b"a")), None]);
    }
    let stock = SessionContext::new().udf("digest").unwrap();
    assert_eq!(registry().udf("digest").unwrap().signature(), stock.signature());
    let error =
        |args: Vec<ColumnarValue>| evaluate_as_is(&registry().udf("digest").unwrap(), args).unwrap_err().to_string();
    let unknown = error(vec![column(&text), literal("md5")]);
    assert!(
        unknown.contains("There is no built-in digest algorithm named 'md5', currently supported algorithms are:"),
        "{unknown}"
    );
    let stock_error = |args: Vec<ColumnarValue>| evaluate_as_is(&stock, args).unwrap_err().to_string();
    let number: ArrayRef = Arc::new(Int8Array::from(vec![1, 2]));
    for args in [
        vec![column(&text), column(&text)],
        vec![column(&text), literal(1_i32)],
        vec![column(&number), literal("blake2b")],
    ] {
        assert_eq!(error(args.clone()), stock_error(args));
    }
}

/// Calls without the checks and casts of planning.
fn evaluate_as_is(function: &ScalarUDF, args: Vec<ColumnarValue>) -> datafusion_common::Result<ColumnarValue> {
    let field = |data_type| Arc::new(arrow::datatypes::Field::new("x", data_type, true));
    function.invoke_with_args(ScalarFunctionArgs {
        arg_fields: args.iter().map(|arg| field(arg.data_type())).collect(),
        args,
        number_rows: 2,
        return_field: field(DataType::Binary),
        config_options: Arc::default(),
    })
}

/// Another function of the name: text, and its arguments the other way round.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Other {
    signature: Signature,
}

impl ScalarUDFImpl for Other {
    fn name(&self) -> &'static str {
        "digest"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> datafusion_common::Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> datafusion_common::Result<ColumnarValue> {
        Ok(literal("other"))
    }
}

#[test]
fn another_function_of_the_name_keeps_its_answers() {
    let mut registry = MemoryFunctionRegistry::new();
    let signature = Signature::any(2, Volatility::Immutable);
    registry.register_udf(Arc::new(Other { signature }.into())).unwrap();
    register_all(&mut registry).unwrap();
    let function = registry.udf("digest").unwrap();
    let args = vec![literal("a"), literal("blake2b")];
    let field = |data_type| Arc::new(arrow::datatypes::Field::new("x", data_type, true));
    let answer = function.invoke_with_args(ScalarFunctionArgs {
        arg_fields: args.iter().map(|arg| field(arg.data_type())).collect(),
        args,
        number_rows: 1,
        return_field: field(DataType::Utf8),
        config_options: Arc::default(),
    });
    assert_eq!(values(&answer.unwrap().into_array(1).unwrap()), [Some(b"other".to_vec())]);
}
