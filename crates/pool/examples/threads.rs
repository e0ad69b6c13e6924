//! 200 uploads at once, each in its own thread, in ragged pieces: `cargo run --release -p simd-digest-pool --example threads`.

use std::thread;
use std::time::Instant;

use simd_digest::sha256;
use simd_digest_pool::Pool;

const UPLOADS: usize = 200;
const LENGTH: usize = 2 << 20;

fn main() {
    let pool = Pool::new();
    let content: Vec<u8> = (0..251).cycle().take(LENGTH + UPLOADS).collect();
    let begin = Instant::now();
    thread::scope(|scope| {
        for upload in 0..UPLOADS {
            let (pool, message) = (&pool, &content[upload..][..LENGTH]);
            scope.spawn(move || {
                let mut hasher = pool.hasher(sha256::Hasher::new());
                let mut buffer = vec![0; 64 << 10]; // one for all pieces: update is done with it
                for piece in message.chunks(20_000 + 200 * upload) {
                    buffer[..piece.len()].copy_from_slice(piece);
                    hasher.update(&buffer[..piece.len()]);
                }
                assert_eq!(hasher.finalize(), sha256::hash(message), "upload {upload}");
            });
        }
    });
    println!("{UPLOADS} uploads of {LENGTH} bytes, hashed and checked in {:?}", begin.elapsed());
    println!("{:?}", pool.stats());
}
