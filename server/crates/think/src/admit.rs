//! What a chat request adds to the tree, and where. Pure.
//!
//! The stored tree is the truth: a client's list only says which messages are new and what they follow. Messages that
//! are stored already are never rewritten by it, and messages it leaves out are not deleted. A list that ends in a
//! question which is stored with another content is an edit: a new version beside the old one.

mod body;

pub(crate) use body::read;

use protocol::{
    ChatBody, ErrorCode, Message, MessageId, RESERVED_METADATA, Role, Trigger, TurnStatus, WireError,
};
use session::LeftOut;

/// What is known about the session when the request comes in.
pub(crate) trait Known {
    /// Whether the id is stored, on any branch.
    fn has(&self, id: &MessageId) -> bool;
    /// The leaf of the active path.
    fn active_leaf(&self) -> Option<&MessageId>;
    /// Whether the active path has a finished answer below `id`; none if `id` is not on it.
    fn is_answered_below(&self, id: &MessageId) -> Option<bool>;
    /// What is stored under the id, and what that follows. Only the last message of the request's list is asked for.
    fn stored(&self, id: &MessageId) -> Option<(&Message, Option<&MessageId>)>;
    /// An id for a new version.
    fn new_id(&self) -> MessageId;
}

/// What to do with a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Admission {
    /// Messages to append, in order.
    pub(crate) messages: Vec<Message>,
    /// Under what; none makes a new root.
    pub(crate) parent: Option<MessageId>,
}

/// The new version of a question that the list ends in, and what it follows.
fn edit(body: &ChatBody, known: &dyn Known) -> Option<Admission> {
    let edited = body.messages.last().filter(|message| is_question(message))?;
    let (stored, parent) = known.stored(&edited.id)?;
    let is_edit = stored.role == Role::User && stored.parts != edited.parts;
    if !is_edit || body.trigger == Some(Trigger::RegenerateMessage) {
        return None;
    }
    let version = Message { id: known.new_id(), ..without_reserved(edited.clone()) };
    Some(Admission { messages: vec![version], parent: parent.cloned() })
}

fn is_question(message: &Message) -> bool {
    message.role == Role::User && !message.parts.is_empty()
}

/// Decides. The answer will hang under the last of `messages`, or under `parent` if there are none.
///
/// # Errors
/// A request that leaves nothing to answer.
pub(crate) fn admit(body: &ChatBody, known: &dyn Known) -> Result<Admission, WireError> {
    if let Some(edit) = edit(body, known) {
        return Ok(edit);
    }
    // A summary that a client shows last stands for rows that end at the active leaf.
    let known_or_overlay =
        body.messages.iter().rev().map(|message| &message.id).find(|id| known.has(id) || id.is_overlay());
    let last_known = match known_or_overlay {
        Some(id) if id.is_overlay() => known.active_leaf(),
        other => other,
    };
    let messages = new_messages(body, known);
    if messages.is_empty() {
        let parent = last_known.or_else(|| known.active_leaf()).cloned();
        let parent = parent.ok_or_else(|| {
            WireError::new(
                ErrorCode::BadRequest,
                "there is nothing to answer: the request holds no new message",
            )
        })?;
        return Ok(Admission { messages, parent: Some(parent) });
    }
    let parent = match (&body.parent_id, last_known) {
        (Some(parent), _) => Some(parent.clone()),
        (None, Some(last)) => Some(below(last, body.trigger, known)),
        (None, None) => known.active_leaf().cloned(),
    };
    Ok(Admission { messages, parent })
}

/// A list that ends where the answers end is no branch: what was accepted meanwhile comes first.
fn below(last: &MessageId, trigger: Option<Trigger>, known: &dyn Known) -> MessageId {
    let is_branch =
        trigger == Some(Trigger::RegenerateMessage) || known.is_answered_below(last) != Some(false);
    match known.active_leaf() {
        Some(leaf) if !is_branch => leaf.clone(),
        _ => last.clone(),
    }
}

fn new_messages(body: &ChatBody, known: &dyn Known) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for message in &body.messages {
        let is_repeated = messages.iter().any(|earlier| earlier.id == message.id);
        let is_new = !known.has(&message.id) && !message.id.is_overlay() && !is_repeated;
        if is_new && is_question(message) {
            messages.push(without_reserved(message.clone()));
        }
    }
    messages
}

/// The message without what only the engine may say of one.
pub(crate) fn without_reserved(mut message: Message) -> Message {
    if let Some(metadata) = &mut message.metadata {
        metadata.retain(|key, _| !RESERVED_METADATA.contains(&key.as_str()));
        if metadata.is_empty() {
            message.metadata = None;
        }
    }
    message
}

/// Whether a message is a row that was reserved for an answer which has not ended.
pub(crate) fn is_reserved(message: &Message) -> bool {
    message.turn().is_some_and(|turn| turn.status == TurnStatus::Running)
}

/// The same, for paths that are read as text.
pub(crate) const RESERVED: LeftOut = LeftOut { mark: "\"running\"", is_one: is_reserved };

#[cfg(test)]
mod tests;
