//! From an object to a part. Whether it fits is asked first, so that what does not can be kept as it came.

use super::{DataPart, FilePart, Part, PartState, SourceDocumentPart, SourceUrlPart, TextPart};
use crate::fields::{Fields, Misfit};
use crate::tool_part::ToolPart;
use serde_json::Value;

/// Whether an object has what a part of its kind needs, and nothing wrong where it may have something.
pub(super) fn fits(kind: &str, fields: &Fields) -> bool {
    match kind {
        "text" | "reasoning" => fields.has_texts(&["text"]) && fields.may_have(&["state"], is_state),
        "file" => fields.has_texts(&["mediaType", "url"]) && fields.may_have_texts(&["filename"]),
        "source-url" => fields.has_texts(&["sourceId", "url"]) && fields.may_have_texts(&["title"]),
        "source-document" => {
            fields.has_texts(&["sourceId", "mediaType", "title"]) && fields.may_have_texts(&["filename"])
        }
        "step-start" => fields.is_empty(),
        _ if kind.starts_with("data-") => {
            fields.get("data").is_some() && fields.get("id").is_none_or(Value::is_string)
        }
        _ => ToolPart::fits(kind, fields),
    }
}

fn is_state(value: &Value) -> bool {
    serde_json::from_value::<PartState>(value.clone()).is_ok()
}

/// The part of an object that fits.
pub(super) fn part(kind: String, fields: Fields) -> Part {
    let read = match kind.as_str() {
        "text" => text(fields).map(Part::Text),
        "reasoning" => text(fields).map(Part::Reasoning),
        "file" => file(fields).map(Part::File),
        "source-url" => source_url(fields).map(Part::SourceUrl),
        "source-document" => source_document(fields).map(Part::SourceDocument),
        "step-start" => Ok(Part::StepStart),
        _ => match kind.strip_prefix("data-") {
            Some(name) => DataPart::from_fields(name, fields).map(Part::Data).ok_or(Misfit("data")),
            None => ToolPart::from_fields(&kind, fields).map(|tool| Part::Tool(Box::new(tool))),
        },
    };
    debug_assert!(read.is_ok(), "{read:?}: `fits` and the readers of {kind} disagree");
    read.unwrap_or(Part::Unknown(Value::String(kind)))
}

fn text(mut fields: Fields) -> Result<TextPart, Misfit> {
    Ok(TextPart {
        text: fields.text("text")?,
        state: fields.maybe_read("state")?,
        provider_metadata: fields.maybe_value("providerMetadata"),
        extra: fields.rest(),
    })
}

fn file(mut fields: Fields) -> Result<FilePart, Misfit> {
    Ok(FilePart {
        media_type: fields.text("mediaType")?,
        url: fields.text("url")?,
        filename: fields.maybe_text("filename")?,
        provider_metadata: fields.maybe_value("providerMetadata"),
        extra: fields.rest(),
    })
}

fn source_url(mut fields: Fields) -> Result<SourceUrlPart, Misfit> {
    Ok(SourceUrlPart {
        source_id: fields.text("sourceId")?,
        url: fields.text("url")?,
        title: fields.maybe_text("title")?,
        provider_metadata: fields.maybe_value("providerMetadata"),
        extra: fields.rest(),
    })
}

fn source_document(mut fields: Fields) -> Result<SourceDocumentPart, Misfit> {
    Ok(SourceDocumentPart {
        source_id: fields.text("sourceId")?,
        media_type: fields.text("mediaType")?,
        title: fields.text("title")?,
        filename: fields.maybe_text("filename")?,
        provider_metadata: fields.maybe_value("providerMetadata"),
        extra: fields.rest(),
    })
}
