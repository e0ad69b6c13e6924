//! Queries: what engines do with functions around the call.

use std::sync::Arc;

use arrow::array::{Array, AsArray, BinaryArray, DictionaryArray, Int32Array, StringArray};
use arrow::datatypes::{DataType, Int32Type};
use arrow::record_batch::RecordBatch;
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use simd_digest_datafusion::{register_all, register_keyed};

use crate::call::{ALGORITHMS, context, error_of, hash, hex, query, value_of, values, values_of};

#[tokio::test]
async fn constants_are_folded() {
    let context = context();
    assert_eq!(value_of(&context, "SELECT blake2b('abc')").await, hash("blake2b", b"abc"));
    assert_eq!(value_of(&context, "SELECT sha256_hex('abc')").await, hex(&hash("sha256", b"abc")).into_bytes());
    assert_eq!(value_of(&context, "SELECT blake3(x'616263')").await, hash("blake3", b"abc"));
    assert_eq!(
        value_of(&context, "SELECT encode(blake2b('abc', 10 + 10), 'hex')").await,
        value_of(&context, "SELECT blake2b_hex('abc', 20)").await
    );
    let plan = context.sql("SELECT blake2b('abc', 4)").await.unwrap().into_optimized_plan().unwrap();
    let plan = plan.to_string();
    assert!(!plan.replace(" AS blake2b", "").contains("blake2b("), "{plan}");
    assert_eq!(values_of(&context, "SELECT blake2b(NULL)").await.unwrap(), [None]);
    let same = "SELECT row_digest('sha256', 5, 'a', -0.0, arrow_cast('a', 'Dictionary(Int32, Utf8)')) = \
                row_digest('sha256', arrow_cast(5, 'UInt8'), arrow_cast('a', 'LargeUtf8'), 0.0, 'a')";
    let answer = query(&context, same).await.unwrap();
    assert!(answer.column(0).as_boolean().value(0));
}

#[tokio::test]
async fn prepared_parameters_are_constants_once_they_have_values() {
    let context = context();
    query(&context, "CREATE TABLE t AS VALUES ('abc')").await.unwrap();
    for (prepare, execute, same) in [
        ("PREPARE p1(INT) AS SELECT blake2b(column1, $1) FROM t", "EXECUTE p1(20)", "SELECT blake2b('abc', 20)"),
        (
            "PREPARE p2(BIGINT) AS SELECT blake2b_hex(column1, $1) FROM t",
            "EXECUTE p2(20)",
            "SELECT blake2b_hex('abc', 20)",
        ),
        (
            "PREPARE p3(VARCHAR) AS SELECT row_digest($1, column1) FROM t",
            "EXECUTE p3('sha256')",
            "SELECT row_digest('sha256', 'abc')",
        ),
        (
            "PREPARE p4(VARCHAR) AS SELECT table_digest($1, column1) FROM t",
            "EXECUTE p4('sha256')",
            "SELECT table_digest('sha256', 'abc')",
        ),
        ("PREPARE p5(VARCHAR) AS SELECT sha256($1) FROM t", "EXECUTE p5('abc')", "SELECT sha256('abc')"),
        ("PREPARE p6 AS SELECT blake3($1) FROM t", "EXECUTE p6('abc')", "SELECT blake3('abc')"),
        ("PREPARE p7(VARCHAR) AS SELECT digest(column1, $1) FROM t", "EXECUTE p7('blake3')", "SELECT blake3('abc')"),
    ] {
        query(&context, prepare).await.unwrap_or_else(|error| panic!("{prepare}: {error}"));
        assert_eq!(value_of(&context, execute).await, value_of(&context, same).await, "{prepare}");
    }
    let error = error_of(&context, "EXECUTE p1(65)").await;
    assert!(error.contains("blake2b: argument 2 is 65"), "{error}");
    for execute in ["EXECUTE p3('md5')", "EXECUTE p4('md5')"] {
        let error = error_of(&context, execute).await;
        assert!(error.contains("there is no algorithm 'md5'"), "{error}");
    }
}

