//! One socket: a loop that reads and a loop that writes, run side by side by one owned task until either ends.
//!
//! Neither decides anything about conversations: what is heard goes to the engine, what the engine says goes out.
//! A client that does not read in time is dropped, to come back and resume; it never holds up a turn.

use super::codec::{self, Heard};
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures::stream::{SplitSink, SplitStream};
use futures::{FutureExt, SinkExt, StreamExt};
use protocol::limits;
use std::time::Duration;
use think::{Batch, CloseReason, Connection, ConnectionReader, ConnectionSender};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::error::ProtocolError;

const PING_EVERY: Duration = Duration::from_millis(limits::SOCKET_PING_MS);
const SILENCE_MAX: Duration = Duration::from_millis(limits::SOCKET_SILENCE_MS);
const SEND_MAX: Duration = Duration::from_millis(limits::SOCKET_SEND_MS);
/// How long a client has to answer a close.
const GOODBYE_MAX: Duration = Duration::from_secs(1);
/// Answers of the reading loop that wait for the writing loop; the reader waits when it is full.
const ANSWERS_MAX: usize = 16;
/// Batches of the engine that are sent together when they are there together.
const BATCHES_MAX: usize = 64;

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The client said goodbye or went away.
    Gone,
    /// The client sent nothing for too long, not even answers to pings.
    Silent,
    /// A message over the socket's own limit.
    TooLarge,
    /// Text that is not UTF-8.
    Broken,
    /// Bytes that are no WebSocket frame.
    NoFrame,
    /// The client did not read in time.
    FellBehind,
    /// The session was deleted.
    SessionGone,
    /// Whoever opened it may no longer be here.
    SignedOut,
    /// The server is stopping.
    Stopping,
}

/// What the writing loop woke up for.
enum First {
    /// An answer of the reading loop, or a ping.
    Message(Message),
    /// Frames of the engine.
    Batch(Batch),
}

/// Serves a socket until it ends, or until `signed_out` does. Dropping the future drops the socket without a goodbye; the turn goes on.
pub(super) async fn serve(socket: WebSocket, connection: Connection, signed_out: impl Future<Output = ()>) {
    let (mut sink, mut stream) = socket.split();
    let (sender, mut reader) = connection.split();
    let (answers, mut answered) = mpsc::channel(ANSWERS_MAX);
    let end = tokio::select! {
        end = read(&mut stream, &sender, &answers) => end,
        end = write(&mut sink, &mut reader, &mut answered) => end,
        () = signed_out => End::SignedOut,
    };
    tracing::debug!(end = ?end, "a socket closed");
    // Gives back what waited to be sent.
    drop((sender, reader, answered));
    say_goodbye(&mut sink, &mut stream, end).await;
}

async fn read(
    stream: &mut SplitStream<WebSocket>,
    sender: &ConnectionSender,
    answers: &mpsc::Sender<Message>,
) -> End {
    loop {
        let message = match timeout(SILENCE_MAX, stream.next()).await {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(error))) => return end_of(error),
            Ok(None) => return End::Gone,
            Err(_) => return End::Silent,
        };
        let refusals = match codec::decode(message) {
            Heard::Frame(frame) => {
                let about = codec::about(&frame);
                sender.handle(frame).await.err().map(|error| codec::refuse(about, error)).unwrap_or_default()
            }
            Heard::Refused(frames) => frames,
            Heard::Alive => continue,
            Heard::Goodbye => return End::Gone,
        };
        for frame in refusals {
            if answers.send(codec::encode(&frame)).await.is_err() {
                return End::Gone;
            }
        }
    }
}

async fn write(
    sink: &mut SplitSink<WebSocket, Message>,
    reader: &mut ConnectionReader,
    answered: &mut mpsc::Receiver<Message>,
) -> End {
    let lag = reader.lag();
    let mut pings = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let first = tokio::select! {
            batch = reader.receive() => match batch {
                Some(batch) => First::Batch(batch),
                None => return end_of_engine(reader.close_reason()),
            },
            Some(answer) = answered.recv() => First::Message(answer),
            _ = pings.tick() => First::Message(Message::Ping(bytes::Bytes::new())),
        };
        if let Err(end) = in_time(send(sink, reader, first), lag.too_far()).await {
            return end;
        }
    }
}

