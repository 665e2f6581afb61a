//! What a message is made of. A part nobody here knows, and a field nobody here knows, pass through unchanged.

use crate::fields::Fields;
use crate::tool_part::ToolPart;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

mod read;

/// Fields this version does not know; kept so that reading and writing again changes nothing.
pub type Extra = Map<String, Value>;

/// Whether a text is still growing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartState {
    /// More deltas may come.
    Streaming,
    /// Complete.
    Done,
}

/// A `text` part, and the shape that a `reasoning` part shares.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextPart {
    /// The text so far.
    pub text: String,
    /// Absent in parts that never streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PartState>,
    /// What the provider wants to see again, by provider name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_metadata: Option<Value>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl TextPart {
    /// A finished text without anything else.
    pub fn done(text: impl Into<String>) -> Self {
        Self { state: Some(PartState::Done), ..Self::plain(text) }
    }

    /// A text as a person sends it: no state.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), state: None, provider_metadata: None, extra: Extra::new() }
    }

    /// An empty text that deltas will fill.
    pub fn streaming(provider_metadata: Option<Value>) -> Self {
        Self { state: Some(PartState::Streaming), provider_metadata, ..Self::plain("") }
    }
}

/// A `file` part: a link or a data address.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilePart {
    /// MIME type.
    pub media_type: String,
    /// `http(s):` or `data:`.
    pub url: String,
    /// Name to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// What the provider wants to see again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_metadata: Option<Value>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A `source-url` part: a page the model relied on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceUrlPart {
    /// Name of the source within its message.
    pub source_id: String,
    /// Where it is.
    pub url: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the provider wants to see again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_metadata: Option<Value>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A `source-document` part: a document the model relied on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceDocumentPart {
    /// Name of the source within its message.
    pub source_id: String,
    /// MIME type.
    pub media_type: String,
    /// What it is called.
    pub title: String,
    /// Its file name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// What the provider wants to see again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_metadata: Option<Value>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A `data-NAME` part: whatever an application put there.
#[derive(Debug, Clone, PartialEq)]
pub struct DataPart {
    /// The `NAME` in `data-NAME`.
    pub name: String,
    /// With an id, a later chunk of the same name and id replaces the data.
    pub id: Option<String>,
    /// The payload.
    pub data: Value,
    /// Unknown fields.
    pub extra: Extra,
}

/// One part of a message, told apart by `type`.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// `text`
    Text(TextPart),
    /// `reasoning`
    Reasoning(TextPart),
    /// `file`
    File(FilePart),
    /// `source-url`
    SourceUrl(SourceUrlPart),
    /// `source-document`
    SourceDocument(SourceDocumentPart),
    /// `step-start`: the border between two model calls of one turn.
    StepStart,
    /// `data-NAME`
    Data(DataPart),
    /// `tool-NAME` or `dynamic-tool`
    Tool(Box<ToolPart>),
    /// Anything else, or a known type without its required fields: kept as it came.
    Unknown(Value),
}

impl Part {
    /// A text part as a person sends it.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextPart::plain(text))
    }

    /// The tool call, if this part is one.
    pub fn as_tool(&self) -> Option<&ToolPart> {
        if let Self::Tool(tool) = self { Some(tool) } else { None }
    }

    /// The tool call, to be changed, if this part is one.
    pub fn as_tool_mut(&mut self) -> Option<&mut ToolPart> {
        if let Self::Tool(tool) = self { Some(tool) } else { None }
    }

    /// The file, if this part is one.
    pub fn as_file(&self) -> Option<&FilePart> {
        if let Self::File(file) = self { Some(file) } else { None }
    }

    /// The text of a `text` part.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(part) = self { Some(&part.text) } else { None }
    }
}

impl From<Value> for Part {
    /// Anything is a part; what is none that is known is kept as it came.
    fn from(value: Value) -> Self {
        if !value.get("type").is_some_and(Value::is_string) {
            return Self::Unknown(value);
        }
        let Some((kind, fields)) = Fields::typed(value) else { return Self::Unknown(Value::Null) };
        if read::fits(&kind, &fields) { read::part(kind, fields) } else { Self::Unknown(fields.whole(kind)) }
    }
}

impl DataPart {
    pub(crate) fn from_fields(name: &str, mut fields: Fields) -> Option<Self> {
        let data = fields.present("data")?;
        let id = match fields.present("id") {
            None => None,
            Some(Value::String(id)) => Some(id),
            Some(_) => return None,
        };
        Some(Self { name: name.to_owned(), id, data, extra: fields.rest() })
    }

    pub(crate) fn to_object(&self) -> Map<String, Value> {
        let mut object = Map::new();
        let _first = object.insert("type".to_owned(), Value::String(format!("data-{}", self.name)));
        if let Some(id) = &self.id {
            let _id = object.insert("id".to_owned(), Value::String(id.clone()));
        }
        let _data = object.insert("data".to_owned(), self.data.clone());
        object.extend(self.extra.clone());
        object
    }
}

/// Puts `type` before the fields of a known part.
#[derive(Serialize)]
struct Tagged<'a, T> {
    r#type: &'static str,
    #[serde(flatten)]
    fields: &'a T,
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(part) => Tagged { r#type: "text", fields: part }.serialize(serializer),
            Self::Reasoning(part) => Tagged { r#type: "reasoning", fields: part }.serialize(serializer),
            Self::File(part) => Tagged { r#type: "file", fields: part }.serialize(serializer),
            Self::SourceUrl(part) => Tagged { r#type: "source-url", fields: part }.serialize(serializer),
            Self::SourceDocument(part) => {
                Tagged { r#type: "source-document", fields: part }.serialize(serializer)
            }
            Self::StepStart => Tagged { r#type: "step-start", fields: &Extra::new() }.serialize(serializer),
            Self::Data(part) => part.to_object().serialize(serializer),
            Self::Tool(part) => part.to_object().serialize(serializer),
            Self::Unknown(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}
