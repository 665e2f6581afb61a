//! Addresses of the page, spelt in one place. Each begins with the base path, so that the product works below one.

use crate::settings::section::Section;
use protocol::{MessageId, SessionId};

/// How the default session, whose id is empty, is written in addresses.
pub const DEFAULT_SESSION: &str = "~";

/// Address of the page that starts a new chat.
pub fn new_chat(base: &str) -> String {
    format!("{base}/")
}

/// Address of the page to sign in at, which leads to another one of ours.
pub fn login(base: &str, next: &str) -> String {
    format!("{base}/login?next={}", encode(next))
}

/// Address of a session.
pub fn session(base: &str, id: &SessionId) -> String {
    format!("{base}/s/{}", segment(id))
}

/// Address of a section of the settings.
pub fn settings(base: &str, section: Section) -> String {
    format!("{base}/settings/{}", section.segment())
}

/// Address of a message.
pub fn message(base: &str, session: &SessionId, id: &MessageId) -> String {
    format!("{}?m={}", self::session(base, session), encode(id.as_str()))
}

/// A session's id as one segment of a path.
pub fn segment(id: &SessionId) -> String {
    if id.as_str().is_empty() { DEFAULT_SESSION.to_owned() } else { encode(id.as_str()) }
}

/// The session that a (decoded) segment names.
pub fn session_of(segment: &str) -> SessionId {
    if segment == DEFAULT_SESSION { SessionId::default() } else { SessionId::from(segment) }
}

/// The session that the path of an address names.
pub fn session_at(path: &str, base: &str) -> Option<SessionId> {
    let segment = path.strip_prefix(base)?.strip_prefix("/s/")?;
    let decoded = leptos_router::location::Url::unescape(segment);
    Some(session_of(&decoded))
}

/// Percent-encodes everything but the unreserved characters of RFC 3986.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte))
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_has_an_address_of_its_own() {
        let check = |id: &str, address: &str| assert_eq!(session("/chat", &id.into()), address);
        check("0192-ab", "/chat/s/0192-ab");
        check("", "/chat/s/~");
        check("a/b c", "/chat/s/a%2Fb%20c");
        check("é", "/chat/s/%C3%A9");
        assert_eq!(message("", &"s".into(), &"a&b".into()), "/s/s?m=a%26b");
        assert_eq!(session_of("~"), SessionId::default());
        assert_eq!(session_of("0192-ab"), SessionId::from("0192-ab"));
        assert_eq!(new_chat(""), "/");
    }
}
