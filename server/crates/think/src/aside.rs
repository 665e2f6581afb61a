//! Calls of a model beside the conversation: one question, one text, no tools, nothing shown.

use crate::agent::AgentSpec;
use futures::TryStreamExt;
use model::{LanguageModel, ModelError, ModelEvent, ModelMessage, ModelRequest, Purpose};
use protocol::SessionId;
use session::{BoxError, SessionManager, Summarise};
use std::sync::Arc;

/// What a model answers to a single question.
pub(crate) async fn ask(
    model: &dyn LanguageModel,
    purpose: Purpose,
    question: String,
) -> Result<String, ModelError> {
    let request =
        ModelRequest { purpose, messages: vec![ModelMessage::user(question)], ..ModelRequest::default() };
    let add = async |mut text: String, event| {
        if let ModelEvent::TextDelta { delta, .. } = event {
            text.push_str(&delta);
        }
        Ok(text)
    };
    model.call(request).try_fold(String::new(), add).await
}

/// Writes the summaries of one session with the model that answers there.
pub(crate) struct Summariser {
    spec: Arc<AgentSpec>,
    sessions: SessionManager,
    session: SessionId,
}

impl Summariser {
    pub(crate) fn new(spec: &Arc<AgentSpec>, sessions: &SessionManager, session: &SessionId) -> Self {
        Self { spec: Arc::clone(spec), sessions: sessions.clone(), session: session.clone() }
    }
}

#[async_trait::async_trait]
impl Summarise for Summariser {
    async fn summarise(&self, prompt: &str) -> Result<String, BoxError> {
        let chosen = self.sessions.get(&self.session).await?.and_then(|info| info.model);
        let name = chosen.unwrap_or_else(|| self.spec.usual_model());
        let model = self.spec.model(&name)?;
        Ok(ask(model.as_ref(), Purpose::Summary, prompt.to_owned()).await?)
    }
}
