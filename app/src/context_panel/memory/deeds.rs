//! What is known of the blocks, and what a person does with them. Each change is shown when the server has made it.

use super::edit::{Edit, Outcome};
use crate::api::{Ask, Refusal, of_session};
use crate::backend::told;
use crate::client::Client;
use crate::routes;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{BlockVersion, ContextBlock, SessionId, SkillInfo, WaitingChange};
use serde::Deserialize;
use serde_json::{Value, json};

/// The blocks of a session, as far as this tab knows them. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Memory {
    client: Client,
    session: StoredValue<SessionId>,
    blocks: RwSignal<Option<Vec<ContextBlock>>>,
    skills: RwSignal<Vec<SkillInfo>>,
    waiting: RwSignal<Vec<WaitingChange>>,
    failure: RwSignal<Option<String>>,
}

#[derive(Deserialize)]
struct Blocks {
    blocks: Vec<ContextBlock>,
}

#[derive(Deserialize)]
struct SkillList {
    skills: Vec<SkillInfo>,
}

#[derive(Deserialize)]
struct Waiting {
    #[serde(default)]
    waiting: Vec<WaitingChange>,
}

#[derive(Deserialize)]
struct Versions {
    versions: Vec<BlockVersion>,
}

#[derive(Deserialize)]
struct DiffText {
    diff: String,
}

impl Memory {
    /// Nothing known yet.
    pub fn new(client: Client, session: SessionId) -> Self {
        Self {
            client,
            session: StoredValue::new(session),
            blocks: RwSignal::new(None),
            skills: RwSignal::new(Vec::new()),
            waiting: RwSignal::new(Vec::new()),
            failure: RwSignal::new(None),
        }
    }

    /// Labels of the blocks, in the order of the prompt.
    pub fn labels(self) -> Vec<String> {
        let blocks = self.blocks.read();
        blocks.iter().flatten().map(|block| block.label.clone()).collect()
    }

    /// One block.
    pub fn block(self, label: &str) -> Option<ContextBlock> {
        self.blocks.read().iter().flatten().find(|block| block.label == label).cloned()
    }

    /// The entries that a model can load.
    pub fn skills(self) -> RwSignal<Vec<SkillInfo>> {
        self.skills
    }

    /// How many changes the frozen prompt does not have yet.
    pub fn waiting(self) -> usize {
        self.waiting.read().len()
    }

    /// What to say where there are no blocks to show, with its role.
    pub fn note(self) -> Option<(String, &'static str)> {
        if let Some(failure) = self.failure.get() {
            return Some((failure, "alert"));
        }
        match &*self.blocks.read() {
            None => Some(("Reading the blocks…".to_owned(), "status")),
            Some(blocks) if blocks.is_empty() => Some((
                "The model starts from nothing here. A block is text that it always has before it."
                    .to_owned(),
                "note",
            )),
            Some(_) => None,
        }
    }

    /// Reads everything anew.
    pub fn load(self) {
        spawn_local(async move {
            match self.ask(Ask::get(self.path("/blocks"))).await {
                Ok(text) => self.took(told::read::<Blocks>(&text).map(|it| it.blocks)),
                Err(refusal) => drop(self.failure.try_set(Some(refusal.error.message))),
            }
            if let Ok(text) = self.ask(Ask::get(self.path("/skills"))).await {
                self.took_skills(&text);
            }
            self.load_waiting().await;
        });
    }

    /// Writes what was typed.
    pub fn save(self, label: String, edit: RwSignal<Option<Edit>>) {
        let body = edit.try_update(|edit| edit.as_mut().and_then(Edit::start_saving)).flatten();
        let Some((content, version)) = body else { return };
        spawn_local(async move {
            let body = json!({ "content": content, "version": version });
            let outcome = match self.ask(Ask::put(self.block_path(&label, ""), body)).await {
                Ok(text) => self.put(&text).map_or(Outcome::Refused(unreadable()), |_| Outcome::Saved),
                Err(refusal) if refusal.status == 409 => self.conflict(&label, refusal).await,
                Err(refusal) => Outcome::Refused(refusal.error.message),
            };
            let _left = edit.try_update(|edit| *edit = edit.take().and_then(|edit| edit.after(outcome)));
            self.load_waiting().await;
        });
    }

    /// Makes a block; `done` is told what stood in the way, if anything did.
    pub fn create(self, body: Value, done: impl FnOnce(Option<String>) + 'static) {
        spawn_local(async move {
            match self.ask(Ask::post(self.path("/blocks"), body)).await {
                Ok(_) => {
                    done(None);
                    self.load();
                }
                Err(refusal) => done(Some(refusal.error.message)),
            }
        });
    }