#[tokio::test]
async fn groups_joins_and_distinct_over_digests() {
    let context = context();
    query(
        &context,
        "CREATE TABLE t AS SELECT value AS n, CASE WHEN value % 10 = 3 THEN NULL ELSE \
         concat('row ', value % 100) END AS s FROM generate_series(1, 5000)",
    )
    .await
    .unwrap();
    for algorithm in ALGORITHMS {
        let answer = query(
            &context,
            &format!(
                "SELECT count(DISTINCT {algorithm}(s)), count(DISTINCT s), \
            count(DISTINCT row_digest('{algorithm}', s, n)) FROM t"
            ),
        )
        .await
        .unwrap();
        let count = |column: usize| answer.column(column).as_primitive::<arrow::datatypes::Int64Type>().value(0);
        assert_eq!([count(0), count(1), count(2)], [90, 90, 5000]);
        let sql = format!(
            "SELECT s, {algorithm}(s), {algorithm}_hex(s), count(*) FROM t \
             GROUP BY s, {algorithm}(s), {algorithm}_hex(s)"
        );
        let answer = query(&context, &sql).await.unwrap();
        assert_eq!(answer.num_rows(), 91);
        let [texts, digests, digits] = [0, 1, 2].map(|column| values(answer.column(column)));
        for ((text, digest), digits) in texts.iter().zip(digests).zip(digits) {
            let expected = text.as_ref().map(|text| hash(algorithm, text));
            assert_eq!(digits, expected.as_ref().map(|digest| hex(digest).into_bytes()));
            assert_eq!(digest, expected);
        }
        let sql =
            format!("SELECT count(*) FROM t AS a JOIN t AS b ON {algorithm}(a.s) = {algorithm}(b.s) WHERE a.n = 1");
        assert_eq!(
            query(&context, &sql).await.unwrap().column(0).as_primitive::<arrow::datatypes::Int64Type>().value(0),
            50
        );
        let sql =
            format!("SELECT n FROM t WHERE {algorithm}(s) = {algorithm}('row 17') ORDER BY {algorithm}(s), n LIMIT 1");
        assert_eq!(
            query(&context, &sql).await.unwrap().column(0).as_primitive::<arrow::datatypes::Int64Type>().value(0),
            17
        );
    }
    // A strict function over an outer join: rows without a partner stay.
    let sql = "SELECT count(*) FROM (VALUES (1), (2)) AS a(x) LEFT JOIN (VALUES (1, 'a')) AS b(x, s) \
               ON a.x = b.x WHERE blake3(b.s) IS NULL";
    assert_eq!(query(&context, sql).await.unwrap().column(0).as_primitive::<arrow::datatypes::Int64Type>().value(0), 1);
}

