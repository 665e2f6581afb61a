//! `builtin/guide`: a small set of rules that speaks like a model, so that everything can be tried on a machine with
//! no key and no network. It says plainly that it is no language model, and it never stands in for one that fails.
//!
//! Deciding what to say (`rules`, `results`, `title`, `summary`) is pure; only `speech` knows time.

mod calc;
mod results;
mod rules;
mod speech;
mod summary;
mod title;
mod tools;

use model::{AssistantContent, LanguageModel, ModelMessage, ModelRequest, ModelStream, Purpose, UserContent};
use speech::{Pace, Speech};
use std::time::Duration;

/// Its name.
pub const GUIDE: &str = "builtin/guide";

/// The rule-driven model.
#[derive(Debug, Clone)]
pub(crate) struct Guide {
    pause: Duration,
}

impl Guide {
    /// `pause` lies between two pieces of its speech; zero says all at once.
    pub(crate) fn new(pause: Duration) -> Self {
        Self { pause }
    }
}

impl LanguageModel for Guide {
    fn name(&self) -> &str {
        GUIDE
    }

    fn call(&self, request: ModelRequest) -> ModelStream {
        Box::pin(speech::play(answer(&request), Pace::new(self.pause)))
    }
}

/// What it says to a request.
fn answer(request: &ModelRequest) -> Speech {
    match request.purpose {
        Purpose::Title => Speech::new().say(&title::title(&first_user_text(request))),
        Purpose::Summary => Speech::new().say(&summary::summary(&last_user_text(request))),
        Purpose::Chat => match request.messages.last() {
            Some(ModelMessage::Tool(found)) => results::answer(found),
            Some(ModelMessage::User(_) | ModelMessage::Assistant(_)) | None => {
                rules::answer(&last_user_text(request), &request.tools, calls_made(request))
            }
        },
    }
}

/// How many tool calls the history holds; ids of new ones count on from there.
fn calls_made(request: &ModelRequest) -> usize {
    let calls = |message: &ModelMessage| match message {
        ModelMessage::Assistant(content) => {
            content.iter().filter(|piece| matches!(piece, AssistantContent::ToolCall { .. })).count()
        }
        ModelMessage::User(_) | ModelMessage::Tool(_) => 0,
    };
    request.messages.iter().map(calls).sum()
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
