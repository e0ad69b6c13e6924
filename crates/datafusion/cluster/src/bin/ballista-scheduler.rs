//! A scheduler of Ballista whose sessions have the functions: `cargo run --bin ballista-scheduler`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use clap::Parser;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use simd_digest_datafusion_cluster::session::Functions;
use simd_digest_datafusion_cluster::signals::interrupted;
use tokio::net::TcpListener;

/// A scheduler of Ballista for digests in SQL, on loopback.
#[derive(Parser)]
struct Settings {
    /// The port. Any that is free, if it is 0.
    #[arg(long, default_value_t = 50050)]
    port: u16,
    /// A file whose 16 to 64 bytes are the key of `mask`.
    #[arg(long)]
    key_file: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let settings = Settings::parse();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let ended = tokio::select! {
        ended = serve(settings) => ended,
        () = interrupted() => Ok(()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ballista-scheduler: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(settings: Settings) -> Result<(), Box<dyn core::error::Error>> {
    let functions = Functions::new("scheduler", settings.key_file.as_ref())?;
    functions.session(datafusion::prelude::SessionConfig::new())?; // a bad key is an error now, not with a query
    let listener = TcpListener::bind(("127.0.0.1", settings.port))
        .await
        .map_err(|error| format!("port {} of 127.0.0.1: {error}", settings.port))?;
    let address = listener.local_addr()?;
    let mut config = SchedulerConfig::default()
        .with_hostname("127.0.0.1")
        .with_port(address.port()) // executors are told to call back there
        .with_override_session_builder(Arc::new(move |config| functions.session(config)));
    config.task_distribution = TaskDistributionPolicy::RoundRobin;
    config.validate()?;
    let cluster = BallistaCluster::new_from_config(&config).await?;
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config)).await?;
    println!("scheduler: {address}");
    start_grpc_service_with_listener(listener, scheduler).await?;
    Ok(())
}
