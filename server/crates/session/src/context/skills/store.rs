//! Skills in folders on disk or in any object store, in the layout of Agent Skills or as single objects.

use super::front_matter::{self, parse};
use super::line;
use crate::context::error::BoxError;
use crate::context::provider::{ReadContext, SkillContext, WriteSkills};
use crate::context::text::read;
use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::{Attribute, AttributeValue, Attributes, Error as StoreError};
use object_store::{ObjectStore, ObjectStoreExt, PutOptions};
use protocol::limits::{ENTRY_MAX_BYTES, SKILLS_MAX};
use std::path::Path;
use std::sync::Arc;

/// Name of the file that is the skill.
const SKILL_FILE: &str = "SKILL.md";
/// Key of the description among an object's own data.
const DESCRIPTION: &str = "description";
/// Objects that are asked for at the same time.
const PARALLEL: usize = 8;

/// How skills lie in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One object each. Its description is among the object's own data, or in the head of its text.
    Objects,
    /// One folder each, with `SKILL.md` and maybe other files: the layout of Agent Skills. The description is in the
    /// head of `SKILL.md`; another file is loaded as `SKILL/FILE`.
    Folders,
}

/// Skills below one place of a store. Nothing is cached: what is listed is what is there.
#[derive(Debug, Clone)]
pub struct SkillStore {
    store: Arc<dyn ObjectStore>,
    prefix: Location,
    layout: Layout,
    /// Empty means all.
    allowed: Vec<String>,
}

impl SkillStore {
    /// The skills below `prefix`, which stands in no key.
    pub fn new(store: Arc<dyn ObjectStore>, prefix: Location, layout: Layout) -> Self {
        Self { store, prefix, layout, allowed: Vec::new() }
    }

    /// The skill folders in the folder `path`, which must exist.
    ///
    /// # Errors
    /// Where there is no such folder.
    pub fn folder(path: &Path) -> Result<Self, StoreError> {
        let store = LocalFileSystem::new_with_prefix(path)?;
        Ok(Self::new(Arc::new(store), Location::default(), Layout::Folders))
    }

    /// Lists and loads these keys only; an empty list allows all. Writing is not restricted.
    #[must_use]
    pub fn allow(self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { allowed: keys.into_iter().map(Into::into).collect(), ..self }
    }

    fn is_allowed(&self, skill: &str) -> bool {
        self.allowed.is_empty() || self.allowed.iter().any(|allowed| allowed == skill)
    }

    /// Where `key` lies; none where it cannot be a key. A skill has one key only, so that it is known as loaded.
    fn location(&self, key: &str) -> Option<Location> {
        let key = Location::parse(key).ok().filter(|parsed| !key.is_empty() && parsed.as_ref() == key)?;
        Some(key.parts().fold(self.prefix.clone(), Location::join))
    }

    /// The keys there are, in order.
    async fn keys(&self) -> Result<Vec<String>, BoxError> {
        let found = self.store.list(Some(&self.prefix)).try_filter_map(|object| {
            let key = self.key(&object.location).filter(|key| self.is_allowed(key));
            futures::future::ready(Ok(key))
        });
        let mut keys: Vec<String> = found.take(SKILLS_MAX).try_collect().await?;
        keys.sort_unstable();
        Ok(keys)
    }

    /// The skill that an object is; none for an object that is part of one.
    fn key(&self, location: &Location) -> Option<String> {
        let parts: Vec<String> =
            location.prefix_match(&self.prefix)?.map(|part| part.as_ref().to_owned()).collect();
        match (self.layout, parts.as_slice()) {
            (Layout::Folders, [folder, file]) if file == SKILL_FILE => Some(folder.clone()),
            (Layout::Folders, _) | (Layout::Objects, []) => None,
            (Layout::Objects, parts) => Some(parts.join("/")),
        }
    }

    /// The object that holds a skill's text.
    fn main_object(&self, key: &str) -> Option<Location> {
        let location = self.location(key)?;
        Some(match self.layout {
            Layout::Objects => location,
            Layout::Folders => location.join(SKILL_FILE),
        })
    }

    async fn describe(&self, key: String) -> Result<String, BoxError> {
        let Some(location) = self.main_object(&key) else { return Ok(line(&key, None)) };
        let object = match self.store.get(&location).await {
            Ok(object) => object,
            // It went between listing and reading.
            Err(StoreError::NotFound { .. }) => return Ok(line(&key, None)),
            Err(error) => return Err(error.into()),
        };
        let noted = object
            .attributes
            .get(&Attribute::Metadata(DESCRIPTION.into()))
            .map(|value| value.as_ref().to_owned());
        if noted.is_some() || object.meta.size > ENTRY_MAX_BYTES as u64 {
            return Ok(line(&key, noted.as_deref()));
        }
        let bytes = object.bytes().await?;
        let description = std::str::from_utf8(&bytes).ok().and_then(|text| parse(text).description);
        Ok(line(&key, description.as_deref()))
    }

