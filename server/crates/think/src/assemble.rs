//! What exactly the model sees. Pure: history in, request out.

use model::{ModelRequest, Purpose, Sampling, ToolChoice};
use protocol::{Message, ToolSpec};

/// Puts a prompt together from the path up to the branch point and, in later steps, the answer so far.
///
/// None when there is nothing to answer: a model is never called with an empty conversation.
pub fn assemble(
    system: &str,
    path: &[Message],
    so_far: Option<&Message>,
    tools: &[ToolSpec],
) -> Option<ModelRequest> {
    let history: Vec<Message> = path.iter().chain(so_far).cloned().collect();
    let messages = model::prune_tool_calls(model::to_model_messages(&history));
    if messages.is_empty() {
        return None;
    }
    Some(ModelRequest {
        purpose: Purpose::Chat,
        system: Some(system.trim().to_owned()).filter(|system| !system.is_empty()),
        messages,
        tools: tools.to_vec(),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
    })
}
