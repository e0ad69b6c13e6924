//! Waits that end: after a limit a test says what it waited for.

use core::time::Duration;

/// More than anything takes that a test waits for, on a busy machine and on an emulated one.
const LIMIT: Duration = Duration::from_secs(120);

/// The answer of a future that others wake.
pub(crate) async fn in_time<T>(what: &str, answer: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, answer).await.unwrap_or_else(|_| panic!("waited {LIMIT:?} for {what}"))
}
