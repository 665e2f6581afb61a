//! Files of people, as far as all dialects read them alike. A text file is told as text, which every model reads.
//! What a dialect cannot carry is named, so that the model can say so.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

/// The content of a text file; none for other files and for text that stands elsewhere.
pub(super) fn told(media_type: &str, url: &str, name: &str) -> Option<String> {
    let text = Data::read(url).filter(|_| is_text(media_type))?.text()?;
    Some(format!("[File {name}]\n\n{text}"))
}

/// All that can be said about a file that cannot be sent.
pub(super) fn named(media_type: &str, url: &str, name: &str) -> String {
    let place = if url.starts_with("http") { format!(" at {url}") } else { String::new() };
    format!("[File {name}, {media_type}{place}; its content cannot be shown here]")
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

/// What stands behind `data:`.
pub(super) struct Data<'a> {
    encoding: Encoding,
    payload: &'a str,
}

enum Encoding {
    Base64,
    Percent,
}

impl<'a> Data<'a> {
    pub(super) fn read(url: &'a str) -> Option<Self> {
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

    /// The content in base64.
    pub(super) fn base64(&self) -> Cow<'a, str> {
        match self.encoding {
            Encoding::Base64 => Cow::Borrowed(self.payload),
            Encoding::Percent => Cow::Owned(STANDARD.encode(percent_decode(self.payload))),
        }
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
