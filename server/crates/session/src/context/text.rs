//! Texts that come from elsewhere: one that never changes, and one that is a file or another object.

use super::error::BoxError;
use super::provider::{ReadContext, WriteContext};
use async_trait::async_trait;
use object_store::local::LocalFileSystem;
use object_store::path::{Error as LocationError, Path as Location};
use object_store::{Error as StoreError, ObjectStore, ObjectStoreExt};
use protocol::limits::ENTRY_MAX_BYTES;
use std::path::Path;
use std::sync::Arc;

/// A text that never changes, such as the description of the agent's character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedText(String);

impl FixedText {
    /// The text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

#[async_trait]
impl ReadContext for FixedText {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        Ok(Some(self.0.clone()))
    }

    fn fingerprint(&self) -> Option<String> {
        Some(self.0.clone())
    }
}

/// A text that is one file, or one object of any store. It is read anew each time, and replaced whole.
#[derive(Debug, Clone)]
pub struct TextObject {
    store: Arc<dyn ObjectStore>,
    location: Location,
}

impl TextObject {
    /// The object at `location`; it need not exist yet.
    pub fn new(store: Arc<dyn ObjectStore>, location: Location) -> Self {
        Self { store, location }
    }

    /// The file at `path`; it and its folders need not exist yet.
    ///
    /// # Errors
    /// Where `path` is no path of a file.
    pub fn file(path: &Path) -> Result<Self, LocationError> {
        let location = Location::from_absolute_path(path)?;
        Ok(Self::new(Arc::new(LocalFileSystem::new()), location))
    }
}

/// Reads an object as text; none where there is none.
pub(super) async fn read(store: &dyn ObjectStore, location: &Location) -> Result<Option<String>, BoxError> {
    match store.get(location).await {
        Ok(found) if found.meta.size > ENTRY_MAX_BYTES as u64 => {
            let size = found.meta.size;
            Err(format!("{location} has {size} bytes; at most {ENTRY_MAX_BYTES} are read (ENTRY_MAX_BYTES)")
                .into())
        }
        Ok(found) => {
            let bytes = found.bytes().await?;
            let text = std::str::from_utf8(&bytes).map_err(|_| format!("{location} is not a text"))?;
            Ok(Some(text.to_owned()))
        }
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[async_trait]
impl ReadContext for TextObject {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        read(self.store.as_ref(), &self.location).await
    }

    fn fingerprint(&self) -> Option<String> {
        Some(format!("{} {}", self.store, self.location))
    }
}

#[async_trait]
impl WriteContext for TextObject {
    async fn set(&self, content: &str) -> Result<(), BoxError> {
        self.store.put(&self.location, content.to_owned().into()).await?;
        Ok(())
    }
}