    async fn load_folder(&self, key: &str) -> Result<Option<String>, BoxError> {
        let Some(location) = self.location(key) else { return Ok(None) };
        if key.contains('/') {
            return read(self.store.as_ref(), &location).await;
        }
        let Some(text) = read(self.store.as_ref(), &location.clone().join(SKILL_FILE)).await? else {
            return Ok(None);
        };
        let mut content = parse(&text).body.to_owned();
        let files = self.files(key, &location).await?;
        if !files.is_empty() {
            content.push_str("\n\nFiles of this skill, each to be loaded by its key:\n");
            content.push_str(&files.join("\n"));
        }
        Ok(Some(content))
    }

    /// The other files of a skill, as keys.
    async fn files(&self, key: &str, folder: &Location) -> Result<Vec<String>, BoxError> {
        let others = self.store.list(Some(folder)).try_filter_map(|object| {
            let parts = object.location.prefix_match(folder);
            let parts = parts.map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>());
            let file = parts.map(|parts| parts.join("/")).filter(|file| file != SKILL_FILE);
            futures::future::ready(Ok(file.map(|file| format!("- {key}/{file}"))))
        });
        let mut files: Vec<String> = others.take(SKILLS_MAX).try_collect().await?;
        files.sort_unstable();
        Ok(files)
    }

    /// Writes an object with its description beside it, or in its head where the store has no room beside it.
    async fn put_object(
        &self,
        location: &Location,
        content: &str,
        description: &str,
    ) -> Result<(), BoxError> {
        let name = Attribute::Metadata(DESCRIPTION.into());
        let attributes = Attributes::from_iter([(name, AttributeValue::from(description.to_owned()))]);
        let options = PutOptions { attributes, ..PutOptions::default() };
        match self.store.put_opts(location, content.to_owned().into(), options).await {
            Ok(_) => Ok(()),
            Err(StoreError::NotImplemented { .. }) => {
                let name = location.filename().unwrap_or_default();
                let text = front_matter::write(name, description, parse(content).body);
                let _put = self.store.put(location, text.into()).await?;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

#[async_trait]
impl ReadContext for SkillStore {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        let keys = self.keys().await?;
        let lines = futures::stream::iter(keys).map(|key| self.describe(key)).buffered(PARALLEL);
        let lines: Vec<String> = lines.try_collect().await?;
        Ok((!lines.is_empty()).then(|| lines.join("\n")))
    }

    fn fingerprint(&self) -> Option<String> {
        Some(format!("{} {} {:?} {:?}", self.store, self.prefix, self.layout, self.allowed))
    }
}

#[async_trait]
impl SkillContext for SkillStore {
    async fn load(&self, key: &str) -> Result<Option<String>, BoxError> {
        let skill = match self.layout {
            Layout::Objects => key,
            Layout::Folders => key.split('/').next().unwrap_or(key),
        };
        if !self.is_allowed(skill) {
            return Ok(None);
        }
        match self.layout {
            Layout::Folders => self.load_folder(key).await,
            Layout::Objects => match self.location(key) {
                Some(location) => read(self.store.as_ref(), &location).await,
                None => Ok(None),
            },
        }
    }
}

#[async_trait]
impl WriteSkills for SkillStore {
    async fn set(&self, key: &str, content: &str, description: Option<&str>) -> Result<(), BoxError> {
        let Some(location) = self.main_object(key) else {
            return Err(format!("{key:?} cannot name a skill").into());
        };
        match (self.layout, description) {
            (Layout::Objects, Some(description)) => self.put_object(&location, content, description).await,
            (Layout::Objects, None) => {
                let _put = self.store.put(&location, content.to_owned().into()).await?;
                Ok(())
            }
            (Layout::Folders, _) if key.contains('/') => {
                Err(format!("{key:?} names a file of a skill; only skills are written").into())
            }
            (Layout::Folders, description) => {
                let head = parse(content);
                let description = description.map(str::to_owned).or(head.description).unwrap_or_default();
                let text = front_matter::write(key, &description, head.body);
                let _put = self.store.put(&location, text.into()).await?;
                Ok(())
            }
        }
    }
}
