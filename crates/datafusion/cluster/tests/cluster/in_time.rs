//! Questions to a cluster, each with a deadline.

use core::time::Duration;

use arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use tokio::time::timeout;

use simd_digest_datafusion_cluster::start_check::{self, Checked};

const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) async fn in_time<T>(what: &str, answer: impl Future<Output = T>) -> T {
    timeout(PATIENCE, answer).await.unwrap_or_else(|_| panic!("no answer in {PATIENCE:?}: {what}"))
}

pub(crate) async fn answer(context: &SessionContext, query: &str) -> Result<RecordBatch> {
    in_time(query, start_check::answer(context, query)).await
}

pub(crate) async fn check(
    cluster: &SessionContext,
    local: &SessionContext,
    table: &str,
    functions: &[String],
    executors: usize,
) -> Result<Checked> {
    in_time("the check of executors", start_check::check(cluster, local, table, functions, executors)).await
}
