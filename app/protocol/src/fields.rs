//! Reading objects field by field. What a page reads all the time (chunks, frames, messages, parts) is read by hand: the
//! derived readers of tagged and flattened types buffer everything once more, and each is code that browsers download.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The fields of an object that nobody has read yet. Reading takes a field out; what is left, nobody knows.
#[derive(Debug)]
pub(crate) struct Fields(Map<String, Value>);

/// The name of a field that is missing or holds the wrong thing.
#[derive(Debug)]
pub(crate) struct Misfit(pub(crate) &'static str);

impl Fields {
    pub(crate) fn of(object: Map<String, Value>) -> Self {
        Self(object)
    }

    /// An object and its `type`; none for what has none.
    pub(crate) fn typed(value: Value) -> Option<(String, Self)> {
        let Value::Object(mut object) = value else { return None };
        match object.shift_remove("type") {
            Some(Value::String(kind)) => Some((kind, Self(object))),
            _ => None,
        }
    }

    /// A text.
    pub(crate) fn text<T: From<String>>(&mut self, name: &'static str) -> Result<T, Misfit> {
        self.maybe_text(name)?.ok_or(Misfit(name))
    }

    /// A text, or nothing.
    pub(crate) fn maybe_text<T: From<String>>(&mut self, name: &'static str) -> Result<Option<T>, Misfit> {
        match self.maybe_value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(T::from(text))),
            Some(_) => Err(Misfit(name)),
        }
    }

    /// Yes or no, or nothing.
    pub(crate) fn maybe_flag(&mut self, name: &'static str) -> Result<Option<bool>, Misfit> {
        match self.maybe_value(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(Misfit(name)),
        }
    }

    /// A whole number, or nothing.
    pub(crate) fn maybe_number(&mut self, name: &'static str) -> Result<Option<u64>, Misfit> {
        match self.maybe_value(name) {
            None => Ok(None),
            Some(number) => number.as_u64().map(Some).ok_or(Misfit(name)),
        }
    }

    /// An object; nothing where there is none, or something else.
    pub(crate) fn maybe_object(&mut self, name: &'static str) -> Option<Map<String, Value>> {
        match self.maybe_value(name) {
            Some(Value::Object(object)) => Some(object),
            _ => None,
        }
    }

    /// Anything; `null` counts as nothing.
    pub(crate) fn maybe_value(&mut self, name: &'static str) -> Option<Value> {
        self.present(name).filter(|value| !value.is_null())
    }

    /// Anything that is there, `null` too.
    pub(crate) fn present(&mut self, name: &'static str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    /// A type with a reader of its own.
    pub(crate) fn read<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, Misfit> {
        let value = self.present(name).ok_or(Misfit(name))?;
        serde_json::from_value(value).map_err(|_| Misfit(name))
    }

    /// The same, or nothing.
    pub(crate) fn maybe_read<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, Misfit> {
        match self.maybe_value(name) {
            None => Ok(None),
            Some(value) => serde_json::from_value(value).map(Some).map_err(|_| Misfit(name)),
        }
    }

    /// What nobody has read.
    pub(crate) fn rest(self) -> Map<String, Value> {
        self.0
    }

    /// Everything that is left, as one type with a reader of its own.
    pub(crate) fn all<T: DeserializeOwned>(self) -> Option<T> {
        serde_json::from_value(Value::Object(self.0)).ok()
    }

    /// Whether these fields are texts.
    pub(crate) fn has_texts(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.0.get(*name).is_some_and(Value::is_string))
    }

    /// Whether these fields are texts, where they are there.
    pub(crate) fn may_have_texts(&self, names: &[&str]) -> bool {
        self.may_have(names, Value::is_string)
    }

    /// Whether these fields are as `is_right` says, where they are there.
    pub(crate) fn may_have(&self, names: &[&str], is_right: fn(&Value) -> bool) -> bool {
        names.iter().filter_map(|name| self.0.get(*name)).all(|value| value.is_null() || is_right(value))
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The field, unread.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Everything that is left, with the `type` it had, as it came.
    pub(crate) fn whole(self, kind: String) -> Value {
        let mut object = Map::with_capacity(self.0.len() + 1);
        let _first = object.insert("type".to_owned(), Value::String(kind));
        object.extend(self.0);
        Value::Object(object)
    }
}
