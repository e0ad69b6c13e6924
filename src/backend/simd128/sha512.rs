//! SHA-512 on WebAssembly's SIMD: one message after the other in scalar code, since two lanes would gain nothing on
//! hosts with SSE.

use super::Simd128;
use crate::backend::portable::sha512::alone;

alone!(Simd128, |_, chain: &mut Chain, blocks| portable::compress(chain, blocks));
