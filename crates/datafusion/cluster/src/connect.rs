//! A client's context, whose queries run on the cluster.

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::session::Functions;

/// Nothing is sent yet. The names are those of the functions that executors must have. A table of fewer files has fewer
/// partitions.
///
/// # Errors
/// The address is none, or the key is no key.
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
