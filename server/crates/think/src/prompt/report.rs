//! What the next call of a session would send, made by the very steps that make it, and taken apart for people.

use super::{Frame, Kept, Preparation, Pressure, tokens_of};
use crate::admit::is_reserved;
use crate::assemble::{Assembled, fit};
use crate::engine::Engine;
use crate::error::ThinkError;
use model::{AssistantContent, ModelMessage, SUMMARY_HEADING, ToolOutput, UserContent};
use protocol::{
    Message, MessageId, PieceKind, PromptPiece, PromptReport, PromptSection, PromptTool, Role, SessionId,
};
use serde_json::json;
use session::{estimate_text, estimate_tools};
use std::sync::Arc;

impl Engine {
    /// The next request of a session, if it were sent now; none if there is no such session.
    ///
    /// # Errors
    /// A block that cannot be read, or the store.
    pub async fn prompt_report(&self, id: &SessionId) -> Result<Option<PromptReport>, ThinkError> {
        let shared = &self.shared().answering(id).await?;
        let Some(session) = shared.session(id).await? else { return Ok(None) };
        let stored = session.history(None).await?.messages;
        let last = stored.iter().rev().find(|message| !is_reserved(message));
        let leaf = last.map_or_else(|| MessageId::new(""), |message| message.id.clone());
        let preparation = Preparation {
            shared: Arc::clone(shared),
            session: session.clone(),
            kept: Arc::new(Kept::default()),
            leaf,
            so_far: None,
            own_tools: shared.toolbox(),
            client_tools: shared.stored_client_tools(id).await?,
            pressure: Pressure::Usual,
            hooks: None,
            step: 1,
        };
        let frame = preparation.frame().await?;
        let whole: Vec<Message> = stored.into_iter().filter(|message| !is_reserved(message)).collect();
        let fitted = fit(whole.clone());
        let assembled = preparation.assemble(&frame, &fitted);
        let history = assembled.map(|it| pieces(&it, &fitted, &whole)).unwrap_or_default();
        let chosen = shared.sessions.get(id).await?.and_then(|info| info.model);
        let model = chosen.unwrap_or_else(|| shared.spec.usual_model());
        let last_usage = whole.iter().rev().find(|message| message.role == Role::Assistant);
        let info = session_prompt(&preparation, &frame).await?;
        let tools = frame.specs();
        Ok(Some(PromptReport {
            context_window: shared.spec.models.context_window(&model).await,
            model,
            system: info.system,
            total_tokens: frame.tokens() + tokens_of(&fitted),
            history,
            tools: tools.into_iter().map(tool).collect(),
            compact_after: shared.setup().compact_after,
            frozen_at: info.frozen_at,
            waiting: info.waiting,
            last_usage: last_usage.and_then(Message::turn).and_then(|turn| turn.usage),
            changed: self.changed_prompt(id).await,
        }))
    }
}

/// The system prompt piece by piece.
async fn session_prompt(preparation: &Preparation, frame: &Frame) -> Result<PromptReport, ThinkError> {
    let context = preparation.shared.context(&preparation.session);
    if !context.is_empty().await? {
        let info = context.prompt_info().await?;
        let (frozen_at, waiting) = (Some(info.frozen_at), info.waiting);
        if !info.sections.is_empty() {
            return Ok(PromptReport { system: info.sections, frozen_at, waiting, ..PromptReport::default() });
        }
    }
    let text = frame.told.system.clone();
    let section = PromptSection { label: String::new(), tokens: estimate_text(&text), text };
    Ok(PromptReport { system: vec![section], ..PromptReport::default() })
}

fn tool(spec: protocol::ToolSpec) -> PromptTool {
    let tokens = estimate_tools(std::slice::from_ref(&spec));
    PromptTool { spec, tokens }
}

fn pieces(assembled: &Assembled, fitted: &[Message], stored: &[Message]) -> Vec<PromptPiece> {
    let mut pieces = Vec::new();
    for (message, origin) in assembled.request.messages.iter().zip(&assembled.origins) {
        let from = origin.and_then(|position| fitted.get(position));
        match message {
            // A summary stands in one message with what was said before or after it.
            ModelMessage::User(content) if content.len() > 1 => {
                let after = origin.and_then(|position| fitted.get(position..)).unwrap_or_default();
                pieces.extend(content.iter().map(|content| {
                    let text = said(content);
                    let from = overlay_of(&text, after).or(from);
                    piece("user", text, from, stored)
                }));
            }
            ModelMessage::User(_) | ModelMessage::Assistant(_) | ModelMessage::Tool(_) => {
                let (role, text) = shown(message);
                pieces.push(piece(role, text, from, stored));
            }
        }
    }
    pieces
}

fn piece(role: &str, text: String, from: Option<&Message>, stored: &[Message]) -> PromptPiece {
    let (id, kind) = (from.map(|from| from.id.clone()), kind_of(from, stored));
    PromptPiece { id, role: role.to_owned(), tokens: estimate_text(&text), text, kind }
}

/// The summary that a text is, if it is one.
fn overlay_of<'a>(text: &str, path: &'a [Message]) -> Option<&'a Message> {
    let summary = text.strip_prefix(SUMMARY_HEADING)?.trim_start();
    path.iter().find(|message| message.id.is_overlay() && message.plain_text().trim_start() == summary)
}

fn kind_of(from: Option<&Message>, stored: &[Message]) -> PieceKind {
    match from {
        None => PieceKind::Added,
        Some(from) if from.id.is_overlay() => PieceKind::Overlay,
        Some(from) if stored.contains(from) => PieceKind::Whole,
        Some(_) => PieceKind::Truncated,
    }
}

fn shown(message: &ModelMessage) -> (&'static str, String) {
    let (role, texts): (_, Vec<String>) = match message {
        ModelMessage::User(content) => ("user", content.iter().map(said).collect()),
        ModelMessage::Assistant(content) => ("assistant", content.iter().map(answered).collect()),
        ModelMessage::Tool(results) => {
            let result = |result: &model::ToolResultContent| {
                json!({ "tool": result.name, "id": result.id, "result": output(&result.output) }).to_string()
            };
            ("tool", results.iter().map(result).collect())
        }
    };
    (role, texts.join("\n"))
}

fn said(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::File { media_type, filename, .. } => {
            json!({ "file": filename, "mediaType": media_type }).to_string()
        }
    }
}

fn answered(content: &AssistantContent) -> String {
    match content {
        AssistantContent::Text(text) | AssistantContent::Reasoning { text, .. } => text.clone(),
        AssistantContent::ToolCall { id, name, input } => {
            json!({ "call": name, "id": id, "input": input }).to_string()
        }
    }
}

fn output(output: &ToolOutput) -> serde_json::Value {
    match output {
        ToolOutput::Value(value) => value.clone(),
        ToolOutput::Error(text) => json!({ "error": text }),
        ToolOutput::Denied(reason) => json!({ "denied": reason }),
    }
}
