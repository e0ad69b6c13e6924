//! SHA-512 on SSE4.1: one message after the other in scalar code, since two lanes would take as long.

use super::Sse41;
use crate::backend::portable::sha512::alone;

alone!(Sse41);
