//! An executor of Ballista that has the functions: `cargo run --bin ballista-executor`.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use ballista_core::extension::SessionConfigExt;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use clap::Parser;
use datafusion::prelude::SessionConfig;
use simd_digest_datafusion_cluster::scheduler;
use simd_digest_datafusion_cluster::session::Functions;
use simd_digest_datafusion_cluster::signals::interrupted;

/// An executor of Ballista for digests in SQL, on loopback.
#[derive(Parser)]
struct Settings {
    /// Host and port of the scheduler.
    #[arg(long, default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// The port from which others fetch results. Any that is free, if it is 0.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The port at which the scheduler hands tasks in. Any that is free, if it is 0.
    #[arg(long, default_value_t = 0)]
    task_port: u16,
    /// How many partitions are computed at the same time. One for each core, if it is 0.
    #[arg(long, default_value_t = 0)]
    slots: usize,
    /// A file whose 16 to 64 bytes are the key of `mask`.
    #[arg(long)]
    key_file: Option<PathBuf>,
    /// Registers nothing, to be an executor of somebody else: the client names the functions that are missing.
    #[arg(long, conflicts_with = "key_file")]
    without_functions: bool,
    /// The folder for intermediate results, in which a folder is made and removed. The system's, if it is not given.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Seconds to wait for the scheduler.
    #[arg(long, default_value_t = 30)]
    wait: u64,
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

#[tokio::main]
async fn main() -> ExitCode {
    let settings = Settings::parse();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match serve(settings).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ballista-executor: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(settings: Settings) -> Result<(), Box<dyn core::error::Error>> {
    let (host, port) = settings.scheduler.rsplit_once(':').ok_or("--scheduler takes HOST:PORT")?;
    let scheduler_port = port.parse().map_err(|_| format!("--scheduler takes HOST:PORT: {port} is no port"))?;
    let folder = settings.folder.clone().unwrap_or_else(std::env::temp_dir);
    let work = tempfile::Builder::new()
        .prefix("ballista-executor-")
        .tempdir_in(&folder)
        .map_err(|error| format!("the folder {}: {error}", folder.display()))?;
    let (results, tasks) = free_ports(settings.port, settings.task_port)?;
    let name = format!("127.0.0.1:{results}");
    let registry = if settings.without_functions {
        BallistaFunctionRegistry::default()
    } else {
        let functions = Functions::new(&name, settings.key_file.as_ref())?;
        BallistaFunctionRegistry::from(&functions.session(SessionConfig::new_with_ballista())?)
    };
    let config = ExecutorProcessConfig {
        external_host: Some("127.0.0.1".into()),
        port: results,
        grpc_port: tasks,
        scheduler_host: host.into(),
        scheduler_port,
        vcores: settings.slots,
        work_dir: Some(work.path().to_str().ok_or("the folder's name is not UTF-8")?.into()),
        override_function_registry: Some(Arc::new(registry)),
        ..ExecutorProcessConfig::default()
    };
    // Ballista 55.0 itself tries once, or for ever: its timeout measures from now, each time anew.
    tokio::select! {
        found = scheduler::wait_for_executors(&settings.scheduler, 0, Duration::from_secs(settings.wait)) => { found?; }
        () = interrupted() => return Ok(()),
    }
    tokio::spawn(async {
        interrupted().await;
        INTERRUPTED.store(true, Ordering::Relaxed);
    });
    println!("executor: {name}");
    // Ballista ends well after a signal. It also ends well if a port was taken, and writes that to the log.
    start_executor_process(Arc::new(config)).await?;
    tokio::time::sleep(Duration::from_millis(50)).await; // for the task above
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Ok(());
    }
    Err(format!("a service at port {results} or {tasks} of 127.0.0.1 has ended").into())
}

/// Two ports that were free a moment ago: Ballista takes numbers, not sockets.
fn free_ports(results: u16, tasks: u16) -> Result<(u16, u16), String> {
    let bind =
        |port| TcpListener::bind(("127.0.0.1", port)).map_err(|error| format!("port {port} of 127.0.0.1: {error}"));
    let port =
        |socket: &TcpListener| socket.local_addr().map(|address| address.port()).map_err(|error| error.to_string());
    let (results, tasks) = (bind(results)?, bind(tasks)?);
    Ok((port(&results)?, port(&tasks)?))
}
