//! Files of people, in the parts that the dialect has for them: pictures, sound, documents.

use super::text_part;
use crate::dialect::files::{Data, named, told};
use serde_json::{Value, json};

pub(super) fn part(media_type: &str, url: &str, filename: Option<&str>) -> Value {
    let name = filename.unwrap_or("file");
    let unsendable = || text_part(&named(media_type, url, name));
    if let Some(text) = told(media_type, url, name) {
        return text_part(&text);
    }
    let data = Data::read(url);
    match media_type.split('/').next().unwrap_or_default() {
        "image" => json!({ "type": "image_url", "image_url": { "url": url } }),
        "audio" => data.and_then(|data| sound(media_type, &data)).unwrap_or_else(unsendable),
        "text" => unsendable(),
        _ if data.is_some() => json!({ "type": "file", "file": { "filename": name, "file_data": url } }),
        _ => unsendable(),
    }
}

fn sound(media_type: &str, data: &Data<'_>) -> Option<Value> {
    let format = match media_type {
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        _ => return None,
    };
    Some(json!({ "type": "input_audio", "input_audio": { "data": data.base64(), "format": format } }))
}
