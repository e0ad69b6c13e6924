//! The signals that end a process.

/// Returns after Ctrl-C or SIGTERM.
pub async fn interrupted() {
    let control_c = async {
        if tokio::signal::ctrl_c().await.is_err() {
            core::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => core::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = core::future::pending::<Option<()>>();
    tokio::select! {
        () = control_c => {}
        _ = terminated => {}
    }
}
