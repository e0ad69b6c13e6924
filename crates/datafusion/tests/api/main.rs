//! The public interface: every function over every type, against other programs and against other paths to the same.

mod call;
mod columns;
mod digest;
mod errors;
mod keyed;
mod properties;
mod row;
mod sql;
mod table;
