//! The functions on a cluster of Ballista: this package's programs as processes, or one process.

mod in_time;
mod missing;
mod nested;
mod one_process;
mod process;
mod programs;