/// Waits until something is sent, but not for a client that takes too long, or for whom too much waits by then.
async fn in_time(
    sending: impl Future<Output = Result<(), axum::Error>>,
    too_far: impl Future<Output = ()>,
) -> Result<(), End> {
    tokio::select! {
        biased;
        sent = timeout(SEND_MAX, sending) => match sent {
            Ok(sent) => sent.map_err(|_broken| End::Gone),
            Err(_elapsed) => Err(End::FellBehind),
        },
        () = too_far => Err(End::FellBehind),
    }
}

/// Sends something, and what the engine has ready by then, as one write where it fits.
async fn send(
    sink: &mut SplitSink<WebSocket, Message>,
    reader: &mut ConnectionReader,
    first: First,
) -> Result<(), axum::Error> {
    match first {
        First::Message(message) => sink.feed(message).await?,
        First::Batch(batch) => feed(sink, &batch).await?,
    }
    for _ in 1..BATCHES_MAX {
        // The end of the queue is seen again, and acted upon, by the caller.
        let Some(Some(batch)) = reader.receive().now_or_never() else { break };
        feed(sink, &batch).await?;
    }
    sink.flush().await
}

async fn feed(sink: &mut SplitSink<WebSocket, Message>, batch: &Batch) -> Result<(), axum::Error> {
    for message in batch.iter().cloned().filter_map(codec::shared) {
        sink.feed(message).await?;
    }
    Ok(())
}

async fn say_goodbye(
    sink: &mut SplitSink<WebSocket, Message>,
    stream: &mut SplitStream<WebSocket>,
    end: End,
) {
    let Some((code, reason)) = goodbye(end) else { return };
    let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
    let exchange = async {
        if sink.send(close).await.is_ok() {
            // Reading to the end lets the client see the close instead of a reset.
            while let Some(Ok(_)) = stream.next().await {}
        }
    };
    // Who fell behind has much to read before the goodbye.
    let patience = if end == End::FellBehind { SEND_MAX } else { GOODBYE_MAX };
    if timeout(patience, exchange).await.is_err() {
        tracing::debug!("a client did not answer the close of its socket");
    }
}

fn goodbye(end: End) -> Option<(u16, &'static str)> {
    match end {
        End::Gone => None,
        End::Silent => Some((close_code::AWAY, "nothing was heard for too long")),
        End::TooLarge => Some((close_code::SIZE, "a message was over the limit (SOCKET_MESSAGE_MAX_BYTES)")),
        End::Broken => Some((close_code::INVALID, "a message was not text in UTF-8")),
        End::NoFrame => Some((close_code::PROTOCOL, "what came is no frame of RFC 6455")),
        End::FellBehind => Some((close_code::AGAIN, "this client fell behind; come back and resume")),
        End::SessionGone => Some((close_code::NORMAL, "the session was deleted")),
        End::SignedOut => Some((close_code::POLICY, "sign in again")),
        End::Stopping => Some((close_code::RESTART, "the server is stopping")),
    }
}

fn end_of_engine(reason: Option<CloseReason>) -> End {
    match reason {
        Some(CloseReason::FellBehind) => End::FellBehind,
        Some(CloseReason::SessionGone) => End::SessionGone,
        Some(CloseReason::Stopping) | None => End::Stopping,
    }
}

fn end_of(error: axum::Error) -> End {
    match error.into_inner().downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => End::TooLarge,
        Some(tungstenite::Error::Utf8(_)) => End::Broken,
        // A reset is also counted among the violations; nobody is left then to hear of it.
        Some(tungstenite::Error::Protocol(what)) if *what != ProtocolError::ResetWithoutClosingHandshake => {
            End::NoFrame
        }
        Some(_) | None => End::Gone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_waited_for_only_so_long() {
        let begun = Instant::now();
        let broken = || ready(Err(axum::Error::new(std::io::Error::other("reset"))));
        assert_eq!(in_time(ready(Ok(())), ready(())).await, Ok(()));
        assert_eq!(in_time(broken(), pending()).await, Err(End::Gone));
        assert_eq!(in_time(pending(), ready(())).await, Err(End::FellBehind));
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert_eq!(in_time(pending(), pending()).await, Err(End::FellBehind));
        assert_eq!(begun.elapsed(), SEND_MAX);
        assert_eq!(goodbye(End::FellBehind), Some((1013, "this client fell behind; come back and resume")));
    }
}
