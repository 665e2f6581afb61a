//! `builtin/guide`: a small set of rules that speaks like a model, so that everything can be tried on a machine with
//! no key and no network. It says plainly that it is no language model, and it never stands in for one that fails.
//!
//! Deciding what to say (`rules`, `results`, `title`, `summary`) is pure; only `speech` knows time.

mod results;
mod rules;
mod speech;
mod summary;
mod title;
mod tools;

use crate::entropy::Entropy;
use model::{LanguageModel, ModelMessage, ModelRequest, ModelStream, Purpose, UserContent};
use speech::{Pace, Speech};
use std::time::Duration;

/// Its name.
pub const GUIDE: &str = "builtin/guide";

/// The rule-driven model.
#[derive(Debug, Clone)]
pub(crate) struct Guide {
    pause: Duration,
    entropy: Entropy,
}

impl Guide {
    /// `pause` lies between two pieces of its speech; zero says all at once.
    pub(crate) fn new(pause: Duration, entropy: Entropy) -> Self {
        Self { pause, entropy }
    }
}

impl LanguageModel for Guide {
    fn name(&self) -> &str {
        GUIDE
    }

    fn call(&self, request: ModelRequest) -> ModelStream {
        Box::pin(speech::play(answer(&request, self.entropy.draw()), Pace::new(self.pause)))
    }
}

/// What it says to a request. `number` names the call of a tool, should there be one.
fn answer(request: &ModelRequest, number: u64) -> Speech {
    match request.purpose {
        Purpose::Title => Speech::new().say(&title::title(&first_user_text(request))),
        Purpose::Summary => Speech::new().say(&summary::summary(&last_user_text(request))),
        Purpose::Chat => match request.messages.last() {
            Some(ModelMessage::Tool(found)) => results::answer(found),
            Some(ModelMessage::User(_) | ModelMessage::Assistant(_)) | None => {
                rules::answer(&last_user_text(request), &request.tools, number)
            }
        },
    }
}

fn first_user_text(request: &ModelRequest) -> String {
    request.messages.iter().find_map(user_text).unwrap_or_default()
}

fn last_user_text(request: &ModelRequest) -> String {
    request.messages.iter().rev().find_map(user_text).unwrap_or_default()
}

fn user_text(message: &ModelMessage) -> Option<String> {
    let ModelMessage::User(content) = message else { return None };
    let texts = content.iter().filter_map(|piece| match piece {
        UserContent::Text(text) => Some(text.as_str()),
        UserContent::File { .. } => None,
    });
    Some(texts.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests;
