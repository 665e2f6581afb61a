//! The name of a session after its first exchange, asked of the model beside the conversation.
//!
//! A session is named after the start of its first question at once. While it still has that very name and is young, each
//! complete answer asks for a better one; a name that a person gave, or a model, is never replaced.

use crate::aside::ask;
use crate::error::ThinkError;
use crate::shared::Shared;
use model::Purpose;
use protocol::{Message, Role, SessionId, limits};
use std::sync::Arc;
use std::time::Duration;

/// From how many messages on a session keeps its name, so that failures end somewhere.
const YOUNG: u64 = 12;
/// How long a model may take over a title.
const PATIENCE: Duration = Duration::from_millis(limits::TITLE_TIMEOUT_MS);
/// What of an exchange the model reads.
const EXCERPT_MAX_CHARS: usize = 2_000;
const TITLE_MAX_CHARS: usize = 60;

/// Where the names of sessions come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Titles {
    /// From the first question.
    #[default]
    FromQuestion,
    /// From the first question at once, then from the model.
    FromModel,
}

/// Asks for a better name and gives it to the session; a failure is logged and the next answer tries again.
pub(crate) async fn improve(shared: Arc<Shared>, session: SessionId) {
    match tokio::time::timeout(PATIENCE, better(&shared, &session)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(session.id = %session, %error, "the session keeps its first name for now");
        }
        Err(_) => tracing::warn!(session.id = %session, "the model took too long over a title"),
    }
}

async fn better(shared: &Shared, id: &SessionId) -> Result<(), ThinkError> {
    let (Some(row), Some(session)) = (shared.sessions.get(id).await?, shared.sessions.session(id).await?)
    else {
        return Ok(());
    };
    if session.path_length(None).await? > YOUNG {
        return Ok(());
    }
    let messages = session.history(None).await?.messages;
    let first = messages.iter().find(|message| message.role == Role::User).and_then(of_question);
    if first.as_deref() != Some(row.name.as_str()) {
        return Ok(());
    }
    let name = row.model.clone().unwrap_or_else(|| shared.spec.usual_model());
    if !shared.spec.models.makes_titles(&name) {
        return Ok(());
    }
    let model = shared.spec.model(&name).map_err(ThinkError::from)?;
    let answer = ask(model.as_ref(), Purpose::Title, question(&messages)).await.map_err(ThinkError::from)?;
    let Some(title) = clean(&answer) else { return Ok(()) };
    // Only if nobody has named it meanwhile.
    if shared.sessions.replace_name(id, &row.name, &title).await?.is_some() {
        shared.announce_session(id).await;
    }
    Ok(())
}

fn question(messages: &[Message]) -> String {
    let said = messages.iter().take(2).map(|message| {
        let text: String = message.plain_text().chars().take(EXCERPT_MAX_CHARS).collect();
        format!("{}: {text}", if message.role == Role::User { "User" } else { "Assistant" })
    });
    let exchange = said.collect::<Vec<_>>().join("\n\n");
    format!(
        "Write a title of two to six words for this conversation, in its language. Answer with the title alone: no \
         quotation marks, no full stop.\n\n{exchange}"
    )
}

/// A first name for a session: the start of its first message.
pub(crate) fn of_question(message: &Message) -> Option<String> {
    let text = message.plain_text();
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(shorten)
}

/// The line, or as many whole words of it as a title holds and a mark that there were more.
fn shorten(line: &str) -> String {
    let cut: String = line.chars().take(TITLE_MAX_CHARS).collect();
    if cut.len() == line.len() {
        return cut;
    }
    let end = cut.rfind(char::is_whitespace).unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or(&cut).trim_end())
}

/// What a model answered, without the trimmings that models add; none if nothing is left.
fn clean(answer: &str) -> Option<String> {
    let line = answer.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.trim_start_matches(['#', '*', ' ']);
    let bare = line.strip_prefix("Title:").unwrap_or(line);
    let bare = bare.trim_matches(|sign: char| sign.is_whitespace() || "\"'“”‘’«»*_`.".contains(sign));
    Some(bare).filter(|title| !title.is_empty()).map(shorten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimmings_of_models_are_taken_off() {
        let rows = [
            ("Trip to Oslo", Some("Trip to Oslo")),
            ("\n  \"Trip to Oslo.\"\nsure!", Some("Trip to Oslo")),
            ("# **Trip to Oslo**", Some("Trip to Oslo")),
            ("Title: “Trip to Oslo”", Some("Trip to Oslo")),
            ("奥斯陆之旅", Some("奥斯陆之旅")),
            (" \n\"\"", None),
            ("", None),
        ];
        for (answer, expected) in rows {
            assert_eq!(clean(answer).as_deref(), expected, "{answer:?}");
        }
        assert_eq!(clean(&"é".repeat(500)), Some(format!("{}…", "é".repeat(TITLE_MAX_CHARS))));
        let many = "A backup plan for the photo server with one disk and two terabytes off site";
        assert_eq!(clean(many).as_deref(), Some("A backup plan for the photo server with one disk and two…"));
    }

    #[test]
    fn a_first_name_is_the_start_of_the_first_line() {
        let check = |text: &str, expected: Option<&str>| {
            let message = Message::text("u1", Role::User, text);
            assert_eq!(of_question(&message).as_deref(), expected, "{text}");
        };
        check("  Oslo?\nOr Bergen?", Some("Oslo?"));
        check("\n\n", None);
        let long = "word ".repeat(40);
        check(&long, Some(&format!("{}…", "word ".repeat(12).trim_end())));
    }
}
