//! The functions on a cluster of Ballista, which are the examples as processes, or one process.

#[path = "../../examples/common/connect.rs"]
mod connect;
#[path = "../../examples/common/rows.rs"]
mod rows;
#[path = "../../examples/common/scheduler.rs"]
mod scheduler;
#[path = "../../examples/common/session.rs"]
mod session;
#[path = "../../examples/common/start_check.rs"]
mod start_check;

mod examples;
mod in_time;
mod missing;
mod nested;
mod one_process;
mod process;
