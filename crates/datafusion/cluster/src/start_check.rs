//! Do the executors have our functions, and do they compute the same as this process?

use std::collections::BTreeSet;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::concat_batches;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;

/// The answer of the cluster.
#[derive(Debug, Default)]
pub struct Checked {
    /// The executors that computed with our functions, by name.
    pub executors: BTreeSet<String>,
    /// The names of the functions whose test query failed, each with its error. Empty if all succeeded.
    pub failed: Vec<(String, DataFusionError)>,
    /// The functions with another answer than here; a fingerprint if an executor has another key.
    pub differing: Vec<String>,
}

impl Checked {
    /// # Errors
    /// Names the functions that failed or differ, or says how many executors were not reached.
    pub fn complete(&self, executors: usize) -> Result<()> {
        let list = |names: Vec<&str>| names.join(", ");
        let mut complaints = Vec::new();
        if let Some((_, error)) = self.failed.first() {
            let names = list(self.failed.iter().map(|(name, _)| name.as_str()).collect());
            complaints.push(format!("an executor, or the scheduler, fails with {names}: {error}"));
        }
        if !self.differing.is_empty() {
            let names = list(self.differing.iter().map(String::as_str).collect());
            complaints.push(format!("an executor computes another {names}: it has another function, or another key"));
        }
        if complaints.is_empty() && self.executors.len() < executors {
            complaints.push(format!("the check has reached {} of {executors} executors", self.executors.len()));
        }
        match complaints.is_empty() {
            true => Ok(()),
            false => Err(DataFusionError::Execution(complaints.join("; "))),
        }
    }
}

/// Runs every function over a table of at least as many partitions as there are task slots. Over constants a query
/// says nothing: the planner computes these on the client.
///
/// Each query is compared with the same query on this process's `local` context. The check is repeated until as many
/// executors have answered, at most ten times. A query cannot be sent to one executor, so an executor that joins later,
/// or that had no free slot ten times, is not checked.
///
/// # Errors
/// The table cannot be read here.
pub async fn check(
    cluster: &SessionContext,
    local: &SessionContext,
    table: &str,
    functions: &[String],
    executors: usize,
) -> Result<Checked> {
    let mut checked = Checked::default();
    let (aggregates, columns): (Vec<&String>, Vec<&String>) =
        functions.iter().partition(|name| *name == "table_digest");
    let calls: Vec<String> = columns.iter().map(|name| call(name)).collect();
    let all = format!("select n, {} from {table} order by n", calls.join(", "));
    let with_executor = all.replacen("select n", "select executor() as executor, n", 1);
    let expected = answer(local, &all).await?;
    let mut failure = None;
    for _ in 0..10 {
        let found = match answer(cluster, &with_executor).await {
            Ok(found) => found,
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        checked.executors.extend(found.column(0).as_string::<i32>().iter().flatten().map(str::to_owned));
        for (i, name) in columns.iter().enumerate() {
            if found.num_rows() != expected.num_rows() || found.column(i + 2) != expected.column(i + 1) {
                checked.differing.push((*name).clone());
            }
        }
        if !checked.differing.is_empty() || checked.executors.len() >= executors {
            break;
        }
    }
    // Did the large query fail? Each function alone says which.
    let alone = if failure.is_some() { &columns[..] } else { &[] };
    let queries = alone.iter().map(|name| (*name, format!("select n, {} from {table} order by n", call(name))));
    let aggregates = aggregates.iter().map(|name| (*name, format!("select {} from {table}", call(name))));
    for (name, query) in queries.chain(aggregates) {
        match answer(cluster, &query).await {
            Err(error) => checked.failed.push((name.clone(), error)),
            Ok(found) if found.columns() != answer(local, &query).await?.columns() => {
                checked.differing.push(name.clone());
            }
            Ok(_) => {}
        }
    }
    // If none does, `executor` is missing: an executor of somebody else, whose answers happen to be equal.
    if checked.failed.is_empty() {
        checked.failed.extend(failure.map(|error| ("executor".to_owned(), error)));
    }
    checked.differing.dedup();
    Ok(checked)
}

fn call(function: &str) -> String {
    match function {
        "digest" => "digest(s, 'blake2b')".into(),
        "row_digest" | "table_digest" => format!("{function}('blake2b', n, s)"),
        fingerprint if fingerprint.ends_with("_fingerprint") => format!("{fingerprint}()"),
        _ => format!("{function}(s)"),
    }
}

/// The rows of a query as one batch.
///
/// # Errors
/// The query cannot be planned, or fails.
pub async fn answer(context: &SessionContext, query: &str) -> Result<RecordBatch> {
    let frame = context.sql(query).await?;
    let schema = frame.schema().inner().clone();
    let batches = frame.collect().await?;
    let schema = batches.first().map_or(schema, RecordBatch::schema);
    Ok(concat_batches(&schema, &batches)?)
}
