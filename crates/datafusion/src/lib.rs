#![doc = include_str!("../README.md")]

mod algorithm;
mod argument;
mod column;
mod digest;
mod keyed;
mod plain;
mod register;
mod row;
mod table;

pub use self::register::{register_all, register_keyed};
