//! Parts that scheduler, executors and clients of a Ballista cluster share: the functions, a table, and a check at start
//! that every executor has the functions. The three processes are `src/bin`.

pub mod connect;
pub mod rows;
pub mod scheduler;
pub mod session;
pub mod signals;
pub mod start_check;
