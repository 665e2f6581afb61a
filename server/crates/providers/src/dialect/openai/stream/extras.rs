//! What some providers send beside text: the pages they read and the pictures they made.

use model::ModelEvent;
use serde_json::Value;

/// A page out of a `url_citation` annotation.
pub(super) fn source(annotation: &Value, number: usize) -> Option<ModelEvent> {
    let citation = annotation.get("url_citation")?;
    let text = |key: &str| citation.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(ModelEvent::Source { id: format!("source-{number}"), url: text("url")?, title: text("title") })
}

/// A picture out of an entry of `images`.
pub(super) fn image(image: &Value) -> Option<ModelEvent> {
    let url = image.pointer("/image_url/url")?.as_str()?;
    let media_type = url.strip_prefix("data:").and_then(|data| data.split([';', ',']).next());
    let media_type = media_type.filter(|name| !name.is_empty()).unwrap_or("image/png");
    Some(ModelEvent::File { url: url.to_owned(), media_type: media_type.to_owned() })
}
