//! Files of people, in the parts that the dialect has for them: pictures, sound, documents. A text file is told as
//! text, which every model reads. What the dialect cannot carry is named, so that the model can say so.

use super::text_part;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub(super) fn part(media_type: &str, url: &str, filename: Option<&str>) -> Value {
    let name = filename.unwrap_or("file");
    let data = Data::read(url);
    match media_type.split('/').next().unwrap_or_default() {
        "image" => json!({ "type": "image_url", "image_url": { "url": url } }),
        "audio" => {
            data.and_then(|data| data.sound(media_type)).unwrap_or_else(|| named(name, media_type, url))
        }
        _ if is_text(media_type) => {
            let text = data.and_then(|data| data.text());
            text.map_or_else(
                || named(name, media_type, url),
                |text| text_part(&format!("[File {name}]\n\n{text}")),
            )
        }
        _ if data.is_some() => json!({ "type": "file", "file": { "filename": name, "file_data": url } }),
        _ => named(name, media_type, url),
    }
}

fn is_text(media_type: &str) -> bool {
    let plain = media_type.split(';').next().unwrap_or_default().trim();
    plain.starts_with("text/")
        || plain.ends_with("+json")
        || plain.ends_with("+xml")
        || [
            "application/json",
            "application/xml",
            "application/javascript",
            "application/toml",
            "application/yaml",
        ]
        .contains(&plain)
}

/// All that can be said about a file that cannot be sent.
fn named(name: &str, media_type: &str, url: &str) -> Value {
    let place = if url.starts_with("http") { format!(" at {url}") } else { String::new() };
    text_part(&format!("[File {name}, {media_type}{place}; its content cannot be shown here]"))
}

/// What stands behind `data:`.
struct Data<'a> {
    encoding: Encoding,
    payload: &'a str,
}

enum Encoding {
    Base64,
    Percent,
}

impl<'a> Data<'a> {
    fn read(url: &'a str) -> Option<Self> {
        let (head, payload) = url.strip_prefix("data:")?.split_once(',')?;
        let encoding = if head.ends_with(";base64") { Encoding::Base64 } else { Encoding::Percent };
        Some(Self { encoding, payload })
    }

    fn text(&self) -> Option<String> {
        let bytes = match self.encoding {
            Encoding::Base64 => STANDARD.decode(self.payload).ok()?,
            Encoding::Percent => percent_decode(self.payload),
        };
        String::from_utf8(bytes).ok()
    }

    fn sound(&self, media_type: &str) -> Option<Value> {
        let format = match media_type {
            "audio/mpeg" | "audio/mp3" => "mp3",
            "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
            _ => return None,
        };
        matches!(self.encoding, Encoding::Base64).then(
            || json!({ "type": "input_audio", "input_audio": { "data": self.payload, "format": format } }),
        )
    }
}

fn percent_decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        match after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}
