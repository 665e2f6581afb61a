//! Takes connections in and serves each on a task of its own: so many at a time, and none that takes for ever to say what
//! it wants.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use protocol::limits;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// How long to wait where the system has no connection to give, as where too many files are open.
const BREATH: Duration = Duration::from_millis(200);

/// Serves until told to stop, then lets requests that have begun end. Dropping the future drops every connection that
/// is not a socket by then.
///
/// `head_max` is how long a connection may take to say what it wants, also between two requests.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    stopping: CancellationToken,
    head_max: Duration,
) {
    let places = Arc::new(Semaphore::new(limits::CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            next = next(&listener, &places) => {
                let Some((stream, place)) = next else { continue };
                let _task = connections.spawn(answer(stream, router.clone(), stopping.clone(), (head_max, place)));
            }
            Some(_ended) = connections.join_next() => {}
            () = stopping.cancelled() => break,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// The next connection, once there is a place for one; none if there was none to take. Cancel-safe.
async fn next(listener: &TcpListener, places: &Arc<Semaphore>) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _address)) => Some((stream, place)),
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
    router: Router,
    stopping: CancellationToken,
    (head_max, _place): (Duration, OwnedSemaphorePermit),
) {
    // Small frames must not wait for each other.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("a connection keeps its delay: {error}");
    }
    let service =
        TowerToHyperService::new(router.map_request(|request: Request<Incoming>| request.map(Body::new)));
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
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// What is heard, to the end, by somebody who sends this and waits.
    async fn heard(sent: &str, head_max: Duration) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stopping = CancellationToken::new();
        let router = Router::new().route("/", get(async || "hello"));
        let mut server = JoinSet::new();
        let _task = server.spawn(serve(listener, router, stopping.clone(), head_max));
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
}
