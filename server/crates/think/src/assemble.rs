//! What exactly the model sees. Pure: history in, request out.

use model::{ModelMessage, ModelRequest};
use protocol::{Message, Part, ToolSpec};
use session::{Truncation, sanitize_tool_pairs, truncate_older_messages};

/// What a model has loaded on purpose is not shortened.
const LOAD_TOOL: &str = "load_context";

/// Whether calls of tools that the end of the conversation does not mention are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pruning {
    /// They are: what was said about their results stands in the answers.
    #[default]
    OldCalls,
    /// They stay.
    Nothing,
}

/// What a prompt is made of.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    /// Instructions.
    pub system: &'a str,
    /// The path up to the branch point, as [`fit`] gives it.
    pub path: &'a [Message],
    /// The answer so far, in later steps.
    pub so_far: Option<&'a Message>,
    /// What the model may call.
    pub tools: &'a [ToolSpec],
    /// What of the path is left out.
    pub pruning: Pruning,
}

/// A request, and where its messages come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembled {
    /// What the model sees.
    pub request: ModelRequest,
    /// For each message of the request, the position in the path of the message it was made from; the answer so far
    /// comes after the path, and what was added for the provider's sake comes from nowhere.
    pub origins: Vec<Option<usize>>,
}

/// A path as the model reads it: calls and results paired, long texts and results in all but the last messages cut.
pub fn fit(path: Vec<Message>) -> Vec<Message> {
    let whole = loaded_outputs(&path);
    let mut fitted = truncate_older_messages(sanitize_tool_pairs(path), Truncation::default());
    for call in fitted.iter_mut().flat_map(|message| &mut message.parts).filter_map(Part::as_tool_mut) {
        if let Some((_, output)) = whole.iter().find(|(id, _)| *id == call.call.tool_call_id) {
            call.call.output = Some(output.clone());
        }
    }
    fitted
}

fn loaded_outputs(path: &[Message]) -> Vec<(protocol::ToolCallId, serde_json::Value)> {
    let calls = path.iter().flat_map(|message| &message.parts).filter_map(Part::as_tool);
    let loads = calls.filter(|tool| tool.name == LOAD_TOOL);
    loads.filter_map(|tool| Some((tool.call.tool_call_id.clone(), tool.call.output.clone()?))).collect()
}

/// Puts a prompt together.
///
/// None when there is nothing to answer: a model is never called with an empty conversation.
pub fn assemble(material: &Material<'_>) -> Option<Assembled> {
    let path = model::trace_model_messages(material.path);
    let mut traced = match material.pruning {
        Pruning::OldCalls => model::prune_tagged(path),
        Pruning::Nothing => path,
    };
    // Calls of the running turn are never pruned: the model must see what it has just done.
    let so_far = model::to_model_messages(material.so_far.map_or(&[], std::slice::from_ref));
    traced.extend(so_far.into_iter().map(|message| (material.path.len(), message)));
    let (mut origins, mut messages): (Vec<Option<usize>>, Vec<ModelMessage>) =
        traced.into_iter().map(|(position, message)| (Some(position), message)).unzip();
    let before = messages.len();
    model::open_with_user(&mut messages);
    if messages.len() > before {
        origins.insert(0, None);
    }
    model::nudge_after_assistant(&mut messages);
    origins.resize(messages.len(), None);
    if messages.is_empty() {
        return None;
    }
    let system = material.system.trim();
    let request = ModelRequest {
        system: (!system.is_empty()).then(|| system.to_owned()),
        messages,
        tools: material.tools.to_vec(),
        ..ModelRequest::default()
    };
    Some(Assembled { request, origins })
}

#[cfg(test)]
mod tests;
