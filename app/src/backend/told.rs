//! A value that the server told the page. It is read from JSON by way of [`serde_json::Value`], as everything else the
//! page reads, so that each type has one reader in the browser and not one for each form of JSON.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// What the server told.
#[derive(Debug, Clone, PartialEq)]
pub struct Told<T>(pub T);

impl<T: Serialize> Serialize for Told<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Told<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        serde_json::from_value(value).map(Self).map_err(Error::custom)
    }
}

/// Reads a text of JSON.
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str::<Told<T>>(text).ok().map(|told| told.0)
}
