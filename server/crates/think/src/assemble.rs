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
    let mut messages = model::prune_tool_calls(model::to_model_messages(path));
    // Calls of the running turn are never pruned: the model must see what it has just done.
    messages.extend(model::to_model_messages(so_far.map_or(&[], std::slice::from_ref)));
    model::open_with_user(&mut messages);
    model::nudge_after_assistant(&mut messages);
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::ModelMessage;
    use protocol::{Part, Role};
    use serde_json::json;

    fn calls(id: &str, count: usize) -> Message {
        let call = |n| {
            json!({ "type": "tool-add", "toolCallId": format!("{id}{n}"), "state": "output-available",
                    "input": {}, "output": n })
        };
        let parts = (0..count).flat_map(|n| [json!({ "type": "step-start" }), call(n)]).collect::<Vec<_>>();
        serde_json::from_value(json!({ "id": id, "role": "assistant", "parts": parts })).unwrap()
    }

    fn text(id: &str, role: Role) -> Message {
        Message::text(id, role, "text")
    }

    fn call_ids(request: &ModelRequest) -> Vec<String> {
        request.messages.iter().flat_map(ModelMessage::tool_call_ids).map(ToString::to_string).collect()
    }

    #[test]
    fn old_calls_are_pruned_and_the_running_turns_own_are_not() {
        let mut path = vec![text("u1", Role::User), calls("old", 1)];
        path.extend([text("u2", Role::User), text("a2", Role::Assistant), text("u3", Role::User)]);
        let request = assemble("", &path, Some(&calls("now", 3)), &[]).unwrap();
        assert_eq!(call_ids(&request), ["now0", "now0", "now1", "now1", "now2", "now2"]);
    }

    #[test]
    fn nothing_to_say_is_no_request() {
        assert_eq!(assemble("system", &[], None, &[]), None);
        let mut empty = text("u1", Role::User);
        empty.parts = vec![Part::StepStart];
        assert_eq!(assemble("system", &[empty], None, &[]), None);
    }

    #[test]
    fn an_empty_system_prompt_is_none() {
        let request = assemble("  ", &[text("u1", Role::User)], None, &[]).unwrap();
        assert_eq!(request.system, None);
    }
}
