//! A client's context, whose queries run on the cluster.

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::session::Functions;

/// A client's context for the cluster whose scheduler is at `scheduler` (`host:port`), and the names of the SQL functions
/// that each executor must have. Queries are sent when they run, and not here.
///
/// A query over a table has at most `partitions` partitions, and at most one for each of the table's files.
///
/// # Errors
/// `scheduler` is not an address, or `functions` has a key file without a valid key.
pub async fn connect(
    scheduler: &str,
    functions: &Functions,
    partitions: usize,
) -> Result<(SessionContext, Vec<String>)> {
    let config = SessionConfig::new_with_ballista()
        .with_target_partitions(partitions)
        // An executor takes one partition at a time, so that all have work.
        .set_str("ballista.scheduler.max_partitions_per_task", "1");
    let session = functions.session(config)?;
    let mut context = SessionContext::remote_with_state(&format!("df://{scheduler}"), session).await?;
    // Ballista 55.0 has replaced the session's functions by the built-in ones.
    let names = functions.register(&mut context)?;
    Ok((context, names))
}
