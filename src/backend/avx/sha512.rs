//! SHA-512 on AVX: one message after the other in scalar code, since two lanes would take as long.

use super::Avx;
use crate::backend::portable::sha512::alone;

alone!(Avx);