    /// Removes a block, with a way back.
    pub fn delete(self, block: ContextBlock) {
        spawn_local(async move {
            if let Err(refusal) = self.ask(Ask::delete(self.block_path(&block.label, ""))).await {
                return self.client.toasts().fail(&refusal.error.message);
            }
            self.load();
            let note = format!("Deleted “{}”", block.label);
            let body = json!({
                "label": block.label, "description": block.description, "max_tokens": block.max_tokens,
                "content": block.content, "scope": block.scope,
            });
            let toasts = self.client.toasts();
            let told = move |failure: Option<String>| failure.iter().for_each(|failure| toasts.fail(failure));
            let undo = move || self.create(body.clone(), told);
            self.client.toasts().offer(&note, "Undo", undo);
        });
    }

    /// Brings an old version back, as a new one.
    pub fn restore(self, label: String, version: u64) {
        let expected = self.block(&label).map(|block| block.version);
        self.act(Ask::post(
            self.block_path(&label, "/restore"),
            json!({ "version": version, "expected": expected }),
        ));
    }

    /// Takes an entry out of what the model has before it.
    pub fn unload(self, skill: &SkillInfo) {
        self.act(Ask::post(self.path("/skills/unload"), json!({ "label": skill.label, "key": skill.key })));
    }

    /// Takes the waiting changes into the prompt.
    pub fn refresh(self) {
        self.act(Ask::post(format!("/sessions/{}/prompt/refresh", self.segment()), json!({})));
    }

    /// The versions of a block, newest first.
    pub async fn versions(self, label: String) -> Result<Vec<BlockVersion>, String> {
        let text = self.ask(Ask::get(self.block_path(&label, "/history"))).await;
        let text = text.map_err(|refusal| refusal.error.message)?;
        let list =
            serde_json::from_str::<Versions>(&text).map_err(|_| "The answer cannot be read.".to_owned())?;
        Ok(list.versions)
    }

    /// What a version changed, as a unified diff.
    pub async fn diff(self, label: String, from: u64, to: u64) -> Result<String, String> {
        let path = self.block_path(&label, "/diff");
        let joint = if path.contains('?') { '&' } else { '?' };
        let text = self.ask(Ask::get(format!("{path}{joint}from={from}&to={to}"))).await;
        let text = text.map_err(|refusal| refusal.error.message)?;
        let diff =
            serde_json::from_str::<DiffText>(&text).map_err(|_| "The answer cannot be read.".to_owned())?;
        Ok(diff.diff)
    }

    fn act(self, ask: Ask) {
        spawn_local(async move {
            match self.ask(ask).await {
                Ok(_) => self.load(),
                Err(refusal) => self.client.toasts().fail(&refusal.error.message),
            }
        });
    }

    async fn conflict(self, label: &str, refusal: Refusal) -> Outcome {
        let theirs = self.ask(Ask::get(self.block_path(label, ""))).await.ok();
        match theirs.and_then(|text| self.put(&text)) {
            Some(theirs) => Outcome::Conflict { content: theirs.content, version: theirs.version },
            None => Outcome::Refused(refusal.error.message),
        }
    }

    async fn load_waiting(self) {
        let path = format!("/sessions/{}/prompt", self.segment());
        if let Ok(text) = self.ask(Ask::get(path)).await
            && let Some(prompt) = told::read::<Waiting>(&text)
        {
            let _left = self.waiting.try_set(prompt.waiting);
        }
    }

    fn took(self, blocks: Option<Vec<ContextBlock>>) {
        let failure = blocks.is_none().then(unreadable);
        let _left = self.failure.try_set(failure);
        let _left = self.blocks.try_set(blocks);
    }

    fn took_skills(self, text: &str) {
        let skills = told::read::<SkillList>(text).map(|list| list.skills).unwrap_or_default();
        let _left = self.skills.try_set(skills);
    }

    fn put(self, text: &str) -> Option<ContextBlock> {
        let block: ContextBlock = told::read(text)?;
        let shown = block.clone();
        let _left = self.blocks.try_update(|blocks| {
            let known = blocks.iter_mut().flatten().find(|known| known.label == shown.label);
            if let Some(known) = known {
                *known = shown;
            }
        });
        Some(block)
    }

    fn ask(self, ask: Ask) -> crate::api::Answer {
        ask.send(self.client)
    }

    fn path(self, resource: &str) -> String {
        let query = self.session.try_with_value(of_session).unwrap_or_default();
        format!("{resource}{query}")
    }

    fn block_path(self, label: &str, below: &str) -> String {
        self.path(&format!("/blocks/{}{below}", routes::encode(label)))
    }

    fn segment(self) -> String {
        self.session.try_with_value(routes::segment).unwrap_or_default()
    }
}

fn unreadable() -> String {
    "The answer cannot be read.".to_owned()
}
