//! Mistakes, found when a query is planned, and told by the function, the argument and its type.

use crate::call::{context, error_of, planning_error, query};

/// A table with a column of text, of a number, of a time of day, and of a date of milliseconds.
const TABLE: &str = "CREATE TABLE t AS SELECT 'a' AS s, 1 AS n, \
                     arrow_cast(arrow_cast(1, 'Int32'), 'Time32(Second)') AS h, \
                     arrow_cast(arrow_cast(1, 'Timestamp(Millisecond, None)'), 'Date64') AS d, 'sha256' AS alg";

#[tokio::test]
async fn mistakes_in_plans() {
    let context = context();
    query(&context, TABLE).await.unwrap();
    for (call, parts) in [
        ("blake2b(n)", &["blake2b: argument 1 is Int64, but must be text or bytes", "CAST(x AS VARCHAR)"][..]),
        ("blake2b(s, 0)", &["blake2b: argument 2 is 0, but a digest must have 1 to 64 bytes"]),
        ("blake2b(s, 65)", &["blake2b: argument 2 is 65", "1 to 64"]),
        ("blake2b(s, -1)", &["blake2b: argument 2 is -1", "1 to 64"]),
        ("blake2b(s, 60 + 5)", &["blake2b: argument 2 is 65", "1 to 64"]),
        ("blake2b(s, NULL)", &["blake2b: argument 2 is NULL", "integer constant"]),
        ("blake2b(s, n)", &["blake2b: argument 2, the length of a digest, must be a constant"]),
        ("blake2b(s, '32')", &["blake2b: argument 2 is Utf8, but must be an integer"]),
        ("blake2b(s, 1.5)", &["blake2b: argument 2 is Float64, but must be an integer"]),
        ("blake2b(s, 9223372036854775808)", &["blake2b"]),
        ("blake2s(s, 33)", &["blake2s: argument 2 is 33", "1 to 32"]),
        ("blake2s_hex(s, 33)", &["blake2s_hex: argument 2 is 33", "1 to 32"]),
        ("blake2b(s, 1, 2)", &["blake2b takes 1 or 2 arguments", "was given 3"]),
        ("sha256(s, 32)", &["sha256 takes 1 argument", "was given 2"]),
        ("blake3_hex(s, 32)", &["blake3_hex takes 1 argument"]),
        ("sha224(h)", &["sha224: argument 1 is Time32(s)"]),
        ("row_digest('sha256')", &["row_digest takes an algorithm and at least one column"]),
        (
            "row_digest('md5', s)",
            &["row_digest: there is no algorithm 'md5'", "sha224, sha256, sha384, sha512, blake2s, blake2b, blake3"],
        ),
        ("row_digest('SHA256', s)", &["row_digest: there is no algorithm 'SHA256'"]),
        ("row_digest(NULL, s)", &["row_digest: argument 1 is NULL", "sha224, sha256"]),
        ("row_digest(1, s)", &["row_digest: argument 1 is Int64, but must be text"]),
        ("row_digest(alg, s)", &["row_digest: argument 1, the algorithm, must be a constant"]),
        ("row_digest('sha256', s, h)", &["row_digest: argument 3 is Time32(s)", "CAST"]),
        ("row_digest('sha256', [h])", &["row_digest: argument 2 is List(", "which has Time32(s) inside"]),
        ("row_digest('sha256', INTERVAL '1 day')", &["row_digest: argument 2 is Interval"]),
        ("table_digest('sha256')", &["table_digest takes an algorithm and at least one column"]),
        ("table_digest('md5', s)", &["table_digest: there is no algorithm 'md5'"]),
        ("table_digest(NULL, s)", &["table_digest: argument 1 is NULL"]),
        ("table_digest(min(alg), s)", &[]),
        ("table_digest(alg, s)", &["table_digest: argument 1, the algorithm, must be a constant"]),
        ("table_digest('sha256', s, h)", &["table_digest: argument 3 is Time32(s)"]),
        ("table_digest(DISTINCT 'sha256', s)", &["table_digest takes no DISTINCT"]),
        ("table_digest(DISTINCT 'sha256', s), count(DISTINCT s)", &["table_digest takes no DISTINCT"]),
        ("table_digest(DISTINCT 'sha256', s) FILTER (WHERE n > 0)", &["table_digest takes no DISTINCT"]),
    ] {
        let error = planning_error(&context, &format!("SELECT {call} FROM t")).await;
        for part in parts {
            assert!(error.contains(part), "{call}: {error}");
        }
        assert!(!error.contains("Internal error") && !error.contains("panicked"), "{call}: {error}");
    }
}

/// DataFusion asks an aggregate over a window nothing when it plans.
#[tokio::test]
async fn mistakes_in_windows_are_found_when_the_query_runs() {
    let context = context();
    query(&context, TABLE).await.unwrap();
    for (call, error) in [
        ("table_digest('md5', s)", "table_digest: there is no algorithm 'md5': argument 1 must be one of sha224"),
        ("table_digest(NULL, s)", "table_digest: argument 1 is NULL, but must name an algorithm: one of sha224"),
        ("table_digest(alg, s)", "table_digest: argument 1, the algorithm, must be a constant"),
        ("table_digest(DISTINCT 'sha256', s)", "table_digest takes no DISTINCT"),
        ("table_digest('sha256', s, d)", "table_digest: argument 3 is Date64"),
    ] {
        for window in ["", "ORDER BY n", "PARTITION BY s", "ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"] {
            let sql = format!("SELECT {call} OVER ({window}) FROM t");
            context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap();
            let given = error_of(&context, &sql).await;
            assert!(given.contains(error) && !given.contains("Internal error"), "{sql}: {given}");
            query(&context, &format!("{sql} WHERE n > 1")).await.unwrap();
        }
    }
}

#[tokio::test]
async fn mistakes_in_values() {
    let context = context();
    query(&context, TABLE).await.unwrap();
    for name in ["row_digest", "table_digest"] {
        let error = error_of(&context, &format!("SELECT {name}('sha256', s, d) FROM t")).await;
        assert!(error.contains(&format!("{name}: argument 3 is Date64")) && error.contains("row 0"), "{error}");
        assert!(!error.contains("Internal error"), "{error}");
    }
    // A row that is filtered out is not looked at.
    query(&context, "SELECT table_digest('sha256', s, d) FILTER (WHERE n > 1) FROM t").await.unwrap();
    query(&context, "SELECT n, table_digest('sha256', s, d) FILTER (WHERE n > 1) FROM t GROUP BY n").await.unwrap();
}
