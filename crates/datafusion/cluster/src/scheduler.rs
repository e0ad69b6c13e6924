//! The questions of a client or an executor to a scheduler before it sends a query.

use core::time::Duration;
use std::time::Instant;

use datafusion::error::{DataFusionError, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// Waits until a scheduler at `address` (`host:port`) has as many executors. Returns how many it has.
///
/// # Errors
/// After `patience`: nobody listens at the address, or not a scheduler, or there are fewer executors.
pub async fn wait_for_executors(address: &str, executors: usize, patience: Duration) -> Result<usize> {
    let began = Instant::now();
    loop {
        let left = patience.saturating_sub(began.elapsed()).max(Duration::from_millis(200));
        let complaint = match timeout(left, alive_executors(address)).await {
            Ok(Ok(alive)) if alive >= executors => return Ok(alive),
            Ok(Ok(alive)) => format!("the scheduler at {address} has {alive} of {executors} executors"),
            Ok(Err(complaint)) => complaint,
            Err(_) => format!("the scheduler at {address} does not answer"),
        };
        if began.elapsed() >= patience {
            let seconds = patience.as_secs_f32();
            return Err(DataFusionError::Execution(format!("{complaint}, after {seconds} s")));
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// How many executors the scheduler counts as alive. Its page for load balancers says so.
async fn alive_executors(address: &str) -> core::result::Result<usize, String> {
    let no_scheduler = |error: std::io::Error| format!("no scheduler at {address}: {error}");
    let mut connection = TcpStream::connect(address).await.map_err(no_scheduler)?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await.map_err(no_scheduler)?;
    let mut answer = Vec::new();
    connection.take(1 << 16).read_to_end(&mut answer).await.map_err(no_scheduler)?;
    // `ready: 2 executors registered`, or `not ready: 0/1 executors registered`.
    let answer = String::from_utf8_lossy(&answer);
    let alive = answer.split_once("ready: ").and_then(|(_, text)| {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..digits].parse().ok()
    });
    alive.ok_or_else(|| format!("whoever listens at {address} is no scheduler of Ballista"))
}