#[tokio::test]
async fn views_and_dictionaries_out_of_parquet() {
    let context = context();
    let rows = 20_000;
    let texts: StringArray = (0..rows).map(|i| (i % 17 != 0).then(|| format!("text number {i} of a column"))).collect();
    let keys: Int32Array = (0..rows).map(|i| (i % 5 != 0).then_some(i % 3)).collect();
    let entries = StringArray::from(vec![Some("one"), None, Some("a third entry, which is long")]);
    let dictionary = DictionaryArray::<Int32Type>::new(keys, Arc::new(entries));
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("s", Arc::new(texts) as _, true),
        ("d", Arc::new(dictionary) as _, true),
        ("n", Arc::new(Int32Array::from_iter_values(0..rows)) as _, true),
    ]);
    let batch = batch.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let path = path.to_str().unwrap();
    let frame = context.read_batch(batch.clone()).unwrap();
    frame.write_parquet(path, DataFrameWriteOptions::new(), None).await.unwrap();
    context.register_parquet("t", path, ParquetReadOptions::default()).await.unwrap();
    context.register_batch("memory", batch).unwrap();
    let schema = context.table("t").await.unwrap().schema().as_arrow().clone();
    assert_eq!(*schema.field(0).data_type(), DataType::Utf8View);
    assert!(matches!(schema.field(1).data_type(), DataType::Dictionary(_, _)));
    for column in ["s", "d"] {
        for algorithm in ["blake2b", "sha256", "blake3"] {
            let sql = format!(
                "SELECT {algorithm}({column}) AS h, {column} AS v, row_digest('{algorithm}', s, d, n) AS r \
                 FROM t ORDER BY n"
            );
            let answer = query(&context, &sql).await.unwrap();
            let [digests, plain, rows] = [0, 1, 2].map(|column| values(answer.column(column)));
            let expected: Vec<_> =
                plain.iter().map(|value| value.as_ref().map(|value| hash(algorithm, value))).collect();
            assert!(digests == expected, "{sql}");
            let sql = format!("SELECT row_digest('{algorithm}', s, d, n) FROM memory ORDER BY n");
            assert!(rows == values_of(&context, &sql).await.unwrap(), "{sql}");
        }
    }
    let of =
        async |table: &str| value_of(&context, &format!("SELECT table_digest('sha256', s, d, n) FROM {table}")).await;
    assert_eq!(of("t").await, of("memory").await);
}

#[tokio::test]
async fn results_are_as_nullable_as_their_input() {
    let context = context();
    let text = Arc::new(StringArray::from(vec!["a"]));
    let dictionary =
        DictionaryArray::<Int32Type>::new(Int32Array::from(vec![0]), Arc::new(StringArray::from(vec![None::<&str>])));
    let fixed = Arc::new(BinaryArray::from(vec![&b"a"[..]]));
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("never", Arc::clone(&text) as Arc<dyn Array>, false),
        ("sometimes", text as _, true),
        ("d", Arc::new(dictionary) as _, false),
        ("bytes", fixed as _, false),
    ]);
    context.register_batch("t", batch.unwrap()).unwrap();
    for (expression, nullable, data_type) in [
        ("blake2b(never)", false, DataType::Binary),
        ("blake2b(never, 8)", false, DataType::Binary),
        ("sha256_hex(never)", false, DataType::Utf8),
        ("blake3(bytes)", false, DataType::Binary),
        ("blake2b(sometimes)", true, DataType::Binary),
        ("blake2b(d)", true, DataType::Binary),
        ("blake2b(NULL)", true, DataType::Binary),
        ("row_digest('sha256', sometimes)", false, DataType::Binary),
        ("table_digest('sha256', sometimes)", false, DataType::Binary),
    ] {
        let sql = format!("SELECT {expression} FROM t");
        let frame = context.sql(&sql).await.unwrap();
        let field = frame.schema().field(0).clone();
        assert_eq!((field.is_nullable(), field.data_type()), (nullable, &data_type), "{sql}");
        query(&context, &sql).await.unwrap();
    }
}

#[tokio::test]
async fn functions_have_descriptions() {
    let config = SessionConfig::new().with_information_schema(true);
    let mut context = SessionContext::new_with_config(config);
    let mut names = register_all(&mut context).unwrap();
    names.extend(register_keyed(&mut context, "mask", "blake3", &[7; 32]).unwrap());
    for name in names {
        let sql = format!(
            "SELECT description, syntax_example FROM information_schema.routines WHERE routine_name = '{name}'"
        );
        let answer = query(&context, &sql).await.unwrap();
        let [description, syntax] = [0, 1].map(|column| values(answer.column(column)));
        assert!(description.first().is_some_and(Option::is_some), "{name}");
        let syntax = String::from_utf8(syntax[0].clone().unwrap()).unwrap();
        assert!(syntax.starts_with(&format!("{name}(")), "{syntax}");
    }
}
