//! From a running turn to the program that asked for it: bounded, and never in the turn's way.

use crate::agent::ChatOutcome;
use protocol::limits;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

/// Something the program hears.
#[derive(Debug)]
pub(crate) enum Event {
    /// The turn has begun.
    Started,
    /// Chunks as JSON, in order.
    Chunks(Vec<String>),
    /// It ended; its message is stored.
    Ended(Box<ChatOutcome>),
    /// It was not taken.
    Refused(crate::ThinkError),
}

/// The turn's end. Cheap to clone; the program hears the end when the last clone is gone.
#[derive(Debug, Clone)]
pub(crate) struct Events(Arc<Sending>);

#[derive(Debug)]
struct Sending {
    events: mpsc::Sender<Event>,
    /// Room that is kept for the last event.
    last: Mutex<Option<mpsc::OwnedPermit<Event>>>,
}

/// The program's end.
pub(crate) type Listener = mpsc::Receiver<Event>;

impl Events {
    pub(crate) fn channel() -> (Self, Listener) {
        let (events, listener) = mpsc::channel(limits::CALLBACK_BACKLOG_MAX);
        let last = Mutex::new(events.clone().try_reserve_owned().ok());
        (Self(Arc::new(Sending { events, last })), listener)
    }

    pub(crate) fn started(&self) {
        let _gone_or_full = self.0.events.try_send(Event::Started);
    }

    /// A program that is too far behind misses them; the stored message has everything.
    pub(crate) fn chunks(&self, bodies: &[String]) {
        let _gone_or_full = self.0.events.try_send(Event::Chunks(bodies.to_vec()));
    }

    pub(crate) fn ended(&self, outcome: ChatOutcome) {
        self.say_last(Event::Ended(Box::new(outcome)));
    }

    pub(crate) fn refused(&self, error: crate::ThinkError) {
        self.say_last(Event::Refused(error));
    }

    fn say_last(&self, event: Event) {
        let permit = self.0.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(permit) = permit {
            let _sender = permit.send(event);
        }
    }
}
