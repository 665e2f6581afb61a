//! What the agent's code chose, in words for people who look at a prompt.

use super::Choices;
use crate::agent::{RequestExtras, StepChanges, TurnChanges};
use model::ToolChoice;
use protocol::PromptChanges;
use serde_json::{Map, Value};

impl Choices {
    /// For the call that comes now: what was chosen for its step, else for its turn.
    pub(crate) fn told(&self) -> PromptChanges {
        let (turn, step) = self.chosen_for_call();
        let choice = step.tool_choice.or(turn.tool_choice);
        let (schema, headers, fields) = extras(turn.extras, step.extras);
        PromptChanges {
            model: self.model().map(|model| model.name().to_owned()),
            system: step.system.or(turn.system),
            messages: step.messages.or(turn.messages).map(|messages| messages.len()),
            added_tools: turn.tools.iter().map(|tool| tool.spec().name).collect(),
            active_tools: step.active_tools.or(turn.active_tools),
            tool_choice: choice.map(choice_in_words),
            max_steps: turn.max_steps,
            sampling: step.sampling.or(turn.sampling),
            schema,
            headers,
            fields,
        }
    }

    fn chosen_for_call(&self) -> (TurnChanges, StepChanges) {
        let chosen = self.chosen();
        let step = chosen.step.clone().map(|(_number, step)| step);
        (chosen.turn.clone().unwrap_or_default(), step.unwrap_or_default())
    }
}

fn extras(turn: RequestExtras, step: RequestExtras) -> (Option<Value>, Vec<String>, Map<String, Value>) {
    let (mut headers, mut fields) = (turn.headers, turn.options);
    headers.extend(step.headers);
    fields.extend(step.options);
    let schema = step.output.or(turn.output).map(|output| output.schema);
    (schema, headers.into_keys().collect(), fields)
}

fn choice_in_words(choice: ToolChoice) -> String {
    match choice {
        ToolChoice::Auto => "auto".to_owned(),
        ToolChoice::None => "none".to_owned(),
        ToolChoice::Required => "required".to_owned(),
        ToolChoice::Named(tool) => tool,
    }
}
