//! Takes connections in and serves each on a task of its own: so many at a time, and none that takes for ever to say what
//! it wants.

mod patient;

use crate::auth::peer::Peer;
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use patient::Patient;
use protocol::limits;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// How long to wait where the system has no connection to give, as where too many files are open.
const BREATH: Duration = Duration::from_millis(200);
const WRITE_MAX: Duration = Duration::from_millis(limits::CONNECTION_WRITE_MS);

/// Serves until told to stop, then lets requests that have begun end. Dropping the future drops every connection that
/// is not a socket by then.
///
/// `head_max` is how long a connection may take to say what it wants, also between two requests; `most` is how many are
/// served at the same time.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    stopping: CancellationToken,
    (head_max, most): (Duration, usize),
) {
    let places = Arc::new(Semaphore::new(most));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            next = next(&listener, &places) => {
                let Some((stream, peer, place)) = next else { continue };
                let router = (router.clone(), peer);
                let _task = connections.spawn(answer(stream, router, stopping.clone(), (head_max, place)));
            }
            Some(_ended) = connections.join_next() => {}
            () = stopping.cancelled() => break,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// The next connection, once there is a place for one; none if there was none to take. Cancel-safe.
async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, Peer, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, address)) => Some((stream, Peer(address), place)),
        Err(error) if is_of_one_connection(error.kind()) => None,
        Err(error) => {
            tracing::error!("no connection can be taken: {error}");
            tokio::time::sleep(BREATH).await;
            None
        }
    }
}

fn is_of_one_connection(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

async fn answer(
    stream: TcpStream,
    router: (Router, Peer),
    stopping: CancellationToken,
    (head_max, _place): (Duration, OwnedSemaphorePermit),
) {
    // Small frames must not wait for each other.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("a connection keeps its delay: {error}");
    }
    talk(Patient::new(stream, WRITE_MAX), router, stopping, head_max).await;
}

/// Answers what comes, until the other side has enough, or does not read what it asked for.
async fn talk<S>(
    stream: Patient<S>,
    (router, peer): (Router, Peer),
    stopping: CancellationToken,
    head_max: Duration,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let service = TowerToHyperService::new(router.map_request(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        let _none = request.extensions_mut().insert(peer);
        request
    }));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_max)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!("a connection ended badly: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use axum::routing::get;
    use futures::stream;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::oneshot;
    use tokio::time::Instant;

    /// What is heard, to the end, by somebody who sends this and waits.
    async fn heard(sent: &str, head_max: Duration) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stopping = CancellationToken::new();
        let router = Router::new().route("/", get(async || "hello"));
        let mut server = JoinSet::new();
        let _task = server.spawn(serve(listener, router, stopping.clone(), (head_max, 1)));
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        let _length = tokio::time::timeout(Duration::from_secs(20), read).await.expect("an end").unwrap();
        stopping.cancel();
        server.join_next().await.unwrap().unwrap();
        answer.lines().next().unwrap_or_default().to_owned()
    }

    #[tokio::test]
    async fn who_takes_for_ever_to_say_what_they_want_is_let_go() {
        let soon = Duration::from_millis(50);
        for unfinished in ["", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HT"] {
            assert!(!heard(unfinished, soon).await.contains("200"), "{unfinished:?}");
        }
        // Between two requests too.
        assert_eq!(heard("GET / HTTP/1.1\r\nHost: a\r\n\r\n", soon).await, "HTTP/1.1 200 OK");
        let hour = Duration::from_secs(3_600);
        let whole = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        assert_eq!(heard(whole, hour).await, "HTTP/1.1 200 OK");
    }
    /// An answer without end, which tells when it is given up.
    fn endless(given_up: oneshot::Sender<()>) -> Router {
        let given_up = Arc::new(std::sync::Mutex::new(Some(given_up)));
        let answer = async move || {
            let held = given_up.lock().unwrap().take();
            let piece = move || {
                let _held = &held;
                Ok::<_, std::io::Error>(vec![b'x'; 1_024])
            };
            Body::from_stream(stream::repeat_with(piece)).into_response()
        };
        Router::new().route("/", get(answer))
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_what_they_asked_for_is_let_go() {
        let (near, mut far) = tokio::io::duplex(4_096);
        let (given_up, mut is_given_up) = oneshot::channel();
        let (begun, hour) = (Instant::now(), Duration::from_secs(3_600));
        let stopping = CancellationToken::new();
        let router = (endless(given_up), Peer("127.0.0.1:1".parse().unwrap()));
        let mut server = JoinSet::new();
        let _task = server.spawn(talk(Patient::new(near, WRITE_MAX), router, stopping, hour));
        far.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        // Who reads, however slowly, is served.
        for _ in 0..3 {
            tokio::time::sleep(WRITE_MAX - Duration::from_secs(1)).await;
            let _length = far.read_exact(&mut [0; 4_096]).await.unwrap();
        }
        assert!(is_given_up.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
        let (slow, read) = (begun.elapsed(), Instant::now());
        server.join_next().await.unwrap().unwrap();
        assert_eq!(slow, 3 * (WRITE_MAX - Duration::from_secs(1)));
        assert_eq!(read.elapsed(), WRITE_MAX);
        // And what was to be sent is not kept.
        assert_eq!(is_given_up.try_recv(), Err(oneshot::error::TryRecvError::Closed));
    }
}
