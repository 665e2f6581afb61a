//! The short way from a stored row to its message: texts are read into their places at once, without a loose JSON tree
//! between. Only what this crate itself writes is read so; anything unusual, be it damage, goes the long way, so both
//! ways give the same message.

use protocol::{Message, MessageId, Part, PartState, TextPart};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The message of a row; none where it must be read the long way.
pub(super) fn message(content: &[u8]) -> Option<Message> {
    serde_json::from_slice::<Quick>(content).ok().map(|quick| quick.0)
}

/// What a message is without anything unusual.
struct Quick(Message);

impl<'de> Deserialize<'de> for Quick {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MessageFields).map(Self)
    }
}

struct MessageFields;

impl<'de> Visitor<'de> for MessageFields {
    type Value = Message;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Message, A::Error> {
        let (mut id, mut role, mut parts, mut metadata) = (None, None, None, None);
        let mut extra = Map::new();
        while let Some(Word(name)) = map.next_key()? {
            match name.as_ref() {
                "id" => once(&mut id, map.next_value::<String>()?)?,
                "role" => once(&mut role, map.next_value::<Word<'_>>()?.0)?,
                "parts" => once(&mut parts, map.next_value::<Parts>()?.0)?,
                "metadata" => once(&mut metadata, map.next_value::<Map<String, Value>>()?)?,
                _ => keep(&mut extra, name, map.next_value()?)?,
            }
        }
        let missing = A::Error::missing_field;
        Ok(Message {
            id: MessageId::new(id.ok_or_else(|| missing("id"))?),
            role: super::role_of(role.ok_or_else(|| missing("role"))?.into_owned()),
            parts: parts.ok_or_else(|| missing("parts"))?,
            metadata,
            extra,
        })
    }
}

/// The parts of a message.
struct Parts(Vec<Part>);

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PartList).map(Self)
    }
}

struct PartList;

impl<'de> Visitor<'de> for PartList {
    type Value = Vec<Part>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Part>, A::Error> {
        let mut parts = Vec::new();
        while let Some(OnePart(part)) = list.next_element()? {
            parts.push(part);
        }
        Ok(parts)
    }
}

/// One part, whose type stands first.
struct OnePart(Part);

impl<'de> Deserialize<'de> for OnePart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PartFields).map(Self)
    }
}

struct PartFields;

impl<'de> Visitor<'de> for PartFields {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a part that begins with its type")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Part, A::Error> {
        if map.next_key::<Word<'_>>()?.is_none_or(|Word(first)| first != "type") {
            return Err(A::Error::missing_field("type"));
        }
        let Word(kind) = map.next_value()?;
        match kind.as_ref() {
            "text" => text(map).map(Part::Text),
            "reasoning" => text(map).map(Part::Reasoning),
            _ => {
                let mut fields = Map::new();
                keep(&mut fields, Cow::Borrowed("type"), Value::String(kind.into_owned()))?;
                while let Some(Word(name)) = map.next_key()? {
                    keep(&mut fields, name, map.next_value()?)?;
                }
                Ok(Part::from(Value::Object(fields)))
            }
        }
    }
}

fn text<'de, A: MapAccess<'de>>(mut map: A) -> Result<TextPart, A::Error> {
    let (mut text, mut state, mut provider_metadata, mut extra) = (None, None, None, Map::new());
    while let Some(Word(name)) = map.next_key()? {
        match name.as_ref() {
            "text" => once(&mut text, map.next_value::<String>()?)?,
            "state" => once(&mut state, map.next_value::<PartState>()?)?,
            "providerMetadata" => once(&mut provider_metadata, map.next_value::<Value>()?)?,
            _ => keep(&mut extra, name, map.next_value()?)?,
        }
    }
    let provider_metadata = provider_metadata.filter(|value| !value.is_null());
    Ok(TextPart {
        text: text.ok_or_else(|| A::Error::missing_field("text"))?,
        state,
        provider_metadata,
        extra,
    })
}

/// A text that is copied only where it is kept.
struct Word<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Word<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(AnyWord).map(Self)
    }
}

struct AnyWord;

impl<'de> Visitor<'de> for AnyWord {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// Which of two values of one name counts is for the long way to say.
fn once<T, E: Error>(place: &mut Option<T>, value: T) -> Result<(), E> {
    if place.replace(value).is_none() { Ok(()) } else { Err(E::custom("a name stands there twice")) }
}

fn keep<E: Error>(fields: &mut Map<String, Value>, name: Cow<'_, str>, value: Value) -> Result<(), E> {
    match fields.insert(name.into_owned(), value) {
        None => Ok(()),
        Some(_) => Err(E::custom("a name stands there twice")),
    }
}

#[cfg(test)]
mod tests;
