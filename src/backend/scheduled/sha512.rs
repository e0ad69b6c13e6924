//! One message of SHA-512.
#![allow(unsafe_code)]

use core::hint::black_box;
use core::mem::MaybeUninit;

use super::Schedule;
use super::sha2::{Rounds, one_message};
use crate::backend::opaque;
use crate::backend::portable::sha2::add_all;
use crate::kernel::sha512::{Chain, Sha2Word};
use crate::kernel::{Word, Words};

one_message!(u64, [0 1 2 3 4 5 6 7], [0 1], [2 3]);
