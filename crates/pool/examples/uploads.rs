//! 200 uploads at once to a server of hyper, over the loopback interface; each answer is the digest of the body. Ends by
//! itself: `cargo run --release -p simd-digest-pool --features bytes --example uploads`.

use core::pin::Pin;
use core::task::{Context, Poll};
use std::io;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::service::service_fn;
use hyper::{Request, Response, client, server};
use simd_digest::sha256;
use simd_digest_pool::Pool;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

const UPLOADS: usize = 200;
const LENGTH: usize = 1 << 20;

type Answer = Result<(), Box<dyn core::error::Error + Send + Sync>>;

/// Hashes the body piece by piece, as it comes.
async fn digest(pool: Pool, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let mut hasher = pool.async_hasher(sha256::Hasher::new());
    let mut body = request.into_body();
    while let Some(frame) = body.frame().await {
        if let Ok(bytes) = frame?.into_data() {
            hasher.update(bytes).await;
        }
    }
    Ok(Response::new(Full::new(hasher.finalize().await.to_string().into())))
}

async fn serve(pool: Pool, listener: TcpListener) -> Answer {
    let connections = (0..UPLOADS).map(|_| async {
        let (stream, _) = listener.accept().await?;
        let pool = pool.clone();
        let service = service_fn(move |request| digest(pool.clone(), request));
        let connection = server::conn::http1::Builder::new().serve_connection(Io(stream), service);
        Ok::<_, io::Error>(tokio::spawn(connection))
    });
    let mut served = Vec::new();
    for connection in connections {
        served.push(connection.await?);
    }
    for connection in served {
        connection.await??;
    }
    Ok(())
}

/// Sends the body in one request, and checks the answer.
async fn upload(address: core::net::SocketAddr, body: Bytes) -> Answer {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = client::conn::http1::handshake(Io(stream)).await?;
    let connection = tokio::spawn(connection);
    let request = Request::post("/").header("host", "localhost").body(Full::new(body.clone()))?;
    let answer = sender.send_request(request).await?.into_body().collect().await?.to_bytes();
    assert_eq!(answer, sha256::hash(&body).to_string());
    drop(sender);
    connection.await??;
    Ok(())
}

#[tokio::main]
async fn main() -> Answer {
    let pool = Pool::new();
    let content = Bytes::from_iter((0..=250).cycle().take(LENGTH + UPLOADS));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let begin = Instant::now();
    let server = tokio::spawn(serve(pool.clone(), listener));
    let uploads: Vec<_> = (0..UPLOADS).map(|i| tokio::spawn(upload(address, content.slice(i..i + LENGTH)))).collect();
    for upload in uploads {
        upload.await??;
    }
    server.await??;
    println!("{UPLOADS} uploads of {LENGTH} bytes, sent, hashed and checked in {:?}", begin.elapsed());
    println!("{:?}", pool.stats());
    Ok(())
}

/// A stream of tokio for hyper.
struct Io(TcpStream);

impl Read for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; 16 << 10];
        let room = cursor.remaining().min(bytes.len());
        let mut buffer = ReadBuf::new(&mut bytes[..room]);
        let answer = Pin::new(&mut self.0).poll_read(cx, &mut buffer);
        cursor.put_slice(buffer.filled());
        answer
    }
}

impl Write for Io {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
