//! A session as a text for people: the path that is looked at, every message itself, with attachments named.

use crate::error::SessionError;
use crate::manager::SessionManager;
use protocol::{Message, Part, Role, SessionId, ToolPart};
use serde_json::Value;
use std::fmt::Write;

/// Name of a session that has none.
const UNNAMED: &str = "Untitled chat";

impl SessionManager {
    /// The active path of a session in Markdown. Thoughts of the model, embedded data and addresses of files are left
    /// out.
    ///
    /// # Errors
    /// [`SessionError::UnknownSession`].
    pub async fn markdown(&self, id: &SessionId) -> Result<String, SessionError> {
        let unknown = || SessionError::UnknownSession(id.clone());
        let info = self.get(id).await?.ok_or_else(unknown)?;
        let session = self.session(id).await?.ok_or_else(unknown)?;
        let name = if info.name.is_empty() { UNNAMED } else { &info.name };
        let mut text = format!("# {name}\n");
        for message in session.raw_history(None).await?.messages {
            tell(&mut text, &message);
        }
        Ok(text)
    }
}

fn tell(text: &mut String, message: &Message) {
    let speaker = match &message.role {
        Role::User => "You",
        Role::Assistant => "Assistant",
        Role::System => "System",
        Role::Other(name) => name.as_str(),
    };
    let _written = write!(text, "\n## {speaker}\n");
    for part in &message.parts {
        match part {
            Part::Text(part) => paragraph(text, &part.text),
            Part::Tool(tool) => call(text, tool),
            Part::File(file) => attachment(text, file.filename.as_deref(), &file.media_type),
            Part::SourceUrl(source) => {
                let title = source.title.as_deref().unwrap_or(&source.url);
                paragraph(text, &format!("Source: [{}](<{}>)", line(title), line(&source.url)));
            }
            Part::SourceDocument(source) => paragraph(text, &format!("Source: {}", line(&source.title))),
            Part::Reasoning(_) | Part::StepStart | Part::Data(_) | Part::Unknown(_) => {}
        }
    }
}

fn paragraph(text: &mut String, said: &str) {
    if !said.trim().is_empty() {
        let _written = write!(text, "\n{}\n", said.trim_end());
    }
}

/// Only the last piece of a name: where a file lay is nobody's business.
fn attachment(text: &mut String, name: Option<&str>, kind: &str) {
    let name = name.unwrap_or("file").rsplit(['/', '\\']).next().unwrap_or("file");
    paragraph(text, &format!("Attachment: {} ({})", line(name), line(kind)));
}

fn call(text: &mut String, tool: &ToolPart) {
    paragraph(text, &format!("Tool: {}", line(&tool.name)));
    fenced(text, "Input", tool.call.input.as_ref());
    fenced(text, "Output", tool.call.output.as_ref());
    if let Some(error) = &tool.call.error_text {
        paragraph(text, &format!("Failed: {}", line(error)));
    }
}

/// A value between fences that are longer than any in it.
fn fenced(text: &mut String, title: &str, value: Option<&Value>) {
    let Some(value) = value.filter(|value| !value.is_null()) else { return };
    let shown = match value {
        Value::String(said) => said.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
    };
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    let _written = write!(text, "\n{title}:\n\n{fence}\n{}\n{fence}\n", shown.trim_end());
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
