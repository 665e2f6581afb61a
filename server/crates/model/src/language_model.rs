//! The trait every model implements: one request in, one stream of events out.

use crate::error::ModelError;
use crate::event::ModelEvent;
use crate::request::ModelRequest;
use futures::Stream;
use std::pin::Pin;

/// What a call gives: events in the order of the grammar in [`ModelEvent`].
///
/// Dropping it cancels the call: the connection to the provider is closed at once, whatever state it is in.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// A language model, ready to be called.
pub trait LanguageModel: Send + Sync {
    /// `provider/model`, as people choose it.
    fn name(&self) -> &str;

    /// Starts a call. Nothing is sent before the stream is first polled; errors of any kind come through the
    /// stream, after which it ends. A stream that ends without [`ModelEvent::Finish`] and without an error was cut
    /// off: the caller must not take it for complete.
    fn call(&self, request: ModelRequest) -> ModelStream;
}
