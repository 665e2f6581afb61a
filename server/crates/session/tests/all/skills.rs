//! Skills in object stores and in folders: what is listed, loaded and written.

use crate::context::skills;
use async_trait::async_trait;
use futures::stream::BoxStream;
use session::object_store::memory::InMemory;
use session::object_store::path::Path as Location;
use session::object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use session::{Layout, ReadContext, SkillContext, SkillStore, WriteSkills};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

// S4
#[tokio::test]
async fn a_prefix_and_an_allow_list_narrow_what_is_seen_but_not_what_is_written() {
    let store = Arc::new(InMemory::new());
    let all = SkillStore::new(store.clone(), Location::from("g"), Layout::Objects);
    all.set("brew", "B", Some("Brewing")).await.unwrap();
    all.set("milk", "M", None).await.unwrap();
    store.put(&Location::from("z/x"), "X".into()).await.unwrap();

    let some = all.clone().allow(["brew"]);
    assert_eq!(some.get().await.unwrap().as_deref(), Some("- brew: Brewing"));
    assert_eq!(some.load("brew").await.unwrap().as_deref(), Some("B"));
    assert_eq!(some.load("milk").await.unwrap(), None);
    some.set("milk", "M2", None).await.unwrap();
    let written = store.get(&Location::from("g/milk")).await.unwrap().bytes().await.unwrap();
    assert_eq!(written.as_ref(), b"M2");
    let none: [&str; 0] = [];
    assert_eq!(some.allow(none).get().await.unwrap().as_deref(), Some("- brew: Brewing\n- milk"));
}

#[tokio::test]
async fn a_key_that_is_not_allowed_never_touches_the_store() {
    let broken = SkillStore::new(Arc::new(Unreachable), Location::from("g"), Layout::Objects).allow(["brew"]);
    assert_eq!(broken.load("milk").await.unwrap(), None);
    assert!(broken.load("brew").await.is_err());
}

#[tokio::test]
async fn an_empty_store_lists_nothing_and_odd_keys_name_nothing() {
    let skills = skills();
    assert_eq!(skills.get().await.unwrap(), None);
    for key in ["", "/", "..", "a/../b", "./a", "a//b", "a\u{0}b"] {
        assert_eq!(skills.load(key).await.unwrap_or_default(), None, "{key:?}");
    }
    skills.set("deep/er", "D", None).await.unwrap();
    assert_eq!(skills.get().await.unwrap().as_deref(), Some("- deep/er"));
    assert_eq!(skills.load("deep/er").await.unwrap().as_deref(), Some("D"));
    for other in ["/deep/er", "deep/er/"] {
        assert_eq!(skills.load(other).await.unwrap(), None, "{other}: a skill has one key only");
    }
    for other in ["/deep/er", "deep/er/", ".."] {
        let refused = skills.set(other, "x", None).await.unwrap_err().to_string();
        assert_eq!(refused, format!("{other:?} cannot name a skill"));
    }
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[tokio::test]
async fn folders_of_agent_skills_are_listed_loaded_and_written() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "brew/SKILL.md", "---\nname: brew\ndescription: Brewing tea\n---\n\n# Brew\n");
    write(folder.path(), "brew/tables/times.md", "3 minutes");
    write(folder.path(), "brew/logo.png", [0xff, 0xd8, 0xff]);
    write(folder.path(), "plain/SKILL.md", "No head.");
    write(folder.path(), "notes.md", "no skill");
    write(folder.path(), "empty/README.md", "no skill");
    let skills = SkillStore::folder(folder.path()).unwrap();
    assert_eq!(skills.get().await.unwrap().as_deref(), Some("- brew: Brewing tea\n- plain"));
    let text = "# Brew\n\n\nFiles of this skill, each to be loaded by its key:\n- brew/logo.png\n- brew/tables/times.md";
    for (key, expected) in [
        ("brew", Some(text)),
        ("plain", Some("No head.")),
        ("brew/tables/times.md", Some("3 minutes")),
        ("brew/none.md", None),
        ("empty", None),
        ("nobody", None),
    ] {
        assert_eq!(skills.load(key).await.unwrap().as_deref(), expected, "{key}");
    }
    let refused = skills.load("brew/logo.png").await.unwrap_err().to_string();
    assert_eq!(refused, "brew/logo.png is not a text");
    assert!(skills.load("../notes.md").await.unwrap_or_default().is_none());

    skills.set("milk", "Warm it.", Some("Foam: how")).await.unwrap();
    let written = std::fs::read_to_string(folder.path().join("milk/SKILL.md")).unwrap();
    assert_eq!(written, "---\nname: \"milk\"\ndescription: \"Foam: how\"\n---\n\nWarm it.");
    assert_eq!(skills.load("milk").await.unwrap().as_deref(), Some("Warm it."));
    let refused = skills.set("milk/x.md", "x", None).await.unwrap_err().to_string();
    assert_eq!(refused, "\"milk/x.md\" names a file of a skill; only skills are written");
    let some = skills.allow(["brew", "milk"]);
    assert_eq!(some.get().await.unwrap().as_deref(), Some("- brew: Brewing tea\n- milk: Foam: how"));
    assert_eq!(some.load("plain").await.unwrap(), None);
    assert!(some.load("brew/tables/times.md").await.unwrap().is_some());
    assert!(SkillStore::folder(&folder.path().join("nowhere")).is_err());
}

#[tokio::test]
async fn where_a_store_has_no_room_for_a_description_it_stands_in_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let local = session::object_store::local::LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    let skills = SkillStore::new(Arc::new(local), Location::from("g"), Layout::Objects);
    skills.set("brew", "B", Some("Brewing")).await.unwrap();
    skills.set("milk", "M", None).await.unwrap();
    assert_eq!(skills.get().await.unwrap().as_deref(), Some("- brew: Brewing\n- milk"));
    assert_eq!(skills.load("milk").await.unwrap().as_deref(), Some("M"));
    assert!(skills.load("brew").await.unwrap().unwrap().ends_with("\n\nB"));
}

/// A store nobody can reach.
#[derive(Debug)]
struct Unreachable;

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unreachable")
    }
}

fn gone<T>() -> Result<T> {
    Err(Error::Generic { store: "unreachable", source: "nobody is there".into() })
}

#[async_trait]
impl ObjectStore for Unreachable {
    async fn put_opts(&self, _: &Location, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        gone()
    }

    async fn put_multipart_opts(
        &self,
        _: &Location,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        gone()
    }

    async fn get_opts(&self, _: &Location, _: GetOptions) -> Result<GetResult> {
        gone()
    }

    fn delete_stream(&self, _: BoxStream<'static, Result<Location>>) -> BoxStream<'static, Result<Location>> {
        Box::pin(futures::stream::once(async { gone() }))
    }

    fn list(&self, _: Option<&Location>) -> BoxStream<'static, Result<ObjectMeta>> {
        Box::pin(futures::stream::once(async { gone() }))
    }

    async fn list_with_delimiter(&self, _: Option<&Location>) -> Result<ListResult> {
        gone()
    }

    async fn copy_opts(&self, _: &Location, _: &Location, _: CopyOptions) -> Result<()> {
        gone()
    }
}
