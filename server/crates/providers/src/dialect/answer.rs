//! One running answer: bytes in, batches of events out, with the rules for how it may end.
//!
//! | the connection | before the first event | after it | after `finish_reason` |
//! |---|---|---|---|
//! | ends or breaks | `Connection` error | cut off: the stream ends without a finish | finish |
//! | is silent too long | `Timeout` error | `Timeout` error | finish |

use super::json::is_whole;
use crate::http::{Body, HttpSettings, Target, too_large};
use crate::sse::{SseDecoder, SseEvent};
use bytes::Bytes;
use model::{ErrorClass, ModelError, ModelEvent};
use protocol::limits::PROVIDER_EVENT_MAX_BYTES;
use std::time::Duration;

/// From the events of one answer to model events. Pure: it knows events, not sockets.
pub(super) trait Decode: Send + 'static {
    /// Whether the provider has said that nothing more comes.
    fn is_done(&self) -> bool;

    /// Whether the answer is complete, although its last formalities may follow.
    fn is_complete(&self) -> bool;

    /// Reads one event and appends what it means.
    fn read(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError>;

    /// Ends the answer: with a finish where it is complete, without one where it was cut off.
    fn end(self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError>;
}

/// How long usage and `[DONE]` are waited for after `finish_reason`.
const TAIL_TIMEOUT: Duration = Duration::from_secs(5);

/// An answer in motion. Dropping it closes the connection.
pub(super) struct Answer<D> {
    /// None once the answer has ended.
    body: Option<Body>,
    target: Target,
    settings: HttpSettings,
    framing: Framing,
    /// None once the answer has ended.
    decoder: Option<D>,
    /// Read and not handed out.
    ready: Vec<ModelEvent>,
    /// Comes after what is ready.
    failure: Option<ModelError>,
    has_spoken: bool,
}

/// How the bytes are cut into documents.
enum Framing {
    Events(SseDecoder),
    /// A document in each line.
    Lines(Vec<u8>),
    /// A server that does not stream: the body is one document.
    Whole(Vec<u8>),
}

impl<D: Decode> Answer<D> {
    pub(super) fn stream(body: Body, target: Target, decoder: D, settings: HttpSettings) -> Self {
        let framing = Framing::Events(SseDecoder::new(PROVIDER_EVENT_MAX_BYTES));
        Self::new((body, target, decoder), settings, framing)
    }

    pub(super) fn lines(body: Body, target: Target, decoder: D, settings: HttpSettings) -> Self {
        Self::new((body, target, decoder), settings, Framing::Lines(Vec::new()))
    }

    pub(super) fn whole(body: Body, target: Target, decoder: D, settings: HttpSettings) -> Self {
        Self::new((body, target, decoder), settings, Framing::Whole(Vec::new()))
    }

    fn new((body, target, decoder): (Body, Target, D), settings: HttpSettings, framing: Framing) -> Self {
        let (decoder, body) = (Some(decoder), Some(body));
        Self { body, target, settings, framing, decoder, ready: vec![], failure: None, has_spoken: false }
    }

    /// Returns when there is an event, or fails if there will be none.
    pub(super) async fn wait_for_first(&mut self) -> Result<(), ModelError> {
        while self.ready.is_empty() && self.failure.is_none() && self.decoder.is_some() {
            self.advance().await;
        }
        match self.failure.take_if(|_| self.ready.is_empty()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// The next events, never an empty batch; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<ModelEvent>>, ModelError> {
        loop {
            if !self.ready.is_empty() {
                return Ok(Some(std::mem::take(&mut self.ready)));
            }
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            if self.decoder.is_none() {
                return Ok(None);
            }
            self.advance().await;
        }
    }

    /// Reads one piece of the body and what it means.
    async fn advance(&mut self) {
        let is_complete = self.decoder.as_ref().is_some_and(D::is_complete);
        let limit = match (is_complete, self.has_spoken) {
            (true, _) => self.settings.idle_timeout.min(TAIL_TIMEOUT),
            (false, true) => self.settings.idle_timeout,
            (false, false) => self.settings.first_byte_timeout,
        };
        let Some(body) = &mut self.body else { return };
        match body.piece(&self.target, limit).await {
            Ok(Some(bytes)) => self.take(&bytes),
            Ok(None) => self.end_of_body(),
            Err(_) if is_complete => self.end(),
            Err(error) if error.class == ErrorClass::Connection && self.has_spoken => self.end_of_body(),
            Err(error) => self.fail(error),
        }
        if self.decoder.as_ref().is_some_and(D::is_done) {
            if let Some(body) = self.body.take() {
                body.finish();
            }
            self.end();
        }
    }

    fn take(&mut self, bytes: &Bytes) {
        let mut events = Vec::new();
        let is_too_large = match &mut self.framing {
            Framing::Events(sse) => sse.push(bytes, &mut events).is_err(),
            Framing::Lines(rest) => {
                rest.extend_from_slice(bytes);
                while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = rest.drain(..=end).collect();
                    events.push(document(&line));
                }
                rest.len() > PROVIDER_EVENT_MAX_BYTES
            }
            Framing::Whole(whole) => {
                whole.extend_from_slice(bytes);
                whole.len() > PROVIDER_EVENT_MAX_BYTES
            }
        };
        self.read(&events);
        if is_too_large {
            self.fail(too_large(&self.target, PROVIDER_EVENT_MAX_BYTES));
        }
    }

    fn read(&mut self, events: &[SseEvent]) {
        for event in events {
            let Some(decoder) = &mut self.decoder else { return };
            let result = decoder.read(event, &mut self.ready);
            self.has_spoken |= !self.ready.is_empty();
            if let Err(error) = result {
                self.fail(error);
            }
        }
    }

    fn end_of_body(&mut self) {
        let last = match std::mem::replace(&mut self.framing, Framing::Whole(Vec::new())) {
            // What the end of the stream cuts in half says nothing.
            Framing::Events(sse) => sse.finish().filter(|event| is_whole(&event.data)),
            Framing::Lines(rest) => Some(document(&rest)).filter(|event| is_whole(&event.data)),
            Framing::Whole(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned())
                .map(|data| SseEvent { name: String::new(), data }),
        };
        if let Some(last) = last {
            self.read(&[last]);
        }
        let Some(decoder) = &self.decoder else { return };
        if decoder.is_complete() || self.has_spoken {
            return self.end();
        }
        let text = format!("{} closed the connection without an answer.", self.target.label());
        self.fail(ModelError::new(ErrorClass::Connection, text));
    }

    fn end(&mut self) {
        let Some(decoder) = self.decoder.take() else { return };
        if let Err(error) = decoder.end(&mut self.ready) {
            self.failure = Some(error);
        }
    }

    fn fail(&mut self, error: ModelError) {
        self.decoder = None;
        self.failure = Some(error);
    }
}

/// A line without a name.
fn document(bytes: &[u8]) -> SseEvent {
    SseEvent { name: String::new(), data: String::from_utf8_lossy(bytes).into_owned() }
}

#[cfg(test)]
mod tests;
